// Pairs of small programs with the verdict and its reason. Numbers are those of
// the method's list of test vectors. Vector 14 is in BlockTest.cpp.

#include "Programs.h"
#include "gtest/gtest.h"
#include <functional>

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
using Build = std::function<Program(Kernel &)>;

VerifyResult compare(const Build &f, const Build &g) {
  Kernel a, b;
  auto result = verify(f(a), g(b), fixedOptions());
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

void equivalent(const Build &f, const Build &g) {
  VerifyResult result = compare(f, g);
  EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
  ASSERT_TRUE(result.log2Bound);
  EXPECT_LE(*result.log2Bound, -50) << describe(result);
  EXPECT_FALSE(result.statistical);
}

/// Equivalent by the structured interpretation: counts instead of a bound.
void statistical(const Build &f, const Build &g) {
  VerifyResult result = compare(f, g);
  EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
  EXPECT_TRUE(result.statistical) << describe(result);
  EXPECT_FALSE(result.log2Bound);
  EXPECT_FALSE(result.reachesTarget({}));
  const llvm::json::Object &certificate = result.certificate;
  EXPECT_EQ(certificate.getString("claim"), "statistical");
  EXPECT_EQ(certificate.getString("interpretation"), "structured");
  ASSERT_TRUE(certificate.getObject("coverage"));
  EXPECT_GE(certificate.getObject("coverage")->getInteger("fewest_compares"),
            12);
}

/// Not equivalent, shown in the field (a proof) or at a real point.
void differ(const Build &f, const Build &g, llvm::StringRef domain) {
  VerifyResult result = compare(f, g);
  EXPECT_EQ(result.verdict, Verdict::NotEquivalent) << describe(result);
  ASSERT_TRUE(result.counterexample) << describe(result);
  EXPECT_EQ(result.counterexample->domain, domain) << describe(result);
  EXPECT_NE(result.counterexample->reference, result.counterexample->candidate);
}

void cannotTell(const Build &f, const Build &g, llvm::StringRef reason) {
  VerifyResult result = compare(f, g);
  EXPECT_EQ(result.verdict, Verdict::CannotTell) << describe(result);
  EXPECT_NE(result.reason.find(reason.str()), std::string::npos)
      << result.reason;
}

/// One function of x[3, 4].
Build unary(std::function<ValueId(Kernel &, ValueId)> fn) {
  return [=](Kernel &k) {
    ValueId x = k.input({3, 4});
    return k.done({fn(k, x)});
  };
}
/// One function of a[rows, cols] and b[bRows, bCols].
Build binary(Shape a, Shape b,
             std::function<ValueId(Kernel &, ValueId, ValueId)> fn) {
  return [=](Kernel &k) {
    ValueId x = k.input(a), y = k.input(b);
    return k.done({fn(k, x, y)});
  };
}
Build pairwise(std::function<ValueId(Kernel &, ValueId, ValueId)> fn) {
  return binary({3, 4}, {3, 4}, std::move(fn));
}

ValueId sum(Kernel &k, ValueId x, int64_t dim = 1) {
  return k.reduce(ReduceKind::Sum, x, dim);
}
ValueId rowMax(Kernel &k, ValueId x, int64_t dim = 1) {
  return k.reduce(ReduceKind::Max, x, dim);
}
ValueId inverseExtent(Kernel &k, int64_t n) {
  return k.constant(
      ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, n));
}
ValueId normalised(Kernel &k, ValueId e) { return k.div(e, sum(k, e)); }

TEST(VectorTest, V01DivisionAroundMatmul) {
  for (auto [shape, same] : {std::pair<Shape, bool>{{3, 3}, false},
                             {{3, 1}, true},
                             {{1, 3}, false}}) {
    Shape divisor = shape;
    Build before = [=](Kernel &k) {
      ValueId a = k.input({3, 3}), b = k.input(divisor), c = k.input({3, 3});
      return k.done({k.matmul(k.div(a, b), c)});
    };
    Build after = [=](Kernel &k) {
      ValueId a = k.input({3, 3}), b = k.input(divisor), c = k.input({3, 3});
      return k.done({k.div(k.matmul(a, c), b)});
    };
    same ? equivalent(before, after) : differ(before, after, "field");
  }
}

