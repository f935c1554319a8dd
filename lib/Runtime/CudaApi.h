//===- CudaApi.h - The part of the CUDA driver API in use -------*- C++ -*-===//
//
// Declared here rather than taken from cuda.h, so that a machine without CUDA
// builds the runtime. Names, numbers and layouts are the driver's ABI, which
// does not change once published; a test compares them with cuda.h where there
// is one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_CUDAAPI_H
#define MIRAGE_LIB_RUNTIME_CUDAAPI_H

#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>

namespace mirage::runtime {

enum FunctionAttribute : int {
  kLocalSizeBytes = 3,
  kNumRegs = 4,
  kMaxDynamicSharedSize = 8,
  kRequiredClusterWidth = 11,
  kRequiredClusterHeight = 12,
  kRequiredClusterDepth = 13,
  kNonPortableClusterSize = 14,
};

enum DeviceAttribute : int {
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
};

constexpr int kJitErrorLogBuffer = 5;
constexpr int kJitErrorLogBufferSize = 6;
constexpr int kLaunchProgrammaticSerialization = 6;
constexpr int kCaptureModeThreadLocal = 1;
constexpr unsigned kStreamNonBlocking = 1;

struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    int programmaticSerialization;
    uint64_t words[8];
  } value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// MIRAGE_CUDA(name, symbol, parameters...): one row for each function.
#define MIRAGE_CUDA_FUNCTIONS(MIRAGE_CUDA)                                     \
  MIRAGE_CUDA(init, "cuInit", unsigned)                                        \
  MIRAGE_CUDA(getErrorString, "cuGetErrorString", int, const char **)          \
  MIRAGE_CUDA(deviceGet, "cuDeviceGet", int *, int)                            \
  MIRAGE_CUDA(deviceGetName, "cuDeviceGetName", char *, int, int)              \
  MIRAGE_CUDA(deviceGetAttribute, "cuDeviceGetAttribute", int *, int, int)     \
  MIRAGE_CUDA(primaryCtxRetain, "cuDevicePrimaryCtxRetain", void **, int)      \
  MIRAGE_CUDA(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", int)          \
  MIRAGE_CUDA(ctxSetCurrent, "cuCtxSetCurrent", void *)                        \
  MIRAGE_CUDA(moduleLoadDataEx, "cuModuleLoadDataEx", void **, const void *,   \
              unsigned, int *, void **)                                        \
  MIRAGE_CUDA(moduleUnload, "cuModuleUnload", void *)                          \
  MIRAGE_CUDA(moduleGetFunction, "cuModuleGetFunction", void **, void *,       \
              const char *)                                                    \
  MIRAGE_CUDA(funcSetAttribute, "cuFuncSetAttribute", void *, int, int)        \
  MIRAGE_CUDA(funcGetAttribute, "cuFuncGetAttribute", int *, int, void *)      \
  MIRAGE_CUDA(launchKernelEx, "cuLaunchKernelEx", const LaunchConfig *,        \
              void *, void **, void **)                                        \
  MIRAGE_CUDA(memAlloc, "cuMemAlloc_v2", uint64_t *, size_t)                   \
  MIRAGE_CUDA(memFree, "cuMemFree_v2", uint64_t)                               \
  MIRAGE_CUDA(memcpyHtoD, "cuMemcpyHtoD_v2", uint64_t, const void *, size_t)   \
  MIRAGE_CUDA(memcpyDtoH, "cuMemcpyDtoH_v2", void *, uint64_t, size_t)         \
  MIRAGE_CUDA(memsetD8, "cuMemsetD8_v2", uint64_t, unsigned char, size_t)      \
  MIRAGE_CUDA(memsetD8Async, "cuMemsetD8Async", uint64_t, unsigned char,       \
              size_t, void *)                                                  \
  MIRAGE_CUDA(ctxSynchronize, "cuCtxSynchronize")                              \
  MIRAGE_CUDA(streamCreate, "cuStreamCreate", void **, unsigned)               \
  MIRAGE_CUDA(streamDestroy, "cuStreamDestroy_v2", void *)                     \
  MIRAGE_CUDA(streamSynchronize, "cuStreamSynchronize", void *)                \
  MIRAGE_CUDA(streamBeginCapture, "cuStreamBeginCapture_v2", void *, int)      \
  MIRAGE_CUDA(streamEndCapture, "cuStreamEndCapture", void *, void **)         \
  MIRAGE_CUDA(graphInstantiate, "cuGraphInstantiateWithFlags", void **,        \
              void *, unsigned long long)                                      \
  MIRAGE_CUDA(graphLaunch, "cuGraphLaunch", void *, void *)                    \
  MIRAGE_CUDA(graphExecDestroy, "cuGraphExecDestroy", void *)                  \
  MIRAGE_CUDA(graphDestroy, "cuGraphDestroy", void *)                          \
  MIRAGE_CUDA(eventCreate, "cuEventCreate", void **, unsigned)                 \
  MIRAGE_CUDA(eventRecord, "cuEventRecord", void *, void *)                    \
  MIRAGE_CUDA(eventSynchronize, "cuEventSynchronize", void *)                  \
  MIRAGE_CUDA(eventElapsedTime, "cuEventElapsedTime", float *, void *, void *) \
  MIRAGE_CUDA(eventDestroy, "cuEventDestroy_v2", void *)

/// One entry of the driver, with its name for diagnostics.
template <typename... Params> struct CudaFunction {
  const char *symbol;
  int (*function)(Params...) = nullptr;
};

struct CudaApi {
#define MIRAGE_CUDA(name, symbol, ...)                                         \
  CudaFunction<__VA_ARGS__> name{symbol, nullptr};
  MIRAGE_CUDA_FUNCTIONS(MIRAGE_CUDA)
#undef MIRAGE_CUDA
  void *library = nullptr;
  int device = 0;

  /// Calls an entry; a failure names it and quotes the driver.
  template <typename... Params, typename... Args>
  llvm::Error call(const CudaFunction<Params...> &entry, Args... args) const {
    return check(entry.symbol, entry.function(args...));
  }
  llvm::Error check(const char *symbol, int status) const;
};

} // namespace mirage::runtime

#endif // MIRAGE_LIB_RUNTIME_CUDAAPI_H
