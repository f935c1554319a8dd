// Data movement is one load and one store, told apart by strides.
// RUN: mirage-opt %s -convert-mgraph-to-thread | FileCheck %s

// CHECK-LABEL: mgraph_thread.kernel @transpose_0
// CHECK: load_indexed %{{.+}} space [65, 33] strides [1, 65]
// CHECK: store_indexed %{{.+}} space [65, 33] strides [33, 1]
func.func @transpose(%x: tensor<33x65xf16>) -> tensor<65x33xf16> {
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<33x65xf16> -> tensor<65x33xf16>
  return %0 : tensor<65x33xf16>
}

// CHECK-LABEL: mgraph_thread.kernel @slice_0
// CHECK: load_indexed %{{.+}} space [5, 12] strides [192, 2] {offset = 72 : i64}
func.func @slice(%x: tensor<16x64xf16>) -> tensor<5x12xf16> {
  %0 = mgraph_kernel.slice %x offsets [1, 8] sizes [5, 12] strides [3, 2] : tensor<16x64xf16> -> tensor<5x12xf16>
  return %0 : tensor<5x12xf16>
}

// A concat writes one piece of its result from each operand.
// CHECK-LABEL: mgraph_thread.kernel @concat_0
// CHECK: store_indexed %{{.+}} space [3, 40] strides [50, 1] :
// CHECK-LABEL: mgraph_thread.kernel @concat_1
// CHECK: store_indexed %{{.+}} space [3, 10] strides [50, 1] {offset = 40 : i64}
func.func @concat(%x: tensor<3x8x5xf16>, %y: tensor<3x2x5xf16>) -> tensor<3x10x5xf16> {
  %0 = mgraph_kernel.concat %x, %y dim 1 : (tensor<3x8x5xf16>, tensor<3x2x5xf16>) -> tensor<3x10x5xf16>
  return %0 : tensor<3x10x5xf16>
}

// CHECK-LABEL: mgraph_thread.kernel @gather_0
// CHECK: load_indexed %{{.+}} gather %{{.+}} : tensor<7xi32> space [5, 7, 3] strides [72, 3, 1] {gather_dim = 1 : i64}
func.func @gather(%x: tensor<5x24x3xf32>, %i: tensor<7xi32>) -> tensor<5x7x3xf32> {
  %0 = mgraph_kernel.gather %x, %i dim 1 : (tensor<5x24x3xf32>, tensor<7xi32>) -> tensor<5x7x3xf32>
  return %0 : tensor<5x7x3xf32>
}

// The transpose reads the first kernel's buffer under another shape: no kernel
// for the reshape.
// CHECK-LABEL: mgraph_thread.kernel @alias_1
// CHECK: load_indexed %{{.+}} : tensor<4x2x8xf16>
// CHECK-NOT: mgraph_thread.kernel @alias_2
// CHECK-LABEL: func.func @alias
func.func @alias(%x: tensor<4x16xf16>) -> tensor<2x4x8xf16> {
  %0 = mgraph_kernel.exp %x : tensor<4x16xf16> -> tensor<4x16xf16>
  %1 = mgraph_kernel.reshape %0 : tensor<4x16xf16> -> tensor<4x2x8xf16>
  %2 = mgraph_kernel.transpose %1 perm [1, 0, 2] : tensor<4x2x8xf16> -> tensor<2x4x8xf16>
  return %2 : tensor<2x4x8xf16>
}

// The buffer of the exp is the output; nothing is copied.
// CHECK-LABEL: func.func @alias_output
// CHECK: kernels = [{
// CHECK-SAME: parameters = [{index = 0 : i64, kind = "input"}, {index = 0 : i64, kind = "output"}]
// CHECK-SAME: scratch = []
func.func @alias_output(%x: tensor<4x16xf16>) -> tensor<64xf16> {
  %0 = mgraph_kernel.exp %x : tensor<4x16xf16> -> tensor<4x16xf16>
  %1 = mgraph_kernel.reshape %0 : tensor<4x16xf16> -> tensor<64xf16>
  return %1 : tensor<64xf16>
}

// An argument, or a value returned twice, is copied; a constant is written.
// CHECK-LABEL: mgraph_thread.kernel @copies_0
// CHECK: map "exp"
// CHECK-LABEL: mgraph_thread.kernel @copies_1
// CHECK: splat 5.000000e-01
// CHECK-LABEL: mgraph_thread.kernel @copies_2
// CHECK-LABEL: mgraph_thread.kernel @copies_3
// CHECK-LABEL: func.func @copies
func.func @copies(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = mgraph_kernel.constant 0.5 : tensor<2xf32>
  return %x, %0, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}
