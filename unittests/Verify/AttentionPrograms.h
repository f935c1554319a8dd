//===- AttentionPrograms.h - Attention and its block graphs -*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_VERIFY_ATTENTIONPROGRAMS_H
#define MIRAGE_UNITTESTS_VERIFY_ATTENTIONPROGRAMS_H

#include "Programs.h"

namespace mirage::verify::test {

constexpr int64_t kRows = 3, kDepth = 4, kKeys = 12;

/// softmax(Q K) V.
inline Program attention(int64_t keyCount = kKeys) {
  Kernel k;
  ValueId q = k.input({kRows, kDepth}), keys = k.input({kDepth, keyCount}),
          v = k.input({keyCount, kDepth});
  return k.done({k.matmul(k.softmax(k.matmul(q, keys), 1), v)});
}

/// How online() spells exp.
struct ExpSpelling {
  bool base2 = false;  ///< exp(ln 2 * (x * log2 e)), as exp2 is raised
  double factor = 1.0; ///< another factor on the exponent of the rescaling
};

/// Online softmax over three tiles of keys. `rescales` keeps the factor
/// exp(m_old - m_new) on both accumulators.
inline Program online(bool rescales, bool usesMax = true, int64_t tiles = 3,
                      ExpSpelling spelling = {}, int64_t keyCount = kKeys) {
  Program p;
  ValueId q = p.addInput({{kRows, kDepth}, DType::F32});
  ValueId keys = p.addInput({{kDepth, keyCount}, DType::F32});
  ValueId v = p.addInput({{keyCount, kDepth}, DType::F32});
  Block b(p, {q, keys, v}, {1, 1, 1});
  ValueId qt = b.load(q, {-1, -1, -1});
  b.beginLoop(tiles);
  ValueId kt = b.load(keys, {-1, -1, -1}, 1), vt = b.load(v, {-1, -1, -1}, 0);
  ValueId logits = b.op(OpKind::Matmul, {qt, kt});
  ValueId before = b.running(2, /*current=*/false, {kRows, 1});
  ValueId now = b.running(2, /*current=*/true, {kRows, 1});
  auto scaled = [&](ValueId x, double by) {
    return b.op(OpKind::Mul, {x, b.constant(ConstantValue::makeLiteral(by))});
  };
  auto exp = [&](ValueId x) {
    // The roundings that a float program holds.
    if (spelling.base2)
      x = scaled(scaled(x, 0x1.715476p+0), 0x1.62e43p-1);
    return b.op(OpKind::Exp, {x});
  };
  ValueId fall = b.op(OpKind::Sub, {before, now});
  if (spelling.factor != 1.0)
    fall = scaled(fall, spelling.factor);
  ValueId factor = exp(fall);
  ValueId e = exp(usesMax ? b.op(OpKind::Sub, {logits, now}) : logits);
  ValueId product = b.op(OpKind::Matmul, {e, vt});
  auto kind = rescales ? AccumulatorKind::Rescale : AccumulatorKind::Sum;
  ValueId scale = rescales ? factor : -1;
  auto totals = b.endLoop({{kind, product, scale, -1},
                           {kind, e, scale, 1},
                           {AccumulatorKind::Max, logits, -1, 1}});
  b.store(b.op(OpKind::Div, {totals[0], totals[1]}), {-1, -1, -1}, DType::F32);
  return b.done();
}

/// Keys split over blocks. With `commonMax` the partial maxima are combined
/// before the exponentials; without, each block shifts by its own.
inline Program splitKeys(bool commonMax) {
  Program p;
  ValueId q = p.addInput({{kRows, kDepth}, DType::F32});
  ValueId keys = p.addInput({{kDepth, kKeys}, DType::F32});
  ValueId v = p.addInput({{kKeys, kDepth}, DType::F32});
  Block b(p, {q, keys, v}, {1, 3, 1});
  ValueId qt = b.load(q, {-1, -1, -1});
  ValueId kt = b.load(keys, {-1, 1, -1}), vt = b.load(v, {-1, 0, -1});
  ValueId logits = b.op(OpKind::Matmul, {qt, kt});
  Attrs max, sum;
  max.reduce = ReduceKind::Max;
  max.dims = sum.dims = {1};
  ValueId m = b.op(OpKind::Reduce, {logits}, max);
  if (commonMax)
    m = b.reduceBlocks(m, 1, ReduceKind::Max);
  ValueId e = b.op(OpKind::Exp, {b.op(OpKind::Sub, {logits, m})});
  ValueId top = b.reduceBlocks(b.op(OpKind::Matmul, {e, vt}), 1);
  ValueId bottom = b.reduceBlocks(b.op(OpKind::Reduce, {e}, sum), 1);
  b.store(b.op(OpKind::Div, {top, bottom}), {-1, -1, -1}, DType::F32);
  return b.done();
}

} // namespace mirage::verify::test

#endif // MIRAGE_UNITTESTS_VERIFY_ATTENTIONPROGRAMS_H
