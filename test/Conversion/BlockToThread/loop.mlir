// The structure of a kernel with one loop: ring, registers, totals, slices.
// RUN: mirage-opt %s -convert-mgraph-to-thread | FileCheck %s

// CHECK-LABEL: mgraph_thread.kernel @f_0 grid [2, 1, 2] cluster [1, 1, 2] threads 128
// CHECK-SAME: inputs 2 constant [1]
// Three stages of each operand; rows are padded to 16 for ldmatrix.
// CHECK: %[[A:.+]] = alloc 0 : !mgraph_thread.buffer<3 x 16 x 32, bf16, row_bytes = 64, swizzle = true>
// CHECK: %[[B:.+]] = alloc {{[0-9]+}} : !mgraph_thread.buffer<3 x 32 x 64, bf16, row_bytes = 128, swizzle = true>
// The weights are read before the earlier kernel is waited for; the rest after.
// CHECK-NOT: %arg0
// CHECK: copy_async %arg1[%{{.+}} of 8] imap [1, -1, 0] fmap 0 interleaved false to %[[B]]
// CHECK: grid_dependency_wait
// CHECK-NEXT: index
// CHECK: copy_async %arg0[%{{.+}} of 8] imap [-1, -1, 1] fmap 1 interleaved false to %[[A]]
// CHECK: commit
// The product's accumulator stays in mma registers, the sum's in partial ones.
// CHECK: %[[R:.+]]:4 = for 8 carries
// CHECK: wait 1
// CHECK-NEXT: barrier
// CHECK: advance %{{.+}} by 2 modulo 0
// CHECK: copy_async
// CHECK: commit
// CHECK: mma %[[A]][%{{.+}}], %[[B]][%{{.+}}] add
// CHECK-SAME: #mgraph_thread.mma<3 x 64, warps = 1 x 4>
// CHECK-NOT: reduce_threads
// CHECK: yield
// After it the ring's memory is free, once every copy and every warp is done.
// CHECK: wait 0
// CHECK-NEXT: barrier
// CHECK: reduce_threads %[[R]]#3 dim 1
// CHECK: store %[[R]]#2 to %[[T:.+]][
// CHECK: cluster_barrier
// Dependents may start now: every tile has been fetched.
// CHECK: grid_launch_dependents
// Each block of the cluster combines and stores its columns.
// CHECK: load_cluster %[[T]] {slice_dim = 1 : i64}
// CHECK-SAME: fragment<3 x 32, f32
// CHECK: store_global %{{.+}} to %arg2 omap [1, -1, -1] {slice_dim = 1 : i64}
// CHECK-NEXT: cluster_barrier
// CHECK-NEXT: return
func.func @f(%x: tensor<3x512xbf16>, %w: tensor<512x128xbf16> {mirage.constant}) -> tensor<3x128xbf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 2] cluster [1, 1, 2] attributes {threads = 128 : i64, stages = 3 : i64} : (tensor<3x512xbf16>, tensor<512x128xbf16>) -> tensor<3x128xbf16> {
    %acc, %ss = for %i = 8 -> <3x64xf32>, <3x1xf32> {
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1 : tensor<3x512xbf16> -> <3x32xbf16>
      %1 = load %b[%i] imap [1, -1, 0] fmap 0 : tensor<512x128xbf16> -> <32x64xbf16>
      %2 = matmul %0, %1 : (<3x32xbf16>, <32x64xbf16>) -> <3x64xf32>
      %3 = square %0 : <3x32xbf16> -> <3x32xf32>
      yield sum %2, sum(1) %3 : <3x64xf32>, <3x32xf32>
    }
    %accr = reduce_blocks sum %acc dim 2 : <3x64xf32>
    %ssr = reduce_blocks sum %ss dim 2 : <3x1xf32>
    %inv = constant inv_extent 512 : <1x1xf32>
    %mean = mul %ssr, %inv : (<3x1xf32>, <1x1xf32>) -> <3x1xf32>
    %eps = constant 1.0e-06 : <1x1xf32>
    %v = add %mean, %eps : (<3x1xf32>, <1x1xf32>) -> <3x1xf32>
    %rs = rsqrt %v : <3x1xf32> -> <3x1xf32>
    %t = mul %accr, %rs : (<3x64xf32>, <3x1xf32>) -> <3x64xf32>
    %s = store %t omap [1, -1, -1] : <3x64xf32> -> tensor<3x128xbf16>
    yield %s : tensor<3x128xbf16>
  }
  return %o : tensor<3x128xbf16>
}
