//===- VerifyOps.cpp - Constraints on kernels, compute and indexed ops ----===//

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Semantics/Program.h"
#include <cmath>

using namespace mlir;
using namespace mirage::thread;

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
  for (auto [i, blocks, cluster] : llvm::enumerate(getGrid(), getCluster()))
    if (cluster < 1 || blocks < 1 || blocks % cluster != 0)
      return emitOpError(
                 "expected a grid that the cluster divides in dimension ")
             << i << ", but got " << blocks << " and " << cluster;
  // C2
  if (getThreads() < 32 || getThreads() > 1024 || getThreads() % 32 != 0)
    return emitOpError("expected threads to be a multiple of 32 in [32, 1024], "
                       "but got ")
           << getThreads();
  int64_t arguments = getBody().getNumArguments();
  if (static_cast<int64_t>(getNumInputs()) > arguments)
    return emitOpError("expected at most ")
           << arguments << " inputs, but got " << getNumInputs();
  for (int64_t i : getConstantInputs())
    if (i < 0 || i >= static_cast<int64_t>(getNumInputs()))
      return emitOpError("expected constant inputs below ")
             << getNumInputs() << ", but got " << i;
  // C4
  for (Type type : getBody().getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      return emitOpError("expected arguments that are tensors, but got ")
             << type;
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  // C4
  Operation &last = getBody().front().back();
  if (!isa<ReturnOp>(last))
    return emitOpError("expected a body that ends in 'mgraph_thread.return', "
                       "but got '")
           << last.getName() << "'";
  // C5
  WalkResult result = getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto fragment = dyn_cast<FragmentType>(type);
      if (!fragment)
        continue;
      int64_t over = layoutThreads(fragment.getLayout());
      if (over != static_cast<int64_t>(getThreads())) {
        op->emitOpError("expected a layout over the ")
            << getThreads() << " threads of the kernel, but got " << over;
        return WalkResult::interrupt();
      }
      // C6
      if (int64_t held = numRegisters(fragment); held > kMaxFragmentRegisters) {
        op->emitOpError("expected a fragment of at most ")
            << kMaxFragmentRegisters << " elements in each thread, but got "
            << held;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ForOp::verify() {
  // C1
  if (getRange() < 1)
    return emitOpError("expected a range of at least 1, but got ")
           << getRange();
  Block &body = getBody().front();
  if (body.getNumArguments() != getInits().size() + 1)
    return emitOpError("expected ")
           << getInits().size() + 1 << " block arguments, but got "
           << body.getNumArguments();
  // C2
  if (!body.getArgument(0).getType().isInteger(32))
    return emitOpError("expected an iteration of i32, but got ")
           << body.getArgument(0).getType();
  for (Type type : getInits().getTypes())
    if (!type.isInteger(32) && !isa<FragmentType>(type))
      return emitOpError(
                 "expected carried values of i32 or fragments, but got ")
             << type;
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield ||
      TypeRange(body.getArgumentTypes()).drop_front() !=
          TypeRange(getInits().getTypes()) ||
      yield.getValues().getTypes() != getInits().getTypes() ||
      getResults().getTypes() != getInits().getTypes())
    return emitOpError("expected carried values, yielded values and results of "
                       "one list of types");
  return success();
}

LogicalResult SplatOp::verify() {
  // C1
  auto type = dyn_cast<IntegerType>(getResult().getType().getElementType());
  if (!type)
    return success();
  double value = getValue().convertToDouble();
  // i1 counts from 0; two's complement elsewhere.
  double limit =
      type.getWidth() == 1 ? 2 : std::ldexp(1.0, type.getWidth() - 1);
  double least = type.getWidth() == 1 ? 0 : -limit;
  if (!(value >= least && value < limit) || value != std::trunc(value))
    return emitOpError("expected a value of ") << type << ", but got " << value;
  return success();
}

LogicalResult IotaOp::verify() {
  // C1
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim > 1)
    return emitOpError("expected dimension 0 or 1, but got ") << dim;
  if (!getResult().getType().getElementType().isF32())
    return emitOpError("expected a fragment of 'f32', but got ")
           << getResult().getType().getElementType();
  return success();
}

