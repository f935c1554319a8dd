//===- Superopt.cpp - Search, verify, replace -----------------------------===//
//
// For each function: a copy is raised to mgraph_kernel; the copy's runs of
// predefined ops are fragments; a fragment is replaced by the cheapest
// candidate that the verifier shows equivalent. The function takes the copy's
// body only if some fragment was improved.
//
// Sound because the search proposes and the verifier decides: its seed is drawn
// after a candidate is fixed, and an unknown answer replaces nothing.
//
//===----------------------------------------------------------------------===//

#include "Fragment.h"
#include "Mirage/Conversion/BlockToThread/BlockToThread.h"
#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"
#include "Mirage/Cost/CostModel.h"
#include "Mirage/Search/Search.h"
#include "Mirage/Support/Interrupt.h"
#include "Mirage/Transforms/PassDiagnostics.h"
#include "Mirage/Transforms/Passes.h"
#include "Mirage/Verify/Verify.h"
#include "SuperoptReport.h"
#include "VerifySeed.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>
#include <thread>

namespace mirage {
#define GEN_PASS_DEF_SUPEROPTPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mirage

using namespace mlir;
using namespace mirage;

namespace {
/// Longest interval, in ops, that the cutting of a run tries.
constexpr size_t kMaxInterval = 10;
/// Operators proposed for each structure of an interval: there are many.
constexpr uint64_t kIntervalBudget = 20'000;
/// Distinct values kept for each structure of an interval.
constexpr uint64_t kIntervalValues = 1'000;
/// Intervals of one run that are searched; what is left after them stays.
constexpr unsigned kMaxAttempts = 150;
/// Longest run that is also tried as one fragment.
constexpr size_t kMaxWhole = 24;

std::optional<search::PruneMode> parsePruneMode(StringRef name) {
  if (name == "auto")
    return search::PruneMode::Auto;
  if (name == "fast")
    return search::PruneMode::Direct;
  if (name == "z3")
    return search::PruneMode::Z3;
  if (name == "both")
    return search::PruneMode::Both;
  if (name == "none")
    return search::PruneMode::None;
  return std::nullopt;
}

struct SuperoptPass : mirage::impl::SuperoptPassBase<SuperoptPass> {
  using SuperoptPassBase::SuperoptPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SuperoptPassBase::getDependentDialects(registry);
    registry.insert<func::FuncDialect, thread::ThreadDialect>();
  }

  void runOnOperation() override {
    InterruptScope scope;
    ModuleOp module = getOperation();
    device = findTargetOrReport(module, target);
    if (!device)
      return signalPassFailure();
    pruneMode = parsePruneMode(prune);
    if (!pruneMode) {
      emitError(module.getLoc(),
                "expected prune to be one of auto, fast, z3, both or "
                "none, but got '")
          << prune << "'";
      return signalPassFailure();
    }
    constexpr uint64_t kMost32 = std::numeric_limits<unsigned>::max();
    if (!isNumber(module, "max-block-ops", maxBlockOps, 1, kMost32) ||
        !isNumber(module, "node-budget", nodeBudget, 1) ||
        !isNumber(module, "top", top, 1, kMost32) ||
        !isNumber(module, "threads", threads, 0, kMostThreads) ||
        !isNumber(module, "seed", seed))
      return signalPassFailure();
    // Before the work: a path that cannot be written must not cost a search.
    if (!report.empty() && failed(writeReport()))
      return signalPassFailure();
    remarkNestedModules(module, "superopt");
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp func : functions) {
      if (func.isExternal() || func->hasAttr(kReferenceRoleAttribute))
        continue;
      if (!func.getBody().hasOneBlock()) {
        emitRemark(func.getLoc(),
                   "superopt: expected a body of one block, but got ")
            << func.getBody().getBlocks().size() << ": @" << func.getName()
            << " is left as it is";
        continue;
      }
      if (failed(improve(func)))
        return signalPassFailure();
    }
    if (!report.empty() && failed(writeReport()))
      signalPassFailure();
  }

