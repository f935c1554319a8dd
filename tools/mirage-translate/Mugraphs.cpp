//===- Mugraphs.cpp - Stored graphs of the published system ---------------===//
//
// Import: one function for each graph of the file, marked with the reference,
// which is raised to mgraph_kernel and kept as a private function of the same
// module, so that --mirage-verify gives a verdict on each.
//
//===----------------------------------------------------------------------===//

#include "Mugraphs.h"

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Import/MugraphJSON.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mirage;

namespace {
struct ImportOptions {
  llvm::cl::opt<std::string> reference{
      "mugraph-reference",
      llvm::cl::desc("File with the function that --import-mugraph-json marks "
                     "as the reference of every graph"),
      llvm::cl::init("")};
  llvm::cl::opt<std::string> function{
      "mugraph-reference-function",
      llvm::cl::desc("Its name, where the file has more than one public one"),
      llvm::cl::init("")};
  llvm::cl::opt<int> graph{
      "mugraph-graph",
      llvm::cl::desc("Import only this graph, -1 for all of them"),
      llvm::cl::init(-1)};
};

void registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, block::BlockDialect, func::FuncDialect,
                  kernel::KernelDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect>();
}

/// Reads the reference, raises it, and moves it into `target`.
FailureOr<func::FuncOp> importReference(const ImportOptions &options,
                                        ModuleOp target) {
  MLIRContext *context = target.getContext();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(options.reference, context);
  if (!module)
    return failure();
  func::FuncOp func = selectFunction(
      *module, options.function, "--mugraph-reference-function to name one");
  if (!func)
    return failure();
  PassManager manager(context, func::FuncOp::getOperationName());
  manager.addPass(createConvertLinalgToKernelPass());
  if (failed(manager.run(func)))
    return failure();
  if (Operation *left = findUnraisedOp(func))
    return left->emitError("expected a reference of ops that are raised to "
                           "mgraph_kernel, but got '")
           << left->getName() << "'";
  func->remove();
  func.setPrivate();
  func->setAttr(kReferenceRoleAttribute, UnitAttr::get(context));
  target.push_back(func);
  return func;
}

/// The function of one graph.
FailureOr<func::FuncOp> buildFunction(const semantics::Program &program,
                                      Location loc, func::FuncOp reference) {
  MLIRContext *context = loc.getContext();
  auto types = [&](auto range) {
    SmallVector<Type> list;
    for (semantics::ValueId id : range)
      list.push_back(tensorFromSemantics(context, program.type(id)));
    return list;
  };
  auto type =
      FunctionType::get(context, types(llvm::seq<int>(0, program.numInputs)),
                        types(program.outputs));
  if (reference && reference.getFunctionType() != type) {
    InFlightDiagnostic error =
        emitError(loc, "@")
        << program.name << ": expected the type of its reference, "
        << reference.getFunctionType() << ", but got " << type;
    error.attachNote(reference.getLoc()) << "the reference";
    return error;
  }
  auto func = func::FuncOp::create(loc, program.name, type);
  OpBuilder builder = OpBuilder::atBlockBegin(func.addEntryBlock());
  SmallVector<Value> outputs =
      fromProgram(builder, loc, program, func.getArguments());
  func::ReturnOp::create(builder, loc, outputs);
  return func;
}

OwningOpRef<Operation *> importMugraphs(const ImportOptions &options,
                                        llvm::SourceMgr &sources,
                                        MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  Location loc = FileLineColLoc::get(context, buffer->getBufferIdentifier(),
                                     /*line=*/0, /*column=*/0);
  auto file = import::readMugraphs(buffer->getBuffer());
  if (!file) {
    emitError(loc) << llvm::toString(file.takeError());
    return nullptr;
  }
  for (const std::string &note : file->notes)
    emitWarning(loc) << note;
  int count = file->graphs.size(), only = options.graph;
  if (only < -1 || only >= count) {
    emitError(loc) << "expected --mugraph-graph from -1 to " << count - 1
                   << ", but got " << only;
    return nullptr;
  }
  context->loadDialect<block::BlockDialect, func::FuncDialect,
                       kernel::KernelDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  func::FuncOp reference;
  if (!options.reference.empty()) {
    auto found = importReference(options, *module);
    if (failed(found))
      return nullptr;
    reference = *found;
  }
  SymbolTable symbols(*module);
  for (auto [i, program] : llvm::enumerate(file->graphs)) {
    if (only >= 0 && only != static_cast<int>(i))
      continue;
    FailureOr<func::FuncOp> func = buildFunction(program, loc, reference);
    if (failed(func))
      return nullptr;
    if (reference)
      (*func)->setAttr(kReferenceAttribute, SymbolRefAttr::get(reference));
    symbols.insert(*func);
  }
  return OwningOpRef<Operation *>(module.release());
}

LogicalResult exportMugraphs(ModuleOp module, raw_ostream &os) {
  std::vector<semantics::Program> programs;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || func->hasAttr(kReferenceRoleAttribute))
      continue;
    FailureOr<semantics::Program> program = toProgram(func);
    if (failed(program))
      return failure();
    programs.push_back(std::move(*program));
  }
  if (programs.empty())
    return module.emitError("expected at least 1 function to write, but found "
                            "none");
  auto text = import::writeMugraphs(programs);
  if (!text)
    return module.emitError(llvm::toString(text.takeError()));
  os << *text;
  return success();
}
} // namespace

void mirage::registerMugraphTranslations() {
  static ImportOptions options;
  TranslateToMLIRRegistration import(
      "import-mugraph-json", "read the graphs that the published system stores",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return importMugraphs(options, sources, context);
      },
      registerDialects);
  TranslateFromMLIRRegistration exporting(
      "export-mugraph-json",
      "write functions of mgraph_kernel as the published system stores graphs",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError("expected a module, but got '")
                 << op->getName() << "'";
        return exportMugraphs(module, os);
      },
      registerDialects);
}
