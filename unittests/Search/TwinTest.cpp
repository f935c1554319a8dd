//===- TwinTest.cpp - The search against a naive twin ---------------------===//
//
// The twin builds every term of few operators over the loads, prunes nothing
// and merges nothing. Those that have the target's value and an expression
// A_eq-equal to the target's are what Theorem 1 of the paper promises: the
// hypergraph has to contain exactly these.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "Values.h"
#include <gtest/gtest.h>
#include <set>

using namespace mirage::search;
using namespace mirage::search::test;

namespace {
struct Term {
  std::string text;
  Phase phase;
  FieldTensor value;
  PolyId expression;
};

std::string call(llvm::StringRef name, std::string a, std::string b = "",
                 bool commutes = false) {
  if (commutes && b < a)
    std::swap(a, b);
  return (name + "(" + a + (b.empty() ? "" : "," + b) + ")").str();
}

std::string nameOf(const Action &a) {
  switch (a.kind) {
  case Action::Map:
    return "map" + std::to_string(a.index);
  case Action::Binary:
    return mnemonic(static_cast<OpKind>(a.index)).str();
  case Action::Matmul:
    return "matmul";
  case Action::Reduce:
    return "reduce" + std::to_string(a.index);
  case Action::Accumulate:
    return "accumulate" + std::to_string(a.index);
  case Action::ReduceBlocks:
    return "blocks";
  default:
    return "other";
  }
}

bool commutes(const Action &a) {
  return a.kind == Action::Binary &&
         (a.index == static_cast<int>(OpKind::Add) ||
          a.index == static_cast<int>(OpKind::Mul));
}

class Twin {
public:
  Twin(const Analysis &analysis, const Structure &structure, uint64_t seed)
      : analysis(analysis), structure(structure),
        sizes(shrink(analysis, structure)) {
    values = evaluateField(analysis, sizes.extent, domain, seed);
    target = evaluateExpressions(analysis, sizes.extent,
                                 pool)[analysis.program->outputs[0]];
    ValueId output = analysis.program->outputs[0];
    goal = tileField(values[output], outputSplits(analysis, structure, output),
                     sizes.axes);
    bySize.resize(1);
    for (unsigned i = 0; i < analysis.program->numInputs; ++i)
      for (const auto &splits : loadVariants(analysis, structure, i, false))
        emit("load" + std::to_string(i),
             splitByLoop(splits) ? Phase::Inside : Phase::Before,
             tileField(values[i], splits, sizes.axes), pool.input(i));
  }

  std::set<std::string> solutions(unsigned bound) {
    for (unsigned size = 1; size <= bound; ++size) {
      bySize.emplace_back();
      for (const Term &a : bySize[size - 1])
        unary(a);
      for (unsigned i = 0; i + 1 <= size; ++i)
        for (const Term &a : bySize[i])
          for (const Term &b : bySize[size - 1 - i])
            binary(a, b);
    }
    std::set<std::string> result;
    for (const auto &terms : bySize)
      for (const Term &t : terms)
        if (t.phase != Phase::Inside && t.expression == target &&
            t.value == goal)
          result.insert(t.text);
    return result;
  }
  size_t count() const { return seen.size(); }

private:
  void emit(std::string text, Phase phase, FieldTensor value,
            PolyId expression) {
    if (seen.insert(text).second)
      bySize.back().push_back(
          {std::move(text), phase, std::move(value), expression});
  }

  void unary(const Term &a) {
    constexpr unsigned c = FieldTensor::kContext;
    for (unsigned i = 0; i < analysis.maps.size(); ++i)
      emit(call("map" + std::to_string(i), a.text), a.phase,
           mapField({&a.value},
                    [&](llvm::ArrayRef<FieldValue> args) {
                      return applyMap(domain, analysis.maps[i], args[0]);
                    }),
           mapExpression(analysis, i, a.expression, pool));
    int rank = a.value.rank();
    for (int d = 0; d < rank; ++d)
      if (a.value.shape()[d] > 1)
        emit(call("reduce" + std::to_string(d), a.text), a.phase,
             reduceField(domain, a.value, c + d, false),
             pool.sum(a.value.shape()[d], a.expression));
    if (a.phase == Phase::Inside) {
      FieldTensor total = reduceField(domain, a.value, kLoopAxis, false);
      int64_t range = sizes.axes[kLoopAxis];
      for (int d = -1; d < rank; ++d) {
        if (d >= 0 && a.value.shape()[d] == 1)
          continue;
        emit(
            call("accumulate" + std::to_string(d), a.text), Phase::After,
            d < 0 ? total : reduceField(domain, total, c + d, false),
            pool.sum(d < 0 ? range : range * a.value.shape()[d], a.expression));
      }
    } else if (int axis = structure.reduceAxis;
               axis >= 0 && a.value.dims[axis] > 1) {
      emit(call("blocks", a.text), a.phase,
           reduceField(domain, a.value, axis, false),
           pool.sum(sizes.axes[axis], a.expression));
    }
  }

