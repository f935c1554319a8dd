//===- PartSearch.cpp - Searches of fragments and of parts ----------------===//

#include "PartSearch.h"
#include "Mirage/Conversion/BlockToThread/BlockToThread.h"
#include "Mirage/Cost/CostModel.h"
#include "Mirage/Support/Interrupt.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mirage;

namespace {
/// Operators proposed and distinct values kept for each structure of a part:
/// there are many parts.
constexpr uint64_t kPartNodes = 20'000;
constexpr uint64_t kPartValues = 1'000;
/// Operators proposed for all parts of a run.
constexpr uint64_t kRunNodes = 5'000'000;

bool hasMaximum(const semantics::Program &program) {
  return llvm::any_of(program.ops, [](const semantics::Op &op) {
    return op.kind == semantics::OpKind::Reduce &&
           op.attrs.reduce == semantics::ReduceKind::Max;
  });
}

/// The part without each of its groups in turn.
template <class F> bool anySmaller(Cut::Mask part, F is) {
  for (Cut::Mask left = part; left; left &= left - 1)
    if (is(part & ~(left & (~left + 1))))
      return true;
  return false;
}
} // namespace

/// Sizes that have no tile a kernel can take, in words. Empty if there are
/// none.
static std::string describeOddSizes(const semantics::Program &program) {
  std::set<int64_t> columns, depths;
  auto look = [&](semantics::ValueId v) {
    const semantics::Shape &shape = program.type(v).shape;
    if (!shape.empty() && shape.back() % 8 != 0 && shape.back() > 1)
      columns.insert(shape.back());
  };
  for (unsigned i = 0; i < program.numInputs; ++i)
    look(i);
  llvm::for_each(program.outputs, look);
  for (const semantics::Op &op : program.ops)
    if (op.kind == semantics::OpKind::Matmul)
      if (int64_t depth = program.type(op.operands[0]).shape.back();
          depth % 16 != 0)
        depths.insert(depth);
  auto list = [](const std::set<int64_t> &sizes, StringRef what, int unit) {
    return sizes.empty()
               ? std::string()
               : llvm::formatv(": expected {0} in multiples of {1}, but got "
                               "{2:$[, ]}",
                               what, unit,
                               llvm::make_range(sizes.begin(), sizes.end()))
                     .str();
  };
  return list(depths, "depths of products", 16) + list(columns, "columns", 8);
}

std::string mirage::whyNone(const semantics::Program &program,
                            const search::SearchResult &found,
                            const cost::Target &target) {
  if (!found.note.empty())
    return found.note;
  if (found.stats.graphs == 0)
    return "the search found no block graph";
  return llvm::formatv("the search found {0} block graphs, but no sizes of "
                       "them that fit {1}{2}",
                       found.stats.graphs, target.name,
                       describeOddSizes(program))
      .str();
}

std::string mirage::whyNotLowered(MLIRContext &context,
                                  const semantics::Program &program,
                                  const cost::Target &target) {
  OwningOpRef<ModuleOp> scratch(ModuleOp::create(UnknownLoc::get(&context)));
  OpBuilder builder(scratch->getBody(), scratch->getBody()->begin());
  ThreadLoweringOptions lowering(target);
  for (const semantics::Op &op : program.ops) {
    if (op.kind != semantics::OpKind::Graph)
      continue;
    auto kernel = lowerGraphToThread(builder, scratch->getLoc(), "candidate",
                                     program, op, lowering);
    if (!kernel)
      return llvm::toString(kernel.takeError());
  }
  return "";
}

Attempt PartSearch::whole(ArrayRef<Operation *> ops) {
  return search(ops, /*isPart=*/false);
}
Attempt PartSearch::part(ArrayRef<Operation *> ops) {
  return search(ops, /*isPart=*/true);
}

Attempt PartSearch::search(ArrayRef<Operation *> ops, bool isPart) {
  Attempt result;
  result.fragment = makeFragment(ops);
  if (!result.fragment)
    return result;
  semantics::Program program = semantics::decompose(result.fragment->program);
  // Values are numbered in order, so that repeated layers are one text.
  std::string key =
      (isPart ? "part\n" : "whole\n") + semantics::toString(program);
  if (auto at = known.find(key); at != known.end()) {
    ++repeats;
    result.found = at->second;
    result.repeated = true;
    return result;
  }
  search::SearchOptions options = this->options;
  if (isPart) {
    options.nodeBudget = std::min(options.nodeBudget, kPartNodes);
    options.valueBudget = kPartValues;
    options.narrow = true;
  }
  if (std::optional<search::SearchResult> kept =
          answers.loadSearch(program, options)) {
    result.cached = true;
    result.found = std::move(kept);
    if (isPart)
      runNodes += result.found->stats.visited;
    known.try_emplace(key, *result.found);
    return result;
  }
  ++searches;
  options.cancel = &interruptFlag();
  options.progress = [&](const search::Progress &here) { progress.show(here); };
  llvm::Expected<search::SearchResult> found = search::search(program, options);
  if (!found) {
    result.failure = llvm::toString(found.takeError());
    return result;
  }
  result.found = std::move(*found);
  nodes += result.found->stats.visited;
  if (isPart) {
    runNodes += result.found->stats.visited;
    dropNotLowered(*result.found);
  }
  if (result.found->stopped != search::StopReason::Cancelled)
    known.try_emplace(key, *result.found);
  answers.saveSearch(program, options, *result.found);
  return result;
}

