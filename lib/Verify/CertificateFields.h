//===- CertificateFields.h - What a certificate says ------------*- C++ -*-===//

#ifndef MIRAGE_LIB_VERIFY_CERTIFICATEFIELDS_H
#define MIRAGE_LIB_VERIFY_CERTIFICATEFIELDS_H

#include "Bookkeep.h"
#include "Mirage/Verify/Field.h"
#include "Mirage/Verify/Verify.h"
#include "Structured.h"

namespace mirage::verify {

/// Attempts of one test before zero divisors make the verifier give up.
constexpr unsigned kAttempts = 4;

struct TestRecord {
  FieldDraw draw;
  unsigned attempts = 0;
  std::string digest; ///< SHA-256 of the reference's outputs
};

struct CertificateFields {
  std::string verdict, reason;
  std::string reference, candidate, signature, seed;
  std::vector<std::string> laws, soft, constants;
  bool withExp = false, sigmaThroughExp = false;
  unsigned numTests = 0;
  PairNumbers numbers;
  std::vector<TestRecord> tests;
  std::optional<double> log2Bound;
  /// Errors of interpretations that disagreed before, part of the bound.
  std::optional<double> log2Earlier;
  std::optional<StructuredReport> coverage; ///< where it decided
  std::optional<Counterexample> counterexample;
  std::optional<llvm::json::Object> floats;
  std::string smallSignature; ///< of the sizes tested; empty: the full ones
  double seconds = 0;

  llvm::json::Object toJSON() const;
};

/// SHA-256 of the program's text, names stripped, as certificates have it.
std::string hashOf(const semantics::Program &program);

/// Types of inputs and outputs: `(16x64xf16) -> (16x64xf16)`.
std::string signatureOf(const semantics::Program &program);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_CERTIFICATEFIELDS_H
