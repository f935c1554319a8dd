//===- MemoryTest.cpp -----------------------------------------------------===//

#include "Mirage/Interpreter/Memory.h"
#include "TestPrograms.h"
#include "gtest/gtest.h"

using namespace mirage::interpreter;
using namespace mirage::interpreter::test;

namespace {
std::string check(const Program &program, int64_t limit) {
  llvm::Error error = checkMemory(program, limit);
  return error ? llvm::toString(std::move(error)) : "";
}

constexpr int64_t kMiB = 1 << 20;

TEST(MemoryTest, CountsWhatIsAlive) {
  Program p;
  ValueId x = p.addInput({{1024, 128}, DType::F16}); // 1 MiB as doubles
  for (int i = 0; i < 5; ++i)
    x = p.append(OpKind::Exp, {x}, {});
  p.outputs = {x};
  // The input, an operand and a result; one of them is an output's copy.
  EXPECT_EQ(check(p, 3 * kMiB), "");
  EXPECT_EQ(check(p, 3 * kMiB - 1),
            "expected a program that runs in 3.0 MiB of memory, but got one "
            "that takes 3.0 MiB; its largest tensor is input 0, 1024x128xf16, "
            "which takes 1.0 MiB");
}

TEST(MemoryTest, NamesTheLargestTensor) {
  Program p;
  ValueId x = p.addInput({{4096, 1}, DType::F32});
  ValueId y = p.addInput({{1, 4096}, DType::F32});
  p.outputs = {p.append(OpKind::Matmul, {x, y}, {})};
  EXPECT_EQ(check(p, 64 * kMiB),
            "expected a program that runs in 64.0 MiB of memory, but got one "
            "that takes 256.1 MiB; its largest tensor is the result of "
            "'matmul', 4096x4096xf32, which takes 128.0 MiB");
}

TEST(MemoryTest, RefusesTensorsBeyondTheInterpreter) {
  Program p;
  p.outputs = {p.addInput({{1 << 20, 1 << 13}, DType::F16})};
  EXPECT_EQ(check(p, std::numeric_limits<int64_t>::max()),
            "expected tensors of at most 2147483648 elements, but got input 0, "
            "1048576x8192xf16");
}

// Blocks that exchange tiles hold them all at once.
TEST(MemoryTest, CountsTilesThatWait) {
  Program p;
  ValueId x = p.addInput({{1, 1024}, DType::F32});
  BlockBuilder b(p, {1024, 1, 1}, {x});
  ValueId tile = b.load(x, {-1, -1, -1});
  b.store(b.reduceBlocks(tile, 0), {-1, -1, -1}, DType::F32);
  b.finish();
  EXPECT_EQ(check(p, 20 * kMiB), "");
  EXPECT_NE(check(p, 15 * kMiB), "");
}

TEST(MemoryTest, SomeMemoryIsAvailable) { EXPECT_GT(availableMemory(), kMiB); }

// Grids and loops count as often as they run.
TEST(MemoryTest, RefusesWorkWithoutEnd) {
  auto program = [](int64_t blocks) {
    Program p;
    ValueId x = p.addInput({{64, 64}, DType::F32});
    BlockBuilder b(p, {blocks, 1, 1}, {x});
    b.store(b.load(x, {-1, -1, -1}), {-1, -1, -1}, DType::F32);
    b.finish();
    return p;
  };
  auto check = [](const Program &p) {
    llvm::Error error = checkWork(p);
    return error ? llvm::toString(std::move(error)) : "";
  };
  EXPECT_EQ(check(program(1000)), "");
  EXPECT_EQ(check(program(1'000'000'000)),
            "expected a program of at most 1.1E+12 element operations, but got "
            "one of 4.6E+12");
}

TEST(MemoryTest, ARunEndsWhenItIsCancelled) {
  Program p;
  ValueId x = p.addInput({{64, 64}, DType::F32});
  p.outputs = {p.append(OpKind::Exp, {x}, {})};
  auto result = run(p, randomInputs(p, 1), Mode::F64, 1, [] { return true; });
  ASSERT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(llvm::toString(result.takeError()), "interrupted");
}
} // namespace
