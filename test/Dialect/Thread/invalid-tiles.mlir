// User code that once ended the process is refused where it stands.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics

// C1
// expected-error @below {{expected sizes in [1, 2147483647], but got 0 x 64}}
func.func private @linear_c1() attributes {layout = #mgraph_thread.linear<0 x 64, vec = 4, threads = 128>}

// -----

// C2
// expected-error @below {{expected vec to be a power of two in [1, 16], but got 0}}
func.func private @linear_c2() attributes {layout = #mgraph_thread.linear<8 x 64, vec = 0, threads = 128>}

// -----

// C3
// expected-error @below {{expected threads to be a multiple of 32 in [32, 1024], but got 48}}
func.func private @linear_c3() attributes {layout = #mgraph_thread.linear<8 x 64, vec = 4, threads = 48>}

// -----

// C1
// expected-error @below {{expected sizes in [1, 2147483647], but got 8 x 0}}
func.func private @mma_layout_c1() attributes {layout = #mgraph_thread.mma<8 x 0, warps = 1 x 4>}

// -----

// C2
// expected-error @below {{expected 1 to 32 warps, but got 0 x 4}}
func.func private @mma_layout_c2() attributes {layout = #mgraph_thread.mma<8 x 64, warps = 0 x 4>}

// -----

// C1
// expected-error @below {{expected a linear or mma layout, but got 5 : i32}}
func.func private @fragment_c1(!mgraph_thread.fragment<8 x 64, f32, 5 : i32>)

// -----

// C2
// expected-error @below {{expected sizes of 1 or the layout's 8 x 64, but got 4 x 64}}
func.func private @fragment_c2(!mgraph_thread.fragment<4 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>)

// -----

// C3
// expected-error @below {{expected elements of f16, bf16, f32, f64, i1, i32 or i64, but got 'i8'}}
func.func private @fragment_c3(!mgraph_thread.fragment<8 x 64, i8, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>)

// -----

// C1
// expected-error @below {{expected sizes of at least 1, but got 0 x 8 x 64}}
func.func private @buffer_c1(!mgraph_thread.buffer<0 x 8 x 64, f32, row_bytes = 256, swizzle = false>)

// -----

// C2
// expected-error @below {{expected elements of f16, bf16 or f32, but got 'tensor<4xf32>'}}
func.func private @buffer_c2(!mgraph_thread.buffer<1 x 8 x 64, tensor<4xf32>, row_bytes = 256, swizzle = false>)

// -----

// C3
// expected-error @below {{expected row_bytes to be a multiple of 4 that holds 64 elements, but got 0}}
func.func private @buffer_c3(!mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 0, swizzle = true>)

// -----

// C4
// expected-error @below {{expected swizzled rows of a power of two of 16-byte chunks, but got 48 bytes}}
func.func private @buffer_c4(!mgraph_thread.buffer<1 x 8 x 12, f32, row_bytes = 48, swizzle = true>)

// -----

// C1
mgraph_thread.kernel @load_global_c1_size grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected a map of 3 entries, but got 1}}
  %v = load_global %x[%z of 1] imap [0] fmap -1 interleaved false : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @load_global_c1_rank grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected mapped dimensions in [-1, 2), but got 9}}
  %v = load_global %x[%z of 1] imap [9, -1, -1] fmap -1 interleaved false : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @load_global_c1_fmap grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected mapped dimensions in [-1, 2), but got 7}}
  %v = load_global %x[%z of 1] imap [-1, -1, -1] fmap 7 interleaved false : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @load_global_c2_range grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected a range of at least 1, but got 0}}
  %v = load_global %x[%z of 0] imap [-1, -1, -1] fmap -1 interleaved false : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @load_global_c2_grid grid [3, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected dimension 0 of 'tensor<8x64xf32>' to split evenly, but got 8 in 3}}
  %v = load_global %x[%z of 1] imap [0, -1, -1] fmap -1 interleaved false : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @load_global_c2_type grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x?xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected a tensor of static shape, of f16, bf16 or f32, but got 'tensor<8x?xf32>'}}
  %v = load_global %x[%z of 1] imap [-1, -1, -1] fmap -1 interleaved false : tensor<8x?xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C3
mgraph_thread.kernel @load_global_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected a fragment of f32, but got 'i32'}}
  %v = load_global %x[%z of 1] imap [-1, -1, -1] fmap -1 interleaved false : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, i32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C4
