//===- WriteBlock.cpp - A block graph in the stored form ------------------===//

#include "Writer.h"

#include <numeric>

using namespace mirage;
using namespace mirage::import;
using namespace mirage::semantics;

namespace json = llvm::json;

namespace {
class BlockWriter {
public:
  BlockWriter(const Program &program, const Op &graph, Guids &guids,
              llvm::ArrayRef<unsigned> uses, const OpWriter &kernel)
      : program(program), graph(graph), kernel(kernel),
        writer(program, Level::Block, guids, uses, written, list) {}

  llvm::Expected<json::Object> run() {
    if (graph.attrs.cluster != GridDims{1, 1, 1})
      return cannotWrite(
          "graphs without clusters",
          toString(llvm::ArrayRef<int64_t>(graph.attrs.cluster)));
    llvm::ArrayRef<Op> body = graph.body;
    llvm::ArrayRef<Op> loops =
        body.take_while([](const Op &op) { return op.kind == OpKind::Loop; });
    if (llvm::Error e =
            loops.empty()
                ? writeWithoutLoop(body)
                : writeWithLoops(loops, body.drop_front(loops.size())))
      return std::move(e);
    // Most files say 128 threads, and 64 whether it is used or not.
    int64_t threads = graph.attrs.threads > 0 ? graph.attrs.threads : 128;
    int64_t dimX = writer.reductionDimX > 0 ? writer.reductionDimX : 64;
    return json::Object{{"graph_level", "thread_block_graph"},
                        {"grid_dim", xyzObject(graph.attrs.grid)},
                        {"block_dim", xyzObject({threads, 1, 1})},
                        {"forloop_range", range},
                        {"reduction_dimx", dimX},
                        {"smem_offset", 0},
                        {"operators", std::move(list)}};
  }

private:
  /// The first loop is the format's; those that follow sum pieces of tiles.
  llvm::Error writeWithLoops(llvm::ArrayRef<Op> loops,
                             llvm::ArrayRef<Op> after) {
    range = loops[0].attrs.range;
    if (loops.size() > 1 && isSteps(loops[0])) {
      // All of them do, so that the format's loop is what they have in common.
      for (const Op &loop : loops)
        range = std::gcd(range, loop.attrs.range);
    } else {
      if (llvm::Error e = writeLoop(loops[0], after))
        return e;
      loops = loops.drop_front();
    }
    for (const Op &loop : loops)
      if (llvm::Error e = writeSteps(loop))
        return e;
    while (!after.empty())
      if (llvm::Error e = writeNext(after))
        return e;
    return llvm::Error::success();
  }

  /// A sum of loaded tiles along the last dimension.
  bool isSteps(const Op &loop) const {
    if (loop.body.size() != 1 || loop.attrs.accumulators.size() != 1)
      return false;
    const Op &load = loop.body[0];
    const Accumulator &acc = loop.attrs.accumulators[0];
    return load.kind == OpKind::Load && !load.attrs.interleaved &&
           acc.kind == AccumulatorKind::Sum && acc.reduceDim < 0 &&
           acc.value == load.results[0] &&
           load.attrs.fmap == program.type(acc.value).rank() - 1;
  }

  llvm::Error writeSteps(const Op &loop) {
    if (!isSteps(loop) || loop.attrs.range % range != 0)
      return cannotWrite("one loop, but for sums of pieces of tiles in a "
                         "multiple of its range " +
                             llvm::Twine(range),
                         "a loop of range " + llvm::Twine(loop.attrs.range));
    ValueId value = loop.body[0].results[0];
    TensorType tile = program.type(value);
    if (llvm::Error e = writer.setReductionDimX(tile.shape.back()))
      return e;
    tile.shape.back() *= loop.attrs.range / range;
    if (llvm::Error e = writeLoad(loop.body[0], tile))
      return e;
    return accumulate(AccumForm::SumToDimx, value, loop.results[0]);
  }

  llvm::Error writeLoop(const Op &loop, llvm::ArrayRef<Op> &after) {
    llvm::ArrayRef<Op> inLoop = loop.body;
    llvm::SmallVector<size_t> lengths = ownOps(loop);
    for (size_t length : lengths)
      inLoop = inLoop.drop_back(length);
    size_t own = inLoop.size();
    while (!inLoop.empty())
      if (llvm::Error e = writeNext(inLoop))
        return e;
    for (size_t i = 0; i < lengths.size(); own += lengths[i++])
      if (llvm::Error e = writeAccumulator(
              loop, i, llvm::ArrayRef(loop.body).slice(own, lengths[i]), after))
        return e;
    return llvm::Error::success();
  }

