//===- EmitGraph.cpp - A sketch as a Program ------------------------------===//

#include "Instances.h"
#include <set>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
class Emitter {
public:
  Emitter(const ValueGraph &values, const GraphSketch &graph,
          const InstanceSizes &sizes)
      : values(values), graph(graph), sizes(sizes),
        source(*values.analysis.program) {}

  llvm::Expected<Program> run() {
    program.name = source.name;
    program.numInputs = source.numInputs;
    program.values.assign(source.values.begin(),
                          source.values.begin() + source.numInputs);
    kernel.kind = OpKind::Graph;
    for (unsigned axis = 0; axis < 3; ++axis)
      kernel.attrs.grid[axis] = sizes.axes[axis];
    if (int axis = values.structure.reduceAxis; axis >= 0)
      kernel.attrs.cluster[axis] = sizes.axes[axis];

    bool hasLoop = false;
    for (int node : graph.order) {
      if (phase(node) == Phase::Inside) {
        hasLoop = true;
        markNeededInside(node);
      }
    }
    loop.kind = OpKind::Loop;
    loop.attrs.range = sizes.axes[kLoopAxis];
    // Before the loop only what it reads; other loads stand near their use.
    body = &kernel.body;
    for (int node : graph.order)
      if (phase(node) == Phase::Before && neededInside.count(node))
        if (llvm::Error e = emit(node))
          return std::move(e);
    if (hasLoop) {
      body = &loop.body;
      for (int node : graph.order)
        if (phase(node) == Phase::Inside)
          if (llvm::Error e = emit(node))
            return std::move(e);
      for (int node : graph.order)
        if (action(node).kind == Action::Accumulate ||
            action(node).kind == Action::Rescale)
          if (llvm::Error e = emit(node))
            return std::move(e);
      kernel.body.push_back(std::move(loop));
      body = &kernel.body;
    }
    for (int node : graph.order)
      if (!ids.count(node))
        if (llvm::Error e = emit(node))
          return std::move(e);
    if (llvm::Error e = emitStores())
      return std::move(e);
    kernel.operands.assign(used.begin(), used.end());
    program.ops.push_back(std::move(kernel));
    return std::move(program);
  }

private:
  const Edge &edgeOf(int node) const {
    return values.edges()[graph.edge.find(node)->second];
  }
  const Action &action(int node) const { return edgeOf(node).action; }
  Phase phase(int node) const { return values.nodes()[node].phase; }

  void markNeededInside(int node) {
    for (int operand : edgeOf(node).operands)
      if (operand >= 0 && phase(operand) == Phase::Before &&
          neededInside.insert(operand).second)
        markNeededInside(operand);
  }

  llvm::Expected<ValueId> append(OpKind kind, Attrs attrs,
                                 llvm::ArrayRef<ValueId> operands,
                                 const TensorType *type = nullptr) {
    llvm::SmallVector<TensorType, 3> types;
    for (ValueId v : operands)
      types.push_back(program.type(v));
    auto result = inferType(kind, attrs, types, Level::Block, type);
    if (!result)
      return result.takeError();
    Op op;
    op.kind = kind;
    op.attrs = std::move(attrs);
    op.operands.assign(operands.begin(), operands.end());
    op.results.push_back(program.addValue(*result));
    body->push_back(std::move(op));
    return body->back().results[0];
  }

  llvm::Expected<ValueId> constant(const ConstantValue &value, int64_t rank) {
    Attrs attrs;
    attrs.constant = value;
    TensorType type{Shape(rank, 1), DType::F32};
    return append(OpKind::Constant, attrs, {}, &type);
  }

  llvm::Expected<ValueId> emitMap(const MapTemplate &map, ValueId argument) {
    llvm::SmallVector<ValueId, 8> slots{argument};
    for (const MapTemplate::Step &step : map.steps) {
      llvm::SmallVector<ValueId, 2> args{slots[step.lhs]};
      if (step.rhs >= 0)
        args.push_back(slots[step.rhs]);
      if (step.op.hasConstant) {
        auto c = constant(step.op.constant, program.type(argument).rank());
        if (!c)
          return c;
        args.insert(step.op.constantLeft ? args.begin() : args.end(), *c);
      }
      auto result = append(step.op.kind, step.op.attrs, args);
      if (!result)
        return result;
      slots.push_back(*result);
    }
    return slots.back();
  }

  /// Products read the program's element type: what was computed is rounded to
  /// it, as the program itself does.
  llvm::Expected<ValueId> asMatmulOperand(ValueId v) {
    TensorType type = program.type(v);
    if (type.dtype == values.analysis.matmulType)
      return v;
    auto [at, isNew] = casts.try_emplace(v, -1);
    if (isNew) {
      type.dtype = values.analysis.matmulType;
      auto cast = append(OpKind::Cast, {}, {v}, &type);
      if (!cast)
        return cast;
      at->second = *cast;
    }
    return at->second;
  }

  llvm::Error emit(int node) {
    const Edge &edge = edgeOf(node);
    auto id = emitEdge(edge);
    if (!id)
      return id.takeError();
    ids[node] = *id;
    return llvm::Error::success();
  }

