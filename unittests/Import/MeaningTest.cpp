// What imported graphs compute, beside the format's definitions written out.

#include "Stored.h"

#include "Mirage/Import/MugraphJSON.h"
#include "Mirage/Interpreter/Interpreter.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mirage;
using namespace mirage::import;
using namespace mirage::import::test;

namespace {
using Values = std::vector<double>;

semantics::Program import(json::Array graph) {
  auto file = readMugraphs(text(json::Array{std::move(graph)}));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return {};
  }
  return file->graphs[0];
}

Values inputValues(size_t count) {
  Values values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = 0.25 + 0.125 * (i * 7 % 13);
  return values;
}

Values run(const semantics::Program &program) {
  std::vector<interpreter::Tensor> inputs;
  for (unsigned i = 0; i < program.numInputs; ++i)
    inputs.push_back(
        {program.type(i), inputValues(program.type(i).numElements())});
  auto outputs = interpreter::run(program, inputs, interpreter::Mode::F64, 1);
  if (!outputs) {
    ADD_FAILURE() << llvm::toString(outputs.takeError());
    return {};
  }
  return (*outputs)[0].values;
}

/// Reading what was written gives the same ops.
void expectRoundTrip(const semantics::Program &program) {
  auto written = writeMugraphs(program);
  ASSERT_TRUE(bool(written)) << llvm::toString(written.takeError());
  auto again = readMugraphs(*written);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(semantics::toString(again->graphs[0]),
            semantics::toString(program));
}

void expectNear(const Values &actual, const Values &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  // Sums of at most 32 terms in double.
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-12 * std::abs(expected[i])) << i;
}

/// x[2, 16] through one accumulator, 2 iterations of tiles of 8, or of all 16
/// when `forloopDim` is -1; `squared` puts an op between.
json::Array accumulate(const std::string &type, int64_t result,
                       int64_t forloopDim, bool squared) {
  int64_t width = forloopDim < 0 ? 16 : 8;
  List operators{load(tensor(1, {2, 16}), tile(11, {2, width}), xyz(-1, -1, -1),
                      forloopDim)};
  if (squared)
    operators.push_back(
        op("tb_square_op", {tile(11, {2, width})}, {tile(12, {2, width})}));
  operators.push_back(op(type, {tile(squared ? 12 : 11, {2, width})},
                         {tile(13, {2, result}, true)}));
  operators.push_back(store(tile(13, {2, result}, true), tensor(2, {2, result}),
                            xyz(-1, -1, -1)));
  return json::Array{input(1, {2, 16}),
                     customized({tensor(1, {2, 16})}, {tensor(2, {2, result})},
                                xyz(1, 1, 1), 2, operators, /*dimX=*/4),
                     output(2, {2, result})};
}

struct AccumCase {
  const char *name;
  int64_t columns; ///< of the result; 0 for the tile's
};
const AccumCase kAccums[] = {{"nored", 0},
                             {"red_ld_sum", 1},
                             {"red_ld_mean", 1},
                             {"red_ld_rms", 1},
                             {"redtox_ld_sum", 4}};

Values expectedTotal(llvm::StringRef name, int64_t columns, bool replicated,
                     bool squared) {
  Values x = inputValues(32), out(2 * columns, 0.0);
  int64_t width = replicated ? 16 : 8;
  bool rms = name == "red_ld_rms";
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < width; ++j) {
        double value = x[row * 16 + (replicated ? 0 : i * 8) + j];
        if (squared)
          value *= value;
        if (rms)
          value *= value;
        if (rms || name == "red_ld_mean")
          value /= 2.0 * width;
        out[row * columns + j % columns] += value;
      }
  if (rms)
    for (double &value : out)
      value = std::sqrt(value);
  return out;
}

