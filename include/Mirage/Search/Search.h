//===- Search.h - From a tensor program to ranked μGraphs -------*- C++ -*-===//
//
// The search takes one fragment, a kernel-level program of primitive operators,
// and returns programs in which the fragment is one graph-defined kernel. They
// match the fragment in a finite field at shrunken sizes; whether they are
// equivalent is for the verifier to say.
//
//   structures   which size class each grid axis and the loop split
//   values       for each structure, every tile that a block graph can compute
//                and that may be part of the fragment's result, each once: a
//                directed hypergraph whose edges are operators
//   graphs       the sub-graphs that yield the outputs, cheapest first
//   instances    for each graph: grid, loop range, cluster, threads and stages
//                under the target's limits, ranked by the cost model
//
// The answer depends on the program and the options, never on time or threads.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_SEARCH_H
#define MIRAGE_SEARCH_SEARCH_H

#include "Mirage/Cost/Target.h"
#include "Mirage/Search/Subexpression.h"
#include "Mirage/Semantics/Program.h"
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace mirage::search {

struct SearchStats {
  uint64_t structures = 0;       ///< assignments of grid axes and loop
  uint64_t visited = 0;          ///< operators proposed on fitting phases
  uint64_t prunedShape = 0;      ///< operand shapes do not fit
  uint64_t prunedExpression = 0; ///< no completion reaches the target
  uint64_t prunedBound = 0;      ///< more counted ops than the bound
  uint64_t prunedRange = 0;      ///< exp of an argument not known to be <= 0
  uint64_t merged = 0;           ///< equal in value, phase and expression
  uint64_t values = 0;           ///< distinct values kept
  uint64_t graphs = 0;           ///< graphs read off
  uint64_t graphsCut = 0;        ///< structures with more than were looked at
  uint64_t instances = 0;        ///< sizes tried
  uint64_t prunedResource = 0;   ///< instances that do not fit the target
  PruneStats prune;
  double seconds = 0;
};

struct Progress {
  uint64_t visited = 0;
  uint64_t values = 0;
  double bestMicros = 0; ///< 0 while nothing is found
  double seconds = 0;    ///< since the search began
};

struct SearchOptions {
  explicit SearchOptions(const cost::Target &target) : target(target) {}

  const cost::Target &target;
  unsigned maxBlockOps = 24;
  /// Operators proposed in each structure; past it the structure's values found
  /// so far are used.
  uint64_t nodeBudget = 5'000'000;
  /// Distinct values kept in each structure.
  uint64_t valueBudget = 10'000;
  /// For fragments that are tried by the dozen: no wider space once there are
  /// graphs, whether sizes of them fit or not.
  bool narrow = false;
  PruneMode prune = PruneMode::Auto;
  unsigned solverRlimit = 2'000'000; ///< for each query
  unsigned threads = 1;
  unsigned top = 8;               ///< candidates returned
  unsigned instancesPerGraph = 4; ///< kept of the sizes of one graph
  uint64_t seed = 1;
  const std::atomic<bool> *cancel = nullptr;
  std::function<void(const Progress &)> progress;
};

struct Candidate {
  semantics::Program program; ///< one Graph op, full sizes
  double predictedMicros = 0;
  unsigned countedOps = 0;
};

enum class StopReason : uint8_t { Finished, Budget, Cancelled };

struct SearchResult {
  std::vector<Candidate> candidates; ///< cheapest first
  double originalMicros = 0;         ///< op by op
  SearchStats stats;
  StopReason stopped = StopReason::Finished;
  /// Why there can be no candidates, when that is known before searching.
  std::string note;
};

/// An error only for a program that violates its own rules. A program that the
/// search cannot look inside, or that no block graph covers, has no candidates.
llvm::Expected<SearchResult> search(const semantics::Program &program,
                                    const SearchOptions &options);

} // namespace mirage::search

#endif // MIRAGE_SEARCH_SEARCH_H
