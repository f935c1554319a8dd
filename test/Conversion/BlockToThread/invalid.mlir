// What has no lowering is refused by name, with both sides of the condition.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics -convert-mgraph-to-thread

func.func @leading(%x0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  // expected-error @below {{load: expected a tile whose leading dimensions are 1, but got 2x4x8xf32}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 1] : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<2x4x8xf32> -> <2x4x8xf32>
    %s = store %0 omap [-1, -1, -1] : <2x4x8xf32> -> tensor<2x4x8xf32>
    yield %s : tensor<2x4x8xf32>
  }
  return %o : tensor<2x4x8xf32>
}

// -----

func.func @integers(%x0: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-error @below {{load: expected a tile of f16, bf16 or f32, but got 4x8xi32}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 1] : (tensor<4x8xi32>) -> tensor<4x8xi32> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<4x8xi32> -> <4x8xi32>
    %s = store %0 omap [-1, -1, -1] : <4x8xi32> -> tensor<4x8xi32>
    yield %s : tensor<4x8xi32>
  }
  return %o : tensor<4x8xi32>
}

// -----

func.func @mask(%x0: tensor<4x8xf32>) -> tensor<4x8xi1> {
  // expected-error @below {{store: expected an output of f16, bf16 or f32, but got 4x8xi1}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 1] : (tensor<4x8xf32>) -> tensor<4x8xi1> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<4x8xf32> -> <4x8xf32>
    %1 = compare lt %0, %0 : (<4x8xf32>, <4x8xf32>) -> <4x8xi1>
    %s = store %1 omap [-1, -1, -1] : <4x8xi1> -> tensor<4x8xi1>
    yield %s : tensor<4x8xi1>
  }
  return %o : tensor<4x8xi1>
}

// -----

func.func @transpose(%x0: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{'transpose' has no lowering inside a block graph}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 1] : (tensor<4x8xf32>) -> tensor<8x4xf32> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<4x8xf32> -> <4x8xf32>
    %1 = transpose %0 perm [1, 0] : <4x8xf32> -> <8x4xf32>
    %s = store %1 omap [-1, -1, -1] : <8x4xf32> -> tensor<8x4xf32>
    yield %s : tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// -----

func.func @reshape(%x0: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{reshape: expected a tile of unchanged rows and columns, but got 4x8xf32 to 8x4xf32}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 1] : (tensor<4x8xf32>) -> tensor<8x4xf32> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<4x8xf32> -> <4x8xf32>
    %1 = reshape %0 : <4x8xf32> -> <8x4xf32>
    %s = store %1 omap [-1, -1, -1] : <8x4xf32> -> tensor<8x4xf32>
    yield %s : tensor<8x4xf32>
  }
  return %o : tensor<8x4xf32>
}

// -----

func.func @cluster(%x0: tensor<4x8xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{reduce_blocks: expected a cluster that spans grid dimension 2 of size 2, but got 1}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 2] : (tensor<4x8xf32>) -> tensor<4x4xf32> {
    %0 = load %a0 imap [-1, -1, 1] : tensor<4x8xf32> -> <4x4xf32>
    %1 = reduce_blocks sum %0 dim 2 : <4x4xf32>
    %s = store %1 omap [-1, -1, -1] : <4x4xf32> -> tensor<4x4xf32>
    yield %s : tensor<4x4xf32>
  }
  return %o : tensor<4x4xf32>
}

// -----

func.func @product_depth(%x0: tensor<16x24xf16>, %x1: tensor<24x8xf16>) -> tensor<16x8xf16> {
  // expected-error @below {{matmul: expected a contracted size that 16 divides, but got 24}}
  %o = mgraph_kernel.graph (%a0 = %x0, %a1 = %x1) grid [1, 1, 1] : (tensor<16x24xf16>, tensor<24x8xf16>) -> tensor<16x8xf16> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<16x24xf16> -> <16x24xf16>
    %1 = load %a1 imap [-1, -1, -1] : tensor<24x8xf16> -> <24x8xf16>
    %2 = matmul %0, %1 : (<16x24xf16>, <24x8xf16>) -> <16x8xf32>
    %s = store %2 omap [-1, -1, -1] : <16x8xf32> -> tensor<16x8xf16>
    yield %s : tensor<16x8xf16>
  }
  return %o : tensor<16x8xf16>
}

// -----

func.func @product_columns(%x0: tensor<16x16xf16>, %x1: tensor<16x12xf16>) -> tensor<16x12xf16> {
  // expected-error @below {{matmul: expected a number of columns that 8 divides, but got 12}}
  %o = mgraph_kernel.graph (%a0 = %x0, %a1 = %x1) grid [1, 1, 1] : (tensor<16x16xf16>, tensor<16x12xf16>) -> tensor<16x12xf16> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<16x16xf16> -> <16x16xf16>
    %1 = load %a1 imap [-1, -1, -1] : tensor<16x12xf16> -> <16x12xf16>
    %2 = matmul %0, %1 : (<16x16xf16>, <16x12xf16>) -> <16x12xf32>
    %s = store %2 omap [-1, -1, -1] : <16x12xf32> -> tensor<16x12xf16>
    yield %s : tensor<16x12xf16>
  }
  return %o : tensor<16x12xf16>
}

// -----

