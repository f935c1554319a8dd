//===- Cleanup.cpp - Rewrites of freshly raised ops -----------------------===//
//
//   cast(op(cast a, cast b))  = op(a, b)      casts from and back to f16 or
//   bf16 cast(cast x)              = cast x        the first one exact
//   cast(transpose x)         = transpose(cast x)   which a matmul takes
//   x * sigmoid x             = silu x
//   sum(x) / n, sum(x) * 1/n  = sum(x) * inv_extent n     n summed elements
//   x / sqrt d, x * 1/sqrt d  = x * rsqrt_extent d        d an extent at hand
//
// The first holds because the dialect computes an op in f32 and rounds once.
// The last two want the literal to be n, 1/n, sqrt d or 1/sqrt d rounded to its
// type: then it is taken to be that number. As literals, sum(x) / n and
// sum(x) * (1/n) would differ, and no search could relate them.
//
//===----------------------------------------------------------------------===//

#include "Cleanup.h"

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "ScalarBody.h"
#include "mlir/IR/IRMapping.h"
#include <cmath>

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;
using semantics::ConstantValue;
using semantics::DType;
using semantics::OpClass;

namespace {

DType dtypeOf(Value value) {
  return *toSemanticsDType(
      cast<RankedTensorType>(value.getType()).getElementType());
}

RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

/// The number of a literal constant, rounded to its type.
std::optional<double> literal(Value value) {
  auto constant = value.getDefiningOp<kernel::ConstantOp>();
  if (!constant || constant.getKind() != ConstantKind::Literal)
    return std::nullopt;
  return roundTo(dtypeOf(value), constant.getLiteral().convertToDouble());
}

/// cast(op(cast a, cast b)) == op(a, b) when all casts are between f32 and one
/// type of 16 bits.
struct AbsorbCasts : OpRewritePattern<kernel::CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::CastOp op,
                                PatternRewriter &rewriter) const override {
    DType narrow = dtypeOf(op);
    if (narrow != DType::F16 && narrow != DType::BF16)
      return rewriter.notifyMatchFailure(op, "does not round to 16 bits");
    auto compute = op.getInput().getDefiningOp<MirageComputeOpInterface>();
    if (!compute || dtypeOf(op.getInput()) != DType::F32 ||
        compute->getDialect() != op->getDialect())
      return rewriter.notifyMatchFailure(op, "input is not computed in f32");
    OpClass opClass = semantics::opClass(compute.getSemanticsKind());
    if (isa<kernel::CastOp>(*compute) ||
        (opClass != OpClass::Unary && opClass != OpClass::Binary &&
         opClass != OpClass::Matmul && opClass != OpClass::Reduce))
      return rewriter.notifyMatchFailure(op, "input is no op that rounds once");
    // Other users would need the unrounded value, and compute it again.
    if (!compute->hasOneUse())
      return rewriter.notifyMatchFailure(op, "input has other users");
    for (Value operand : compute->getOperands())
      if (!isExact(operand, narrow))
        return rewriter.notifyMatchFailure(op, "an operand has more digits");

    Type element = op.getType().getElementType();
    rewriter.setInsertionPoint(compute);
    IRMapping mapping;
    for (Value operand : compute->getOperands())
      mapping.map(operand, narrowed(rewriter, operand, element));
    Operation *clone = rewriter.clone(*compute, mapping);
    rewriter.modifyOpInPlace(
        clone, [&] { clone->getResult(0).setType(op.getType()); });
    rewriter.replaceOp(op, clone);
    return success();
  }

private:
  /// Whether `value` has no more digits than `narrow` holds.
  static bool isExact(Value value, DType narrow) {
    if (auto cast = value.getDefiningOp<kernel::CastOp>())
      return dtypeOf(cast.getInput()) == narrow;
    auto number = literal(value);
    return number && roundTo(narrow, *number) == *number;
  }

  static Value narrowed(PatternRewriter &rewriter, Value value, Type element) {
    if (auto cast = value.getDefiningOp<kernel::CastOp>())
      return cast.getInput();
    Operation *clone = rewriter.clone(*value.getDefiningOp());
    rewriter.modifyOpInPlace(clone, [&] {
      clone->getResult(0).setType(withElement(value, element));
    });
    // Keep constants together at the front.
    rewriter.moveOpAfter(clone, value.getDefiningOp());
    return clone->getResult(0);
  }
};

/// cast(cast x) == cast x when the inner cast loses nothing.
struct ComposeCasts : OpRewritePattern<kernel::CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<kernel::CastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "input is not a cast");
    DType from = dtypeOf(inner.getInput()), via = dtypeOf(inner);
    bool exact =
        (from == DType::F16 || from == DType::BF16) && via == DType::F32;
    if (!exact)
      return rewriter.notifyMatchFailure(op, "inner cast may round");
    rewriter.replaceOpWithNewOp<kernel::CastOp>(op, op.getType(),
                                                inner.getInput());
    return success();
  }
};

/// cast(transpose x) == transpose(cast x). Transposes move towards matmuls,
/// which take them; casts towards what they are made of.
struct CastBeforeTranspose : OpRewritePattern<kernel::CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::CastOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getInput().getDefiningOp<kernel::TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "input is not a transpose");
    Value x = transpose.getInput();
    auto cast = kernel::CastOp::create(
        rewriter, op.getLoc(), withElement(x, op.getType().getElementType()),
        x);
    rewriter.replaceOpWithNewOp<kernel::TransposeOp>(op, op.getType(), cast,
                                                     transpose.getPerm());
    return success();
  }
};

