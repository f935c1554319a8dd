//===- Solver.h - Three-valued answers about small integer systems -*- C++ -*-===//
//
// The only door to Z3. Nothing outside lib/Solver sees a Z3 type, and every
// answer is one of yes, no and unknown.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SOLVER_SOLVER_H
#define MIRAGE_SOLVER_SOLVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <vector>

namespace mirage::solver {

enum class Answer { Sat, Unsat, Unknown };

llvm::StringRef stringify(Answer answer);

/// Returns true only if `answer` proves that no completion of a candidate can
/// compute the target. `Unknown` keeps the candidate: a lost proof costs time,
/// a wrong prune costs the optimum.
inline bool canPrune(Answer answer) { return answer == Answer::Unsat; }

/// One row of exponents for each monomial, one column for each coordinate.
using ExponentRows = std::vector<std::vector<int>>;

class Solver {
public:
  virtual ~Solver() = default;

  /// Is there one vector f >= 0 such that the rows f + part[j] are, injectively,
  /// rows of `whole`? That is: does some monomial times the polynomial `part`
  /// lie inside the polynomial `whole`? All rows have one length. Spends at most
  /// `rlimit` resource units, a deterministic measure, and answers `Unknown`
  /// past that and on any solver error.
  virtual Answer isScaledSubset(const ExponentRows &part,
                                const ExponentRows &whole, unsigned rlimit) = 0;

  /// Decides `smtlib`, an SMT-LIB 2 script without `check-sat`, under the same
  /// terms. `Unknown` on malformed input.
  virtual Answer check(llvm::StringRef smtlib, unsigned rlimit) = 0;

  /// The solver's name and version, part of every key that caches its answers.
  virtual std::string version() const = 0;
};

std::unique_ptr<Solver> createZ3Solver();

} // namespace mirage::solver

#endif // MIRAGE_SOLVER_SOLVER_H
