//===- Analysis.h - What an interpretation must know beforehand -*- C++ -*-===//
//
// Static facts about the values of a program, by value id:
//
//   live      which field components are needed: outputs and arguments of keyed
//             functions need p, arguments of exp need q. What is not needed is
//             not computed, so it cannot divide by zero either.
//   hasQ      whether the q component is defined. exp leaves the field Z_q, so
//             an exp of an exp has no homomorphism and becomes a keyed
//             function.
//   soft      the symbols without a field law in the value's cone. A mismatch
//             with none of them proves inequality; with some, it does not.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_ANALYSIS_H
#define MIRAGE_LIB_VERIFY_ANALYSIS_H

#include "Mirage/Semantics/Program.h"
#include <vector>

namespace mirage::verify {

enum Component : uint8_t { kP = 1, kQ = 2 };

/// Symbols without a field law, as bits.
enum Soft : unsigned {
  kSoftSqrt = 1u << 0,
  kSoftSigmoid = 1u << 1,
  kSoftErf = 1u << 2,
  kSoftLog = 1u << 3,
  kSoftPow = 1u << 4,
  kSoftMax = 1u << 5,
  kSoftClamp = 1u << 6,
  kSoftCompare = 1u << 7,
  kSoftNestedExp = 1u << 8,
  kSoftConstant = 1u << 9, ///< 1/sqrt(n) of a non-square n
};

/// Names of the bits, in order.
std::vector<std::string> softNames(unsigned soft);

struct Analysis {
  std::vector<uint8_t> live;
  std::vector<bool> hasQ;
  std::vector<unsigned> soft;
};

/// How functions are interpreted in one run.
struct Interpretation {
  bool withExp = false; ///< profile E: values have a q component
  bool sigmoidThroughExp = false;
};

Analysis analyze(const semantics::Program &program,
                 const Interpretation &interpretation);

/// Whether an op's value goes through a sigmoid.
bool isSigmoidal(semantics::OpKind kind);

/// Whether any op of the program, nested ones included, satisfies `predicate`.
bool anyOp(const std::vector<semantics::Op> &ops,
           llvm::function_ref<bool(const semantics::Op &)> predicate);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_ANALYSIS_H
