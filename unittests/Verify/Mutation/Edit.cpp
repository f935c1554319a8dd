//===- Edit.cpp - Changing one op of a program ----------------------------===//

#include "Edit.h"

using namespace mirage::semantics;
using namespace mirage::verify::mutation;

namespace {
class Retyper {
public:
  explicit Retyper(Program &program) : program(program) {}

  bool run(std::vector<Op> &ops, Op *graph, Op *loop) {
    size_t stores = 0;
    for (Op &op : ops)
      if (!visit(op, graph, loop, stores))
        return false;
    return true;
  }

private:
  bool set(ValueId id, llvm::Expected<TensorType> type) {
    if (!type) {
      llvm::consumeError(type.takeError());
      return false;
    }
    program.values[id] = *type;
    return true;
  }

  bool visit(Op &op, Op *graph, Op *loop, size_t &stores) {
    for (ValueId id : op.operands)
      if (id < 0)
        return false;
    switch (op.kind) {
    case OpKind::Graph:
      return run(op.body, &op, nullptr);
    case OpKind::Loop:
      if (!run(op.body, graph, &op))
        return false;
      for (size_t i = 0; i < op.results.size(); ++i)
        program.values[op.results[i]] = total(op.attrs.accumulators[i]);
      return true;
    case OpKind::Load:
      return set(op.results[0],
                 inferLoadTile(program.type(op.operands[0]), graph->attrs.grid,
                               op.attrs.imap, op.attrs.fmap,
                               loop ? loop->attrs.range : 1));
    case OpKind::Store: {
      ValueId result = graph->results[stores++];
      return set(result, inferStoreTensor(program.type(op.operands[0]),
                                          program.type(result).dtype,
                                          graph->attrs.grid, op.attrs.omap));
    }
    case OpKind::Running:
      program.values[op.results[0]] =
          total(loop->attrs.accumulators[op.attrs.accumulator]);
      return true;
    case OpKind::ReduceBlocks:
      program.values[op.results[0]] = program.type(op.operands[0]);
      return true;
    default: {
      llvm::SmallVector<TensorType, 3> types;
      for (ValueId id : op.operands)
        types.push_back(program.type(id));
      TensorType old = program.type(op.results[0]);
      return set(op.results[0],
                 inferType(op.kind, op.attrs, types,
                           graph ? Level::Block : Level::Kernel, &old));
    }
    }
  }

  TensorType total(const Accumulator &acc) const {
    TensorType type{program.type(acc.value).shape, DType::F32};
    if (acc.reduceDim >= 0 && acc.reduceDim < type.rank())
      type.shape[acc.reduceDim] = 1;
    return type;
  }

  Program &program;
};

bool find(std::vector<Op> &ops, unsigned &place, Site &site) {
  for (size_t i = 0; i < ops.size(); ++i) {
    if (place-- == 0) {
      site.list = &ops;
      site.index = i;
      return true;
    }
    Site inner = site;
    if (ops[i].kind == OpKind::Graph) {
      inner.graph = &ops[i];
      inner.level = Level::Block;
    } else if (ops[i].kind == OpKind::Loop) {
      inner.loop = &ops[i];
    }
    if (find(ops[i].body, place, inner)) {
      site = inner;
      return true;
    }
  }
  return false;
}

void replaceIn(std::vector<Op> &ops, ValueId from, ValueId to) {
  for (Op &op : ops) {
    for (ValueId &id : op.operands)
      if (id == from)
        id = to;
    for (Accumulator &acc : op.attrs.accumulators) {
      if (acc.value == from)
        acc.value = to;
      if (acc.factor == from)
        acc.factor = to;
    }
    replaceIn(op.body, from, to);
  }
}

std::string signatureOf(const Program &program) {
  std::string text;
  for (unsigned i = 0; i < program.numInputs; ++i)
    text += toString(program.type(i)) + ",";
  for (ValueId id : program.outputs)
    text += ">" + toString(program.type(id));
  return text;
}
} // namespace

bool mirage::verify::mutation::retype(Program &program) {
  // The state of a loop may be read before what it accumulates is typed.
  for (int i = 0; i < 2; ++i)
    if (!Retyper(program).run(program.ops, nullptr, nullptr))
      return false;
  return true;
}

bool mirage::verify::mutation::findSite(Program &program, unsigned place,
                                        Site &site) {
  site = {};
  return find(program.ops, place, site);
}

