//===- KernelModule.cpp - A launch plan on a device -----------------------===//

#include "Mirage/Runtime/KernelModule.h"
#include "CudaApi.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mirage::runtime;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
constexpr size_t kLogBytes = 1 << 16;

/// Whether the device runs code of the target's kind. Code for sm_90 runs on
/// that and later ones, code for sm_90a on sm_90 alone (PTX ISA 11.1.2).
Error checkTarget(const Device &device, llvm::StringRef target) {
  // A verified plan names a target of the table: sm_ and a number.
  llvm::StringRef digits = target.drop_front(3);
  int needed = 0;
  digits.consumeInteger(10, needed);
  int found = device.computeCapability();
  bool exact = digits.starts_with("a");
  if (exact ? found == needed : found >= needed)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a device of sm_{0}{1} for the plan's target {2}, but "
              "got {3}, sm_{4}",
              needed, exact ? "" : " or later", target, device.name(), found));
}
} // namespace

KernelModule::KernelModule(const Device &device, LaunchPlan plan)
    : device(device), launchPlan(std::move(plan)) {
  unsigned inputs = launchPlan.inputs.size();
  unsigned outputs = launchPlan.outputs.size();
  for (const PlanKernel &kernel : launchPlan.kernels) {
    llvm::SmallVector<unsigned, 8> &list = places.emplace_back();
    for (const PlanParameter &parameter : kernel.parameters)
      list.push_back(parameter.index +
                     (parameter.kind == ParameterKind::Input ? 0
                      : parameter.kind == ParameterKind::Output
                          ? inputs
                          : inputs + outputs));
  }
}

KernelModule::~KernelModule() {
  if (module)
    device.api().moduleUnload.function(module);
}

size_t KernelModule::numAddresses() const {
  return launchPlan.inputs.size() + launchPlan.outputs.size() +
         launchPlan.scratch.size();
}

Expected<std::unique_ptr<KernelModule>>
KernelModule::load(const Device &device, LaunchPlan plan,
                   llvm::StringRef image) {
  if (Error error = verifyLaunchPlan(plan))
    return std::move(error);
  if (image.empty())
    return llvm::createStringError(
        "expected a cubin or PTX text, but got nothing");
  if (Error error = checkTarget(device, plan.target))
    return std::move(error);
  std::unique_ptr<KernelModule> loaded(
      new KernelModule(device, std::move(plan)));
  if (Error error = loaded->loadImage(image))
    return std::move(error);
  for (const PlanKernel &kernel : loaded->launchPlan.kernels)
    if (Error error = loaded->prepare(kernel))
      return std::move(error);
  return loaded;
}

Error KernelModule::loadImage(llvm::StringRef image) {
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

Error KernelModule::prepare(const PlanKernel &kernel) {
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
  handles.push_back(function);
  return Error::success();
}

int KernelModule::enqueue(const uint64_t *addresses, void *stream,
                          bool dependent, size_t *failed) const {
  const CudaApi &api = device.api();
  if (int status = api.ctxSetCurrent.function(device.context()))
    return status;
  const uint64_t *scratch =
      addresses + launchPlan.inputs.size() + launchPlan.outputs.size();
  for (size_t i = 0; i < launchPlan.scratch.size(); ++i)
    if (launchPlan.scratch[i].zero)
      if (int status = api.memsetD8Async.function(
              scratch[i], 0, launchPlan.scratch[i].bytes, stream))
        return status;
  LaunchAttribute attribute = {};
  attribute.id = kLaunchProgrammaticSerialization;
  attribute.value.programmaticSerialization = 1;
  for (size_t k = 0; k < handles.size(); ++k) {
    const PlanKernel &kernel = launchPlan.kernels[k];
    llvm::SmallVector<void *, 32> pointers;
    for (unsigned place : places[k])
      pointers.push_back(const_cast<uint64_t *>(addresses + place));
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
    if (int status = api.launchKernelEx.function(&config, handles[k],
                                                 pointers.data(), nullptr)) {
      if (failed)
        *failed = k;
      return status;
    }
  }
  return 0;
}
