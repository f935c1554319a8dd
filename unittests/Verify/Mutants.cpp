//===- Mutants.cpp - Every single edit of a program -----------------------===//

#include "Mutants.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::verify::test;

namespace {
class Mutator {
public:
  explicit Mutator(const Program &source) : source(source) {}

  std::vector<Mutant> run() {
    // Ops are found by their place in a walk, in the copy as in the source.
    for (unsigned place = 0;; ++place) {
      Program probe = source;
      const Op *op = find(probe.ops, place);
      if (!op)
        break;
      mutate(place, *op);
    }
    for (size_t i = 1; i < source.outputs.size(); ++i) {
      Program copy = source;
      std::swap(copy.outputs[0], copy.outputs[i]);
      mutants.push_back({"swap outputs", copy});
    }
    return std::move(mutants);
  }

private:
  static Op *find(std::vector<Op> &ops, unsigned place) {
    unsigned at = place;
    return walk(ops, at);
  }
  static Op *walk(std::vector<Op> &ops, unsigned &place) {
    for (Op &op : ops) {
      if (place-- == 0)
        return &op;
      if (Op *inner = walk(op.body, place))
        return inner;
    }
    return nullptr;
  }

  void edit(unsigned place, const std::string &what,
            llvm::function_ref<void(Op &)> change) {
    Program copy = source;
    Op *op = find(copy.ops, place);
    std::string name = "op " + std::to_string(place) + " (" +
                       mnemonic(op->kind).str() + "): " + what;
    change(*op);
    if (toString(copy) != toString(source))
      mutants.push_back({name, std::move(copy)});
  }

  void mutate(unsigned place, const Op &op) {
    swapOperands(place, op);
    changeKind(place, op);
    changeAttributes(place, op);
    changeStructure(place, op);
    bypass(place, op);
  }

  void swapOperands(unsigned place, const Op &op) {
    if (op.operands.size() == 2)
      edit(place, "swap operands",
           [](Op &o) { std::swap(o.operands[0], o.operands[1]); });
    // Another value of the same type, earlier in the program.
    for (size_t i = 0; i < op.operands.size(); ++i)
      for (ValueId id = 0; id < op.operands[i]; ++id)
        if (op.kind != OpKind::Graph &&
            source.type(id) == source.type(op.operands[i]))
          edit(place,
               "operand " + std::to_string(i) + " is " + std::to_string(id),
               [&](Op &o) { o.operands[i] = id; });
  }

  void changeKind(unsigned place, const Op &op) {
    static const std::vector<std::vector<OpKind>> kFamilies = {
        {OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Div, OpKind::Max,
         OpKind::Min},
        {OpKind::Exp, OpKind::Silu, OpKind::GeluTanh, OpKind::GeluErf,
         OpKind::Relu, OpKind::Sigmoid, OpKind::Tanh, OpKind::Sqrt,
         OpKind::Rsqrt, OpKind::Square, OpKind::Abs, OpKind::Neg}};
    for (const std::vector<OpKind> &family : kFamilies)
      if (llvm::is_contained(family, op.kind))
        for (OpKind kind : family)
          if (kind != op.kind)
            edit(place, "kind " + mnemonic(kind).str(),
                 [&](Op &o) { o.kind = kind; });
  }

