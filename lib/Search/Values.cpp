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
    if (sizes.tile[c] > 1)
      info.primeClass[sizes.tile[c]] = c;
  // The grid axes share an extent, so theirs tells no class.
  if (structure.loopClass >= 0)
    info.primeClass[sizes.axes[kLoopAxis]] = structure.loopClass;
  return info;
}

} // namespace

ValueGraph::ValueGraph(const Analysis &analysis, const Structure &structure,
                       const SearchOptions &options, solver::Solver *solver,
                       const Space &space, SearchStats &stats)
    : analysis(analysis), structure(structure), options(options), space(space),
      stats(stats), shrunken(shrink(analysis, structure)) {
  values = evaluateField(analysis, shrunken.extent, domain, options.seed);
  expressions = evaluateExpressions(analysis, shrunken.extent, pool);
  std::vector<PolyId> targets;
  for (ValueId output : analysis.program->outputs) {
    targets.push_back(expressions[output]);
    goals.push_back(tileField(values[output],
                              outputSplits(analysis, structure, output),
                              shrunken.axes));
  }
  countMaxima();
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
  if (isCancelled())
    stopped = StopReason::Cancelled;
  else if (visitedHere >= options.nodeBudget ||
           allNodes.size() >= options.valueBudget)
    stopped = StopReason::Budget;
  return stopped != StopReason::Finished;
}

void ValueGraph::addLoads() {
  for (unsigned input = 0; input < analysis.program->numInputs; ++input) {
    variants.push_back(
        loadVariants(analysis, structure, input, space.wideLoads));
    for (unsigned v = 0; v < variants.back().size(); ++v) {
      const Splits &splits = variants.back()[v];
      Phase phase = splitByLoop(splits) ? Phase::Inside : Phase::Before;
      add({Action::Load, static_cast<int>(input), static_cast<int>(v)}, {},
          phase, pool.input(input), 0, Traits(),
          [&] { return tileField(values[input], splits, shrunken.axes); });
    }
  }
}

int ValueGraph::add(Action action, llvm::ArrayRef<int> operands, Phase phase,
                    PolyId expression, int countedOps, Traits traits,
                    llvm::function_ref<FieldTensor()> evaluate) {
  ++stats.visited;
  ++visitedHere;
  if (expression == kTooLarge && options.prune != PruneMode::None) {
    ++stats.prunedExpression;
    return -1;
  }
  int minOps = 0;
  for (int operand : operands)
    minOps = std::max(minOps, allNodes[operand].minOps);
  minOps += countedOps;
  if (minOps > static_cast<int>(options.maxBlockOps)) {
    ++stats.prunedBound;
    return -1;
  }
  FieldTensor value = evaluate();
  auto hash = value.hash();
  // The expression belongs to the key: of two graphs of one value the one may
  // be part of a target's form and the other not.
  std::pair<uint64_t, uint64_t> key{
      mix(hash.first, static_cast<uint64_t>(phase)),
      mix(hash.second, static_cast<uint64_t>(expression))};
  auto [at, isNew] = known.try_emplace(key, allNodes.size());
  int node = at->second;
  if (isNew) {
    ++stats.values;
    if (traits.partial == kThisNode)
      traits.partial = node;
    allNodes.push_back(
        {phase, std::move(value), expression, minOps, std::move(traits), {}});
  } else {
    ++stats.merged;
    if (llvm::is_contained(operands, node))
      return node; // an identity
    Node &old = allNodes[node];
    old.traits.bounded |= traits.bounded;
    for (int covered : traits.covers)
      if (!llvm::is_contained(old.traits.covers, covered))
        old.traits.covers.push_back(covered);
    old.minOps = std::min(old.minOps, minOps);
  }
  Edge edge{action, {-1, -1}, node};
  std::copy(operands.begin(), operands.end(), edge.operands);
  allNodes[node].edges.push_back(allEdges.size());
  allEdges.push_back(edge);
  return node;
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
  if (allNodes[n].traits.isFactor())
    return;
  proposeMaps(n);
  proposeShapes(n);
  bool sums =
      analysis.hasSum || analysis.hasMatmul || analysis.hasMatmulTransposed;
  if (sums)
    proposeReductions(n, /*isMax=*/false);
  if (analysis.hasMax)
    proposeReductions(n, /*isMax=*/true);
}

