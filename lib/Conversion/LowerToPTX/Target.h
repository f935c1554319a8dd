//===- Target.h - What lowering asks of a target ----------------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_LOWERTOPTX_TARGET_H
#define MIRAGE_CONVERSION_LOWERTOPTX_TARGET_H

#include "Mirage/Cost/Target.h"
#include <string>

namespace mirage {

inline std::string loweringTargetNames() {
  std::string names;
  for (const cost::Target &target : cost::allTargets())
    names += (names.empty() ? "" : ", ") + target.name.str();
  return names;
}

} // namespace mirage

#endif // MIRAGE_CONVERSION_LOWERTOPTX_TARGET_H
