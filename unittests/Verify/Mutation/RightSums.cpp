//===- RightSums.cpp - Laws of sums, products, norms and tiles ------------===//

#include "Right.h"
#include "llvm/ADT/STLExtras.h"

using namespace mirage::semantics;
using namespace mirage::verify::mutation;

namespace {
const Op *definition(const std::vector<Op> &ops, ValueId id) {
  for (const Op &op : ops) {
    if (llvm::is_contained(op.results, id))
      return &op;
    if (const Op *inner = definition(op.body, id))
      return inner;
  }
  return nullptr;
}

/// A slice of a tile covers it only while the tile keeps its size.
bool slicesTiles(const std::vector<Op> &ops, bool inBlock) {
  return llvm::any_of(ops, [&](const Op &op) {
    return (inBlock && op.kind == OpKind::Slice) ||
           slicesTiles(op.body, /*inBlock=*/true);
  });
}

class Rules {
public:
  Rules(Editor &editor, unsigned place, const Op &op)
      : editor(editor), place(place), op(op), source(editor.source) {}

  void run() {
    if (op.kind == OpKind::Matmul) {
      products();
      factors(0);
      factors(1);
    }
    if (op.kind == OpKind::Reduce)
      reductions();
    if (op.kind == OpKind::Softmax)
      softmax();
    if (op.kind == OpKind::RmsNorm || op.kind == OpKind::LayerNorm)
      norms();
    if (op.kind == OpKind::Loop || op.kind == OpKind::Graph)
      tiles();
  }

private:
  using Build = llvm::function_ref<void(Inserter &)>;
  void offer(llvm::StringRef kind, llvm::StringRef what, Build build) {
    editor.offerAt(place, kind, what, [&](Program &p, Site &s) {
      Inserter in(p, s);
      build(in);
      return true;
    });
  }
  ValueId arg(unsigned i) const { return op.operands[i]; }
  const Shape &shape(ValueId id) const { return source.type(id).shape; }

