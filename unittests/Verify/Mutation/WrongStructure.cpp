//===- WrongStructure.cpp - Wrong maps, loops, grids and signatures -------===//

#include "Wrong.h"
#include "llvm/ADT/STLExtras.h"

using namespace mirage::semantics;
using namespace mirage::verify::mutation;

namespace {
using Change = llvm::function_ref<void(Op &)>;

void set(Editor &editor, unsigned place, llvm::StringRef kind,
         const std::string &what, Change change) {
  editor.offerAt(place, kind, what, [&](Program &, Site &s) {
    change(s.op());
    return true;
  });
}

void changeReduction(Editor &editor, unsigned place, const Op &op,
                     int64_t rank) {
  if (op.kind == OpKind::Reduce || op.kind == OpKind::ReduceBlocks)
    for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Mean})
      set(editor, place, "sum <-> max <-> mean", std::to_string(int(kind)),
          [&](Op &o) { o.attrs.reduce = kind; });
  if (op.kind == OpKind::Reduce || op.kind == OpKind::Softmax)
    for (int64_t dim = 0; dim < rank; ++dim)
      set(editor, place, "reduced dim", std::to_string(dim),
          [&](Op &o) { o.attrs.dims = {dim}; });
  if (op.kind == OpKind::ReduceBlocks)
    for (int axis : {0, 1, 2})
      set(editor, place, "reduced dim", "grid axis " + std::to_string(axis),
          [&](Op &o) { o.attrs.gridDim = axis; });
}

void changeMaps(Editor &editor, unsigned place, const Op &op, int64_t rank) {
  if (op.kind != OpKind::Load && op.kind != OpKind::Store)
    return;
  bool load = op.kind == OpKind::Load;
  auto map = [load](Op &o) -> GridMap & {
    return load ? o.attrs.imap : o.attrs.omap;
  };
  llvm::StringRef kind = load ? "imap" : "omap";
  for (int g : {0, 1, 2}) {
    for (int dim = -1; dim < rank; ++dim)
      set(editor, place, kind,
          "axis " + std::to_string(g) + " to " + std::to_string(dim),
          [&](Op &o) { map(o)[g] = dim; });
    set(editor, place, kind, "permute axis " + std::to_string(g),
        [&](Op &o) { std::swap(map(o)[g], map(o)[(g + 1) % 3]); });
  }
  if (!load)
    return;
  for (int dim = -1; dim < rank; ++dim)
    set(editor, place, "fmap", std::to_string(dim),
        [&](Op &o) { o.attrs.fmap = dim; });
  set(editor, place, "fmap", "interleaved",
      [](Op &o) { o.attrs.interleaved ^= true; });
}

/// The tensor that a load reads, with one tile along `dim` zeroed or replaced
/// by another: a loop or grid that ends early, starts late or reads a tile
/// twice.
void misreadTiles(Editor &editor, unsigned place, const Op &op) {
  if (op.kind != OpKind::Load)
    return;
  const Shape whole = editor.source.type(op.operands[0]).shape;
  const Shape tile = editor.source.type(op.results[0]).shape;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    int64_t size = tile[dim], count = whole[dim] / size;
    if (count < 2)
      continue;
    auto offer = [&](llvm::StringRef kind, llvm::StringRef what, int64_t lost,
                     int64_t instead) {
      editor.offerAt(place, kind, what, [&](Program &p, Site &site) {
        // The change stands before the graph.
        Site outer;
        outer.list = &p.ops;
        while (&p.ops[outer.index] != site.graph)
          ++outer.index;
        Inserter in(p, outer);
        size_t before = outer.index;
        ValueId x = op.operands[0];
        llvm::SmallVector<ValueId, 3> parts;
        if (lost > 0)
          parts.push_back(in.slice(x, dim, 0, lost * size));
        ValueId replaced =
            in.slice(x, dim, (instead < 0 ? lost : instead) * size, size);
        if (instead < 0)
          replaced = in.op(OpKind::Mul, {replaced, in.literal(0, x)});
        parts.push_back(replaced);
        if (lost + 1 < count)
          parts.push_back(
              in.slice(x, dim, (lost + 1) * size, (count - lost - 1) * size));
        ValueId changed = in.concat(parts, dim);
        in.target().operands.push_back(changed);
        // The load moved with its graph.
        Site again;
        if (!findSite(p, place + (outer.index - before), again))
          return false;
        again.op().operands[0] = changed;
        return true;
      });
    };
    offer("loop or grid off by one", "last tile lost", count - 1, -1);
    offer("loop or grid off by one", "first tile lost", 0, -1);
    offer("a tile read twice", "last but one for last", count - 1, count - 2);
    offer("a tile read twice", "second for first", 0, 1);
  }
}