  LogicalResult improve(func::FuncOp func) {
    // Raise a copy: a function that is not improved keeps its own text.
    func::FuncOp copy = func.clone();
    copy.setName((func.getName() + "__raised").str());
    copy.setPrivate();
    SymbolTable symbols(getOperation());
    symbols.insert(copy);
    OpPassManager raise(func::FuncOp::getOperationName());
    raise.addPass(createConvertLinalgToKernelPass());
    if (failed(runPipeline(raise, copy))) {
      copy.erase();
      return failure();
    }

    bool improved = false;
    for (SmallVector<Operation *> &run : collectRuns(copy)) {
      if (interruptFlag())
        break;
      improved |= improveRun(func, run);
    }
    if (interruptFlag())
      emitRemark(func.getLoc(), "superopt: interrupted: @")
          << func.getName()
          << " keeps the best found so far (not reproducible)";
    if (improved) {
      func.getBody().takeBody(copy.getBody());
    } else if (collectRuns(copy).empty()) {
      emitRemark(func.getLoc(), "superopt: expected operations that raise to "
                                "mgraph_kernel, but found none: @")
          << func.getName() << " is left as it is";
    }
    copy.erase();
    return success();
  }

  /// Improves one run: as one fragment where that has candidates, else cut into
  /// the intervals that are cheapest together.
  bool improveRun(func::FuncOp func, ArrayRef<Operation *> run) {
    Attempt whole;
    if (run.size() <= kMaxWhole) {
      whole = attempt(run, nodeBudget);
      if (!whole.fragment)
        return false;
      if (run.size() == 1 || whole.beneficial())
        return finish(func, whole);
    }

    // best[i]: cost of the first i ops; from[i]: where the last interval
    // starts.
    size_t n = run.size();
    std::vector<double> best(n + 1, 0.0);
    std::vector<size_t> from(n + 1, 0);
    std::map<std::pair<size_t, size_t>, Attempt> attempts;
    llvm::StringMap<bool> hopeless; // programs without candidates, seen before
    for (size_t end = 1; end <= n; ++end) {
      best[end] = std::numeric_limits<double>::infinity();
      for (size_t begin = end; begin-- > 0;) {
        if (end - begin > kMaxInterval || (begin == 0 && end == n))
          break;
        if (interruptFlag() || attempts.size() >= kMaxAttempts)
          break;
        // An interval around one that has no candidates is not tried: what
        // stands in the way there stands in the way here.
        if (end - begin > 2 && hasNoCandidates(attempts, begin + 1, end) &&
            hasNoCandidates(attempts, begin, end - 1))
          continue;
        Attempt &here = attempts[{begin, end}];
        here =
            attempt(run.slice(begin, end - begin),
                    std::min<uint64_t>(nodeBudget, kIntervalBudget), &hopeless);
        if (!here.fragment)
          continue;
        double cost = here.cost();
        if (best[begin] + cost < best[end]) {
          best[end] = best[begin] + cost;
          from[end] = begin;
        }
      }
      if (std::isinf(best[end])) { // nothing was tried: take the op as it is
        best[end] = best[end - 1];
        from[end] = end - 1;
      }
    }
    bool improved = false;
    SmallVector<std::pair<size_t, size_t>> intervals;
    for (size_t end = n; end > 0; end = from[end])
      intervals.push_back({from[end], end});
    if (intervals.size() == n &&
        llvm::none_of(intervals, [&](std::pair<size_t, size_t> interval) {
          return attempts[interval].beneficial();
        }))
      return whole.fragment ? finish(func, whole) : leaveRun(func, run);
    for (std::pair<size_t, size_t> interval : llvm::reverse(intervals)) {
      Attempt &chosen = attempts[interval];
      if (!chosen.fragment)
        continue;
      // An earlier replacement may have changed the inputs' values.
      SmallVector<Operation *> ops(
          run.slice(interval.first, interval.second - interval.first));
      chosen.fragment = makeFragment(ops);
      if (chosen.fragment)
        improved |= finish(func, chosen);
    }
    return improved;
  }

  bool leaveRun(func::FuncOp func, ArrayRef<Operation *> run) {
    emitRemark(run.back()->getLoc())
        << "superopt: @" << func.getName() << ": a run of " << run.size()
        << " ops is left as it is: none of its intervals has a block graph "
           "that is predicted to be faster";
    return false;
  }

  /// A fragment and what its search found.
  struct Attempt {
    std::optional<Fragment> fragment;
    std::optional<search::SearchResult> found;
    std::string failure;

    bool hasCandidates() const { return found && !found->candidates.empty(); }
    bool beneficial() const {
      return hasCandidates() &&
             found->candidates.front().predictedMicros < found->originalMicros;
    }
    double cost() const {
      if (!found)
        return std::numeric_limits<double>::infinity();
      return beneficial() ? found->candidates.front().predictedMicros
                          : found->originalMicros;
    }
  };

