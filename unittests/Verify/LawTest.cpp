// Each law of the table as two programs: real points find no difference, and
// the verifier accepts the pair. Beside it a twin that is nearly the law and
// wrong: real points tell it apart, and the verifier refuses it.

#include "Normalise.h"
#include "Programs.h"
#include "RealProbe.h"
#include "gtest/gtest.h"
#include <functional>

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
using Fn = std::function<ValueId(Kernel &, ValueId x, ValueId y)>;

struct Law {
  const char *name;
  Fn left, right, wrong;
};

ValueId unary(Kernel &k, OpKind kind, ValueId x) { return k.op(kind, {x}); }

const std::vector<Law> &laws() {
  using K = Kernel;
  using V = ValueId;
  static const std::vector<Law> kLaws = {
      {"L1 rsqrt", [](K &k, V x, V) { return unary(k, OpKind::Rsqrt, x); },
       [](K &k, V x, V) {
         return k.div(k.literal(1), unary(k, OpKind::Sqrt, x));
       },
       [](K &k, V x, V) {
         return k.div(k.literal(2), unary(k, OpKind::Sqrt, x));
       }},
      {"L1 reciprocal",
       [](K &k, V x, V y) { return k.mul(y, unary(k, OpKind::Reciprocal, x)); },
       [](K &k, V x, V y) { return k.div(y, x); },
       [](K &k, V x, V y) { return k.div(x, y); }},
      {"L1 pow",
       [](K &k, V x, V) { return k.op(OpKind::Pow, {x, k.literal(1.5)}); },
       [](K &k, V x, V) { return k.mul(x, unary(k, OpKind::Sqrt, x)); },
       [](K &k, V x, V) { return k.mul(x, x); }},
      {"L2 square of a root",
       [](K &k, V x, V) {
         return unary(k, OpKind::Square, unary(k, OpKind::Sqrt, x));
       },
       [](K &, V x, V) { return x; },
       [](K &k, V x, V) { return unary(k, OpKind::Sqrt, x); }},
      {"L2 root of a square",
       [](K &k, V x, V) {
         return unary(k, OpKind::Sqrt, unary(k, OpKind::Square, x));
       },
       [](K &k, V x, V) { return unary(k, OpKind::Abs, x); },
       [](K &, V x, V) { return x; }},
      {"L2 square of a quotient",
       [](K &k, V x, V y) {
         return unary(k, OpKind::Square, k.div(x, unary(k, OpKind::Sqrt, y)));
       },
       [](K &k, V x, V y) { return k.div(k.mul(x, x), y); },
       [](K &k, V x, V y) { return k.div(k.mul(x, x), k.mul(y, y)); }},
      {"L2 root of a square rational",
       [](K &k, V x, V) {
         return k.mul(x, unary(k, OpKind::Sqrt, k.literal(2.25)));
       },
       [](K &k, V x, V) { return k.mul(x, k.literal(1.5)); },
       [](K &k, V x, V) { return k.mul(x, k.literal(-1.5)); }},
      {"L3 silu", [](K &k, V x, V) { return unary(k, OpKind::Silu, x); },
       [](K &k, V x, V) { return k.mul(x, unary(k, OpKind::Sigmoid, x)); },
       [](K &k, V x, V) { return unary(k, OpKind::Tanh, x); }},
      {"L3 tanh", [](K &k, V x, V) { return unary(k, OpKind::Tanh, x); },
       [](K &k, V x, V) {
         ValueId s = unary(k, OpKind::Sigmoid, k.mul(x, k.literal(2)));
         return k.sub(k.mul(s, k.literal(2)), k.literal(1));
       },
       [](K &k, V x, V) {
         ValueId s = unary(k, OpKind::Sigmoid, x);
         return k.sub(k.mul(s, k.literal(2)), k.literal(1));
       }},
      {"L3 gelu_erf", [](K &k, V x, V) { return unary(k, OpKind::GeluErf, x); },
       [](K &k, V x, V) {
         ValueId e =
             unary(k, OpKind::Erf, k.mul(x, k.literal(0.70710678118654752440)));
         return k.mul(k.mul(x, k.literal(0.5)), k.add(k.literal(1), e));
       },
       [](K &k, V x, V) { return unary(k, OpKind::GeluTanh, x); }},
      {"L4 sigmoid is odd about a half",
       [](K &k, V x, V) { return unary(k, OpKind::Sigmoid, k.neg(x)); },
       [](K &k, V x, V) {
         return k.sub(k.literal(1), unary(k, OpKind::Sigmoid, x));
       },
       [](K &k, V x, V) { return k.neg(unary(k, OpKind::Sigmoid, x)); }},
      {"L4 sigmoid by exp",
       [](K &k, V x, V y) { return k.mul(y, unary(k, OpKind::Sigmoid, x)); },
       [](K &k, V x, V y) {
         return k.div(y, k.add(k.exp(k.neg(x)), k.literal(1)));
       },
       [](K &k, V x, V y) { return k.div(y, k.add(k.exp(x), k.literal(1))); }},
      {"L4 erf is odd",
       [](K &k, V x, V) { return unary(k, OpKind::Erf, k.neg(x)); },
       [](K &k, V x, V) { return k.neg(unary(k, OpKind::Erf, x)); },
       [](K &k, V x, V) { return unary(k, OpKind::Erf, x); }},
      {"L6 relu", [](K &k, V x, V) { return unary(k, OpKind::Relu, x); },
       [](K &k, V x, V) { return k.max(k.literal(0), x); },
       [](K &k, V x, V) { return k.min(k.literal(0), x); }},
      {"L6 abs", [](K &k, V x, V) { return unary(k, OpKind::Abs, x); },
       [](K &k, V x, V) { return k.max(k.neg(x), x); },
       [](K &k, V x, V) { return k.min(k.neg(x), x); }},
      {"L6 min", [](K &k, V x, V y) { return k.min(x, y); },
       [](K &k, V x, V y) { return k.neg(k.max(k.neg(y), k.neg(x))); },
       [](K &k, V x, V y) { return k.max(x, y); }},
      {"L6 clamp", [](K &k, V x, V) { return k.clamp(x, -1, 2); },
       [](K &k, V x, V) {
         return k.min(k.literal(2), k.max(k.literal(-1), x));
       },
       [](K &k, V x, V) {
         return k.min(k.literal(2), k.max(k.literal(1), x));
       }},
      {"L2 root of a product",
       [](K &k, V x, V y) { return unary(k, OpKind::Sqrt, k.mul(x, y)); },
       [](K &k, V x, V y) {
         return k.mul(unary(k, OpKind::Sqrt, y), unary(k, OpKind::Sqrt, x));
       },
       [](K &k, V x, V y) {
         return k.add(unary(k, OpKind::Sqrt, y), unary(k, OpKind::Sqrt, x));
       }},
      {"L2 root of a quotient",
       [](K &k, V x, V y) { return unary(k, OpKind::Rsqrt, k.div(x, y)); },
       [](K &k, V x, V y) {
         return k.div(unary(k, OpKind::Sqrt, y), unary(k, OpKind::Sqrt, x));
       },
       [](K &k, V x, V y) {
         return k.div(unary(k, OpKind::Sqrt, x), unary(k, OpKind::Sqrt, y));
       }},
      {"L2 root of an exponential",
       [](K &k, V x, V) { return unary(k, OpKind::Sqrt, k.exp(x)); },
       [](K &k, V x, V) { return k.exp(k.mul(x, k.literal(0.5))); },
       [](K &k, V x, V) { return k.exp(k.mul(x, k.literal(2))); }},
      {"L2 square factor of a root",
       [](K &k, V x, V) {
         return unary(k, OpKind::Sqrt, k.mul(x, k.literal(9)));
       },
       [](K &k, V x, V) {
         return k.mul(k.literal(3), unary(k, OpKind::Sqrt, x));
       },
       [](K &k, V x, V) {
         return k.mul(k.literal(9), unary(k, OpKind::Sqrt, x));
       }},
      {"L2 square divisor of an inverse root",
       [](K &k, V x, V) {
         return unary(k, OpKind::Rsqrt, k.div(x, k.literal(27)));
       },
       [](K &k, V x, V) {
         ValueId third = k.div(x, k.literal(3));
         return k.mul(k.literal(3), unary(k, OpKind::Rsqrt, third));
       },
       [](K &k, V x, V) {
         return k.mul(k.literal(3), unary(k, OpKind::Rsqrt, x));
       }},
      {"L7 log of a constant factor",
       [](K &k, V x, V) {
         ValueId log = unary(k, OpKind::Log, k.mul(k.literal(2), x));
         return k.sub(log, k.literal(0.69314718055994530942));
       },
       [](K &k, V x, V) { return unary(k, OpKind::Log, x); },
       [](K &k, V x, V) {
         return unary(k, OpKind::Log, k.mul(k.literal(2), x));
       }},
      {"L7 log of a constant divisor",
       [](K &k, V x, V) {
         return unary(k, OpKind::Log, k.div(x, k.literal(1.5)));
       },
       [](K &k, V x, V) {
         ValueId two = unary(k, OpKind::Log, k.literal(2));
         ValueId three = unary(k, OpKind::Log, k.literal(3));
         return k.add(k.sub(unary(k, OpKind::Log, x), three), two);
       },
       [](K &k, V x, V) {
         ValueId two = unary(k, OpKind::Log, k.literal(2));
         ValueId three = unary(k, OpKind::Log, k.literal(3));
         return k.sub(k.sub(unary(k, OpKind::Log, x), three), two);
       }},
      {"L7 log of an exponential",
       [](K &k, V x, V) { return unary(k, OpKind::Log, k.exp(x)); },
       [](K &, V x, V) { return x; }, [](K &k, V x, V) { return k.neg(x); }},
      {"L7 exponential of a log",
       [](K &k, V x, V) { return k.exp(unary(k, OpKind::Log, x)); },
       [](K &, V x, V) { return x; }, [](K &k, V x, V) { return k.mul(x, x); }},
      {"L7 log of a product",
       [](K &k, V x, V y) { return unary(k, OpKind::Log, k.mul(x, y)); },
       [](K &k, V x, V y) {
         return k.add(unary(k, OpKind::Log, x), unary(k, OpKind::Log, y));
       },
       [](K &k, V x, V y) {
         return k.mul(unary(k, OpKind::Log, x), unary(k, OpKind::Log, y));
       }},
      {"L7 log of a quotient",
       [](K &k, V x, V y) { return unary(k, OpKind::Log, k.div(x, y)); },
       [](K &k, V x, V y) {
         return k.sub(unary(k, OpKind::Log, x), unary(k, OpKind::Log, y));
       },
       [](K &k, V x, V y) {
         return k.sub(unary(k, OpKind::Log, y), unary(k, OpKind::Log, x));
       }},
      {"L7 log of a power",
       [](K &k, V x, V) {
         return unary(k, OpKind::Log, k.op(OpKind::Pow, {x, k.literal(2.5)}));
       },
       [](K &k, V x, V) {
         return k.mul(unary(k, OpKind::Log, x), k.literal(2.5));
       },
       [](K &k, V x, V) {
         return k.mul(unary(k, OpKind::Log, x), k.literal(2));
       }},
      {"L7 log of a root",
       [](K &k, V x, V) {
         return unary(k, OpKind::Log, unary(k, OpKind::Rsqrt, x));
       },
       [](K &k, V x, V) {
         return k.mul(unary(k, OpKind::Log, x), k.literal(-0.5));
       },
       [](K &k, V x, V) {
         return k.mul(unary(k, OpKind::Log, x), k.literal(0.5));
       }},
      {"exp of a sum", [](K &k, V x, V y) { return k.exp(k.add(x, y)); },
       [](K &k, V x, V y) { return k.mul(k.exp(y), k.exp(x)); },
       [](K &k, V x, V y) { return k.add(k.exp(y), k.exp(x)); }},
  };
  return kLaws;
}

