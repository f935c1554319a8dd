//===- JSONDepth.h - A bound on the nesting of JSON text --------*- C++ -*-===//

#ifndef MIRAGE_SUPPORT_JSONDEPTH_H
#define MIRAGE_SUPPORT_JSONDEPTH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mirage {

/// Deepest nesting of any file that Mirage writes, with room to spare.
constexpr unsigned kMaxJSONDepth = 64;

/// An error when arrays and objects nest deeper than kMaxJSONDepth: LLVM's
/// reader recurses, so that text from outside could exhaust the stack.
inline llvm::Error checkJSONDepth(llvm::StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJSONDepth)
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "expected JSON nested at most %u deep, but got more at byte %zu",
            kMaxJSONDepth, i);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return llvm::Error::success();
}

} // namespace mirage

#endif // MIRAGE_SUPPORT_JSONDEPTH_H