TEST(VectorTest, V02SoftmaxShift) {
  Build softmax = unary([](Kernel &k, ValueId x) { return k.softmax(x, 1); });
  equivalent(softmax, unary([](Kernel &k, ValueId x) {
               return k.softmax(k.sub(x, rowMax(k, x)), 1);
             }));
  equivalent(softmax, unary([](Kernel &k, ValueId x) {
               return normalised(k, k.exp(x));
             }));
  differ(softmax, unary([](Kernel &k, ValueId x) {
           ValueId e = k.exp(k.sub(x, rowMax(k, x)));
           return k.div(e, sum(k, k.exp(x)));
         }),
         "real");
  differ(softmax, unary([](Kernel &k, ValueId x) {
           return normalised(k, k.exp(k.sub(x, rowMax(k, x, 0))));
         }),
         "real");
}

TEST(VectorTest, V03Clamp) {
  Build clamp = unary([](Kernel &k, ValueId x) { return k.clamp(x, -1, 1); });
  differ(clamp, unary([](Kernel &k, ValueId x) { return k.clamp(x, -1, 2); }),
         "real");
  differ(clamp, unary([](Kernel &k, ValueId x) { return x; }), "real");
  differ(clamp, unary([](Kernel &k, ValueId x) {
           return k.clamp(k.add(x, k.literal(1)), -1, 1);
         }),
         "real");
  equivalent(clamp, unary([](Kernel &k, ValueId x) {
               return k.min(k.max(x, k.literal(-1)), k.literal(1));
             }));
  equivalent(clamp, unary([](Kernel &k, ValueId x) {
               return k.max(k.literal(-1), k.min(x, k.literal(1)));
             }));
  differ(clamp, unary([](Kernel &k, ValueId x) {
           return k.min(k.max(x, k.literal(-1)), k.literal(2));
         }),
         "real");
}

Build overRoot(bool divides) {
  return unary([=](Kernel &k, ValueId x) {
    ValueId s = sum(k, k.mul(x, x));
    if (divides)
      s = k.mul(s, inverseExtent(k, 4));
    return k.div(x, k.op(OpKind::Sqrt, {s}));
  });
}

TEST(VectorTest, V04LostDivisionByN) {
  differ(overRoot(true), overRoot(false), "real");
}

TEST(VectorTest, V05Relu) {
  auto relu = [](double inside, double outside) {
    return unary([=](Kernel &k, ValueId x) {
      return k.mul(k.op(OpKind::Relu, {k.mul(x, k.literal(inside))}),
                   k.literal(outside));
    });
  };
  statistical(relu(2, 1), relu(1, 2));
  differ(relu(-2, 1), relu(1, -2), "real");
  differ(relu(1, 1), unary([](Kernel &k, ValueId x) { return x; }), "real");
  equivalent(relu(1, 1), unary([](Kernel &k, ValueId x) {
               return k.max(k.op(OpKind::Relu, {x}), k.literal(0));
             }));
}

TEST(VectorTest, V06Exponentials) {
  Build product = pairwise([](Kernel &k, ValueId a, ValueId b) {
    return k.mul(k.exp(a), k.exp(b));
  });
  equivalent(product, pairwise([](Kernel &k, ValueId a, ValueId b) {
               return k.exp(k.add(a, b));
             }));
  equivalent(pairwise([](Kernel &k, ValueId a, ValueId b) {
               return k.exp(k.sub(a, b));
             }),
             pairwise([](Kernel &k, ValueId a, ValueId b) {
               return k.div(k.exp(a), k.exp(b));
             }));
  equivalent(pairwise([](Kernel &k, ValueId a, ValueId b) {
               return k.mul(k.sub(k.exp(a), k.literal(1)),
                            k.sub(k.exp(b), k.literal(1)));
             }),
             pairwise([](Kernel &k, ValueId a, ValueId b) {
               ValueId cross = k.sub(k.exp(k.add(a, b)), k.exp(a));
               return k.add(k.sub(cross, k.exp(b)), k.literal(1));
             }));
  differ(product, pairwise([](Kernel &k, ValueId a, ValueId b) {
           return k.exp(k.mul(a, b));
         }),
         "field");
}

