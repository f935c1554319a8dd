//===- Export.cpp - Files made of lowered modules -------------------------===//

#include "Mirage/Conversion/Export.h"
#include "Mirage/Conversion/PlanAttribute.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace mirage;

FailureOr<std::string> mirage::exportPTX(ModuleOp module) {
  SmallVector<gpu::BinaryOp> binaries(module.getOps<gpu::BinaryOp>());
  if (binaries.size() != 1)
    return emitError(module.getLoc(),
                     "expected one gpu.binary, as mirage-lower-to-ptx "
                     "leaves it, but got ")
           << binaries.size();
  for (Attribute attribute : binaries[0].getObjects())
    if (auto object = dyn_cast<gpu::ObjectAttr>(attribute))
      if (object.getFormat() == gpu::CompilationTarget::Assembly) {
        StringRef text = object.getObject().getValue();
        return text.rtrim('\0').str();
      }
  return emitError(binaries[0].getLoc(),
                   "expected an object of format assembly, but found none");
}

FailureOr<runtime::LaunchPlan> mirage::exportPlan(ModuleOp module,
                                                  StringRef function) {
  SmallVector<kernel::LaunchOp> launches;
  module.walk([&](kernel::LaunchOp launch) {
    auto func = launch->getParentOfType<func::FuncOp>();
    if (function.empty() || (func && func.getName() == function))
      launches.push_back(launch);
  });
  if (launches.size() != 1)
    return emitError(module.getLoc(), "expected one mgraph_kernel.launch, as "
                                      "mirage-lower-to-ptx leaves it, but got ")
           << launches.size()
           << (launches.size() > 1 ? "; name one with --plan-function" : "");
  llvm::Expected<runtime::LaunchPlan> plan =
      planFromAttribute(launches[0].getPlan());
  if (!plan)
    return emitError(launches[0].getLoc()) << llvm::toString(plan.takeError());
  return *plan;
}

void mirage::registerExports(void (*registerOthers)(mlir::DialectRegistry &)) {
  auto registerDialects = [registerOthers](DialectRegistry &registry) {
    registerOthers(registry);
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    math::MathDialect, tensor::TensorDialect, DLTIDialect,
                    func::FuncDialect, gpu::GPUDialect, kernel::KernelDialect,
                    LLVM::LLVMDialect, NVVM::NVVMDialect>();
  };
  static llvm::cl::opt<std::string> function(
      "plan-function",
      llvm::cl::desc("Function whose plan --export-plan prints"),
      llvm::cl::init(""));
  TranslateFromMLIRRegistration ptx(
      "export-ptx", "print the PTX text of a lowered module",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> text = exportPTX(cast<ModuleOp>(op));
        if (failed(text))
          return failure();
        os << *text;
        return success();
      },
      registerDialects);
  TranslateFromMLIRRegistration plan(
      "export-plan", "print the launch plan of a lowered module, as JSON",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        FailureOr<runtime::LaunchPlan> found =
            exportPlan(cast<ModuleOp>(op), function);
        if (failed(found))
          return failure();
        os << runtime::toString(*found);
        return success();
      },
      registerDialects);
  static llvm::cl::opt<std::string> object(
      "iree-object",
      llvm::cl::desc("Path of the PTX that --export-iree names instead of "
                     "embedding it"),
      llvm::cl::init(""));
  TranslateFromMLIRRegistration iree(
      "export-iree", "print a lowered module as input of iree-compile",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> text = exportIREE(cast<ModuleOp>(op), object);
        if (failed(text))
          return failure();
        os << *text;
        return success();
      },
      registerDialects);
}
