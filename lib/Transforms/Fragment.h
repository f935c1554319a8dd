//===- Fragment.h - A part of a function that is searched -------*- C++ -*-===//

#ifndef MIRAGE_TRANSFORMS_FRAGMENT_H
#define MIRAGE_TRANSFORMS_FRAGMENT_H

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Semantics/Program.h"

namespace mirage {

/// Ops of one block, in order, that only use values from outside or of each
/// other; `inputs` and `outputs` are the values that cross the border.
/// Constants that the ops read belong to the fragment, whoever else reads them.
struct Fragment {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  semantics::Program program;
};

/// Whether the op is of kernel level and no graph of its own.
bool isPredefined(mlir::Operation &op);

/// The maximal runs of predefined kernel-level ops in the function's body,
/// constants aside: what stands between two runs is something else.
llvm::SmallVector<llvm::SmallVector<mlir::Operation *>>
collectRuns(mlir::func::FuncOp func);

/// The fragment of these ops of one run, or nothing when its program cannot be
/// formed (a diagnostic is left) or it has no output.
std::optional<Fragment> makeFragment(llvm::ArrayRef<mlir::Operation *> ops);

/// Replaces the fragment's outputs by those of `program`, built after its last
/// op, and erases what is dead then. Returns the graphs that were built.
llvm::SmallVector<kernel::GraphOp>
replaceFragment(const Fragment &fragment, const semantics::Program &program);

} // namespace mirage

#endif // MIRAGE_TRANSFORMS_FRAGMENT_H
