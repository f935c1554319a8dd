// A block graph, and the same once more for the lowering.
func.func private @ref(%x: tensor<3x256xf16>, %w: tensor<256x64xf16>) -> tensor<3x64xf16> attributes {mirage.original} {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 2] cluster [1, 1, 2] attributes {threads = 64 : i64, stages = 3 : i64} : (tensor<3x256xf16>, tensor<256x64xf16>) -> tensor<3x64xf16> {
    %acc, %ss = for %i = 4 -> <3x32xf32>, <3x1xf32> {
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1 : tensor<3x256xf16> -> <3x32xf16>
      %1 = load %b[%i] imap [1, -1, 0] fmap 0 : tensor<256x64xf16> -> <32x32xf16>
      %2 = matmul %0, %1 : (<3x32xf16>, <32x32xf16>) -> <3x32xf32>
      %3 = square %0 : <3x32xf16> -> <3x32xf32>
      yield sum %2, sum(1) %3 : <3x32xf32>, <3x32xf32>
    }
    %accr = reduce_blocks sum %acc dim 2 : <3x32xf32>
    %ssr = reduce_blocks sum %ss dim 2 : <3x1xf32>
    %inv = constant inv_extent 256 : <1x1xf32>
    %mean = mul %ssr, %inv : (<3x1xf32>, <1x1xf32>) -> <3x1xf32>
    %eps = constant 1.0e-06 : <1x1xf32>
    %v = add %mean, %eps : (<3x1xf32>, <1x1xf32>) -> <3x1xf32>
    %rs = rsqrt %v : <3x1xf32> -> <3x1xf32>
    %t = mul %accr, %rs : (<3x32xf32>, <3x1xf32>) -> <3x32xf32>
    %s = store %t omap [1, -1, -1] : <3x32xf32> -> tensor<3x64xf16>
    yield %s : tensor<3x64xf16>
  }
  return %o : tensor<3x64xf16>
}
func.func @f(%x: tensor<3x256xf16>, %w: tensor<256x64xf16> {mirage.constant}) -> tensor<3x64xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 2] cluster [1, 1, 2] attributes {threads = 64 : i64, stages = 3 : i64} : (tensor<3x256xf16>, tensor<256x64xf16>) -> tensor<3x64xf16> {
    %acc, %ss = for %i = 4 -> <3x32xf32>, <3x1xf32> {
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1 : tensor<3x256xf16> -> <3x32xf16>
      %1 = load %b[%i] imap [1, -1, 0] fmap 0 : tensor<256x64xf16> -> <32x32xf16>
      %2 = matmul %0, %1 : (<3x32xf16>, <32x32xf16>) -> <3x32xf32>
      %3 = square %0 : <3x32xf16> -> <3x32xf32>
      yield sum %2, sum(1) %3 : <3x32xf32>, <3x32xf32>
    }
    %accr = reduce_blocks sum %acc dim 2 : <3x32xf32>
    %ssr = reduce_blocks sum %ss dim 2 : <3x1xf32>
    %inv = constant inv_extent 256 : <1x1xf32>
    %mean = mul %ssr, %inv : (<3x1xf32>, <1x1xf32>) -> <3x1xf32>
    %eps = constant 1.0e-06 : <1x1xf32>
    %v = add %mean, %eps : (<3x1xf32>, <1x1xf32>) -> <3x1xf32>
    %rs = rsqrt %v : <3x1xf32> -> <3x1xf32>
    %t = mul %accr, %rs : (<3x32xf32>, <3x1xf32>) -> <3x32xf32>
    %s = store %t omap [1, -1, -1] : <3x32xf32> -> tensor<3x64xf16>
    yield %s : tensor<3x64xf16>
  }
  return %o : tensor<3x64xf16>
}
