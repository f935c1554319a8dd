//===- ThreadToNVVM.h - Thread-level kernels as NVVM code -------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_THREADTONVVM_THREADTONVVM_H
#define MIRAGE_CONVERSION_THREADTONVVM_THREADTONVVM_H

#include "Mirage/Cost/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace mirage {

/// Moves every `mgraph_thread.kernel` of `module` into one `gpu.module` named
/// `moduleName`, as functions of LLVM and NVVM ops, with an `#nvvm.target` for
/// `target`. Kernels share one external symbol for dynamic shared memory.
/// Without `dependentLaunch` none has a griddepcontrol instruction.
mlir::LogicalResult convertThreadToNVVM(mlir::ModuleOp module,
                                        llvm::StringRef moduleName,
                                        const cost::Target &target,
                                        bool dependentLaunch = true);

/// Dialects and translations that this and gpu-module-to-binary need.
void registerThreadToNVVMDependencies(mlir::DialectRegistry &registry);

} // namespace mirage

#endif // MIRAGE_CONVERSION_THREADTONVVM_THREADTONVVM_H
