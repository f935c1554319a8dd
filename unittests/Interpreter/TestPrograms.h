//===- TestPrograms.h - Building small programs in tests --------*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_INTERPRETER_TESTPROGRAMS_H
#define MIRAGE_UNITTESTS_INTERPRETER_TESTPROGRAMS_H

#include "Mirage/Interpreter/Interpreter.h"

namespace mirage::interpreter::test {

using namespace mirage::semantics;

inline Tensor tensor(Shape shape, std::vector<double> values,
                     DType dtype = DType::F32) {
  return {{std::move(shape), dtype}, std::move(values)};
}

/// Writes block-level ops one after another; shapes follow from the rules.
struct BlockBuilder {
  Program &program;
  Op graph{OpKind::Graph, {}, {}, {}, {}};
  std::optional<Op> loop; ///< open loop, if any

  BlockBuilder(Program &program, GridDims grid, std::vector<ValueId> operands)
      : program(program) {
    graph.attrs.grid = grid;
    graph.operands.assign(operands.begin(), operands.end());
  }

  std::vector<Op> &body() { return loop ? loop->body : graph.body; }

  ValueId add(OpKind kind, std::vector<ValueId> operands, Attrs attrs,
              const TensorType &type) {
    Op op{kind, std::move(attrs), {}, {program.addValue(type)}, {}};
    op.operands.assign(operands.begin(), operands.end());
    body().push_back(op);
    return op.results[0];
  }

  ValueId compute(OpKind kind, std::vector<ValueId> operands,
                  Attrs attrs = {}) {
    std::vector<TensorType> types;
    for (ValueId id : operands)
      types.push_back(program.type(id));
    TensorType type = cantFail(inferType(kind, attrs, types, Level::Block));
    return add(kind, std::move(operands), std::move(attrs), type);
  }

  ValueId load(ValueId tensor, GridMap imap, int fmap = -1,
               bool interleaved = false) {
    Attrs attrs;
    attrs.imap = imap;
    attrs.fmap = fmap;
    attrs.interleaved = interleaved;
    TensorType tile =
        cantFail(inferLoadTile(program.type(tensor), graph.attrs.grid, imap,
                               fmap, loop ? loop->attrs.range : 1));
    return add(OpKind::Load, {tensor}, attrs, tile);
  }

  void beginLoop(int64_t range) {
    loop = Op{OpKind::Loop, {}, {}, {}, {}};
    loop->attrs.range = range;
  }

  TensorType totalType(const Accumulator &accumulator) {
    TensorType type{program.type(accumulator.value).shape, DType::F32};
    if (accumulator.reduceDim >= 0)
      type.shape[accumulator.reduceDim] = 1;
    return type;
  }

  ValueId running(int accumulator, bool current, const TensorType &type) {
    Attrs attrs;
    attrs.accumulator = accumulator;
    attrs.current = current;
    return add(OpKind::Running, {}, attrs, type);
  }

  std::vector<ValueId> endLoop(std::vector<Accumulator> accumulators) {
    loop->attrs.accumulators = accumulators;
    for (const Accumulator &accumulator : accumulators)
      loop->results.push_back(program.addValue(totalType(accumulator)));
    Op done = *loop;
    loop.reset();
    graph.body.push_back(done);
    return {done.results.begin(), done.results.end()};
  }

  ValueId reduceBlocks(ValueId tile, int axis,
                       ReduceKind kind = ReduceKind::Sum) {
    Attrs attrs;
    attrs.gridDim = axis;
    attrs.reduce = kind;
    return add(OpKind::ReduceBlocks, {tile}, attrs, program.type(tile));
  }

  void store(ValueId tile, GridMap omap, DType dtype) {
    Op op{OpKind::Store, {}, {tile}, {}, {}};
    op.attrs.omap = omap;
    graph.body.push_back(op);
    graph.results.push_back(program.addValue(cantFail(
        inferStoreTensor(program.type(tile), dtype, graph.attrs.grid, omap))));
  }

  void finish() {
    program.ops.push_back(graph);
    program.outputs.assign(graph.results.begin(), graph.results.end());
  }
};

inline std::string errorOf(llvm::Expected<std::vector<Tensor>> result) {
  return result ? "" : llvm::toString(result.takeError());
}

} // namespace mirage::interpreter::test

#endif // MIRAGE_UNITTESTS_INTERPRETER_TESTPROGRAMS_H
