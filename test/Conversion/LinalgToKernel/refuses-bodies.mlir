// Bodies, loops and operands that have no counterpart: each reason names what was
// found.
// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel -verify-diagnostics -split-input-file

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The result that nobody reads has a size that is not known.
func.func @dynamic_loop(%x: tensor<8xf32>, %y: tensor<8x?xf32>) -> tensor<8xf32> {
  // expected-remark @below {{expected static loops, but got a dynamic one}}
  %0:2 = linalg.generic {indexing_maps = [#row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%x, %y : tensor<8xf32>, tensor<8x?xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    linalg.yield %a, %a : f32, f32
  } -> (tensor<8xf32>, tensor<8x?xf32>)
  return %0#0 : tensor<8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

func.func @empty_loop(%x: tensor<8xf32>, %y: tensor<8x0xf32>) -> tensor<8xf32> {
  // expected-remark @below {{expected loops of at least 1 iteration, but got 0}}
  %0:2 = linalg.generic {indexing_maps = [#row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%x, %y : tensor<8xf32>, tensor<8x0xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    linalg.yield %a, %a : f32, f32
  } -> (tensor<8xf32>, tensor<8x0xf32>)
  return %0#0 : tensor<8xf32>
}

// -----

func.func @empty(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  // expected-remark @below {{expected rank at most 6, at least one element, and element type f16, bf16, f32, i1, i32 or i64, but got tensor<4x0xf32>}}
  %0 = linalg.exp ins(%x : tensor<4x0xf32>) outs(%x : tensor<4x0xf32>) -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Every iteration of the second loop writes the same element.
func.func @overwritten(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{expected each parallel loop in the output's map, but got one without loop 1}}
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

func.func @scalar_operand(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  // expected-remark @below {{expected ranked tensors, but got f32}}
  %0 = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<8xf32>, f32) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @narrow_body(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{expected element type f16, bf16, f32, i1, i32 or i64, but got the result of 'arith.truncf' of type f8E4M3FN}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.truncf %a : f32 to f8E4M3FN
    %2 = arith.extf %1 : f8E4M3FN to f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @ordered(%x: tensor<8xf32>, %y: tensor<8xi1>) -> tensor<8xi1> {
  // expected-remark @below {{expected a comparison eq, ne, lt, le, gt or ge, but got ord}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xi1>) {
  ^bb0(%a: f32, %o: i1):
    %1 = arith.cmpf ord, %a, %a : f32
    linalg.yield %1 : i1
  } -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @power(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{expected a constant exponent of 'math.fpowi', but got a computed one}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %1 = math.fpowi %a, %j : f32, i32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @unsigned(%y: tensor<8xi1>) -> tensor<8xi1> {
  %c = arith.constant 5 : i64
  // expected-remark @below {{expected a signed comparison, but got ult}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : tensor<8xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %1 = arith.cmpi ult, %j, %c : i64
    linalg.yield %1 : i1
  } -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @two_bits(%x: tensor<8xi1>, %y: tensor<8xi1>) -> tensor<8xi1> {
  // expected-remark @below {{expected bits that are compared with a constant, but got two that are computed}}
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<8xi1>, tensor<8xi1>) outs(%x : tensor<8xi1>) {
  ^bb0(%a: i1, %b: i1, %o: i1):
    %1 = arith.xori %a, %b : i1
    linalg.yield %1 : i1
  } -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @ordered_bits(%x: tensor<8xi1>) -> tensor<8xi1> {
  %true = arith.constant true
  // expected-remark @below {{expected bits that are compared by eq or ne, but got slt}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi1>) outs(%x : tensor<8xi1>) {
  ^bb0(%a: i1, %o: i1):
    %1 = arith.cmpi slt, %a, %true : i1
    linalg.yield %1 : i1
  } -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

func.func @any_from(%x: tensor<4x8xi1>, %y: tensor<4xi1>) -> tensor<4xi1> {
  // expected-remark @below {{expected bits that are reduced from false, but got a start that is no constant}}
  %0 = linalg.reduce ins(%x : tensor<4x8xi1>) outs(%y : tensor<4xi1>) dimensions = [1]
    (%a: i1, %o: i1) {
      %1 = arith.ori %a, %o : i1
      linalg.yield %1 : i1
    }
  return %0 : tensor<4xi1>
}

// -----

func.func @all_from_false(%x: tensor<4x8xi1>) -> tensor<4xi1> {
  %f = arith.constant dense<false> : tensor<4xi1>
  // expected-remark @below {{expected bits that are reduced from true, but got false}}
  %0 = linalg.reduce ins(%x : tensor<4x8xi1>) outs(%f : tensor<4xi1>) dimensions = [1]
    (%a: i1, %o: i1) {
      %1 = arith.andi %a, %o : i1
      linalg.yield %1 : i1
    }
  return %0 : tensor<4xi1>
}

// -----

func.func @padding_value(%x: tensor<4xf32>, %s: f32) -> tensor<6xf32> {
  // expected-remark @below {{expected padding with a finite constant, but got an argument of type f32}}
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %s : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @padding_computed(%x: tensor<4xf32>) -> tensor<6xf32> {
  // expected-remark @below {{expected padding with a finite constant, but got a computed value}}
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    tensor.yield %f : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @padding_size(%x: tensor<4xf32>, %n: index) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{expected constant paddings of at least 0, but got a value}}
  %0 = tensor.pad %x low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @padding_negative(%x: tensor<4xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{expected constant paddings of at least 0, but got -1}}
  %0 = tensor.pad %x low[-1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// The first op in f64 stays, so the second has no operand.
func.func @f64_operand(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf64>
  // expected-remark @below {{expected ops of mgraph_kernel's table, but got 'math.sin'}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf64>) {
  ^bb0(%a: f32, %o: f64):
    %1 = arith.extf %a : f32 to f64
    %2 = math.sin %1 : f64
    linalg.yield %2 : f64
  } -> tensor<8xf64>
  // expected-remark @below {{expected operands in f64 that are raised themselves, but got the result of 'linalg.generic' of type tensor<8xf64>}}
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf64>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f64, %o: f32):
    %4 = arith.truncf %a : f64 to f32
    linalg.yield %4 : f32
  } -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

func.func @slice_backwards(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-remark @below {{expected a slice within dim 0 of size 4, but got offset 3, size 2 and stride -1}}
  %0 = tensor.extract_slice %x[3] [2] [-1] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
