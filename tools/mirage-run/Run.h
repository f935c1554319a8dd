//===- Run.h - The parts of mirage-run --------------------------*- C++ -*-===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_RUN_H
#define MIRAGE_TOOLS_MIRAGE_RUN_RUN_H

#include "Mirage/Interpreter/Interpreter.h"
#include "Mirage/Runtime/LaunchPlan.h"
#include <string>
#include <vector>

namespace mirage::run {

enum ExitCode { kSuccess = 0, kFailure = 1, kWrongResult = 2, kNoDevice = 3 };

struct Options {
  std::string program;             ///< .mlir, or empty
  std::string plan, image;         ///< --gpu: launch plan, PTX or cubin,
  std::string lowered;             ///< or a lowered .mlir instead of both
  std::string function;            ///< empty: the only public one
  std::vector<std::string> inputs; ///< .npy files, or none for random inputs
  uint64_t seed = 1;
  interpreter::Mode mode = interpreter::Mode::Program;
  std::string outputDir;   ///< empty: write nothing
  int64_t memoryLimit = 0; ///< bytes, 0 for what is available
  unsigned threads = 0;
  unsigned rounds = 20;
  std::string driver; ///< the CUDA driver library
};

/// The program of a function of mgraph_kernel or raisable linalg, and which of
/// its inputs are mirage.constant if that is asked for. A failure has been
/// reported as diagnostics.
std::optional<semantics::Program>
loadProgram(const std::string &path, const std::string &function,
            std::vector<bool> *constants = nullptr);

/// What lowering left in a module: the plan and the PTX text. A failure has
/// been reported as diagnostics.
struct LoweredProgram {
  runtime::LaunchPlan plan;
  std::string image;
};
std::optional<LoweredProgram> loadLowered(const std::string &path,
                                          const std::string &function);

/// The inputs that the options name or seed, for a program's inputs.
llvm::Expected<std::vector<interpreter::Tensor>>
makeInputs(const semantics::Program &program, const Options &options);

/// Writes output_<i>.npy for each output, if a folder was named.
llvm::Error writeOutputs(llvm::ArrayRef<interpreter::Tensor> outputs,
                         const Options &options);

llvm::Expected<ExitCode> runOnCpu(const Options &options);
llvm::Expected<ExitCode> runOnGpu(const Options &options);

/// `mirage-run tune`: argv[0] and what follows `tune`.
llvm::Expected<ExitCode> tuneMain(int argc, char **argv);
/// `mirage-run report` and `mirage-run cache`, likewise.
llvm::Expected<ExitCode> reportMain(int argc, char **argv);
llvm::Expected<ExitCode> cacheMain(int argc, char **argv);

} // namespace mirage::run

#endif // MIRAGE_TOOLS_MIRAGE_RUN_RUN_H
