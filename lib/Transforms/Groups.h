//===- Groups.h - What of a run is always one kernel ------------*- C++ -*-===//
//
// Before a run is cut, ops are grouped: a norm, a chain of elementwise ops, a
// product with what is done to its result, a change of shape with its user.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_GROUPS_H
#define MIRAGE_LIB_TRANSFORMS_GROUPS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace mirage {

struct Groups {
  /// Products in `bare` are not grouped with what is done to their results.
  explicit Groups(llvm::ArrayRef<mlir::Operation *> run,
                  const llvm::DenseSet<mlir::Operation *> &bare = {});

  /// Each in the run's order; the groups in the order of their last ops, which
  /// all others of the group feed.
  std::vector<llvm::SmallVector<mlir::Operation *>> ops;
  /// For each group, those that read it.
  std::vector<llvm::BitVector> users;
  /// Groups of one op that no block graph holds.
  llvm::BitVector alone;

  /// Whether the group is a product and something done to its result.
  bool hasEpilogue(unsigned group) const;

  /// The ops of some groups in the run's order.
  llvm::SmallVector<mlir::Operation *>
  collect(llvm::ArrayRef<unsigned> groups) const;
};

/// Moves what reads `ops`, which stand in a block in this order, behind the
/// last of them. Changes nothing and returns false if a value leaves them and
/// comes back, so that there is no such place.
bool gather(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace mirage

#endif // MIRAGE_LIB_TRANSFORMS_GROUPS_H
