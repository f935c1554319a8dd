//===- Shift.cpp - Values that hang on a partial maximum ------------------===//
//
// The rules of Shift.h, and the operators that only they allow: running maxima,
// factors and rescaling accumulators.
//
//===----------------------------------------------------------------------===//

#include "Shift.h"
#include "Values.h"

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
constexpr unsigned kContext = FieldTensor::kContext;

uint32_t dimsOf(const FieldTensor &value) {
  uint32_t mask = 0;
  for (auto [d, size] : llvm::enumerate(value.shape()))
    if (size > 1)
      mask |= 1u << d;
  return mask;
}

Traits hangingOn(const Traits &of, uint32_t dims) {
  Traits result;
  result.shift = of.shift;
  result.shiftMap = of.shiftMap;
  result.shiftDims = dims;
  return result;
}

/// A positive factor keeps a value that is at most 0 so.
bool isPositiveScaling(const ScalarOp &op) {
  return op.kind == OpKind::Mul && op.hasConstant && op.constant.toDouble() > 0;
}

bool broadcasts(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b) {
  return a.size() == b.size() && llvm::all_of_zip(a, b, [](int x, int y) {
           return x == y || x == 1 || y == 1;
         });
}

bool isLinear(const ScalarOp &op) {
  return op.kind == OpKind::Neg ||
         (op.hasConstant && (op.kind == OpKind::Mul ||
                             (op.kind == OpKind::Div && !op.constantLeft)));
}
} // namespace

MapEffect mirage::search::effectOf(const MapTemplate &map) {
  if (map.steps.size() == 1 && isLinear(map.steps[0].op))
    return MapEffect::Linear;
  for (const MapTemplate::Step &step : llvm::ArrayRef(map.steps).drop_back())
    if (!isPositiveScaling(step.op))
      return MapEffect::Other;
  return map.steps.back().op.kind == OpKind::Exp ? MapEffect::Exp
                                                 : MapEffect::Other;
}

void ValueGraph::countMaxima() {
  if (!llvm::is_contained(analysis.boundedMaps, true))
    return;
  std::vector<int64_t> counts(values.size(), 0);
  for (const Op &op : analysis.program->ops) {
    ValueId out = op.results[0];
    switch (opClass(op.kind)) {
    case OpClass::Reshape:
    case OpClass::Transpose:
    case OpClass::Broadcast:
      counts[out] = counts[op.operands[0]];
      break;
    case OpClass::Unary:
      if (op.kind == OpKind::Cast)
        counts[out] = counts[op.operands[0]];
      break;
    case OpClass::Reduce:
      if (op.attrs.reduce != ReduceKind::Max)
        break;
      counts[out] = std::max<int64_t>(counts[op.operands[0]], 1);
      for (int64_t d : op.attrs.dims)
        if (int c = analysis.dims[op.operands[0]][d]; c >= 0)
          counts[out] *= shrunken.extent[c];
      wholeCounts[expressions[out]].push_back(counts[out]);
      break;
    default:
      break;
    }
  }
}

bool ValueGraph::isWholeMax(PolyId expression, int64_t count) const {
  auto at = wholeCounts.find(expression);
  return at == wholeCounts.end() || llvm::is_contained(at->second, count);
}

/// Counts are products of the sizes' primes, so that one which divides no whole
/// one is over a dim that the program's maxima are not over.
bool ValueGraph::isForeignMax(PolyId expression, int64_t count) const {
  auto at = wholeCounts.find(expression);
  return at != wholeCounts.end() &&
         llvm::none_of(at->second,
                       [&](int64_t whole) { return whole % count == 0; });
}

std::optional<Traits> ValueGraph::traitsOfMap(unsigned map, int node) const {
  const Traits &x = allNodes[node].traits;
  if (analysis.boundedMaps[map] && !x.bounded)
    return std::nullopt;
  MapEffect effect = effectOf(analysis.maps[map]);
  Traits result;
  if (x.isPlain()) {
    const auto &steps = analysis.maps[map].steps;
    result.bounded =
        x.bounded && steps.size() == 1 && isPositiveScaling(steps[0].op);
    return result;
  }
  if (x.argument >= 0 && effect == MapEffect::Exp) {
    result.shift = x.argument;
    result.shiftMap = map;
    result.shiftDims = x.shiftDims;
    return result;
  }
  if (x.shift >= 0 && effect == MapEffect::Linear)
    return hangingOn(x, x.shiftDims);
  return std::nullopt;
}

