//===- MiragePlugin.cpp - Mirage inside another mlir-opt ------------------===//
//
// A shared object for --load-dialect-plugin and --load-pass-plugin. The host
// supplies MLIR and LLVM; it must be of the version that this was built with,
// which both plug-in loaders check.
//
//===----------------------------------------------------------------------===//

#include "Mirage/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" __attribute__((visibility("default"))) mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mirage", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            mirage::registerAllDialects(*registry);
          }};
}

extern "C" __attribute__((visibility("default"))) mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mirage", LLVM_VERSION_STRING,
          [] { mirage::registerAllPasses(); }};
}
