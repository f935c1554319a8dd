// One thread for each element, found by strides; constants are computed in
// place.
// RUN: mirage-opt %s -convert-mgraph-to-thread | FileCheck %s

// The space is 7 x 13, one stride list for each tensor. The row repeats along
// dim 0.
// CHECK-LABEL: mgraph_thread.kernel @add_row_0 grid [1, 1, 1] cluster [1, 1, 1] threads 96
// CHECK:      %[[X:.+]] = load_indexed %{{.+}} space [7, 13] strides [13, 1]
// CHECK-NEXT: %[[Y:.+]] = load_indexed %{{.+}} space [7, 13] strides [0, 1]
// CHECK-NEXT: %[[S:.+]] = map "add"(%[[X]], %[[Y]])
// CHECK-NEXT: store_indexed %[[S]] to %{{.+}} space [7, 13] strides [13, 1]
func.func @add_row(%x: tensor<7x13xf32>, %y: tensor<1x13xf32>) -> tensor<7x13xf32> {
  %0 = mgraph_kernel.add %x, %y : (tensor<7x13xf32>, tensor<1x13xf32>) -> tensor<7x13xf32>
  return %0 : tensor<7x13xf32>
}

// Dims that every tensor steps through alike become one; eight f16 move at once
// where there is work for all.
// CHECK-LABEL: mgraph_thread.kernel @flat_0 grid [1024, 1, 1]
// CHECK: load_indexed %{{.+}} space [1048576] strides [1]
// CHECK-SAME: vec = 8
func.func @flat(%x: tensor<4x256x1024xf16>) -> tensor<4x256x1024xf16> {
  %0 = mgraph_kernel.exp %x : tensor<4x256x1024xf16> -> tensor<4x256x1024xf16>
  return %0 : tensor<4x256x1024xf16>
}

// No kernel writes the constant; it is rounded as its tensor would be.
// CHECK-LABEL: mgraph_thread.kernel @scale_0
// CHECK-SAME: inputs 1
// CHECK: %[[C:.+]] = splat 1.000000e-01
// CHECK: %[[R:.+]] = map "cast"(%[[C]])
// CHECK: map "mul"(%{{.+}}, %[[R]])
// CHECK-NOT: mgraph_thread.kernel @scale_1
// CHECK: func.func @scale
func.func @scale(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %c = mgraph_kernel.constant 0.1 : tensor<1x1xf16>
  %b = mgraph_kernel.broadcast %c : tensor<1x1xf16> -> tensor<4x8xf16>
  %0 = mgraph_kernel.mul %x, %b : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// An iota is an index of the space, never merged with its neighbours.
// CHECK-LABEL: mgraph_thread.kernel @mask_0
// CHECK: iota_indexed space [3, 4, 5] dim 1
// CHECK: iota_indexed space [3, 4, 5] dim 2
// CHECK: map "compare"
// CHECK-SAME: predicate = 5
// CHECK-SAME: 64, i1,
func.func @mask(%x: tensor<3x4x5xf32>) -> tensor<3x4x5xi1> {
  %0 = mgraph_kernel.iota dim 1 : tensor<3x4x5xf32>
  %1 = mgraph_kernel.iota dim 2 : tensor<1x1x5xf32>
  %2 = mgraph_kernel.compare ge %0, %1 : (tensor<3x4x5xf32>, tensor<1x1x5xf32>) -> tensor<3x4x5xi1>
  return %2 : tensor<3x4x5xi1>
}
