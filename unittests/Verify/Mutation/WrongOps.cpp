//===- WrongOps.cpp - Wrong operands, functions and constants -------------===//

#include "Wrong.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace mirage::semantics;
using namespace mirage::verify::mutation;

namespace {
bool isSquare(const TensorType &type) {
  int64_t rank = type.rank();
  return rank >= 2 && type.shape[rank - 1] > 1 &&
         type.shape[rank - 1] == type.shape[rank - 2];
}
/// A column or a row of a matrix.
bool isLine(const TensorType &type) {
  int64_t rank = type.rank();
  return rank >= 2 &&
         (type.shape[rank - 1] == 1) != (type.shape[rank - 2] == 1);
}

const Op *definition(const std::vector<Op> &ops, ValueId id) {
  for (const Op &op : ops) {
    if (llvm::is_contained(op.results, id))
      return &op;
    if (const Op *inner = definition(op.body, id))
      return inner;
  }
  return nullptr;
}

bool isConstant(const Program &program, ValueId id) {
  const Op *op = definition(program.ops, id);
  return op && op->kind == OpKind::Constant;
}

bool isElementwise(OpKind kind) {
  OpClass c = opClass(kind);
  return c == OpClass::Unary || c == OpClass::Binary || c == OpClass::Compare ||
         c == OpClass::Select;
}

void swapOperands(Editor &editor, unsigned place, const Op &op) {
  switch (op.kind) {
  case OpKind::Sub:
  case OpKind::Div:
  case OpKind::Pow:
  case OpKind::Compare:
  case OpKind::Matmul:
  case OpKind::Concat:
    editor.offerAt(place, "swap operands", "first two", [](Program &, Site &s) {
      std::swap(s.op().operands[0], s.op().operands[1]);
      return true;
    });
    break;
  case OpKind::Select:
    editor.offerAt(place, "swap operands", "branches", [](Program &, Site &s) {
      std::swap(s.op().operands[1], s.op().operands[2]);
      return true;
    });
    break;
  default:
    break;
  }
}

void transposeOperands(Editor &editor, unsigned place, const Op &op) {
  if (op.kind == OpKind::Graph || opClass(op.kind) == OpClass::Structure)
    return;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const TensorType &type = editor.source.type(op.operands[i]);
    bool square = isSquare(type), line = isElementwise(op.kind) && isLine(type);
    if (!square && !line)
      continue;
    editor.offerAt(place,
                   square ? "transpose a square operand"
                          : "broadcast row <-> column",
                   "operand " + std::to_string(i), [&](Program &p, Site &s) {
                     Inserter in(p, s);
                     ValueId t = in.transpose(op.operands[i]);
                     in.target().operands[i] = t;
                     return true;
                   });
  }
  if (op.kind == OpKind::Matmul)
    editor.offerAt(place, "transpose a square operand", "flip transpose_rhs",
                   [](Program &, Site &s) {
                     s.op().attrs.transposeRhs ^= true;
                     return true;
                   });
  if (op.kind == OpKind::Transpose)
    for (size_t i = 1; i < op.attrs.dims.size(); ++i)
      editor.offerAt(place, "transpose a square operand", "permutation",
                     [&](Program &, Site &s) {
                       std::swap(s.op().attrs.dims[i - 1],
                                 s.op().attrs.dims[i]);
                       return true;
                     });
}

/// Whatever reads the op reads one of its operands.
void bypass(Editor &editor, unsigned place, const Op &op) {
  if (op.results.size() != 1 || !op.body.empty() || op.operands.empty() ||
      op.kind == OpKind::Load || op.kind == OpKind::Graph)
    return;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    ValueId kept = op.operands[i];
    std::string kind = "drop an op";
    if (op.operands.size() == 2) {
      ValueId lost = op.operands[1 - i];
      const Op *made = definition(editor.source.ops, lost);
      bool constant = made && made->kind == OpKind::Constant;
      bool sum = op.kind == OpKind::Add || op.kind == OpKind::Sub;
      bool product = op.kind == OpKind::Mul || op.kind == OpKind::Div;
      if (constant && sum)
        kind = "drop an eps or constant term";
      else if (constant && product)
        kind = made->attrs.constant.kind == ConstantValue::Kind::InvExtent
                   ? "drop a 1/n"
                   : "drop a scale";
      else if (sum)
        kind = "drop a term";
      else if (product)
        kind = "drop a factor";
    }
    editor.offerAt(place, kind, "keep operand " + std::to_string(i),
                   [&](Program &p, Site &) {
                     replaceUses(p, op.results[0], kept);
                     return true;
                   });
  }
}

