//===- ReadBlock.cpp - The block graph of a stored graph ------------------===//
//
// A stored block graph is one list of ops. Those that read no accumulator run
// in each iteration, the others once, after the loop. The program gets, in this
// order: one loop with the former and what each accumulator does to its operand
// first; a loop for each sum down to reduction_dimx of an input's tiles, which
// loads what is added up, piece by piece, so that it lowers like any sum; what
// accumulators do to their totals; loads of tiles that do not change over the
// iterations and that ops after the loop read; these ops; the stores.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Mirage/Semantics/Limits.h"
#include "Reader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::semantics;

namespace json = llvm::json;

namespace {
/// A tile of the block graph being read.
struct Tile {
  StoredTensor tensor;
  const struct BlockOp *definedBy = nullptr;
  ValueId inLoop = -1, afterLoop = -1;
  bool readInLoop = false, readAfterLoop = false, readInSteps = false;
};

struct BlockOp {
  enum class Role : uint8_t { Input, Compute, Accumulator, Output };

  explicit BlockOp(Fields fields) : fields(std::move(fields)) {}

  Fields fields;
  Role role = Role::Compute;
  bool after = false; ///< runs after the loop
  const OpEntry *entry = nullptr;
  AccumForm accum = AccumForm::NoRed;
  /// SumToDimx of an input: has a loop of its own, over pieces of its tiles.
  bool inSteps = false;
  std::vector<StoredTensor> inputs, outputs;
  unsigned dtensor = 0; ///< Input, Output: position among the op's tensors
  GridMap map = {-1, -1, -1};
  int forloopDim = -1;
};

class BlockReader {
public:
  BlockReader(Fields &bgraph, llvm::ArrayRef<StoredTensor> inputs,
              llvm::ArrayRef<StoredTensor> outputs, Program &program, Op &graph,
              std::vector<unsigned> &order, Numbering numbering, Log &log)
      : bgraph(bgraph), inputs(inputs), outputs(outputs), program(program),
        graph(graph), order(order), numbering(numbering), log(log) {}

  void run() {
    readHead();
    const json::Array &list = bgraph.array("operators");
    bgraph.finish();
    if (log.failed())
      return;
    // Tiles point at their ops.
    ops.reserve(list.size());
    for (auto [i, value] : llvm::enumerate(list)) {
      if (auto fields = Fields::of(
              value, bgraph.where() + ", op " + std::to_string(i), log))
        readOp(ops.emplace_back(std::move(*fields)));
      if (log.failed())
        return;
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!llvm::is_contained(order, i))
        return bgraph.expected("operators",
                               "a tb_output_op for each output tensor",
                               "none for guid " + llvm::Twine(outputs[i].guid));
    emit();
  }

private:
  void readHead() {
    std::string level = bgraph.string("graph_level");
    if (!log.failed() && level != "thread_block_graph")
      bgraph.expected("graph_level", "\"thread_block_graph\"",
                      "\"" + level + "\"");
    // CUDA's limits for a grid and a block.
    graph.attrs.grid = bgraph.xyz("grid_dim", 1, (int64_t(1) << 31) - 1);
    std::array<int64_t, 3> block = bgraph.xyz("block_dim", 1, 1024);
    graph.attrs.threads = block[0] * block[1] * block[2];
    if (!log.failed() &&
        (graph.attrs.threads > 1024 || block[0] != graph.attrs.threads))
      bgraph.expected("block_dim", "at most 1024 threads, all along x",
                      toString(llvm::ArrayRef<int64_t>(block)));
    range = bgraph.integer("forloop_range", 1, kMaxLoopRange);
    reductionDimX = bgraph.integer("reduction_dimx", 1, kMaxElements);
    bgraph.integer("smem_offset", 0, kMaxStored);
  }

