//===- Gpu.cpp - Running a launch plan on a GPU ---------------------------===//
//
// With a program beside the plan, every output element is compared with the
// interpreter's f64 result, and the error with that of the program run op by op
// in its own precision.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "Mirage/Interpreter/Npy.h"
#include "Mirage/Runtime/Executor.h"
#include "Mirage/Tune/Judge.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mirage;
using namespace mirage::interpreter;
using namespace mirage::runtime;
using mirage::run::ExitCode;
using mirage::run::loadLowered;
using mirage::run::LoweredProgram;
using mirage::run::Options;

namespace {

llvm::Expected<std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(path +
                                   ": expected a readable file, but got " +
                                   buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// From the plan and the kernel, or from a lowered module; nothing if that has
/// been diagnosed.
llvm::Expected<std::optional<LoweredProgram>>
readLowered(const Options &options) {
  if (!options.lowered.empty())
    return loadLowered(options.lowered, options.function);
  llvm::Expected<std::string> text = readFile(options.plan);
  if (!text)
    return text.takeError();
  llvm::Expected<LaunchPlan> plan = parseLaunchPlan(*text);
  if (!plan)
    return llvm::createStringError(options.plan + ": " +
                                   llvm::toString(plan.takeError()));
  llvm::Expected<std::string> image = readFile(options.image);
  if (!image)
    return image.takeError();
  return LoweredProgram{std::move(*plan), std::move(*image)};
}

/// The plan's interface as a program without ops, for its random inputs.
semantics::Program interfaceOf(const LaunchPlan &plan) {
  semantics::Program program;
  for (const PlanInput &input : plan.inputs)
    program.addInput(input.type);
  return program;
}

llvm::Error checkInterface(const semantics::Program &program,
                           const LaunchPlan &plan) {
  auto check = [](const llvm::Twine &what,
                  llvm::ArrayRef<semantics::TensorType> inProgram,
                  llvm::ArrayRef<semantics::TensorType> inPlan) -> llvm::Error {
    auto list = [](llvm::ArrayRef<semantics::TensorType> types) {
      std::string text;
      for (const semantics::TensorType &type : types)
        text += (text.empty() ? "" : ", ") + semantics::toString(type);
      return text.empty() ? std::string("none") : text;
    };
    if (inProgram == inPlan)
      return llvm::Error::success();
    return llvm::createStringError("expected the plan's " + what +
                                   " to be the program's, " + list(inProgram) +
                                   ", but got " + list(inPlan));
  };
  std::vector<semantics::TensorType> inputs(
      program.values.begin(), program.values.begin() + program.numInputs);
  std::vector<semantics::TensorType> planInputs, outputs;
  for (const PlanInput &input : plan.inputs)
    planInputs.push_back(input.type);
  for (semantics::ValueId id : program.outputs)
    outputs.push_back(program.type(id));
  if (llvm::Error error = check("inputs", inputs, planInputs))
    return error;
  return check("outputs", outputs, plan.outputs);
}

void printKernels(const Device &device, const LaunchPlan &plan,
                  llvm::ArrayRef<KernelFacts> facts) {
  llvm::outs() << device.name() << ", sm_" << device.computeCapability()
               << "; plan for " << plan.target << "\n";
  llvm::outs() << llvm::format("%-32s %-16s %-12s %7s %7s %5s %6s\n", "kernel",
                               "grid", "cluster", "threads", "shared", "regs",
                               "spill");
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const PlanKernel &kernel = plan.kernels[k];
    llvm::outs() << llvm::format("%-32s %-16s %-12s %7lld %7lld %5d %6d\n",
                                 kernel.name.c_str(),
                                 semantics::toString(kernel.grid).c_str(),
                                 semantics::toString(kernel.cluster).c_str(),
                                 static_cast<long long>(kernel.threads),
                                 static_cast<long long>(kernel.sharedBytes),
                                 facts[k].registers, facts[k].spilledBytes);
  }
}

/// Whether every output is as near to f64 as is allowed.
bool checkOutputs(const tune::Judge &judge, llvm::ArrayRef<Tensor> outputs,
                  bool dependent) {
  bool good = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    tune::Judgement j = judge.judge(i, outputs[i]);
    good &= j.accepted;
    llvm::outs() << "output " << i << (dependent ? " (dependent launch)" : "")
                 << llvm::format(": relative error %.3g, op by op %.3g, ratio "
                                 "%.3f, max abs %.3g",
                                 j.ours.relative, j.baseline.relative, j.ratio,
                                 j.ours.maxAbs)
                 << ", wrong class " << j.ours.wrongClass << ": "
                 << (j.accepted ? "pass" : "FAIL") << "\n";
  }
  return good;
}

} // namespace