  void products() {
    size_t rank = shape(arg(0)).size();
    bool t = op.attrs.transposeRhs;
    int64_t terms = shape(arg(0))[rank - 1];
    size_t rhsDim = t ? rank - 1 : rank - 2;
    for (int64_t cut : {int64_t(1), terms / 2}) {
      if (cut < 1 || cut >= terms)
        continue;
      offer("split-K", "two products", [&](Inserter &in) {
        ValueId parts[2];
        for (int i : {0, 1}) {
          int64_t first = i ? cut : 0, size = i ? terms - cut : cut;
          ValueId a = in.slice(arg(0), rank - 1, first, size);
          ValueId b = in.slice(arg(1), rhsDim, first, size);
          parts[i] = in.op(OpKind::Matmul, {a, b}, op.attrs);
        }
        in.become(OpKind::Add, {parts[0], parts[1]});
      });
      offer("concat-matmul", "rotated along K", [&](Inserter &in) {
        ValueId sides[2];
        for (int i : {0, 1}) {
          size_t dim = i ? rhsDim : rank - 1;
          ValueId head = in.slice(arg(i), dim, 0, cut);
          ValueId tail = in.slice(arg(i), dim, cut, terms - cut);
          sides[i] = in.concat({tail, head}, dim);
        }
        in.become(OpKind::Matmul, {sides[0], sides[1]}, op.attrs);
      });
    }
    int64_t columns = shape(op.results[0])[rank - 1];
    size_t columnDim = t ? rank - 2 : rank - 1;
    if (columns > 1)
      offer("re-tiling", "columns apart", [&](Inserter &in) {
        ValueId parts[2];
        for (int i : {0, 1}) {
          ValueId b = in.slice(arg(1), columnDim, i, i ? columns - 1 : 1);
          parts[i] = in.op(OpKind::Matmul, {arg(0), b}, op.attrs);
        }
        Attrs attrs;
        attrs.dims = {static_cast<int64_t>(rank) - 1};
        in.become(OpKind::Concat, {parts[0], parts[1]}, attrs);
      });
    offer("transposition", "A B = (B^T A^T)^T", [&](Inserter &in) {
      ValueId a = in.transpose(arg(0)), b = t ? arg(1) : in.transpose(arg(1));
      ValueId p = in.op(OpKind::Matmul, {b, a});
      Attrs attrs;
      for (size_t d = 0; d < rank; ++d)
        attrs.dims.push_back(d);
      std::swap(attrs.dims[rank - 1], attrs.dims[rank - 2]);
      in.become(OpKind::Transpose, {p}, attrs);
    });
    offer("transposition", "flip transpose_rhs", [&](Inserter &in) {
      ValueId b = in.transpose(arg(1));
      Attrs attrs;
      attrs.transposeRhs = !t;
      in.become(OpKind::Matmul, {arg(0), b}, attrs);
    });
    for (unsigned i : {0u, 1u}) {
      const Op *inner = definition(source.ops, arg(i));
      if (!inner || inner->operands.size() != 2)
        continue;
      auto with = [&](ValueId x) {
        return i == 0 ? llvm::SmallVector<ValueId, 2>{x, arg(1)}
                      : llvm::SmallVector<ValueId, 2>{arg(0), x};
      };
      bool sum = inner->kind == OpKind::Add || inner->kind == OpKind::Sub;
      if (sum && shape(inner->operands[0]) == shape(arg(i)) &&
          shape(inner->operands[1]) == shape(arg(i)))
        offer("A_eq: distribute", "(A + B) C = A C + B C", [&](Inserter &in) {
          ValueId x = in.op(OpKind::Matmul, with(inner->operands[0]), op.attrs);
          ValueId y = in.op(OpKind::Matmul, with(inner->operands[1]), op.attrs);
          in.become(inner->kind, {x, y});
        });
      if (i == 0 && inner->kind == OpKind::Matmul && !inner->attrs.transposeRhs)
        offer("A_eq: associate", "(A B) C = A (B C)", [&](Inserter &in) {
          ValueId x =
              in.op(OpKind::Matmul, {inner->operands[1], arg(1)}, op.attrs);
          in.become(OpKind::Matmul, {inner->operands[0], x});
        });
    }
  }

  /// Row factors of the left operand, or column factors of the right one, move
  /// behind the product.
  void factors(unsigned side) {
    const Op *inner = definition(source.ops, arg(side));
    if (!inner || inner->operands.size() != 2 ||
        (inner->kind != OpKind::Mul && inner->kind != OpKind::Div))
      return;
    size_t rank = shape(arg(0)).size();
    size_t summed = side == 0 || op.attrs.transposeRhs ? rank - 1 : rank - 2;
    for (unsigned f : {0u, 1u}) {
      if (inner->kind == OpKind::Div && f == 0)
        continue;
      ValueId factor = inner->operands[f], rest = inner->operands[1 - f];
      if (shape(factor)[summed] != 1 || shape(rest) != shape(arg(side)))
        continue;
      offer("row factor across a product", mnemonic(inner->kind),
            [&](Inserter &in) {
              llvm::SmallVector<ValueId, 2> operands{arg(0), arg(1)};
              operands[side] = rest;
              ValueId p = in.op(OpKind::Matmul, operands, op.attrs);
              ValueId late = factor;
              if (side == 1 && op.attrs.transposeRhs)
                late = in.transpose(late);
              in.become(inner->kind, {p, late});
            });
    }
  }

