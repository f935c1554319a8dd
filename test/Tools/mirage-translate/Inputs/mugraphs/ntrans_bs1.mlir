// rms_norm(x + alpha * (rms_norm(h) + x)).
func.func @ntrans(%h: tensor<8x4096xf16>, %x: tensor<8x4096xf16>, %alpha: tensor<8x4096xf16>) -> tensor<8x4096xf16> {
  %n = mgraph_kernel.rms_norm %h eps 0.0 : (tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %a = mgraph_kernel.add %n, %x : (tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %m = mgraph_kernel.mul %alpha, %a : (tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %r = mgraph_kernel.add %x, %m : (tensor<8x4096xf16>, tensor<8x4096xf16>) -> tensor<8x4096xf16>
  %y = mgraph_kernel.rms_norm %r eps 0.0 : (tensor<8x4096xf16>) -> tensor<8x4096xf16>
  return %y : tensor<8x4096xf16>
}