void ValueGraph::proposeMaps(int n) {
  Phase phase = allNodes[n].phase;
  PolyId e = allNodes[n].expression;
  for (unsigned i = 0; i < analysis.maps.size() && !stop(); ++i) {
    const MapTemplate &map = analysis.maps[i];
    std::optional<Traits> traits = traitsOfMap(i, n);
    if (!traits) {
      ++stats.prunedRange;
      continue;
    }
    PolyId result = memoized(Memo::Map, i, e, 0, [&] {
      return mapExpression(analysis, i, e, pool);
    });
    // max(max(x, 0), 0): an idempotent map again.
    if (result == e && result != kTooLarge)
      continue;
    if (scalesTooEarly(i, e)) {
      ++stats.prunedExpression;
      continue;
    }
    add({Action::Map, static_cast<int>(i)}, {n}, phase, result, 1, *traits,
        [&] {
          FieldTensor t = mapField({&allNodes[n].value},
                                   [&](llvm::ArrayRef<FieldValue> args) {
                                     return applyMap(domain, map, args[0]);
                                   });
          return map.opaque ? withQ(domain, std::move(t)) : t;
        });
  }
}

bool ValueGraph::isLoaded(int n) const {
  return llvm::any_of(allNodes[n].edges, [&](int e) {
    const Edge &edge = allEdges[e];
    // Reshapes back and forth are a cycle, in which nodes of larger numbers
    // come later.
    return edge.action.kind == Action::Load ||
           (edge.action.kind == Action::Reshape && edge.operands[0] < n &&
            isLoaded(edge.operands[0]));
  });
}

void ValueGraph::proposeShapes(int n) {
  Phase phase = allNodes[n].phase;
  PolyId e = allNodes[n].expression;
  // Nodes move when one is added: take what is needed now.
  Traits traits = allNodes[n].traits;
  traits.covers.clear();
  llvm::SmallVector<int, 8> dims = allNodes[n].value.dims;
  llvm::ArrayRef<int> shape = llvm::ArrayRef<int>(dims).drop_front(kContext);
  // What has one rank at the loads keeps it to the store: the other forms of
  // each value in between are the same with dims of size 1 elsewhere.
  bool isLoad = isLoaded(n);
  for (unsigned i = 0; i < analysis.reshapes.size(); ++i) {
    const ReshapeTemplate &reshape = analysis.reshapes[i];
    if (reshape.from.size() != shape.size())
      continue;
    // The template names classes; a tile's dims tell theirs by their sizes.
    llvm::SmallVector<int, 6> left, to;
    bool fits = true;
    for (unsigned d = 0; d < shape.size(); ++d) {
      int c = reshape.from[d];
      fits &= c < 0 || shrunken.tile[c] == 1
                  ? shape[d] == 1
                  : shape[d] == 1 || shape[d] % shrunken.tile[c] == 0;
      if (c >= 0)
        left.push_back(d);
    }
    unsigned next = 0;
    traits.shiftDims = 0;
    for (auto [d, c] : llvm::enumerate(reshape.to)) {
      int from = c < 0 || next == left.size() ? -1 : left[next++];
      to.push_back(from < 0 ? 1 : shape[from]);
      if (from >= 0 && (allNodes[n].traits.shiftDims >> from & 1))
        traits.shiftDims |= 1u << d;
    }
    if (!fits || next != left.size() ||
        !(space.transposes || isLoad || isGoal(n, to)))
      continue;
    add({Action::Reshape, static_cast<int>(i)}, {n}, phase, e, 0, traits,
        [&] { return reshapeField(allNodes[n].value, to); });
  }
  for (unsigned i = 0; space.transposes && i < analysis.transposes.size();
       ++i) {
    const auto &permutation = analysis.transposes[i];
    if (permutation.size() != shape.size())
      continue;
    traits.shiftDims = 0;
    for (auto [d, from] : llvm::enumerate(permutation))
      if (allNodes[n].traits.shiftDims >> from & 1)
        traits.shiftDims |= 1u << d;
    add({Action::Transpose, static_cast<int>(i)}, {n}, phase, e, 0, traits,
        [&] { return transposeField(allNodes[n].value, permutation); });
  }
}

