//===- Structured.cpp - The second opinion --------------------------------===//

#include "Structured.h"
#include "Executor.h"
#include "Seeds.h"
#include "StructuredDomain.h"
#include "Work.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
/// Seeds.h numbers interpretations; the free ones are 0 and 1, the probe 2.
constexpr uint32_t kInterpretation = 3;
/// Element operations of one draw, and of all: about 2 s.
constexpr double kMostWork = 2e6, kMostTotalWork = 1e8;

/// log2 of the largest bound or literal, which shadows must pass.
int log2OfBounds(const std::vector<Op> &ops) {
  double largest = 1;
  auto visit = [&](auto &&self, const std::vector<Op> &list) -> void {
    for (const Op &op : list) {
      double values[] = {0, 0};
      if (op.kind == OpKind::Clamp) {
        values[0] = op.attrs.lo;
        values[1] = op.attrs.hi;
      }
      if (op.kind == OpKind::Constant)
        values[0] = op.attrs.constant.literal;
      for (double v : values)
        if (std::isfinite(v))
          largest = std::max(largest, std::abs(v));
      self(self, op.body);
    }
  };
  visit(visit, ops);
  return std::min(20, std::ilogb(largest) + 1);
}

/// The real point of one draw. Scales alternate, so that decisions against
/// constants see both sides; every other point is positive, where roots are
/// defined.
class Shadows {
public:
  Shadows(unsigned draw, Key key, int beyond) : draw(draw), key(key) {
    const int scales[] = {0, beyond, -2, kMixed, 1, -6, 2, -12};
    scale = scales[draw / 2 % std::size(scales)];
    positive = draw % 2;
  }

  std::vector<double> of(unsigned tensor, const TensorType &type) const {
    std::vector<double> values(type.numElements());
    for (size_t i = 0; i < values.size(); ++i) {
      Counter bits = philox({i, tensor, draw, 0}, key);
      double v = 0;
      for (int j = 0; j < 3; ++j)
        v += static_cast<double>(static_cast<int64_t>(bits[j]) >> 11) * 0x1p-52;
      int s = scale == kMixed ? static_cast<int>(bits[3] % 16) - 12 : scale;
      values[i] = std::ldexp(positive ? std::abs(v) : v, s);
    }
    return values;
  }

private:
  static constexpr int kMixed = 1000;
  unsigned draw;
  Key key;
  int scale;
  bool positive;
};

class Runner {
public:
  Runner(const Program &f, const Program &g, bool withExp, const Seed &seed)
      : programs{&f, &g}, withExp(withExp), seed(seed) {}

  StructuredReport run() {
    double work = workOf(*programs[0]) + workOf(*programs[1]);
    if (!(work <= kMostWork))
      return report;
    unsigned most = std::min<double>(kMostDraws, kMostTotalWork / work);
    int beyond = std::max(log2OfBounds(programs[0]->ops),
                          log2OfBounds(programs[1]->ops));
    for (ValueId id : programs[0]->outputs)
      compares.emplace_back(programs[0]->type(id).numElements());
    while (report.draws < most) {
      if (!draw(beyond))
        return report;
      if (covered()) {
        report.kind = StructuredReport::Agree;
        return report;
      }
    }
    report.kind = StructuredReport::Uncovered;
    return report;
  }

private:
  /// Compares at one more point; false where that ends the run.
  bool draw(int beyond) {
    Keys keys = deriveKeys(seed, kInterpretation, report.draws, 0);
    FieldDraw field = drawField(withExp, keys.draw, /*structured=*/true);
    Interpretation mode{withExp, /*sigmoidThroughExp=*/withExp};
    FieldContext context(field, mode, keys.input, keys.hash, /*threads=*/1);
    Shadows shadows(report.draws++, keys.input, beyond);
    std::vector<TileRef> inputs, outputs[2];
    for (unsigned i = 0; i < programs[0]->numInputs; ++i) {
      const TensorType &type = programs[0]->type(i);
      inputs.push_back(
          StructuredDomain::input(context, i, type.shape, shadows.of(i, type)));
    }
    for (int side : {0, 1}) {
      FailureLog log;
      StructuredDomain domain(context, coverage[side], log);
      outputs[side] = execute(*programs[side], domain, inputs, 1);
      if (!log.worst())
        continue;
      // A prime that divides a constant: draw another.
      if (log.worst()->first == FailureKind::ZeroDivisor)
        return true;
      report.kind = StructuredReport::Failed;
      report.text = log.worst()->second;
      return false;
    }
    return compare(outputs[0], outputs[1]);
  }

  bool compare(const std::vector<TileRef> &a, const std::vector<TileRef> &b) {
    for (size_t o = 0; o < a.size(); ++o)
      for (size_t i = 0; i < compares[o].size(); ++i) {
        const Shadowed &x = a[o]->shadowed[i], &y = b[o]->shadowed[i];
        if (((x.flags | y.flags) & Shadowed::TaintP) || std::isnan(x.real) ||
            std::isnan(y.real))
          continue;
        bool infinite = x.flags & Shadowed::MinusInf;
        if (infinite != bool(y.flags & Shadowed::MinusInf) ||
            (!infinite && x.p != y.p)) {
          report.kind = StructuredReport::Differ;
          return false;
        }
        ++compares[o][i];
      }
    return true;
  }

  bool covered() {
    report.fewestCompares = ~uint64_t(0);
    for (const std::vector<uint64_t> &counts : compares)
      for (uint64_t count : counts)
        report.fewestCompares = std::min(report.fewestCompares, count);
    report.places = 0;
    report.fewestOutcomes.reset();
    for (const OutcomeCounts &side : coverage) {
      report.places += side.numPlaces();
      if (std::optional<uint64_t> least = side.fewest())
        report.fewestOutcomes =
            std::min(report.fewestOutcomes.value_or(*least), *least);
    }
    return report.fewestCompares >= kComparesPerElement &&
           report.fewestOutcomes.value_or(kTimesPerOutcome) >= kTimesPerOutcome;
  }

  const Program *programs[2];
  bool withExp;
  const Seed &seed;
  OutcomeCounts coverage[2];
  std::vector<std::vector<uint64_t>> compares;
  StructuredReport report;
};
} // namespace

StructuredReport mirage::verify::compareStructured(const Program &f,
                                                   const Program &g,
                                                   bool withExp,
                                                   const Seed &seed) {
  return Runner(f, g, withExp, seed).run();
}
