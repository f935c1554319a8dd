//===- GraphOp.cpp - The graph-defined kernel -----------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::kernel;

/// The largest grid that a GPU launches.
static constexpr semantics::GridDims kMaxGrid = {2147483647, 65535, 65535};

/// More than the shared memory of any GPU holds tiles of 4 KiB.
static constexpr int64_t kMaxStages = 64;

StringRef GraphOp::getDefaultDialect() { return "mgraph_block"; }

semantics::GridDims GraphOp::getGridDims() {
  return {getGrid()[0], getGrid()[1], getGrid()[2]};
}

semantics::GridDims GraphOp::getClusterDims() {
  if (!getCluster())
    return {1, 1, 1};
  ArrayRef<int64_t> cluster = *getCluster();
  return {cluster[0], cluster[1], cluster[2]};
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Parses `[96, 1, 4]`.
static ParseResult parseDims(OpAsmParser &parser, DenseI64ArrayAttr &dims) {
  SmallVector<int64_t> values;
  auto parseDim = [&]() { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseDim))
    return failure();
  dims = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

// (%a = %x, ...) grid [..] cluster [..] threads n stages n
//   attributes {..} : (types) -> types { body }
ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  auto &properties = state.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseBinding = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseBinding) ||
      parser.parseKeyword("grid") || parseDims(parser, properties.grid))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("cluster")) &&
      parseDims(parser, properties.cluster))
    return failure();
  auto parseCount = [&](StringRef keyword, IntegerAttr &count) -> ParseResult {
    int64_t value;
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    if (parser.parseInteger(value))
      return failure();
    count = builder.getI64IntegerAttr(value);
    return success();
  };
  FunctionType type;
  if (parseCount("threads", properties.threads) ||
      parseCount("stages", properties.stages) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != arguments.size())
    return parser.emitError(loc)
           << "expected " << arguments.size() << " input types, but got "
           << type.getNumInputs();
  for (auto [argument, input] : llvm::zip(arguments, type.getInputs()))
    argument.type = input;
  state.addTypes(type.getResults());
  return failure(
      parser.resolveOperands(operands, type.getInputs(), loc, state.operands) ||
      parser.parseRegion(*state.addRegion(), arguments));
}

void GraphOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBodyRegion().getArguments(), getInputs()),
                        printer, [&](auto binding) {
                          printer << std::get<0>(binding) << " = "
                                  << std::get<1>(binding);
                        });
  printer << ") grid [";
  llvm::interleaveComma(getGrid(), printer);
  printer << "]";
  if (getCluster()) {
    printer << " cluster [";
    llvm::interleaveComma(*getCluster(), printer);
    printer << "]";
  }
  if (getThreads())
    printer << " threads " << *getThreads();
  if (getStages())
    printer << " stages " << *getStages();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"grid", "cluster", "threads", "stages"});
  printer << " : ";
  printer.printFunctionalType(getInputs().getTypes(), getResultTypes());
  printer << " ";
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult GraphOp::verify() {
  // C1
  if (getGrid().size() != 3)
    return emitOpError("expected a grid of 3 entries, but got ")
           << getGrid().size();
  if (getCluster() && getCluster()->size() != 3)
    return emitOpError("expected a cluster of 3 entries, but got ")
           << getCluster()->size();
  semantics::GridDims grid = getGridDims(), cluster = getClusterDims();
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (grid[axis] < 1 || grid[axis] > kMaxGrid[axis])
      return emitOpError("expected grid entry ")
             << axis << " in [1, " << kMaxGrid[axis] << "], but got "
             << grid[axis];
    if (cluster[axis] < 1 || grid[axis] % cluster[axis] != 0)
      return emitOpError("expected cluster entry ")
             << axis << " to divide the grid's " << grid[axis] << ", but got "
             << cluster[axis];
  }
  // C2
  if (auto threads = getThreadsAttr())
    if (threads.getInt() < 32 || threads.getInt() > 1024 ||
        threads.getInt() % 32 != 0)
      return emitOpError("expected threads to be a multiple of 32 in [32, "
                         "1024], but got ")
             << threads.getInt();
  if (auto stages = getStagesAttr())
    if (stages.getInt() < 1 || stages.getInt() > kMaxStages)
      return emitOpError("expected stages in [1, ")
             << kMaxStages << "], but got " << stages.getInt();
  return success();
}

/// Along which grid axes the tiles of a graph may differ between blocks, one
/// bit for each axis. Ops that this does not know depend on their operands
/// alone.
namespace {
class BlockVariance {
public:
  explicit BlockVariance(GraphOp graph) : grid(graph.getGridDims()) {
    for (Operation &op : *graph.getBody())
      visit(op);
  }

