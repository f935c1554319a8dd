// Two loops, two stores; no loop; values that need the whole tile.
// RUN: mirage-opt %s -convert-mgraph-to-thread -split-input-file | FileCheck %s

// The second ring begins after the first loop's total.
// CHECK-LABEL: mgraph_thread.kernel @f_0
// CHECK: for 4 carries
// CHECK: wait 0
// CHECK: %[[T:.+]] = alloc 1024
// CHECK: barrier
// CHECK: alloc 2048
// CHECK: for 4 carries
// CHECK: store_global %{{.+}} to %arg2 omap [1, -1, -1]
// CHECK: store_global %{{.+}} to %arg3 omap [-1, -1, -1]
func.func @f(%x: tensor<16x128xf16>, %w: tensor<128x64xf16>) -> (tensor<16x64xf16>, tensor<16x1xf32>) {
  %o:2 = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 1] : (tensor<16x128xf16>, tensor<128x64xf16>) -> (tensor<16x64xf16>, tensor<16x1xf32>) {
    %ss = for %i = 4 -> <16x1xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<16x128xf16> -> <16x32xf16>
      %1 = square %0 : <16x32xf16> -> <16x32xf32>
      yield sum(1) %1 : <16x32xf32>
    }
    %r = rsqrt %ss : <16x1xf32> -> <16x1xf32>
    %acc = for %i = 4 -> <16x32xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<16x128xf16> -> <16x32xf16>
      %1 = load %b[%i] imap [1, -1, -1] fmap 0 : tensor<128x64xf16> -> <32x32xf16>
      %2 = matmul %0, %1 : (<16x32xf16>, <32x32xf16>) -> <16x32xf32>
      yield sum %2 : <16x32xf32>
    }
    %t = mul %acc, %r : (<16x32xf32>, <16x1xf32>) -> <16x32xf32>
    %s = store %t omap [1, -1, -1] : <16x32xf32> -> tensor<16x64xf16>
    %u = store %ss omap [-1, -1, -1] : <16x1xf32> -> tensor<16x1xf32>
    yield %s, %u : tensor<16x64xf16>, tensor<16x1xf32>
  }
  return %o#0, %o#1 : tensor<16x64xf16>, tensor<16x1xf32>
}

// -----

// No loop: registers all the way, and the row's threads combine by themselves.
// CHECK-LABEL: mgraph_thread.kernel @f_0
// CHECK: %[[X:.+]] = load_global %arg0
// CHECK: combine max %[[X]]
// CHECK: reduce_threads max
// CHECK: map "exp"
// CHECK: reduce_threads
// CHECK-NOT: load %
// CHECK: map "div"
// CHECK: store_global
func.func @f(%x: tensor<12x200xf16>) -> tensor<12x200xf16> {
  %o = mgraph_kernel.graph (%a = %x) grid [4, 1, 1] : (tensor<12x200xf16>) -> tensor<12x200xf16> {
    %0 = load %a imap [0, -1, -1] : tensor<12x200xf16> -> <3x200xf16>
    %1 = reduce max %0 dims [1] : <3x200xf16> -> <3x1xf32>
    %2 = sub %0, %1 : (<3x200xf16>, <3x1xf32>) -> <3x200xf32>
    %3 = exp %2 : <3x200xf32> -> <3x200xf32>
    %4 = reduce sum %3 dims [1] : <3x200xf32> -> <3x1xf32>
    %5 = div %3, %4 : (<3x200xf32>, <3x1xf32>) -> <3x200xf32>
    %s = store %5 omap [0, -1, -1] : <3x200xf32> -> tensor<12x200xf16>
    yield %s : tensor<12x200xf16>
  }
  return %o : tensor<12x200xf16>
}

// -----

// Padding lanes repeat a dim of size 1: there is nothing to add over it.
// CHECK-LABEL: mgraph_thread.kernel @one_row_0
// CHECK-NOT: reduce_threads
// CHECK-NOT: combine
// CHECK: store_global
func.func @one_row(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %o = mgraph_kernel.graph (%a = %x) grid [1, 1, 1] : (tensor<1x64xf32>) -> tensor<1x64xf32> {
    %0 = load %a imap [-1, -1, -1] : tensor<1x64xf32> -> <1x64xf32>
    %1 = reduce sum %0 dims [0] : <1x64xf32> -> <1x64xf32>
    %s = store %1 omap [-1, -1, -1] : <1x64xf32> -> tensor<1x64xf32>
    yield %s : tensor<1x64xf32>
  }
  return %o : tensor<1x64xf32>
}

// -----

// The same for an accumulator.
// CHECK-LABEL: mgraph_thread.kernel @one_row_loop_0
// CHECK: for 2 carries
// CHECK-NOT: reduce_threads
// CHECK: store_global
func.func @one_row_loop(%x: tensor<2x64xf32>) -> tensor<1x64xf32> {
  %o = mgraph_kernel.graph (%a = %x) grid [1, 1, 1] : (tensor<2x64xf32>) -> tensor<1x64xf32> {
    %t = for %i = 2 -> <1x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 0 : tensor<2x64xf32> -> <1x64xf32>
      yield sum(0) %0 : <1x64xf32>
    }
    %s = store %t omap [-1, -1, -1] : <1x64xf32> -> tensor<1x64xf32>
    yield %s : tensor<1x64xf32>
  }
  return %o : tensor<1x64xf32>
}