  void binary(const Term &a, const Term &b) {
    if (a.phase != Phase::Before && b.phase != Phase::Before &&
        a.phase != b.phase)
      return;
    Phase phase = a.phase == Phase::Before ? b.phase : a.phase;
    llvm::ArrayRef<int> l = a.value.shape(), r = b.value.shape();
    bool fits = l.size() == r.size();
    for (unsigned d = 0; fits && d < l.size(); ++d)
      fits = l[d] == r[d] || l[d] == 1 || r[d] == 1;
    ExpressionDomain abstract{pool, analysis.opaqueMaps};
    for (OpKind kind : {OpKind::Add, OpKind::Mul}) {
      if (!fits)
        break;
      emit(call(mnemonic(kind), a.text, b.text, true), phase,
           mapField({&a.value, &b.value},
                    [&](llvm::ArrayRef<FieldValue> args) {
                      return evalElementwise(domain, kind, Attrs(), args,
                                             DType::F32);
                    }),
           evalElementwise(abstract, kind, Attrs(),
                           {a.expression, b.expression}, DType::F32));
    }
    if (analysis.hasMatmul && l.size() == 2 && r.size() == 2 && l[1] > 1 &&
        l[1] == r[0])
      emit(call("matmul", a.text, b.text), phase,
           matmulField(a.value, b.value, false),
           pool.sum(l[1], pool.mul(a.expression, b.expression)));
  }

  const Analysis &analysis;
  const Structure &structure;
  ShrunkenSizes sizes;
  ExpressionPool pool{100000};
  FieldDomain domain;
  std::vector<FieldTensor> values;
  PolyId target;
  FieldTensor goal;
  std::vector<std::vector<Term>> bySize;
  std::set<std::string> seen;
};

/// All terms of at most `bound` operators that the hypergraph has for a node.
class Terms {
public:
  explicit Terms(const ValueGraph &graph) : graph(graph) {}

  const std::set<std::string> &of(int node, unsigned bound) {
    auto [at, isNew] = memo.try_emplace({node, bound});
    if (!isNew)
      return at->second;
    std::set<std::string> result;
    for (int e : graph.nodes()[node].edges) {
      const Edge &edge = graph.edges()[e];
      if (edge.action.kind == Action::Load) {
        result.insert("load" + std::to_string(edge.action.index));
        continue;
      }
      if (bound == 0)
        continue;
      std::string name = nameOf(edge.action);
      if (edge.operands[1] < 0) {
        for (const std::string &a : of(edge.operands[0], bound - 1))
          result.insert(call(name, a));
        continue;
      }
      for (unsigned i = 0; i < bound; ++i)
        for (const std::string &a : of(edge.operands[0], i))
          for (const std::string &b : of(edge.operands[1], bound - 1 - i))
            result.insert(call(name, a, b, commutes(edge.action)));
    }
    return memo[{node, bound}] = result;
  }

private:
  const ValueGraph &graph;
  std::map<std::pair<int, unsigned>, std::set<std::string>> memo;
};

/// Compares the two on all structures; returns how many solutions there were.
size_t compare(const Program &program, unsigned bound) {
  auto analysis = analyze(program);
  EXPECT_TRUE(static_cast<bool>(analysis));
  SearchOptions options(*mirage::cost::findTarget("sm_90a"));
  options.prune = PruneMode::Direct;
  size_t total = 0;
  for (const Structure &structure : enumerateStructures(*analysis)) {
    Twin twin(*analysis, structure, options.seed);
    std::set<std::string> expected = twin.solutions(bound);
    SearchStats stats;
    ValueGraph graph(*analysis, structure, options, nullptr, Space(), stats);
    EXPECT_EQ(graph.build(), StopReason::Finished);
    std::set<std::string> found;
    Terms terms(graph);
    std::vector<int> outputs = graph.outputNodes()[0];
    for (int node : outputs)
      for (const std::string &text : terms.of(node, bound))
        found.insert(text);
    for (const std::string &text : expected)
      EXPECT_TRUE(found.count(text)) << "lost: " << text;
    for (const std::string &text : found)
      EXPECT_TRUE(expected.count(text)) << "only found: " << text;
    total += expected.size();
    EXPECT_LT(stats.values, twin.count());
  }
  return total;
}

// (x w) s: the row factor may come before the product, inside the loop or after
// the accumulation.
TEST(TwinTest, ScaledProduct) {
  Builder b;
  ValueId x = b.input({64, 128}), w = b.input({128, 96}), s = b.input({64, 1});
  EXPECT_GT(compare(b.finish({b.op(OpKind::Mul, {b.matmul(x, w), s})}), 3),
            10u);
}

// x w + r w: the sum may come first.
TEST(TwinTest, TwoProductsOfOneWeight) {
  Builder b;
  ValueId x = b.input({64, 128}), r = b.input({64, 128}),
          w = b.input({128, 96});
  EXPECT_GT(
      compare(b.finish({b.op(OpKind::Add, {b.matmul(x, w), b.matmul(r, w)})}),
              3),
      3u);
}

// A sum of squares: accumulate then reduce, reduce then accumulate, or both in
// one.
TEST(TwinTest, SumOfSquares) {
  Builder b;
  ValueId x = b.input({64, 128});
  Attrs reduce;
  reduce.dims = {1};
  ValueId sum = b.op(OpKind::Reduce, {b.op(OpKind::Square, {x})}, reduce);
  EXPECT_GT(compare(b.finish({sum}), 4), 8u);
}
} // namespace
