//===- Module.cpp - Modules and the passes on them ------------------------===//

#include "Internal.h"

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/Export.h"
#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Cost/CostModel.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"
#include <limits>

using namespace mlir;
using namespace mirage;
using mirage::capi::Call;

func::FuncOp capi::selectFunction(const MirageModule &module,
                                  const char *name) {
  return mirage::selectFunction(*module.module, capi::orEmpty(name),
                                "one that is named");
}

MirageModule *mirageModuleParse(MirageContext *context, const char *text,
                                size_t length, const char *name) {
  Call call(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      StringRef(text, length), ParserConfig(&context->mlir),
      name ? name : "module");
  if (!module)
    return nullptr;
  return new MirageModule{context, std::move(module)};
}

MirageModule *mirageModuleClone(const MirageModule *module) {
  return new MirageModule{module->context, module->module.get().clone()};
}

void mirageModuleDestroy(MirageModule *module) { delete module; }

char *mirageModulePrint(const MirageModule *module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->module.get().print(os);
  os << "\n";
  return capi::copyString(text);
}

/// Runs what `build` puts into a pass manager.
static bool runPasses(MirageModule *module,
                      llvm::function_ref<void(OpPassManager &)> build) {
  Call call(module->context);
  PassManager manager(&module->context->mlir, ModuleOp::getOperationName());
  build(manager);
  bool good = succeeded(manager.run(*module->module));
  if (!good && !call.failed())
    call.fail(llvm::createStringError("expected the passes to succeed, but one "
                                      "failed without a diagnostic"));
  return good;
}

static bool runPass(MirageModule *module, std::unique_ptr<Pass> pass,
                    const char *options) {
  // Read before the module is touched; the message is the option parser's.
  std::string why;
  if (failed(pass->initializeOptions(capi::orEmpty(options),
                                     [&](const Twine &text) {
                                       why += text.str();
                                       return failure();
                                     }))) {
    Call call(module->context);
    call.fail(llvm::createStringError(
        "expected options of " + pass->getArgument() + ", but got '" +
        capi::orEmpty(options) + "': " + StringRef(why).trim()));
    return false;
  }
  return runPasses(module, [&](OpPassManager &manager) {
    manager.addPass(std::move(pass));
  });
}

bool mirageModuleRaise(MirageModule *module) {
  return runPasses(module, [](OpPassManager &manager) {
    manager.addNestedPass<func::FuncOp>(createConvertLinalgToKernelPass());
  });
}

bool mirageModuleSuperoptimize(MirageModule *module, const char *options) {
  return runPass(module, createSuperoptPass(), options);
}

bool mirageModuleVerify(MirageModule *module, const char *options) {
  return runPass(module, createVerifyPass(), options);
}

bool mirageModuleStripReferences(MirageModule *module) {
  return runPass(module, createStripReferencePass(), nullptr);
}

bool mirageModuleLower(MirageModule *module, const char *target) {
  return runPasses(module, [&](OpPassManager &manager) {
    buildLowerToPTXPipeline(manager, capi::orEmpty(target));
  });
}

char *mirageModulePTX(const MirageModule *module) {
  Call call(module->context);
  FailureOr<std::string> text = exportPTX(*module->module);
  return failed(text) ? nullptr : capi::copyString(*text);
}

char *mirageModulePlan(const MirageModule *module, const char *function) {
  Call call(module->context);
  func::FuncOp func = capi::selectFunction(*module, function);
  if (!func)
    return nullptr;
  FailureOr<runtime::LaunchPlan> plan =
      exportPlan(*module->module, func.getName());
  return failed(plan) ? nullptr : capi::copyString(runtime::toString(*plan));
}

/// The types as JSON, or a diagnostic at `func` on one that is no tensor of
/// static shape and known element type.
static FailureOr<llvm::json::Array> describeTypes(func::FuncOp func,
                                                  TypeRange types) {
  llvm::json::Array list;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<semantics::DType> dtype;
    if (tensor && tensor.hasStaticShape())
      dtype = toSemanticsDType(tensor.getElementType());
    if (!dtype)
      return func.emitError("expected tensors of static shape and of an "
                            "element type of mgraph_kernel, but got ")
             << type;
    list.push_back(
        llvm::json::Object{{"shape", llvm::json::Array(tensor.getShape())},
                           {"dtype", semantics::stringify(*dtype)}});
  }
  return list;
}

char *mirageModuleSignature(const MirageModule *module, const char *function) {
  Call call(module->context);
  func::FuncOp func = capi::selectFunction(*module, function);
  if (!func)
    return nullptr;
  FailureOr<llvm::json::Array> inputs =
      describeTypes(func, func.getArgumentTypes());
  if (failed(inputs))
    return nullptr;
  FailureOr<llvm::json::Array> outputs =
      describeTypes(func, func.getResultTypes());
  if (failed(outputs))
    return nullptr;
  llvm::json::Object signature{{"function", func.getName()},
                               {"inputs", std::move(*inputs)},
                               {"outputs", std::move(*outputs)}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(std::move(signature));
  return capi::copyString(text);
}

const char *mirageTargets() {
  // Made once, of a table that does not change.
  static const std::string names = [] {
    std::string list;
    for (const cost::Target &target : cost::allTargets())
      list += (list.empty() ? "" : " ") + target.name.str();
    return list;
  }();
  return names.c_str();
}

double mirageModulePredict(const MirageModule *module, const char *function,
                           const char *target) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Call call(module->context);
  auto device = cost::lookupTarget(capi::orEmpty(target));
  if (!device) {
    call.fail(device.takeError());
    return kNone;
  }
  func::FuncOp func = capi::selectFunction(*module, function);
  if (!func)
    return kNone;
  FailureOr<semantics::Program> program = toProgram(func);
  if (failed(program))
    return kNone;
  return cost::predictMicros(semantics::decompose(*program), **device);
}
