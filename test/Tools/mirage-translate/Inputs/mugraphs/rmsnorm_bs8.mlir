// rms_norm(x) w.
func.func @rmsnorm(%x: tensor<16x4096xf16>, %w: tensor<4096x6144xf16>) -> tensor<16x6144xf16> {
  %n = mgraph_kernel.rms_norm %x eps 0.0 : (tensor<16x4096xf16>) -> tensor<16x4096xf16>
  %y = mgraph_kernel.matmul %n, %w : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16>
  return %y : tensor<16x6144xf16>
}
