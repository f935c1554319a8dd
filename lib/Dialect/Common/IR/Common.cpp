//===- Common.cpp - What the dialects of tensor programs share ------------===//

#include "Mirage/Dialect/Common/IR/Common.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <cmath>

using namespace mlir;

#include "Mirage/Dialect/Common/IR/Enums.cpp.inc"
#include "Mirage/Dialect/Common/IR/Interfaces.cpp.inc"

namespace mirage {

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

// Conversions are casts, so the last enumerators must agree.
static_assert(int(ReduceKind::Mean) == int(semantics::ReduceKind::Mean));
static_assert(int(Predicate::Ge) == int(semantics::Predicate::Ge));
static_assert(int(ConstantKind::NegInf) ==
              int(semantics::ConstantValue::Kind::NegInf));
static_assert(int(AccumulatorKind::Rescale) ==
              int(semantics::AccumulatorKind::Rescale));

semantics::ReduceKind toSemantics(ReduceKind kind) {
  return static_cast<semantics::ReduceKind>(kind);
}
semantics::Predicate toSemantics(Predicate predicate) {
  return static_cast<semantics::Predicate>(predicate);
}
semantics::ConstantValue::Kind toSemantics(ConstantKind kind) {
  return static_cast<semantics::ConstantValue::Kind>(kind);
}
semantics::AccumulatorKind toSemantics(AccumulatorKind kind) {
  return static_cast<semantics::AccumulatorKind>(kind);
}
ReduceKind fromSemantics(semantics::ReduceKind kind) {
  return static_cast<ReduceKind>(kind);
}
Predicate fromSemantics(semantics::Predicate predicate) {
  return static_cast<Predicate>(predicate);
}
ConstantKind fromSemantics(semantics::ConstantValue::Kind kind) {
  return static_cast<ConstantKind>(kind);
}
AccumulatorKind fromSemantics(semantics::AccumulatorKind kind) {
  return static_cast<AccumulatorKind>(kind);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<semantics::DType> toSemanticsDType(Type type) {
  using semantics::DType;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (type.isSignlessInteger(1))
    return DType::I1;
  if (type.isSignlessInteger(32))
    return DType::I32;
  if (type.isSignlessInteger(64))
    return DType::I64;
  return std::nullopt;
}

Type fromSemantics(MLIRContext *context, semantics::DType dtype) {
  using semantics::DType;
  switch (dtype) {
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::I1:
    return IntegerType::get(context, 1);
  case DType::I32:
    return IntegerType::get(context, 32);
  case DType::I64:
    return IntegerType::get(context, 64);
  }
  llvm_unreachable("every element type is listed");
}

std::optional<semantics::TensorType> toSemanticsType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || !shaped.hasStaticShape() ||
      shaped.getRank() > int64_t(semantics::kMaxRank))
    return std::nullopt;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (tensor.getEncoding())
      return std::nullopt;
  // A tensor without elements has no meaning that the table could give.
  if (llvm::any_of(shaped.getShape(), [](int64_t d) { return d <= 0; }))
    return std::nullopt;
  auto dtype = toSemanticsDType(shaped.getElementType());
  if (!dtype)
    return std::nullopt;
  semantics::TensorType result;
  result.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  result.dtype = *dtype;
  return result;
}

RankedTensorType tensorFromSemantics(MLIRContext *context,
                                     const semantics::TensorType &type) {
  return RankedTensorType::get(type.shape, fromSemantics(context, type.dtype));
}

bool isProgramTensor(Type type) {
  return isa<RankedTensorType>(type) && toSemanticsType(type);
}

//===----------------------------------------------------------------------===//
// custom<Number>, custom<ConstantValue>
//===----------------------------------------------------------------------===//

ParseResult parseNumber(OpAsmParser &parser, FloatAttr &number) {
  return parser.parseAttribute(number, parser.getBuilder().getF64Type());
}

