//===- Products.cpp - Logarithms and roots of products --------------------===//
//
//   L7  log(exp a) = a                 exp(log a) = a
//       log(a b) = log a + log b       log(a / b) = log a - log b
//       log(sqrt a) = log a / 2        log(a^c) = c log a
//       log c = sum of e_i log p_i for a constant c = product of p_i^e_i
//   L2  sqrt(a b) = sqrt a sqrt b      sqrt(a / b) = sqrt a / sqrt b
//       sqrt(exp a) = exp(a / 2)
//       sqrt(c a) = s sqrt(r a)        for a constant c = s^2 r, likewise c / a
//
// Each holds wherever both sides are defined. For log and sqrt of a product
// that needs a thought, since a b may be positive where a and b are not: the
// laws hold for log|x| and sqrt|x| too, which agree with log and sqrt wherever
// those are defined, so whatever two programs both define stays equal.
//
// The laws of constants are those of positive ones, exact and rational, which
// hold without a thought. Factors are split in one way only
// (ConstantFactors.h), so that log(x / n) and log(x * (1/n)) still agree. The
// logarithm of a prime is a value of the random function, so it is a symbol.
// The literal ln 2 stands for log 2, and where a logarithm occurs it becomes
// it: as the number of its bits it would make log(4 x) equal to log x plus the
// double next to ln 4.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "ConstantFactors.h"
#include "Constants.h"
#include "Normalise.h"
#include <map>

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
class ProductSplitter {
public:
  ProductSplitter(Program &program, bool namesLn2, std::set<std::string> &laws)
      : program(program), namesLn2(namesLn2), laws(laws) {}

  bool run() {
    bool any = false;
    // Each pass takes one factor off, so the depth of a product bounds them.
    constexpr int kMostPasses = 32;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      changed = false;
      definitions.clear();
      index(program.ops);
      rewrite(program.ops);
      if (!changed)
        break;
      any = true;
    }
    return any;
  }

