//===- ThreadReader.cpp - Lowered functions as plain data -----------------===//

#include "Mirage/Conversion/ThreadReader/ThreadReader.h"
#include "Mirage/Conversion/PlanAttribute.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "ReadKernel.h"

using namespace mlir;
using namespace mirage;
using thread::KernelOp;

/// Ids of the launch's tensors, or a diagnostic where one does not fit.
static LogicalResult bindTensors(KernelOp kernel,
                                 const runtime::PlanKernel &launch,
                                 ArrayRef<runtime::PlanInput> inputs,
                                 const verify::ThreadKernel &read,
                                 const verify::ThreadProgram &program,
                                 std::vector<unsigned> &ids) {
  for (auto [i, parameter] : llvm::enumerate(launch.parameters)) {
    size_t first = 0;
    const semantics::TensorType *type = nullptr;
    switch (parameter.kind) {
    case runtime::ParameterKind::Input:
      type = &program.inputs[parameter.index];
      break;
    case runtime::ParameterKind::Output:
      first = program.inputs.size();
      type = &program.outputs[parameter.index];
      break;
    case runtime::ParameterKind::Scratch:
      first = program.inputs.size() + program.outputs.size();
      break;
    }
    ids.push_back(first + parameter.index);
    // Only what no kernel of the stream writes may be read before the wait.
    if (llvm::is_contained(read.constantInputs, i) &&
        !(parameter.kind == runtime::ParameterKind::Input &&
          inputs[parameter.index].constant))
      return kernel.emitOpError("expected constant argument ")
             << i << " to be a constant input of the plan";
    const semantics::TensorType &argument = read.arguments[i];
    if (type && (type->numElements() != argument.numElements() ||
                 type->dtype != argument.dtype))
      return kernel.emitOpError("expected argument ")
             << i << " to hold the plan's " << semantics::toString(*type)
             << ", but got " << semantics::toString(argument);
  }
  return success();
}

FailureOr<verify::ThreadProgram>
mirage::readThreadProgram(Location loc, const runtime::LaunchPlan &plan,
                          ArrayRef<KernelOp> kernels) {
  verify::ThreadProgram program;
  for (const runtime::PlanInput &input : plan.inputs)
    program.inputs.push_back(input.type);
  program.outputs = plan.outputs;
  for (const runtime::PlanScratch &scratch : plan.scratch)
    program.scratchBytes.push_back(scratch.bytes);
  for (const runtime::PlanKernel &launch : plan.kernels) {
    auto found = llvm::find_if(kernels, [&](KernelOp kernel) {
      return kernel.getSymName() == launch.name;
    });
    if (found == kernels.end())
      return emitError(loc, "expected the kernel @")
             << launch.name << " that the plan launches, but found none";
    KernelOp kernel = *found;
    if (kernel.getBody().getNumArguments() != launch.parameters.size() ||
        !llvm::equal(kernel.getGrid(), launch.grid) ||
        !llvm::equal(kernel.getCluster(), launch.cluster) ||
        static_cast<int64_t>(kernel.getThreads()) != launch.threads ||
        static_cast<int64_t>(kernel.getSharedBytes()) != launch.sharedBytes)
      return kernel.emitOpError("expected the parameters and launch shape that "
                                "the plan gives it");
    auto read = readKernel(kernel);
    if (failed(read))
      return failure();
    verify::ThreadProgram::Launch to;
    to.kernel = program.kernels.size();
    if (failed(bindTensors(kernel, launch, plan.inputs, *read, program,
                           to.tensors)))
      return failure();
    program.kernels.push_back(std::move(*read));
    program.launches.push_back(std::move(to));
  }
  return program;
}

/// The launch that is all of the function, or null.
static kernel::LaunchOp onlyLaunch(func::FuncOp func) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return nullptr;
  Block &body = func.getBody().front();
  auto ops = body.without_terminator();
  if (!llvm::hasSingleElement(ops))
    return nullptr;
  auto launch = dyn_cast<kernel::LaunchOp>(*ops.begin());
  if (!launch || !llvm::equal(launch.getInputs(), body.getArguments()) ||
      !llvm::equal(launch.getResults(), body.getTerminator()->getOperands()))
    return nullptr;
  return launch;
}

bool mirage::isLowered(func::FuncOp func) { return bool(onlyLaunch(func)); }

FailureOr<verify::ThreadProgram> mirage::readThreadProgram(func::FuncOp func) {
  kernel::LaunchOp launch = onlyLaunch(func);
  if (!launch)
    return func.emitOpError("expected a function of one mgraph_kernel.launch");
  auto plan = planFromAttribute(launch.getPlan());
  if (!plan)
    return launch.emitOpError(llvm::toString(plan.takeError()));
  SmallVector<KernelOp> kernels(
      func->getParentOfType<ModuleOp>().getOps<KernelOp>());
  return readThreadProgram(func.getLoc(), *plan, kernels);
}
