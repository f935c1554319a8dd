//===- consumer-opt.cpp - Mirage's passes in another project's pipeline ---===//

#include "Mirage/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
  mirage::registerAllDialects(registry);
  mlir::PassPipelineRegistration<> pipeline(
      "consumer-pipeline", "search, check, and drop what only checking needs",
      [](mlir::OpPassManager &manager) {
        mirage::SuperoptPassOptions options;
        options.seed = 1;
        options.threads = 1;
        manager.addPass(mirage::createSuperoptPass(options));
        manager.addPass(mirage::createVerifyPass());
        manager.addPass(mirage::createStripReferencePass());
      });
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "consumer\n", registry));
}
