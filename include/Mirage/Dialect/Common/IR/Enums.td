//===- Enums.td - Enumerations of the kernel and block dialects -*- tablegen -*-===//
//
// The numbering is that of the enumerations in Mirage/Semantics/Program.h;
// SemanticsSupport.cpp checks it statically.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_COMMON_IR_ENUMS_TD
#define MIRAGE_DIALECT_COMMON_IR_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Mirage_ReduceKind : I32EnumAttr<"ReduceKind", "how a reduction combines", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Mean", 2, "mean">]> {
  let cppNamespace = "::mirage";
}

def Mirage_Predicate : I32EnumAttr<"Predicate", "comparison of two elements", [
    I32EnumAttrCase<"Eq", 0, "eq">,
    I32EnumAttrCase<"Ne", 1, "ne">,
    I32EnumAttrCase<"Lt", 2, "lt">,
    I32EnumAttrCase<"Le", 3, "le">,
    I32EnumAttrCase<"Gt", 4, "gt">,
    I32EnumAttrCase<"Ge", 5, "ge">]> {
  let cppNamespace = "::mirage";
}

def Mirage_ConstantKind : I32EnumAttr<"ConstantKind", "where a constant stems from", [
    I32EnumAttrCase<"Literal", 0, "literal">,
    I32EnumAttrCase<"Extent", 1, "extent">,
    I32EnumAttrCase<"InvExtent", 2, "inv_extent">,
    I32EnumAttrCase<"RsqrtExtent", 3, "rsqrt_extent">,
    I32EnumAttrCase<"NegInf", 4, "neg_inf">]> {
  let cppNamespace = "::mirage";
}

def Mirage_AccumulatorKind : I32EnumAttr<"AccumulatorKind", "how an accumulator combines", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Rescale", 2, "rescale">]> {
  let cppNamespace = "::mirage";
}

def Mirage_RunningKind : I32EnumAttr<"RunningKind", "state of an accumulator in a loop", [
    I32EnumAttrCase<"Current", 0, "current">,
    I32EnumAttrCase<"Previous", 1, "previous">]> {
  let cppNamespace = "::mirage";
}

#endif // MIRAGE_DIALECT_COMMON_IR_ENUMS_TD