  static bool
  hasNoCandidates(const std::map<std::pair<size_t, size_t>, Attempt> &attempts,
                  size_t begin, size_t end) {
    auto known = attempts.find({begin, end});
    return known == attempts.end() || !known->second.hasCandidates();
  }

  Attempt attempt(ArrayRef<Operation *> ops, uint64_t budget,
                  llvm::StringMap<bool> *hopeless = nullptr) {
    Attempt result;
    result.fragment = makeFragment(ops);
    if (!result.fragment)
      return result;
    semantics::Program program = semantics::decompose(result.fragment->program);
    std::string key = hopeless ? semantics::toString(program) : "";
    if (hopeless && hopeless->contains(key)) {
      result.found.emplace();
      result.found->originalMicros = cost::predictMicros(program, *device);
      return result;
    }
    ++numFragments;
    search::SearchOptions options(*device);
    options.maxBlockOps = maxBlockOps;
    options.nodeBudget = budget;
    if (hopeless)
      options.valueBudget = kIntervalValues;
    options.prune = *pruneMode;
    options.top = top;
    options.threads = threadCount();
    options.cancel = &interruptFlag();
    llvm::Expected<search::SearchResult> found =
        search::search(program, options);
    if (!found)
      result.failure = llvm::toString(found.takeError());
    else
      result.found = std::move(*found);
    if (hopeless && !result.hasCandidates())
      (*hopeless)[key] = true;
    return result;
  }

  /// "1 op", "2 ops".
  static std::string counted(size_t count, StringRef what) {
    return (Twine(count) + " " + what + (count == 1 ? "" : "s")).str();
  }

  /// Why a search has no candidates.
  std::string whyNone(const search::SearchResult &found) const {
    if (!found.note.empty())
      return found.note;
    if (found.stats.graphs == 0)
      return "the search found no block graph";
    return llvm::formatv("the search found {0} block graphs, but no sizes of "
                         "them that fit {1}",
                         found.stats.graphs, device->name)
        .str();
  }

  /// Verifies the candidates in order and replaces the fragment by the first
  /// that is equivalent, or says why it is left.
  bool finish(func::FuncOp func, Attempt &tried) {
    Fragment &fragment = *tried.fragment;
    FragmentReport entry;
    entry.function = func.getName().str();
    entry.ops = llvm::count_if(fragment.ops, [](Operation *op) {
      return !isa<kernel::ConstantOp>(op);
    });
    entry.original = semantics::toString(fragment.program);
    Location loc = fragment.ops.back()->getLoc();
    auto leave = [&](const Twine &why) {
      entry.outcome = why.str();
      emitRemark(loc) << "superopt: @" << func.getName() << ": a fragment of "
                      << counted(entry.ops, "op")
                      << " is left as it is: " << entry.outcome;
      reports.push_back(std::move(entry));
      return false;
    };
    if (!tried.found)
      return leave(tried.failure);
    const search::SearchResult &found = *tried.found;
    entry.setSearch(found);
    if (found.originalMicros == 0)
      return leave("it only changes shapes, which takes no kernel");
    if (found.candidates.empty())
      return leave(whyNone(found) +
                   (found.stopped == search::StopReason::Finished
                        ? ""
                        : "; search " + stringify(found.stopped).str()));
    for (const search::Candidate &candidate : found.candidates) {
      if (candidate.predictedMicros >= found.originalMicros)
        return leave(
            llvm::formatv("expected a candidate that is faster than the {0:F1} "
                          "us of the fragment op by op, but the best is "
                          "predicted at {1:F1} us",
                          found.originalMicros, candidate.predictedMicros)
                .str());
      // Milliseconds, where a verdict takes seconds.
      if (std::string why = whyNotLowered(candidate.program); !why.empty()) {
        ++numNotLowered;
        entry.verdicts.push_back({candidate.predictedMicros,
                                  "not verified: has no lowering: " + why,
                                  0.0});
        continue;
      }
      verify::VerifyOptions verifyOptions;
      verifyOptions.threads = threadCount();
      verifyOptions.seed = expandSeed(seed);
      verifyOptions.checkFloat = true;
      llvm::Expected<verify::VerifyResult> verdict =
          verify::verify(fragment.program, candidate.program, verifyOptions);
      if (!verdict)
        return leave(llvm::toString(verdict.takeError()));
      entry.addVerdict(candidate, *verdict);
      if (verdict->verdict == verify::Verdict::NotEquivalent)
        ++numRefuted;
      else if (!verdict->reachesTarget(verifyOptions))
        ++numUndecided; // cannot tell, statistical, or too weak a bound
      else if (verdict->floatReport && !verdict->floatReport->accepted)
        ++numInaccurate;
      else {
        replace(func, fragment, candidate, *verdict, found, entry);
        return true;
      }
    }
    return leave(
        llvm::formatv("none of {0} candidates was accepted; of the first: {1}",
                      found.candidates.size(), entry.verdicts.front().text)
            .str());
  }