mgraph_thread.kernel @load_global_c4 grid [2, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected a fragment of at most 4 x 64 elements, but got 8 x 64}}
  %v = load_global %x[%z of 1] imap [0, -1, -1] fmap -1 interleaved false : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C4
mgraph_thread.kernel @load_global_c4_slice grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected slice_dim to be -1, 0 or 1, but got 2}}
  %v = load_global %x[%z of 1] imap [-1, -1, -1] fmap -1 interleaved false {slice_dim = 2 : i64} : tensor<8x64xf32> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @copy_async_c1_size grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a map of 3 entries, but got 1}}
  copy_async %x[%z of 1] imap [0] fmap -1 interleaved false to %b[%z] : tensor<8x64xf32>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  return
}

// -----

// C1
mgraph_thread.kernel @copy_async_c1_rank grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected mapped dimensions in [-1, 2), but got 9}}
  copy_async %x[%z of 1] imap [9, -1, -1] fmap -1 interleaved false to %b[%z] : tensor<8x64xf32>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  return
}

// -----

// C2
mgraph_thread.kernel @copy_async_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a range of at least 1, but got 0}}
  copy_async %x[%z of 0] imap [-1, -1, -1] fmap -1 interleaved false to %b[%z] : tensor<8x64xf32>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  return
}

// -----

// C3
mgraph_thread.kernel @copy_async_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<16x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a tile that fits '!mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>', but got 16 x 64 of 'f32'}}
  copy_async %x[%z of 1] imap [-1, -1, -1] fmap -1 interleaved false to %b[%z] : tensor<16x64xf32>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  return
}

// -----

// C4
mgraph_thread.kernel @copy_async_c4 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x6xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected rows of a multiple of 16 bytes, but got 24 and 256}}
  copy_async %x[%z of 1] imap [-1, -1, -1] fmap -1 interleaved false to %b[%z] : tensor<8x6xf32>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  return
}

// -----

// C1
mgraph_thread.kernel @store_global_c1_size grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected a map of 3 entries, but got 1}}
  store_global %a to %o omap [0] : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, tensor<8x64xf32>
  return
}

// -----

// C1
mgraph_thread.kernel @store_global_c1_rank grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected mapped dimensions in [-1, 2), but got 9}}
  store_global %a to %o omap [9, -1, -1] : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, tensor<8x64xf32>
  return
}

// -----

// C3
mgraph_thread.kernel @store_global_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, i32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected a fragment of f16, bf16 or f32, but got 'i32'}}
  store_global %a to %o omap [-1, -1, -1] : !mgraph_thread.fragment<8 x 64, i32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, tensor<8x64xf32>
  return
}

// -----

// C4
mgraph_thread.kernel @store_global_c4 grid [2, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected a fragment of at most 8 x 32 elements, but got 8 x 64}}
  store_global %a to %o omap [1, -1, -1] : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, tensor<8x64xf32>
  return
}

// -----

// C1
mgraph_thread.kernel @load_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a fragment of f32, but got 'i32'}}
  %v = load %b[%z] : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false> -> !mgraph_thread.fragment<8 x 64, i32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @load_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected slice_dim to be -1, 0 or 1, but got 5}}
  %v = load %b[%z] {slice_dim = 5 : i64} : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C3
mgraph_thread.kernel @load_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 4 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a fragment of at most 4 x 64 elements, but got 8 x 64}}
  %v = load %b[%z] : !mgraph_thread.buffer<1 x 4 x 64, f32, row_bytes = 256, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C4
mgraph_thread.kernel @load_cluster_c4 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f16, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a buffer of f32, but got 'f16'}}
  %v = load_cluster %b : !mgraph_thread.buffer<1 x 8 x 64, f16, row_bytes = 256, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C3
mgraph_thread.kernel @load_cluster_c3 grid [2, 1, 1] cluster [2, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a fragment of at most 4 x 64 elements, but got 8 x 64}}
  %v = load_cluster %b {slice_dim = 0 : i64} : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @store_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, i32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected a fragment of f16, bf16 or f32, but got 'i32'}}
  store %a to %b[%z] : !mgraph_thread.fragment<8 x 64, i32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  return
}

// -----

