// An option that does not parse is one line that says what was expected and what
// was given, not a dump of the module below it.
// RUN: not mirage-opt %s --mirage-superopt="target=" 2>&1 | FileCheck %s --check-prefix=EMPTY --implicit-check-not=note: --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-superopt="node-budget=abc" 2>&1 | FileCheck %s --check-prefix=BUDGET --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-superopt="node-budget=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-superopt="max-block-ops=99999999999" 2>&1 | FileCheck %s --check-prefix=LARGE --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-superopt="seed=" 2>&1 | FileCheck %s --check-prefix=NOTHING --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-superopt="threads=100000" 2>&1 | FileCheck %s --check-prefix=THREADS --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-superopt="prune=foo" 2>&1 | FileCheck %s --check-prefix=PRUNE --implicit-check-not=note: --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-verify="threads=two" 2>&1 | FileCheck %s --check-prefix=VERIFY --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-verify="seed=1.5" 2>&1 | FileCheck %s --check-prefix=VERIFY-SEED --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-predict="target=sm_1" 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=note: --implicit-check-not=error:
// RUN: not mirage-opt %s --convert-mgraph-to-thread="target=sm_1" 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=note: --implicit-check-not=error:
// RUN: not mirage-opt %s --convert-mgraph-thread-to-nvvm="target=sm_1" 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=note: --implicit-check-not=error:
// RUN: not mirage-opt %s --mirage-lower-to-ptx="target=sm_1" 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=note: --implicit-check-not=error:

// EMPTY: error: expected target to be one of sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a, but got ''
// BUDGET: error: expected node-budget to be a number in [1, 18446744073709551615], but got abc
// NEGATIVE: error: expected node-budget to be a number in [1, 18446744073709551615], but got -1
// LARGE: error: expected max-block-ops to be a number in [1, 2147483647], but got 99999999999
// NOTHING: error: expected seed to be a number in [0, 18446744073709551615], but got nothing
// THREADS: error: expected threads to be a number in [0, 1024], but got 100000
// PRUNE: error: expected prune to be one of auto, fast, z3, both or none, but got 'foo'
// VERIFY: error: expected threads to be a number in [0, 1024], but got two
// VERIFY-SEED: error: expected seed to be a number in [0, 18446744073709551615], but got 1.5
// TARGET: error: expected target to be one of sm_80, {{.*}}, but got 'sm_1'
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
