//===- Cut.cpp - Parts of a graph, and which to take ----------------------===//

#include "Cut.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <limits>

using namespace mirage;

namespace {
/// Sets of forbidden parts that are tried where the cheapest cover has no
/// order. Past them the best one known is taken.
constexpr unsigned kMaxBranches = 256;

llvm::BitVector unionOf(const std::vector<llvm::BitVector> &sets,
                        const llvm::BitVector &of) {
  llvm::BitVector result(of.size());
  for (unsigned g : of.set_bits())
    result |= sets[g];
  return result;
}
} // namespace

Cut::Cut(std::vector<llvm::BitVector> users, const llvm::BitVector &alone)
    : users(std::move(users)) {
  after = this->users;
  for (unsigned g = after.size(); g-- > 0;)
    for (unsigned user : this->users[g].set_bits())
      after[g] |= after[user];
  before.assign(after.size(), llvm::BitVector(after.size()));
  for (unsigned g = 0; g < after.size(); ++g)
    for (unsigned later : after[g].set_bits())
      before[later].set(g);
  findWindows(alone);
  for (Window &window : allWindows)
    findParts(window);
}

void Cut::findWindows(const llvm::BitVector &alone) {
  llvm::BitVector seen(users.size());
  for (unsigned start = 0; start < users.size(); ++start) {
    if (seen[start])
      continue;
    llvm::SmallVector<unsigned> groups, stack{start};
    seen.set(start);
    while (!stack.empty()) {
      unsigned g = stack.pop_back_val();
      groups.push_back(g);
      for (unsigned h = 0; h < users.size() && !alone[g]; ++h)
        if (!seen[h] && !alone[h] && areNeighbours(g, h)) {
          seen.set(h);
          stack.push_back(h);
        }
    }
    llvm::sort(groups);
    // A long one is cut along the order.
    for (llvm::ArrayRef<unsigned> left = groups; !left.empty();) {
      llvm::ArrayRef<unsigned> piece = left.take_front(kMaxWindow);
      allWindows.emplace_back();
      allWindows.back().groups.assign(piece.begin(), piece.end());
      left = left.drop_front(piece.size());
    }
  }
}

llvm::BitVector Cut::groupsOf(const Window &window, Mask part) const {
  llvm::BitVector result(users.size());
  for (unsigned g : window.members(part))
    result.set(g);
  return result;
}

bool Cut::isConvex(const Window &window, Mask part) const {
  llvm::BitVector inside = groupsOf(window, part);
  llvm::BitVector reached = unionOf(after, inside);
  reached &= unionOf(before, inside);
  return !reached.test(inside);
}

/// Grown from each group by its neighbours, smallest first.
void Cut::findParts(Window &window) {
  unsigned n = window.groups.size();
  std::vector<Mask> near(n, 0);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j)
      if (areNeighbours(window.groups[i], window.groups[j]))
        near[i] |= Mask(1) << j;
  llvm::SmallSetVector<Mask, 32> level;
  for (unsigned i = 0; i < n; ++i)
    level.insert(Mask(1) << i);
  for (unsigned size = 1; size <= kMaxPart && !level.empty(); ++size) {
    llvm::SmallSetVector<Mask, 32> larger;
    for (Mask part : level) {
      if (size == 1 ||
          (window.parts.size() < kMaxParts && isConvex(window, part)))
        window.parts.push_back(part);
      // A set that is not convex may grow into one that is: a diamond.
      for (unsigned i = 0; i < n; ++i)
        if (part >> i & 1)
          for (unsigned j = 0; j < n && larger.size() < 4 * kMaxParts; ++j)
            if ((near[i] >> j & 1) && !(part >> j & 1))
              larger.insert(part | Mask(1) << j);
    }
    level = std::move(larger);
  }
}

/// Each state is what is left; its lowest group is in one of the parts.
Cut::Chosen Cut::solve(const Window &window, Mask what,
                       const std::set<Mask> &forbidden) {
  struct Best {
    double cost = std::numeric_limits<double>::infinity();
    Mask part = 0;
  };
  std::map<Mask, Best> memo;
  auto visit = [&](auto &self, Mask left) -> double {
    if (left == 0)
      return 0;
    if (auto at = memo.find(left); at != memo.end())
      return at->second.cost;
    Best best;
    Mask lowest = left & (~left + 1);
    for (auto [part, cost] : window.cost)
      if ((part & lowest) && (part & ~left) == 0 && !forbidden.count(part)) {
        double total = cost + self(self, left & ~part);
        if (total < best.cost)
          best = {total, part};
      }
    memo[left] = best;
    return best.cost;
  };
  Chosen result;
  result.cost = visit(visit, what);
  for (Mask left = what; left && memo[left].part;) {
    result.parts.push_back(memo[left].part);
    left &= ~result.parts.back();
  }
  return result;
}

double Cut::cheapest(const Window &window, Mask what) {
  return solve(window, what, {}).cost;
}

/// Parts that wait for one another in a circle, or nothing.
llvm::SmallVector<Cut::Mask> Cut::findCycle(const Window &window,
                                            llvm::ArrayRef<Mask> parts) const {
  std::vector<llvm::BitVector> inside, reached;
  for (Mask part : parts) {
    inside.push_back(groupsOf(window, part));
    reached.push_back(unionOf(after, inside.back()));
  }
  std::vector<int> state(parts.size(), 0); // not seen, on the path, done
  llvm::SmallVector<Mask> path;
  auto visit = [&](auto &self, unsigned i) -> bool {
    state[i] = 1;
    path.push_back(parts[i]);
    for (unsigned j = 0; j < parts.size(); ++j) {
      if (j == i || !reached[i].anyCommon(inside[j]) || state[j] == 2)
        continue;
      if (state[j] == 1) {
        path.erase(path.begin(), llvm::find(path, parts[j]));
        return true;
      }
      if (self(self, j))
        return true;
    }
    state[i] = 2;
    path.pop_back();
    return false;
  };
  for (unsigned i = 0; i < parts.size(); ++i)
    if (state[i] == 0 && visit(visit, i))
      return path;
  return {};
}

/// A cover in an order lacks at least one part of every circle, so forbidding
/// them in turn loses none.
llvm::SmallVector<Cut::Mask> Cut::cover(const Window &window, Mask what) const {
  std::set<Mask> forbidden;
  // Earlier windows may have taken a part's convexity.
  for (auto [part, cost] : window.cost)
    if (!isConvex(window, part))
      forbidden.insert(part);
  Chosen best;
  for (Mask left = what; left; left &= left - 1) {
    best.parts.push_back(left & (~left + 1));
    best.cost += window.cost.at(best.parts.back());
  }
  unsigned branches = 0;
  auto visit = [&](auto &self) -> void {
    if (++branches > kMaxBranches)
      return;
    Chosen here = solve(window, what, forbidden);
    if (here.cost >= best.cost)
      return;
    llvm::SmallVector<Mask> cycle = findCycle(window, here.parts);
    if (cycle.empty()) {
      best = std::move(here);
      return;
    }
    for (Mask part : cycle)
      if ((part & (part - 1)) != 0 && forbidden.insert(part).second) {
        self(self);
        forbidden.erase(part);
      }
  };
  visit(visit);
  return best.parts;
}

void Cut::contract(const Window &window, Mask part) {
  llvm::BitVector inside = groupsOf(window, part);
  llvm::BitVector later = unionOf(after, inside);
  llvm::BitVector earlier = unionOf(before, inside);
  later |= inside;
  earlier |= inside;
  for (unsigned g : earlier.set_bits())
    after[g] |= later;
  for (unsigned g : later.set_bits())
    before[g] |= earlier;
}
