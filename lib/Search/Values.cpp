//===- Values.cpp - Building the hypergraph of values ---------------------===//

#include "Values.h"

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
constexpr unsigned kContext = FieldTensor::kContext;

std::optional<Phase> join(Phase a, Phase b) {
  if (a == Phase::Before)
    return b;
  if (b == Phase::Before || a == b)
    return a;
  return std::nullopt;
}

bool broadcasts(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b) {
  if (a.size() != b.size())
    return false;
  for (unsigned d = 0; d < a.size(); ++d)
    if (a[d] != b[d] && a[d] != 1 && b[d] != 1)
      return false;
  return true;
}

bool hasExp(const MapTemplate &map) {
  for (const MapTemplate::Step &step : map.steps)
    if (step.op.kind == OpKind::Exp)
      return true;
  return false;
}

IndexInfo indexInfo(const Analysis &analysis, const Structure &structure,
                    const ShrunkenSizes &sizes,
                    llvm::ArrayRef<PolyId> expressions) {
  IndexInfo info;
  if (analysis.classes.size() > 64)
    return info;
  auto classesOf = [&](ValueId v) {
    uint64_t mask = 0;
    for (int c : analysis.dims[v])
      if (c >= 0)
        mask |= uint64_t(1) << c;
    return mask;
  };
  for (unsigned i = 0; i < analysis.program->numInputs; ++i)
    info.inputClasses.push_back(classesOf(i));
  for (unsigned v = 0; v < expressions.size(); ++v)
    if (!analysis.constants[v])
      info.hostClasses[expressions[v]] |= classesOf(v);
  for (ValueId v : analysis.program->outputs)
    info.outputClasses |= classesOf(v);
  for (unsigned c = 0; c < analysis.classes.size(); ++c)
    info.primeClass[sizes.tile[c]] = c;
  // The grid axes share an extent, so theirs tells no class.
  if (structure.loopClass >= 0)
    info.primeClass[sizes.axes[kLoopAxis]] = structure.loopClass;
  return info;
}

/// Scaling by a positive constant keeps a value that is at most 0 so.
bool keepsSign(const MapTemplate &map) {
  if (map.steps.size() != 1)
    return false;
  const ScalarOp &op = map.steps[0].op;
  return op.kind == OpKind::Mul && op.hasConstant && op.constant.toDouble() > 0;
}
} // namespace

ValueGraph::ValueGraph(const Analysis &analysis, const Structure &structure,
                       const SearchOptions &options, solver::Solver *solver,
                       bool wideLoads, SearchStats &stats)
    : analysis(analysis), structure(structure), options(options),
      wide(wideLoads), stats(stats), shrunken(shrink(analysis, structure)) {
  values = evaluateField(analysis, shrunken.extent, domain, options.seed);
  expressions = evaluateExpressions(analysis, shrunken.extent, pool);
  std::vector<PolyId> targets;
  for (ValueId output : analysis.program->outputs) {
    targets.push_back(expressions[output]);
    goals.push_back(tileField(values[output],
                              outputSplits(analysis, structure, output),
                              shrunken.axes));
  }
  PruneMode mode = options.prune;
  // A target too large for a normal form has no hosts: nothing can be pruned.
  if (llvm::is_contained(targets, kTooLarge))
    mode = PruneMode::None;
  test = std::make_unique<SubexpressionTest>(
      pool, targets, mode, solver, options.solverRlimit,
      indexInfo(analysis, structure, shrunken, expressions));
}

StopReason ValueGraph::build() {
  addLoads();
  for (size_t i = 0; i < allNodes.size() && !stop(); ++i) {
    proposeUnary(i);
    for (size_t j = 0; j <= i && !stop(); ++j)
      proposePair(j, i);
  }
  return stopped;
}

bool ValueGraph::stop() {
  if (stopped != StopReason::Finished)
    return true;
  if (options.cancel && options.cancel->load(std::memory_order_relaxed))
    stopped = StopReason::Cancelled;
  else if (visitedHere >= options.nodeBudget ||
           allNodes.size() >= options.valueBudget)
    stopped = StopReason::Budget;
  return stopped != StopReason::Finished;
}

