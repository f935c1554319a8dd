//===- Truth.cpp - Whether two programs are the same, by numbers ----------===//

#include "Truth.h"
#include <cmath>
#include <random>

using namespace mirage::semantics;
using namespace mirage::verify;
using namespace mirage::verify::mutation;

namespace {
constexpr int kMagnitudes[] = {0, -10, 4, -4, -20, 8};
constexpr unsigned kPointsPerMagnitude = 16, kFewest = 12;
constexpr double kWrong = 0x1p-20, kKnown = 0x1p-60;

/// Uniform in (-1, 1), the same on every platform.
double draw(std::mt19937_64 &bits) {
  return static_cast<double>(static_cast<int64_t>(bits()) >> 11) * 0x1p-52;
}

std::vector<std::vector<double>> inputsAt(const Program &program,
                                          unsigned index) {
  constexpr unsigned kCount = std::size(kMagnitudes);
  std::mt19937_64 bits(0x6d7574617465 + index);
  int magnitude = kMagnitudes[index % kCount];
  unsigned sort = index / kCount % 5;
  std::vector<std::vector<double>> inputs;
  for (unsigned i = 0; i < program.numInputs; ++i) {
    const Shape &shape = program.type(i).shape;
    int64_t row = shape.empty() ? 1 : shape.back();
    std::vector<double> values(program.type(i).numElements());
    int scale = magnitude;
    if (sort == 3)
      scale += static_cast<int>(bits() % 7) - 3;
    double offset = 0;
    for (size_t n = 0; n < values.size(); ++n) {
      double v = draw(bits) + draw(bits) * 0.5;
      if (sort == 1)
        v = std::abs(v) + 0x1p-8;
      if (sort == 2) {
        if (n % row == 0)
          offset = v;
        v = offset + draw(bits) * 0x1p-11;
      }
      int own = sort == 4 ? static_cast<int>(bits() % 13) - 8 : 0;
      values[n] = std::ldexp(v, scale + own);
    }
    inputs.push_back(std::move(values));
  }
  return inputs;
}

double size(double a, double b) { return std::max(std::abs(a), std::abs(b)); }

} // namespace

Judge::Judge(const Program &reference) : reference(reference) {
  for (unsigned i = 0; i < kPointsPerMagnitude * std::size(kMagnitudes); ++i) {
    Point point;
    point.inputs = inputsAt(reference, i);
    point.narrow = evaluate(reference, point.inputs);
    points.push_back(std::move(point));
  }
}

Judge::PointAnswer Judge::judgeAt(Point &point, const Program &candidate) {
  if (point.wide.empty())
    point.wide = evaluateWide(reference, point.inputs);
  auto wide = evaluateWide(candidate, point.inputs);
  PointAnswer answer;
  for (size_t o = 0; o < wide.size(); ++o) {
    for (size_t i = 0; i < wide[o].size(); ++i) {
      const Tracked &a = point.wide[o][i], &b = wide[o][i];
      double error = a.e + b.e, scale = std::max(a.size(), b.size());
      // Not so where either is NaN.
      answer.counted.push_back(std::isfinite(a.v.hi) && std::isfinite(b.v.hi) &&
                               error <= kKnown * scale);
      if (!answer.counted.back())
        continue;
      double difference = std::abs((a.v - b.v).hi);
      if (difference > kWrong * scale)
        answer.worst = Truth::Wrong;
      else if (difference > error)
        answer.worst = std::max(answer.worst, Truth::Grey);
    }
  }
  return answer;
}

Truth Judge::judge(const Program &candidate) {
  // In double first: most wrong programs differ at the first point.
  std::vector<std::optional<PointAnswer>> answers(points.size());
  for (unsigned at = 0; at < points.size(); ++at) {
    auto narrow = evaluate(candidate, points[at].inputs);
    bool differs = false;
    for (size_t o = 0; o < narrow.size(); ++o)
      for (size_t i = 0; i < narrow[o].size(); ++i) {
        double x = points[at].narrow[o][i], y = narrow[o][i];
        differs |= std::abs(x - y) > kWrong / 2 * size(x, y);
      }
    if (!differs)
      continue;
    answers[at] = judgeAt(points[at], candidate);
    if (answers[at]->worst == Truth::Wrong)
      return Truth::Wrong;
  }
  Truth worst = Truth::Same;
  std::vector<unsigned> compared;
  for (unsigned at = 0; at < points.size(); ++at) {
    if (!answers[at])
      answers[at] = judgeAt(points[at], candidate);
    worst = std::max(worst, answers[at]->worst);
    compared.resize(answers[at]->counted.size());
    for (size_t i = 0; i < compared.size(); ++i)
      compared[i] += answers[at]->counted[i];
  }
  for (unsigned count : compared)
    if (count < kFewest)
      worst = std::max(worst, Truth::Grey);
  return worst;
}