// Functions under an exp need their q component, and their own arguments p.
TEST(VectorTest, V06ExponentialsOfFunctions) {
  equivalent(pairwise([](Kernel &k, ValueId a, ValueId b) {
               return k.exp(k.min(a, b));
             }),
             pairwise([](Kernel &k, ValueId a, ValueId b) {
               return k.exp(k.neg(k.max(k.neg(b), k.neg(a))));
             }));
  equivalent(
      unary([](Kernel &k, ValueId x) { return k.exp(k.op(OpKind::Erf, {x})); }),
      unary([](Kernel &k, ValueId x) {
        return k.div(k.literal(1), k.exp(k.op(OpKind::Erf, {k.neg(x)})));
      }));
}

TEST(VectorTest, V07Silu) {
  auto op = [](OpKind kind) {
    return unary([=](Kernel &k, ValueId x) { return k.op(kind, {x}); });
  };
  equivalent(op(OpKind::Silu), unary([](Kernel &k, ValueId x) {
               return k.mul(x, k.op(OpKind::Sigmoid, {x}));
             }));
  equivalent(unary([](Kernel &k, ValueId x) {
               return k.op(OpKind::Silu, {k.neg(x)});
             }),
             unary([](Kernel &k, ValueId x) {
               return k.sub(k.op(OpKind::Silu, {x}), x);
             }));
  // Sigmoid through exp leaves no soft symbol, so these are proofs.
  differ(op(OpKind::Silu), op(OpKind::Sigmoid), "field");
  differ(pairwise([](Kernel &k, ValueId gate, ValueId up) {
           return k.mul(k.op(OpKind::Silu, {gate}), up);
         }),
         pairwise([](Kernel &k, ValueId gate, ValueId up) {
           return k.mul(gate, k.op(OpKind::Silu, {up}));
         }),
         "field");
}

TEST(VectorTest, V07SiluWrittenOut) {
  Build silu =
      unary([](Kernel &k, ValueId x) { return k.op(OpKind::Silu, {x}); });
  auto written = [](double one, bool negates) {
    return unary([=](Kernel &k, ValueId x) {
      ValueId exponent = negates ? k.neg(x) : k.mul(k.literal(-1), x);
      return k.div(x, k.add(k.literal(one), k.exp(exponent)));
    });
  };
  equivalent(silu, written(1, true));
  equivalent(silu, written(1, false));
  // Folded, so neither side needs an exponential.
  Kernel a, b;
  VerifyResult result =
      llvm::cantFail(verify(silu(a), written(1, true)(b), fixedOptions()));
  EXPECT_EQ(result.certificate.getString("profile"), "R");
  differ(silu, written(2, true), "field");
  // Not of the folded form: (e^x x) / (e^x + 1), equal through exp.
  equivalent(silu, unary([](Kernel &k, ValueId x) {
               ValueId e = k.exp(x);
               return k.div(k.mul(e, x), k.add(e, k.literal(1)));
             }));
}

// The key of a sigmoid is its argument's value, not how a root came into it: so
// silu of a late division needs no exponential.
TEST(VectorTest, V07SiluOfANorm) {
  auto build = [](bool late) {
    return [=](Kernel &k) {
      ValueId x = k.input({4, 8}), w = k.input({8, 6});
      ValueId n = inverseExtent(k, 8), eps = k.literal(1e-6);
      ValueId mean = k.mul(sum(k, k.mul(x, x)), n);
      ValueId root = k.op(OpKind::Sqrt, {k.add(mean, eps)});
      ValueId y =
          late ? k.div(k.matmul(x, w), root) : k.matmul(k.rmsNorm(x, 1e-6), w);
      return k.done({k.op(OpKind::Silu, {y})});
    };
  };
  equivalent(build(false), build(true));
  EXPECT_EQ(compare(build(false), build(true)).certificate.getString("profile"),
            "R");
}

