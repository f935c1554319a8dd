//===- Shapes.cpp - Ops of the tensor dialect that move elements ----------===//

#include "Shapes.h"

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;
using semantics::OpKind;

/// Refuses unless operands and result have a type of the dialect.
static LogicalResult checkTypes(Raiser &raiser, ValueRange operands,
                                Value result) {
  for (Value operand : operands)
    if (failed(raiser.checkOperand(operand)))
      return failure();
  return raiser.checkType(result);
}

static FailureOr<Values> raiseReshape(Raiser &raiser, Value source,
                                      Value result) {
  if (failed(checkTypes(raiser, source, result)))
    return failure();
  return Values{
      raiser.reshape(result.getLoc(), raiser.lookup(source),
                     cast<RankedTensorType>(result.getType()).getShape())};
}

static FailureOr<Values> raiseSlice(Raiser &raiser, tensor::ExtractSliceOp op) {
  if (failed(checkTypes(raiser, op.getSource(), op.getResult())))
    return failure();
  for (ArrayRef<int64_t> numbers :
       {op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides()})
    if (llvm::any_of(numbers, ShapedType::isDynamic))
      return raiser.refuse("expected constant offsets, sizes and strides, but "
                           "got a value");
  ArrayRef<int64_t> shape = op.getSourceType().getShape();
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t offset = op.getStaticOffsets()[i],
            stride = op.getStaticStrides()[i];
    if (offset < 0 || stride < 1 ||
        offset + (op.getStaticSizes()[i] - 1) * stride >= size)
      return raiser.refuse(
          "expected a slice within dim " + Twine(i) + " of size " +
          Twine(size) + ", but got offset " + Twine(offset) + ", size " +
          Twine(op.getStaticSizes()[i]) + " and stride " + Twine(stride));
  }
  Value slice = kernel::SliceOp::create(
      raiser.getBuilder(), op.getLoc(), raiser.lookup(op.getSource()),
      op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides());
  // A slice may drop dims of size 1.
  return Values{raiser.reshape(op.getLoc(), slice, op.getType().getShape())};
}

static FailureOr<Values> raiseConcat(Raiser &raiser, tensor::ConcatOp op) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    // Front ends hide the sizes of parts whose sum is static.
    if (auto cast = input.getDefiningOp<tensor::CastOp>())
      input = cast.getSource();
    inputs.push_back(input);
  }
  if (failed(checkTypes(raiser, inputs, op.getResult())))
    return failure();
  for (Value &input : inputs)
    input = raiser.lookup(input);
  Value result = kernel::ConcatOp::create(raiser.getBuilder(), op.getLoc(),
                                          inputs, op.getDim());
  return Values{result};
}

/// Padding with a constant is a concatenation with constants, dim by dim.
static FailureOr<Values> raisePad(Raiser &raiser, tensor::PadOp op) {
  if (failed(checkTypes(raiser, op.getSource(), op.getResult())))
    return failure();
  Value padding = op.getConstantPaddingValue();
  auto number = padding ? raiser.splat(padding) : std::nullopt;
  if (!number)
    return raiser.refuse("expected padding with a finite constant, but got " +
                         (padding ? describe(padding) : "a computed value"));
  for (ArrayRef<int64_t> sizes : {op.getStaticLow(), op.getStaticHigh()})
    for (int64_t size : sizes)
      if (size < 0)
        return raiser.refuse(
            "expected constant paddings of at least 0, but got " +
            (ShapedType::isDynamic(size) ? "a value" : std::to_string(size)));
  Value value = raiser.lookup(op.getSource());
  for (int64_t dim = 0, e = op.getType().getRank(); dim < e; ++dim) {
    SmallVector<Value> parts;
    auto pad = [&](int64_t size) {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[dim] = size;
      if (size > 0)
        parts.push_back(raiser.fill(op.getLoc(), *number, type.clone(shape)));
    };
    pad(op.getStaticLow()[dim]);
    parts.push_back(value);
    pad(op.getStaticHigh()[dim]);
    if (parts.size() > 1)
      value = kernel::ConcatOp::create(raiser.getBuilder(), op.getLoc(), parts,
                                       dim);
  }
  return Values{value};
}

FailureOr<Values> mirage::raising::raiseShapeOp(Raiser &raiser, Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Values>>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        return raiseReshape(raiser, reshape.getSrc(), reshape.getResult());
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        return raiseSlice(raiser, slice);
      })
      .Case(
          [&](tensor::ConcatOp concat) { return raiseConcat(raiser, concat); })
      .Case([&](tensor::PadOp pad) { return raisePad(raiser, pad); })
      .Default([&](Operation *other) -> FailureOr<Values> {
        return raiser.refuse("expected an op that mgraph_kernel has a form of, "
                             "but got '" +
                             other->getName().getStringRef() + "'");
      });
}