  void changeAttributes(unsigned place, const Op &op) {
    if (op.kind == OpKind::Constant) {
      double value = op.attrs.constant.toDouble();
      for (double other :
           {value * 2, -value, value * (1 + 0x1p-10), 0.0, value * 10})
        edit(place, "value " + std::to_string(other), [&](Op &o) {
          o.attrs.constant = ConstantValue::makeLiteral(other);
        });
      if (op.attrs.constant.extent)
        for (int64_t change : {-1, 1})
          edit(place, "extent " + std::to_string(change),
               [&](Op &o) { o.attrs.constant.extent += change; });
    }
    if (op.kind == OpKind::Matmul)
      edit(place, "transpose the rhs",
           [](Op &o) { o.attrs.transposeRhs = !o.attrs.transposeRhs; });
    if (op.kind == OpKind::Reduce || op.kind == OpKind::ReduceBlocks) {
      for (ReduceKind kind :
           {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Mean})
        if (kind != op.attrs.reduce)
          edit(place, "reduction " + std::to_string(int(kind)),
               [&](Op &o) { o.attrs.reduce = kind; });
      for (int dim : {0, 1, 2}) {
        edit(place, "reduced dim " + std::to_string(dim), [&](Op &o) {
          if (o.kind == OpKind::Reduce)
            o.attrs.dims = {dim};
          else
            o.attrs.gridDim = dim;
        });
      }
    }
    if (op.kind == OpKind::Load || op.kind == OpKind::Store)
      for (int g : {0, 1, 2})
        for (int dim : {-1, 0, 1})
          edit(place,
               "map of " + std::to_string(g) + " to " + std::to_string(dim),
               [&](Op &o) {
                 (o.kind == OpKind::Load ? o.attrs.imap : o.attrs.omap)[g] =
                     dim;
               });
    if (op.kind == OpKind::Load) {
      for (int dim : {-1, 0, 1})
        edit(place, "fmap " + std::to_string(dim),
             [&](Op &o) { o.attrs.fmap = dim; });
      edit(place, "interleave",
           [](Op &o) { o.attrs.interleaved = !o.attrs.interleaved; });
    }
  }

  void changeStructure(unsigned place, const Op &op) {
    if (op.kind == OpKind::Loop) {
      for (int64_t change : {-1, 1})
        edit(place, "range " + std::to_string(change),
             [&](Op &o) { o.attrs.range += change; });
      for (size_t i = 0; i < op.attrs.accumulators.size(); ++i) {
        std::string name = "accumulator " + std::to_string(i);
        edit(place, name + " is a maximum", [&](Op &o) {
          o.attrs.accumulators[i].kind = AccumulatorKind::Max;
        });
        for (int dim : {-1, 0, 1})
          edit(place, name + " reduces " + std::to_string(dim),
               [&](Op &o) { o.attrs.accumulators[i].reduceDim = dim; });
        for (const Op &inner : op.body)
          if (source.type(inner.results[0]).shape ==
                  source.type(op.attrs.accumulators[i].value).shape &&
              inner.results[0] != op.attrs.accumulators[i].value)
            edit(place, name + " adds " + std::to_string(inner.results[0]),
                 [&](Op &o) {
                   o.attrs.accumulators[i].value = inner.results[0];
                 });
      }
      if (op.results.size() == 2 &&
          source.type(op.results[0]) == source.type(op.results[1]))
        edit(place, "swap totals",
             [](Op &o) { std::swap(o.results[0], o.results[1]); });
    }
    if (op.kind == OpKind::Graph)
      for (int g : {0, 1, 2})
        for (int64_t change : {-1, 1})
          edit(place,
               "grid " + std::to_string(g) + " by " + std::to_string(change),
               [&](Op &o) { o.attrs.grid[g] += change; });
  }

  /// Drops an op: whatever reads its result reads one of its operands.
  void bypass(unsigned place, const Op &op) {
    if (op.kind == OpKind::Load || op.results.size() != 1 || !op.body.empty())
      return;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      Program copy = source;
      ValueId from = op.results[0], to = op.operands[i];
      replaceUses(copy.ops, from, to);
      for (ValueId &id : copy.outputs)
        if (id == from)
          id = to;
      mutants.push_back({"drop op " + std::to_string(place) + " (" +
                             mnemonic(op.kind).str() + ") for operand " +
                             std::to_string(i),
                         std::move(copy)});
    }
  }

  static void replaceUses(std::vector<Op> &ops, ValueId from, ValueId to) {
    for (Op &op : ops) {
      for (ValueId &id : op.operands)
        if (id == from)
          id = to;
      for (Accumulator &acc : op.attrs.accumulators)
        if (acc.value == from)
          acc.value = to;
      replaceUses(op.body, from, to);
    }
  }

  const Program &source;
  std::vector<Mutant> mutants;
};
} // namespace

std::vector<Mutant> mirage::verify::test::allMutants(const Program &program) {
  return Mutator(program).run();
}
