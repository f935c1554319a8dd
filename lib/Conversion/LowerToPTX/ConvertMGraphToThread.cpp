//===- ConvertMGraphToThread.cpp - Functions as kernels and a launch ------===//
//
//   func @f(%x) { graph ... ; graph ... }
//     ->  mgraph_thread.kernel @f_0 ... ; mgraph_thread.kernel @f_1 ...
//         func @f(%x) { mgraph_kernel.launch @mirage_kernels(%x) plan {...} }
//
// Tensors between two kernels become scratch of the plan.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Conversion/PlanAttribute.h"
#include "Mirage/Conversion/ThreadReader/ThreadReader.h"
#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Semantics/DefaultGraphs.h"
#include "Mirage/Transforms/PassDiagnostics.h"
#include "Mirage/Verify/ThreadCheck.h"
#include "PlanBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mirage {
#define GEN_PASS_DEF_CONVERTMGRAPHTOTHREAD
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mirage

using namespace mlir;
using namespace mirage;

namespace {
/// Gives each output a value of its own: an argument that is returned, or a
/// value that is returned twice, is copied.
void copyRepeatedOutputs(semantics::Program &program) {
  llvm::DenseSet<semantics::ValueId> seen;
  for (semantics::ValueId &id : program.outputs) {
    if (id >= static_cast<int>(program.numInputs) && seen.insert(id).second)
      continue;
    semantics::TensorType type = program.type(id);
    semantics::Op copy{semantics::OpKind::Reshape, {}, {id}, {}, {}};
    copy.results.push_back(program.addValue(type));
    id = copy.results[0];
    program.ops.push_back(copy);
  }
}

struct ConvertMGraphToThreadPass
    : mirage::impl::ConvertMGraphToThreadBase<ConvertMGraphToThreadPass> {
  using ConvertMGraphToThreadBase::ConvertMGraphToThreadBase;

  void runOnOperation() override {
    const cost::Target *found = findTargetOrReport(getOperation(), target);
    if (!found)
      return signalPassFailure();
    remarkNestedModules(getOperation(), "convert-mgraph-to-thread");
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : functions) {
      if (func.isExternal() || func->hasAttr(kReferenceRoleAttribute) ||
          !isKernelGraph(func))
        continue;
      if (failed(convert(func, *found)))
        return signalPassFailure();
    }
  }

  /// True when there is something to lower and nothing stands in the way.
  bool isKernelGraph(func::FuncOp func) {
    if (!func.getBody().hasOneBlock())
      return false;
    // A function that only passes tensors on copies them.
    bool any = func.getNumResults() > 0 &&
               llvm::all_of(func.getArgumentTypes(), isProgramTensor);
    for (Operation &op : func.getBody().front().without_terminator()) {
      if (!isa_and_nonnull<kernel::KernelDialect>(op.getDialect())) {
        if (llvm::any_of(func.getArgumentTypes(),
                         llvm::IsaPred<RankedTensorType>))
          emitRemark(op.getLoc(),
                     "expected only mgraph_kernel operations in a function "
                     "to lower, but got '")
              << op.getName() << "': @" << func.getName()
              << " is left as it is";
        return false;
      }
      if (isa<kernel::LaunchOp>(op))
        return false; // lowered before
      any = true;
    }
    return any;
  }

  /// The bridge writes one op of the program for each op of the function.
  static llvm::DenseMap<semantics::ValueId, LocationAttr>
  locationsOf(const semantics::Program &source, func::FuncOp func) {
    llvm::DenseMap<semantics::ValueId, LocationAttr> locations;
    for (auto [from, to] : llvm::zip_equal(
             func.getBody().front().without_terminator(), source.ops))
      for (semantics::ValueId id : to.results)
        locations[id] = from.getLoc();
    return locations;
  }

  /// The kernels of all threads against the function as it was.
  LogicalResult verifyKernels(func::FuncOp func,
                              const semantics::Program &source,
                              const PlanBuilder &plan) {
    auto kernels =
        readThreadProgram(func.getLoc(), plan.get(), plan.getKernels());
    if (failed(kernels))
      return failure();
    auto result = verify::verifyThreads(source, *kernels);
    std::string text =
        result ? verify::describe(*result) : llvm::toString(result.takeError());
    if (!result || result->verdict != verify::Verdict::Equivalent)
      return emitError(func.getLoc(), "kernels of @")
             << func.getName() << ": " << text;
    emitRemark(func.getLoc(), "kernels of @") << func.getName() << ": " << text;
    return success();
  }

  LogicalResult convert(func::FuncOp func, const cost::Target &lowering) {
    FailureOr<semantics::Program> source = toProgram(func);
    if (failed(source))
      return failure();
    semantics::DefaultGraphLimits limits;
    limits.multiprocessors = lowering.sms;
    limits.sharedLimit = lowering.sharedPerBlock;
    semantics::Program program =
        semantics::wrapPredefinedOps(semantics::decompose(*source), limits);
    copyRepeatedOutputs(program);

    OpBuilder builder(func);
    PlanBuilder plan(program, builder, func, lowering, target, launch,
                     locationsOf(*source, func));
    if (llvm::Error e = plan.run()) {
      plan.eraseKernels();
      return emitError(plan.getLoc()) << llvm::toString(std::move(e));
    }
    numKernels += plan.numKernels();
    if (check && failed(verifyKernels(func, *source, plan)))
      return failure();

    Block &body = func.getBody().front();
    OpBuilder inside = OpBuilder::atBlockTerminator(&body);
    auto launchOp = kernel::LaunchOp::create(
        inside, func.getLoc(), func.getResultTypes(),
        SymbolRefAttr::get(&getContext(), "mirage_kernels"),
        func.getArguments(), planToAttribute(&getContext(), plan.get()));
    body.getTerminator()->setOperands(launchOp.getResults());
    SmallVector<Operation *> lowered;
    for (Operation &op : body.without_terminator())
      if (&op != launchOp.getOperation())
        lowered.push_back(&op);
    for (Operation *op : llvm::reverse(lowered))
      op->erase();
    return success();
  }
};
} // namespace
