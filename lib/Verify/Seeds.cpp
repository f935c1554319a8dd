//===- Seeds.cpp - Where randomness comes from ----------------------------===//

#include "Seeds.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"
#include <random>

#if defined(__linux__)
#include <sys/random.h>
#endif

using namespace mirage::verify;

llvm::Expected<Seed> mirage::verify::systemSeed() {
  Seed seed;
#if defined(__linux__)
  if (getrandom(seed.data(), seed.size(), 0) !=
      static_cast<ssize_t>(seed.size()))
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "expected 32 random bytes from the system, but got fewer");
#else
  std::random_device device;
  for (uint8_t &byte : seed)
    byte = static_cast<uint8_t>(device());
#endif
  return seed;
}

Keys mirage::verify::deriveKeys(const Seed &seed, uint32_t interpretation,
                                uint32_t test, uint32_t attempt) {
  auto derive = [&](uint32_t use) {
    uint8_t message[48] = {};
    std::copy(seed.begin(), seed.end(), message);
    uint32_t words[] = {interpretation, test, attempt, use};
    for (int i = 0; i < 4; ++i)
      llvm::support::endian::write32le(message + 32 + 4 * i, words[i]);
    std::array<uint8_t, 32> digest = llvm::SHA256::hash(message);
    return Key{llvm::support::endian::read64le(digest.data()),
               llvm::support::endian::read64le(digest.data() + 8)};
  };
  return {derive(0), derive(1), derive(2)};
}
