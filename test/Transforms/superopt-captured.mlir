// RUN: mirage-opt %s --mirage-superopt="seed=1" 2>/dev/null | FileCheck %s

// The generic reads %a in its region, so it must stay between what makes %a and
// whatever comes after.
// CHECK-LABEL: func.func @captured
// CHECK: %[[A:.+]] = mgraph_kernel.
// CHECK: linalg.generic
// CHECK: tensor.extract %[[A]]
// CHECK: return
#map = affine_map<(d0) -> (d0)>
func.func @captured(%x: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %a = mgraph_kernel.exp %x : tensor<4096xf32> -> tensor<4096xf32>
  %e = tensor.empty() : tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<4096xf32>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %c = arith.constant 4095 : index
      %j = arith.subi %c, %i : index
      %v = tensor.extract %a[%j] : tensor<4096xf32>
      linalg.yield %v : f32
  } -> tensor<4096xf32>
  %b = mgraph_kernel.square %a : tensor<4096xf32> -> tensor<4096xf32>
  return %g, %b : tensor<4096xf32>, tensor<4096xf32>
}
