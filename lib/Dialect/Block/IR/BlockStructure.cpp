//===- BlockStructure.cpp - Loops, loads and stores of mgraph_block -------===//

#include "BlockParsing.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Semantics/Limits.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::block;

//===----------------------------------------------------------------------===//
// Helpers of the verifiers
//===----------------------------------------------------------------------===//

/// Checks that `map` has three entries, each -1 or a dim below `rank`.
static LogicalResult verifyMap(Operation *op, StringRef name,
                               ArrayRef<int64_t> map, int64_t rank) {
  if (map.size() != 3)
    return op->emitOpError("expected ")
           << name << " to have 3 entries, but got " << map.size();
  for (int64_t dim : map)
    if (dim < -1 || dim >= rank)
      return op->emitOpError("expected entries of ")
             << name << " in [-1, " << rank << "), but got " << dim;
  return success();
}

/// The parent of `op` as a diagnostic names it.
static std::string describeParent(Operation *op) {
  if (Operation *parent = op->getParentOp())
    return ("'" + parent->getName().getStringRef() + "'").str();
  return "none";
}

/// Checks that `op` stands in the body of a graph, outside loops.
static LogicalResult verifyInGraphBody(Operation *op) {
  if (isa_and_nonnull<MirageGraphOpInterface>(op->getParentOp()))
    return success();
  return op->emitOpError("expected to stand in the body of a graph, but got ")
         << describeParent(op);
}

/// A value as a diagnostic names it.
static std::string describe(Value value) {
  if (Operation *op = value.getDefiningOp())
    return ("the result of '" + op->getName().getStringRef() + "'").str();
  return "an argument of another op";
}

/// Whether `value` is the induction value of `loop`.
static bool isInductionVar(ForOp loop, Value value) {
  return loop && loop.getBodyRegion().getNumArguments() == 1 &&
         value == loop.getInductionVar();
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  auto graph = (*this)->getParentOfType<MirageGraphOpInterface>();
  // C1
  auto argument = dyn_cast<BlockArgument>(getSource());
  if (!graph || !argument || argument.getOwner()->getParentOp() != graph)
    return emitOpError("expected the source to be an argument of the enclosing "
                       "graph, but got ")
           << (graph ? describe(getSource()) : "no graph");
  // C2
  int64_t rank = getSource().getType().getRank();
  if (failed(verifyMap(*this, "imap", getImap(), rank)))
    return failure();
  // C3
  auto loop = dyn_cast_or_null<ForOp>((*this)->getParentOp());
  if (getIteration() && !isInductionVar(loop, getIteration()))
    return emitOpError("expected the iteration to be the induction value of "
                       "the enclosing loop, but got ")
           << (loop ? describe(getIteration()) : "no loop");
  int64_t fmap = getFmap();
  if (fmap < -1 || fmap >= rank)
    return emitOpError("expected fmap in [-1, ")
           << rank << "), but got " << fmap;
  if (fmap >= 0 && !getIteration())
    return emitOpError("expected an iteration with fmap, but got fmap ")
           << fmap << " without one";
  // C4
  auto source = toSemanticsType(getSource().getType());
  auto tile = semantics::inferLoadTile(*source, graph.getGridDims(),
                                       toGridMap(getImap()), fmap,
                                       loop ? loop.getRange() : 1);
  if (!tile)
    return emitOpError(llvm::toString(tile.takeError()));
  TileType expected = tileFromSemantics(getContext(), *tile);
  if (getType() != expected)
    return emitOpError("expected result type ")
           << expected << ", but got " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

StringRef ForOp::getDefaultDialect() { return "mgraph_block"; }

SmallVector<Region *> ForOp::getLoopRegions() { return {&getBodyRegion()}; }

void ForOp::build(OpBuilder &builder, OperationState &state, int64_t range,
                  TypeRange results) {
  state.getOrAddProperties<Properties>().range =
      builder.getI64IntegerAttr(range);
  state.addTypes(results);
  state.addRegion()->emplaceBlock().addArgument(builder.getIndexType(),
                                                state.location);
}

// for %i = 16 -> <16x64xf32>, <16x1xf32> attributes {...} { ... }
ParseResult ForOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument iteration;
  int64_t range;
  if (parser.parseArgument(iteration) || parser.parseEqual() ||
      parser.parseInteger(range))
    return failure();
  iteration.type = parser.getBuilder().getIndexType();
  state.getOrAddProperties<Properties>().range =
      parser.getBuilder().getI64IntegerAttr(range);
  if (succeeded(parser.parseOptionalArrow())) {
    auto parseResult = [&]() {
      return parseShortType(parser, state.types.emplace_back());
    };
    if (parser.parseCommaSeparatedList(parseResult))
      return failure();
  }
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseRegion(*state.addRegion(), iteration));
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << " " << getInductionVar() << " = " << getRange();
  if (getNumResults() > 0) {
    printer << " -> ";
    llvm::interleaveComma(getResultTypes(), printer,
                          [&](Type type) { printShortType(printer, type); });
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"range"});
  printer << " ";
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false);
}

