func.func @other(%v: tensor<256x128xf16>, %y: tensor<16x256xf16>, %w: tensor<256x128xf16>) -> tensor<16x128xf16> {
  %b = mgraph_kernel.matmul %y, %v : (tensor<16x256xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
  %a = mgraph_kernel.matmul %y, %w : (tensor<16x256xf16>, tensor<256x128xf16>) -> tensor<16x128xf16>
  %s = mgraph_kernel.silu %a : tensor<16x128xf16> -> tensor<16x128xf16>
  %r = mgraph_kernel.mul %s, %b : (tensor<16x128xf16>, tensor<16x128xf16>) -> tensor<16x128xf16>
  return %r : tensor<16x128xf16>
}
