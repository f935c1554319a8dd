//===- Measure.cpp - Time the candidates of a bundle ----------------------===//

#include "Mirage/Tune/Measure.h"
#include "ChildProcess.h"
#include "Mirage/Interpreter/Npy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace mirage;
using namespace mirage::interpreter;
using namespace mirage::tune;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
namespace json = llvm::json;

namespace {
/// Opening the driver on a machine with several GPUs takes seconds.
constexpr double kStartSeconds = 120;

double median(std::vector<double> values) {
  llvm::sort(values);
  size_t n = values.size();
  return n == 0  ? 0
         : n % 2 ? values[n / 2]
                 : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// What the passes gave for one way to launch.
struct Samples {
  std::vector<double> cold, spread, warm;

  LaunchTimes times() const {
    return {median(cold), median(spread), median(warm)};
  }
};

/// A child, and the device that it holds.
struct Worker {
  std::unique_ptr<ChildProcess> child;
  std::string device;
  int capability = 0;

  static Expected<Worker> start(const MeasureOptions &options,
                                llvm::StringRef scratch) {
    auto started = ChildProcess::start(
        {options.executable, "tune", ("--worker=" + scratch).str(),
         "--cuda-driver=" + options.driver,
         formatv("--rounds={0}", options.rounds).str()},
        joinPath(scratch, "worker.log"));
    if (!started)
      return started.takeError();
    std::string line;
    Wait wait = (*started)->receive(line, kStartSeconds);
    if (wait == Wait::TimedOut)
      return llvm::createStringError(
          formatv("expected a device within {0} s, but got no answer of the "
                  "driver",
                  kStartSeconds));
    if (wait == Wait::Ended)
      return llvm::createStringError(
          "expected a process that opens the device, but it ended with " +
          (*started)->end());
    Expected<json::Value> hello = json::parse(line);
    const json::Object *object = hello ? hello->getAsObject() : nullptr;
    if (!object)
      return llvm::createStringError(
          "expected a device's name, but got '" + line + "'" +
          (hello ? "" : ": " + llvm::toString(hello.takeError())));
    if (auto why = object->getString("no_device"))
      return llvm::make_error<runtime::NoDeviceError>(why->str());
    Worker worker;
    worker.device = object->getString("device").value_or("").str();
    worker.capability = object->getInteger("capability").value_or(0);
    worker.child = std::move(*started);
    return worker;
  }
};

/// A temporary folder, which goes with the object.
class ScratchFolder {
public:
  static Expected<std::unique_ptr<ScratchFolder>> create() {
    std::unique_ptr<ScratchFolder> folder(new ScratchFolder());
    if (std::error_code code =
            llvm::sys::fs::createUniqueDirectory("mirage-tune", folder->path))
      return llvm::createStringError("expected a temporary folder, but got " +
                                     code.message());
    return folder;
  }
  ~ScratchFolder() { llvm::sys::fs::remove_directories(path); }

  llvm::SmallString<128> path;

private:
  ScratchFolder() = default;
};

class Supervisor {
public:
  Supervisor(const Bundle &bundle, llvm::StringRef folder,
             const MeasureOptions &options, llvm::StringRef scratch)
      : bundle(bundle), folder(folder), options(options), scratch(scratch) {}

  Expected<Results> run() {
    auto start = std::chrono::steady_clock::now();
    results.bundle = bundle;
    results.rounds = options.rounds;
    results.measurements.resize(bundle.candidates.size());
    plain.resize(bundle.candidates.size());
    dependent.resize(bundle.candidates.size());
    // The device is asked for before inputs are made for seconds.
    Expected<Worker> first = Worker::start(options, scratch);
    if (!first)
      return first.takeError();
    results.device = first->device;
    results.capability = first->capability;
    child = std::move(first->child);
    if (Error error = checkArchitecture(bundle.target, results.capability))
      return std::move(error);
    if (Error error = prepare())
      return std::move(error);
    size_t n = bundle.candidates.size();
    for (unsigned pass = 0; pass < options.passes; ++pass)
      for (size_t i = 0; i < n; ++i) {
        size_t index = pass % 2 ? n - 1 - i : i;
        if (pass > 0 && results.measurements[index].outcome != Outcome::Passed)
          continue;
        measureOne(index);
        if (options.progress)
          options.progress(formatv("pass {0} of {1}: {2} of {3} candidates",
                                   pass + 1, options.passes, i + 1, n));
      }
    for (size_t i = 0; i < n; ++i) {
      Measurement &m = results.measurements[i];
      m.plain = plain[i].times();
      m.coldPasses = plain[i].cold;
      if (!dependent[i].cold.empty())
        m.dependent = dependent[i].times();
    }
    results.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return std::move(results);
  }

private:
  /// Leaves the inputs for the child, and reads what is expected of it.
  Error prepare() {
    std::vector<semantics::TensorType> types;
    for (const BundleInput &input : bundle.inputs)
      types.push_back(input.type);
    std::vector<Tensor> inputs = makeInputs(types, bundle.seed);
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::string bytes = packElements(inputs[i]);
      std::string found = hashText(bytes);
      if (found != bundle.inputs[i].hash)
        return llvm::createStringError(
            formatv("expected input {0} of seed {1} to have the SHA-256 {2} "
                    "that the bundle states, but got {3}: use the version that "
                    "wrote it, {4}",
                    i, bundle.seed, bundle.inputs[i].hash, found, bundle.tool));
      if (Error error = writeTextFile(
              joinPath(scratch, formatv("input_{0}.bin", i).str()), bytes))
        return error;
    }
    std::vector<Tensor> exact;
    std::vector<Difference> baselines;
    for (size_t i = 0; i < bundle.outputs.size(); ++i) {
      std::string path = joinPath(folder, expectedFile(i));
      Expected<std::string> bytes = readTextFile(path);
      if (!bytes)
        return bytes.takeError();
      semantics::TensorType type = bundle.outputs[i].type;
      type.dtype = semantics::DType::F64;
      if (static_cast<int64_t>(bytes->size()) != type.byteSize())
        return llvm::createStringError(
            formatv("{0}: expected {1} bytes for {2}, but got {3}", path,
                    type.byteSize(), semantics::toString(type), bytes->size()));
      exact.push_back(unpackElements(type, *bytes));
      baselines.push_back(bundle.outputs[i].baseline);
    }
    judge.emplace(std::move(exact), std::move(baselines));
    return Error::success();
  }

  void fail(size_t index, Outcome outcome, const llvm::Twine &message) {
    results.measurements[index].outcome = outcome;
    results.measurements[index].message = message.str();
  }

  void measureOne(size_t index) {
    if (!lost.empty())
      return fail(index, Outcome::Failed, lost);
    if (!child) {
      Expected<Worker> worker = Worker::start(options, scratch);
      if (!worker) {
        // A device that is gone does not come back, and asking takes minutes.
        lost = "not measured: after the candidate before it, " +
               llvm::toString(worker.takeError());
        return fail(index, Outcome::Failed, lost);
      }
      child = std::move(worker->child);
    }
    std::string line;
    Wait wait = Wait::Ended;
    if (child->send(joinPath(folder, bundle.candidates[index].folder)))
      wait = child->receive(line, options.timeoutSeconds);
    if (wait == Wait::TimedOut) {
      child.reset();
      return fail(
          index, Outcome::Hung,
          formatv("no answer after {0} s", options.timeoutSeconds).str());
    }
    if (wait == Wait::Ended) {
      std::string how = child->end();
      child.reset();
      return fail(index, Outcome::Crashed, "its process ended with " + how);
    }
    Expected<json::Value> value = json::parse(line);
    if (!value) {
      child.reset();
      return fail(index, Outcome::Failed, llvm::toString(value.takeError()));
    }
    const json::Object *answer = value->getAsObject();
    if (!answer || !answer->getObject("plain")) {
      child.reset();
      return fail(index, Outcome::Failed,
                  answer ? answer->getString("error").value_or(line) : line);
    }
    take(index, *answer);
    // What answers wrong may also have written where it must not.
    if (results.measurements[index].outcome != Outcome::Passed)
      child.reset();
  }

  void take(size_t index, const json::Object &answer) {
    Measurement &m = results.measurements[index];
    m.outcome = Outcome::Passed;
    m.registers = answer.getInteger("registers").value_or(0);
    m.spilledBytes = answer.getInteger("spilled").value_or(0);
    for (llvm::StringRef launch : {"plain", "dependent"}) {
      const json::Object *times = answer.getObject(launch);
      if (!times)
        continue;
      Samples &samples = (launch == "plain" ? plain : dependent)[index];
      samples.cold.push_back(times->getNumber("cold_us").value_or(0));
      samples.spread.push_back(times->getNumber("cold_spread_us").value_or(0));
      samples.warm.push_back(times->getNumber("warm_us").value_or(0));
      int64_t differing = times->getInteger("differing_sets").value_or(0);
      if (differing > 0)
        fail(index, Outcome::Wrong,
             formatv("{0} launch: {1} of {2} sets differ from a run on its own",
                     launch, differing, times->getInteger("sets").value_or(0))
                 .str());
      if (Error error = check(index, launch))
        fail(index, Outcome::Failed, llvm::toString(std::move(error)));
    }
  }

  Error check(size_t index, llvm::StringRef launch) {
    Measurement &m = results.measurements[index];
    for (size_t i = 0; i < bundle.outputs.size(); ++i) {
      Expected<std::string> bytes = readTextFile(
          joinPath(scratch, formatv("output_{0}_{1}.bin", launch, i).str()));
      if (!bytes)
        return bytes.takeError();
      const semantics::TensorType &type = bundle.outputs[i].type;
      if (static_cast<int64_t>(bytes->size()) != type.byteSize())
        return llvm::createStringError(
            formatv("output {0}: expected {1} bytes, but got {2}", i,
                    type.byteSize(), bytes->size()));
      Judgement j = judge->judge(i, unpackElements(type, *bytes));
      m.relativeError = std::max(m.relativeError, j.ours.relative);
      m.errorRatio = std::max(m.errorRatio, j.ratio);
      if (!j.accepted)
        fail(index, Outcome::Wrong,
             formatv("{0} launch: output {1}: relative error {2:e2}, {3:F2} "
                     "times that op by op, where {4:F1} is allowed; wrong "
                     "class {5}",
                     launch, i, j.ours.relative, j.ratio, kAllowedRatio,
                     j.ours.wrongClass)
                 .str());
    }
    return Error::success();
  }

  const Bundle &bundle;
  llvm::StringRef folder;
  const MeasureOptions &options;
  llvm::StringRef scratch;
  std::unique_ptr<ChildProcess> child;
  std::string lost; ///< why no process can hold the device any more
  std::optional<Judge> judge;
  std::vector<Samples> plain, dependent;
  Results results;
};
} // namespace

Expected<Results> tune::measureBundle(const Bundle &bundle,
                                      llvm::StringRef folder,
                                      const MeasureOptions &options) {
  auto scratch = ScratchFolder::create();
  if (!scratch)
    return scratch.takeError();
  return Supervisor(bundle, folder, options, (*scratch)->path).run();
}

Error tune::checkDevice(llvm::StringRef target, const MeasureOptions &options) {
  auto scratch = ScratchFolder::create();
  if (!scratch)
    return scratch.takeError();
  Expected<Worker> worker = Worker::start(options, (*scratch)->path);
  if (!worker)
    return worker.takeError();
  return checkArchitecture(target, worker->capability);
}
