// Mirage's dialects and passes inside the packaged mlir-opt. A plug-in's passes run by
// --pass-pipeline; mlir-opt knows no flags for them.
// RUN: mlir-opt %s --load-dialect-plugin=%mirage_obj_root/lib/libMiragePlugin.so \
// RUN:   --load-pass-plugin=%mirage_obj_root/lib/libMiragePlugin.so \
// RUN:   --pass-pipeline='builtin.module(mirage-superopt{seed=1 threads=1},mirage-verify{seed=2 threads=1})' \
// RUN:   2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: mlir-opt %s --load-dialect-plugin=%mirage_obj_root/lib/libMiragePlugin.so \
// RUN:   --load-pass-plugin=%mirage_obj_root/lib/libMiragePlugin.so \
// RUN:   --pass-pipeline='builtin.module(mirage-lower-to-ptx{target=sm_90a})' \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT

// REMARK: became 1 kernel
// REMARK: certificate holds

// CHECK: func.func @swish(
// CHECK: mgraph_kernel.graph
// CHECK-SAME: mirage.certificate

// PTX: .visible .entry swish

// WITHOUT: mgraph_kernel

func.func @swish(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>)
    -> tensor<16x64xf16> {
  %0 = mgraph_kernel.matmul %x, %w
      : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16>
  %1 = mgraph_kernel.silu %0 : tensor<16x64xf16> -> tensor<16x64xf16>
  return %1 : tensor<16x64xf16>
}
