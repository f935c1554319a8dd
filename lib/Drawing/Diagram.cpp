//===- Diagram.cpp - Boxes and arrows of a program ------------------------===//

#include "Mirage/Drawing/Diagram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mirage::drawing;
using namespace mirage::semantics;

llvm::StringRef mirage::drawing::stringify(NodeKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "input",       "output", "constant", "op",    "load", "store",
      "accumulator", "buffer", "sync",     "graph", "loop"};
  return names[static_cast<unsigned>(kind)];
}

int Diagram::add(NodeKind kind, std::vector<std::string> lines, int parent) {
  nodes.push_back({kind, std::move(lines), parent});
  return static_cast<int>(nodes.size()) - 1;
}

void Diagram::connect(int from, int to, bool order) {
  if (from >= 0 && to >= 0)
    edges.push_back({from, to, order});
}

std::string mirage::drawing::describe(const TensorType &type) {
  std::string text;
  for (int64_t size : type.shape)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text + (text.empty() ? "" : " ") + stringify(type.dtype).str();
}

/// "96" of [96, 1, 1], "8 x 4" of [8, 4, 1].
static std::string describeGrid(const GridDims &grid) {
  size_t rank = 3;
  while (rank > 1 && grid[rank - 1] == 1)
    --rank;
  std::string text;
  for (size_t i = 0; i < rank; ++i)
    text += (i ? " x " : "") + std::to_string(grid[i]);
  return text;
}

static int64_t volume(const GridDims &grid) {
  return grid[0] * grid[1] * grid[2];
}

/// The sizes of one graph without its loop.
static std::string describeLaunch(const Attrs &attrs) {
  std::string text = "grid " + describeGrid(attrs.grid);
  if (volume(attrs.cluster) > 1)
    text += ", clusters of " + describeGrid(attrs.cluster);
  if (attrs.threads)
    text += ", " + std::to_string(attrs.threads) + " threads";
  if (attrs.stages)
    text += ", " + std::to_string(attrs.stages) + " stages";
  return text;
}

std::string mirage::drawing::describeSizes(const Program &program) {
  std::string text;
  for (const Op &op : program.ops) {
    if (op.kind != OpKind::Graph)
      continue;
    text += (text.empty() ? "" : "; ") + describeLaunch(op.attrs);
    for (const Op &inner : op.body)
      if (inner.kind == OpKind::Loop)
        text += ", loop " + std::to_string(inner.attrs.range);
  }
  return text;
}

namespace {
class Drawer {
public:
  explicit Drawer(const Program &program)
      : program(program), definers(program.values.size(), -1) {}

  Diagram run() {
    for (unsigned i = 0; i < program.numInputs; ++i)
      definers[i] = diagram.add(NodeKind::Input,
                                {id(i) + " input", describe(program.type(i))});
    for (const Op &op : program.ops)
      draw(op, -1);
    for (auto [i, value] : llvm::enumerate(program.outputs)) {
      int node = diagram.add(NodeKind::Output, {"output " + std::to_string(i),
                                                describe(program.type(value))});
      diagram.connect(definers[value], node);
    }
    return std::move(diagram);
  }

private:
  static std::string id(ValueId value) { return "%" + std::to_string(value); }

  static std::string ids(llvm::ArrayRef<ValueId> values) {
    std::string text;
    for (ValueId value : values)
      text += (text.empty() ? "" : ", ") + id(value);
    return text;
  }

  template <class List> static std::string list(const List &values) {
    std::string text;
    for (int64_t value : values)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
  }

  static llvm::StringRef name(ReduceKind kind) {
    return kind == ReduceKind::Sum   ? "sum"
           : kind == ReduceKind::Max ? "max"
                                     : "mean";
  }

  /// "x to dim 1, z to dim 0": what the axes of the grid that are split or
  /// joined go to.
  static std::string describeMap(const GridMap &map, const GridDims &grid) {
    std::string text;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (grid[axis] > 1)
        text += (text.empty() ? "" : ", ") + std::string(1, "xyz"[axis]) +
                (map[axis] < 0 ? std::string(":all")
                               : ":dim " + std::to_string(map[axis]));
    return text.empty() ? "whole" : text;
  }

