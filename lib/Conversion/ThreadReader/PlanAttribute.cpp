//===- PlanAttribute.cpp - Launch plans as attributes ---------------------===//

#include "Mirage/Conversion/PlanAttribute.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mirage;

namespace {
Attribute toAttribute(Builder &b, const llvm::json::Value &value) {
  if (const llvm::json::Object *object = value.getAsObject()) {
    SmallVector<NamedAttribute> entries;
    for (const auto &entry : *object)
      entries.push_back(
          b.getNamedAttr(StringRef(entry.first), toAttribute(b, entry.second)));
    return b.getDictionaryAttr(entries);
  }
  if (const llvm::json::Array *array = value.getAsArray()) {
    SmallVector<Attribute> elements;
    for (const llvm::json::Value &element : *array)
      elements.push_back(toAttribute(b, element));
    return b.getArrayAttr(elements);
  }
  if (auto text = value.getAsString())
    return b.getStringAttr(*text);
  if (auto flag = value.getAsBoolean())
    return b.getBoolAttr(*flag);
  // A plan's numbers are integers.
  return b.getI64IntegerAttr(value.getAsInteger().value_or(0));
}

llvm::json::Value toJSONValue(Attribute attribute) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (NamedAttribute entry : dictionary)
      object[entry.getName().str()] = toJSONValue(entry.getValue());
    return object;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    llvm::json::Array elements;
    for (Attribute element : array)
      elements.push_back(toJSONValue(element));
    return elements;
  }
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue().str();
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getInt();
  return nullptr; // the reader names the place
}
} // namespace

DictionaryAttr mirage::planToAttribute(MLIRContext *context,
                                       const runtime::LaunchPlan &plan) {
  Builder b(context);
  return cast<DictionaryAttr>(toAttribute(b, runtime::toJSON(plan)));
}

llvm::Expected<runtime::LaunchPlan>
mirage::planFromAttribute(DictionaryAttr attribute) {
  return runtime::launchPlanFromJSON(toJSONValue(attribute));
}
