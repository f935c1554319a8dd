// RUN: mirage-run --cpu %s --seed=3 --output-dir=%t.linalg > /dev/null
// RUN: mirage-run --cpu %s --seed=3 --function=kernel --output-dir=%t.kernel > /dev/null
// RUN: cmp %t.linalg/output_0.npy %t.kernel/output_0.npy
// RUN: not mirage-run --cpu %s --function=dynamic 2>&1 | FileCheck %s

// linalg is raised on the way in.
func.func @linalg(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x6xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<4x6xf16>) -> tensor<4x6xf16>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x6xf16>)
      outs(%f : tensor<4x6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

func.func private @kernel(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %0 = mgraph_kernel.matmul %x, %w
      : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// What cannot be raised is named, and nothing runs.
// CHECK: remark: not raised to mgraph_kernel: expected static shapes, but got tensor<?xf16>
// CHECK: error: expected
func.func private @dynamic(%x: tensor<?xf16>) -> tensor<?xf16> {
  %0 = linalg.exp ins(%x : tensor<?xf16>) outs(%x : tensor<?xf16>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
