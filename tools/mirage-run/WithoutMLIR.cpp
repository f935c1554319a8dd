//===- WithoutMLIR.cpp - mirage-run where no LLVM is ----------------------===//
//
// The portable mirage-run is linked with this instead of what reads, searches
// and lowers .mlir files: it runs launch plans and times bundles.
//
//===----------------------------------------------------------------------===//

#include "CacheCheck.h"
#include "ReportCode.h"
#include "Tune.h"
#include "llvm/Support/WithColor.h"

using namespace mirage;

static std::string refuse(const std::string &path) {
  return path + ": expected a launch plan or a bundle, but got a program: this "
                "is the portable mirage-run, which is built without MLIR";
}

std::optional<semantics::Program> run::loadProgram(const std::string &path,
                                                   const std::string &,
                                                   std::vector<bool> *) {
  llvm::WithColor::error() << refuse(path) << "\n";
  return std::nullopt;
}

std::optional<run::LoweredProgram> run::loadLowered(const std::string &path,
                                                    const std::string &) {
  llvm::WithColor::error() << refuse(path) << "\n";
  return std::nullopt;
}

llvm::Error run::checkCacheEntry(const cache::Entry &entry, bool) {
  if (entry.damage.empty())
    return llvm::Error::success();
  return llvm::createStringError(entry.damage);
}

report::Code run::lowerForReport(const semantics::Program &,
                                 const std::string &) {
  report::Code code;
  code.failure = "the portable mirage-run, which made this page, is built "
                 "without MLIR and lowers nothing";
  return code;
}

llvm::Error run::emitTuneBundle(const TuneOptions &options,
                                const std::string &) {
  return llvm::createStringError(refuse(options.program));
}
