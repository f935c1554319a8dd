//===- Passes.td - Conversion passes ----------------------*- tablegen -*-===//

#ifndef MIRAGE_CONVERSION_PASSES
#define MIRAGE_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertMGraphToThread
    : Pass<"convert-mgraph-to-thread", "::mlir::ModuleOp"> {
  let summary = "Lower kernel graphs to thread-level kernels and a launch";
  let description = [{
    Takes every function whose operations are all of `mgraph_kernel`. Each
    graph-defined kernel becomes an `mgraph_thread.kernel`; a product that fits
    tensor cores first becomes a graph of its own, every other predefined operator
    a kernel that computes its elements one by one. The function's body becomes
    one `mgraph_kernel.launch` with the launch plan.

    Guarantee: a function is converted whole or left as it was. A function of
    tensors that holds other operations is left with a remark; kept originals
    (`mirage.original`) are passed over. What has no lowering is an error.

    With `check` the kernels of each function are executed, every thread, over
    random prime fields, and compared with the function as it was; a remark says
    that they are equivalent, and anything else is an error: other values, races,
    accesses out of bounds, outputs that are not written, and `cannot tell`.
  }];
  let dependentDialects = ["::mirage::kernel::KernelDialect",
                           "::mirage::thread::ThreadDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
           "GPU to lower for: sm_80, sm_86, sm_89, sm_90a, sm_100a or sm_120a">,
    Option<"launch", "launch", "::mirage::LaunchMode",
           /*default=*/"::mirage::LaunchMode::Dependent",
           "What kernels may ask of a launch: `dependent` (to begin before the "
           "previous kernel ends, where the target can) or `plain` (nothing)",
           [{::llvm::cl::values(
               clEnumValN(::mirage::LaunchMode::Dependent, "dependent",
                          "dependent launch where the target has it"),
               clEnumValN(::mirage::LaunchMode::Plain, "plain",
                          "no launch attributes"))}]>,
    Option<"check", "check", "bool", /*default=*/"false",
           "Compare the kernels of all threads with the function">,
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Kernels written">,
  ];
}

def ConvertMGraphThreadToNVVM
    : Pass<"convert-mgraph-thread-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lower thread-level kernels to LLVM and NVVM operations";
  let description = [{
    Moves every `mgraph_thread.kernel` into one `gpu.module` with an
    `#nvvm.target`, as functions of the LLVM and NVVM dialects. No kernel calls a
    library: mathematics is lowered to instructions. Fails on operations inside a
    kernel that are not of `mgraph_thread`. Without kernels nothing changes.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
           "GPU to lower for">,
    Option<"moduleName", "module-name", "std::string", /*default=*/"\"mirage_kernels\"",
           "Symbol of the gpu.module">,
    Option<"launch", "launch", "::mirage::LaunchMode",
           /*default=*/"::mirage::LaunchMode::Dependent",
           "What kernels may ask of a launch: `dependent` (to begin before the "
           "previous kernel ends, where the target can) or `plain` (nothing)",
           [{::llvm::cl::values(
               clEnumValN(::mirage::LaunchMode::Dependent, "dependent",
                          "dependent launch where the target has it"),
               clEnumValN(::mirage::LaunchMode::Plain, "plain",
                          "no launch attributes"))}]>,
  ];
}

#endif // MIRAGE_CONVERSION_PASSES
