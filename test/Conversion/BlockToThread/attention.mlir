// Where a loop feeds one product with another, each warp takes whole rows: the
// queries are read once, before the loop, and stay in registers, as do the
// probabilities on their way from one product to the next.
// RUN: mirage-opt %s -convert-mgraph-to-thread | FileCheck %s

// CHECK-LABEL: mgraph_thread.kernel @f_0
// CHECK: %[[Q:.+]] = load_global %arg0{{.+}} -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
// CHECK: for 4 carries
// CHECK: %[[QF:.+]] = mgraph_thread.map "cast"(%[[Q]])
// CHECK: %[[S:.+]] = mgraph_thread.mma_register %[[QF]],
// CHECK-NOT: mgraph_thread.store
// CHECK: %[[P:.+]] = mgraph_thread.map "cast"
// CHECK-NOT: mgraph_thread.store
// CHECK: mgraph_thread.mma_register %[[P]],
// CHECK-NOT: load_global
// CHECK: mgraph_thread.yield
func.func @f(%q: tensor<2x64x64xf16>, %k: tensor<2x64x128xf16>, %v: tensor<2x128x64xf16>) -> tensor<2x64x64xf16> {
  %o = mgraph_kernel.graph (%a = %q, %b = %k, %c = %v) grid [2, 1, 1] attributes {threads = 128 : i64} : (tensor<2x64x64xf16>, tensor<2x64x128xf16>, tensor<2x128x64xf16>) -> tensor<2x64x64xf16> {
    %0 = load %a imap [0, -1, -1] : tensor<2x64x64xf16> -> <1x64x64xf16>
    %m, %l, %acc = for %i = 4 -> <1x64x1xf32>, <1x64x1xf32>, <1x64x64xf32> {
      %1 = load %b[%i] imap [0, -1, -1] fmap 2 : tensor<2x64x128xf16> -> <1x64x32xf16>
      %2 = load %c[%i] imap [0, -1, -1] fmap 1 : tensor<2x128x64xf16> -> <1x32x64xf16>
      %3 = matmul %0, %1 : (<1x64x64xf16>, <1x64x32xf16>) -> <1x64x32xf32>
      %now = running current 0[%i] : <1x64x1xf32>
      %before = running previous 0[%i] : <1x64x1xf32>
      %4 = sub %3, %now : (<1x64x32xf32>, <1x64x1xf32>) -> <1x64x32xf32>
      %5 = exp %4 : <1x64x32xf32> -> <1x64x32xf32>
      %6 = sub %before, %now : (<1x64x1xf32>, <1x64x1xf32>) -> <1x64x1xf32>
      %7 = exp %6 : <1x64x1xf32> -> <1x64x1xf32>
      %8 = cast %5 : <1x64x32xf32> -> <1x64x32xf16>
      %9 = matmul %8, %2 : (<1x64x32xf16>, <1x32x64xf16>) -> <1x64x64xf32>
      yield max(2) %3, rescale(%7, 2) %5, rescale(%7) %9 : <1x64x32xf32>, <1x64x1xf32>, <1x64x32xf32>, <1x64x1xf32>, <1x64x64xf32>
    }
    %t = div %acc, %l : (<1x64x64xf32>, <1x64x1xf32>) -> <1x64x64xf32>
    %s = store %t omap [0, -1, -1] : <1x64x64xf32> -> tensor<2x64x64xf16>
    yield %s : tensor<2x64x64xf16>
  }
  return %o : tensor<2x64x64xf16>
}

// Other tiles that do not change from one iteration to the next, whether they
// are written before the loop or inside it, wait in shared memory.
// CHECK-LABEL: mgraph_thread.kernel @g_0
// CHECK: load_global %arg1
// CHECK: store
// CHECK: load_global %arg2
// CHECK: store
// CHECK: for 4 carries
// CHECK-NOT: load_global
// CHECK: mgraph_thread.mma
// CHECK-NOT: load_global
// CHECK: mgraph_thread.yield
func.func @g(%x: tensor<16x128xf16>, %w: tensor<32x64xf16>, %b: tensor<1x64xf16>) -> tensor<16x64xf16> {
  %o = mgraph_kernel.graph (%a = %x, %c = %w, %d = %b) grid [1, 1, 1] : (tensor<16x128xf16>, tensor<32x64xf16>, tensor<1x64xf16>) -> tensor<16x64xf16> {
    %1 = load %d imap [-1, -1, -1] : tensor<1x64xf16> -> <1x64xf16>
    %acc = for %i = 4 -> <16x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<16x128xf16> -> <16x32xf16>
      %2 = load %c imap [-1, -1, -1] : tensor<32x64xf16> -> <32x64xf16>
      %3 = matmul %0, %2 : (<16x32xf16>, <32x64xf16>) -> <16x64xf32>
      %4 = add %3, %1 : (<16x64xf32>, <1x64xf16>) -> <16x64xf32>
      yield sum %4 : <16x64xf32>
    }
    %s = store %acc omap [-1, -1, -1] : <16x64xf32> -> tensor<16x64xf16>
    yield %s : tensor<16x64xf16>
  }
  return %o : tensor<16x64xf16>
}