Program build(const Fn &fn) {
  Kernel k;
  ValueId x = k.input({4, 8}), y = k.input({4, 8});
  return k.done({fn(k, x, y)});
}

void expectVerdict(const Law &law, const Fn &other, Verdict verdict) {
  Program left = build(law.left), right = build(other);
  EXPECT_EQ(probeReals(left, right, {1, 2}, 1).has_value(),
            verdict == Verdict::NotEquivalent)
      << law.name;
  VerifyResult result = llvm::cantFail(verify(left, right, fixedOptions()));
  EXPECT_EQ(result.verdict, verdict) << law.name << ": " << describe(result);
}

TEST(LawTest, HoldsOverTheRealsAndIsAccepted) {
  for (const Law &law : laws())
    expectVerdict(law, law.right, Verdict::Equivalent);
}

TEST(LawTest, WrongTwinIsRefused) {
  for (const Law &law : laws())
    expectVerdict(law, law.wrong, Verdict::NotEquivalent);
}

// The certificate names what was used.
TEST(LawTest, CertificateListsLaws) {
  std::set<std::string> used;
  normalise(gatedMlp(kSmall, /*written=*/true), used);
  EXPECT_EQ(used, (std::set<std::string>{"L4"}));
  normalise(rmsNormLinear(kSmall), used);
  EXPECT_EQ(used, (std::set<std::string>{"L1", "L2", "L4"}));
}
} // namespace