  /// Lowers the candidate's graphs to thread level in a module of its own and
  /// throws the result away. Empty when all of them lower.
  std::string whyNotLowered(const semantics::Program &program) {
    OwningOpRef<ModuleOp> scratch(
        ModuleOp::create(UnknownLoc::get(&getContext())));
    OpBuilder builder(scratch->getBody(), scratch->getBody()->begin());
    ThreadLoweringOptions lowering(*device);
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

  void replace(func::FuncOp func, Fragment &fragment,
               const search::Candidate &candidate,
               verify::VerifyResult &verdict, const search::SearchResult &found,
               FragmentReport &entry) {
    Location loc = fragment.ops.back()->getLoc();
    // The original, as the certificate's reference, under a name that is free.
    SymbolTable symbols(getOperation());
    OpBuilder builder(func);
    SmallVector<Type> inputs(ValueRange(fragment.inputs).getTypes());
    SmallVector<Type> outputs(ValueRange(fragment.outputs).getTypes());
    auto reference = func::FuncOp::create(
        loc, (func.getName() + "_reference_" + Twine(replaced++)).str(),
        builder.getFunctionType(inputs, outputs));
    reference.setPrivate();
    reference->setAttr(kReferenceRoleAttribute, builder.getUnitAttr());
    StringAttr name = symbols.insert(reference);
    Block *body = reference.addEntryBlock();
    builder.setInsertionPointToStart(body);
    SmallVector<Value> results =
        fromProgram(builder, loc, fragment.program, body->getArguments());
    func::ReturnOp::create(builder, loc, results);

    SmallVector<kernel::GraphOp> graphs =
        replaceFragment(fragment, candidate.program);
    for (kernel::GraphOp graph : graphs) {
      graph->setAttr(kReferenceAttribute, FlatSymbolRefAttr::get(name));
      graph->setAttr(
          kCertificateAttribute,
          builder.getStringAttr(verify::printCertificate(verdict.certificate)));
    }
    ++numImproved;
    entry.outcome = "replaced";
    entry.winner = semantics::toString(candidate.program);
    InFlightDiagnostic remark = emitRemark(loc);
    remark << "superopt: @" << func.getName() << ": a fragment of "
           << counted(entry.ops, "op") << " became "
           << counted(graphs.size(), "kernel") << ": predicted "
           << llvm::formatv("{0:F1}", candidate.predictedMicros).str()
           << " us instead of "
           << llvm::formatv("{0:F1}", found.originalMicros).str() << " us";
    remark.attachNote(loc) << describeSearch(found);
    remark.attachNote(loc)
        << "verified: " << verify::describe(verdict)
        << llvm::formatv(", in {0:F1} s", verdict.seconds).str();
    remark.attachNote(loc) << "μGraph:\n" << entry.winner;
    reports.push_back(std::move(entry));
  }

  unsigned threadCount() const {
    return threads ? threads
                   : std::max(1u, std::thread::hardware_concurrency());
  }

  LogicalResult writeReport() {
    std::error_code code;
    llvm::raw_fd_ostream os(report, code, llvm::sys::fs::OF_Text);
    if (code)
      return emitError(getOperation().getLoc(),
                       "expected to write the report to '")
             << report << "', but got: " << code.message();
    llvm::json::Array fragments;
    for (const FragmentReport &entry : reports)
      fragments.push_back(entry.toJSON());
    os << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                     {"schema", 1},
                                     {"target", target.getValue()},
                                     {"fragments", std::move(fragments)}}))
       << "\n";
    return success();
  }

  const cost::Target *device = nullptr;
  std::optional<search::PruneMode> pruneMode;
  std::vector<FragmentReport> reports;
  unsigned replaced = 0;
};
} // namespace
