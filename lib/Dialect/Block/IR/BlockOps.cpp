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

#include "Mirage/Dialect/Common/IR/ComputeFolders.inc"
