//===- CachedAnswers.cpp - Searches and verdicts on disk ------------------===//

#include "CachedAnswers.h"
#include "Mirage/Semantics/ProgramJSON.h"
#include "Mirage/Transforms/CheckEntry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mirage;
namespace json = llvm::json;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {
constexpr StringRef kSearch = "search", kVerdict = "verdict";

/// Every count of a search, by its name.
template <class Stats, class F> void forEachCount(Stats &stats, F f) {
  f("structures", stats.structures);
  f("visited", stats.visited);
  f("pruned_shape", stats.prunedShape);
  f("pruned_expression", stats.prunedExpression);
  f("pruned_bound", stats.prunedBound);
  f("pruned_range", stats.prunedRange);
  f("merged", stats.merged);
  f("values", stats.values);
  f("graphs", stats.graphs);
  f("instances", stats.instances);
  f("pruned_resource", stats.prunedResource);
  f("questions", stats.prune.questions);
  f("memo_hits", stats.prune.memoHits);
  f("z3_questions", stats.prune.z3Questions);
  f("z3_queries", stats.prune.z3Queries);
  f("z3_unknown", stats.prune.z3Unknown);
  f("undecided", stats.prune.undecided);
  f("disagreements", stats.prune.disagreements);
}

/// Threads do not change what is found.
std::string keyOf(const semantics::Program &program,
                  const search::SearchOptions &o) {
  return llvm::formatv(
             "{0} ops {1} nodes {2} values {3} narrow {4} prune {5} rlimit {6} "
             "top {7} instances {8} seed {9}\n",
             o.target.name, o.maxBlockOps, o.nodeBudget, o.valueBudget,
             o.narrow, static_cast<int>(o.prune), o.solverRlimit, o.top,
             o.instancesPerGraph, o.seed)
             .str() +
         semantics::toString(program);
}

std::string keyOf(const semantics::Program &reference,
                  const semantics::Program &candidate,
                  const verify::VerifyOptions &o) {
  return llvm::formatv("bound {0} tests {1} to {2} statistical {3} float {4} "
                       "seed {5}\n",
                       o.targetLog2Bound, o.minTests, o.maxTests,
                       o.acceptStatistical, o.checkFloat,
                       o.seed ? llvm::toHex(*o.seed, /*LowerCase=*/true)
                              : std::string("drawn"))
             .str() +
         semantics::toString(reference) + semantics::toString(candidate);
}

json::Value toJSON(const search::SearchResult &found) {
  json::Array candidates;
  for (const search::Candidate &candidate : found.candidates)
    candidates.push_back(json::Object{
        {"program", semantics::toJSON(candidate.program)},
        {"predicted_us", candidate.predictedMicros},
        {"counted_ops", static_cast<int64_t>(candidate.countedOps)}});
  json::Object stats{{"seconds", found.stats.seconds}};
  forEachCount(found.stats, [&](StringRef name, uint64_t count) {
    stats[name] = static_cast<int64_t>(count);
  });
  return json::Object{{"candidates", std::move(candidates)},
                      {"original_us", found.originalMicros},
                      {"stats", std::move(stats)},
                      {"stopped", static_cast<int64_t>(found.stopped)},
                      {"note", found.note}};
}

Error mistake(const llvm::Twine &what) {
  return llvm::createStringError("expected " + what +
                                 " of a search, but got none");
}

Expected<search::SearchResult> searchFromJSON(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return mistake("the answer");
  search::SearchResult found;
  const json::Array *candidates = object->getArray("candidates");
  const json::Object *stats = object->getObject("stats");
  std::optional<double> original = object->getNumber("original_us");
  std::optional<int64_t> stopped = object->getInteger("stopped");
  std::optional<StringRef> note = object->getString("note");
  if (!candidates || !stats || !original || !stopped || !note || *stopped < 0 ||
      *stopped >= static_cast<int64_t>(search::StopReason::Cancelled))
    return mistake("the fields");
  found.originalMicros = *original;
  found.stopped = static_cast<search::StopReason>(*stopped);
  found.note = note->str();
  found.stats.seconds = stats->getNumber("seconds").value_or(0);
  forEachCount(found.stats, [&](StringRef name, uint64_t &count) {
    count = stats->getInteger(name).value_or(0);
  });
  for (const json::Value &entry : *candidates) {
    const json::Object *one = entry.getAsObject();
    const json::Value *text = one ? one->get("program") : nullptr;
    std::optional<double> predicted =
        one ? one->getNumber("predicted_us") : std::nullopt;
    if (!text || !predicted)
      return mistake("a candidate");
    Expected<semantics::Program> program = semantics::programFromJSON(*text);
    if (!program)
      return program.takeError();
    found.candidates.push_back(
        {std::move(*program), *predicted,
         static_cast<unsigned>(one->getInteger("counted_ops").value_or(0))});
  }
  return found;
}

/// Inputs and outputs of two programs, which one must be able to replace the
/// other by.
bool haveOneSignature(const semantics::Program &a,
                      const semantics::Program &b) {
  if (a.numInputs != b.numInputs || a.outputs.size() != b.outputs.size())
    return false;
  for (unsigned i = 0; i < a.numInputs; ++i)
    if (a.type(i) != b.type(i))
      return false;
  for (auto [x, y] : llvm::zip(a.outputs, b.outputs))
    if (a.type(x) != b.type(y))
      return false;
  return true;
}

struct KeptVerdict {
  semantics::Program reference, candidate;
  verify::VerifyResult result;
};

Expected<KeptVerdict> verdictFromJSON(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  const json::Value *reference = object ? object->get("reference") : nullptr,
                    *candidate = object ? object->get("candidate") : nullptr;
  const json::Object *certificate =
      object ? object->getObject("certificate") : nullptr;
  if (!reference || !candidate || !certificate)
    return llvm::createStringError(
        "expected two programs and a certificate, but got other JSON");
  KeptVerdict kept;
  Expected<semantics::Program> f = semantics::programFromJSON(*reference);
  if (!f)
    return f.takeError();
  Expected<semantics::Program> g = semantics::programFromJSON(*candidate);
  if (!g)
    return g.takeError();
  Expected<verify::VerifyResult> result =
      verify::resultFromCertificate(*certificate);
  if (!result)
    return result.takeError();
  return KeptVerdict{std::move(*f), std::move(*g), std::move(*result)};
}
} // namespace

