// RUN: mirage-opt %S/Inputs/two_layers.mlir --mirage-superopt="seed=1 report=%t.json" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: mirage-opt %t.mlir --mirage-verify="seed=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: mirage-opt %s --mirage-superopt="seed=1" 2>&1 | FileCheck %s

// The cheapest cover takes a layer each; the second layer's program was searched
// for the first, and its certificate is about the same two programs.
// LAYERS: @two_layers: a fragment of 6 ops became 1 kernel
// LAYERS: note: search finished
// LAYERS: @two_layers: a fragment of 6 ops became 1 kernel
// LAYERS: note: as before: search finished
// What no block graph holds is left, with the reason.
// LAYERS: @two_layers: a fragment of 1 op is left as it is: expected an op that the search can look inside, but got 'slice'
// LAYERS: @two_layers: a fragment of 1 op is left as it is: expected an op that the search can look inside, but got 'slice'

// REPORT: "repeated": false
// REPORT: "repeated": true
// REPORT: "left_out": 0
// REPORT: "repeats": {{[1-9]}}
// REPORT: "searches": {{[0-9]+}}

// AGAIN: certificate holds against @two_layers_reference_0
// AGAIN: certificate holds against @two_layers_reference_1

// A norm whose reader stands between it and its product: what reads a part is
// moved behind it, and nothing else.
// CHECK: @between: a fragment of 6 ops became 1 kernel
// CHECK-LABEL: func.func @between
// CHECK: %[[S:.+]] = mgraph_kernel.slice %arg0
// CHECK: %[[G:.+]]:2 = mgraph_kernel.graph
// CHECK: %[[R:.+]] = mgraph_kernel.slice %[[G]]
// CHECK: return %[[G]]#{{.}}, %[[R]], %[[S]]
func.func @between(%x: tensor<16x256xf16>, %w: tensor<256x256xf16>) -> (tensor<16x256xf16>, tensor<8x256xf16>, tensor<8x256xf16>) {
  %n = mgraph_kernel.constant inv_extent 256 : tensor<1x1xf16>
  %0 = mgraph_kernel.square %x : tensor<16x256xf16> -> tensor<16x256xf16>
  %1 = mgraph_kernel.reduce sum %0 dims [1] : tensor<16x256xf16> -> tensor<16x1xf16>
  %2 = mgraph_kernel.mul %1, %n : (tensor<16x1xf16>, tensor<1x1xf16>) -> tensor<16x1xf16>
  %3 = mgraph_kernel.rsqrt %2 : tensor<16x1xf16> -> tensor<16x1xf16>
  %4 = mgraph_kernel.mul %x, %3 : (tensor<16x256xf16>, tensor<16x1xf16>) -> tensor<16x256xf16>
  %5 = mgraph_kernel.slice %4 offsets [0, 0] sizes [8, 256] strides [1, 1] : tensor<16x256xf16> -> tensor<8x256xf16>
  %6 = mgraph_kernel.slice %x offsets [0, 0] sizes [8, 256] strides [1, 1] : tensor<16x256xf16> -> tensor<8x256xf16>
  %7 = mgraph_kernel.matmul %4, %w : (tensor<16x256xf16>, tensor<256x256xf16>) -> tensor<16x256xf16>
  return %7, %5, %6 : tensor<16x256xf16>, tensor<8x256xf16>, tensor<8x256xf16>
}
