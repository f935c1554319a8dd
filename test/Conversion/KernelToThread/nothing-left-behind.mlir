// The second op has no lowering: the first one's kernel goes, too.
// RUN: not mirage-opt %s -convert-mgraph-to-thread -mlir-print-ir-after-failure 2>&1 | FileCheck %s

// CHECK: error: 'exp' expected element types
// CHECK-NOT: mgraph_thread.kernel
// CHECK: mgraph_kernel.transpose
// CHECK: mgraph_kernel.exp
func.func @f(%x: tensor<4x8xf64>) -> tensor<8x4xf64> {
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<4x8xf64> -> tensor<8x4xf64>
  %1 = mgraph_kernel.exp %0 : tensor<8x4xf64> -> tensor<8x4xf64>
  return %1 : tensor<8x4xf64>
}
