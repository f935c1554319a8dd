//===- CAPITest.cpp - Modules through the C interface ---------------------===//

#include "Mirage-c/Mirage.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kSwish = R"(
func.func @swish(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>)
    -> tensor<16x64xf16> {
  %0 = mgraph_kernel.matmul %x, %w
      : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16>
  %1 = mgraph_kernel.silu %0 : tensor<16x64xf16> -> tensor<16x64xf16>
  return %1 : tensor<16x64xf16>
}
)";

constexpr const char *kLinalg = R"(
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>)
                  outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";

class CAPITest : public testing::Test {
protected:
  ~CAPITest() override {
    mirageModuleDestroy(module);
    mirageContextDestroy(context);
  }
  void parse(const std::string &text) {
    mirageModuleDestroy(module);
    module = mirageModuleParse(context, text.data(), text.size(), "test.mlir");
  }
  std::string errors() const { return mirageContextErrors(context); }
  std::string remarks() const { return mirageContextRemarks(context); }
  /// The text, or "none".
  static std::string take(char *string) {
    std::string text = string ? string : "none";
    mirageStringDestroy(string);
    return text;
  }
  std::string run(const char *function, std::vector<float> in,
                  std::vector<float> &out) {
    MirageBuffer input{in.data(), in.size() * sizeof(float)};
    MirageBuffer output{out.data(), out.size() * sizeof(float)};
    bool good =
        mirageModuleRun(module, function, &input, 1, &output, 1, false, 1);
    EXPECT_EQ(good, errors().empty());
    return errors();
  }

  MirageContext *context = mirageContextCreate();
  MirageModule *module = nullptr;
};

TEST_F(CAPITest, SyntaxErrorsHavePlaceAndText) {
  parse("func.func @f() {\n  nonsense\n}");
  EXPECT_EQ(module, nullptr);
  EXPECT_THAT(errors(), HasSubstr("test.mlir:2:3: "));
  parse(kSwish);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(errors(), "") << "errors are those of the last call";
}

TEST_F(CAPITest, WrongShapesAreErrorsOfTheOp) {
  parse(R"(func.func @f(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
    %0 = mgraph_kernel.matmul %x, %x
        : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  })");
  EXPECT_EQ(module, nullptr);
  EXPECT_THAT(errors(), HasSubstr("'mgraph_kernel.matmul' op"));
  EXPECT_THAT(errors(), HasSubstr("8 and 4"));
}

TEST_F(CAPITest, SuperoptimizesVerifiesAndLowers) {
  parse(kSwish);
  double before = mirageModulePredict(module, "", "sm_90a");
  ASSERT_TRUE(mirageModuleSuperoptimize(module, "seed=1 threads=1"))
      << errors();
  EXPECT_THAT(remarks(), HasSubstr("became 1 kernel"));
  EXPECT_LT(mirageModulePredict(module, "swish", "sm_90a"), before);
  EXPECT_THAT(take(mirageModulePrint(module)), HasSubstr("mirage.certificate"));
  ASSERT_TRUE(mirageModuleVerify(module, "seed=2 threads=1")) << errors();
  EXPECT_THAT(remarks(), HasSubstr("test.mlir:4:8: remark: certificate holds"));
  ASSERT_TRUE(mirageModuleStripReferences(module));
  EXPECT_THAT(take(mirageModulePrint(module)),
              Not(HasSubstr("mirage.certificate")));
  MirageModule *lowered = mirageModuleClone(module);
  ASSERT_TRUE(mirageModuleLower(lowered, "sm_90a")) << errors();
  EXPECT_THAT(take(mirageModulePTX(lowered)), HasSubstr(".visible .entry"));
  EXPECT_THAT(take(mirageModulePlan(lowered, nullptr)),
              HasSubstr("\"target\": \"sm_90a\""));
  // The clone was lowered, not the module.
  EXPECT_EQ(take(mirageModulePTX(module)), "none");
  EXPECT_THAT(errors(), HasSubstr("expected one gpu.binary"));
  mirageModuleDestroy(lowered);
}

