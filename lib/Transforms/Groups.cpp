//===- Groups.cpp - What of a run is always one kernel --------------------===//

#include "Groups.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

using namespace mlir;
using namespace mirage;

namespace {
ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t elementsOf(Operation *op) {
  int64_t result = 1;
  for (int64_t size : shapeOf(op->getResult(0)))
    result *= size;
  return result;
}

bool onlyUnitDimsChange(kernel::ReshapeOp op) {
  auto extents = [](Value value) {
    SmallVector<int64_t> result(shapeOf(value));
    llvm::erase(result, 1);
    return result;
  };
  return extents(op->getOperand(0)) == extents(op->getResult(0));
}

/// Swaps the rows and columns of an operand of one product, which may read it
/// either way.
bool isOperandTranspose(Operation *op) {
  auto transpose = dyn_cast<kernel::TransposeOp>(op);
  if (!transpose)
    return false;
  ArrayRef<int64_t> permutation = transpose.getPerm();
  size_t rank = permutation.size();
  for (size_t d = 0; d < rank; ++d) {
    size_t from = d + 2 < rank ? d : 2 * rank - 3 - d;
    if (permutation[d] != static_cast<int64_t>(from))
      return false;
  }
  while (op->hasOneUse()) {
    op = *op->getUsers().begin();
    auto reshape = dyn_cast<kernel::ReshapeOp>(op);
    if (!reshape || !onlyUnitDimsChange(reshape))
      return isa<kernel::MatmulOp>(op);
  }
  return false;
}

/// No block graph holds it.
bool isAlone(Operation *op) {
  if (auto reshape = dyn_cast<kernel::ReshapeOp>(op))
    return !onlyUnitDimsChange(reshape);
  if (isa<kernel::TransposeOp>(op))
    return !isOperandTranspose(op);
  return isa<kernel::ConcatOp, kernel::SliceOp, kernel::GatherOp,
             kernel::IotaOp>(op);
}
/// Takes no kernel, or is the beginning of the one that reads it.
bool joinsReader(Operation *op) {
  return isa<kernel::ReshapeOp, kernel::BroadcastOp, kernel::CastOp,
             kernel::TransposeOp>(op);
}
bool joinsWriter(Operation *op) {
  return isa<kernel::ReshapeOp, kernel::CastOp>(op);
}
bool isProduct(Operation *op) { return isa<kernel::MatmulOp>(op); }
bool isReshape(Operation *op) { return isa<kernel::ReshapeOp>(op); }
bool hasReshapedOperands(Operation *op) {
  return isProduct(op) && llvm::all_of(op->getOperands(), [](Value operand) {
           return isa_and_nonnull<kernel::ReshapeOp>(operand.getDefiningOp());
         });
}
bool isReduction(Operation *op) {
  return isa<kernel::ReduceOp, kernel::RmsNormOp, kernel::LayerNormOp,
             kernel::SoftmaxOp>(op);
}

/// Merges groups until nothing is left to merge.
class Merger {
public:
  Merger(ArrayRef<Operation *> run, const llvm::DenseSet<Operation *> &bare)
      : sets(run.size()), bare(bare) {
    for (auto [i, op] : llvm::enumerate(run)) {
      position[op] = groupOf[op] = i;
      sets[i].push_back(op);
    }
    // Where both operands of a product are reshaped, both reshapes are its own:
    // else they would have two ranks, which no block graph brings together.
    mergeAll([&](unsigned a, unsigned b) {
      return all(a, isReshape) && !any(a, isAlone) &&
             any(b, hasReshapedOperands);
    });
    mergeAll([&](unsigned a, unsigned b) { return areOne(a, b); });
  }

  std::vector<SmallVector<Operation *>> sets; ///< each in the run's order
  llvm::DenseMap<Operation *, unsigned> position, groupOf;

private:
  const llvm::DenseSet<Operation *> &bare;

  bool any(unsigned g, llvm::function_ref<bool(Operation *)> is) const {
    return llvm::any_of(sets[g], is);
  }
  bool all(unsigned g, llvm::function_ref<bool(Operation *)> is) const {
    return llvm::all_of(sets[g], is);
  }

