// One function for each diagnostic of the compute ops on tiles, named by the op and
// its constraint. Tiles are loaded whole.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics

func.func @exp_c1(%x_in: tensor<16x64xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xi32> -> <16x64xi32>
    // expected-error @below {{'mgraph_block.exp' op expected a float element type, but got i32}}
    %0 = exp %x : <16x64xi32> -> <16x64xi32>
    yield
  }
  return
}

// -----

func.func @exp_c2(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.exp' op expected result shape [16, 64], but got [16, 32]}}
    %0 = exp %x : <16x64xf32> -> <16x32xf32>
    yield
  }
  return
}

// -----

func.func @exp_c2_element(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.exp' op expected result element type f32, but got f16}}
    %0 = exp %x : <16x64xf32> -> <16x64xf16>
    yield
  }
  return
}

// -----

func.func @clamp_c1(%x_in: tensor<4xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<4xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4xi32> -> <4xi32>
    // expected-error @below {{'mgraph_block.clamp' op expected a float element type, but got i32}}
    %0 = clamp %x lo 0.0 hi 1.0 : <4xi32> -> <4xi32>
    yield
  }
  return
}

// -----

func.func @clamp_c2(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.clamp' op expected lo <= hi, but got 2 and 1}}
    %0 = clamp %x lo 2.0 hi 1.0 : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @clamp_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.clamp' op expected result shape [16, 64], but got [16]}}
    %0 = clamp %x lo 0.0 hi 1.0 : <16x64xf32> -> <16xf32>
    yield
  }
  return
}

// -----

func.func @cast_c1(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.cast' op expected result shape [16, 64], but got [64, 16]}}
    %0 = cast %x : <16x64xf32> -> <64x16xf16>
    yield
  }
  return
}

// -----

func.func @add_c1(%x_in: tensor<16x64xf32>, %y_in: tensor<64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<64xf32> -> <64xf32>
    // expected-error @below {{'mgraph_block.add' op expected operands of one rank, but got ranks 2 and 1}}
    %0 = add %x, %y : (<16x64xf32>, <64xf32>) -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @add_c2(%x_in: tensor<16x64xf32>, %y_in: tensor<16x32xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<16x32xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<16x32xf32> -> <16x32xf32>
    // expected-error @below {{'mgraph_block.add' op expected equal sizes or size 1 in dimension 1, but got 64 and 32}}
    %0 = add %x, %y : (<16x64xf32>, <16x32xf32>) -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @add_c3_float(%x_in: tensor<4xi64>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<4xi64>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4xi64> -> <4xi64>
    // expected-error @below {{'mgraph_block.add' op expected a float element type, but got i64}}
    %0 = add %x, %x : (<4xi64>, <4xi64>) -> <4xi64>
    yield
  }
  return
}

// -----

func.func @add_c4(%x_in: tensor<16x1xf32>, %y_in: tensor<1x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<16x1xf32>, tensor<1x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x1xf32> -> <16x1xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<1x64xf32> -> <1x64xf32>
    // expected-error @below {{'mgraph_block.add' op expected result shape [16, 64], but got [16, 1]}}
    %0 = add %x, %y : (<16x1xf32>, <1x64xf32>) -> <16x1xf32>
    yield
  }
  return
}

// -----

func.func @compare_c1(%x_in: tensor<16x64xf32>, %y_in: tensor<64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<64xf32> -> <64xf32>
    // expected-error @below {{'mgraph_block.compare' op expected operands of one rank, but got ranks 2 and 1}}
    %0 = compare lt %x, %y : (<16x64xf32>, <64xf32>) -> <16x64xi1>
    yield
  }
  return
}

// -----

func.func @compare_c2(%x_in: tensor<16x64xf32>, %y_in: tensor<8x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<8x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<8x64xf32> -> <8x64xf32>
    // expected-error @below {{'mgraph_block.compare' op expected equal sizes or size 1 in dimension 0, but got 16 and 8}}
    %0 = compare lt %x, %y : (<16x64xf32>, <8x64xf32>) -> <16x64xi1>
    yield
  }
  return
}

// -----

