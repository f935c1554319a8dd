// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel -verify-diagnostics -split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func @dynamic
// CHECK:         linalg.exp
func.func @dynamic(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @below {{not raised to mgraph_kernel: expected static shapes, but got tensor<?x8xf32>}}
  %0 = linalg.exp ins(%x : tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @element_type(%x: tensor<4x8xf8E4M3FN>) -> tensor<4x8xf8E4M3FN> {
  // expected-remark @below {{element type f16, bf16, f32, i1, i32 or i64, but got tensor<4x8xf8E4M3FN>}}
  %0 = linalg.copy ins(%x : tensor<4x8xf8E4M3FN>) outs(%x : tensor<4x8xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
  return %0 : tensor<4x8xf8E4M3FN>
}

// -----

func.func @f64(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  // expected-remark @below {{expected f64 only between casts from and to a narrower type, but got tensor<4x8xf64>}}
  %0 = linalg.exp ins(%x : tensor<4x8xf64>) outs(%x : tensor<4x8xf64>) -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// -----

func.func @rank(%x: tensor<1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x2xf32> {
  // expected-remark @below {{expected rank at most 6}}
  %0 = linalg.exp ins(%x : tensor<1x1x1x1x1x1x2xf32>) outs(%x : tensor<1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x2xf32>
  return %0 : tensor<1x1x1x1x1x1x2xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// What stands around the op is raised all the same.
// CHECK-LABEL: func @unknown_function
// CHECK:         mgraph_kernel.exp
// CHECK:         linalg.generic
// CHECK:         mgraph_kernel.exp
func.func @unknown_function(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.exp ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @below {{expected ops of mgraph_kernel's table, but got 'math.sin'}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = math.sin %a : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  %3 = linalg.exp ins(%1 : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @reads_its_output(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{expected outputs that are only written, but got output 0 that is read}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @diagonal(%x: tensor<8x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{expected an indexing map with distinct loops, but got (d0) -> (d0, d0)}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @first_column(%x: tensor<8x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{expected an indexing map of loops, and of 0 in dims of size 1, but got (d0) -> (d0, 0)}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, 0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @product(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %f = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @below {{expected a reduction by sum, maximum, minimum, and or or, but got the result of 'arith.mulf' of type f32}}
  %0 = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
    (%a: f32, %o: f32) {
      %1 = arith.mulf %a, %o : f32
      linalg.yield %1 : f32
    }
  return %0 : tensor<4xf32>
}

// -----

func.func @integers(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-remark @below {{expected floats, or integers that stem from positions below 2^24, but got integers of unknown range}}
  %0 = linalg.add ins(%x, %y : tensor<4x8xi32>, tensor<4x8xi32>) outs(%x : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Positions of 2^24 and more are not exact in f32.
func.func @long_positions() -> tensor<20000000xi1> {
  %c = arith.constant 5 : i64
  %e = tensor.empty() : tensor<20000000xi1>
  // expected-remark @below {{expected floats, or integers that stem from positions below 2^24, but got integers of up to 19999999}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<20000000xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %1 = arith.cmpi slt, %j, %c : i64
    linalg.yield %1 : i1
  } -> tensor<20000000xi1>
  return %0 : tensor<20000000xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @captured_scalar(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  // expected-remark @below {{expected a body that computes with its inputs and with finite constants, but got an argument of type f32}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @dynamic_slice(%x: tensor<4x8xf32>, %i: index) -> tensor<4x2xf32> {
  // expected-remark @below {{expected constant offsets, sizes and strides, but got a value}}
  %0 = tensor.extract_slice %x[0, %i] [4, 2] [1, 1] : tensor<4x8xf32> to tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @unknown_op(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{expected an op that mgraph_kernel has a form of, but got 'tosa.floor'}}
  %0 = tosa.floor %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// f64 between casts is computed in f32.
// CHECK-LABEL: func @narrowed
// CHECK-NEXT:    %[[E:.+]] = mgraph_kernel.exp %{{.+}} : tensor<8xf32>
// CHECK-NEXT:    return %[[E]]
func.func @narrowed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf64>
  // expected-remark @below {{computed in f32: f64 lies between casts from and to a narrower type}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf64>) {
  ^bb0(%a: f32, %o: f64):
    %1 = arith.extf %a : f32 to f64
    linalg.yield %1 : f64
  } -> tensor<8xf64>
  %2 = linalg.exp ins(%0 : tensor<8xf64>) outs(%e : tensor<8xf64>) -> tensor<8xf64>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%2 : tensor<8xf64>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f64, %o: f32):
    %4 = arith.truncf %a : f64 to f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A value in f64 that leaves the function cannot be narrowed.
// CHECK-LABEL: func @f64_result
// CHECK-NOT:     mgraph_kernel
// CHECK:         linalg.exp
func.func @f64_result(%x: tensor<8xf32>) -> tensor<8xf64> {
  %e = tensor.empty() : tensor<8xf64>
  // expected-remark @below {{expected f64 only between casts}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf64>) {
  ^bb0(%a: f32, %o: f64):
    %1 = arith.extf %a : f32 to f64
    linalg.yield %1 : f64
  } -> tensor<8xf64>
  // expected-remark @below {{expected f64 only between casts}}
  %2 = linalg.exp ins(%0 : tensor<8xf64>) outs(%e : tensor<8xf64>) -> tensor<8xf64>
  return %2 : tensor<8xf64>
}

// -----

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @assertion
// CHECK-NEXT:    mgraph_kernel.reciprocal
func.func @assertion(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.cmpf one, %a, %zero : f32
    // expected-remark @below {{assertion about elements is not kept}}
    cf.assert %1, "zero"
    %2 = arith.divf %one, %a : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A fill with a value that is not known stays, and the matmul reads it.
// CHECK-LABEL: func @unknown_fill
// CHECK:         %[[F:.+]] = linalg.fill
// CHECK:         mgraph_kernel.add %{{.+}}, %[[F]]
func.func @unknown_fill(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %s: f32) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  // expected-remark @below {{expected a fill of at most 1099511627776 elements with a finite constant, but got tensor<4x6xf32> of an argument of type f32}}
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @fill_beyond_memory() -> tensor<2097152x1048576xf16> {
  %k = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2097152x1048576xf16>
  // expected-remark @below {{expected a fill of at most 1099511627776 elements with a finite constant, but got tensor<2097152x1048576xf16> of}}
  %z = linalg.fill ins(%k : f16) outs(%e : tensor<2097152x1048576xf16>) -> tensor<2097152x1048576xf16>
  return %z : tensor<2097152x1048576xf16>
}
