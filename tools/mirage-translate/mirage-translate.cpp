//===- mirage-translate.cpp - From lowered modules to files ---------------===//

#include "Mirage/Conversion/Export.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mirage::registerExports();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Mirage: import and export\n"));
}
