//===- PartSearch.h - Searches of fragments and of parts --------*- C++ -*-===//

#ifndef MIRAGE_LIB_TRANSFORMS_PARTSEARCH_H
#define MIRAGE_LIB_TRANSFORMS_PARTSEARCH_H

#include "CachedAnswers.h"
#include "Cut.h"
#include "Fragment.h"
#include "Groups.h"
#include "Mirage/Search/Search.h"
#include "SuperoptProgress.h"
#include "llvm/ADT/StringMap.h"

namespace mirage {

/// A fragment and what its search found.
struct Attempt {
  std::optional<Fragment> fragment;
  std::optional<search::SearchResult> found;
  std::string failure;   ///< why there is no search
  bool repeated = false; ///< another fragment's search of the same program
  bool cached = false;   ///< an earlier run's

  bool hasCandidates() const { return found && !found->candidates.empty(); }
  /// Searched to the end, and without a candidate.
  bool isHopeless() const {
    return found && found->candidates.empty() &&
           found->stopped == search::StopReason::Finished;
  }
  bool beneficial() const {
    return hasCandidates() &&
           found->candidates.front().predictedMicros < found->originalMicros;
  }
};

/// Why the search of `program` has no candidates.
std::string whyNone(const semantics::Program &program,
                    const search::SearchResult &found,
                    const cost::Target &target);

/// Lowers the graphs to thread level in a module of its own and throws the
/// result away. Empty when all of them lower.
std::string whyNotLowered(mlir::MLIRContext &context,
                          const semantics::Program &program,
                          const cost::Target &target);

/// Searches fragments, each program once.
class PartSearch {
public:
  PartSearch(mlir::MLIRContext &context, const search::SearchOptions &options,
             CachedAnswers &answers, SuperoptProgress &progress)
      : context(context), options(options), answers(answers),
        progress(progress) {}

  /// A fragment that is tried as it stands, with the whole budget.
  Attempt whole(llvm::ArrayRef<mlir::Operation *> ops);
  /// One of many parts, with a small budget. Candidates that do not lower are
  /// dropped, since a cover must not count on them.
  Attempt part(llvm::ArrayRef<mlir::Operation *> ops);

  /// Parts of another run follow.
  void beginRun() { runNodes = 0; }
  /// The groups of a run. A product that has no graph with its epilogue is one
  /// without it.
  Groups group(llvm::ArrayRef<mlir::Operation *> run);
  /// Predicted costs of the window's parts, smallest first. A part is searched
  /// only if it can beat the best cover of its groups known by then, and if
  /// what it grows from leaves hope. Returns the searches.
  std::map<Cut::Mask, Attempt> searchWindow(const Groups &groups,
                                            Cut::Window &window);

  /// Why no graph can be faster than the ops of this fragment, if that is so
  /// whatever a search finds.
  std::string whyHopeless(const Fragment &fragment) const;

  const cost::Target &target() const { return options.target; }

  unsigned searches = 0;   ///< programs searched
  uint64_t nodes = 0;      ///< operators proposed in them
  unsigned repeats = 0;    ///< fragments of a program that had been searched
  unsigned notLowered = 0; ///< candidates dropped
  unsigned leftOut = 0; ///< parts not searched, their run's nodes being spent

private:
  Attempt search(llvm::ArrayRef<mlir::Operation *> ops, bool isPart);
  void dropNotLowered(search::SearchResult &found);

  mlir::MLIRContext &context;
  search::SearchOptions options;
  CachedAnswers &answers;
  SuperoptProgress &progress;
  /// What was found, by the kind of search and the program's text.
  llvm::StringMap<search::SearchResult> known;
  uint64_t runNodes = 0; ///< spent on the parts of this run
};

} // namespace mirage

#endif // MIRAGE_LIB_TRANSFORMS_PARTSEARCH_H
