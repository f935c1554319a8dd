//===- CutTest.cpp - Parts and covers against brute force -----------------===//

#include "Cut.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <functional>
#include <limits>
#include <random>

using namespace mirage;

namespace {
using Mask = Cut::Mask;
using Users = std::vector<llvm::BitVector>;

Users makeUsers(unsigned n,
                std::initializer_list<std::pair<unsigned, unsigned>> edges) {
  Users users(n, llvm::BitVector(n));
  for (auto [from, to] : edges)
    users[from].set(to);
  return users;
}

Users randomUsers(unsigned n, std::mt19937_64 &rng) {
  Users users(n, llvm::BitVector(n));
  for (unsigned from = 0; from < n; ++from)
    for (unsigned to = from + 1; to < n; ++to)
      if (rng() % 10 < 3)
        users[from].set(to);
  return users;
}

/// Whether the blocks of groups, each one node, have an order. `blockOf` names
/// the block of each group.
bool hasOrder(const Users &users, const std::vector<unsigned> &blockOf) {
  std::set<unsigned> left(blockOf.begin(), blockOf.end());
  auto isReady = [&](unsigned block) {
    for (unsigned g = 0; g < users.size(); ++g)
      for (unsigned h : users[g].set_bits())
        if (blockOf[h] == block && blockOf[g] != block &&
            left.count(blockOf[g]))
          return false;
    return true;
  };
  while (!left.empty()) {
    auto ready = llvm::find_if(left, isReady);
    if (ready == left.end())
      return false;
    left.erase(ready);
  }
  return true;
}

/// Each group by itself, but those of each of `parts` together.
std::vector<unsigned> blocks(const Cut::Window &window, size_t numGroups,
                             llvm::ArrayRef<Mask> parts) {
  std::vector<unsigned> result(numGroups);
  for (unsigned g = 0; g < numGroups; ++g)
    result[g] = g;
  for (Mask part : parts)
    for (unsigned g : window.members(part))
      result[g] = window.members(part)[0];
  return result;
}

bool isConnected(const Cut::Window &window, const Users &users, Mask part) {
  llvm::SmallVector<unsigned> members = window.members(part);
  std::set<unsigned> seen{members[0]};
  for (bool grown = true; grown;) {
    grown = false;
    for (unsigned g : members)
      for (unsigned h : members)
        if (seen.count(g) && (users[g][h] || users[h][g]))
          grown |= seen.insert(h).second;
  }
  return seen.size() == members.size();
}

/// The cheapest cover in an order, over all sets of disjoint parts.
double bruteForce(const Cut::Window &window, const Users &users) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<Mask> chosen;
  std::function<void(Mask, double)> visit = [&](Mask left, double cost) {
    if (left == 0) {
      if (hasOrder(users, blocks(window, users.size(), chosen)))
        best = std::min(best, cost);
      return;
    }
    for (auto [part, partCost] : window.cost)
      if ((part & left & (~left + 1)) && (part & ~left) == 0) {
        chosen.push_back(part);
        visit(left & ~part, cost + partCost);
        chosen.pop_back();
      }
  };
  visit(window.all(), 0);
  return best;
}

double costOf(const Cut::Window &window, llvm::ArrayRef<Mask> cover) {
  double cost = 0;
  for (Mask part : cover)
    cost += window.cost.at(part);
  return cost;
}

void drawCosts(Cut::Window &window, std::mt19937_64 &rng) {
  for (Mask part : window.parts)
    if ((part & (part - 1)) == 0 || rng() % 3 == 0)
      window.cost[part] = 1 + rng() % 64;
}
} // namespace

// @post A part is connected and convex, and every such set is one.
TEST(CutTest, PartsAreTheConnectedConvexSets) {
  std::mt19937_64 rng(/*seed=*/1);
  for (unsigned round = 0; round < 50; ++round) {
    unsigned n = 2 + rng() % 6;
    Users users = randomUsers(n, rng);
    Cut cut(users, llvm::BitVector(n));
    for (const Cut::Window &window : cut.windows())
      for (Mask set = 1; set <= window.all(); ++set) {
        bool isPart = isConnected(window, users, set) &&
                      hasOrder(users, blocks(window, n, set));
        EXPECT_EQ(llvm::is_contained(window.parts, set), isPart)
            << "round " << round << " set " << set;
      }
  }
}

TEST(CutTest, CoverIsTheCheapestInAnOrder) {
  std::mt19937_64 rng(/*seed=*/2);
  unsigned disordered = 0;
  for (unsigned round = 0; round < 300; ++round) {
    unsigned n = 2 + rng() % 7;
    Users users = randomUsers(n, rng);
    Cut cut(users, llvm::BitVector(n));
    for (Cut::Window &window : cut.windows()) {
      drawCosts(window, rng);
      double expected = bruteForce(window, users);
      EXPECT_EQ(costOf(window, cut.cover(window, window.all())), expected)
          << "round " << round;
      disordered += Cut::cheapest(window, window.all()) < expected;
    }
  }
  // The order has to have mattered.
  EXPECT_GT(disordered, 0u);
}

