//===- Graphs.cpp - Reading graphs off the hypergraph ---------------------===//
//
// Each needed value takes one of the edges that yield it, until nothing is
// needed. Values are shared: the weight of a graph counts each once. Branches
// are tried lightest first, and left when they are much heavier than the best
// graph known.
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include <algorithm>
#include <limits>
#include <set>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
// Rough sizes of an instance: what a tile of a class measures where an axis or
// the loop splits it.
constexpr int64_t kNominalTile = 64;
constexpr double kFewRows = 16;
/// A load of more f16 elements than shared memory holds makes a graph that only
/// few sizes fit, if any: the last resort.
constexpr double kResidentElements = 100 * 1024;
constexpr double kTooWide = 1e9;
constexpr double kBlockReduction = 4000; // a cluster barrier, in elements

// Edges tried for one choice of output nodes, and for all of a structure's.
constexpr uint64_t kStepsPerChoice = 50'000;
constexpr uint64_t kSteps = 2'000'000;
/// Graphs met, after which the lightest are taken.
constexpr uint64_t kFinished = 20'000;

class Extractor {
public:
  Extractor(const ValueGraph &values, unsigned maxOps, unsigned limit)
      : values(values), maxOps(maxOps), limit(limit) {}

  Extraction run() {
    for (const Edge &edge : values.edges())
      weights.push_back(edgeWeight(edge));
    computeTreeWeights();
    std::vector<int> outputs;
    chooseOutputs(values.outputNodes(), outputs);
    return {std::move(found), cut};
  }

private:
  double nominal(int size) const {
    if (size == 1)
      return 1;
    const ShrunkenSizes &s = values.sizes();
    for (unsigned c = 0; c < s.tile.size(); ++c)
      // A tile of 1, of a batch dim, divides every size and names none.
      if (s.tile[c] == 1 ? size == s.extent[c] : size % s.tile[c] == 0) {
        int64_t extent = values.analysis.classes[c].extent;
        return size == s.extent[c] ? extent
                                   : std::min<int64_t>(extent, kNominalTile);
      }
    return size;
  }

  double elements(int node) const {
    double n = 1;
    for (int size : values.nodes()[node].value.shape())
      n *= nominal(size);
    return n;
  }

