//===- Target.h - A target by its option ------------------------*- C++ -*-===//

#ifndef MIRAGE_TRANSFORMS_TARGET_H
#define MIRAGE_TRANSFORMS_TARGET_H

#include "Mirage/Cost/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace mirage {

/// The target of this name, or null and a diagnostic that lists the names.
inline const cost::Target *findTargetOrReport(mlir::ModuleOp module,
                                              llvm::StringRef name) {
  if (const cost::Target *found = cost::findTarget(name))
    return found;
  std::string names;
  for (const cost::Target &known : cost::allTargets())
    names += (names.empty() ? "" : ", ") + known.name.str();
  module.emitError("expected target to be one of ")
      << names << ", but got '" << name << "'";
  return nullptr;
}

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_TARGET_H
