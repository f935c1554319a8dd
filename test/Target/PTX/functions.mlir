// A function whose plain formula cancels takes a polynomial there: the text
// computes both and selects.
// RUN: mirage-opt %s -mirage-lower-to-ptx=target=sm_90a | mirage-translate --export-ptx | FileCheck %s --implicit-check-not='.extern .func'

// 1.12837917 is 2 / sqrt pi, erf's slope at 0.
// CHECK-LABEL: .visible .entry erf_0(
// CHECK-DAG: ex2.approx.ftz.f32
// CHECK-DAG: fma.rn.f32 {{.+}}, 0f3F906EBB;
// CHECK: selp.f32
// CHECK: ret;
func.func @erf(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mgraph_kernel.erf %x : tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// One polynomial near 0, and the tail itself to the left of it.
// CHECK-LABEL: .visible .entry gelu_erf_0(
// CHECK-DAG: ex2.approx.ftz.f32
// CHECK-DAG: fma.rn.f32 {{.+}}, 0f3F906EBB;
// CHECK: selp.f32
// CHECK: ret;
func.func @gelu_erf(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mgraph_kernel.gelu_erf %x : tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: .visible .entry tanh_0(
// CHECK-DAG: ex2.approx.ftz.f32
// CHECK-DAG: setp.lt.f32 {{.+}}, 0f3F0CCCCD;
// CHECK: selp.f32
// CHECK: ret;
func.func @tanh(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mgraph_kernel.tanh %x : tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: .visible .entry log_0(
// CHECK-DAG: lg2.approx.f32
// CHECK-DAG: setp.lt.f32 {{.+}}, 0f3E99999A;
// CHECK: selp.f32
// CHECK: ret;
func.func @log(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mgraph_kernel.log %x : tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
