//===- BlockOps.cpp - Compute ops of the mgraph_block dialect -------------===//

#include "Mirage/Dialect/Block/IR/Block.h"

#include "BlockParsing.h"
#include "Mirage/Dialect/Common/IR/ComputeFolders.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::block;

#define GET_OP_CLASSES
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"

void BlockDialect::addBlockOperations() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Folders and canonicalization
//===----------------------------------------------------------------------===//

OpFoldResult CastOp::fold(FoldAdaptor) {
  return mirage::detail::foldSameType(*this);
}
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return mirage::detail::foldSameType(*this);
}
OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return mirage::detail::foldSameType(*this);
}
OpFoldResult TransposeOp::fold(FoldAdaptor) {
  return mirage::detail::foldTranspose(*this);
}
OpFoldResult MulOp::fold(FoldAdaptor) {
  return mirage::detail::foldNeutralRhs<ConstantOp>(*this);
}
OpFoldResult DivOp::fold(FoldAdaptor) {
  return mirage::detail::foldNeutralRhs<ConstantOp>(*this);
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<mirage::detail::AbsorbTransposeOfRhs<MatmulOp, TransposeOp>>(
      context);
}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<mirage::detail::ComposeTransposes<TransposeOp>>(context);
}
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<mirage::detail::ComposeReshapes<ReshapeOp>>(context);
}
