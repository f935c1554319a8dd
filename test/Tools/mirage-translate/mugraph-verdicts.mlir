// A module with several candidates: each has a verdict, and one that is not
// equivalent makes the run fail.

// RUN: mirage-translate --import-mugraph-json %S/Inputs/mugraphs/ntrans_bs1.json --mugraph-reference=%s -o %t.mlir
// RUN: not mirage-opt %t.mlir --mirage-verify=seed=1 -o /dev/null 2>&1 | FileCheck %s

// CHECK-COUNT-9: error: @mugraph_{{[0-9]}} against @ntrans_of_difference: not equivalent: {{.*}}output 0 at [

// x + alpha * (rms_norm(h) - x), where the graphs add x.
func.func @ntrans_of_difference(%h: tensor<8x4096xf16>, %x: tensor<8x4096xf16>, %alpha: tensor<8x4096xf16>) -> tensor<8x4096xf16> {
  %n = mgraph_kernel.rms_norm %h eps 0.0 : (tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %d = mgraph_kernel.sub %n, %x : (tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %m = mgraph_kernel.mul %alpha, %d : (tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %r = mgraph_kernel.add %x, %m : (tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %y = mgraph_kernel.rms_norm %r eps 0.0 : (tensor<8x4096xf16>) -> tensor<8x4096xf16>
  return %y : tensor<8x4096xf16>
}
