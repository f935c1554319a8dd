// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=target=sm_90a | FileCheck %s
// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=target=sm_80 | FileCheck %s

// Each f32 is cut into what tf32 keeps and the rest; an infinity leaves none. The
// four products start from zero, and f32 adds their sum.
// CHECK-LABEL: llvm.func @buffers
// The left operand: two rows of two neighbours.
// CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: %[[BITS:.+]] = llvm.bitcast %[[X:.+]] : f32 to i32
// CHECK: %[[MASK:.+]] = llvm.mlir.constant(-8192 : i32)
// CHECK: %[[BIG:.+]] = llvm.and %[[BITS]], %[[MASK]]
// CHECK: %[[CUT:.+]] = llvm.bitcast %[[BIG]] : i32 to f32
// CHECK: %[[REST:.+]] = llvm.fsub %[[X]], %[[CUT]]
// CHECK: %[[INFINITE:.+]] = llvm.icmp "eq"
// CHECK: %[[KEPT:.+]] = llvm.select %[[INFINITE]], %{{.+}}, %[[REST]]
// CHECK: %[[SMALL:.+]] = nvvm.convert.float.to.tf32 %[[KEPT]] {rnd = #nvvm.fp_rnd_mode<rna>}
// The right one: neighbours along K lie in two rows.
// CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
// CHECK: nvvm.mma.sync A[%[[SMALL]], {{.+}}] B[%[[S0:.+]], %[[S1:.+]]] C[%[[ZERO:.+]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK: nvvm.mma.sync A[%[[SMALL]], {{.+}}] B[%[[B0:.+]], %[[B1:.+]]] C[
// CHECK: nvvm.mma.sync A[%[[BIG]], {{.+}}] B[%[[S0]], %[[S1]]] C[
// CHECK: nvvm.mma.sync A[%[[BIG]], {{.+}}] B[%[[B0]], %[[B1]]] C[
// CHECK-COUNT-4: llvm.fadd
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK-COUNT-4: llvm.fadd
// CHECK-NOT: mma.sync
mgraph_thread.kernel @buffers grid [1, 1, 1] cluster [1, 1, 1] threads 32 shared 2048 inputs 0 constant [] {
^bb0(%o: tensor<16x8xf32>):
  %z = index 0
  %a = alloc 0 : !mgraph_thread.buffer<1 x 16 x 16, f32, row_bytes = 64, swizzle = true>
  %b = alloc 1024 : !mgraph_thread.buffer<1 x 16 x 8, f32, row_bytes = 32, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<16 x 8, f32, #mgraph_thread.mma<16 x 8, warps = 1 x 1>>
  %d = mma %a[%z], %b[%z] add %c : !mgraph_thread.buffer<1 x 16 x 16, f32, row_bytes = 64, swizzle = true>, !mgraph_thread.buffer<1 x 16 x 8, f32, row_bytes = 32, swizzle = true> -> !mgraph_thread.fragment<16 x 8, f32, #mgraph_thread.mma<16 x 8, warps = 1 x 1>>
  store_global %d to %o omap [-1, -1, -1] : !mgraph_thread.fragment<16 x 8, f32, #mgraph_thread.mma<16 x 8, warps = 1 x 1>>, tensor<16x8xf32>
  return
}

// A left operand in registers is used as it lies, and a right one whose rows run
// along K is read two at a time. No warp group takes f32.
// CHECK-LABEL: llvm.func @registers
// CHECK-NOT: wgmma
// CHECK: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: nvvm.mma.sync
mgraph_thread.kernel @registers grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 4096 inputs 1 constant [] {
^bb0(%x: tensor<64x32xf32>, %o: tensor<64x32xf32>):
  %z = index 0
  grid_dependency_wait
  %a = load_global %x[%z of 1] imap [-1, -1, -1] fmap -1 interleaved false : tensor<64x32xf32> -> !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 32 x 32, f32, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  %d = mma_register %a, %b[%z] transpose_rhs add %c : !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 32 x 32, f32, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  store_global %d to %o omap [-1, -1, -1] : !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>, tensor<64x32xf32>
  return
}
