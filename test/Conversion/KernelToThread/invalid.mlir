// A refusal names the op and the reason, and leaves the function as it was.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics -convert-mgraph-to-thread

func.func @f64(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  // expected-error @below {{'exp' expected element types that the target computes with, but got f64}}
  %0 = mgraph_kernel.exp %x : tensor<4x8xf64> -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// -----

// Indices are 32 bits wide.
func.func @large(%x: tensor<65536x32768xf16>) -> tensor<65536x32768xf16> {
  // expected-error @below {{'exp' expected tensors of fewer than 2147483648 elements, but got 65536x32768xf16}}
  %0 = mgraph_kernel.exp %x : tensor<65536x32768xf16> -> tensor<65536x32768xf16>
  return %0 : tensor<65536x32768xf16>
}