void mirage::verify::mutation::replaceUses(Program &program, ValueId from,
                                           ValueId to) {
  replaceIn(program.ops, from, to);
  for (ValueId &id : program.outputs)
    if (id == from)
      id = to;
}

ValueId Inserter::op(OpKind kind, llvm::ArrayRef<ValueId> operands,
                     Attrs attrs) {
  llvm::SmallVector<TensorType, 3> types;
  for (ValueId id : operands) {
    if (id < 0)
      return -1;
    types.push_back(type(id));
  }
  auto result = inferType(kind, attrs, types, site.level);
  if (!result) {
    llvm::consumeError(result.takeError());
    return -1;
  }
  Op made{kind, std::move(attrs), {}, {program.addValue(*result)}, {}};
  made.operands.assign(operands.begin(), operands.end());
  ValueId id = made.results[0];
  site.list->insert(site.list->begin() + site.index++, std::move(made));
  return id;
}

ValueId Inserter::constant(ConstantValue value, ValueId like) {
  if (like < 0)
    return -1;
  DType dtype = site.level == Level::Block ? DType::F32 : type(like).dtype;
  TensorType made{Shape(type(like).rank(), 1), dtype};
  Op op{OpKind::Constant, {}, {}, {program.addValue(made)}, {}};
  op.attrs.constant = value;
  ValueId id = op.results[0];
  site.list->insert(site.list->begin() + site.index++, std::move(op));
  return id;
}

ValueId Inserter::transpose(ValueId x) {
  if (x < 0 || type(x).rank() < 2)
    return -1;
  Attrs attrs;
  for (int64_t d = 0; d < type(x).rank(); ++d)
    attrs.dims.push_back(d);
  std::swap(attrs.dims[attrs.dims.size() - 1],
            attrs.dims[attrs.dims.size() - 2]);
  return op(OpKind::Transpose, {x}, attrs);
}

ValueId Inserter::reduce(ReduceKind kind, ValueId x,
                         llvm::ArrayRef<int64_t> dims) {
  Attrs attrs;
  attrs.reduce = kind;
  attrs.dims.assign(dims.begin(), dims.end());
  return op(OpKind::Reduce, {x}, attrs);
}

ValueId Inserter::slice(ValueId x, size_t dim, int64_t first, int64_t size) {
  if (x < 0)
    return -1;
  Attrs attrs;
  attrs.sizes = type(x).shape;
  attrs.offsets = Shape(attrs.sizes.size(), 0);
  attrs.strides = Shape(attrs.sizes.size(), 1);
  attrs.offsets[dim] = first;
  attrs.sizes[dim] = size;
  return op(OpKind::Slice, {x}, attrs);
}

ValueId Inserter::concat(llvm::ArrayRef<ValueId> parts, size_t dim) {
  Attrs attrs;
  attrs.dims = {static_cast<int64_t>(dim)};
  return op(OpKind::Concat, parts, attrs);
}

void Inserter::become(OpKind kind, llvm::ArrayRef<ValueId> operands,
                      Attrs attrs) {
  Op &op = target();
  op.kind = kind;
  op.attrs = std::move(attrs);
  op.operands.assign(operands.begin(), operands.end());
}

Editor::Editor(const Program &source)
    : source(source), signature(signatureOf(source)) {
  seen.insert(toString(source));
}

void Editor::offer(llvm::StringRef kind, llvm::StringRef what,
                   llvm::function_ref<bool(Program &)> change) {
  Program copy = source;
  if (!change(copy) || !retype(copy) || signatureOf(copy) != signature)
    return;
  if (llvm::Error e = verifyProgram(copy)) {
    llvm::consumeError(std::move(e));
    return;
  }
  if (seen.insert(toString(copy)).second)
    edited.push_back({kind.str(), what.str(), std::move(copy)});
}

void Editor::offerAt(unsigned place, llvm::StringRef kind, llvm::StringRef what,
                     llvm::function_ref<bool(Program &, Site &)> change) {
  offer(kind, "", [&](Program &copy) {
    Site site;
    return findSite(copy, place, site) && change(copy, site);
  });
  if (!edited.empty() && edited.back().what.empty()) {
    Program probe = source;
    Site site;
    findSite(probe, place, site);
    edited.back().what = "op " + std::to_string(place) + " (" +
                         mnemonic(site.op().kind).str() + "): " + what.str();
  }
}
