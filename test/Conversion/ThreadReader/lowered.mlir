// A lowered function that names its reference is compared with it.
// RUN: mirage-opt %s --convert-mgraph-to-thread --mirage-verify=seed=1 -o /dev/null 2>&1 | FileCheck %s

// What plan and kernels do not agree on is no verdict.
// RUN: mirage-opt %s --convert-mgraph-to-thread > %t.mlir
// RUN: sed 's/mgraph_thread.kernel @g_0/mgraph_thread.kernel @h_0/' %t.mlir | not mirage-opt --mirage-verify=seed=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: sed 's/\(mgraph_thread.kernel @g_0.*\) shared 0/\1 shared 1024/' %t.mlir | not mirage-opt --mirage-verify=seed=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: mirage-opt %S/Inputs/rmsnorm_linear.mlir --convert-mgraph-to-thread | sed 's/constant = true/constant = false/' | not mirage-opt --mirage-verify="reference=ref candidate=f" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not mirage-opt %t.mlir --mirage-verify="reference=other candidate=g" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TYPE

// CHECK: remark: @g against @f: equivalent, by 2 tests of every thread at full size, without a proved bound
// NAME: error: expected the kernel @g_0 that the plan launches, but found none
// SHAPE: error: 'mgraph_thread.kernel' op expected the parameters and launch shape that the plan gives it
// CONSTANT: error: 'mgraph_thread.kernel' op expected constant argument 1 to be a constant input of the plan
// TYPE: error: @g against @other: expected output 0 of type 4x8xf32 as in the reference, but got 8x4xf32
func.func private @f(%x: tensor<4x8xf32>) -> tensor<8x4xf32> attributes {mirage.original} {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = mgraph_kernel.transpose %0 perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
func.func private @other(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {mirage.original} {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @g(%x: tensor<4x8xf32>) -> tensor<8x4xf32> attributes {mirage.reference = @f} {
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = mgraph_kernel.exp %0 : tensor<8x4xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
