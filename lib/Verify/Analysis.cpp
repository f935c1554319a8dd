//===- Analysis.cpp - What an interpretation must know beforehand ---------===//

#include "Analysis.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cmath>
#include <map>

using namespace mirage::semantics;
using namespace mirage::verify;

std::vector<std::string> mirage::verify::softNames(unsigned soft) {
  static constexpr const char *kNames[] = {
      "sqrt", "sigmoid", "erf",     "log",        "pow",
      "max",  "clamp",   "compare", "nested_exp", "rsqrt_extent"};
  std::vector<std::string> names;
  for (unsigned i = 0; i < std::size(kNames); ++i)
    if (soft & (1u << i))
      names.push_back(kNames[i]);
  return names;
}

bool mirage::verify::anyOp(const std::vector<Op> &ops,
                           llvm::function_ref<bool(const Op &)> predicate) {
  for (const Op &op : ops)
    if (predicate(op) || anyOp(op.body, predicate))
      return true;
  return false;
}

bool mirage::verify::isSigmoidal(OpKind kind) {
  return kind == OpKind::Silu || kind == OpKind::Sigmoid ||
         kind == OpKind::Tanh || kind == OpKind::GeluTanh;
}

namespace {
class Analyzer {
public:
  Analyzer(const Program &program, const Interpretation &interpretation)
      : program(program), mode(interpretation) {
    size_t n = program.values.size();
    facts.live.assign(n, 0);
    facts.hasQ.assign(n, true);
    facts.soft.assign(n, 0);
  }

  Analysis run() {
    // Running makes values of a loop depend on later ones: repeat until nothing
    // changes. hasQ only falls, live and soft only grow.
    do {
      changed = false;
      forward(program.ops, nullptr);
    } while (changed);
    for (ValueId id : program.outputs)
      need(id, kP);
    do {
      changed = false;
      backward(program.ops, nullptr);
    } while (changed);
    return std::move(facts);
  }

private:
  /// Bits of the symbols that `op` itself brings in.
  unsigned ownSoft(const Op &op) const {
    bool argHasQ = op.operands.empty() || facts.hasQ[op.operands[0]];
    unsigned sigmoid =
        mode.sigmoidThroughExp ? (argHasQ ? 0 : kSoftNestedExp) : kSoftSigmoid;
    switch (op.kind) {
    case OpKind::Exp:
      return argHasQ ? 0 : kSoftNestedExp;
    case OpKind::Log:
      return kSoftLog;
    case OpKind::Silu:
    case OpKind::Sigmoid:
    case OpKind::Tanh:
    case OpKind::GeluTanh:
      return sigmoid;
    case OpKind::GeluErf:
    case OpKind::Erf:
      return kSoftErf;
    case OpKind::Sqrt:
    case OpKind::Rsqrt:
      return kSoftSqrt;
    case OpKind::Relu:
    case OpKind::Abs:
    case OpKind::Max:
    case OpKind::Min:
      return kSoftMax;
    case OpKind::Clamp:
      return kSoftClamp;
    case OpKind::Pow:
      return kSoftPow | kSoftSqrt;
    case OpKind::Compare:
    case OpKind::Select:
      return kSoftCompare;
    case OpKind::Reduce:
    case OpKind::ReduceBlocks:
      return op.attrs.reduce == ReduceKind::Max ? kSoftMax : 0;
    case OpKind::Constant: {
      if (op.attrs.constant.kind != ConstantValue::Kind::RsqrtExtent)
        return 0;
      int64_t n = op.attrs.constant.extent;
      int64_t root = std::llround(std::sqrt(static_cast<double>(n)));
      return root * root == n ? 0 : kSoftConstant;
    }
    default:
      return 0;
    }
  }

  static bool leavesQ(const Op &op) { return op.kind == OpKind::Exp; }

  /// Kinds whose value is a keyed function of p components alone, so that its q
  /// component exists whatever the operands have.
  static bool isKeyed(OpKind kind) {
    switch (kind) {
    case OpKind::Log:
    case OpKind::Sqrt:
    case OpKind::Rsqrt:
    case OpKind::Clamp:
      return true;
    default:
      return false;
    }
  }

  void meet(ValueId id, bool hasQ, unsigned soft) {
    if (!hasQ && facts.hasQ[id]) {
      facts.hasQ[id] = false;
      changed = true;
    }
    if (soft & ~facts.soft[id]) {
      facts.soft[id] |= soft;
      changed = true;
    }
  }