void PartSearch::dropNotLowered(search::SearchResult &found) {
  std::string why;
  while (!found.candidates.empty()) {
    std::string here = whyNotLowered(context, found.candidates.front().program,
                                     options.target);
    if (here.empty())
      return;
    if (why.empty())
      why = here;
    ++notLowered;
    found.candidates.erase(found.candidates.begin());
  }
  if (!why.empty())
    found.note = "no candidate has a lowering: " + why;
}

std::string PartSearch::whyHopeless(const Fragment &fragment) const {
  semantics::Program program = semantics::decompose(fragment.program);
  double original = cost::predictMicros(program, options.target);
  double bound = cost::lowerBoundMicros(program, options.target);
  if (original == 0)
    return "it only changes shapes, which takes no kernel";
  if (bound < original)
    return "";
  return llvm::formatv("expected a candidate that is faster than the {0:F1} us "
                       "of the fragment op by op, but a launch and its inputs "
                       "and outputs take {1:F1} us",
                       original, bound)
      .str();
}

Groups PartSearch::group(ArrayRef<Operation *> run) {
  Groups groups(run);
  llvm::DenseSet<Operation *> bare;
  for (auto [g, ops] : llvm::enumerate(groups.ops))
    if (groups.hasEpilogue(g) && !interruptFlag() && part(ops).isHopeless())
      for (Operation *op : ops)
        if (isa<kernel::MatmulOp>(op))
          bare.insert(op);
  return bare.empty() ? std::move(groups) : Groups(run, bare);
}

std::map<Cut::Mask, Attempt> PartSearch::searchWindow(const Groups &groups,
                                                      Cut::Window &window) {
  std::map<Cut::Mask, Attempt> result;
  // Parts with graphs, and those that may have some for all that is known.
  std::set<Cut::Mask> mayHaveGraphs;
  // Parts without candidates, and the values that leave them.
  std::map<Cut::Mask, SmallVector<Value>> hopeless;
  for (Cut::Mask part : window.parts) {
    progress.next();
    SmallVector<unsigned> members = window.members(part);
    bool single = members.size() == 1;
    SmallVector<Operation *> ops = groups.collect(members);
    std::optional<Fragment> fragment = makeFragment(ops);
    if (!fragment) {
      if (single)
        window.cost[part] = 0;
      continue;
    }
    semantics::Program program = semantics::decompose(fragment->program);
    if (single)
      window.cost[part] = cost::predictMicros(program, options.target);
    if (interruptFlag())
      continue;
    if (cost::lowerBoundMicros(program, options.target) >=
        Cut::cheapest(window, part)) {
      mayHaveGraphs.insert(part);
      continue;
    }
    // What keeps every smaller part from being one kernel keeps this one.
    // Online softmax is one only with the product behind it.
    if (members.size() > 2 && !hasMaximum(program) &&
        !anySmaller(part, [&](Cut::Mask m) { return mayHaveGraphs.count(m); }))
      continue;
    // Nor does it help to compute in it what one without graphs would read, as
    // long as both yield the same.
    if (anySmaller(part, [&](Cut::Mask m) {
          auto at = hopeless.find(m);
          return at != hopeless.end() && llvm::all_of(at->second, [&](Value v) {
                   return llvm::is_contained(fragment->outputs, v);
                 });
        })) {
      hopeless[part] = fragment->outputs;
      continue;
    }
    if (runNodes >= kRunNodes) {
      ++leftOut;
      mayHaveGraphs.insert(part);
      continue;
    }
    Attempt &tried = result[part] = this->part(ops);
    if (tried.isHopeless())
      hopeless[part] = fragment->outputs;
    else
      mayHaveGraphs.insert(part);
    if (tried.beneficial())
      window.cost[part] = tried.found->candidates.front().predictedMicros;
  }
  return result;
}
