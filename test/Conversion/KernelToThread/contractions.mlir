// RUN: mirage-opt %s -convert-mgraph-to-thread | FileCheck %s

// Threads of a block step through a long row together.
// CHECK-LABEL: mgraph_thread.kernel @rows_0 grid [16, 1, 1] cluster [1, 1, 1] threads 256 shared 128
// CHECK: %[[P:.+]] = reduce_indexed %{{.+}} space [16] strides [4096] over [4096] strides [1] cooperative
// CHECK: %[[S:.+]] = alloc 0
// CHECK: %[[T:.+]] = reduce_threads %[[P]] dim 1 scratch %[[S]]
// CHECK: store_indexed %[[T]]
func.func @rows(%x: tensor<16x4096xf16>) -> tensor<16x1xf16> {
  %0 = mgraph_kernel.reduce sum %x dims [1] : tensor<16x4096xf16> -> tensor<16x1xf16>
  return %0 : tensor<16x1xf16>
}

// One thread for each column.
// CHECK-LABEL: mgraph_thread.kernel @columns_0 grid [1, 1, 1] cluster [1, 1, 1] threads 64 shared 0
// CHECK: reduce_indexed max %{{.+}} space [40] strides [1] over [300] strides [40] :
func.func @columns(%x: tensor<300x40xf32>) -> tensor<1x40xf32> {
  %0 = mgraph_kernel.reduce max %x dims [0] : tensor<300x40xf32> -> tensor<1x40xf32>
  return %0 : tensor<1x40xf32>
}

// CHECK-LABEL: mgraph_thread.kernel @products_0
// CHECK: mma
func.func @products(%x: tensor<17x64xbf16>, %w: tensor<40x64xbf16>) -> tensor<17x40xbf16> {
  %0 = mgraph_kernel.matmul %x, %w transpose_rhs : (tensor<17x64xbf16>, tensor<40x64xbf16>) -> tensor<17x40xbf16>
  return %0 : tensor<17x40xbf16>
}

// The batch is the third grid axis; the shared operand is not split by it.
// CHECK-LABEL: mgraph_thread.kernel @batch_0 grid [2, 1, 6]
// CHECK: copy_async %{{.+}} imap [-1, 1, 0]
// CHECK: copy_async %{{.+}} imap [2, -1, -1]
func.func @batch(%x: tensor<2x3x8x32xf16>, %w: tensor<1x1x32x32xf16>) -> tensor<2x3x8x32xf16> {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<2x3x8x32xf16>, tensor<1x1x32x32xf16>) -> tensor<2x3x8x32xf16>
  return %0 : tensor<2x3x8x32xf16>
}

// f32, a depth that 16 does not divide, and batches that differ: a thread for
// each element, no rounding below f32.
// CHECK-LABEL: mgraph_thread.kernel @f32_0
// CHECK: reduce_indexed %{{.+}}, %{{.+}} space [9, 31] strides [65, 0, 0, 65] over [65] strides [1, 1]
func.func @f32(%x: tensor<9x65xf32>, %w: tensor<31x65xf32>) -> tensor<9x31xf32> {
  %0 = mgraph_kernel.matmul %x, %w transpose_rhs : (tensor<9x65xf32>, tensor<31x65xf32>) -> tensor<9x31xf32>
  return %0 : tensor<9x31xf32>
}
// CHECK-LABEL: mgraph_thread.kernel @odd_0
// CHECK: reduce_indexed %{{.+}}, %{{.+}} space [5, 7] strides [33, 0, 0, 1] over [33] strides [1, 7]
func.func @odd(%x: tensor<5x33xf16>, %w: tensor<33x7xf16>) -> tensor<5x7xf16> {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<5x33xf16>, tensor<33x7xf16>) -> tensor<5x7xf16>
  return %0 : tensor<5x7xf16>
}
// CHECK-LABEL: mgraph_thread.kernel @mixed_0
// CHECK: reduce_indexed %{{.+}}, %{{.+}} space [2, 3, 8, 16]
func.func @mixed(%x: tensor<2x1x8x32xf16>, %w: tensor<1x3x32x16xf16>) -> tensor<2x3x8x16xf16> {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<2x1x8x32xf16>, tensor<1x3x32x16xf16>) -> tensor<2x3x8x16xf16>
  return %0 : tensor<2x3x8x16xf16>
}

// A whole program: one launch, seven kernels (a softmax of f16 is computed in
// f32 between two casts), scratch between them.
// CHECK-LABEL: func.func @softmax
// CHECK: mgraph_kernel.launch
// CHECK-SAME: name = "softmax_0"
// CHECK-SAME: name = "softmax_6"
// CHECK-SAME: scratch = [{bytes = 768 : i64
// CHECK-NEXT: return
func.func @softmax(%x: tensor<4x48xf16>) -> tensor<4x48xf16> {
  %0 = mgraph_kernel.softmax %x dim 1 : tensor<4x48xf16> -> tensor<4x48xf16>
  return %0 : tensor<4x48xf16>
}
