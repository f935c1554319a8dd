// What a certificate says is computed again by a program that shares nothing
// with the verifier: draws, eps, bound, published bound.
// RUN: mirage-opt %s --mirage-superopt="seed=1" -o %t.mlir 2>/dev/null
// RUN: %python %mirage_src_root/utils/recompute-certificate %t.mlir | FileCheck %s
// CHECK: certificate 0: profile R, 2 tests, bound 2^-{{[0-9.]+}} holds
// CHECK: certificate 1: profile E, {{[0-9]+}} tests, bound 2^-{{[0-9.]+}} holds

// A number that does not follow from the others, and a prime that does not
// follow from the seed.
// RUN: sed 's/\\22log2C\\22: /&9/; s/\\22log2_bound\\22: -/&9/' %t.mlir > %t.bound.mlir
// RUN: not %python %mirage_src_root/utils/recompute-certificate %t.bound.mlir | FileCheck %s --check-prefix=BOUND
// BOUND: certificate 0: expected log2_bound -{{[0-9.]+}}, but got -9
// BOUND: certificate 1: expected log2_bound -{{[0-9.]+}}, but got -9
// RUN: sed 's/\\22seed\\22: \\22./\\22seed\\22: \\22f/' %t.mlir > %t.seed.mlir
// RUN: not %python %mirage_src_root/utils/recompute-certificate %t.seed.mlir | FileCheck %s --check-prefix=SEED
// SEED: certificate 0: expected p and omega of test 0 to follow from the seed

// RUN: not %python %mirage_src_root/utils/recompute-certificate %s | FileCheck %s --check-prefix=NONE
// NONE: expected a certificate, but found none

func.func @rmsnorm_linear(%x: tensor<16x1024xf16>, %w: tensor<1024x2048xf16>) -> tensor<16x2048xf16> {
  %0 = mgraph_kernel.rms_norm %x eps 1.0e-6 : (tensor<16x1024xf16>) -> tensor<16x1024xf16>
  %1 = mgraph_kernel.matmul %0, %w : (tensor<16x1024xf16>, tensor<1024x2048xf16>) -> tensor<16x2048xf16>
  return %1 : tensor<16x2048xf16>
}

func.func @attention(%q: tensor<2x16x64xf16>, %k: tensor<2x64x1024xf16>, %v: tensor<2x1024x64xf16>) -> tensor<2x16x64xf16> {
  %0 = mgraph_kernel.matmul %q, %k : (tensor<2x16x64xf16>, tensor<2x64x1024xf16>) -> tensor<2x16x1024xf16>
  %1 = mgraph_kernel.softmax %0 dim 2 : tensor<2x16x1024xf16> -> tensor<2x16x1024xf16>
  %2 = mgraph_kernel.matmul %1, %v : (tensor<2x16x1024xf16>, tensor<2x1024x64xf16>) -> tensor<2x16x64xf16>
  return %2 : tensor<2x16x64xf16>
}