llvm::Expected<ExitCode> run::runOnGpu(const Options &options) {
  // Everything that can be wrong with the files is said before a device is
  // needed.
  llvm::Expected<std::optional<LoweredProgram>> lowered = readLowered(options);
  if (!lowered)
    return lowered.takeError();
  if (!*lowered)
    return kFailure;
  LaunchPlan &plan = (*lowered)->plan;
  std::optional<semantics::Program> program;
  if (!options.program.empty()) {
    program = loadProgram(options.program, options.function);
    if (!program)
      return kFailure;
    if (llvm::Error error = checkInterface(*program, plan))
      return std::move(error);
  }
  llvm::Expected<std::vector<Tensor>> inputs =
      makeInputs(program ? *program : interfaceOf(plan), options);
  if (!inputs)
    return inputs.takeError();

  llvm::Expected<std::unique_ptr<Device>> device = Device::open(options.driver);
  if (!device)
    return device.takeError();
  llvm::Expected<std::unique_ptr<Executor>> executor =
      Executor::load(**device, plan, (*lowered)->image);
  if (!executor)
    return executor.takeError();
  llvm::Expected<std::vector<KernelFacts>> facts = (*executor)->facts();
  if (!facts)
    return facts.takeError();
  printKernels(**device, (*executor)->plan(), *facts);

  std::optional<tune::Judge> judge;
  if (program) {
    llvm::Expected<tune::Judge> created =
        tune::Judge::create(*program, *inputs, options.threads);
    if (!created)
      return created.takeError();
    judge = std::move(*created);
  }
  std::vector<std::string> bytes;
  for (const Tensor &tensor : *inputs)
    bytes.push_back(packElements(tensor));
  bool hasDependent =
      llvm::any_of((*executor)->plan().kernels,
                   [](const PlanKernel &k) { return k.dependentLaunch; });
  bool good = true;
  for (bool dependent : {false, true}) {
    if (dependent && !hasDependent)
      continue;
    llvm::Expected<std::vector<std::string>> raw =
        (*executor)->run(bytes, dependent);
    if (!raw)
      return raw.takeError();
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < raw->size(); ++i)
      outputs.push_back(
          unpackElements((*executor)->plan().outputs[i], (*raw)[i]));
    if (judge)
      good &= checkOutputs(*judge, outputs, dependent);
    if (!dependent)
      if (llvm::Error error = writeOutputs(outputs, options))
        return std::move(error);
  }
  if (!program)
    llvm::outs() << "outputs not checked: no program was given\n";

  llvm::outs() << llvm::format("%-18s %9s %9s %9s %5s\n", "microseconds",
                               "cold", "spread", "warm", "sets");
  for (bool dependent : {false, true}) {
    if (dependent && !hasDependent)
      continue;
    llvm::Expected<Timing> timing =
        (*executor)->time(bytes, dependent, options.rounds);
    if (!timing)
      return timing.takeError();
    llvm::outs() << llvm::format(
        "%-18s %9.2f %9.2f %9.2f %5u\n",
        dependent ? "dependent launch" : "plain launch", timing->coldUs,
        timing->coldSpreadUs, timing->warmUs, timing->sets);
    if (timing->differingSets) {
      llvm::outs() << timing->differingSets << " of " << timing->sets
                   << " sets differ from a run on its own: FAIL\n";
      good = false;
    }
  }
  return good ? kSuccess : kWrongResult;
}
