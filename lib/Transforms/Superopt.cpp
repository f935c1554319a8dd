//===- Superopt.cpp - The pass around the superoptimizer ------------------===//

#include "Mirage/Conversion/BlockToThread/BlockToThread.h"
#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"
#include "Mirage/Support/Interrupt.h"
#include "Mirage/Transforms/PassDiagnostics.h"
#include "Mirage/Transforms/Passes.h"
#include "Superoptimizer.h"
#include "VerifySeed.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <thread>

namespace mirage {
#define GEN_PASS_DEF_SUPEROPTPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mirage

using namespace mlir;
using namespace mirage;

namespace {
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
    const cost::Target *device = findTargetOrReport(module, target);
    if (!device)
      return signalPassFailure();
    std::optional<search::PruneMode> pruneMode = parsePruneMode(prune);
    if (!pruneMode) {
      emitError(module.getLoc(),
                "expected prune to be one of auto, fast, z3, both or "
                "none, but got '")
          << prune << "'";
      return signalPassFailure();
    }
    constexpr uint64_t kMost32 = std::numeric_limits<int32_t>::max();
    if (!isNumber(module, "max-block-ops", maxBlockOps, 1, kMost32) ||
        !isNumber(module, "node-budget", nodeBudget, 1) ||
        !isNumber(module, "top", top, 1, kMost32) ||
        !isNumber(module, "threads", threads, 0, kMostThreads) ||
        !isNumber(module, "seed", seed))
      return signalPassFailure();
    search::SearchOptions options(*device);
    options.maxBlockOps = maxBlockOps;
    options.nodeBudget = nodeBudget;
    options.prune = *pruneMode;
    options.top = top;
    options.threads = threadCount();
    verify::VerifyOptions verifyOptions;
    verifyOptions.threads = threadCount();
    verifyOptions.seed = expandSeed(seed);
    verifyOptions.checkFloat = true;
    std::optional<::mirage::cache::Store> store = openCache();
    Superoptimizer superoptimizer(module, options, verifyOptions,
                                  store ? &*store : nullptr);
    // Before the work: a path that cannot be written must not cost a search.
    if (!report.empty() && failed(writeReport(superoptimizer)))
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
      if (failed(improve(superoptimizer, func)))
        return signalPassFailure();
    }
    numFragments += superoptimizer.search().searches;
    numImproved += superoptimizer.improved;
    numRefuted += superoptimizer.refuted;
    numUndecided += superoptimizer.undecided;
    numInaccurate += superoptimizer.inaccurate;
    numCacheHits += superoptimizer.cacheHits();
    numNotLowered +=
        superoptimizer.notLowered + superoptimizer.search().notLowered;
    if (!report.empty() && failed(writeReport(superoptimizer)))
      signalPassFailure();
  }

  LogicalResult improve(Superoptimizer &superoptimizer, func::FuncOp func) {
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
    if (superoptimizer.improve(func, copy)) {
      func.getBody().takeBody(copy.getBody());
    } else if (collectRuns(copy).empty()) {
      emitRemark(func.getLoc(), "superopt: expected operations that raise to "
                                "mgraph_kernel, but found ")
          << describeOthers(copy) << ": @" << func.getName()
          << " is left as it is";
    }
    copy.erase();
    return success();
  }

  /// What a function without fragments holds in their place.
  static StringRef describeOthers(func::FuncOp func) {
    auto graphs = func.getOps<kernel::GraphOp>();
    if (!graphs.empty())
      return "graph-defined kernels alone";
    auto holdsRuns = [](Operation *op) {
      return op
          ->walk([&](Operation *inner) {
            return inner != op && isPredefined(*inner) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
          })
          .wasInterrupted();
    };
    for (Operation &op : func.getBody().front())
      if (!isa<kernel::GraphOp>(op) && holdsRuns(&op))
        return "them in regions of other operations alone, which are not "
               "searched";
    return "none";
  }

  /// The cache, if one is asked for and can be used.
  std::optional<::mirage::cache::Store> openCache() {
    if (cache.empty())
      return std::nullopt;
    Location loc = getOperation().getLoc();
    llvm::Expected<::mirage::cache::Store> store =
        ::mirage::cache::Store::open(cache.getValue());
    if (!store) {
      emitWarning(loc, "superopt: works without the cache: ")
          << llvm::toString(store.takeError());
      return std::nullopt;
    }
    store->warn = [loc](const std::string &what) {
      emitWarning(loc, "superopt: cache: ") << what;
    };
    return std::move(*store);
  }

  unsigned threadCount() const {
    return threads ? threads
                   : std::max(1u, std::thread::hardware_concurrency());
  }

  LogicalResult writeReport(const Superoptimizer &superoptimizer) {
    std::error_code code;
    llvm::raw_fd_ostream os(report, code, llvm::sys::fs::OF_Text);
    if (code)
      return emitError(getOperation().getLoc(),
                       "expected to write the report to '")
             << report << "', but got: " << code.message();
    llvm::json::Array fragments;
    for (const FragmentReport &entry : superoptimizer.reports)
      fragments.push_back(entry.toJSON());
    const PartSearch &search = superoptimizer.search();
    os << llvm::formatv("{0:2}",
                        llvm::json::Value(llvm::json::Object{
                            {"schema", kReportSchema},
                            {"target", target.getValue()},
                            {"searches", search.searches},
                            {"nodes", static_cast<int64_t>(search.nodes)},
                            {"repeats", search.repeats},
                            {"cache_hits", superoptimizer.cacheHits()},
                            {"left_out", search.leftOut},
                            {"fragments", std::move(fragments)}}))
       << "\n";
    os.close();
    if (!os.has_error())
      return success();
    code = os.error();
    os.clear_error(); // else its destructor ends the process
    return emitError(getOperation().getLoc(),
                     "expected to write the report to '")
           << report << "', but got: " << code.message();
  }
};
} // namespace