TEST(MeaningTest, Accumulators) {
  for (const AccumCase &accum : kAccums)
    for (bool replicated : {false, true})
      for (bool squared : {false, true})
        for (const char *prefix : {"tb_accum_", "tb_forloop_accum_"}) {
          int64_t columns =
              accum.columns ? accum.columns : (replicated ? 16 : 8);
          std::string type = std::string(prefix) + accum.name + "_op";
          SCOPED_TRACE(type + (replicated ? " replicated" : "") +
                       (squared ? " squared" : ""));
          semantics::Program program =
              import(accumulate(type, columns, replicated ? -1 : 1, squared));
          expectNear(run(program),
                     expectedTotal(accum.name, columns, replicated, squared));
          expectRoundTrip(program);
        }
}

/// y = op(x) and more operands of the same shape, at either level.
json::Array compute(const std::string &name, bool inBlock, const List &shapes,
                    Sizes result, const Pairs &fields = {}) {
  json::Array graph;
  List inputs, tiles, operators;
  for (auto [i, value] : llvm::enumerate(shapes)) {
    Sizes shape;
    for (const json::Value &size : *value.getAsArray())
      shape.push_back(*size.getAsInteger());
    graph.push_back(input(i + 1, shape));
    inputs.push_back(tensor(i + 1, shape));
    tiles.push_back(tile(i + 11, shape));
    operators.push_back(
        load(tensor(i + 1, shape), tile(i + 11, shape), xyz(-1, -1, -1), -1));
  }
  if (!inBlock) {
    graph.push_back(
        op("kn_" + name + "_op", inputs, {tensor(30, result)}, fields));
  } else {
    operators.push_back(
        op("tb_" + name + "_op", tiles, {tile(20, result)}, fields));
    operators.push_back(
        op("tb_accum_nored_op", {tile(20, result)}, {tile(21, result, true)}));
    operators.push_back(
        store(tile(21, result, true), tensor(30, result), xyz(-1, -1, -1)));
    graph.push_back(customized(inputs, {tensor(30, result)}, xyz(1, 1, 1), 1,
                               operators,
                               /*dimX=*/2));
  }
  graph.push_back(output(30, result));
  return graph;
}

struct ElementCase {
  const char *name;
  double (*of)(double, double);
  unsigned operands;
};
const ElementCase kElementwise[] = {
    {"exp", [](double a, double) { return std::exp(a); }, 1},
    {"square", [](double a, double) { return a * a; }, 1},
    {"sqrt", [](double a, double) { return std::sqrt(a); }, 1},
    {"silu", [](double a, double) { return a / (1 + std::exp(-a)); }, 1},
    {"sigmoid", [](double a, double) { return 1 / (1 + std::exp(-a)); }, 1},
    {"gelu",
     [](double a, double) { return a / 2 * (1 + std::erf(a / std::sqrt(2))); },
     1},
    {"relu", [](double a, double) { return std::max(a, 0.0); }, 1},
    {"log", [](double a, double) { return std::log(a); }, 1},
    {"add", [](double a, double b) { return a + b; }, 2},
    {"sub", [](double a, double b) { return a - b; }, 2},
    {"mul", [](double a, double b) { return a * b; }, 2},
    {"div", [](double a, double b) { return a / b; }, 2},
    {"pow", [](double a, double b) { return std::pow(a, b); }, 2},
};

TEST(MeaningTest, Elementwise) {
  for (const ElementCase &entry : kElementwise)
    for (bool inBlock : {false, true}) {
      SCOPED_TRACE(entry.name);
      List shapes{json::Array{2, 4}};
      // The second operand broadcasts over columns.
      if (entry.operands == 2)
        shapes.push_back(json::Array{2, 1});
      semantics::Program program =
          import(compute(entry.name, inBlock, shapes, {2, 4}));
      Values a = inputValues(8), b = inputValues(2), expected;
      for (size_t i = 0; i < 8; ++i)
        expected.push_back(entry.of(a[i], b[i / 4]));
      expectNear(run(program), expected);
      expectRoundTrip(program);
    }
}

