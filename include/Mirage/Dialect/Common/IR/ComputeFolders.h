//===- ComputeFolders.h - Folders of the ops of every level -----*- C++ -*-===//
//
// The kernel and the block level have the same compute ops, so they fold alike.
// A folder never changes a result's type: at block level an op on f16 tiles
// may yield f32, and then stays.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_COMMON_IR_COMPUTEFOLDERS_H
#define MIRAGE_DIALECT_COMMON_IR_COMPUTEFOLDERS_H

#include "Mirage/Dialect/Common/IR/Common.h"
#include "mlir/IR/PatternMatch.h"

namespace mirage::detail {

/// x when the op yields x's type, which for a cast, a reshape or a broadcast
/// means that it does nothing.
template <typename OpTy> mlir::OpFoldResult foldSameType(OpTy op) {
  if (op.getInput().getType() == op.getType())
    return op.getInput();
  return {};
}

/// x * 1 and x / 1 are x.
template <typename ConstantOp, typename OpTy>
mlir::OpFoldResult foldNeutralRhs(OpTy op) {
  auto constant = op.getRhs().template getDefiningOp<ConstantOp>();
  if (constant && constant.getKind() == ConstantKind::Literal &&
      constant.getLiteral().convertToDouble() == 1.0 &&
      op.getLhs().getType() == op.getType())
    return op.getLhs();
  return {};
}

/// A transpose that keeps every dim in its place is its operand.
template <typename OpTy> mlir::OpFoldResult foldTranspose(OpTy op) {
  for (auto [i, dim] : llvm::enumerate(op.getPerm()))
    if (int64_t(i) != dim)
      return {};
  return foldSameType(op);
}

/// transpose(transpose(x, p), q) == transpose(x, r) with r[i] = p[q[i]].
template <typename TransposeOp>
struct ComposeTransposes : mlir::OpRewritePattern<TransposeOp> {
  using mlir::OpRewritePattern<TransposeOp>::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(TransposeOp op,
                  mlir::PatternRewriter &rewriter) const override {
    auto inner = op.getInput().template getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "input is not a transpose");
    llvm::SmallVector<int64_t> perm;
    for (int64_t dim : op.getPerm())
      perm.push_back(inner.getPerm()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getInput(),
                                             perm);
    return mlir::success();
  }
};

/// reshape(reshape(x)) == reshape(x).
template <typename ReshapeOp>
struct ComposeReshapes : mlir::OpRewritePattern<ReshapeOp> {
  using mlir::OpRewritePattern<ReshapeOp>::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(ReshapeOp op,
                  mlir::PatternRewriter &rewriter) const override {
    auto inner = op.getInput().template getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "input is not a reshape");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
    return mlir::success();
  }
};

/// matmul(a, transpose(b)) == matmul(a, b) with transpose_rhs the other way,
/// when the transpose swaps the last two dims and no others. The product then
/// reads b as it lies in memory.
template <typename MatmulOp, typename TransposeOp>
struct AbsorbTransposeOfRhs : mlir::OpRewritePattern<MatmulOp> {
  using mlir::OpRewritePattern<MatmulOp>::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(MatmulOp op, mlir::PatternRewriter &rewriter) const override {
    auto transpose = op.getRhs().template getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "rhs is not a transpose");
    int64_t rank = transpose.getPerm().size();
    for (auto [i, dim] : llvm::enumerate(transpose.getPerm())) {
      int64_t position = i;
      int64_t swapped = position == rank - 1   ? rank - 2
                        : position == rank - 2 ? rank - 1
                                               : position;
      if (dim != swapped)
        return rewriter.notifyMatchFailure(
            op, "transpose permutes more than the last two dims");
    }
    rewriter.replaceOpWithNewOp<MatmulOp>(op, op.getType(), op.getLhs(),
                                          transpose.getInput(),
                                          !op.getTransposeRhs());
    return mlir::success();
  }
};

} // namespace mirage::detail

#endif // MIRAGE_DIALECT_COMMON_IR_COMPUTEFOLDERS_H
