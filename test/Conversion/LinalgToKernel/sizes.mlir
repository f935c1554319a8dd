// Sizes beyond what a program may hold are refused before anything is built, also
// where only the loops together are too many.
// RUN: mirage-opt %s --convert-linalg-to-mgraph-kernel -verify-diagnostics -split-input-file

func.func @operand(%x: tensor<1x4611686018427387904xf16>, %z: tensor<1xf16>) -> tensor<1xf16> {
  // expected-remark @below {{expected at most 1099511627776 elements, but got 1x4611686018427387904xf16}}
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<1x4611686018427387904xf16>) outs(%z : tensor<1xf16>) dimensions = [1]
  return %0 : tensor<1xf16>
}

// -----

#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

func.func @loops(%x: tensor<1073741824xf32>, %y: tensor<1073741824xf32>, %z: tensor<1073741824xf32>) -> tensor<1073741824xf32> {
  // expected-remark @below {{the loops together: expected at most 1099511627776 elements, but got 1073741824x1073741824xf32}}
  %0 = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<1073741824xf32>, tensor<1073741824xf32>) outs(%z : tensor<1073741824xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.maximumf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<1073741824xf32>
  return %0 : tensor<1073741824xf32>
}
