//===- SuperoptReport.h - What the superoptimizer tells ---------*- C++ -*-===//

#ifndef MIRAGE_TRANSFORMS_SUPEROPTREPORT_H
#define MIRAGE_TRANSFORMS_SUPEROPTREPORT_H

#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Search/Search.h"
#include "Mirage/Verify/Verify.h"
#include "llvm/Support/JSON.h"

namespace mirage {

/// Of the whole report; a page is made of this one only (docs/reports.md).
constexpr int64_t kReportSchema = 2;

/// The search of one fragment and what came of it.
struct FragmentReport {
  /// How the page calls a verdict.
  enum class Judgement : uint8_t {
    Accepted,
    Refuted,    ///< not equivalent
    Undecided,  ///< cannot tell, or too weak a bound
    Inaccurate, ///< equivalent, but rounds worse
    NotLowered, ///< no code for the target
  };
  struct VerdictEntry {
    size_t candidate; ///< its place in the list, from 0
    Judgement judgement;
    double predictedMicros;
    std::string text;
    double seconds;
  };
  struct CandidateEntry {
    double predictedMicros;
    unsigned countedOps;
    std::string sizes;
  };
  std::string function, location;
  size_t ops = 0;
  bool repeated = false; ///< the search is that of an earlier fragment
  bool cached = false;   ///< or of an earlier run
  std::string original, winner;
  semantics::Program originalProgram;
  std::optional<semantics::Program> winnerProgram;
  std::optional<llvm::json::Object> certificate; ///< the winner's
  std::string outcome;                           ///< "replaced", or why not
  double originalMicros = 0;
  search::SearchStats stats;
  search::StopReason stopped = search::StopReason::Finished;
  std::vector<CandidateEntry> candidates; ///< as the search ranked them
  std::vector<VerdictEntry> verdicts;

  void setSearch(const search::SearchResult &result);
  void addVerdict(size_t candidate, Judgement judgement,
                  const verify::VerifyResult &result);
  llvm::json::Value toJSON() const;
};

/// "finished", or why the search stopped before.
llvm::StringRef stringify(search::StopReason reason);

/// One line: how much was visited and what pruned it.
std::string describeSearch(const search::SearchResult &result);

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_SUPEROPTREPORT_H
