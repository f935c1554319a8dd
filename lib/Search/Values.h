//===- Values.h - All values that a structure's graphs can hold -*- C++ -*-===//
//
// A directed hypergraph. A node is a tile with its phase, its finite-field
// value in all blocks and iterations and its abstract expression; an edge is
// one operator that yields the node from others. Every block graph of the
// structure whose values all pass the pruning is a sub-graph. Nodes are visited
// in order of creation, and each meets all nodes before it and itself, so no
// order of operators is preferred and none is lost.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_VALUES_H
#define MIRAGE_LIB_SEARCH_VALUES_H

#include "Mirage/Search/Search.h"
#include "Shift.h"
#include "Structure.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_map>

namespace mirage::search {

/// Where a value stands: before the loop (or in a graph without one), in it,
/// after it. Values from before the loop serve everywhere.
enum class Phase : uint8_t { Before, Inside, After };

struct Action {
  enum Kind : uint8_t {
    Load,         ///< index: input, variant: load variant
    Map,          ///< index: map template
    Reshape,      ///< index: reshape template
    Transpose,    ///< index: permutation
    Binary,       ///< index: OpKind
    Matmul,       ///< index: 1 if the right operand is transposed
    Reduce,       ///< index: dim, variant: 1 for max
    Accumulate,   ///< index: dim or -1, variant: 1 for max
    ReduceBlocks, ///< variant: 1 for max
    Running,      ///< of a maximum; index: dim, variant: 1 for current
    Factor,       ///< exp map number `index` of a difference of two maxima
    Rescale,      ///< a value and a factor; index: dim or -1
  };
  Kind kind;
  int index = 0;
  int variant = 0;
};

struct Edge {
  Action action;
  int operands[2] = {-1, -1};
  int result = -1;
};

struct Node {
  Phase phase;
  FieldTensor value;
  PolyId expression;
  int minOps = 0; ///< counted ops of some graph of it, a lower bound
  Traits traits;
  std::vector<int> edges;
};

/// A space to search; wider ones follow where a narrower one has nothing.
struct Space {
  bool opaqueMaps = true;  ///< maps are one function each
  bool wideLoads = false;  ///< inputs may be read whole before the loop
  bool transposes = false; ///< tiles may be transposed and reshaped anywhere
};

class ValueGraph {
public:
  ValueGraph(const Analysis &analysis, const Structure &structure,
             const SearchOptions &options, solver::Solver *solver,
             const Space &space, SearchStats &stats);

  /// Builds the graph. Returns why it stopped.
  StopReason build();

  const Analysis &analysis;
  const Structure &structure;
  const ShrunkenSizes &sizes() const { return shrunken; }
  const std::vector<Node> &nodes() const { return allNodes; }
  const std::vector<Edge> &edges() const { return allEdges; }
  const Splits &loadSplits(const Action &load) const {
    return variants[load.index][load.variant];
  }
  /// For each output the nodes that hold it.
  std::vector<std::vector<int>> outputNodes() const;
  bool reachesOutputs() const;
  bool isCancelled() const {
    return options.cancel && options.cancel->load(std::memory_order_relaxed);
  }
  SubexpressionTest &expressionTest() { return *test; }

private:
  struct Hash {
    size_t operator()(const std::pair<uint64_t, uint64_t> &k) const {
      return k.first ^ k.second;
    }
  };

  void addLoads();
  void proposeUnary(int node);
  void proposeMaps(int node);
  void proposeShapes(int node);
  /// Whether the node is an input's tile, in whatever shape.
  bool isLoaded(int node) const;
  /// Whether the node has the value of an output when it has this shape.
  bool isGoal(int node, llvm::ArrayRef<int> shape) const;
  void proposeReductions(int node, bool isMax);
  void proposePair(int a, int b);
  void proposeBinary(semantics::OpKind kind, int a, int b);
  void proposeMatmul(int a, int b, bool transposeRhs);
  /// Adds the edge, and its result's node unless it is known. Returns the node,
  /// or -1 when it was pruned.
  int add(Action action, llvm::ArrayRef<int> operands, Phase phase,
          PolyId expression, int countedOps, Traits traits,
          llvm::function_ref<FieldTensor()> evaluate);

  // Shift.cpp
  /// Whether this maximum is over all that the program's is.
  bool isWholeMax(PolyId expression, int64_t count) const;
  bool isForeignMax(PolyId expression, int64_t count) const;
  void countMaxima();
  /// What the result of an operator has, or nothing when it has no use: the
  /// rules are in Shift.h.
  std::optional<Traits> traitsOfMap(unsigned map, int node) const;
  std::optional<Traits> traitsOfBinary(semantics::OpKind kind, int a,
                                       int b) const;
  std::optional<Traits> traitsOfMatmul(int a, int b, bool transposeRhs) const;
  /// A sum or maximum over dim `dim` (or none, -1), and over an axis (or -1).
  std::optional<Traits> traitsOfReduce(int node, int dim, int axis, bool isMax,
                                       int64_t size, PolyId expression) const;
  /// The running values of a maximum in the loop, whose total is a node.
  void proposeRunning(int node, int dim, int total);
  void proposeFactors(int from, int to, Phase phase, int total);
  /// What a factor is for.
  void proposeRescaled(int value, int factor);
  bool stop();
  /// Expressions of operators are looked up by operator and operands.
  enum class Memo { Map, Sum, Max, Binary, Matmul };
  /// `which` is the map, the kind of a binary op, or the size of a sum.
  template <class F>
  PolyId memoized(Memo memo, int64_t which, PolyId a, PolyId b, F compute) {
    auto [at, isNew] = expressionMemo.try_emplace(
        {{static_cast<int>(memo), which}, {a, b}}, kTooLarge);
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
  bool isMaxOf(PolyId max, PolyId of) const;
  /// Scaling commutes with all that is linear: it waits for the value that the
  /// program scales to be part of what is scaled.
  bool scalesTooEarly(unsigned map, PolyId argument);

  const SearchOptions &options;
  Space space;
  SearchStats &stats;
  ShrunkenSizes shrunken;
  ExpressionPool pool;
  FieldDomain domain;
  std::vector<FieldTensor> values; ///< of the program, at shrunken sizes
  std::vector<PolyId> expressions; ///< the same
  std::unique_ptr<SubexpressionTest> test;
  std::vector<std::vector<Splits>> variants;
  std::vector<FieldTensor> goals; ///< the outputs' tiles
  /// For each maximum of the program, how many elements it is over.
  std::map<PolyId, llvm::SmallVector<int64_t, 1>> wholeCounts;
  std::vector<Node> allNodes;
  std::vector<Edge> allEdges;
  std::unordered_map<std::pair<uint64_t, uint64_t>, int, Hash> known;
  llvm::DenseMap<std::pair<std::pair<int, int64_t>, std::pair<PolyId, PolyId>>,
                 PolyId>
      expressionMemo;
  uint64_t visitedHere = 0;
  StopReason stopped = StopReason::Finished;
};

} // namespace mirage::search

#endif // MIRAGE_LIB_SEARCH_VALUES_H