  /// How many ops at the end of the loop each accumulator of the format takes
  /// in, by accumulator.
  llvm::SmallVector<size_t> ownOps(const Op &loop) {
    llvm::ArrayRef<Op> rest = loop.body;
    llvm::SmallVector<size_t> lengths(loop.attrs.accumulators.size(), 0);
    for (size_t i = lengths.size(); i-- > 0 && !rest.empty();) {
      const Accumulator &acc = loop.attrs.accumulators[i];
      const Op &last = rest.back();
      if (last.results.empty() || last.results[0] != acc.value ||
          !writer.usedOnce(last))
        continue;
      int64_t lastDim = program.type(acc.value).rank() - 1;
      if (acc.reduceDim == lastDim && last.kind == OpKind::Square)
        lengths[i] = 1;
      else if (acc.reduceDim < 0 && rest.size() >= 3 &&
               !readerSteps(loop, rest[rest.size() - 3].operands) &&
               writer.matchReduceTo(rest.take_back(3)) == 3 &&
               rest[rest.size() - 2].attrs.dims[0] == lastDim)
        lengths[i] = 3;
      rest = rest.drop_back(lengths[i]);
    }
    return lengths;
  }

  /// The reader gives such a sum of this tile a loop of its own.
  static bool readerSteps(const Op &loop, llvm::ArrayRef<ValueId> operands) {
    return llvm::any_of(loop.body, [&](const Op &op) {
      return op.kind == OpKind::Load && op.results[0] == operands[0];
    });
  }

  /// Writes accumulator `i`, which takes in `own`, and takes the ops on its
  /// total off the front of `after`.
  llvm::Error writeAccumulator(const Op &loop, size_t i, llvm::ArrayRef<Op> own,
                               llvm::ArrayRef<Op> &after) {
    const Accumulator &acc = loop.attrs.accumulators[i];
    const TensorType &type = program.type(acc.value);
    bool reducesLast = acc.reduceDim == type.rank() - 1;
    if (acc.kind != AccumulatorKind::Sum ||
        (acc.reduceDim >= 0 && !reducesLast))
      return cannotWrite("accumulators that sum, over the last dimension or "
                         "none",
                         "accumulator " + llvm::Twine(i) + " of " +
                             toString(type));
    AccumForm form = reducesLast ? AccumForm::Sum : AccumForm::NoRed;
    ValueId value = acc.value, result = loop.results[i];
    // 1 / (elements of all iterations), and the product with it.
    if (reducesLast && writer.matchScale(after) == 2 &&
        after[1].operands[0] == result && uses(after, result) == 1 &&
        after[0].attrs.constant ==
            ConstantValue::makeExtent(ConstantValue::Kind::InvExtent,
                                      type.shape.back() * loop.attrs.range)) {
      form = AccumForm::Mean;
      result = after[1].results[0];
      bool root = after.size() > 2 && after[2].kind == OpKind::Sqrt &&
                  after[2].operands[0] == result && writer.usedOnce(after[1]);
      if (root && own.size() == 1) {
        form = AccumForm::Rms;
        result = after[2].results[0];
      }
      after = after.drop_front(form == AccumForm::Rms ? 3 : 2);
    }
    if (own.size() == 3) {
      form = AccumForm::SumToDimx;
      value = own[0].operands[0];
      if (llvm::Error e = writer.setReductionDimX(type.shape.back()))
        return e;
    } else if (own.size() == 1) {
      // A square without its root is an op of its own.
      if (form == AccumForm::Rms)
        value = own[0].operands[0];
      else if (llvm::Error e = writeNext(own))
        return e;
    }
    return accumulate(form, value, result);
  }

  static size_t uses(llvm::ArrayRef<Op> ops, ValueId id) {
    size_t count = 0;
    for (const Op &op : ops)
      count += llvm::count(op.operands, id);
    return count;
  }

  llvm::Error accumulate(AccumForm form, ValueId value, ValueId result) {
    llvm::Expected<WrittenTensor> input = writer.lookup(value);
    if (!input)
      return input.takeError();
    if (input->after)
      return cannotWrite("accumulated tiles that no accumulator made",
                         toString(input->type));
    TensorType type{program.type(result).shape, input->type.dtype};
    json::Array inputs{writer.tensorObject(*input)};
    json::Array outputs{
        writer.tensorObject(writer.define(result, type, /*after=*/true))};
    list.push_back(
        json::Object{{"op_type", ("tb_accum_" + accumName(form) + "_op").str()},
                     {"input_tensors", std::move(inputs)},
                     {"output_tensors", std::move(outputs)}});
    return llvm::Error::success();
  }

