//===- Shrink.cpp - The same pair of programs at small sizes --------------===//

#include "Shrink.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>
#include <set>

using namespace mirage::semantics;

namespace {
class Shrinker {
public:
  Shrinker(const Program &f, const Program &g) : source{&f, &g} {}

  std::optional<mirage::verify::ShrunkPair> run() {
    for (int side : {0, 1}) {
      first[side].resize(source[side]->values.size());
      for (size_t id = 0; id < first[side].size(); ++id) {
        first[side][id] = parent.size();
        for (int64_t dim : source[side]->values[id].shape) {
          parent.push_back(parent.size());
          extent.push_back(dim);
        }
      }
    }
    frozen.assign(parent.size(), false);
    for (unsigned i = 0; i < source[0]->numInputs; ++i)
      uniteAll(node(0, i), node(1, i), source[0]->type(i).rank());
    for (size_t i = 0; i < source[0]->outputs.size(); ++i)
      uniteAll(node(0, source[0]->outputs[i]), node(1, source[1]->outputs[i]),
               source[0]->type(source[0]->outputs[i]).rank());
    for (int side : {0, 1})
      visit(side, source[side]->ops, nullptr, nullptr);
    closeTilings();
    for (int side : {0, 1})
      uniteSizeTied(side, source[side]->ops);
    closeTilings();
    if (!assign())
      return std::nullopt;
    mirage::verify::ShrunkPair pair{rebuild(0), rebuild(1)};
    for (const Program *program : {&pair.f, &pair.g})
      if (llvm::Error e = verifyProgram(*program)) {
        llvm::consumeError(std::move(e));
        return std::nullopt;
      }
    return pair;
  }

private:
  /// A tensor's dim cut into equal tiles: `whole` = factors * `tile`.
  struct Tiling {
    size_t whole, tile;
    std::vector<int64_t> factors, small; ///< before and after
    std::string key;                     ///< names the axes and the loop
  };

  size_t node(int side, ValueId id, size_t dim = 0) const {
    return first[side][id] + dim;
  }
  size_t find(size_t n) {
    while (parent[n] != n)
      n = parent[n] = parent[parent[n]];
    return n;
  }
  bool unite(size_t a, size_t b) {
    a = find(a), b = find(b);
    if (a == b || extent[a] != extent[b])
      return false;
    parent[b] = a;
    frozen[a] = frozen[a] || frozen[b];
    return true;
  }
  void uniteAll(size_t a, size_t b, size_t rank) {
    for (size_t i = 0; i < rank; ++i)
      unite(a + i, b + i);
  }
  void freeze(int side, ValueId id) {
    for (size_t i = 0; i < source[side]->type(id).shape.size(); ++i)
      frozen[find(node(side, id, i))] = true;
  }

  static int64_t smallGrid(int64_t size, int axis) {
    constexpr int64_t kSizes[] = {2, 3, 5};
    return std::min(size, kSizes[axis]);
  }
  static int64_t smallLoop(int64_t range) {
    return std::min<int64_t>(range, 3);
  }

