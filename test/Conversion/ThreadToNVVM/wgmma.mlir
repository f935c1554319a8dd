// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=target=sm_90a | FileCheck %s
// RUN: mirage-opt %s -convert-mgraph-thread-to-nvvm=target=sm_100a | FileCheck %s --check-prefix=OTHER

// Four warps of 16 rows each are a warp group. What the threads wrote is made
// visible to it ahead of each barrier. K is the row of the right operand, so its
// step is 16 rows of 128 bytes (in units of 16), and it counts as transposed; the
// left operand's step is 32 bytes.
// CHECK-LABEL: llvm.func @both_in_memory
// CHECK: nvvm.fence.proxy
// CHECK-NEXT: nvvm.barrier
// CHECK: llvm.inline_asm has_side_effects "{{.*}}wgmma.fence.sync.aligned;
// CHECK-SAME: add.s64 da, $64, 0;{{[^;]*}}add.s64 db, $65, 0;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{[^}]*}}, $31}, da, db, p, 1, 1, 0, 1;
// CHECK-SAME: add.s64 da, $64, 2;{{[^;]*}}add.s64 db, $65, 128;
// CHECK-SAME: wgmma.commit_group.sync.aligned;{{.*}}wgmma.wait_group.sync.aligned 0;
// CHECK-SAME: "=f,
// CHECK-SAME: ,31,l,l"
// CHECK-NOT: mma.sync
// OTHER-LABEL: llvm.func @both_in_memory
// OTHER-NOT: fence.proxy
// OTHER-NOT: wgmma
// OTHER: nvvm.mma.sync
mgraph_thread.kernel @both_in_memory grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 16384 inputs 1 constant [] {
^bb0(%x: tensor<64x64xf16>, %o: tensor<64x64xf16>):
  %z = index 0
  %a = alloc 0 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %b = alloc 8192 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  barrier
  %d = mma %a[%z], %b[%z] add %c : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>
  store_global %d to %o omap [-1, -1, -1] : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 4 x 1>>, tensor<64x64xf16>
  return
}

// The left operand in registers, packed in pairs; the right one with K along the
// row, in two panels of 64: the fifth step starts the second panel, 32 rows of 128
// bytes on.
// CHECK-LABEL: llvm.func @left_in_registers
// CHECK: llvm.inline_asm has_side_effects "
// CHECK-SAME: m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}$15}, {$32, $33, $34, $35}, db, p, 1, 1, 0;
// CHECK-SAME: add.s64 db, $64, 256;
// CHECK-SAME: {$48, $49, $50, $51}, db
// CHECK-SAME: ,15,r,
// CHECK-SAME: ,r,l"
// OTHER-LABEL: llvm.func @left_in_registers
// OTHER-NOT: wgmma
mgraph_thread.kernel @left_in_registers grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 8192 inputs 1 constant [] {
^bb0(%x: tensor<64x128xbf16>, %o: tensor<64x32xbf16>):
  %z = index 0
  %a = load_global %x[%z of 1] imap [-1, -1, -1] fmap -1 interleaved false : tensor<64x128xbf16> -> !mgraph_thread.fragment<64 x 128, f32, #mgraph_thread.mma<64 x 128, warps = 4 x 1>>
  %h = map "cast"(%a) : (!mgraph_thread.fragment<64 x 128, f32, #mgraph_thread.mma<64 x 128, warps = 4 x 1>>) -> !mgraph_thread.fragment<64 x 128, bf16, #mgraph_thread.mma<64 x 128, warps = 4 x 1>>
  %b = alloc 0 : !mgraph_thread.buffer<1 x 32 x 128, bf16, row_bytes = 256, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  %d = mma_register %h, %b[%z] transpose_rhs add %c : !mgraph_thread.fragment<64 x 128, bf16, #mgraph_thread.mma<64 x 128, warps = 4 x 1>>, !mgraph_thread.buffer<1 x 32 x 128, bf16, row_bytes = 256, swizzle = true> -> !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>
  store_global %d to %o omap [-1, -1, -1] : !mgraph_thread.fragment<64 x 32, f32, #mgraph_thread.mma<64 x 32, warps = 4 x 1>>, tensor<64x32xbf16>
  return
}

// Warps along the columns are no warp group.
// CHECK-LABEL: llvm.func @columns
// CHECK-NOT: wgmma
// CHECK-NOT: fence.proxy
mgraph_thread.kernel @columns grid [1, 1, 1] cluster [1, 1, 1] threads 128 shared 16384 inputs 1 constant [] {
^bb0(%x: tensor<64x64xf16>, %o: tensor<64x64xf16>):
  %z = index 0
  %a = alloc 0 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %b = alloc 8192 : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>
  %c = splat 0.0 : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>
  barrier
  %d = mma %a[%z], %b[%z] add %c : !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true>, !mgraph_thread.buffer<1 x 64 x 64, f16, row_bytes = 128, swizzle = true> -> !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>
  store_global %d to %o omap [-1, -1, -1] : !mgraph_thread.fragment<64 x 64, f32, #mgraph_thread.mma<64 x 64, warps = 2 x 2>>, tensor<64x64xf16>
  return
}
