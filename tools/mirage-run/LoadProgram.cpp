//===- LoadProgram.cpp - From a file to a plain program -------------------===//

#include "CacheCheck.h"
#include "Run.h"

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/Export.h"
#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/InitAll.h"
#include "Mirage/Transforms/CheckEntry.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mirage;

static bool needsRaising(func::FuncOp func) {
  StringRef kernel = kernel::KernelDialect::getDialectNamespace();
  for (Operation &op : func.getBody().front().without_terminator())
    if (op.getName().getDialectNamespace() != kernel)
      return true;
  return false;
}

/// Turns the linalg of a function into mgraph_kernel. What has no raising
/// stays, and the bridge then names the op that it cannot read.
static LogicalResult raise(func::FuncOp func) {
  PassManager manager(func.getContext(), func.getOperationName());
  manager.addPass(createConvertLinalgToKernelPass());
  return manager.run(func);
}

namespace {
/// A file as a module, with what must outlive it.
class ParsedFile {
public:
  explicit ParsedFile(const std::string &path) {
    DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mirage::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceFile<ModuleOp>(path, sources, &context);
  }
  explicit operator bool() const { return static_cast<bool>(module); }
  ModuleOp get() { return *module; }

private:
  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler{sources, &context};
  OwningOpRef<ModuleOp> module;
};
} // namespace

std::optional<semantics::Program>
run::loadProgram(const std::string &path, const std::string &function,
                 std::vector<bool> *constants) {
  ParsedFile file(path);
  if (!file)
    return std::nullopt;
  func::FuncOp func =
      selectFunction(file.get(), function, "--function to name one");
  if (!func)
    return std::nullopt;
  if (func.getBody().getBlocks().size() == 1 && needsRaising(func) &&
      failed(raise(func)))
    return std::nullopt;
  for (unsigned i = 0; constants && i < func.getNumArguments(); ++i)
    constants->push_back(func.getArgAttr(i, kConstantAttribute) != nullptr);
  FailureOr<semantics::Program> program = toProgram(func);
  if (failed(program))
    return std::nullopt;
  return std::move(*program);
}

std::optional<run::LoweredProgram>
run::loadLowered(const std::string &path, const std::string &function) {
  ParsedFile file(path);
  if (!file)
    return std::nullopt;
  FailureOr<runtime::LaunchPlan> plan = exportPlan(file.get(), function);
  if (failed(plan))
    return std::nullopt;
  FailureOr<std::string> image = exportPTX(file.get());
  if (failed(image))
    return std::nullopt;
  return LoweredProgram{std::move(*plan), std::move(*image)};
}

llvm::Error run::checkCacheEntry(const cache::Entry &entry, bool full) {
  return checkEntry(entry, full);
}
