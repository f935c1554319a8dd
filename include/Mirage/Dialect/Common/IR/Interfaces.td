//===- Interfaces.td - Interfaces of tensor-program ops -----*- tablegen -*-===//

#ifndef MIRAGE_DIALECT_COMMON_IR_INTERFACES_TD
#define MIRAGE_DIALECT_COMMON_IR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def MirageComputeOpInterface : OpInterface<"MirageComputeOpInterface"> {
  let cppNamespace = "::mirage";
  let description = [{
    An op whose meaning is a row of the table in Mirage/Semantics/Ops.def. Its
    type rule is `semantics::inferType`, which also verifies it.
  }];
  let methods = [
    InterfaceMethod<"Row of the table that gives this op its meaning.",
      "::mirage::semantics::OpKind", "getSemanticsKind", (ins), "",
      "return ConcreteOp::kSemanticsKind;">,
    InterfaceMethod<"Level at which this op stands.",
      "::mirage::semantics::Level", "getSemanticsLevel", (ins), "",
      "return ConcreteOp::kSemanticsLevel;">,
    InterfaceMethod<"Attributes of this op in the table's terms.",
      "::mirage::semantics::Attrs", "getSemanticsAttrs", (ins), "",
      "return ConcreteOp::readAttrs(typename ConcreteOp::Adaptor($_op));">,
  ];
  let verify = "return ::mirage::detail::verifyComputeOp($_op);";
}

def MirageGraphOpInterface : OpInterface<"MirageGraphOpInterface"> {
  let cppNamespace = "::mirage";
  let description = [{
    An op that holds a block graph: it runs its region once for each block of a
    grid. Block-level ops read the grid through this interface, so that their
    dialect does not depend on the one above.
  }];
  let methods = [
    InterfaceMethod<"Number of blocks along the grid axes x, y and z.",
      "::mirage::semantics::GridDims", "getGridDims">,
  ];
}

#endif // MIRAGE_DIALECT_COMMON_IR_INTERFACES_TD