/// Loops over tiles that do not depend on the iteration count them too often.
void changeExtents(Editor &editor, unsigned place, const Op &op) {
  if (op.kind == OpKind::Loop)
    for (int64_t range : {op.attrs.range - 1, op.attrs.range + 1,
                          op.attrs.range * 2, op.attrs.range / 2})
      if (range > 0)
        set(editor, place, "range or grid size", std::to_string(range),
            [&](Op &o) { o.attrs.range = range; });
  if (op.kind == OpKind::Graph)
    for (int g : {0, 1, 2})
      for (int64_t size : {op.attrs.grid[g] - 1, op.attrs.grid[g] + 1,
                           op.attrs.grid[g] * 2, op.attrs.grid[g] / 2})
        if (size > 0)
          set(editor, place, "range or grid size",
              "axis " + std::to_string(g) + " of " + std::to_string(size),
              [&](Op &o) { o.attrs.grid[g] = size; });
}

void changeAccumulators(Editor &editor, unsigned place, const Op &op) {
  if (op.kind == OpKind::Running)
    set(editor, place, "accumulate after instead of before", "state",
        [](Op &o) { o.attrs.current ^= true; });
  if (op.kind != OpKind::Loop)
    return;
  for (size_t i = 0; i < op.attrs.accumulators.size(); ++i) {
    const Accumulator &acc = op.attrs.accumulators[i];
    std::string name = "accumulator " + std::to_string(i);
    auto change = [&](llvm::StringRef kind, const std::string &what,
                      llvm::function_ref<void(Accumulator &)> how) {
      set(editor, place, kind, name + what,
          [&](Op &o) { how(o.attrs.accumulators[i]); });
    };
    if (acc.kind == AccumulatorKind::Rescale)
      change("drop a rescale", "", [](Accumulator &a) {
        a.kind = AccumulatorKind::Sum;
        a.factor = -1;
      });
    else
      change("sum <-> max <-> mean", "", [](Accumulator &a) {
        a.kind = a.kind == AccumulatorKind::Sum ? AccumulatorKind::Max
                                                : AccumulatorKind::Sum;
      });
    const Shape &shape = editor.source.type(acc.value).shape;
    for (int dim = -1; dim < static_cast<int>(shape.size()); ++dim)
      change("reduced dim", " to " + std::to_string(dim),
             [&](Accumulator &a) { a.reduceDim = dim; });
    for (const Op &inner : op.body) {
      ValueId id = inner.results[0];
      if (editor.source.type(id).shape == shape && id != acc.value)
        change("read another value", " adds " + std::to_string(id),
               [&](Accumulator &a) { a.value = id; });
      if (acc.factor >= 0 && id != acc.factor &&
          editor.source.type(id).shape == editor.source.type(acc.factor).shape)
        change("drop a rescale", " scaled by " + std::to_string(id),
               [&](Accumulator &a) { a.factor = id; });
    }
  }
}

