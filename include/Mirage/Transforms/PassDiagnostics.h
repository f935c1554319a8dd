//===- PassDiagnostics.h - What several passes say --------------*- C++ -*-===//
//
// Diagnostics stand on locations and not on operations: mlir-opt prints the
// whole operation below a diagnostic on it, and a module hides any message.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_PASSDIAGNOSTICS_H
#define MIRAGE_TRANSFORMS_PASSDIAGNOSTICS_H

#include "Mirage/Cost/Target.h"
#include "Mirage/Transforms/PassNumber.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace mirage {

/// The target that an option names, or null and a diagnostic that lists the
/// names.
inline const cost::Target *findTargetOrReport(mlir::ModuleOp module,
                                              llvm::StringRef name) {
  auto found = cost::lookupTarget(name);
  if (found)
    return *found;
  mlir::emitError(module.getLoc()) << llvm::toString(found.takeError());
  return nullptr;
}

/// More threads than this are a slip of the finger.
constexpr uint64_t kMostThreads = 1024;

/// Whether the option is a number in [least, most]; else a diagnostic says so.
inline bool isNumber(mlir::ModuleOp module, llvm::StringRef option,
                     const PassNumber &number, uint64_t least = 0,
                     uint64_t most = std::numeric_limits<uint64_t>::max()) {
  if (number.text.empty() && number >= least && number <= most)
    return true;
  mlir::emitError(module.getLoc(), "expected ")
      << option << " to be a number in [" << least << ", " << most
      << "], but got " << number.str();
  return false;
}

/// Passes on modules take the functions of the module itself. Says so for each
/// module inside it.
inline void remarkNestedModules(mlir::ModuleOp module, llvm::StringRef pass) {
  for (auto nested : module.getOps<mlir::ModuleOp>())
    mlir::emitRemark(nested.getLoc())
        << pass << ": expected functions in the outermost module, but got a "
        << "module inside it"
        << (nested.getName() ? " named @" + nested.getName()->str()
                             : std::string())
        << ": it is left as it is";
}

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_PASSDIAGNOSTICS_H
