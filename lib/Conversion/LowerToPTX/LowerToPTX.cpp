//===- LowerToPTX.cpp - From thread-level kernels to PTX ------------------===//

#include "Mirage/Conversion/Passes.h"
#include "Mirage/Conversion/ThreadToNVVM/ThreadToNVVM.h"
#include "Mirage/Transforms/PassDiagnostics.h"
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
    const cost::Target *found = findTargetOrReport(getOperation(), target);
    if (!found)
      return signalPassFailure();
    remarkNestedModules(getOperation(), "convert-mgraph-thread-to-nvvm");
    if (failed(convertThreadToNVVM(getOperation(), moduleName, *found,
                                   launch == LaunchMode::Dependent)))
      signalPassFailure();
  }
};

struct LowerToPTXOptions : PassPipelineOptions<LowerToPTXOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("GPU to lower for"),
                             llvm::cl::init("sm_90a")};
  Option<LaunchMode> launch{
      *this, "launch", llvm::cl::desc("What kernels may ask of a launch"),
      llvm::cl::init(LaunchMode::Dependent),
      llvm::cl::values(
          clEnumValN(LaunchMode::Dependent, "dependent",
                     "dependent launch where the target has it"),
          clEnumValN(LaunchMode::Plain, "plain", "no launch attributes"))};
  Option<bool> check{
      *this, "check",
      llvm::cl::desc("Compare the kernels of all threads with the function"),
      llvm::cl::init(false)};
};
} // namespace

void mirage::buildLowerToPTXPipeline(OpPassManager &manager, StringRef target,
                                     LaunchMode launch, bool check) {
  manager.addPass(createConvertMGraphToThread({target.str(), launch, check}));
  ConvertMGraphThreadToNVVMOptions options;
  options.target = target.str();
  options.launch = launch;
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
        buildLowerToPTXPipeline(manager, options.target, options.launch,
                                options.check);
      });
}
