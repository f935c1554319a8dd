//===- RightOps.cpp - Elementwise laws ------------------------------------===//

#include "Right.h"
#include "llvm/ADT/STLExtras.h"

using namespace mirage::semantics;
using namespace mirage::verify::mutation;

namespace {
/// One op of a program with the ops that define its operands, where those are
/// elementwise and so can be read again.
class Rules {
public:
  Rules(Editor &editor, unsigned place, const Op &op)
      : editor(editor), place(place), op(op) {
    for (ValueId id : op.operands)
      inner.push_back(find(editor.source.ops, id));
  }

  void run() {
    binaryLaws();
    nestedLaws();
    expLaws();
    unaryLaws();
    orderLaws();
    neutralLaws();
  }

private:
  static const Op *find(const std::vector<Op> &ops, ValueId id) {
    for (const Op &op : ops) {
      if (llvm::is_contained(op.results, id))
        return &op;
      if (const Op *found = find(op.body, id))
        return found;
    }
    return nullptr;
  }

  bool is(unsigned i, OpKind kind) const {
    return i < inner.size() && inner[i] && inner[i]->kind == kind;
  }
  ValueId arg(unsigned i) const { return op.operands[i]; }
  ValueId arg(unsigned i, unsigned j) const { return inner[i]->operands[j]; }

  using Build = llvm::function_ref<void(Inserter &)>;
  void offer(llvm::StringRef kind, llvm::StringRef what, Build build) {
    editor.offerAt(place, kind, what, [&](Program &p, Site &s) {
      Inserter in(p, s);
      build(in);
      return true;
    });
  }

  void binaryLaws() {
    switch (op.kind) {
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::Max:
    case OpKind::Min:
      offer("A_eq: commute", mnemonic(op.kind),
            [&](Inserter &in) { in.become(op.kind, {arg(1), arg(0)}); });
      break;
    case OpKind::Sub:
      offer("L1: to primitives", "a - b = a + (-b)", [&](Inserter &in) {
        ValueId n = in.op(OpKind::Neg, {arg(1)});
        in.become(OpKind::Add, {arg(0), n});
      });
      offer("A_eq: commute", "a - b = -(b - a)", [&](Inserter &in) {
        ValueId d = in.op(OpKind::Sub, {arg(1), arg(0)});
        in.become(OpKind::Neg, {d});
      });
      break;
    case OpKind::Div:
      offer("L1: to primitives", "a / b = a * (1 / b)", [&](Inserter &in) {
        ValueId r = in.op(OpKind::Reciprocal, {arg(1)});
        in.become(OpKind::Mul, {arg(0), r});
      });
      offer("A_eq: division", "a / b = 1 / (b / a)", [&](Inserter &in) {
        ValueId d = in.op(OpKind::Div, {arg(1), arg(0)});
        in.become(OpKind::Reciprocal, {d});
      });
      break;
    default:
      break;
    }
    if (op.kind == OpKind::Mul && arg(0) == arg(1))
      offer("L1: to primitives", "x * x = square x",
            [&](Inserter &in) { in.become(OpKind::Square, {arg(0)}); });
  }