func.func @compare_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.compare' op expected result element type i1, but got f32}}
    %0 = compare lt %x, %x : (<16x64xf32>, <16x64xf32>) -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @select_c1(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.select' op expected a condition of element type i1, but got f32}}
    %0 = select %x, %x, %x : (<16x64xf32>, <16x64xf32>, <16x64xf32>) -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @select_c3(%c_in: tensor<16x32xi1>, %x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%c_arg = %c_in, %x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x32xi1>, tensor<16x64xf32>) -> () {
    %c = load %c_arg imap [-1, -1, -1] : tensor<16x32xi1> -> <16x32xi1>
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.select' op expected equal sizes or size 1 in dimension 1, but got 32 and 64}}
    %0 = select %c, %x, %x : (<16x32xi1>, <16x64xf32>, <16x64xf32>) -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @matmul_c1(%x_in: tensor<64xf32>, %y_in: tensor<64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<64xf32>, tensor<64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<64xf32> -> <64xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<64xf32> -> <64xf32>
    // expected-error @below {{'mgraph_block.matmul' op expected lhs and rhs of one rank of at least 2, but got ranks 1 and 1}}
    %0 = matmul %x, %y : (<64xf32>, <64xf32>) -> <1xf32>
    yield
  }
  return
}

// -----

func.func @matmul_c2(%x_in: tensor<64x128xf32>, %y_in: tensor<64x32xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<64x128xf32>, tensor<64x32xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<64x128xf32> -> <64x128xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<64x32xf32> -> <64x32xf32>
    // expected-error @below {{'mgraph_block.matmul' op expected lhs dimension 1 to equal rhs dimension 0, but got 128 and 64}}
    %0 = matmul %x, %y : (<64x128xf32>, <64x32xf32>) -> <64x32xf32>
    yield
  }
  return
}

// -----

func.func @matmul_c2_transposed(%x_in: tensor<64x128xf32>, %y_in: tensor<64x32xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<64x128xf32>, tensor<64x32xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<64x128xf32> -> <64x128xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<64x32xf32> -> <64x32xf32>
    // expected-error @below {{'mgraph_block.matmul' op expected lhs dimension 1 to equal rhs dimension 1, but got 128 and 32}}
    %0 = matmul %x, %y transpose_rhs : (<64x128xf32>, <64x32xf32>) -> <64x64xf32>
    yield
  }
  return
}

// -----

func.func @matmul_c3(%x_in: tensor<3x4x8xf32>, %y_in: tensor<2x8x4xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<3x4x8xf32>, tensor<2x8x4xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<3x4x8xf32> -> <3x4x8xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<2x8x4xf32> -> <2x8x4xf32>
    // expected-error @below {{'mgraph_block.matmul' op expected equal batch sizes or size 1 in dimension 0, but got 3 and 2}}
    %0 = matmul %x, %y : (<3x4x8xf32>, <2x8x4xf32>) -> <3x4x4xf32>
    yield
  }
  return
}

// -----

func.func @matmul_c4(%x_in: tensor<4x8xf32>, %y_in: tensor<8x4xf16>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<4x8xf32>, tensor<8x4xf16>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4x8xf32> -> <4x8xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<8x4xf16> -> <8x4xf16>
    // expected-error @below {{'mgraph_block.matmul' op expected operands of one element type, but got f32 and f16}}
    %0 = matmul %x, %y : (<4x8xf32>, <8x4xf16>) -> <4x4xf32>
    yield
  }
  return
}

// -----

func.func @matmul_c4_result(%x_in: tensor<4x8xf16>, %y_in: tensor<8x4xf16>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<4x8xf16>, tensor<8x4xf16>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4x8xf16> -> <4x8xf16>
    %y = load %y_arg imap [-1, -1, -1] : tensor<8x4xf16> -> <8x4xf16>
    // expected-error @below {{'mgraph_block.matmul' op expected result element type f32, but got f16}}
    %0 = matmul %x, %y : (<4x8xf16>, <8x4xf16>) -> <4x4xf16>
    yield
  }
  return
}

// -----

func.func @reduce_c1_none(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.reduce' op expected at least 1 reduced dimension, but got 0}}
    %0 = reduce sum %x dims [] : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @reduce_c1_order(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.reduce' op expected increasing reduced dimensions, but got [1, 0]}}
    %0 = reduce sum %x dims [1, 0] : <16x64xf32> -> <1x1xf32>
    yield
  }
  return
}

// -----

func.func @reduce_c1_range(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.reduce' op expected reduced dimension in [0, 2), but got 2}}
    %0 = reduce sum %x dims [2] : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @reduce_c2(%x_in: tensor<4x4xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<4x4xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4x4xi32> -> <4x4xi32>
    // expected-error @below {{'mgraph_block.reduce' op expected a float element type, but got i32}}
    %0 = reduce sum %x dims [1] : <4x4xi32> -> <4x1xi32>
    yield
  }
  return
}

// -----

func.func @reduce_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.reduce' op expected result shape [16, 1], but got [16]}}
    %0 = reduce sum %x dims [1] : <16x64xf32> -> <16xf32>
    yield
  }
  return
}