  /// What one op says of itself beside its name and operands.
  std::string detail(const Op &op) const {
    const Attrs &a = op.attrs;
    switch (op.kind) {
    case OpKind::Reduce:
      return name(a.reduce).str() + " over dims " + list(a.dims);
    case OpKind::Transpose:
      return "perm " + list(a.dims);
    case OpKind::Softmax:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Iota:
      return "dim " + list(a.dims);
    case OpKind::Slice:
      return "from " + list(a.offsets);
    case OpKind::Matmul:
      return a.transposeRhs ? "right one transposed" : "";
    case OpKind::Constant:
      return toString(a.constant);
    case OpKind::ReduceBlocks:
      return name(a.reduce).str() + " over blocks along " +
             std::string(1, "xyz"[a.gridDim]);
    case OpKind::Running:
      return std::string(a.current ? "current" : "previous") + " accumulator " +
             std::to_string(a.accumulator);
    default:
      return "";
    }
  }

  void connectOperands(const Op &op, int node) {
    llvm::SmallVector<ValueId> seen;
    for (ValueId value : op.operands)
      if (!llvm::is_contained(seen, value)) {
        seen.push_back(value);
        diagram.connect(definers[value], node);
      }
  }

  void draw(const Op &op, int parent) {
    if (op.kind == OpKind::Graph)
      return drawGraph(op, parent);
    if (op.kind == OpKind::Loop)
      return drawLoop(op, parent);
    std::string head = op.results.empty() ? "" : ids(op.results) + " = ";
    head += mnemonic(op.kind).str();
    if (!op.operands.empty())
      head += " " + ids(op.operands);
    std::vector<std::string> lines{head};
    NodeKind kind = NodeKind::Op;
    if (op.kind == OpKind::Constant)
      kind = NodeKind::Constant;
    if (op.kind == OpKind::Load) {
      kind = NodeKind::Load;
      lines.push_back("imap " + describeMap(op.attrs.imap, graph->attrs.grid));
      if (inLoop)
        lines.push_back(
            (op.attrs.fmap < 0
                 ? std::string("fmap loop:all")
                 : "fmap loop:dim " + std::to_string(op.attrs.fmap)) +
            (op.attrs.interleaved ? " interleaved" : ""));
    }
    if (op.kind == OpKind::Store) {
      kind = NodeKind::Store;
      lines.push_back("omap " + describeMap(op.attrs.omap, graph->attrs.grid));
    }
    if (std::string text = detail(op); !text.empty())
      lines.push_back(std::move(text));
    for (ValueId value : op.results)
      lines.push_back(describe(program.type(value)));
    int node = diagram.add(kind, std::move(lines), parent);
    connectOperands(op, node);
    for (ValueId value : op.results)
      definers[value] = node;
    if (op.kind == OpKind::Store)
      stores.push_back(node);
  }

  void drawGraph(const Op &op, int parent) {
    graph = &op;
    int box = diagram.add(NodeKind::Graph,
                          {"kernel " + ids(op.results) + ": one block of",
                           describeLaunch(op.attrs)},
                          parent);
    stores.clear();
    for (const Op &inner : op.body)
      draw(inner, box);
    // The j-th store writes result j.
    for (auto [value, node] : llvm::zip(op.results, stores))
      definers[value] = node;
    graph = nullptr;
  }

  void drawLoop(const Op &op, int parent) {
    int box = diagram.add(
        NodeKind::Loop,
        {"for " + std::to_string(op.attrs.range) + " iterations"}, parent);
    inLoop = true;
    for (const Op &inner : op.body)
      draw(inner, box);
    inLoop = false;
    for (auto [value, one] : llvm::zip(op.results, op.attrs.accumulators)) {
      static constexpr llvm::StringLiteral names[] = {"sum", "max", "rescale"};
      std::string how = names[static_cast<unsigned>(one.kind)].str();
      std::vector<std::string> lines{id(value) + " = " + how + " of " +
                                     id(one.value) + " over the loop"};
      if (one.factor >= 0)
        lines.push_back("state times " + id(one.factor) + " first");
      if (one.reduceDim >= 0)
        lines.push_back("reduced along dim " + std::to_string(one.reduceDim));
      lines.push_back(describe(program.type(value)));
      int node = diagram.add(NodeKind::Accumulator, std::move(lines), box);
      diagram.connect(definers[one.value], node);
      if (one.factor >= 0)
        diagram.connect(definers[one.factor], node);
      definers[value] = node;
    }
  }

  const Program &program;
  std::vector<int> definers; ///< the node of each value
  Diagram diagram;
  const Op *graph = nullptr; ///< the one that is drawn
  bool inLoop = false;
  std::vector<int> stores; ///< of that graph
};
} // namespace

Diagram mirage::drawing::drawProgram(const Program &program) {
  return Drawer(program).run();
}
