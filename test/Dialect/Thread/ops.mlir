// Text and generic form read back as they were written.
// RUN: mirage-opt %s | mirage-opt | FileCheck %s
// RUN: mirage-opt %s -mlir-print-op-generic | mirage-opt | FileCheck %s

// CHECK-LABEL: mgraph_thread.kernel @k grid [4, 1, 2] cluster [1, 1, 2] threads 128 shared 32768 inputs 2 constant [1]
mgraph_thread.kernel @k grid [4, 1, 2] cluster [1, 1, 2] threads 128 shared 32768 inputs 2 constant [1] {
^bb0(%x: tensor<8x128xf16>, %w: tensor<128x256xf16>, %o: tensor<16x256xf16>):
  // CHECK: grid_launch_dependents
  grid_launch_dependents
  // CHECK: grid_dependency_wait
  grid_dependency_wait
  // CHECK: %[[A:.+]] = alloc 0 : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  %a = alloc 0 : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  %b = alloc 3072 : !mgraph_thread.buffer<3 x 32 x 64, f16, row_bytes = 128, swizzle = true>
  // CHECK: %[[Z:.+]] = index 0
  %z = index 0
  // CHECK: copy_async %{{.+}}[%[[Z]] of 2] imap [-1, -1, 1] fmap 1 interleaved false to %[[A]][%[[Z]]] : tensor<8x128xf16>, !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  copy_async %x[%z of 2] imap [-1, -1, 1] fmap 1 interleaved false to %a[%z] : tensor<8x128xf16>, !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  copy_async %w[%z of 2] imap [1, -1, 0] fmap 0 interleaved true to %b[%z] : tensor<128x256xf16>, !mgraph_thread.buffer<3 x 32 x 64, f16, row_bytes = 128, swizzle = true>
  // CHECK: commit
  commit
  // CHECK: splat 0.000000e+00 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %init = splat 0.000000e+00 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %part = splat 0.000000e+00 : !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // CHECK: %[[R:.+]]:2 = for 2 carries(%[[Z]], %{{.+}}) : (i32, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>) -> (i32, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>) {
  %r:2 = for 2 carries(%z, %init) : (i32, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>) -> (i32, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>) {
  ^bb0(%i: i32, %s: i32, %acc: !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>):
    // CHECK: wait 1
    mgraph_thread.wait 1
    // CHECK: barrier
    mgraph_thread.barrier
    // CHECK: advance %{{.+}} by 1 modulo 3
    %n = mgraph_thread.advance %s by 1 modulo 3
    // CHECK: mma %[[A]][%{{.+}}], %{{.+}}[%{{.+}}] add %{{.+}} : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>, !mgraph_thread.buffer<3 x 32 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
    %p = mgraph_thread.mma %a[%s], %b[%s] add %acc : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>, !mgraph_thread.buffer<3 x 32 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
    // CHECK: yield
    mgraph_thread.yield %n, %p : i32, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  }
  // CHECK: combine %[[R]]#1, %{{.+}} : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>> -> !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %c = combine %r#1, %part : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>> -> !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // CHECK: combine max %[[R]]#1
  %d = combine max %r#1, %part : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>> -> !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %sc = alloc 0 : !mgraph_thread.buffer<1 x 8 x 4, f32, row_bytes = 16, swizzle = false>
  // CHECK: reduce_threads %{{.+}} dim 1 scratch %{{.+}} : !mgraph_thread.buffer<1 x 8 x 4, f32, row_bytes = 16, swizzle = false>, !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %e = reduce_threads %c dim 1 scratch %sc : !mgraph_thread.buffer<1 x 8 x 4, f32, row_bytes = 16, swizzle = false>, !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // CHECK: reduce_threads max
  %f = reduce_threads max %d dim 1 scratch %sc : !mgraph_thread.buffer<1 x 8 x 4, f32, row_bytes = 16, swizzle = false>, !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // CHECK: map "mul"(%{{.+}}, %{{.+}}) : (!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>, !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>) -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %g = map "mul"(%r#1, %e) : (!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>, !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>) -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // CHECK: map "clamp"(%{{.+}}) {hi = 1.000000e+00 : f64, lo = -1.000000e+00 : f64}
  %h = map "clamp"(%g) {lo = -1.0 : f64, hi = 1.0 : f64} : (!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>) -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // CHECK: iota dim 1 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %j = iota dim 1 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %buf = alloc 4096 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false>
  // CHECK: store %{{.+}} to %{{.+}}[%[[Z]]] : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false>
  store %h to %buf[%z] : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false>
  // CHECK: cluster_barrier
  cluster_barrier
  // CHECK: load %{{.+}}[%[[Z]]] : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  %k = load %buf[%z] : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // CHECK: load_cluster %{{.+}} : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  %l = load_cluster %buf : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // CHECK: load_cluster %{{.+}} max : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false>
  %m = load_cluster %buf max : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 288, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // CHECK: load_global %{{.+}}[%[[Z]] of 1] imap [1, -1, -1] fmap -1 interleaved false : tensor<128x256xf16> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  %q = load_global %w[%z of 1] imap [1, -1, -1] fmap -1 interleaved false : tensor<128x256xf16> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // CHECK: store_global %{{.+}} to %{{.+}} omap [1, -1, -1] {slice_dim = 0 : i64} : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, tensor<16x256xf16>
  store_global %l to %o omap [1, -1, -1] {slice_dim = 0 : i64} : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, tensor<16x256xf16>
  // CHECK: return
  return
}

