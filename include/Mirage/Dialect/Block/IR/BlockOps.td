//===- BlockOps.td - The mgraph_block dialect ---------------*- tablegen -*-===//

#ifndef MIRAGE_DIALECT_BLOCK_IR_BLOCKOPS_TD
#define MIRAGE_DIALECT_BLOCK_IR_BLOCKOPS_TD

include "Mirage/Dialect/Common/IR/ComputeOps.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"

//===----------------------------------------------------------------------===//
// Dialect, types, attributes
//===----------------------------------------------------------------------===//

def BlockDialect : Dialect {
  let name = "mgraph_block";
  let cppNamespace = "::mirage::block";
  let dependentDialects = ["::mirage::MirageDialect"];
  let summary = "Programs of one thread block, over tiles";
  let description = [{
    A block graph is the region of an `mgraph_kernel.graph`: straight-line ops and
    loops over tiles that lie in shared memory or registers. Loads and stores map
    tiles to parts of tensors in device memory.

    A load yields the tensor's element type, and ops that move data keep theirs.
    Every other op computes in `f32` and yields `f32`, except `cast`, `compare`
    and `iota`; a store converts to the element type of its result.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void addBlockOperations();";
}

def Block_Tile : TypeDef<BlockDialect, "Tile", [ShapedTypeInterface]> {
  let mnemonic = "tile";
  let summary = "tile of a thread block";
  let description = [{
    An array of static shape that the threads of a block share, as
    `!mgraph_block.tile<16x64xf16>`. Where its elements lie is not part of the
    type.

    Constraints:
    - (C1) The rank is at most 6 and each size at least 1.
    - (C2) The element type is `f16`, `bf16`, `f32`, `f64`, `i1`, `i32` or `i64`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const {
      return get(getContext(), shape.value_or(getShape()), elementType);
    }
  }];
  // A dimension list has no declarative format.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Block_Accumulator : AttrDef<BlockDialect, "Accumulator"> {
  let mnemonic = "accumulator";
  let summary = "How a loop combines a value over its iterations";
  let description = [{
    `#mgraph_block.accumulator<sum>` starts from 0 and adds, `<max>` starts from
    minus infinity and takes the maximum, `<rescale>` starts from 0, multiplies
    the state by a factor and then adds. With a dim, as in `<sum, 1>`, the value
    is first reduced along it (summed, or for `max` its maximum taken), and the
    dim has size 1 in the total.
  }];
  let parameters = (ins EnumParameter<Mirage_AccumulatorKind>:$kind,
                        DefaultValuedParameter<"int64_t", "-1">:$dim);
  let assemblyFormat = "`<` $kind (`,` $dim^)? `>`";
}

def Block_AccumulatorArray
    : TypedArrayAttrBase<Block_Accumulator, "array of accumulators">;

class Block_Op<string mnemonic, list<Trait> traits = []>
    : Op<BlockDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Compute ops
//===----------------------------------------------------------------------===//

def Block_Level : Mirage_Level<BlockDialect, Block_Tile, "Block", "", "<",
                               "the result's element type is `f32`">;

defm Block_ : Mirage_ComputeOps<Block_Level>;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Block_LoadOp : Block_Op<"load", [Pure]> {
  let summary = "Tile of a tensor in device memory";
  let description = [{
    Each grid axis g (x, y, z) splits the source's dim `imap[g]`, or none for -1;
    the enclosing loop splits dim `fmap`, or none. With G the row-major index of
    the block over the grid axes that split a dim (x outermost), Ng their
    product, i the iteration, R the loop's range and t the tile's size in the dim,
    the tile begins at `(G * R + i) * t`, or with `interleaved` at
    `(i * Ng + G) * t`.

    A load in a loop names the loop's induction value: it reads anew in each
    iteration, even where the tile is the same.

    Constraints:
    - (C1) The source is an argument of the enclosing graph.
    - (C2) `imap` has 3 entries, each a dim of the source or -1.
    - (C3) The iteration, if present, is the induction value of the enclosing
      loop; `fmap` is a dim of the source, and needs the iteration.
    - (C4) The splits divide the source's sizes, and the quotients are the sizes
      of the result, whose element type is the source's.

    Example:

    ```mlir
    %0 = load %a[%i] imap [-1, -1, 1] fmap 1
        : tensor<16x4096xf16> -> <16x64xf16>
    ```
  }];
  let arguments = (ins Mirage_Tensor:$source, Optional<Index>:$iteration,
                       DenseI64ArrayAttr:$imap,
                       DefaultValuedAttr<I64Attr, "-1">:$fmap,
                       UnitAttr:$interleaved);
  let results = (outs Block_Tile:$result);
  let assemblyFormat = [{
    $source (`[` $iteration^ `]`)? `imap` $imap (`fmap` $fmap^)?
    (`interleaved` $interleaved^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Block_ForOp : Block_Op<"for", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<LoopLikeOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Loop over the pieces of tensors, with accumulators";
  let description = [{
    Runs its body `range` times; the region's argument is the iteration, from 0.
    The terminator lists accumulators, and their totals, in `f32`, are the
    results: nothing else leaves the loop.

    Constraints:
    - (C1) `range` is at least 1 and at most 2^31 - 1.
    - (C2) The loop stands in the body of a graph, not in another loop.
    - (C3) The region has one argument of type `index`.
    - (C4) The terminator has one accumulator for each result.
    - (C5) The dim of an accumulator is one of its value, or absent.
    - (C6) A result has the shape of the accumulator's value, with 1 in its dim,
      and element type `f32`.
    - (C7) A factor broadcasts to the result.

    Example:

    ```mlir
    %acc, %ss = for %i = 64 -> <16x64xf32>, <16x1xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1
          : tensor<16x4096xf16> -> <16x64xf16>
      %1 = load %b[%i] imap [1, -1, -1] fmap 0
          : tensor<4096x6144xf16> -> <64x64xf16>
      %2 = matmul %0, %1 : (<16x64xf16>, <64x64xf16>) -> <16x64xf32>
      %3 = square %0 : <16x64xf16> -> <16x64xf32>
      yield sum %2, sum(1) %3 : <16x64xf32>, <16x64xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$range);
  let results = (outs Variadic<Block_Tile>:$results);
  let regions = (region SizedRegion<1>:$bodyRegion);
  // The region's argument stands before the range.
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Makes the region with its argument; the caller fills in the body.
    OpBuilder<(ins "int64_t":$range, "::mlir::TypeRange":$results)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Value getInductionVar() { return getBodyRegion().getArgument(0); }
  }];
}

def Block_YieldOp : Block_Op<"yield", [Pure, Terminator, AttrSizedOperandSegments]> {
  let summary = "What a graph or a loop yields";
  let description = [{
    In a graph, the tensors of its stores. In a loop, accumulators: each a kind,
    `sum`, `max` or `rescale(%factor)`, with an optional dim that the value is
    first reduced along, and the value.

    Constraints:
    - (C1) Its parent is a graph or a loop.
    - (C2) In a loop, there is one accumulator for each value; in a graph, none.
    - (C3) There is one factor for each `rescale`.
    - (C4) In a loop the values are tiles of floats.

    Examples:

    ```mlir
    yield sum %2, sum(1) %3, rescale(%f, 1) %v
        : <16x64xf32>, <16x64xf32>, <16x1xf32>, <16x64xf32>
    yield %s : tensor<16x6144xf16>
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Block_Tile, Mirage_Tensor]>>:$values,
                       Variadic<Block_Tile>:$factors,
                       OptionalAttr<Block_AccumulatorArray>:$accumulators);
  let builders = [
    // The terminator of a graph.
    OpBuilder<(ins "::mlir::ValueRange":$values), [{
      build($_builder, $_state, values, ::mlir::ValueRange{}, nullptr);
    }]>
  ];
  let assemblyFormat = [{
    custom<Yield>($values, type($values), $factors, type($factors), $accumulators)
    attr-dict
  }];
  let hasVerifier = 1;
}

def Block_RunningOp : Block_Op<"running", [Pure]> {
  let summary = "State of an accumulator inside its loop";
  let description = [{
    The state of the loop's accumulator with this index, after (`current`) or
    before (`previous`) this iteration's contribution. Before the first iteration
    the state of a `max` is minus infinity and that of the others 0.

    Constraints:
    - (C1) The op stands in a loop, and names its induction value.
    - (C2) The loop has an accumulator of this index.
    - (C3) The result has the type of the loop's result of this index.
    - (C4) For `current`, the accumulator's value is defined before this op.

    Example:

    ```mlir
    %m = running current 0[%i] : <16x1xf32>
    ```
  }];
  let arguments = (ins Mirage_RunningKind:$kind, I64Attr:$accumulator,
                       Index:$iteration);
  let results = (outs Block_Tile:$result);
  let assemblyFormat = [{
    $kind $accumulator `[` $iteration `]` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Block_ReduceBlocksOp
    : Block_Op<"reduce_blocks", [Pure, SameOperandsAndResultType]> {
  let summary = "Sum or maximum of a tile over the blocks of a grid axis";
  let description = [{
    Combines the tiles of all blocks that differ only along grid axis `dim`
    (0 for x, 1 for y, 2 for z); each of these blocks then holds the result. All of
    them wait for each other.

    Constraints:
    - (C1) The op stands in the body of a graph, outside loops.
    - (C2) `dim` is 0, 1 or 2.
    - (C3) The kind is `sum` or `max`.
    - (C4) The element type is a float.

    Example:

    ```mlir
    %r = reduce_blocks sum %acc dim 2 : <16x64xf32>
    ```
  }];
  let arguments = (ins Mirage_ReduceKind:$kind, Block_Tile:$tile,
                       I64Attr:$grid_dim);
  let results = (outs Block_Tile:$result);
  let assemblyFormat = "$kind $tile `dim` $grid_dim attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Block_StoreOp : Block_Op<"store"> {
  let summary = "Tensor that is made of the tiles of all blocks";
  let description = [{
    Each grid axis g concatenates tiles along dim `omap[g]` of the result; for
    -1 the blocks along g hold the same tile, which is written once.

    Constraints:
    - (C1) The op stands in the body of a graph, outside loops.
    - (C2) `omap` has 3 entries, each a dim of the tile or -1.
    - (C3) The result has the tile's shape, multiplied by the grid's size where
      `omap` says so; its element type is any that the tile converts to: a float
      for floats, else the tile's own.

    Example:

    ```mlir
    %s = store %t omap [1, -1, -1] : <16x64xf32> -> tensor<16x6144xf16>
    ```
  }];
  let arguments = (ins Block_Tile:$tile, DenseI64ArrayAttr:$omap);
  // Allocation, not purity: two equal stores are two results and must not be
  // merged, but a graph that nothing uses may go.
  let results = (outs Res<Mirage_Tensor, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    $tile `omap` $omap attr-dict `:` type($tile) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // MIRAGE_DIALECT_BLOCK_IR_BLOCKOPS_TD
