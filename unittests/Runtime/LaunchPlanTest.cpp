//===- LaunchPlanTest.cpp -------------------------------------------------===//

#include "Mirage/Runtime/LaunchPlan.h"
#include "gtest/gtest.h"

using namespace mirage;
using namespace mirage::runtime;
namespace json = llvm::json;

namespace {

const char *const kPlan = R"({
  "schema": 1, "target": "sm_90a",
  "inputs": [{"shape": [16, 128], "dtype": "f16", "constant": false},
             {"shape": [128, 96], "dtype": "bf16", "constant": true}],
  "outputs": [{"shape": [16, 96], "dtype": "f32"}],
  "scratch": [{"bytes": 64, "zero": true}],
  "kernels": [{"name": "k", "grid": [6, 1, 4], "cluster": [1, 1, 4],
               "threads": 128, "shared_bytes": 1024, "dependent_launch": true,
               "parameters": [{"kind": "input", "index": 1},
                              {"kind": "output", "index": 0},
                              {"kind": "scratch", "index": 0}]}]})";

json::Object goodPlan() {
  return std::move(*llvm::cantFail(json::parse(kPlan)).getAsObject());
}

json::Object &kernelOf(json::Object &plan) {
  return *(*plan.getArray("kernels"))[0].getAsObject();
}

json::Object &entryOf(json::Object &plan, llvm::StringRef list) {
  return *(*plan.getArray(list))[0].getAsObject();
}

std::string errorOf(json::Object plan) {
  llvm::Expected<LaunchPlan> parsed = launchPlanFromJSON(std::move(plan));
  return parsed ? "" : llvm::toString(parsed.takeError());
}

TEST(LaunchPlanTest, ReadsEveryField) {
  LaunchPlan plan = llvm::cantFail(parseLaunchPlan(kPlan));
  EXPECT_EQ(plan.target, "sm_90a");
  ASSERT_EQ(plan.inputs.size(), 2u);
  EXPECT_EQ(semantics::toString(plan.inputs[0].type), "16x128xf16");
  EXPECT_FALSE(plan.inputs[0].constant);
  EXPECT_EQ(semantics::toString(plan.inputs[1].type), "128x96xbf16");
  EXPECT_TRUE(plan.inputs[1].constant);
  EXPECT_EQ(semantics::toString(plan.outputs[0]), "16x96xf32");
  EXPECT_EQ(plan.scratch[0].bytes, 64);
  EXPECT_TRUE(plan.scratch[0].zero);
  const PlanKernel &kernel = plan.kernels[0];
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.grid, (std::array<int64_t, 3>{6, 1, 4}));
  EXPECT_EQ(kernel.cluster, (std::array<int64_t, 3>{1, 1, 4}));
  EXPECT_EQ(kernel.threads, 128);
  EXPECT_EQ(kernel.sharedBytes, 1024);
  EXPECT_TRUE(kernel.dependentLaunch);
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[0].kind, ParameterKind::Input);
  EXPECT_EQ(kernel.parameters[0].index, 1u);
  EXPECT_EQ(kernel.parameters[2].kind, ParameterKind::Scratch);
}

TEST(LaunchPlanTest, RoundTrips) {
  LaunchPlan plan = llvm::cantFail(parseLaunchPlan(kPlan));
  std::string text = toString(plan);
  EXPECT_EQ(toString(llvm::cantFail(parseLaunchPlan(text))), text);
  EXPECT_EQ(toJSON(plan), json::Value(goodPlan()));
}

TEST(LaunchPlanTest, OptionalKeysHaveDefaults) {
  json::Object plan = goodPlan();
  plan.erase("scratch");
  json::Object &kernel = kernelOf(plan);
  kernel.erase("cluster");
  kernel.erase("dependent_launch");
  kernel.getArray("parameters")->pop_back();
  LaunchPlan parsed = llvm::cantFail(launchPlanFromJSON(std::move(plan)));
  EXPECT_TRUE(parsed.scratch.empty());
  EXPECT_EQ(parsed.kernels[0].cluster, (std::array<int64_t, 3>{1, 1, 1}));
  EXPECT_FALSE(parsed.kernels[0].dependentLaunch);
}

TEST(LaunchPlanTest, NamesMissingKeys) {
  for (llvm::StringRef key :
       {"schema", "target", "inputs", "outputs", "kernels"}) {
    json::Object plan = goodPlan();
    plan.erase(key);
    EXPECT_NE(errorOf(std::move(plan)).find("expected " + key.str() + " to be"),
              std::string::npos)
        << key.str();
  }
  for (llvm::StringRef key :
       {"name", "grid", "threads", "shared_bytes", "parameters"}) {
    json::Object plan = goodPlan();
    kernelOf(plan).erase(key);
    std::string error = errorOf(std::move(plan));
    EXPECT_NE(error.find("expected kernels[0]." + key.str() + " to be"),
              std::string::npos)
        << error;
    EXPECT_NE(error.find("but got nothing"), std::string::npos) << error;
  }
  json::Object plan = goodPlan();
  entryOf(plan, "inputs").erase("constant");
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected inputs[0].constant to be true or false, but "
            "got nothing");
}

