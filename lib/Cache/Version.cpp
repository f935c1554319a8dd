//===- Version.cpp - What an answer depends on besides its key ------------===//

#include "Mirage/Cache/Store.h"
#include "MirageSourceHash.inc"

llvm::StringRef mirage::cache::version() { return MIRAGE_SOURCE_VERSION; }
