// Text and generic form read back as they were written.
// RUN: mirage-opt %s | mirage-opt | FileCheck %s
// RUN: mirage-opt %s -mlir-print-op-generic | mirage-opt | FileCheck %s

// CHECK-LABEL: func @unary(
func.func @unary(%x: tensor<16x64xf32>) {
  // CHECK: mgraph_kernel.exp %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %0 = mgraph_kernel.exp %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.log %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %1 = mgraph_kernel.log %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.silu %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %2 = mgraph_kernel.silu %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.gelu_tanh %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %3 = mgraph_kernel.gelu_tanh %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.gelu_erf %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %4 = mgraph_kernel.gelu_erf %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.relu %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %5 = mgraph_kernel.relu %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.sigmoid %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %6 = mgraph_kernel.sigmoid %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.tanh %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %7 = mgraph_kernel.tanh %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.erf %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %8 = mgraph_kernel.erf %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.sqrt %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %9 = mgraph_kernel.sqrt %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.rsqrt %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %10 = mgraph_kernel.rsqrt %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.square %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %11 = mgraph_kernel.square %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.abs %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %12 = mgraph_kernel.abs %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.neg %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %13 = mgraph_kernel.neg %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.reciprocal %{{.+}} : tensor<16x64xf32> -> tensor<16x64xf32>
  %14 = mgraph_kernel.reciprocal %x : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.clamp %{{.+}} lo -1.5 hi 6.0 : tensor<16x64xf32> -> tensor<16x64xf32>
  %15 = mgraph_kernel.clamp %x lo -1.5 hi 6.0 : tensor<16x64xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.cast %{{.+}} : tensor<16x64xf32> -> tensor<16x64xbf16>
  %16 = mgraph_kernel.cast %x : tensor<16x64xf32> -> tensor<16x64xbf16>
  return
}

// CHECK-LABEL: func @binary(
func.func @binary(%x: tensor<16x64xf32>, %s: tensor<16x1xf32>) {
  // CHECK: mgraph_kernel.add %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %0 = mgraph_kernel.add %x, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.sub %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %1 = mgraph_kernel.sub %x, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.mul %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %2 = mgraph_kernel.mul %x, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.div %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %3 = mgraph_kernel.div %x, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.max %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %4 = mgraph_kernel.max %x, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.min %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %5 = mgraph_kernel.min %x, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.pow %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %6 = mgraph_kernel.pow %x, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  return
}