  void readOp(BlockOp &op) {
    Fields &fields = op.fields;
    std::string name = readOpType(fields, "tb_", log);
    if (log.failed())
      return;
    if (name == "input")
      return readInput(op);
    if (name == "output")
      return readOutput(op);
    if (auto accum = parseAccum(name)) {
      op.role = BlockOp::Role::Accumulator;
      op.accum = *accum;
      return readAccumulator(op);
    }
    op.entry = findOp(name);
    if (!op.entry)
      return fields.expected("op_type", "an op of the block level",
                             "\"tb_" + name + "_op\"");
    readCompute(op);
  }

  void readInput(BlockOp &op) {
    op.role = BlockOp::Role::Input;
    readOperands(op, 0, 1);
    op.dtensor = readDTensor(op.fields, inputs, "an input of the graph");
    readMap(op, "input_map");
    op.forloopDim = op.fields.integer("forloop_dim", -1, 3);
    op.fields.finish();
    if (log.failed())
      return;
    auto type = inferLoadTile(inputs[op.dtensor].type, graph.attrs.grid, op.map,
                              op.forloopDim, range);
    if (!type)
      return log.complain(op.fields.where() +
                              ": fields 'input_map' and 'forloop_dim'",
                          llvm::toString(type.takeError()));
    define(op, *type);
  }

  void readOutput(BlockOp &op) {
    op.role = BlockOp::Role::Output;
    op.after = true;
    readOperands(op, 1, 0);
    op.dtensor = readDTensor(op.fields, outputs, "an output of the graph");
    readMap(op, "output_map");
    op.fields.finish();
    if (log.failed())
      return;
    if (!op.inputs[0].afterAccum)
      return op.fields.expected("input_tensors", "a tile after an accumulator",
                                "tile " + llvm::Twine(op.inputs[0].guid) +
                                    ", which is before");
    if (llvm::is_contained(order, op.dtensor))
      return op.fields.expected("dtensor", "an output that is written once",
                                "guid " +
                                    llvm::Twine(outputs[op.dtensor].guid) +
                                    ", which an op before writes");
    order.push_back(op.dtensor);
    const TensorType &wanted = outputs[op.dtensor].type;
    auto tensor = inferStoreTensor(op.inputs[0].type, wanted.dtype,
                                   graph.attrs.grid, op.map);
    if (!tensor)
      return log.complain(op.fields.where() + ": field 'output_map'",
                          llvm::toString(tensor.takeError()));
    if (tensor->shape != wanted.shape)
      op.fields.expected("output_map", "a map that makes " + toString(wanted),
                         toString(*tensor) + " from tile " +
                             toString(op.inputs[0].type));
  }

  void readAccumulator(BlockOp &op) {
    readOperands(op, 1, 1);
    op.fields.finish();
    if (log.failed())
      return;
    if (op.inputs[0].afterAccum)
      return op.fields.expected("input_tensors", "a tile before accumulators",
                                "tile " + llvm::Twine(op.inputs[0].guid) +
                                    ", which is after one");
    TensorType type = op.inputs[0].type;
    if (op.accum == AccumForm::SumToDimx) {
      if (type.shape.back() % reductionDimX != 0)
        return log.expected(
            op.fields.where(),
            "a last dimension that is a multiple of reduction_dimx " +
                llvm::Twine(reductionDimX),
            toString(type));
      op.inSteps = canStep(op);
      type.shape.back() = reductionDimX;
    } else if (op.accum != AccumForm::NoRed) {
      type.shape.back() = 1;
    }
    Tile &read = tiles.find(op.inputs[0].guid)->second;
    (op.inSteps ? read.readInSteps : read.readInLoop) = true;
    define(op, type, /*after=*/true);
  }

  /// The pieces of successive iterations follow each other in the tensor.
  bool canStep(const BlockOp &op) {
    const BlockOp &source = *tiles.find(op.inputs[0].guid)->second.definedBy;
    int last = op.inputs[0].type.rank() - 1;
    int64_t pieces = op.inputs[0].type.shape.back() / reductionDimX;
    return source.role == BlockOp::Role::Input &&
           (source.forloopDim == last ||
            (source.forloopDim < 0 && range == 1)) &&
           pieces <= kMaxLoopRange / range;
  }

