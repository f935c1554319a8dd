//===- KernelsTest.cpp - Launching through the C interface ----------------===//
//
// On a driver that runs on the host: unittests/Runtime/FakeCuda.cpp.
//
//===----------------------------------------------------------------------===//

#include "Mirage-c/Mirage.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstring>
#include <string>
#include <vector>

using testing::HasSubstr;

namespace {

std::string planOf(const char *kernel, const char *target = "sm_90a") {
  return std::string(R"({"schema": 1, "target": ")") + target + R"(",
    "inputs": [{"shape": [64], "dtype": "f32", "constant": false}],
    "outputs": [{"shape": [64], "dtype": "f32"}],
    "scratch": [{"bytes": 256, "zero": true}],
    "kernels": [{"name": ")" +
         kernel +
         R"(", "grid": [1, 1, 1], "threads": 64, "shared_bytes": 0,
      "parameters": [{"kind": "input", "index": 0},
                     {"kind": "output", "index": 0},
                     {"kind": "scratch", "index": 0}]}]})";
}

class KernelsTest : public testing::Test {
protected:
  ~KernelsTest() override {
    mirageKernelsDestroy(kernels);
    mirageContextDestroy(context);
  }
  std::string load(const std::string &plan,
                   const char *driver = MIRAGE_FAKE_CUDA) {
    mirageKernelsDestroy(kernels);
    kernels = mirageKernelsLoad(context, plan.data(), plan.size(), "code", 4, 0,
                                driver);
    EXPECT_EQ(kernels == nullptr, *mirageContextErrors(context) != '\0');
    return mirageContextErrors(context);
  }

  MirageContext *context = mirageContextCreate();
  MirageKernels *kernels = nullptr;
};

TEST_F(KernelsTest, LaunchesOnTheGivenAddresses) {
  ASSERT_EQ(load(planOf("accumulate")), "");
  ASSERT_EQ(mirageKernelsNumAddresses(kernels), 3u);
  std::vector<float> in(64, 2.0f), out(64), scratch(64, 7.0f);
  uint64_t addresses[] = {reinterpret_cast<uint64_t>(in.data()),
                          reinterpret_cast<uint64_t>(out.data()),
                          reinterpret_cast<uint64_t>(scratch.data())};
  EXPECT_EQ(mirageKernelsLaunch(kernels, addresses, nullptr, false), 0);
  // in + 1; the scratch was cleared, so its 7 was not added.
  EXPECT_EQ(out, std::vector<float>(64, 3.0f));
}

TEST_F(KernelsTest, LoadStatesWhatIsWrong) {
  EXPECT_THAT(load("{}"), HasSubstr("expected"));
  EXPECT_THAT(load(planOf("absent")), HasSubstr("kernel absent"));
  EXPECT_THAT(load(planOf("negate"), "/no/such/libcuda.so"),
              HasSubstr("expected the CUDA driver library /no/such/libcuda"));
}

// The fake device is of sm_90.
TEST_F(KernelsTest, TargetsOfOtherDevicesAreRefused) {
  EXPECT_EQ(load(planOf("negate", "sm_80")), "");
  EXPECT_THAT(load(planOf("negate", "sm_100a")),
              HasSubstr("expected a device of sm_100 for the plan's target "
                        "sm_100a, but got fake device, sm_90"));
  EXPECT_THAT(load(planOf("negate", "gfx90a")),
              HasSubstr("expected target to be one of sm_80, "));
}

TEST_F(KernelsTest, StatusHasWords) {
  ASSERT_EQ(load(planOf("negate")), "");
  EXPECT_STREQ(mirageKernelsErrorString(kernels, 500),
               "named symbol not found");
}

} // namespace