LogicalResult ForOp::verify() {
  // C1
  auto range = static_cast<int64_t>(getRange());
  if (range < 1)
    return emitOpError("expected a range of at least 1, but got ") << range;
  if (range > semantics::kMaxLoopRange)
    return emitOpError("expected a range of at most ")
           << semantics::kMaxLoopRange << ", but got " << range;
  // C2
  return verifyInGraphBody(*this);
}

/// Checks accumulator `index` of `loop`, `yield` its terminator.
static LogicalResult verifyAccumulator(ForOp loop, YieldOp yield,
                                       unsigned index, Value factor) {
  auto accumulator = cast<AccumulatorAttr>((*yield.getAccumulators())[index]);
  auto value = cast<TileType>(yield.getValues()[index].getType());
  // C5
  int64_t rank = value.getShape().size();
  if (accumulator.getDim() < -1 || accumulator.getDim() >= rank)
    return yield.emitOpError("expected the dim of accumulator ")
           << index << " in [-1, " << rank << "), but got "
           << accumulator.getDim();
  // C6
  TileType total = accumulatorTotal(value, accumulator.getDim());
  if (loop.getResult(index).getType() != total)
    return loop.emitOpError("expected result ")
           << index << " of type " << total << ", but got "
           << loop.getResult(index).getType();
  // C7
  if (!factor)
    return success();
  auto type = cast<TileType>(factor.getType());
  bool fits = type.getShape().size() == total.getShape().size();
  for (unsigned i = 0; fits && i < total.getShape().size(); ++i)
    fits = type.getShape()[i] == 1 || type.getShape()[i] == total.getShape()[i];
  if (!fits)
    return yield.emitOpError("expected the factor of accumulator ")
           << index << " to broadcast to " << total << ", but got " << type;
  return success();
}