/// f(sum x) for sum f(x), and the other way round.
void moveAcrossSum(Editor &editor, unsigned place, const Op &op) {
  if (op.kind != OpKind::Loop)
    return;
  for (size_t i = 0; i < op.attrs.accumulators.size(); ++i) {
    const Accumulator &acc = op.attrs.accumulators[i];
    for (const Op &inner : op.body) {
      if (inner.results[0] != acc.value ||
          opClass(inner.kind) != OpClass::Unary)
        continue;
      editor.offerAt(place, "accumulate after instead of before",
                     mnemonic(inner.kind), [&](Program &p, Site &s) {
                       ValueId total = s.op().results[i];
                       s.op().attrs.accumulators[i].value = inner.operands[0];
                       ++s.index;
                       Inserter in(p, s);
                       ValueId late = p.addValue(p.type(total));
                       Op made{inner.kind, inner.attrs, {total}, {late}, {}};
                       replaceUses(p, total, late);
                       s.list->insert(s.list->begin() + s.index, made);
                       return true;
                     });
    }
    // What reads the total and nothing else moves into the loop.
    Program probe = editor.source;
    Site site;
    if (!findSite(probe, place, site))
      continue;
    for (size_t at = site.index + 1; at < site.list->size(); ++at) {
      const Op &reader = (*site.list)[at];
      if (reader.operands.size() != 1 || reader.operands[0] != op.results[i] ||
          opClass(reader.kind) != OpClass::Unary)
        continue;
      editor.offerAt(place, "accumulate before instead of after",
                     mnemonic(reader.kind), [&](Program &p, Site &s) {
                       Op &loop = s.op();
                       Accumulator &a = loop.attrs.accumulators[i];
                       ValueId early = p.addValue(p.type(a.value));
                       loop.body.push_back(
                           {reader.kind, reader.attrs, {a.value}, {early}, {}});
                       a.value = early;
                       ValueId total = loop.results[i];
                       replaceUses(p, reader.results[0], total);
                       return true;
                     });
    }
  }
}

/// Two results of one type, or the totals of a loop, in the wrong order.
void swapResults(Editor &editor, unsigned place, const Op &op) {
  if (op.kind != OpKind::Loop && op.kind != OpKind::Graph)
    return;
  for (size_t i = 0; i < op.results.size(); ++i)
    for (size_t j = i + 1; j < op.results.size(); ++j)
      if (editor.source.type(op.results[i]) ==
          editor.source.type(op.results[j]))
        set(editor, place, "swap outputs", "results",
            [&](Op &o) { std::swap(o.results[i], o.results[j]); });
}

void swapInterface(Editor &editor) {
  const Program &p = editor.source;
  for (size_t i = 0; i < p.outputs.size(); ++i)
    for (size_t j = i + 1; j < p.outputs.size(); ++j)
      editor.offer("swap outputs",
                   "outputs " + std::to_string(i) + " and " + std::to_string(j),
                   [&](Program &copy) {
                     std::swap(copy.outputs[i], copy.outputs[j]);
                     return true;
                   });
  for (unsigned i = 0; i < p.numInputs; ++i)
    for (unsigned j = i + 1; j < p.numInputs; ++j)
      if (p.type(i) == p.type(j))
        editor.offer("swap inputs",
                     "inputs " + std::to_string(i) + " and " +
                         std::to_string(j),
                     [&](Program &copy) {
                       ValueId fresh = copy.addValue(copy.type(i));
                       replaceUses(copy, i, fresh);
                       replaceUses(copy, j, i);
                       replaceUses(copy, fresh, j);
                       copy.values.pop_back();
                       return true;
                     });
}
} // namespace

void mirage::verify::mutation::editStructure(Editor &editor, unsigned place,
                                             const Op &op) {
  int64_t rank = -1;
  if (!op.operands.empty())
    rank = editor.source.type(op.operands[0]).rank();
  changeReduction(editor, place, op, rank);
  changeMaps(editor, place, op, rank);
  misreadTiles(editor, place, op);
  changeExtents(editor, place, op);
  changeAccumulators(editor, place, op);
  moveAcrossSum(editor, place, op);
  swapResults(editor, place, op);
}

std::vector<Edited>
mirage::verify::mutation::wrongEdits(const Program &program) {
  Editor editor(program);
  Program copy = program;
  Site site;
  for (unsigned place = 0; findSite(copy, place, site); ++place) {
    const Op op = site.op();
    editOps(editor, place, op);
    editStructure(editor, place, op);
  }
  swapInterface(editor);
  return std::move(editor.edited);
}