  void readCompute(BlockOp &op) {
    readOperands(op, op.entry->operands, 1);
    if (log.failed())
      return;
    op.after = llvm::any_of(op.inputs,
                            [](const StoredTensor &t) { return t.afterAccum; });
    for (const StoredTensor &input : op.inputs) {
      if (input.type.dtype != op.inputs[0].type.dtype)
        return op.fields.expected("input_tensors", "tiles of one element type",
                                  stringify(op.inputs[0].type.dtype) + " and " +
                                      stringify(input.type.dtype));
      Tile &tile = tiles.find(input.guid)->second;
      if (!op.after)
        tile.readInLoop = true;
      if (!op.after || input.afterAccum)
        continue;
      if (tile.definedBy->role != BlockOp::Role::Input ||
          tile.definedBy->forloopDim >= 0)
        return op.fields.expected(
            "input_tensors",
            "tiles after accumulators, or inputs that all iterations share",
            "tile " + llvm::Twine(input.guid) +
                ", which changes with the iteration");
      tile.readAfterLoop = true;
    }
    std::optional<Shape> shape = inferShape(op);
    if (shape)
      define(op, TensorType{*shape, op.inputs[0].type.dtype}, op.after);
  }

  /// The result's shape, from a program of this op alone.
  std::optional<Shape> inferShape(BlockOp &op) {
    Program scratch;
    std::vector<Op> body;
    llvm::SmallVector<ValueId, 4> operands;
    for (const StoredTensor &input : op.inputs)
      operands.push_back(scratch.addInput(input.type));
    Emitter emitter(scratch, body, Level::Block, op.fields.where(), log);
    ValueId value = emitter.emitForm(*op.entry, op.fields, operands,
                                     op.inputs[0].type.dtype, reductionDimX);
    op.fields.finish();
    if (log.failed())
      return std::nullopt;
    return scratch.type(value).shape;
  }

  /// The tensor in device memory that an input reads or an output writes.
  unsigned readDTensor(Fields &fields, llvm::ArrayRef<StoredTensor> tensors,
                       llvm::StringRef what) {
    const json::Value *value = fields.get("dtensor");
    if (!value || log.failed())
      return 0;
    std::string where = fields.where() + ": field 'dtensor'";
    StoredTensor tensor =
        readTensor(*value, where, Level::Kernel, numbering, log);
    for (auto [i, known] : llvm::enumerate(tensors)) {
      if (known.guid != tensor.guid)
        continue;
      checkSame(tensor, known, where, log);
      return i;
    }
    fields.expected("dtensor", what, "guid " + llvm::Twine(tensor.guid));
    return 0;
  }

  /// Axes of one block split nothing, whatever the file says of them.
  void readMap(BlockOp &op, llvm::StringRef field) {
    std::array<int64_t, 3> map = op.fields.xyz(field, -1, 3);
    for (unsigned g = 0; g < 3; ++g)
      if (graph.attrs.grid[g] > 1)
        op.map[g] = static_cast<int>(map[g]);
  }

  void readOperands(BlockOp &op, int numInputs, int numOutputs) {
    op.inputs = readTensors(op.fields, "input_tensors", numInputs, Level::Block,
                            numbering, log);
    op.outputs = readTensors(op.fields, "output_tensors", numOutputs,
                             Level::Block, numbering, log);
    for (const StoredTensor &input : op.inputs) {
      if (log.failed())
        return;
      auto found = tiles.find(input.guid);
      if (found == tiles.end())
        return op.fields.expected("input_tensors",
                                  "a tile that an op before defines",
                                  "guid " + llvm::Twine(input.guid));
      checkSame(input, found->second.tensor,
                op.fields.where() + ": field 'input_tensors'", log);
    }
  }

