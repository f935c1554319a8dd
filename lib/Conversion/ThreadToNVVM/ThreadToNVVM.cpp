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
                                          StringRef chip) {
  SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
  if (kernels.empty())
    return success();
  const cost::Target *known = cost::findTarget(chip);
  if (!known) {
    std::string names;
    for (const cost::Target &target : cost::allTargets())
      names += (names.empty() ? "" : ", ") + target.name.str();
    return module.emitError("expected target to be one of ")
           << names << ", but got '" << chip << "'";
  }

  OpBuilder b(module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  Location loc = module.getLoc();
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  // The PTX version is left to LLVM's table for the chip: a version that does
  // not fit it ends the process.
  auto target = NVVM::NVVMTargetAttr::get(b.getContext(), /*optLevel=*/3,
                                          "nvptx64-nvidia-cuda", chip);
  auto gpuModule =
      gpu::GPUModuleOp::create(b, loc, moduleName, b.getArrayAttr({target}));
  b.setInsertionPointToStart(gpuModule.getBody());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  LLVM::GlobalOp::create(b, loc, bytes, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedMemorySymbol,
                         Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  for (KernelOp kernel : kernels) {
    if (failed(Emitter(b, kernel, known->hasGridDependency(), known->hasWgmma())
                   .run())) {
      gpuModule.erase();
      return failure();
    }
  }
  for (KernelOp kernel : kernels)
    kernel.erase();
  return success();
}

FailureOr<std::string> mirage::translateToPTX(ModuleOp module,
                                              StringRef moduleName) {
  auto gpuModule = module.lookupSymbol<gpu::GPUModuleOp>(moduleName);
  if (!gpuModule)
    return module.emitError("expected a gpu.module named '")
           << moduleName << "', but found none";
  auto target = cast<gpu::TargetAttrInterface>((*gpuModule.getTargets())[0]);
  gpu::TargetOptions options("", {}, "", "", gpu::CompilationTarget::Assembly);
  auto object = target.serializeToObject(gpuModule, options);
  if (!object)
    return gpuModule.emitError(
        "expected PTX from LLVM's NVPTX back end, but it "
        "gave none");
  std::string text(object->begin(), object->end());
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  return text;
}
