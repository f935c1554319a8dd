// silu(x w1) * (x w2).
func.func @gated_mlp(%x: tensor<8x4096xf16>, %w1: tensor<4096x4096xf16>, %w2: tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
  %a = mgraph_kernel.matmul %x, %w1 : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  %b = mgraph_kernel.matmul %x, %w2 : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  %s = mgraph_kernel.silu %a : tensor<8x4096xf16> -> tensor<8x4096xf16>
  %y = mgraph_kernel.mul %s, %b : (tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16>
  return %y : tensor<8x4096xf16>
}