void changeKind(Editor &editor, unsigned place, const Op &op) {
  static constexpr OpKind kUnary[] = {
      OpKind::Exp,   OpKind::Silu,       OpKind::GeluTanh, OpKind::GeluErf,
      OpKind::Relu,  OpKind::Sigmoid,    OpKind::Tanh,     OpKind::Sqrt,
      OpKind::Rsqrt, OpKind::Square,     OpKind::Abs,      OpKind::Neg,
      OpKind::Erf,   OpKind::Reciprocal, OpKind::Log};
  static constexpr OpKind kBinary[] = {OpKind::Add, OpKind::Sub, OpKind::Mul,
                                       OpKind::Div, OpKind::Max, OpKind::Min};
  auto offer = [&](llvm::StringRef kind, OpKind other) {
    if (other != op.kind)
      editor.offerAt(place, kind, mnemonic(other), [&](Program &, Site &s) {
        s.op().kind = other;
        return true;
      });
  };
  if (llvm::is_contained(kUnary, op.kind))
    for (OpKind other : kUnary)
      offer("another unary function", other);
  if (llvm::is_contained(kBinary, op.kind))
    for (OpKind other : kBinary)
      offer("another binary operator", other);
  if (op.kind == OpKind::RmsNorm && !op.attrs.hasScale)
    offer("another norm", OpKind::LayerNorm);
  if (op.kind == OpKind::LayerNorm && !op.attrs.hasBias)
    offer("another norm", OpKind::RmsNorm);
  if (op.kind == OpKind::Compare)
    for (Predicate other : {Predicate::Eq, Predicate::Ne, Predicate::Lt,
                            Predicate::Le, Predicate::Gt, Predicate::Ge})
      editor.offerAt(place, "another binary operator", "predicate",
                     [&](Program &, Site &s) {
                       s.op().attrs.predicate = other;
                       return true;
                     });
}

void scaleExponent(Editor &editor, unsigned place, const Op &op) {
  if (op.kind != OpKind::Exp && op.kind != OpKind::Softmax)
    return;
  for (double factor : {2.0, 0.5, -1.0, 1 + 0x1p-10})
    editor.offerAt(place, "exponent scale", std::to_string(factor),
                   [&](Program &p, Site &s) {
                     Inserter in(p, s);
                     ValueId x = op.operands[0], c = in.literal(factor, x);
                     ValueId scaled = in.op(OpKind::Mul, {x, c});
                     in.target().operands[0] = scaled;
                     return true;
                   });
}

void moveEps(Editor &editor, unsigned place, const Op &op) {
  if (op.kind != OpKind::Sqrt && op.kind != OpKind::Rsqrt)
    return;
  const Op *sum = definition(editor.source.ops, op.operands[0]);
  if (!sum || sum->kind != OpKind::Add)
    return;
  for (unsigned i : {0, 1}) {
    ValueId eps = sum->operands[i], rest = sum->operands[1 - i];
    if (!isConstant(editor.source, eps))
      continue;
    editor.offerAt(place, "eps outside the root", "", [&](Program &p, Site &s) {
      Inserter in(p, s);
      ValueId root = in.op(OpKind::Sqrt, {rest});
      if (op.kind == OpKind::Sqrt) {
        in.become(OpKind::Add, {root, eps});
        return true;
      }
      ValueId total = in.op(OpKind::Add, {root, eps});
      in.become(OpKind::Reciprocal, {total});
      return true;
    });
  }
}

