//===- Harness.h - Edits, their truth, and the verifier's answer -*- C++ -*-==//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_HARNESS_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_HARNESS_H

#include "Corpus.h"
#include "Truth.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <map>

namespace mirage::verify::mutation {

struct HarnessOptions {
  uint64_t seed = 1;
  unsigned threads = 1;
  /// Edits tried for each base; 0: all single ones.
  unsigned wrongPerBase = 0, rightPerBase = 0;
  unsigned pairsPerBase = 0; ///< wrong edits of wrong programs
  unsigned longestWalk = 4;  ///< right edits in a row
};

/// [truth][verdict], both in the order of their enums.
using Counts = std::array<std::array<unsigned, 3>, 3>;

struct Report {
  std::map<std::string, Counts> wrong, right; ///< by kind of edit
  /// What must not be: wrong and accepted, same and refused, a right edit that
  /// the ground truth calls wrong, a verifier's error.
  std::vector<std::string> faults;
  std::vector<std::string> cannotTell; ///< on same programs
  std::vector<std::string> open;       ///< on wrong programs
  std::vector<std::string> grey;
  unsigned bases = 0; ///< those that have cases of their own
};

/// The report depends on the corpus, the seed and the counts alone.
Report runHarness(const std::vector<Base> &corpus,
                  const HarnessOptions &options);

unsigned total(const std::map<std::string, Counts> &rows, Truth truth);

/// The tables as Markdown.
void printTables(const Report &report, llvm::raw_ostream &os);

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_HARNESS_H
