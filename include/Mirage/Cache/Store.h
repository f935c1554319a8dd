//===- Store.h - Answers kept on disk ---------------------------*- C++ -*-===//
//
// A folder of files, one for each entry, named by the hash of kind, version and
// key. Every file says what it is and what it should hash to, in its first
// line:
//
//   mirage-cache 1 SHA256 LENGTH
//   {"kind": ..., "version": ..., "key": ..., "answer": ...}
//
// so that nothing else is needed to trust a file, and no file depends on
// another. That is what makes the rest short:
//
//   several processes  a file is written under a name of its own and renamed
//   a kill             leaves such a file at worst, which `prune` removes
//   a full disk        the same, and the answer is not kept
//   damage             the hash differs: the file is set aside and written anew
//   another version    has other names; of another format of the folder, which
//                      the file `format` states, nothing is read or written
//   a clock that jumps is only asked which entry was used last; entries from
//                      the future count as the oldest
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_STORE_H
#define MIRAGE_CACHE_STORE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mirage::cache {

/// Of the folder and its files.
constexpr int kFormat = 1;
/// What the files may take together, unless asked otherwise.
constexpr uint64_t kDefaultLimit = uint64_t(512) << 20;

/// A hash of the sources, with the versions of LLVM and Z3: what an answer
/// depends on besides its key.
llvm::StringRef version();

/// One file of the folder.
struct Entry {
  std::string name; ///< of the file
  uint64_t bytes = 0;
  int64_t used = 0; ///< seconds since 1970
  /// Empty where the file could be read; otherwise what is wrong with it, and
  /// the fields below say nothing.
  std::string damage;
  std::string kind, version, key;
  std::optional<llvm::json::Value> answer;
};

struct PruneResult {
  unsigned removed = 0, kept = 0;
  uint64_t bytesRemoved = 0, bytesKept = 0;
};

class Store {
public:
  /// Opens a folder, which is made if it is missing. An error when it cannot be
  /// used: the caller says so, and works without.
  static llvm::Expected<Store> open(llvm::StringRef folder,
                                    uint64_t limit = kDefaultLimit);
  Store(Store &&other);
  Store &operator=(Store &&) = delete;
  /// Brings the folder below its limit if something was written.
  ~Store();

  /// The answer kept under this key, if there is one that is whole.
  std::optional<llvm::json::Value> load(llvm::StringRef kind,
                                        llvm::StringRef key);
  /// Keeps an answer. What goes wrong is told once, through `warn`.
  void save(llvm::StringRef kind, llvm::StringRef key,
            llvm::json::Value answer);
  /// An answer that turned out not to hold: set aside, so that it is not found
  /// again.
  void setAside(llvm::StringRef kind, llvm::StringRef key, llvm::StringRef why);

  /// Every file that is an entry, whole or not, by name.
  std::vector<Entry> list() const;
  /// Removes what is damaged or left over, and then the entries that were used
  /// longest ago until the rest fits the limit.
  PruneResult prune(uint64_t limit) const;
  void setAside(const Entry &entry) const;

  /// Told, once for each kind of trouble, what could not be read or written.
  std::function<void(const std::string &)> warn;

private:
  explicit Store(llvm::StringRef folder, uint64_t limit)
      : folder(folder), limit(limit) {}
  std::string pathOf(llvm::StringRef name) const;
  void tell(const std::string &what);

  std::string folder;
  uint64_t limit;
  bool written = false, told = false;
};

/// "$MIRAGE_CACHE_DIR", "$XDG_CACHE_HOME/mirage" or "~/.cache/mirage", the
/// first that the environment gives; empty where it gives none.
std::string defaultFolder();

} // namespace mirage::cache

#endif // MIRAGE_CACHE_STORE_H
