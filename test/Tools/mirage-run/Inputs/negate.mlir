func.func @negate(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = mgraph_kernel.neg %x : tensor<4x64xf32> -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
