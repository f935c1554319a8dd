//===- Export.h - Files made of lowered modules -----------------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_EXPORT_H
#define MIRAGE_CONVERSION_EXPORT_H

#include "Mirage/Runtime/LaunchPlan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace mirage {

/// The PTX text of the one `gpu.binary` of `module`, or a diagnostic.
mlir::FailureOr<std::string> exportPTX(mlir::ModuleOp module);

/// The launch plan of the one `mgraph_kernel.launch` of `module` (with
/// `function`, of the one in that function), or a diagnostic.
mlir::FailureOr<runtime::LaunchPlan> exportPlan(mlir::ModuleOp module,
                                                llvm::StringRef function = "");

/// `module` as text for iree-compile: its PTX as the object of one
/// hal.executable.source, every kernel as an export, every function as
/// dispatches. The PTX is embedded, or with `objectPath` named by that path.
/// What IREE's launches cannot do is a diagnostic.
mlir::FailureOr<std::string> exportIREE(mlir::ModuleOp module,
                                        llvm::StringRef objectPath = "");

/// Registers `--export-ptx`, `--export-plan` and `--export-iree` of
/// mirage-translate, which read modules of their own dialects and of those that
/// `registerOthers` adds.
void registerExports(void (*registerOthers)(mlir::DialectRegistry &));

} // namespace mirage

#endif // MIRAGE_CONVERSION_EXPORT_H
