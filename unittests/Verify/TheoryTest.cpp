// The error bound is a theorem about random fields; with tiny ones its left
// side can be measured. A program that should be zero and is not is accepted
// when all its values vanish: here one value, over many fields.

#include "AttentionPrograms.h"
#include "Bookkeep.h"
#include "Executor.h"
#include "FieldDomain.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <random>

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
constexpr uint64_t kTinyQ = 101;

/// Primes = 1 mod 101 between 2^15 and 2^16: a pool as profile E has.
std::vector<uint64_t> tinyPool() {
  std::vector<uint64_t> pool;
  for (uint64_t p = (1 << 15) / kTinyQ * kTinyQ + 1; p < 1 << 16; p += kTinyQ)
    if (p > 1 << 15 && isPrime(p))
      pool.push_back(p);
  return pool;
}

/// The share of random fields and inputs at which the output is zero.
double zeroRate(const Program &program, unsigned fields) {
  Interpretation mode{/*withExp=*/true, /*sigmoidThroughExp=*/false};
  Analysis facts = analyze(program, mode);
  std::vector<uint64_t> pool = tinyPool();
  std::mt19937_64 rng(/*seed=*/1);
  uint64_t zeros = 0, all = 0;
  for (unsigned i = 0; i < fields; ++i) {
    FieldDraw draw;
    draw.q = kTinyQ;
    draw.p = pool[rng() % pool.size()];
    PrimeField f(draw.p);
    do {
      uint64_t h = f.fromInteger(1 + rng() % (draw.p - 1));
      draw.omega = f.toInteger(f.pow(h, (draw.p - 1) / kTinyQ));
    } while (draw.omega == 1);
    FieldContext context(draw, mode, {rng(), rng()}, {rng(), rng()}, 1);
    FailureLog log;
    FieldDomain domain(context, facts, log);
    std::vector<TileRef> inputs;
    for (unsigned t = 0; t < program.numInputs; ++t)
      inputs.push_back(context.input(t, program.type(t).shape, facts.live[t]));
    TileRef out = execute(program, domain, inputs, 1)[0];
    for (uint64_t v : out->p)
      zeros += v == 0;
    all += out->p.size();
  }
  return double(zeros) / all;
}

using Build = std::function<ValueId(Kernel &, ValueId, ValueId)>;

Program over(Build fn) {
  Kernel k;
  ValueId a = k.input({64, 4}), b = k.input({64, 4});
  return k.done({fn(k, a, b)});
}

/// (k - 1) Delta / q + M-term + d / X by the numbers of the bookkeeping.
double bound(const Program &program) {
  ProgramNumbers numbers = bookkeep(program, {true, false});
  const Numbers &n = numbers.outputs[0];
  double terms = std::exp2(n.logMono[0]) - 1;
  return terms * std::max(1.0, numbers.exponentDegree[0]) / kTinyQ +
         std::floor(n.logNorm[0] / 15) / tinyPool().size() +
         n.degree[0] / 32768.0;
}

TEST(TheoryTest, MeasuredErrorLiesBelowTheBound) {
  const Build programs[] = {
      // (e^a - 1)(e^b - 1): zero when a or b is.
      [](Kernel &k, ValueId a, ValueId b) {
        return k.mul(k.sub(k.exp(a), k.literal(1)),
                     k.sub(k.exp(b), k.literal(1)));
      },
      [](Kernel &k, ValueId a, ValueId b) {
        return k.sub(k.exp(k.mul(a, b)), k.exp(k.add(a, b)));
      },
      [](Kernel &k, ValueId a, ValueId b) {
        ValueId e = k.exp(a), s = k.reduce(ReduceKind::Sum, e, 1);
        return k.sub(k.mul(e, b), s);
      },
      [](Kernel &k, ValueId a, ValueId b) {
        return k.sub(k.exp(k.add(a, k.literal(1))),
                     k.mul(k.literal(3), k.exp(a)));
      },
      // Each b_j has one exponent, and four terms make no error of their own.
      [](Kernel &k, ValueId a, ValueId b) {
        return k.reduce(ReduceKind::Sum, k.mul(k.exp(a), b), 1);
      },
      // Two exponents, beside one b for all terms.
      [](Kernel &k, ValueId a, ValueId b) {
        ValueId e = k.sub(k.exp(a), k.exp(k.mul(a, a)));
        return k.mul(k.reduce(ReduceKind::Sum, e, 1), b);
      }};
  for (const Build &build : programs) {
    Program program = over(build);
    double measured = zeroRate(program, 400), limit = bound(program);
    // Three standard deviations of 10^5 samples.
    double noise = 3 * std::sqrt(limit / (400 * 64));
    EXPECT_LE(measured, limit + noise);
  }
  // The measurement sees something: the fields are tiny.
  EXPECT_GT(zeroRate(over(programs[0]), 400), 0);
}

