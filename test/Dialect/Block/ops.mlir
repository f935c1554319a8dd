// Compute ops on tiles read back as they were written, in both forms.
// RUN: mirage-opt %s | mirage-opt | FileCheck %s
// RUN: mirage-opt %s -mlir-print-op-generic | mirage-opt | FileCheck %s

// CHECK-LABEL: func @unary(
func.func @unary(%x_in: tensor<16x64xf32>) {
  %r = mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> tensor<8x8xf32> {
    %x = load %x_arg imap [-1, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    // CHECK: exp %{{.+}} : <16x64xf32> -> <16x64xf32>
    %0 = exp %x : <16x64xf32> -> <16x64xf32>
    // CHECK: log %{{.+}} : <16x64xf32> -> <16x64xf32>
    %1 = log %x : <16x64xf32> -> <16x64xf32>
    // CHECK: silu %{{.+}} : <16x64xf32> -> <16x64xf32>
    %2 = silu %x : <16x64xf32> -> <16x64xf32>
    // CHECK: gelu_tanh %{{.+}} : <16x64xf32> -> <16x64xf32>
    %3 = gelu_tanh %x : <16x64xf32> -> <16x64xf32>
    // CHECK: gelu_erf %{{.+}} : <16x64xf32> -> <16x64xf32>
    %4 = gelu_erf %x : <16x64xf32> -> <16x64xf32>
    // CHECK: relu %{{.+}} : <16x64xf32> -> <16x64xf32>
    %5 = relu %x : <16x64xf32> -> <16x64xf32>
    // CHECK: sigmoid %{{.+}} : <16x64xf32> -> <16x64xf32>
    %6 = sigmoid %x : <16x64xf32> -> <16x64xf32>
    // CHECK: tanh %{{.+}} : <16x64xf32> -> <16x64xf32>
    %7 = tanh %x : <16x64xf32> -> <16x64xf32>
    // CHECK: erf %{{.+}} : <16x64xf32> -> <16x64xf32>
    %8 = erf %x : <16x64xf32> -> <16x64xf32>
    // CHECK: sqrt %{{.+}} : <16x64xf32> -> <16x64xf32>
    %9 = sqrt %x : <16x64xf32> -> <16x64xf32>
    // CHECK: rsqrt %{{.+}} : <16x64xf32> -> <16x64xf32>
    %10 = rsqrt %x : <16x64xf32> -> <16x64xf32>
    // CHECK: square %{{.+}} : <16x64xf32> -> <16x64xf32>
    %11 = square %x : <16x64xf32> -> <16x64xf32>
    // CHECK: abs %{{.+}} : <16x64xf32> -> <16x64xf32>
    %12 = abs %x : <16x64xf32> -> <16x64xf32>
    // CHECK: neg %{{.+}} : <16x64xf32> -> <16x64xf32>
    %13 = neg %x : <16x64xf32> -> <16x64xf32>
    // CHECK: reciprocal %{{.+}} : <16x64xf32> -> <16x64xf32>
    %14 = reciprocal %x : <16x64xf32> -> <16x64xf32>
    // CHECK: clamp %{{.+}} lo -1.5 hi 6.0 : <16x64xf32> -> <16x64xf32>
    %15 = clamp %x lo -1.5 hi 6.0 : <16x64xf32> -> <16x64xf32>
    // CHECK: cast %{{.+}} : <16x64xf32> -> <16x64xbf16>
    %16 = cast %x : <16x64xf32> -> <16x64xbf16>
    %none = constant 0.0 : <8x8xf32>
    %out = store %none omap [-1, -1, -1] : <8x8xf32> -> tensor<8x8xf32>
    yield %out : tensor<8x8xf32>
  }
  return
}

// CHECK-LABEL: func @binary(
func.func @binary(%x_in: tensor<16x64xf32>, %s_in: tensor<16x1xf32>) {
  %r = mgraph_kernel.graph (%x_arg = %x_in, %s_arg = %s_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<8x8xf32> {
    %x = load %x_arg imap [-1, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    %s = load %s_arg imap [-1, -1, -1]
        : tensor<16x1xf32> -> <16x1xf32>
    // CHECK: add %{{.+}}, %{{.+}} : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %0 = add %x, %s : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    // CHECK: sub %{{.+}}, %{{.+}} : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %1 = sub %x, %s : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    // CHECK: mul %{{.+}}, %{{.+}} : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %2 = mul %x, %s : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    // CHECK: div %{{.+}}, %{{.+}} : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %3 = div %x, %s : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    // CHECK: max %{{.+}}, %{{.+}} : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %4 = max %x, %s : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    // CHECK: min %{{.+}}, %{{.+}} : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %5 = min %x, %s : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    // CHECK: pow %{{.+}}, %{{.+}} : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %6 = pow %x, %s : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %none = constant 0.0 : <8x8xf32>
    %out = store %none omap [-1, -1, -1] : <8x8xf32> -> tensor<8x8xf32>
    yield %out : tensor<8x8xf32>
  }
  return
}

// CHECK-LABEL: func @predicates(
func.func @predicates(%x_in: tensor<16x64xf32>, %s_in: tensor<1x1xf32>, %c_in: tensor<16x64xi1>) {
  %r = mgraph_kernel.graph (%x_arg = %x_in, %s_arg = %s_in, %c_arg = %c_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<1x1xf32>, tensor<16x64xi1>) -> tensor<8x8xf32> {
    %x = load %x_arg imap [-1, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    %s = load %s_arg imap [-1, -1, -1]
        : tensor<1x1xf32> -> <1x1xf32>
    %c = load %c_arg imap [-1, -1, -1]
        : tensor<16x64xi1> -> <16x64xi1>
    // CHECK: compare eq %{{.+}}, %{{.+}} : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    %0 = compare eq %x, %s : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    // CHECK: compare ne %{{.+}}, %{{.+}} : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    %1 = compare ne %x, %s : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    // CHECK: compare lt %{{.+}}, %{{.+}} : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    %2 = compare lt %x, %s : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    // CHECK: compare le %{{.+}}, %{{.+}} : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    %3 = compare le %x, %s : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    // CHECK: compare gt %{{.+}}, %{{.+}} : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    %4 = compare gt %x, %s : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    // CHECK: compare ge %{{.+}}, %{{.+}} : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    %5 = compare ge %x, %s : (<16x64xf32>, <1x1xf32>) -> <16x64xi1>
    // CHECK: select %{{.+}}, %{{.+}}, %{{.+}} : (<16x64xi1>, <16x64xf32>, <1x1xf32>) -> <16x64xf32>
    %6 = select %c, %x, %s : (<16x64xi1>, <16x64xf32>, <1x1xf32>) -> <16x64xf32>
    // CHECK: iota dim 1 : <16x64xi32>
    %7 = iota dim 1 : <16x64xi32>
    %none = constant 0.0 : <8x8xf32>
    %out = store %none omap [-1, -1, -1] : <8x8xf32> -> tensor<8x8xf32>
    yield %out : tensor<8x8xf32>
  }
  return
}

// CHECK-LABEL: func @contractions(
func.func @contractions(%a_in: tensor<16x64xf16>, %b_in: tensor<64x32xf16>, %t_in: tensor<32x64xf16>, %p_in: tensor<4x16x64xbf16>, %q_in: tensor<1x64x8xbf16>) {
  %r = mgraph_kernel.graph (%a_arg = %a_in, %b_arg = %b_in, %t_arg = %t_in, %p_arg = %p_in, %q_arg = %q_in) grid [1, 1, 1]
      : (tensor<16x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>, tensor<4x16x64xbf16>, tensor<1x64x8xbf16>) -> tensor<8x8xf32> {
    %a = load %a_arg imap [-1, -1, -1]
        : tensor<16x64xf16> -> <16x64xf16>
    %b = load %b_arg imap [-1, -1, -1]
        : tensor<64x32xf16> -> <64x32xf16>
    %t = load %t_arg imap [-1, -1, -1]
        : tensor<32x64xf16> -> <32x64xf16>
    %p = load %p_arg imap [-1, -1, -1]
        : tensor<4x16x64xbf16> -> <4x16x64xbf16>
    %q = load %q_arg imap [-1, -1, -1]
        : tensor<1x64x8xbf16> -> <1x64x8xbf16>
    // CHECK: matmul %{{.+}}, %{{.+}} : (<16x64xf16>, <64x32xf16>) -> <16x32xf32>
    %0 = matmul %a, %b : (<16x64xf16>, <64x32xf16>) -> <16x32xf32>
    // CHECK: matmul %{{.+}}, %{{.+}} transpose_rhs : (<16x64xf16>, <32x64xf16>) -> <16x32xf32>
    %1 = matmul %a, %t transpose_rhs : (<16x64xf16>, <32x64xf16>) -> <16x32xf32>
    // CHECK: matmul %{{.+}}, %{{.+}} : (<4x16x64xbf16>, <1x64x8xbf16>) -> <4x16x8xf32>
    %2 = matmul %p, %q : (<4x16x64xbf16>, <1x64x8xbf16>) -> <4x16x8xf32>
    // CHECK: reduce sum %{{.+}} dims [0, 2] : <4x16x64xbf16> -> <1x16x1xf32>
    %3 = reduce sum %p dims [0, 2] : <4x16x64xbf16> -> <1x16x1xf32>
    // CHECK: reduce max %{{.+}} dims [0, 2] : <4x16x64xbf16> -> <1x16x1xf32>
    %4 = reduce max %p dims [0, 2] : <4x16x64xbf16> -> <1x16x1xf32>
    // CHECK: reduce mean %{{.+}} dims [0, 2] : <4x16x64xbf16> -> <1x16x1xf32>
    %5 = reduce mean %p dims [0, 2] : <4x16x64xbf16> -> <1x16x1xf32>
    %none = constant 0.0 : <8x8xf32>
    %out = store %none omap [-1, -1, -1] : <8x8xf32> -> tensor<8x8xf32>
    yield %out : tensor<8x8xf32>
  }
  return
}

// CHECK-LABEL: func @composites(
func.func @composites(%x_in: tensor<16x64xf32>, %w_in: tensor<1x64xf32>, %b_in: tensor<1x64xf32>) {
  %r = mgraph_kernel.graph (%x_arg = %x_in, %w_arg = %w_in, %b_arg = %b_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<8x8xf32> {
    %x = load %x_arg imap [-1, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    %w = load %w_arg imap [-1, -1, -1]
        : tensor<1x64xf32> -> <1x64xf32>
    %b = load %b_arg imap [-1, -1, -1]
        : tensor<1x64xf32> -> <1x64xf32>
    // CHECK: rms_norm %{{.+}} eps 1.0e-06 : (!mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x64xf32>
    %0 = rms_norm %x eps 1.0e-06 : (!mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x64xf32>
    // CHECK: rms_norm %{{.+}} scale %{{.+}} eps 1.0e-06 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    %1 = rms_norm %x scale %w eps 1.0e-06 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    // CHECK: layer_norm %{{.+}} eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x64xf32>
    %2 = layer_norm %x eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x64xf32>
    // CHECK: layer_norm %{{.+}} scale %{{.+}} eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    %3 = layer_norm %x scale %w eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    // CHECK: layer_norm %{{.+}} bias %{{.+}} eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    %4 = layer_norm %x bias %b eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    // CHECK: layer_norm %{{.+}} scale %{{.+}} bias %{{.+}} eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    %5 = layer_norm %x scale %w bias %b eps 1.0e-05 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<1x64xf32>, !mgraph_block.tile<1x64xf32>) -> !mgraph_block.tile<16x64xf32>
    // CHECK: softmax %{{.+}} dim 1 : <16x64xf32> -> <16x64xf32>
    %6 = softmax %x dim 1 : <16x64xf32> -> <16x64xf32>
    %none = constant 0.0 : <8x8xf32>
    %out = store %none omap [-1, -1, -1] : <8x8xf32> -> tensor<8x8xf32>
    yield %out : tensor<8x8xf32>
  }
  return
}

// CHECK-LABEL: func @movement(
func.func @movement(%x_in: tensor<16x64xf32>, %i_in: tensor<8xi64>, %v_in: tensor<16x1xf32>) {
  %r = mgraph_kernel.graph (%x_arg = %x_in, %i_arg = %i_in, %v_arg = %v_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<8xi64>, tensor<16x1xf32>) -> tensor<8x8xf32> {
    %x = load %x_arg imap [-1, -1, -1]
        : tensor<16x64xf32> -> <16x64xf32>
    %i = load %i_arg imap [-1, -1, -1]
        : tensor<8xi64> -> <8xi64>
    %v = load %v_arg imap [-1, -1, -1]
        : tensor<16x1xf32> -> <16x1xf32>
    // CHECK: transpose %{{.+}} perm [1, 0] : <16x64xf32> -> <64x16xf32>
    %0 = transpose %x perm [1, 0] : <16x64xf32> -> <64x16xf32>
    // CHECK: reshape %{{.+}} : <16x64xf32> -> <2x8x64xf32>
    %1 = reshape %x : <16x64xf32> -> <2x8x64xf32>
    // CHECK: broadcast %{{.+}} : <16x1xf32> -> <16x64xf32>
    %2 = broadcast %v : <16x1xf32> -> <16x64xf32>
    // CHECK: concat %{{.+}}, %{{.+}} dim 1 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<16x1xf32>) -> !mgraph_block.tile<16x65xf32>
    %3 = concat %x, %v dim 1 : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<16x1xf32>) -> !mgraph_block.tile<16x65xf32>
    // CHECK: slice %{{.+}} offsets [0, 32] sizes [8, 16] strides [2, 2] : <16x64xf32> -> <8x16xf32>
    %4 = slice %x offsets [0, 32] sizes [8, 16] strides [2, 2] : <16x64xf32> -> <8x16xf32>
    // CHECK: gather %{{.+}}, %{{.+}} dim 0 : (<16x64xf32>, <8xi64>) -> <8x64xf32>
    %5 = gather %x, %i dim 0 : (<16x64xf32>, <8xi64>) -> <8x64xf32>
    %none = constant 0.0 : <8x8xf32>
    %out = store %none omap [-1, -1, -1] : <8x8xf32> -> tensor<8x8xf32>
    yield %out : tensor<8x8xf32>
  }
  return
}

// CHECK-LABEL: func @constants(
func.func @constants() {
  %r = mgraph_kernel.graph () grid [1, 1, 1]
      : () -> tensor<8x8xf32> {
    // CHECK: constant 1.0e-06 : <1x1xf32>
    %0 = constant 1.0e-06 : <1x1xf32>
    // CHECK: constant -0.5 : <1x1xf32>
    %1 = constant -0.5 : <1x1xf32>
    // CHECK: constant 0.1 : <1x1xf32>
    %2 = constant 0.1 : <1x1xf32>
    // CHECK: constant extent 64 : <1x1xf32>
    %3 = constant extent 64 : <1x1xf32>
    // CHECK: constant inv_extent 4096 : <1x1xf32>
    %4 = constant inv_extent 4096 : <1x1xf32>
    // CHECK: constant rsqrt_extent 128 : <1x1xf32>
    %5 = constant rsqrt_extent 128 : <1x1xf32>
    // CHECK: constant neg_inf : <1x1xf32>
    %6 = constant neg_inf : <1x1xf32>
    %none = constant 0.0 : <8x8xf32>
    %out = store %none omap [-1, -1, -1] : <8x8xf32> -> tensor<8x8xf32>
    yield %out : tensor<8x8xf32>
  }
  return
}

// A loop whose accumulators have every form, and what reads their state.
// CHECK-LABEL: func @accumulators(
func.func @accumulators(%x: tensor<16x64xf32>) -> tensor<16x1xf32> {
  %o = mgraph_kernel.graph (%a = %x) grid [1, 1, 2]
      : (tensor<16x64xf32>) -> tensor<16x1xf32> {
    // CHECK: %[[T:.+]]:5 = for %[[I:.+]] = 4 -> <16x1xf32>, <16x1xf32>, <16x8xf32>, <16x8xf32>, <16x8xf32> {
    %m, %s, %u, %v, %w = for %i = 4
        -> <16x1xf32>, <16x1xf32>, <16x8xf32>, <16x8xf32>, <16x8xf32> {
      // CHECK: %[[L:.+]] = load %{{.+}}[%[[I]]] imap [-1, -1, 1] fmap 1 interleaved : tensor<16x64xf32> -> <16x8xf32>
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1 interleaved
          : tensor<16x64xf32> -> <16x8xf32>
      // CHECK: %[[C:.+]] = running current 0[%[[I]]] : <16x1xf32>
      // CHECK: %[[P:.+]] = running previous 0[%[[I]]] : <16x1xf32>
      %1 = running current 0[%i] : <16x1xf32>
      %2 = running previous 0[%i] : <16x1xf32>
      %3 = sub %2, %1 : (<16x1xf32>, <16x1xf32>) -> <16x1xf32>
      // CHECK: %[[F:.+]] = exp
      %f = exp %3 : <16x1xf32> -> <16x1xf32>
      // CHECK: yield max(1) %[[L]], rescale(%[[F]], 1) %[[L]], sum %[[L]], max %[[L]], rescale(%[[F]]) %[[L]]
      // CHECK-SAME: : <16x8xf32>, <16x1xf32>, <16x8xf32>, <16x8xf32>, <16x8xf32>, <16x1xf32>, <16x8xf32>
      yield max(1) %0, rescale(%f, 1) %0, sum %0, max %0, rescale(%f) %0
          : <16x8xf32>, <16x1xf32>, <16x8xf32>, <16x8xf32>, <16x8xf32>,
            <16x1xf32>, <16x8xf32>
    }
    // CHECK: %[[R:.+]] = reduce_blocks max %[[T]]#0 dim 2 : <16x1xf32>
    // CHECK: store %[[R]] omap [-1, -1, -1] : <16x1xf32> -> tensor<16x1xf32>
    %r = reduce_blocks max %m dim 2 : <16x1xf32>
    %st = store %r omap [-1, -1, -1] : <16x1xf32> -> tensor<16x1xf32>
    yield %st : tensor<16x1xf32>
  }
  return %o : tensor<16x1xf32>
}
