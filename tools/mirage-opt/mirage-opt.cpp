//===- mirage-opt.cpp - The optimizer driver ------------------------------===//

#include "Mirage/InitAll.h"
#include "Mirage/Support/Interrupt.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mirage::allowInterruptScopes();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mirage::registerAllDialects(registry);
  mirage::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Mirage: a superoptimizer of tensor programs\n", registry));
}
