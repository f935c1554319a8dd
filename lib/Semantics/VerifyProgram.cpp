//===- VerifyProgram.cpp - The rules that a whole program obeys -----------===//

#include "Mirage/Semantics/Limits.h"
#include "Mirage/Semantics/Program.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mirage::semantics;

namespace {
llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::string num(int64_t value) { return std::to_string(value); }

/// Walks a program once, in order, and tracks which values are visible and, in
/// a graph, along which grid axes each tile may differ between blocks.
class Checker {
public:
  explicit Checker(const Program &program)
      : program(program), visible(program.values.size()),
        defined(program.values.size()), varies(program.values.size(), 0) {}

  llvm::Error run() {
    if (program.numInputs > program.values.size())
      return error("expected at most " + num(program.values.size()) +
                   " inputs, but got " + num(program.numInputs));
    for (const TensorType &type : program.values)
      if (llvm::Error e = checkSize(type))
        return e;
    visible.set(0, program.numInputs);
    defined = visible;
    for (const Op &op : program.ops)
      if (llvm::Error e = checkKernelOp(op))
        return e;
    for (ValueId id : program.outputs)
      if (llvm::Error e = checkUse(id, "output"))
        return e;
    return llvm::Error::success();
  }

private:
  llvm::Error checkUse(ValueId id, llvm::StringRef what) {
    if (id < 0 || id >= static_cast<int>(program.values.size()))
      return error(what + ": expected a value id below " +
                   num(program.values.size()) + ", but got " + num(id));
    if (!visible.test(id))
      return error(what +
                   ": expected a value defined before its use, but got "
                   "value " +
                   num(id));
    return llvm::Error::success();
  }

  llvm::Error define(const Op &op, size_t count) {
    if (op.results.size() != count)
      return error(mnemonic(op.kind) + ": expected " + num(count) +
                   (count == 1 ? " result" : " results") + ", but got " +
                   num(op.results.size()));
    for (ValueId id : op.results) {
      if (id < 0 || id >= static_cast<int>(program.values.size()) ||
          defined.test(id))
        return error(mnemonic(op.kind) +
                     ": expected a fresh result id, but got " + num(id));
      defined.set(id);
      visible.set(id);
    }
    return llvm::Error::success();
  }

  llvm::Error checkType(const Op &op, ValueId id, const TensorType &type) {
    if (program.type(id) != type)
      return error(mnemonic(op.kind) + ": expected result type " +
                   toString(type) + ", but got " + toString(program.type(id)));
    return llvm::Error::success();
  }

  llvm::Error checkCompute(const Op &op, Level level) {
    llvm::SmallVector<TensorType, 3> types;
    unsigned varying = 0;
    for (ValueId id : op.operands) {
      if (llvm::Error e = checkUse(id, mnemonic(op.kind)))
        return e;
      types.push_back(program.type(id));
      varying |= varies[id];
    }
    if (llvm::Error e = define(op, 1))
      return e;
    varies[op.results[0]] = varying;
    llvm::Expected<TensorType> result = inferType(
        op.kind, op.attrs, types, level, &program.type(op.results[0]));
    if (!result)
      return error(mnemonic(op.kind) + ": " + toString(result.takeError()));
    return llvm::Error::success();
  }

  llvm::Error checkKernelOp(const Op &op) {
    if (op.kind == OpKind::Graph)
      return checkGraph(op);
    if (opClass(op.kind) == OpClass::Structure)
      return error("expected a kernel-level op, but got '" + mnemonic(op.kind) +
                   "'");
    return checkCompute(op, Level::Kernel);
  }

  llvm::Error checkGraph(const Op &graph) {
    for (ValueId id : graph.operands)
      if (llvm::Error e = checkUse(id, "graph"))
        return e;
    for (unsigned g = 0; g < 3; ++g) {
      int64_t blocks = graph.attrs.grid[g], cluster = graph.attrs.cluster[g];
      if (blocks < 1 || cluster < 1 || blocks % cluster != 0)
        return error("graph: expected a grid that its cluster divides in "
                     "dimension " +
                     num(g) + ", but got " + num(blocks) + " and " +
                     num(cluster));
    }
    size_t storeCount = llvm::count_if(
        graph.body, [](const Op &op) { return op.kind == OpKind::Store; });
    if (storeCount != graph.results.size())
      return error("graph: expected one store for each result, " +
                   num(graph.results.size()) + " in all, but got " +
                   num(storeCount));
    // Tiles see no tensor but through a load, so hide the kernel level.
    llvm::SmallBitVector outer = visible;
    visible.reset();
    size_t stores = 0;
    for (const Op &op : graph.body) {
      llvm::Error e = op.kind == OpKind::Loop ? checkLoop(graph, op)
                      : op.kind == OpKind::Store
                          ? checkStore(graph, op, stores)
                          : checkBlockOp(graph, op, nullptr);
      if (e)
        return e;
    }
    visible = outer;
    return define(graph, graph.results.size());
  }

