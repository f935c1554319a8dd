//===- Elementwise.cpp - Operators that act on single elements ------------===//

#include "Compute.h"
#include "Mirage/Interpreter/Rounding.h"
#include "Mirage/Semantics/Evaluate.h"
#include <cmath>

using namespace mirage;
using namespace mirage::interpreter;
using semantics::Attrs;
using semantics::DType;
using semantics::Op;
using semantics::OpKind;
using semantics::TensorType;

namespace {

/// The domain of Evaluate.h in which a value is a double.
struct DoubleDomain {
  using Value = double;
  Mode mode;

  double add(double a, double b) { return a + b; }
  double sub(double a, double b) { return a - b; }
  double mul(double a, double b) { return a * b; }
  double div(double a, double b) { return a / b; }
  double neg(double a) { return -a; }
  double exp(double a) { return std::exp(a); }
  double log(double a) { return std::log(a); }
  double sqrt(double a) { return std::sqrt(a); }
  double sigmoid(double a) { return 1.0 / (1.0 + std::exp(-a)); }
  double erf(double a) { return std::erf(a); }
  double max(double a, double b) { return maximum(a, b); }
  double min(double a, double b) { return minimum(a, b); }
  double abs(double a) { return std::fabs(a); }
  double clamp(double a, double lo, double hi) {
    return minimum(maximum(a, lo), hi);
  }
  double pow(double a, double b) { return std::pow(a, b); }
  double constant(const semantics::ConstantValue &value) {
    return value.toDouble();
  }
  double compare(semantics::Predicate predicate, double a, double b) {
    switch (predicate) {
    case semantics::Predicate::Eq:
      return a == b;
    case semantics::Predicate::Ne:
      return a != b;
    case semantics::Predicate::Lt:
      return a < b;
    case semantics::Predicate::Le:
      return a <= b;
    case semantics::Predicate::Gt:
      return a > b;
    case semantics::Predicate::Ge:
      return a >= b;
    }
    return 0.0;
  }
  double select(double condition, double a, double b) {
    return condition != 0.0 ? a : b;
  }
  double cast(double a, DType to) {
    // Over the reals a cast between floats is nothing; to an integer it is a
    // truncation in either mode.
    return mode == Mode::F64 && isFloat(to) ? a : roundTo(to, a);
  }
};

/// The table's own formula, but for two kinds whose formula cancels: 2 s - 1
/// loses a small tanh, and 1 + erf the tail of gelu.
double evaluateScalar(DoubleDomain &domain, OpKind kind, const Attrs &attrs,
                      llvm::ArrayRef<double> args, DType type) {
  if (kind == OpKind::Tanh)
    return std::tanh(args[0]);
  if (kind == OpKind::GeluErf)
    return 0.5 * args[0] * std::erfc(-args[0] * semantics::kInvSqrt2);
  return semantics::evalElementwise(domain, kind, attrs, args, type);
}

/// One row of an operation of two operands; a step of 0 repeats an element.
template <class Fn>
void rowOf(const double *a, int64_t stepA, const double *b, int64_t stepB,
           double *__restrict to, int64_t columns, Fn fn) {
  // Apart, so that each is a loop of vectors.
  if (stepA == 1 && stepB == 1)
    for (int64_t j = 0; j < columns; ++j)
      to[j] = fn(a[j], b[j]);
  else if (stepA == 1 && stepB == 0)
    for (int64_t j = 0; j < columns; ++j)
      to[j] = fn(a[j], *b);
  else
    for (int64_t j = 0; j < columns; ++j)
      to[j] = fn(a[j * stepA], b[j * stepB]);
}

/// The kinds that most elements go through, without the table; false for all
/// others.
bool binaryRow(OpKind kind, const double *a, int64_t stepA, const double *b,
               int64_t stepB, double *to, int64_t columns) {
  auto row = [&](auto fn) {
    rowOf(a, stepA, b, stepB, to, columns, fn);
    return true;
  };
  switch (kind) {
  case OpKind::Add:
    return row([](double x, double y) { return x + y; });
  case OpKind::Sub:
    return row([](double x, double y) { return x - y; });
  case OpKind::Mul:
    return row([](double x, double y) { return x * y; });
  case OpKind::Div:
    return row([](double x, double y) { return x / y; });
  default:
    return false;
  }
}

bool unaryRow(OpKind kind, const double *a, int64_t step, double *to,
              int64_t columns) {
  auto row = [&](auto fn) {
    rowOf(a, step, a, step, to, columns,
          [fn](double x, double) { return fn(x); });
    return true;
  };
  switch (kind) {
  case OpKind::Neg:
    return row([](double x) { return -x; });
  case OpKind::Square:
    return row([](double x) { return x * x; });
  case OpKind::Exp:
    return row([](double x) { return std::exp(x); });
  default:
    return false;
  }
}

} // namespace

Tensor interpreter::elementwise(const Op &op, const TensorType &type,
                                llvm::ArrayRef<const Tensor *> operands,
                                const Context &context) {
  Tensor result{type, {}};
  result.values.resize(type.numElements());
  llvm::SmallVector<llvm::SmallVector<int64_t, 6>, 3> strides;
  for (const Tensor *operand : operands)
    strides.push_back(stridesOf(operand->type.shape));
  int64_t columns = type.shape.empty() ? 1 : type.shape.back();
  auto step = [&](size_t o) {
    return strides[o].empty() ? 0 : strides[o].back();
  };
  auto from = [&](size_t o, llvm::ArrayRef<int64_t> offsets) {
    return operands[o]->values.data() + offsets[o];
  };
  DoubleDomain domain{context.mode};
  forEachRow(context.threads, type.shape, strides,
             [&](int64_t outer, llvm::ArrayRef<int64_t> offsets) {
               double *to = result.values.data() + outer;
               if (operands.size() == 2 &&
                   binaryRow(op.kind, from(0, offsets), step(0),
                             from(1, offsets), step(1), to, columns))
                 return;
               if (operands.size() == 1 &&
                   unaryRow(op.kind, from(0, offsets), step(0), to, columns))
                 return;
               llvm::SmallVector<double, 3> args(operands.size());
               for (int64_t j = 0; j < columns; ++j) {
                 for (size_t o = 0; o < operands.size(); ++o)
                   args[o] = from(o, offsets)[j * step(o)];
                 to[j] = evaluateScalar(domain, op.kind, op.attrs, args,
                                        type.dtype);
               }
             });
  roundResult(result, context);
  return result;
}