TEST(VectorTest, V08Epsilon) {
  auto rms = [](double eps) {
    return unary([=](Kernel &k, ValueId x) { return k.rmsNorm(x, eps); });
  };
  differ(rms(1e-6), rms(0), "real");
  differ(rms(1e-6), rms(1e-5), "real");
}

TEST(VectorTest, V09SwappedOutputs) {
  auto outputs = [](bool swapped) {
    return [=](Kernel &k) {
      ValueId x = k.input({2, 2}), y = k.input({2, 2});
      ValueId s = k.add(x, y), p = k.mul(x, y);
      return swapped ? k.done({p, s}) : k.done({s, p});
    };
  };
  differ(outputs(false), outputs(true), "field");
  EXPECT_NE(compare(outputs(false), outputs(true))
                .reason.find("outputs look swapped"),
            std::string::npos);
}

/// softmax(logits) V with logits from Q[2, 3] and K[3, 4].
Build attention(std::function<ValueId(Kernel &, ValueId, ValueId)> logits) {
  return [=](Kernel &k) {
    ValueId q = k.input({2, 3}), keys = k.input({3, 4}), v = k.input({4, 3});
    return k.done({k.matmul(normalised(k, k.exp(logits(k, q, keys))), v)});
  };
}

TEST(VectorTest, V10AttentionToOtherLogits) {
  differ(attention([](Kernel &k, ValueId q, ValueId keys) {
           return k.matmul(q, keys);
         }),
         attention([](Kernel &k, ValueId q, ValueId keys) {
           return k.mul(sum(k, q), k.slice(keys, {0, 0}, {1, 4}));
         }),
         "field");
}

TEST(VectorTest, V11To13Products) {
  auto square = [](std::function<ValueId(Kernel &, ValueId, ValueId)> fn) {
    return binary({3, 3}, {3, 3}, std::move(fn));
  };
  Build ab =
      square([](Kernel &k, ValueId a, ValueId b) { return k.matmul(a, b); });
  differ(ab,
         square([](Kernel &k, ValueId a, ValueId b) { return k.matmul(b, a); }),
         "field");
  auto sums = [](int64_t dim) {
    return [=](Kernel &k) {
      ValueId x = k.input({3, 3});
      return k.done({k.shaped(OpKind::Reshape, {sum(k, x, dim)}, {3})});
    };
  };
  differ(sums(1), sums(0), "field");
  differ(ab, square([](Kernel &k, ValueId a, ValueId b) {
           return k.matmul(a, k.transpose(b));
         }),
         "field");
  equivalent(square([](Kernel &k, ValueId a, ValueId b) {
               return k.transpose(k.matmul(a, b));
             }),
             square([](Kernel &k, ValueId a, ValueId b) {
               return k.matmul(k.transpose(b), k.transpose(a));
             }));
  equivalent(ab, square([](Kernel &k, ValueId a, ValueId b) {
               Attrs attrs;
               attrs.transposeRhs = true;
               return k.op(OpKind::Matmul, {a, k.transpose(b)}, attrs);
             }));
}

TEST(VectorTest, V15AttentionScale) {
  auto scaled = [](double scale) {
    return attention([=](Kernel &k, ValueId q, ValueId keys) {
      return k.mul(k.matmul(q, keys), k.literal(scale));
    });
  };
  differ(scaled(0.125), scaled(1), "field");
}

TEST(VectorTest, V16RsqrtAndDivision) {
  equivalent(pairwise([](Kernel &k, ValueId x, ValueId s) {
               return k.mul(x, k.op(OpKind::Rsqrt, {s}));
             }),
             pairwise([](Kernel &k, ValueId x, ValueId s) {
               return k.div(x, k.op(OpKind::Sqrt, {s}));
             }));
}

