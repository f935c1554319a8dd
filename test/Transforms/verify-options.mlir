// RUN: not mirage-opt %s --mirage-verify 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mirage-opt %s --mirage-verify="reference=f" 2>&1 | FileCheck %s --check-prefix=HALF

// NONE: error: expected at least 1 graph with a certificate, but found none
// HALF: error: expected both reference and candidate, but got reference 'f' and candidate ''
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