void ValueGraph::proposeReductions(int n, bool isMax) {
  Phase phase = allNodes[n].phase;
  PolyId e = allNodes[n].expression;
  llvm::SmallVector<int, 8> dims = allNodes[n].value.dims;
  llvm::ArrayRef<int> shape = llvm::ArrayRef<int>(dims).drop_front(kContext);
  auto total = [&](int64_t size) {
    return memoized(isMax ? Memo::Max : Memo::Sum, size, e, 0, [&] {
      return isMax ? pool.maxOver(e) : pool.sum(size, e);
    });
  };
  auto propose = [&](Action action, int dim, int axis, int64_t size,
                     Phase resultPhase) {
    PolyId result = total(size);
    std::optional<Traits> traits =
        traitsOfReduce(n, dim, axis, isMax, size, result);
    if (!traits) {
      ++stats.prunedRange;
      return -1;
    }
    return add(action, {n}, resultPhase, result, 1, *traits, [&] {
      FieldTensor t = axis < 0
                          ? allNodes[n].value
                          : reduceField(domain, allNodes[n].value, axis, isMax);
      return dim < 0 ? t : reduceField(domain, t, kContext + dim, isMax);
    });
  };
  for (int d = 0; d < static_cast<int>(shape.size()); ++d)
    if (shape[d] > 1)
      propose({Action::Reduce, d, isMax}, d, -1, shape[d], phase);
  if (phase == Phase::Inside) {
    int range = shrunken.axes[kLoopAxis];
    for (int d = -1; d < static_cast<int>(shape.size()); ++d) {
      if (d >= 0 && shape[d] == 1)
        continue;
      int sum = propose({Action::Accumulate, d, isMax}, d, kLoopAxis,
                        d < 0 ? range : range * shape[d], Phase::After);
      if (isMax && sum >= 0)
        proposeRunning(n, d, sum);
    }
  } else if (int axis = structure.reduceAxis; axis >= 0 && dims[axis] > 1) {
    int whole = propose({Action::ReduceBlocks, 0, isMax}, -1, axis,
                        shrunken.axes[axis], phase);
    if (isMax && whole >= 0)
      proposeFactors(n, whole, phase, -1);
  }
}

void ValueGraph::proposePair(int a, int b) {
  if (!join(allNodes[a].phase, allNodes[b].phase))
    return;
  if (allNodes[a].traits.isFactor() || allNodes[b].traits.isFactor()) {
    if (allNodes[b].traits.isFactor())
      std::swap(a, b);
    proposeRescaled(b, a);
    return;
  }
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
  std::optional<Traits> traits = traitsOfBinary(kind, a, b);
  if (!traits) {
    ++stats.prunedRange;
    return;
  }
  PolyId result =
      memoized(Memo::Binary, static_cast<int>(kind), x, y, [&]() -> PolyId {
        ExpressionDomain abstract{pool, analysis.opaqueMaps};
        return evalElementwise(abstract, kind, Attrs(), {x, y}, DType::F32);
      });
  add({Action::Binary, static_cast<int>(kind)}, {a, b},
      *join(allNodes[a].phase, allNodes[b].phase), result, 1, *traits, [&] {
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
  std::optional<Traits> traits = traitsOfMatmul(a, b, transposeRhs);
  if (!traits) {
    ++stats.prunedRange;
    return;
  }
  PolyId x = allNodes[a].expression, y = allNodes[b].expression;
  PolyId result = memoized(Memo::Matmul, depth, x, y,
                           [&] { return pool.sum(depth, pool.mul(x, y)); });
  add({Action::Matmul, transposeRhs}, {a, b},
      *join(allNodes[a].phase, allNodes[b].phase), result, 1, *traits, [&] {
        return matmulField(allNodes[a].value, allNodes[b].value, transposeRhs);
      });
}

bool ValueGraph::isGoal(int node, llvm::ArrayRef<int> shape) const {
  return allNodes[node].phase != Phase::Inside &&
         llvm::is_contained(goals, reshapeField(allNodes[node].value, shape));
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
