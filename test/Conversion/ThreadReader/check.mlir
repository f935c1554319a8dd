// RUN: mirage-opt %S/Inputs/gated_mlp.mlir --convert-mgraph-to-thread=check -o /dev/null 2>&1 | FileCheck %s --check-prefix=MLP
// RUN: mirage-opt %s --mirage-lower-to-ptx=check -o /dev/null 2>&1 | FileCheck %s
// RUN: not mirage-opt %S/../KernelToThread/movement.mlir --convert-mgraph-to-thread=check -o /dev/null 2>&1 | FileCheck %s --check-prefix=INTEGERS

// MLP: remark: kernels of @f: equivalent, by 2 tests of every thread at full size, without a proved bound
// INTEGERS: error: kernels of @gather: cannot tell: an input holds integers

// Two kernels with scratch between them, and a constant that is no dyadic number.
// CHECK: remark: kernels of @mean: equivalent, by 2 tests of every thread at full size, without a proved bound
func.func @mean(%x: tensor<5x33xf16>, %w: tensor<33x7xf16>) -> tensor<5x1xf16> {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<5x33xf16>, tensor<33x7xf16>) -> tensor<5x7xf16>
  %1 = mgraph_kernel.reduce mean %0 dims [1] : tensor<5x7xf16> -> tensor<5x1xf16>
  return %1 : tensor<5x1xf16>
}

// A mask made of indices, with minus infinity, under a softmax.
// CHECK: remark: kernels of @masked: equivalent, by 2 tests of every thread at full size, without a proved bound
func.func @masked(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %rows = mgraph_kernel.iota dim 0 : tensor<8x8xf32>
  %cols = mgraph_kernel.iota dim 1 : tensor<8x8xf32>
  %keep = mgraph_kernel.compare ge %rows, %cols : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %none = mgraph_kernel.constant neg_inf : tensor<8x8xf32>
  %0 = mgraph_kernel.select %keep, %x, %none : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = mgraph_kernel.softmax %0 dim 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
