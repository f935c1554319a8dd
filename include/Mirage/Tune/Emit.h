//===- Emit.h - Search, lower, and leave a bundle ---------------*- C++ -*-===//

#ifndef MIRAGE_TUNE_EMIT_H
#define MIRAGE_TUNE_EMIT_H

#include "Mirage/Cost/Target.h"
#include "Mirage/Semantics/Program.h"
#include "Mirage/Tune/Bundle.h"
#include "Mirage/Verify/Verify.h"
#include <functional>

namespace mirage::tune {

/// A candidate in the three forms of a bundle.
struct LoweredCandidate {
  std::string graph, plan, image;
};

struct EmitOptions {
  explicit EmitOptions(const cost::Target &target) : target(target) {}

  const cost::Target &target;
  unsigned top = 32; ///< candidates of the bundle
  /// Spread the candidates over the whole ranking: to judge the cost model.
  bool spread = false;
  /// Have the verifier decide on each candidate. Without it, a candidate has
  /// passed the search's own field test only, and the bundle says so.
  bool verify = true;
  std::optional<verify::Seed> verifySeed; ///< absent: the operating system's
  std::vector<bool> constantInputs;       ///< mirage.constant; may be empty
  unsigned threads = 0;                   ///< 0: as many as the machine has
  unsigned maxBlockOps = 24;
  uint64_t nodeBudget = 5'000'000;
  uint64_t seed = 1; ///< of the inputs on which the candidates are timed
  /// How a candidate is lowered, called from any thread; empty: as
  /// lowerCandidate does.
  std::function<llvm::Expected<LoweredCandidate>(const semantics::Program &)>
      lower;
  /// Told after each candidate, from any thread; may be empty.
  std::function<void(size_t done, size_t of)> progress;
};

/// What the verifier says of a candidate that may be timed and kept.
struct Acceptance {
  std::string verdict;     ///< one line, with the bound
  std::string certificate; ///< its text
};

/// An error unless `candidate` is shown equivalent to `reference` with a bound
/// that reaches the verifier's target, and rounds no worse.
llvm::Expected<Acceptance>
acceptCandidate(const semantics::Program &reference,
                const semantics::Program &candidate, const verify::Seed &seed,
                verify::FloatReferences *shared = nullptr);

/// Searches `program`, which holds predefined ops alone, lowers the chosen
/// candidates and writes the bundle to `folder`, which is made. A candidate
/// that has no lowering or is not shown equivalent is dropped, listed in the
/// bundle, and replaced by the next in the ranking. An error when there is
/// none.
llvm::Expected<Bundle> emitBundle(const semantics::Program &program,
                                  const EmitOptions &options,
                                  llvm::StringRef folder);

/// Lowers a program of graph-defined kernels for `target`; the error is the
/// first diagnostic. `constants` names the inputs that are mirage.constant.
llvm::Expected<LoweredCandidate>
lowerCandidate(const semantics::Program &program, llvm::StringRef target,
               const std::vector<bool> &constants = {});

/// The program as the text of a module with one function.
std::string printAsFunction(const semantics::Program &program,
                            const std::vector<bool> &constants = {});

/// A verified candidate as superopt leaves it: the function calls for the graph
/// with its certificate, beside the original that it was checked against.
std::string printWithCertificate(const semantics::Program &candidate,
                                 const semantics::Program &reference,
                                 llvm::StringRef certificate,
                                 const std::vector<bool> &constants = {});

} // namespace mirage::tune

#endif // MIRAGE_TUNE_EMIT_H
