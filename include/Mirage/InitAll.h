//===- InitAll.h - Registration of everything of Mirage's -------*- C++ -*-===//
//
// The only global list of dialects and passes: tools and plug-ins call it.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_INITALL_H
#define MIRAGE_INITALL_H

#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Conversion/ThreadToNVVM/ThreadToNVVM.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"

namespace mirage {

inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<block::BlockDialect, kernel::KernelDialect, MirageDialect,
                  thread::ThreadDialect>();
  registerThreadToNVVMDependencies(registry);
}

inline void registerAllPasses() {
  registerLinalgToKernelPasses();
  registerMirageTransformsPasses();
  registerMirageConversionPasses();
  registerLowerToPTXPipeline();
}

} // namespace mirage

#endif // MIRAGE_INITALL_H
