//===- Seeds.h - Where randomness comes from --------------------*- C++ -*-===//

#ifndef MIRAGE_LIB_VERIFY_SEEDS_H
#define MIRAGE_LIB_VERIFY_SEEDS_H

#include "Mirage/Verify/Field.h"
#include "Mirage/Verify/Verify.h"

namespace mirage::verify {

struct Keys {
  Key draw, input, hash;
};

/// Keys of one attempt. Each depends on every bit of the seed.
Keys deriveKeys(const Seed &seed, uint32_t interpretation, uint32_t test,
                uint32_t attempt);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_SEEDS_H