TEST(VectorTest, V17Roots) {
  auto root = [](Kernel &k, ValueId x) { return k.op(OpKind::Sqrt, {x}); };
  equivalent(pairwise([=](Kernel &k, ValueId x, ValueId s) {
               return k.op(OpKind::Square, {k.div(x, root(k, s))});
             }),
             pairwise([](Kernel &k, ValueId x, ValueId s) {
               return k.div(k.mul(x, x), s);
             }));
  auto rms = [](double scale) {
    return unary([=](Kernel &k, ValueId x) {
      return k.rmsNorm(k.mul(x, k.literal(scale)), 0);
    });
  };
  statistical(rms(8), rms(1));
  equivalent(pairwise([=](Kernel &k, ValueId a, ValueId b) {
               return k.mul(root(k, a), root(k, b));
             }),
             pairwise([=](Kernel &k, ValueId a, ValueId b) {
               return root(k, k.mul(a, b));
             }));
  // The product hides in a sum: no law splits it.
  statistical(pairwise([=](Kernel &k, ValueId a, ValueId b) {
                return root(k, k.add(k.mul(a, b), k.mul(a, k.literal(3))));
              }),
              pairwise([=](Kernel &k, ValueId a, ValueId b) {
                return k.mul(root(k, a), root(k, k.add(b, k.literal(3))));
              }));
  differ(rms(-8), rms(1), "real");
  Build rootOfSquare =
      unary([=](Kernel &k, ValueId x) { return root(k, k.mul(x, x)); });
  differ(rootOfSquare, unary([](Kernel &k, ValueId x) { return x; }), "real");
  equivalent(rootOfSquare, unary([](Kernel &k, ValueId x) {
               return k.op(OpKind::Abs, {x});
             }));
}

TEST(VectorTest, V18OrderLaws) {
  statistical(pairwise([](Kernel &k, ValueId x, ValueId y) {
                ValueId c = k.literal(3);
                return k.max(k.add(x, c), k.add(y, c));
              }),
              pairwise([](Kernel &k, ValueId x, ValueId y) {
                return k.add(k.max(x, y), k.literal(3));
              }));
  statistical(
      pairwise([](Kernel &k, ValueId x, ValueId y) {
        return k.add(k.max(x, y), k.min(x, y));
      }),
      pairwise([](Kernel &k, ValueId x, ValueId y) { return k.add(x, y); }));
  differ(pairwise([](Kernel &k, ValueId x, ValueId y) { return k.max(x, y); }),
         pairwise([](Kernel &k, ValueId x, ValueId y) { return k.min(x, y); }),
         "real");
}

// Order beside other functions: the shadow decides, the field computes.
TEST(VectorTest, V18OrderOfFunctions) {
  statistical(pairwise([](Kernel &k, ValueId x, ValueId y) {
                return k.max(k.exp(x), k.exp(y));
              }),
              pairwise([](Kernel &k, ValueId x, ValueId y) {
                return k.exp(k.max(x, y));
              }));
  statistical(
      pairwise([](Kernel &k, ValueId x, ValueId y) {
        Attrs less;
        less.predicate = Predicate::Lt;
        return k.op(OpKind::Select,
                    {k.op(OpKind::Compare, {x, y}, less), y, x});
      }),
      pairwise([](Kernel &k, ValueId x, ValueId y) { return k.max(x, y); }));
  // A maximum of sums loses its terms in neither order.
  statistical(unary([](Kernel &k, ValueId x) {
                return rowMax(k, k.mul(x, k.literal(2)));
              }),
              unary([](Kernel &k, ValueId x) {
                return k.mul(rowMax(k, x), k.literal(2));
              }));
}

// A branch that no point can enter leaves the question open.
TEST(VectorTest, V18UncoveredBranch) {
  Build bounded = unary([](Kernel &k, ValueId x) {
    ValueId square = k.add(k.mul(x, x), k.literal(1));
    return k.op(OpKind::Relu, {k.mul(square, k.literal(2))});
  });
  cannotTell(bounded, unary([](Kernel &k, ValueId x) {
               ValueId square = k.add(k.mul(x, x), k.literal(1));
               return k.mul(k.op(OpKind::Relu, {square}), k.literal(2));
             }),
             "uncovered");
}

