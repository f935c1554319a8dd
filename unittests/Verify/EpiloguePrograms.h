//===- EpiloguePrograms.h - Norms and epilogues in one kernel -*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_VERIFY_EPILOGUEPROGRAMS_H
#define MIRAGE_UNITTESTS_VERIFY_EPILOGUEPROGRAMS_H

#include "Programs.h"

namespace mirage::verify::test {

/// layer_norm(x) w, 4x24 by 24x12.
inline Program layerNormLinear() {
  Kernel k;
  ValueId x = k.input({4, 24}), w = k.input({24, 12});
  Attrs attrs;
  attrs.epsilon = 1e-5;
  return k.done({k.matmul(k.op(OpKind::LayerNorm, {x}, attrs), w)});
}

/// (x w - mean(x) colsum(w)) / sqrt(mean(x^2) - mean(x)^2 + eps), with all four
/// sums over one loop. `subtracts` keeps the square of the mean.
inline Program fusedLayerNormLinear(bool subtracts) {
  Program p;
  ValueId x = p.addInput({{4, 24}, DType::F32});
  ValueId w = p.addInput({{24, 12}, DType::F32});
  Block b(p, {x, w}, {3, 1, 1});
  b.beginLoop(4);
  ValueId xt = b.load(x, {-1, -1, -1}, 1), wt = b.load(w, {1, -1, -1}, 0);
  ValueId product = b.op(OpKind::Matmul, {xt, wt});
  ValueId square = b.op(OpKind::Square, {xt});
  auto totals = b.endLoop({{AccumulatorKind::Sum, product, -1, -1},
                           {AccumulatorKind::Sum, xt, -1, 1},
                           {AccumulatorKind::Sum, square, -1, 1},
                           {AccumulatorKind::Sum, wt, -1, 0}});
  ValueId n =
      b.constant(ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, 24));
  ValueId mean = b.op(OpKind::Mul, {totals[1], n});
  ValueId variance = b.op(OpKind::Mul, {totals[2], n});
  if (subtracts)
    variance = b.op(OpKind::Sub, {variance, b.op(OpKind::Mul, {mean, mean})});
  ValueId eps = b.constant(ConstantValue::makeLiteral(1e-5));
  ValueId scale = b.op(OpKind::Rsqrt, {b.op(OpKind::Add, {variance, eps})});
  ValueId centred =
      b.op(OpKind::Sub, {totals[0], b.op(OpKind::Mul, {mean, totals[3]})});
  b.store(b.op(OpKind::Mul, {centred, scale}), {1, -1, -1}, DType::F32);
  return b.done();
}

/// gelu(x w + bias), and the same in one kernel with the bias inside the sum.
inline Program biasGelu(OpKind gelu, DType dtype) {
  Kernel k;
  k.dtype = dtype;
  ValueId x = k.input({4, 24}), w = k.input({24, 12}), bias = k.input({1, 12});
  return k.done({k.op(gelu, {k.add(k.matmul(x, w), bias)})});
}

inline Program fusedBiasGelu(OpKind gelu, DType dtype, bool everyBlock) {
  Program p;
  ValueId x = p.addInput({{4, 24}, dtype}), w = p.addInput({{24, 12}, dtype}),
          bias = p.addInput({{1, 12}, dtype});
  Block b(p, {x, w, bias}, {3, 2, 1});
  ValueId biasTile = b.load(bias, {1, -1, -1});
  ValueId partial =
      b.op(OpKind::Matmul, {b.load(x, {-1, 1, -1}), b.load(w, {1, 0, -1})});
  // Adding the bias before blocks are summed counts it once for each.
  if (everyBlock)
    partial = b.op(OpKind::Add, {partial, biasTile});
  ValueId total = b.reduceBlocks(partial, 1);
  if (!everyBlock)
    total = b.op(OpKind::Add, {total, biasTile});
  b.store(b.op(gelu, {total}), {1, -1, -1}, dtype);
  return b.done();
}

} // namespace mirage::verify::test

#endif // MIRAGE_UNITTESTS_VERIFY_EPILOGUEPROGRAMS_H
