//===- LowerCandidate.cpp - A program as a module, and as PTX -------------===//
//
// Each call has a context of its own, so that calls run side by side.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/Export.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Dialect/Common/IR/Common.h"
#include "Mirage/InitAll.h"
#include "Mirage/Tune/Emit.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::tune;

namespace {
class Workshop {
public:
  Workshop() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    mirage::registerAllDialects(registry);
    registry.insert<func::FuncDialect>();
    context.appendDialectRegistry(registry);
    context.loadDialect<func::FuncDialect, block::BlockDialect,
                        kernel::KernelDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  func::FuncOp add(const semantics::Program &program, StringRef name,
                   const std::vector<bool> &constants = {}) {
    Location loc = module->getLoc();
    auto typeOf = [&](semantics::ValueId id) -> Type {
      const semantics::TensorType &type = program.type(id);
      return RankedTensorType::get(type.shape,
                                   fromSemantics(&context, type.dtype));
    };
    SmallVector<Type> inputs, outputs;
    for (unsigned i = 0; i < program.numInputs; ++i)
      inputs.push_back(typeOf(i));
    for (semantics::ValueId id : program.outputs)
      outputs.push_back(typeOf(id));
    OpBuilder builder(&context);
    builder.setInsertionPointToEnd(module->getBody());
    auto func = func::FuncOp::create(builder, loc, name,
                                     builder.getFunctionType(inputs, outputs));
    for (size_t i = 0; i < std::min(constants.size(), inputs.size()); ++i)
      if (constants[i])
        func.setArgAttr(i, kConstantAttribute, builder.getUnitAttr());
    Block *body = func.addEntryBlock();
    builder.setInsertionPointToStart(body);
    func::ReturnOp::create(
        builder, loc, fromProgram(builder, loc, program, body->getArguments()));
    return func;
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text + "\n";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// Programs that come from nowhere have no name.
StringRef nameOf(const semantics::Program &program) {
  return program.name.empty() ? StringRef("main") : StringRef(program.name);
}
} // namespace

llvm::Expected<LoweredCandidate>
tune::lowerCandidate(const semantics::Program &program, StringRef target,
                     const std::vector<bool> &constants) {
  Workshop workshop;
  std::string why;
  ScopedDiagnosticHandler handler(&workshop.context, [&](Diagnostic &d) {
    if (d.getSeverity() == DiagnosticSeverity::Error && why.empty())
      why = d.str();
    return success();
  });
  auto failed = [&]() -> llvm::Error {
    return llvm::createStringError(why.empty() ? "no reason was given" : why);
  };
  workshop.add(program, nameOf(program), constants);
  LoweredCandidate result;
  result.graph = workshop.print();
  PassManager manager(&workshop.context);
  buildLowerToPTXPipeline(manager, target);
  if (mlir::failed(manager.run(*workshop.module)))
    return failed();
  FailureOr<runtime::LaunchPlan> plan = exportPlan(*workshop.module);
  if (mlir::failed(plan))
    return failed();
  FailureOr<std::string> image = exportPTX(*workshop.module);
  if (mlir::failed(image))
    return failed();
  result.plan = runtime::toString(*plan);
  result.image = std::move(*image);
  return result;
}

std::string tune::printAsFunction(const semantics::Program &program,
                                  const std::vector<bool> &constants) {
  Workshop workshop;
  workshop.add(program, nameOf(program), constants);
  return workshop.print();
}

std::string tune::printWithCertificate(const semantics::Program &candidate,
                                       const semantics::Program &reference,
                                       StringRef certificate,
                                       const std::vector<bool> &constants) {
  Workshop workshop;
  Builder builder(&workshop.context);
  std::string name = (nameOf(candidate) + "_reference_0").str();
  func::FuncOp original = workshop.add(reference, name);
  original.setPrivate();
  original->setAttr(kReferenceRoleAttribute, builder.getUnitAttr());
  func::FuncOp func = workshop.add(candidate, nameOf(candidate), constants);
  func.walk([&](kernel::GraphOp graph) {
    graph->setAttr(kReferenceAttribute,
                   FlatSymbolRefAttr::get(&workshop.context, name));
    graph->setAttr(kCertificateAttribute, builder.getStringAttr(certificate));
  });
  return workshop.print();
}