  template <class F> void mergeAll(F isOne) {
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned a = 0; a < sets.size(); ++a)
        if (std::optional<unsigned> b = reader(a); b && isOne(a, *b)) {
          merge(a, *b);
          changed = true;
        }
    }
  }

  /// The one group that reads this one, if there is one. With it alone merging
  /// makes no circles.
  std::optional<unsigned> reader(unsigned g) const {
    std::optional<unsigned> result;
    for (Operation *op : sets[g])
      for (Operation *user : op->getUsers()) {
        auto at = groupOf.find(user);
        if (at == groupOf.end())
          return std::nullopt;
        if (at->second == g)
          continue;
        if (result && *result != at->second)
          return std::nullopt;
        result = at->second;
      }
    return result;
  }

  llvm::SmallSetVector<Value, 8> inputs(unsigned g) const {
    llvm::SmallSetVector<Value, 8> result;
    for (Operation *op : sets[g])
      for (Value operand : op->getOperands()) {
        Operation *definition = operand.getDefiningOp();
        auto at = groupOf.find(definition);
        if ((at == groupOf.end() || at->second != g) &&
            !isa_and_nonnull<kernel::ConstantOp>(definition))
          result.insert(operand);
      }
    return result;
  }

  /// Counted from the last, each once.
  SmallVector<int64_t> reducedDims(unsigned g) const {
    llvm::SmallSetVector<int64_t, 4> result;
    for (Operation *op : sets[g])
      if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
        for (int64_t d : reduce.getDims())
          result.insert(shapeOf(op->getOperand(0)).size() - d);
      else if (auto softmax = dyn_cast<kernel::SoftmaxOp>(op))
        result.insert(shapeOf(op->getOperand(0)).size() - softmax.getDim());
      else if (isReduction(op))
        result.insert(1); // norms are over the last
    return result.takeVector();
  }

  /// Whether one kernel for both is never worse than two.
  bool areOne(unsigned a, unsigned b) const {
    if (any(a, isAlone) || any(b, isAlone))
      return false;
    if (all(a, joinsReader) || all(b, joinsWriter))
      return true;
    // What begins a kernel does not end another.
    if (any(b, isProduct) || all(b, joinsReader))
      return false;
    int64_t size = elementsOf(sets[a].back());
    if (any(a, isProduct)) // an epilogue
      return !any(a, [&](Operation *op) { return bare.contains(op); }) &&
             !any(b, isReduction) && elementsOf(sets[b].back()) == size &&
             all(b, [&](Operation *op) { return elementsOf(op) <= size; });
    // The rest of a norm behind its reduction, and elementwise chains.
    if (!any(b, isReduction))
      return true;
    if (any(a, isReduction))
      return llvm::all_of(reducedDims(a), [&](int64_t d) {
        return reducedDims(b) == SmallVector<int64_t>{d};
      });
    // A branch of a diamond whose inputs the other reads as well.
    llvm::SmallSetVector<Value, 8> outer = inputs(b);
    return llvm::all_of(inputs(a), [&](Value v) { return outer.contains(v); });
  }

  void merge(unsigned a, unsigned b) {
    for (Operation *op : sets[a]) {
      sets[b].push_back(op);
      groupOf[op] = b;
    }
    sets[a].clear();
    llvm::sort(sets[b], [&](Operation *x, Operation *y) {
      return position.at(x) < position.at(y);
    });
  }
};
} // namespace

Groups::Groups(ArrayRef<Operation *> run,
               const llvm::DenseSet<Operation *> &bare) {
  Merger merger(run, bare);
  for (SmallVector<Operation *> &set : merger.sets)
    if (!set.empty())
      ops.push_back(std::move(set));
  llvm::sort(ops, [&](const auto &a, const auto &b) {
    return merger.position[a.back()] < merger.position[b.back()];
  });
  llvm::DenseMap<Operation *, unsigned> of;
  alone.resize(ops.size());
  for (auto [g, set] : llvm::enumerate(ops)) {
    if (llvm::any_of(set, isAlone))
      alone.set(g);
    for (Operation *op : set)
      of[op] = g;
  }
  users.assign(ops.size(), llvm::BitVector(ops.size()));
  for (auto [g, set] : llvm::enumerate(ops))
    for (Operation *op : set)
      for (Operation *user : op->getUsers())
        if (auto at = of.find(user); at != of.end() && at->second != g)
          users[g].set(at->second);
}

bool Groups::hasEpilogue(unsigned group) const {
  return llvm::any_of(ops[group], isProduct) &&
         !llvm::all_of(ops[group], [](Operation *op) {
           return isProduct(op) || joinsReader(op);
         });
}

SmallVector<Operation *> Groups::collect(ArrayRef<unsigned> groups) const {
  SmallVector<Operation *> result;
  for (unsigned g : groups)
    llvm::append_range(result, ops[g]);
  llvm::sort(result,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return result;
}

bool mirage::gather(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Operation *> members(ops.begin(), ops.end()), readers;
  SmallVector<Operation *> moved;
  auto reads = [](Operation *op, const llvm::DenseSet<Operation *> &what) {
    return op
        ->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (what.contains(operand.getDefiningOp()))
              return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (Operation *op = ops.front(); op != ops.back()->getNextNode();
       op = op->getNextNode()) {
    if (members.contains(op)) {
      if (reads(op, readers))
        return false;
    } else if (reads(op, members) || reads(op, readers)) {
      readers.insert(op);
      moved.push_back(op);
    }
  }
  Operation *place = ops.back();
  for (Operation *op : moved) {
    op->moveAfter(place);
    place = op;
  }
  return true;
}
