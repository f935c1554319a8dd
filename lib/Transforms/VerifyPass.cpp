//===- VerifyPass.cpp - Certificates checked again ------------------------===//

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/ThreadReader/ThreadReader.h"
#include "Mirage/Transforms/PassDiagnostics.h"
#include "Mirage/Transforms/Passes.h"
#include "Mirage/Verify/Coverage.h"
#include "Mirage/Verify/ThreadCheck.h"
#include "Mirage/Verify/Verify.h"
#include "SuperoptReport.h"
#include "VerifySeed.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mirage {
#define GEN_PASS_DEF_VERIFYPASS
#define GEN_PASS_DEF_STRIPREFERENCEPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mirage

using namespace mlir;
using namespace mirage;

namespace {
struct VerifyPass : mirage::impl::VerifyPassBase<VerifyPass> {
  using VerifyPassBase::VerifyPassBase;

  void runOnOperation() override {
    if (!isNumber(getOperation(), "threads", threads, 0, kMostThreads) ||
        !isNumber(getOperation(), "seed", seed))
      return signalPassFailure();
    options.threads = threads;
    options.seed = expandSeed(seed);
    solver = solver::createZ3Solver();
    if (reference.empty() && candidate.empty())
      return checkModule();
    if (reference.empty() || candidate.empty()) {
      emitError(getOperation().getLoc(),
                "expected both reference and candidate, but got "
                "reference '")
          << reference << "' and candidate '" << candidate << "'";
      return signalPassFailure();
    }
    compareFunctions();
  }

  /// Certificates, and functions that name their reference.
  void checkModule() {
    SmallVector<kernel::GraphOp> graphs;
    getOperation().walk([&](kernel::GraphOp graph) {
      if (graph->hasAttr(kCertificateAttribute))
        graphs.push_back(graph);
    });
    SmallVector<func::FuncOp> candidates;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(kReferenceAttribute))
        candidates.push_back(func);
    if (graphs.empty() && candidates.empty()) {
      emitError(getOperation().getLoc(),
                "expected at least 1 graph with a certificate, "
                "but found none");
      return signalPassFailure();
    }
    // Every one is checked, whatever became of those before.
    for (kernel::GraphOp graph : graphs)
      if (failed(checkCertificate(graph)))
        signalPassFailure();
    for (func::FuncOp func : candidates)
      if (failed(checkCandidate(func)))
        signalPassFailure();
  }

  LogicalResult checkCandidate(func::FuncOp func) {
    auto name = func->getAttrOfType<FlatSymbolRefAttr>(kReferenceAttribute);
    auto original =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(func, name);
    if (!original)
      return emitError(func.getLoc(), "expected the reference ")
             << name << " in the module, but found none";
    return compare(original, func);
  }

  LogicalResult checkCertificate(kernel::GraphOp graph) {
    // The attributes' dialect has checked their types.
    auto text = graph->getAttrOfType<StringAttr>(kCertificateAttribute);
    auto name = graph->getAttrOfType<FlatSymbolRefAttr>(kReferenceAttribute);
    if (!name)
      return emitError(graph.getLoc(), "expected '")
             << kReferenceAttribute << "' beside '" << kCertificateAttribute
             << "', but got none";
    auto func = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(graph, name);
    if (!func)
      return emitError(graph.getLoc(), "expected the original ")
             << name << " in the module, but found none";
    FailureOr<semantics::Program> original = toProgram(func);
    FailureOr<semantics::Program> result = toProgram(graph);
    if (failed(original) || failed(result))
      return failure();
    auto certificate = verify::parseCertificate(text.getValue());
    if (!certificate)
      return emitError(graph.getLoc())
             << llvm::toString(certificate.takeError());
    if (llvm::Error e =
            verify::recheck(*original, *result, *certificate, options))
      return emitError(graph.getLoc(), "certificate does not hold: ")
             << llvm::toString(std::move(e));
    std::string coverage;
    if (failed(checkCoverage(*result, graph, coverage)))
      return failure();
    emitRemark(graph.getLoc(), "certificate holds against ")
        << name << coverage;
    return success();
  }

