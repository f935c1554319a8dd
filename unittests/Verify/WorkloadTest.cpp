// The programs of the benchmark suite at batch 8, each against itself written
// otherwise, at full size: a proved bound of 2^-50 is to take under 10 s on two
// cores. Too long for every run of the suite, so all are disabled:
//
//   VerifyTests --gtest_also_run_disabled_tests --gtest_filter='*Workload*'

#include "Programs.h"
#include "gtest/gtest.h"
#include <ctime>
#include <functional>

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
constexpr int64_t kBatch = 8;
using Build = std::function<Program(Kernel &)>;

void measure(const char *name, const Program &f, const Program &g) {
  std::clock_t start = std::clock();
  auto result = verify(f, g, fixedOptions());
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  double cpu = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(result->reachesTarget({})) << describe(*result);
  // Processor time: what else runs on the machine does not count.
  printf("%-18s 2^%.1f, T = %d, %.1f s elapsed, %.1f s of processor time\n",
         name, result->log2Bound.value_or(0),
         int(*result->certificate.getInteger("T")), result->seconds, cpu);
  EXPECT_LT(cpu, 20) << name;
}

void measure(const char *name, const Build &f, const Build &g) {
  Kernel a, b;
  a.dtype = b.dtype = DType::F16;
  measure(name, f(a), g(b));
}

ValueId sum(Kernel &k, ValueId x, int64_t dim) {
  return k.reduce(ReduceKind::Sum, x, dim);
}
ValueId silu(Kernel &k, ValueId x) { return k.op(OpKind::Silu, {x}); }
ValueId transposed(Kernel &k, ValueId x) {
  Attrs attrs;
  attrs.dims = {0, 2, 1};
  return k.op(OpKind::Transpose, {x}, attrs);
}
/// sqrt(sum(x^2) / n + eps) over `dim`.
ValueId rootMeanSquare(Kernel &k, ValueId x, int64_t dim, double eps) {
  unsigned rank = k.p.type(x).rank();
  ValueId n =
      k.constant(ConstantValue::makeExtent(ConstantValue::Kind::InvExtent,
                                           k.p.type(x).shape[dim]),
                 rank);
  ValueId mean = k.mul(sum(k, k.mul(x, x), dim), n);
  return k.op(OpKind::Sqrt, {k.add(mean, k.literal(eps, rank))});
}

TEST(WorkloadTest, DISABLED_RmsNormLinear) {
  measure("rmsnorm_linear", rmsNormLinear({2 * kBatch, 4096, 6144}),
          fusedRmsNormLinear({2 * kBatch, 4096, 6144}, {96, 4, 16}));
}

TEST(WorkloadTest, DISABLED_GatedMlp) {
  measure("gated_mlp", gatedMlp({8 * kBatch, 4096, 4096}),
          fusedGatedMlp({8 * kBatch, 4096, 4096}, {64, 2, 16}));
}

/// softmax(q k) v, or (exp(q k) v) / sum exp(q k).
Build attention(int64_t heads, int64_t rows, bool divisionLast) {
  return [=](Kernel &k) {
    ValueId q = k.input({heads, rows, 64}), keys = k.input({heads, 64, 4096}),
            v = k.input({heads, 4096, 64});
    ValueId logits = k.matmul(q, keys);
    if (!divisionLast)
      return k.done({k.matmul(k.softmax(logits, 2), v)});
    ValueId e = k.exp(logits);
    return k.done({k.div(k.matmul(e, v), sum(k, e, 2))});
  };
}

TEST(WorkloadTest, DISABLED_Gqa) {
  measure("gqa", attention(2 * kBatch, 256, false),
          attention(2 * kBatch, 256, true));
}
TEST(WorkloadTest, DISABLED_Mha) {
  measure("mha", attention(32 * kBatch, 16, false),
          attention(32 * kBatch, 16, true));
}

/// The epsilon of torch where none is given, for f32.
constexpr double kTorchEps = 0x1p-23;

TEST(WorkloadTest, DISABLED_QkNormGqa) {
  auto build = [](bool divisionLast) {
    return [=](Kernel &k) {
      ValueId q = k.input({2 * kBatch, 256, 64}),
              keys = k.input({2 * kBatch, 64, 4096}),
              v = k.input({2 * kBatch, 4096, 64});
      if (!divisionLast) {
        ValueId t = transposed(k, k.rmsNorm(transposed(k, keys), kTorchEps));
        return k.done(
            {k.matmul(k.softmax(k.matmul(k.rmsNorm(q, kTorchEps), t), 2), v)});
      }
      // Both norms after the product.
      ValueId logits =
          k.div(k.matmul(q, keys), rootMeanSquare(k, q, 2, kTorchEps));
      logits = k.div(logits, rootMeanSquare(k, keys, 1, kTorchEps));
      ValueId e = k.exp(logits);
      return k.done({k.div(k.matmul(e, v), sum(k, e, 2))});
    };
  };
  measure("qknorm_gqa", build(false), build(true));
}

