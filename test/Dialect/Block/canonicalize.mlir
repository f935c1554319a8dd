// RUN: mirage-opt %s -canonicalize | FileCheck %s

// The patterns are those of the kernel level; on tiles an op on f16 may yield
// f32, and then it is no no-op.
// CHECK-LABEL: func @tiles
func.func @tiles(%x: tensor<16x64xf16>, %w: tensor<32x64xf16>) -> (tensor<16x32xf16>, tensor<16x64xf32>) {
  %o:2 = mgraph_kernel.graph (%a = %x, %b = %w) grid [1, 1, 1]
      : (tensor<16x64xf16>, tensor<32x64xf16>)
        -> (tensor<16x32xf16>, tensor<16x64xf32>) {
    // CHECK: %[[A:.+]] = load
    // CHECK: %[[B:.+]] = load
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf16> -> <16x64xf16>
    %1 = load %b imap [-1, -1, -1] : tensor<32x64xf16> -> <32x64xf16>
    // CHECK-NOT: transpose %
    // CHECK-NOT: reshape
    // CHECK: %[[P:.+]] = matmul %[[A]], %[[B]] transpose_rhs
    %2 = transpose %1 perm [1, 0] : <32x64xf16> -> <64x32xf16>
    %3 = reshape %0 : <16x64xf16> -> <1024xf16>
    %4 = reshape %3 : <1024xf16> -> <16x64xf16>
    %5 = matmul %4, %2 : (<16x64xf16>, <64x32xf16>) -> <16x32xf32>
    %one = constant 1.0 : <1x1xf32>
    %6 = mul %5, %one : (<16x32xf32>, <1x1xf32>) -> <16x32xf32>
    // CHECK: %[[M:.+]] = mul %[[A]],
    %7 = mul %0, %one : (<16x64xf16>, <1x1xf32>) -> <16x64xf32>
    %8 = div %7, %one : (<16x64xf32>, <1x1xf32>) -> <16x64xf32>
    %9 = cast %8 : <16x64xf32> -> <16x64xf32>
    %10 = broadcast %9 : <16x64xf32> -> <16x64xf32>
    %11 = transpose %10 perm [0, 1] : <16x64xf32> -> <16x64xf32>
    // CHECK: store %[[P]]
    // CHECK: store %[[M]]
    %s = store %6 omap [-1, -1, -1] : <16x32xf32> -> tensor<16x32xf16>
    %t = store %11 omap [-1, -1, -1] : <16x64xf32> -> tensor<16x64xf32>
    yield %s, %t : tensor<16x32xf16>, tensor<16x64xf32>
  }
  return %o#0, %o#1 : tensor<16x32xf16>, tensor<16x64xf32>
}