LogicalResult ForOp::verifyRegions() {
  // C3
  if (getBodyRegion().getNumArguments() != 1 ||
      !getInductionVar().getType().isIndex()) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected a region with one argument of type index, but "
                    "got arguments (");
    llvm::interleaveComma(getBodyRegion().getArgumentTypes(), diagnostic);
    return diagnostic << ")";
  }
  auto yield = dyn_cast<YieldOp>(getBody()->getTerminator());
  if (!yield)
    return emitOpError("expected 'mgraph_block.yield' as terminator, but got '")
           << getBody()->getTerminator()->getName() << "'";
  // C4
  if (yield.getValues().size() != getNumResults())
    return yield.emitOpError("expected ")
           << getNumResults() << " accumulators, one for each result, but got "
           << yield.getValues().size();
  unsigned nextFactor = 0;
  for (unsigned i = 0; i < getNumResults(); ++i) {
    auto accumulator = cast<AccumulatorAttr>((*yield.getAccumulators())[i]);
    Value factor = accumulator.getKind() == AccumulatorKind::Rescale
                       ? yield.getFactors()[nextFactor++]
                       : Value();
    if (failed(verifyAccumulator(*this, yield, i, factor)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

ParseResult mirage::block::parseShortType(AsmParser &parser, Type &type) {
  // `<` begins no other type.
  if (succeeded(parser.parseOptionalLess())) {
    type = parseTileRest(parser);
    return success(static_cast<bool>(type));
  }
  return parser.parseType(type);
}

void mirage::block::printShortType(AsmPrinter &printer, Type type) {
  if (auto tile = dyn_cast<TileType>(type))
    tile.print(printer);
  else
    printer << type;
}

ParseResult mirage::block::parseYield(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
    SmallVectorImpl<Type> &valueTypes,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &factors,
    SmallVectorImpl<Type> &factorTypes, ArrayAttr &accumulators) {
  MLIRContext *context = parser.getContext();
  SmallVector<Attribute> kinds;
  SMLoc loc = parser.getCurrentLocation();
  do {
    StringRef keyword;
    OpAsmParser::UnresolvedOperand value;
    if (succeeded(
            parser.parseOptionalKeyword(&keyword, {"sum", "max", "rescale"}))) {
      AccumulatorKind kind = *symbolizeAccumulatorKind(keyword);
      int64_t dim = -1;
      if (kind == AccumulatorKind::Rescale) {
        if (parser.parseLParen() ||
            parser.parseOperand(factors.emplace_back()) ||
            (succeeded(parser.parseOptionalComma()) &&
             parser.parseInteger(dim)) ||
            parser.parseRParen())
          return failure();
      } else if (succeeded(parser.parseOptionalLParen()) &&
                 (parser.parseInteger(dim) || parser.parseRParen())) {
        return failure();
      }
      kinds.push_back(AccumulatorAttr::get(context, kind, dim));
      if (parser.parseOperand(value))
        return failure();
    } else {
      OptionalParseResult parsed = parser.parseOptionalOperand(value);
      if (!parsed.has_value() && values.empty())
        return success(); // Nothing is yielded.
      if (!parsed.has_value())
        return parser.emitError(parser.getCurrentLocation())
               << "expected a value after ',', but got none";
      if (failed(*parsed))
        return failure();
    }
    values.push_back(value);
  } while (succeeded(parser.parseOptionalComma()));
  if (!kinds.empty()) {
    if (kinds.size() != values.size())
      return parser.emitError(loc)
             << "expected an accumulator kind for each of " << values.size()
             << " values, but got " << kinds.size();
    accumulators = ArrayAttr::get(context, kinds);
  }
  if (parser.parseColon())
    return failure();
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && parser.parseComma())
      return failure();
    bool rescales =
        !kinds.empty() &&
        cast<AccumulatorAttr>(kinds[i]).getKind() == AccumulatorKind::Rescale;
    if (rescales && (parseShortType(parser, factorTypes.emplace_back()) ||
                     parser.parseComma()))
      return failure();
    if (parseShortType(parser, valueTypes.emplace_back()))
      return failure();
  }
  return success();
}

void mirage::block::printYield(OpAsmPrinter &printer, Operation *,
                               ValueRange values, TypeRange, ValueRange factors,
                               TypeRange, ArrayAttr accumulators) {
  if (values.empty())
    return;
  SmallVector<Type> types;
  unsigned nextFactor = 0;
  auto printValue = [&](auto indexed) {
    if (accumulators) {
      auto accumulator = cast<AccumulatorAttr>(accumulators[indexed.index()]);
      printer << stringifyAccumulatorKind(accumulator.getKind());
      if (accumulator.getKind() == AccumulatorKind::Rescale) {
        Value factor = factors[nextFactor++];
        types.push_back(factor.getType());
        printer << "(" << factor;
        if (accumulator.getDim() >= 0)
          printer << ", " << accumulator.getDim();
        printer << ")";
      } else if (accumulator.getDim() >= 0) {
        printer << "(" << accumulator.getDim() << ")";
      }
      printer << " ";
    }
    types.push_back(indexed.value().getType());
    printer << indexed.value();
  };
  llvm::interleaveComma(llvm::enumerate(values), printer, printValue);
  printer << " : ";
  llvm::interleaveComma(types, printer,
                        [&](Type type) { printShortType(printer, type); });
}

LogicalResult YieldOp::verify() {
  // C1
  Operation *parent = (*this)->getParentOp();
  bool inLoop = isa_and_nonnull<ForOp>(parent);
  if (!inLoop && !isa_and_nonnull<MirageGraphOpInterface>(parent))
    return emitOpError("expected a graph or a loop as parent, but got ")
           << describeParent(*this);
  // C2
  size_t count = getAccumulators() ? getAccumulators()->size() : 0;
  size_t wanted = inLoop ? getValues().size() : 0;
  if (count != wanted)
    return emitOpError("expected ")
           << wanted
           << (wanted == 1 ? " accumulator kind" : " accumulator kinds")
           << ", but got " << count;
  // C3
  size_t rescales = 0;
  if (getAccumulators())
    rescales = llvm::count_if(*getAccumulators(), [](Attribute attribute) {
      return cast<AccumulatorAttr>(attribute).getKind() ==
             AccumulatorKind::Rescale;
    });
  if (rescales != getFactors().size())
    return emitOpError("expected ")
           << rescales << " factors, one for each rescale, but got "
           << getFactors().size();
  // C4
  for (Value value : getValues()) {
    auto tile = dyn_cast<TileType>(value.getType());
    if (inLoop && (!tile || !isa<FloatType>(tile.getElementType())))
      return emitOpError("expected tiles of floats in a loop, but got ")
             << value.getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// RunningOp
//===----------------------------------------------------------------------===//

LogicalResult RunningOp::verify() {
  // C1
  auto loop = dyn_cast_or_null<ForOp>((*this)->getParentOp());
  if (!isInductionVar(loop, getIteration()))
    return emitOpError("expected the induction value of the enclosing loop, "
                       "but got ")
           << (loop ? describe(getIteration()) : "no loop");
  // C2
  int64_t index = static_cast<int64_t>(getAccumulator());
  int64_t count = loop.getNumResults();
  if (index < 0 || index >= count)
    return emitOpError("expected an accumulator in [0, ")
           << count << "), but got " << index;
  // C3
  Type expected = loop.getResult(index).getType();
  if (getType() != expected)
    return emitOpError("expected result type ")
           << expected << ", but got " << getType();
  // C4; the loop checks that its terminator is as it should be.
  auto yield = dyn_cast<YieldOp>((*this)->getBlock()->back());
  if (getKind() != RunningKind::Current || !yield ||
      index >= static_cast<int64_t>(yield.getValues().size()))
    return success();
  Operation *definition = yield.getValues()[index].getDefiningOp();
  if (definition && definition->getBlock() == (*this)->getBlock() &&
      !definition->isBeforeInBlock(*this)) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected the value of accumulator ");
    diagnostic
        << index
        << " to be defined before its current state is read, but got one "
           "defined after it";
    diagnostic.attachNote(definition->getLoc()) << "defined here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceBlocksOp, StoreOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceBlocksOp::verify() {
  // C1
  if (failed(verifyInGraphBody(*this)))
    return failure();
  // C2
  int64_t dim = static_cast<int64_t>(getGridDim());
  if (dim < 0 || dim > 2)
    return emitOpError("expected a grid dim in [0, 3), but got ") << dim;
  // C3
  if (getKind() == ReduceKind::Mean)
    return emitOpError("expected sum or max, but got ")
           << stringifyReduceKind(getKind());
  // C4
  if (!isa<FloatType>(getTile().getType().getElementType()))
    return emitOpError("expected a float element type, but got ")
           << getTile().getType().getElementType();
  return success();
}

LogicalResult StoreOp::verify() {
  // C1
  if (failed(verifyInGraphBody(*this)))
    return failure();
  // C2
  TileType tile = getTile().getType();
  if (failed(verifyMap(*this, "omap", getOmap(), tile.getShape().size())))
    return failure();
  // C3
  Type element = getType().getElementType();
  bool converts =
      isa<FloatType>(element) && isa<FloatType>(tile.getElementType());
  if (!converts && element != tile.getElementType())
    return emitOpError("expected an element type that ")
           << tile.getElementType() << " converts to, but got " << element;
  auto graph = cast<MirageGraphOpInterface>((*this)->getParentOp());
  auto tensor = semantics::inferStoreTensor(
      *toSemanticsType(tile), *toSemanticsDType(element), graph.getGridDims(),
      toGridMap(getOmap()));
  if (!tensor)
    return emitOpError(llvm::toString(tensor.takeError()));
  RankedTensorType expected = tensorFromSemantics(getContext(), *tensor);
  if (getType() != expected)
    return emitOpError("expected result type ")
           << expected << ", but got " << getType();
  return success();
}
