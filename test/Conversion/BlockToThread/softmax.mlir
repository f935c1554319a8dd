// Online softmax: the running maximum is whole in every thread, the sums are not.
// RUN: mirage-opt %s -convert-mgraph-to-thread | FileCheck %s

// CHECK-LABEL: mgraph_thread.kernel @f_0
// CHECK: for 4 carries
// CHECK: %[[S:.+]] = mgraph_thread.mma %{{.+}} transpose_rhs
// CHECK: %[[P:.+]] = mgraph_thread.combine max %[[S]]
// CHECK: %[[M:.+]] = mgraph_thread.reduce_threads max %[[P]] dim 1
// CHECK: %[[N:.+]] = mgraph_thread.combine max %[[M]], %[[OLD:.+]] :
// CHECK: %[[D:.+]] = mgraph_thread.map "sub"(%[[OLD]], %[[N]])
// CHECK: %[[F:.+]] = mgraph_thread.map "exp"(%[[D]])
// CHECK: mgraph_thread.map "mul"(%{{.+}}, %[[F]])
// The probabilities pass through shared memory, rounded, into the second product.
// CHECK: mgraph_thread.map "cast"
// CHECK: mgraph_thread.store
// CHECK-SAME: f16, row_bytes = 64, swizzle = true
// CHECK-NEXT: mgraph_thread.barrier
// CHECK: mgraph_thread.mma
// CHECK: mgraph_thread.yield
// CHECK: map "div"
// CHECK: store_global
func.func @f(%q: tensor<2x32x64xf16>, %k: tensor<2x128x64xf16>, %v: tensor<2x128x64xf16>) -> tensor<2x32x64xf16> {
  %o = mgraph_kernel.graph (%a = %q, %b = %k, %c = %v) grid [2, 1, 1] : (tensor<2x32x64xf16>, tensor<2x128x64xf16>, tensor<2x128x64xf16>) -> tensor<2x32x64xf16> {
    %m, %l, %acc = for %i = 4 -> <1x32x1xf32>, <1x32x1xf32>, <1x32x64xf32> {
      %0 = load %a imap [0, -1, -1] : tensor<2x32x64xf16> -> <1x32x64xf16>
      %1 = load %b[%i] imap [0, -1, -1] fmap 1 : tensor<2x128x64xf16> -> <1x32x64xf16>
      %2 = load %c[%i] imap [0, -1, -1] fmap 1 : tensor<2x128x64xf16> -> <1x32x64xf16>
      %3 = matmul %0, %1 transpose_rhs : (<1x32x64xf16>, <1x32x64xf16>) -> <1x32x32xf32>
      %now = running current 0[%i] : <1x32x1xf32>
      %before = running previous 0[%i] : <1x32x1xf32>
      %4 = sub %3, %now : (<1x32x32xf32>, <1x32x1xf32>) -> <1x32x32xf32>
      %5 = exp %4 : <1x32x32xf32> -> <1x32x32xf32>
      %6 = sub %before, %now : (<1x32x1xf32>, <1x32x1xf32>) -> <1x32x1xf32>
      %7 = exp %6 : <1x32x1xf32> -> <1x32x1xf32>
      %8 = cast %5 : <1x32x32xf32> -> <1x32x32xf16>
      %9 = matmul %8, %2 : (<1x32x32xf16>, <1x32x64xf16>) -> <1x32x64xf32>
      yield max(2) %3, rescale(%7, 2) %5, rescale(%7) %9 : <1x32x32xf32>, <1x32x1xf32>, <1x32x32xf32>, <1x32x1xf32>, <1x32x64xf32>
    }
    %t = div %acc, %l : (<1x32x64xf32>, <1x32x1xf32>) -> <1x32x64xf32>
    %s = store %t omap [0, -1, -1] : <1x32x64xf32> -> tensor<2x32x64xf16>
    yield %s : tensor<2x32x64xf16>
  }
  return %o : tensor<2x32x64xf16>
}
