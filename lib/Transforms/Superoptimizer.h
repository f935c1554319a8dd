//===- Superoptimizer.h - Search, verify, replace ---------------*- C++ -*-===//
//
// A copy of the function is raised to mgraph_kernel. The copy's runs of
// predefined ops are fragments, or are cut into some; a fragment is replaced by
// the cheapest candidate that the verifier shows equivalent. The function takes
// the copy's body only if some fragment was improved.
//
// Sound because the search proposes and the verifier decides: its seed is drawn
// after a candidate is fixed, and an unknown answer replaces nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_SUPEROPTIMIZER_H
#define MIRAGE_LIB_TRANSFORMS_SUPEROPTIMIZER_H

#include "PartSearch.h"
#include "SuperoptReport.h"
#include <atomic>
#include <chrono>

namespace mirage {

class Superoptimizer {
public:
  Superoptimizer(mlir::ModuleOp module, const search::SearchOptions &options,
                 const verify::VerifyOptions &verifyOptions,
                 cache::Store *store = nullptr)
      : module(module), verifyOptions(verifyOptions), answers(store),
        parts(*module.getContext(), options, answers, progress) {}

  /// `raised` is a copy of the function, raised, in the same module. Returns
  /// whether some of it was improved.
  bool improve(mlir::func::FuncOp func, mlir::func::FuncOp raised);

  std::vector<FragmentReport> reports;
  unsigned improved = 0, refuted = 0, undecided = 0, inaccurate = 0,
           notLowered = 0;
  const PartSearch &search() const { return parts; }
  /// Answers that were found in the cache.
  unsigned cacheHits() const {
    return answers.searchHits + answers.verdictHits;
  }

private:
  /// A group that no graph replaces, and its search if there was one.
  struct Left {
    llvm::SmallVector<mlir::Operation *> ops;
    Attempt tried;
  };
  bool improveRun(llvm::ArrayRef<mlir::Operation *> run);
  bool improveWindow(const Groups &groups, Cut &cut, Cut::Window &window,
                     std::vector<Left> &left);
  void sayWhy(Left &left);
  bool finish(Attempt &tried);
  FragmentReport describe(const Attempt &tried);
  FragmentReport::Judgement judge(const verify::VerifyResult &verdict) const;
  llvm::Expected<verify::VerifyResult>
  verify(const semantics::Program &reference,
         const semantics::Program &candidate);
  void replace(Attempt &tried, const search::Candidate &candidate,
               const verify::VerifyResult &verdict, FragmentReport &entry);
  /// Whether an interrupt is so long ago that no verdict is waited for.
  bool isOverdue();

  mlir::ModuleOp module;
  mlir::func::FuncOp func; ///< the one that is improved
  verify::VerifyOptions verifyOptions;
  SuperoptProgress progress;
  CachedAnswers answers;
  PartSearch parts;
  /// Verdicts by the texts of the two programs.
  llvm::StringMap<verify::VerifyResult> verdicts;
  /// When the interrupt was first seen, in the clock's units; 0 before.
  std::atomic<std::chrono::steady_clock::rep> interrupted{0};
};

} // namespace mirage

#endif // MIRAGE_LIB_TRANSFORMS_SUPEROPTIMIZER_H
