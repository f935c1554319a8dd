//===- Device.cpp - A CUDA device behind its driver -----------------------===//

#include "Mirage/Runtime/Device.h"
#include "CudaApi.h"
#include "llvm/Support/FormatVariadic.h"
#include <dlfcn.h>

using namespace mirage::runtime;
using llvm::Error;
using llvm::Expected;

char NoDeviceError::ID = 0;

Error CudaApi::check(const char *symbol, int status) const {
  if (status == 0)
    return Error::success();
  const char *words = nullptr;
  if (getErrorString.function)
    getErrorString.function(status, &words);
  return llvm::createStringError(
      llvm::formatv("expected {0} to succeed, but got error {1} ({2})", symbol,
                    status, words ? words : "unknown error"));
}

namespace {
Error noDevice(const llvm::Twine &message) {
  return llvm::make_error<NoDeviceError>(message.str());
}

template <typename... Params>
bool bind(void *library, CudaFunction<Params...> &entry) {
  entry.function =
      reinterpret_cast<int (*)(Params...)>(dlsym(library, entry.symbol));
  return entry.function != nullptr;
}
} // namespace

Device::Device() : cuda(std::make_unique<CudaApi>()) {}

Device::~Device() {
  // The library stays loaded: the driver's own threads may still run in it.
  if (cuda->ctxSetCurrent.function && capability)
    cuda->primaryCtxRelease.function(cuda->device);
}

Expected<std::unique_ptr<Device>> Device::open(llvm::StringRef library,
                                               int ordinal) {
  std::unique_ptr<Device> device(new Device());
  CudaApi &api = *device->cuda;
  api.library = dlopen(library.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!api.library) {
    const char *reason = dlerror();
    return noDevice("expected the CUDA driver library " + library +
                    ", but it could not be loaded: " +
                    (reason ? reason : "no reason given"));
  }
#define MIRAGE_CUDA(name, symbol, ...)                                         \
  if (!bind(api.library, api.name))                                            \
    return noDevice("expected the CUDA driver library " + library +            \
                    " to export " symbol " (CUDA 11.8 or later), but it does " \
                    "not");
  MIRAGE_CUDA_FUNCTIONS(MIRAGE_CUDA)
#undef MIRAGE_CUDA

  // Whatever fails here says that there is no device to use.
  auto require = [&](Error error) {
    return error ? noDevice("expected a CUDA device, but got none: " +
                            llvm::toString(std::move(error)))
                 : Error::success();
  };
  if (Error error = require(api.call(api.init, 0u)))
    return std::move(error);
  if (Error error = require(api.call(api.deviceGet, &api.device, ordinal)))
    return std::move(error);
  void *context = nullptr;
  if (Error error =
          require(api.call(api.primaryCtxRetain, &context, api.device)))
    return std::move(error);
  if (Error error = require(api.call(api.ctxSetCurrent, context)))
    return std::move(error);

  char name[128] = {};
  int l2 = 0, major = 0, minor = 0;
  if (Error error =
          api.call(api.deviceGetName, name, int(sizeof name) - 1, api.device))
    return std::move(error);
  for (auto [value, attribute] : {std::pair(&l2, kL2CacheSize),
                                  std::pair(&major, kComputeCapabilityMajor),
                                  std::pair(&minor, kComputeCapabilityMinor)})
    if (Error error =
            api.call(api.deviceGetAttribute, value, int(attribute), api.device))
      return std::move(error);
  device->deviceName = name;
  device->primary = context;
  device->l2 = l2;
  device->capability = major * 10 + minor;
  return device;
}

const char *Device::errorString(int status) const {
  const char *words = nullptr;
  cuda->getErrorString.function(status, &words);
  return words ? words : "unknown error";
}

Expected<DeviceBuffer> DeviceBuffer::allocate(const Device &device,
                                              int64_t bytes) {
  uint64_t pointer = 0;
  const CudaApi &api = device.api();
  if (Error error =
          api.call(api.memAlloc, &pointer, static_cast<size_t>(bytes)))
    return std::move(error);
  return DeviceBuffer(device, pointer, bytes);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : device(other.device), pointer(other.pointer), bytes(other.bytes) {
  other.pointer = 0;
}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(pointer, other.pointer);
  std::swap(bytes, other.bytes);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  // A failure here follows an earlier one, which has been reported.
  if (pointer)
    device->api().memFree.function(pointer);
}

Error DeviceBuffer::upload(llvm::StringRef data) {
  if (static_cast<int64_t>(data.size()) != bytes)
    return llvm::createStringError(llvm::formatv(
        "expected {0} bytes to upload, but got {1}", bytes, data.size()));
  const CudaApi &api = device->api();
  return api.call(api.memcpyHtoD, pointer,
                  static_cast<const void *>(data.data()), data.size());
}

Expected<std::string> DeviceBuffer::download() const {
  std::string data(bytes, '\0');
  const CudaApi &api = device->api();
  if (Error error = api.call(api.memcpyDtoH, static_cast<void *>(data.data()),
                             pointer, data.size()))
    return std::move(error);
  return data;
}

Error DeviceBuffer::fill(uint8_t byte) {
  const CudaApi &api = device->api();
  return api.call(api.memsetD8, pointer, static_cast<unsigned char>(byte),
                  static_cast<size_t>(bytes));
}