void ValueGraph::addLoads() {
  for (unsigned input = 0; input < analysis.program->numInputs; ++input) {
    variants.push_back(loadVariants(analysis, structure, input, wide));
    for (unsigned v = 0; v < variants.back().size(); ++v) {
      const Splits &splits = variants.back()[v];
      Phase phase = splitByLoop(splits) ? Phase::Inside : Phase::Before;
      add({Action::Load, static_cast<int>(input), static_cast<int>(v)}, {},
          phase, pool.input(input), 0, false,
          [&] { return tileField(values[input], splits, shrunken.axes); });
    }
  }
}

template <class F>
PolyId ValueGraph::memoized(int code, PolyId a, PolyId b, F compute) {
  uint64_t key = (static_cast<uint64_t>(code) << 48) |
                 (static_cast<uint64_t>(a) << 24) |
                 (static_cast<uint64_t>(b) & 0xffffff);
  auto [at, isNew] = expressionMemo.try_emplace(key, kTooLarge);
  if (!isNew)
    return at->second;
  PolyId result = compute();
  // What may be pruned is stored as such.
  if (!test->keep(result))
    result = kTooLarge;
  // compute() adds no entry, so `at` is still good.
  at->second = result;
  return result;
}

void ValueGraph::add(Action action, llvm::ArrayRef<int> operands, Phase phase,
                     PolyId expression, int countedOps, bool bounded,
                     llvm::function_ref<FieldTensor()> evaluate) {
  ++stats.visited;
  ++visitedHere;
  if (expression == kTooLarge && options.prune != PruneMode::None) {
    ++stats.prunedExpression;
    return;
  }
  int minOps = 0;
  for (int operand : operands)
    minOps = std::max(minOps, allNodes[operand].minOps);
  minOps += countedOps;
  if (minOps > static_cast<int>(options.maxBlockOps)) {
    ++stats.prunedBound;
    return;
  }
  FieldTensor value = evaluate();
  auto hash = value.hash();
  // The expression belongs to the key: of two graphs of one value the one may
  // be part of a target's form and the other not.
  std::pair<uint64_t, uint64_t> key{
      mix(hash.first, static_cast<uint64_t>(phase)),
      mix(hash.second, static_cast<uint64_t>(expression))};
  auto [at, isNew] = known.try_emplace(key, allNodes.size());
  if (isNew) {
    ++stats.values;
    allNodes.push_back(
        {phase, std::move(value), expression, minOps, bounded, {}});
  } else {
    ++stats.merged;
    if (llvm::is_contained(operands, at->second))
      return; // an identity
    allNodes[at->second].bounded |= bounded;
    allNodes[at->second].minOps = std::min(allNodes[at->second].minOps, minOps);
  }
  Edge edge{action, {-1, -1}, at->second};
  std::copy(operands.begin(), operands.end(), edge.operands);
  allNodes[at->second].edges.push_back(allEdges.size());
  allEdges.push_back(edge);
}

/// `max` is one max atom with `of` among its operands.
bool ValueGraph::isMaxOf(PolyId max, PolyId of) const {
  if (max == kTooLarge)
    return false;
  const Multiset &set = pool.monomials(max);
  if (set.size() != 1 || set[0].second != 1)
    return false;
  const Monomial &m = pool.monomial(set[0].first);
  if (m.sigma != 1 || m.negative || !m.dens.empty() || m.atoms.size() != 1 ||
      m.atoms[0].second != 1)
    return false;
  const Atom &atom = pool.atom(m.atoms[0].first);
  return atom.kind == AtomKind::Max && llvm::is_contained(atom.args, of);
}

bool ValueGraph::scalesTooEarly(unsigned map, PolyId argument) {
  if (!analysis.opaqueMaps || options.prune == PruneMode::None ||
      analysis.scaledValues[map].empty())
    return false;
  for (ValueId v : analysis.scaledValues[map])
    if (test->contains(argument, expressions[v]))
      return false;
  return true;
}

