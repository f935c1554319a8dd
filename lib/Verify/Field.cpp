//===- Field.cpp - Prime fields and counter-based randomness --------------===//

#include "Mirage/Verify/Field.h"

using namespace mirage::verify;

PrimeField::PrimeField(uint64_t modulus) : p(modulus) {
  // Newton: each step doubles the correct low bits, and p * p = 1 mod 8.
  uint64_t inverse = p;
  for (int i = 0; i < 5; ++i)
    inverse *= 2 - p * inverse;
  negInverse = 0 - inverse;
  oneRep = static_cast<uint64_t>((static_cast<u128>(1) << 64) % p);
  r2 = static_cast<uint64_t>(static_cast<u128>(oneRep) * oneRep % p);
}

uint64_t PrimeField::pow(uint64_t base, uint64_t exponent) const {
  uint64_t result = oneRep;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = mul(result, base);
    base = mul(base, base);
  }
  return result;
}

static uint64_t mulMod(uint64_t a, uint64_t b, uint64_t n) {
  return static_cast<uint64_t>(static_cast<u128>(a) * b % n);
}

bool mirage::verify::isPrime(uint64_t n) {
  constexpr uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (n < 2)
    return false;
  for (uint64_t base : kBases)
    if (n % base == 0)
      return n == base;
  uint64_t odd = n - 1;
  unsigned twos = 0;
  for (; odd % 2 == 0; odd /= 2)
    ++twos;
  for (uint64_t base : kBases) {
    uint64_t x = 1, square = base;
    for (uint64_t e = odd; e; e >>= 1) {
      if (e & 1)
        x = mulMod(x, square, n);
      square = mulMod(square, square, n);
    }
    if (x == 1 || x == n - 1)
      continue;
    bool reached = false;
    for (unsigned i = 1; i < twos && !reached; ++i) {
      x = mulMod(x, x, n);
      reached = x == n - 1;
    }
    if (!reached)
      return false;
  }
  return true;
}

/// A number in [0, bound) from 128 uniform bits.
static uint64_t below(uint64_t bound, const Counter &bits) {
  u128 x = (static_cast<u128>(bits[0]) << 64) | bits[1];
  return static_cast<uint64_t>(x % bound);
}

FieldDraw mirage::verify::drawField(bool withExp, Key key, bool structured) {
  constexpr uint64_t kLow = uint64_t(1) << 62;
  FieldDraw draw;
  // Domains 1 and 2 keep these counters apart from those of `Random`.
  for (uint64_t trial = 0;; ++trial) {
    Counter bits = philox({trial, 0, 0, 1}, key);
    if (!withExp) {
      draw.p = kLow + below(kLow, bits) / 2 * 2 + 1;
    } else {
      // Candidates 2 c q + 1 in [2^62, 2^63).
      uint64_t first = (kLow - 1) / (2 * kOrderQ) + 1;
      uint64_t last = (2 * kLow - 2) / (2 * kOrderQ);
      draw.p = 2 * kOrderQ * (first + below(last - first + 1, bits)) + 1;
    }
    if ((!structured || draw.p % 8 == 7) && isPrime(draw.p))
      break;
  }
  if (!withExp)
    return draw;
  PrimeField field(draw.p);
  for (uint64_t trial = 0;; ++trial) {
    Counter bits = philox({trial, 0, 0, 2}, key);
    uint64_t h = field.fromInteger(1 + below(draw.p - 1, bits));
    uint64_t omega = field.pow(h, (draw.p - 1) / kOrderQ);
    if (omega == field.one())
      continue;
    draw.omega = field.toInteger(omega);
    return draw;
  }
}

bool mirage::verify::isValidDraw(const FieldDraw &draw, bool withExp) {
  if (draw.p >> 62 != 1 || !isPrime(draw.p))
    return false;
  if (!withExp)
    return draw.omega == 0;
  if ((draw.p - 1) % kOrderQ != 0 || draw.omega == 0 || draw.omega >= draw.p)
    return false;
  PrimeField field(draw.p);
  uint64_t omega = field.fromInteger(draw.omega);
  return omega != field.one() && field.pow(omega, kOrderQ) == field.one();
}