// -----

func.func @rms_norm_c1(%x_in: tensor<4xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<4xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4xi32> -> <4xi32>
    // expected-error @below {{'mgraph_block.rms_norm' op expected a float element type, but got i32}}
    %0 = rms_norm %x eps 1.0e-6
        : (!mgraph_block.tile<4xi32>) -> !mgraph_block.tile<4xi32>
    yield
  }
  return
}

// -----

func.func @rms_norm_c2(%x_in: tensor<16x64xf32>, %w_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %w_arg = %w_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %w = load %w_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.rms_norm' op expected scale and bias of shape [1, 64], but got [16, 64]}}
    %0 = rms_norm %x scale %w eps 1.0e-6
        : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x64xf32>
    yield
  }
  return
}

// -----

func.func @rms_norm_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.rms_norm' op expected result shape [16, 64], but got [16, 1]}}
    %0 = rms_norm %x eps 1.0e-6
        : (!mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x1xf32>
    yield
  }
  return
}

// -----

func.func @layer_norm_c1(%x_in: tensor<4xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<4xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4xi32> -> <4xi32>
    // expected-error @below {{'mgraph_block.layer_norm' op expected a float element type, but got i32}}
    %0 = layer_norm %x eps 1.0e-6
        : (!mgraph_block.tile<4xi32>) -> !mgraph_block.tile<4xi32>
    yield
  }
  return
}

// -----

func.func @layer_norm_c2(%x_in: tensor<16x64xf32>, %w_in: tensor<64x1xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %w_arg = %w_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<64x1xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %w = load %w_arg imap [-1, -1, -1] : tensor<64x1xf32> -> <64x1xf32>
    // expected-error @below {{'mgraph_block.layer_norm' op expected scale and bias of shape [1, 64], but got [64, 1]}}
    %0 = layer_norm %x bias %w eps 1.0e-6
        : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<64x1xf32>) -> !mgraph_block.tile<16x64xf32>
    yield
  }
  return
}

// -----

func.func @layer_norm_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.layer_norm' op expected result shape [16, 64], but got [16, 1]}}
    %0 = layer_norm %x eps 1.0e-6
        : (!mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x1xf32>
    yield
  }
  return
}

// -----

func.func @softmax_c1(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.softmax' op expected dimension in [0, 2), but got 2}}
    %0 = softmax %x dim 2 : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @softmax_c2(%x_in: tensor<4xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<4xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<4xi32> -> <4xi32>
    // expected-error @below {{'mgraph_block.softmax' op expected a float element type, but got i32}}
    %0 = softmax %x dim 0 : <4xi32> -> <4xi32>
    yield
  }
  return
}

// -----

func.func @softmax_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.softmax' op expected result shape [16, 64], but got [16, 1]}}
    %0 = softmax %x dim 1 : <16x64xf32> -> <16x1xf32>
    yield
  }
  return
}

// -----

func.func @transpose_c1(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.transpose' op expected a permutation of 2 dimensions, but got [1]}}
    %0 = transpose %x perm [1] : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @transpose_c1_twice(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.transpose' op expected a permutation of 2 dimensions, but got [1, 1]}}
    %0 = transpose %x perm [1, 1] : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @transpose_c2(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.transpose' op expected result shape [64, 16], but got [16, 64]}}
    %0 = transpose %x perm [1, 0] : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @reshape_c1(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.reshape' op expected 1024 elements, but got 1000}}
    %0 = reshape %x : <16x64xf32> -> <1000xf32>
    yield
  }
  return
}

// -----

func.func @reshape_c1_element(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.reshape' op expected result element type f32, but got f16}}
    %0 = reshape %x : <16x64xf32> -> <1024xf16>
    yield
  }
  return
}

// -----

func.func @broadcast_c1(%x_in: tensor<16x1xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x1xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x1xf32> -> <16x1xf32>
    // expected-error @below {{'mgraph_block.broadcast' op expected a result of rank 2, but got 1}}
    %0 = broadcast %x : <16x1xf32> -> <16xf32>
    yield
  }
  return
}

// -----

