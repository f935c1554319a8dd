// One function for each diagnostic, named by the op and its constraint.
// RUN: mirage-opt %s -split-input-file -verify-diagnostics

func.func @operand_dynamic(%x: tensor<16x?xf32>) {
  // expected-error @below {{'mgraph_kernel.exp' op operand #0 must be ranked tensor of static shape, rank at most 6, sizes of at least 1, no encoding, and element type f16, bf16, f32, f64, i1, i32 or i64, but got 'tensor<16x?xf32>'}}
  %0 = mgraph_kernel.exp %x : tensor<16x?xf32> -> tensor<16x?xf32>
  return
}

// -----

func.func @operand_element(%x: tensor<16xf8E5M2>) {
  // expected-error @below {{op operand #0 must be ranked tensor of static shape, rank at most 6, sizes of at least 1, no encoding, and element type f16, bf16, f32, f64, i1, i32 or i64, but got 'tensor<16xf8E5M2>'}}
  %0 = mgraph_kernel.exp %x : tensor<16xf8E5M2> -> tensor<16xf8E5M2>
  return
}

// -----

func.func @operand_encoding(%x: tensor<16xf32, "host">) {
  // expected-error @below {{op operand #0 must be ranked tensor of static shape, rank at most 6, sizes of at least 1, no encoding, and element type f16, bf16, f32, f64, i1, i32 or i64, but got 'tensor<16xf32, "host">'}}
  %0 = mgraph_kernel.exp %x : tensor<16xf32, "host"> -> tensor<16xf32>
  return
}

// -----

func.func @exp_c1(%x: tensor<16x64xi32>) {
  // expected-error @below {{'mgraph_kernel.exp' op expected a float element type, but got i32}}
  %0 = mgraph_kernel.exp %x : tensor<16x64xi32> -> tensor<16x64xi32>
  return
}

// -----

func.func @exp_c2(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.exp' op expected result shape [16, 64], but got [16, 32]}}
  %0 = mgraph_kernel.exp %x : tensor<16x64xf32> -> tensor<16x32xf32>
  return
}

// -----

func.func @exp_c2_element(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.exp' op expected result element type f32, but got f16}}
  %0 = mgraph_kernel.exp %x : tensor<16x64xf32> -> tensor<16x64xf16>
  return
}

// -----

