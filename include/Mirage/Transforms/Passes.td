//===- Passes.td - Passes on tensor programs ----------------*- tablegen -*-===//

#ifndef MIRAGE_TRANSFORMS_PASSES_TD
#define MIRAGE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"mgraph-kernel-decompose"> {
  let summary = "Replace composite kernel-level ops by primitives";
  let description = [{
    Replaces `rms_norm`, `layer_norm`, `softmax` and the mean of
    `mgraph_kernel.reduce` by their definitions over elementwise ops, sums and
    maxima, so that a search can look inside them. A mean is a sum times the
    constant `inv_extent n`; a softmax subtracts the maximum first.

    Effect: every such op of the kernel level is replaced; all others stay.
    Guarantee: over exact arithmetic the results are the same; at kernel level
    each primitive rounds to its element type. Never fails; where there is no
    composite op, nothing changes.
  }];
  let dependentDialects = ["::mirage::kernel::KernelDialect"];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed", "Composite ops replaced">,
  ];
}

#endif // MIRAGE_TRANSFORMS_PASSES_TD
