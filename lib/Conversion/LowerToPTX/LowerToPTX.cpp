//===- LowerToPTX.cpp - From thread-level kernels to PTX ------------------===//

#include "Mirage/Conversion/Passes.h"
#include "Mirage/Conversion/ThreadToNVVM/ThreadToNVVM.h"
#include "Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace mirage {
#define GEN_PASS_DEF_CONVERTMGRAPHTHREADTONVVM
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mirage

using namespace mlir;
using namespace mirage;

namespace {
struct ConvertMGraphThreadToNVVMPass
    : mirage::impl::ConvertMGraphThreadToNVVMBase<
          ConvertMGraphThreadToNVVMPass> {
  using ConvertMGraphThreadToNVVMBase::ConvertMGraphThreadToNVVMBase;

  void runOnOperation() override {
    if (!cost::findTarget(target)) {
      getOperation().emitError("expected target to be one of ")
          << loweringTargetNames() << ", but got '" << target << "'";
      return signalPassFailure();
    }
    if (failed(convertThreadToNVVM(getOperation(), moduleName, target)))
      signalPassFailure();
  }
};

struct LowerToPTXOptions : PassPipelineOptions<LowerToPTXOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("GPU to lower for"),
                             llvm::cl::init("sm_90a")};
};
} // namespace

void mirage::buildLowerToPTXPipeline(OpPassManager &manager, StringRef target) {
  manager.addPass(createConvertMGraphToThread({target.str()}));
  ConvertMGraphThreadToNVVMOptions options;
  options.target = target.str();
  manager.addPass(createConvertMGraphThreadToNVVM(options));
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = "isa";
  manager.addPass(createGpuModuleToBinaryPass(binary));
}

void mirage::registerLowerToPTXPipeline() {
  PassPipelineRegistration<LowerToPTXOptions>(
      "mirage-lower-to-ptx",
      "Lower kernel graphs to PTX text in a gpu.binary, and a launch plan",
      [](OpPassManager &manager, const LowerToPTXOptions &options) {
        buildLowerToPTXPipeline(manager, options.target);
      });
}