func.func @broadcast_c2(%x_in: tensor<16x2xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x2xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x2xf32> -> <16x2xf32>
    // expected-error @below {{'mgraph_block.broadcast' op expected operand size 1 or 64 in dimension 1, but got 2}}
    %0 = broadcast %x : <16x2xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @concat_c1() {
  mgraph_kernel.graph () grid [1, 1, 1]
      : () -> () {
    // expected-error @below {{'mgraph_block.concat' op expected at least 1 operand, but got 0}}
    %0 = concat dim 0 : () -> !mgraph_block.tile<16x64xf32>
    yield
  }
  return
}

// -----

func.func @concat_c1_dim(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.concat' op expected dimension in [0, 2), but got 2}}
    %0 = concat %x dim 2
        : (!mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x64xf32>
    yield
  }
  return
}

// -----

func.func @concat_c2(%x_in: tensor<16x64xf32>, %y_in: tensor<16x32xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %y_arg = %y_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<16x32xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %y = load %y_arg imap [-1, -1, -1] : tensor<16x32xf32> -> <16x32xf32>
    // expected-error @below {{'mgraph_block.concat' op expected operands that differ only in dimension 0, but got [16, 64] and [16, 32]}}
    %0 = concat %x, %y dim 0
        : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<16x32xf32>) -> !mgraph_block.tile<16x64xf32>
    yield
  }
  return
}

// -----

func.func @concat_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.concat' op expected result shape [32, 64], but got [16, 64]}}
    %0 = concat %x, %x dim 0
        : (!mgraph_block.tile<16x64xf32>, !mgraph_block.tile<16x64xf32>) -> !mgraph_block.tile<16x64xf32>
    yield
  }
  return
}

// -----

func.func @slice_c1(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.slice' op expected 2 offsets, sizes and strides, but got 1, 2 and 2}}
    %0 = slice %x offsets [0] sizes [16, 64] strides [1, 1]
        : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @slice_c2(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.slice' op expected last index below 16 in dimension 0, but got 23}}
    %0 = slice %x offsets [8, 0] sizes [16, 64] strides [1, 1]
        : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @slice_c2_stride(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.slice' op expected offset >= 0, size >= 1 and stride >= 1 in dimension 1, but got 0, 64 and 0}}
    %0 = slice %x offsets [0, 0] sizes [16, 64] strides [1, 0]
        : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @slice_c3(%x_in: tensor<16x64xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    // expected-error @below {{'mgraph_block.slice' op expected result shape [8, 8], but got [16, 64]}}
    %0 = slice %x offsets [0, 0] sizes [8, 8] strides [1, 1]
        : <16x64xf32> -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @gather_c1(%x_in: tensor<16x64xf32>, %i_in: tensor<8xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %i_arg = %i_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<8xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %i = load %i_arg imap [-1, -1, -1] : tensor<8xi32> -> <8xi32>
    // expected-error @below {{'mgraph_block.gather' op expected dimension in [0, 2), but got 2}}
    %0 = gather %x, %i dim 2 : (<16x64xf32>, <8xi32>) -> <8x64xf32>
    yield
  }
  return
}

// -----

func.func @gather_c2(%x_in: tensor<16x64xf32>, %i_in: tensor<8xf32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %i_arg = %i_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<8xf32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %i = load %i_arg imap [-1, -1, -1] : tensor<8xf32> -> <8xf32>
    // expected-error @below {{'mgraph_block.gather' op expected indices of rank 1 and element type i32 or i64, but got 8xf32}}
    %0 = gather %x, %i dim 0 : (<16x64xf32>, <8xf32>) -> <8x64xf32>
    yield
  }
  return
}

// -----

func.func @gather_c3(%x_in: tensor<16x64xf32>, %i_in: tensor<8xi32>) {
  mgraph_kernel.graph (%x_arg = %x_in, %i_arg = %i_in) grid [1, 1, 1]
      : (tensor<16x64xf32>, tensor<8xi32>) -> () {
    %x = load %x_arg imap [-1, -1, -1] : tensor<16x64xf32> -> <16x64xf32>
    %i = load %i_arg imap [-1, -1, -1] : tensor<8xi32> -> <8xi32>
    // expected-error @below {{'mgraph_block.gather' op expected result shape [8, 64], but got [16, 64]}}
    %0 = gather %x, %i dim 0 : (<16x64xf32>, <8xi32>) -> <16x64xf32>
    yield
  }
  return
}

// -----

func.func @iota_c1() {
  mgraph_kernel.graph () grid [1, 1, 1]
      : () -> () {
    // expected-error @below {{'mgraph_block.iota' op expected dimension in [0, 1), but got 1}}
    %0 = iota dim 1 : <8xf32>
    yield
  }
  return
}

// -----

func.func @constant_c1() {
  mgraph_kernel.graph () grid [1, 1, 1]
      : () -> () {
    // expected-error @below {{'mgraph_block.constant' op expected an extent of at least 1, but got 0}}
    %0 = constant inv_extent 0 : <1xf32>
    yield
  }
  return
}
