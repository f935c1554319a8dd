func.func @swish(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>)
    -> tensor<16x64xf16> {
  %0 = mgraph_kernel.matmul %x, %w
      : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16>
  %1 = mgraph_kernel.silu %0 : tensor<16x64xf16> -> tensor<16x64xf16>
  return %1 : tensor<16x64xf16>
}