  void reductions() {
    const llvm::SmallVector<int64_t, 4> dims = op.attrs.dims;
    int64_t dim = dims[0], size = shape(arg(0))[dim];
    if (op.attrs.reduce == ReduceKind::Mean) {
      int64_t count = 1;
      for (int64_t d : dims)
        count *= shape(arg(0))[d];
      offer("L1: to primitives", "mean = sum * 1/n", [&](Inserter &in) {
        ValueId s = in.reduce(ReduceKind::Sum, arg(0), dims);
        ValueId n = in.constant(
            ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, count),
            s);
        in.become(OpKind::Mul, {s, n});
      });
      return;
    }
    bool max = op.attrs.reduce == ReduceKind::Max;
    for (int64_t cut : {int64_t(1), size / 2})
      if (cut >= 1 && cut < size)
        offer("split-K", max ? "max of two" : "sum of two", [&](Inserter &in) {
          ValueId a = in.slice(arg(0), dim, 0, cut);
          ValueId b = in.slice(arg(0), dim, cut, size - cut);
          a = in.reduce(op.attrs.reduce, a, dims);
          b = in.reduce(op.attrs.reduce, b, dims);
          in.become(max ? OpKind::Max : OpKind::Add, {a, b});
        });
    if (max)
      return;
    const Op *inner = definition(source.ops, arg(0));
    if (!inner || inner->operands.size() != 2)
      return;
    ValueId x = inner->operands[0], y = inner->operands[1];
    bool whole = shape(x) == shape(arg(0));
    if ((inner->kind == OpKind::Add || inner->kind == OpKind::Sub) && whole &&
        shape(y) == shape(arg(0)))
      offer("A_eq: distribute", "sum(a + b) = sum a + sum b",
            [&](Inserter &in) {
              ValueId a = in.reduce(ReduceKind::Sum, x, dims);
              ValueId b = in.reduce(ReduceKind::Sum, y, dims);
              in.become(inner->kind, {a, b});
            });
    bool constant =
        llvm::all_of(dims, [&](int64_t d) { return shape(y)[d] == 1; });
    if ((inner->kind == OpKind::Mul || inner->kind == OpKind::Div) && whole &&
        constant)
      offer("A_eq: distribute", "sum(a c) = sum(a) c", [&](Inserter &in) {
        ValueId a = in.reduce(ReduceKind::Sum, x, dims);
        in.become(inner->kind, {a, y});
      });
  }

  void softmax() {
    int64_t dim = op.attrs.dims[0];
    auto written = [&](llvm::StringRef what,
                       llvm::function_ref<ValueId(Inserter &)> argument) {
      offer("L1: to primitives", what, [&](Inserter &in) {
        ValueId e = in.op(OpKind::Exp, {argument(in)});
        ValueId s = in.reduce(ReduceKind::Sum, e, {dim});
        in.become(OpKind::Div, {e, s});
      });
    };
    written("softmax without a shift", [&](Inserter &) { return arg(0); });
    written("softmax less the maximum", [&](Inserter &in) {
      ValueId m = in.reduce(ReduceKind::Max, arg(0), {dim});
      return in.op(OpKind::Sub, {arg(0), m});
    });
    written("softmax less the mean", [&](Inserter &in) {
      ValueId m = in.reduce(ReduceKind::Mean, arg(0), {dim});
      return in.op(OpKind::Sub, {arg(0), m});
    });
    offer("A_eq: exp", "softmax(x + c) = softmax x", [&](Inserter &in) {
      ValueId x = in.op(OpKind::Add, {arg(0), in.literal(2, arg(0))});
      in.become(OpKind::Softmax, {x}, op.attrs);
    });
  }