  llvm::Error checkBlockOp(const Op &graph, const Op &op, const Op *loop) {
    switch (op.kind) {
    case OpKind::Load: {
      if (op.operands.size() != 1)
        return error("load: expected 1 operand, but got " +
                     num(op.operands.size()));
      if (!llvm::is_contained(graph.operands, op.operands[0]))
        return error("load: expected a tensor that is an operand of its graph, "
                     "but got value " +
                     num(op.operands[0]));
      if (!loop && op.attrs.fmap >= 0)
        return error("load: expected no fmap outside a loop, but got " +
                     num(op.attrs.fmap));
      auto tile = inferLoadTile(program.type(op.operands[0]), graph.attrs.grid,
                                op.attrs.imap, op.attrs.fmap,
                                loop ? loop->attrs.range : 1);
      if (!tile)
        return error("load: " + toString(tile.takeError()));
      if (llvm::Error e = define(op, 1))
        return e;
      for (unsigned g = 0; g < 3; ++g)
        if (op.attrs.imap[g] >= 0 && graph.attrs.grid[g] > 1)
          varies[op.results[0]] |= 1u << g;
      return checkType(op, op.results[0], *tile);
    }
    case OpKind::ReduceBlocks: {
      if (loop)
        return error("reduce_blocks: expected to stand outside a loop, but got "
                     "a loop of range " +
                     num(loop->attrs.range));
      if (op.operands.size() != 1)
        return error("reduce_blocks: expected 1 operand, but got " +
                     num(op.operands.size()));
      if (op.attrs.gridDim < 0 || op.attrs.gridDim > 2)
        return error("reduce_blocks: expected a grid dimension in [0, 3), but "
                     "got " +
                     num(op.attrs.gridDim));
      if (op.attrs.reduce == ReduceKind::Mean)
        return error("reduce_blocks: expected sum or max, but got mean");
      if (llvm::Error e = checkUse(op.operands[0], "reduce_blocks"))
        return e;
      if (llvm::Error e = define(op, 1))
        return e;
      varies[op.results[0]] =
          varies[op.operands[0]] & ~(1u << op.attrs.gridDim);
      return checkType(op, op.results[0], program.type(op.operands[0]));
    }
    case OpKind::Running: {
      if (!loop)
        return error("running: expected to stand inside a loop, but got the "
                     "body of a graph");
      if (op.attrs.accumulator < 0 ||
          op.attrs.accumulator >=
              static_cast<int>(loop->attrs.accumulators.size()))
        return error("running: expected an accumulator below " +
                     num(loop->attrs.accumulators.size()) + ", but got " +
                     num(op.attrs.accumulator));
      const Accumulator &acc = loop->attrs.accumulators[op.attrs.accumulator];
      // The current state needs this iteration's value; the previous one does
      // not, and may come before it.
      if (op.attrs.current)
        if (llvm::Error e = checkUse(acc.value, "running"))
          return e;
      if (llvm::Error e = define(op, 1))
        return e;
      varies[op.results[0]] = 7;
      return checkType(op, op.results[0], totalType(acc));
    }
    case OpKind::Graph:
    case OpKind::Loop:
    case OpKind::Store:
      return error(llvm::Twine(loop ? "for" : "graph") +
                   ": expected a body of block-level ops without regions or "
                   "stores, but got '" +
                   mnemonic(op.kind) + "'");
    default:
      if (llvm::Error e = checkCompute(op, Level::Block))
        return e;
      if (op.kind == OpKind::Iota)
        varies[op.results[0]] = 0;
      return llvm::Error::success();
    }
  }

  TensorType totalType(const Accumulator &acc) const {
    TensorType type{program.type(acc.value).shape, DType::F32};
    if (acc.reduceDim >= 0 && acc.reduceDim < type.rank())
      type.shape[acc.reduceDim] = 1;
    return type;
  }

