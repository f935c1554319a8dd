//===- FakeCuda.cpp - A CUDA driver that runs on the host -----------------===//
//
// A shared library with the entries that the runtime loads, so that launching
// is tested where no GPU is. Device memory is host memory. A kernel's name says
// what it does with its first two parameters, over one float a thread:
//
//   negate      out[i] = -in[i]           negate_c4  the same, compiled for a
//   count       out[i] = launches so far             cluster of 1 x 1 x 4
//   accumulate  out[i] = in[i] + 1, adding scratch[0] (third parameter) to it
//   slow        negates in three microseconds
//   wrong       out[i] = in[i]
//   spoil       the same, and so does every kernel of this process after it
//   hang        never ends
//   crash       ends the process, as a driver with a bug does
//   lose        the same, and no later process has a device if it makes the
//               file that the environment's FAKE_CUDA_LOST names
//   fault       writes nothing; from then on every wait is an error, as after
//               an illegal address
//
// A launch takes one microsecond of the fake's time. An image that starts with
// "bad" does not load, and "absent" is a kernel that no module holds.
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

using mirage::runtime::LaunchConfig;

namespace {
constexpr int kInvalidValue = 1, kInvalidPtx = 218, kNotFound = 500;
constexpr int kIllegalAddress = 700;

struct Graph {
  std::vector<std::function<void()>> work;
};

struct State {
  bool capturing = false;
  Graph *captured = nullptr;
  int launches = 0, dependentLaunches = 0, liveBuffers = 0;
  int microseconds = 0;
  int sharedBytes = 0;
  int fault = 0; ///< what every wait returns
  bool spoiled = false;
} state;

int submit(std::function<void()> work) {
  if (state.capturing)
    state.captured->work.push_back(std::move(work));
  else
    work();
  return 0;
}

int threadsOf(const LaunchConfig &config) {
  return static_cast<int>(config.gridX * config.gridY * config.gridZ *
                          config.blockX);
}
} // namespace

extern "C" {
int fakeDependentLaunches() { return state.dependentLaunches; }
int fakeLiveBuffers() { return state.liveBuffers; }
int fakeSharedBytes() { return state.sharedBytes; }

#ifdef FAKE_CUDA_WITHOUT_DEVICE
int cuInit(unsigned) { return 100; } // CUDA_ERROR_NO_DEVICE
#else
int cuInit(unsigned) {
  const char *lost = getenv("FAKE_CUDA_LOST");
  return lost && access(lost, F_OK) == 0 ? 100 : 0;
}
#endif
int cuGetErrorString(int status, const char **text) {
  *text = status == kNotFound         ? "named symbol not found"
          : status == kIllegalAddress ? "an illegal memory access"
                                      : "fake error";
  return 0;
}
int cuDeviceGet(int *device, int) { return *device = 0; }
int cuDeviceGetName(char *name, int length, int) {
  strncpy(name, "fake device", length);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 38 ? 4096 : attribute == 75 ? 9 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &state;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void *) { return 0; }
int cuCtxSynchronize() { return state.fault; }

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  if (strncmp(static_cast<const char *>(image), "bad", 3) == 0) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        strcpy(static_cast<char *>(values[i]), "line 1: no such op\n");
    return kInvalidPtx;
  }
  *module = &state;
  return 0;
}
int cuModuleUnload(void *) { return 0; }
int cuModuleGetFunction(void **function, void *, const char *name) {
  if (strcmp(name, "absent") == 0)
    return kNotFound;
  *function = strdup(name); // leaked: as long-lived as the module
  return 0;
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  if (attribute == 8)
    state.sharedBytes = value;
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  bool cluster = strcmp(static_cast<char *>(function), "negate_c4") == 0;
  *value = attribute == 4                                  ? 40
           : attribute >= 11 && attribute <= 12 && cluster ? 1
           : attribute == 13 && cluster                    ? 4
                                                           : 0;
  return 0;
}

int cuLaunchKernelEx(const LaunchConfig *config, void *function,
                     void **parameters, void **) {
  if (config->numAttributes > 1)
    return kInvalidValue;
  state.dependentLaunches +=
      config->numAttributes == 1 && config->attributes[0].id == 6 &&
      config->attributes[0].value.programmaticSerialization == 1;
  std::string name = static_cast<char *>(function);
  int n = threadsOf(*config);
  auto pointer = [&](int i) {
    return reinterpret_cast<float *>(*static_cast<uint64_t *>(parameters[i]));
  };
  float *in = pointer(0), *out = pointer(1);
  float *scratch = name == "accumulate" ? pointer(2) : nullptr;
  return submit([=] {
    ++state.launches;
    state.microseconds += name == "slow" ? 3 : 1;
    while (name == "hang")
      pause();
    if (const char *lost = name == "lose" ? getenv("FAKE_CUDA_LOST") : nullptr)
      fclose(fopen(lost, "w"));
    if (name == "crash" || name == "lose")
      raise(SIGABRT);
    state.spoiled |= name == "spoil";
    if (name == "fault")
      state.fault = kIllegalAddress;
    if (state.fault)
      return;
    for (int i = 0; i < n; ++i)
      out[i] = scratch           ? in[i] + 1 + scratch[0]
               : name == "count" ? static_cast<float>(state.launches)
               : name == "wrong" || state.spoiled ? in[i]
                                                  : -in[i];
    if (scratch)
      scratch[0] += 1;
  });
}

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  ++state.liveBuffers;
  *pointer = reinterpret_cast<uint64_t>(malloc(bytes));
  return 0;
}
int cuMemFree_v2(uint64_t pointer) {
  --state.liveBuffers;
  free(reinterpret_cast<void *>(pointer));
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemsetD8_v2(uint64_t to, unsigned char byte, size_t bytes) {
  memset(reinterpret_cast<void *>(to), byte, bytes);
  return 0;
}
int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes, void *) {
  return submit([=] { memset(reinterpret_cast<void *>(to), byte, bytes); });
}
int cuStreamCreate(void **stream, unsigned) {
  *stream = &state;
  return 0;
}
int cuStreamDestroy_v2(void *) { return 0; }
int cuStreamSynchronize(void *) { return state.fault; }
int cuStreamBeginCapture_v2(void *, int) {
  state.capturing = true;
  state.captured = new Graph();
  return 0;
}
int cuStreamEndCapture(void *, void **graph) {
  state.capturing = false;
  *graph = state.captured;
  return 0;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long) {
  *executable = new Graph(*static_cast<Graph *>(graph));
  return 0;
}
int cuGraphLaunch(void *executable, void *) {
  for (auto &work : static_cast<Graph *>(executable)->work)
    work();
  return 0;
}
int cuGraphExecDestroy(void *executable) {
  delete static_cast<Graph *>(executable);
  return 0;
}
int cuGraphDestroy(void *graph) {
  delete static_cast<Graph *>(graph);
  return 0;
}
int cuEventCreate(void **event, unsigned) {
  *event = new int(0);
  return 0;
}
int cuEventRecord(void *event, void *) {
  *static_cast<int *>(event) = state.microseconds;
  return 0;
}
int cuEventSynchronize(void *) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *first, void *last) {
  *milliseconds =
      1e-3f * (*static_cast<int *>(last) - *static_cast<int *>(first));
  return 0;
}
int cuEventDestroy_v2(void *event) {
  delete static_cast<int *>(event);
  return 0;
}
}
