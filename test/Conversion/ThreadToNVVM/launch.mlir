// Without dependent launch no kernel waits for the one before it, on any target.
// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=launch=dependent | FileCheck %s --check-prefix=DEPENDENT
// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=launch=plain | FileCheck %s --check-prefix=PLAIN
// RUN: not mirage-opt %s -convert-mgraph-thread-to-nvvm=launch=later 2>&1 | FileCheck %s --check-prefix=INVALID

// DEPENDENT: nvvm.griddepcontrol
// PLAIN: llvm.func @k
// PLAIN-NOT: griddepcontrol
// PLAIN: llvm.return
// INVALID: Cannot find option named 'later'
mgraph_thread.kernel @k grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 0 constant [] {
  grid_launch_dependents
  grid_dependency_wait
  return
}
