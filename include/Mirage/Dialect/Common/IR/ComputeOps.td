//===- ComputeOps.td - Compute ops of every level -----------*- tablegen -*-===//
//
// The kernel and the block level have the same compute ops, on tensors and on
// tiles. Each is described once, in the multiclass at the end, and instantiated
// for a Mirage_Level. Names are those of Mirage/Semantics/Ops.def, and type
// rules those of semantics::inferType: nothing is restated in C++.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_COMMON_IR_COMPUTEOPS_TD
#define MIRAGE_DIALECT_COMMON_IR_COMPUTEOPS_TD

include "Mirage/Dialect/Common/IR/ComputeBase.td"

multiclass Mirage_ComputeOps<Mirage_Level level> {
  //===--------------------------------------------------------------------===//
  // Elementwise
  //===--------------------------------------------------------------------===//

  def ExpOp : Mirage_UnaryOp<level, "exp", "Exp", "Exponential", "e^x">;
  def LogOp : Mirage_UnaryOp<level, "log", "Log", "Natural logarithm", "ln x">;
  def SiluOp : Mirage_UnaryOp<level, "silu", "Silu", "Sigmoid-weighted linear unit",
                              "x / (1 + e^-x)">;
  def GeluTanhOp : Mirage_UnaryOp<level, "gelu_tanh", "GeluTanh",
      "Gaussian error linear unit by tanh",
      "x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))">;
  def GeluErfOp : Mirage_UnaryOp<level, "gelu_erf", "GeluErf",
      "Gaussian error linear unit by erf", "x/2 * (1 + erf(x / sqrt 2))">;
  def ReluOp : Mirage_UnaryOp<level, "relu", "Relu", "Rectified linear unit", "max(x, 0)">;
  def SigmoidOp : Mirage_UnaryOp<level, "sigmoid", "Sigmoid", "Logistic function",
                                 "1 / (1 + e^-x)">;
  def TanhOp : Mirage_UnaryOp<level, "tanh", "Tanh", "Hyperbolic tangent", "tanh x">;
  def ErfOp : Mirage_UnaryOp<level, "erf", "Erf", "Error function", "erf x">;
  def SqrtOp : Mirage_UnaryOp<level, "sqrt", "Sqrt", "Square root", "sqrt x">;
  def RsqrtOp : Mirage_UnaryOp<level, "rsqrt", "Rsqrt", "Reciprocal square root", "1 / sqrt x">;
  def SquareOp : Mirage_UnaryOp<level, "square", "Square", "Square", "x * x">;
  def AbsOp : Mirage_UnaryOp<level, "abs", "Abs", "Absolute value", "|x|">;
  def NegOp : Mirage_UnaryOp<level, "neg", "Neg", "Negation", "-x">;
  def ReciprocalOp : Mirage_UnaryOp<level, "reciprocal", "Reciprocal", "Reciprocal", "1 / x">;

  def ClampOp : Mirage_InferredOp<level, "clamp", "Clamp"> {
    let summary = "Restriction of each element to an interval";
    let description = [{
      Computes `result[i] = min(max(input[i], lo), hi)`.

      Constraints:
      - (C1) The element type of the input is a float.
      - (C2) `lo <= hi`.
      - (C3) The result has the input's shape;
        }] # level.elementRule # [{.

      Example:

      ```mlir
      %r = }] # level.op # "clamp %x lo 0.0 hi 6.0 : " # level.open
      # "16x64xf32> -> " # level.open # [{16x64xf32>
      ```
    }];
    let arguments = (ins level.value:$input, F64Attr:$lo, F64Attr:$hi);
    let assemblyFormat = [{
      $input `lo` custom<Number>($lo) `hi` custom<Number>($hi) attr-dict `:`
      type($input) `->` type($result)
    }];
    let attrsCode = [{
      attrs.lo = adaptor.getLo().convertToDouble();
      attrs.hi = adaptor.getHi().convertToDouble();
    }];
  }

  def CastOp : Mirage_ComputeOp<level, "cast", "Cast"> {
    let summary = "Conversion of each element to another element type";
    let description = [{
      Rounds each element to the result's element type, to nearest even.

      Constraints:
      - (C1) The result has the input's shape.

      Example:

      ```mlir
      %r = }] # level.op # "cast %x : " # level.open # "16x64xf32> -> "
      # level.open # [{16x64xf16>
      ```
    }];
    let arguments = (ins level.value:$input);
    let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
    let hasFolder = 1;
  }

  def AddOp : Mirage_BinaryOp<level, "add", "Add", "Sum", "a + b">;
  def SubOp : Mirage_BinaryOp<level, "sub", "Sub", "Difference", "a - b">;
  def MulOp : Mirage_BinaryOp<level, "mul", "Mul", "Product", "a * b"> {
    let hasFolder = 1;
  }
  def DivOp : Mirage_BinaryOp<level, "div", "Div", "Quotient", "a / b"> {
    let hasFolder = 1;
  }
  def MaxOp : Mirage_BinaryOp<level, "max", "Max", "Maximum", "max(a, b)">;
  def MinOp : Mirage_BinaryOp<level, "min", "Min", "Minimum", "min(a, b)">;
  def PowOp : Mirage_BinaryOp<level, "pow", "Pow", "Power", "a^b">;

  def CompareOp : Mirage_InferredOp<level, "compare", "Compare"> {
    let summary = "Comparison, element by element, with broadcast";
    let description = [{
      Computes `result[i] = lhs[i] P rhs[i]` for the predicate `P`, one of `eq`,
      `ne`, `lt`, `le`, `gt` and `ge`. Comparisons with a NaN are false, except
      `ne`, which is true.

      Constraints:
      - (C1) Both operands have the same rank, and at the kernel level one element
        type, a float.
      - (C2) In each dim their sizes are equal, or one of them is 1.
      - (C3) Each dim of the result is the larger of the two, and its element
        type is `i1`.

      Example:

      ```mlir
      %r = }] # level.op # "compare lt %a, %b : (" # level.open # "16x64xf32>, "
      # level.open # "16x1xf32>) -> " # level.open # [{16x64xi1>
      ```
    }];
    let arguments = (ins Mirage_Predicate:$predicate, level.value:$lhs,
                         level.value:$rhs);
    let assemblyFormat = [{
      $predicate $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)`
      `->` type($result)
    }];
    let attrsCode = [{
      attrs.predicate = ::mirage::toSemantics(adaptor.getPredicate());
    }];
  }

  def SelectOp : Mirage_InferredOp<level, "select", "Select"> {
    let summary = "Choice between two values, element by element";
    let description = [{
      Computes `result[i] = condition[i] ? trueValue[i] : falseValue[i]`, with
      the broadcast of dims of size 1.

      Constraints:
      - (C1) The element type of the condition is `i1`.
      - (C2) All operands have the same rank, and at the kernel level both values
        one element type.
      - (C3) In each dim the sizes are equal, or 1.

      Example:

      ```mlir
      %r = }] # level.op # "select %c, %a, %b : (" # level.open # "16x64xi1>, "
      # level.open # "16x64xf32>, " # level.open # "1x1xf32>) -> " # level.open
      # [{16x64xf32>
      ```
    }];
    let arguments = (ins level.value:$condition, level.value:$trueValue,
                         level.value:$falseValue);
    let assemblyFormat = [{
      $condition `,` $trueValue `,` $falseValue attr-dict `:`
      `(` type($condition) `,` type($trueValue) `,` type($falseValue) `)`
      `->` type($result)
    }];
  }

  //===--------------------------------------------------------------------===//
  // Contractions and reductions
  //===--------------------------------------------------------------------===//

  def MatmulOp : Mirage_InferredOp<level, "matmul", "Matmul"> {
    let summary = "Product of matrices, batched over the leading dims";
    let description = [{
      Computes `result[..., i, j] = sum_k lhs[..., i, k] * rhs[..., k, j]`, or
      with `transpose_rhs` `sum_k lhs[..., i, k] * rhs[..., j, k]`. Leading dims
      broadcast. The sum is taken in f32, in any order.

      Constraints:
      - (C1) Both operands have the same rank, at least 2.
      - (C2) The dims that are summed over have one size.
      - (C3) In each leading dim the sizes are equal, or one of them is 1.
      - (C4) Both operands have one element type, a float;
        }] # level.elementRule # [{.

      Example:

      ```mlir
      %c = }] # level.op # "matmul %a, %b : (" # level.open # "16x64xf16>, "
      # level.open # "64x32xf16>) -> " # level.open # !if(!eq(level.level, "Kernel"),
      "16x32xf16>", "16x32xf32>") # [{
      ```
    }];
    let arguments = (ins level.value:$lhs, level.value:$rhs,
                         UnitAttr:$transpose_rhs);
    let assemblyFormat = [{
      $lhs `,` $rhs (`transpose_rhs` $transpose_rhs^)? attr-dict `:`
      `(` type($lhs) `,` type($rhs) `)` `->` type($result)
    }];
    let attrsCode = "attrs.transposeRhs = adaptor.getTransposeRhs();";
    let hasCanonicalizer = 1;
  }

  def ReduceOp : Mirage_InferredOp<level, "reduce", "Reduce"> {
    let summary = "Sum, maximum or mean along dims that stay with size 1";
    let description = [{
      Combines all elements along `dims`, each of which has size 1 in the result:
      for `sum` and `dims [1]`, `result[i, 0] = sum_j input[i, j]`. Computed in
      f32, in any order.

      Constraints:
      - (C1) `dims` is not empty, increasing, and within the rank.
      - (C2) The element type is a float.
      - (C3) The result has the input's shape, with 1 in `dims`;
        }] # level.elementRule # [{.

      Example:

      ```mlir
      %r = }] # level.op # "reduce sum %x dims [1] : " # level.open
      # "16x64xf32> -> " # level.open # [{16x1xf32>
      ```
    }];
    let arguments = (ins Mirage_ReduceKind:$kind, level.value:$input,
                         DenseI64ArrayAttr:$dims);
    let assemblyFormat = [{
      $kind $input `dims` $dims attr-dict `:` type($input) `->` type($result)
    }];
    let attrsCode = [{
      attrs.reduce = ::mirage::toSemantics(adaptor.getKind());
      attrs.dims.assign(adaptor.getDims().begin(), adaptor.getDims().end());
    }];
  }

  //===--------------------------------------------------------------------===//
  // Composite ops
  //===--------------------------------------------------------------------===//

  def RmsNormOp : Mirage_InferredOp<level, "rms_norm", "RmsNorm"> {
    let summary = "Division by the root mean square along the last dim";
    let description = [{
      Computes `result = input / sqrt(mean(input^2) + eps) * scale`, the mean
      along the last dim; without `scale` the last factor is 1.

      Constraints:
      - (C1) The element types are floats, and at the kernel level equal.
      - (C2) The scale has shape `1x...xn` with `n` the input's last size.
      - (C3) The result has the input's shape;
        }] # level.elementRule # [{.

      Example:

      ```mlir
      %r = }] # level.op # [{rms_norm %x scale %w eps 1.0e-6
          : (}] # level.open # "16x64xf32>, " # level.open # "1x64xf32>) -> "
      # level.open # [{16x64xf32>
      ```
    }];
    let arguments = (ins level.value:$input, Optional<level.value>:$scale,
                         F64Attr:$epsilon);
    let assemblyFormat = [{
      $input (`scale` $scale^)? `eps` custom<Number>($epsilon) attr-dict `:`
      functional-type(operands, results)
    }];
    let attrsCode = [{
      attrs.epsilon = adaptor.getEpsilon().convertToDouble();
      attrs.hasScale = static_cast<bool>(adaptor.getScale());
    }];
  }

  def LayerNormOp : Mirage_InferredOp<level, "layer_norm", "LayerNorm",
                                      [AttrSizedOperandSegments]> {
    let summary = "Normalisation to mean 0 and variance 1 along the last dim";
    let description = [{
      Computes `result = (input - m) / sqrt(mean((input - m)^2) + eps) * scale +
      bias` with `m = mean(input)`, means along the last dim; without `scale` and
      `bias` these are 1 and 0.

      Constraints:
      - (C1) The element types are floats, and at the kernel level equal.
      - (C2) Scale and bias have shape `1x...xn` with `n` the input's last size.
      - (C3) The result has the input's shape;
        }] # level.elementRule # [{.

      Example:

      ```mlir
      %r = }] # level.op # [{layer_norm %x scale %w bias %b eps 1.0e-5
          : (}] # level.open # "16x64xf32>, " # level.open # "1x64xf32>, "
      # level.open # "1x64xf32>) -> " # level.open # [{16x64xf32>
      ```
    }];
    let arguments = (ins level.value:$input, Optional<level.value>:$scale,
                         Optional<level.value>:$bias, F64Attr:$epsilon);
    let assemblyFormat = [{
      $input (`scale` $scale^)? (`bias` $bias^)? `eps` custom<Number>($epsilon) attr-dict `:`
      functional-type(operands, results)
    }];
    let attrsCode = [{
      attrs.epsilon = adaptor.getEpsilon().convertToDouble();
      attrs.hasScale = static_cast<bool>(adaptor.getScale());
      attrs.hasBias = static_cast<bool>(adaptor.getBias());
    }];
  }

  def SoftmaxOp : Mirage_InferredOp<level, "softmax", "Softmax"> {
    let summary = "Exponentials that sum to 1 along a dim";
    let description = [{
      Computes `result = e^(input - m) / sum(e^(input - m))` with `m` the
      maximum, sum and maximum along `dim`.

      Constraints:
      - (C1) `dim` is within the rank.
      - (C2) The element type is a float.
      - (C3) The result has the input's shape;
        }] # level.elementRule # [{.

      Example:

      ```mlir
      %r = }] # level.op # "softmax %x dim 1 : " # level.open # "16x64xf32> -> "
      # level.open # [{16x64xf32>
      ```
    }];
    let arguments = (ins level.value:$input, I64Attr:$dim);
    let assemblyFormat = [{
      $input `dim` $dim attr-dict `:` type($input) `->` type($result)
    }];
    let attrsCode = "attrs.dims.push_back(adaptor.getDim());";
  }

  //===--------------------------------------------------------------------===//
  // Data movement
  //===--------------------------------------------------------------------===//

  def TransposeOp : Mirage_InferredOp<level, "transpose", "Transpose"> {
    let summary = "Permutation of the dims";
    let description = [{
      Dim `i` of the result is dim `perm[i]` of the input.

      Constraints:
      - (C1) `perm` is a permutation of the input's dims.
      - (C2) `dim(result, i) = dim(input, perm[i])`, and the element type stays.

      Example:

      ```mlir
      %r = }] # level.op # "transpose %x perm [1, 0] : " # level.open
      # "16x64xf32> -> " # level.open # [{64x16xf32>
      ```
    }];
    let arguments = (ins level.value:$input, DenseI64ArrayAttr:$perm);
    let assemblyFormat = [{
      $input `perm` $perm attr-dict `:` type($input) `->` type($result)
    }];
    let attrsCode =
      "attrs.dims.assign(adaptor.getPerm().begin(), adaptor.getPerm().end());";
    let hasFolder = 1;
    let hasCanonicalizer = 1;
  }

  def ReshapeOp : Mirage_ComputeOp<level, "reshape", "Reshape"> {
    let summary = "The same elements in row-major order under another shape";
    let description = [{
      Reads the elements of the input in row-major order.

      Constraints:
      - (C1) Input and result have the same number of elements and one element type.

      Example:

      ```mlir
      %r = }] # level.op # "reshape %x : " # level.open # "16x64xf32> -> "
      # level.open # [{1024xf32>
      ```
    }];
    let arguments = (ins level.value:$input);
    let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
    let hasFolder = 1;
    let hasCanonicalizer = 1;
  }

  def BroadcastOp : Mirage_ComputeOp<level, "broadcast", "Broadcast"> {
    let summary = "Repetition along the dims of size 1";
    let description = [{
      Computes `result[i] = input[i]`, an index into a dim of size 1 read as 0.

      Constraints:
      - (C1) Input and result have the same rank.
      - (C2) In each dim the sizes are equal, or the input's is 1; the element
        type stays.

      Example:

      ```mlir
      %r = }] # level.op # "broadcast %x : " # level.open # "16x1xf32> -> "
      # level.open # [{16x64xf32>
      ```
    }];
    let arguments = (ins level.value:$input);
    let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
    let hasFolder = 1;
  }

  def ConcatOp : Mirage_InferredOp<level, "concat", "Concat"> {
    let summary = "Values one after the other along a dim";
    let description = [{
      The elements of the inputs, in order, along `dim`.

      Constraints:
      - (C1) There is at least one input, and `dim` is within the rank.
      - (C2) All inputs have one element type, and the same sizes but in `dim`.
      - (C3) The result's size in `dim` is the sum of the inputs'; its element
        type is theirs.

      Example:

      ```mlir
      %r = }] # level.op # "concat %a, %b dim 0 : (" # level.open
      # "16x64xf32>, " # level.open # "8x64xf32>) -> " # level.open
      # [{24x64xf32>
      ```
    }];
    let arguments = (ins Variadic<level.value>:$inputs, I64Attr:$dim);
    let assemblyFormat = [{
      $inputs `dim` $dim attr-dict `:` functional-type(operands, results)
    }];
    let attrsCode = "attrs.dims.push_back(adaptor.getDim());";
  }

  def SliceOp : Mirage_InferredOp<level, "slice", "Slice"> {
    let summary = "Part of a value at regular strides";
    let description = [{
      Computes `result[i] = input[offsets + i * strides]`.

      Constraints:
      - (C1) `offsets`, `sizes` and `strides` have one entry for each dim.
      - (C2) Every element that is read exists.
      - (C3) The result has the shape `sizes`, and the input's element type.

      Example:

      ```mlir
      %r = }] # level.op # [{slice %x offsets [0, 32] sizes [16, 32] strides [1, 1]
          : }] # level.open # "16x64xf32> -> " # level.open # [{16x32xf32>
      ```
    }];
    let arguments = (ins level.value:$input, DenseI64ArrayAttr:$offsets,
                         DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
    let assemblyFormat = [{
      $input `offsets` $offsets `sizes` $sizes `strides` $strides attr-dict `:`
      type($input) `->` type($result)
    }];
    let attrsCode = [{
      attrs.offsets.assign(adaptor.getOffsets().begin(), adaptor.getOffsets().end());
      attrs.sizes.assign(adaptor.getSizes().begin(), adaptor.getSizes().end());
      attrs.strides.assign(adaptor.getStrides().begin(), adaptor.getStrides().end());
    }];
  }

  def GatherOp : Mirage_InferredOp<level, "gather", "Gather"> {
    let summary = "Slices of a value chosen by an index along a dim";
    let description = [{
      Reads `data` at an index in place of the position along `dim`: for
      `dim 0`, `result[i, j] = data[indices[i], j]`.

      Constraints:
      - (C1) `dim` is within the data's rank.
      - (C2) The indices have rank 1 and element type `i32` or `i64`.
      - (C3) The result has the data's shape, in `dim` the indices' size; its
        element type is the data's.

      Example:

      ```mlir
      %r = }] # level.op # "gather %data, %indices dim 0 : (" # level.open
      # "100x64xf32>, " # level.open # "8xi32>) -> " # level.open # [{8x64xf32>
      ```
    }];
    let arguments = (ins level.value:$data, level.value:$indices, I64Attr:$dim);
    let assemblyFormat = [{
      $data `,` $indices `dim` $dim attr-dict `:`
      `(` type($data) `,` type($indices) `)` `->` type($result)
    }];
    let attrsCode = "attrs.dims.push_back(adaptor.getDim());";
  }

  //===--------------------------------------------------------------------===//
  // Values without operands
  //===--------------------------------------------------------------------===//

  def IotaOp : Mirage_ComputeOp<level, "iota", "Iota"> {
    let summary = "Position along a dim";
    let description = [{
      Computes `result[i] = i[dim]`.

      Constraints:
      - (C1) `dim` is within the result's rank.

      Example:

      ```mlir
      %r = }] # level.op # "iota dim 1 : " # level.open # [{16x64xf32>
      ```
    }];
    let arguments = (ins I64Attr:$dim);
    let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
    let attrsCode = "attrs.dims.push_back(adaptor.getDim());";
  }

  def ConstantOp : Mirage_ComputeOp<level, "constant", "Constant"> {
    let summary = "The same number in every element";
    let description = [{
      The number is a literal, or stems from a size `n`: `extent n` is `n`,
      `inv_extent n` is `1/n` and `rsqrt_extent n` is `1/sqrt(n)`. Such a number
      keeps the size, because its nearest float would not be equal to it.
      `neg_inf` is minus infinity.

      Constraints:
      - (C1) The extent is positive.
      - (C2) The literal is finite.

      Examples:

      ```mlir
      %eps = }] # level.op # "constant 1.0e-6 : " # level.open # [{1x1xf32>
      %inv = }] # level.op # "constant inv_extent 4096 : " # level.open # [{1x1xf32>
      ```
    }];
    let arguments = (ins
      DefaultValuedAttr<Mirage_ConstantKind, "::mirage::ConstantKind::Literal">:$kind,
      DefaultValuedAttr<F64Attr, "0.0">:$literal,
      DefaultValuedAttr<I64Attr, "0">:$extent);
    let assemblyFormat = [{
      custom<ConstantValue>($kind, $literal, $extent) attr-dict `:` type($result)
    }];
    let attrsCode = [{
      attrs.constant.kind = ::mirage::toSemantics(adaptor.getKind());
      attrs.constant.literal = adaptor.getLiteral().convertToDouble();
      attrs.constant.extent = adaptor.getExtent();
    }];
  }
}

#endif // MIRAGE_DIALECT_COMMON_IR_COMPUTEOPS_TD