  void visit(int side, const std::vector<Op> &ops, const Op *graph,
             const Op *loop) {
    const Program &p = *source[side];
    size_t stores = 0;
    for (const Op &op : ops) {
      switch (op.kind) {
      case OpKind::Graph:
        visit(side, op.body, &op, nullptr);
        continue;
      case OpKind::Loop:
        visit(side, op.body, graph, &op);
        for (size_t i = 0; i < op.results.size(); ++i) {
          const Accumulator &acc = op.attrs.accumulators[i];
          for (ValueId id : {acc.value, acc.factor})
            if (id >= 0)
              uniteEqual(side, id, op.results[i]);
        }
        continue;
      case OpKind::Load:
        tile(side, op.operands[0], op.results[0], *graph, loop, op.attrs.imap,
             op.attrs.fmap);
        continue;
      case OpKind::Store:
        tile(side, graph->results[stores++], op.operands[0], *graph, nullptr,
             op.attrs.omap, -1);
        continue;
      case OpKind::Running:
        uniteEqual(side, loop->results[op.attrs.accumulator], op.results[0]);
        continue;
      case OpKind::Matmul: {
        ValueId a = op.operands[0], b = op.operands[1], r = op.results[0];
        size_t rank = p.type(r).shape.size();
        size_t k = op.attrs.transposeRhs ? rank - 1 : rank - 2;
        size_t n = op.attrs.transposeRhs ? rank - 2 : rank - 1;
        for (size_t i = 0; i + 2 < rank; ++i) {
          unite(node(side, a, i), node(side, r, i));
          unite(node(side, b, i), node(side, r, i));
        }
        unite(node(side, a, rank - 2), node(side, r, rank - 2));
        unite(node(side, b, n), node(side, r, rank - 1));
        unite(node(side, a, rank - 1), node(side, b, k));
        continue;
      }
      case OpKind::Transpose:
        for (size_t i = 0; i < op.attrs.dims.size(); ++i)
          unite(node(side, op.operands[0], op.attrs.dims[i]),
                node(side, op.results[0], i));
        continue;
      case OpKind::Reshape:
      case OpKind::Slice:
      case OpKind::Concat:
      case OpKind::Gather:
        for (ValueId id : op.operands)
          freeze(side, id);
        freeze(side, op.results[0]);
        continue;
      default:
        for (ValueId id : op.operands)
          uniteEqual(side, id, op.results[0]);
        // A norm's weight stands against the last dims.
        continue;
      }
    }
  }

  /// Dims that an elementwise op, a broadcast or a reduction keeps. Those of
  /// extent 1 stay as they are.
  void uniteEqual(int side, ValueId a, ValueId b) {
    const Shape &x = source[side]->type(a).shape;
    const Shape &y = source[side]->type(b).shape;
    size_t n = std::min(x.size(), y.size());
    for (size_t i = 1; i <= n; ++i)
      unite(node(side, a, x.size() - i), node(side, b, y.size() - i));
  }

  void tile(int side, ValueId tensor, ValueId part, const Op &graph,
            const Op *loop, const GridMap &map, int fmap) {
    for (size_t d = 0; d < source[side]->type(part).shape.size(); ++d) {
      Tiling t{node(side, tensor, d), node(side, part, d), {}, {}, ""};
      for (int g = 0; g < 3; ++g)
        if (map[g] == static_cast<int>(d) && graph.attrs.grid[g] > 1) {
          t.factors.push_back(graph.attrs.grid[g]);
          t.small.push_back(smallGrid(graph.attrs.grid[g], g));
          t.key += "g" + std::to_string(side) + "." +
                   std::to_string(graph.results[0]) + "." + std::to_string(g);
        }
      if (fmap == static_cast<int>(d) && loop && loop->attrs.range > 1) {
        t.factors.push_back(loop->attrs.range);
        t.small.push_back(smallLoop(loop->attrs.range));
        t.key += "l" + std::to_string(side) + "." +
                 std::to_string(loop->results.empty() ? -1 : loop->results[0]);
      }
      if (t.factors.empty())
        unite(t.whole, t.tile);
      else
        tilings.push_back(std::move(t));
    }
  }

  /// Tiles cut alike are equal where their wholes are, and the other way round.
  void closeTilings() {
    for (bool changed = true; changed;) {
      changed = false;
      std::map<std::pair<std::string, size_t>, size_t> tiles, wholes;
      for (const Tiling &t : tilings) {
        auto byWhole = tiles.try_emplace({t.key, find(t.whole)}, t.tile).first;
        changed |= unite(byWhole->second, t.tile);
        auto byTile = wholes.try_emplace({t.key, find(t.tile)}, t.whole).first;
        changed |= unite(byTile->second, t.whole);
      }
    }
  }

