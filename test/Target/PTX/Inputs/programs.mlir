func.func @rmsnorm_linear(%x: tensor<16x512xf16>, %w: tensor<512x768xf16>) -> tensor<16x768xf16> {
  %0 = mgraph_kernel.rms_norm %x eps 1.0e-05 : (tensor<16x512xf16>) -> tensor<16x512xf16>
  %1 = mgraph_kernel.matmul %0, %w : (tensor<16x512xf16>, tensor<512x768xf16>) -> tensor<16x768xf16>
  return %1 : tensor<16x768xf16>
}

func.func @gated_mlp(%x: tensor<8x512xf16>, %w1: tensor<512x768xf16>, %w2: tensor<512x768xf16>) -> tensor<8x768xf16> {
  %0 = mgraph_kernel.matmul %x, %w1 : (tensor<8x512xf16>, tensor<512x768xf16>) -> tensor<8x768xf16>
  %1 = mgraph_kernel.silu %0 : tensor<8x768xf16> -> tensor<8x768xf16>
  %2 = mgraph_kernel.matmul %x, %w2 : (tensor<8x512xf16>, tensor<512x768xf16>) -> tensor<8x768xf16>
  %3 = mgraph_kernel.mul %1, %2 : (tensor<8x768xf16>, tensor<8x768xf16>) -> tensor<8x768xf16>
  return %3 : tensor<8x768xf16>
}
