//===- Passes.h - Passes on tensor programs ---------------------*- C++ -*-===//

#ifndef MIRAGE_TRANSFORMS_PASSES_H
#define MIRAGE_TRANSFORMS_PASSES_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Transforms/PassNumber.h"
#include "mlir/Pass/Pass.h"

namespace mirage {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Mirage/Transforms/Passes.h.inc"

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_PASSES_H
