//===- Bookkeep.cpp - Degrees behind the error bound ----------------------===//

#include "Bookkeep.h"
#include "Mirage/Semantics/Evaluate.h"
#include "NumbersDomain.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
class Bookkeeper {
public:
  Bookkeeper(const Program &program, const Interpretation &mode)
      : program(program), domain(mode, result), values(program.values.size()) {}

  ProgramNumbers run() {
    for (unsigned i = 0; i < program.numInputs; ++i) {
      values[i].degree[0] = 1;
      values[i].varies = dimBits(program.type(i).shape);
      values[i].fresh = values[i].varies;
    }
    visit(program.ops, nullptr, nullptr);
    for (ValueId id : program.outputs)
      result.outputs.push_back(values[id]);
    return std::move(result);
  }

private:
  static unsigned dimBits(const Shape &shape) {
    unsigned bits = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      if (shape[i] > 1)
        bits |= 1u << i;
    return bits;
  }

  template <class Fn> static void renameMasks(Numbers &v, Fn fn) {
    v.varies = fn(v.varies);
    v.denominatorVaries = fn(v.denominatorVaries);
    v.calls.rename(fn);
  }

  /// Renames dim i to map[i] (or drops it, at -1) in the masks.
  static Numbers moved(Numbers v, llvm::ArrayRef<int> map) {
    auto rename = [&](unsigned mask) {
      unsigned bits = mask & ~((1u << kIterationBit) - 1);
      for (size_t i = 0; i < map.size(); ++i)
        if ((mask & (1u << i)) && map[i] >= 0)
          bits |= 1u << map[i];
      return bits;
    };
    renameMasks(v, rename);
    v.fresh = rename(v.fresh);
    v.rootOf = v.squared = nullptr;
    return v;
  }

  void visit(const std::vector<Op> &ops, const Op *graph, const Op *loop) {
    size_t stores = 0;
    for (const Op &op : ops) {
      switch (op.kind) {
      case OpKind::Graph:
        visit(op.body, &op, nullptr);
        break;
      case OpKind::Loop:
        visitLoop(*graph, op);
        break;
      case OpKind::Load:
        values[op.results[0]] = load(*graph, op);
        break;
      case OpKind::Running:
        values[op.results[0]] =
            total(loop->attrs.accumulators[op.attrs.accumulator],
                  loop->attrs.range, op.results[0]);
        values[op.results[0]].varies |= 1u << kIterationBit;
        values[op.results[0]].calls.rename(
            [](unsigned mask) { return mask | 1u << kIterationBit; });
        // The state depends on the iteration, so does its denominator.
        if (values[op.results[0]].denominator)
          values[op.results[0]].denominatorVaries |= 1u << kIterationBit;
        break;
      case OpKind::ReduceBlocks: {
        double count = graph->attrs.grid[op.attrs.gridDim];
        unsigned bit = 1u << (kGridBit + op.attrs.gridDim);
        const Numbers &x = values[op.operands[0]];
        values[op.results[0]] = op.attrs.reduce == ReduceKind::Max
                                    ? domain.maximum(x, count, bit)
                                    : domain.sum(x, count, bit);
        break;
      }
      case OpKind::Store:
        values[graph->results[stores]] = store(op, graph->results[stores]);
        ++stores;
        break;
      default:
        values[op.results[0]] = compute(op);
      }
    }
  }

  Numbers load(const Op &graph, const Op &op) {
    Numbers v = values[op.operands[0]];
    v.rootOf = v.squared = nullptr;
    // Block, iteration and element of the tile give each its own index along a
    // dim, so what is apart along the dim is apart along all of them.
    auto rename = [&](unsigned mask) {
      unsigned bits = mask;
      for (int g = 0; g < 3; ++g)
        if (op.attrs.imap[g] >= 0 && (mask & (1u << op.attrs.imap[g])))
          bits |= 1u << (kGridBit + g);
      if (op.attrs.fmap >= 0 && (mask & (1u << op.attrs.fmap)))
        bits |= 1u << kIterationBit;
      return bits;
    };
    renameMasks(v, rename);
    v.fresh = rename(v.fresh);
    if (v.denominator)
      v.denominator = mix(v.denominator, op.results[0]);
    return v;
  }