private:
  void index(const std::vector<Op> &ops) {
    for (const Op &op : ops) {
      for (ValueId id : op.results)
        definitions[id] = op; // a copy: lists of ops grow below
      index(op.body);
    }
  }

  /// What defines `id`; a cast is the identity here.
  const Op *definition(ValueId id) const {
    auto it = definitions.find(id);
    while (it != definitions.end() && it->second.kind == OpKind::Cast &&
           isFloat(program.type(it->second.operands[0]).dtype))
      it = definitions.find(it->second.operands[0]);
    return it == definitions.end() ? nullptr : &it->second;
  }

  std::optional<ConstantValue> constantOf(ValueId id) const {
    const Op *op = definition(id);
    while (op && op->kind == OpKind::Broadcast)
      op = definition(op->operands[0]);
    if (!op || op->kind != OpKind::Constant)
      return std::nullopt;
    return op->attrs.constant;
  }

  bool isConstant(ValueId id) const { return constantOf(id).has_value(); }
  /// Not so a constant that is negative, zero or infinite.
  bool mayHaveLog(ValueId id) const {
    std::optional<ConstantValue> constant = constantOf(id);
    return !constant || factorsOf(*constant);
  }
  bool isOne(ValueId id) const {
    return constantOf(id) == ConstantValue::makeLiteral(1.0);
  }

  ValueId emit(std::vector<Op> &out, OpKind kind,
               llvm::ArrayRef<ValueId> operands, const TensorType &like,
               ValueId result = -1) {
    if (result < 0)
      result = program.addValue(like);
    Op op{kind, {}, {}, {result}, {}};
    op.operands.assign(operands.begin(), operands.end());
    out.push_back(std::move(op));
    return result;
  }

  /// kind(x), of x's shape.
  ValueId apply(std::vector<Op> &out, OpKind kind, ValueId x,
                const TensorType &like) {
    return emit(out, kind, {x}, {program.type(x).shape, like.dtype});
  }

  ValueId literal(std::vector<Op> &out, double value, const TensorType &like) {
    ValueId c = program.addValue({Shape(like.rank(), 1), like.dtype});
    Op op{OpKind::Constant, {}, {}, {c}, {}};
    op.attrs.constant = ConstantValue::makeLiteral(value);
    out.push_back(op);
    return c;
  }

  ValueId scale(std::vector<Op> &out, ValueId x, double by,
                const TensorType &like, ValueId result = -1) {
    TensorType type{program.type(x).shape, like.dtype};
    return emit(out, OpKind::Mul, {x, literal(out, by, type)}, type, result);
  }

  void rewrite(std::vector<Op> &ops) {
    std::vector<Op> out;
    for (Op &op : ops) {
      rewrite(op.body);
      bool done = (op.kind == OpKind::Log && splitLog(op, out)) ||
                  (op.kind == OpKind::Exp && cancelExp(op, out)) ||
                  (op.kind == OpKind::Constant && nameLn2(op, out)) ||
                  ((op.kind == OpKind::Sqrt || op.kind == OpKind::Rsqrt) &&
                   splitRoot(op, out));
      if (!done)
        out.push_back(std::move(op));
      changed |= done;
    }
    ops = std::move(out);
  }

  /// The value itself under the op's name.
  bool forward(const Op &op, ValueId x, std::vector<Op> &out) {
    if (program.type(x).shape != program.type(op.results[0]).shape)
      return false;
    emit(out, OpKind::Cast, {x}, {}, op.results[0]);
    return true;
  }

  bool cancelExp(const Op &op, std::vector<Op> &out) {
    const Op *inner = definition(op.operands[0]);
    if (!inner || inner->kind != OpKind::Log ||
        !forward(op, inner->operands[0], out))
      return false;
    laws.insert("L7");
    return true;
  }

  bool nameLn2(const Op &op, std::vector<Op> &out) {
    if (!namesLn2 || !(op.attrs.constant == ConstantValue::makeLiteral(kLn2)))
      return false;
    TensorType type = program.type(op.results[0]);
    broadcastTo(out, apply(out, OpKind::Log, literal(out, 2.0, type), type),
                type, op.results[0]);
    return note("L7");
  }

  /// A value of extents 1 as `result`, of any extents.
  void broadcastTo(std::vector<Op> &out, ValueId x, const TensorType &type,
                   ValueId result) {
    bool same = program.type(x).shape == type.shape;
    emit(out, same ? OpKind::Cast : OpKind::Broadcast, {x}, type, result);
  }

  /// The logarithm of a constant, unless it is one of those that make up
  /// others.
  bool splitConstantLog(const Op &op, const ConstantValue &constant,
                        std::vector<Op> &out) {
    auto factors = factorsOf(constant);
    if (!factors ||
        (factors->size() == 1 && factors->front().halves == 2 &&
         constant == ConstantValue::makeLiteral(factors->front().base)))
      return false;
    // An extent may have an odd part that no double holds.
    if (llvm::any_of(*factors, [](const PowerFactor &factor) {
          return factor.base > int64_t(1) << 53;
        }))
      return false;
    const TensorType type = program.type(op.results[0]);
    ValueId sum = factors->empty() ? literal(out, 0.0, type) : -1;
    for (auto [base, halves] : *factors) {
      ValueId log = apply(out, OpKind::Log, literal(out, base, type), type);
      ValueId term = scale(out, log, 0.5 * halves, type);
      sum = sum < 0 ? term
                    : emit(out, OpKind::Add, {sum, term},
                           {program.type(term).shape, type.dtype});
    }
    broadcastTo(out, sum, type, op.results[0]);
    return note("L7");
  }

  bool splitLog(const Op &op, std::vector<Op> &out) {
    const Op *inner = definition(op.operands[0]);
    if (std::optional<ConstantValue> constant = constantOf(op.operands[0]))
      return splitConstantLog(op, *constant, out);
    if (!inner || inner->operands.empty())
      return false;
    TensorType type = program.type(op.results[0]);
    ValueId a = inner->operands[0], b = inner->operands.back();
    ValueId result = op.results[0];
    auto log = [&](ValueId x) { return apply(out, OpKind::Log, x, type); };
    switch (inner->kind) {
    case OpKind::Exp:
      if (!forward(op, a, out))
        return false;
      break;
    case OpKind::Mul:
      if (!mayHaveLog(a) || !mayHaveLog(b))
        return false;
      emit(out, OpKind::Add, {log(a), log(b)}, type, result);
      break;
    case OpKind::Div:
      if (isOne(a) && program.type(b).shape == type.shape)
        emit(out, OpKind::Neg, {log(b)}, type, result);
      else if (!mayHaveLog(a) || !mayHaveLog(b))
        return false;
      else
        emit(out, OpKind::Sub, {log(a), log(b)}, type, result);
      break;
    case OpKind::Reciprocal:
      emit(out, OpKind::Neg, {log(a)}, type, result);
      break;
    case OpKind::Sqrt:
      scale(out, log(a), 0.5, type, result);
      break;
    case OpKind::Rsqrt:
      scale(out, log(a), -0.5, type, result);
      break;
    case OpKind::Square:
      scale(out, log(a), 2.0, type, result);
      break;
    case OpKind::Pow: {
      std::optional<ConstantValue> power = constantOf(b);
      if (!power || program.type(a).shape != type.shape)
        return false;
      emit(out, OpKind::Mul, {b, log(a)}, type, result);
      break;
    }
    default:
      return false;
    }
    laws.insert("L7");
    return true;
  }

  bool splitRoot(const Op &op, std::vector<Op> &out) {
    const Op *inner = definition(op.operands[0]);
    if (!inner || inner->operands.empty())
      return false;
    TensorType type = program.type(op.results[0]);
    ValueId a = inner->operands[0], b = inner->operands.back();
    bool inverts = op.kind == OpKind::Rsqrt;
    if (takeSquareOut(op, *inner, out))
      return note("L2");
    // 1 / sqrt of a product is one division; of a quotient, the one turned.
    auto root = [&](ValueId x) { return apply(out, OpKind::Sqrt, x, type); };
    switch (inner->kind) {
    case OpKind::Exp:
      emit(out, OpKind::Exp, {scale(out, a, inverts ? -0.5 : 0.5, type)}, type,
           op.results[0]);
      break;
    case OpKind::Mul: {
      // sqrt(x x) is |x|, which evaluation knows.
      if (a == b || isConstant(a) || isConstant(b))
        return false;
      ValueId x = root(a), y = root(b);
      if (!inverts) {
        emit(out, OpKind::Mul, {x, y}, type, op.results[0]);
        break;
      }
      ValueId product = emit(out, OpKind::Mul, {x, y}, type);
      emit(out, OpKind::Reciprocal, {product}, type, op.results[0]);
      break;
    }
    case OpKind::Div: {
      if ((isConstant(a) && !isOne(a)) || isConstant(b))
        return false;
      if (isOne(a) && program.type(b).shape == type.shape) {
        ValueId y = root(b);
        if (inverts)
          return forward(op, y, out) && note("L2");
        emit(out, OpKind::Reciprocal, {y}, type, op.results[0]);
        break;
      }
      ValueId x = root(a), y = root(b);
      emit(out, OpKind::Div, {inverts ? y : x, inverts ? x : y}, type,
           op.results[0]);
      break;
    }
    default:
      return false;
    }
    return note("L2");
  }

  /// sqrt(c a) = s sqrt(r a) and sqrt(c / a) = s sqrt(r / a) for c = s^2 r,
  /// and for rsqrt.
  bool takeSquareOut(const Op &op, const Op &inner, std::vector<Op> &out) {
    bool multiplies = inner.kind == OpKind::Mul;
    if (!multiplies && inner.kind != OpKind::Div)
      return false;
    const TensorType type = program.type(op.results[0]);
    unsigned at = isConstant(inner.operands[0]) ? 0 : 1;
    ValueId x = inner.operands[1 - at];
    std::optional<ConstantValue> constant = constantOf(inner.operands[at]);
    if (!constant || isConstant(x) || program.type(x).shape != type.shape)
      return false;
    std::optional<SquareFactor> square =
        squareFactorOf(*constant, /*inverted=*/!multiplies && at == 1);
    if (!square || (square->numerator == 1 && square->denominator == 1))
      return false;
    double by = square->numerator, over = square->denominator;
    if (!multiplies && at == 0)
      x = emit(out, OpKind::Div, {literal(out, square->rest, type), x}, type);
    else if (square->rest != 1)
      x = scale(out, x, square->rest, type);
    if (op.kind == OpKind::Rsqrt)
      std::swap(by, over);
    ValueId root = apply(out, op.kind, x, type);
    ValueId scaled = scale(out, root, by, type);
    emit(out, OpKind::Div, {scaled, literal(out, over, type)}, type,
         op.results[0]);
    return true;
  }

  bool note(const char *law) {
    laws.insert(law);
    return true;
  }

  Program &program;
  bool namesLn2;
  std::set<std::string> &laws;
  std::map<ValueId, Op> definitions;
  bool changed = false;
};
} // namespace

bool mirage::verify::splitProducts(Program (&programs)[2],
                                   std::set<std::string> &laws) {
  bool hasLog = false;
  for (const Program &program : programs)
    hasLog |=
        anyOp(program.ops, [](const Op &op) { return op.kind == OpKind::Log; });
  bool any = false;
  for (Program &program : programs)
    any |= ProductSplitter(program, hasLog, laws).run();
  return any;
}
