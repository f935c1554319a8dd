// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#keep = affine_map<(d0, d1) -> (d0, 0)>
#rows = affine_map<(d0, d1) -> (d0)>
#cols = affine_map<(d0, d1) -> (d1)>

// What is summed is any expression.
// CHECK-LABEL: func @sum_of_squares
// CHECK:         %[[SQ:.+]] = mgraph_kernel.square
// CHECK:         mgraph_kernel.reduce sum %[[SQ]] dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    return
func.func @sum_of_squares(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %f = arith.constant dense<0.0> : tensor<4x1xf32>
  %0 = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// Summing starts elsewhere than at 0.
// CHECK-LABEL: func @sum_from_a_tensor
// CHECK-SAME:    %[[X:.+]]: tensor<4x8xf32>, %[[Y:.+]]: tensor<8xf32>
// CHECK:         %[[S:.+]] = mgraph_kernel.reduce sum %[[X]] dims [0] : tensor<4x8xf32> -> tensor<1x8xf32>
// CHECK:         %[[R:.+]] = mgraph_kernel.reshape %[[S]]
// CHECK:         mgraph_kernel.add %[[R]], %[[Y]]
func.func @sum_from_a_tensor(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #cols], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The index of the maximum has no user.
// CHECK-LABEL: func @max_with_dead_index
// CHECK:         mgraph_kernel.reduce max %{{.+}} dims [1]
// CHECK-NOT:     linalg
// CHECK:         return
func.func @max_with_dead_index(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %f = arith.constant dense<0xFF800000> : tensor<4xf32>
  %i = arith.constant dense<0> : tensor<4xi64>
  %0:2 = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %o: f32, %n: i64):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.maximumf %a, %o : f32
    %4 = arith.cmpf ogt, %a, %o : f32
    %5 = arith.select %4, %2, %n : i64
    linalg.yield %3, %5 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %0#0 : tensor<4xf32>
}

// CHECK-LABEL: func @min
// CHECK:         %[[N:.+]] = mgraph_kernel.neg
// CHECK:         %[[M:.+]] = mgraph_kernel.reduce max %[[N]]
// CHECK:         mgraph_kernel.neg %[[M]]
func.func @min(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %f = arith.constant dense<0x7F800000> : tensor<4xf32>
  %0 = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
    (%a: f32, %o: f32) {
      %1 = arith.minimumf %a, %o : f32
      linalg.yield %1 : f32
    }
  return %0 : tensor<4xf32>
}

// All bits are set if no bit is not.
// CHECK-LABEL: func @all
// CHECK:         %[[UNSET:.+]] = mgraph_kernel.select %{{.+}}, %[[ZERO:.+]], %{{.+}} : {{.*}} -> tensor<4x8xf32>
// CHECK:         %[[MAX:.+]] = mgraph_kernel.reduce max %[[UNSET]] dims [1]
// CHECK:         mgraph_kernel.compare eq %[[MAX]], %[[ZERO]]
func.func @all(%x: tensor<4x8xi1>) -> tensor<4x1xi1> {
  %f = arith.constant dense<true> : tensor<4x1xi1>
  %0 = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi1>) outs(%f : tensor<4x1xi1>) {
  ^bb0(%a: i1, %o: i1):
    %1 = arith.andi %a, %o : i1
    linalg.yield %1 : i1
  } -> tensor<4x1xi1>
  return %0 : tensor<4x1xi1>
}

// A mean names its extent; a third of a sum of 8 does not.
// CHECK-LABEL: func @mean
// CHECK-DAG:     %[[N:.+]] = mgraph_kernel.constant inv_extent 8
// CHECK-DAG:     %[[THREE:.+]] = mgraph_kernel.constant 3.0
// CHECK:         %[[S:.+]] = mgraph_kernel.reduce sum
// CHECK:         mgraph_kernel.mul %[[S]], %[[N]]
// CHECK:         mgraph_kernel.div %[[S]], %[[THREE]]
func.func @mean(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %eight = mgraph_kernel.constant 8.0 : tensor<1x1xf32>
  %three = mgraph_kernel.constant 3.0 : tensor<1x1xf32>
  %s = mgraph_kernel.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %0 = mgraph_kernel.div %s, %eight : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %1 = mgraph_kernel.div %s, %three : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// In f16 the share of a large extent is 0, and the extent is infinite.
// CHECK-LABEL: func @shares_of_nothing
// CHECK-NOT:     inv_extent
// CHECK:         mgraph_kernel.mul
// CHECK:         mgraph_kernel.div
func.func @shares_of_nothing(%x: tensor<1x67108864xf16>) -> (tensor<1x1xf16>, tensor<1x1xf16>) {
  %zero = mgraph_kernel.constant 0.0 : tensor<1x1xf16>
  %much = mgraph_kernel.constant 1.0e+06 : tensor<1x1xf16>
  %s = mgraph_kernel.reduce sum %x dims [1] : tensor<1x67108864xf16> -> tensor<1x1xf16>
  %0 = mgraph_kernel.mul %s, %zero : (tensor<1x1xf16>, tensor<1x1xf16>) -> tensor<1x1xf16>
  %1 = mgraph_kernel.div %s, %much : (tensor<1x1xf16>, tensor<1x1xf16>) -> tensor<1x1xf16>
  return %0, %1 : tensor<1x1xf16>, tensor<1x1xf16>
}

// The maximum divided by the extent is no mean.
// CHECK-LABEL: func @max_over_extent
// CHECK-NOT:     inv_extent
// CHECK:         mgraph_kernel.div
func.func @max_over_extent(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %eight = mgraph_kernel.constant 8.0 : tensor<1x1xf32>
  %m = mgraph_kernel.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %0 = mgraph_kernel.div %m, %eight : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: func @attention_scale
// CHECK:         %[[D:.+]] = mgraph_kernel.constant rsqrt_extent 12
// CHECK:         %[[P:.+]] = mgraph_kernel.matmul
// CHECK:         mgraph_kernel.mul %[[P]], %[[D]]
func.func @attention_scale(%q: tensor<4x12xf32>, %k: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %c = mgraph_kernel.constant 3.4641016151377544 : tensor<1x1xf32>
  %p = mgraph_kernel.matmul %q, %k : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
  %0 = mgraph_kernel.div %p, %c : (tensor<4x8xf32>, tensor<1x1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
