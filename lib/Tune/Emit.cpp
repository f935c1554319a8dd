//===- Emit.cpp - Search, lower, and leave a bundle -----------------------===//
//
// The bundle has `top` places. Each starts from a rank of the model's ranking;
// where that candidate cannot be used the place takes another one: from the top
// the next that nobody has taken, in a spread choice the next below its own. A
// shape has one place as long as there are shapes without one. In
// rounds, so that the choice does not depend on which thread was first.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Tune/Emit.h"
#include "Mirage/Interpreter/Npy.h"
#include "Mirage/Search/Search.h"
#include "Mirage/Tune/Judge.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <set>
#include <thread>

using namespace mirage;
using namespace mirage::tune;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
/// Candidates that are tried for each place before it is given up.
constexpr unsigned kTries = 4;
/// Candidates that are ranked for each place, most of them of a shape that
/// another has, too.
constexpr unsigned kRanked = 12;
/// A spread choice judges the model on instances that it likes least, too.
constexpr unsigned kSpreadInstances = 200;
constexpr unsigned kSpreadRanking = 20'000;

std::string summarize(const semantics::Program &program) {
  std::string text;
  for (const semantics::Op &op : program.ops) {
    if (op.kind != semantics::OpKind::Graph)
      continue;
    int64_t range = 1;
    for (const semantics::Op &inner : op.body)
      if (inner.kind == semantics::OpKind::Loop)
        range = inner.attrs.range;
    text +=
        formatv("{0}grid {1} cluster {2} loop {3} threads {4} stages {5}",
                text.empty() ? "" : "; ", semantics::toString(op.attrs.grid),
                semantics::toString(op.attrs.cluster), range, op.attrs.threads,
                op.attrs.stages);
  }
  return text;
}

/// Runs body(0), ..., body(count - 1) on so many threads.
template <typename Body>
void parallelFor(size_t count, unsigned threads, Body body) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min<size_t>(threads, count); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

/// One place of the bundle.
struct Place {
  size_t at = 0;   ///< in the order in which ranks are taken
  size_t rank = 0; ///< tried in this round
  bool open = true;
  std::optional<LoweredCandidate> lowered;
  std::string verdict = kNotVerified.str();
  std::string failure;
};

class Emitter {
public:
  Emitter(const semantics::Program &program, const EmitOptions &options,
          llvm::StringRef folder)
      : program(program), options(options), folder(folder),
        threads(options.threads
                    ? options.threads
                    : std::max(1u, std::thread::hardware_concurrency())) {}

  Expected<Bundle> run() {
    // Before the work: a folder that cannot be made would waste it.
    if (Error error = makeFolder(folder))
      return std::move(error);
    if (Error error = search())
      return std::move(error);
    // One seed for all, drawn when no candidate can change any more.
    auto drawn = verify::systemSeed();
    if (!drawn)
      return drawn.takeError();
    seed = options.verifySeed.value_or(*drawn);
    choose();
    return write();
  }

private:
  Error search() {
    search::SearchOptions how(options.target);
    how.maxBlockOps = options.maxBlockOps;
    how.nodeBudget = options.nodeBudget;
    how.threads = threads;
    how.top = options.spread ? kSpreadRanking : kRanked * options.top;
    how.instancesPerGraph =
        options.spread ? kSpreadInstances
                       : std::max<unsigned>(how.instancesPerGraph, options.top);
    auto result = search::search(semantics::decompose(program), how);
    if (!result)
      return result.takeError();
    found = std::move(*result);
    if (!found.candidates.empty())
      return Error::success();
    std::string why = found.note;
    if (why.empty())
      why = found.stats.graphs == 0
                ? std::string("no block graph")
                : formatv("{0} block graphs, but no sizes of them that fit {1}",
                          found.stats.graphs, options.target.name)
                      .str();
    return llvm::createStringError(
        "expected a function that is one fragment with candidates, but the "
        "search of @" +
        program.name + " as a whole found: " + why);
  }