  llvm::Error checkLoop(const Op &graph, const Op &loop) {
    if (loop.attrs.range < 1)
      return error("for: expected a range of at least 1, but got " +
                   num(loop.attrs.range));
    if (loop.attrs.range > kMaxLoopRange)
      return error("for: expected a range of at most " + num(kMaxLoopRange) +
                   ", but got " + num(loop.attrs.range));
    for (const Accumulator &acc : loop.attrs.accumulators)
      if (acc.value < 0 || acc.value >= static_cast<int>(program.values.size()))
        return error("for: expected an accumulated value id below " +
                     num(program.values.size()) + ", but got " +
                     num(acc.value));
    llvm::SmallBitVector outer = visible;
    for (const Op &op : loop.body)
      if (llvm::Error e = checkBlockOp(graph, op, &loop))
        return e;
    unsigned index = 0;
    if (loop.results.size() != loop.attrs.accumulators.size())
      return error(
          "for: expected " + num(loop.attrs.accumulators.size()) +
          (loop.attrs.accumulators.size() == 1 ? " result" : " results") +
          ", but got " + num(loop.results.size()));
    for (const Accumulator &acc : loop.attrs.accumulators) {
      if (llvm::Error e = checkUse(acc.value, "accumulator"))
        return e;
      if (acc.reduceDim >= program.type(acc.value).rank())
        return error("accumulator: expected a reduced dimension below " +
                     num(program.type(acc.value).rank()) + ", but got " +
                     num(acc.reduceDim));
      unsigned varying = varies[acc.value];
      if ((acc.kind == AccumulatorKind::Rescale) != (acc.factor >= 0))
        return error(acc.factor >= 0
                         ? "accumulator: expected no factor but for rescale, "
                           "but got value " +
                               num(acc.factor)
                         : "accumulator: expected a factor for rescale, but "
                           "got none");
      if (acc.factor >= 0) {
        if (llvm::Error e = checkUse(acc.factor, "accumulator"))
          return e;
        varying |= varies[acc.factor];
        TensorType total = totalType(acc);
        const TensorType &factor = program.type(acc.factor);
        bool fits = factor.rank() == total.rank();
        for (int64_t i = 0; fits && i < total.rank(); ++i)
          fits = factor.shape[i] == 1 || factor.shape[i] == total.shape[i];
        if (!fits)
          return error("accumulator: expected a factor that broadcasts to " +
                       toString(total) + ", but got " + toString(factor));
      }
      ValueId result = loop.results[index++];
      if (result < 0 || result >= static_cast<int>(program.values.size()))
        return error("for: expected a result id below " +
                     num(program.values.size()) + ", but got " + num(result));
      varies[result] = varying;
      if (llvm::Error e = checkType(loop, result, totalType(acc)))
        return e;
    }
    visible = outer;
    return define(loop, loop.results.size());
  }

  llvm::Error checkStore(const Op &graph, const Op &op, size_t &stores) {
    if (op.operands.size() != 1 || !op.results.empty())
      return error("store: expected 1 operand and 0 results, but got " +
                   num(op.operands.size()) + " and " + num(op.results.size()));
    if (llvm::Error e = checkUse(op.operands[0], "store"))
      return e;
    for (unsigned g = 0; g < 3; ++g)
      if (op.attrs.omap[g] < 0 && graph.attrs.grid[g] > 1 &&
          (varies[op.operands[0]] & (1u << g)))
        return error("store: expected a tile that is the same in all blocks "
                     "along grid dimension " +
                     num(g) +
                     ", which its omap does not concatenate, but got value " +
                     num(op.operands[0]) + ", which differs");
    ValueId result = graph.results[stores++];
    if (result < 0 || result >= static_cast<int>(program.values.size()))
      return error("graph: expected a result id below " +
                   num(program.values.size()) + ", but got " + num(result));
    const TensorType &type = program.type(result);
    auto tensor = inferStoreTensor(program.type(op.operands[0]), type.dtype,
                                   graph.attrs.grid, op.attrs.omap);
    if (!tensor)
      return error("store: " + toString(tensor.takeError()));
    if (*tensor != type)
      return error("store: expected result type " + toString(*tensor) +
                   ", but got " + toString(type));
    return llvm::Error::success();
  }

  static std::string toString(llvm::Error e) {
    return llvm::toString(std::move(e));
  }
  static std::string toString(const TensorType &type) {
    return mirage::semantics::toString(type);
  }

  const Program &program;
  llvm::SmallBitVector visible; ///< may be used here
  llvm::SmallBitVector defined; ///< has been defined, here or in a body
  std::vector<unsigned> varies; ///< bit g: may differ along grid axis g
};
} // namespace

llvm::Error mirage::semantics::verifyProgram(const Program &program) {
  return Checker(program).run();
}
