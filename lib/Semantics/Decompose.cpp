//===- Decompose.cpp - Composite operators as primitives ------------------===//
//
//   rms_norm(x, g)      = x * rsqrt(sum(x^2) * (1/n) + eps) * g
//   layer_norm(x, g, b) = c * rsqrt(sum(c^2) * (1/n) + eps) * g + b,
//                         c = x - sum(x) * (1/n)
//   softmax(x)          = e / sum(e),  e = exp(x - max(x))
//   mean(x)             = sum(x) * (1/n)
//
// 1/n is the symbol InvExtent, never a rounded literal. An eps of zero adds
// nothing.
//
// A composite op rounds once. Its primitives would each round to the element
// type, and in f16 a sum of squares passes 65504 at quite ordinary inputs, so
// between casts of the operands and of the result everything is f32.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Semantics/Program.h"

using namespace mirage::semantics;

namespace {
class Decomposer {
public:
  explicit Decomposer(const Program &source) : source(source) {
    result.name = source.name;
    // Value ids of the source stay valid: new values come after them.
    result.values = source.values;
    result.numInputs = source.numInputs;
    result.outputs = source.outputs;
  }

  Program run() {
    for (const Op &op : source.ops)
      rewrite(op);
    return std::move(result);
  }

private:
  ValueId emit(OpKind kind, llvm::ArrayRef<ValueId> operands,
               Attrs attrs = {}) {
    return result.append(kind, operands, std::move(attrs));
  }

  ValueId constant(ConstantValue value, ValueId like) {
    Attrs attrs;
    attrs.constant = value;
    TensorType type{Shape(result.type(like).rank(), 1),
                    result.type(like).dtype};
    Op op{OpKind::Constant, attrs, {}, {result.addValue(type)}, {}};
    result.ops.push_back(op);
    return op.results[0];
  }

  ValueId reduce(ReduceKind kind, ValueId x, llvm::ArrayRef<int64_t> dims) {
    Attrs attrs;
    attrs.reduce = kind;
    attrs.dims.assign(dims.begin(), dims.end());
    return emit(OpKind::Reduce, {x}, attrs);
  }

  ValueId mean(ValueId x, llvm::ArrayRef<int64_t> dims) {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= result.type(x).shape[dim];
    ValueId sum = reduce(ReduceKind::Sum, x, dims);
    return emit(OpKind::Mul,
                {sum, constant(ConstantValue::makeExtent(
                                   ConstantValue::Kind::InvExtent, count),
                               sum)});
  }

  /// x * rsqrt(mean(x^2) + eps), the part that both norms share.
  ValueId normalize(ValueId x, double epsilon) {
    int64_t last = result.type(x).rank() - 1;
    ValueId variance = mean(emit(OpKind::Square, {x}), {last});
    if (epsilon != 0.0)
      variance = emit(
          OpKind::Add,
          {variance, constant(ConstantValue::makeLiteral(epsilon), variance)});
    return emit(OpKind::Mul, {x, emit(OpKind::Rsqrt, {variance})});
  }

  ValueId cast(ValueId x, DType dtype) {
    if (result.type(x).dtype == dtype)
      return x;
    ValueId id = result.addValue({result.type(x).shape, dtype});
    result.ops.push_back({OpKind::Cast, {}, {x}, {id}, {}});
    return id;
  }

  ValueId widen(ValueId x) {
    return byteWidth(result.type(x).dtype) < byteWidth(DType::F32)
               ? cast(x, DType::F32)
               : x;
  }

  ValueId norm(const Op &op) {
    ValueId x = widen(op.operands[0]);
    if (op.kind == OpKind::LayerNorm)
      x = emit(OpKind::Sub, {x, mean(x, {result.type(x).rank() - 1})});
    ValueId value = normalize(x, op.attrs.epsilon);
    unsigned next = 1;
    if (op.attrs.hasScale)
      value = emit(OpKind::Mul, {value, widen(op.operands[next++])});
    if (op.attrs.hasBias)
      value = emit(OpKind::Add, {value, widen(op.operands[next])});
    return value;
  }

  ValueId softmax(const Op &op) {
    ValueId x = widen(op.operands[0]);
    int64_t dim = op.attrs.dims[0];
    ValueId shifted = emit(OpKind::Sub, {x, reduce(ReduceKind::Max, x, {dim})});
    ValueId e = emit(OpKind::Exp, {shifted});
    return emit(OpKind::Div, {e, reduce(ReduceKind::Sum, e, {dim})});
  }

  void rewrite(const Op &op) {
    ValueId value;
    if (op.kind == OpKind::RmsNorm || op.kind == OpKind::LayerNorm)
      value = norm(op);
    else if (op.kind == OpKind::Softmax)
      value = softmax(op);
    else if (op.kind == OpKind::Reduce && op.attrs.reduce == ReduceKind::Mean)
      value = mean(widen(op.operands[0]), op.attrs.dims);
    else {
      result.ops.push_back(op);
      return;
    }
    cast(value, result.type(op.results[0]).dtype);
    // The last op made stands for the composite one: give it that id.
    result.ops.back().results[0] = op.results[0];
  }

  const Program &source;
  Program result;
};
} // namespace

Program mirage::semantics::decompose(const Program &program) {
  return Decomposer(program).run();
}
