//===- KernelPrograms.cpp - Kernel-level programs at small sizes ----------===//

#include "../Programs.h"
#include "Corpus.h"

using namespace mirage::verify::mutation;
using namespace mirage::verify::test;
using mirage::verify::mutation::Base;

namespace {
/// Rows, inner extents and columns; `heads` only where there are any.
struct Extents {
  int64_t heads, rows, inner, cols;
};
constexpr Extents kDistinct = {2, 3, 4, 5}, kSquare = {2, 4, 4, 4};

ValueId silu(Kernel &k, ValueId x) { return k.op(OpKind::Silu, {x}); }
ValueId transposed(Kernel &k, ValueId x) {
  Attrs attrs;
  attrs.dims = {0, 2, 1};
  return k.op(OpKind::Transpose, {x}, attrs);
}

Program rmsNormLinear(Extents e) {
  return mirage::verify::test::rmsNormLinear({e.rows, e.inner, e.cols}, 1e-6);
}
Program gatedMlp(Extents e) {
  return mirage::verify::test::gatedMlp({e.rows, e.inner, e.cols});
}
Program gatedMlpWritten(Extents e) {
  return mirage::verify::test::gatedMlp({e.rows, e.inner, e.cols},
                                        /*written=*/true);
}
Program batchedAttention(Extents e) {
  Kernel k;
  ValueId q = k.input({e.heads, e.rows, e.inner}),
          keys = k.input({e.heads, e.inner, e.cols}),
          v = k.input({e.heads, e.cols, e.inner});
  return k.done({k.matmul(k.softmax(k.matmul(q, keys), 2), v)});
}
Program scaledAttention(Extents e) {
  Kernel k;
  ValueId q = k.input({e.rows, e.inner}), keys = k.input({e.inner, e.cols}),
          v = k.input({e.cols, e.inner});
  ValueId logits = k.mul(k.matmul(q, keys), k.literal(0.125));
  return k.done({k.matmul(k.softmax(logits, 1), v)});
}
Program qkNorm(Extents e) {
  Kernel k;
  constexpr double kTorchEps = 0x1p-23;
  ValueId q = k.input({e.heads, e.rows, e.inner}),
          keys = k.input({e.heads, e.inner, e.cols}),
          v = k.input({e.heads, e.cols, e.inner});
  ValueId t = transposed(k, k.rmsNorm(transposed(k, keys), kTorchEps));
  return k.done(
      {k.matmul(k.softmax(k.matmul(k.rmsNorm(q, kTorchEps), t), 2), v)});
}
Program lora(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), w = k.input({e.inner, e.cols}),
          a = k.input({e.inner, 4}), b = k.input({4, e.cols});
  return k.done({k.add(k.matmul(x, w), k.matmul(k.matmul(x, a), b))});
}
Program nTrans(Extents e) {
  Kernel k;
  ValueId h = k.input({e.rows, e.inner}), x = k.input({e.rows, e.inner}),
          alpha = k.input({e.rows, e.inner});
  ValueId step = k.mul(alpha, k.sub(k.rmsNorm(h, 1e-6), x));
  return k.done({k.rmsNorm(k.add(x, step), 1e-6)});
}
Program llamaSwiglu(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), w1 = k.input({e.inner, e.cols}),
          w2 = k.input({e.inner, e.cols}), w3 = k.input({e.cols, e.inner});
  return k.done(
      {k.matmul(k.mul(silu(k, k.matmul(x, w1)), k.matmul(x, w2)), w3)});
}
Program normGateUp(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), w1 = k.input({e.inner, e.cols}),
          w2 = k.input({e.inner, e.cols});
  ValueId n = k.rmsNorm(x, 1e-5);
  return k.done({k.mul(silu(k, k.matmul(n, w1)), k.matmul(n, w2))});
}
Program linearGelu(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), w = k.input({e.inner, e.cols}),
          bias = k.input({1, e.cols});
  return k.done({k.op(OpKind::GeluTanh, {k.add(k.matmul(x, w), bias)})});
}
Program residualNormLinear(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), r = k.input({e.rows, e.inner}),
          g = k.input({1, e.inner}), w = k.input({e.inner, e.cols});
  Attrs attrs;
  attrs.epsilon = 1e-6;
  attrs.hasScale = true;
  return k.done({k.matmul(k.op(OpKind::RmsNorm, {k.add(x, r), g}, attrs), w)});
}
Program relu2(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), w1 = k.input({e.inner, e.cols}),
          w2 = k.input({e.cols, e.inner});
  ValueId r = k.op(OpKind::Relu, {k.matmul(x, w1)});
  return k.done({k.matmul(k.op(OpKind::Square, {r}), w2)});
}
Program layerNorm(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), g = k.input({1, e.inner}),
          b = k.input({1, e.inner}), w = k.input({e.inner, e.cols});
  Attrs attrs;
  attrs.epsilon = 1e-5;
  attrs.hasScale = attrs.hasBias = true;
  return k.done({k.matmul(k.op(OpKind::LayerNorm, {x, g, b}, attrs), w)});
}
Program softmaxRows(Extents e) {
  Kernel k;
  return k.done({k.softmax(k.input({e.rows, e.cols}), 1)});
}
/// The norm and the sum that it normalises both leave.
Program twoOutputs(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), r = k.input({e.rows, e.inner});
  ValueId s = k.add(x, r);
  return k.done({k.rmsNorm(s, 1e-5), s});
}
Program clamped(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), w = k.input({e.inner, e.cols});
  ValueId h = k.clamp(k.matmul(x, w), -1.5, 6);
  return k.done({k.mul(h, k.op(OpKind::Sigmoid, {k.matmul(x, w)}))});
}
Program order(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.cols}), y = k.input({e.rows, e.cols}),
          b = k.input({1, e.cols});
  ValueId m = k.max(k.sub(x, b), k.min(y, b));
  return k.done({k.add(k.op(OpKind::Abs, {m}),
                       k.reduce(ReduceKind::Max, k.mul(x, y), 1))});
}
Program variance(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner});
  ValueId mean = k.reduce(ReduceKind::Mean, x, 1);
  ValueId v =
      k.reduce(ReduceKind::Mean, k.op(OpKind::Square, {k.sub(x, mean)}), 1);
  return k.done(
      {k.div(k.sub(x, mean), k.op(OpKind::Sqrt, {k.add(v, k.literal(1e-5))}))});
}
Program rescaled(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.inner}), y = k.input({e.rows, e.inner}),
          s = k.input({e.rows, 1}), t = k.input({1, e.inner});
  ValueId a = k.div(k.sub(x, y), k.add(k.exp(s), k.exp(t)));
  return k.done({k.mul(a, k.op(OpKind::Tanh, {k.div(y, k.exp(s))}))});
}
Program causalMask(Extents e) {
  Kernel k;
  ValueId q = k.input({e.rows, e.inner}), keys = k.input({e.inner, e.cols}),
          v = k.input({e.cols, e.inner});
  Attrs rows, cols, later;
  rows.dims = {0};
  cols.dims = {1};
  later.predicate = Predicate::Gt;
  ValueId i = k.shaped(OpKind::Iota, {}, {e.rows, e.cols}, rows);
  ValueId j = k.shaped(OpKind::Iota, {}, {e.rows, e.cols}, cols);
  ValueId masked = k.op(OpKind::Compare, {j, i}, later);
  ValueId none = k.constant(ConstantValue{ConstantValue::Kind::NegInf, 0, 0});
  ValueId logits = k.op(OpKind::Select, {masked, none, k.matmul(q, keys)});
  return k.done({k.matmul(k.softmax(logits, 1), v)});
}
Program logOfProduct(Extents e) {
  Kernel k;
  ValueId x = k.input({e.rows, e.cols}), y = k.input({e.rows, e.cols});
  ValueId a = k.add(k.mul(x, x), k.literal(1));
  ValueId b = k.add(k.mul(y, y), k.literal(0.5));
  return k.done({k.op(OpKind::Log, {k.div(a, b)})});
}