  /// Of a tile of few rows: what a block must hold whatever its sizes.
  double residentElements(int node) const {
    llvm::ArrayRef<int> shape = values.nodes()[node].value.shape();
    double n = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      bool split = nominal(shape[d]) <= kNominalTile;
      n *= d + 1 == shape.size() || !split
               ? nominal(shape[d])
               : std::min<double>(nominal(shape[d]), kFewRows);
    }
    return n;
  }

  double edgeWeight(const Edge &edge) const {
    const std::vector<Node> &nodes = values.nodes();
    double repeat = 1;
    Phase phase = edge.action.kind == Action::Accumulate ||
                          edge.action.kind == Action::Rescale
                      ? Phase::Inside
                      : nodes[edge.result].phase;
    int loop = values.structure.loopClass;
    if (phase == Phase::Inside && loop >= 0)
      repeat = std::max<int64_t>(1, values.analysis.classes[loop].extent /
                                        kNominalTile);
    double out = elements(edge.result);
    double in = edge.operands[0] >= 0 ? elements(edge.operands[0]) : 0;
    switch (edge.action.kind) {
    case Action::Load:
      return repeat * out +
             (residentElements(edge.result) > kResidentElements ? kTooWide : 0);
    case Action::Map: {
      size_t steps = values.analysis.maps[edge.action.index].steps.size();
      return 10 + repeat * out * (0.5 + 0.1 * steps);
    }
    case Action::Reshape:
      return 1;
    case Action::Transpose:
    case Action::Binary:
      return 10 + repeat * out;
    case Action::Matmul:
      // Tensor cores, against one lane for each element elsewhere.
      return 10 + repeat * in *
                      nominal(nodes[edge.result].value.shape().back()) / 64;
    case Action::Reduce:
      return 20 + repeat * in;
    case Action::Accumulate: {
      // A product accumulates in place.
      bool product = false;
      for (int e : nodes[edge.operands[0]].edges)
        product |= values.edges()[e].action.kind == Action::Matmul;
      return 5 + (product && edge.action.index < 0 ? 0.0 : repeat * in * 0.5);
    }
    case Action::ReduceBlocks:
      return kBlockReduction + 2 * out;
    case Action::Running:
      return edge.action.variant ? 20 + repeat * in : 1;
    case Action::Factor:
      return 10 + repeat * out;
    case Action::Rescale:
      return 5 + repeat * (out + (edge.action.index < 0 ? 0.0 : in * 0.5));
    }
    return 0;
  }

  void computeTreeWeights() {
    tree.assign(values.nodes().size(), std::numeric_limits<double>::infinity());
    // Operands may be newer than a result that was merged: to a fixed point.
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t e = 0; e < values.edges().size(); ++e) {
        const Edge &edge = values.edges()[e];
        double w = treeWeight(e);
        if (w < tree[edge.result] * (1 - 1e-9)) {
          tree[edge.result] = w;
          changed = true;
        }
      }
    }
    sorted.resize(values.nodes().size());
    for (size_t n = 0; n < sorted.size(); ++n) {
      for (int e : values.nodes()[n].edges)
        sorted[n].push_back(e);
      std::stable_sort(sorted[n].begin(), sorted[n].end(), [&](int a, int b) {
        return treeWeight(a) < treeWeight(b);
      });
    }
  }

  double treeWeight(int e) const {
    const Edge &edge = values.edges()[e];
    double w = weights[e];
    for (unsigned i = 0; i < 2; ++i)
      if (edge.operands[i] >= 0 &&
          !(i == 1 && edge.operands[0] == edge.operands[1]))
        w += tree[edge.operands[i]];
    return w;
  }

  void chooseOutputs(const std::vector<std::vector<int>> &options,
                     std::vector<int> &chosen) {
    if (isSpent())
      return;
    if (chosen.size() == options.size()) {
      outputs = chosen;
      chosenEdge.assign(values.nodes().size(), -1);
      marked.assign(values.nodes().size(), 0);
      steps = 0;
      expand(outputs, 0);
      allSteps += steps;
      return;
    }
    std::vector<int> order = options[chosen.size()];
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return tree[a] < tree[b]; });
    if (order.size() > 4)
      order.resize(4);
    for (int node : order) {
      chosen.push_back(node);
      chooseOutputs(options, chosen);
      chosen.pop_back();
    }
  }

  /// Whether no more graphs are read off: outputs of many nodes have very many
  /// choices.
  bool isSpent() {
    bool spent = allSteps + steps > kSteps || finished > kFinished ||
                 (steps % 1024 == 0 && values.isCancelled());
    cut |= spent;
    return spent;
  }

  /// Each node once: what is shared has very many paths.
  bool reaches(int from, int node) {
    ++mark;
    std::vector<int> stack{from};
    while (!stack.empty()) {
      int at = stack.back();
      stack.pop_back();
      if (at == node)
        return true;
      if (marked[at] == mark || chosenEdge[at] < 0)
        continue;
      marked[at] = mark;
      for (int operand : values.edges()[chosenEdge[at]].operands)
        if (operand >= 0)
          stack.push_back(operand);
    }
    return false;
  }

  void expand(std::vector<int> pending, double weight) {
    if (++steps > kStepsPerChoice || isSpent()) {
      cut = true;
      return;
    }
    if (weight > best * 1.5 + 2 * kBlockReduction)
      return;
    while (!pending.empty() && chosenEdge[pending.back()] >= 0)
      pending.pop_back();
    if (pending.empty()) {
      finish(weight);
      return;
    }
    int node = pending.back();
    pending.pop_back();
    unsigned tried = 0;
    for (int e : sorted[node]) {
      const Edge &edge = values.edges()[e];
      bool cyclic = false;
      for (int operand : edge.operands)
        cyclic |= operand >= 0 && reaches(operand, node);
      if (cyclic)
        continue;
      // Beyond a few, alternatives of one value are detours.
      if (++tried > 4)
        break;
      chosenEdge[node] = e;
      std::vector<int> next = pending;
      for (int operand : edge.operands)
        if (operand >= 0)
          next.push_back(operand);
      expand(std::move(next), weight + weights[e]);
      chosenEdge[node] = -1;
    }
  }

  /// Keeps the lightest, of equal ones the first.
  void finish(double weight) {
    ++finished;
    // Most are too heavy: they are not worth being written down.
    if (found.size() == limit && weight >= found.back().weight)
      return;
    GraphSketch graph;
    graph.weight = weight;
    graph.outputs = outputs;
    std::set<int> done;
    for (int node : outputs)
      visit(node, done, graph);
    graph.countedOps = count(graph);
    if (graph.countedOps > maxOps)
      return;
    best = std::min(best, weight);
    found.insert(std::upper_bound(found.begin(), found.end(), weight,
                                  [](double w, const GraphSketch &other) {
                                    return w < other.weight;
                                  }),
                 std::move(graph));
    if (found.size() > limit)
      found.pop_back();
  }

  void visit(int node, std::set<int> &done, GraphSketch &graph) {
    if (!done.insert(node).second)
      return;
    int e = chosenEdge[node];
    for (int operand : values.edges()[e].operands)
      if (operand >= 0)
        visit(operand, done, graph);
    graph.edge[node] = e;
    graph.order.push_back(node);
  }

  /// Counted ops by the search's rule: a chain of maps is one, and so is an
  /// accumulator with its running values.
  unsigned count(const GraphSketch &graph) const {
    unsigned total = 0;
    std::map<int, int> users;
    std::set<std::pair<int, int>> maxima;
    for (auto [node, e] : graph.edge)
      for (int operand : values.edges()[e].operands)
        if (operand >= 0)
          ++users[operand];
    for (auto [node, e] : graph.edge) {
      const Edge &edge = values.edges()[e];
      switch (edge.action.kind) {
      case Action::Load:
      case Action::Reshape:
      case Action::Transpose:
        break;
      case Action::Map: {
        auto from = graph.edge.find(edge.operands[0]);
        bool chained = users[edge.operands[0]] == 1 &&
                       from != graph.edge.end() &&
                       values.edges()[from->second].action.kind == Action::Map;
        total += !chained;
        break;
      }
      case Action::Running:
        maxima.insert({edge.operands[0], edge.action.index});
        break;
      case Action::Accumulate:
        if (edge.action.variant)
          maxima.insert({edge.operands[0], edge.action.index});
        else
          ++total;
        break;
      default:
        ++total;
        break;
      }
    }
    return total + maxima.size();
  }

  const ValueGraph &values;
  unsigned maxOps, limit;
  std::vector<double> weights; ///< of each edge
  std::vector<double> tree;    ///< of each node, nothing shared
  std::vector<std::vector<int>> sorted;
  std::vector<int> outputs;
  std::vector<int> chosenEdge;  ///< of each node, or -1
  std::vector<uint64_t> marked; ///< the last walk that met each node
  uint64_t mark = 0;
  std::vector<GraphSketch> found; ///< lightest first
  uint64_t finished = 0;
  double best = std::numeric_limits<double>::infinity();
  uint64_t steps = 0;    ///< of this choice of outputs
  uint64_t allSteps = 0; ///< of the choices before
  bool cut = false;
};
} // namespace

Extraction mirage::search::extractGraphs(const ValueGraph &values,
                                         unsigned maxOps, unsigned limit) {
  return Extractor(values, maxOps, limit).run();
}