  /// A nested operand may be read by others too, so it stays.
  void nestedLaws() {
    using K = OpKind;
    for (unsigned i : {0u, 1u}) {
      unsigned j = 1 - i;
      if (i >= inner.size() || op.operands.size() != 2)
        break;
      for (OpKind kind : {K::Add, K::Mul, K::Max, K::Min})
        if (op.kind == kind && is(i, kind))
          offer("A_eq: associate", mnemonic(kind), [&](Inserter &in) {
            ValueId rest = in.op(kind, {arg(i, 1), arg(j)});
            in.become(kind, {arg(i, 0), rest});
          });
      if (op.kind == K::Mul && (is(i, K::Add) || is(i, K::Sub)))
        offer("A_eq: distribute", "(a + b) c = ac + bc", [&](Inserter &in) {
          ValueId x = in.op(K::Mul, {arg(i, 0), arg(j)});
          ValueId y = in.op(K::Mul, {arg(i, 1), arg(j)});
          in.become(inner[i]->kind, {x, y});
        });
      if (op.kind == K::Mul && is(i, K::Div))
        offer("A_eq: division", "(a / b) c = ac / b", [&](Inserter &in) {
          ValueId x = in.op(K::Mul, {arg(i, 0), arg(j)});
          in.become(K::Div, {x, arg(i, 1)});
        });
    }
    if (op.kind == K::Div) {
      if (is(0, K::Mul))
        offer("A_eq: division", "ab / c = a (b / c)", [&](Inserter &in) {
          ValueId x = in.op(K::Div, {arg(0, 1), arg(1)});
          in.become(K::Mul, {arg(0, 0), x});
        });
      if (is(0, K::Add) || is(0, K::Sub))
        offer("A_eq: distribute", "(a + b) / c = a/c + b/c", [&](Inserter &in) {
          ValueId x = in.op(K::Div, {arg(0, 0), arg(1)});
          ValueId y = in.op(K::Div, {arg(0, 1), arg(1)});
          in.become(inner[0]->kind, {x, y});
        });
      if (is(0, K::Div))
        offer("A_eq: division", "(a / b) / c = a / (bc)", [&](Inserter &in) {
          ValueId x = in.op(K::Mul, {arg(0, 1), arg(1)});
          in.become(K::Div, {arg(0, 0), x});
        });
      if (is(1, K::Mul))
        offer("A_eq: division", "a / (bc) = (a / b) / c", [&](Inserter &in) {
          ValueId x = in.op(K::Div, {arg(0), arg(1, 0)});
          in.become(K::Div, {x, arg(1, 1)});
        });
      if (is(1, K::Div))
        offer("A_eq: division", "a / (b / c) = ac / b", [&](Inserter &in) {
          ValueId x = in.op(K::Mul, {arg(0), arg(1, 1)});
          in.become(K::Div, {x, arg(1, 0)});
        });
    }
    if ((op.kind == K::Add || op.kind == K::Sub) && is(0, K::Mul) &&
        is(1, K::Mul))
      for (unsigned i : {0u, 1u})
        for (unsigned j : {0u, 1u})
          if (arg(0, i) == arg(1, j))
            offer("A_eq: distribute", "ac + bc = (a + b) c", [&](Inserter &in) {
              ValueId x = in.op(op.kind, {arg(0, 1 - i), arg(1, 1 - j)});
              in.become(K::Mul, {x, arg(0, i)});
            });
    if (op.kind == K::Square && (is(0, K::Mul) || is(0, K::Div)))
      offer("A_eq: distribute", "(a b)^2 = a^2 b^2", [&](Inserter &in) {
        ValueId x = in.op(K::Square, {arg(0, 0)});
        ValueId y = in.op(K::Square, {arg(0, 1)});
        in.become(inner[0]->kind, {x, y});
      });
    if (op.kind == K::Square && (is(0, K::Add) || is(0, K::Sub)))
      offer("A_eq: distribute", "(a + b)^2 expanded", [&](Inserter &in) {
        ValueId aa = in.op(K::Square, {arg(0, 0)});
        ValueId bb = in.op(K::Square, {arg(0, 1)});
        ValueId ab = in.op(K::Mul, {arg(0, 0), arg(0, 1)});
        ValueId two = in.op(K::Add, {ab, ab});
        ValueId squares = in.op(K::Add, {aa, bb});
        in.become(inner[0]->kind, {squares, two});
      });
  }

  void expLaws() {
    using K = OpKind;
    if (op.kind == K::Exp) {
      if (is(0, K::Add) || is(0, K::Sub))
        offer("A_eq: exp", "exp(a + b) = exp a exp b", [&](Inserter &in) {
          ValueId x = in.op(K::Exp, {arg(0, 0)});
          ValueId y = in.op(K::Exp, {arg(0, 1)});
          in.become(inner[0]->kind == K::Add ? K::Mul : K::Div, {x, y});
        });
      offer("A_eq: exp", "exp x = 1 / exp(-x)", [&](Inserter &in) {
        ValueId n = in.op(K::Neg, {arg(0)});
        ValueId e = in.op(K::Exp, {n});
        in.become(K::Reciprocal, {e});
      });
      offer("A_eq: exp", "exp x = exp(x / 2)^2", [&](Inserter &in) {
        ValueId h = in.op(K::Mul, {arg(0), in.literal(0.5, arg(0))});
        ValueId e = in.op(K::Exp, {h});
        in.become(K::Square, {e});
      });
    }
    if ((op.kind == K::Mul || op.kind == K::Div) && is(0, K::Exp) &&
        is(1, K::Exp))
      offer("A_eq: exp", "exp a exp b = exp(a + b)", [&](Inserter &in) {
        ValueId x =
            in.op(op.kind == K::Mul ? K::Add : K::Sub, {arg(0, 0), arg(1, 0)});
        in.become(K::Exp, {x});
      });
  }

