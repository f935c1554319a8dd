//===- Kernels.cpp - Launching behind the C interface ---------------------===//

#include "Internal.h"

#include "Mirage/Runtime/KernelModule.h"

using namespace mirage;
using namespace mirage::runtime;
using mirage::capi::Call;

struct MirageKernels {
  std::unique_ptr<Device> device; // outlives what is loaded on it
  std::unique_ptr<KernelModule> module;
};

static llvm::Expected<std::unique_ptr<MirageKernels>>
load(llvm::StringRef planText, llvm::StringRef image, int ordinal,
     llvm::StringRef driver) {
  llvm::Expected<LaunchPlan> plan = parseLaunchPlan(planText);
  if (!plan)
    return plan.takeError();
  auto kernels = std::make_unique<MirageKernels>();
  llvm::Expected<std::unique_ptr<Device>> device =
      Device::open(driver, ordinal);
  if (!device)
    return device.takeError();
  kernels->device = std::move(*device);
  llvm::Expected<std::unique_ptr<KernelModule>> module =
      KernelModule::load(*kernels->device, std::move(*plan), image);
  if (!module)
    return module.takeError();
  kernels->module = std::move(*module);
  return kernels;
}

MirageKernels *mirageKernelsLoad(MirageContext *context, const char *plan,
                                 size_t planLength, const void *image,
                                 size_t imageLength, int ordinal,
                                 const char *driver) {
  Call call(context);
  llvm::Expected<std::unique_ptr<MirageKernels>> kernels =
      load({plan, planLength}, {static_cast<const char *>(image), imageLength},
           ordinal, driver ? driver : "libcuda.so.1");
  if (kernels)
    return kernels->release();
  call.fail(kernels.takeError());
  return nullptr;
}

void mirageKernelsDestroy(MirageKernels *kernels) { delete kernels; }

int mirageKernelsLaunch(const MirageKernels *kernels, const uint64_t *addresses,
                        void *stream, bool dependent) {
  return kernels->module->enqueue(addresses, stream, dependent);
}

size_t mirageKernelsNumAddresses(const MirageKernels *kernels) {
  return kernels->module->numAddresses();
}

const char *mirageKernelsErrorString(const MirageKernels *kernels, int status) {
  return kernels->device->errorString(status);
}
