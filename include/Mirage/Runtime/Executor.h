//===- Executor.h - Run and time a launch plan ------------------*- C++ -*-===//

#ifndef MIRAGE_RUNTIME_EXECUTOR_H
#define MIRAGE_RUNTIME_EXECUTOR_H

#include "Mirage/Runtime/KernelModule.h"

namespace mirage::runtime {

/// What the compiler made of one kernel.
struct KernelFacts {
  int registers = 0;
  int spilledBytes = 0; ///< local memory of one thread
};

/// Microseconds for one run of the whole plan, medians over graph replays.
/// Cold: one graph cycles over input sets that together exceed twice the L2
/// cache. Warm: it repeats one set.
struct Timing {
  double coldUs = 0.0;
  double coldSpreadUs = 0.0; ///< between the quartiles
  double warmUs = 0.0;
  unsigned sets = 0;
  /// Sets whose outputs differ from those of a run on its own: back-to-back
  /// runs that overlap can race.
  unsigned differingSets = 0;
};

class Executor {
public:
  /// Loads `image`, a cubin or PTX text, and prepares the plan's kernels. The
  /// error shows the log of the driver's compiler.
  static llvm::Expected<std::unique_ptr<Executor>>
  load(const Device &device, LaunchPlan plan, llvm::StringRef image);
  ~Executor();

  const LaunchPlan &plan() const { return kernels->plan(); }
  llvm::Expected<std::vector<KernelFacts>> facts() const;

  /// Runs once on inputs given as their bytes in memory and returns the
  /// outputs' bytes. Outputs and scratch are filled with NaN before.
  llvm::Expected<std::vector<std::string>>
  run(llvm::ArrayRef<std::string> inputs, bool dependent = false);

  /// Times the plan; `rounds` replays for each median.
  llvm::Expected<Timing> time(llvm::ArrayRef<std::string> inputs,
                              bool dependent = false, unsigned rounds = 20);

private:
  /// The buffers of one run: inputs and outputs; scratch is shared.
  struct Set {
    std::vector<DeviceBuffer> inputs, outputs;
  };

  Executor(const Device &device, std::unique_ptr<KernelModule> kernels);
  llvm::Expected<Set> makeSet(llvm::ArrayRef<std::string> inputs) const;
  llvm::Error poison(Set &set);
  llvm::Error enqueue(const Set &set, bool dependent);
  llvm::Expected<double> timeGraph(llvm::ArrayRef<const Set *> sets,
                                   bool dependent, unsigned rounds,
                                   double &spread);
  llvm::Expected<std::vector<std::string>> outputsOf(const Set &set) const;

  const Device &device;
  std::unique_ptr<KernelModule> kernels;
  void *stream = nullptr;
  std::vector<DeviceBuffer> scratch;
};

} // namespace mirage::runtime

#endif // MIRAGE_RUNTIME_EXECUTOR_H