void printNumber(OpAsmPrinter &printer, Operation *, FloatAttr number) {
  double value = number.getValueAsDouble();
  if (!std::isfinite(value)) {
    printer.printAttributeWithoutType(number);
    return;
  }
  // MLIR's own printer turns 1e-6 into 9.9999999999999995E-7.
  char buffer[40];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (strtod(buffer, nullptr) == value)
      break;
  }
  // A float literal of MLIR needs a point.
  StringRef text(buffer);
  size_t exponent = std::min(text.find('e'), text.size());
  printer << text.take_front(exponent) << (text.contains('.') ? "" : ".0")
          << text.drop_front(exponent);
}

ParseResult parseConstantValue(OpAsmParser &parser, ConstantKindAttr &kind,
                               FloatAttr &literal, IntegerAttr &extent) {
  Builder &builder = parser.getBuilder();
  auto parsedKind = ConstantKind::Literal;
  literal = builder.getF64FloatAttr(0.0);
  int64_t size = 0;
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(
          &keyword, {"extent", "inv_extent", "rsqrt_extent", "neg_inf"}))) {
    parsedKind = *symbolizeConstantKind(keyword);
    if (parsedKind != ConstantKind::NegInf && parser.parseInteger(size))
      return failure();
  } else if (parseNumber(parser, literal)) {
    return failure();
  }
  kind = ConstantKindAttr::get(builder.getContext(), parsedKind);
  extent = builder.getI64IntegerAttr(size);
  return success();
}

void printConstantValue(OpAsmPrinter &printer, Operation *op,
                        ConstantKindAttr kind, FloatAttr literal,
                        IntegerAttr extent) {
  ConstantKind value = kind ? kind.getValue() : ConstantKind::Literal;
  if (value == ConstantKind::Literal) {
    if (literal)
      printNumber(printer, op, literal);
    else
      printer << "0.0";
    return;
  }
  printer << stringifyConstantKind(value);
  if (value != ConstantKind::NegInf)
    printer << " " << (extent ? extent.getInt() : 0);
}

//===----------------------------------------------------------------------===//
// The verifier and the type rule of compute ops
//===----------------------------------------------------------------------===//

namespace detail {

LogicalResult inferComputeResult(semantics::OpKind kind, semantics::Level level,
                                 const semantics::Attrs &attrs,
                                 TypeRange operands,
                                 std::optional<Location> location,
                                 SmallVectorImpl<Type> &inferred) {
  SmallVector<semantics::TensorType> types;
  for (Type operand : operands) {
    auto type = toSemanticsType(operand);
    if (!type)
      return emitOptionalError(
          location,
          "expected operands of static shape and a supported element "
          "type, but got ",
          operand);
    types.push_back(std::move(*type));
  }
  if (types.empty())
    return emitOptionalError(location,
                             "expected at least one operand, but got none");
  auto result = semantics::inferType(kind, attrs, types, level);
  if (!result)
    return emitOptionalError(location, llvm::toString(result.takeError()));
  // The result is a tensor or a tile as the first operand is.
  inferred.push_back(
      cast<ShapedType>(operands.front())
          .clone(result->shape,
                 fromSemantics(operands.front().getContext(), result->dtype)));
  return success();
}

LogicalResult verifyComputeOp(Operation *op) {
  auto compute = cast<MirageComputeOpInterface>(op);
  SmallVector<semantics::TensorType> operands;
  for (Type operand : op->getOperandTypes()) {
    auto type = toSemanticsType(operand);
    assert(type && "ODS checks the types of operands and results first");
    operands.push_back(std::move(*type));
  }
  auto resultType = cast<ShapedType>(op->getResult(0).getType());
  auto result = toSemanticsType(resultType);
  assert(result && "ODS checks the types of operands and results first");
  auto expected = semantics::inferType(compute.getSemanticsKind(),
                                       compute.getSemanticsAttrs(), operands,
                                       compute.getSemanticsLevel(), &*result);
  if (!expected)
    return op->emitOpError(llvm::toString(expected.takeError()));
  if (*expected != *result)
    return op->emitOpError("expected result type ")
           << Type(resultType.clone(
                  expected->shape,
                  fromSemantics(op->getContext(), expected->dtype)))
           << ", but got " << Type(resultType);
  return success();
}

} // namespace detail
} // namespace mirage
