//===- Executor.cpp - Run and time a launch plan --------------------------===//

#include "Mirage/Runtime/Executor.h"
#include "CudaApi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace mirage::runtime;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {

constexpr unsigned kLaunchesInGraph = 20; ///< at least
constexpr unsigned kWarmUps = 3;

/// The quantile q of sorted numbers, without interpolation.
double quantile(llvm::ArrayRef<double> sorted, double q) {
  return sorted[static_cast<size_t>(q * (sorted.size() - 1) + 0.5)];
}

} // namespace

Executor::Executor(const Device &device, std::unique_ptr<KernelModule> kernels)
    : device(device), kernels(std::move(kernels)) {}

Executor::~Executor() {
  if (stream)
    device.api().streamDestroy.function(stream);
}

Expected<std::unique_ptr<Executor>>
Executor::load(const Device &device, LaunchPlan plan, llvm::StringRef image) {
  Expected<std::unique_ptr<KernelModule>> kernels =
      KernelModule::load(device, std::move(plan), image);
  if (!kernels)
    return kernels.takeError();
  std::unique_ptr<Executor> executor(new Executor(device, std::move(*kernels)));
  for (const PlanScratch &buffer : executor->plan().scratch) {
    Expected<DeviceBuffer> memory =
        DeviceBuffer::allocate(device, buffer.bytes);
    if (!memory)
      return memory.takeError();
    executor->scratch.push_back(std::move(*memory));
  }
  const CudaApi &api = device.api();
  if (Error error =
          api.call(api.streamCreate, &executor->stream, kStreamNonBlocking))
    return std::move(error);
  return executor;
}

Expected<std::vector<KernelFacts>> Executor::facts() const {
  const CudaApi &api = device.api();
  std::vector<KernelFacts> result;
  for (void *function : kernels->functions()) {
    KernelFacts facts;
    if (Error error = api.call(api.funcGetAttribute, &facts.registers,
                               int(kNumRegs), function))
      return std::move(error);
    if (Error error = api.call(api.funcGetAttribute, &facts.spilledBytes,
                               int(kLocalSizeBytes), function))
      return std::move(error);
    result.push_back(facts);
  }
  return result;
}

Expected<Executor::Set>
Executor::makeSet(llvm::ArrayRef<std::string> inputs) const {
  if (inputs.size() != plan().inputs.size())
    return llvm::createStringError(
        formatv("expected {0} input{1}, but got {2}", plan().inputs.size(),
                plan().inputs.size() == 1 ? "" : "s", inputs.size()));
  Set set;
  for (size_t i = 0; i < inputs.size(); ++i) {
    int64_t expected = plan().inputs[i].type.byteSize();
    if (static_cast<int64_t>(inputs[i].size()) != expected)
      return llvm::createStringError(
          formatv("input {0}: expected {1} bytes, but got {2}", i, expected,
                  inputs[i].size()));
    Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(device, expected);
    if (!buffer)
      return buffer.takeError();
    if (Error error = buffer->upload(inputs[i]))
      return std::move(error);
    set.inputs.push_back(std::move(*buffer));
  }
  for (const semantics::TensorType &type : plan().outputs) {
    Expected<DeviceBuffer> buffer =
        DeviceBuffer::allocate(device, type.byteSize());
    if (!buffer)
      return buffer.takeError();
    set.outputs.push_back(std::move(*buffer));
  }
  return set;
}

Error Executor::poison(Set &set) {
  for (auto *buffers : {&set.outputs, &scratch})
    for (DeviceBuffer &buffer : *buffers)
      if (Error error = buffer.fill(0xFF))
        return error;
  // Fills go to the default stream, for which ours does not wait.
  const CudaApi &api = device.api();
  return api.call(api.ctxSynchronize);
}

Error Executor::enqueue(const Set &set, bool dependent) {
  std::vector<uint64_t> addresses;
  for (const auto *buffers :
       std::initializer_list<const std::vector<DeviceBuffer> *>{
           &set.inputs, &set.outputs, &scratch})
    for (const DeviceBuffer &buffer : *buffers)
      addresses.push_back(buffer.address());
  size_t failed = 0;
  int status = kernels->enqueue(addresses.data(), stream, dependent, &failed);
  const CudaApi &api = device.api();
  if (Error error = api.check(api.launchKernelEx.symbol, status))
    return llvm::createStringError("kernel " + plan().kernels[failed].name +
                                   ": " + llvm::toString(std::move(error)));
  return Error::success();
}

Expected<std::vector<std::string>> Executor::outputsOf(const Set &set) const {
  std::vector<std::string> result;
  for (const DeviceBuffer &buffer : set.outputs) {
    Expected<std::string> data = buffer.download();
    if (!data)
      return data.takeError();
    result.push_back(std::move(*data));
  }
  return result;
}