void changeConstants(Editor &editor, unsigned place, const Op &op) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  auto set = [&](llvm::StringRef kind, llvm::StringRef what,
                 llvm::function_ref<void(Attrs &)> change) {
    editor.offerAt(place, kind, what, [&](Program &, Site &s) {
      change(s.op().attrs);
      return true;
    });
  };
  if (op.kind == OpKind::Constant &&
      op.attrs.constant.kind != ConstantValue::Kind::NegInf) {
    double v = op.attrs.constant.toDouble();
    auto literal = [&](llvm::StringRef kind, llvm::StringRef what, double to) {
      set(kind, what,
          [&](Attrs &a) { a.constant = ConstantValue::makeLiteral(to); });
    };
    literal("constant x2", "x2", v * 2);
    literal("constant x2", "/2", v / 2);
    literal("constant sign", "negated", -v);
    literal("constant by 2^-10", "", v * (1 + 0x1p-10));
    if (op.attrs.constant.kind == ConstantValue::Kind::Literal) {
      literal("constant by an ulp", "of f64 up", std::nextafter(v, kInfinity));
      float f = static_cast<float>(v);
      literal("constant by an ulp", "of f32 down", std::nextafter(f, -1e30f));
      literal("constant by an ulp", "of f16 up", v * (1 + 0x1p-11));
      if (v > 0 && v < 1e-2) {
        literal("eps 1e-5 <-> 1e-6", "", v > 3e-6 ? 1e-6 : 1e-5);
        literal("eps 1e-5 <-> 1e-6", "x10", v * 10);
      }
    }
    if (op.attrs.constant.extent)
      for (int64_t by : {-1, 1, 2})
        set("1/n of another n", std::to_string(by),
            [&](Attrs &a) { a.constant.extent += by; });
    if (op.attrs.constant.extent)
      for (auto kind :
           {ConstantValue::Kind::Extent, ConstantValue::Kind::InvExtent,
            ConstantValue::Kind::RsqrtExtent})
        set("1/n of another n", "kind",
            [&](Attrs &a) { a.constant.kind = kind; });
  }
  if (op.kind == OpKind::Clamp) {
    double lo = op.attrs.lo, hi = op.attrs.hi, width = hi - lo;
    for (double by : {width / 2, -width / 4, width * 0x1p-10}) {
      set("clamp bound", "hi", [&](Attrs &a) { a.hi = hi + by; });
      set("clamp bound", "lo", [&](Attrs &a) { a.lo = lo - by; });
    }
    set("clamp bound", "negated", [&](Attrs &a) {
      a.lo = -hi;
      a.hi = -lo;
    });
    set("clamp bound", "hi by an ulp",
        [&](Attrs &a) { a.hi = std::nextafter(hi, kInfinity); });
  }
  if (op.kind == OpKind::RmsNorm || op.kind == OpKind::LayerNorm) {
    double eps = op.attrs.epsilon;
    for (double to : {0.0, 1e-5, 1e-6, eps * 2, 1e-3})
      set(to == 0 ? "drop an eps or constant term" : "eps 1e-5 <-> 1e-6",
          std::to_string(to), [&](Attrs &a) { a.epsilon = to; });
  }
}

/// Another value of the same type, defined earlier.
void readAnother(Editor &editor, unsigned place, const Op &op) {
  if (op.kind == OpKind::Graph)
    return;
  for (size_t i = 0; i < op.operands.size(); ++i)
    for (size_t id = 0; id < editor.source.values.size(); ++id)
      if (static_cast<ValueId>(id) != op.operands[i] &&
          editor.source.type(id) == editor.source.type(op.operands[i]))
        editor.offerAt(place, "read another value",
                       "operand " + std::to_string(i) + " is " +
                           std::to_string(id),
                       [&](Program &, Site &s) {
                         s.op().operands[i] = id;
                         return true;
                       });
}

/// a * b + c where a * (b + c) stood, and the other way round.
void reassociateWrongly(Editor &editor, unsigned place, const Op &op) {
  const Op *inner = nullptr;
  if (!op.operands.empty())
    inner = definition(editor.source.ops, op.operands[0]);
  if (!inner || inner->operands.size() != 2 || op.operands.size() != 2 ||
      opClass(op.kind) != OpClass::Binary ||
      opClass(inner->kind) != OpClass::Binary)
    return;
  // (a o b) . c becomes a o (b . c): right only if both are one associative op.
  editor.offerAt(place, "wrong precedence", "", [&](Program &p, Site &s) {
    Inserter in(p, s);
    ValueId right = in.op(op.kind, {inner->operands[1], op.operands[1]});
    in.become(inner->kind, {inner->operands[0], right});
    return true;
  });
}
} // namespace

void mirage::verify::mutation::editOps(Editor &editor, unsigned place,
                                       const Op &op) {
  swapOperands(editor, place, op);
  transposeOperands(editor, place, op);
  bypass(editor, place, op);
  changeKind(editor, place, op);
  scaleExponent(editor, place, op);
  moveEps(editor, place, op);
  changeConstants(editor, place, op);
  readAnother(editor, place, op);
  reassociateWrongly(editor, place, op);
}
