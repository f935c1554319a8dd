//===- Field.h - Prime fields and counter-based randomness ------*- C++ -*-===//
//
// Arithmetic modulo an odd prime below 2^63, in Montgomery form with radix
// R = 2^64. An element is a `uint64_t` in [0, p) that stands for value * R
// mod p; every function here takes and returns such representatives, except
// `fromInteger` and `toInteger`. The map value -> representative is a
// bijection, so a uniform representative is a uniform element.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_FIELD_H
#define MIRAGE_VERIFY_FIELD_H

#include <array>
#include <cstdint>

namespace mirage::verify {

using u128 = unsigned __int128;

class PrimeField {
public:
  PrimeField() = default;
  /// `modulus` is an odd prime below 2^63.
  explicit PrimeField(uint64_t modulus);

  uint64_t modulus() const { return p; }
  uint64_t one() const { return oneRep; }

  uint64_t add(uint64_t a, uint64_t b) const {
    uint64_t sum = a + b; // below 2^64, since p < 2^63
    return sum >= p ? sum - p : sum;
  }
  uint64_t sub(uint64_t a, uint64_t b) const {
    return a >= b ? a - b : a + p - b;
  }
  uint64_t neg(uint64_t a) const { return a ? p - a : 0; }
  uint64_t mul(uint64_t a, uint64_t b) const {
    return redc(static_cast<u128>(a) * b);
  }
  uint64_t pow(uint64_t base, uint64_t exponent) const;
  /// The inverse of a nonzero element.
  uint64_t inverse(uint64_t a) const { return pow(a, p - 2); }

  uint64_t fromInteger(uint64_t value) const { return mul(value % p, r2); }
  uint64_t fromSigned(int64_t value) const {
    return value < 0 ? neg(fromInteger(0 - static_cast<uint64_t>(value)))
                     : fromInteger(static_cast<uint64_t>(value));
  }
  uint64_t toInteger(uint64_t rep) const { return redc(rep); }

  /// x / R mod p, for x < p * R.
  uint64_t redc(u128 x) const {
    uint64_t m = static_cast<uint64_t>(x) * negInverse;
    // x + m p < 2 p R; the low halves cancel to 0 with a carry unless both are
    // 0.
    uint64_t high = static_cast<uint64_t>(x >> 64);
    uint64_t carry = static_cast<uint64_t>(x) != 0;
    uint64_t t =
        high + static_cast<uint64_t>((static_cast<u128>(m) * p) >> 64) + carry;
    return t >= p ? t - p : t;
  }

  /// An element from 128 uniform bits; the bias is below p / 2^128.
  uint64_t fromRandom(uint64_t high, uint64_t low) const {
    // redc wants high < p; a large p needs no division for that.
    if (p >> 62) {
      high = high >= 2 * p ? high - 2 * p : high;
      high = high >= p ? high - p : high;
    } else {
      high %= p;
    }
    return redc((static_cast<u128>(high) << 64) | low);
  }

private:
  uint64_t p = 3;
  uint64_t negInverse = 0; ///< -1/p mod 2^64
  uint64_t oneRep = 0;     ///< R mod p
  uint64_t r2 = 0;         ///< R^2 mod p
};

/// Whether n is prime: Miller-Rabin to the first twelve primes, which decides
/// every n below 2^64.
bool isPrime(uint64_t n);

/// Philox 4x64 with ten rounds (Salmon et al., SC'11): 256 random bits that
/// depend on a 256-bit counter and a 128-bit key. There is no state, so what is
/// drawn depends neither on order nor on threads.
using Counter = std::array<uint64_t, 4>;
using Key = std::array<uint64_t, 2>;
inline Counter philox(Counter c, Key key) {
  constexpr uint64_t kMul0 = 0xD2E7470EE14C6C93, kMul1 = 0xCA5A826395121157;
  constexpr uint64_t kWeyl0 = 0x9E3779B97F4A7C15, kWeyl1 = 0xBB67AE8584CAA73B;
  for (int round = 0; round < 10; ++round) {
    u128 a = static_cast<u128>(kMul0) * c[0];
    u128 b = static_cast<u128>(kMul1) * c[2];
    c = {static_cast<uint64_t>(b >> 64) ^ c[1] ^ key[0],
         static_cast<uint64_t>(b),
         static_cast<uint64_t>(a >> 64) ^ c[3] ^ key[1],
         static_cast<uint64_t>(a)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

/// Profile E: the order of the exponential's group, and the number of primes
/// = 1 mod q in [2^62, 2^63).
constexpr uint64_t kOrderQ = 1099511627191; // 2^40 - 585
constexpr uint64_t kPoolSizeE = 96646;
/// Profile R: at least 2^56.5 primes in [2^62, 2^63).
constexpr double kLog2PoolSizeR = 56.5;
constexpr double kLog2PoolFloor = 62.0;

/// What one attempt of one test draws before its inputs.
struct FieldDraw {
  uint64_t p = 0;
  uint64_t omega = 0;   ///< an element of order q, as an integer; 0 without q
  uint64_t q = kOrderQ; ///< tests of the theory take a small one
};

/// Draws p uniformly from the pool, and omega uniformly from the elements of
/// order q. `withExp` selects profile E; `structured` only those p = 7 mod 8,
/// where -1 is no square and 2 is one.
FieldDraw drawField(bool withExp, Key key, bool structured = false);

/// Whether `draw` could have come from the pool of this profile.
bool isValidDraw(const FieldDraw &draw, bool withExp);

} // namespace mirage::verify

#endif // MIRAGE_VERIFY_FIELD_H