  llvm::Expected<ValueId> emitEdge(const Edge &edge) {
    const Action &a = edge.action;
    ValueId x = edge.operands[0] >= 0 ? ids[edge.operands[0]] : -1;
    ValueId y = edge.operands[1] >= 0 ? ids[edge.operands[1]] : -1;
    Attrs attrs;
    switch (a.kind) {
    case Action::Load:
      return emitLoad(a);
    case Action::Map:
      return emitMap(values.analysis.maps[a.index], x);
    case Action::Reshape: {
      const ReshapeTemplate &reshape = values.analysis.reshapes[a.index];
      TensorType type{{}, program.type(x).dtype};
      llvm::SmallVector<int64_t, 6> left;
      for (unsigned d = 0; d < reshape.from.size(); ++d)
        if (reshape.from[d] >= 0)
          left.push_back(program.type(x).shape[d]);
      unsigned next = 0;
      for (int c : reshape.to)
        type.shape.push_back(c < 0 ? 1 : left[next++]);
      return append(OpKind::Reshape, attrs, {x}, &type);
    }
    case Action::Transpose: {
      const auto &dims = values.analysis.transposes[a.index];
      attrs.dims.assign(dims.begin(), dims.end());
      return append(OpKind::Transpose, attrs, {x});
    }
    case Action::Binary:
      return append(static_cast<OpKind>(a.index), attrs, {x, y});
    case Action::Matmul: {
      attrs.transposeRhs = a.index;
      auto l = asMatmulOperand(x);
      if (!l)
        return l;
      auto r = asMatmulOperand(y);
      if (!r)
        return r;
      return append(OpKind::Matmul, attrs, {*l, *r});
    }
    case Action::Reduce:
      attrs.reduce = a.variant ? ReduceKind::Max : ReduceKind::Sum;
      attrs.dims = {a.index};
      return append(OpKind::Reduce, attrs, {x});
    case Action::Accumulate:
      return loop.results[accumulator(
          {a.variant ? AccumulatorKind::Max : AccumulatorKind::Sum, x, -1,
           a.index})];
    case Action::Rescale:
      return loop
          .results[accumulator({AccumulatorKind::Rescale, x, y, a.index})];
    case Action::Running: {
      Op op;
      op.kind = OpKind::Running;
      op.attrs.accumulator =
          accumulator({AccumulatorKind::Max, x, -1, a.index});
      op.attrs.current = a.variant;
      ValueId total = loop.results[op.attrs.accumulator];
      op.results.push_back(program.addValue(program.type(total)));
      body->push_back(op);
      return op.results[0];
    }
    case Action::Factor: {
      auto difference = append(OpKind::Sub, attrs, {x, y});
      if (!difference)
        return difference;
      return emitMap(values.analysis.maps[a.index], *difference);
    }
    case Action::ReduceBlocks: {
      int axis = values.structure.reduceAxis;
      if (sizes.axes[axis] == 1)
        return x;
      Op op;
      op.kind = OpKind::ReduceBlocks;
      op.attrs.reduce = a.variant ? ReduceKind::Max : ReduceKind::Sum;
      op.attrs.gridDim = axis;
      op.operands = {x};
      op.results.push_back(program.addValue(program.type(x)));
      body->push_back(op);
      return op.results[0];
    }
    }
    llvm_unreachable("covered switch");
  }

  /// The number of this accumulator of the loop; a running value and the total
  /// share one.
  int accumulator(const Accumulator &wanted) {
    for (auto [i, acc] : llvm::enumerate(loop.attrs.accumulators))
      if (acc == wanted)
        return i;
    TensorType type{program.type(wanted.value).shape, DType::F32};
    if (wanted.reduceDim >= 0)
      type.shape[wanted.reduceDim] = 1;
    loop.attrs.accumulators.push_back(wanted);
    loop.results.push_back(program.addValue(type));
    return loop.results.size() - 1;
  }

  llvm::Expected<ValueId> emitLoad(const Action &a) {
    Op op;
    op.kind = OpKind::Load;
    const Splits &splits = values.loadSplits(a);
    for (unsigned d = 0; d < splits.size(); ++d)
      for (unsigned axis : splits[d].axes)
        (axis == kLoopAxis ? op.attrs.fmap : op.attrs.imap[axis]) = d;
    auto tile =
        inferLoadTile(program.type(a.index), kernel.attrs.grid, op.attrs.imap,
                      op.attrs.fmap, sizes.axes[kLoopAxis]);
    if (!tile)
      return tile.takeError();
    used.insert(a.index);
    op.operands = {a.index};
    op.results.push_back(program.addValue(*tile));
    body->push_back(op);
    return op.results[0];
  }

  llvm::Error emitStores() {
    for (unsigned i = 0; i < graph.outputs.size(); ++i) {
      ValueId output = source.outputs[i];
      Op op;
      op.kind = OpKind::Store;
      Splits splits = outputSplits(values.analysis, values.structure, output);
      for (unsigned d = 0; d < splits.size(); ++d)
        for (unsigned axis : splits[d].axes)
          op.attrs.omap[axis] = d;
      op.operands = {ids[graph.outputs[i]]};
      body->push_back(op);
      kernel.results.push_back(program.addValue(source.type(output)));
      program.outputs.push_back(kernel.results.back());
    }
    return llvm::Error::success();
  }

  const ValueGraph &values;
  const GraphSketch &graph;
  const InstanceSizes &sizes;
  const Program &source;
  Program program;
  Op kernel, loop;
  std::vector<Op> *body = nullptr;
  std::map<int, ValueId> ids;
  std::map<ValueId, ValueId> casts;
  std::set<int> neededInside;
  std::set<ValueId> used;
};
} // namespace

llvm::Expected<Program> mirage::search::emitGraph(const ValueGraph &values,
                                                  const GraphSketch &graph,
                                                  const InstanceSizes &sizes) {
  return Emitter(values, graph, sizes).run();
}
