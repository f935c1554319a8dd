//===- Decompose.cpp - Composite kernel-level ops as primitives -----------===//
//
// Each composite op becomes a program of its own, which semantics::decompose
// rewrites: the definitions stand there, once.
//
//   rms_norm(x, g) -> x * rsqrt(sum(x^2) * inv_extent(n) + eps) * g
//
// Sound over exact arithmetic by these definitions.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Transforms/Passes.h"

using namespace mlir;

namespace mirage {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mirage

using namespace mirage;

namespace {
bool isComposite(Operation *op) {
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Mean;
  return isa<kernel::RmsNormOp, kernel::LayerNormOp, kernel::SoftmaxOp>(op);
}

struct DecomposePass : mirage::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    SmallVector<Operation *> composites;
    getOperation()->walk([&](Operation *op) {
      if (isComposite(op))
        composites.push_back(op);
    });
    for (Operation *op : composites) {
      auto program = toProgram(op, op->getOperands(), op->getResults());
      if (failed(program))
        return signalPassFailure();
      OpBuilder builder(op);
      op->replaceAllUsesWith(fromProgram(builder, op->getLoc(),
                                         semantics::decompose(*program),
                                         op->getOperands()));
      op->erase();
      ++numDecomposed;
    }
  }
};
} // namespace