/// x * sigmoid x == silu x, either order.
struct SiluOfSigmoid : OpRewritePattern<kernel::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()),
                        std::pair(op.getRhs(), op.getLhs())}) {
      auto sigmoid = y.getDefiningOp<kernel::SigmoidOp>();
      if (sigmoid && sigmoid.getInput() == x) {
        rewriter.replaceOpWithNewOp<kernel::SiluOp>(op, x);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no operand is the sigmoid of the "
                                           "other");
  }
};

/// Replaces `op`, x times or divided by a literal, by x * `constant`.
LogicalResult replaceByScale(Operation *op, ConstantKind kind, int64_t extent,
                             PatternRewriter &rewriter) {
  Value old = op->getOperand(1);
  rewriter.setInsertionPointAfter(old.getDefiningOp());
  auto scale = kernel::ConstantOp::create(rewriter, old.getLoc(), old.getType(),
                                          kind, APFloat(0.0), extent);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<kernel::MulOp>(op, op->getOperand(0), scale);
  return success();
}

/// A literal that can stand for an extent: in a narrow type those of large
/// extents have become 0 or infinite, and mean something else.
std::optional<double> factor(Value value) {
  auto number = literal(value);
  if (number && !(std::isfinite(*number) && *number > 0.0))
    return std::nullopt;
  return number;
}
constexpr char kNoFactor[] = "rhs is not a finite positive literal";

/// The op that `value` is, but for casts and reshapes.
Operation *definition(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<kernel::CastOp, kernel::ReshapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// sum(x) / n == sum(x) * inv_extent n, likewise for a factor 1/n.
template <typename OpTy> struct MeanOfSum : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto number = factor(op.getRhs());
    if (!number)
      return rewriter.notifyMatchFailure(op, kNoFactor);
    auto sum = dyn_cast_or_null<kernel::ReduceOp>(definition(op.getLhs()));
    if (!sum || sum.getKind() != ReduceKind::Sum)
      return rewriter.notifyMatchFailure(op, "lhs is not a sum");
    int64_t count = 1;
    auto type = cast<RankedTensorType>(sum.getInput().getType());
    for (int64_t dim : sum.getDims())
      count *= type.getDimSize(dim);
    bool divides = std::is_same_v<OpTy, kernel::DivOp>;
    double expected = divides ? double(count) : 1.0 / double(count);
    if (*number != roundTo(dtypeOf(op.getRhs()), expected))
      return rewriter.notifyMatchFailure(op, "literal is not the extent");
    return replaceByScale(op, ConstantKind::InvExtent, count, rewriter);
  }
};

/// x / sqrt d == x * rsqrt_extent d, likewise for a factor 1/sqrt d, when d is
/// the extent that the product x was summed over, or the last dim of x.
template <typename OpTy> struct ScaleOfExtent : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto number = factor(op.getRhs());
    if (!number)
      return rewriter.notifyMatchFailure(op, kNoFactor);
    bool divides = std::is_same_v<OpTy, kernel::DivOp>;
    for (int64_t extent : extents(op.getLhs())) {
      double root = std::sqrt(double(extent));
      // 1 and exact powers of two say nothing about where they come from, but
      // then the symbol is the same number.
      if (extent > 1 &&
          *number == roundTo(dtypeOf(op.getRhs()), divides ? root : 1.0 / root))
        return replaceByScale(op, ConstantKind::RsqrtExtent, extent, rewriter);
    }
    return rewriter.notifyMatchFailure(op, "literal is no root of an extent");
  }

private:
  static SmallVector<int64_t> extents(Value value) {
    SmallVector<int64_t> result;
    if (auto matmul = dyn_cast_or_null<kernel::MatmulOp>(definition(value))) {
      auto lhs = cast<RankedTensorType>(matmul.getLhs().getType());
      result.push_back(lhs.getShape().back());
    }
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() > 0)
      result.push_back(type.getShape().back());
    return result;
  }
};

} // namespace

namespace {
/// Ops that are equal but for where they stand.
struct SameOp : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};
} // namespace

void mirage::raising::mergeEqualOps(Block &block) {
  llvm::DenseSet<Operation *, SameOp> seen;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<MirageComputeOpInterface>(op))
      continue;
    auto [first, inserted] = seen.insert(&op);
    if (inserted)
      continue;
    op.replaceAllUsesWith(*first);
    op.erase();
  }
}

void mirage::raising::populateCleanupPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<AbsorbCasts, ComposeCasts, CastBeforeTranspose, SiluOfSigmoid,
               MeanOfSum<kernel::DivOp>, MeanOfSum<kernel::MulOp>,
               ScaleOfExtent<kernel::DivOp>, ScaleOfExtent<kernel::MulOp>>(
      context);
  // Reshapes that cancel, transposes that a matmul takes.
  kernel::MatmulOp::getCanonicalizationPatterns(patterns, context);
  kernel::ReshapeOp::getCanonicalizationPatterns(patterns, context);
  kernel::TransposeOp::getCanonicalizationPatterns(patterns, context);
}
