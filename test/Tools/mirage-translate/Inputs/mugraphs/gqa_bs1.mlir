// (e / sum(e)) v for e = exp(q k), with no maximum subtracted.
func.func @gqa(%q: tensor<2x256x64xf16>, %k: tensor<2x64x4096xf16>, %v: tensor<2x4096x64xf16>) -> tensor<2x256x64xf16> {
  %s = mgraph_kernel.matmul %q, %k : (tensor<2x256x64xf16>, tensor<2x64x4096xf16>) -> tensor<2x256x4096xf16>
  %e = mgraph_kernel.exp %s : tensor<2x256x4096xf16> -> tensor<2x256x4096xf16>
  %t = mgraph_kernel.reduce sum %e dims [2] : tensor<2x256x4096xf16> -> tensor<2x256x1xf16>
  %p = mgraph_kernel.div %e, %t : (tensor<2x256x4096xf16>, tensor<2x256x1xf16>) -> tensor<2x256x4096xf16>
  %y = mgraph_kernel.matmul %p, %v : (tensor<2x256x4096xf16>, tensor<2x4096x64xf16>) -> tensor<2x256x64xf16>
  return %y : tensor<2x256x64xf16>
}
