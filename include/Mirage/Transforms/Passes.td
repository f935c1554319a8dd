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

def SuperoptPass : Pass<"mirage-superopt", "::mlir::ModuleOp"> {
  let summary = "Replace tensor programs by cheaper equivalent graphs";
  let description = [{
    Raises each function from linalg to `mgraph_kernel` where it can, cuts it into
    the fragments that are predicted to be cheapest together, each program of which
    is searched once for equivalent block graphs, verifies the
    cheapest over random prime fields, and replaces the fragment by the first that
    is shown equivalent, has at most twice the fragment's own rounding error, and
    is predicted to be faster than the fragment op by op.

    Guarantee: every replacement carries a certificate (the attributes
    `mirage.certificate` and `mirage.reference` of the graph), which
    `--mirage-verify` re-checks; the original stays as the private function that
    `mirage.reference` names. None is made on an unknown answer. A function in
    which nothing is improved is left as it was. For each fragment a remark says
    what was done and why.

    Fails only on options that name nothing. The result depends on the program and
    the options, not on time, threads or a cache (certificates state the seed and
    the seconds of the run that made them); an interrupt returns the best so far, and
    a remark says so. While it searches, a line on a terminal says how far it is.
  }];
  let dependentDialects = ["::mirage::kernel::KernelDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
           "GPU to search for: sm_80, sm_86, sm_89, sm_90a, sm_100a or sm_120a">,
    Option<"maxBlockOps", "max-block-ops", "::mirage::PassNumber", /*default=*/"24",
           "Largest block graph, in counted ops">,
    Option<"nodeBudget", "node-budget", "::mirage::PassNumber", /*default=*/"50000000",
           "Operators proposed for each structure of a fragment">,
    Option<"prune", "prune", "std::string", /*default=*/"\"auto\"",
           "Who prunes by abstract expressions: auto, fast, z3, both or none">,
    Option<"top", "top", "::mirage::PassNumber", /*default=*/"8",
           "Candidates that are verified before a fragment is given up">,
    Option<"threads", "threads", "::mirage::PassNumber", /*default=*/"0",
           "Threads of the search and the verifier, 0 for all cores">,
    Option<"seed", "seed", "::mirage::PassNumber", /*default=*/"0",
           "Seed of the verifier's tests, 0 to draw it from the system">,
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "File for a JSON report of every fragment">,
    Option<"cache", "cache", "std::string", /*default=*/"\"\"",
           "Folder in which answers are kept and looked up (docs/cache.md)">,
  ];
  let statistics = [
    Statistic<"numFragments", "num-fragments", "Programs searched">,
    Statistic<"numImproved", "num-improved", "Fragments replaced">,
    Statistic<"numRefuted", "num-refuted", "Candidates shown not equivalent">,
    Statistic<"numUndecided", "num-undecided",
              "Candidates about which the verifier could not tell">,
    Statistic<"numInaccurate", "num-inaccurate",
              "Candidates whose rounding error is over twice the original's">,
    Statistic<"numCacheHits", "num-cache-hits",
              "Searches and verdicts found in the cache">,
    Statistic<"numNotLowered", "num-not-lowered",
              "Equivalent candidates that the target's lowering refuses">,
  ];
}

def VerifyPass : Pass<"mirage-verify", "::mlir::ModuleOp"> {
  let summary = "Re-check certificates, or compare two functions";
  let description = [{
    Without options: re-checks every certificate in the module from the kept
    original and the graph that carries it, and runs the tests again with a fresh
    seed; and compares every function that has the attribute `mirage.reference`
    with the function that it names. All verdicts are reached, whatever became of
    those before. With `reference` and `candidate`: compares two functions of the
    module.

    A candidate may have been lowered: then the kernels that it launches are
    executed, every thread, and races and accesses out of bounds are errors too.

    Of every other candidate it also proves, with Z3, from the maps and for all block
    indices, that loads lie in bounds and stores are disjoint and complete.

    Effect: none on the program; a remark states each verdict. Fails, with a
    diagnostic, when a certificate does not hold or two functions are `not
    equivalent` (with a counterexample), the verifier `cannot tell`, or that proof
    fails. A module without certificates and candidates is an error, since nothing
    was checked.
  }];
  let options = [
    Option<"reference", "reference", "std::string", /*default=*/"\"\"",
           "Function that is right by definition">,
    Option<"candidate", "candidate", "std::string", /*default=*/"\"\"",
           "Function to compare with it">,
    Option<"threads", "threads", "::mirage::PassNumber", /*default=*/"0",
           "Threads, 0 for all cores">,
    Option<"seed", "seed", "::mirage::PassNumber", /*default=*/"0",
           "Seed of the tests, 0 to draw it from the system">,
  ];
}

def PredictPass : Pass<"mirage-predict", "::mlir::ModuleOp"> {
  let summary = "Say what the cost model predicts for each function";
  let description = [{
    Emits a remark with the predicted time, in microseconds, of every function
    whose operations are all of `mgraph_kernel`: predefined operators one kernel
    each, graphs by their launch shape. Changes nothing. Fails on an unknown
    target and on types that a program cannot hold; a graph that exceeds the
    target is reported as such.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
           "GPU to predict for">,
  ];
}

def StripReferencePass : Pass<"mirage-strip-reference", "::mlir::ModuleOp"> {
  let summary = "Drop certificates and the originals that they name";
  let description = [{
    Removes `mirage.certificate` and `mirage.reference` from every graph and
    function, and the private functions that the latter name. Functions that are
    used otherwise stay. Never fails.
  }];
}

#endif // MIRAGE_TRANSFORMS_PASSES_TD
