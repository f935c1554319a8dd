//===- CacheCheck.h - Whether a kept answer still holds ---------*- C++ -*-===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_CACHECHECK_H
#define MIRAGE_TOOLS_MIRAGE_RUN_CACHECHECK_H

#include "Mirage/Cache/Store.h"

namespace mirage::run {

/// mirage::checkEntry; without MLIR, whether the file is whole.
llvm::Error checkCacheEntry(const cache::Entry &entry, bool full);

} // namespace mirage::run

#endif // MIRAGE_TOOLS_MIRAGE_RUN_CACHECHECK_H