  void compareFunctions() {
    func::FuncOp f = lookup(reference), g = lookup(candidate);
    if (!f || !g || failed(compare(f, g)))
      signalPassFailure();
  }

  LogicalResult compare(func::FuncOp f, func::FuncOp g) {
    FailureOr<semantics::Program> original = toProgram(f);
    if (failed(original))
      return failure();
    if (isLowered(g))
      return compareLowered(f, *original, g);
    FailureOr<semantics::Program> program = toProgram(g);
    if (failed(program))
      return failure();
    auto text = judge(f, g, verify::verify(*original, *program, options));
    if (failed(text))
      return failure();
    std::string coverage;
    if (failed(checkCoverage(*program, g, coverage)))
      return failure();
    emitRemark(g.getLoc(), "@") << g.getName() << " against @" << f.getName()
                                << ": " << *text << coverage;
    return success();
  }

  /// Against the kernels of all threads.
  LogicalResult compareLowered(func::FuncOp f,
                               const semantics::Program &original,
                               func::FuncOp g) {
    FailureOr<verify::ThreadProgram> kernels = readThreadProgram(g);
    if (failed(kernels))
      return failure();
    auto text = judge(f, g, verify::verifyThreads(original, *kernels, options));
    if (failed(text))
      return failure();
    emitRemark(g.getLoc(), "@")
        << g.getName() << " against @" << f.getName() << ": " << *text;
    return success();
  }

  /// The verdict's text, or a diagnostic where it is not `equivalent`.
  FailureOr<std::string> judge(func::FuncOp f, func::FuncOp g,
                               llvm::Expected<verify::VerifyResult> result) {
    if (!result)
      return emitError(g.getLoc(), "@")
             << g.getName() << " against @" << f.getName() << ": "
             << llvm::toString(result.takeError());
    std::string text = verify::describe(*result);
    if (result->verdict != verify::Verdict::Equivalent)
      return emitError(g.getLoc(), "@")
             << g.getName() << " against @" << f.getName() << ": " << text;
    return text;
  }

  /// What the graphs of `program` read and write, as the end of a remark.
  LogicalResult checkCoverage(const semantics::Program &program, Operation *op,
                              std::string &text) {
    verify::CoverageReport report = verify::proveCoverage(program, *solver);
    switch (report.outcome) {
    case verify::CoverageReport::Outcome::Proved:
      if (report.loads + report.stores > 0)
        text = "; " + verify::describe(report);
      return success();
    case verify::CoverageReport::Outcome::Refuted:
      return op->emitOpError("expected loads in bounds, and stores disjoint "
                             "and complete, but got: ")
             << report.reason;
    case verify::CoverageReport::Outcome::CannotTell:
      return op->emitOpError(report.reason);
    }
    return failure();
  }

  func::FuncOp lookup(StringRef name) {
    auto func = getOperation().lookupSymbol<func::FuncOp>(name);
    if (!func)
      emitError(getOperation().getLoc(), "expected a function @")
          << name << " in the module, but found none";
    return func;
  }

  verify::VerifyOptions options;
  std::shared_ptr<solver::Solver>
      solver; ///< made by each run; passes are copied
};

struct StripReferencePass
    : mirage::impl::StripReferencePassBase<StripReferencePass> {
  void runOnOperation() override {
    getOperation().walk([](kernel::GraphOp graph) {
      graph->removeAttr(kCertificateAttribute);
      graph->removeAttr(kReferenceAttribute);
    });
    getOperation().walk(
        [](func::FuncOp func) { func->removeAttr(kReferenceAttribute); });
    getOperation().walk([](ModuleOp module) {
      for (auto func :
           llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
        if (func->hasAttr(kReferenceRoleAttribute) &&
            SymbolTable::symbolKnownUseEmpty(func, module))
          func.erase();
    });
  }
};
} // namespace
