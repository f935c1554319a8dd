// RUN: mirage-opt %s -mgraph-kernel-decompose | FileCheck %s

// CHECK-LABEL: func @rms_norm
// CHECK-SAME:    %[[X:.+]]: tensor<16x64xf32>, %[[G:.+]]: tensor<1x64xf32>
func.func @rms_norm(%x: tensor<16x64xf32>, %g: tensor<1x64xf32>) -> tensor<16x64xf32> {
  // CHECK: %[[SQ:.+]] = mgraph_kernel.square %[[X]]
  // CHECK: %[[SUM:.+]] = mgraph_kernel.reduce sum %[[SQ]] dims [1]
  // CHECK: %[[INV:.+]] = mgraph_kernel.constant inv_extent 64
  // CHECK: %[[MEAN:.+]] = mgraph_kernel.mul %[[SUM]], %[[INV]]
  // CHECK: %[[EPS:.+]] = mgraph_kernel.constant 1.0e-06
  // CHECK: %[[VAR:.+]] = mgraph_kernel.add %[[MEAN]], %[[EPS]]
  // CHECK: %[[SCALE:.+]] = mgraph_kernel.rsqrt %[[VAR]]
  // CHECK: %[[NORM:.+]] = mgraph_kernel.mul %[[X]], %[[SCALE]]
  // CHECK: %[[OUT:.+]] = mgraph_kernel.mul %[[NORM]], %[[G]]
  // CHECK: return %[[OUT]]
  %0 = mgraph_kernel.rms_norm %x scale %g eps 1.0e-6
      : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// CHECK-LABEL: func @layer_norm
// CHECK-SAME:    %[[X:.+]]: tensor<16x64xf32>, %[[B:.+]]: tensor<1x64xf32>
func.func @layer_norm(%x: tensor<16x64xf32>, %b: tensor<1x64xf32>) -> tensor<16x64xf32> {
  // CHECK: %[[C:.+]] = mgraph_kernel.sub %[[X]],
  // CHECK: mgraph_kernel.square %[[C]]
  // CHECK: %[[NORM:.+]] = mgraph_kernel.mul %[[C]],
  // CHECK: %[[OUT:.+]] = mgraph_kernel.add %[[NORM]], %[[B]]
  // CHECK: return %[[OUT]]
  %0 = mgraph_kernel.layer_norm %x bias %b eps 1.0e-5
      : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// CHECK-LABEL: func @softmax
// CHECK-SAME:    %[[X:.+]]: tensor<16x64xf32>
func.func @softmax(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  // CHECK: %[[MAX:.+]] = mgraph_kernel.reduce max %[[X]] dims [1]
  // CHECK: %[[D:.+]] = mgraph_kernel.sub %[[X]], %[[MAX]]
  // CHECK: %[[E:.+]] = mgraph_kernel.exp %[[D]]
  // CHECK: %[[SUM:.+]] = mgraph_kernel.reduce sum %[[E]] dims [1]
  // CHECK: %[[OUT:.+]] = mgraph_kernel.div %[[E]], %[[SUM]]
  // CHECK: return %[[OUT]]
  %0 = mgraph_kernel.softmax %x dim 1 : tensor<16x64xf32> -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// The op beside the composite one is of another dialect and stays.
// CHECK-LABEL: func @mean
func.func @mean(%x: tensor<16x64xf32>) -> tensor<16x1xf32> {
  // CHECK: arith.negf
  // CHECK: mgraph_kernel.reduce sum
  // CHECK: mgraph_kernel.constant inv_extent 64
  // CHECK-NOT: mean
  // CHECK: return
  %n = arith.negf %x : tensor<16x64xf32>
  %0 = mgraph_kernel.reduce mean %n dims [1] : tensor<16x64xf32> -> tensor<16x1xf32>
  return %0 : tensor<16x1xf32>
}

// CHECK-LABEL: func @keeps_primitives
func.func @keeps_primitives(%x: tensor<16x64xf32>) -> tensor<16x1xf32> {
  // CHECK-NEXT: mgraph_kernel.reduce sum
  // CHECK-NEXT: return
  %0 = mgraph_kernel.reduce sum %x dims [1] : tensor<16x64xf32> -> tensor<16x1xf32>
  return %0 : tensor<16x1xf32>
}