  void norms() {
    int64_t last = shape(arg(0)).size() - 1, n = shape(arg(0))[last];
    for (bool late : {false, true})
      offer("L1: to primitives", late ? "norm, one division" : "norm",
            [&](Inserter &in) {
              ValueId x = arg(0);
              if (op.kind == OpKind::LayerNorm) {
                ValueId m = in.reduce(ReduceKind::Mean, x, {last});
                x = in.op(OpKind::Sub, {x, m});
              }
              ValueId s = in.reduce(ReduceKind::Sum, in.op(OpKind::Square, {x}),
                                    {last});
              auto inverse =
                  ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, n);
              ValueId v = in.op(OpKind::Mul, {s, in.constant(inverse, s)});
              if (op.attrs.epsilon != 0)
                v = in.op(OpKind::Add, {v, in.literal(op.attrs.epsilon, v)});
              llvm::SmallVector<std::pair<OpKind, ValueId>, 3> steps;
              if (late)
                steps.push_back({OpKind::Div, in.op(OpKind::Sqrt, {v})});
              else
                steps.push_back({OpKind::Mul, in.op(OpKind::Rsqrt, {v})});
              unsigned next = 1;
              if (op.attrs.hasScale)
                steps.push_back({OpKind::Mul, arg(next++)});
              if (op.attrs.hasBias)
                steps.push_back({OpKind::Add, arg(next)});
              // A weight commutes with the row's factor, a bias does not.
              if (late && op.attrs.hasScale)
                std::swap(steps[0], steps[1]);
              auto end = steps.pop_back_val();
              for (auto [kind, operand] : steps)
                x = in.op(kind, {x, operand});
              in.become(end.first, {x, end.second});
            });
    if (op.kind == OpKind::LayerNorm)
      offer("variance as a difference", "E x^2 - (E x)^2", [&](Inserter &in) {
        ValueId m = in.reduce(ReduceKind::Mean, arg(0), {last});
        ValueId q = in.reduce(ReduceKind::Mean, in.op(OpKind::Square, {arg(0)}),
                              {last});
        ValueId v = in.op(OpKind::Sub, {q, in.op(OpKind::Square, {m})});
        v = in.op(OpKind::Add, {v, in.literal(op.attrs.epsilon, v)});
        ValueId x = in.op(OpKind::Sub, {arg(0), m});
        ValueId r = in.op(OpKind::Sqrt, {v});
        if (op.attrs.hasScale)
          x = in.op(OpKind::Mul, {x, arg(1)});
        if (!op.attrs.hasBias)
          return in.become(OpKind::Div, {x, r});
        ValueId d = in.op(OpKind::Div, {x, r});
        in.become(OpKind::Add, {d, arg(op.attrs.hasScale ? 2 : 1)});
      });
  }

  /// Other tiles of the same tensors: more or fewer iterations and blocks.
  void tiles() {
    if (slicesTiles(source.ops, /*inBlock=*/false))
      return;
    // What a single iteration adds may be no share of the tensors' work, so
    // that two would count it twice. A right program with two or more has none
    // of that.
    bool loop = op.kind == OpKind::Loop && op.attrs.range > 1;
    for (int64_t by : {2, 3}) {
      if (loop)
        for (int64_t range : {op.attrs.range * by, op.attrs.range / by})
          if (range > 0)
            offer("re-tiling", "range",
                  [&](Inserter &in) { in.target().attrs.range = range; });
      if (op.kind == OpKind::Graph)
        for (int g : {0, 1, 2})
          for (int64_t size : {op.attrs.grid[g] * by, op.attrs.grid[g] / by})
            if (size > 0)
              offer("re-tiling", "grid",
                    [&](Inserter &in) { in.target().attrs.grid[g] = size; });
    }
  }

  Editor &editor;
  unsigned place;
  const Op &op;
  const Program &source;
};

/// Every load inside one graph takes its tiles in the other order.
void interleaveAll(std::vector<Op> &ops) {
  for (Op &op : ops) {
    if (op.kind == OpKind::Load && op.attrs.fmap >= 0)
      op.attrs.interleaved ^= true;
    interleaveAll(op.body);
  }
}
} // namespace

void mirage::verify::mutation::rewriteSums(Editor &editor, unsigned place,
                                           const Op &op) {
  Rules(editor, place, op).run();
}

std::vector<Edited>
mirage::verify::mutation::rightEdits(const Program &program) {
  Editor editor(program);
  Program copy = program;
  Site site;
  for (unsigned place = 0; findSite(copy, place, site); ++place) {
    const Op op = site.op();
    rewriteOps(editor, place, op);
    rewriteSums(editor, place, op);
  }
  editor.offer("re-tiling", "interleave", [](Program &p) {
    interleaveAll(p.ops);
    return true;
  });
  return std::move(editor.edited);
}
