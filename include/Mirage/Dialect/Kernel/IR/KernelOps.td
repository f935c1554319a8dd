//===- KernelOps.td - The mgraph_kernel dialect -------------*- tablegen -*-===//

#ifndef MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD
#define MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD

include "Mirage/Dialect/Common/IR/ComputeOps.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def KernelDialect : Dialect {
  let name = "mgraph_kernel";
  let cppNamespace = "::mirage::kernel";
  let dependentDialects = ["::mirage::block::BlockDialect"];
  let summary = "Tensor programs over device memory, one op a kernel";
  let description = [{
    Values are ranked tensors of static shape in device memory. An op is either
    a predefined operator, which runs as a kernel of its own, or
    `mgraph_kernel.graph`, a kernel that is defined by a block graph.

    Element types are `f16`, `bf16`, `f32`, `f64`, `i1`, `i32` and `i64`. The
    operands and the result of an op share one element type where not said
    otherwise; a result is computed in `f32` and rounded once, and products and
    reductions accumulate in `f32`.
  }];
}

def Kernel_Level : Mirage_Level<KernelDialect, Mirage_Tensor, "Kernel",
    "mgraph_kernel.", "tensor<", "the result's element type is the operands'">;

defm Kernel_ : Mirage_ComputeOps<Kernel_Level>;

def Kernel_GraphOp : Op<KernelDialect, "graph", [
    IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MirageGraphOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Kernel that is defined by a block graph";
  let description = [{
    Runs its region, a block graph of `mgraph_block` ops, once for each block of
    `grid`. Blocks differ only through the maps of their loads and stores, and
    through `mgraph_block.reduce_blocks`. The region's arguments are the inputs,
    its yielded values the results. `cluster` groups blocks that can reach each
    other's shared memory. `threads` (of a block) and `stages` (of the pipeline
    of loads) are left to the lowering where they are absent.

    Constraints:
    - (C1) `grid` and `cluster` have 3 entries of at least 1, each entry of the
      grid is divisible by the cluster's, and the grid is at most
      `[2147483647, 65535, 65535]`.
    - (C2) `threads` is a multiple of 32 in [32, 1024], `stages` is in
      [1, 64].
    - (C3) The region's arguments have the types of the inputs.
    - (C4) The region holds `mgraph_block` ops only.
    - (C5) The j-th result is the one of the j-th store, and has its type.
    - (C6) A stored tile is the same in all blocks along a grid axis that the
      store's `omap` does not concatenate.
    - (C7) There is at least one result.

    Example:

    ```mlir
    %o = mgraph_kernel.graph (%a = %x) grid [4, 1, 1]
        : (tensor<16x64xf16>) -> tensor<16x64xf16> {
      %0 = load %a imap [1, -1, -1] : tensor<16x64xf16> -> <16x16xf16>
      %1 = exp %0 : <16x16xf16> -> <16x16xf32>
      %2 = store %1 omap [1, -1, -1] : <16x16xf32> -> tensor<16x64xf16>
      yield %2 : tensor<16x64xf16>
    }
    ```
  }];
  let arguments = (ins Variadic<Mirage_Tensor>:$inputs, DenseI64ArrayAttr:$grid,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       OptionalAttr<I64Attr>:$threads,
                       OptionalAttr<I64Attr>:$stages);
  let results = (outs Variadic<Mirage_Tensor>:$results);
  let regions = (region SizedRegion<1>:$bodyRegion);
  // Region arguments bound to operands have no declarative format.
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Blocks of a cluster along each axis, 1 where absent.
    ::mirage::semantics::GridDims getClusterDims();
  }];
}

def Kernel_LaunchOp : Op<KernelDialect, "launch", [Pure]> {
  let summary = "Launch of a compiled kernel, what lowering leaves";
  let description = [{
    Runs the kernel named by `kernel`, a symbol in a `gpu.binary`, on the inputs
    and yields the tensors that it writes. `plan` says everything that a runtime
    needs to know for this: grid, cluster, threads, dynamic shared memory,
    parameters and scratch; it is the launch plan that `mirage-translate` exports
    as JSON. The op keeps tensors whole, so programs that mix it with others stay
    analysable.

    Example:

    ```mlir
    %o = mgraph_kernel.launch @kernels::@rms_linear(%x, %w) plan {threads = 128}
        : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<Mirage_Tensor>:$inputs,
                       DictionaryAttr:$plan);
  let results = (outs Variadic<Mirage_Tensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` `plan` $plan attr-dict `:`
    functional-type($inputs, $results)
  }];
}

#endif // MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD
