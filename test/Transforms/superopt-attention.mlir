// Online softmax is found from plain softmax, verified, and lowers to tensor
// cores.
// RUN: mirage-opt %s -mirage-superopt="seed=7" 2>/dev/null | FileCheck %s
// RUN: mirage-opt %s -mirage-superopt="seed=7" -mirage-lower-to-ptx 2>/dev/null | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: func.func @attention
// CHECK: mgraph_kernel.graph
// CHECK: for %
// CHECK: %[[S:.+]] = matmul
// CHECK: %[[NOW:.+]] = running current 0
// CHECK: %[[D:.+]] = sub %[[S]], %[[NOW]]
// CHECK: exp %[[D]]
// CHECK: %[[BEFORE:.+]] = running previous 0
// CHECK: %[[F:.+]] = sub %[[BEFORE]], %[[NOW]]
// CHECK: %[[E:.+]] = exp %[[F]]
// CHECK: yield max(2) %[[S]], rescale(%[[E]])
// CHECK: div
// CHECK: func.func private @attention_reference_0

// PTX: mma.sync
func.func @attention(%q: tensor<2x16x64xf16>, %k: tensor<2x64x4096xf16>, %v: tensor<2x4096x64xf16>) -> tensor<2x16x64xf16> {
  %0 = mgraph_kernel.matmul %q, %k : (tensor<2x16x64xf16>, tensor<2x64x4096xf16>) -> tensor<2x16x4096xf16>
  %1 = mgraph_kernel.softmax %0 dim 2 : tensor<2x16x4096xf16> -> tensor<2x16x4096xf16>
  %2 = mgraph_kernel.matmul %1, %v : (tensor<2x16x4096xf16>, tensor<2x4096x64xf16>) -> tensor<2x16x64xf16>
  return %2 : tensor<2x16x64xf16>
}