void ValueGraph::proposeUnary(int n) {
  Phase phase = allNodes[n].phase;
  PolyId e = allNodes[n].expression;
  // Nodes move when one is added: take what is needed now.
  llvm::SmallVector<int, 8> dims = allNodes[n].value.dims;
  llvm::ArrayRef<int> shape = llvm::ArrayRef<int>(dims).drop_front(kContext);

  for (unsigned i = 0; i < analysis.maps.size() && !stop(); ++i) {
    const MapTemplate &map = analysis.maps[i];
    if (analysis.expArgumentsBounded && hasExp(map) && !allNodes[n].bounded) {
      ++stats.prunedRange;
      continue;
    }
    PolyId result = memoized(
        1 + i, e, 0, [&] { return mapExpression(analysis, i, e, pool); });
    // max(max(x, 0), 0): an idempotent map again.
    if (result == e && result != kTooLarge)
      continue;
    if (scalesTooEarly(i, e)) {
      ++stats.prunedExpression;
      continue;
    }
    add({Action::Map, static_cast<int>(i)}, {n}, phase, result, 1,
        allNodes[n].bounded && keepsSign(map), [&] {
          return mapField({&allNodes[n].value},
                          [&](llvm::ArrayRef<FieldValue> args) {
                            return applyMap(domain, map, args[0]);
                          });
        });
  }
  for (unsigned i = 0; i < analysis.reshapes.size(); ++i) {
    const ReshapeTemplate &reshape = analysis.reshapes[i];
    if (reshape.from.size() != shape.size())
      continue;
    // The template names classes; a tile's dims tell theirs by their sizes.
    llvm::SmallVector<int, 6> left, to;
    bool fits = true;
    for (unsigned d = 0; d < shape.size(); ++d) {
      int c = reshape.from[d];
      fits &= c < 0 ? shape[d] == 1
                    : shape[d] == 1 || shape[d] % shrunken.tile[c] == 0;
      if (c >= 0)
        left.push_back(shape[d]);
    }
    unsigned next = 0;
    for (int c : reshape.to)
      to.push_back(c < 0 ? 1 : next < left.size() ? left[next++] : 1);
    if (!fits || next != left.size())
      continue;
    add({Action::Reshape, static_cast<int>(i)}, {n}, phase, e, 0,
        allNodes[n].bounded,
        [&] { return reshapeField(allNodes[n].value, to); });
  }
  for (unsigned i = 0; i < analysis.transposes.size(); ++i)
    if (analysis.transposes[i].size() == shape.size())
      add({Action::Transpose, static_cast<int>(i)}, {n}, phase, e, 0,
          allNodes[n].bounded, [&] {
            return transposeField(allNodes[n].value, analysis.transposes[i]);
          });

  bool sums =
      analysis.hasSum || analysis.hasMatmul || analysis.hasMatmulTransposed;
  for (bool isMax : {false, true}) {
    if (isMax ? !analysis.hasMax : !sums)
      continue;
    auto total = [&](int64_t size) {
      return memoized((isMax ? 3000 : 4000), e, size, [&] {
        return isMax ? pool.maxOver(e) : pool.sum(size, e);
      });
    };
    for (unsigned d = 0; d < shape.size(); ++d)
      if (shape[d] > 1)
        add({Action::Reduce, static_cast<int>(d), isMax}, {n}, phase,
            total(shape[d]), 1, false, [&] {
              return reduceField(domain, allNodes[n].value, kContext + d,
                                 isMax);
            });
    if (phase == Phase::Inside) {
      int range = shrunken.axes[kLoopAxis];
      for (int d = -1; d < static_cast<int>(shape.size()); ++d) {
        if (d >= 0 && shape[d] == 1)
          continue;
        add({Action::Accumulate, d, isMax}, {n}, Phase::After,
            total(d < 0 ? range : range * shape[d]), 1, false, [&] {
              FieldTensor t =
                  reduceField(domain, allNodes[n].value, kLoopAxis, isMax);
              return d < 0 ? t : reduceField(domain, t, kContext + d, isMax);
            });
      }
    } else if (structure.reduceAxis >= 0 && dims[structure.reduceAxis] > 1) {
      unsigned axis = structure.reduceAxis;
      add({Action::ReduceBlocks, 0, isMax}, {n}, phase,
          total(shrunken.axes[axis]), 1, false,
          [&] { return reduceField(domain, allNodes[n].value, axis, isMax); });
    }
  }
}

