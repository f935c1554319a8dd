//===- Normalise.cpp - Laws applied before evaluation ---------------------===//

#include "Normalise.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mirage::semantics;

namespace {
//===----------------------------------------------------------------------===//
// L1: softmax x = exp(x) / sum(exp(x)). In exact arithmetic the shift by the
// maximum cancels; without it neither maxima nor their error terms arise.
//===----------------------------------------------------------------------===//

void unshiftSoftmax(Program &program, std::vector<Op> &ops) {
  std::vector<Op> out;
  for (Op &op : ops) {
    unshiftSoftmax(program, op.body);
    if (op.kind != OpKind::Softmax) {
      out.push_back(std::move(op));
      continue;
    }
    TensorType type{program.type(op.results[0]).shape, DType::F32};
    TensorType sumType = type;
    sumType.shape[op.attrs.dims[0]] = 1;
    ValueId e = program.addValue(type), total = program.addValue(sumType);
    Attrs sum;
    sum.dims = op.attrs.dims;
    out.push_back({OpKind::Exp, {}, op.operands, {e}, {}});
    out.push_back({OpKind::Reduce, sum, {e}, {total}, {}});
    out.push_back({OpKind::Div, {}, {e, total}, op.results, {}});
  }
  ops = std::move(out);
}

//===----------------------------------------------------------------------===//
// L1: composite ops at block level. Semantics decomposes those at kernel level.
//===----------------------------------------------------------------------===//

class BlockDecomposer {
public:
  explicit BlockDecomposer(Program &program) : program(program) {}

  void run(std::vector<Op> &ops, bool inBlock) {
    std::vector<Op> out;
    for (Op &op : ops) {
      run(op.body, inBlock || op.kind == OpKind::Graph);
      if (inBlock)
        rewrite(op, out);
      else
        out.push_back(std::move(op));
    }
    ops = std::move(out);
  }

private:
  void rewrite(Op &op, std::vector<Op> &out) {
    bool isMean =
        op.kind == OpKind::Reduce && op.attrs.reduce == ReduceKind::Mean;
    if (op.kind != OpKind::RmsNorm && op.kind != OpKind::LayerNorm &&
        op.kind != OpKind::Softmax && !isMean) {
      out.push_back(std::move(op));
      return;
    }
    // A kernel-level program of this one op, decomposed there. Element types do
    // not matter here.
    Program single;
    for (ValueId id : op.operands)
      single.addInput({program.type(id).shape, DType::F32});
    Op copy = op;
    for (size_t i = 0; i < op.operands.size(); ++i)
      copy.operands[i] = static_cast<ValueId>(i);
    copy.results = {
        single.addValue({program.type(op.results[0]).shape, DType::F32})};
    single.ops = {copy};
    single.outputs = {copy.results[0]};
    Program primitives = decompose(single);
    std::vector<ValueId> to(primitives.values.size(), -1);
    for (size_t i = 0; i < op.operands.size(); ++i)
      to[i] = op.operands[i];
    to[copy.results[0]] = op.results[0];
    for (Op &primitive : primitives.ops) {
      for (ValueId &id : primitive.operands)
        id = to[id];
      for (ValueId &id : primitive.results) {
        if (to[id] < 0)
          to[id] = program.addValue(primitives.type(id));
        id = to[id];
      }
      out.push_back(std::move(primitive));
    }
  }

  Program &program;
};

//===----------------------------------------------------------------------===//
// L4: a / (1 + exp(-x)) to a * sigmoid x.
//===----------------------------------------------------------------------===//

class SigmoidFolder {
public:
  explicit SigmoidFolder(Program &program) : program(program) {}

  bool run() {
    index(program.ops);
    fold(program.ops);
    return folded;
  }

private:
  void index(std::vector<Op> &ops) {
    for (Op &op : ops) {
      for (ValueId id : op.results)
        definitions[id] = op; // a copy: lists of ops grow below
      index(op.body);
    }
  }

  const Op *definition(ValueId id, OpKind kind) const {
    auto it = definitions.find(id);
    return it != definitions.end() && it->second.kind == kind ? &it->second
                                                              : nullptr;
  }

  bool isConstant(ValueId id, double value) const {
    while (const Op *move = definition(id, OpKind::Broadcast))
      id = move->operands[0];
    const Op *op = definition(id, OpKind::Constant);
    return op && op->attrs.constant.toDouble() == value;
  }

  /// x, if `id` is -x.
  ValueId negated(ValueId id) const {
    if (const Op *op = definition(id, OpKind::Neg))
      return op->operands[0];
    if (const Op *op = definition(id, OpKind::Mul))
      for (int i : {0, 1})
        if (isConstant(op->operands[i], -1.0) &&
            program.type(op->operands[1 - i]).shape == program.type(id).shape)
          return op->operands[1 - i];
    if (const Op *op = definition(id, OpKind::Sub))
      if (isConstant(op->operands[0], 0.0) &&
          program.type(op->operands[1]).shape == program.type(id).shape)
        return op->operands[1];
    return -1;
  }

  /// x, if `id` is 1 + exp(-x).
  ValueId sigmoidDenominator(ValueId id) const {
    const Op *sum = definition(id, OpKind::Add);
    if (!sum)
      return -1;
    for (int i : {0, 1}) {
      const Op *exp = definition(sum->operands[1 - i], OpKind::Exp);
      if (exp && isConstant(sum->operands[i], 1.0) &&
          program.type(exp->results[0]).shape == program.type(id).shape)
        return negated(exp->operands[0]);
    }
    return -1;
  }