  /// The ranks in the order in which they are taken. From the top: one for each
  /// shape first. Graphs that differ in the order of two ops only have the same
  /// sizes and the same prediction, and would fill the bundle in threes.
  std::vector<size_t> takingOrder() const {
    std::vector<size_t> order, twins;
    std::set<std::string> shapes;
    for (size_t rank = 0; rank < found.candidates.size(); ++rank) {
      bool isNew =
          options.spread ||
          shapes.insert(summarize(found.candidates[rank].program)).second;
      (isNew ? order : twins).push_back(rank);
    }
    order.insert(order.end(), twins.begin(), twins.end());
    return order;
  }

  void choose() {
    std::vector<size_t> order = takingOrder();
    size_t n = order.size();
    places.resize(std::min<size_t>(options.top, n));
    size_t last = std::max<size_t>(places.size(), 2) - 1;
    for (size_t i = 0; i < places.size(); ++i)
      places[i].at = options.spread ? i * (n - 1) / last : i;
    size_t fresh = places.size();
    for (unsigned round = 0; round < kTries; ++round) {
      std::vector<Place *> open;
      for (Place &place : places)
        if (place.open) {
          place.rank = order[place.at];
          open.push_back(&place);
        }
      std::atomic<size_t> done{places.size() - open.size()};
      parallelFor(open.size(), threads, [&](size_t i) {
        attempt(*open[i]);
        size_t so = ++done;
        if (options.progress)
          options.progress(so, places.size());
      });
      for (size_t i = 0; i < places.size(); ++i) {
        Place &place = places[i];
        if (!place.open || place.lowered) {
          place.open = false;
          continue;
        }
        dropped.push_back({static_cast<int64_t>(place.rank),
                           found.candidates[place.rank].predictedMicros,
                           place.failure});
        size_t end =
            options.spread && i + 1 < places.size() ? places[i + 1].at : n;
        place.at = options.spread ? place.at + 1 : fresh++;
        place.open = place.at < end;
      }
    }
  }

  /// Lowers, which takes milliseconds, before it verifies, which takes seconds.
  void attempt(Place &place) {
    semantics::Program candidate = found.candidates[place.rank].program;
    candidate.name = program.name;
    auto lowered = options.lower
                       ? options.lower(candidate)
                       : lowerCandidate(candidate, options.target.name,
                                        options.constantInputs);
    if (!lowered) {
      place.failure = "has no lowering: " + llvm::toString(lowered.takeError());
      return;
    }
    if (options.verify) {
      auto accepted = acceptCandidate(program, candidate, seed, &references);
      if (!accepted) {
        place.failure = llvm::toString(accepted.takeError());
        return;
      }
      place.verdict = std::move(accepted->verdict);
      lowered->graph = printWithCertificate(
          candidate, program, accepted->certificate, options.constantInputs);
    }
    place.lowered = std::move(*lowered);
  }

  Expected<Bundle> write() {
    // By rank: a place whose candidate was replaced holds a later one.
    llvm::erase_if(places, [](const Place &place) { return !place.lowered; });
    llvm::sort(places,
               [](const Place &a, const Place &b) { return a.rank < b.rank; });
    llvm::sort(dropped,
               [](const DroppedCandidate &a, const DroppedCandidate &b) {
                 return a.rank < b.rank;
               });
    Bundle bundle;
    bundle.tool = "mirage " MIRAGE_VERSION;
    bundle.target = options.target.name.str();
    bundle.program = program.name;
    bundle.seed = options.seed;
    bundle.spread = options.spread;
    bundle.ranked = found.candidates.size();
    bundle.originalMicros = found.originalMicros;
    bundle.dropped = std::move(dropped);
    if (places.empty())
      return llvm::createStringError(
          formatv("expected a candidate that can be used, but got none of the "
                  "{0} tried; the first: {1}",
                  bundle.dropped.size(), bundle.dropped.front().reason));
    for (const Place &place : places)
      if (Error error = writeCandidate(place, bundle))
        return std::move(error);
    std::string reference = printAsFunction(program, options.constantInputs);
    bundle.referenceHash = hashText(reference);
    if (Error error =
            writeTextFile(joinPath(folder, kReferenceFile), reference))
      return std::move(error);
    if (Error error = writeExpected(bundle))
      return std::move(error);
    if (Error error = writeBundle(bundle, folder))
      return std::move(error);
    return bundle;
  }

