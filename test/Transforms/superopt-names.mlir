// RUN: mirage-opt %s --mirage-superopt="seed=1" 2>/dev/null | FileCheck %s
// RUN: not mirage-opt %s --mirage-superopt="top=0" 2>&1 | FileCheck %s --check-prefix=TOP
// RUN: not mirage-opt %s --mirage-superopt="node-budget=0" 2>&1 | FileCheck %s --check-prefix=BUDGET

// TOP: error: expected top to be a number in [1, 2147483647], but got 0
// BUDGET: error: expected node-budget to be a number in [1, {{[0-9]+}}], but got 0

// The name that the kept original would take is taken.
// CHECK-LABEL: func.func @f(
// CHECK: mirage.reference = @[[REF:f_reference_0_[0-9]+]]
// CHECK: func.func @f_reference_0(
// CHECK: func.func private @[[REF]](
func.func @f(%x: tensor<64x512xf16>) -> tensor<64x512xf16> {
  %0 = mgraph_kernel.exp %x : tensor<64x512xf16> -> tensor<64x512xf16>
  %1 = mgraph_kernel.square %0 : tensor<64x512xf16> -> tensor<64x512xf16>
  return %1 : tensor<64x512xf16>
}
func.func @f_reference_0(%x: f32) -> f32 {
  return %x : f32
}