  void unaryLaws() {
    using K = OpKind;
    auto one = [&](Inserter &in) { return in.literal(1, arg(0)); };
    switch (op.kind) {
    case K::Square:
      offer("L1: to primitives", "square x = x * x",
            [&](Inserter &in) { in.become(K::Mul, {arg(0), arg(0)}); });
      break;
    case K::Neg:
      offer("L1: to primitives", "-x = x * -1", [&](Inserter &in) {
        ValueId c = in.literal(-1, arg(0));
        in.become(K::Mul, {arg(0), c});
      });
      break;
    case K::Reciprocal:
      offer("L1: to primitives", "1 / x", [&](Inserter &in) {
        ValueId c = one(in);
        in.become(K::Div, {c, arg(0)});
      });
      break;
    case K::Rsqrt:
      offer("L1: to primitives", "rsqrt x = 1 / sqrt x", [&](Inserter &in) {
        ValueId r = in.op(K::Sqrt, {arg(0)});
        in.become(K::Reciprocal, {r});
      });
      offer("L1: to primitives", "rsqrt x = sqrt(1 / x)", [&](Inserter &in) {
        ValueId r = in.op(K::Reciprocal, {arg(0)});
        in.become(K::Sqrt, {r});
      });
      offer("L2: roots", "rsqrt x = sqrt x / x", [&](Inserter &in) {
        ValueId r = in.op(K::Sqrt, {arg(0)});
        in.become(K::Div, {r, arg(0)});
      });
      break;
    case K::Sqrt:
      offer("L2: roots", "sqrt x = x rsqrt x", [&](Inserter &in) {
        ValueId r = in.op(K::Rsqrt, {arg(0)});
        in.become(K::Mul, {arg(0), r});
      });
      for (double c : {2.0, 3.0, 0.75})
        offer("L2: roots", "sqrt(c c x) = c sqrt x", [&](Inserter &in) {
          ValueId x = in.op(K::Mul, {arg(0), in.literal(c * c, arg(0))});
          ValueId r = in.op(K::Sqrt, {x});
          in.become(K::Div, {r, in.literal(c, arg(0))});
        });
      break;
    case K::Silu:
      offer("L3: named functions", "silu x = x sigmoid x", [&](Inserter &in) {
        ValueId s = in.op(K::Sigmoid, {arg(0)});
        in.become(K::Mul, {arg(0), s});
      });
      offer("L4: sigmoid", "silu x = x / (1 + exp(-x))", [&](Inserter &in) {
        ValueId e = in.op(K::Exp, {in.op(K::Neg, {arg(0)})});
        ValueId d = in.op(K::Add, {one(in), e});
        in.become(K::Div, {arg(0), d});
      });
      offer("L4: sigmoid", "silu x = x + silu(-x)", [&](Inserter &in) {
        ValueId s = in.op(K::Silu, {in.op(K::Neg, {arg(0)})});
        in.become(K::Add, {arg(0), s});
      });
      break;
    case K::Sigmoid:
      offer("L4: sigmoid", "sigmoid x = 1 - sigmoid(-x)", [&](Inserter &in) {
        ValueId s = in.op(K::Sigmoid, {in.op(K::Neg, {arg(0)})});
        ValueId c = one(in);
        in.become(K::Sub, {c, s});
      });
      offer("L4: sigmoid", "sigmoid x = exp x / (1 + exp x)",
            [&](Inserter &in) {
              ValueId e = in.op(K::Exp, {arg(0)});
              ValueId d = in.op(K::Add, {e, one(in)});
              in.become(K::Div, {e, d});
            });
      offer("L3: named functions", "sigmoid x = (1 + tanh(x/2)) / 2",
            [&](Inserter &in) {
              ValueId half = in.literal(0.5, arg(0));
              ValueId t = in.op(K::Tanh, {in.op(K::Mul, {arg(0), half})});
              ValueId sum = in.op(K::Add, {t, one(in)});
              in.become(K::Mul, {sum, half});
            });
      break;
    case K::Tanh:
      offer("L3: named functions", "tanh(-x) = -tanh x", [&](Inserter &in) {
        ValueId t = in.op(K::Tanh, {in.op(K::Neg, {arg(0)})});
        in.become(K::Neg, {t});
      });
      break;
    case K::GeluErf:
      offer("L3: named functions", "gelu x = x + gelu(-x)", [&](Inserter &in) {
        ValueId g = in.op(K::GeluErf, {in.op(K::Neg, {arg(0)})});
        in.become(K::Add, {arg(0), g});
      });
      break;
    case K::GeluTanh:
      offer("L3: named functions", "gelu x = x + gelu(-x)", [&](Inserter &in) {
        ValueId g = in.op(K::GeluTanh, {in.op(K::Neg, {arg(0)})});
        in.become(K::Add, {arg(0), g});
      });
      break;
    case K::Erf:
      offer("L3: named functions", "erf(-x) = -erf x", [&](Inserter &in) {
        ValueId t = in.op(K::Erf, {in.op(K::Neg, {arg(0)})});
        in.become(K::Neg, {t});
      });
      break;
    case K::Log:
      offer("L7: logarithms", "log x = -log(1 / x)", [&](Inserter &in) {
        ValueId l = in.op(K::Log, {in.op(K::Reciprocal, {arg(0)})});
        in.become(K::Neg, {l});
      });
      offer("L7: logarithms", "log x = log(2x) - log 2", [&](Inserter &in) {
        ValueId two = in.literal(2, arg(0));
        ValueId x = in.op(K::Log, {in.op(K::Mul, {arg(0), two})});
        ValueId l = in.op(K::Log, {two});
        in.become(K::Sub, {x, l});
      });
      offer("L7: logarithms", "log x = log(x / 12) + log 4 + log 3",
            [&](Inserter &in) {
              ValueId d = in.op(K::Div, {arg(0), in.literal(12, arg(0))});
              ValueId x = in.op(K::Log, {d});
              ValueId four = in.op(K::Log, {in.literal(4, arg(0))});
              ValueId three = in.op(K::Log, {in.literal(3, arg(0))});
              in.become(K::Add, {in.op(K::Add, {x, four}), three});
            });
      break;
    default:
      break;
    }
  }