// The count of elements is 2^64, which is 0 in 64 bits.
func.func @exp_elements(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @below {{'mgraph_kernel.exp' op expected at most 1099511627776 elements, but got 4294967296x4294967296xf32}}
  %0 = mgraph_kernel.exp %x : tensor<4294967296x4294967296xf32> -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @clamp_c1(%x: tensor<4xi32>) {
  // expected-error @below {{'mgraph_kernel.clamp' op expected a float element type, but got i32}}
  %0 = mgraph_kernel.clamp %x lo 0.0 hi 1.0 : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @clamp_c2(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.clamp' op expected lo <= hi, but got 2 and 1}}
  %0 = mgraph_kernel.clamp %x lo 2.0 hi 1.0
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @clamp_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.clamp' op expected result shape [16, 64], but got [16]}}
  %0 = mgraph_kernel.clamp %x lo 0.0 hi 1.0 : tensor<16x64xf32> -> tensor<16xf32>
  return
}

// -----

func.func @cast_c1(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.cast' op expected result shape [16, 64], but got [64, 16]}}
  %0 = mgraph_kernel.cast %x : tensor<16x64xf32> -> tensor<64x16xf16>
  return
}

// -----

func.func @add_c1(%x: tensor<16x64xf32>, %y: tensor<64xf32>) {
  // expected-error @below {{'mgraph_kernel.add' op expected operands of one rank, but got ranks 2 and 1}}
  %0 = mgraph_kernel.add %x, %y
      : (tensor<16x64xf32>, tensor<64xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @add_c2(%x: tensor<16x64xf32>, %y: tensor<16x32xf32>) {
  // expected-error @below {{'mgraph_kernel.add' op expected equal sizes or size 1 in dimension 1, but got 64 and 32}}
  %0 = mgraph_kernel.add %x, %y
      : (tensor<16x64xf32>, tensor<16x32xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @add_c3(%x: tensor<16x64xf32>, %y: tensor<16x64xf16>) {
  // expected-error @below {{'mgraph_kernel.add' op expected operands of one element type, but got f32 and f16}}
  %0 = mgraph_kernel.add %x, %y
      : (tensor<16x64xf32>, tensor<16x64xf16>) -> tensor<16x64xf32>
  return
}

// -----

func.func @add_c3_float(%x: tensor<4xi64>) {
  // expected-error @below {{'mgraph_kernel.add' op expected a float element type, but got i64}}
  %0 = mgraph_kernel.add %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return
}

// -----

func.func @add_c4(%x: tensor<16x1xf32>, %y: tensor<1x64xf32>) {
  // expected-error @below {{'mgraph_kernel.add' op expected result shape [16, 64], but got [16, 1]}}
  %0 = mgraph_kernel.add %x, %y
      : (tensor<16x1xf32>, tensor<1x64xf32>) -> tensor<16x1xf32>
  return
}

// -----

func.func @compare_c1(%x: tensor<16x64xf32>, %y: tensor<64xf32>) {
  // expected-error @below {{'mgraph_kernel.compare' op expected operands of one rank, but got ranks 2 and 1}}
  %0 = mgraph_kernel.compare lt %x, %y
      : (tensor<16x64xf32>, tensor<64xf32>) -> tensor<16x64xi1>
  return
}

// -----

func.func @compare_c2(%x: tensor<16x64xf32>, %y: tensor<8x64xf32>) {
  // expected-error @below {{'mgraph_kernel.compare' op expected equal sizes or size 1 in dimension 0, but got 16 and 8}}
  %0 = mgraph_kernel.compare lt %x, %y
      : (tensor<16x64xf32>, tensor<8x64xf32>) -> tensor<16x64xi1>
  return
}

// -----

func.func @compare_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.compare' op expected result element type i1, but got f32}}
  %0 = mgraph_kernel.compare lt %x, %x
      : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @select_c1(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.select' op expected a condition of element type i1, but got f32}}
  %0 = mgraph_kernel.select %x, %x, %x
      : (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @select_c2(%c: tensor<16x64xi1>, %x: tensor<16x64xf32>, %y: tensor<16x64xf16>) {
  // expected-error @below {{'mgraph_kernel.select' op expected operands of one element type, but got f32 and f16}}
  %0 = mgraph_kernel.select %c, %x, %y
      : (tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf16>) -> tensor<16x64xf32>
  return
}

// -----

func.func @select_c3(%c: tensor<16x32xi1>, %x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.select' op expected equal sizes or size 1 in dimension 1, but got 32 and 64}}
  %0 = mgraph_kernel.select %c, %x, %x
      : (tensor<16x32xi1>, tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @matmul_c1(%x: tensor<64xf32>, %y: tensor<64xf32>) {
  // expected-error @below {{'mgraph_kernel.matmul' op expected lhs and rhs of one rank of at least 2, but got ranks 1 and 1}}
  %0 = mgraph_kernel.matmul %x, %y
      : (tensor<64xf32>, tensor<64xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<64x128xf32>, %y: tensor<64x32xf32>) {
  // expected-error @below {{'mgraph_kernel.matmul' op expected lhs dimension 1 to equal rhs dimension 0, but got 128 and 64}}
  %0 = mgraph_kernel.matmul %x, %y
      : (tensor<64x128xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return
}

// -----

func.func @matmul_c2_transposed(%x: tensor<64x128xf32>, %y: tensor<64x32xf32>) {
  // expected-error @below {{'mgraph_kernel.matmul' op expected lhs dimension 1 to equal rhs dimension 1, but got 128 and 32}}
  %0 = mgraph_kernel.matmul %x, %y transpose_rhs
      : (tensor<64x128xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<3x4x8xf32>, %y: tensor<2x8x4xf32>) {
  // expected-error @below {{'mgraph_kernel.matmul' op expected equal batch sizes or size 1 in dimension 0, but got 3 and 2}}
  %0 = mgraph_kernel.matmul %x, %y
      : (tensor<3x4x8xf32>, tensor<2x8x4xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<4x8xf32>, %y: tensor<8x4xf16>) {
  // expected-error @below {{'mgraph_kernel.matmul' op expected operands of one element type, but got f32 and f16}}
  %0 = mgraph_kernel.matmul %x, %y
      : (tensor<4x8xf32>, tensor<8x4xf16>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_c1_none(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.reduce' op expected at least 1 reduced dimension, but got 0}}
  %0 = mgraph_kernel.reduce sum %x dims [] : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @reduce_c1_order(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.reduce' op expected increasing reduced dimensions, but got [1, 0]}}
  %0 = mgraph_kernel.reduce sum %x dims [1, 0]
      : tensor<16x64xf32> -> tensor<1x1xf32>
  return
}

// -----

func.func @reduce_c1_range(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.reduce' op expected reduced dimension in [0, 2), but got 2}}
  %0 = mgraph_kernel.reduce sum %x dims [2]
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4x4xi32>) {
  // expected-error @below {{'mgraph_kernel.reduce' op expected a float element type, but got i32}}
  %0 = mgraph_kernel.reduce sum %x dims [1] : tensor<4x4xi32> -> tensor<4x1xi32>
  return
}

// -----

func.func @reduce_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.reduce' op expected result shape [16, 1], but got [16]}}
  %0 = mgraph_kernel.reduce sum %x dims [1] : tensor<16x64xf32> -> tensor<16xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<4xi32>) {
  // expected-error @below {{'mgraph_kernel.rms_norm' op expected a float element type, but got i32}}
  %0 = mgraph_kernel.rms_norm %x eps 1.0e-6 : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<16x64xf32>, %w: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.rms_norm' op expected scale and bias of shape [1, 64], but got [16, 64]}}
  %0 = mgraph_kernel.rms_norm %x scale %w eps 1.0e-6
      : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.rms_norm' op expected result shape [16, 64], but got [16, 1]}}
  %0 = mgraph_kernel.rms_norm %x eps 1.0e-6
      : (tensor<16x64xf32>) -> tensor<16x1xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<4xi32>) {
  // expected-error @below {{'mgraph_kernel.layer_norm' op expected a float element type, but got i32}}
  %0 = mgraph_kernel.layer_norm %x eps 1.0e-6 : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<16x64xf32>, %w: tensor<64x1xf32>) {
  // expected-error @below {{'mgraph_kernel.layer_norm' op expected scale and bias of shape [1, 64], but got [64, 1]}}
  %0 = mgraph_kernel.layer_norm %x bias %w eps 1.0e-6
      : (tensor<16x64xf32>, tensor<64x1xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.layer_norm' op expected result shape [16, 64], but got [16, 1]}}
  %0 = mgraph_kernel.layer_norm %x eps 1.0e-6
      : (tensor<16x64xf32>) -> tensor<16x1xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.softmax' op expected dimension in [0, 2), but got 2}}
  %0 = mgraph_kernel.softmax %x dim 2 : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @softmax_c2(%x: tensor<4xi32>) {
  // expected-error @below {{'mgraph_kernel.softmax' op expected a float element type, but got i32}}
  %0 = mgraph_kernel.softmax %x dim 0 : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @softmax_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.softmax' op expected result shape [16, 64], but got [16, 1]}}
  %0 = mgraph_kernel.softmax %x dim 1 : tensor<16x64xf32> -> tensor<16x1xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.transpose' op expected a permutation of 2 dimensions, but got [1]}}
  %0 = mgraph_kernel.transpose %x perm [1] : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @transpose_c1_twice(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.transpose' op expected a permutation of 2 dimensions, but got [1, 1]}}
  %0 = mgraph_kernel.transpose %x perm [1, 1]
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.transpose' op expected result shape [64, 16], but got [16, 64]}}
  %0 = mgraph_kernel.transpose %x perm [1, 0]
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.reshape' op expected 1024 elements, but got 1000}}
  %0 = mgraph_kernel.reshape %x : tensor<16x64xf32> -> tensor<1000xf32>
  return
}

// -----

func.func @reshape_c1_element(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.reshape' op expected result element type f32, but got f16}}
  %0 = mgraph_kernel.reshape %x : tensor<16x64xf32> -> tensor<1024xf16>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<16x1xf32>) {
  // expected-error @below {{'mgraph_kernel.broadcast' op expected a result of rank 2, but got 1}}
  %0 = mgraph_kernel.broadcast %x : tensor<16x1xf32> -> tensor<16xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<16x2xf32>) {
  // expected-error @below {{'mgraph_kernel.broadcast' op expected operand size 1 or 64 in dimension 1, but got 2}}
  %0 = mgraph_kernel.broadcast %x : tensor<16x2xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @concat_c1() {
  // expected-error @below {{'mgraph_kernel.concat' op expected at least 1 operand, but got 0}}
  %0 = mgraph_kernel.concat dim 0 : () -> tensor<16x64xf32>
  return
}

// -----

func.func @concat_c1_dim(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.concat' op expected dimension in [0, 2), but got 2}}
  %0 = mgraph_kernel.concat %x dim 2 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<16x64xf32>, %y: tensor<16x32xf32>) {
  // expected-error @below {{'mgraph_kernel.concat' op expected operands that differ only in dimension 0, but got [16, 64] and [16, 32]}}
  %0 = mgraph_kernel.concat %x, %y dim 0
      : (tensor<16x64xf32>, tensor<16x32xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @concat_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.concat' op expected result shape [32, 64], but got [16, 64]}}
  %0 = mgraph_kernel.concat %x, %x dim 0
      : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.slice' op expected 2 offsets, sizes and strides, but got 1, 2 and 2}}
  %0 = mgraph_kernel.slice %x offsets [0] sizes [16, 64] strides [1, 1]
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.slice' op expected last index below 16 in dimension 0, but got 23}}
  %0 = mgraph_kernel.slice %x offsets [8, 0] sizes [16, 64] strides [1, 1]
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @slice_c2_stride(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.slice' op expected offset >= 0, size >= 1 and stride >= 1 in dimension 1, but got 0, 64 and 0}}
  %0 = mgraph_kernel.slice %x offsets [0, 0] sizes [16, 64] strides [1, 0]
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<16x64xf32>) {
  // expected-error @below {{'mgraph_kernel.slice' op expected result shape [8, 8], but got [16, 64]}}
  %0 = mgraph_kernel.slice %x offsets [0, 0] sizes [8, 8] strides [1, 1]
      : tensor<16x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<16x64xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{'mgraph_kernel.gather' op expected dimension in [0, 2), but got 2}}
  %0 = mgraph_kernel.gather %x, %i dim 2
      : (tensor<16x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<16x64xf32>, %i: tensor<8xf32>) {
  // expected-error @below {{'mgraph_kernel.gather' op expected indices of rank 1 and element type i32 or i64, but got 8xf32}}
  %0 = mgraph_kernel.gather %x, %i dim 0
      : (tensor<16x64xf32>, tensor<8xf32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<16x64xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{'mgraph_kernel.gather' op expected result shape [8, 64], but got [16, 64]}}
  %0 = mgraph_kernel.gather %x, %i dim 0
      : (tensor<16x64xf32>, tensor<8xi32>) -> tensor<16x64xf32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error @below {{'mgraph_kernel.iota' op expected dimension in [0, 1), but got 1}}
  %0 = mgraph_kernel.iota dim 1 : tensor<8xf32>
  return
}

// -----

func.func @constant_c1() {
  // expected-error @below {{'mgraph_kernel.constant' op expected an extent of at least 1, but got 0}}
  %0 = mgraph_kernel.constant inv_extent 0 : tensor<1xf32>
  return
}

// -----

func.func @constant_c2() {
  // expected-error @below {{'mgraph_kernel.constant' op expected a finite literal or neg_inf, but got nan}}
  %0 = "mgraph_kernel.constant"() <{literal = 0x7FF8000000000000 : f64}> : () -> tensor<1xf32>
  return
}

// -----

func.func @constant_c2_infinite() {
  // expected-error @below {{'mgraph_kernel.constant' op expected a finite literal or neg_inf, but got inf}}
  %0 = "mgraph_kernel.constant"() <{literal = 0x7FF0000000000000 : f64}> : () -> tensor<1xf32>
  return
}
