//===- Search.cpp - Structures, values, graphs, instances -----------------===//

#include "Mirage/Search/Search.h"
#include "Instances.h"
#include "Mirage/Cost/CostModel.h"
#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
/// Graphs of one structure that get sizes.
constexpr unsigned kGraphsPerStructure = 12;

struct StructureResult {
  std::vector<Candidate> candidates;
  SearchStats stats;
  StopReason stopped = StopReason::Finished;
};

void addStats(SearchStats &sum, const SearchStats &one) {
  sum.structures += one.structures;
  sum.visited += one.visited;
  sum.prunedShape += one.prunedShape;
  sum.prunedExpression += one.prunedExpression;
  sum.prunedBound += one.prunedBound;
  sum.prunedRange += one.prunedRange;
  sum.merged += one.merged;
  sum.values += one.values;
  sum.graphs += one.graphs;
  sum.graphsCut += one.graphsCut;
  sum.instances += one.instances;
  sum.prunedResource += one.prunedResource;
  sum.prune.questions += one.prune.questions;
  sum.prune.memoHits += one.prune.memoHits;
  sum.prune.z3Questions += one.prune.z3Questions;
  sum.prune.undecided += one.prune.undecided;
  sum.prune.disagreements += one.prune.disagreements;
}

bool hasLoop(const Candidate &candidate) {
  return llvm::any_of(candidate.program.ops[0].body,
                      [](const Op &op) { return op.kind == OpKind::Loop; });
}

class Driver {
public:
  Driver(const Program &program, const SearchOptions &options,
         SearchResult &result)
      : program(program), options(options), result(result) {
    if (options.prune != PruneMode::None && options.prune != PruneMode::Direct)
      solver = std::make_unique<mirage::solver::CachedSolver>(
          mirage::solver::createZ3Solver());
  }

  void run() {
    for (Space space : {Space{true, false, false}, Space{true, true, false},
                        Space{true, false, true}, Space{false, false, true}}) {
      if (result.stopped == StopReason::Cancelled || !isWorthwhile(space))
        break;
      auto analysis = analyze(program, space.opaqueMaps);
      if (!analysis) {
        result.note = llvm::toString(analysis.takeError());
        break;
      }
      if (space.opaqueMaps && space.transposes &&
          analysis->transposes.empty() && analysis->reshapes.empty())
        continue;
      // Without a map that was closed there is nothing new inside.
      if (!space.opaqueMaps && allMapsOpen)
        break;
      allMapsOpen = analysis->opaqueValues.empty();
      searchSpace(*analysis, space);
    }
    if (solver) {
      result.stats.prune.z3Queries = solver->asked();
      result.stats.prune.z3Unknown = solver->unknown();
    }
  }

private:
  bool isWorthwhile(const Space &space) const {
    if (options.narrow && result.stats.graphs > 0)
      return false;
    // Graphs whose sizes do not fit the target stay so with open maps.
    if (result.candidates.empty())
      return space.opaqueMaps || result.stats.graphs == 0;
    // A product whose operands only fit a block whole: what is needed of an
    // input before the loop may let the product itself run in one.
    bool product = llvm::any_of(
        program.ops, [](const Op &op) { return op.kind == OpKind::Matmul; });
    return space.wideLoads && product && !hasLoop(result.candidates[0]);
  }

  /// Structures are independent of one another, so threads take them in turn;
  /// the results are put together in the structures' order.
  void searchSpace(const Analysis &analysis, const Space &space) {
    std::vector<Structure> structures = enumerateStructures(analysis);
    std::vector<StructureResult> results(structures.size());
    std::atomic<size_t> next{0};
    auto work = [&] {
      for (size_t i = next++; i < structures.size(); i = next++)
        if (!cancelled())
          results[i] = searchStructure(analysis, structures[i], space);
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1;
         i < std::min<size_t>(options.threads, structures.size()); ++i)
      threads.emplace_back(work);
    work();
    for (std::thread &thread : threads)
      thread.join();
    for (StructureResult &one : results) {
      addStats(result.stats, one.stats);
      if (result.stopped == StopReason::Finished)
        result.stopped = one.stopped;
      for (Candidate &candidate : one.candidates)
        keep(std::move(candidate));
    }
    if (cancelled())
      result.stopped = StopReason::Cancelled;
  }

  bool cancelled() const {
    return options.cancel && options.cancel->load(std::memory_order_relaxed);
  }

  StructureResult searchStructure(const Analysis &analysis,
                                  const Structure &structure,
                                  const Space &space) {
    StructureResult one;
    ++one.stats.structures;
    SearchOptions options = this->options;
    // Inside maps there is much to visit and little to find.
    if (!space.opaqueMaps)
      options.nodeBudget /= 20;
    ValueGraph values(analysis, structure, options, solver.get(), space,
                      one.stats);
    one.stopped = values.build();
    const PruneStats &prune = values.expressionTest().stats();
    one.stats.prune = prune;
    if (values.reachesOutputs()) {
      Extraction read =
          extractGraphs(values, options.maxBlockOps, kGraphsPerStructure);
      one.stats.graphs += read.graphs.size();
      one.stats.graphsCut += read.cut;
      for (const GraphSketch &graph : read.graphs)
        for (Candidate &candidate : instantiate(
                 values, graph, options, options.instancesPerGraph, one.stats))
          one.candidates.push_back(std::move(candidate));
    }
    report(one);
    return one;
  }

  void report(const StructureResult &one) {
    if (!options.progress)
      return;
    std::lock_guard<std::mutex> lock(progressMutex);
    progress.visited += one.stats.visited;
    progress.values += one.stats.values;
    for (const Candidate &candidate : one.candidates)
      if (progress.bestMicros == 0 ||
          candidate.predictedMicros < progress.bestMicros)
        progress.bestMicros = candidate.predictedMicros;
    progress.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    options.progress(progress);
  }

  void keep(Candidate candidate) {
    // Two structures may yield one instance: an axis of one part is no axis.
    if (!seen.insert(toString(candidate.program)).second)
      return;
    auto at =
        std::upper_bound(result.candidates.begin(), result.candidates.end(),
                         candidate, [](const Candidate &a, const Candidate &b) {
                           return a.predictedMicros < b.predictedMicros;
                         });
    result.candidates.insert(at, std::move(candidate));
    if (result.candidates.size() > options.top)
      result.candidates.pop_back();
  }

  const Program &program;
  const SearchOptions &options;
  SearchResult &result;
  std::unique_ptr<mirage::solver::CachedSolver> solver;
  std::set<std::string> seen;
  bool allMapsOpen = false;
  std::mutex progressMutex;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  Progress progress;
};
} // namespace

llvm::Expected<SearchResult>
mirage::search::search(const Program &program, const SearchOptions &options) {
  if (llvm::Error e = verifyProgram(program))
    return std::move(e);
  auto start = std::chrono::steady_clock::now();
  SearchResult result;
  result.originalMicros = mirage::cost::predictMicros(program, options.target);
  Driver(program, options, result).run();
  result.stats.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
