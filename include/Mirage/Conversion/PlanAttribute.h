//===- PlanAttribute.h - Launch plans as attributes -------------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_PLANATTRIBUTE_H
#define MIRAGE_CONVERSION_PLANATTRIBUTE_H

#include "Mirage/Runtime/LaunchPlan.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mirage {

/// The plan as a dictionary with the keys and values of its JSON form.
mlir::DictionaryAttr planToAttribute(mlir::MLIRContext *context,
                                     const runtime::LaunchPlan &plan);

/// Reads it back, with the errors of the JSON reader.
llvm::Expected<runtime::LaunchPlan>
planFromAttribute(mlir::DictionaryAttr attribute);

} // namespace mirage

#endif // MIRAGE_CONVERSION_PLANATTRIBUTE_H
