// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel | FileCheck %s

// The cast pair around the product is absorbed.
// CHECK-LABEL: func @rounded
// CHECK-NEXT:    mgraph_kernel.matmul %{{.+}}, %{{.+}} : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
// CHECK-NEXT:    return
func.func @rounded(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x6xf16>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %h = tensor.empty() : tensor<4x6xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x6xf32>) outs(%h : tensor<4x6xf16>) {
  ^bb0(%a: f32, %o: f16):
    %2 = arith.truncf %a : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<4x6xf16>
  return %1 : tensor<4x6xf16>
}

// A product that stays in f32 is one of casts.
// CHECK-LABEL: func @kept
// CHECK:         mgraph_kernel.matmul %{{.+}}, %{{.+}} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
func.func @kept(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>) -> tensor<4x6xf32> {
  %f = arith.constant dense<0.0> : tensor<4x6xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x6xf16>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// What the product is added to is kept.
// CHECK-LABEL: func @accumulates
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<4x6xf32>)
// CHECK:         %[[P:.+]] = mgraph_kernel.matmul
// CHECK:         mgraph_kernel.add %[[P]], %[[C]]
func.func @accumulates(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @transposed_rhs
// CHECK-SAME:    %[[X:.+]]: tensor<4x8xf32>, %[[W:.+]]: tensor<6x8xf32>
// CHECK:         mgraph_kernel.matmul %[[X]], %[[W]] transpose_rhs
func.func @transposed_rhs(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  %f = arith.constant dense<0.0> : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<6x8xf32>) outs(%f : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Two inner loops are one extent, a lone vector is a matrix of one column.
// CHECK-LABEL: func @two_inner_loops
// CHECK:         mgraph_kernel.reshape %{{.+}} : tensor<4x2x3xf32> -> tensor<4x6xf32>
// CHECK:         mgraph_kernel.matmul %{{.+}} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
func.func @two_inner_loops(%x: tensor<4x2x3xf32>, %w: tensor<2x3x5xf32>) -> tensor<4x5xf32> {
  %f = arith.constant dense<0.0> : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>,
      affine_map<(m, n, k, l) -> (k, l, n)>, affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x3xf32>, tensor<2x3x5xf32>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Columns first is the order of transpose_rhs: nothing moves.
// CHECK-LABEL: func @two_inner_loops_transposed
// CHECK-NOT:     mgraph_kernel.transpose
// CHECK:         mgraph_kernel.matmul %{{.+}} transpose_rhs : (tensor<4x6xf32>, tensor<5x6xf32>)
func.func @two_inner_loops_transposed(%x: tensor<4x2x3xf32>, %w: tensor<5x2x3xf32>) -> tensor<4x5xf32> {
  %f = arith.constant dense<0.0> : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>,
      affine_map<(m, n, k, l) -> (n, k, l)>, affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x3xf32>, tensor<5x2x3xf32>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A weighted sum in a generic is a product and a sum, which fuse with others.
// CHECK-LABEL: func @weighted_sum
// CHECK-NOT:     matmul
// CHECK:         mgraph_kernel.mul
// CHECK:         mgraph_kernel.reduce sum
func.func @weighted_sum(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4xf32> {
  %f = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %g : tensor<4x8xf32>, tensor<8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @matvec
// CHECK:         mgraph_kernel.matmul %{{.+}} : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
// CHECK:         mgraph_kernel.reshape %{{.+}} : tensor<4x1xf32> -> tensor<4xf32>
func.func @matvec(%x: tensor<4x8xf32>, %v: tensor<8xf32>) -> tensor<4xf32> {
  %f = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.matvec ins(%x, %v : tensor<4x8xf32>, tensor<8xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
