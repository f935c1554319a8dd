//===- Target.h - What lowering asks of a target ----------------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_LOWERTOPTX_TARGET_H
#define MIRAGE_CONVERSION_LOWERTOPTX_TARGET_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mirage {

struct LoweringTarget {
  llvm::StringLiteral name;
  bool hasClusters;       ///< clusters and distributed shared memory
  bool hasGridDependency; ///< griddepcontrol
  int64_t sharedLimit;    ///< bytes of shared memory that a block may use
};

inline llvm::ArrayRef<LoweringTarget> loweringTargets() {
  static constexpr LoweringTarget table[] = {
      {"sm_80", false, false, 163 * 1024}, {"sm_86", false, false, 99 * 1024},
      {"sm_89", false, false, 99 * 1024},  {"sm_90a", true, true, 227 * 1024},
      {"sm_100a", true, true, 227 * 1024}, {"sm_120a", true, true, 99 * 1024}};
  return table;
}

inline std::optional<LoweringTarget> findLoweringTarget(llvm::StringRef name) {
  for (const LoweringTarget &target : loweringTargets())
    if (target.name == name)
      return target;
  return std::nullopt;
}

inline std::string loweringTargetNames() {
  std::string names;
  for (const LoweringTarget &target : loweringTargets())
    names += (names.empty() ? "" : ", ") + target.name.str();
  return names;
}

} // namespace mirage

#endif // MIRAGE_CONVERSION_LOWERTOPTX_TARGET_H
