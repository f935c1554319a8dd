// RUN: mirage-opt %s -verify-diagnostics --mirage-predict
// RUN: not mirage-opt %s --mirage-predict="target=sm_1" 2>&1 | FileCheck %s

// CHECK: error: expected target to be one of sm_80, {{.*}}, but got 'sm_1'

// expected-remark-re @below {{predicted {{[0-9.]+}} us on H200 {{[(]}}sm_90a{{[)]}}}}
func.func @two_kernels(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = mgraph_kernel.matmul %a, %b : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = mgraph_kernel.exp %0 : tensor<64x64xf16> -> tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}

// A graph past the target's limits has no time.
// expected-remark @below {{no prediction for sm_90a: expected at most 232448 bytes of shared memory a block, but got 263168}}
func.func @too_large(%a: tensor<64x1024xf16>) -> tensor<64x1xf16> {
  %0 = mgraph_kernel.graph (%x = %a) grid [1, 1, 1] threads 128 stages 4 : (tensor<64x1024xf16>) -> tensor<64x1xf16> {
    %s = for %i = 2 -> <64x1xf32> {
      %t = load %x[%i] imap [-1, -1, -1] fmap 1 : tensor<64x1024xf16> -> <64x512xf16>
      yield sum(1) %t : <64x512xf16>
    }
    %o = store %s omap [-1, -1, -1] : <64x1xf32> -> tensor<64x1xf16>
    yield %o : tensor<64x1xf16>
  }
  return %0 : tensor<64x1xf16>
}

// What is not all of the dialect is passed over.
func.func @other(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}
