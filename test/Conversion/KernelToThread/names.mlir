// Kernels get names that PTX admits and that no symbol has.
// RUN: mirage-opt %s -mirage-lower-to-ptx | mirage-translate --export-ptx | FileCheck %s
// RUN: mirage-opt %s -mirage-lower-to-ptx | mirage-translate --export-plan --plan-function="we ird" | FileCheck %s --check-prefix=PLAN

// CHECK-DAG: .entry we_ird_kernel_0(
// CHECK-DAG: .entry we_ird_0_0(
// PLAN: "name": "we_ird_kernel_0"
func.func @"we ird"(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mgraph_kernel.exp %x : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @we_ird_0(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mgraph_kernel.exp %x : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
