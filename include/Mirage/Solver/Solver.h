//===- Solver.h - Three-valued answers about small integer systems -*- C++
//-*-===//
//
// The only door to Z3. Nothing outside lib/Solver sees a Z3 type, and every
// answer is one of yes, no and unknown.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SOLVER_SOLVER_H
#define MIRAGE_SOLVER_SOLVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <mutex>
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

/// For row j of the part and row k of the whole, the columns of f that are 0 if
/// j lands on k.
using ZeroColumns = std::vector<std::vector<std::vector<unsigned>>>;

/// Is there one vector f >= 0 and one sign s such that the rows f + part[j],
/// their signs times s, are, injectively, rows of `whole`? That is: does some
/// monomial times the polynomial `part` lie inside the polynomial `whole`?
struct SubsetQuestion {
  ExponentRows part, whole;                      ///< all rows of one length
  std::vector<bool> partNegative, wholeNegative; ///< empty: all positive
  ZeroColumns zero;                              ///< empty: no such condition
};

class Solver {
public:
  virtual ~Solver() = default;

  /// Spends at most `rlimit` resource units, a deterministic measure, and
  /// answers `Unknown` past that and on any solver error.
  virtual Answer isScaledSubset(const SubsetQuestion &question,
                                unsigned rlimit) = 0;

  /// Decides `smtlib`, an SMT-LIB 2 script without `check-sat`, under the same
  /// terms. `Unknown` on malformed input.
  virtual Answer check(llvm::StringRef smtlib, unsigned rlimit) = 0;

  /// The solver's name and version, part of every key that caches its answers.
  virtual std::string version() const = 0;
};

std::unique_ptr<Solver> createZ3Solver();

/// A memo in front of a solver, safe to share between threads: questions of
/// equal numbers are asked once.
class CachedSolver : public Solver {
public:
  explicit CachedSolver(std::unique_ptr<Solver> inner);

  Answer isScaledSubset(const SubsetQuestion &question,
                        unsigned rlimit) override;
  Answer check(llvm::StringRef smtlib, unsigned rlimit) override;
  std::string version() const override { return inner->version(); }

  uint64_t asked() const { return numAsked; }
  uint64_t hits() const { return numHits; }
  uint64_t unknown() const { return numUnknown; }

private:
  std::unique_ptr<Solver> inner;
  std::mutex mutex; ///< also keeps the inner solver to one thread at a time
  std::map<std::vector<int64_t>, Answer> answers;
  uint64_t numAsked = 0, numHits = 0, numUnknown = 0;
};

} // namespace mirage::solver

#endif // MIRAGE_SOLVER_SOLVER_H