// C2
mgraph_thread.kernel @store_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %b = alloc 0 : !mgraph_thread.buffer<1 x 4 x 64, f32, row_bytes = 256, swizzle = false>
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected a fragment of at most 4 x 64 elements, but got 8 x 64}}
  store %a to %b[%z] : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, !mgraph_thread.buffer<1 x 4 x 64, f32, row_bytes = 256, swizzle = false>
  return
}

// -----

// C1
mgraph_thread.kernel @combine_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  %m = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // expected-error @below {{expected fragments of f32 in one layout, but got '!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>' and '!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>'}}
  %v = combine %a, %m : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  return
}

// -----

// C2
mgraph_thread.kernel @combine_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  %n = splat 0.0 : !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected accumulator sizes of 1 or the value's 8 x 1, but got 8 x 64}}
  %v = combine %n, %a : !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @reduce_threads_c1_dim grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected dimension 0 or 1, but got 2}}
  %v = reduce_threads %a dim 2 scratch %b : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @reduce_threads_c1_size grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected a value of size 1 along dimension 1, but got 8 x 64}}
  %v = reduce_threads %a dim 1 scratch %b : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @reduce_threads_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 1, f32, row_bytes = 4, swizzle = false>
  // expected-error @below {{expected a scratch of 8 x 4 'f32', but got 8 x 1 'f32'}}
  %v = reduce_threads %a dim 1 scratch %b : !mgraph_thread.buffer<1 x 8 x 1, f32, row_bytes = 4, swizzle = false>, !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  return
}

// -----

// C1
mgraph_thread.kernel @splat_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  // expected-error @below {{expected a value of 'i32', but got 5.000000e-01}}
  %a = splat 0.5 : !mgraph_thread.fragment<8 x 64, i32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @iota_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  // expected-error @below {{expected dimension 0 or 1, but got 2}}
  %a = iota dim 2 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @map_c2_sizes grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected operand sizes of 1 or the result's 8 x 1, but got 8 x 64}}
  %v = map "exp"(%a) : (!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>) -> !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C3
mgraph_thread.kernel @map_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected a predicate in [0, 5], but got 5000000}}
  %v = map "compare"(%a, %a) {predicate = 5000000 : i64} : (!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>, !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>) -> !mgraph_thread.fragment<8 x 64, i1, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C5
mgraph_thread.kernel @kernel_c5 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  // expected-error @below {{expected a layout over the 128 threads of the kernel, but got 64}}
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 64>>
  return
}

// -----

// C4
// expected-error @below {{expected arguments that are tensors, but got 'i32'}}
mgraph_thread.kernel @kernel_c4 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: i32, %o: tensor<8x64xf32>):
  return
}

// -----

// C4
// expected-error @below {{expected a body that ends in 'mgraph_thread.return', but got 'mgraph_thread.yield'}}
mgraph_thread.kernel @kernel_c4_return grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  yield
}

// -----

// C1
mgraph_thread.kernel @for_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  // expected-error @below {{expected a range of at least 1, but got 0}}
  %r = for 0 carries(%z) : (i32) -> i32 {
  ^bb0(%i: i32, %s: i32):
    mgraph_thread.yield %s : i32
  }
  return
}

// -----

// C2
mgraph_thread.kernel @for_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %b = alloc 0 : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  // expected-error @below {{expected carried values of i32 or fragments, but got '!mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>'}}
  %r = for 2 carries(%b) : (!mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>) -> !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false> {
  ^bb0(%i: i32, %s: !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>):
    mgraph_thread.yield %s : !mgraph_thread.buffer<1 x 8 x 64, f32, row_bytes = 256, swizzle = false>
  }
  return
}

// -----

// C1
mgraph_thread.kernel @mma_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  %z = index 0
  %l = alloc 0 : !mgraph_thread.buffer<1 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  %r = alloc 0 : !mgraph_thread.buffer<1 x 32 x 64, f16, row_bytes = 128, swizzle = true>
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // expected-error @below {{expected an accumulator of 8 x 64 'f32', but got 8 x 1 'f32'}}
  %v = mma %l[%z], %r[%z] add %a : !mgraph_thread.buffer<1 x 16 x 32, f16, row_bytes = 64, swizzle = true>, !mgraph_thread.buffer<1 x 32 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<8 x 1, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  return
}

// -----

// C2
mgraph_thread.kernel @for_iteration grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>):
  // expected-error @below {{expected an iteration of i32, but got 'i64'}}
  for 2 carries() : () -> () {
  ^bb0(%i: i64):
    mgraph_thread.yield
  }
  return
}
