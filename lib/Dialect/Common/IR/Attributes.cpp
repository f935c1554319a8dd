//===- Attributes.cpp - The attributes named mirage.* ---------------------===//

#include "Mirage/Dialect/Common/IR/Attributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mirage;

MLIR_DEFINE_EXPLICIT_TYPE_ID(mirage::MirageDialect)

MirageDialect::MirageDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<MirageDialect>()) {}

// Diagnostics stand on the location: a function below a message hides it.
LogicalResult
MirageDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto expect = [&](bool holds, StringRef kind) -> LogicalResult {
    if (holds)
      return success();
    return emitError(op->getLoc(), "expected '")
           << name << "' to be " << kind << ", but got "
           << attribute.getValue();
  };
  if (name == kCertificateAttribute)
    return expect(isa<StringAttr>(attribute.getValue()), "a string");
  if (name == kReferenceAttribute)
    return expect(isa<FlatSymbolRefAttr>(attribute.getValue()), "a symbol");
  if (name == kReferenceRoleAttribute)
    return expect(isa<UnitAttr>(attribute.getValue()), "without a value");
  return emitError(op->getLoc(), "expected one of ")
         << kCertificateAttribute << ", " << kReferenceAttribute << " and "
         << kReferenceRoleAttribute << " as attribute of '" << op->getName()
         << "', but got '" << name << "'";
}

LogicalResult
MirageDialect::verifyRegionArgAttribute(Operation *op, unsigned region,
                                        unsigned argument,
                                        NamedAttribute attribute) {
  Region &body = op->getRegion(region);
  Location loc = body.empty() || argument >= body.getNumArguments()
                     ? op->getLoc()
                     : body.getArgument(argument).getLoc();
  if (attribute.getName() != kConstantAttribute)
    return emitError(loc, "expected ")
           << kConstantAttribute << " as attribute of an argument, but got '"
           << attribute.getName().getValue() << "'";
  if (!isa<UnitAttr>(attribute.getValue()))
    return emitError(loc, "expected '")
           << kConstantAttribute << "' to be without a value, but got "
           << attribute.getValue();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && !isa<TensorType>(function.getArgumentTypes()[argument]))
    return emitError(loc, "expected '")
           << kConstantAttribute << "' on a tensor, but got "
           << function.getArgumentTypes()[argument];
  return success();
}

LogicalResult
MirageDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                           NamedAttribute attribute) {
  return emitError(op->getLoc(), "expected no attribute of mirage on a "
                                 "result, but got '")
         << attribute.getName().getValue() << "'";
}