  unsigned lookup(Value value) const { return axes.lookup(value); }

private:
  void visit(Operation &op) {
    unsigned varying = 0;
    for (Value operand : op.getOperands())
      varying |= axes.lookup(operand);
    if (auto load = dyn_cast<block::LoadOp>(op)) {
      for (unsigned axis = 0; axis < 3; ++axis)
        if (load.getImap()[axis] >= 0 && grid[axis] > 1)
          varying |= 1u << axis;
    } else if (auto reduce = dyn_cast<block::ReduceBlocksOp>(op)) {
      varying &= ~(1u << reduce.getGridDim());
    } else if (isa<block::RunningOp>(op)) {
      // The state depends on the whole loop, which is not walked yet.
      varying = 7;
    } else if (auto loop = dyn_cast<block::ForOp>(op)) {
      for (Operation &nested : *loop.getBody())
        visit(nested);
      visitTotals(loop);
      return;
    }
    for (Value result : op.getResults())
      axes[result] = varying;
  }

  void visitTotals(block::ForOp loop) {
    // A terminator without values has no accumulators to look at.
    if (loop.getNumResults() == 0)
      return;
    auto yield = cast<block::YieldOp>(loop.getBody()->getTerminator());
    unsigned nextFactor = 0;
    for (auto [value, result, attribute] : llvm::zip(
             yield.getValues(), loop.getResults(), *yield.getAccumulators())) {
      unsigned varying = axes.lookup(value);
      if (cast<block::AccumulatorAttr>(attribute).getKind() ==
          AccumulatorKind::Rescale)
        varying |= axes.lookup(yield.getFactors()[nextFactor++]);
      axes[result] = varying;
    }
  }

  semantics::GridDims grid;
  llvm::DenseMap<Value, unsigned> axes;
};
} // namespace

LogicalResult GraphOp::verifyRegions() {
  // C3
  if (getBodyRegion().getArgumentTypes() != getInputs().getTypes()) {
    InFlightDiagnostic diagnostic = emitOpError("expected region arguments (");
    llvm::interleaveComma(getInputs().getTypes(), diagnostic);
    diagnostic << "), but got (";
    llvm::interleaveComma(getBodyRegion().getArgumentTypes(), diagnostic);
    return diagnostic << ")";
  }
  // C4
  WalkResult walked = getBodyRegion().walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() ==
        block::BlockDialect::getDialectNamespace())
      return WalkResult::advance();
    op->emitOpError("expected ops of mgraph_block in a graph, but got one of ")
        << op->getName().getDialectNamespace();
    return WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return failure();
  // C5
  auto yield = dyn_cast<block::YieldOp>(getBody()->getTerminator());
  if (!yield)
    return emitOpError("expected 'mgraph_block.yield' as terminator, but got '")
           << getBody()->getTerminator()->getName() << "'";
  SmallVector<block::StoreOp> stores(getBody()->getOps<block::StoreOp>());
  if (yield.getValues().size() != getNumResults() ||
      stores.size() != getNumResults())
    return emitOpError("expected ")
           << getNumResults()
           << " stores and yielded values, one for each result, but got "
           << stores.size() << " and " << yield.getValues().size();
  for (auto [index, store] : llvm::enumerate(stores)) {
    if (yield.getValues()[index] != store.getResult()) {
      InFlightDiagnostic diagnostic = yield.emitOpError("expected value ");
      diagnostic << index << " to be the result of store " << index
                 << ", but got ";
      for (auto [other, another] : llvm::enumerate(stores))
        if (yield.getValues()[index] == another.getResult())
          return diagnostic << "that of store " << other;
      return diagnostic << "no store's, of type "
                        << yield.getValues()[index].getType();
    }
    if (store.getType() != getResult(index).getType())
      return emitOpError("expected result ")
             << index << " of type " << store.getType() << ", but got "
             << getResult(index).getType();
  }
  // C6
  BlockVariance variance(*this);
  semantics::GridDims grid = getGridDims();
  for (block::StoreOp store : stores)
    for (unsigned axis = 0; axis < 3; ++axis)
      if (store.getOmap()[axis] < 0 && grid[axis] > 1 &&
          (variance.lookup(store.getTile()) & (1u << axis)))
        return store.emitOpError("expected a tile that is the same in all ")
               << grid[axis] << " blocks along grid axis " << axis
               << ", which its omap does not concatenate, but got one that "
                  "varies";
  // C7
  if (stores.empty())
    return emitOpError("expected at least 1 result, but got none");
  return success();
}
