// RUN: mirage-opt %s --mirage-superopt="seed=1" -o %t.mlir 2>%t.err
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: not mirage-opt %s --mirage-superopt="target=sm_42" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not mirage-opt %s --mirage-superopt="prune=never" 2>&1 | FileCheck %s --check-prefix=PRUNE
// RUN: not mirage-opt %s --mirage-superopt="report=%t.none/report.json" 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not mirage-opt %s --mirage-superopt="report=/dev/full" 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not mirage-opt %s --mirage-superopt="max-block-ops=2147483648" 2>&1 | FileCheck %s --check-prefix=OPS

// What cannot be lowered is said, and stays.
// RUN: mirage-opt %s --mirage-lower-to-ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOWER
// LOWER: remark: expected only mgraph_kernel operations in a function to lower, but got 'linalg.matmul': @dynamic is left as it is

// TARGET: error: expected target to be one of sm_80, {{.*}}, but got 'sm_42'
// PRUNE: error: expected prune to be one of auto, fast, z3, both or none, but got 'never'
// REPORT: error: expected to write the report to '{{.*}}', but got: No such file or directory
// FULL: error: expected to write the report to '/dev/full', but got: No space left on device
// OPS: error: expected max-block-ops to be a number in [1, 2147483647], but got 2147483648

// What has nothing to raise keeps its text.
// CHECK-LABEL: func.func @scalar
// CHECK: arith.addf
// CHECK-NOT: mirage.
// REMARK: remark: superopt: expected operations that raise to mgraph_kernel, but found none: @scalar is left as it is
func.func @scalar(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}

// Dynamic shapes are not searched, and not touched.
// CHECK-LABEL: func.func @dynamic
// CHECK: linalg.matmul
// REMARK: @dynamic
func.func @dynamic(%a: tensor<?x64xf16>, %b: tensor<64x64xf16>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x64xf16>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @branches
// CHECK: cf.cond_br
// REMARK: superopt: expected a body of one block, but got 3: @branches is left as it is
func.func @branches(%c: i1, %a: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %a : tensor<4xf32>
^bb2:
  %0 = mgraph_kernel.exp %a : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// One op has nothing to be fused with.
// REMARK: superopt: @single: a fragment of 1 op is left as it is: {{.+}}
func.func @single(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mgraph_kernel.slice %x offsets [0, 0] sizes [4, 8] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A kernel of its own is as fast as a graph around it.
// REMARK: superopt: @small: a fragment of 1 op is left as it is: expected a candidate that is faster than the {{[0-9.]+}} us of the fragment op by op, but the best is predicted at {{[0-9.]+}} us
func.func @small(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// What has no kernel either way is said to have none.
// REMARK: superopt: @view: a fragment of 1 op is left as it is: it only changes shapes, which takes no kernel
func.func @view(%x: tensor<16x64xf32>) -> tensor<64x4x4xf32> {
  %0 = mgraph_kernel.reshape %x : tensor<16x64xf32> -> tensor<64x4x4xf32>
  return %0 : tensor<64x4x4xf32>
}

// The search looks through reshapes of size 1 only.
// REMARK: superopt: @reshape: a fragment of 2 ops is left as it is: expected a reshape that adds or drops dimensions of size 1, but got 64x16xf32 to 64x4x4xf32
func.func @reshape(%x: tensor<16x64xf32>) -> tensor<64x4x4xf32> {
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
  %1 = mgraph_kernel.reshape %0 : tensor<64x16xf32> -> tensor<64x4x4xf32>
  return %1 : tensor<64x4x4xf32>
}

// A candidate that does not lower is not kept, and not verified first.
// REMARK: superopt: @turned: a fragment of 2 ops is left as it is: none of {{[0-9]+}} faster candidates was accepted; of the first: not verified: has no lowering: 'transpose' has no lowering inside a block graph
func.func @turned(%x: tensor<16x64xf32>) -> tensor<64x16xf32> {
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
  %1 = mgraph_kernel.exp %0 : tensor<64x16xf32> -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// Graphs whose tiles no tensor core takes, whatever their sizes.
// REMARK: superopt: @odd: a fragment of 2 ops is left as it is: the search found {{[0-9]+}} block graphs, but no sizes of them that fit sm_90a: expected depths of products in multiples of 16, but got 24: expected columns in multiples of 8, but got 4
func.func @odd(%x: tensor<16x24xf16>, %w: tensor<24x4xf16>) -> tensor<16x4xf16> {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<16x24xf16>, tensor<24x4xf16>) -> tensor<16x4xf16>
  %1 = mgraph_kernel.exp %0 : tensor<16x4xf16> -> tensor<16x4xf16>
  return %1 : tensor<16x4xf16>
}

// Regions are not searched.
// REMARK: remark: superopt: expected operations that raise to mgraph_kernel, but found them in regions of other operations alone, which are not searched: @looped is left as it is
func.func @looped(%x: tensor<16x64xf32>, %n: index) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<16x64xf32> {
    %0 = mgraph_kernel.exp %y : tensor<16x64xf32> -> tensor<16x64xf32>
    scf.yield %0 : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// What a run before has done.
// REMARK: remark: superopt: expected operations that raise to mgraph_kernel, but found graph-defined kernels alone: @done is left as it is
func.func @done(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %o = mgraph_kernel.graph (%a = %x) grid [4, 1, 1] : (tensor<64x64xf16>) -> tensor<64x64xf16> {
    %0 = load %a imap [0, -1, -1] : tensor<64x64xf16> -> <16x64xf16>
    %1 = exp %0 : <16x64xf16> -> <16x64xf32>
    %2 = store %1 omap [0, -1, -1] : <16x64xf32> -> tensor<64x64xf16>
    yield %2 : tensor<64x64xf16>
  }
  return %o : tensor<64x64xf16>
}
