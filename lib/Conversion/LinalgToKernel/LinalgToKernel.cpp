//===- LinalgToKernel.cpp - The raising pass ------------------------------===//
//
// Visits the ops of a function in order and replaces each by ops of
// mgraph_kernel that compute the same values (see Raiser.h). Fills, empty
// tensors and constants are read where they are used; what is left of them is
// erased, or made a constant of the dialect. Then patterns over the dialect
// alone clean up, and each op that stays gets a remark with the reason.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"

#include "Cleanup.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Semantics/Limits.h"
#include "Shapes.h"
#include "Structured.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;

namespace mirage {
#define GEN_PASS_DEF_CONVERTLINALGTOKERNELPASS
#include "Mirage/Conversion/LinalgToKernel/Passes.h.inc"
} // namespace mirage

static bool isF64Tensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF64();
}

/// Ops that only supply numbers or types: their users look through them.
static bool isSupply(Operation *op) {
  return isa<linalg::FillOp, tensor::EmptyOp, tensor::CastOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

/// Whether the f64 results of `op` may be narrowed, if those in `narrowable`
/// may: its f64 operands are such, and their users compute or narrow them.
static bool staysNarrowable(Operation *op,
                            const llvm::DenseSet<Value> &narrowable) {
  if (!isa<linalg::LinalgOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          op))
    return false;
  for (Value operand : op->getOperands())
    if (isF64Tensor(operand.getType()) && !narrowable.contains(operand) &&
        !(operand.getDefiningOp() && isSupply(operand.getDefiningOp())))
      return false;
  for (Operation *user : op->getUsers()) {
    if (!isa<linalg::LinalgOp>(user) &&
        (user->getNumResults() == 0 ||
         !narrowable.contains(user->getResult(0))))
      return false;
    for (Value result : user->getResults())
      if (isF64Tensor(result.getType()) && !narrowable.contains(result))
        return false;
  }
  return true;
}

/// The f64 values between casts: the largest set that staysNarrowable keeps.
static void findNarrowable(ArrayRef<Operation *> ops, Raiser &raiser) {
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (isF64Tensor(result.getType()) && !isSupply(op))
        raiser.narrowable.insert(result);
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (raiser.narrowable.contains(result) &&
            !staysNarrowable(op, raiser.narrowable))
          changed |= raiser.narrowable.erase(result);
  }
}

static FailureOr<Values> raiseSoftmax(Raiser &raiser, linalg::SoftmaxOp op) {
  Value input = op.getInput();
  if (failed(raiser.checkOperand(input)) ||
      failed(raiser.checkType(op->getResult(0))))
    return failure();
  Value result =
      kernel::SoftmaxOp::create(raiser.getBuilder(), op.getLoc(),
                                raiser.lookup(input), op.getDimension());
  return Values{result};
}

static FailureOr<Values> raise(Raiser &raiser, Operation *op) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return raiseSoftmax(raiser, softmax);
  auto structuredOp = dyn_cast<linalg::LinalgOp>(op);
  if (!structuredOp)
    return raiseShapeOp(raiser, op);
  FailureOr<Structured> structured = readStructured(raiser, structuredOp);
  if (failed(structured))
    return failure();
  if (isContraction(*structured))
    return raiseContraction(raiser, *structured);
  // Values are built over all loops, which may be more than any operand has.
  semantics::Shape domain(structured->domain.begin(), structured->domain.end());
  if (llvm::Error error = semantics::checkSize({domain, semantics::DType::F32}))
    return raiser.refuse("the loops together: " +
                         llvm::toString(std::move(error)));
  if (structured->reductionDims.empty())
    return raiseElementwise(raiser, *structured);
  return raiseReduction(raiser, *structured);
}

namespace {
struct ConvertLinalgToKernelPass
    : mirage::impl::ConvertLinalgToKernelPassBase<ConvertLinalgToKernelPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    SmallVector<Operation *> ops = collect(func);
    Raiser raiser(func.getBody().front());
    findNarrowable(ops, raiser);

