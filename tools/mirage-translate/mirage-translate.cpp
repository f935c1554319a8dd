//===- mirage-translate.cpp - From lowered modules to files ---------------===//

#include "Mugraphs.h"

#include "Mirage/Conversion/Export.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mirage::registerExports();
  mirage::registerMugraphTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Mirage: import and export\n"));
}