// CHECK-LABEL: mgraph_thread.kernel @indexed
mgraph_thread.kernel @indexed grid [2, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 2 constant [] {
^bb0(%x: tensor<8x24xf16>, %i: tensor<10xi32>, %o: tensor<10x24xf16>):
  // CHECK: load_indexed %{{.+}} space [10, 24] strides [0, 1] {offset = 24 : i64} : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  %a = load_indexed %x space [10, 24] strides [0, 1] {offset = 24 : i64} : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // CHECK: load_indexed %{{.+}} gather %{{.+}} : tensor<10xi32> space [10, 24] strides [24, 1] {gather_dim = 0 : i64}
  %b = load_indexed %x gather %i : tensor<10xi32> space [10, 24] strides [24, 1] {gather_dim = 0 : i64} : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // CHECK: iota_indexed space [10, 24] dim 1 : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  %c = iota_indexed space [10, 24] dim 1 : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // CHECK: reduce_indexed %{{.+}}, %{{.+}} space [10, 24] strides [0, 1, 0, 1] over [8] strides [24, 24] : tensor<8x24xf16>, tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  %d = reduce_indexed %x, %x space [10, 24] strides [0, 1, 0, 1] over [8] strides [24, 24] : tensor<8x24xf16>, tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // CHECK: reduce_indexed max %{{.+}} space [10, 24] strides [0, 1] over [8] strides [24] cooperative
  %e = reduce_indexed max %x space [10, 24] strides [0, 1] over [8] strides [24] cooperative : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 1, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // CHECK: store_indexed %{{.+}} to %{{.+}} space [10, 24] strides [24, 1] : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>, tensor<10x24xf16>
  store_indexed %b to %o space [10, 24] strides [24, 1] : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>, tensor<10x24xf16>
  return
}

// CHECK-LABEL: mgraph_thread.kernel @mma_register
mgraph_thread.kernel @mma_register grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = splat 0.0 : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // CHECK: mma_register %{{.+}}, %{{.+}}[%{{.+}}] add %{{.+}} : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  %d = mma_register %a, %b[%z] add %c : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // CHECK: mma_register %{{.+}}, %{{.+}}[%{{.+}}] transpose_rhs add
  %e = mma_register %a, %b[%z] transpose_rhs add %c : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  %f = splat 0.000000e+00 : !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // CHECK: relayout %{{.+}} : !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>> -> !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  %g = relayout %f : !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>> -> !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  return
}