  Error writeCandidate(const Place &place, Bundle &bundle) const {
    BundleCandidate entry;
    entry.folder = formatv("{0:d3}", bundle.candidates.size()).str();
    entry.rank = place.rank;
    const search::Candidate &candidate = found.candidates[place.rank];
    entry.predictedMicros = candidate.predictedMicros;
    entry.summary = summarize(candidate.program);
    entry.verdict = place.verdict;
    entry.graphHash = hashText(place.lowered->graph);
    entry.planHash = hashText(place.lowered->plan);
    entry.imageHash = hashText(place.lowered->image);
    std::string inside = joinPath(folder, entry.folder);
    if (Error error = makeFolder(inside))
      return error;
    for (auto [name, text] : {std::pair<llvm::StringRef, llvm::StringRef>{
                                  kGraphFile, place.lowered->graph},
                              {kPlanFile, place.lowered->plan},
                              {kImageFile, place.lowered->image}})
      if (Error error = writeTextFile(joinPath(inside, name), text))
        return error;
    bundle.candidates.push_back(std::move(entry));
    return Error::success();
  }

  /// The inputs' digests and the interpreter's outputs, with which the other
  /// half judges without an interpreter.
  Error writeExpected(Bundle &bundle) const {
    llvm::ArrayRef<semantics::TensorType> all(program.values);
    std::vector<interpreter::Tensor> inputs =
        makeInputs(all.take_front(program.numInputs), options.seed);
    for (const interpreter::Tensor &input : inputs)
      bundle.inputs.push_back(
          {input.type, hashText(interpreter::packElements(input))});
    Expected<Judge> judge = Judge::create(program, inputs, threads);
    if (!judge)
      return judge.takeError();
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      interpreter::Tensor exact = judge->exactOutputs()[i];
      exact.type.dtype = semantics::DType::F64;
      std::string bytes = interpreter::packElements(exact);
      bundle.outputs.push_back({program.type(program.outputs[i]),
                                hashText(bytes), judge->baseline()[i]});
      if (Error error = writeTextFile(joinPath(folder, expectedFile(i)), bytes))
        return error;
    }
    return Error::success();
  }

  const semantics::Program &program;
  const EmitOptions &options;
  llvm::StringRef folder;
  unsigned threads;
  search::SearchResult found;
  verify::Seed seed{};
  verify::FloatReferences references;
  std::vector<Place> places;
  std::vector<DroppedCandidate> dropped;
};
} // namespace

Expected<Acceptance> tune::acceptCandidate(const semantics::Program &reference,
                                           const semantics::Program &candidate,
                                           const verify::Seed &seed,
                                           verify::FloatReferences *shared) {
  verify::VerifyOptions how;
  how.seed = seed;
  how.threads = 1; // the candidates are what runs side by side
  how.checkFloat = true;
  how.floatReferences = shared;
  auto verdict = verify::verify(reference, candidate, how);
  if (!verdict)
    return verdict.takeError();
  std::string text = verify::describe(*verdict);
  if (!verdict->reachesTarget(how) ||
      (verdict->floatReport && !verdict->floatReport->accepted))
    return llvm::createStringError("not accepted by the verifier: " + text);
  return Acceptance{std::move(text),
                    verify::printCertificate(verdict->certificate)};
}

Expected<Bundle> tune::emitBundle(const semantics::Program &program,
                                  const EmitOptions &options,
                                  llvm::StringRef folder) {
  for (const semantics::Op &op : program.ops)
    if (op.kind == semantics::OpKind::Graph)
      return llvm::createStringError(
          "expected a function of predefined ops, which can be searched, but "
          "@" +
          program.name + " holds a graph");
  return Emitter(program, options, folder).run();
}
