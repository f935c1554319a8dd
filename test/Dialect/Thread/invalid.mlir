// RUN: mirage-opt %s -split-input-file -verify-diagnostics

// C1
// expected-error @below {{expected a grid that the cluster divides in dimension 2, but got 3 and 2}}
mgraph_thread.kernel @kernel_c1 grid [4, 1, 3] cluster [1, 1, 2] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  return
}

// -----

// expected-error @below {{expected 3 grid and 3 cluster dimensions, but got 2 and 3}}
mgraph_thread.kernel @kernel_rank grid [4, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  return
}

// -----

// C2
// expected-error @below {{expected threads to be a multiple of 32 in [32, 1024], but got 48}}
mgraph_thread.kernel @kernel_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 48 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  return
}

// -----

// expected-error @below {{expected at most 2 inputs, but got 3}}
mgraph_thread.kernel @kernel_inputs grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 3 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  return
}

// -----

// expected-error @below {{expected constant inputs below 1, but got 1}}
mgraph_thread.kernel @kernel_constant grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 1 constant [1] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  return
}

// -----

mgraph_thread.kernel @for_arguments grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  // expected-error @below {{expected 2 block arguments, but got 1}}
  %r = for 2 carries(%z) : (i32) -> i32 {
  ^bb0(%i: i32):
    mgraph_thread.yield %i : i32
  }
  return
}

// -----

mgraph_thread.kernel @for_types grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  // expected-error @below {{expected carried values, yielded values and results of one list of types}}
  %r = for 2 carries(%z) : (i32) -> i32 {
  ^bb0(%i: i32, %a: i32):
    mgraph_thread.yield
  }
  return
}

// -----

// C1
mgraph_thread.kernel @mma_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = alloc 0 : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  %b = alloc 0 : !mgraph_thread.buffer<3 x 32 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected accumulator and result of an mma layout, but got '!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>'}}
  %d = mma %a[%z], %b[%z] add %c : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>, !mgraph_thread.buffer<3 x 32 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @mma_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = alloc 0 : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  %b = alloc 0 : !mgraph_thread.buffer<3 x 32 x 64, bf16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // expected-error @below {{expected buffers of f16, of bf16 or of f32, but got 'f16' and 'bf16'}}
  %d = mma %a[%z], %b[%z] add %c : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>, !mgraph_thread.buffer<3 x 32 x 64, bf16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  return
}

// -----

// C3
mgraph_thread.kernel @mma_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = alloc 0 : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>
  %b = alloc 0 : !mgraph_thread.buffer<3 x 48 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  // expected-error @below {{expected equal contracted sizes that 16 divides, but got 32 and 48}}
  %d = mma %a[%z], %b[%z] add %c : !mgraph_thread.buffer<3 x 16 x 32, f16, row_bytes = 64, swizzle = true>, !mgraph_thread.buffer<3 x 48 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  return
}

// -----

// C1
mgraph_thread.kernel @mma_register_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = splat 0.0 : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // expected-error @below {{expected an accumulator of 64 x 64 'f32', but got 64 x 64 'f16'}}
  %d = mma_register %a, %b[%z] add %c : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  return
}

// -----

// C2
mgraph_thread.kernel @mma_register_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = splat 0.0 : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>
  // expected-error @below {{expected mma layouts of the same rows, whose warps lie along the rows alike, but got #mgraph_thread.mma<64 x 64, warps = 2 x 2> and #mgraph_thread.mma<64 x 64, warps = 2 x 2>}}
  %d = mma_register %a, %b[%z] add %c : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>
  return
}

// -----

// C2
mgraph_thread.kernel @mma_register_c2_rows grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = splat 0.0 : !mgraph_thread.fragment<128 x 64, f16, #mgraph_thread.mma<128 x 64, warps = 4 x 1>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // expected-error @below {{expected mma layouts of the same rows, whose warps lie along the rows alike, but got #mgraph_thread.mma<128 x 64, warps = 4 x 1> and #mgraph_thread.mma<64 x 64, warps = 4 x 1>}}
  %d = mma_register %a, %b[%z] add %c : !mgraph_thread.fragment<128 x 64, f16, #mgraph_thread.mma<128 x 64, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  return
}

// -----

// C3
mgraph_thread.kernel @mma_register_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = splat 0.0 : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 64 x 64, bf16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // expected-error @below {{expected operands of f16, of bf16 or of f32, but got 'f16' and 'bf16'}}
  %d = mma_register %a, %b[%z] add %c : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 64 x 64, bf16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  return
}

// -----

// C4
mgraph_thread.kernel @mma_register_c4 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %z = index 0
  %a = splat 0.0 : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 32 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // expected-error @below {{expected equal contracted sizes that 16 divides, but got 64 and 32}}
  %d = mma_register %a, %b[%z] add %c : !mgraph_thread.fragment<64 x 64, f16, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 32 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  return
}

// -----

// C1
mgraph_thread.kernel @relayout_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %a = splat 0.0 : !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // expected-error @below {{expected mma layouts of the same rows and warps, but got #mgraph_thread.mma<64 x 64, warps = 4 x 1> and #mgraph_thread.mma<64 x 64, warps = 2 x 2>}}
  %d = relayout %a : !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>> -> !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>
  return
}

