// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0, 0)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#none = affine_map<(d0, d1) -> ()>

// A dropped leading dim becomes one of size 1, one pinned to 0 is one already.
// CHECK-LABEL: func @broadcasts
// CHECK-SAME:    %[[X:.+]]: tensor<4x8xf32>, %[[R:.+]]: tensor<8xf32>, %[[C:.+]]: tensor<4x1xf32>
func.func @broadcasts(%x: tensor<4x8xf32>, %r: tensor<8xf32>, %c: tensor<4x1xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[ROW:.+]] = mgraph_kernel.reshape %[[R]] : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK: %[[SUM:.+]] = mgraph_kernel.add %[[X]], %[[ROW]]
  // CHECK: %[[OUT:.+]] = mgraph_kernel.mul %[[SUM]], %[[C]]
  // CHECK: return %[[OUT]]
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %c : tensor<4x8xf32>, tensor<8xf32>, tensor<4x1xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.mulf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A value of one dim as the whole result needs a broadcast.
// CHECK-LABEL: func @copy
// CHECK:         %[[ROW:.+]] = mgraph_kernel.reshape %{{.+}} : tensor<8xf32> -> tensor<1x8xf32>
// CHECK:         mgraph_kernel.broadcast %[[ROW]] : tensor<1x8xf32> -> tensor<4x8xf32>
func.func @copy(%r: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @permuted_input_and_output
// CHECK-SAME:    %[[X:.+]]: tensor<8x4xf32>
// CHECK:         %[[T:.+]] = mgraph_kernel.transpose %[[X]] perm [1, 0]
// CHECK:         %[[E:.+]] = mgraph_kernel.exp %[[T]] : tensor<4x8xf32>
// CHECK:         mgraph_kernel.transpose %[[E]] perm [1, 0]
func.func @permuted_input_and_output(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [#swap, #swap], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A literal that the body rounds keeps its digits: the constant rounds it.
// CHECK-LABEL: func @captured_constant
// CHECK:         %[[C:.+]] = mgraph_kernel.constant 1.0e-05 : tensor<1x1xf32>
// CHECK:         mgraph_kernel.add %{{.+}}, %[[C]]
func.func @captured_constant(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %eps = arith.constant 1.0e-05 : f64
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.truncf %eps : f64 to f32
    %2 = arith.addf %a, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The value is 0.1 rounded to f16, also where it is used in f32.
// CHECK-LABEL: func @widened_constant
// CHECK:         mgraph_kernel.constant 0.0999755859375 : tensor<1x1xf32>
func.func @widened_constant(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = arith.constant 1.0e-01 : f64
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.truncf %c : f64 to f16
    %2 = arith.extf %1 : f16 to f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A mask of positions is computed in f32.
// CHECK-LABEL: func @mask
// CHECK:         %[[J:.+]] = mgraph_kernel.iota dim 1 : tensor<1x8xf32>
// CHECK:         %[[I:.+]] = mgraph_kernel.iota dim 0 : tensor<4x1xf32>
// CHECK:         %[[D:.+]] = mgraph_kernel.sub %[[J]], %[[I]]
// CHECK:         mgraph_kernel.compare le %[[D]], %{{.+}} -> tensor<4x8xi1>
func.func @mask() -> tensor<4x8xi1> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<4x8xi1>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x8xi1>) {
  ^bb0(%o: i1):
    %j = linalg.index 1 : index
    %i = linalg.index 0 : index
    %jj = arith.index_cast %j : index to i64
    %ii = arith.index_cast %i : index to i64
    %d = arith.subi %jj, %ii : i64
    %1 = arith.cmpi sle, %d, %zero : i64
    linalg.yield %1 : i1
  } -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// A comparison that holds for NaN is the negation of its opposite.
// CHECK-LABEL: func @unordered
// CHECK:         %[[LE:.+]] = mgraph_kernel.compare le
// CHECK:         mgraph_kernel.select %[[LE]], %[[NO:.+]], %[[YES:.+]] :
func.func @unordered(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %e = tensor.empty() : tensor<4x8xi1>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xi1>) {
  ^bb0(%a: f32, %b: f32, %o: i1):
    %1 = arith.cmpf ugt, %a, %b : f32
    linalg.yield %1 : i1
  } -> tensor<4x8xi1>
  return %0 : tensor<4x8xi1>
}

// Two inputs that are one value read alike are one: x * x.
// CHECK-LABEL: func @same_input_twice
// CHECK:         mgraph_kernel.square
func.func @same_input_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.mul ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// An op inside of control flow is raised too; its constants stand outside.
// CHECK-LABEL: func @inside_loop
// CHECK:         scf.for
// CHECK:           mgraph_kernel.exp
func.func @inside_loop(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> tensor<4x8xf32> {
    %1 = linalg.exp ins(%v : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