// CHECK-LABEL: func @predicates(
func.func @predicates(%x: tensor<16x64xf32>, %s: tensor<1x1xf32>, %c: tensor<16x64xi1>) {
  // CHECK: mgraph_kernel.compare eq %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  %0 = mgraph_kernel.compare eq %x, %s : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  // CHECK: mgraph_kernel.compare ne %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  %1 = mgraph_kernel.compare ne %x, %s : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  // CHECK: mgraph_kernel.compare lt %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  %2 = mgraph_kernel.compare lt %x, %s : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  // CHECK: mgraph_kernel.compare le %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  %3 = mgraph_kernel.compare le %x, %s : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  // CHECK: mgraph_kernel.compare gt %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  %4 = mgraph_kernel.compare gt %x, %s : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  // CHECK: mgraph_kernel.compare ge %{{.+}}, %{{.+}} : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  %5 = mgraph_kernel.compare ge %x, %s : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  // CHECK: mgraph_kernel.select %{{.+}}, %{{.+}}, %{{.+}} : (tensor<16x64xi1>, tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xf32>
  %6 = mgraph_kernel.select %c, %x, %s : (tensor<16x64xi1>, tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.iota dim 1 : tensor<16x64xi32>
  %7 = mgraph_kernel.iota dim 1 : tensor<16x64xi32>
  return
}

// CHECK-LABEL: func @contractions(
func.func @contractions(%a: tensor<16x64xf16>, %b: tensor<64x32xf16>, %t: tensor<32x64xf16>, %p: tensor<4x16x64xbf16>, %q: tensor<1x64x8xbf16>) {
  // CHECK: mgraph_kernel.matmul %{{.+}}, %{{.+}} : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf16>
  %0 = mgraph_kernel.matmul %a, %b : (tensor<16x64xf16>, tensor<64x32xf16>) -> tensor<16x32xf16>
  // CHECK: mgraph_kernel.matmul %{{.+}}, %{{.+}} transpose_rhs : (tensor<16x64xf16>, tensor<32x64xf16>) -> tensor<16x32xf16>
  %1 = mgraph_kernel.matmul %a, %t transpose_rhs : (tensor<16x64xf16>, tensor<32x64xf16>) -> tensor<16x32xf16>
  // CHECK: mgraph_kernel.matmul %{{.+}}, %{{.+}} : (tensor<4x16x64xbf16>, tensor<1x64x8xbf16>) -> tensor<4x16x8xbf16>
  %2 = mgraph_kernel.matmul %p, %q : (tensor<4x16x64xbf16>, tensor<1x64x8xbf16>) -> tensor<4x16x8xbf16>
  // CHECK: mgraph_kernel.reduce sum %{{.+}} dims [0, 2] : tensor<4x16x64xbf16> -> tensor<1x16x1xbf16>
  %3 = mgraph_kernel.reduce sum %p dims [0, 2] : tensor<4x16x64xbf16> -> tensor<1x16x1xbf16>
  // CHECK: mgraph_kernel.reduce max %{{.+}} dims [0, 2] : tensor<4x16x64xbf16> -> tensor<1x16x1xbf16>
  %4 = mgraph_kernel.reduce max %p dims [0, 2] : tensor<4x16x64xbf16> -> tensor<1x16x1xbf16>
  // CHECK: mgraph_kernel.reduce mean %{{.+}} dims [0, 2] : tensor<4x16x64xbf16> -> tensor<1x16x1xbf16>
  %5 = mgraph_kernel.reduce mean %p dims [0, 2] : tensor<4x16x64xbf16> -> tensor<1x16x1xbf16>
  return
}

// CHECK-LABEL: func @composites(
func.func @composites(%x: tensor<16x64xf32>, %w: tensor<1x64xf32>, %b: tensor<1x64xf32>) {
  // CHECK: mgraph_kernel.rms_norm %{{.+}} eps 1.0e-06 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %0 = mgraph_kernel.rms_norm %x eps 1.0e-06 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.rms_norm %{{.+}} scale %{{.+}} eps 1.0e-06 : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  %1 = mgraph_kernel.rms_norm %x scale %w eps 1.0e-06 : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.layer_norm %{{.+}} eps 1.0e-05 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %2 = mgraph_kernel.layer_norm %x eps 1.0e-05 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.layer_norm %{{.+}} scale %{{.+}} eps 1.0e-05 : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  %3 = mgraph_kernel.layer_norm %x scale %w eps 1.0e-05 : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.layer_norm %{{.+}} bias %{{.+}} eps 1.0e-05 : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  %4 = mgraph_kernel.layer_norm %x bias %b eps 1.0e-05 : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.layer_norm %{{.+}} scale %{{.+}} bias %{{.+}} eps 1.0e-05 : (tensor<16x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  %5 = mgraph_kernel.layer_norm %x scale %w bias %b eps 1.0e-05 : (tensor<16x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.softmax %{{.+}} dim 1 : tensor<16x64xf32> -> tensor<16x64xf32>
  %6 = mgraph_kernel.softmax %x dim 1 : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// CHECK-LABEL: func @movement(
func.func @movement(%x: tensor<16x64xf32>, %i: tensor<8xi64>, %v: tensor<16x1xf32>) {
  // CHECK: mgraph_kernel.transpose %{{.+}} perm [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
  %0 = mgraph_kernel.transpose %x perm [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
  // CHECK: mgraph_kernel.reshape %{{.+}} : tensor<16x64xf32> -> tensor<2x8x64xf32>
  %1 = mgraph_kernel.reshape %x : tensor<16x64xf32> -> tensor<2x8x64xf32>
  // CHECK: mgraph_kernel.broadcast %{{.+}} : tensor<16x1xf32> -> tensor<16x64xf32>
  %2 = mgraph_kernel.broadcast %v : tensor<16x1xf32> -> tensor<16x64xf32>
  // CHECK: mgraph_kernel.concat %{{.+}}, %{{.+}} dim 1 : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x65xf32>
  %3 = mgraph_kernel.concat %x, %v dim 1 : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x65xf32>
  // CHECK: mgraph_kernel.slice %{{.+}} offsets [0, 32] sizes [8, 16] strides [2, 2] : tensor<16x64xf32> -> tensor<8x16xf32>
  %4 = mgraph_kernel.slice %x offsets [0, 32] sizes [8, 16] strides [2, 2] : tensor<16x64xf32> -> tensor<8x16xf32>
  // CHECK: mgraph_kernel.gather %{{.+}}, %{{.+}} dim 0 : (tensor<16x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  %5 = mgraph_kernel.gather %x, %i dim 0 : (tensor<16x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  return
}

// CHECK-LABEL: func @constants(
func.func @constants() {
  // CHECK: mgraph_kernel.constant 1.0e-06 : tensor<1x1xf32>
  %0 = mgraph_kernel.constant 1.0e-06 : tensor<1x1xf32>
  // CHECK: mgraph_kernel.constant -0.5 : tensor<1x1xf32>
  %1 = mgraph_kernel.constant -0.5 : tensor<1x1xf32>
  // CHECK: mgraph_kernel.constant 0.1 : tensor<1x1xf32>
  %2 = mgraph_kernel.constant 0.1 : tensor<1x1xf32>
  // CHECK: mgraph_kernel.constant extent 64 : tensor<1x1xf32>
  %3 = mgraph_kernel.constant extent 64 : tensor<1x1xf32>
  // CHECK: mgraph_kernel.constant inv_extent 4096 : tensor<1x1xf32>
  %4 = mgraph_kernel.constant inv_extent 4096 : tensor<1x1xf32>
  // CHECK: mgraph_kernel.constant rsqrt_extent 128 : tensor<1x1xf32>
  %5 = mgraph_kernel.constant rsqrt_extent 128 : tensor<1x1xf32>
  // CHECK: mgraph_kernel.constant neg_inf : tensor<1x1xf32>
  %6 = mgraph_kernel.constant neg_inf : tensor<1x1xf32>
  return
}

// CHECK-LABEL: func @launch(
func.func @launch(%x: tensor<16x64xf16>) {
  // CHECK: mgraph_kernel.launch @kernels::@exp(%{{.+}}) plan {threads = 128 : i64} : (tensor<16x64xf16>) -> tensor<16x64xf16>
  %0 = mgraph_kernel.launch @kernels::@exp(%x) plan {threads = 128 : i64} : (tensor<16x64xf16>) -> tensor<16x64xf16>
  return
}