TEST(VectorTest, V19MaximumInParts) {
  auto build = [](std::function<ValueId(Kernel &, ValueId)> fn) {
    return [=](Kernel &k) {
      ValueId x = k.input({3, 8});
      return k.done({fn(k, x)});
    };
  };
  Build whole = build([](Kernel &k, ValueId x) { return rowMax(k, x); });
  equivalent(whole, build([](Kernel &k, ValueId x) {
               return k.max(rowMax(k, k.slice(x, {0, 4}, {3, 4})),
                            rowMax(k, k.slice(x, {0, 0}, {3, 4})));
             }));
  differ(whole, build([](Kernel &k, ValueId x) {
           return rowMax(k, k.slice(x, {0, 0}, {3, 7}));
         }),
         "real");
}

TEST(VectorTest, V20Variance) {
  auto mean = [](Kernel &k, ValueId x, int64_t n) {
    return k.mul(sum(k, x), inverseExtent(k, n));
  };
  auto centred = [=](int64_t n) {
    return unary([=](Kernel &k, ValueId x) {
      ValueId c = k.sub(x, mean(k, x, 4));
      return mean(k, k.mul(c, c), n);
    });
  };
  equivalent(centred(4), unary([=](Kernel &k, ValueId x) {
               ValueId mu = mean(k, x, 4);
               return k.sub(mean(k, k.mul(x, x), 4), k.mul(mu, mu));
             }));
  differ(centred(4), centred(3), "field");
}

TEST(VectorTest, V21Tanh) {
  Build twice = unary([](Kernel &k, ValueId x) {
    return k.op(OpKind::Tanh, {k.mul(x, k.literal(2))});
  });
  Build formula = unary([](Kernel &k, ValueId x) {
    ValueId t = k.op(OpKind::Tanh, {x});
    return k.div(k.mul(t, k.literal(2)), k.add(k.literal(1), k.mul(t, t)));
  });
  equivalent(twice, formula);
  Kernel a, b;
  VerifyResult result =
      llvm::cantFail(verify(twice(a), formula(b), fixedOptions()));
  EXPECT_EQ(result.certificate.getString("sigma"), "exp");
}

TEST(VectorTest, V22Gelu) {
  auto op = [](OpKind kind) {
    return unary([=](Kernel &k, ValueId x) { return k.op(kind, {x}); });
  };
  differ(op(OpKind::GeluTanh), op(OpKind::GeluErf), "real");
  equivalent(
      unary([](Kernel &k, ValueId x) { return k.op(OpKind::Erf, {k.neg(x)}); }),
      unary(
          [](Kernel &k, ValueId x) { return k.neg(k.op(OpKind::Erf, {x})); }));
}

TEST(VectorTest, V23LogSumExp) {
  auto log = [](Kernel &k, ValueId x) { return k.op(OpKind::Log, {x}); };
  cannotTell(
      unary([=](Kernel &k, ValueId x) { return log(k, sum(k, k.exp(x))); }),
      unary([=](Kernel &k, ValueId x) {
        ValueId m = rowMax(k, x);
        return k.add(log(k, sum(k, k.exp(k.sub(x, m)))), m);
      }),
      "log");
}

TEST(VectorTest, V24NestedSoftmax) {
  auto nested = [](bool shiftInner, bool shiftOuter) {
    return unary([=](Kernel &k, ValueId x) {
      auto softmax = [&](ValueId v, bool shift) {
        return normalised(k, k.exp(shift ? k.sub(v, rowMax(k, v)) : v));
      };
      return softmax(softmax(x, shiftInner), shiftOuter);
    });
  };
  cannotTell(nested(false, false), nested(false, true), "nested_exp");
  equivalent(nested(false, false), nested(true, false));
}

