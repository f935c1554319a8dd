//===- SuperoptReport.cpp - What the superoptimizer tells -----------------===//

#include "SuperoptReport.h"
#include "Mirage/Drawing/Diagram.h"
#include "Mirage/Semantics/ProgramJSON.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mirage;

llvm::StringRef mirage::stringify(search::StopReason reason) {
  switch (reason) {
  case search::StopReason::Finished:
    return "finished";
  case search::StopReason::Budget:
    return "stopped by its node budget";
  case search::StopReason::Cancelled:
    return "interrupted: not reproducible";
  }
  llvm_unreachable("covered switch");
}

std::string mirage::describeSearch(const search::SearchResult &result) {
  const search::SearchStats &s = result.stats;
  std::string cut =
      s.graphsCut == 0
          ? ""
          : llvm::formatv(" ({0} structures have more)", s.graphsCut).str();
  return llvm::formatv(
             "search {0}: {1} structures, {2} ops visited, pruned {3} by "
             "abstract expressions, {4} by shape, {5} by the bound, {6} by the "
             "range of exp, merged {7} equal values; {8} graphs{9}, {10} "
             "instances, {11} past the target's resources; {12} Z3 queries, "
             "{13} unknown (kept); {14:F1} s",
             stringify(result.stopped), s.structures, s.visited,
             s.prunedExpression, s.prunedShape, s.prunedBound, s.prunedRange,
             s.merged, s.graphs, cut, s.instances, s.prunedResource,
             s.prune.z3Queries, s.prune.z3Unknown, s.seconds)
      .str();
}

void FragmentReport::setSearch(const search::SearchResult &result) {
  originalMicros = result.originalMicros;
  stats = result.stats;
  stopped = result.stopped;
  for (const search::Candidate &candidate : result.candidates)
    candidates.push_back({candidate.predictedMicros, candidate.countedOps,
                          drawing::describeSizes(candidate.program)});
}

void FragmentReport::addVerdict(size_t candidate, Judgement judgement,
                                const verify::VerifyResult &result) {
  verdicts.push_back({candidate, judgement,
                      candidates[candidate].predictedMicros,
                      verify::describe(result), result.seconds});
}

static llvm::StringRef nameOf(FragmentReport::Judgement judgement) {
  static constexpr llvm::StringLiteral names[] = {
      "accepted", "refuted", "undecided", "inaccurate", "not lowered"};
  return names[static_cast<unsigned>(judgement)];
}

llvm::json::Value FragmentReport::toJSON() const {
  llvm::json::Array checked, ranked;
  for (const CandidateEntry &entry : candidates)
    ranked.push_back(llvm::json::Object{
        {"predicted_us", entry.predictedMicros},
        {"counted_ops", static_cast<int64_t>(entry.countedOps)},
        {"sizes", entry.sizes}});
  for (const VerdictEntry &entry : verdicts)
    checked.push_back(
        llvm::json::Object{{"candidate", static_cast<int64_t>(entry.candidate)},
                           {"judgement", nameOf(entry.judgement)},
                           {"predicted_us", entry.predictedMicros},
                           {"verdict", entry.text},
                           {"seconds", entry.seconds}});
  llvm::json::Object fields{
      {"function", function},
      {"location", location},
      {"ops", static_cast<int64_t>(ops)},
      {"outcome", outcome},
      {"original", original},
      {"winner", winner},
      {"original_program", semantics::toJSON(originalProgram)},
      {"original_us", originalMicros},
      {"candidates", std::move(ranked)},
      {"verdicts", std::move(checked)},
      {"search",
       llvm::json::Object{
           {"repeated", repeated},
           {"cached", cached},
           {"stopped", stringify(stopped)},
           {"structures", static_cast<int64_t>(stats.structures)},
           {"visited", static_cast<int64_t>(stats.visited)},
           {"pruned_shape", static_cast<int64_t>(stats.prunedShape)},
           {"pruned_expression", static_cast<int64_t>(stats.prunedExpression)},
           {"pruned_bound", static_cast<int64_t>(stats.prunedBound)},
           {"pruned_range", static_cast<int64_t>(stats.prunedRange)},
           {"pruned_resource", static_cast<int64_t>(stats.prunedResource)},
           {"merged", static_cast<int64_t>(stats.merged)},
           {"values", static_cast<int64_t>(stats.values)},
           {"graphs", static_cast<int64_t>(stats.graphs)},
           {"graphs_cut", static_cast<int64_t>(stats.graphsCut)},
           {"instances", static_cast<int64_t>(stats.instances)},
           {"questions", static_cast<int64_t>(stats.prune.questions)},
           {"memo_hits", static_cast<int64_t>(stats.prune.memoHits)},
           {"z3_queries", static_cast<int64_t>(stats.prune.z3Queries)},
           {"z3_unknown", static_cast<int64_t>(stats.prune.z3Unknown)},
           {"seconds", stats.seconds}}}};
  if (winnerProgram)
    fields["winner_program"] = semantics::toJSON(*winnerProgram);
  if (certificate)
    fields["certificate"] = llvm::json::Object(*certificate);
  return fields;
}
