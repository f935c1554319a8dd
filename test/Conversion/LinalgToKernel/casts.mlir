// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel | FileCheck %s

// CHECK-LABEL: func @absorbed
// CHECK-NEXT:    %[[S:.+]] = mgraph_kernel.silu %{{.+}} : tensor<8xf16> -> tensor<8xf16>
// CHECK-NEXT:    return %[[S]]
func.func @absorbed(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = mgraph_kernel.cast %x : tensor<8xf16> -> tensor<8xf32>
  %1 = mgraph_kernel.sigmoid %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = mgraph_kernel.mul %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = mgraph_kernel.cast %2 : tensor<8xf32> -> tensor<8xf16>
  return %3 : tensor<8xf16>
}

// Two ops between the casts round twice on f16, once in f32.
// CHECK-LABEL: func @two_ops
// CHECK:         mgraph_kernel.exp %{{.+}} : tensor<8xf32>
// CHECK:         mgraph_kernel.tanh %{{.+}} : tensor<8xf32>
func.func @two_ops(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = mgraph_kernel.cast %x : tensor<8xf16> -> tensor<8xf32>
  %1 = mgraph_kernel.exp %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = mgraph_kernel.tanh %1 : tensor<8xf32> -> tensor<8xf32>
  %3 = mgraph_kernel.cast %2 : tensor<8xf32> -> tensor<8xf16>
  return %3 : tensor<8xf16>
}

// The value in f32 is a result too.
// CHECK-LABEL: func @two_users
// CHECK-NOT:     mgraph_kernel.exp %{{.+}} : tensor<8xf16>
// CHECK:         mgraph_kernel.exp %{{.+}} : tensor<8xf32>
// CHECK-NOT:     mgraph_kernel.exp
// CHECK:         return
func.func @two_users(%x: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf32>) {
  %0 = mgraph_kernel.cast %x : tensor<8xf16> -> tensor<8xf32>
  %1 = mgraph_kernel.exp %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = mgraph_kernel.cast %1 : tensor<8xf32> -> tensor<8xf16>
  return %2, %1 : tensor<8xf16>, tensor<8xf32>
}

// 0.1 in f32 has digits that f16 lacks; 0.5 has not.
// CHECK-LABEL: func @constants
// CHECK:         mgraph_kernel.mul %{{.+}} : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
// CHECK:         mgraph_kernel.mul %{{.+}} : (tensor<8xf16>, tensor<1xf16>) -> tensor<8xf16>
func.func @constants(%x: tensor<8xf16>, %y: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %tenth = mgraph_kernel.constant 0.1 : tensor<1xf32>
  %half = mgraph_kernel.constant 0.5 : tensor<1xf32>
  %0 = mgraph_kernel.cast %x : tensor<8xf16> -> tensor<8xf32>
  %1 = mgraph_kernel.mul %0, %tenth : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %2 = mgraph_kernel.cast %1 : tensor<8xf32> -> tensor<8xf16>
  %3 = mgraph_kernel.cast %y : tensor<8xf16> -> tensor<8xf32>
  %4 = mgraph_kernel.mul %3, %half : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %5 = mgraph_kernel.cast %4 : tensor<8xf32> -> tensor<8xf16>
  return %2, %5 : tensor<8xf16>, tensor<8xf16>
}

// f16 to f32 loses nothing, f32 to f16 does.
// CHECK-LABEL: func @compose
// CHECK-SAME:    %[[X:.+]]: tensor<8xf16>, %[[Y:.+]]: tensor<8xf32>
// CHECK-NEXT:    %[[A:.+]] = mgraph_kernel.cast %[[X]] : tensor<8xf16> -> tensor<8xbf16>
// CHECK-NEXT:    %[[B:.+]] = mgraph_kernel.cast %[[Y]] : tensor<8xf32> -> tensor<8xf16>
// CHECK-NEXT:    %[[C:.+]] = mgraph_kernel.cast %[[B]] : tensor<8xf16> -> tensor<8xf32>
// CHECK-NEXT:    return %[[A]], %[[C]]
func.func @compose(%x: tensor<8xf16>, %y: tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xf32>) {
  %0 = mgraph_kernel.cast %x : tensor<8xf16> -> tensor<8xf32>
  %1 = mgraph_kernel.cast %0 : tensor<8xf32> -> tensor<8xbf16>
  %2 = mgraph_kernel.cast %y : tensor<8xf32> -> tensor<8xf16>
  %3 = mgraph_kernel.cast %2 : tensor<8xf16> -> tensor<8xf32>
  return %1, %3 : tensor<8xbf16>, tensor<8xf32>
}

// The matmul takes the transpose from behind the cast.
// CHECK-LABEL: func @transposed_weight
// CHECK-SAME:    %{{.+}}: tensor<4x8xf32>, %[[W:.+]]: tensor<6x8xf16>
// CHECK-NEXT:    %[[WIDE:.+]] = mgraph_kernel.cast %[[W]]
// CHECK-NEXT:    mgraph_kernel.matmul %{{.+}}, %[[WIDE]] transpose_rhs
func.func @transposed_weight(%x: tensor<4x8xf32>, %w: tensor<6x8xf16>) -> tensor<4x6xf32> {
  %0 = mgraph_kernel.transpose %w perm [1, 0] : tensor<6x8xf16> -> tensor<8x6xf16>
  %1 = mgraph_kernel.cast %0 : tensor<8x6xf16> -> tensor<8x6xf32>
  %2 = mgraph_kernel.matmul %x, %1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Equal ops become one.
// CHECK-LABEL: func @merged
// CHECK-NEXT:    %[[E:.+]] = mgraph_kernel.exp
// CHECK-NEXT:    return %[[E]], %[[E]]
func.func @merged(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mgraph_kernel.exp %x : tensor<8xf32> -> tensor<8xf32>
  %1 = mgraph_kernel.exp %x : tensor<8xf32> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