struct Entry {
  const char *name;
  Program (*build)(Extents);
};
constexpr Entry kPrograms[] = {
    {"rmsnorm_linear", rmsNormLinear},
    {"gated_mlp", gatedMlp},
    {"gated_mlp_written", gatedMlpWritten},
    {"attention", batchedAttention},
    {"scaled_attention", scaledAttention},
    {"qknorm_attention", qkNorm},
    {"lora", lora},
    {"ntrans", nTrans},
    {"llama_swiglu", llamaSwiglu},
    {"qwen_norm_gate_up", normGateUp},
    {"gpt2_linear_gelu", linearGelu},
    {"residual_norm_qkv", residualNormLinear},
    {"relu2_mlp", relu2},
    {"layernorm_linear", layerNorm},
    {"softmax", softmaxRows},
    {"two_outputs", twoOutputs},
    {"clamp_sigmoid", clamped},
    {"order", order},
    {"variance", variance},
    {"rescaled", rescaled},
    {"causal_mask", causalMask},
    {"log_of_product", logOfProduct},
};
} // namespace

void mirage::verify::mutation::addKernelPrograms(std::vector<Base> &corpus) {
  for (const Entry &entry : kPrograms)
    for (bool square : {false, true}) {
      Program program = entry.build(square ? kSquare : kDistinct);
      std::string name = entry.name + std::string(square ? ".square" : "");
      Program primitives = decompose(program);
      bool composite = toString(primitives) != toString(program);
      if (composite)
        corpus.push_back({name + ".primitives", program, primitives});
      corpus.push_back({name, program, program});
    }
}
