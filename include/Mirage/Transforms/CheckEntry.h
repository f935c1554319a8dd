//===- CheckEntry.h - Whether a kept answer still holds ---------*- C++ -*-===//

#ifndef MIRAGE_TRANSFORMS_CHECKENTRY_H
#define MIRAGE_TRANSFORMS_CHECKENTRY_H

#include "Mirage/Cache/Store.h"

namespace mirage {

/// Checks an entry of the superoptimizer as a hit does, or (`full`) with all
/// tests of its certificate. An entry of another version is not looked into.
llvm::Error checkEntry(const cache::Entry &entry, bool full);

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_CHECKENTRY_H