// The two roots of the first program: 1 - (1 - 1/q)^2 = 1.97 %.
TEST(TheoryTest, ProductOfDifferencesVanishesAtTwoRoots) {
  Program program = over([](Kernel &k, ValueId a, ValueId b) {
    return k.mul(k.sub(k.exp(a), k.literal(1)), k.sub(k.exp(b), k.literal(1)));
  });
  EXPECT_NEAR(zeroRate(program, 400), 0.0197, 0.002);
}

// Where the fields are exact, an identity is zero always.
TEST(TheoryTest, IdentitiesAlwaysVanish) {
  Program program = over([](Kernel &k, ValueId a, ValueId b) {
    return k.sub(k.mul(k.exp(a), k.exp(b)), k.exp(k.add(a, b)));
  });
  EXPECT_EQ(zeroRate(program, 50), 1.0);
}

// With a fixed omega = 3 the programs e^(x+1) and 3 e^x would agree; random
// elements of order q disagree but once in q - 1.
TEST(TheoryTest, OmegaMustBeRandom) {
  Program program = over([](Kernel &k, ValueId a, ValueId b) {
    return k.sub(k.exp(k.add(a, k.literal(1))), k.mul(k.literal(3), k.exp(a)));
  });
  EXPECT_LT(zeroRate(program, 400), 0.05);
}

PairNumbers numbersOf(const Program &f, const Program &g, bool withExp) {
  Interpretation mode{withExp, false};
  return combine(bookkeep(f, mode), bookkeep(g, mode), withExp);
}

// The method's own table: 6 keys give 72 exponents and Delta = 2. Each monomial
// v_j has 6 on either side.
TEST(TheoryTest, NumbersOfAttention) {
  for (auto [keys, log2K] :
       {std::pair<int64_t, double>{6, std::log2(72.0)}, {4096, 25.0}}) {
    Kernel k;
    ValueId q = k.input({1, 4}), rows = k.input({4, keys}),
            v = k.input({keys, 4});
    ValueId e = k.exp(k.matmul(q, rows));
    Program attention =
        k.done({k.matmul(k.div(e, k.reduce(ReduceKind::Sum, e, 1)), v)});
    PairNumbers numbers = numbersOf(attention, attention, true);
    EXPECT_NEAR(numbers.log2Terms, log2K, 1e-9);
    log2K = std::log2(2.0 * keys);
    EXPECT_NEAR(numbers.log2K, log2K, 1e-9);
    EXPECT_EQ(numbers.delta, 2);
    EXPECT_EQ(numbers.d, 1);
    ASSERT_TRUE(numbers.log2Eps);
    EXPECT_NEAR(*numbers.log2Eps, log2K + 1 - 40, 0.1);
  }
}