  /// The format stores nothing but what an accumulator made, so each stored
  /// tile passes through one of a loop of 1 iteration.
  llvm::Error writeWithoutLoop(llvm::ArrayRef<Op> body) {
    while (!body.empty()) {
      if (body[0].kind == OpKind::Store) {
        ValueId tile = body[0].operands[0];
        llvm::Expected<WrittenTensor> before = writer.lookup(tile);
        if (!before)
          return before.takeError();
        if (!before->after) {
          WrittenTensor kept = *before;
          written.erase(tile);
          written.try_emplace(tile, kept);
          if (llvm::Error e = accumulateInPlace(tile))
            return e;
          if (llvm::Error e = writeNext(body))
            return e;
          written.erase(tile);
          written.try_emplace(tile, kept);
          continue;
        }
      }
      if (llvm::Error e = writeNext(body))
        return e;
    }
    return llvm::Error::success();
  }

  llvm::Error accumulateInPlace(ValueId tile) {
    llvm::Expected<WrittenTensor> input = writer.lookup(tile);
    if (!input)
      return input.takeError();
    json::Array inputs{writer.tensorObject(*input)};
    written.erase(tile);
    json::Array outputs{
        writer.tensorObject(writer.define(tile, input->type, /*after=*/true))};
    list.push_back(json::Object{
        {"op_type", ("tb_accum_" + accumName(AccumForm::NoRed) + "_op").str()},
        {"input_tensors", std::move(inputs)},
        {"output_tensors", std::move(outputs)}});
    return llvm::Error::success();
  }

  llvm::Error writeNext(llvm::ArrayRef<Op> &ops) {
    const Op &op = ops[0];
    if (op.kind == OpKind::Load) {
      ops = ops.drop_front();
      return writeLoad(op, program.type(op.results[0]));
    }
    if (op.kind == OpKind::Store) {
      ops = ops.drop_front();
      return writeStore(op);
    }
    if (opClass(op.kind) == OpClass::Structure)
      return cannotWrite("one loop, loads, stores and computation in a graph",
                         "'" + mnemonic(op.kind) + "'");
    return writer.next(ops);
  }

  llvm::Error writeLoad(const Op &op, const TensorType &type) {
    if (op.attrs.interleaved)
      return cannotWrite("loads of blocked tiles", "an interleaved one");
    llvm::Expected<WrittenTensor> tensor = kernel.lookup(op.operands[0]);
    if (!tensor)
      return tensor.takeError();
    ValueId tile = op.results[0];
    json::Array outputs{writer.tensorObject(writer.define(tile, type, false))};
    list.push_back(json::Object{{"op_type", "tb_input_op"},
                                {"input_tensors", json::Array()},
                                {"output_tensors", std::move(outputs)},
                                {"dtensor", kernel.tensorObject(*tensor)},
                                {"input_map", mapObject(op.attrs.imap)},
                                {"forloop_dim", op.attrs.fmap}});
    return llvm::Error::success();
  }

  llvm::Error writeStore(const Op &op) {
    llvm::Expected<WrittenTensor> tile = writer.lookup(op.operands[0]);
    llvm::Expected<WrittenTensor> tensor =
        kernel.lookup(graph.results[stores++]);
    if (!tile || !tensor)
      return llvm::joinErrors(tile.takeError(), tensor.takeError());
    if (!tile->after)
      return cannotWrite("stored tiles that an accumulator made",
                         toString(tile->type));
    json::Array inputs{writer.tensorObject(*tile)};
    list.push_back(json::Object{{"op_type", "tb_output_op"},
                                {"input_tensors", std::move(inputs)},
                                {"output_tensors", json::Array()},
                                {"dtensor", kernel.tensorObject(*tensor)},
                                {"output_map", mapObject(op.attrs.omap)}});
    return llvm::Error::success();
  }

  static json::Object mapObject(const GridMap &map) {
    return xyzObject({map[0], map[1], map[2]});
  }

  const Program &program;
  const Op &graph;
  const OpWriter &kernel;
  json::Array list;
  OpWriter::Written written;
  OpWriter writer;
  int64_t range = 1;
  size_t stores = 0;
};
} // namespace

llvm::Expected<json::Object>
mirage::import::writeBlockGraph(const Program &program, const Op &graph,
                                Guids &guids, llvm::ArrayRef<unsigned> uses,
                                const OpWriter &kernel) {
  return BlockWriter(program, graph, guids, uses, kernel).run();
}
