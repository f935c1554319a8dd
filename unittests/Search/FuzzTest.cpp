//===- FuzzTest.cpp - The search on random programs -----------------------===//
//
// Whatever the program, the search ends, and each candidate is one well-formed
// kernel that computes what the program does, by the interpreter in double
// precision. More programs are run by MIRAGE_FUZZ=COUNT.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cost/CostModel.h"
#include "Mirage/Interpreter/Interpreter.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace mirage::search;
using namespace mirage::search::test;
namespace interpreter = mirage::interpreter;

namespace {
class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : random(seed) {}

  /// Two to eight ops, all of which an output needs.
  Program make() {
    unsigned inputs = 1 + pick(3);
    for (unsigned i = 0; i < inputs; ++i)
      live.push_back(b.input({rows[pick(2)], columns[pick(3)]},
                             pick(4) ? DType::F16 : DType::F32));
    unsigned ops = 2 + pick(7);
    for (unsigned i = 0; i < ops; ++i)
      live.push_back(step());
    std::vector<bool> used(b.program.values.size());
    for (const Op &op : b.program.ops)
      for (ValueId v : op.operands)
        used[v] = true;
    llvm::SmallVector<ValueId> outputs;
    for (const Op &op : b.program.ops)
      if (!used[op.results[0]])
        outputs.push_back(op.results[0]);
    return b.finish(outputs);
  }

private:
  unsigned pick(unsigned count) { return random() % count; }
  const Shape &shape(ValueId v) { return b.program.type(v).shape; }
  /// A live value, the newest ones more often.
  ValueId value() {
    unsigned back = std::min(pick(live.size()), pick(live.size()));
    return live[live.size() - 1 - back];
  }

  ValueId step() {
    ValueId x = value();
    switch (pick(8)) {
    case 0:
    case 1: {
      const OpKind kinds[] = {OpKind::Exp,    OpKind::Silu,   OpKind::Relu,
                              OpKind::Square, OpKind::Neg,    OpKind::Tanh,
                              OpKind::Abs,    OpKind::Sigmoid};
      return b.op(kinds[pick(std::size(kinds))], {x});
    }
    case 2: {
      const OpKind kinds[] = {OpKind::Add, OpKind::Sub, OpKind::Mul,
                              OpKind::Max, OpKind::Min};
      double value = 0.25 * (1 + pick(12));
      DType type = b.program.type(x).dtype;
      ValueId c = pick(2) ? b.literal(value, shape(x).size(), type)
                          : b.full(value, shape(x), type);
      OpKind kind = kinds[pick(std::size(kinds))];
      return pick(3) ? b.op(kind, {x, c}) : b.op(kind, {c, x});
    }
    case 3:
    case 4: {
      const OpKind kinds[] = {OpKind::Add, OpKind::Sub, OpKind::Mul,
                              OpKind::Max};
      for (unsigned attempt = 0; attempt < 8; ++attempt) {
        ValueId y = value();
        if (broadcasts(shape(x), shape(y)) &&
            b.program.type(x).dtype == b.program.type(y).dtype)
          return b.op(kinds[pick(std::size(kinds))], {x, y});
      }
      return b.op(OpKind::Square, {x});
    }
    case 5: {
      Attrs attrs;
      attrs.dims = {static_cast<int64_t>(pick(2))};
      attrs.reduce = pick(4) ? ReduceKind::Sum : ReduceKind::Max;
      return b.op(OpKind::Reduce, {x}, attrs);
    }
    case 6:
      if (pick(4) == 0) {
        Attrs attrs;
        attrs.dims = {1, 0};
        return b.op(OpKind::Transpose, {x}, attrs);
      }
      return b.cast(x, pick(2) ? DType::F32 : DType::F16);
    default:
      if (shape(x)[1] > 1 && b.program.type(x).dtype == DType::F16) {
        // Inputs come first.
        for (ValueId w : live)
          if (shape(w)[0] == shape(x)[1] &&
              b.program.type(w).dtype == DType::F16)
            return b.op(OpKind::Matmul, {x, w});
        Attrs attrs;
        attrs.transposeRhs = true;
        for (ValueId w : live)
          if (shape(w)[1] == shape(x)[1] && w != x &&
              b.program.type(w).dtype == DType::F16)
            return b.op(OpKind::Matmul, {x, w}, attrs);
      }
      return b.op(OpKind::Square, {x});
    }
  }

  static bool broadcasts(const Shape &x, const Shape &y) {
    for (size_t d = 0; d < x.size(); ++d)
      if (x[d] != y[d] && x[d] != 1 && y[d] != 1)
        return false;
    return true;
  }

  static constexpr int64_t rows[] = {16, 64};
  static constexpr int64_t columns[] = {64, 96, 128};
  std::mt19937_64 random;
  Builder b;
  std::vector<ValueId> live;
};

bool isTame(const std::vector<interpreter::Tensor> &tensors) {
  for (const interpreter::Tensor &tensor : tensors)
    for (double v : tensor.values)
      if (!std::isfinite(v) || std::fabs(v) > 1e8)
        return false;
  return true;
}
} // namespace

TEST(FuzzTest, CandidatesComputeTheProgram) {
  SearchOptions options(*mirage::cost::findTarget("sm_90a"));
  options.nodeBudget = 20'000;
  options.valueBudget = 1'000;
  const char *more = std::getenv("MIRAGE_FUZZ");
  unsigned programs = more ? std::atoi(more) : 24, found = 0, compared = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    Program program = RandomProgram(seed).make();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + toString(program));
    ASSERT_FALSE(static_cast<bool>(verifyProgram(program)));
    auto result = search(program, options);
    ASSERT_TRUE(static_cast<bool>(result))
        << llvm::toString(result.takeError());
    found += !result->candidates.empty();
    std::vector<interpreter::Tensor> inputs =
        interpreter::randomInputs(program, seed);
    auto expected = llvm::cantFail(
        interpreter::run(program, inputs, interpreter::Mode::F64, 1));
    if (!isTame(expected))
      continue;
    for (const Candidate &candidate : result->candidates) {
      auto actual = interpreter::run(candidate.program, inputs,
                                     interpreter::Mode::F64, 1);
      ASSERT_TRUE(static_cast<bool>(actual))
          << llvm::toString(actual.takeError());
      ASSERT_EQ(actual->size(), expected.size());
      ++compared;
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_LT(interpreter::compare((*actual)[i], expected[i]).relative,
                  1e-6)
            << "output " << i << " of\n"
            << toString(candidate.program);
    }
  }
  // Most are one kernel.
  EXPECT_GT(found, programs / 3);
  EXPECT_GT(compared, programs);
}
