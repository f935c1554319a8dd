// A function that only passes tensors on is a program too: copies.
// RUN: mirage-opt %s -mirage-lower-to-ptx -o %t.mlir
// RUN: mirage-translate --export-plan --plan-function=swap %t.mlir | FileCheck %s
// What is not lowered stays in the module, of whatever dialect it is.
// CHECK: "name": "swap_0"
// CHECK: "name": "swap_1"
func.func @swap(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  return %y, %x : tensor<4x8xf32>, tensor<4x8xf32>
}
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