func.func @registers(%x0: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{expected tiles of at most 256 elements for each of 128 threads, but got 2048}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 1] : (tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<512x512xf32> -> <512x512xf32>
    %s = store %0 omap [-1, -1, -1] : <512x512xf32> -> tensor<512x512xf32>
    yield %s : tensor<512x512xf32>
  }
  return %o : tensor<512x512xf32>
}

// -----

func.func @shared(%x0: tensor<16x4096xf16>, %x1: tensor<4096x64xf16>) -> tensor<16x64xf16> {
  // expected-error @below {{expected at most 232448 bytes of shared memory, but got 655360}}
  %o = mgraph_kernel.graph (%a0 = %x0, %a1 = %x1) grid [1, 1, 1] attributes {stages = 4 : i64} : (tensor<16x4096xf16>, tensor<4096x64xf16>) -> tensor<16x64xf16> {
    %t = for %i = 4 -> <16x64xf32> {
      %0 = load %a0[%i] imap [-1, -1, -1] fmap 1 : tensor<16x4096xf16> -> <16x1024xf16>
      %1 = load %a1[%i] imap [-1, -1, -1] fmap 0 : tensor<4096x64xf16> -> <1024x64xf16>
      %2 = matmul %0, %1 : (<16x1024xf16>, <1024x64xf16>) -> <16x64xf32>
      yield sum %2 : <16x64xf32>
    }
    %s = store %t omap [-1, -1, -1] : <16x64xf32> -> tensor<16x64xf16>
    yield %s : tensor<16x64xf16>
  }
  return %o : tensor<16x64xf16>
}

// -----

func.func @narrow(%x0: tensor<16x96xf16>, %x1: tensor<192x16xf16>) -> tensor<16x16xf16> {
  // expected-error @below {{cast: expected a tile of f16, bf16 or f32, but got 1x4xi32}}
  %o = mgraph_kernel.graph (%a0 = %x0, %a1 = %x1) grid [4, 1, 1] : (tensor<16x96xf16>, tensor<192x16xf16>) -> tensor<16x16xf16> {
    %t = for %i = 6 -> <16x4xf32> {
      %0 = load %a0[%i] imap [-1, -1, -1] fmap 1 : tensor<16x96xf16> -> <16x16xf16>
      %1 = load %a1[%i] imap [1, -1, -1] fmap 0 : tensor<192x16xf16> -> <32x4xf16>
      %2 = exp %1 : <32x4xf16> -> <32x4xf32>
      %3 = reduce sum %2 dims [0] : <32x4xf32> -> <1x4xf32>
      %4 = cast %3 : <1x4xf32> -> <1x4xi32>
      %5 = cast %4 : <1x4xi32> -> <1x4xf32>
      %6 = broadcast %5 : <1x4xf32> -> <16x4xf32>
      yield sum %6 : <16x4xf32>
    }
    %s = store %t omap [1, -1, -1] : <16x4xf32> -> tensor<16x16xf16>
    yield %s : tensor<16x16xf16>
  }
  return %o : tensor<16x16xf16>
}

// -----

func.func @tile_size(%x0: tensor<1x2147483648xf16>) -> tensor<1x1xf32> {
  // expected-error @below {{load: expected a tile of at most 4194304 elements, but got 1x2147483648xf16}}
  %o = mgraph_kernel.graph (%a0 = %x0) grid [1, 1, 1] : (tensor<1x2147483648xf16>) -> tensor<1x1xf32> {
    %0 = load %a0 imap [-1, -1, -1] : tensor<1x2147483648xf16> -> <1x2147483648xf16>
    %1 = reduce sum %0 dims [1] : <1x2147483648xf16> -> <1x1xf32>
    %s = store %1 omap [-1, -1, -1] : <1x1xf32> -> tensor<1x1xf32>
    yield %s : tensor<1x1xf32>
  }
  return %o : tensor<1x1xf32>
}

// -----

func.func @row_bytes(%x0: tensor<16x64xf16>, %x1: tensor<64x4xf16>) -> tensor<16x4xf16> {
  // expected-error @below {{load: expected rows of a multiple of 16 bytes for a product, but got a tile of 16x4xf16}}
  %o = mgraph_kernel.graph (%a0 = %x0, %a1 = %x1) grid [1, 1, 1] : (tensor<16x64xf16>, tensor<64x4xf16>) -> tensor<16x4xf16> {
    %t = for %i = 4 -> <16x4xf32> {
      %0 = load %a0[%i] imap [-1, -1, -1] fmap 1 : tensor<16x64xf16> -> <16x16xf16>
      %1 = load %a1[%i] imap [-1, -1, -1] fmap 0 : tensor<64x4xf16> -> <16x4xf16>
      %2 = matmul %0, %1 : (<16x16xf16>, <16x4xf16>) -> <16x4xf32>
      yield sum %2 : <16x4xf32>
    }
    %s = store %t omap [-1, -1, -1] : <16x4xf32> -> tensor<16x4xf16>
    yield %s : tensor<16x4xf16>
  }
  return %o : tensor<16x4xf16>
}

// -----

// What decomposition wrote is reported where the composite op stands, not at the
// function, nor at the op before it.
func.func @composite(%x: tensor<4x8xf32>, %y: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0 = mgraph_kernel.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // expected-error-re @below {{'{{.+}}' expected element types that the target computes with, but got f64}}
  %1 = mgraph_kernel.softmax %y dim 1 : tensor<4x8xf64> -> tensor<4x8xf64>
  return %1 : tensor<4x8xf64>
}
