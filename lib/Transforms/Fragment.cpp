//===- Fragment.cpp - A part of a function that is searched ---------------===//

#include "Fragment.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mirage;

namespace {
/// True when `op`, or an op in its regions, reads a result of `run`.
bool reads(Operation &op, ArrayRef<Operation *> run) {
  return op
      .walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (llvm::is_contained(run, operand.getDefiningOp()))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}
} // namespace

bool mirage::isPredefined(Operation &op) {
  return isa_and_nonnull<kernel::KernelDialect>(op.getDialect()) &&
         !isa<kernel::GraphOp, kernel::LaunchOp>(op);
}

namespace {
/// Ops in the order in which a walk from the outputs completes them, operands
/// first to last; inputs in the order in which it meets them. That is the same
/// for every order of independent ops.
class CanonicalWalk {
public:
  explicit CanonicalWalk(const llvm::SetVector<Operation *> &members)
      : members(members) {}

  void visit(Value value) {
    // Not by recursion: a chain may be as long as a program.
    SmallVector<std::pair<Operation *, unsigned>> stack;
    enter(value, stack);
    while (!stack.empty()) {
      auto &[op, next] = stack.back();
      if (next < op->getNumOperands()) {
        Value operand = op->getOperand(next++);
        enter(operand, stack);
        continue;
      }
      order.push_back(op);
      stack.pop_back();
    }
  }

  SmallVector<Operation *> order;
  llvm::SetVector<Value> inputs;

private:
  void enter(Value value,
             SmallVectorImpl<std::pair<Operation *, unsigned>> &stack) {
    Operation *op = value.getDefiningOp();
    if (!op || !members.contains(op))
      inputs.insert(value);
    else if (seen.insert(op).second)
      stack.push_back({op, 0});
  }

  const llvm::SetVector<Operation *> &members;
  llvm::SmallPtrSet<Operation *, 32> seen;
};

/// Puts inputs and outputs into an order that depends on what is computed and
/// not on the order of independent ops, and returns the ops likewise. Equal
/// programs then are one text, which is searched and kept once.
SmallVector<Operation *>
sortCanonically(Fragment &fragment,
                const llvm::SetVector<Operation *> &members) {
  if (fragment.outputs.size() > 1) {
    SmallVector<std::pair<std::string, Value>> texts;
    for (Value output : fragment.outputs) {
      CanonicalWalk walk(members);
      walk.visit(output);
      FailureOr<semantics::Program> alone =
          toProgram(walk.order, walk.inputs.getArrayRef(), output);
      texts.push_back(
          {succeeded(alone) ? semantics::toString(*alone) : "", output});
    }
    llvm::stable_sort(
        texts, [](const auto &a, const auto &b) { return a.first < b.first; });
    for (auto [i, text] : llvm::enumerate(texts))
      fragment.outputs[i] = text.second;
  }
  CanonicalWalk walk(members);
  for (Value output : fragment.outputs)
    walk.visit(output);
  // What no output needs is computed all the same.
  for (Operation *op : members)
    for (Value result : op->getResults())
      walk.visit(result);
  fragment.inputs.assign(walk.inputs.begin(), walk.inputs.end());
  return walk.order;
}
} // namespace

SmallVector<SmallVector<Operation *>> mirage::collectRuns(func::FuncOp func) {
  SmallVector<SmallVector<Operation *>> runs(1);
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (isa<kernel::ConstantOp>(op))
      continue;
    if (isPredefined(op))
      runs.back().push_back(&op);
    else if (!runs.back().empty() &&
             (!isMemoryEffectFree(&op) || reads(op, runs.back())))
      runs.emplace_back();
  }
  if (runs.back().empty())
    runs.pop_back();
  return runs;
}

std::optional<Fragment> mirage::makeFragment(ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> members;
  llvm::SetVector<Value> inputs;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (definition && isa<kernel::ConstantOp>(definition))
        members.insert(definition);
      else if (!definition || !members.contains(definition))
        inputs.insert(operand);
    }
    members.insert(op);
  }
  Fragment fragment;
  fragment.ops.assign(members.begin(), members.end());
  fragment.inputs.assign(inputs.begin(), inputs.end());
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        fragment.outputs.push_back(result);
  if (fragment.outputs.empty())
    return std::nullopt;
  // Says once what no program can hold.
  if (failed(toProgram(fragment.ops, fragment.inputs, fragment.outputs)))
    return std::nullopt;
  SmallVector<Operation *> order = sortCanonically(fragment, members);
  FailureOr<semantics::Program> program =
      toProgram(order, fragment.inputs, fragment.outputs);
  if (failed(program))
    return std::nullopt;
  fragment.program = std::move(*program);
  return fragment;
}

SmallVector<kernel::GraphOp>
mirage::replaceFragment(const Fragment &fragment,
                        const semantics::Program &program) {
  Operation *last = fragment.ops.back();
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  SmallVector<Location> locations;
  for (Operation *op : fragment.ops)
    if (!isa<kernel::ConstantOp>(op))
      locations.push_back(op->getLoc());
  Location loc = FusedLoc::get(locations, {}, builder.getContext());
  SmallVector<Value> values =
      fromProgram(builder, loc, program, fragment.inputs);
  llvm::SetVector<Operation *> graphs;
  for (auto [from, to] : llvm::zip(fragment.outputs, values)) {
    Value(from).replaceAllUsesWith(to);
    if (Operation *definition = to.getDefiningOp())
      graphs.insert(definition);
  }
  for (Operation *op : llvm::reverse(fragment.ops))
    if (op->use_empty())
      op->erase();
  SmallVector<kernel::GraphOp> result;
  for (Operation *op : graphs)
    if (auto graph = dyn_cast<kernel::GraphOp>(op))
      result.push_back(graph);
  return result;
}