// -----

// C2
mgraph_thread.kernel @relayout_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %a = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  // expected-error @below {{expected columns of one type, but got '!mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>' and '!mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>'}}
  %d = relayout %a : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>> -> !mgraph_thread.fragment<64 x 1, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  return
}

// -----

mgraph_thread.kernel @map_kind grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %a = splat 0.0 : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // expected-error @below {{expected the mnemonic of an elementwise operator, but got 'frobnicate'}}
  %b = map "frobnicate"(%a) : (!mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>) -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

mgraph_thread.kernel @map_class grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %a = splat 0.0 : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // expected-error @below {{expected the mnemonic of an elementwise operator, but got 'matmul'}}
  %b = map "matmul"(%a, %a) : (!mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>, !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>) -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

mgraph_thread.kernel @map_arity grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %a = splat 0.0 : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // expected-error @below {{expected 2 operands, but got 1}}
  %b = map "add"(%a) : (!mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>) -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

mgraph_thread.kernel @map_layout grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %a = splat 0.0 : !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  // expected-error @below {{expected fragments of one layout, but got '!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>' and '!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>'}}
  %b = map "exp"(%a) : (!mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>) -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.mma<8 x 64, warps = 1 x 4>>
  return
}

// -----

// C1
mgraph_thread.kernel @load_indexed_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected 2 strides, but got 1}}
  %a = load_indexed %x space [8, 24] strides [1] : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

mgraph_thread.kernel @load_indexed_sizes grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected sizes of at least 1, but got 0}}
  %a = load_indexed %x space [0] strides [1] : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @load_indexed_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected a fragment of 1 row, but got 8}}
  %a = load_indexed %x space [192] strides [1] : tensor<8x24xf16> -> !mgraph_thread.fragment<8 x 64, f32, #mgraph_thread.linear<8 x 64, vec = 4, threads = 128>>
  return
}

// -----

// C3
mgraph_thread.kernel @load_indexed_c3 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected indices exactly with a gathered dimension below 1, but got no indices and 0}}
  %a = load_indexed %x space [192] strides [1] {gather_dim = 0 : i64} : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

mgraph_thread.kernel @load_indexed_element grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected a fragment of 'f32', but got 'i32'}}
  %a = load_indexed %x space [192] strides [1] : tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, i32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

mgraph_thread.kernel @iota_indexed_dim grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected a dimension in [0, 1), but got 1}}
  %a = iota_indexed space [192] dim 1 : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @reduce_indexed_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected 1 or 2 sources, but got 3}}
  %a = reduce_indexed %x, %x, %x space [8] strides [24, 24, 24] over [24] strides [1, 1, 1] : tensor<8x24xf16>, tensor<8x24xf16>, tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @reduce_indexed_c1_type grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xi32>, %o: tensor<8x24xi32>):
  // expected-error @below {{expected sources of f16, bf16 or f32, but got 'i32'}}
  %a = reduce_indexed %x space [8] strides [24] over [24] strides [1] : tensor<8x24xi32> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

// C2
mgraph_thread.kernel @reduce_indexed_c2 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  // expected-error @below {{expected 2 strides, but got 1}}
  %a = reduce_indexed %x, %x space [8] strides [24, 24] over [24] strides [1] : tensor<8x24xf16>, tensor<8x24xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  return
}

// -----

// C1
mgraph_thread.kernel @store_indexed_c1 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8x24xf16>, %o: tensor<8x24xf16>):
  %a = splat 0.0 : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>
  // expected-error @below {{expected 1 strides, but got 2}}
  store_indexed %a to %o space [192] strides [24, 1] : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 1, threads = 128>>, tensor<8x24xf16>
  return
}

// -----

// C3
// expected-error @below {{expected a name of letters, digits, '_' and '$', but got 'we ird'}}
mgraph_thread.kernel @"we ird" grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<8xf16>, %o: tensor<8xf16>):
  return
}

// -----

// C6
mgraph_thread.kernel @kernel_c6 grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<512x512xf32>, %o: tensor<512x512xf32>):
  // expected-error @below {{expected a fragment of at most 256 elements in each thread, but got 2048}}
  %0 = splat 0.0 : !mgraph_thread.fragment<512 x 512, f32, #mgraph_thread.linear<512 x 512, vec = 4, threads = 128>>
  return
}

// -----

// C4 of linear: listing the elements of this layout would fill the memory.
// expected-error @+2 {{expected at most 1048576 elements in each thread, but got 144115188008747008}}
// expected-error @+1 {{failed to parse Thread_FragmentType parameter 'layout'}}
func.func private @linear_c4(!mgraph_thread.fragment<1 x 1, f32, #mgraph_thread.linear<2147483647 x 2147483647, vec = 1, threads = 32>>)

// -----

// C3 of mma.
// expected-error @+2 {{expected at most 1048576 elements in each thread, but got 2097152}}
// expected-error @+1 {{failed to parse Thread_FragmentType parameter 'layout'}}
func.func private @mma_c3(!mgraph_thread.fragment<1 x 1, f32, #mgraph_thread.mma<8192 x 8192, warps = 1 x 1>>)
