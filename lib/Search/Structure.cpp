//===- Structure.cpp - Structures before sizes ----------------------------===//

#include "Structure.h"
#include <algorithm>

using namespace mirage::search;
using namespace mirage::semantics;

std::vector<Structure>
mirage::search::enumerateStructures(const Analysis &analysis) {
  std::vector<int> parallel, loops{-1};
  for (unsigned c = 0; c < analysis.classes.size(); ++c) {
    if (analysis.classes[c].output)
      parallel.push_back(c);
    if (analysis.classes[c].contracted)
      loops.push_back(c);
  }
  // x takes the class of the last dim of an output: neighbouring blocks then
  // read neighbouring columns.
  std::stable_sort(parallel.begin(), parallel.end(), [&](int a, int b) {
    auto depth = [&](int c) {
      int best = -1;
      for (ValueId v : analysis.program->outputs)
        for (unsigned d = 0; d < analysis.dims[v].size(); ++d)
          if (analysis.dims[v][d] == c)
            best = std::max<int>(best, d);
      return best;
    };
    return depth(a) > depth(b);
  });
  std::vector<Structure> result;
  unsigned n = std::min<size_t>(parallel.size(), 16);
  // Tiles are matrices: an axis of its own takes each batch dim.
  auto coversBatch = [&](unsigned mask) {
    for (unsigned i = 0; i < n; ++i)
      if (analysis.classes[parallel[i]].batch && !(mask >> i & 1))
        return false;
    return true;
  };
  std::vector<unsigned> subsets;
  for (unsigned mask = 0; mask < (1u << n); ++mask)
    if (__builtin_popcount(mask) <= 3 && coversBatch(mask))
      subsets.push_back(mask);
  std::stable_sort(subsets.begin(), subsets.end(), [](unsigned a, unsigned b) {
    return __builtin_popcount(a) > __builtin_popcount(b);
  });
  for (unsigned mask : subsets)
    for (int loop : loops)
      for (bool reduce : {true, false}) {
        Structure s;
        s.loopClass = loop;
        unsigned axis = 0;
        for (unsigned i = 0; i < n; ++i)
          if (mask & (1u << i))
            s.axisClass[axis++] = parallel[i];
        if (reduce) {
          if (loop < 0 || axis == 3)
            continue;
          s.reduceAxis = 2;
          s.axisClass[2] = loop;
        }
        result.push_back(s);
      }
  return result;
}

ShrunkenSizes mirage::search::shrink(const Analysis &analysis,
                                     const Structure &structure) {
  ShrunkenSizes sizes;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (structure.axisClass[axis] >= 0)
      sizes.axes[axis] = 2;
  if (structure.loopClass >= 0)
    sizes.axes[kLoopAxis] = 3;
  // 2 and 3 are taken by the axes; a class of each size follows.
  int next = 3;
  auto nextPrime = [&] {
    auto isPrime = [](int v) {
      for (int d = 2; d * d <= v; ++d)
        if (v % d == 0)
          return false;
      return true;
    };
    while (!isPrime(++next)) {
    }
    return next;
  };
  // A batch dim is cut into single elements by its axis.
  auto isOneByOne = [](const SizeClass &c) {
    return c.batch && c.output && !c.contracted;
  };
  sizes.tile.assign(analysis.classes.size(), 0);
  // Contracted classes first: they occur in the longest products.
  for (bool contracted : {true, false})
    for (unsigned c = 0; c < analysis.classes.size(); ++c)
      if (analysis.classes[c].contracted == contracted)
        sizes.tile[c] = isOneByOne(analysis.classes[c]) ? 1 : nextPrime();
  sizes.extent = sizes.tile;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (structure.axisClass[axis] >= 0)
      sizes.extent[structure.axisClass[axis]] *= sizes.axes[axis];
  if (structure.loopClass >= 0)
    sizes.extent[structure.loopClass] *= sizes.axes[kLoopAxis];
  // A class that a parallel axis and the loop both split (a square weight
  // beside a residual) is never cut by both at once.
  return sizes;
}

namespace {
void chooseSplits(const Structure &structure,
                  const llvm::SmallVectorImpl<int> &dims, bool wide,
                  unsigned dim, unsigned used, Splits &chosen,
                  std::vector<Splits> &result) {
  if (dim == dims.size()) {
    result.push_back(chosen);
    return;
  }
  auto take = [&](llvm::ArrayRef<unsigned> axes) {
    unsigned mask = 0;
    for (unsigned axis : axes)
      mask |= 1u << axis;
    if (used & mask)
      return;
    FieldSplit split;
    split.axes.append(axes.begin(), axes.end());
    chosen.push_back(split);
    chooseSplits(structure, dims, wide, dim + 1, used | mask, chosen, result);
    chosen.pop_back();
  };
  int c = dims[dim];
  bool splittable = false;
  if (c >= 0) {
    for (unsigned axis = 0; axis < 3; ++axis)
      if (structure.axisClass[axis] == c && structure.isParallel(axis)) {
        take({axis});
        splittable = true;
      }
    if (structure.loopClass == c) {
      llvm::SmallVector<unsigned, 2> axes;
      if (structure.reduceAxis >= 0)
        axes.push_back(structure.reduceAxis);
      axes.push_back(kLoopAxis);
      take(axes);
      splittable = true;
    }
  }
  bool shared = llvm::count(dims, c) > 1;
  if (!splittable || shared || (wide && c == structure.loopClass))
    take({});
}
} // namespace

std::vector<Splits> mirage::search::loadVariants(const Analysis &analysis,
                                                 const Structure &structure,
                                                 ValueId input, bool wide) {
  std::vector<Splits> result;
  Splits chosen;
  chooseSplits(structure, analysis.dims[input], wide, 0, 0, chosen, result);
  return result;
}

Splits mirage::search::outputSplits(const Analysis &analysis,
                                    const Structure &structure,
                                    ValueId output) {
  const auto &dims = analysis.dims[output];
  Splits result(dims.size());
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!structure.isParallel(axis))
      continue;
    for (int d = dims.size() - 1; d >= 0; --d)
      if (dims[d] == structure.axisClass[axis]) {
        result[d].axes.push_back(axis);
        break;
      }
  }
  return result;
}

bool mirage::search::splitByLoop(const Splits &splits) {
  for (const FieldSplit &split : splits)
    for (unsigned axis : split.axes)
      if (axis == kLoopAxis)
        return true;
  return false;
}
