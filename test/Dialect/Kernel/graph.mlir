// Graph-defined kernels read back as they were written, in both forms.
// RUN: mirage-opt %s | mirage-opt | FileCheck %s
// RUN: mirage-opt %s -mlir-print-op-generic | mirage-opt | FileCheck %s

// RMSNorm and a linear layer in one kernel: the sum of squares is accumulated
// beside the product, K is split over the loop and grid axis z.
// CHECK-LABEL: func @rms_linear
// CHECK-SAME:    %[[X:.+]]: tensor<16x4096xf16>, %[[W:.+]]: tensor<4096x6144xf16>
func.func @rms_linear(%x: tensor<16x4096xf16>, %w: tensor<4096x6144xf16>)
    -> tensor<16x6144xf16> {
  // CHECK:      %[[O:.+]] = mgraph_kernel.graph (%[[A:.+]] = %[[X]], %[[B:.+]] = %[[W]])
  // CHECK-SAME:   grid [96, 1, 4] cluster [1, 1, 4] threads 128 stages 4
  // CHECK-SAME:   : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [96, 1, 4]
      cluster [1, 1, 4] threads 128 stages 4
      : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16> {
    // CHECK-NEXT: %[[T:.+]]:2 = for %[[I:.+]] = 16 -> <16x64xf32>, <16x1xf32> {
    %acc, %ss = for %i = 16 -> <16x64xf32>, <16x1xf32> {
      // CHECK-NEXT: %[[XT:.+]] = load %[[A]][%[[I]]] imap [-1, -1, 1] fmap 1 : tensor<16x4096xf16> -> <16x64xf16>
      // CHECK-NEXT: %[[WT:.+]] = load %[[B]][%[[I]]] imap [1, -1, 0] fmap 0 : tensor<4096x6144xf16> -> <64x64xf16>
      // CHECK-NEXT: %[[P:.+]] = matmul %[[XT]], %[[WT]] : (<16x64xf16>, <64x64xf16>) -> <16x64xf32>
      // CHECK-NEXT: %[[S:.+]] = square %[[XT]] : <16x64xf16> -> <16x64xf32>
      // CHECK-NEXT: yield sum %[[P]], sum(1) %[[S]] : <16x64xf32>, <16x64xf32>
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1
          : tensor<16x4096xf16> -> <16x64xf16>
      %1 = load %b[%i] imap [1, -1, 0] fmap 0
          : tensor<4096x6144xf16> -> <64x64xf16>
      %2 = matmul %0, %1 : (<16x64xf16>, <64x64xf16>) -> <16x64xf32>
      %3 = square %0 : <16x64xf16> -> <16x64xf32>
      yield sum %2, sum(1) %3 : <16x64xf32>, <16x64xf32>
    }
    // CHECK:      reduce_blocks sum %[[T]]#0 dim 2 : <16x64xf32>
    // CHECK-NEXT: reduce_blocks sum %[[T]]#1 dim 2 : <16x1xf32>
    // CHECK-NEXT: constant inv_extent 4096 : <1x1xf32>
    // CHECK-NEXT: constant 1.0e-06 : <1x1xf32>
    %r = reduce_blocks sum %acc dim 2 : <16x64xf32>
    %rs = reduce_blocks sum %ss dim 2 : <16x1xf32>
    %n = constant inv_extent 4096 : <1x1xf32>
    %eps = constant 1.0e-6 : <1x1xf32>
    %mean = mul %rs, %n : (<16x1xf32>, <1x1xf32>) -> <16x1xf32>
    %var = add %mean, %eps : (<16x1xf32>, <1x1xf32>) -> <16x1xf32>
    %scale = rsqrt %var : <16x1xf32> -> <16x1xf32>
    %t = mul %r, %scale : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    // CHECK:      %[[ST:.+]] = store %{{.+}} omap [1, -1, -1] : <16x64xf32> -> tensor<16x6144xf16>
    // CHECK-NEXT: yield %[[ST]] : tensor<16x6144xf16>
    %s = store %t omap [1, -1, -1] : <16x64xf32> -> tensor<16x6144xf16>
    yield %s : tensor<16x6144xf16>
  }
  // CHECK: return %[[O]]
  return %o : tensor<16x6144xf16>
}

// CHECK-LABEL: func @gated_mlp
func.func @gated_mlp(%x: tensor<8x4096xf16>, %v: tensor<4096x4096xf16>,
                     %w: tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
  // CHECK: grid [64, 1, 1] :
  %o = mgraph_kernel.graph (%a = %x, %b = %v, %c = %w) grid [64, 1, 1]
      : (tensor<8x4096xf16>, tensor<4096x4096xf16>, tensor<4096x4096xf16>)
        -> tensor<8x4096xf16> {
    %g, %u = for %i = 64 -> <8x64xf32>, <8x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1
          : tensor<8x4096xf16> -> <8x64xf16>
      %1 = load %b[%i] imap [1, -1, -1] fmap 0
          : tensor<4096x4096xf16> -> <64x64xf16>
      %2 = load %c[%i] imap [1, -1, -1] fmap 0
          : tensor<4096x4096xf16> -> <64x64xf16>
      %3 = matmul %0, %1 : (<8x64xf16>, <64x64xf16>) -> <8x64xf32>
      %4 = matmul %0, %2 : (<8x64xf16>, <64x64xf16>) -> <8x64xf32>
      // CHECK: yield sum %{{.+}}, sum %{{.+}} : <8x64xf32>, <8x64xf32>
      yield sum %3, sum %4 : <8x64xf32>, <8x64xf32>
    }
    // CHECK: silu %{{.+}}#0
    %5 = silu %g : <8x64xf32> -> <8x64xf32>
    %6 = mul %5, %u : (<8x64xf32>, <8x64xf32>) -> <8x64xf32>
    %s = store %6 omap [1, -1, -1] : <8x64xf32> -> tensor<8x4096xf16>
    yield %s : tensor<8x4096xf16>
  }
  return %o : tensor<8x4096xf16>
}

// Several results, attributes of no meaning here, and a loop without results.
// CHECK-LABEL: func @corners
func.func @corners(%x: tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf16>) {
  // CHECK: mgraph_kernel.graph (%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) grid [2, 1, 1] attributes {note = "twice"}
  %o:2 = mgraph_kernel.graph (%a = %x, %b = %x) grid [2, 1, 1]
      attributes {note = "twice"}
      : (tensor<16x64xf32>, tensor<16x64xf32>)
        -> (tensor<16x64xf32>, tensor<16x64xf16>) {
    // CHECK:      for %{{.+}} = 4 attributes {empty} {
    // CHECK-NEXT:   yield{{ *$}}
    // CHECK-NEXT: }
    for %i = 4 attributes {empty} {
      yield
    }
    %0 = load %a imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    %1 = store %0 omap [0, -1, -1] : <8x64xf32> -> tensor<16x64xf32>
    %2 = load %b imap [0, -1, -1] : tensor<16x64xf32> -> <8x64xf32>
    %3 = store %2 omap [0, -1, -1] : <8x64xf32> -> tensor<16x64xf16>
    // CHECK: yield %{{.+}}, %{{.+}} : tensor<16x64xf32>, tensor<16x64xf16>
    yield %1, %3 : tensor<16x64xf32>, tensor<16x64xf16>
  }
  return %o#0, %o#1 : tensor<16x64xf32>, tensor<16x64xf16>
}
