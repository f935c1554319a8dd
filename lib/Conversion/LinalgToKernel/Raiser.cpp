//===- Raiser.cpp - Operands and ops of a raised function -----------------===//

#include "Raiser.h"

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Semantics/Limits.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;
using semantics::ConstantValue;
using semantics::DType;
using semantics::OpKind;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string mirage::raising::describe(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "an argument of type " + print(value.getType());
  return ("the result of '" + op->getName().getStringRef() + "' of type " +
          print(value.getType()))
      .str();
}

LogicalResult Raiser::checkType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return refuse("expected ranked tensors, but got " + print(value.getType()));
  if (!type.hasStaticShape())
    return refuse("expected static shapes, but got " + print(type));
  if (!isProgramTensor(type))
    return refuse("expected rank at most 6, at least one element, and element "
                  "type f16, bf16, f32, i1, i32 or i64, but got " +
                  print(type));
  if (llvm::Error error = semantics::checkSize(*toSemanticsType(type)))
    return refuse(llvm::toString(std::move(error)));
  if (type.getElementType().isF64() && !narrowable.contains(value))
    return refuse("expected f64 only between casts from and to a narrower "
                  "type, but got " +
                  print(type));
  return success();
}

LogicalResult Raiser::checkOperand(Value value) {
  if (failed(checkType(value)))
    return failure();
  if (narrowable.contains(value) && !narrowed.contains(value))
    return refuse("expected operands in f64 that are raised themselves, but "
                  "got " +
                  describe(value));
  return success();
}

DType Raiser::dtype(Value value) const {
  DType type = *toSemanticsDType(
      llvm::cast<RankedTensorType>(value.getType()).getElementType());
  return type == DType::F64 ? DType::F32 : type;
}

Value Raiser::lookup(Value value) const {
  auto found = narrowed.find(value);
  return found == narrowed.end() ? value : found->second;
}

/// Ops that move elements and keep their values.
static bool movesData(Operation *op) {
  return isa_and_nonnull<kernel::ReshapeOp, kernel::BroadcastOp,
                         kernel::TransposeOp>(op);
}