namespace {
LogicalResult verifyAccumulator(Operation *op, FragmentType acc) {
  auto layout = dyn_cast<MmaLayoutAttr>(acc.getLayout());
  if (!layout)
    return op->emitOpError("expected accumulator and result of an mma layout, "
                           "but got ")
           << acc;
  if (acc.getRows() != layout.getRows() || acc.getCols() != layout.getCols() ||
      !acc.getElementType().isF32())
    return op->emitOpError("expected an accumulator of ")
           << layout.getRows() << " x " << layout.getCols()
           << " 'f32', but got " << acc.getRows() << " x " << acc.getCols()
           << " " << acc.getElementType();
  return success();
}

LogicalResult verifyFactors(Operation *op, StringRef what, Type lhs, Type rhs) {
  if (lhs != rhs || !(lhs.isF16() || lhs.isBF16() || lhs.isF32()))
    return op->emitOpError("expected ")
           << what << " of f16, of bf16 or of f32, but got " << lhs << " and "
           << rhs;
  return success();
}

LogicalResult verifyDepth(Operation *op, int64_t depth, BufferType rhs,
                          bool transposeRhs) {
  int64_t rhsDepth = transposeRhs ? rhs.getCols() : rhs.getRows();
  if (depth != rhsDepth || depth % 16 != 0)
    return op->emitOpError("expected equal contracted sizes that 16 divides, "
                           "but got ")
           << depth << " and " << rhsDepth;
  return success();
}
} // namespace

LogicalResult MmaOp::verify() {
  BufferType lhs = getLhs().getType(), rhs = getRhs().getType();
  if (failed(verifyAccumulator(*this, getAcc().getType())) || // C1
      failed(verifyFactors(*this, "buffers", lhs.getElementType(),
                           rhs.getElementType()))) // C2
    return failure();
  // C3
  return verifyDepth(*this, lhs.getCols(), rhs, getTransposeRhs());
}

LogicalResult MmaRegisterOp::verify() {
  FragmentType lhs = getLhs().getType(), acc = getAcc().getType();
  BufferType rhs = getRhs().getType();
  // C1
  if (failed(verifyAccumulator(*this, acc)))
    return failure();
  // C2
  auto left = dyn_cast<MmaLayoutAttr>(lhs.getLayout());
  auto right = cast<MmaLayoutAttr>(acc.getLayout());
  if (!left || lhs.getRows() != left.getRows() ||
      lhs.getCols() != left.getCols() || left.getRows() != right.getRows() ||
      left.getWarpsM() != right.getWarpsM() || left.getWarpsN() != 1 ||
      right.getWarpsN() != 1)
    return emitOpError("expected mma layouts of the same rows, whose warps lie "
                       "along the rows alike, but got ")
           << lhs.getLayout() << " and " << acc.getLayout();
  // C3
  if (failed(verifyFactors(*this, "operands", lhs.getElementType(),
                           rhs.getElementType())))
    return failure();
  // C4
  return verifyDepth(*this, lhs.getCols(), rhs, getTransposeRhs());
}

LogicalResult RelayoutOp::verify() {
  FragmentType from = getSource().getType(), to = getResult().getType();
  // C1
  auto left = dyn_cast<MmaLayoutAttr>(from.getLayout());
  auto right = dyn_cast<MmaLayoutAttr>(to.getLayout());
  if (!left || !right || left.getRows() != right.getRows() ||
      left.getWarpsM() != right.getWarpsM() ||
      left.getWarpsN() != right.getWarpsN())
    return emitOpError("expected mma layouts of the same rows and warps, but "
                       "got ")
           << from.getLayout() << " and " << to.getLayout();
  // C2
  if (from.getCols() != 1 || to.getCols() != 1 ||
      from.getRows() != to.getRows() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected columns of one type, but got ")
           << from << " and " << to;
  return success();
}

LogicalResult MapOp::verify() {
  // C1
  auto kind = mirage::semantics::parseOpKind(getKind());
  if (!kind ||
      mirage::semantics::opClass(*kind) > mirage::semantics::OpClass::Select)
    return emitOpError("expected the mnemonic of an elementwise operator, but "
                       "got '")
           << getKind() << "'";
  int arity = mirage::semantics::arity(*kind);
  if (arity != static_cast<int>(getOperands().size()))
    return emitOpError("expected ")
           << arity << " operands, but got " << getOperands().size();
  // C2
  FragmentType result = getResult().getType();
  for (Value operand : getOperands()) {
    auto type = cast<FragmentType>(operand.getType());
    if (type.getLayout() != result.getLayout())
      return emitOpError("expected fragments of one layout, but got ")
             << type << " and " << result;
    if ((type.getRows() != 1 && type.getRows() != result.getRows()) ||
        (type.getCols() != 1 && type.getCols() != result.getCols()))
      return emitOpError("expected operand sizes of 1 or the result's ")
             << result.getRows() << " x " << result.getCols() << ", but got "
             << type.getRows() << " x " << type.getCols();
  }
  // C3
  constexpr auto last = static_cast<int64_t>(mirage::semantics::Predicate::Ge);
  auto predicate = static_cast<int64_t>(getPredicate());
  if (predicate < 0 || predicate > last)
    return emitOpError("expected a predicate in [0, ")
           << last << "], but got " << predicate;
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
