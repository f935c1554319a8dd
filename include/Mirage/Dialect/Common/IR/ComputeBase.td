//===- ComputeBase.td - Classes of compute ops --------------*- tablegen -*-===//
//
// What the compute ops of all levels are made of: a level, an op whose meaning
// is a row of Mirage/Semantics/Ops.def, and the two elementwise forms.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_COMMON_IR_COMPUTEBASE_TD
#define MIRAGE_DIALECT_COMMON_IR_COMPUTEBASE_TD

include "Mirage/Dialect/Common/IR/Enums.td"
include "Mirage/Dialect/Common/IR/Interfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mirage_Tensor : Type<
    And<[AnyRankedTensor.predicate, CPred<"::mirage::isProgramTensor($_self)">]>,
    "ranked tensor of static shape, rank at most 6, sizes of at least 1, no "
    "encoding, and element type f16, bf16, f32, f64, i1, i32 or i64", "::mlir::RankedTensorType">;

/// What distinguishes one level from another.
class Mirage_Level<Dialect d, Type valueType, string semanticsLevel,
                   string shown, string opened, string element> {
  Dialect dialect = d;
  Type value = valueType;
  string level = semanticsLevel;   // enumerator of semantics::Level
  string op = shown;               // how examples spell an op's prefix
  string open = opened;            // how examples open a type
  string elementRule = element;    // rule for the result's element type
}

/// An op of the table. `attrsCode` fills `attrs` from `adaptor`.
class Mirage_ComputeOp<Mirage_Level level, string mnemonic, string kind,
                       list<Trait> traits = []>
    : Op<level.dialect, mnemonic,
         !listconcat([Pure, MirageComputeOpInterface], traits)> {
  string attrsCode = "";
  string inferCode = "";
  let results = (outs level.value:$result);
  let extraClassDeclaration = [{
    static constexpr ::mirage::semantics::OpKind kSemanticsKind =
        ::mirage::semantics::OpKind::}] # kind # [{;
    static constexpr ::mirage::semantics::Level kSemanticsLevel =
        ::mirage::semantics::Level::}] # level.level # [{;
    /// Attributes in the table's terms, of an op or of one that is being built.
    static ::mirage::semantics::Attrs readAttrs(Adaptor adaptor) {
      ::mirage::semantics::Attrs attrs;
      }] # attrsCode # [{
      return attrs;
    }
  }] # inferCode;
}

/// An op of the table whose operands determine its result's type.
class Mirage_InferredOp<Mirage_Level level, string mnemonic, string kind,
                        list<Trait> traits = []>
    : Mirage_ComputeOp<level, mnemonic, kind,
                       !listconcat([InferTypeOpInterface], traits)> {
  let inferCode = [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      return ::mirage::detail::inferComputeResult(
          kSemanticsKind, kSemanticsLevel,
          readAttrs(Adaptor(operands, attributes, properties, regions)),
          operands.getTypes(), location, inferred);
    }
  }];
}

class Mirage_UnaryOp<Mirage_Level level, string mnemonic, string kind,
                     string noun, string formula>
    : Mirage_InferredOp<level, mnemonic, kind> {
  let summary = noun # ", element by element";
  let description = [{
    Computes `result[i] = }] # formula # [{` with `x = input[i]`.

    Constraints:
    - (C1) The element type of the input is a float.
    - (C2) The result has the input's shape;
      }] # level.elementRule # [{.

    Example:

    ```mlir
    %r = }] # level.op # mnemonic # " %x : " # level.open # "16x64xf32> -> "
    # level.open # [{16x64xf32>
    ```
  }];
  let arguments = (ins level.value:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

class Mirage_BinaryOp<Mirage_Level level, string mnemonic, string kind,
                      string noun, string formula>
    : Mirage_InferredOp<level, mnemonic, kind> {
  let summary = noun # ", element by element, with broadcast";
  let description = [{
    Computes `result[i] = }] # formula
    # [{` with `a = lhs[i]` and `b = rhs[i]`; an index into
    a dim of size 1 is read as 0, so that a value of shape `1x...x1` is a scalar.

    Constraints:
    - (C1) Both operands have the same rank.
    - (C2) In each dim their sizes are equal, or one of them is 1.
    - (C3) The element types are floats; at the kernel level they are equal.
    - (C4) Each dim of the result is the larger of the two;
      }] # level.elementRule # [{.

    Example:

    ```mlir
    %r = }] # level.op # mnemonic # " %a, %b : (" # level.open
    # "16x64xf32>, " # level.open # "16x1xf32>) -> " # level.open # [{16x64xf32>
    ```
  }];
  let arguments = (ins level.value:$lhs, level.value:$rhs);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)`
    `->` type($result)
  }];
}

#endif // MIRAGE_DIALECT_COMMON_IR_COMPUTEBASE_TD
