//===- VerifySeed.h - Seeds from an option ----------------------*- C++ -*-===//

#ifndef MIRAGE_TRANSFORMS_VERIFYSEED_H
#define MIRAGE_TRANSFORMS_VERIFYSEED_H

#include "Mirage/Verify/Verify.h"

namespace mirage {

/// The verifier's seed for an option's value: none for 0, so that the operating
/// system draws it; else the value itself, padded with zeros.
inline std::optional<verify::Seed> expandSeed(uint64_t value) {
  if (value == 0)
    return std::nullopt;
  verify::Seed seed{};
  for (unsigned i = 0; i < 8; ++i)
    seed[i] = static_cast<uint8_t>(value >> (8 * i));
  return seed;
}

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_VERIFYSEED_H
