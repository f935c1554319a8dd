//===- Worker.cpp - The process that holds the device ---------------------===//

#include "Mirage/Runtime/Executor.h"
#include "Mirage/Tune/Measure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <iostream>
#include <sys/prctl.h>

using namespace mirage;
using namespace mirage::runtime;
using namespace mirage::tune;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
namespace json = llvm::json;

namespace {
/// Before its first measurement a process keeps the device busy for so long,
/// since clocks rise with load.
constexpr double kWarmUpSeconds = 0.3;

void answer(json::Value value) {
  llvm::outs() << formatv("{0}", value) << "\n";
  llvm::outs().flush();
}

class Worker {
public:
  Worker(const Device &device, llvm::StringRef scratch, unsigned rounds)
      : device(device), scratch(scratch), rounds(rounds) {}

  Expected<json::Value> measure(llvm::StringRef folder) {
    Expected<std::string> planText = readTextFile(joinPath(folder, kPlanFile));
    if (!planText)
      return planText.takeError();
    Expected<LaunchPlan> plan = parseLaunchPlan(*planText);
    if (!plan)
      return plan.takeError();
    Expected<std::string> image = readTextFile(joinPath(folder, kImageFile));
    if (!image)
      return image.takeError();
    Expected<std::unique_ptr<Executor>> executor =
        Executor::load(device, *plan, *image);
    if (!executor)
      return executor.takeError();
    Expected<std::vector<KernelFacts>> facts = (*executor)->facts();
    if (!facts)
      return facts.takeError();
    int registers = 0, spilled = 0;
    for (const KernelFacts &kernel : *facts) {
      registers = std::max(registers, kernel.registers);
      spilled = std::max(spilled, kernel.spilledBytes);
    }
    json::Object result{{"registers", registers}, {"spilled", spilled}};

    std::vector<std::string> inputs;
    for (size_t i = 0; i < plan->inputs.size(); ++i) {
      Expected<std::string> bytes =
          readTextFile(joinPath(scratch, formatv("input_{0}.bin", i).str()));
      if (!bytes)
        return bytes.takeError();
      inputs.push_back(std::move(*bytes));
    }
    bool hasDependent = llvm::any_of(
        plan->kernels, [](const PlanKernel &k) { return k.dependentLaunch; });
    for (bool dependent : {false, true}) {
      if (dependent && !hasDependent)
        continue;
      llvm::StringRef launch = dependent ? "dependent" : "plain";
      Expected<std::vector<std::string>> outputs =
          (*executor)->run(inputs, dependent);
      if (!outputs)
        return outputs.takeError();
      for (size_t i = 0; i < outputs->size(); ++i)
        if (Error error = writeTextFile(
                joinPath(scratch,
                         formatv("output_{0}_{1}.bin", launch, i).str()),
                (*outputs)[i]))
          return std::move(error);
      if (Error error = warmUp(**executor, inputs))
        return std::move(error);
      Expected<Timing> timing = (*executor)->time(inputs, dependent, rounds);
      if (!timing)
        return timing.takeError();
      result[launch] = json::Object{
          {"cold_us", timing->coldUs},
          {"cold_spread_us", timing->coldSpreadUs},
          {"warm_us", timing->warmUs},
          {"sets", static_cast<int64_t>(timing->sets)},
          {"differing_sets", static_cast<int64_t>(timing->differingSets)}};
    }
    return json::Value(std::move(result));
  }

private:
  Error warmUp(Executor &executor, llvm::ArrayRef<std::string> inputs) {
    using Clock = std::chrono::steady_clock;
    auto start = Clock::now();
    while (!warm) {
      Expected<Timing> timing = executor.time(inputs, false, rounds);
      if (!timing)
        return timing.takeError();
      warm = std::chrono::duration<double>(Clock::now() - start).count() >=
             kWarmUpSeconds;
    }
    return Error::success();
  }

  const Device &device;
  llvm::StringRef scratch;
  unsigned rounds;
  bool warm = false;
};
} // namespace

int tune::serveMeasurements(llvm::StringRef scratch, llvm::StringRef driver,
                            unsigned rounds) {
  // A parent that is killed must not leave a kernel that hangs behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Expected<std::unique_ptr<Device>> device = Device::open(driver);
  if (!device) {
    answer(json::Object{{"no_device", llvm::toString(device.takeError())}});
    return 3;
  }
  answer(json::Object{{"device", (*device)->name()},
                      {"capability", (*device)->computeCapability()}});
  Worker worker(**device, scratch, rounds);
  std::string folder;
  while (std::getline(std::cin, folder)) {
    Expected<json::Value> result = worker.measure(folder);
    if (result) {
      answer(std::move(*result));
      continue;
    }
    // After an error the context may be of no use any more.
    answer(json::Object{{"error", llvm::toString(result.takeError())}});
    return 1;
  }
  return 0;
}