TEST_F(CAPITest, OptionsThatNameNothingAreErrors) {
  parse(kSwish);
  EXPECT_FALSE(mirageModuleSuperoptimize(module, "colour=red"));
  EXPECT_THAT(errors(), HasSubstr("expected options of mirage-superopt"));
  EXPECT_THAT(errors(), HasSubstr("colour"));
  EXPECT_FALSE(mirageModuleSuperoptimize(module, "target=sm_1"));
  EXPECT_THAT(errors(), HasSubstr("but got 'sm_1'"));
  // LLVM would end the process on these if they reached it.
  for (const char *target : {"sm_1", "", "sm_90a,sm_80", "+ptx80"}) {
    EXPECT_FALSE(mirageModuleLower(module, target)) << target;
    EXPECT_THAT(errors(), HasSubstr("expected target to be one of"));
  }
  EXPECT_TRUE(std::isnan(mirageModulePredict(module, nullptr, "sm_1")));
  EXPECT_THAT(errors(), HasSubstr("expected target to be one of"));
}

TEST_F(CAPITest, VerifyWithoutCertificatesFails) {
  parse(kSwish);
  EXPECT_FALSE(mirageModuleVerify(module, nullptr));
  EXPECT_NE(errors(), "");
}

TEST_F(CAPITest, SignatureNamesShapesAndTypes) {
  parse(kSwish);
  EXPECT_EQ(take(mirageModuleSignature(module, nullptr)),
            "{\"function\":\"swish\",\"inputs\":[{\"dtype\":\"f16\",\"shape\":"
            "[16,64]},{\"dtype\":\"f16\",\"shape\":[64,64]}],\"outputs\":[{"
            "\"dtype\":\"f16\",\"shape\":[16,64]}]}");
  EXPECT_EQ(take(mirageModuleSignature(module, "other")), "none");
  EXPECT_THAT(errors(), HasSubstr("expected a function named other"));
  parse("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  return %x : tensor<?xf32>\n}");
  EXPECT_EQ(take(mirageModuleSignature(module, nullptr)), "none");
  EXPECT_THAT(errors(),
              HasSubstr("expected tensors of static shape and of an element "
                        "type of mgraph_kernel, but got 'tensor<?xf32>'"));
}

TEST_F(CAPITest, RaisesAndRunsLinalg) {
  parse(kLinalg);
  std::vector<float> out(4);
  EXPECT_EQ(run("twice", {1, 2, 3, -4}, out), "");
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, -8}));
  // Running raises a copy.
  EXPECT_THAT(take(mirageModulePrint(module)), HasSubstr("linalg.add"));
  ASSERT_TRUE(mirageModuleRaise(module));
  EXPECT_THAT(take(mirageModulePrint(module)), HasSubstr("mgraph_kernel.add"));
}

TEST_F(CAPITest, RunStatesWrongBuffers) {
  parse(kLinalg);
  std::vector<float> out(3);
  EXPECT_THAT(run(nullptr, {1, 2, 3}, out),
              HasSubstr("input 0: expected 16 bytes, those of 4xf32, but got "
                        "12"));
  EXPECT_THAT(run(nullptr, {1, 2, 3, 4}, out),
              HasSubstr("output 0: expected 16 bytes"));
  EXPECT_FALSE(
      mirageModuleRun(module, nullptr, nullptr, 0, nullptr, 0, false, 1));
  EXPECT_THAT(errors(), HasSubstr("expected 1 inputs, but got 0"));
}

TEST_F(CAPITest, ExactRunsYieldF64) {
  parse(kLinalg);
  std::vector<float> in{1, 2, 3, 0.1f};
  std::vector<double> out(4);
  MirageBuffer input{in.data(), in.size() * sizeof(float)};
  MirageBuffer output{out.data(), out.size() * sizeof(double)};
  ASSERT_TRUE(mirageModuleRun(module, nullptr, &input, 1, &output, 1, true, 1))
      << errors();
  EXPECT_EQ(out[3], 2 * double(0.1f));
}

TEST_F(CAPITest, TwoPublicFunctionsNeedAName) {
  std::string second(kLinalg);
  second.replace(second.find("@twice"), 6, "@other");
  parse(std::string(kLinalg) + second);
  std::vector<float> out(4);
  EXPECT_THAT(
      run(nullptr, {1, 2, 3, 4}, out),
      HasSubstr("expected one public function, or one that is named, but "
                "got twice, other"));
  EXPECT_EQ(run("other", {1, 2, 3, 4}, out), "");
}

} // namespace
