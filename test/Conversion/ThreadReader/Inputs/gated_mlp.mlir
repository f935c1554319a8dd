// A block graph, and the same once more for the lowering.
func.func private @ref(%x: tensor<8x128xf16>, %g: tensor<128x64xf16>, %u: tensor<128x64xf16>) -> tensor<8x64xf16> attributes {mirage.original} {
  %o = mgraph_kernel.graph (%a = %x, %b = %g, %c = %u) grid [2, 1, 1] attributes {threads = 64 : i64} : (tensor<8x128xf16>, tensor<128x64xf16>, tensor<128x64xf16>) -> tensor<8x64xf16> {
    %p, %q = for %i = 4 -> <8x32xf32>, <8x32xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<8x128xf16> -> <8x32xf16>
      %1 = load %b[%i] imap [1, -1, -1] fmap 0 : tensor<128x64xf16> -> <32x32xf16>
      %2 = load %c[%i] imap [1, -1, -1] fmap 0 : tensor<128x64xf16> -> <32x32xf16>
      %3 = matmul %0, %1 : (<8x32xf16>, <32x32xf16>) -> <8x32xf32>
      %4 = matmul %0, %2 : (<8x32xf16>, <32x32xf16>) -> <8x32xf32>
      yield sum %3, sum %4 : <8x32xf32>, <8x32xf32>
    }
    %h = silu %p : <8x32xf32> -> <8x32xf32>
    %t = mul %h, %q : (<8x32xf32>, <8x32xf32>) -> <8x32xf32>
    %s = store %t omap [1, -1, -1] : <8x32xf32> -> tensor<8x64xf16>
    yield %s : tensor<8x64xf16>
  }
  return %o : tensor<8x64xf16>
}
func.func @f(%x: tensor<8x128xf16>, %g: tensor<128x64xf16>, %u: tensor<128x64xf16>) -> tensor<8x64xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %g, %c = %u) grid [2, 1, 1] attributes {threads = 64 : i64} : (tensor<8x128xf16>, tensor<128x64xf16>, tensor<128x64xf16>) -> tensor<8x64xf16> {
    %p, %q = for %i = 4 -> <8x32xf32>, <8x32xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<8x128xf16> -> <8x32xf16>
      %1 = load %b[%i] imap [1, -1, -1] fmap 0 : tensor<128x64xf16> -> <32x32xf16>
      %2 = load %c[%i] imap [1, -1, -1] fmap 0 : tensor<128x64xf16> -> <32x32xf16>
      %3 = matmul %0, %1 : (<8x32xf16>, <32x32xf16>) -> <8x32xf32>
      %4 = matmul %0, %2 : (<8x32xf16>, <32x32xf16>) -> <8x32xf32>
      yield sum %3, sum %4 : <8x32xf32>, <8x32xf32>
    }
    %h = silu %p : <8x32xf32> -> <8x32xf32>
    %t = mul %h, %q : (<8x32xf32>, <8x32xf32>) -> <8x32xf32>
    %s = store %t omap [1, -1, -1] : <8x32xf32> -> tensor<8x64xf16>
    yield %s : tensor<8x64xf16>
  }
  return %o : tensor<8x64xf16>
}