  void fold(std::vector<Op> &ops) {
    std::vector<Op> out;
    for (Op &op : ops) {
      fold(op.body);
      bool divides = op.kind == OpKind::Div || op.kind == OpKind::Reciprocal;
      ValueId x = divides ? sigmoidDenominator(op.operands.back()) : -1;
      if (x < 0) {
        out.push_back(std::move(op));
        continue;
      }
      folded = true;
      TensorType type = program.type(op.results[0]);
      bool inverts = op.kind == OpKind::Reciprocal ||
                     (isConstant(op.operands[0], 1.0) &&
                      program.type(x).shape == type.shape);
      if (inverts) {
        out.push_back({OpKind::Sigmoid, {}, {x}, op.results, {}});
        continue;
      }
      ValueId sigmoid = program.addValue({program.type(x).shape, type.dtype});
      out.push_back({OpKind::Sigmoid, {}, {x}, {sigmoid}, {}});
      out.push_back(
          {OpKind::Mul, {}, {op.operands[0], sigmoid}, op.results, {}});
    }
    ops = std::move(out);
  }

  Program &program;
  std::map<ValueId, Op> definitions;
  bool folded = false;
};

//===----------------------------------------------------------------------===//
// Dead values
//===----------------------------------------------------------------------===//

void markUses(const Op &op, std::vector<bool> &used) {
  for (ValueId id : op.operands)
    used[id] = true;
  for (const Accumulator &acc : op.attrs.accumulators)
    for (ValueId id : {acc.value, acc.factor})
      if (id >= 0)
        used[id] = true;
  for (const Op &inner : op.body)
    markUses(inner, used);
}

/// Drops compute ops and loads that nothing reads. Loops and graphs stay: their
/// results are positional.
bool dropDead(std::vector<Op> &ops, const std::vector<bool> &used) {
  size_t before = ops.size();
  bool changed = false;
  llvm::erase_if(ops, [&](const Op &op) {
    return op.body.empty() && op.kind != OpKind::Store &&
           llvm::none_of(op.results, [&](ValueId id) { return used[id]; });
  });
  for (Op &op : ops)
    changed |= dropDead(op.body, used);
  return changed || ops.size() != before;
}

void collectLaws(const std::vector<Op> &ops, std::set<std::string> &laws) {
  for (const Op &op : ops) {
    switch (op.kind) {
    case OpKind::RmsNorm:
    case OpKind::LayerNorm:
    case OpKind::Softmax:
    case OpKind::Rsqrt:
    case OpKind::Reciprocal:
    case OpKind::Square:
    case OpKind::Pow:
      laws.insert("L1");
      break;
    case OpKind::Silu:
    case OpKind::Tanh:
    case OpKind::GeluTanh:
      laws.insert("L3");
      laws.insert("L4");
      break;
    case OpKind::GeluErf:
      laws.insert("L3");
      laws.insert("L4");
      break;
    case OpKind::Sigmoid:
    case OpKind::Erf:
      laws.insert("L4");
      break;
    case OpKind::Cast:
      laws.insert("L5");
      break;
    case OpKind::Relu:
    case OpKind::Abs:
    case OpKind::Min:
    case OpKind::Max:
    case OpKind::Clamp:
      laws.insert("L6");
      break;
    case OpKind::Reduce:
      if (op.attrs.reduce == ReduceKind::Mean)
        laws.insert("L1");
      break;
    default:
      break;
    }
    if (op.kind == OpKind::Sqrt || op.kind == OpKind::Rsqrt ||
        op.kind == OpKind::RmsNorm || op.kind == OpKind::LayerNorm)
      laws.insert("L2");
    collectLaws(op.body, laws);
  }
}
} // namespace

Program mirage::verify::normalise(const Program &program,
                                  std::set<std::string> &laws,
                                  bool keepsShift) {
  collectLaws(program.ops, laws);
  Program result = program;
  if (!keepsShift)
    unshiftSoftmax(result, result.ops);
  result = decompose(result);
  BlockDecomposer(result).run(result.ops, /*inBlock=*/false);
  if (SigmoidFolder(result).run())
    laws.insert("L4");
  std::vector<bool> used;
  do {
    used.assign(result.values.size(), false);
    for (ValueId id : result.outputs)
      used[id] = true;
    for (const Op &op : result.ops)
      markUses(op, used);
  } while (dropDead(result.ops, used));
  return result;
}

namespace {
class Renumberer {
public:
  explicit Renumberer(const Program &source)
      : source(source), to(source.values.size(), -1) {}

  Program run() {
    for (unsigned i = 0; i < source.numInputs; ++i)
      to[i] = result.addInput(source.type(i));
    // A result of a graph is named when its ops are done, but a loop's
    // accumulators name values of its body: number first, then rename.
    number(source.ops);
    result.ops = source.ops;
    rename(result.ops);
    for (ValueId id : source.outputs)
      result.outputs.push_back(to[id]);
    return std::move(result);
  }

private:
  void number(const std::vector<Op> &ops) {
    for (const Op &op : ops) {
      number(op.body);
      for (ValueId id : op.results)
        to[id] = result.addValue(source.type(id));
    }
  }

  void rename(std::vector<Op> &ops) {
    auto map = [&](ValueId &id) {
      if (id >= 0)
        id = to[id];
    };
    for (Op &op : ops) {
      llvm::for_each(op.operands, map);
      llvm::for_each(op.results, map);
      for (Accumulator &acc : op.attrs.accumulators) {
        map(acc.value);
        map(acc.factor);
      }
      rename(op.body);
    }
  }

  const Program &source;
  Program result;
  std::vector<ValueId> to;
};
} // namespace

Program mirage::verify::canonical(const Program &program) {
  return Renumberer(program).run();
}