// What stands beside the exponentials must be distinct variables along the sum:
// a value that several terms share has the exponents of all of them.
TEST(TheoryTest, SharedMonomialsCountAllExponents) {
  constexpr int64_t kKeys = 16;
  auto log2K = [](auto values) {
    Kernel k;
    ValueId q = k.input({1, 4}), rows = k.input({4, kKeys}),
            v = k.input({kKeys, 4});
    ValueId e = k.exp(k.matmul(q, rows));
    Program p = k.done({k.matmul(e, values(k, v))});
    return numbersOf(p, p, true).log2K;
  };
  EXPECT_NEAR(log2K([](Kernel &, ValueId v) { return v; }), 1, 1e-9);
  EXPECT_NEAR(
      log2K([](Kernel &k, ValueId v) { return k.op(OpKind::Neg, {v}); }), 1,
      1e-9);
  // A sum of two elements, a square, an element for all keys.
  double all = std::log2(2.0 * kKeys);
  EXPECT_NEAR(log2K([](Kernel &k, ValueId v) { return k.add(v, v); }), all,
              1e-9);
  EXPECT_NEAR(log2K([](Kernel &k, ValueId v) { return k.mul(v, v); }), all,
              1e-9);
  EXPECT_NEAR(log2K([](Kernel &k, ValueId v) {
                return k.shaped(OpKind::Broadcast, {k.slice(v, {0, 0}, {1, 4})},
                                {kKeys, 4});
              }),
              all, 1e-9);
}

// The running maximum is one call for a tile of keys, however many it has: with
// twice the keys in as many tiles its own operands double, and nothing else.
TEST(TheoryTest, CallsOfAnIterationCountOnceForItsTile) {
  auto callsOf = [](int64_t keys) {
    Program program = online(/*rescales=*/true, /*usesMax=*/true,
                             /*tiles=*/4, {}, keys);
    return numbersOf(program, program, true).m;
  };
  EXPECT_LT(callsOf(4096), 2.1 * callsOf(2048));
}

// One root on each side; the matmul after it adds no call.
TEST(TheoryTest, NumbersOfRmsNormLinear) {
  Program reference = decompose(rmsNormLinear(kFullRmsNorm));
  Program candidate = fusedRmsNormLinear(kFullRmsNorm, {96, 4, 16});
  PairNumbers numbers = numbersOf(reference, candidate, false);
  EXPECT_EQ(numbers.du, 2);
  EXPECT_EQ(numbers.d, 3); // x w z' against x w z over denominators z, z'
  EXPECT_LE(numbers.m, 4);
  EXPECT_LT(*numbers.log2Eps, -50);
}

// No claim where the pool cannot carry it: a sum over different denominators.
TEST(TheoryTest, NoBoundWithoutCover) {
  Kernel k;
  ValueId x = k.input({2, 64});
  ValueId sigmoid = k.div(k.literal(2), k.add(k.literal(1), k.exp(x)));
  Program program = k.done({k.reduce(ReduceKind::Sum, sigmoid, 1)});
  EXPECT_FALSE(numbersOf(program, program, true).log2Eps);
  auto result = verify(program, program, fixedOptions());
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->verdict, Verdict::CannotTell);
  EXPECT_NE(result->reason.find("no error bound"), std::string::npos);
}

// The degree of state += state * x + x grows with every iteration, through any
// number of accumulators: no claim. A chain that ends settles.
TEST(TheoryTest, NoBoundOfARecurrence) {
  for (unsigned length : {1, 2, 5})
    for (bool closed : {true, false}) {
      Program p;
      ValueId x = p.addInput({{4, 32}, DType::F32});
      Block b(p, {x}, {1, 1, 1});
      b.beginLoop(16);
      ValueId tile = b.load(x, {-1, -1, -1}, 1);
      std::vector<Accumulator> accumulators;
      // Each reads the next one's state, the last one the first's or none.
      for (unsigned i = 0; i < length; ++i) {
        ValueId value = tile;
        if (i + 1 < length || closed)
          value = b.op(OpKind::Mul,
                       {tile, b.running((i + 1) % length, false, {4, 2})});
        accumulators.push_back(
            {AccumulatorKind::Sum, b.op(OpKind::Add, {value, tile}), -1, -1});
      }
      auto totals = b.endLoop(accumulators);
      b.store(totals[0], {-1, -1, -1}, DType::F32);
      Program program = b.done();
      PairNumbers numbers = numbersOf(program, program, false);
      EXPECT_EQ(numbers.log2Eps.has_value(), !closed) << length;
      if (!closed)
        EXPECT_EQ(numbers.d, length);
    }
}
} // namespace
