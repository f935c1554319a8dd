// RUN: mirage-opt %s -mirage-lower-to-ptx="launch=plain" -o %t.mlir
// RUN: mirage-translate --export-iree --iree-object=k.ptx %t.mlir | FileCheck %s
// RUN: mirage-translate --export-iree %t.mlir | FileCheck %s --check-prefix=EMBED
// RUN: mirage-translate --export-ptx %t.mlir | FileCheck %s --check-prefix=PTX
// RUN: mirage-translate --export-plan %t.mlir --plan-function="odd name" | FileCheck %s --check-prefix=PLAN

// EMBED: #hal.executable.object<{path = "mirage_kernels.ptx", data = dense<"0x{{[0-9A-F]+}}"> : vector<{{[0-9]+}}xi8>}>

// A kernel for plain launches asks for nothing that a launch could give.
// PTX-NOT: griddepcontrol
// PTX: .visible .entry odd_name_0(
// PTX-NOT: griddepcontrol
// PLAN: "dependent_launch": false

// One executable holds the module's PTX; every kernel is an export of it.
// CHECK: #target = #hal.executable.target<"cuda", "cuda-nvptx-fb">
// CHECK: "hal.executable.source"() <{
// CHECK-NEXT: sym_name = "mirage_kernels", sym_visibility = "private",
// CHECK-NEXT: objects = #hal.executable.objects<{#target = [
// CHECK-NEXT: #hal.executable.object<{path = "k.ptx"}>]}>
// CHECK: sym_name = "odd_name_0", sym_visibility = "public", ordinal = 0 : index,
// CHECK-NEXT: layout = #hal.pipeline.layout<bindings = [
// CHECK-NEXT: #hal.pipeline.binding<storage_buffer, ReadOnly>,
// CHECK-NEXT: #hal.pipeline.binding<storage_buffer>]>,
// CHECK-NEXT: workgroup_size = [32 : index, 1 : index, 1 : index],
// CHECK-NEXT: workgroup_local_memory = 0 : index
// CHECK: arith.constant 1 : index
// CHECK: sym_name = "split_0", {{.*}} ordinal = 5 : index,
// CHECK: workgroup_size = [128 : index, 1 : index, 1 : index],
// CHECK-NEXT: workgroup_local_memory = [[#]] : index
// CHECK: %x = arith.constant 2 : index
// CHECK: %y = arith.constant 1 : index
// CHECK: %z = arith.constant 2 : index
// CHECK: "hal.executable.source_end"

// A tensor between kernels is bytes; each kernel of a concat writes its part of
// one buffer in place.
// CHECK: func.func @"odd name"(%arg0: tensor<4x8xf16>, %arg1: tensor<4x8xf16>) -> (tensor<8x4xf16>, tensor<8x8xf16>, tensor<f32>) {
// CHECK-NEXT: %0 = flow.dispatch @mirage_kernels::@odd_name_0(%arg0) : (tensor<4x8xf16>) -> tensor<64xi8>
// CHECK-NEXT: %1 = flow.dispatch @mirage_kernels::@odd_name_1(%0) : (tensor<64xi8>) -> tensor<8x4xf16>
// CHECK-NEXT: %2 = flow.dispatch @mirage_kernels::@odd_name_2(%arg0) : (tensor<4x8xf16>) -> tensor<8x8xf16>
// CHECK-NEXT: %3 = flow.dispatch @mirage_kernels::@odd_name_3(%arg1, %2) : (tensor<4x8xf16>, tensor<8x8xf16>) -> %2
// CHECK-NEXT: %4 = flow.dispatch @mirage_kernels::@odd_name_4() : () -> tensor<f32>
// CHECK-NEXT: return %1, %3, %4 : tensor<8x4xf16>, tensor<8x8xf16>, tensor<f32>
func.func @"odd name"(%x: tensor<4x8xf16> {mirage.constant}, %y: tensor<4x8xf16>)
    -> (tensor<8x4xf16>, tensor<8x8xf16>, tensor<f32>) {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf16> -> tensor<4x8xf16>
  %1 = mgraph_kernel.transpose %0 perm [1, 0] : tensor<4x8xf16> -> tensor<8x4xf16>
  %2 = mgraph_kernel.concat %x, %y dim 0 : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<8x8xf16>
  %3 = mgraph_kernel.constant 1.5 : tensor<f32>
  return %1, %2, %3 : tensor<8x4xf16>, tensor<8x8xf16>, tensor<f32>
}

// CHECK: func.func private @split(%arg0: tensor<16x64xbf16>, %arg1: tensor<64x64xbf16>) -> (tensor<16x64xbf16>) {
// CHECK-NEXT: %0 = flow.dispatch @mirage_kernels::@split_0(%arg0, %arg1) : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xbf16>
// CHECK-NEXT: return %0 : tensor<16x64xbf16>
func.func private @split(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xbf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 2] cluster [1, 1, 2] : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xbf16> {
    %0 = load %a imap [-1, -1, 1] fmap -1 : tensor<16x64xbf16> -> <16x32xbf16>
    %1 = load %b imap [1, -1, 0] fmap -1 : tensor<64x64xbf16> -> <32x32xbf16>
    %2 = matmul %0, %1 : (<16x32xbf16>, <32x32xbf16>) -> <16x32xf32>
    %3 = reduce_blocks sum %2 dim 2 : <16x32xf32>
    %s = store %3 omap [1, -1, -1] : <16x32xf32> -> tensor<16x64xbf16>
    yield %s : tensor<16x64xbf16>
  }
  return %o : tensor<16x64xbf16>
}

// A kept original is no function to run.
// CHECK-NOT: @original
// CHECK: {{^}}}
func.func private @original(%x: tensor<4x8xf16>) -> tensor<4x8xf16> attributes {mirage.original} {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf16> -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}
