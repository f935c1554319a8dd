//===- Constants.cpp - Rounded constants and what they stand for ----------===//

#include "Constants.h"
#include "Mirage/Semantics/Evaluate.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>

using namespace mirage::semantics;
using mirage::verify::kLn2;

namespace {
constexpr double kLog2E = 1.44269504088896340736;

/// The nearest number of `type`.
double rounded(double value, DType type) {
  const llvm::fltSemantics *semantics = &llvm::APFloat::IEEEdouble();
  if (type == DType::F16)
    semantics = &llvm::APFloat::IEEEhalf();
  else if (type == DType::BF16)
    semantics = &llvm::APFloat::BFloat();
  else if (type == DType::F32)
    semantics = &llvm::APFloat::IEEEsingle();
  llvm::APFloat number(value);
  bool lost = false;
  number.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

/// What a literal stands for: `value`, or 1 / value.
struct Meaning {
  ConstantValue value;
  bool inverted = false;
  std::string name;
};

class Recogniser {
public:
  Recogniser(Program &f, Program &g) : programs{&f, &g} {}

  void run(std::set<std::string> &used) {
    for (Program *program : programs)
      for (const TensorType &type : program->values)
        addExtents(type.shape);
    // A literal keeps its bits where it moves to another type, so what one
    // occurrence stands for all do.
    for (Program *program : programs)
      visit(program->ops, [&](Op &op) { learn(*program, op); });
    for (Program *program : programs)
      replace(*program, program->ops);
    for (const auto &[literal, meaning] : meanings)
      used.insert(toString(ConstantValue::makeLiteral(literal)) + " is " +
                  meaning.name);
    for (Program *program : programs)
      visit(program->ops, [&](Op &op) {
        if (op.kind == OpKind::Constant && op.attrs.constant.extent)
          used.insert(toString(op.attrs.constant));
      });
  }

private:
  /// Products of any of the dims of one tensor.
  void addExtents(const Shape &shape) {
    for (unsigned mask = 1; mask < (1u << shape.size()); ++mask) {
      int64_t product = 1;
      for (size_t i = 0; i < shape.size(); ++i)
        if (mask & (1u << i))
          product *= shape[i];
      if (product > 1)
        extents.insert(product);
    }
  }

  static void visit(std::vector<Op> &ops, llvm::function_ref<void(Op &)> fn) {
    for (Op &op : ops) {
      fn(op);
      visit(op.body, fn);
    }
  }

  void learn(const Program &program, const Op &op) {
    if (op.kind != OpKind::Constant ||
        op.attrs.constant.kind != ConstantValue::Kind::Literal)
      return;
    double literal = op.attrs.constant.literal;
    if (!std::isfinite(literal) || literal == 0 || meanings.count(literal))
      return;
    DType type = program.type(op.results[0]).dtype;
    auto is = [&](double exact) { return literal == rounded(exact, type); };
    auto means = [&](ConstantValue value, bool inverted, std::string name) {
      meanings[literal] = {value, inverted, std::move(name)};
    };
    if (is(kLn2))
      return means(ConstantValue::makeLiteral(kLn2), false, "ln 2");
    if (is(kLog2E))
      return means(ConstantValue::makeLiteral(kLn2), true, "log2 e");
    if (is(kSqrt2OverPi))
      return means(ConstantValue::makeLiteral(kSqrt2OverPi), false,
                   "sqrt(2/pi)");
    if (is(kInvSqrt2))
      return means(ConstantValue::makeLiteral(kInvSqrt2), false, "1/sqrt(2)");
    for (bool root : {false, true}) {
      // The only n whose inverse, or inverse root, may round to the literal
      // are the next to it.
      double guess = root ? 1 / (literal * literal) : 1 / literal;
      if (!(guess >= 2 && guess < 0x1p52) || literal < 0)
        continue;
      for (auto it = extents.lower_bound(static_cast<int64_t>(guess * 0.99));
           it != extents.end() && *it <= guess * 1.01 + 1; ++it) {
        double n = static_cast<double>(*it);
        double exact = root ? 1 / std::sqrt(n) : 1 / n;
        // A power of two is exact as it is.
        int exponent = 0;
        if (!is(exact) || std::frexp(literal, &exponent) == 0.5)
          continue;
        auto kind = root ? ConstantValue::Kind::RsqrtExtent
                         : ConstantValue::Kind::InvExtent;
        return means(ConstantValue::makeExtent(kind, *it), false,
                     llvm::formatv(root ? "1/sqrt({0})" : "1/{0}", *it).str());
      }
    }
  }

  void replace(Program &program, std::vector<Op> &ops) {
    std::vector<Op> out;
    for (Op &op : ops) {
      replace(program, op.body);
      auto it = op.kind == OpKind::Constant &&
                        op.attrs.constant.kind == ConstantValue::Kind::Literal
                    ? meanings.find(op.attrs.constant.literal)
                    : meanings.end();
      if (it == meanings.end()) {
        out.push_back(std::move(op));
        continue;
      }
      op.attrs.constant = it->second.value;
      if (!it->second.inverted) {
        out.push_back(std::move(op));
        continue;
      }
      ValueId result = op.results[0];
      op.results[0] = program.addValue(program.type(result));
      ValueId inner = op.results[0];
      out.push_back(std::move(op));
      out.push_back({OpKind::Reciprocal, {}, {inner}, {result}, {}});
    }
    ops = std::move(out);
  }

  Program *programs[2];
  std::set<int64_t> extents;
  std::map<double, Meaning> meanings;
};
} // namespace

void mirage::verify::recogniseConstants(Program &f, Program &g,
                                        std::set<std::string> &used) {
  Recogniser(f, g).run(used);
}

std::string mirage::verify::roundedConstantNote(const std::vector<Op> &ops) {
  for (const Op &op : ops) {
    if (op.kind == OpKind::Constant &&
        op.attrs.constant.kind == ConstantValue::Kind::Literal) {
      double value = op.attrs.constant.literal, n = std::round(1 / value);
      int exponent = 0;
      bool exact = std::frexp(n, &exponent) == 0.5; // 1/n is a power of two
      if (n >= 2 && n <= 1e9 && !exact &&
          (value == 1 / n || value == static_cast<float>(1 / n)))
        return llvm::formatv("; the literal {0} is 1/{1:F0} rounded: it may "
                             "be that one differs by a rounded constant",
                             toString(op.attrs.constant), n)
            .str();
    }
    std::string note = roundedConstantNote(op.body);
    if (!note.empty())
      return note;
  }
  return "";
}