TEST(VectorTest, V25ConcatenatedProduct) {
  auto inputs = [](Kernel &k) {
    return std::array<ValueId, 4>{k.input({2, 4}), k.input({4, 3}),
                                  k.input({4, 2}), k.input({2, 3})};
  };
  Build lora = [=](Kernel &k) {
    auto [x, w, a, b] = inputs(k);
    return k.done({k.add(k.matmul(x, w), k.matmul(k.matmul(x, a), b))});
  };
  equivalent(lora, [=](Kernel &k) {
    auto [x, w, a, b] = inputs(k);
    Attrs columns, rows;
    columns.dims = {1};
    rows.dims = {0};
    ValueId left = k.op(OpKind::Concat, {x, k.matmul(x, a)}, columns);
    ValueId right = k.op(OpKind::Concat, {w, b}, rows);
    return k.done({k.matmul(left, right)});
  });
  auto splitK = [](int64_t kept) {
    return binary({2, 6}, {6, 3}, [=](Kernel &k, ValueId a, ValueId b) {
      ValueId first =
          k.matmul(k.slice(a, {0, 0}, {2, 3}), k.slice(b, {0, 0}, {3, 3}));
      ValueId last = k.matmul(k.slice(a, {0, 3}, {2, kept}),
                              k.slice(b, {3, 0}, {kept, 3}));
      return k.add(first, last);
    });
  };
  Build whole = binary({2, 6}, {6, 3}, [](Kernel &k, ValueId a, ValueId b) {
    return k.matmul(a, b);
  });
  equivalent(whole, splitK(3));
  differ(whole, splitK(2), "field");
}

TEST(VectorTest, V26ExponentialBase) {
  differ(
      unary([](Kernel &k, ValueId x) { return k.exp(k.add(x, k.literal(1))); }),
      unary([](Kernel &k, ValueId x) { return k.mul(k.exp(x), k.literal(3)); }),
      "field");
}

TEST(VectorTest, V27RoundedConstant) {
  Build product =
      unary([](Kernel &k, ValueId x) { return k.mul(x, k.literal(0.1f)); });
  Build quotient =
      unary([](Kernel &k, ValueId x) { return k.div(x, k.literal(10)); });
  differ(product, quotient, "field");
  EXPECT_NE(
      compare(product, quotient)
          .reason.find("; the literal 0.10000000149011612 is 1/10 rounded"),
      std::string::npos)
      << compare(product, quotient).reason;
}

// 1/3 of a row of 3 is the extent's inverse, in whichever type it is written;
// of a row of 4 it is a number like any other.
TEST(VectorTest, V27RecognisedConstants) {
  auto mean = [](int64_t n, std::optional<double> literal) {
    return [=](Kernel &k) {
      ValueId x = k.input({2, n});
      ValueId total = sum(k, x);
      return k.done({literal ? k.mul(total, k.literal(*literal))
                             : k.div(total, k.literal(3))});
    };
  };
  equivalent(mean(3, 1.0f / 3), mean(3, std::nullopt));
  differ(mean(4, 1.0f / 3), mean(4, std::nullopt), "field");
  // A neighbour of the rounding is no rounding.
  differ(mean(3, std::nextafter(1.0f / 3, 1.0f)), mean(3, std::nullopt),
         "field");
  auto power = [](double factor, bool divides) {
    return unary([=](Kernel &k, ValueId x) {
      ValueId c = k.literal(factor);
      return k.exp(divides ? k.div(x, c) : k.mul(x, c));
    });
  };
  constexpr float kLn2 = 0.69314718f, kLog2E = 1.44269504f;
  equivalent(power(kLn2, false), power(kLog2E, true));
  differ(power(kLn2, false), power(kLog2E, false), "field");
  VerifyResult result = compare(power(kLn2, false), power(kLog2E, true));
  const llvm::json::Array &constants =
      *result.certificate.getArray("constants");
  ASSERT_EQ(constants.size(), 2u);
  EXPECT_TRUE(constants[0].getAsString()->ends_with(" is ln 2"));
  EXPECT_TRUE(constants[1].getAsString()->ends_with(" is log2 e"));
}

TEST(VectorTest, V28DivisionByNothing) {
  Build zero = pairwise(
      [](Kernel &k, ValueId x, ValueId y) { return k.div(x, k.sub(y, y)); });
  cannotTell(zero, zero, "reference: div: division by zero");
}
} // namespace