TEST(MeaningTest, ScalarsAndBounds) {
  for (bool inBlock : {false, true}) {
    semantics::Program scaled =
        import(compute("mul_scalar", inBlock, {json::Array{2, 4}}, {2, 4},
                       {{"scalar", 0.125}}));
    semantics::Program clamped =
        import(compute("clamp", inBlock, {json::Array{2, 4}}, {2, 4},
                       {{"min_val", 0.5}, {"max_val", 1.0}}));
    Values a = inputValues(8), products, bounded;
    for (double value : a) {
      products.push_back(value * 0.125);
      bounded.push_back(std::min(std::max(value, 0.5), 1.0));
    }
    expectNear(run(scaled), products);
    expectNear(run(clamped), bounded);
    expectRoundTrip(scaled);
    expectRoundTrip(clamped);
  }
}

// The published system does not store the bounds of a clamp.
TEST(MeaningTest, ClampNeedsItsBounds) {
  auto file = readMugraphs(
      text(json::Array{compute("clamp", false, {json::Array{2, 4}}, {2, 4})}));
  ASSERT_FALSE(bool(file));
  EXPECT_EQ(llvm::toString(file.takeError()),
            "graph 0, op 1 (kn_clamp_op): field 'min_val': expected a value, "
            "but got no such field");
}

TEST(MeaningTest, Reductions) {
  Values a = inputValues(8);
  for (bool inBlock : {false, true}) {
    semantics::Program rows =
        import(compute("reduction_1", inBlock, {json::Array{2, 4}}, {2, 1}));
    expectNear(run(rows),
               {a[0] + a[1] + a[2] + a[3], a[4] + a[5] + a[6] + a[7]});
    expectRoundTrip(rows);
    semantics::Program norm =
        import(compute("rms_norm", inBlock, {json::Array{2, 4}}, {2, 4}));
    Values expected;
    for (size_t i = 0; i < 8; ++i) {
      const double *row = &a[i / 4 * 4];
      double mean = (row[0] * row[0] + row[1] * row[1] + row[2] * row[2] +
                     row[3] * row[3]) /
                    4;
      expected.push_back(a[i] / std::sqrt(mean));
    }
    expectNear(run(norm), expected);
    expectRoundTrip(norm);
  }
  semantics::Program strided =
      import(compute("reduction_1_to_dimx", true, {json::Array{2, 4}}, {2, 2}));
  expectNear(run(strided),
             {a[0] + a[2], a[1] + a[3], a[4] + a[6], a[5] + a[7]});
  expectRoundTrip(strided);
}

TEST(MeaningTest, Products) {
  Values a = inputValues(4), b = inputValues(4);
  Values ab = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
               a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
  json::Value square = json::Array{2, 2};
  for (bool inBlock : {false, true}) {
    semantics::Program product =
        import(compute("matmul", inBlock, {square, square}, {2, 2}));
    expectNear(run(product), ab);
    expectRoundTrip(product);
    semantics::Program rows =
        import(compute("concat_0", inBlock, {square, square}, {4, 2}));
    Values both = a;
    both.insert(both.end(), b.begin(), b.end());
    expectNear(run(rows), both);
    expectRoundTrip(rows);
  }
  // [A, B] [C; D] with four equal matrices.
  semantics::Program joined = import(compute(
      "concat_then_matmul", true, {square, square, square, square}, {2, 2}));
  for (double &value : ab)
    value *= 2;
  expectNear(run(joined), ab);
  expectRoundTrip(joined);
}

TEST(MeaningTest, Sample) {
  auto file = readMugraphs(text(sample()));
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  Values x = inputValues(8 * 64), w = inputValues(64 * 32), expected;
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 32; ++j) {
      double sum = 0, squares = 0;
      for (int64_t k = 0; k < 64; ++k) {
        sum += x[i * 64 + k] * w[k * 32 + j];
        squares += x[i * 64 + k] * x[i * 64 + k];
      }
      expected.push_back(sum / std::sqrt(squares / 64));
    }
  expectNear(run(file->graphs[0]), expected);
  expectRoundTrip(file->graphs[0]);
}
} // namespace