  void define(const BlockOp &op, const TensorType &type, bool after = false) {
    const StoredTensor &tensor = op.outputs[0];
    StoredTensor wanted{tensor.guid, type, after};
    checkSame(tensor, wanted, op.fields.where() + ": field 'output_tensors'",
              log);
    if (log.failed())
      return;
    Tile tile;
    tile.tensor = tensor;
    tile.definedBy = &op;
    if (!tiles.try_emplace(tensor.guid, tile).second)
      op.fields.expected("output_tensors", "a guid of its own",
                         llvm::Twine(tensor.guid) + ", which an op before has");
  }

  void emit() {
    Op loop{OpKind::Loop, {}, {}, {}, {}};
    loop.attrs.range = range;
    for (BlockOp &op : ops)
      if (op.role == BlockOp::Role::Input &&
          (tile(op).readInLoop ||
           !(tile(op).readAfterLoop || tile(op).readInSteps)))
        tile(op).inLoop =
            emitLoad(op, loop.body, op.forloopDim, op.outputs[0].type);
      else if (op.role == BlockOp::Role::Compute && !op.after)
        tile(op).inLoop = emitCompute(op, loop.body);
    for (BlockOp &op : ops)
      if (op.role == BlockOp::Role::Accumulator && !op.inSteps && !log.failed())
        emitAccumulated(op, loop);
    if (log.failed())
      return;
    chooseStages(loop.body);
    // Nothing leaves a loop but totals.
    llvm::SmallVector<ValueId> totals;
    if (!loop.attrs.accumulators.empty())
      totals = finishLoop(std::move(loop));
    for (BlockOp &op : ops)
      if (op.inSteps)
        tile(op).afterLoop = emitSteps(op);
    unsigned next = 0;
    for (BlockOp &op : ops)
      if (op.role == BlockOp::Role::Accumulator && !op.inSteps)
        tile(op).afterLoop = emitTotal(op, totals[next++]);
    for (BlockOp &op : ops)
      if (op.role == BlockOp::Role::Input && tile(op).readAfterLoop)
        tile(op).afterLoop = emitLoad(op, graph.body, -1, op.outputs[0].type);
    for (BlockOp &op : ops)
      if (op.role == BlockOp::Role::Compute && op.after)
        tile(op).afterLoop = emitCompute(op, graph.body);
    for (BlockOp &op : ops) {
      if (op.role != BlockOp::Role::Output || log.failed())
        continue;
      Op store{OpKind::Store, {}, {}, {}, {}};
      store.attrs.omap = op.map;
      store.operands.push_back(tiles.find(op.inputs[0].guid)->second.afterLoop);
      graph.body.push_back(std::move(store));
    }
  }

  /// The format has no number of pipeline stages. Where the lowering's usual 4
  /// would not fit a block's shared memory, ask for the fewest that overlap.
  void chooseStages(llvm::ArrayRef<Op> body) {
    constexpr int64_t usual = 4, budget = 200 * 1024;
    int64_t bytes = 0;
    for (const Op &op : body)
      if (op.kind == OpKind::Load)
        bytes += std::min(program.type(op.results[0]).byteSize(), budget);
    if (bytes * std::min(usual, range + 1) > budget)
      graph.attrs.stages = 2;
  }

  /// Adds the loop to the graph and returns its totals.
  llvm::SmallVector<ValueId> finishLoop(Op loop) {
    for (const Accumulator &acc : loop.attrs.accumulators) {
      TensorType type{program.type(acc.value).shape, DType::F32};
      if (acc.reduceDim >= 0)
        type.shape[acc.reduceDim] = 1;
      loop.results.push_back(program.addValue(type));
    }
    graph.body.push_back(std::move(loop));
    const auto &results = graph.body.back().results;
    return {results.begin(), results.end()};
  }

