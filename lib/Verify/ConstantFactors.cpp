//===- ConstantFactors.cpp - Constants as products of powers --------------===//

#include "ConstantFactors.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::verify;

/// Appends the factors of the odd number `odd`, each to the power halves / 2.
static void appendOdd(uint64_t odd, int halves,
                      std::vector<PowerFactor> &factors) {
  constexpr uint64_t kLargestTried = 1000;
  for (uint64_t base = 3; base < kLargestTried && base <= odd; base += 2) {
    int times = 0;
    for (; odd % base == 0; odd /= base)
      ++times;
    if (times)
      factors.push_back({static_cast<int64_t>(base), times * halves});
  }
  // A square of a larger prime, or of their product, is still a square.
  while (odd > 1) {
    auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(odd)));
    while (root * root > odd)
      --root;
    while ((root + 1) * (root + 1) <= odd)
      ++root;
    if (root * root != odd) {
      factors.push_back({static_cast<int64_t>(odd), halves});
      return;
    }
    odd = root;
    halves *= 2;
  }
}

std::optional<std::vector<PowerFactor>>
mirage::verify::factorsOf(const ConstantValue &value) {
  uint64_t odd = 0;
  int twos = 0, halves = 2;
  switch (value.kind) {
  case ConstantValue::Kind::Literal: {
    if (!(value.literal > 0) || !std::isfinite(value.literal))
      return std::nullopt;
    double fraction = std::frexp(value.literal, &twos);
    odd = static_cast<uint64_t>(std::ldexp(fraction, 53));
    twos -= 53;
    break;
  }
  case ConstantValue::Kind::Extent:
  case ConstantValue::Kind::InvExtent:
  case ConstantValue::Kind::RsqrtExtent:
    // Below 2^62, so that the root above squares without overflow.
    if (value.extent <= 0 || value.extent >= int64_t(1) << 62)
      return std::nullopt;
    odd = value.extent;
    if (value.kind != ConstantValue::Kind::Extent)
      halves = value.kind == ConstantValue::Kind::InvExtent ? -2 : -1;
    break;
  case ConstantValue::Kind::NegInf:
    return std::nullopt;
  }
  for (; odd % 2 == 0; odd /= 2)
    ++twos;
  std::vector<PowerFactor> factors;
  if (twos)
    factors.push_back({2, twos * halves});
  appendOdd(odd, halves, factors);
  return factors;
}

std::optional<SquareFactor>
mirage::verify::squareFactorOf(const ConstantValue &value, bool inverted) {
  std::optional<std::vector<PowerFactor>> factors = factorsOf(value);
  if (!factors)
    return std::nullopt;
  constexpr double kLargestExact = 0x1p53;
  SquareFactor result;
  double odd[2] = {1, 1}, rest = 1;
  int twos = 0;
  for (auto [base, halves] : *factors) {
    if (halves % 2)
      return std::nullopt;
    int power = (inverted ? -halves : halves) / 2;
    // Down, so that what stays inside is an integer.
    int outside = power >= 0 ? power / 2 : (power - 1) / 2;
    if (power - 2 * outside)
      rest *= static_cast<double>(base);
    if (base == 2) {
      twos = outside;
      continue;
    }
    double &side = odd[outside < 0];
    for (int i = 0; i < std::abs(outside); ++i)
      if (side < kLargestExact)
        side *= static_cast<double>(base);
  }
  if (odd[0] >= kLargestExact || odd[1] >= kLargestExact ||
      rest >= kLargestExact)
    return std::nullopt;
  // |twos| is at most 1100 / 2, far from where doubles end.
  result.numerator = std::ldexp(odd[0], twos);
  result.denominator = odd[1];
  result.rest = rest;
  return result;
}