// {0, 3} and {1, 2} are both convex, but each waits for the other.
TEST(CutTest, PartsThatWaitForOneAnotherAreNotTakenTogether) {
  Cut cut(makeUsers(4, {{0, 3}, {1, 2}, {0, 2}, {1, 3}}), llvm::BitVector(4));
  ASSERT_EQ(cut.windows().size(), 1u);
  Cut::Window &window = cut.windows()[0];
  for (Mask single : {1, 2, 4, 8})
    window.cost[single] = 4;
  window.cost[0b1001] = 1;
  window.cost[0b0110] = 2;
  EXPECT_EQ(Cut::cheapest(window, window.all()), 3);
  EXPECT_EQ(costOf(window, cut.cover(window, window.all())), 9);
}

// What stands alone separates windows, and the parts that one window takes bind
// those of the next: whatever is taken, there is an order of all.
TEST(CutTest, CoversOfAllWindowsHaveOneOrder) {
  std::mt19937_64 rng(/*seed=*/3);
  for (unsigned round = 0; round < 300; ++round) {
    unsigned n = 4 + rng() % 6;
    Users users = randomUsers(n, rng);
    llvm::BitVector alone(n);
    for (unsigned g = 0; g < n; ++g)
      if (rng() % 4 == 0)
        alone.set(g);
    Cut cut(users, alone);
    std::vector<unsigned> blockOf(n);
    for (unsigned g = 0; g < n; ++g)
      blockOf[g] = g;
    for (Cut::Window &window : cut.windows()) {
      for (unsigned g : window.groups)
        EXPECT_TRUE(!alone[g] || window.groups.size() == 1);
      drawCosts(window, rng);
      Mask seen = 0;
      for (Mask part : cut.cover(window, window.all())) {
        EXPECT_EQ(seen & part, 0u);
        seen |= part;
        cut.contract(window, part);
        for (unsigned g : window.members(part))
          blockOf[g] = window.members(part)[0];
      }
      EXPECT_EQ(seen, window.all());
    }
    EXPECT_TRUE(hasOrder(users, blockOf)) << "round " << round;
  }
}

// 2 and 3 stand alone between {0, 4} and {1, 5}, each of which waits for the
// other through one of them.
TEST(CutTest, WhatOneWindowTakesBindsTheNext) {
  llvm::BitVector alone(6);
  alone.set(2, 4);
  Cut cut(makeUsers(6, {{0, 4}, {1, 5}, {0, 2}, {2, 5}, {1, 3}, {3, 4}}),
          alone);
  ASSERT_EQ(cut.windows().size(), 4u);
  Cut::Window &first = cut.windows()[0], &second = cut.windows()[1];
  for (Cut::Window *window : {&first, &second}) {
    ASSERT_EQ(window->groups.size(), 2u);
    window->cost = {{0b01, 4}, {0b10, 4}, {0b11, 1}};
    EXPECT_EQ(cut.cover(*window, 0b11).size(), 1u);
  }
  cut.contract(first, 0b11);
  EXPECT_EQ(cut.cover(second, 0b11).size(), 2u);
}

// A long chain is cut into windows, none of which is too long to search.
TEST(CutTest, LongChainsAreBounded) {
  unsigned n = 3 * Cut::kMaxWindow + 1;
  Users users(n, llvm::BitVector(n));
  for (unsigned g = 0; g + 1 < n; ++g)
    users[g].set(g + 1);
  Cut cut(users, llvm::BitVector(n));
  EXPECT_EQ(cut.windows().size(), 4u);
  for (const Cut::Window &window : cut.windows()) {
    EXPECT_LE(window.groups.size(), Cut::kMaxWindow);
    EXPECT_LE(window.parts.size(), Cut::kMaxParts);
  }
}

// Many groups that read one: the number of sets is bounded too.
TEST(CutTest, WideGraphsAreBounded) {
  unsigned n = Cut::kMaxWindow;
  Users users(n, llvm::BitVector(n));
  for (unsigned g = 1; g < n; ++g)
    users[0].set(g);
  Cut cut(users, llvm::BitVector(n));
  ASSERT_EQ(cut.windows().size(), 1u);
  Cut::Window &window = cut.windows()[0];
  EXPECT_EQ(window.parts.size(), Cut::kMaxParts);
  for (Mask part : window.parts)
    window.cost[part] = 1;
  EXPECT_LT(cut.cover(window, window.all()).size(), n);
}