  /// 1/n must follow one class.
  void uniteSizeTied(int side, const std::vector<Op> &ops) {
    for (const Op &op : ops) {
      if (op.kind == OpKind::Constant && op.attrs.constant.extent > 1) {
        std::optional<size_t> same;
        for (size_t n = 0; n < parent.size(); ++n)
          if (extent[n] == op.attrs.constant.extent) {
            if (same)
              unite(*same, n);
            same = n;
          }
      }
      uniteSizeTied(side, op.body);
    }
  }

  bool assign() {
    // Factors that each class is cut into.
    std::map<size_t, std::vector<const Tiling *>> cuts;
    std::set<size_t> isTile;
    for (const Tiling &t : tilings) {
      cuts[find(t.whole)].push_back(&t);
      isTile.insert(find(t.tile));
    }
    auto product = [](const std::vector<int64_t> &factors) {
      return std::accumulate(factors.begin(), factors.end(), int64_t(1),
                             std::multiplies<int64_t>());
    };
    int64_t next = 4;
    for (size_t n = 0; n < parent.size(); ++n) {
      if (find(n) != n)
        continue;
      auto it = cuts.find(n);
      if (it == cuts.end()) {
        if (isTile.count(n))
          continue; // follows from its whole
        int64_t size = extent[n];
        if (!frozen[n] && size > next)
          size = next++;
        if (!set(n, size))
          return false;
        continue;
      }
      if (frozen[n])
        return false;
      int64_t multiple = 1, least = 1;
      bool single = false;
      for (const Tiling *t : it->second) {
        multiple = std::lcm(multiple, product(t->small));
        single |= extent[t->tile] == 1;
      }
      for (const Tiling *t : it->second)
        if (!single && multiple / product(t->small) < 2)
          least = 2;
      if (!set(n, multiple * least))
        return false;
    }
    // Tiles of tiles do not occur: wholes are tensors, tiles are in blocks.
    for (const Tiling &t : tilings) {
      auto whole = sizes.find(find(t.whole));
      if (whole == sizes.end() || whole->second % product(t.small) ||
          !set(find(t.tile), whole->second / product(t.small)))
        return false;
    }
    return true;
  }

  bool set(size_t n, int64_t size) {
    return sizes.try_emplace(n, size).first->second == size;
  }

  Program rebuild(int side) {
    Program p = *source[side];
    for (size_t id = 0; id < p.values.size(); ++id)
      for (size_t d = 0; d < p.values[id].shape.size(); ++d) {
        auto it = sizes.find(find(node(side, id, d)));
        if (it != sizes.end())
          p.values[id].shape[d] = it->second;
      }
    rebuild(p.ops);
    return p;
  }

  void rebuild(std::vector<Op> &ops) {
    for (Op &op : ops) {
      if (op.kind == OpKind::Graph)
        for (int g = 0; g < 3; ++g)
          op.attrs.grid[g] = smallGrid(op.attrs.grid[g], g);
      if (op.kind == OpKind::Graph)
        op.attrs.cluster = {1, 1, 1};
      if (op.kind == OpKind::Loop)
        op.attrs.range = smallLoop(op.attrs.range);
      if (op.kind == OpKind::Constant && op.attrs.constant.extent > 1)
        for (size_t n = 0; n < parent.size(); ++n)
          if (extent[n] == op.attrs.constant.extent) {
            auto it = sizes.find(find(n));
            if (it != sizes.end())
              op.attrs.constant.extent = it->second;
            break;
          }
      rebuild(op.body);
    }
  }

  const Program *source[2];
  std::vector<size_t> first[2];
  std::vector<size_t> parent;
  std::vector<int64_t> extent;
  std::vector<bool> frozen;
  std::vector<Tiling> tilings;
  std::map<size_t, int64_t> sizes;
};
} // namespace

std::optional<mirage::verify::ShrunkPair>
mirage::verify::shrink(const Program &f, const Program &g) {
  return Shrinker(f, g).run();
}
