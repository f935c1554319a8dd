//===- Cpu.cpp - Running a program in the interpreter ---------------------===//

#include "Run.h"

#include "Mirage/Interpreter/Memory.h"
#include "Mirage/Interpreter/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mirage;
using namespace mirage::interpreter;
using mirage::run::ExitCode;
using mirage::run::Options;

/// Makes the folder for outputs, if one was named.
static llvm::Error prepareOutputDir(const Options &options) {
  if (options.outputDir.empty())
    return llvm::Error::success();
  std::error_code code = llvm::sys::fs::create_directories(options.outputDir);
  if (!code)
    code = llvm::sys::fs::access(options.outputDir,
                                 llvm::sys::fs::AccessMode::Write);
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError(options.outputDir +
                                 ": expected a folder that can be written, but "
                                 "got " +
                                 code.message());
}

llvm::Expected<std::vector<Tensor>>
run::makeInputs(const semantics::Program &program, const Options &options) {
  // Before the work: numbers that do not fit would end the process, and a
  // folder that cannot be written would waste the run.
  int64_t limit = options.memoryLimit > 0 ? options.memoryLimit
                                          : interpreter::availableMemory();
  if (llvm::Error error = interpreter::checkMemory(program, limit))
    return std::move(error);
  if (llvm::Error error = interpreter::checkWork(program))
    return std::move(error);
  if (llvm::Error error = prepareOutputDir(options))
    return std::move(error);
  if (options.inputs.empty())
    return randomInputs(program, options.seed);
  if (options.inputs.size() != program.numInputs)
    return llvm::createStringError(
        llvm::formatv("expected {0} times --input, but got {1}",
                      program.numInputs, options.inputs.size()));
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < program.numInputs; ++i) {
    llvm::Expected<Tensor> tensor = readNpy(options.inputs[i], program.type(i));
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

llvm::Error run::writeOutputs(llvm::ArrayRef<Tensor> outputs,
                              const Options &options) {
  if (options.outputDir.empty())
    return llvm::Error::success();
  for (size_t i = 0; i < outputs.size(); ++i) {
    llvm::SmallString<128> path(options.outputDir);
    llvm::sys::path::append(path, llvm::formatv("output_{0}.npy", i).str());
    if (llvm::Error error = writeNpy(path, outputs[i]))
      return error;
  }
  return llvm::Error::success();
}

/// One line that tells two results apart at a glance.
static void summarize(size_t index, const Tensor &tensor) {
  double low = INFINITY, high = -INFINITY, squares = 0.0;
  int64_t notFinite = 0;
  for (double value : tensor.values) {
    if (!std::isfinite(value)) {
      ++notFinite;
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    squares += value * value;
  }
  llvm::outs() << "output " << index << ": "
               << semantics::toString(tensor.type);
  if (notFinite < static_cast<int64_t>(tensor.values.size()))
    llvm::outs() << llvm::format("  min %.6g  max %.6g  norm %.6g", low, high,
                                 std::sqrt(squares));
  llvm::outs() << "  not finite " << notFinite << "\n";
}

llvm::Expected<ExitCode> run::runOnCpu(const Options &options) {
  std::optional<semantics::Program> program =
      loadProgram(options.program, options.function);
  if (!program)
    return kFailure;
  llvm::Expected<std::vector<Tensor>> inputs = makeInputs(*program, options);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<std::vector<Tensor>> outputs =
      interpreter::run(*program, *inputs, options.mode, options.threads);
  if (!outputs)
    return outputs.takeError();
  // What was computed in f64 is written as f64: rounding it to the program's
  // type would lose what was asked for.
  if (options.mode == Mode::F64)
    for (Tensor &tensor : *outputs)
      if (semantics::isFloat(tensor.type.dtype))
        tensor.type.dtype = semantics::DType::F64;
  for (size_t i = 0; i < outputs->size(); ++i)
    summarize(i, (*outputs)[i]);
  if (llvm::Error error = writeOutputs(*outputs, options))
    return std::move(error);
  return kSuccess;
}
