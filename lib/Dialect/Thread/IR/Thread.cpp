//===- Thread.cpp - The thread-level dialect ------------------------------===//

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage::thread;

#include "Mirage/Dialect/Thread/IR/ThreadDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadTypes.cpp.inc"
#define GET_OP_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadOps.cpp.inc"

void ThreadDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Mirage/Dialect/Thread/IR/ThreadAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Mirage/Dialect/Thread/IR/ThreadTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Thread/IR/ThreadOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Distribution Distribution::get(Attribute layout) {
  Distribution d;
  if (auto mma = dyn_cast<MmaLayoutAttr>(layout)) {
    d.isMma = true;
    d.rows = mma.getRows();
    d.cols = mma.getCols();
    d.warpsM = mma.getWarpsM();
    d.warpsN = mma.getWarpsN();
    d.warpRows = llvm::alignTo(llvm::divideCeil(d.rows, d.warpsM), 16);
    d.warpCols = llvm::alignTo(llvm::divideCeil(d.cols, d.warpsN), 8);
    d.threads = 32 * d.warpsM * d.warpsN;
    for (int64_t row = 0; row < d.warpRows; row += 8)
      d.rowOffsets.push_back(row);
    for (int64_t col = 0; col < d.warpCols; col += 8) {
      d.colOffsets.push_back(col);
      d.colOffsets.push_back(col + 1);
    }
    d.rowPadding = d.warpRows * d.warpsM != d.rows;
    d.colPadding = d.warpCols * d.warpsN != d.cols;
    return d;
  }
  auto linear = cast<LinearLayoutAttr>(layout);
  d.rows = linear.getRows();
  d.cols = linear.getCols();
  d.vec = linear.getVec();
  d.threads = linear.getThreads();
  int64_t vectors = llvm::divideCeil(d.cols, d.vec);
  d.threadsPerRow = std::min(vectors, d.threads);
  int64_t rowsPerPass = d.threads / d.threadsPerRow;
  for (int64_t row = 0; row < d.rows; row += rowsPerPass)
    d.rowOffsets.push_back(row);
  int64_t colsPerPass = d.threadsPerRow * d.vec;
  for (int64_t col = 0; col < d.cols; col += colsPerPass)
    for (int64_t v = 0; v < d.vec; ++v)
      d.colOffsets.push_back(col + v);
  d.rowPadding =
      rowsPerPass * d.threadsPerRow != d.threads || d.rows % rowsPerPass != 0;
  d.colPadding = d.cols % colsPerPass != 0;
  return d;
}

int64_t mirage::thread::numRegisters(FragmentType type) {
  Distribution d = Distribution::get(type.getLayout());
  int64_t rows = type.getRows() == 1 && d.rows != 1 ? 1 : d.rowOffsets.size();
  int64_t cols = type.getCols() == 1 && d.cols != 1 ? 1 : d.colOffsets.size();
  return rows * cols;
}

LinearLayoutAttr mirage::thread::chooseLinearLayout(MLIRContext *context,
                                                    int64_t rows, int64_t cols,
                                                    int64_t threads,
                                                    int64_t maxVec) {
  int64_t vec = maxVec;
  while (vec > 1 && (cols % vec != 0 || rows * cols < threads * vec))
    vec /= 2;
  return LinearLayoutAttr::get(context, rows, cols, vec, threads);
}

int64_t BufferType::getStageBytes() const {
  return llvm::alignTo(getRows() * getRowBytes(), 128);
}

bool mirage::thread::isKernelNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

StringRef KernelOp::getDefaultDialect() { return "mgraph_thread"; }
