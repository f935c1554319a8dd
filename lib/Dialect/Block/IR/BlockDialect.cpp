//===- BlockDialect.cpp - Types and attributes of mgraph_block ------------===//

#include "BlockParsing.h"
#include "Mirage/Dialect/Block/IR/Block.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::block;

#include "Mirage/Dialect/Block/IR/BlockDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Mirage/Dialect/Block/IR/BlockTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Mirage/Dialect/Block/IR/BlockAttrs.cpp.inc"

void BlockDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Mirage/Dialect/Block/IR/BlockTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Mirage/Dialect/Block/IR/BlockAttrs.cpp.inc"
      >();
  // Defined beside the ops, which take longest to compile.
  addBlockOperations();
}

Type mirage::block::parseTileRest(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                /*withTrailingX=*/true) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<TileType>(loc, parser.getContext(),
                                     ArrayRef<int64_t>(shape), elementType);
}

Type TileType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  return parseTileRest(parser);
}

void TileType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t dim : getShape())
    printer << dim << "x";
  printer << getElementType() << ">";
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType) {
  // C1
  if (shape.size() > semantics::kMaxRank)
    return emitError() << "expected rank at most " << semantics::kMaxRank
                       << ", but got " << shape.size();
  for (int64_t dim : shape)
    if (dim < 1)
      return emitError() << "expected sizes of at least 1, but got " << dim;
  // C2
  if (!toSemanticsDType(elementType))
    return emitError() << "expected element type f16, bf16, f32, f64, i1, i32 "
                          "or i64, but got "
                       << elementType;
  return success();
}

TileType mirage::block::tileFromSemantics(MLIRContext *context,
                                          const semantics::TensorType &type) {
  return TileType::get(context, type.shape, fromSemantics(context, type.dtype));
}

semantics::GridMap mirage::block::toGridMap(ArrayRef<int64_t> map) {
  return {int(map[0]), int(map[1]), int(map[2])};
}

TileType mirage::block::accumulatorTotal(TileType value, int64_t dim) {
  SmallVector<int64_t> shape(value.getShape());
  if (dim >= 0)
    shape[dim] = 1;
  return TileType::get(value.getContext(), shape,
                       Float32Type::get(value.getContext()));
}