  void orderLaws() {
    using K = OpKind;
    switch (op.kind) {
    case K::Relu:
      offer("L6: order", "relu x = max(x, 0)", [&](Inserter &in) {
        ValueId zero = in.literal(0, arg(0));
        in.become(K::Max, {arg(0), zero});
      });
      offer("L6: order", "relu x = (x + |x|) / 2", [&](Inserter &in) {
        ValueId a = in.op(K::Abs, {arg(0)});
        ValueId half = in.literal(0.5, arg(0));
        ValueId sum = in.op(K::Add, {arg(0), a});
        in.become(K::Mul, {sum, half});
      });
      offer("order by shadow", "relu 2x = 2 relu x", [&](Inserter &in) {
        ValueId two = in.literal(2, arg(0)), half = in.literal(0.5, arg(0));
        ValueId r = in.op(K::Relu, {in.op(K::Mul, {arg(0), two})});
        in.become(K::Mul, {r, half});
      });
      break;
    case K::Abs:
      offer("L6: order", "|x| = max(x, -x)", [&](Inserter &in) {
        ValueId n = in.op(K::Neg, {arg(0)});
        in.become(K::Max, {arg(0), n});
      });
      break;
    case K::Clamp:
      for (bool high : {false, true})
        offer("L6: order", "clamp of max and min", [&](Inserter &in) {
          ValueId lo = in.literal(op.attrs.lo, arg(0));
          ValueId hi = in.literal(op.attrs.hi, arg(0));
          ValueId x = in.op(high ? K::Min : K::Max, {arg(0), high ? hi : lo});
          in.become(high ? K::Max : K::Min, {x, high ? lo : hi});
        });
      break;
    case K::Max:
    case K::Min:
      offer("L6: order", "max(a, b) = -min(-a, -b)", [&](Inserter &in) {
        ValueId a = in.op(K::Neg, {arg(0)}), b = in.op(K::Neg, {arg(1)});
        ValueId m = in.op(op.kind == K::Max ? K::Min : K::Max, {a, b});
        in.become(K::Neg, {m});
      });
      offer("order by shadow", "max(a, b) = max(a - b, 0) + b",
            [&](Inserter &in) {
              ValueId d = in.op(K::Sub, {arg(0), arg(1)});
              ValueId m = in.op(op.kind, {d, in.literal(0, arg(0))});
              in.become(K::Add, {m, arg(1)});
            });
      break;
    default:
      break;
    }
  }

  /// Detours that end where they began, on the first operand.
  void neutralLaws() {
    using K = OpKind;
    if (opClass(op.kind) != OpClass::Unary &&
        opClass(op.kind) != OpClass::Binary && op.kind != K::Matmul)
      return;
    auto detour = [&](llvm::StringRef what,
                      llvm::function_ref<ValueId(Inserter &, ValueId)> build) {
      offer("neutral detour", what, [&](Inserter &in) {
        ValueId x = build(in, arg(0));
        in.target().operands[0] = x;
      });
    };
    detour("3 x / 3", [](Inserter &in, ValueId x) {
      ValueId three = in.literal(3, x);
      return in.op(K::Div, {in.op(K::Mul, {x, three}), three});
    });
    detour("x + 1 - 1", [](Inserter &in, ValueId x) {
      ValueId one = in.literal(1, x);
      return in.op(K::Sub, {in.op(K::Add, {x, one}), one});
    });
    detour("--x", [](Inserter &in, ValueId x) {
      return in.op(K::Neg, {in.op(K::Neg, {x})});
    });
    detour("x^T^T", [](Inserter &in, ValueId x) {
      return in.transpose(in.transpose(x));
    });
  }

  Editor &editor;
  unsigned place;
  const Op &op;
  llvm::SmallVector<const Op *, 3> inner;
};
} // namespace

void mirage::verify::mutation::rewriteOps(Editor &editor, unsigned place,
                                          const Op &op) {
  Rules(editor, place, op).run();
}
