//===- ExecutorTest.cpp - Running plans on a fake driver ------------------===//

#include "Mirage/Runtime/Executor.h"
#include "CudaApi.h"
#include "gtest/gtest.h"
#include <cstring>
#include <dlfcn.h>

#if __has_include(MIRAGE_CUDA_HEADER)
#include MIRAGE_CUDA_HEADER
#define MIRAGE_HAS_CUDA_HEADER 1
#endif

using namespace mirage;
using namespace mirage::runtime;

namespace {

constexpr unsigned kThreads = 64;

LaunchPlan planOf(const char *kernel) {
  LaunchPlan plan;
  plan.target = "sm_90a";
  semantics::TensorType type{{int64_t(kThreads) * 4}, semantics::DType::F32};
  plan.inputs.push_back({type, false});
  plan.outputs.push_back(type);
  PlanKernel k;
  k.name = kernel;
  k.grid = {1, 1, 4};
  k.threads = kThreads;
  k.sharedBytes = 512;
  k.parameters = {{ParameterKind::Input, 0}, {ParameterKind::Output, 0}};
  plan.kernels.push_back(k);
  return plan;
}

std::string bytesOf(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(float)};
}

std::vector<float> floatsOf(const std::string &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string ramp() {
  std::vector<float> values;
  for (unsigned i = 0; i < kThreads * 4; ++i)
    values.push_back(static_cast<float>(i) + 1);
  return bytesOf(values);
}

class ExecutorTest : public testing::Test {
protected:
  void SetUp() override {
    device = llvm::cantFail(Device::open(MIRAGE_FAKE_CUDA));
    library = dlopen(MIRAGE_FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
  }

  int ask(const char *symbol) {
    return reinterpret_cast<int (*)()>(dlsym(library, symbol))();
  }

  std::string loadError(LaunchPlan plan, llvm::StringRef image = "ptx") {
    auto executor = Executor::load(*device, std::move(plan), image);
    return executor ? "" : llvm::toString(executor.takeError());
  }

  std::unique_ptr<Device> device;
  void *library = nullptr;
};

TEST_F(ExecutorTest, RunsAndCleansUp) {
  EXPECT_EQ(device->name(), "fake device");
  EXPECT_EQ(device->computeCapability(), 90);
  {
    auto executor =
        llvm::cantFail(Executor::load(*device, planOf("negate"), "ptx"));
    EXPECT_EQ(ask("fakeSharedBytes"), 512);
    auto outputs = llvm::cantFail(executor->run({ramp()}));
    ASSERT_EQ(outputs.size(), 1u);
    std::vector<float> values = floatsOf(outputs[0]);
    for (unsigned i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], -(static_cast<float>(i) + 1));
    EXPECT_EQ(llvm::cantFail(executor->facts())[0].registers, 40);
  }
  EXPECT_EQ(ask("fakeLiveBuffers"), 0);
}

TEST_F(ExecutorTest, RefusesNoRounds) {
  auto executor =
      llvm::cantFail(Executor::load(*device, planOf("negate"), "ptx"));
  auto timing = executor->time({ramp()}, /*dependent=*/false, /*rounds=*/0);
  ASSERT_FALSE(static_cast<bool>(timing));
  EXPECT_EQ(llvm::toString(timing.takeError()),
            "expected at least 1 round, but got 0");
}

TEST_F(ExecutorTest, UploadsWhatFits) {
  DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*device, 8));
  EXPECT_EQ(llvm::toString(buffer.upload("seven b")),
            "expected 8 bytes to upload, but got 7");
}

// A driver without a device: the library is there, and says no.
TEST(DeviceTest, SaysThatThereIsNoDevice) {
  auto device = Device::open(MIRAGE_FAKE_CUDA_WITHOUT_DEVICE);
  ASSERT_FALSE(static_cast<bool>(device));
  std::string message = llvm::toString(device.takeError());
  EXPECT_EQ(message.find("expected a CUDA device, but got none: "), 0u)
      << message;
}

TEST_F(ExecutorTest, OutputsArePoisoned) {
  LaunchPlan plan = planOf("negate");
  plan.kernels[0].grid = {1, 1, 2}; // writes half of it
  auto executor = llvm::cantFail(Executor::load(*device, plan, "ptx"));
  auto outputs = llvm::cantFail(executor->run({ramp()}));
  std::vector<float> values = floatsOf(outputs[0]);
  EXPECT_EQ(values[0], -1.0f);
  EXPECT_NE(values.back(), values.back()); // NaN
}

TEST_F(ExecutorTest, ScratchIsZeroedBeforeEveryRun) {
  LaunchPlan plan = planOf("accumulate");
  plan.scratch.push_back({4, /*zero=*/true});
  plan.kernels[0].parameters.push_back({ParameterKind::Scratch, 0});
  auto executor = llvm::cantFail(Executor::load(*device, plan, "ptx"));
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(floatsOf(llvm::cantFail(executor->run({ramp()}))[0])[0], 2.0f);
  // So it is inside a graph, where a sum that leaked would show.
  EXPECT_EQ(llvm::cantFail(executor->time({ramp()}, false, 3)).differingSets,
            0u);
}

