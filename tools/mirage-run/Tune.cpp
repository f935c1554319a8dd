//===- Tune.cpp - mirage-run tune -----------------------------------------===//

#include "Tune.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mirage;
using namespace mirage::run;
using namespace mirage::tune;
namespace cl = llvm::cl;
using llvm::Error;
using llvm::Expected;

static const char kTuneOverview[] =
    R"(Search a function, time its best candidates on the GPU, keep the quickest.

  mirage-run tune in.mlir -o best
      both halves on one machine
  mirage-run tune in.mlir --emit-bundle=DIR
      search, verify, lower and leave the candidates in DIR; needs no GPU
  mirage-run tune --bundle=DIR --json=FILE -o best
      time them: needs a CUDA driver, and nothing else

A candidate that the verifier does not accept, that has no lowering, does not
load, answers wrong, crashes or hangs is dropped and reported. -o names a folder
for the quickest: graph.mlir with its certificate, plan.json and kernel.ptx, as
mirage-run --gpu takes them, and reference.mlir.

Exit status: 0 success, 1 bad input or a failure on the way, 2 no candidate
passed, 3 no CUDA driver or device.
)";

void run::showProgress(const std::string &text) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    llvm::errs() << "\r\x1b[K" << text;
}

void run::endProgress() { showProgress(""); }

namespace {
/// What the tool takes; more would only cost time.
constexpr unsigned kMostCandidates = 1'000, kMostThreads = 1'024;
constexpr unsigned kMostRounds = 100'000, kMostPasses = 1'000;
constexpr double kMostSeconds = 86'400;

/// Copies the quickest candidate to the output's folder.
Error keepBest(const TuneOptions &options, const std::string &folder,
               const Results &results) {
  const BundleCandidate &best =
      results.bundle.candidates[results.byColdTime().front()];
  if (best.verdict == kNotVerified)
    return llvm::createStringError(
        "expected a verified candidate to keep, but " + best.folder +
        " is not verified: emit the bundle without --no-verify");
  auto copy = [&](const std::string &from, llvm::StringRef name) -> Error {
    Expected<std::string> text = readTextFile(from);
    if (!text)
      return text.takeError();
    return writeTextFile(joinPath(options.output, name), *text);
  };
  for (llvm::StringRef name : {kGraphFile, kPlanFile, kImageFile})
    if (Error error = copy(joinPath(folder, best.folder, name), name))
      return error;
  if (Error error = copy(joinPath(folder, kReferenceFile), kReferenceFile))
    return error;
  llvm::outs() << "kept " << best.folder << " in " << options.output << "\n";
  return Error::success();
}

/// Before the work: a place that cannot be written would waste it.
Error checkOutputs(const TuneOptions &options) {
  if (!options.output.empty())
    if (Error error = makeFolder(options.output))
      return error;
  if (!options.json.empty())
    return writeTextFile(options.json, "");
  return Error::success();
}

Expected<ExitCode> measure(const TuneOptions &options,
                           const std::string &folder) {
  Expected<Bundle> bundle = readBundle(folder);
  if (!bundle)
    return bundle.takeError();
  if (Error error = checkOutputs(options))
    return std::move(error);
  Expected<Results> results = measureBundle(*bundle, folder, options.measure);
  endProgress();
  if (!results)
    return results.takeError();
  printTable(*results, llvm::outs());
  if (!options.json.empty())
    if (Error error = writeTextFile(
            options.json, llvm::formatv("{0:2}\n", toJSON(*results)).str()))
      return std::move(error);
  if (results->byColdTime().empty())
    return kWrongResult;
  if (!options.output.empty())
    if (Error error = keepBest(options, folder, *results))
      return std::move(error);
  return kSuccess;
}

Error checkNumbers(const TuneOptions &options) {
  struct Number {
    llvm::StringRef name;
    unsigned value, least, most;
  };
  for (const Number &n :
       {Number{"top", options.top, 1, kMostCandidates},
        Number{"threads", options.measure.threads, 0, kMostThreads},
        Number{"rounds", options.measure.rounds, 1, kMostRounds},
        Number{"passes", options.measure.passes, 1, kMostPasses}})
    if (n.value < n.least || n.value > n.most)
      return llvm::createStringError(
          llvm::formatv("expected --{0} to be {1} to {2}, but got {3}", n.name,
                        n.least, n.most, n.value));
  // Written so that a NaN is refused.
  double seconds = options.measure.timeoutSeconds;
  if (seconds > 0 && seconds <= kMostSeconds)
    return Error::success();
  return llvm::createStringError(
      llvm::formatv("expected --timeout to be positive and at most {0}, but "
                    "got {1}",
                    kMostSeconds, seconds));
}

Expected<ExitCode> tuneWith(const TuneOptions &options) {
  bool both = options.emitTo.empty() && options.bundle.empty();
  if (!options.emitTo.empty() && !options.bundle.empty())
    return llvm::createStringError(
        "expected one of --emit-bundle and --bundle, but got both");
  if (options.bundle.empty() == options.program.empty())
    return llvm::createStringError(
        options.program.empty()
            ? llvm::Twine("expected a program or --bundle, but got neither")
            : "expected a program or --bundle, but got both " +
                  options.program + " and " + options.bundle);
  if (Error error = checkNumbers(options))
    return std::move(error);
  if (!options.bundle.empty())
    return measure(options, options.bundle);
  if (!both) {
    if (Error error = emitTuneBundle(options, options.emitTo))
      return std::move(error);
    return kSuccess;
  }
  // Before the search, which takes minutes.
  if (Error error = checkDevice(options.target, options.measure))
    return std::move(error);
  if (Error error = checkOutputs(options))
    return std::move(error);
  llvm::SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("mirage-bundle", folder))
    return llvm::createStringError("expected a temporary folder, but got " +
                                   code.message());
  auto cleanUp =
      llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });
  if (Error error = emitTuneBundle(options, folder.str().str()))
    return std::move(error);
  return measure(options, folder.str().str());
}
} // namespace

