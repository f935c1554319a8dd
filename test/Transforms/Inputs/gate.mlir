func.func @f(%x: tensor<16x256xf16>, %w: tensor<256x128xf16>, %v: tensor<256x128xf16>) -> tensor<16x128xf16> {
  %a = mgraph_kernel.matmul %x, %w : (tensor<16x256xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
  %b = mgraph_kernel.matmul %x, %v : (tensor<16x256xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
  %s = mgraph_kernel.silu %a : tensor<16x128xf16> -> tensor<16x128xf16>
  %r = mgraph_kernel.mul %s, %b : (tensor<16x128xf16>, tensor<16x128xf16>) -> tensor<16x128xf16>
  return %r : tensor<16x128xf16>
}
