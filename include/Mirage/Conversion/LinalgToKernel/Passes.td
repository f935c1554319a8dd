//===- Passes.td - From linalg to mgraph_kernel -------------*- tablegen -*-===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_PASSES_TD
#define MIRAGE_CONVERSION_LINALGTOKERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToKernelPass
    : Pass<"convert-linalg-to-mgraph-kernel", "::mlir::func::FuncOp"> {
  let summary = "Raise linalg on tensors to the ops of mgraph_kernel";
  let description = [{
    Replaces structured ops of linalg, and the tensor ops that go with them, by
    ops of `mgraph_kernel` that compute the same. An op is read by its region,
    its indexing maps and its iterators and not by its name, so that
    `linalg.matmul`, `linalg.transpose` and a `linalg.generic` that says the same
    are raised alike. Constants that stem from a size (the divisor of a mean, the
    scale of an attention) become constants that name the size.

    Guarantee: a value is replaced by one of the same type. An op that has no
    form in `mgraph_kernel` stays as it was, with a remark that says why; its
    operands may be raised values. The pass never fails. Finding nothing to raise
    leaves the function unchanged.

    Deviations from the text of the program, each towards the exact result: an
    activation that is spelt as a chain of rounded ops (`sigmoid`, `silu`,
    `gelu`) is rounded once; `f64` between casts from and to a narrower type is
    computed in `f32`, with a remark; sums in a narrow type accumulate in `f32`.
  }];
  let dependentDialects = ["::mirage::kernel::KernelDialect"];
  let statistics = [
    Statistic<"numRaised", "num-raised", "Ops replaced by ops of mgraph_kernel">,
    Statistic<"numLeft", "num-left", "Ops left as they were, with a remark">,
  ];
}

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_PASSES_TD
