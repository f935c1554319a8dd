//===- ThreadOps.td - The thread-level dialect -------------*- tablegen -*-===//

#ifndef MIRAGE_DIALECT_THREAD_IR_THREADOPS
#define MIRAGE_DIALECT_THREAD_IR_THREADOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ThreadDialect : Dialect {
  let name = "mgraph_thread";
  let cppNamespace = "::mirage::thread";
  let summary = "What the threads of one block do";
  let description = [{
    The lowest level of a μGraph: the code of one kernel, written as operations
    that all threads of a block execute together. Values are fragments, tiles
    whose elements lie in the registers of the threads as a layout says, and
    buffers, tiles in shared memory. Memory traffic, pipelines and barriers are
    explicit; instructions are not: `convert-mgraph-thread-to-nvvm` chooses them.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Layouts and types
//===----------------------------------------------------------------------===//

class Thread_Attr<string name, string attrMnemonic> : AttrDef<ThreadDialect, name> {
  let mnemonic = attrMnemonic;
}

def Thread_LinearLayoutAttr : Thread_Attr<"LinearLayout", "linear"> {
  let summary = "Rows of consecutive threads, each with a vector of columns";
  let description = [{
    Distributes a `rows` x `cols` tile over `threads` threads. `vec` consecutive
    columns lie in one thread; the next thread holds the next `vec`; when a row
    needs fewer threads than there are, the next row follows. Elements past the
    tile are padding: no store writes them and no reduction counts them.

    Constraints:
    - (C1) `rows` and `cols` lie in [1, 2147483647].
    - (C2) `vec` is a power of two, at most 16.
    - (C3) `threads` is a multiple of 32, at most 1024.
    - (C4) A thread holds at most 1048576 elements, padding included.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "int64_t":$vec,
                        "int64_t":$threads);
  let assemblyFormat =
      "`<` $rows `x` $cols `,` `vec` `=` $vec `,` `threads` `=` $threads `>`";
}

def Thread_MmaLayoutAttr : Thread_Attr<"MmaLayout", "mma"> {
  let summary = "Accumulators of mma.sync m16n8";
  let description = [{
    Distributes a `rows` x `cols` tile over `warps_m` x `warps_n` warps, each
    with an equal piece in the accumulator layout of `mma.sync.m16n8`: lane l
    holds rows l/4 and l/4 + 8 and columns 2(l%4), 2(l%4) + 1 of each 16 x 8
    piece. Rows are padded to a multiple of 16 for each warp.

    Constraints:
    - (C1) `rows` and `cols` lie in [1, 2147483647].
    - (C2) 1 to 32 warps.
    - (C3) A thread holds at most 1048576 elements, padding included.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "int64_t":$warpsM,
                        "int64_t":$warpsN);
  let assemblyFormat =
      "`<` $rows `x` $cols `,` `warps` `=` $warpsM `x` $warpsN `>`";
}

def Thread_FragmentType : TypeDef<ThreadDialect, "Fragment"> {
  let mnemonic = "fragment";
  let summary = "A tile in the registers of a block's threads";
  let description = [{
    `rows` and `cols` are the layout's sizes or 1: a size of 1 where the layout
    has more is a value that is the same along that dim, held once by each
    thread that holds part of the row or column.

    Constraints:
    - (C1) the layout is `linear` or `mma`.
    - (C2) `rows` and `cols` are 1 or the layout's.
    - (C3) elements are f16, bf16, f32, f64, i1, i32 or i64.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$rows, "int64_t":$cols,
                        "::mlir::Type":$elementType, "::mlir::Attribute":$layout);
  let assemblyFormat = "`<` $rows `x` $cols `,` $elementType `,` $layout `>`";
}

def Thread_BufferType : TypeDef<ThreadDialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A ring of tiles in shared memory";
  let description = [{
    `stages` tiles of `rows` x `cols`, one after the other. A row takes
    `rowBytes` bytes. With `swizzle` rows of more than 128 bytes are cut into
    panels of 128, one after the other, and the 16-byte chunks of a row are
    permuted by an exclusive or with the row's index, so that eight rows of one
    column lie in different banks: the 128-, 64- and 32-byte swizzles of wgmma and
    of tensor copies.

    Constraints:
    - (C1) `stages`, `rows` and `cols` are at least 1.
    - (C2) elements are f16, bf16 or f32.
    - (C3) `rowBytes` holds `cols` elements and is a multiple of their size.
    - (C4) a swizzled row is a power of two of 16-byte chunks.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$stages, "int64_t":$rows, "int64_t":$cols,
                        "::mlir::Type":$elementType, "int64_t":$rowBytes,
                        "bool":$swizzle);
  let assemblyFormat = [{
    `<` $stages `x` $rows `x` $cols `,` $elementType `,` `row_bytes` `=`
    $rowBytes `,` `swizzle` `=` $swizzle `>`
  }];
  let extraClassDeclaration = [{
    /// Bytes of one tile, a multiple of 128.
    int64_t getStageBytes() const;
  }];
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Thread_Op<string opMnemonic, list<Trait> traits = []>
    : Op<ThreadDialect, opMnemonic, traits>;

def Thread_KernelOp : Thread_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "One kernel: its launch shape and the code of a block";
  let description = [{
    The block arguments are tensors in device memory: the inputs, then the
    outputs. `constant_inputs` lists inputs that no earlier kernel writes, which
    may therefore be read before `griddepcontrol.wait`.

    Constraints:
    - (C1) grid is a multiple of cluster in every dim.
    - (C2) `threads` is a multiple of 32, at most 1024.
    - (C3) the name consists of letters, digits, `_` and `$`.
    - (C4) arguments are tensors, and the body ends in `return`.
    - (C5) layouts distribute over `threads` threads.
    - (C6) a thread holds at most 256 elements of a fragment, as many as it has
      registers.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$num_inputs,
      DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$cluster, I64Attr:$threads,
      I64Attr:$shared_bytes, DenseI64ArrayAttr:$constant_inputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `grid` $grid `cluster` $cluster `threads` $threads `shared`
    $shared_bytes `inputs` $num_inputs `constant` $constant_inputs
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Thread_ReturnOp : Thread_Op<"return", [Terminator]> {
  let summary = "End of a kernel";
  let assemblyFormat = "attr-dict";
}

def Thread_YieldOp : Thread_Op<"yield", [Pure, Terminator]> {
  let summary = "Values carried to a loop's next iteration";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` qualified(type($values)))? attr-dict";
}

def Thread_ForOp : Thread_Op<"for", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "A counted loop with carried fragments";
  let description = [{
    The block arguments are the iteration (i32, from 0) and the carried values.

    Constraints:
    - (C1) `range` is at least 1.
    - (C2) carried values are i32 or fragments, of the same types as arguments,
      yielded values and results.
  }];
  let arguments = (ins I64Attr:$range, Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $range `carries` `(` $inits `)` `:` functional-type($inits, $results)
    $body attr-dict
  }];
  let hasVerifier = 1;
}

def Thread_IndexOp : Thread_Op<"index", [Pure]> {
  let summary = "A constant iteration or stage";
  let arguments = (ins I64Attr:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "$value attr-dict";
}

def Thread_AdvanceOp : Thread_Op<"advance", [Pure]> {
  let summary = "An iteration or stage, moved forward";
  let description = [{
    `value + step`, minus `modulo` when that is not below it. `modulo` 0 means
    none.
  }];
  let arguments = (ins I32:$value, I64Attr:$step, I64Attr:$modulo);
  let results = (outs I32:$result);
  let assemblyFormat = "$value `by` $step `modulo` $modulo attr-dict";
}

def Thread_AllocOp : Thread_Op<"alloc", [Pure]> {
  let summary = "A buffer at a fixed offset of the block's shared memory";
  let arguments = (ins I64Attr:$offset);
  let results = (outs Thread_BufferType:$result);
  let assemblyFormat = "$offset attr-dict `:` qualified(type($result))";
}

def Thread_CopyAsyncOp : Thread_Op<"copy_async"> {
  let summary = "Starts copying a tile of a tensor into one stage of a buffer";
  let description = [{
    The tile is the one that a load with this `imap`, `fmap` and `interleaved`
    reads in iteration `iteration` of a loop of `range` iterations. Nothing is
    read when `iteration` is not below `range`. The copy is complete after a
    `wait` that covers its `commit`, and visible to other threads after a
    barrier.

    Constraints:
    - (C1) maps have 3 entries; they and `fmap` are dims of the tensor or -1.
    - (C2) the tensor has a static shape of f16, bf16 or f32, and the grid (times
      `range`, at least 1) divides each dim that it splits.
    - (C3) the tile fits the buffer, which holds elements of the same type.
    - (C4) rows of the tile and of the buffer are multiples of 16 bytes.
  }];
  let arguments = (ins AnyRankedTensor:$source, I32:$iteration,
      Thread_BufferType:$target, I32:$stage, DenseI64ArrayAttr:$imap,
      I64Attr:$fmap, BoolAttr:$interleaved, I64Attr:$range);
  let assemblyFormat = [{
    $source `[` $iteration `of` $range `]` `imap` $imap `fmap` $fmap
    `interleaved` $interleaved `to` $target `[` $stage `]` attr-dict `:`
    type($source) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Thread_CommitOp : Thread_Op<"commit"> {
  let summary = "Closes a group of asynchronous copies";
  let assemblyFormat = "attr-dict";
}

def Thread_WaitOp : Thread_Op<"wait"> {
  let summary = "Waits until at most `pending` groups of copies are in flight";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Thread_BarrierOp : Thread_Op<"barrier"> {
  let summary = "Barrier of the block's threads";
  let assemblyFormat = "attr-dict";
}

def Thread_ClusterBarrierOp : Thread_Op<"cluster_barrier"> {
  let summary = "Barrier of all threads of the cluster";
  let assemblyFormat = "attr-dict";
}

def Thread_GridDependencyWaitOp : Thread_Op<"grid_dependency_wait"> {
  let summary = "Waits for the kernels that this one depends on";
  let description = [{
    `griddepcontrol.wait`: after it, what earlier kernels of the stream wrote is
    visible. Without dependent launch it returns at once.
  }];
  let assemblyFormat = "attr-dict";
}

def Thread_GridLaunchDependentsOp : Thread_Op<"grid_launch_dependents"> {
  let summary = "Lets dependent kernels start";
  let assemblyFormat = "attr-dict";
}

def Thread_SplatOp : Thread_Op<"splat", [Pure]> {
  let summary = "A fragment filled with one value";
  let description = [{
    Constraints:
    - (C1) an integer fragment gets an integer that its type holds.
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Thread_IotaOp : Thread_Op<"iota", [Pure]> {
  let summary = "The row or column index of each element";
  let description = [{
    Constraints:
    - (C1) `dim` is 0 or 1, and the elements are f32.
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Thread_MmaOp : Thread_Op<"mma", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Product of two buffers, added to an accumulator";
  let description = [{
    `lhs` holds rows x K. `rhs` holds K x cols, or cols x K with
    `transpose_rhs`. The result is `acc + lhs * rhs`, accumulated in f32.

    Constraints:
    - (C1) the fragment is a whole tile of f32 in an mma layout.
    - (C2) both buffers hold f16, both bf16, or both f32.
    - (C3) K is a multiple of 16 and equal in both.
  }];
  let arguments = (ins Thread_BufferType:$lhs, I32:$lhsStage,
      Thread_BufferType:$rhs, I32:$rhsStage, Thread_FragmentType:$acc,
      UnitAttr:$transpose_rhs);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $lhs `[` $lhsStage `]` `,` $rhs `[` $rhsStage `]`
    (`transpose_rhs` $transpose_rhs^)? `add` $acc attr-dict `:`
    qualified(type($lhs)) `,` qualified(type($rhs)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_MmaRegisterOp : Thread_Op<"mma_register",
    [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Product of a fragment and a buffer, added to an accumulator";
  let description = [{
    As `mma`, with `lhs` (rows x K) in registers: what one product leaves in its
    accumulator layout is what the next one reads as its left operand, when each
    warp holds whole rows of both.

    Constraints:
    - (C1) accumulator and result are a whole tile of f32 in an mma layout.
    - (C2) `lhs` is a whole tile in an mma layout. Both layouts have the same
      rows and the same warps along the rows, and one warp along the columns.
    - (C3) `lhs` and `rhs` hold f16, both bf16, or both f32.
    - (C4) K is a multiple of 16 and equal in both.
  }];
  let arguments = (ins Thread_FragmentType:$lhs, Thread_BufferType:$rhs,
      I32:$rhsStage, Thread_FragmentType:$acc, UnitAttr:$transpose_rhs);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `[` $rhsStage `]` (`transpose_rhs` $transpose_rhs^)?
    `add` $acc attr-dict `:` qualified(type($lhs)) `,` qualified(type($rhs))
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_RelayoutOp : Thread_Op<"relayout"> {
  let summary = "The same registers under another layout";
  let description = [{
    A column of which every lane holds the rows of its accumulators serves beside
    every tile whose rows lie in the same lanes.

    Constraints:
    - (C1) both layouts are mma layouts of the same rows and warps.
    - (C2) both fragments have one column and elements of one type.
  }];
  let arguments = (ins Thread_FragmentType:$source);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_LoadOp : Thread_Op<"load"> {
  let summary = "Reads a tile of shared memory into registers";
  let description = [{
    With `slice_dim` >= 0 the fragment is the piece that belongs to this block's
    rank in the cluster, along that dim of the buffer.

    Constraints:
    - (C1) the fragment holds f32.
    - (C2) `slice_dim` is -1, 0 or 1.
    - (C3) the fragment fits the buffer; a slice, the piece of one block.
  }];
  let arguments = (ins Thread_BufferType:$source, I32:$stage,
      DefaultValuedAttr<I64Attr, "-1">:$slice_dim);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $source `[` $stage `]` attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_LoadClusterOp : Thread_Op<"load_cluster"> {
  let summary = "Combines a tile over the blocks of a cluster";
  let description = [{
    Sum (or maximum) of the buffers that the blocks of the cluster hold at the
    same offset, in rank order, so that every block gets the same bits. With
    `slice_dim` >= 0 only the piece of this block's rank is read. The caller
    puts cluster barriers around it.

    Constraints:
    - (C1) the fragment holds f32.
    - (C2) `slice_dim` is -1, 0 or 1.
    - (C3) the fragment fits the buffer; a slice, the piece of one block.
    - (C4) the buffer holds f32.
  }];
  let arguments = (ins Thread_BufferType:$source,
      DefaultValuedAttr<I64Attr, "-1">:$slice_dim, UnitAttr:$maximum);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $source (`max` $maximum^)? attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_StoreOp : Thread_Op<"store"> {
  let summary = "Writes a fragment into shared memory";
  let description = [{
    Constraints:
    - (C1) the fragment holds floats.
    - (C2) the fragment fits the buffer.
  }];
  let arguments = (ins Thread_FragmentType:$value, Thread_BufferType:$target,
      I32:$stage);
  let assemblyFormat = [{
    $value `to` $target `[` $stage `]` attr-dict `:` qualified(type($value))
    `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Thread_LoadGlobalOp : Thread_Op<"load_global"> {
  let summary = "Reads a tile of a tensor from device memory into registers";
  let description = [{
    The tile is `copy_async`'s.

    Constraints:
    - (C1) maps have 3 entries; they and `fmap` are dims of the tensor or -1.
    - (C2) the tensor has a static shape of f16, bf16 or f32, and the grid (times
      `range`, at least 1) divides each dim that it splits.
    - (C3) the fragment holds f32.
    - (C4) `slice_dim` is -1, 0 or 1, and the fragment fits the tile; a slice,
      the piece of one block.
  }];
  let arguments = (ins AnyRankedTensor:$source, I32:$iteration,
      DenseI64ArrayAttr:$imap, I64Attr:$fmap, BoolAttr:$interleaved,
      I64Attr:$range, DefaultValuedAttr<I64Attr, "-1">:$slice_dim);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $source `[` $iteration `of` $range `]` `imap` $imap `fmap` $fmap
    `interleaved` $interleaved attr-dict `:` type($source) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_StoreGlobalOp : Thread_Op<"store_global"> {
  let summary = "Writes a fragment into a tensor in device memory";
  let description = [{
    Constraints:
    - (C1) maps have 3 entries; these are dims of the tensor or -1.
    - (C2) the tensor has a static shape of f16, bf16 or f32, and the grid divides each dim that it splits.
    - (C3) the fragment holds floats.
    - (C4) `slice_dim` is -1, 0 or 1, and the fragment fits the tile; a slice,
      the piece of one block.
  }];
  let arguments = (ins Thread_FragmentType:$value, AnyRankedTensor:$target,
      DenseI64ArrayAttr:$omap, DefaultValuedAttr<I64Attr, "-1">:$slice_dim);
  let assemblyFormat = [{
    $value `to` $target `omap` $omap attr-dict `:` qualified(type($value)) `,`
    type($target)
  }];
  let hasVerifier = 1;
}

def Thread_MapOp : Thread_Op<"map", [Pure]> {
  let summary = "Elementwise operation on fragments";
  let description = [{
    `kind` is an elementwise operator's mnemonic. Operands broadcast along dims
    of size 1. All fragments share one layout.

    Constraints:
    - (C1) `kind` is known and has as many operands.
    - (C2) one layout; operands' sizes are 1 or the result's.
    - (C3) `predicate` lies in [0, 5], as `mgraph_block.compare` numbers them.
  }];
  let arguments = (ins StrAttr:$kind, Variadic<Thread_FragmentType>:$operands,
      DefaultValuedAttr<F64Attr, "0.0">:$lo, DefaultValuedAttr<F64Attr, "0.0">:$hi,
      DefaultValuedAttr<I64Attr, "0">:$predicate);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $kind `(` $operands `)` attr-dict `:` functional-type($operands, $result)
  }];
  let hasVerifier = 1;
}

def Thread_CombineOp : Thread_Op<"combine", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Adds a value to an accumulator, reducing registers first";
  let description = [{
    `acc + value`, or the maximum of both. Where the accumulator has size 1 and
    the value has not, each thread first reduces the elements that it holds: the
    total over the tile is known only after `reduce_threads`.

    Constraints:
    - (C1) both fragments hold f32 in one layout.
    - (C2) the accumulator's sizes are 1 or the value's.
  }];
  let arguments = (ins Thread_FragmentType:$value, Thread_FragmentType:$acc,
      UnitAttr:$maximum);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    (`max` $maximum^)? $value `,` $acc attr-dict `:` qualified(type($value))
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_ReduceThreadsOp : Thread_Op<"reduce_threads", [
    AllTypesMatch<["value", "result"]>]> {
  let summary = "Reduces partial results over the threads that share a row";
  let description = [{
    `value` has one column, or one row; each thread holds a partial result. All
    threads of the row (or column) get the total. `scratch` is a shared-memory
    buffer for layouts in which several warps share a row; the operation places
    its own barriers.

    Constraints:
    - (C1) `dim` is 0 or 1, and the value has size 1 along it, of f32.
    - (C2) the scratch holds f32: a row for each row (or column) of the layout,
      with a column for each partial result that shuffles leave.
  }];
  let arguments = (ins Thread_FragmentType:$value, Thread_BufferType:$scratch,
      I64Attr:$dim, UnitAttr:$maximum);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    (`max` $maximum^)? $value `dim` $dim `scratch` $scratch attr-dict `:`
    qualified(type($scratch)) `,` qualified(type($value))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Indexed access: predefined kernel-level operators
//===----------------------------------------------------------------------===//
// A kernel that stands for one predefined operator has one index space, the
// shape that it writes. Block b's fragments are 1 x cols: element c has the
// row-major index b * cols + c in the space, and those past its end are padding.
// Strides and offsets count elements of the tensor.

def Thread_LoadIndexedOp : Thread_Op<"load_indexed"> {
  let summary = "Reads elements of a tensor at affine places of the index space";
  let description = [{
    The element with index (i0, i1, ...) is
    `source[offset + i0 * strides[0] + i1 * strides[1] + ...]`. With `indices`,
    dim `gather_dim` contributes `indices[i] * stride` in place of `i * stride`.
    Integers and i1 keep their type in registers; floats become f32.

    Constraints:
    - (C1) as many strides as space dims.
    - (C2) the fragment has 1 row or is 1 x 1.
    - (C3) `indices` exactly with a `gather_dim` of the space.
  }];
  let arguments = (ins AnyRankedTensor:$source,
      Optional<AnyRankedTensor>:$indices, DenseI64ArrayAttr:$space,
      DenseI64ArrayAttr:$strides, DefaultValuedAttr<I64Attr, "0">:$offset,
      DefaultValuedAttr<I64Attr, "-1">:$gather_dim);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    $source (`gather` $indices^ `:` type($indices))? `space` $space `strides`
    $strides attr-dict `:` type($source) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_IotaIndexedOp : Thread_Op<"iota_indexed", [Pure]> {
  let summary = "Index of each element along one dim of the index space";
  let arguments = (ins DenseI64ArrayAttr:$space, I64Attr:$dim);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    `space` $space `dim` $dim attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_ReduceIndexedOp : Thread_Op<"reduce_indexed"> {
  let summary = "Sum or maximum over a second index space, of tensors' products";
  let description = [{
    For each element of the index space, combines over `reduce_space` the
    product of the sources' elements at `strides` (of the index space, source
    after source) and `reduce_strides`, in f32. With `cooperative` a block
    stands for one element: each thread combines every `threads`-th term, and
    the total is known only after `reduce_threads`.

    Constraints:
    - (C1) 1 or 2 sources of floats.
    - (C2) as many strides as sources times dims of each space.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources,
      DenseI64ArrayAttr:$space, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$reduce_space, DenseI64ArrayAttr:$reduce_strides,
      UnitAttr:$maximum, UnitAttr:$cooperative);
  let results = (outs Thread_FragmentType:$result);
  let assemblyFormat = [{
    (`max` $maximum^)? $sources `space` $space `strides` $strides `over`
    $reduce_space `strides` $reduce_strides (`cooperative` $cooperative^)?
    attr-dict `:` type($sources) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Thread_StoreIndexedOp : Thread_Op<"store_indexed"> {
  let summary = "Writes elements at affine places of the index space";
  let description = [{
    Constraints:
    - (C1) as many strides as space dims.
  }];
  let arguments = (ins Thread_FragmentType:$value, AnyRankedTensor:$target,
      DenseI64ArrayAttr:$space, DenseI64ArrayAttr:$strides,
      DefaultValuedAttr<I64Attr, "0">:$offset);
  let assemblyFormat = [{
    $value `to` $target `space` $space `strides` $strides attr-dict `:`
    qualified(type($value)) `,` type($target)
  }];
  let hasVerifier = 1;
}

#endif // MIRAGE_DIALECT_THREAD_IR_THREADOPS