TEST_F(ExecutorTest, TimesColdAndWarm) {
  auto executor =
      llvm::cantFail(Executor::load(*device, planOf("negate"), "ptx"));
  Timing timing = llvm::cantFail(executor->time({ramp()}, false, 5));
  EXPECT_NEAR(timing.coldUs, 1.0, 1e-3);
  EXPECT_NEAR(timing.warmUs, 1.0, 1e-3);
  // 2 KiB a set, cache of 4 KiB: more than 8 KiB in all.
  EXPECT_EQ(timing.sets, 6u);
  EXPECT_EQ(timing.differingSets, 0u);
}

TEST_F(ExecutorTest, TimingNoticesResultsThatChange) {
  auto executor =
      llvm::cantFail(Executor::load(*device, planOf("count"), "ptx"));
  Timing timing = llvm::cantFail(executor->time({ramp()}, false, 3));
  EXPECT_EQ(timing.differingSets, timing.sets);
}

TEST_F(ExecutorTest, DependentLaunchOnlyWhereThePlanAndTheCallerSay) {
  for (bool inPlan : {false, true})
    for (bool asked : {false, true}) {
      LaunchPlan plan = planOf("negate");
      plan.kernels[0].dependentLaunch = inPlan;
      auto executor = llvm::cantFail(Executor::load(*device, plan, "ptx"));
      int before = ask("fakeDependentLaunches");
      llvm::cantFail(executor->run({ramp()}, asked));
      EXPECT_EQ(ask("fakeDependentLaunches") - before, inPlan && asked);
    }
}

TEST_F(ExecutorTest, ClusterMustBeTheCompiledOne) {
  LaunchPlan plan = planOf("negate_c4");
  EXPECT_EQ(loadError(plan),
            "expected kernel negate_c4 to be compiled for the plan's cluster "
            "[1, 1, 1], but got [1, 1, 4]");
  plan.kernels[0].cluster = {1, 1, 4};
  EXPECT_EQ(loadError(plan), "");
}

TEST_F(ExecutorTest, ErrorsNameWhatFailed) {
  EXPECT_EQ(loadError(planOf("negate"), "bad ptx"),
            "expected cuModuleLoadDataEx to succeed, but got error 218 (fake "
            "error); its log says: line 1: no such op");
  EXPECT_EQ(loadError(planOf("absent")),
            "kernel absent: expected cuModuleGetFunction to succeed, but got "
            "error 500 (named symbol not found)");
  EXPECT_EQ(loadError(planOf("negate"), ""),
            "expected a cubin or PTX text, but got nothing");
  LaunchPlan invalid = planOf("negate");
  invalid.kernels[0].threads = 0;
  EXPECT_EQ(loadError(invalid),
            "launch plan: expected kernels[0].threads to be in [1, 1024], but "
            "got 0");
  auto executor =
      llvm::cantFail(Executor::load(*device, planOf("negate"), "ptx"));
  EXPECT_EQ(llvm::toString(executor->run({}).takeError()),
            "expected 1 input, but got 0");
  EXPECT_EQ(llvm::toString(executor->run({"abc"}).takeError()),
            "input 0: expected 1024 bytes, but got 3");
}

TEST(DeviceTest, SaysThatTheDriverIsMissing) {
  auto device = Device::open("libno-such-driver.so.1");
  ASSERT_FALSE(device);
  llvm::Error error = device.takeError();
  EXPECT_TRUE(error.isA<NoDeviceError>());
  std::string message = llvm::toString(std::move(error));
  EXPECT_EQ(
      message.find("expected the CUDA driver library "
                   "libno-such-driver.so.1, but it could not be loaded: "),
      0u)
      << message;
}

TEST(DeviceTest, SaysThatAnEntryIsMissing) {
  auto device = Device::open("libc.so.6");
  ASSERT_FALSE(device);
  EXPECT_EQ(llvm::toString(device.takeError()),
            "expected the CUDA driver library libc.so.6 to export cuInit (CUDA "
            "11.8 or later), but it does not");
}

#ifdef MIRAGE_HAS_CUDA_HEADER
TEST(CudaApiTest, LayoutsAndNumbersAreCudasOwn) {
  EXPECT_EQ(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(LaunchConfig, attributes),
            offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(LaunchConfig, numAttributes),
            offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(LaunchAttribute, value),
            offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(kLaunchProgrammaticSerialization,
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  EXPECT_EQ(int(kMaxDynamicSharedSize),
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(int(kNonPortableClusterSize),
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  EXPECT_EQ(int(kRequiredClusterWidth),
            CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  EXPECT_EQ(int(kLocalSizeBytes), CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  EXPECT_EQ(int(kNumRegs), CU_FUNC_ATTRIBUTE_NUM_REGS);
  EXPECT_EQ(int(kL2CacheSize), CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(int(kComputeCapabilityMajor),
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(kJitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(kCaptureModeThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}
#endif

} // namespace
