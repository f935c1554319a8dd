// RUN: mirage-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @transpose_of_transpose
// CHECK-SAME:    %[[X:.+]]: tensor<2x3x4xf32>
func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  // CHECK-NEXT: %[[T:.+]] = mgraph_kernel.transpose %[[X]] perm [2, 0, 1]
  // CHECK-NEXT: return %[[T]]
  %0 = mgraph_kernel.transpose %x perm [1, 2, 0]
      : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = mgraph_kernel.transpose %0 perm [1, 2, 0]
      : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @transpose_and_back
// CHECK-SAME:    %[[X:.+]]: tensor<2x3xf32>
func.func @transpose_and_back(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = mgraph_kernel.transpose %0 perm [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// A permutation of equal sizes keeps the type, but not the elements.
// CHECK-LABEL: func @keeps_square_transpose
func.func @keeps_square_transpose(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: mgraph_kernel.transpose
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func @reshape_of_reshape
// CHECK-SAME:    %[[X:.+]]: tensor<2x6xf32>
func.func @reshape_of_reshape(%x: tensor<2x6xf32>) -> (tensor<4x3xf32>, tensor<2x6xf32>) {
  // CHECK-NEXT: %[[R:.+]] = mgraph_kernel.reshape %[[X]] : tensor<2x6xf32> -> tensor<4x3xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = mgraph_kernel.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %1 = mgraph_kernel.reshape %0 : tensor<12xf32> -> tensor<4x3xf32>
  %2 = mgraph_kernel.reshape %0 : tensor<12xf32> -> tensor<2x6xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func @no_ops
// CHECK-SAME:    %[[X:.+]]: tensor<2x6xf16>
func.func @no_ops(%x: tensor<2x6xf16>)
    -> (tensor<2x6xf16>, tensor<2x6xf16>, tensor<2x6xf16>, tensor<2x6xf16>) {
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]]
  %0 = mgraph_kernel.cast %x : tensor<2x6xf16> -> tensor<2x6xf16>
  %1 = mgraph_kernel.broadcast %x : tensor<2x6xf16> -> tensor<2x6xf16>
  %one = mgraph_kernel.constant 1.0 : tensor<1x1xf16>
  %2 = mgraph_kernel.mul %x, %one : (tensor<2x6xf16>, tensor<1x1xf16>) -> tensor<2x6xf16>
  %3 = mgraph_kernel.div %x, %one : (tensor<2x6xf16>, tensor<1x1xf16>) -> tensor<2x6xf16>
  return %0, %1, %2, %3
      : tensor<2x6xf16>, tensor<2x6xf16>, tensor<2x6xf16>, tensor<2x6xf16>
}

// A cast there and back rounds; a product with 1 that broadcasts is no no-op;
// an extent of 1 is a symbol.
// CHECK-LABEL: func @keeps
func.func @keeps(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x6xf32>, tensor<2x1xf32>) {
  // CHECK: mgraph_kernel.cast
  // CHECK: mgraph_kernel.cast
  // CHECK: mgraph_kernel.mul
  // CHECK: mgraph_kernel.mul
  %0 = mgraph_kernel.cast %x : tensor<2x1xf32> -> tensor<2x1xf16>
  %1 = mgraph_kernel.cast %0 : tensor<2x1xf16> -> tensor<2x1xf32>
  %ones = mgraph_kernel.constant 1.0 : tensor<1x6xf32>
  %2 = mgraph_kernel.mul %x, %ones : (tensor<2x1xf32>, tensor<1x6xf32>) -> tensor<2x6xf32>
  %extent = mgraph_kernel.constant extent 1 : tensor<1x1xf32>
  %3 = mgraph_kernel.mul %x, %extent : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  return %1, %2, %3 : tensor<2x1xf32>, tensor<2x6xf32>, tensor<2x1xf32>
}

// CHECK-LABEL: func @transposed_rhs
// CHECK-SAME:    %[[X:.+]]: tensor<16x64xf16>, %[[W:.+]]: tensor<32x64xf16>
func.func @transposed_rhs(%x: tensor<16x64xf16>, %w: tensor<32x64xf16>) -> tensor<16x32xf16> {
  // CHECK-NEXT: %[[P:.+]] = mgraph_kernel.matmul %[[X]], %[[W]] transpose_rhs
  // CHECK-NEXT: return %[[P]]
  %0 = mgraph_kernel.transpose %w perm [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
  %1 = mgraph_kernel.matmul %x, %0
      : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf16>
  return %1 : tensor<16x32xf16>
}

// CHECK-LABEL: func @transposed_twice
// CHECK-SAME:    %[[X:.+]]: tensor<5x16x64xf16>, %[[W:.+]]: tensor<5x64x32xf16>
func.func @transposed_twice(%x: tensor<5x16x64xf16>, %w: tensor<5x64x32xf16>) -> tensor<5x16x32xf16> {
  // CHECK-NEXT: mgraph_kernel.matmul %[[X]], %[[W]] :
  %0 = mgraph_kernel.transpose %w perm [0, 2, 1]
      : tensor<5x64x32xf16> -> tensor<5x32x64xf16>
  %1 = mgraph_kernel.matmul %x, %0 transpose_rhs
      : (tensor<5x16x64xf16>, tensor<5x32x64xf16>) -> tensor<5x16x32xf16>
  return %1 : tensor<5x16x32xf16>
}

// The batch dim moves too, which transpose_rhs cannot say.
// CHECK-LABEL: func @keeps_batch_transpose
func.func @keeps_batch_transpose(%x: tensor<5x16x64xf16>, %w: tensor<32x64x5xf16>) -> tensor<5x16x32xf16> {
  // CHECK-NEXT: mgraph_kernel.transpose
  // CHECK-NEXT: mgraph_kernel.matmul %{{.+}}, %{{.+}} :
  %0 = mgraph_kernel.transpose %w perm [2, 1, 0]
      : tensor<32x64x5xf16> -> tensor<5x64x32xf16>
  %1 = mgraph_kernel.matmul %x, %0
      : (tensor<5x16x64xf16>, tensor<5x64x32xf16>) -> tensor<5x16x32xf16>
  return %1 : tensor<5x16x32xf16>
}
