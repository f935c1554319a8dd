//===- mirage-run.cpp - Run a tensor program on the CPU or a GPU ----------===//

#include "Run.h"

#include "Mirage/Runtime/Device.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mirage::run;
namespace cl = llvm::cl;
using mirage::interpreter::Mode;

static const char kOverview[] =
    R"(Run a tensor program: in the interpreter, or on a GPU from its launch plan.

  mirage-run --cpu in.mlir --seed=1
      runs a function of mgraph_kernel ops (or of linalg that can be raised)
  mirage-run --gpu plan.json kernel.ptx [reference.mlir]
  mirage-run --gpu lowered.mlir [reference.mlir]
      runs the plan (that of a module which mirage-lower-to-ptx left), compares
      every output element with the interpreter if a reference is given, and
      times it: medians over a replayed CUDA graph, with cold and with warm L2
      cache, with and without dependent launch
  mirage-run tune in.mlir
      searches, times the best candidates and keeps the quickest: tune --help
  mirage-run report report.json -o page.html
      makes a page of what the superoptimizer reported: report --help
  mirage-run cache list
      shows, re-checks and prunes the answers that were kept: cache --help

Exit status: 0 success, 1 bad input or a failure on the way, 2 a wrong result,
3 no CUDA driver or device.
)";

/// Sorts the positional arguments by their ending.
static llvm::Error sortFiles(llvm::ArrayRef<std::string> files, bool gpu,
                             Options &options) {
  for (llvm::StringRef file : files) {
    std::string *place = nullptr;
    if (gpu && file.ends_with(".json"))
      place = &options.plan;
    else if (gpu && (file.ends_with(".ptx") || file.ends_with(".cubin")))
      place = &options.image;
    else if (!gpu || file.ends_with(".mlir"))
      place =
          gpu && options.lowered.empty() ? &options.lowered : &options.program;
    if (!place)
      return llvm::createStringError(
          "expected files that end in .json, .ptx, .cubin or .mlir, but got " +
          file);
    if (!place->empty())
      return llvm::createStringError(
          "expected one file of each kind, but got " + *place + " and " + file);
    *place = file.str();
  }
  if (!gpu && options.program.empty())
    return llvm::createStringError("expected a program, but got no file");
  // Beside a plan the one module is the reference.
  if (gpu && (!options.plan.empty() || !options.image.empty())) {
    if (!options.program.empty())
      return llvm::createStringError(
          "expected one .mlir beside a plan, but got " + options.lowered +
          " and " + options.program);
    std::swap(options.lowered, options.program);
  }
  if (gpu && options.lowered.empty() &&
      (options.plan.empty() || options.image.empty()))
    return llvm::createStringError(
        llvm::Twine("expected a launch plan (.json) and a kernel (.ptx or "
                    ".cubin), but got ") +
        (options.plan.empty() ? "no plan" : "no kernel"));
  return llvm::Error::success();
}

/// Says what went wrong, and with which exit status.
static int fail(llvm::Error error, ExitCode code) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const mirage::runtime::NoDeviceError &e) {
        code = kNoDevice;
        llvm::WithColor::error() << e.message() << "\n";
      },
      [](const llvm::ErrorInfoBase &e) {
        llvm::WithColor::error() << e.message() << "\n";
      });
  return code;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // The shared library of LLVM brings hundreds of options, some of our names.
  cl::ResetCommandLineParser();
  struct Command {
    llvm::StringRef name;
    llvm::Expected<ExitCode> (*main)(int, char **);
  };
  for (const Command &command :
       {Command{"tune", tuneMain}, Command{"report", reportMain},
        Command{"cache", cacheMain}})
    if (argc > 1 && command.name == argv[1]) {
      std::vector<char *> rest(argv + 1, argv + argc);
      rest[0] = argv[0];
      llvm::Expected<ExitCode> code = command.main(rest.size(), rest.data());
      return code ? *code : fail(code.takeError(), kFailure);
    }
  cl::OptionCategory category("mirage-run");
  cl::opt<bool> cpu("cpu", cl::desc("Run in the interpreter"),
                    cl::cat(category));
  cl::opt<bool> gpu("gpu", cl::desc("Run a launch plan on the first GPU"),
                    cl::cat(category));
  cl::list<std::string> files(cl::Positional, cl::desc("<files>"),
                              cl::cat(category));
  cl::opt<uint64_t> seed("seed", cl::desc("Seed of the random inputs"),
                         cl::init(1), cl::cat(category));
  cl::opt<Mode> mode(
      "precision", cl::desc("Arithmetic of the interpreter:"),
      cl::values(clEnumValN(Mode::F64, "f64",
                            "double throughout; outputs are written as f64"),
                 clEnumValN(Mode::Program, "program",
                            "results rounded to the program's types, sums in "
                            "f32 (default)")),
      cl::init(Mode::Program), cl::cat(category));
  cl::list<std::string> inputs(
      "input",
      cl::desc("Input tensor, once for each in order; instead of "
               "random ones"),
      cl::value_desc("file.npy"), cl::cat(category));
  cl::opt<std::string> outputDir("output-dir",
                                 cl::desc("Where to write output_<i>.npy"),
                                 cl::value_desc("folder"), cl::cat(category));
  cl::opt<unsigned> memoryLimit(
      "memory-limit",
      cl::desc(
          "Most memory that tensors may take (default: what is available)"),
      cl::value_desc("MiB"), cl::init(0), cl::cat(category));
  cl::opt<std::string> function(
      "function", cl::desc("The function to run, if several are public"),
      cl::value_desc("name"), cl::cat(category));
  cl::opt<unsigned> threads(
      "threads", cl::desc("Threads of the interpreter (default: all cores)"),
      cl::init(0), cl::cat(category));
  cl::opt<unsigned> rounds(
      "rounds", cl::desc("Graph replays for each median (default 20)"),
      cl::init(20), cl::cat(category));
  cl::opt<std::string> driver(
      "cuda-driver", cl::desc("The CUDA driver library"),
      cl::init("libcuda.so.1"), cl::Hidden, cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);

  if (cpu == gpu)
    return fail(llvm::createStringError(
                    cpu ? "expected one of --cpu and --gpu, but got both"
                        : "expected one of --cpu and --gpu, but got neither"),
                kFailure);
  Options options;
  if (llvm::Error error = sortFiles(files, gpu, options))
    return fail(std::move(error), kFailure);
  options.function = function;
  options.inputs.assign(inputs.begin(), inputs.end());
  options.seed = seed;
  options.mode = mode;
  options.outputDir = outputDir;
  options.memoryLimit = int64_t(memoryLimit) << 20;
  options.threads = threads;
  options.rounds = rounds;
  options.driver = driver;
  llvm::Expected<ExitCode> code = gpu ? runOnGpu(options) : runOnCpu(options);
  if (!code)
    return fail(code.takeError(), kFailure);
  return *code;
}
