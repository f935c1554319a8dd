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
constexpr size_t kLogBytes = 1 << 16;

/// The quantile q of sorted numbers, without interpolation.
double quantile(llvm::ArrayRef<double> sorted, double q) {
  return sorted[static_cast<size_t>(q * (sorted.size() - 1) + 0.5)];
}

} // namespace

Executor::Executor(const Device &device, LaunchPlan plan)
    : device(device), launchPlan(std::move(plan)) {}

Executor::~Executor() {
  const CudaApi &api = device.api();
  if (stream)
    api.streamDestroy.function(stream);
  if (module)
    api.moduleUnload.function(module);
}

Expected<std::unique_ptr<Executor>>
Executor::load(const Device &device, LaunchPlan plan, llvm::StringRef image) {
  if (Error error = verifyLaunchPlan(plan))
    return std::move(error);
  if (image.empty())
    return llvm::createStringError(
        "expected a cubin or PTX text, but got nothing");
  std::unique_ptr<Executor> executor(new Executor(device, std::move(plan)));
  if (Error error = executor->loadModule(image))
    return std::move(error);
  for (const PlanKernel &kernel : executor->launchPlan.kernels)
    if (Error error = executor->prepareKernel(kernel))
      return std::move(error);
  for (const PlanScratch &buffer : executor->launchPlan.scratch) {
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

Error Executor::loadModule(llvm::StringRef image) {
  const CudaApi &api = device.api();
  std::string text = image.str(); // PTX must end in a zero byte
  std::string log(kLogBytes, '\0');
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSize};
  void *values[] = {log.data(), reinterpret_cast<void *>(kLogBytes)};
  Error error =
      api.call(api.moduleLoadDataEx, &module,
               static_cast<const void *>(text.c_str()), 2u, options, values);
  if (!error)
    return Error::success();
  std::string message = llvm::toString(std::move(error));
  llvm::StringRef words = llvm::StringRef(log.c_str()).trim();
  return llvm::createStringError(
      words.empty() ? message : message + "; its log says: " + words.str());
}

Error Executor::prepareKernel(const PlanKernel &kernel) {
  const CudaApi &api = device.api();
  void *function = nullptr;
  if (Error error = api.call(api.moduleGetFunction, &function, module,
                             kernel.name.c_str()))
    return llvm::createStringError("kernel " + kernel.name + ": " +
                                   llvm::toString(std::move(error)));
  // The cluster is compiled in. A plan that says otherwise would launch, and
  // blocks would reduce over the wrong neighbours.
  std::array<int64_t, 3> compiled;
  int attribute = kRequiredClusterWidth;
  for (int64_t &dim : compiled) {
    int value = 0;
    if (Error error =
            api.call(api.funcGetAttribute, &value, attribute++, function))
      return error;
    dim = std::max(value, 1); // 0 where nothing was compiled in
  }
  if (compiled != kernel.cluster)
    return llvm::createStringError(formatv(
        "expected kernel {0} to be compiled for the plan's cluster {1}, but "
        "got {2}",
        kernel.name, semantics::toString(kernel.cluster),
        semantics::toString(compiled)));
  if (kernel.sharedBytes > 0)
    if (Error error =
            api.call(api.funcSetAttribute, function, int(kMaxDynamicSharedSize),
                     static_cast<int>(kernel.sharedBytes)))
      return error;
  if (kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] > 8)
    if (Error error = api.call(api.funcSetAttribute, function,
                               int(kNonPortableClusterSize), 1))
      return error;
  functions.push_back(function);
  return Error::success();
}

Expected<std::vector<KernelFacts>> Executor::facts() const {
  const CudaApi &api = device.api();
  std::vector<KernelFacts> result;
  for (void *function : functions) {
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
  if (inputs.size() != launchPlan.inputs.size())
    return llvm::createStringError(formatv("expected {0} inputs, but got {1}",
                                           launchPlan.inputs.size(),
                                           inputs.size()));
  Set set;
  for (size_t i = 0; i < inputs.size(); ++i) {
    int64_t expected = launchPlan.inputs[i].type.byteSize();
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
  for (const semantics::TensorType &type : launchPlan.outputs) {
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
  const CudaApi &api = device.api();
  for (size_t i = 0; i < scratch.size(); ++i)
    if (launchPlan.scratch[i].zero)
      if (Error error =
              api.call(api.memsetD8Async, scratch[i].address(),
                       static_cast<unsigned char>(0),
                       static_cast<size_t>(scratch[i].size()), stream))
        return error;
  for (size_t k = 0; k < functions.size(); ++k) {
    const PlanKernel &kernel = launchPlan.kernels[k];
    std::vector<uint64_t> addresses;
    for (const PlanParameter &parameter : kernel.parameters)
      addresses.push_back(parameter.kind == ParameterKind::Input
                              ? set.inputs[parameter.index].address()
                          : parameter.kind == ParameterKind::Output
                              ? set.outputs[parameter.index].address()
                              : scratch[parameter.index].address());
    std::vector<void *> pointers;
    for (uint64_t &address : addresses)
      pointers.push_back(&address);

    LaunchAttribute attribute = {};
    attribute.id = kLaunchProgrammaticSerialization;
    attribute.value.programmaticSerialization = 1;
    LaunchConfig config = {};
    config.gridX = static_cast<unsigned>(kernel.grid[0]);
    config.gridY = static_cast<unsigned>(kernel.grid[1]);
    config.gridZ = static_cast<unsigned>(kernel.grid[2]);
    config.blockX = static_cast<unsigned>(kernel.threads);
    config.blockY = config.blockZ = 1;
    config.sharedBytes = static_cast<unsigned>(kernel.sharedBytes);
    config.stream = stream;
    // Cluster dims need no attribute: .reqnctapercluster states them.
    if (dependent && kernel.dependentLaunch) {
      config.attributes = &attribute;
      config.numAttributes = 1;
    }
    if (Error error = api.call(
            api.launchKernelEx, static_cast<const LaunchConfig *>(&config),
            functions[k], pointers.data(), static_cast<void **>(nullptr)))
      return llvm::createStringError("kernel " + kernel.name + ": " +
                                     llvm::toString(std::move(error)));
  }
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
  for (const PlanInput &input : launchPlan.inputs)
    bytes += input.type.byteSize();
  for (const semantics::TensorType &output : launchPlan.outputs)
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