TEST(LaunchPlanTest, RefusesUnknownKeysAndSchemas) {
  json::Object plan = goodPlan();
  plan["tensor_maps"] = json::Array();
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected the plan to have only the keys schema, "
            "target, inputs, outputs, scratch, kernels, but got "
            "\"tensor_maps\"");
  plan = goodPlan();
  plan["schema"] = 2;
  plan["tensor_maps"] = json::Array();
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected schema to be 1, but got 2");
  plan = goodPlan();
  kernelOf(plan)["warps"] = 4;
  EXPECT_NE(errorOf(std::move(plan)).find("but got \"warps\""),
            std::string::npos);
}

TEST(LaunchPlanTest, RefusesWrongTypes) {
  EXPECT_EQ(llvm::toString(parseLaunchPlan("[]").takeError()),
            "launch plan: expected the plan to be an object, but got []");
  EXPECT_NE(llvm::toString(parseLaunchPlan("{").takeError())
                .find("launch plan: expected JSON, but got"),
            std::string::npos);
  json::Object plan = goodPlan();
  kernelOf(plan)["threads"] = "128";
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected kernels[0].threads to be an integer, but "
            "got \"128\"");
  plan = goodPlan();
  kernelOf(plan)["grid"] = json::Array({1, 2});
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected kernels[0].grid to be an array of 3 "
            "integers, but got [1,2]");
  plan = goodPlan();
  entryOf(plan, "outputs")["dtype"] = "f8";
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected outputs[0].dtype to be one of f16, bf16, "
            "f32, f64, i1, i32, i64, but got \"f8\"");
}

/// Sets one number of the kernel (or of its parameter 0) and returns the error.
std::string withKernel(llvm::StringRef key, json::Value value) {
  json::Object plan = goodPlan();
  kernelOf(plan)[key] = std::move(value);
  return errorOf(std::move(plan));
}

TEST(LaunchPlanTest, RefusesSizesThatNoDeviceTakes) {
  EXPECT_EQ(withKernel("threads", 1025),
            "launch plan: expected kernels[0].threads to be in [1, 1024], but "
            "got 1025");
  EXPECT_EQ(withKernel("shared_bytes", 232449),
            "launch plan: expected kernels[0].shared_bytes to be in [0, "
            "232448], but got 232449");
  EXPECT_EQ(withKernel("grid", json::Array({6, 65536, 4})),
            "launch plan: expected kernels[0].grid[1] to be in [1, 65535], but "
            "got 65536");
  EXPECT_EQ(withKernel("grid", json::Array({6, 1, 6})),
            "launch plan: expected kernels[0].grid[2] to be a multiple of the "
            "cluster's 4, but got 6");
  EXPECT_EQ(withKernel("cluster", json::Array({1, 1, 0})),
            "launch plan: expected kernels[0].cluster[2] to be in [1, 16], but "
            "got 0");
  json::Object plan = goodPlan();
  kernelOf(plan)["grid"] = json::Array({8, 8, 4});
  kernelOf(plan)["cluster"] = json::Array({8, 8, 1});
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected kernels[0].cluster to hold 16 blocks at "
            "most, but got 64");
  plan = goodPlan();
  entryOf(plan, "inputs")["shape"] = json::Array({16, 0});
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected inputs[0].shape[1] to be in [1, 2^40], but "
            "got 0");
  plan = goodPlan();
  entryOf(plan, "scratch")["bytes"] = 0;
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected scratch[0].bytes to be positive, but got 0");
  plan = goodPlan();
  plan["kernels"] = json::Array();
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected at least 1 kernel, but got 0");
}

TEST(LaunchPlanTest, RefusesUnknownTargets) {
  json::Object plan = goodPlan();
  plan["target"] = "sm_1";
  EXPECT_EQ(errorOf(std::move(plan)),
            "launch plan: expected target to be one of sm_80, sm_86, sm_89, "
            "sm_90a, sm_100a, sm_120a, but got 'sm_1'");
}

TEST(LaunchPlanTest, RefusesKernelsWithoutAName) {
  EXPECT_EQ(withKernel("name", ""),
            "launch plan: expected kernels[0].name to name a kernel, but got "
            "\"\"");
}

TEST(LaunchPlanTest, RefusesParametersThatNameNothing) {
  EXPECT_EQ(
      withKernel("parameters",
                 json::Array({json::Object{{"kind", "input"}, {"index", -1}}})),
      "launch plan: expected kernels[0].parameters[0].index to be a position "
      "in [0, 2^31), but got -1");
  EXPECT_EQ(
      withKernel("parameters",
                 json::Array({json::Object{{"kind", "input"}, {"index", 2}}})),
      "launch plan: expected kernels[0].parameters[0].index to be below "
      "the number of input tensors, 2, but got 2");
  EXPECT_EQ(
      withKernel("parameters", json::Array({json::Object{{"kind", "tensor_map"},
                                                         {"index", 0}}})),
      "launch plan: expected kernels[0].parameters[0].kind to be "
      "\"input\", \"output\" or \"scratch\", but got \"tensor_map\"");
  EXPECT_EQ(withKernel("parameters", json::Array()),
            "launch plan: expected outputs[0] to be a parameter of some "
            "kernel, but got none");
}

// The JSON reader recurses: without a bound this ends the process.
TEST(LaunchPlanTest, RefusesDeepNesting) {
  auto plan = parseLaunchPlan(std::string(200000, '['));
  ASSERT_FALSE(static_cast<bool>(plan));
  EXPECT_EQ(llvm::toString(plan.takeError()),
            "expected JSON nested at most 64 deep, but got more at byte 64");
}

} // namespace