std::optional<Traits> ValueGraph::traitsOfBinary(OpKind kind, int a,
                                                 int b) const {
  const Traits &x = allNodes[a].traits, &y = allNodes[b].traits;
  Traits result;
  if (x.isPlain() && y.isPlain()) {
    result.bounded = kind == OpKind::Sub &&
                     isMaxOf(allNodes[b].expression, allNodes[a].expression);
    return result;
  }
  if (y.partial >= 0) {
    // Of the maxima of one tile only running ones have a factor to the total.
    const Node &max = allNodes[b];
    int axis = structure.reduceAxis;
    bool hasFactor = max.phase == Phase::Inside
                         ? y.running
                         : axis >= 0 && max.value.dims[axis] > 1;
    if (kind != OpKind::Sub || !x.isPlain() || !hasFactor ||
        !llvm::is_contained(y.covers, a))
      return std::nullopt;
    result.bounded = true;
    result.argument = y.partial;
    result.shiftDims = dimsOf(max.value);
    return result;
  }
  if (x.partial >= 0 || x.argument >= 0 || y.argument >= 0)
    return std::nullopt;
  bool same = x.shift == y.shift && x.shiftMap == y.shiftMap;
  const Traits &hanging = x.shift >= 0 ? x : y;
  switch (kind) {
  case OpKind::Mul:
    if (x.shift >= 0 && y.shift >= 0)
      return std::nullopt;
    return hangingOn(hanging, hanging.shiftDims);
  case OpKind::Div:
    if (same)
      return result;
    return y.shift >= 0 ? std::nullopt
                        : std::optional(hangingOn(x, x.shiftDims));
  case OpKind::Add:
  case OpKind::Sub:
    return same ? std::optional(hangingOn(x, x.shiftDims | y.shiftDims))
                : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<Traits> ValueGraph::traitsOfMatmul(int a, int b,
                                                 bool transposeRhs) const {
  const Traits &x = allNodes[a].traits, &y = allNodes[b].traits;
  if (x.isPlain() && y.isPlain())
    return Traits();
  if (x.partial >= 0 || y.partial >= 0 || x.argument >= 0 || y.argument >= 0 ||
      (x.shift >= 0 && y.shift >= 0))
    return std::nullopt;
  unsigned rank = allNodes[a].value.rank();
  uint32_t last = 1u << (rank - 1), row = 1u << (rank - 2);
  if (x.shift >= 0)
    return x.shiftDims & last ? std::nullopt
                              : std::optional(hangingOn(x, x.shiftDims));
  uint32_t contracted = transposeRhs ? last : row;
  uint32_t column = transposeRhs ? row : last;
  if (y.shiftDims & contracted)
    return std::nullopt;
  uint32_t dims = y.shiftDims & ~(last | row);
  return hangingOn(y, y.shiftDims & column ? dims | last : dims);
}

std::optional<Traits> ValueGraph::traitsOfReduce(int node, int dim, int axis,
                                                 bool isMax, int64_t size,
                                                 PolyId expression) const {
  const Traits &x = allNodes[node].traits;
  Traits result;
  if (isMax) {
    if (x.argument >= 0 || x.shift >= 0 || x.running)
      return std::nullopt;
    result.maxCount = std::max<int64_t>(x.maxCount, 1) * size;
    if (isForeignMax(expression, result.maxCount))
      return std::nullopt;
    // One accumulator serves the running values and the total: the one that
    // reduces its tile.
    if (axis == static_cast<int>(kLoopAxis) && dim < 0 &&
        wholeCounts.count(expression))
      return std::nullopt;
    result.covers = x.covers;
    result.covers.push_back(node);
    if (!isWholeMax(expression, result.maxCount))
      result.partial = kThisNode;
    return result;
  }
  if (x.isPlain())
    return result;
  if (x.partial >= 0 || x.argument >= 0)
    return std::nullopt;
  bool mixes = (dim >= 0 && (x.shiftDims >> dim & 1)) ||
               (axis >= 0 && allNodes[x.shift].value.dims[axis] > 1);
  return mixes ? std::nullopt : std::optional(hangingOn(x, x.shiftDims));
}

void ValueGraph::proposeRunning(int node, int dim, int total) {
  PolyId expression = allNodes[total].expression;
  const Traits &x = allNodes[node].traits;
  if (!wholeCounts.count(expression) ||
      allNodes[node].value.dims[kLoopAxis] == 1)
    return;
  Traits now, before;
  now.partial = before.partial = kThisNode;
  now.running = before.running = true;
  now.covers = x.covers;
  now.covers.push_back(node);
  auto propose = [&](bool current, const Traits &traits) {
    return add({Action::Running, dim, current}, {node}, Phase::Inside,
               expression, current, traits, [&] {
                 FieldTensor tile =
                     reduceField(domain, allNodes[node].value, kContext + dim,
                                 /*isMax=*/true);
                 return runningMaxField(domain, tile, kLoopAxis, current);
               });
  };
  int current = propose(true, now), previous = propose(false, before);
  if (current >= 0 && previous >= 0)
    proposeFactors(previous, current, Phase::Inside, total);
}

void ValueGraph::proposeFactors(int from, int to, Phase phase, int total) {
  if (allNodes[from].traits.partial < 0)
    return;
  for (unsigned i = 0; i < analysis.maps.size(); ++i) {
    const MapTemplate &map = analysis.maps[i];
    if (!analysis.boundedMaps[i] || effectOf(map) != MapEffect::Exp)
      continue;
    Traits traits;
    traits.from = allNodes[from].traits.partial;
    traits.to = allNodes[to].traits.partial;
    traits.total = total < 0 ? -1 : allNodes[total].traits.partial;
    traits.shiftMap = i;
    add({Action::Factor, static_cast<int>(i)}, {from, to}, phase, pool.one(), 1,
        traits, [&] {
          return mapField({&allNodes[from].value, &allNodes[to].value},
                          [&](llvm::ArrayRef<FieldValue> args) {
                            return applyMap(domain, map,
                                            domain.sub(args[0], args[1]));
                          });
        });
  }
}

void ValueGraph::proposeRescaled(int value, int factor) {
  const Traits x = allNodes[value].traits, f = allNodes[factor].traits;
  if (x.shift < 0 || x.shiftMap != f.shiftMap)
    return;
  // A reshape may stand between the value and the maximum that it hangs on.
  if (!broadcasts(allNodes[value].value.shape(),
                  allNodes[factor].value.shape())) {
    ++stats.prunedShape;
    return;
  }
  PolyId e = allNodes[value].expression;
  if (allNodes[factor].phase != Phase::Inside) {
    if (x.shift != f.from)
      return;
    Traits traits = hangingOn(x, x.shiftDims);
    traits.shift = f.to;
    add({Action::Binary, static_cast<int>(OpKind::Mul)}, {value, factor},
        allNodes[value].phase, e, 1, traits, [&] {
          return mapField({&allNodes[value].value, &allNodes[factor].value},
                          [&](llvm::ArrayRef<FieldValue> args) {
                            return domain.mul(args[0], args[1]);
                          });
        });
    return;
  }
  if (x.shift != f.to || allNodes[value].phase != Phase::Inside)
    return;
  llvm::SmallVector<int, 6> shape(allNodes[value].value.shape());
  int range = shrunken.axes[kLoopAxis];
  for (int d = -1; d < static_cast<int>(shape.size()); ++d) {
    if (d >= 0 && (shape[d] == 1 || (x.shiftDims >> d & 1)))
      continue;
    int64_t size = d < 0 ? range : range * shape[d];
    Traits traits = hangingOn(x, x.shiftDims);
    traits.shift = f.total;
    add({Action::Rescale, d}, {value, factor}, Phase::After,
        memoized(Memo::Sum, size, e, 0, [&] { return pool.sum(size, e); }), 1,
        traits, [&] {
          FieldTensor tile =
              d < 0 ? allNodes[value].value
                    : reduceField(domain, allNodes[value].value, kContext + d,
                                  /*isMax=*/false);
          return rescaleField(domain, tile, allNodes[factor].value, kLoopAxis);
        });
  }
}
