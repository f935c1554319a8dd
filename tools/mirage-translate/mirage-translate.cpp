//===- mirage-translate.cpp - From lowered modules to files ---------------===//

#include "Drawing.h"
#include "Mugraphs.h"

#include "Mirage/Conversion/Export.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  // What lowering left as it was may be of any dialect.
  mirage::registerExports([](mlir::DialectRegistry &registry) {
    mlir::registerAllDialects(registry);
  });
  mirage::registerDrawings();
  mirage::registerMugraphTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Mirage: import and export\n"));
}
