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
#include "Mirage/Conversion/BlockToThread/BlockToThread.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Conversion/PlanAttribute.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mirage {
#define GEN_PASS_DEF_CONVERTMGRAPHTOTHREAD
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mirage

using namespace mlir;
using namespace mirage;

namespace {
/// Function argument attribute: no kernel on the stream writes this tensor.
constexpr llvm::StringLiteral kConstantAttribute = "mirage.constant";

struct ConvertMGraphToThreadPass
    : mirage::impl::ConvertMGraphToThreadBase<ConvertMGraphToThreadPass> {
  using ConvertMGraphToThreadBase::ConvertMGraphToThreadBase;

  void runOnOperation() override {
    std::optional<LoweringTarget> found = findLoweringTarget(target);
    if (!found) {
      getOperation().emitError("expected target to be one of ")
          << loweringTargetNames() << ", but got '" << target << "'";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : functions) {
      if (func.isExternal() || !isKernelGraph(func))
        continue;
      if (failed(convert(func, *found)))
        return signalPassFailure();
    }
  }

  /// True when there is something to lower and nothing stands in the way.
  bool isKernelGraph(func::FuncOp func) {
    if (!func.getBody().hasOneBlock())
      return false;
    bool any = false;
    for (Operation &op : func.getBody().front().without_terminator()) {
      if (!isa_and_nonnull<kernel::KernelDialect>(op.getDialect())) {
        if (any || !func.getOps<kernel::GraphOp>().empty())
          op.emitRemark("expected only mgraph_kernel operations in a function "
                        "to lower, but got '")
              << op.getName() << "': @" << func.getName() << " is left as it is";
        return false;
      }
      if (isa<kernel::LaunchOp>(op))
        return false; // lowered before
      any = true;
    }
    return any;
  }

  LogicalResult convert(func::FuncOp func, const LoweringTarget &lowering) {
    FailureOr<semantics::Program> source = toProgram(func);
    if (failed(source))
      return failure();
    semantics::Program program = semantics::decompose(*source);

    runtime::LaunchPlan plan;
    plan.target = target;
    llvm::DenseMap<int, runtime::PlanParameter> places;
    for (unsigned i = 0; i < program.numInputs; ++i) {
      bool constant = func.getArgAttr(i, kConstantAttribute) != nullptr;
      plan.inputs.push_back({program.type(i), constant});
      places[i] = {runtime::ParameterKind::Input, i};
    }
    for (auto [i, id] : llvm::enumerate(program.outputs)) {
      plan.outputs.push_back(program.type(id));
      if (!places.try_emplace(id, runtime::PlanParameter{
                                      runtime::ParameterKind::Output,
                                      static_cast<unsigned>(i)})
               .second)
        return func.emitOpError("expected results that are distinct and no "
                                "arguments, but result ")
               << i << " is another result or an argument";
    }

    OpBuilder builder(func);
    SmallVector<thread::KernelOp> kernels;
    auto fail = [&](const Twine &message) {
      for (thread::KernelOp kernel : kernels)
        kernel.erase();
      return func.emitOpError(message);
    };
    for (const semantics::Op &op : program.ops) {
      if (op.kind != semantics::OpKind::Graph)
        return fail("expected graph-defined kernels only, but got '" +
                    semantics::mnemonic(op.kind) + "'");
      ThreadLoweringOptions options;
      options.hasClusters = lowering.hasClusters;
      options.sharedLimit = lowering.sharedLimit;
      runtime::PlanKernel launch;
      for (auto [i, id] : llvm::enumerate(op.operands)) {
        auto place = places.find(id);
        if (place == places.end())
          return fail("expected every kernel's operand to be an input or an "
                      "earlier result");
        launch.parameters.push_back(place->second);
        if (place->second.kind == runtime::ParameterKind::Input &&
            plan.inputs[place->second.index].constant)
          options.constantInputs.push_back(i);
      }
      for (semantics::ValueId id : op.results) {
        auto [place, isNew] = places.try_emplace(id);
        if (isNew) {
          place->second = {runtime::ParameterKind::Scratch,
                           static_cast<unsigned>(plan.scratch.size())};
          plan.scratch.push_back({program.type(id).byteSize(), false});
        }
        launch.parameters.push_back(place->second);
      }
      launch.name =
          (func.getName() + "_" + Twine(kernels.size())).str();
      auto kernel = lowerGraphToThread(builder, func.getLoc(), launch.name,
                                       program, op, options);
      if (!kernel)
        return fail(llvm::toString(kernel.takeError()));
      kernels.push_back(*kernel);
      llvm::copy(op.attrs.grid, launch.grid.begin());
      llvm::copy(op.attrs.cluster, launch.cluster.begin());
      launch.threads = kernel->getThreads();
      launch.sharedBytes = kernel->getSharedBytes();
      launch.dependentLaunch = lowering.hasGridDependency;
      plan.kernels.push_back(launch);
      ++numKernels;
    }
    if (llvm::Error e = runtime::verifyLaunchPlan(plan))
      return fail(llvm::toString(std::move(e)));

    Block &body = func.getBody().front();
    OpBuilder inside = OpBuilder::atBlockTerminator(&body);
    auto launch = kernel::LaunchOp::create(
        inside, func.getLoc(), func.getResultTypes(),
        SymbolRefAttr::get(&getContext(), "mirage_kernels"),
        func.getArguments(), planToAttribute(&getContext(), plan));
    body.getTerminator()->setOperands(launch.getResults());
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(body.without_terminator())))
      if (&op != launch.getOperation())
        op.erase();
    return success();
  }
};
} // namespace
