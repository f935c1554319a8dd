// RUN: mirage-opt %s -loop-invariant-code-motion -cse | FileCheck %s

// A load and a running state name the induction value, so upstream's passes leave
// them in the loop, even where the tile is the same in each iteration. What does
// not depend on them leaves.
// CHECK-LABEL: func @stays_in_the_loop
func.func @stays_in_the_loop(%x: tensor<16x64xf32>) -> tensor<16x8xf32> {
  %o = mgraph_kernel.graph (%a = %x) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> tensor<16x8xf32> {
    // CHECK:      constant 2.0
    // CHECK-NEXT: for
    %acc, %m = for %i = 8 -> <16x8xf32>, <16x1xf32> {
      // CHECK-NEXT: %[[L:.+]] = load
      // CHECK-NEXT: load
      // CHECK-NEXT: running previous
      // CHECK-NEXT: mul %[[L]]
      // CHECK-NEXT: add
      // CHECK-NEXT: add
      // CHECK-NEXT: yield
      %c = constant 2.0 : <1x1xf32>
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1
          : tensor<16x64xf32> -> <16x8xf32>
      %1 = load %a[%i] imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
      %2 = running previous 1[%i] : <16x1xf32>
      %3 = mul %0, %c : (<16x8xf32>, <1x1xf32>) -> <16x8xf32>
      %4 = add %3, %2 : (<16x8xf32>, <16x1xf32>) -> <16x8xf32>
      %5 = add %1, %c : (<16x64xf32>, <1x1xf32>) -> <16x64xf32>
      yield sum %4, max(1) %5 : <16x8xf32>, <16x64xf32>
    }
    %s = store %acc omap [-1, -1, -1] : <16x8xf32> -> tensor<16x8xf32>
    yield %s : tensor<16x8xf32>
  }
  return %o : tensor<16x8xf32>
}

// Two equal stores are two results.
// CHECK-LABEL: func @keeps_equal_stores
func.func @keeps_equal_stores(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %o:2 = mgraph_kernel.graph (%a = %x) grid [1, 1, 1]
      : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = load %a imap [-1, -1, -1] : tensor<16xf32> -> <16xf32>
    // CHECK:      %[[S:.+]] = store
    // CHECK-NEXT: %[[T:.+]] = store
    // CHECK-NEXT: yield %[[S]], %[[T]]
    %1 = store %0 omap [-1, -1, -1] : <16xf32> -> tensor<16xf32>
    %2 = store %0 omap [-1, -1, -1] : <16xf32> -> tensor<16xf32>
    yield %1, %2 : tensor<16xf32>, tensor<16xf32>
  }
  return %o#0, %o#1 : tensor<16xf32>, tensor<16xf32>
}

// A graph that nothing uses goes.
// CHECK-LABEL: func @drops_unused_graphs
func.func @drops_unused_graphs(%x: tensor<16xf32>) {
  // CHECK-NEXT: return
  %o = mgraph_kernel.graph (%a = %x) grid [1, 1, 1]
      : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = load %a imap [-1, -1, -1] : tensor<16xf32> -> <16xf32>
    %1 = store %0 omap [-1, -1, -1] : <16xf32> -> tensor<16xf32>
    yield %1 : tensor<16xf32>
  }
  return
}
