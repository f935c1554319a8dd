//===- PlanBuilder.h - Kernels and launch plan of one program ---*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_LOWERTOPTX_PLANBUILDER_H
#define MIRAGE_CONVERSION_LOWERTOPTX_PLANBUILDER_H

#include "Mirage/Conversion/KernelToThread/KernelToThread.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Cost/Target.h"
#include "Mirage/Runtime/LaunchPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mirage {

/// Writes the kernels of a program, in its order, and the plan that launches
/// them. Tensors between two kernels become scratch. A reshape is another name
/// for its operand's buffer, unless a buffer of its own is owed to an output.
class PlanBuilder {
public:
  /// `locations` of the values that ops of the function yield.
  PlanBuilder(const semantics::Program &program, mlir::OpBuilder &builder,
              mlir::func::FuncOp func, const cost::Target &lowering,
              llvm::StringRef target, LaunchMode launchMode,
              llvm::DenseMap<semantics::ValueId, mlir::LocationAttr> locations);

  llvm::Error run();
  /// Of the op that is being lowered, or whose lowering failed.
  mlir::Location getLoc() const { return location; }
  void eraseKernels();
  const runtime::LaunchPlan &get() const { return plan; }
  unsigned numKernels() const { return kernels.size(); }
  llvm::ArrayRef<thread::KernelOp> getKernels() const { return kernels; }

private:
  void findAliases();
  void findNeeded();
  mlir::Location locate(size_t position);
  llvm::Error lowerGraph(const semantics::Op &op);
  llvm::Error lowerOperator(const semantics::Op &op);
  /// Where an input or an earlier result lies.
  runtime::PlanParameter parameter(semantics::ValueId id) const;
  /// The place of a result: an output's, or scratch.
  runtime::PlanParameter place(semantics::ValueId id);
  void addLaunch(thread::KernelOp kernel,
                 llvm::ArrayRef<semantics::ValueId> operands,
                 llvm::ArrayRef<semantics::ValueId> results);
  semantics::ValueId root(semantics::ValueId id) const;

  const semantics::Program &program;
  mlir::OpBuilder &builder;
  mlir::func::FuncOp func;
  const cost::Target &lowering;
  LaunchMode launchMode;
  llvm::DenseMap<semantics::ValueId, mlir::LocationAttr> locations;
  mlir::Location location;
  runtime::LaunchPlan plan;
  std::string baseName; ///< kernels are `baseName`_0, `baseName`_1, ...
  InlineValues inlined;
  llvm::DenseSet<semantics::ValueId> needed; ///< inline values in memory too
  llvm::DenseMap<semantics::ValueId, semantics::ValueId> aliases;
  llvm::DenseMap<semantics::ValueId, runtime::PlanParameter> places;
  llvm::SmallVector<thread::KernelOp> kernels;
};

} // namespace mirage

#endif // MIRAGE_CONVERSION_LOWERTOPTX_PLANBUILDER_H
