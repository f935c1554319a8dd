//===- Device.h - A CUDA device behind its driver ---------------*- C++ -*-===//
//
// The driver library is loaded at run time: a program that links this runs on a
// machine without CUDA and says so only when it needs a device.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_DEVICE_H
#define MIRAGE_RUNTIME_DEVICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace mirage::runtime {

struct CudaApi;

/// No CUDA driver, or no device: the machine's fault, not the program's.
class NoDeviceError : public llvm::ErrorInfo<NoDeviceError> {
public:
  static char ID;
  explicit NoDeviceError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::no_such_device);
  }

private:
  std::string text;
};

/// A CUDA device, its primary context current on the thread that opened it.
class Device {
public:
  static llvm::Expected<std::unique_ptr<Device>>
  open(llvm::StringRef library = "libcuda.so.1", int ordinal = 0);
  ~Device();

  llvm::StringRef name() const { return deviceName; }
  /// As in a target's name: 90 for sm_90.
  int computeCapability() const { return capability; }
  int64_t l2Bytes() const { return l2; }
  const CudaApi &api() const { return *cuda; }
  /// The driver's words for a status of its own; never null.
  const char *errorString(int status) const;
  /// The primary context, a CUcontext.
  void *context() const { return primary; }

private:
  Device();
  std::unique_ptr<CudaApi> cuda;
  std::string deviceName;
  int capability = 0;
  int64_t l2 = 0;
  void *primary = nullptr;
};

/// Device memory, freed with the object.
class DeviceBuffer {
public:
  static llvm::Expected<DeviceBuffer> allocate(const Device &device,
                                               int64_t bytes);
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  uint64_t address() const { return pointer; }
  int64_t size() const { return bytes; }
  llvm::Error upload(llvm::StringRef data);
  llvm::Expected<std::string> download() const;
  /// Sets every byte; NaN in every float type for 0xFF.
  llvm::Error fill(uint8_t byte);

private:
  DeviceBuffer(const Device &device, uint64_t pointer, int64_t bytes)
      : device(&device), pointer(pointer), bytes(bytes) {}
  const Device *device;
  uint64_t pointer;
  int64_t bytes;
};

} // namespace mirage::runtime

#endif // MIRAGE_RUNTIME_DEVICE_H
