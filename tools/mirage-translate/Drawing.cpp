//===- Drawing.cpp - Programs as pictures ---------------------------------===//
//
// Every function of mgraph_kernel, and every thread-level kernel, is a digraph
// of its own. Functions of linalg are raised first.
//
//===----------------------------------------------------------------------===//

#include "Drawing.h"

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Drawing/ThreadDiagram.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace mirage;

namespace {
using Writer = void (*)(const drawing::Diagram &, StringRef, raw_ostream &);

LogicalResult drawFunction(func::FuncOp func, Writer write, raw_ostream &os) {
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a body of one block, but got ")
           << func.getBody().getBlocks().size();
  PassManager manager(func.getContext(), func::FuncOp::getOperationName());
  manager.addPass(createConvertLinalgToKernelPass());
  if (failed(manager.run(func)))
    return failure();
  FailureOr<semantics::Program> program = toProgram(func);
  if (failed(program))
    return failure();
  write(drawing::drawProgram(*program), ("@" + func.getName()).str(), os);
  return success();
}

/// What lowering left has its kernels and a launch of them.
bool isLaunch(func::FuncOp func) {
  return func.walk([](kernel::LaunchOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult drawModule(Operation *op, Writer write, raw_ostream &os) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("expected a module, but got '")
           << op->getName() << "'";
  unsigned drawn = 0;
  for (Operation &inner : *module.getBody()) {
    if (auto kernel = dyn_cast<thread::KernelOp>(inner)) {
      write(drawing::drawKernel(kernel),
            ("threads of @" + kernel.getSymName()).str(), os);
      ++drawn;
    }
    auto func = dyn_cast<func::FuncOp>(inner);
    if (!func || func.isExternal() || func->hasAttr(kReferenceRoleAttribute) ||
        isLaunch(func))
      continue;
    if (failed(drawFunction(func, write, os)))
      return failure();
    ++drawn;
  }
  if (drawn == 0)
    return module.emitError("expected at least 1 function or thread-level "
                            "kernel to draw, but found none");
  return success();
}

void registerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registry.insert<block::BlockDialect, kernel::KernelDialect,
                  thread::ThreadDialect>();
}
} // namespace

void mirage::registerDrawings() {
  TranslateFromMLIRRegistration dot(
      "export-dot",
      "draw functions of mgraph_kernel and thread-level kernels for Graphviz",
      [](Operation *op, raw_ostream &os) {
        return drawModule(op, drawing::writeDot, os);
      },
      registerDialects);
}
