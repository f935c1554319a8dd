//===- Report.h - The page made of a report ---------------------*- C++ -*-===//
//
// `--mirage-superopt="report=FILE"` writes what was searched, found and
// verified as JSON (docs/reports.md). This reads it, and writes it as one HTML
// page that needs no network and no script.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REPORT_REPORT_H
#define MIRAGE_REPORT_REPORT_H

#include "Mirage/Semantics/Program.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace mirage::report {

/// The schema that is read.
constexpr int64_t kSchema = 2;

struct Candidate {
  double predictedMicros = 0;
  std::string sizes;
};

struct Verdict {
  int64_t candidate = 0; ///< its place among the candidates
  std::string judgement; ///< accepted, refuted, undecided, inaccurate, ...
  std::string text;
  double seconds = 0;
};

/// What the search counted; docs/search.md has the words.
struct Statistics {
  bool repeated = false, cached = false;
  std::string stopped;
  int64_t structures = 0, visited = 0, prunedShape = 0, prunedExpression = 0,
          prunedBound = 0, prunedRange = 0, prunedResource = 0, merged = 0,
          values = 0, graphs = 0, instances = 0, questions = 0, z3Queries = 0,
          z3Unknown = 0;
  double seconds = 0;
};

struct Fragment {
  std::string function, location, outcome, original, winner;
  int64_t ops = 0;
  double originalMicros = 0;
  semantics::Program originalProgram;
  std::optional<semantics::Program> winnerProgram;
  std::vector<Candidate> candidates;
  std::vector<Verdict> verdicts;
  Statistics search;
  std::optional<llvm::json::Object> certificate;

  bool isReplaced() const { return winnerProgram.has_value(); }
  /// Place of the candidate that was taken, or -1.
  int64_t winnerIndex() const;
  /// Predicted time after superoptimization.
  double micros() const;
};

struct Report {
  std::string target;
  int64_t searches = 0, nodes = 0, repeats = 0, leftOut = 0;
  std::vector<Fragment> fragments;
};

/// A candidate that `mirage-run tune` timed.
struct Timed {
  int64_t rank = 0;
  double predictedMicros = 0;
  std::string sizes, verdict;
  std::optional<double> coldMicros, warmMicros;
};

/// What `mirage-run tune --json` wrote.
struct TuneResults {
  std::string device, target, program;
  std::vector<Timed> candidates;
};

/// One kernel as lowering leaves it.
struct LoweredKernel {
  struct Buffer {
    std::string name, shape;
    int64_t offset = 0, bytes = 0;
    unsigned firstUse = 0, lastUse = 0;
  };
  std::string threads; ///< the SVG of the thread level, may be empty
  int64_t sharedBytes = 0;
  std::vector<Buffer> buffers;
};

/// What lowering a fragment's winner gave; empty texts where it was not asked.
struct Code {
  std::vector<LoweredKernel> kernels;
  std::string ptx, ptxas;
  std::string failure; ///< why there is none
};

/// Reads report text. An error names what is wrong and where.
llvm::Expected<Report> parseReport(llvm::StringRef text);
llvm::Expected<TuneResults> parseTuneResults(llvm::StringRef text);

struct PageInput {
  const Report &report;
  const TuneResults *tuned = nullptr;
  /// As the fragments; may be empty.
  std::vector<Code> code;
  std::string title;
};

/// Writes the page.
void writePage(const PageInput &input, llvm::raw_ostream &os);

} // namespace mirage::report

#endif // MIRAGE_REPORT_REPORT_H
