//===- Structured.h - The second opinion ------------------------*- C++ -*-===//
//
// Runs two programs in the structured interpretation (StructuredDomain.h) until
// every output element was compared often enough untainted and every decision
// saw each of its outcomes often enough. Agreement is evidence by counts, with
// no bound: a region that no point entered stays unseen.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_STRUCTURED_H
#define MIRAGE_LIB_VERIFY_STRUCTURED_H

#include "Mirage/Semantics/Program.h"
#include "Mirage/Verify/Verify.h"

namespace mirage::verify {

/// How often each output element is compared, and each outcome seen.
constexpr unsigned kComparesPerElement = 12, kTimesPerOutcome = 16;
constexpr unsigned kMostDraws = 4096;

struct StructuredReport {
  enum Kind {
    Agree,     ///< with full coverage
    Differ,    ///< some element differs, which proves nothing here
    Uncovered, ///< too few comparisons or outcomes within the draws
    Failed,    ///< something that the interpretation does not model
    TooLarge,  ///< the programs are too large to be run so often
  } kind = TooLarge;
  std::string text; ///< for Failed: what
  unsigned draws = 0;
  uint64_t fewestCompares = 0;
  size_t places = 0; ///< decisions on order, in both programs
  std::optional<uint64_t> fewestOutcomes;
};

/// Both programs are normalised and have one signature. `withExp`: either has
/// an exponential, or a sigmoid, which goes through exp here.
StructuredReport compareStructured(const semantics::Program &f,
                                   const semantics::Program &g, bool withExp,
                                   const Seed &seed);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_STRUCTURED_H
