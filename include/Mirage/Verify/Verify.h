//===- Verify.h - Equivalence of two tensor programs ------------*- C++ -*-===//
//
// Decides whether two programs compute the same function of real numbers in
// exact arithmetic, wherever both are defined. Rounding, overflow and NaN are
// not its business.
//
//   equivalent       both agreed in every test over random prime fields; the
//                    certificate states the probability that a wrong candidate
//                    would have passed
//   not equivalent   with a counterexample. A mismatch without a random
//   function
//                    in its cone is a proof; otherwise real inputs were found
//                    at which the programs differ
//   cannot tell      with the reason. Never taken for equivalent.
//
// Whether rounding makes an equivalent candidate worse than the reference is a
// question of its own: FloatCheck.h.
//
// A candidate must be fixed before its seed is drawn. Without a seed in the
// options the operating system supplies it; tests pass their own.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_VERIFY_H
#define MIRAGE_VERIFY_VERIFY_H

#include "Mirage/Verify/FloatCheck.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <optional>

namespace mirage::verify {

enum class Verdict : uint8_t { Equivalent, NotEquivalent, CannotTell };

/// "equivalent", "not equivalent" or "cannot tell".
llvm::StringRef stringify(Verdict verdict);

using Seed = std::array<uint8_t, 32>;

/// A seed from the operating system.
llvm::Expected<Seed> systemSeed();

struct VerifyOptions {
  std::optional<Seed> seed; ///< absent: from the operating system
  /// Tests are added until the bound reaches the target, at least `minTests`.
  double targetLog2Bound = -50;
  unsigned minTests = 2;
  unsigned maxTests = 16;
  unsigned threads = 0; ///< 0: as many as the machine has
  /// Lets `recheck` pass certificates without a bound, whose claim is
  /// `statistical`.
  bool acceptStatistical = false;
  /// Also run the floating-point check of FloatCheck.h on an equivalent
  /// candidate, and put its figures into the certificate.
  bool checkFloat = false;
  /// Shares the reference's part of that check among candidates with one seed,
  /// all of which were fixed before it was drawn.
  FloatReferences *floatReferences = nullptr;
  /// Ends the work early: the answer is then `cannot tell`, `interrupted`, or
  /// that error where nothing was decided.
  Cancelled cancelled;
};

/// A point at which two programs differ.
struct Counterexample {
  unsigned output = 0;
  semantics::Shape index;
  std::string reference, candidate; ///< the two values
  /// Where: "field" (residues mod p in test `test`) or "real" (at probe point
  /// `test`). Both follow from the certificate's seed.
  std::string domain;
  unsigned test = 0;
};

struct VerifyResult {
  Verdict verdict = Verdict::CannotTell;
  std::string reason; ///< one line, for not equivalent and cannot tell
  std::optional<double> log2Bound;
  /// Equivalent by the counts of the structured interpretation, without a
  /// bound: random points agreed, and every decision on order was seen to go
  /// each way.
  bool statistical = false;
  std::optional<Counterexample> counterexample;
  std::optional<FloatReport> floatReport; ///< where asked for
  double seconds = 0;
  llvm::json::Object certificate;

  /// Whether the verdict is `equivalent` with a proved bound that reaches the
  /// target. What replaces a program should ask this, not the verdict alone:
  /// the number of tests is capped, and some verdicts are statistical.
  bool reachesTarget(const VerifyOptions &options) const {
    return verdict == Verdict::Equivalent && log2Bound &&
           *log2Bound <= options.targetLog2Bound;
  }
};

/// Compares `candidate` with `reference`. An error means that a program is
/// malformed or that their signatures differ, which is no verdict.
llvm::Expected<VerifyResult> verify(const semantics::Program &reference,
                                    const semantics::Program &candidate,
                                    const VerifyOptions &options = {});

/// One line for a diagnostic: the verdict with its bound, or with its reason
/// and counterexample.
std::string describe(const VerifyResult &result);

/// Reads a certificate. Text that is cut short, and unknown, missing, duplicate
/// or mistyped fields are errors.
llvm::Expected<llvm::json::Object> parseCertificate(llvm::StringRef text);

/// The certificate as text, which parseCertificate reads.
std::string printCertificate(const llvm::json::Object &certificate);

/// Re-checks a certificate from the two programs alone: everything in it is
/// computed again from its seed and compared, and the tests are run once more
/// with a fresh seed, since a recorded one may have been chosen. Success means
/// that the certificate says `equivalent` and holds, and that its bound reaches
/// the target of `options`. The number of tests is the certificate's.
llvm::Error recheck(const semantics::Program &reference,
                    const semantics::Program &candidate,
                    const llvm::json::Object &certificate,
                    const VerifyOptions &options = {});

/// Re-checks a certificate that a store has kept, in milliseconds where the
/// recorded tests take seconds: that its fields are whole, that its hashes are
/// those of the two programs, that it says `equivalent` with a proved bound
/// that reaches the target, and that the programs agree in fresh tests at small
/// sizes (or in one at full size where no small sizes keep the structure). Not
/// that the recorded tests were run: for that, who keeps a certificate must
/// keep it unharmed, and `recheck` does it.
llvm::Error recheckKept(const semantics::Program &reference,
                        const semantics::Program &candidate,
                        const llvm::json::Object &certificate,
                        const VerifyOptions &options = {});

/// What `verify` said when it wrote this certificate.
llvm::Expected<VerifyResult>
resultFromCertificate(const llvm::json::Object &certificate);

} // namespace mirage::verify

#endif // MIRAGE_VERIFY_VERIFY_H
