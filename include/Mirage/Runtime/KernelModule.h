//===- KernelModule.h - A launch plan on a device ---------------*- C++ -*-===//

#ifndef MIRAGE_RUNTIME_KERNELMODULE_H
#define MIRAGE_RUNTIME_KERNELMODULE_H

#include "Mirage/Runtime/Device.h"
#include "Mirage/Runtime/LaunchPlan.h"

namespace mirage::runtime {

/// A plan whose kernels are on the device, ready to be launched with any
/// addresses on any stream. Its memory is the caller's.
class KernelModule {
public:
  /// Loads `image`, a cubin or PTX text, and prepares the plan's kernels. The
  /// error shows the log of the driver's compiler. A device that does not run
  /// code for the plan's target is an error.
  static llvm::Expected<std::unique_ptr<KernelModule>>
  load(const Device &device, LaunchPlan plan, llvm::StringRef image);
  ~KernelModule();

  const LaunchPlan &plan() const { return launchPlan; }
  /// The CUfunction of each kernel.
  llvm::ArrayRef<void *> functions() const { return handles; }
  /// Inputs, outputs and scratch buffers of the plan together.
  size_t numAddresses() const;

  /// Enqueues one run on `stream`. `addresses` are those of the inputs, the
  /// outputs and the scratch buffers, in this order. Zero scratch is cleared.
  /// Returns the driver's status, and where that is not 0 sets `failed` to the
  /// kernel that was refused. May be called from any thread: the context is
  /// made current first.
  int enqueue(const uint64_t *addresses, void *stream, bool dependent,
              size_t *failed = nullptr) const;

private:
  KernelModule(const Device &device, LaunchPlan plan);
  llvm::Error loadImage(llvm::StringRef image);
  llvm::Error prepare(const PlanKernel &kernel);

  const Device &device;
  LaunchPlan launchPlan;
  void *module = nullptr;
  std::vector<void *> handles;
  /// For each kernel, where its parameters stand among the addresses.
  std::vector<llvm::SmallVector<unsigned, 8>> places;
};

} // namespace mirage::runtime

#endif // MIRAGE_RUNTIME_KERNELMODULE_H
