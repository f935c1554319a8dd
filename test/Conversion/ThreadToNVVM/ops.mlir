// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=target=sm_90a | FileCheck %s
// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=target=sm_80 | FileCheck %s --check-prefix=SM80

// CHECK: #llvm.loop_unroll<count = 4 : i32>
// CHECK: gpu.module @mirage_kernels [#nvvm.target<O = 3, chip = "sm_90a"
// CHECK: llvm.mlir.global external @mirage_shared() {addr_space = 3 : i32, alignment = 1024 : i64}

// Only what no kernel writes is noalias: such loads pass by the cache that
// griddepcontrol.wait refreshes.
// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: %[[X:.+]]: !llvm.ptr<1> {llvm.align = 16 : i32}, %[[W:.+]]: !llvm.ptr<1> {llvm.align = 16 : i32, llvm.noalias}, %[[O:.+]]: !llvm.ptr<1> {llvm.align = 16 : i32})
// CHECK-SAME: nvvm.reqntid = array<i32: 32>
// CHECK: nvvm.griddepcontrol  launch_dependents
// CHECK: nvvm.griddepcontrol  wait
// Four f16 move at once, in f32 registers.
// CHECK: %[[V:.+]] = llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
// CHECK-COUNT-4: llvm.fpext %{{.+}} : f16 to f32
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
// SM80-LABEL: llvm.func @copy
// SM80-NOT: griddepcontrol
// SM80: llvm.return
mgraph_thread.kernel @copy grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 2 constant [1] {
^bb0(%x: tensor<4x32xf16>, %w: tensor<4x32xf16>, %o: tensor<4x32xf16>):
  grid_launch_dependents
  grid_dependency_wait
  %0 = load_indexed %x space [128] strides [1] : tensor<4x32xf16> -> !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 4, threads = 32>>
  store_indexed %0 to %o space [128] strides [1] : !mgraph_thread.fragment<1 x 128, f32, #mgraph_thread.linear<1 x 128, vec = 4, threads = 32>>, tensor<4x32xf16>
  return
}

// Elements past the space are read from its start, and not written.
// CHECK-LABEL: llvm.func @partial
// CHECK: %[[N:.+]] = llvm.mlir.constant(91 : i32)
// CHECK: llvm.icmp "ult" %{{.+}}, %[[N]]
// CHECK: llvm.select
// CHECK: llvm.load
// CHECK: llvm.icmp "ult"
// CHECK: llvm.cond_br
// CHECK: llvm.store
mgraph_thread.kernel @partial grid [1, 1, 1] cluster [1, 1, 1] threads 96 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<7x13xf32>, %o: tensor<7x13xf32>):
  %0 = load_indexed %x space [7, 13] strides [13, 1] : tensor<7x13xf32> -> !mgraph_thread.fragment<1 x 96, f32, #mgraph_thread.linear<1 x 96, vec = 1, threads = 96>>
  store_indexed %0 to %o space [7, 13] strides [13, 1] : !mgraph_thread.fragment<1 x 96, f32, #mgraph_thread.linear<1 x 96, vec = 1, threads = 96>>, tensor<7x13xf32>
  return
}

// An index past the data must not read past it.
// CHECK-LABEL: llvm.func @gather
// CHECK: llvm.load %{{.+}} : !llvm.ptr<1> -> i64
// CHECK: %[[LAST:.+]] = llvm.mlir.constant(49 : i64)
// CHECK: %[[IN:.+]] = llvm.icmp "ule" %{{.+}}, %[[LAST]]
// CHECK: llvm.select %[[IN]], %{{.+}}, %[[LAST]]
mgraph_thread.kernel @gather grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 2 constant [] {
^bb0(%x: tensor<50xi32>, %i: tensor<32xi64>, %o: tensor<32xi32>):
  %0 = load_indexed %x gather %i : tensor<32xi64> space [32] strides [1] {gather_dim = 0 : i64} : tensor<50xi32> -> !mgraph_thread.fragment<1 x 32, i32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>
  store_indexed %0 to %o space [32] strides [1] : !mgraph_thread.fragment<1 x 32, i32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>, tensor<32xi32>
  return
}

// i1 takes a byte in memory.
// CHECK-LABEL: llvm.func @flags
// CHECK: llvm.load %{{.+}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
// CHECK: llvm.icmp "ne"
// CHECK: llvm.zext %{{.+}} : i1 to i8
mgraph_thread.kernel @flags grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<32xi1>, %o: tensor<32xi1>):
  %0 = load_indexed %x space [32] strides [1] : tensor<32xi1> -> !mgraph_thread.fragment<1 x 32, i1, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>
  store_indexed %0 to %o space [32] strides [1] : !mgraph_thread.fragment<1 x 32, i1, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>, tensor<32xi1>
  return
}

