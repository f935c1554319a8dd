// x w + (x a) b.
func.func @lora(%x: tensor<16x256xf16>, %w: tensor<256x4096xf16>, %a: tensor<256x16xf16>, %b: tensor<16x4096xf16>) -> tensor<16x4096xf16> {
  %xw = mgraph_kernel.matmul %x, %w : (tensor<16x256xf16>, tensor<256x4096xf16>) -> tensor<16x4096xf16>
  %xa = mgraph_kernel.matmul %x, %a : (tensor<16x256xf16>, tensor<256x16xf16>) -> tensor<16x16xf16>
  %xab = mgraph_kernel.matmul %xa, %b : (tensor<16x16xf16>, tensor<16x4096xf16>) -> tensor<16x4096xf16>
  %y = mgraph_kernel.add %xw, %xab : (tensor<16x4096xf16>, tensor<16x4096xf16>) -> tensor<16x4096xf16>
  return %y : tensor<16x4096xf16>
}
