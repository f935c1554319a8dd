//===- Tune.h - The parts of mirage-run tune --------------------*- C++ -*-===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_TUNE_H
#define MIRAGE_TOOLS_MIRAGE_RUN_TUNE_H

#include "Mirage/Tune/Measure.h"
#include "Run.h"

namespace mirage::run {

struct TuneOptions {
  std::string program, function, target, emitTo, bundle, json, output;
  tune::MeasureOptions measure;
  unsigned top = 32;
  bool spread = false, verify = true;
  uint64_t seed = 1, verifySeed = 0;
};

/// The half that needs MLIR: searches, verifies, lowers, and leaves a bundle.
llvm::Error emitTuneBundle(const TuneOptions &options,
                           const std::string &folder);

/// A line that replaces itself on a terminal; nothing elsewhere.
void showProgress(const std::string &text);
void endProgress();

} // namespace mirage::run

#endif // MIRAGE_TOOLS_MIRAGE_RUN_TUNE_H