Expected<std::vector<std::string>>
Executor::run(llvm::ArrayRef<std::string> inputs, bool dependent) {
  Expected<Set> set = makeSet(inputs);
  if (!set)
    return set.takeError();
  if (Error error = poison(*set))
    return std::move(error);
  if (Error error = enqueue(*set, dependent))
    return std::move(error);
  const CudaApi &api = device.api();
  if (Error error = api.call(api.streamSynchronize, stream))
    return std::move(error);
  return outputsOf(*set);
}

Expected<double> Executor::timeGraph(llvm::ArrayRef<const Set *> sets,
                                     bool dependent, unsigned rounds,
                                     double &spread) {
  const CudaApi &api = device.api();
  unsigned launches =
      std::max(kLaunchesInGraph, static_cast<unsigned>(sets.size()));
  void *graph = nullptr, *executable = nullptr;
  void *events[2] = {nullptr, nullptr};
  auto cleanUp = llvm::scope_exit([&] {
    for (void *event : events)
      if (event)
        api.eventDestroy.function(event);
    if (executable)
      api.graphExecDestroy.function(executable);
    if (graph)
      api.graphDestroy.function(graph);
  });

  // The first launch of a kernel loads it, which a capture would forbid.
  if (Error error = enqueue(*sets[0], dependent))
    return std::move(error);
  if (Error error = api.call(api.streamSynchronize, stream))
    return std::move(error);
  if (Error error =
          api.call(api.streamBeginCapture, stream, kCaptureModeThreadLocal))
    return std::move(error);
  Error enqueued = Error::success();
  for (unsigned i = 0; i < launches && !enqueued; ++i)
    enqueued = enqueue(*sets[i % sets.size()], dependent);
  // Capture must end whether or not the launches went well.
  Error ended = api.call(api.streamEndCapture, stream, &graph);
  if (enqueued) {
    llvm::consumeError(std::move(ended));
    return std::move(enqueued);
  }
  if (ended)
    return std::move(ended);
  if (Error error = api.call(api.graphInstantiate, &executable, graph, 0ull))
    return std::move(error);
  for (void *&event : events)
    if (Error error = api.call(api.eventCreate, &event, 0u))
      return std::move(error);

  std::vector<double> times;
  for (unsigned round = 0; round < kWarmUps + rounds; ++round) {
    if (Error error = api.call(api.eventRecord, events[0], stream))
      return std::move(error);
    if (Error error = api.call(api.graphLaunch, executable, stream))
      return std::move(error);
    if (Error error = api.call(api.eventRecord, events[1], stream))
      return std::move(error);
    if (Error error = api.call(api.eventSynchronize, events[1]))
      return std::move(error);
    float milliseconds = 0.0f;
    if (Error error =
            api.call(api.eventElapsedTime, &milliseconds, events[0], events[1]))
      return std::move(error);
    if (round >= kWarmUps)
      times.push_back(milliseconds * 1e3 / launches);
  }
  llvm::sort(times);
  spread = quantile(times, 0.75) - quantile(times, 0.25);
  return quantile(times, 0.5);
}

Expected<Timing> Executor::time(llvm::ArrayRef<std::string> inputs,
                                bool dependent, unsigned rounds) {
  if (rounds == 0)
    return llvm::createStringError("expected at least 1 round, but got 0");
  Expected<std::vector<std::string>> alone = run(inputs, /*dependent=*/false);
  if (!alone)
    return alone.takeError();
  int64_t bytes = 0;
  for (const PlanInput &input : plan().inputs)
    bytes += input.type.byteSize();
  for (const semantics::TensorType &output : plan().outputs)
    bytes += output.byteSize();
  // Together over twice the cache, so that no set is still there on return.
  int64_t count = std::clamp<int64_t>(2 * device.l2Bytes() / bytes + 2, 2, 64);
  std::vector<Set> sets;
  for (int64_t i = 0; i < count; ++i) {
    Expected<Set> set = makeSet(inputs);
    if (!set)
      return set.takeError();
    if (Error error = poison(*set))
      return std::move(error);
    sets.push_back(std::move(*set));
  }
  std::vector<const Set *> pointers;
  for (const Set &set : sets)
    pointers.push_back(&set);

  Timing timing;
  timing.sets = static_cast<unsigned>(sets.size());
  Expected<double> cold =
      timeGraph(pointers, dependent, rounds, timing.coldSpreadUs);
  if (!cold)
    return cold.takeError();
  timing.coldUs = *cold;
  for (const Set &set : sets) {
    Expected<std::vector<std::string>> outputs = outputsOf(set);
    if (!outputs)
      return outputs.takeError();
    timing.differingSets += *outputs != *alone;
  }
  double warmSpread = 0.0;
  Expected<double> warm = timeGraph(llvm::ArrayRef(pointers).take_front(),
                                    dependent, rounds, warmSpread);
  if (!warm)
    return warm.takeError();
  timing.warmUs = *warm;
  return timing;
}
