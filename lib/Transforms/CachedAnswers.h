//===- CachedAnswers.h - Searches and verdicts on disk ----------*- C++ -*-===//
//
// Two kinds of entries (include/Mirage/Cache/Store.h):
//
//   search   what was found for a program under the search's options
//   verdict  the certificate of a pair of programs
//
// Both are keyed by whole texts, so that no two keys collide. A search's entry
// needs no trust: what it proposes is verified. A verdict that accepts a
// candidate is believed only if its certificate re-checks
// (verify::recheckKept); one that refuses costs a faster kernel at worst.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_CACHEDANSWERS_H
#define MIRAGE_LIB_TRANSFORMS_CACHEDANSWERS_H

#include "Mirage/Cache/Store.h"
#include "Mirage/Search/Search.h"
#include "Mirage/Verify/Verify.h"

namespace mirage {

class CachedAnswers {
public:
  /// Without a store nothing is found and nothing is kept.
  explicit CachedAnswers(cache::Store *store) : store(store) {}

  std::optional<search::SearchResult>
  loadSearch(const semantics::Program &program,
             const search::SearchOptions &options);
  void saveSearch(const semantics::Program &program,
                  const search::SearchOptions &options,
                  const search::SearchResult &found);

  std::optional<verify::VerifyResult>
  loadVerdict(const semantics::Program &reference,
              const semantics::Program &candidate,
              const verify::VerifyOptions &options);
  void saveVerdict(const semantics::Program &reference,
                   const semantics::Program &candidate,
                   const verify::VerifyOptions &options,
                   const verify::VerifyResult &verdict);

  unsigned searchHits = 0, verdictHits = 0;

private:
  cache::Store *store;
};

} // namespace mirage

#endif // MIRAGE_LIB_TRANSFORMS_CACHEDANSWERS_H