  Numbers store(const Op &op, ValueId id) {
    Numbers v = values[op.operands[0]];
    v.rootOf = v.squared = nullptr;
    v.fresh = 0;
    renameMasks(v, [&](unsigned mask) {
      for (int g = 0; g < 3; ++g)
        if (op.attrs.omap[g] >= 0 && (mask & (1u << (kGridBit + g))))
          mask |= 1u << op.attrs.omap[g];
      return mask & ((1u << kIterationBit) - 1);
    });
    if (v.denominator)
      v.denominator = mix(v.denominator, id);
    return v;
  }

  /// The state of an accumulator after `range` iterations: a bound for each
  /// earlier state too.
  Numbers total(const Accumulator &acc, double range, ValueId id) {
    Numbers v = values[acc.value];
    // One after the other: a call that varies with the iteration alone is one
    // call for all of the reduced dim.
    unsigned bits = 1u << kIterationBit, dimBit = 0;
    double size = 1;
    if (acc.reduceDim >= 0) {
      dimBit = 1u << acc.reduceDim;
      size = program.type(acc.value).shape[acc.reduceDim];
    }
    if (acc.kind == AccumulatorKind::Max) {
      if (dimBit)
        v = domain.maximum(v, size, dimBit);
      return domain.maximum(v, range, bits);
    }
    if (acc.kind == AccumulatorKind::Rescale) {
      // state = sum of value_i times the factors after it: bound each summand
      // by the value and range - 1 factors. A factor exp(m_old - m_new) is one
      // exponential however many are multiplied.
      const Numbers &f = values[acc.factor];
      double times = range - 1;
      for (int i : {0, 1}) {
        v.degree[i] += times * f.degree[i];
        v.logNorm[i] += times * f.logNorm[i];
        v.logTerms[i] += times * f.logTerms[i];
        // A factor without variables in it adds its exponents to each monomial.
        v.logMono[i] = f.degree[i] == 0 ? v.logMono[i] + times * f.logTerms[i]
                                        : v.logTerms[i];
        v.expFactors[i] += times * f.expFactors[i];
      }
      if (f.degree[0] != 0 || f.degree[1] != 0)
        v.fresh = 0;
      v.hasExp |= f.hasExp;
      v.calls.add(f.calls, times);
      v.varies |= f.varies;
      v.denominatorVaries |= f.denominatorVaries;
      v.denominator = NumbersDomain::product(v.denominator, f.denominator);
    }
    Numbers r = dimBit ? domain.sum(v, size, dimBit) : v;
    r = domain.sum(r, range, bits);
    if (r.denominator && (v.denominatorVaries & (bits | dimBit)))
      r.denominator = mix(r.denominator, id);
    return r;
  }

  /// True if the value or factor of an accumulator depends on its own state, be
  /// it through the states of others.
  bool feedsItself(const Op &loop) const {
    unsigned count = loop.attrs.accumulators.size();
    // The accumulators whose states a value of the body reads.
    llvm::DenseMap<ValueId, llvm::BitVector> reads;
    auto readsOf = [&](ValueId id) {
      auto at = reads.find(id);
      return at == reads.end() ? llvm::BitVector(count) : at->second;
    };
    for (const Op &op : loop.body) {
      llvm::BitVector all(count);
      if (op.kind == OpKind::Running)
        all.set(op.attrs.accumulator);
      for (ValueId id : op.operands)
        all |= readsOf(id);
      for (ValueId id : op.results)
        reads[id] = all;
    }
    std::vector<llvm::BitVector> state;
    for (const Accumulator &acc : loop.attrs.accumulators) {
      state.push_back(readsOf(acc.value));
      if (acc.kind == AccumulatorKind::Rescale)
        state.back() |= readsOf(acc.factor);
    }
    for (unsigned through = 0; through < count; ++through)
      for (llvm::BitVector &from : state)
        if (from.test(through))
          from |= state[through];
    for (unsigned i = 0; i < count; ++i)
      if (state[i].test(i))
        return true;
    return false;
  }

  void visitLoop(const Op &graph, const Op &loop) {
    // A running state feeds later ops of the same loop, so its accumulated
    // value must be known first: each pass settles one more link of a chain of
    // accumulators. A state that feeds itself never settles.
    bool hasRunning = false;
    for (const Op &op : loop.body)
      hasRunning |= op.kind == OpKind::Running;
    size_t chain = loop.attrs.accumulators.size();
    for (size_t pass = 0; pass < (hasRunning ? chain + 1 : 1); ++pass)
      visit(loop.body, &graph, &loop);
    result.hasRecurrence |= hasRunning && feedsItself(loop);
    for (size_t i = 0; i < loop.results.size(); ++i)
      values[loop.results[i]] =
          total(loop.attrs.accumulators[i], loop.attrs.range, loop.results[i]);
  }