  /// out[.., j] = sum over i and k of tile i [.., j + k * dimx], as one sum
  /// over the pieces of dimx elements.
  ValueId emitSteps(const BlockOp &op) {
    const BlockOp &source = *tiles.find(op.inputs[0].guid)->second.definedBy;
    TensorType piece = op.inputs[0].type;
    Op loop{OpKind::Loop, {}, {}, {}, {}};
    loop.attrs.range = range * (piece.shape.back() / reductionDimX);
    piece.shape.back() = reductionDimX;
    Accumulator acc;
    acc.value = emitLoad(source, loop.body, piece.rank() - 1, piece);
    loop.attrs.accumulators.push_back(acc);
    return finishLoop(std::move(loop))[0];
  }

  Tile &tile(const BlockOp &op) {
    return tiles.find(op.outputs[0].guid)->second;
  }

  ValueId emitLoad(const BlockOp &op, std::vector<Op> &body, int fmap,
                   const TensorType &type) {
    Op load{OpKind::Load, {}, {graph.operands[op.dtensor]}, {}, {}};
    load.attrs.imap = op.map;
    load.attrs.fmap = fmap;
    load.results.push_back(program.addValue(type));
    body.push_back(std::move(load));
    return body.back().results[0];
  }

  ValueId emitCompute(BlockOp &op, std::vector<Op> &body) {
    if (log.failed())
      return -1;
    llvm::SmallVector<ValueId, 4> operands;
    for (const StoredTensor &input : op.inputs) {
      const Tile &operand = tiles.find(input.guid)->second;
      operands.push_back(op.after ? operand.afterLoop : operand.inLoop);
    }
    Emitter emitter(program, body, Level::Block, op.fields.where(), log);
    return emitter.emitForm(*op.entry, op.fields, operands,
                            op.outputs[0].type.dtype, reductionDimX);
  }

  void emitAccumulated(BlockOp &op, Op &loop) {
    ValueId value = tiles.find(op.inputs[0].guid)->second.inLoop;
    Emitter emitter(program, loop.body, Level::Block, op.fields.where(), log);
    int last = op.inputs[0].type.rank() - 1;
    Accumulator acc;
    if (op.accum == AccumForm::Rms)
      value = emitter.emit(OpKind::Square, value);
    if (op.accum == AccumForm::SumToDimx)
      value = emitter.emitReduceTo(value, last, reductionDimX);
    else if (op.accum != AccumForm::NoRed)
      acc.reduceDim = last;
    acc.value = value;
    loop.attrs.accumulators.push_back(acc);
  }

  ValueId emitTotal(BlockOp &op, ValueId total) {
    if (op.accum != AccumForm::Mean && op.accum != AccumForm::Rms)
      return total;
    Emitter emitter(program, graph.body, Level::Block, op.fields.where(), log);
    int64_t count = 0;
    if (llvm::MulOverflow(op.inputs[0].type.shape.back(), range, count)) {
      log.expected(op.fields.where(), "a mean over fewer than 2^63 elements",
                   llvm::Twine(op.inputs[0].type.shape.back()) + " times " +
                       llvm::Twine(range));
      return -1;
    }
    ValueId mean = emitter.emitScale(
        total,
        ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, count));
    return op.accum == AccumForm::Rms ? emitter.emit(OpKind::Sqrt, mean) : mean;
  }

  Fields &bgraph;
  llvm::ArrayRef<StoredTensor> inputs, outputs;
  Program &program;
  Op &graph;
  std::vector<unsigned> &order;
  Numbering numbering;
  Log &log;
  int64_t range = 1, reductionDimX = 1;
  std::vector<BlockOp> ops;
  llvm::DenseMap<int64_t, Tile> tiles;
};
} // namespace

void mirage::import::readBlockGraph(Fields &bgraph,
                                    llvm::ArrayRef<StoredTensor> inputs,
                                    llvm::ArrayRef<StoredTensor> outputs,
                                    Program &program, Op &graph,
                                    std::vector<unsigned> &order,
                                    Numbering numbering, Log &log) {
  BlockReader(bgraph, inputs, outputs, program, graph, order, numbering, log)
      .run();
}
