// A block graph, and the same once more for the lowering.
func.func private @ref(%q: tensor<2x32x64xf16>, %k: tensor<2x128x64xf16>, %v: tensor<2x128x64xf16>) -> tensor<2x32x64xf16> attributes {mirage.original} {
  %o = mgraph_kernel.graph (%a = %q, %b = %k, %c = %v) grid [2, 1, 1] : (tensor<2x32x64xf16>, tensor<2x128x64xf16>, tensor<2x128x64xf16>) -> tensor<2x32x64xf16> {
    %m, %l, %acc = for %i = 4 -> <1x32x1xf32>, <1x32x1xf32>, <1x32x64xf32> {
      %0 = load %a imap [0, -1, -1] : tensor<2x32x64xf16> -> <1x32x64xf16>
      %1 = load %b[%i] imap [0, -1, -1] fmap 1 : tensor<2x128x64xf16> -> <1x32x64xf16>
      %2 = load %c[%i] imap [0, -1, -1] fmap 1 : tensor<2x128x64xf16> -> <1x32x64xf16>
      %3 = matmul %0, %1 transpose_rhs : (<1x32x64xf16>, <1x32x64xf16>) -> <1x32x32xf32>
      %now = running current 0[%i] : <1x32x1xf32>
      %before = running previous 0[%i] : <1x32x1xf32>
      %4 = sub %3, %now : (<1x32x32xf32>, <1x32x1xf32>) -> <1x32x32xf32>
      %5 = exp %4 : <1x32x32xf32> -> <1x32x32xf32>
      %6 = sub %before, %now : (<1x32x1xf32>, <1x32x1xf32>) -> <1x32x1xf32>
      %7 = exp %6 : <1x32x1xf32> -> <1x32x1xf32>
      %8 = cast %5 : <1x32x32xf32> -> <1x32x32xf16>
      %9 = matmul %8, %2 : (<1x32x32xf16>, <1x32x64xf16>) -> <1x32x64xf32>
      yield max(2) %3, rescale(%7, 2) %5, rescale(%7) %9 : <1x32x32xf32>, <1x32x1xf32>, <1x32x32xf32>, <1x32x1xf32>, <1x32x64xf32>
    }
    %t = div %acc, %l : (<1x32x64xf32>, <1x32x1xf32>) -> <1x32x64xf32>
    %s = store %t omap [0, -1, -1] : <1x32x64xf32> -> tensor<2x32x64xf16>
    yield %s : tensor<2x32x64xf16>
  }
  return %o : tensor<2x32x64xf16>
}
func.func @f(%q: tensor<2x32x64xf16>, %k: tensor<2x128x64xf16>, %v: tensor<2x128x64xf16>) -> tensor<2x32x64xf16> {
  %o = mgraph_kernel.graph (%a = %q, %b = %k, %c = %v) grid [2, 1, 1] : (tensor<2x32x64xf16>, tensor<2x128x64xf16>, tensor<2x128x64xf16>) -> tensor<2x32x64xf16> {
    %m, %l, %acc = for %i = 4 -> <1x32x1xf32>, <1x32x1xf32>, <1x32x64xf32> {
      %0 = load %a imap [0, -1, -1] : tensor<2x32x64xf16> -> <1x32x64xf16>
      %1 = load %b[%i] imap [0, -1, -1] fmap 1 : tensor<2x128x64xf16> -> <1x32x64xf16>
      %2 = load %c[%i] imap [0, -1, -1] fmap 1 : tensor<2x128x64xf16> -> <1x32x64xf16>
      %3 = matmul %0, %1 transpose_rhs : (<1x32x64xf16>, <1x32x64xf16>) -> <1x32x32xf32>
      %now = running current 0[%i] : <1x32x1xf32>
      %before = running previous 0[%i] : <1x32x1xf32>
      %4 = sub %3, %now : (<1x32x32xf32>, <1x32x1xf32>) -> <1x32x32xf32>
      %5 = exp %4 : <1x32x32xf32> -> <1x32x32xf32>
      %6 = sub %before, %now : (<1x32x1xf32>, <1x32x1xf32>) -> <1x32x1xf32>
      %7 = exp %6 : <1x32x1xf32> -> <1x32x1xf32>
      %8 = cast %5 : <1x32x32xf32> -> <1x32x32xf16>
      %9 = matmul %8, %2 : (<1x32x32xf16>, <1x32x64xf16>) -> <1x32x64xf32>
      yield max(2) %3, rescale(%7, 2) %5, rescale(%7) %9 : <1x32x32xf32>, <1x32x1xf32>, <1x32x32xf32>, <1x32x1xf32>, <1x32x64xf32>
    }
    %t = div %acc, %l : (<1x32x64xf32>, <1x32x1xf32>) -> <1x32x64xf32>
    %s = store %t omap [0, -1, -1] : <1x32x64xf32> -> tensor<2x32x64xf16>
    yield %s : tensor<2x32x64xf16>
  }
  return %o : tensor<2x32x64xf16>
}