    SmallVector<std::pair<Operation *, std::string>> left;
    for (Operation *op : ops) {
      if (isSupply(op))
        continue;
      raiser.setInsertionPoint(op);
      FailureOr<Values> values = raise(raiser, op);
      if (failed(values)) {
        left.emplace_back(op, raiser.lastReason());
        continue;
      }
      ++numRaised;
      replace(raiser, op, *values);
    }
    // Those that are left may use others: erase from the end.
    llvm::SmallPtrSet<Operation *, 8> stays;
    for (auto &[op, reason] : left)
      stays.insert(op);
    for (Operation *op : llvm::reverse(ops)) {
      if (stays.contains(op))
        continue;
      if (op->use_empty())
        op->erase();
      else if (isSupply(op) && failed(raiseSupply(raiser, op)) &&
               isa<linalg::FillOp>(op) &&
               !llvm::all_of(op->getUsers(), [&](Operation *user) {
                 return stays.contains(user);
               }))
        left.emplace_back(op, "expected a fill of at most " +
                                  std::to_string(semantics::kMaxElements) +
                                  " elements with a finite constant, but got " +
                                  debugString(op->getResult(0).getType()) +
                                  " of " + describe(op->getOperand(0)));
    }
    // Scalars that bodies captured.
    func.walk([](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() && op->use_empty())
        op->erase();
    });
    if (failed(cleanUp(func))) {
      func.emitError("expected the raised ops to reach a fixed point, but they "
                     "did not");
      return signalPassFailure();
    }
    for (auto &[op, reason] : left) {
      ++numLeft;
      emitRemark(op->getLoc(), "not raised to mgraph_kernel: ") << reason;
    }
  }

private:
  /// The ops that are raised, in order: not those inside of structured ops.
  static SmallVector<Operation *> collect(func::FuncOp func) {
    SmallVector<Operation *> ops;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == func)
        return WalkResult::advance();
      if (isa_and_nonnull<kernel::KernelDialect>(op->getDialect()))
        return WalkResult::skip();
      // Control flow stays, and what it holds is raised.
      bool scalarRegion =
          isa<linalg::LinalgOp, tensor::PadOp, tensor::GenerateOp>(op);
      if (op->getNumRegions() > 0 && !scalarRegion)
        return WalkResult::advance();
      if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
        ops.push_back(op);
      return scalarRegion ? WalkResult::skip() : WalkResult::advance();
    });
    return ops;
  }

  void replace(Raiser &raiser, Operation *op, ArrayRef<Value> values) {
    bool widens = false;
    for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
      if (!value)
        continue;
      if (!raiser.narrowable.contains(result)) {
        result.replaceAllUsesWith(value);
        continue;
      }
      raiser.narrowed[result] = value;
      widens = true;
    }
    op->walk([](Operation *inner) {
      if (isa<cf::AssertOp>(inner))
        emitRemark(inner->getLoc(), "assertion about elements is not kept");
    });
    if (widens && llvm::none_of(op->getOperands(), [&](Value operand) {
          return raiser.narrowable.contains(operand);
        }))
      // On the location: what follows is about the text, not about the op.
      emitRemark(op->getLoc(), "computed in f32: f64 lies between casts from "
                               "and to a narrower type");
  }

  /// Makes constants of splat tensors that have users left.
  static LogicalResult raiseSupply(Raiser &raiser, Operation *op) {
    if (op->getNumResults() != 1)
      return failure();
    Value result = op->getResult(0);
    auto number = raiser.splat(result);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!number || !type || !isProgramTensor(type) || isF64Tensor(type) ||
        llvm::errorToBool(semantics::checkSize(*toSemanticsType(type))))
      return failure();
    raiser.setInsertionPoint(op);
    result.replaceAllUsesWith(raiser.fill(op->getLoc(), *number, type));
    op->erase();
    return success();
  }

  /// Applies the cleanup patterns to ops of the dialect, and to no others.
  static LogicalResult cleanUp(func::FuncOp func) {
    // Patterns look for values with one user: first make equal ones one.
    for (Block &block : func.getBody())
      mergeEqualOps(block);
    RewritePatternSet patterns(func.getContext());
    populateCleanupPatterns(patterns);
    SmallVector<Operation *> raised;
    func.walk([&](Operation *op) {
      if (isa_and_nonnull<kernel::KernelDialect>(op->getDialect()))
        raised.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(
            raised, std::move(patterns),
            GreedyRewriteConfig().setStrictness(
                GreedyRewriteStrictness::ExistingAndNewOps))))
      return failure();
    for (Block &block : func.getBody())
      mergeEqualOps(block);
    return success();
  }
};
} // namespace

Operation *mirage::findUnraisedOp(func::FuncOp func) {
  Operation *found = nullptr;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == func || isa<func::ReturnOp>(op))
      return WalkResult::advance();
    if (isa_and_nonnull<kernel::KernelDialect>(op->getDialect()))
      return WalkResult::skip();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}
