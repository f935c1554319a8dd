// Two layers of one program, a slice before and after them.
func.func @two_layers(%x: tensor<16x512xf16>, %w: tensor<256x256xf16>, %u: tensor<256x256xf16>) -> tensor<16x128xf16> {
  %n = mgraph_kernel.constant inv_extent 256 : tensor<1x1xf16>
  %x0 = mgraph_kernel.slice %x offsets [0, 0] sizes [16, 256] strides [1, 1] : tensor<16x512xf16> -> tensor<16x256xf16>
  %0 = mgraph_kernel.square %x0 : tensor<16x256xf16> -> tensor<16x256xf16>
  %1 = mgraph_kernel.reduce sum %0 dims [1] : tensor<16x256xf16> -> tensor<16x1xf16>
  %2 = mgraph_kernel.mul %1, %n : (tensor<16x1xf16>, tensor<1x1xf16>) -> tensor<16x1xf16>
  %3 = mgraph_kernel.rsqrt %2 : tensor<16x1xf16> -> tensor<16x1xf16>
  %4 = mgraph_kernel.mul %x0, %3 : (tensor<16x256xf16>, tensor<16x1xf16>) -> tensor<16x256xf16>
  %5 = mgraph_kernel.matmul %4, %w : (tensor<16x256xf16>, tensor<256x256xf16>) -> tensor<16x256xf16>
  %6 = mgraph_kernel.square %5 : tensor<16x256xf16> -> tensor<16x256xf16>
  %7 = mgraph_kernel.reduce sum %6 dims [1] : tensor<16x256xf16> -> tensor<16x1xf16>
  %8 = mgraph_kernel.mul %7, %n : (tensor<16x1xf16>, tensor<1x1xf16>) -> tensor<16x1xf16>
  %9 = mgraph_kernel.rsqrt %8 : tensor<16x1xf16> -> tensor<16x1xf16>
  %10 = mgraph_kernel.mul %5, %9 : (tensor<16x256xf16>, tensor<16x1xf16>) -> tensor<16x256xf16>
  %11 = mgraph_kernel.matmul %10, %u : (tensor<16x256xf16>, tensor<256x256xf16>) -> tensor<16x256xf16>
  %12 = mgraph_kernel.slice %11 offsets [0, 0] sizes [16, 128] strides [1, 1] : tensor<16x256xf16> -> tensor<16x128xf16>
  return %12 : tensor<16x128xf16>
}