  Numbers compute(const Op &op) {
    llvm::SmallVector<Numbers, 3> args;
    for (ValueId id : op.operands)
      args.push_back(values[id]);
    const Shape &shape = program.type(op.results[0]).shape;
    switch (opClass(op.kind)) {
    case OpClass::Unary:
    case OpClass::Binary:
    case OpClass::Compare:
    case OpClass::Select: {
      // Two divisions by one value have one denominator; a divisor made inside
      // an op is named by the op.
      bool divides = op.kind == OpKind::Div || op.kind == OpKind::Reciprocal;
      domain.divisorKey =
          divides ? mix(op.operands.back(), 1) : mix(op.results[0], 2);
      return evalElementwise(domain, op.kind, op.attrs, args,
                             program.type(op.results[0]).dtype);
    }
    case OpClass::Iota: {
      Numbers v;
      v.logNorm[0] = log2Of(shape[op.attrs.dims[0]]);
      v.varies = 1u << op.attrs.dims[0];
      return v;
    }
    case OpClass::Matmul: {
      int rank = shape.size();
      const Shape &lhs = program.type(op.operands[0]).shape;
      // Give the contracted dim a name of its own, in both operands.
      llvm::SmallVector<int, 6> mapA, mapB;
      for (int i = 0; i < rank; ++i) {
        mapA.push_back(i == rank - 1 ? rank : i);
        mapB.push_back(i == rank - 2 ? rank : i);
      }
      if (op.attrs.transposeRhs)
        std::swap(mapB[rank - 2], mapB[rank - 1]);
      Numbers product = domain.mul(moved(args[0], mapA), moved(args[1], mapB));
      Numbers v = domain.sum(product, lhs.back(), 1u << rank);
      return v;
    }
    case OpClass::Reduce: {
      double count = 1;
      unsigned bits = 0;
      for (int64_t dim : op.attrs.dims) {
        count *= program.type(op.operands[0]).shape[dim];
        bits |= 1u << dim;
      }
      if (op.attrs.reduce == ReduceKind::Max)
        return domain.maximum(args[0], count, bits);
      Numbers v = domain.sum(args[0], count, bits);
      if (op.attrs.reduce == ReduceKind::Mean)
        v.logNorm[1] += log2Of(count);
      return v;
    }
    case OpClass::Transpose: {
      llvm::SmallVector<int, 6> map(shape.size());
      for (size_t i = 0; i < shape.size(); ++i)
        map[op.attrs.dims[i]] = i;
      return renamed(moved(args[0], map), op.results[0]);
    }
    case OpClass::Constant: {
      Numbers v = domain.constant(op.attrs.constant);
      return v;
    }
    case OpClass::Concat: {
      Numbers v = args[0];
      for (const Numbers &other : args)
        v = NumbersDomain::worst(v, other);
      return spread(v, shape, op.results[0]);
    }
    case OpClass::Reshape:
      // Dims of size 1 come and go: the others keep their names, in order.
      if (std::optional<llvm::SmallVector<int, 6>> map =
              matchUnitReshape(program.type(op.operands[0]).shape, shape))
        return renamed(moved(args[0], *map), op.results[0]);
      return spread(args[0], shape, op.results[0]);
    case OpClass::Slice:
    case OpClass::Gather:
    case OpClass::Broadcast:
      return spread(args[0], shape, op.results[0]);
    case OpClass::Norm:
    case OpClass::Softmax:
    case OpClass::Structure:
      break;
    }
    return {};
  }

  /// Where each dim of `from` is in `to`, if these differ in dims of size 1
  /// only.
  static std::optional<llvm::SmallVector<int, 6>>
  matchUnitReshape(const Shape &from, const Shape &to) {
    llvm::SmallVector<int, 6> map;
    size_t next = 0;
    for (int64_t size : from) {
      if (size == 1) {
        map.push_back(-1);
        continue;
      }
      while (next < to.size() && to[next] == 1)
        ++next;
      if (next == to.size() || to[next] != size)
        return std::nullopt;
      map.push_back(next++);
    }
    return map;
  }

  Numbers renamed(Numbers v, ValueId id) {
    if (v.denominator)
      v.denominator = mix(v.denominator, id);
    return v;
  }

