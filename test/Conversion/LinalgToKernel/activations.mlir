// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @sigmoid
// CHECK-NEXT:    mgraph_kernel.sigmoid
// CHECK-NEXT:    return
func.func @sigmoid(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %one, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// 2 / (1 + exp(-x)) is none.
// CHECK-LABEL: func @twice_a_sigmoid
// CHECK-NOT:     sigmoid
// CHECK:         mgraph_kernel.div
func.func @twice_a_sigmoid(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %two, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The sigmoid of another value is no silu.
// CHECK-LABEL: func @gate_of_another
// CHECK:         mgraph_kernel.sigmoid
// CHECK:         mgraph_kernel.mul
func.func @gate_of_another(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mgraph_kernel.sigmoid %x : tensor<8xf32> -> tensor<8xf32>
  %1 = mgraph_kernel.mul %0, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func @relu
// CHECK-NEXT:    mgraph_kernel.relu
func.func @relu(%x: tensor<8xf16>) -> tensor<8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf16>) outs(%e : tensor<8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.cmpf ugt, %a, %zero : f16
    %2 = arith.select %1, %a, %zero : f16
    linalg.yield %2 : f16
  } -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// The smaller of x and 0 is none.
// CHECK-LABEL: func @negative_part
// CHECK-NOT:     relu
// CHECK:         mgraph_kernel.min
func.func @negative_part(%x: tensor<8xf16>) -> tensor<8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf16>) outs(%e : tensor<8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.cmpf ugt, %a, %zero : f16
    %2 = arith.select %1, %zero, %a : f16
    linalg.yield %2 : f16
  } -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// CHECK-LABEL: func @clamp
// CHECK-NEXT:    mgraph_kernel.clamp %{{.+}} lo -1.0 hi 2.0
func.func @clamp(%x: tensor<8xf32>) -> tensor<8xf32> {
  %lo = arith.constant -1.0 : f32
  %hi = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %a, %lo : f32
    %2 = arith.minimumf %1, %hi : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// With lo > hi the order of the two matters, and a clamp has none.
// CHECK-LABEL: func @empty_interval
// CHECK-NOT:     clamp
// CHECK:         mgraph_kernel.min
func.func @empty_interval(%x: tensor<8xf32>) -> tensor<8xf32> {
  %lo = arith.constant 3.0 : f32
  %hi = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %a, %lo : f32
    %2 = arith.minimumf %1, %hi : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A factor that is not 1/sqrt(2) makes another function than gelu.
// CHECK-LABEL: func @no_gelu
// CHECK-NOT:     gelu
// CHECK:         mgraph_kernel.erf
func.func @no_gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 0.7 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %c : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %3, %half : f32
    %5 = arith.mulf %a, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// So does a divisor that is not sqrt(2).
// CHECK-LABEL: func @no_gelu_by_division
// CHECK-NOT:     gelu
// CHECK:         mgraph_kernel.erf
func.func @no_gelu_by_division(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant 1.4 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.divf %a, %c : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %3, %half : f32
    %5 = arith.mulf %a, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
