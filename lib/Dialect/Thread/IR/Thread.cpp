//===- Thread.cpp - The thread-level dialect ------------------------------===//

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Semantics/Program.h"
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
  d.rowPadding = rowsPerPass * d.threadsPerRow != d.threads ||
                 d.rows % rowsPerPass != 0;
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

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

bool mirage::thread::isKernelNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

StringRef KernelOp::getDefaultDialect() { return "mgraph_thread"; }

LogicalResult KernelOp::verify() {
  // C3
  if (!llvm::all_of(getSymName(), isKernelNameCharacter))
    return emitOpError("expected a name of letters, digits, '_' and '$', but "
                       "got '")
           << getSymName() << "'";
  if (getGrid().size() != 3 || getCluster().size() != 3)
    return emitOpError("expected 3 grid and 3 cluster dimensions, but got ")
           << getGrid().size() << " and " << getCluster().size();
  // C1
  for (auto [i, blocks, cluster] :
       llvm::enumerate(getGrid(), getCluster()))
    if (cluster < 1 || blocks < 1 || blocks % cluster != 0)
      return emitOpError("expected a grid that the cluster divides in dimension ")
             << i << ", but got " << blocks << " and " << cluster;
  // C2
  if (getThreads() < 32 || getThreads() > 1024 || getThreads() % 32 != 0)
    return emitOpError(
               "expected threads to be a multiple of 32 in [32, 1024], but got ")
           << getThreads();
  int64_t arguments = getBody().getNumArguments();
  if (static_cast<int64_t>(getNumInputs()) > arguments)
    return emitOpError("expected at most ")
           << arguments << " inputs, but got " << getNumInputs();
  for (int64_t i : getConstantInputs())
    if (i < 0 || i >= static_cast<int64_t>(getNumInputs()))
      return emitOpError("expected constant inputs below ")
             << getNumInputs() << ", but got " << i;
  return success();
}

LogicalResult ForOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInits().size() + 1)
    return emitOpError("expected ")
           << getInits().size() + 1 << " block arguments, but got "
           << body.getNumArguments();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().getTypes() != getInits().getTypes() ||
      getResults().getTypes() != getInits().getTypes())
    return emitOpError("expected carried values, yielded values and results of "
                       "one list of types");
  return success();
}

LogicalResult MmaOp::verify() {
  // C1
  if (!isa<MmaLayoutAttr>(getAcc().getType().getLayout()) ||
      getResult().getType() != getAcc().getType())
    return emitOpError("expected accumulator and result of one mma layout, but "
                       "got ")
           << getAcc().getType() << " and " << getResult().getType();
  BufferType lhs = getLhs().getType(), rhs = getRhs().getType();
  // C2
  if (lhs.getElementType() != rhs.getElementType() ||
      !(lhs.getElementType().isF16() || lhs.getElementType().isBF16()))
    return emitOpError("expected buffers of f16 or of bf16, but got ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  // C3
  int64_t depth = getTransposeRhs() ? rhs.getCols() : rhs.getRows();
  if (lhs.getCols() != depth || depth % 16 != 0)
    return emitOpError("expected equal contracted sizes that 16 divides, but "
                       "got ")
           << lhs.getCols() << " and " << depth;
  return success();
}

LogicalResult MapOp::verify() {
  auto kind = mirage::semantics::parseOpKind(getKind());
  if (!kind || mirage::semantics::opClass(*kind) >
                   mirage::semantics::OpClass::Select)
    return emitOpError("expected the mnemonic of an elementwise operator, but "
                       "got '")
           << getKind() << "'";
  int arity = mirage::semantics::arity(*kind);
  if (arity != static_cast<int>(getOperands().size()))
    return emitOpError("expected ")
           << arity << " operands, but got " << getOperands().size();
  for (Value operand : getOperands())
    if (cast<FragmentType>(operand.getType()).getLayout() !=
        getResult().getType().getLayout())
      return emitOpError("expected fragments of one layout, but got ")
             << operand.getType() << " and " << getResult().getType();
  return success();
}

namespace {
/// One stride for each dim of a space.
LogicalResult verifyStrides(Operation *op, ArrayRef<int64_t> space,
                            ArrayRef<int64_t> strides, size_t tensors = 1) {
  for (int64_t size : space)
    if (size < 1)
      return op->emitOpError("expected sizes of at least 1, but got ") << size;
  if (strides.size() != space.size() * tensors)
    return op->emitOpError("expected ")
           << space.size() * tensors << " strides, but got " << strides.size();
  return success();
}

/// Element types that the registers of a fragment hold for a tensor's.
Type registerType(Type element) {
  return isa<FloatType>(element) && !element.isF64()
             ? Type(Float32Type::get(element.getContext()))
             : element;
}
} // namespace

LogicalResult LoadIndexedOp::verify() {
  // C1
  if (failed(verifyStrides(*this, getSpace(), getStrides())))
    return failure();
  // C2
  if (getResult().getType().getRows() != 1)
    return emitOpError("expected a fragment of 1 row, but got ")
           << getResult().getType().getRows();
  // C3
  int64_t dim = static_cast<int64_t>(getGatherDim());
  if (dim < -1 || dim >= static_cast<int64_t>(getSpace().size()) ||
      (dim >= 0) != static_cast<bool>(getIndices()))
    return emitOpError("expected indices exactly with a gathered dimension "
                       "below ")
           << getSpace().size() << ", but got "
           << (getIndices() ? "indices" : "no indices") << " and " << dim;
  Type element = cast<RankedTensorType>(getSource().getType()).getElementType();
  if (registerType(element) != getResult().getType().getElementType())
    return emitOpError("expected a fragment of ")
           << registerType(element) << ", but got "
           << getResult().getType().getElementType();
  return success();
}

LogicalResult IotaIndexedOp::verify() {
  if (getDim() < 0 || static_cast<size_t>(getDim()) >= getSpace().size())
    return emitOpError("expected a dimension in [0, ")
           << getSpace().size() << "), but got " << getDim();
  return success();
}

LogicalResult ReduceIndexedOp::verify() {
  // C1
  if (getSources().empty() || getSources().size() > 2)
    return emitOpError("expected 1 or 2 sources, but got ")
           << getSources().size();
  for (Value source : getSources()) {
    Type element = cast<RankedTensorType>(source.getType()).getElementType();
    if (!element.isF16() && !element.isBF16() && !element.isF32())
      return emitOpError("expected sources of f16, bf16 or f32, but got ")
             << element;
  }
  // C2
  if (failed(verifyStrides(*this, getSpace(), getStrides(),
                           getSources().size())) ||
      failed(verifyStrides(*this, getReduceSpace(), getReduceStrides(),
                           getSources().size())))
    return failure();
  return success();
}

LogicalResult StoreIndexedOp::verify() {
  // C1
  return verifyStrides(*this, getSpace(), getStrides());
}
