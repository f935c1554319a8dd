//===- Superoptimizer.cpp - Search, verify, replace -----------------------===//

#include "Superoptimizer.h"
#include "Mirage/Support/Interrupt.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mirage;

namespace {
/// Longest run that is also tried as one fragment.
constexpr size_t kMaxWhole = 24;
/// How long what was found is verified after an interrupt.
constexpr std::chrono::seconds kGrace{5};

/// "1 op", "2 ops".
std::string counted(size_t count, StringRef what) {
  return (Twine(count) + " " + what + (count == 1 ? "" : "s")).str();
}

bool isSingle(Cut::Mask part) { return (part & (part - 1)) == 0; }

/// "file:line:column" of the first place in a file that `location` names.
std::string describe(Location location) {
  std::string text;
  location->walk([&](Location inner) {
    auto place = dyn_cast<FileLineColLoc>(inner);
    if (!place)
      return WalkResult::advance();
    text = (place.getFilename().getValue() + ":" + Twine(place.getLine()) +
            ":" + Twine(place.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

bool onlyChangesShapes(ArrayRef<Operation *> ops) {
  return llvm::all_of(ops,
                      [](Operation *op) { return isa<kernel::ReshapeOp>(op); });
}
} // namespace

bool Superoptimizer::improve(func::FuncOp func, func::FuncOp raised) {
  this->func = func;
  bool result = false;
  for (SmallVector<Operation *> &run : collectRuns(raised)) {
    if (interruptFlag())
      break;
    result |= improveRun(run);
  }
  progress.clear();
  if (interruptFlag())
    emitRemark(func.getLoc(), "superopt: interrupted: @")
        << func.getName() << " keeps the best found so far (not reproducible)";
  return result;
}

/// As one fragment where that has candidates, else cut into the parts that are
/// cheapest together.
bool Superoptimizer::improveRun(ArrayRef<Operation *> run) {
  Attempt whole;
  if (run.size() <= kMaxWhole) {
    progress.begin(func.getName(), 1);
    progress.next();
    whole = parts.whole(run);
    if (!whole.fragment)
      return false;
    if (run.size() == 1 || whole.beneficial())
      return finish(whole);
  }
  parts.beginRun();
  Groups groups = parts.group(run);
  Cut cut(groups.users, groups.alone);
  size_t count = 0;
  for (const Cut::Window &window : cut.windows())
    count += window.parts.size();
  progress.begin(func.getName(), count);
  bool result = false;
  std::vector<Left> left;
  for (Cut::Window &window : cut.windows())
    result |= improveWindow(groups, cut, window, left);
  if (!result && whole.fragment)
    return finish(whole);
  for (Left &one : left)
    sayWhy(one);
  return result;
}

bool Superoptimizer::improveWindow(const Groups &groups, Cut &cut,
                                   Cut::Window &window,
                                   std::vector<Left> &left) {
  std::map<Cut::Mask, Attempt> attempts = parts.searchWindow(groups, window);
  bool result = false;
  Cut::Mask rest = window.all(); // not replaced
  // A part that is refused leaves its groups to smaller ones.
  for (bool again = true; again;) {
    again = false;
    for (Cut::Mask part : cut.cover(window, rest)) {
      auto at = attempts.find(part);
      if (at == attempts.end() || !at->second.beneficial())
        continue;
      Attempt tried = std::move(at->second);
      SmallVector<Operation *> ops = groups.collect(window.members(part));
      tried.fragment.reset();
      if (gather(ops))
        tried.fragment = makeFragment(ops);
      attempts.erase(at);
      if (tried.fragment && finish(tried)) {
        cut.contract(window, part);
        rest &= ~part;
        result = true;
        continue;
      }
      if (isSingle(part))
        rest &= ~part; // it has been said why
      else
        window.cost.erase(part);
      again = true;
      break;
    }
  }
  for (; rest; rest &= rest - 1) {
    Cut::Mask part = rest & (~rest + 1);
    left.push_back({groups.collect(window.members(part)), Attempt()});
    if (auto at = attempts.find(part); at != attempts.end())
      left.back().tried = std::move(at->second);
  }
  return result;
}

void Superoptimizer::sayWhy(Left &left) {
  if (onlyChangesShapes(left.ops))
    return;
  left.tried.fragment = makeFragment(left.ops);
  if (!left.tried.fragment)
    return;
  if (!left.tried.found && left.tried.failure.empty()) {
    left.tried.failure = parts.whyHopeless(*left.tried.fragment);
    if (left.tried.failure.empty())
      left.tried.failure =
          interruptFlag() ? "interrupted before it was searched"
                          : "the nodes of its run were spent before it was "
                            "searched";
  }
  finish(left.tried);
}

FragmentReport Superoptimizer::describe(const Attempt &tried) {
  FragmentReport entry;
  entry.function = func.getName().str();
  entry.ops = llvm::count_if(tried.fragment->ops, [](Operation *op) {
    return !isa<kernel::ConstantOp>(op);
  });
  entry.location = ::describe(tried.fragment->ops.back()->getLoc());
  entry.original = semantics::toString(tried.fragment->program);
  entry.originalProgram = tried.fragment->program;
  entry.repeated = tried.repeated;
  entry.cached = tried.cached;
  if (tried.found)
    entry.setSearch(*tried.found);
  return entry;
}

/// Verifies the candidates in order and replaces the fragment by the first
/// that is equivalent, or says why it is left.
bool Superoptimizer::finish(Attempt &tried) {
  progress.clear();
  FragmentReport entry = describe(tried);
  auto leave = [&](const Twine &why) {
    entry.outcome = why.str();
    emitRemark(tried.fragment->ops.back()->getLoc())
        << "superopt: @" << func.getName() << ": a fragment of "
        << counted(entry.ops, "op") << " is left as it is: " << entry.outcome;
    reports.push_back(std::move(entry));
    return false;
  };
  if (!tried.found)
    return leave(tried.failure);
  const search::SearchResult &found = *tried.found;
  if (found.originalMicros == 0)
    return leave("it only changes shapes, which takes no kernel");
  if (found.candidates.empty())
    return leave(whyNone(tried.fragment->program, found, parts.target()) +
                 (found.stopped == search::StopReason::Finished
                      ? ""
                      : "; search " + stringify(found.stopped).str()));
  using Judgement = FragmentReport::Judgement;
  for (size_t i = 0; i < found.candidates.size(); ++i) {
    const search::Candidate &candidate = found.candidates[i];
    if (candidate.predictedMicros >= found.originalMicros) {
      if (!entry.verdicts.empty())
        break;
      return leave(
          llvm::formatv("expected a candidate that is faster than the {0:F1} "
                        "us of the fragment op by op, but the best is "
                        "predicted at {1:F1} us",
                        found.originalMicros, candidate.predictedMicros)
              .str());
    }
    // Milliseconds, where a verdict takes seconds.
    if (std::string why = whyNotLowered(*module.getContext(), candidate.program,
                                        parts.target());
        !why.empty()) {
      ++notLowered;
      entry.verdicts.push_back({i, Judgement::NotLowered,
                                candidate.predictedMicros,
                                "not verified: has no lowering: " + why, 0.0});
      continue;
    }
    if (isOverdue())
      return leave("interrupted before its candidate was verified");
    llvm::Expected<verify::VerifyResult> verdict =
        verify(tried.fragment->program, candidate.program);
    if (!verdict)
      return leave(llvm::toString(verdict.takeError()));
    Judgement judgement = judge(*verdict);
    entry.addVerdict(i, judgement, *verdict);
    if (judgement == Judgement::Refuted)
      ++refuted;
    else if (judgement == Judgement::Undecided)
      ++undecided;
    else if (judgement == Judgement::Inaccurate)
      ++inaccurate;
    else {
      replace(tried, candidate, *verdict, entry);
      return true;
    }
  }
  return leave(
      llvm::formatv("none of {0} faster candidates was accepted; of the first: "
                    "{1}",
                    entry.verdicts.size(), entry.verdicts.front().text)
          .str());
}

FragmentReport::Judgement
Superoptimizer::judge(const verify::VerifyResult &verdict) const {
  using Judgement = FragmentReport::Judgement;
  if (verdict.verdict == verify::Verdict::NotEquivalent)
    return Judgement::Refuted;
  if (!verdict.reachesTarget(verifyOptions))
    return Judgement::Undecided; // cannot tell, statistical, or a weak bound
  if (verdict.floatReport && !verdict.floatReport->accepted)
    return Judgement::Inaccurate;
  return Judgement::Accepted;
}

llvm::Expected<verify::VerifyResult>
Superoptimizer::verify(const semantics::Program &reference,
                       const semantics::Program &candidate) {
  // A certificate is about two programs, wherever they stand.
  std::string key =
      semantics::toString(reference) + "\n" + semantics::toString(candidate);
  if (auto at = verdicts.find(key); at != verdicts.end())
    return at->second;
  if (std::optional<verify::VerifyResult> kept =
          answers.loadVerdict(reference, candidate, verifyOptions)) {
    verdicts.try_emplace(key, *kept);
    return std::move(*kept);
  }
  progress.say("verifying a candidate");
  verify::VerifyOptions how = verifyOptions;
  how.cancelled = [this] { return isOverdue(); };
  llvm::Expected<verify::VerifyResult> verdict =
      verify::verify(reference, candidate, how);
  progress.clear();
  if (verdict && !isOverdue()) {
    verdicts.try_emplace(key, *verdict);
    answers.saveVerdict(reference, candidate, verifyOptions, *verdict);
  }
  return verdict;
}

bool Superoptimizer::isOverdue() {
  if (!interruptFlag())
    return false;
  // Asked by the threads of a verification too.
  auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  decltype(now) none = 0;
  interrupted.compare_exchange_strong(none, now);
  return std::chrono::steady_clock::duration(now - interrupted.load()) > kGrace;
}

void Superoptimizer::replace(Attempt &tried, const search::Candidate &candidate,
                             const verify::VerifyResult &verdict,
                             FragmentReport &entry) {
  Fragment &fragment = *tried.fragment;
  Location loc = fragment.ops.back()->getLoc();
  // The original, as the certificate's reference, under a name that is free.
  SymbolTable symbols(module);
  OpBuilder builder(func);
  SmallVector<Type> inputs(ValueRange(fragment.inputs).getTypes());
  SmallVector<Type> outputs(ValueRange(fragment.outputs).getTypes());
  auto reference = func::FuncOp::create(
      loc, (func.getName() + "_reference_" + Twine(improved++)).str(),
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
  entry.outcome = "replaced";
  entry.winner = semantics::toString(candidate.program);
  entry.winnerProgram = candidate.program;
  entry.certificate = verdict.certificate;
  InFlightDiagnostic remark = emitRemark(loc);
  remark << "superopt: @" << func.getName() << ": a fragment of "
         << counted(entry.ops, "op") << " became "
         << counted(graphs.size(), "kernel") << ": predicted "
         << llvm::formatv("{0:F1}", candidate.predictedMicros).str()
         << " us instead of "
         << llvm::formatv("{0:F1}", tried.found->originalMicros).str() << " us";
  remark.attachNote(loc) << (tried.repeated ? "as before: "
                             : tried.cached ? "from the cache: "
                                            : "")
                         << describeSearch(*tried.found);
  remark.attachNote(loc)
      << "verified: " << verify::describe(verdict)
      << llvm::formatv(", in {0:F1} s", verdict.seconds).str();
  remark.attachNote(loc) << "μGraph:\n" << entry.winner;
  reports.push_back(std::move(entry));
}