TEST(WorkloadTest, DISABLED_Lora) {
  auto build = [](bool joined) {
    return [=](Kernel &k) {
      ValueId x = k.input({16 * kBatch, 256}), w = k.input({256, 4096}),
              a = k.input({256, 16}), b = k.input({16, 4096});
      if (joined)
        return k.done({k.matmul(x, k.add(w, k.matmul(a, b)))});
      return k.done({k.add(k.matmul(x, w), k.matmul(k.matmul(x, a), b))});
    };
  };
  measure("lora", build(false), build(true));
}

TEST(WorkloadTest, DISABLED_Ntrans) {
  auto build = [](bool written) {
    return [=](Kernel &k) {
      Shape shape{8 * kBatch, 4096};
      ValueId h = k.input(shape), x = k.input(shape), alpha = k.input(shape);
      auto norm = [&](ValueId t) {
        return written ? k.div(t, rootMeanSquare(k, t, 1, kEps))
                       : k.rmsNorm(t, kEps);
      };
      ValueId step = k.mul(alpha, k.sub(norm(h), x));
      return k.done({norm(written ? k.add(step, x) : k.add(x, step))});
    };
  };
  measure("ntrans", build(false), build(true));
}

TEST(WorkloadTest, DISABLED_LlamaSwiglu) {
  auto build = [](bool swapped) {
    return [=](Kernel &k) {
      ValueId x = k.input({kBatch, 4096}), w1 = k.input({4096, 14336}),
              w2 = k.input({4096, 14336}), w3 = k.input({14336, 4096});
      ValueId gate = k.matmul(x, w1), up = k.matmul(x, w2);
      ValueId product =
          swapped ? k.mul(k.mul(up, gate), k.op(OpKind::Sigmoid, {gate}))
                  : k.mul(silu(k, gate), up);
      return k.done({k.matmul(product, w3)});
    };
  };
  measure("llama_swiglu", build(false), build(true));
}

TEST(WorkloadTest, DISABLED_QwenNormGateUp) {
  auto build = [](bool late) {
    return [=](Kernel &k) {
      ValueId x = k.input({kBatch, 4096}), w1 = k.input({4096, 12288}),
              w2 = k.input({4096, 12288});
      auto project = [&](ValueId w) {
        return late ? k.div(k.matmul(x, w), rootMeanSquare(k, x, 1, kEps))
                    : k.matmul(k.rmsNorm(x, kEps), w);
      };
      return k.done({k.mul(silu(k, project(w1)), project(w2))});
    };
  };
  measure("qwen_norm_gate_up", build(false), build(true));
}

TEST(WorkloadTest, DISABLED_Gpt2LinearGelu) {
  auto build = [](bool split) {
    return [=](Kernel &k) {
      ValueId x = k.input({16 * kBatch, 1024}), w = k.input({1024, 4096}),
              bias = k.input({1, 4096});
      ValueId product;
      if (split)
        product = k.add(k.matmul(k.slice(x, {0, 0}, {16 * kBatch, 512}),
                                 k.slice(w, {0, 0}, {512, 4096})),
                        k.matmul(k.slice(x, {0, 512}, {16 * kBatch, 512}),
                                 k.slice(w, {512, 0}, {512, 4096})));
      else
        product = k.matmul(x, w);
      return k.done({k.op(OpKind::GeluTanh, {k.add(product, bias)})});
    };
  };
  measure("gpt2_linear_gelu", build(false), build(true));
}

TEST(WorkloadTest, DISABLED_ResidualNormQkv) {
  auto build = [](bool late) {
    return [=](Kernel &k) {
      ValueId x = k.input({kBatch, 4096}), r = k.input({kBatch, 4096}),
              g = k.input({1, 4096}), w = k.input({4096, 6144});
      ValueId s = k.add(x, r);
      if (late)
        return k.done(
            {k.div(k.matmul(k.mul(s, g), w), rootMeanSquare(k, s, 1, kEps))});
      return k.done({k.matmul(k.mul(k.rmsNorm(s, kEps), g), w)});
    };
  };
  measure("residual_norm_qkv", build(false), build(true));
}

TEST(WorkloadTest, DISABLED_Relu2Mlp) {
  auto build = [](bool written) {
    return [=](Kernel &k) {
      ValueId x = k.input({kBatch, 3072}), w1 = k.input({3072, 9216}),
              w2 = k.input({9216, 3072});
      ValueId h = k.matmul(x, w1);
      ValueId r = written ? k.max(k.literal(0), h) : k.op(OpKind::Relu, {h});
      return k.done(
          {k.matmul(written ? k.mul(r, r) : k.op(OpKind::Square, {r}), w2)});
    };
  };
  measure("relu2_mlp", build(false), build(true));
}
} // namespace
