//===- SuperoptReport.h - What the superoptimizer tells ---------*- C++ -*-===//

#ifndef MIRAGE_TRANSFORMS_SUPEROPTREPORT_H
#define MIRAGE_TRANSFORMS_SUPEROPTREPORT_H

#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Search/Search.h"
#include "Mirage/Verify/Verify.h"
#include "llvm/Support/JSON.h"

namespace mirage {

/// The search of one fragment and what came of it.
struct FragmentReport {
  struct VerdictEntry {
    double predictedMicros;
    std::string text;
    double seconds;
  };
  std::string function;
  size_t ops = 0;
  bool repeated = false; ///< the search is that of an earlier fragment
  std::string original, winner;
  std::string outcome; ///< "replaced", or why not
  double originalMicros = 0;
  search::SearchStats stats;
  search::StopReason stopped = search::StopReason::Finished;
  std::vector<double> candidateMicros;
  std::vector<VerdictEntry> verdicts;

  void setSearch(const search::SearchResult &result);
  void addVerdict(const search::Candidate &candidate,
                  const verify::VerifyResult &result);
  llvm::json::Value toJSON() const;
};

/// "finished", or why the search stopped before.
llvm::StringRef stringify(search::StopReason reason);

/// One line: how much was visited and what pruned it.
std::string describeSearch(const search::SearchResult &result);

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_SUPEROPTREPORT_H