  /// After a reshape or the like: any dim may have become any other.
  Numbers spread(Numbers v, const Shape &shape, ValueId id) {
    constexpr unsigned kDims = (1u << kIterationBit) - 1;
    v.rootOf = v.squared = nullptr;
    v.fresh = 0;
    renameMasks(v, [&](unsigned mask) {
      return mask & kDims ? mask | dimBits(shape) : mask;
    });
    return renamed(v, id);
  }

  const Program &program;
  ProgramNumbers result;
  NumbersDomain domain;
  std::vector<Numbers> values;
};
} // namespace

ProgramNumbers mirage::verify::bookkeep(const Program &program,
                                        const Interpretation &interpretation) {
  return Bookkeeper(program, interpretation).run();
}

/// log2 of eps for a numerator of these numbers, without collisions.
static double log2Single(double d, double log2K, double delta, double log2C,
                         bool withExp) {
  double log2M =
      withExp ? std::log2(static_cast<double>(kPoolSizeE)) : kLog2PoolSizeR;
  // A nonzero coefficient of at most C has no more than ln C / ln X prime
  // factors above X; the number of them is whole, so none below X itself.
  double log2Eps =
      std::log2(std::floor((log2C + 1e-6) / kLog2PoolFloor)) - log2M;
  log2Eps = log2Add(log2Eps, std::log2(std::max(d, 1.0)) - kLog2PoolFloor);
  if (withExp && log2K > 0)
    log2Eps = log2Add(log2Eps, log2K + std::log2(std::max(delta, 1.0)) -
                                   std::log2(static_cast<double>(kOrderQ)));
  return log2Eps;
}

PairNumbers mirage::verify::combine(const ProgramNumbers &f,
                                    const ProgramNumbers &g, bool withExp) {
  PairNumbers r;
  auto cross = [](const double *a, const double *b) {
    return std::max(a[0] + b[1], b[0] + a[1]);
  };
  r.nb = std::max(f.exponentDegree[0], g.exponentDegree[0]);
  r.db = std::max(f.exponentDegree[1], g.exponentDegree[1]);
  for (size_t i = 0; i < f.outputs.size(); ++i) {
    const Numbers &a = f.outputs[i], &b = g.outputs[i];
    r.d = std::max(r.d, cross(a.degree, b.degree));
    r.e = std::max(r.e, cross(a.expFactors, b.expFactors));
    if (a.hasExp || b.hasExp) {
      r.log2K =
          std::max(r.log2K, log2Add(NumbersDomain::monoOfProduct(a, 0, b, 1),
                                    NumbersDomain::monoOfProduct(b, 0, a, 1)));
      r.log2Terms =
          std::max(r.log2Terms, log2Add(a.logTerms[0] + b.logTerms[1],
                                        b.logTerms[0] + a.logTerms[1]));
    }
    r.log2C = std::max(r.log2C, log2Add(a.logNorm[0] + b.logNorm[1],
                                        b.logNorm[0] + a.logNorm[1]));
    r.m = std::max(r.m, a.calls.total() + b.calls.total());
  }
  r.delta = withExp ? r.nb + 2 * r.e * r.db : 0;
  // The worst argument of either program, against itself.
  Numbers u = NumbersDomain::worst(f.argument, g.argument);
  r.du = u.degree[0] + u.degree[1];
  double log2Eps = log2Single(r.d, r.log2K, r.delta, r.log2C, withExp);
  bool covered = !withExp || r.log2K < std::log2(double(kOrderQ));
  if (r.m > 1) {
    double pairs = std::log2(r.m) + std::log2(r.m - 1) - 1;
    double e = u.expFactors[0] + u.expFactors[1];
    r.log2Ku = u.hasExp ? u.logTerms[0] + u.logTerms[1] + 1 : 0;
    r.deltaU = withExp ? r.nb + 2 * e * r.db : 0;
    r.log2Cu = u.logNorm[0] + u.logNorm[1] + 1;
    covered &= !withExp || r.log2Ku < std::log2(double(kOrderQ));
    log2Eps = log2Add(log2Eps, pairs + log2Single(r.du, r.log2Ku, r.deltaU,
                                                  r.log2Cu, withExp));
  }
  covered &= !f.hasRecurrence && !g.hasRecurrence;
  if (covered && log2Eps < -3)
    r.log2Eps = log2Eps;
  return r;
}