  void forward(const std::vector<Op> &ops, const Op *parent) {
    size_t stores = 0;
    for (const Op &op : ops) {
      if (op.kind == OpKind::Graph || op.kind == OpKind::Loop) {
        forward(op.body, &op);
        if (op.kind == OpKind::Loop)
          for (size_t i = 0; i < op.results.size(); ++i)
            meetAccumulator(op.results[i], op.attrs.accumulators[i]);
        continue;
      }
      if (op.kind == OpKind::Store) {
        ValueId result = parent->results[stores++];
        meet(result, facts.hasQ[op.operands[0]], facts.soft[op.operands[0]]);
        continue;
      }
      if (op.kind == OpKind::Running) {
        meetAccumulator(op.results[0],
                        parent->attrs.accumulators[op.attrs.accumulator]);
        continue;
      }
      bool hasQ = true;
      unsigned soft = ownSoft(op);
      for (ValueId id : op.operands) {
        hasQ &= facts.hasQ[id];
        soft |= facts.soft[id];
      }
      if (isKeyed(op.kind))
        hasQ = true;
      if (leavesQ(op) || (mode.sigmoidThroughExp && isSigmoidal(op.kind)))
        hasQ = false;
      meet(op.results[0], hasQ, soft);
    }
  }

  void meetAccumulator(ValueId id, const Accumulator &acc) {
    bool hasQ = facts.hasQ[acc.value];
    unsigned soft = facts.soft[acc.value];
    if (acc.kind == AccumulatorKind::Max)
      soft |= kSoftMax;
    if (acc.factor >= 0) {
      hasQ &= facts.hasQ[acc.factor];
      soft |= facts.soft[acc.factor];
    }
    meet(id, hasQ, soft);
  }

  void need(ValueId id, uint8_t components) {
    if (!mode.withExp)
      components = components ? kP : 0;
    if (components & ~facts.live[id]) {
      facts.live[id] |= components;
      changed = true;
    }
  }

  void needAccumulator(const Accumulator &acc, uint8_t live) {
    if (live && acc.kind == AccumulatorKind::Max)
      live |= kP;
    need(acc.value, live);
    if (acc.factor >= 0)
      need(acc.factor, live);
  }

  void backward(const std::vector<Op> &ops, const Op *parent) {
    size_t stores = parent ? parent->results.size() : 0;
    for (auto it = ops.rbegin(); it != ops.rend(); ++it) {
      const Op &op = *it;
      if (op.kind == OpKind::Graph || op.kind == OpKind::Loop) {
        if (op.kind == OpKind::Loop)
          for (size_t i = 0; i < op.results.size(); ++i)
            needAccumulator(op.attrs.accumulators[i],
                            facts.live[op.results[i]]);
        backward(op.body, &op);
        continue;
      }
      if (op.kind == OpKind::Store) {
        need(op.operands[0], facts.live[parent->results[--stores]]);
        continue;
      }
      uint8_t live = facts.live[op.results[0]];
      if (op.kind == OpKind::Running) {
        // What the state keeps is what the loop's total keeps.
        need(parent->results[op.attrs.accumulator], live);
        continue;
      }
      if (!live)
        continue;
      for (ValueId id : op.operands)
        need(id, operandNeed(op, id, live));
    }
  }

  uint8_t operandNeed(const Op &op, ValueId operand, uint8_t live) const {
    bool throughExp = mode.sigmoidThroughExp && isSigmoidal(op.kind);
    if (op.kind == OpKind::Exp || throughExp) {
      if (!mode.withExp || !facts.hasQ[operand])
        return kP;
      // sigmoid reads q only; the others also multiply by their argument.
      return op.kind == OpKind::Exp || op.kind == OpKind::Sigmoid ||
                     op.kind == OpKind::Tanh
                 ? kQ
                 : kP | kQ;
    }
    if (ownSoft(op) || isKeyed(op.kind))
      return live | kP;
    return live;
  }

  const Program &program;
  Interpretation mode;
  Analysis facts;
  bool changed = false;
};
} // namespace

Analysis mirage::verify::analyze(const Program &program,
                                 const Interpretation &interpretation) {
  return Analyzer(program, interpretation).run();
}