void ValueGraph::proposePair(int a, int b) {
  if (!join(allNodes[a].phase, allNodes[b].phase))
    return;
  llvm::ArrayRef<int> left = allNodes[a].value.shape(),
                      right = allNodes[b].value.shape();
  if (!broadcasts(left, right)) {
    ++stats.prunedShape;
  } else {
    for (OpKind kind : analysis.binaries) {
      proposeBinary(kind, a, b);
      if (a != b && (kind == OpKind::Sub || kind == OpKind::Div))
        proposeBinary(kind, b, a);
    }
  }
  for (bool transposed : {false, true}) {
    if (transposed ? !analysis.hasMatmulTransposed : !analysis.hasMatmul)
      continue;
    proposeMatmul(a, b, transposed);
    if (a != b)
      proposeMatmul(b, a, transposed);
  }
}

void ValueGraph::proposeBinary(OpKind kind, int a, int b) {
  if (a == b && (kind == OpKind::Sub || kind == OpKind::Max ||
                 kind == OpKind::Min || kind == OpKind::Div))
    return;
  PolyId x = allNodes[a].expression, y = allNodes[b].expression;
  bool bounded = kind == OpKind::Sub && isMaxOf(y, x);
  PolyId result =
      memoized(5000 + static_cast<int>(kind), x, y, [&]() -> PolyId {
        ExpressionDomain abstract{pool, analysis.opaqueMaps};
        return evalElementwise(abstract, kind, Attrs(), {x, y}, DType::F32);
      });
  add({Action::Binary, static_cast<int>(kind)}, {a, b},
      *join(allNodes[a].phase, allNodes[b].phase), result, 1, bounded, [&] {
        return mapField({&allNodes[a].value, &allNodes[b].value},
                        [&](llvm::ArrayRef<FieldValue> args) {
                          return evalElementwise(domain, kind, Attrs(), args,
                                                 DType::F32);
                        });
      });
}

void ValueGraph::proposeMatmul(int a, int b, bool transposeRhs) {
  llvm::ArrayRef<int> left = allNodes[a].value.shape(),
                      right = allNodes[b].value.shape();
  unsigned rank = left.size();
  if (rank < 2 || right.size() != rank)
    return;
  int depth = left[rank - 1];
  bool fits = depth > 1 && depth == right[transposeRhs ? rank - 1 : rank - 2];
  for (unsigned d = 0; d + 2 < rank; ++d)
    fits &= left[d] == right[d] || left[d] == 1 || right[d] == 1;
  if (!fits) {
    ++stats.prunedShape;
    return;
  }
  PolyId x = allNodes[a].expression, y = allNodes[b].expression;
  PolyId result = memoized(7000 + depth, x, y,
                           [&] { return pool.sum(depth, pool.mul(x, y)); });
  add({Action::Matmul, transposeRhs}, {a, b},
      *join(allNodes[a].phase, allNodes[b].phase), result, 1, false, [&] {
        return matmulField(allNodes[a].value, allNodes[b].value, transposeRhs);
      });
}

std::vector<std::vector<int>> ValueGraph::outputNodes() const {
  std::vector<std::vector<int>> result;
  for (const FieldTensor &goal : goals) {
    result.emplace_back();
    for (size_t n = 0; n < allNodes.size(); ++n)
      if (allNodes[n].phase != Phase::Inside && allNodes[n].value == goal)
        result.back().push_back(n);
  }
  return result;
}

bool ValueGraph::reachesOutputs() const {
  for (const auto &nodes : outputNodes())
    if (nodes.empty())
      return false;
  return true;
}
