#include "Mirage/Semantics/ProgramJSON.h"
#include "Programs.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::semantics::test;

namespace {
std::string reread(const Program &program) {
  std::string text = llvm::formatv("{0}", toJSON(program)).str();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return llvm::toString(value.takeError());
  llvm::Expected<Program> again = programFromJSON(*value);
  if (!again)
    return llvm::toString(again.takeError());
  EXPECT_EQ(llvm::formatv("{0}", toJSON(*again)).str(), text);
  return toString(*again);
}

TEST(ProgramJSONTest, KeepsABlockGraph) {
  Program program = splitMatmul(true);
  program.ops[0].attrs.threads = 256;
  program.ops[0].attrs.stages = 3;
  EXPECT_EQ(reread(program), toString(program));
  Program again = llvm::cantFail(programFromJSON(toJSON(program)));
  // The text has no sizes that lowering may choose.
  EXPECT_EQ(again.ops[0].attrs.threads, 256);
  EXPECT_EQ(again.ops[0].attrs.stages, 3);
}

TEST(ProgramJSONTest, KeepsAttributesOfKernelOps) {
  Program program;
  ValueId x = program.addInput({{4, 8}, DType::F16});
  Attrs attrs;
  attrs.epsilon = 1e-5;
  x = program.append(OpKind::RmsNorm, {x}, attrs);
  attrs = {};
  attrs.lo = -0.0;
  attrs.hi = 6.0;
  x = program.append(OpKind::Clamp, {x}, attrs);
  attrs = {};
  attrs.dims = {1, 0};
  x = program.append(OpKind::Transpose, {x}, attrs);
  attrs = {};
  attrs.offsets = {2, 0};
  attrs.sizes = {4, 4};
  attrs.strides = {1, 1};
  x = program.append(OpKind::Slice, {x}, attrs);
  attrs = {};
  attrs.reduce = ReduceKind::Max;
  attrs.dims = {1};
  x = program.append(OpKind::Reduce, {x}, attrs);
  program.outputs = {x};
  EXPECT_EQ(reread(program), toString(program));
  Program again = llvm::cantFail(programFromJSON(toJSON(program)));
  EXPECT_TRUE(std::signbit(again.ops[1].attrs.lo));
}

// A double goes through text unharmed, whatever a JSON reader does to numbers.
TEST(ProgramJSONTest, KeepsLiterals) {
  for (double value : {0.1, -0.0, 1e-300, 3.0}) {
    Program program;
    Op op{OpKind::Constant};
    op.attrs.constant = ConstantValue::makeLiteral(value);
    op.results = {program.addValue({{1, 1}, DType::F32})};
    program.outputs = {op.results[0]};
    program.ops.push_back(op);
    Program again = llvm::cantFail(programFromJSON(toJSON(program)));
    double got = again.ops[0].attrs.constant.literal;
    EXPECT_EQ(got, value);
    EXPECT_EQ(std::signbit(got), std::signbit(value));
  }
}

std::string refusal(llvm::StringRef text) {
  llvm::Expected<Program> program =
      programFromJSON(llvm::cantFail(llvm::json::parse(text)));
  return program ? "" : llvm::toString(program.takeError());
}

TEST(ProgramJSONTest, RefusesWhatIsNoProgram) {
  EXPECT_EQ(refusal("[]"), "program: expected an object, but got []");
  EXPECT_EQ(refusal(R"({"values": [], "inputs": 0, "ops": []})"),
            "program: expected a field 'outputs' of a program, but got none");
  EXPECT_EQ(refusal(R"({"values": ["4xf17"], "inputs": 1, "ops": [],
                        "outputs": [0]})"),
            "program: expected a tensor type, but got \"4xf17\"");
  EXPECT_EQ(refusal(R"({"values": ["4xf16"], "inputs": 1, "outputs": [0],
                        "ops": [{"op": "matmull"}]})"),
            "program: expected 'op' to be an operator, but got \"matmull\"");
  EXPECT_EQ(refusal(R"({"values": ["4xf16"], "inputs": 1, "outputs": [0],
                        "ops": [{"op": "exp", "grit": [1, 1, 1]}]})"),
            "program: expected no field 'grit' of an op, but got one");
  EXPECT_EQ(refusal(R"({"values": ["4xf16"], "inputs": 1, "outputs": [0],
                        "ops": [{"op": "exp", "grid": [1, 1]}]})"),
            "program: expected 'grid' to be a list of 3, but got [1,1]");
  EXPECT_EQ(refusal(R"({"values": ["4xf16"], "inputs": 5000000000,
                        "outputs": [0], "ops": []})"),
            "program: expected 'inputs' to be an integer in range, but got "
            "5000000000");
  // What is well formed is verified like any other program.
  EXPECT_EQ(refusal(R"({"values": ["4xf16"], "inputs": 1, "outputs": [3],
                        "ops": []})"),
            "output: expected a value id below 1, but got 3");
}
} // namespace
