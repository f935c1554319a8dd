//===- ThreadToNVVM.h - Thread-level kernels as NVVM code -------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_THREADTONVVM_THREADTONVVM_H
#define MIRAGE_CONVERSION_THREADTONVVM_THREADTONVVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace mirage {

/// Moves every `mgraph_thread.kernel` of `module` into one `gpu.module` named
/// `moduleName`, as functions of LLVM and NVVM ops, with an `#nvvm.target` for
/// `chip` (`sm_80`, `sm_90a`, ...). Kernels share one external symbol for
/// dynamic shared memory.
mlir::LogicalResult convertThreadToNVVM(mlir::ModuleOp module,
                                        llvm::StringRef moduleName,
                                        llvm::StringRef chip);

/// The PTX text of the `gpu.module` named `moduleName`, by LLVM's NVPTX back
/// end. Failure leaves a diagnostic.
mlir::FailureOr<std::string> translateToPTX(mlir::ModuleOp module,
                                            llvm::StringRef moduleName);

/// Dialects and translations that the two functions above need.
void registerThreadToNVVMDependencies(mlir::DialectRegistry &registry);

} // namespace mirage

#endif // MIRAGE_CONVERSION_THREADTONVVM_THREADTONVVM_H
