//===- Cut.h - Parts of a graph, and which to take --------------*- C++ -*-===//
//
// The nodes are groups of ops: what is always one kernel. A part is a set of
// groups that may become one kernel: connected by values, and convex (no value
// leaves it and comes back). A cover takes each group once, in parts that can
// be put in an order.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_CUT_H
#define MIRAGE_LIB_TRANSFORMS_CUT_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace mirage {

class Cut {
public:
  /// `users[g]` are the groups that read group g, all of them after g. Groups
  /// that are `alone` are in no part with another.
  Cut(std::vector<llvm::BitVector> users, const llvm::BitVector &alone);

  /// A part as a set of groups of one window.
  using Mask = uint32_t;
  /// Groups that are connected without one that is alone; at most kMaxWindow of
  /// them.
  struct Window {
    llvm::SmallVector<unsigned> groups;
    std::vector<Mask> parts; ///< smallest first, single groups included
    /// Predicted cost of a part that is known to be usable. Every single group
    /// has one before a cover is asked for.
    std::map<Mask, double> cost;

    Mask all() const { return ~Mask(0) >> (32 - groups.size()); }
    llvm::SmallVector<unsigned> members(Mask part) const {
      llvm::SmallVector<unsigned> result;
      for (unsigned i = 0; i < groups.size(); ++i)
        if (part >> i & 1)
          result.push_back(groups[i]);
      return result;
    }
  };
  static constexpr unsigned kMaxWindow = 24;
  /// Groups of the largest part, and parts of a window.
  static constexpr unsigned kMaxPart = 7;
  static constexpr size_t kMaxParts = 600;

  std::vector<Window> &windows() { return allWindows; }

  /// The cost of the cheapest disjoint parts of known cost that make up `what`,
  /// whether they can be put in an order or not.
  static double cheapest(const Window &window, Mask what);

  /// The cheapest parts of known cost that take each group of `what` once and
  /// that can be put in an order, together with all that is one already.
  llvm::SmallVector<Mask> cover(const Window &window, Mask what) const;

  /// The groups of the part are one from now on.
  void contract(const Window &window, Mask part);

  bool isConvex(const Window &window, Mask part) const;

private:
  struct Chosen {
    double cost = 0;
    llvm::SmallVector<Mask> parts;
  };
  static Chosen solve(const Window &window, Mask what,
                      const std::set<Mask> &forbidden);
  llvm::SmallVector<Mask> findCycle(const Window &window,
                                    llvm::ArrayRef<Mask> parts) const;
  void findWindows(const llvm::BitVector &alone);
  void findParts(Window &window);
  bool areNeighbours(unsigned a, unsigned b) const {
    return users[a][b] || users[b][a];
  }
  llvm::BitVector groupsOf(const Window &window, Mask part) const;

  std::vector<Window> allWindows;
  std::vector<llvm::BitVector> users, after, before; ///< direct, and all
};

} // namespace mirage

#endif // MIRAGE_LIB_TRANSFORMS_CUT_H