// Integers round as casts say: to zero, and to the nearest end outside.
// CHECK-LABEL: llvm.func @casts
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat.i32.f32"
// CHECK: llvm.sitofp %{{.+}} : i32 to f32
// CHECK: llvm.fptrunc %{{.+}} : f32 to f16
mgraph_thread.kernel @casts grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 1 constant [] {
^bb0(%x: tensor<32xf32>, %o: tensor<32xf16>):
  %0 = load_indexed %x space [32] strides [1] : tensor<32xf32> -> !mgraph_thread.fragment<1 x 32, f32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>
  %1 = map "cast"(%0) : (!mgraph_thread.fragment<1 x 32, f32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>) -> !mgraph_thread.fragment<1 x 32, i32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>
  %2 = map "cast"(%1) : (!mgraph_thread.fragment<1 x 32, i32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>) -> !mgraph_thread.fragment<1 x 32, f16, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>
  store_indexed %2 to %o space [32] strides [1] : !mgraph_thread.fragment<1 x 32, f16, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>, tensor<32xf16>
  return
}

// Three warps of four hold padding only: their pieces of the right factor are
// read from column 0, since column 8 on lies past the buffer.
// CHECK-LABEL: llvm.func @narrow
// CHECK: nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4
// CHECK: %[[EIGHT:.+]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[C:.+]] = llvm.icmp "ult" %{{.+}}, %[[EIGHT]]
// CHECK: llvm.select %[[C]]
// CHECK: nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 2
// CHECK: nvvm.mma.sync
mgraph_thread.kernel @narrow grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 2048 inputs 0 constant [] {
^bb0(%o: tensor<16x8xf16>):
  %z = index 0
  %a = alloc 0 : !mgraph_thread.buffer<1 x 16 x 16, f16, row_bytes = 32, swizzle = true>
  %b = alloc 1024 : !mgraph_thread.buffer<1 x 16 x 8, f16, row_bytes = 16, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<16 x 8, f32, #mgraph_thread.mma<16 x 8, warps = 1 x 4>>
  %d = mma %a[%z], %b[%z] add %c : !mgraph_thread.buffer<1 x 16 x 16, f16, row_bytes = 32, swizzle = true>, !mgraph_thread.buffer<1 x 16 x 8, f16, row_bytes = 16, swizzle = true> -> !mgraph_thread.fragment<16 x 8, f32, #mgraph_thread.mma<16 x 8, warps = 1 x 4>>
  store_global %d to %o omap [-1, -1, -1] : !mgraph_thread.fragment<16 x 8, f32, #mgraph_thread.mma<16 x 8, warps = 1 x 4>>, tensor<16x8xf16>
  return
}

// Sums of products: fused multiply-adds in f32, unrolled by four only, since the
// addresses of a whole loop would spill.
// CHECK-LABEL: llvm.func @sums
// CHECK: llvm.call_intrinsic "llvm.fma.f32"
// CHECK: llvm.br {{.+}} {loop_annotation = #{{.+}}}
mgraph_thread.kernel @sums grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 2 constant [] {
^bb0(%x: tensor<4x24xf16>, %w: tensor<24x8xf16>, %o: tensor<4x8xf16>):
  %0 = reduce_indexed %x, %w space [4, 8] strides [24, 0, 0, 1] over [24] strides [1, 8] : tensor<4x24xf16>, tensor<24x8xf16> -> !mgraph_thread.fragment<1 x 32, f32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>
  store_indexed %0 to %o space [4, 8] strides [8, 1] : !mgraph_thread.fragment<1 x 32, f32, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>, tensor<4x8xf16>
  return
}

// CHECK-LABEL: llvm.func @flag_index
// CHECK: llvm.icmp "ne" %{{.+}}, %{{.+}} : i32
// CHECK: llvm.zext %{{.+}} : i1 to i8
mgraph_thread.kernel @flag_index grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 0 inputs 0 constant [] {
^bb0(%o: tensor<32xi1>):
  %0 = iota_indexed space [32] dim 0 : !mgraph_thread.fragment<1 x 32, i1, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>
  store_indexed %0 to %o space [32] strides [1] : !mgraph_thread.fragment<1 x 32, i1, #mgraph_thread.linear<1 x 32, vec = 1, threads = 32>>, tensor<32xi1>
  return
}
