//===- ReportCode.cpp - The code of a kernel for a report -----------------===//

#include "ReportCode.h"

#include "Mirage/Conversion/BlockToThread/BlockToThread.h"
#include "Mirage/Drawing/ThreadDiagram.h"
#include "Mirage/Tune/Emit.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace mirage;

/// The thread level of each kernel, before it becomes PTX.
static llvm::Error drawThreads(const semantics::Program &program,
                               const cost::Target &target, report::Code &code) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<thread::ThreadDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module->getBody());
  for (const semantics::Op &op : program.ops) {
    if (op.kind != semantics::OpKind::Graph)
      continue;
    llvm::Expected<thread::KernelOp> kernel =
        lowerGraphToThread(builder, module->getLoc(), "kernel", program, op,
                           ThreadLoweringOptions(target));
    if (!kernel)
      return kernel.takeError();
    report::LoweredKernel &lowered = code.kernels.emplace_back();
    lowered.sharedBytes = kernel->getSharedBytes();
    for (const drawing::SharedBuffer &buffer :
         drawing::findSharedBuffers(*kernel))
      lowered.buffers.push_back({buffer.name, buffer.shape, buffer.offset,
                                 buffer.bytes, buffer.firstUse,
                                 buffer.lastUse});
    llvm::raw_string_ostream os(lowered.threads);
    drawing::writeSvg(drawing::drawKernel(*kernel), "the threads of a block",
                      os);
  }
  return llvm::Error::success();
}

report::Code run::lowerForReport(const semantics::Program &program,
                                 const std::string &name) {
  report::Code code;
  const cost::Target *target = cost::findTarget(name);
  if (!target) {
    code.failure = "expected a known target, but got '" + name + "'";
    return code;
  }
  if (llvm::Error error = drawThreads(program, *target, code)) {
    code.failure = llvm::toString(std::move(error));
    return code;
  }
  llvm::Expected<tune::LoweredCandidate> lowered =
      tune::lowerCandidate(program, name);
  if (lowered)
    code.ptx = std::move(lowered->image);
  else
    code.failure = llvm::toString(lowered.takeError());
  return code;
}
