//===- ThreadToNVVM.cpp - Thread-level kernels as NVVM code ---------------===//

#include "Mirage/Conversion/ThreadToNVVM/ThreadToNVVM.h"
#include "Emitter.h"
#include "Mirage/Cost/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;

void mirage::registerThreadToNVVMDependencies(DialectRegistry &registry) {
  registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                  ThreadDialect>();
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
}

LogicalResult mirage::convertThreadToNVVM(ModuleOp module, StringRef moduleName,
                                          const cost::Target &target,
                                          bool dependentLaunch) {
  SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
  if (kernels.empty())
    return success();
  OpBuilder b(module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  Location loc = module.getLoc();
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  // The PTX version is left to LLVM's table for the chip: a version that does
  // not fit it ends the process.
  auto chip = NVVM::NVVMTargetAttr::get(b.getContext(), /*optLevel=*/3,
                                        "nvptx64-nvidia-cuda", target.name);
  auto gpuModule =
      gpu::GPUModuleOp::create(b, loc, moduleName, b.getArrayAttr({chip}));
  b.setInsertionPointToStart(gpuModule.getBody());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  LLVM::GlobalOp::create(b, loc, bytes, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedMemorySymbol,
                         Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  for (KernelOp kernel : kernels) {
    if (failed(Emitter(b, kernel, dependentLaunch && target.hasGridDependency(),
                       target.hasWgmma())
                   .run())) {
      gpuModule.erase();
      return failure();
    }
  }
  for (KernelOp kernel : kernels)
    kernel.erase();
  return success();
}
