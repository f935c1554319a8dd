//===- KernelOps.td - The mgraph_kernel dialect -------------*- tablegen -*-===//

#ifndef MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD
#define MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD

include "Mirage/Dialect/Common/IR/ComputeOps.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"

def KernelDialect : Dialect {
  let name = "mgraph_kernel";
  let cppNamespace = "::mirage::kernel";
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

def Kernel_Tensor : Type<
    And<[AnyRankedTensor.predicate, CPred<"::mirage::isProgramTensor($_self)">]>,
    "ranked tensor of static shape, rank at most 6, and a float, i1, i32 or i64 "
    "element type", "::mlir::RankedTensorType">;

def Kernel_Level : Mirage_Level<KernelDialect, Kernel_Tensor, "Kernel",
    "mgraph_kernel.", "tensor<", "its element type is the operands'">;

defm Kernel_ : Mirage_ComputeOps<Kernel_Level>;

#endif // MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD
