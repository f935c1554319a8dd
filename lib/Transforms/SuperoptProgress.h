//===- SuperoptProgress.h - A line on a terminal ----------------*- C++ -*-===//

#ifndef MIRAGE_LIB_TRANSFORMS_SUPEROPTPROGRESS_H
#define MIRAGE_LIB_TRANSFORMS_SUPEROPTPROGRESS_H

#include "Mirage/Search/Search.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

namespace mirage {

/// One line on stderr that is rewritten in place while fragments are searched;
/// nothing where stderr is no terminal.
class SuperoptProgress {
public:
  explicit SuperoptProgress(llvm::raw_ostream &os = llvm::errs());
  ~SuperoptProgress() { clear(); }

  /// Parts of a function are about to be looked at.
  void begin(llvm::StringRef function, size_t parts);
  /// One more of them is.
  void next() { ++part; }
  void show(const search::Progress &progress);
  /// What is done to the fragment after its search.
  void say(llvm::StringRef what);
  /// Removes the line, so that a diagnostic has its own.
  void clear();

private:
  void write(const std::string &line);

  llvm::raw_ostream &os;
  bool enabled, shown = false;
  std::string function;
  size_t part = 0, parts = 0;
  std::chrono::steady_clock::time_point start, last;
};

/// What the line says.
std::string formatProgress(llvm::StringRef function, size_t part, size_t parts,
                           const search::Progress &progress, double seconds);

} // namespace mirage

#endif // MIRAGE_LIB_TRANSFORMS_SUPEROPTPROGRESS_H