std::optional<double> Raiser::integerBound(Value value) const {
  while (true) {
    auto found = floats.find(value);
    if (found != floats.end())
      return found->second.second;
    Operation *op = value.getDefiningOp();
    if (auto iota = dyn_cast_or_null<kernel::IotaOp>(op))
      return double(iota.getType().getDimSize(iota.getDim()) - 1);
    if (!movesData(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
}

Value Raiser::asFloat(Location loc, Value value) {
  // Move the cast to where the integers come from.
  SmallVector<Operation *> moves;
  while (movesData(value.getDefiningOp()) && !floats.contains(value)) {
    moves.push_back(value.getDefiningOp());
    value = moves.back()->getOperand(0);
  }
  auto found = floats.find(value);
  Value result;
  if (found != floats.end())
    result = found->second.first;
  else if (auto op = value.getDefiningOp<kernel::IotaOp>())
    result =
        iota(loc, op.getDim(), tensorType(op.getType().getShape(), DType::F32));
  else
    result = cast(loc, value, DType::F32);
  for (Operation *op : llvm::reverse(moves)) {
    auto shape =
        llvm::cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    if (isa<kernel::ReshapeOp>(op))
      result = reshape(loc, result, shape);
    else if (isa<kernel::BroadcastOp>(op))
      result = broadcast(loc, result, shape);
    else
      result =
          transpose(loc, result, llvm::cast<kernel::TransposeOp>(op).getPerm());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

RankedTensorType Raiser::tensorType(ArrayRef<int64_t> shape,
                                    DType dtype) const {
  return RankedTensorType::get(shape,
                               fromSemantics(builder.getContext(), dtype));
}

Value Raiser::create(Location loc, OpKind kind, ValueRange operands,
                     ArrayRef<NamedAttribute> attributes,
                     std::optional<RankedTensorType> result) {
  OperationState state(loc,
                       ("mgraph_kernel." + semantics::mnemonic(kind)).str());
  state.addOperands(operands);
  state.addAttributes(attributes);
  if (result) {
    state.addTypes(*result);
    return builder.create(state)->getResult(0);
  }
  // Elementwise, with the broadcast of size-1 dims.
  auto first = llvm::cast<RankedTensorType>(operands.back().getType());
  SmallVector<int64_t> shape(first.getRank(), 1);
  for (Value operand : operands)
    for (auto [i, size] : llvm::enumerate(
             llvm::cast<RankedTensorType>(operand.getType()).getShape()))
      shape[i] = std::max(shape[i], size);
  Type element =
      kind == OpKind::Compare ? builder.getI1Type() : first.getElementType();
  state.addTypes(RankedTensorType::get(shape, element));
  return builder.create(state)->getResult(0);
}

Value Raiser::cast(Location loc, Value value, DType dtype) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  RankedTensorType result = tensorType(type.getShape(), dtype);
  if (type == result)
    return value;
  return kernel::CastOp::create(builder, loc, result, value);
}

Value Raiser::reshape(Location loc, Value value, ArrayRef<int64_t> shape) {
  // A reshape that nothing else reads was only a step to this one.
  auto step = value.getDefiningOp<kernel::ReshapeOp>();
  if (step && step->use_empty()) {
    value = step.getInput();
    step->erase();
  }
  auto type = llvm::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return kernel::ReshapeOp::create(builder, loc, type.clone(shape), value);
}

Value Raiser::broadcast(Location loc, Value value, ArrayRef<int64_t> shape) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return kernel::BroadcastOp::create(builder, loc, type.clone(shape), value);
}

Value Raiser::transpose(Location loc, Value value, ArrayRef<int64_t> perm) {
  bool moves = false;
  for (auto [i, dim] : llvm::enumerate(perm))
    moves |= int64_t(i) != dim;
  if (!moves)
    return value;
  return kernel::TransposeOp::create(builder, loc, value, perm);
}

Value Raiser::reduce(Location loc, ReduceKind kind, Value value,
                     ArrayRef<int64_t> dims) {
  return kernel::ReduceOp::create(builder, loc, kind, value, dims);
}

Value Raiser::iota(Location loc, int64_t dim, RankedTensorType type) {
  return kernel::IotaOp::create(builder, loc, type, dim);
}

SmallVector<NamedAttribute, 3>
Raiser::constantAttributes(const ConstantValue &value) {
  return {
      builder.getNamedAttr("kind",
                           ConstantKindAttr::get(builder.getContext(),
                                                 fromSemantics(value.kind))),
      builder.getNamedAttr("literal", builder.getF64FloatAttr(value.literal)),
      builder.getNamedAttr("extent", builder.getI64IntegerAttr(value.extent))};
}

Value Raiser::constant(const ConstantValue &value, DType dtype, int64_t rank) {
  ConstantKey key(rank, int(dtype), int(value.kind),
                  llvm::bit_cast<uint64_t>(value.literal), value.extent);
  Value &result = constants[key];
  if (!result) {
    OpBuilder::InsertionGuard guard(builder);
    // Behind the constants made before, which keep their order.
    Operation *last = nullptr;
    for (Operation &op : entry) {
      if (!isa<kernel::ConstantOp>(op))
        break;
      last = &op;
    }
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(&entry);
    result = create(builder.getUnknownLoc(), OpKind::Constant, {},
                    constantAttributes(value),
                    tensorType(SmallVector<int64_t>(rank, 1), dtype));
  }
  return result;
}

Value Raiser::fill(Location loc, double value, RankedTensorType type) {
  ConstantValue constant = ConstantValue::makeLiteral(value);
  if (std::isinf(value))
    constant = ConstantValue{ConstantValue::Kind::NegInf, 0.0, 0};
  return create(loc, OpKind::Constant, {}, constantAttributes(constant), type);
}
