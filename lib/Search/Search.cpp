//===- Search.cpp - Structures, values, graphs, instances -----------------===//

#include "Mirage/Search/Search.h"
#include "Instances.h"
#include "Mirage/Cost/CostModel.h"
#include <algorithm>
#include <chrono>
#include <set>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
/// Graphs of one structure that get sizes, and instances kept of each.
constexpr unsigned kGraphsPerStructure = 12;
constexpr unsigned kInstancesPerGraph = 4;

class Driver {
public:
  Driver(const Analysis &analysis, const SearchOptions &options,
         SearchResult &result)
      : analysis(analysis), options(options), result(result) {
    if (options.prune != PruneMode::None && options.prune != PruneMode::Direct)
      solver = std::make_unique<mirage::solver::CachedSolver>(
          mirage::solver::createZ3Solver());
  }

  void run() {
    searchAll();
    if (solver) {
      result.stats.prune.z3Queries = solver->asked();
      result.stats.prune.z3Unknown = solver->unknown();
    }
  }

private:
  void searchAll() {
    std::vector<Structure> structures = enumerateStructures(analysis);
    // Inputs read whole before the loop are a wider space: only where the
    // narrow one has nothing.
    for (bool wide : {false, true}) {
      for (const Structure &structure : structures) {
        if (result.stopped == StopReason::Cancelled)
          return;
        searchStructure(structure, wide);
      }
      if (!result.candidates.empty())
        return;
    }
  }

  void searchStructure(const Structure &structure, bool wide) {
    SearchStats &stats = result.stats;
    ++stats.structures;
    ValueGraph values(analysis, structure, options, solver.get(), wide, stats);
    StopReason stop = values.build();
    if (result.stopped == StopReason::Finished)
      result.stopped = stop;
    addPruneStats(values.expressionTest().stats());
    if (values.reachesOutputs()) {
      std::vector<GraphSketch> graphs =
          extractGraphs(values, options.maxBlockOps, kGraphsPerStructure);
      stats.graphs += graphs.size();
      for (const GraphSketch &graph : graphs) {
        std::vector<Candidate> found =
            instantiate(values, graph, options, kInstancesPerGraph, stats);
        for (Candidate &candidate : found)
          keep(std::move(candidate));
      }
    }
    if (options.progress) {
      Progress progress{stats.visited, stats.values, 0};
      if (!result.candidates.empty())
        progress.bestMicros = result.candidates[0].predictedMicros;
      options.progress(progress);
    }
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

  void addPruneStats(const PruneStats &one) {
    PruneStats &sum = result.stats.prune;
    sum.questions += one.questions;
    sum.memoHits += one.memoHits;
    sum.z3Questions += one.z3Questions;
    sum.undecided += one.undecided;
    sum.disagreements += one.disagreements;
  }

  const Analysis &analysis;
  const SearchOptions &options;
  SearchResult &result;
  std::unique_ptr<mirage::solver::CachedSolver> solver;
  std::set<std::string> seen;
};
} // namespace

llvm::Expected<SearchResult>
mirage::search::search(const Program &program, const SearchOptions &options) {
  if (llvm::Error e = verifyProgram(program))
    return std::move(e);
  auto start = std::chrono::steady_clock::now();
  SearchResult result;
  result.originalMicros = mirage::cost::predictMicros(program, options.target);
  if (auto analysis = analyze(program))
    Driver(*analysis, options, result).run();
  else
    result.note = llvm::toString(analysis.takeError());
  result.stats.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
