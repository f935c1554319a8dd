//===- KernelOps.cpp - Ops of the mgraph_kernel dialect -------------------===//

#include "Mirage/Dialect/Kernel/IR/Kernel.h"

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Common/IR/ComputeFolders.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::kernel;

#include "Mirage/Dialect/Kernel/IR/KernelDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Kernel/IR/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Kernel/IR/KernelOps.cpp.inc"
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