// -----

// Blocks of the cluster work on slices of 16 columns. The iota counts from the
// tile's start and the row sum is over the tile: both are made whole, then cut.
// CHECK-LABEL: mgraph_thread.kernel @slices_0
// CHECK: cluster_barrier
// CHECK: load_cluster %{{.+}} {slice_dim = 1 : i64}
// CHECK: iota dim 1 : !mgraph_thread.fragment<1 x 32
// CHECK: load %{{.+}} {slice_dim = 1 : i64}
// CHECK-SAME: fragment<1 x 16
// CHECK: load_global %arg1
// CHECK-SAME: fragment<7 x 32
// CHECK: combine
// CHECK-SAME: fragment<7 x 32
// CHECK: store_global %{{.+}} {slice_dim = 1 : i64}
func.func @slices(%x: tensor<7x64xf32>, %y: tensor<7x32xf32>) -> tensor<7x32xf32> {
  %o = mgraph_kernel.graph (%a = %x, %b = %y) grid [1, 1, 2] cluster [1, 1, 2] : (tensor<7x64xf32>, tensor<7x32xf32>) -> tensor<7x32xf32> {
    %0 = load %a imap [-1, -1, 1] : tensor<7x64xf32> -> <7x32xf32>
    %1 = reduce_blocks sum %0 dim 2 : <7x32xf32>
    %2 = iota dim 1 : <1x32xf32>
    %3 = mul %1, %2 : (<7x32xf32>, <1x32xf32>) -> <7x32xf32>
    %4 = load %b imap [-1, -1, -1] : tensor<7x32xf32> -> <7x32xf32>
    %5 = reduce sum %4 dims [1] : <7x32xf32> -> <7x1xf32>
    %6 = add %3, %5 : (<7x32xf32>, <7x1xf32>) -> <7x32xf32>
    %s = store %6 omap [-1, -1, -1] : <7x32xf32> -> tensor<7x32xf32>
    yield %s : tensor<7x32xf32>
  }
  return %o : tensor<7x32xf32>
}

// -----

// The first factor lies outside the loop: it is read once, before it. The buffer
// that the loop reads it from ends with the loop, and totals lie over it: the code
// after it takes the registers.
// CHECK-LABEL: mgraph_thread.kernel @outer_0
// CHECK: %[[X:.+]] = load_global %arg0
// CHECK: %[[B:.+]] = alloc 6144
// CHECK: store %[[X]] to %[[B]]
// CHECK: for 2 carries
// CHECK: mgraph_thread.mma %[[B]]
// CHECK: mgraph_thread.yield
// CHECK: %[[T:.+]] = load
// CHECK: map "add"(%[[T]], %[[X]])
// CHECK: store_global
func.func @outer(%x: tensor<16x32xf16>, %w: tensor<64x32xf16>) -> tensor<16x32xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [1, 1, 1] : (tensor<16x32xf16>, tensor<64x32xf16>) -> tensor<16x32xf16> {
    %0 = load %a imap [-1, -1, -1] : tensor<16x32xf16> -> <16x32xf16>
    %t = for %i = 2 -> <16x32xf32> {
      %1 = load %b[%i] imap [-1, -1, -1] fmap 0 : tensor<64x32xf16> -> <32x32xf16>
      %2 = matmul %0, %1 : (<16x32xf16>, <32x32xf16>) -> <16x32xf32>
      yield sum %2 : <16x32xf32>
    }
    %3 = add %t, %0 : (<16x32xf32>, <16x32xf16>) -> <16x32xf32>
    %s = store %3 omap [-1, -1, -1] : <16x32xf32> -> tensor<16x32xf16>
    yield %s : tensor<16x32xf16>
  }
  return %o : tensor<16x32xf16>
}

// -----

// Without a loop, the tiles of a product are fetched at once: the weights before
// the previous kernel ends, and nothing waits for one tile before the next.
// CHECK-LABEL: mgraph_thread.kernel @whole_0
// CHECK: grid_launch_dependents
// CHECK: copy_async %arg1
// CHECK: grid_dependency_wait
// CHECK-NOT: barrier
// CHECK: copy_async %arg0
// CHECK: commit
// CHECK-NEXT: wait 0
// CHECK-NEXT: barrier
// CHECK-NOT: load_global
// CHECK: mma
// CHECK: store_global
func.func @whole(%x: tensor<16x64xf16>, %w: tensor<64x64xf16> {mirage.constant}) -> tensor<16x64xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 1] : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16> {
    %0 = load %a imap [-1, -1, -1] : tensor<16x64xf16> -> <16x64xf16>
    %1 = load %b imap [1, -1, -1] : tensor<64x64xf16> -> <64x32xf16>
    %2 = matmul %0, %1 : (<16x64xf16>, <64x32xf16>) -> <16x32xf32>
    %s = store %2 omap [1, -1, -1] : <16x32xf32> -> tensor<16x64xf16>
    yield %s : tensor<16x64xf16>
  }
  return %o : tensor<16x64xf16>
}