Expected<ExitCode> run::tuneMain(int argc, char **argv) {
  cl::OptionCategory category("mirage-run tune");
  cl::opt<std::string> program(cl::Positional, cl::desc("<program.mlir>"),
                               cl::cat(category));
  cl::opt<std::string> target("target", cl::desc("GPU to lower for"),
                              cl::init("sm_90a"), cl::cat(category));
  cl::opt<std::string> function(
      "function", cl::desc("The function to tune, if several are public"),
      cl::value_desc("name"), cl::cat(category));
  cl::opt<unsigned> top("top", cl::desc("Candidates to time (default 32)"),
                        cl::init(32), cl::cat(category));
  cl::opt<bool> spread(
      "spread",
      cl::desc("Take the candidates evenly from the whole ranking instead of "
               "its top, to judge the cost model"),
      cl::cat(category));
  cl::opt<bool> noVerify(
      "no-verify",
      cl::desc("Time candidates that only the search's own test has passed; "
               "-o refuses them"),
      cl::cat(category));
  cl::opt<uint64_t> verifySeed(
      "verify-seed",
      cl::desc("Seed of the verifier's tests (0, the default: from the "
               "operating system)"),
      cl::init(0), cl::cat(category));
  cl::opt<std::string> emitTo("emit-bundle",
                              cl::desc("Leave the lowered candidates here"),
                              cl::value_desc("folder"), cl::cat(category));
  cl::opt<std::string> bundle("bundle", cl::desc("Time these candidates"),
                              cl::value_desc("folder"), cl::cat(category));
  cl::opt<std::string> json("json", cl::desc("Where to write the results"),
                            cl::value_desc("file"), cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("Where to keep the quickest"),
                              cl::value_desc("folder"), cl::cat(category));
  cl::opt<uint64_t> seed("seed", cl::desc("Seed of the random inputs"),
                         cl::init(1), cl::cat(category));
  cl::opt<unsigned> rounds(
      "rounds", cl::desc("Graph replays for each median (default 20)"),
      cl::init(20), cl::cat(category));
  cl::opt<unsigned> passes(
      "passes", cl::desc("Times that each candidate is measured (default 2)"),
      cl::init(2), cl::cat(category));
  cl::opt<double> timeout(
      "timeout",
      cl::desc("Seconds after which a candidate is taken to hang (default 30)"),
      cl::init(30), cl::cat(category));
  cl::opt<unsigned> threads("threads",
                            cl::desc("CPU threads (default: all cores)"),
                            cl::init(0), cl::cat(category));
  cl::opt<std::string> driver(
      "cuda-driver", cl::desc("The CUDA driver library"),
      cl::init("libcuda.so.1"), cl::Hidden, cl::cat(category));
  cl::opt<std::string> worker("worker",
                              cl::desc("Serve a parent from this folder"),
                              cl::Hidden, cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kTuneOverview);

  if (!worker.empty())
    return static_cast<ExitCode>(serveMeasurements(worker, driver, rounds));
  TuneOptions options;
  options.program = program;
  options.function = function;
  options.target = target;
  options.emitTo = emitTo;
  options.bundle = bundle;
  options.json = json;
  options.output = output;
  options.top = top;
  options.spread = spread;
  options.verify = !noVerify;
  options.verifySeed = verifySeed;
  options.seed = seed;
  options.measure.executable = llvm::sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&tuneWith));
  options.measure.driver = driver;
  options.measure.rounds = rounds;
  options.measure.passes = passes;
  options.measure.timeoutSeconds = timeout;
  options.measure.threads = threads;
  options.measure.progress = showProgress;
  return tuneWith(options);
}
