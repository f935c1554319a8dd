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

#include "Mirage/Dialect/Common/IR/ComputeFolders.inc"