std::optional<search::SearchResult>
CachedAnswers::loadSearch(const semantics::Program &program,
                          const search::SearchOptions &options) {
  if (!store)
    return std::nullopt;
  std::string key = keyOf(program, options);
  std::optional<json::Value> answer = store->load(kSearch, key);
  if (!answer)
    return std::nullopt;
  Expected<search::SearchResult> found = searchFromJSON(*answer);
  if (!found) {
    store->setAside(kSearch, key, llvm::toString(found.takeError()));
    return std::nullopt;
  }
  for (const search::Candidate &candidate : found->candidates)
    if (!haveOneSignature(program, candidate.program)) {
      store->setAside(kSearch, key,
                      "expected candidates of the program's inputs and "
                      "outputs, but got others");
      return std::nullopt;
    }
  ++searchHits;
  return std::move(*found);
}

void CachedAnswers::saveSearch(const semantics::Program &program,
                               const search::SearchOptions &options,
                               const search::SearchResult &found) {
  if (store && found.stopped != search::StopReason::Cancelled)
    store->save(kSearch, keyOf(program, options), toJSON(found));
}

std::optional<verify::VerifyResult>
CachedAnswers::loadVerdict(const semantics::Program &reference,
                           const semantics::Program &candidate,
                           const verify::VerifyOptions &options) {
  if (!store)
    return std::nullopt;
  std::string key = keyOf(reference, candidate, options);
  std::optional<json::Value> answer = store->load(kVerdict, key);
  if (!answer)
    return std::nullopt;
  Expected<KeptVerdict> kept = verdictFromJSON(*answer);
  // The programs are those of the caller: the entry's only serve `verify`.
  Error error = kept ? Error::success() : kept.takeError();
  if (kept && kept->result.verdict == verify::Verdict::Equivalent &&
      !kept->result.statistical)
    error = verify::recheckKept(reference, candidate, kept->result.certificate,
                                options);
  if (error) {
    store->setAside(kVerdict, key, llvm::toString(std::move(error)));
    return std::nullopt;
  }
  ++verdictHits;
  return std::move(kept->result);
}

void CachedAnswers::saveVerdict(const semantics::Program &reference,
                                const semantics::Program &candidate,
                                const verify::VerifyOptions &options,
                                const verify::VerifyResult &verdict) {
  if (!store)
    return;
  store->save(kVerdict, keyOf(reference, candidate, options),
              json::Object{{"reference", semantics::toJSON(reference)},
                           {"candidate", semantics::toJSON(candidate)},
                           {"certificate", json::Object(verdict.certificate)}});
}

Error mirage::checkEntry(const cache::Entry &entry, bool full) {
  if (!entry.damage.empty())
    return llvm::createStringError(entry.damage);
  if (entry.version != cache::version())
    return Error::success();
  if (entry.kind == kSearch)
    return searchFromJSON(*entry.answer).takeError();
  if (entry.kind != kVerdict)
    return Error::success();
  Expected<KeptVerdict> kept = verdictFromJSON(*entry.answer);
  if (!kept)
    return kept.takeError();
  if (kept->result.verdict != verify::Verdict::Equivalent ||
      kept->result.statistical)
    return Error::success();
  std::string texts = semantics::toString(kept->reference) +
                      semantics::toString(kept->candidate);
  if (!StringRef(entry.key).ends_with(texts))
    return llvm::createStringError(
        "expected the programs of the key, but got others");
  auto recheck = full ? verify::recheck : verify::recheckKept;
  return recheck(kept->reference, kept->candidate, kept->result.certificate,
                 verify::VerifyOptions());
}
