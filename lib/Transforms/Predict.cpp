//===- Predict.cpp - What the cost model says -----------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Cost/CostModel.h"
#include "Mirage/Transforms/PassDiagnostics.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

namespace mirage {
#define GEN_PASS_DEF_PREDICTPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mirage

using namespace mlir;
using namespace mirage;

namespace {
struct PredictPass : mirage::impl::PredictPassBase<PredictPass> {
  using PredictPassBase::PredictPassBase;

  void runOnOperation() override {
    const cost::Target *device = findTargetOrReport(getOperation(), target);
    if (!device)
      return signalPassFailure();
    remarkNestedModules(getOperation(), "predict");
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || !func.getBody().hasOneBlock() ||
          func.getBody().front().without_terminator().empty() ||
          !llvm::all_of(func.getBody().front().without_terminator(),
                        [](Operation &op) {
                          return isa<kernel::KernelDialect>(op.getDialect());
                        }))
        continue;
      FailureOr<semantics::Program> program = toProgram(func);
      if (failed(program))
        return signalPassFailure();
      semantics::Program primitive = semantics::decompose(*program);
      std::string why;
      for (const semantics::Op &op : primitive.ops)
        if (op.kind == semantics::OpKind::Graph)
          why += cost::costGraph(primitive, op, *device).rejected;
      if (!why.empty())
        emitRemark(func.getLoc(), "no prediction for ")
            << target << ": " << why;
      else
        emitRemark(func.getLoc(), "predicted ")
            << llvm::formatv("{0:F2}", cost::predictMicros(primitive, *device))
                   .str()
            << " us on " << device->device << " (" << target << ")";
    }
  }
};
} // namespace
