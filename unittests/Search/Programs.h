//===- Programs.h - Programs that the search's tests share ------*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_SEARCH_PROGRAMS_H
#define MIRAGE_UNITTESTS_SEARCH_PROGRAMS_H

#include "Mirage/Semantics/Program.h"

namespace mirage::search::test {

using namespace mirage::semantics;

/// Short forms for building programs.
struct Builder {
  Program program;

  ValueId input(Shape shape, DType type = DType::F16) {
    return program.addInput({shape, type});
  }
  ValueId op(OpKind kind, llvm::ArrayRef<ValueId> operands, Attrs attrs = {}) {
    return program.append(kind, operands, attrs);
  }
  ValueId typed(OpKind kind, llvm::ArrayRef<ValueId> operands, TensorType type,
                Attrs attrs = {}) {
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    op.operands.assign(operands.begin(), operands.end());
    op.results.push_back(program.addValue(type));
    program.ops.push_back(op);
    return op.results[0];
  }
  ValueId cast(ValueId x, DType type) {
    return typed(OpKind::Cast, {x}, {program.type(x).shape, type});
  }
  ValueId literal(double value, int64_t rank = 2, DType type = DType::F32) {
    Attrs attrs;
    attrs.constant = ConstantValue::makeLiteral(value);
    return typed(OpKind::Constant, {}, {Shape(rank, 1), type}, attrs);
  }
  ValueId full(double value, Shape shape, DType type = DType::F16) {
    Attrs attrs;
    attrs.constant = ConstantValue::makeLiteral(value);
    return typed(OpKind::Constant, {}, {std::move(shape), type}, attrs);
  }
  ValueId matmul(ValueId a, ValueId b) { return op(OpKind::Matmul, {a, b}); }
  ValueId rmsNorm(ValueId x, double epsilon, ValueId scale = -1) {
    Attrs attrs;
    attrs.epsilon = epsilon;
    attrs.hasScale = scale >= 0;
    llvm::SmallVector<ValueId, 2> operands{x};
    if (scale >= 0)
      operands.push_back(scale);
    return op(OpKind::RmsNorm, operands, attrs);
  }
  Program finish(llvm::ArrayRef<ValueId> outputs) {
    program.outputs.assign(outputs.begin(), outputs.end());
    return decompose(program);
  }
};

inline Program rmsNormLinear(int64_t rows = 16, int64_t depth = 4096,
                             int64_t columns = 6144, double epsilon = 1e-6) {
  Builder b;
  ValueId x = b.input({rows, depth}), w = b.input({depth, columns});
  return b.finish({b.matmul(b.rmsNorm(x, epsilon), w)});
}

inline Program gatedMlp(int64_t rows = 8, int64_t depth = 4096,
                        int64_t columns = 4096) {
  Builder b;
  ValueId x = b.input({rows, depth}), w1 = b.input({depth, columns}),
          w2 = b.input({depth, columns});
  ValueId gate = b.op(OpKind::Silu, {b.matmul(x, w1)});
  return b.finish({b.op(OpKind::Mul, {gate, b.matmul(x, w2)})});
}

/// silu as exporters spell it: x * 1 / (1 + exp(-x)), in f32.
inline Program gatedMlpFromPrimitives() {
  Builder b;
  ValueId x = b.input({8, 4096}), w1 = b.input({4096, 4096}),
          w2 = b.input({4096, 4096});
  ValueId h = b.cast(b.matmul(x, w1), DType::F32);
  ValueId e = b.op(OpKind::Exp, {b.op(OpKind::Neg, {h})});
  ValueId s =
      b.op(OpKind::Div, {b.literal(1), b.op(OpKind::Add, {e, b.literal(1)})});
  ValueId gate = b.cast(b.op(OpKind::Mul, {s, h}), DType::F16);
  return b.finish({b.op(OpKind::Mul, {gate, b.matmul(x, w2)})});
}

inline Program lora() {
  Builder b;
  ValueId x = b.input({16, 256}), w = b.input({256, 4096}),
          a = b.input({256, 16}), c = b.input({16, 4096});
  return b.finish(
      {b.op(OpKind::Add, {b.matmul(x, w), b.matmul(b.matmul(x, a), c)})});
}

inline Program linearGelu(int64_t rows = 16, int64_t depth = 1024,
                          int64_t columns = 4096) {
  Builder b;
  ValueId x = b.input({rows, depth}), w = b.input({depth, columns}),
          bias = b.input({columns});
  ValueId row = b.typed(OpKind::Reshape, {bias}, {{1, columns}, DType::F16});
  return b.finish(
      {b.op(OpKind::GeluTanh, {b.op(OpKind::Add, {b.matmul(x, w), row})})});
}

inline Program residualNormLinear() {
  Builder b;
  ValueId x = b.input({8, 4096}), r = b.input({8, 4096}),
          g = b.input({1, 4096}), w = b.input({4096, 6144});
  return b.finish({b.matmul(b.rmsNorm(b.op(OpKind::Add, {x, r}), 1e-6, g), w)});
}

inline Program normGatedMlp() {
  Builder b;
  ValueId x = b.input({8, 4096}), w1 = b.input({4096, 12288}),
          w2 = b.input({4096, 12288});
  ValueId n = b.rmsNorm(x, 1e-6);
  ValueId gate = b.op(OpKind::Silu, {b.matmul(n, w1)});
  return b.finish({b.op(OpKind::Mul, {gate, b.matmul(n, w2)})});
}

inline Program softmaxRows() {
  Builder b;
  ValueId x = b.input({256, 1024});
  Attrs attrs;
  attrs.dims = {1};
  return b.finish({b.op(OpKind::Softmax, {x}, attrs)});
}

inline Program layerNormLinear(int64_t depth = 1024, int64_t columns = 4096) {
  Builder b;
  ValueId x = b.input({16, depth}), g = b.input({1, depth}),
          c = b.input({1, depth}), w = b.input({depth, columns});
  Attrs attrs;
  attrs.epsilon = 1e-5;
  attrs.hasScale = attrs.hasBias = true;
  return b.finish({b.matmul(b.op(OpKind::LayerNorm, {x, g, c}, attrs), w)});
}

/// softmax(q k) v, k stored transposed.
inline Program attention(int64_t heads = 2, int64_t rows = 256,
                         int64_t context = 4096, int64_t dim = 64) {
  Builder b;
  ValueId q = b.input({heads, rows, dim}), k = b.input({heads, dim, context}),
          v = b.input({heads, context, dim});
  Attrs attrs;
  attrs.dims = {2};
  ValueId p = b.op(OpKind::Softmax, {b.matmul(q, k)}, attrs);
  return b.finish({b.matmul(p, v)});
}

/// What an attention program does besides its two products and softmax.
struct AttentionForm {
  double scale = 0;           ///< a factor of the logits, 0 for none
  bool scaleByExtent = false; ///< 1 / sqrt(d)
  double cap = 0;             ///< cap * tanh(logits / cap), 0 for none
  bool mask = false;          ///< an additive mask of rows by context
  bool norms = false;         ///< rms_norm of q, and of k along its depth
  bool keysByRow = false;     ///< k is (context, d), and transposed
  bool rank4 = false;         ///< a leading dim of size 1 around the products
  bool shiftScaled = false;   ///< exp(scale * (s - max s))
};

inline Program attentionOf(const AttentionForm &form, int64_t heads = 2,
                           int64_t rows = 256, int64_t context = 4096,
                           int64_t dim = 64) {
  Builder b;
  auto shape = [&](int64_t m, int64_t n) {
    return form.rank4 ? Shape{1, heads, m, n} : Shape{heads, m, n};
  };
  auto flat = [&](ValueId v) {
    const Shape &s = b.program.type(v).shape;
    return form.rank4 ? b.typed(OpKind::Reshape, {v},
                                {{s[1], s[2], s[3]}, b.program.type(v).dtype})
                      : v;
  };
  auto full = [&](ValueId v) {
    const Shape &s = b.program.type(v).shape;
    return form.rank4
               ? b.typed(OpKind::Reshape, {v},
                         {{1, s[0], s[1], s[2]}, b.program.type(v).dtype})
               : v;
  };
  int64_t rank = form.rank4 ? 4 : 3;
  ValueId q = b.input(shape(rows, dim));
  ValueId k =
      b.input(form.keysByRow ? shape(context, dim) : shape(dim, context));
  ValueId v = b.input(shape(context, dim));
  ValueId mask = form.mask ? b.input(form.rank4 ? Shape{1, 1, rows, context}
                                                : Shape{1, rows, context})
                           : -1;
  Attrs transpose;
  for (int64_t d = 0; d < rank; ++d)
    transpose.dims.push_back(d);
  std::swap(transpose.dims[rank - 1], transpose.dims[rank - 2]);
  if (form.norms) {
    q = b.rmsNorm(q, 1e-6);
    ValueId byRow =
        form.keysByRow ? k : b.op(OpKind::Transpose, {k}, transpose);
    k = b.rmsNorm(byRow, 1e-6);
  }
  if (form.norms || form.keysByRow)
    k = b.op(OpKind::Transpose, {k}, transpose);
  ValueId s = full(b.matmul(flat(q), flat(k)));
  if (form.scale != 0 && !form.shiftScaled)
    s = b.op(OpKind::Mul, {s, b.literal(form.scale, rank, DType::F16)});
  if (form.scaleByExtent) {
    Attrs c;
    c.constant =
        ConstantValue::makeExtent(ConstantValue::Kind::RsqrtExtent, dim);
    s = b.op(OpKind::Mul, {s, b.typed(OpKind::Constant, {},
                                      {Shape(rank, 1), DType::F16}, c)});
  }
  if (form.cap != 0) {
    ValueId cap = b.literal(form.cap, rank, DType::F16);
    s = b.op(OpKind::Mul,
             {b.op(OpKind::Tanh, {b.op(OpKind::Div, {s, cap})}), cap});
  }
  if (form.mask)
    s = b.op(OpKind::Add, {s, mask});
  Attrs last, max;
  last.dims = max.dims = {rank - 1};
  max.reduce = ReduceKind::Max;
  ValueId p;
  if (form.shiftScaled) {
    ValueId x = b.cast(s, DType::F32);
    ValueId shifted = b.op(OpKind::Sub, {x, b.op(OpKind::Reduce, {x}, max)});
    ValueId e =
        b.op(OpKind::Exp,
             {b.op(OpKind::Mul, {shifted, b.literal(form.scale, rank)})});
    p = b.cast(b.op(OpKind::Div, {e, b.op(OpKind::Reduce, {e}, last)}),
               DType::F16);
  } else {
    p = b.op(OpKind::Softmax, {s}, last);
  }
  return b.finish({full(b.matmul(flat(p), flat(v)))});
}

inline Program qkNormAttention() {
  AttentionForm form;
  form.norms = true;
  return attentionOf(form);
}

inline Program relu2() {
  Builder b;
  ValueId x = b.input({8, 3072}), w = b.input({3072, 9216});
  return b.finish(
      {b.op(OpKind::Square, {b.op(OpKind::Relu, {b.matmul(x, w)})})});
}

inline Program ntrans() {
  Builder b;
  ValueId h = b.input({8, 4096}), x = b.input({8, 4096}),
          alpha = b.input({8, 4096});
  ValueId step = b.op(OpKind::Sub, {b.rmsNorm(h, 1e-6), x});
  ValueId sum = b.op(OpKind::Add, {x, b.op(OpKind::Mul, {alpha, step})});
  return b.finish({b.rmsNorm(sum, 1e-6)});
}

inline Program elementwise() {
  Builder b;
  ValueId x = b.input({64, 2048}), y = b.input({64, 2048});
  return b.finish({b.op(OpKind::Mul, {b.op(OpKind::Silu, {x}), y})});
}

struct NamedProgram {
  const char *name;
  Program (*build)();
};

inline llvm::ArrayRef<NamedProgram> allPrograms() {
  static const NamedProgram programs[] = {
      {"rmsnorm_linear", [] { return rmsNormLinear(); }},
      {"gated_mlp", [] { return gatedMlp(); }},
      {"gated_mlp_primitives", gatedMlpFromPrimitives},
      {"lora", lora},
      {"linear_gelu", [] { return linearGelu(); }},
      {"linear_relu2", relu2},
      {"elementwise", elementwise},
      {"softmax", softmaxRows},
      {"norm_gate_up", normGatedMlp},
      {"residual_norm_linear", residualNormLinear},
      {"layernorm_linear", [] { return layerNormLinear(); }},
      {"layernorm_wide", [] { return layerNormLinear(4096, 6144); }},
      {"ntrans", ntrans},
      {"gqa", [] { return attention(); }},
      {"mha", [] { return attention(32, 16); }},
      {"qknorm_gqa", qkNormAttention},
  };
  return programs;
}

} // namespace mirage::search::test

#endif // MIRAGE_UNITTESTS_SEARCH_PROGRAMS_H
