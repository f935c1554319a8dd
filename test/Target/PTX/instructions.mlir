// What the text of a product with few rows is made of.
// RUN: mirage-opt %s -mirage-lower-to-ptx=target=sm_90a | mirage-translate --export-ptx > %t.90
// RUN: FileCheck %s --input-file=%t.90 --check-prefixes=CHECK,SM90
// RUN: mirage-opt %s -mirage-lower-to-ptx=target=sm_80 | mirage-translate --export-ptx > %t.80
// RUN: FileCheck %s --input-file=%t.80 --check-prefixes=CHECK,SM80

// CHECK-LABEL: .visible .entry rows_0(
// CHECK-SAME: {{$}}
// CHECK: .reqntid 128
// SM80-NOT: griddepcontrol
// Three stages are in flight before the loop, one more in it, wherever LLVM puts
// the blocks.
// CHECK-COUNT-4: cp.async.commit_group;
// CHECK-DAG: cp.async.wait_group {{[2-9]}};
// CHECK-DAG: cp.async.wait_group 0;
// SM90-DAG: griddepcontrol.launch_dependents;
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: ldmatrix.sync.aligned.m8n8.x{{[24]}}.trans.shared.b16
// CHECK-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-DAG: st.global.v{{[24]}}.b32
func.func @rows(%x: tensor<8x1024xbf16>, %w: tensor<1024x8448xbf16>) -> tensor<8x8448xbf16> {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<8x1024xbf16>, tensor<1024x8448xbf16>) -> tensor<8x8448xbf16>
  return %0 : tensor<8x8448xbf16>
}
