//===- Passes.h - Conversion passes -----------------------------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_PASSES_H
#define MIRAGE_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mirage {

/// How the kernels of a module may be launched.
enum class LaunchMode {
  Dependent, ///< before the previous kernel ends, where the target can
  Plain,     ///< by cuLaunchKernel alone, as IREE does
};

#define GEN_PASS_DECL
#include "Mirage/Conversion/Passes.h.inc"

/// Adds the whole way from kernel graphs to PTX text in a `gpu.binary`.
void buildLowerToPTXPipeline(mlir::OpPassManager &manager,
                             llvm::StringRef target,
                             LaunchMode launch = LaunchMode::Dependent,
                             bool check = false);

/// Registers `--mirage-lower-to-ptx="target=... launch=... check"`.
void registerLowerToPTXPipeline();

#define GEN_PASS_REGISTRATION
#include "Mirage/Conversion/Passes.h.inc"

} // namespace mirage

#endif // MIRAGE_CONVERSION_PASSES_H
