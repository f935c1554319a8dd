// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel | FileCheck %s

// CHECK-LABEL: func @reshapes
// CHECK:         mgraph_kernel.reshape %{{.+}} : tensor<4x8xf32> -> tensor<2x16xf32>
// CHECK-NEXT:    return
func.func @reshapes(%x: tensor<4x8xf32>) -> tensor<2x16xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}

// A slice that drops a dim.
// CHECK-LABEL: func @slice
// CHECK:         %[[S:.+]] = mgraph_kernel.slice %{{.+}} offsets [1, 0] sizes [1, 4] strides [1, 2]
// CHECK:         mgraph_kernel.reshape %[[S]] : tensor<1x4xf32> -> tensor<4xf32>
func.func @slice(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = tensor.extract_slice %x[1, 0] [1, 4] [1, 2] : tensor<4x8xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The parts' sizes are hidden by casts.
// CHECK-LABEL: func @concat
// CHECK-SAME:    %[[X:.+]]: tensor<4x8xf32>, %[[Y:.+]]: tensor<4x2xf32>
// CHECK-NEXT:    mgraph_kernel.concat %[[Y]], %[[X]] dim 1
// CHECK-NEXT:    return
func.func @concat(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>) -> tensor<4x10xf32> {
  %0 = tensor.cast %x : tensor<4x8xf32> to tensor<4x?xf32>
  %1 = tensor.cast %y : tensor<4x2xf32> to tensor<4x?xf32>
  %2 = tensor.concat dim(1) %1, %0 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x10xf32>
  return %2 : tensor<4x10xf32>
}

// CHECK-LABEL: func @pad
// CHECK:         %[[LO:.+]] = mgraph_kernel.constant neg_inf : tensor<4x1xf32>
// CHECK:         %[[HI:.+]] = mgraph_kernel.constant neg_inf : tensor<4x2xf32>
// CHECK:         mgraph_kernel.concat %[[LO]], %{{.+}}, %[[HI]] dim 1
func.func @pad(%x: tensor<4x8xf32>) -> tensor<4x11xf32> {
  %c = arith.constant 0xFF800000 : f32
  %0 = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x8xf32> to tensor<4x11xf32>
  return %0 : tensor<4x11xf32>
}

// A splat that a raised op reads, or that is a result, is a constant.
// CHECK-LABEL: func @constants
// CHECK:         %[[ONE:.+]] = mgraph_kernel.constant 1.0 : tensor<8x2xf32>
// CHECK:         mgraph_kernel.concat %{{.+}}, %[[ONE]] dim 1
func.func @constants(%x: tensor<8x2xf32>) -> (tensor<8x4xf32>, tensor<8x2xf32>) {
  %ones = arith.constant dense<1.0> : tensor<8x2xf32>
  %0 = tensor.concat dim(1) %x, %ones : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  return %0, %ones : tensor<8x4xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: func @transpose
// CHECK:         mgraph_kernel.transpose %{{.+}} perm [1, 2, 0]
func.func @transpose(%x: tensor<2x3x4xf16>) -> tensor<3x4x2xf16> {
  %e = tensor.empty() : tensor<3x4x2xf16>
  %0 = linalg.transpose ins(%x : tensor<2x3x4xf16>) outs(%e : tensor<3x4x2xf16>) permutation = [1, 2, 0]
  return %0 : tensor<3x4x2xf16>
}

// CHECK-LABEL: func @softmax
// CHECK:         mgraph_kernel.softmax %{{.+}} dim 1
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
