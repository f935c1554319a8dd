//===- Subexpression.cpp - Hosts, the direct test and Z3 ------------------===//

#include "Mirage/Search/Subexpression.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mirage::search;
using mirage::solver::Answer;
using mirage::solver::ExponentRows;

/// Up to so many monomials the direct test is left to answer alone.
static constexpr size_t kEasyMonomials = 2;

SubexpressionTest::SubexpressionTest(ExpressionPool &pool,
                                     std::vector<PolyId> targets,
                                     PruneMode mode, solver::Solver *solver,
                                     unsigned rlimit)
    : pool(pool), mode(mode), z3(solver), rlimit(rlimit) {
  for (PolyId id : targets)
    addHosts(id);
  for (PolyId id : hostIds)
    hostVectors.push_back(vectorsOf(id));
}

void SubexpressionTest::addHosts(PolyId id) {
  if (id == kTooLarge ||
      std::find(hostIds.begin(), hostIds.end(), id) != hostIds.end())
    return;
  hostIds.push_back(id);
  // Copies: building products moves the pool's vectors.
  for (auto [m, n] : Multiset(pool.monomials(id))) {
    Monomial monomial = pool.monomial(m);
    for (auto [a, k] : monomial.atoms)
      for (PolyId arg : std::vector<PolyId>(pool.atom(a).args))
        addHosts(arg);
    // A denominator of one monomial was split into its factors: any part of
    // it, a sum over one factor among them, is a part of their product.
    PolyId product = pool.one();
    for (auto [d, k] : monomial.dens) {
      if (pool.numTerms(d) > 1)
        hostDenominators.push_back(d);
      else
        for (int i = 0; i < k; ++i)
          product = pool.mul(product, d);
      addHosts(d);
    }
    addHosts(product);
  }
}

int SubexpressionTest::coordinate(std::vector<int64_t> key) {
  return coordinates.try_emplace(std::move(key), coordinates.size())
      .first->second;
}

SubexpressionTest::Vector
SubexpressionTest::vectorOf(const Monomial &monomial) {
  enum Tag { Prime, Plain, ExpTerm, UnderRoot, Denominator };
  Vector result;
  int64_t sigma = monomial.sigma;
  for (int64_t prime = 2; prime * prime <= sigma; ++prime)
    for (; sigma % prime == 0; sigma /= prime)
      ++result[coordinate({Prime, prime})];
  if (sigma > 1)
    ++result[coordinate({Prime, sigma})];
  for (auto [id, count] : monomial.atoms) {
    const Atom &atom = pool.atom(id);
    if (atom.kind == AtomKind::Exp) {
      for (auto [term, n] : pool.monomials(atom.args[0]))
        result[coordinate({ExpTerm, term})] += n * count;
      continue;
    }
    if (atom.kind == AtomKind::Sqrt && pool.numTerms(atom.args[0]) == 1) {
      Vector inner =
          vectorOf(pool.monomial(pool.monomials(atom.args[0])[0].first));
      for (auto [c, n] : inner)
        result[coordinate({UnderRoot, c})] += n * count;
      continue;
    }
    result[coordinate({Plain, id})] += count;
  }
  for (auto [id, count] : monomial.dens)
    result[coordinate({Denominator, id})] += count;
  return result;
}

SubexpressionTest::Vectors SubexpressionTest::vectorsOf(PolyId id) {
  Vectors result;
  for (auto [m, n] : pool.monomials(id)) {
    Vector v = vectorOf(pool.monomial(m));
    result.insert(result.end(), n, v);
  }
  return result;
}

bool SubexpressionTest::isScaledSubset(const Vectors &part,
                                       const Vectors &whole) {
  if (part.size() > whole.size())
    return false;
  for (const Vector &landing : whole) {
    Vector factor = landing;
    bool nonNegative = true;
    for (auto [c, n] : part[0])
      nonNegative &= (factor[c] -= n) >= 0;
    if (!nonNegative)
      continue;
    // With f fixed each product is one known row: count the rows needed.
    std::map<Vector, int> available;
    for (const Vector &row : whole)
      ++available[row];
    bool fits = true;
    for (const Vector &row : part) {
      Vector scaled = factor;
      for (auto [c, n] : row)
        scaled[c] += n;
      for (auto it = scaled.begin(); it != scaled.end();)
        it = it->second == 0 ? scaled.erase(it) : std::next(it);
      auto at = available.find(scaled);
      if (at == available.end() || at->second-- == 0) {
        fits = false;
        break;
      }
    }
    if (fits)
      return true;
  }
  return false;
}

Answer SubexpressionTest::askZ3(const Vectors &part, const Vectors &whole) {
  ++counters.z3Queries;
  std::map<int, unsigned> columns;
  for (const Vectors *rows : {&part, &whole})
    for (const Vector &row : *rows)
      for (auto [c, n] : row)
        columns.try_emplace(c, columns.size());
  auto dense = [&](const Vectors &rows) {
    ExponentRows result;
    for (const Vector &row : rows) {
      result.emplace_back(columns.size(), 0);
      for (auto [c, n] : row)
        result.back()[columns[c]] = n;
    }
    return result;
  };
  Answer answer = z3->isScaledSubset(dense(part), dense(whole), rlimit);
  counters.z3Unknown += answer == Answer::Unknown;
  return answer;
}

bool SubexpressionTest::isScaledSubsetOfHost(const Vectors &part) const {
  return llvm::any_of(hostVectors, [&](const Vectors &host) {
    return isScaledSubset(part, host);
  });
}

bool SubexpressionTest::z3Keeps(const Vectors &part, bool &unknown) {
  for (const Vectors &host : hostVectors) {
    // No injection into fewer rows: not worth a query.
    if (part.size() > host.size())
      continue;
    Answer answer = askZ3(part, host);
    unknown |= answer == Answer::Unknown;
    if (answer == Answer::Sat)
      return true;
  }
  return unknown;
}

/// (x/p)/q has the denominators p and q, and x/(p*q) the expanded product, so
/// that a denominator may be a factor, or a product, of the target's. Counted
/// with multiplicity, a product has the product of the numbers of terms; where
/// those numbers allow it the answer is "may be".
bool SubexpressionTest::mayFactorDenominator(PolyId e) const {
  for (auto [m, n] : pool.monomials(e))
    for (auto [d, k] : pool.monomial(m).dens) {
      int size = pool.numTerms(d);
      if (size < 2 || std::find(hostDenominators.begin(),
                                hostDenominators.end(),
                                d) != hostDenominators.end())
        continue;
      for (PolyId host : hostDenominators) {
        int other = pool.numTerms(host);
        if (size != other && (size % other == 0 || other % size == 0))
          return true;
      }
    }
  return false;
}

bool SubexpressionTest::keep(PolyId e) {
  if (mode == PruneMode::None)
    return true;
  // More monomials than any host has: no injection exists.
  if (e == kTooLarge)
    return false;
  auto known = memo.find(e);
  if (known != memo.end()) {
    ++counters.memoHits;
    return known->second;
  }
  ++counters.questions;
  Vectors part = vectorsOf(e);
  bool answer = false, unknown = false;
  switch (mode) {
  case PruneMode::None:
    return true;
  case PruneMode::Direct:
    answer = isScaledSubsetOfHost(part);
    break;
  case PruneMode::Z3:
    answer = z3Keeps(part, unknown);
    break;
  case PruneMode::Auto:
    answer = part.size() <= kEasyMonomials ? isScaledSubsetOfHost(part)
                                           : z3Keeps(part, unknown);
    break;
  case PruneMode::Both: {
    bool direct = isScaledSubsetOfHost(part);
    bool judged = z3Keeps(part, unknown);
    counters.disagreements += !unknown && direct != judged;
    answer = direct || judged;
    break;
  }
  }
  if (!answer && mayFactorDenominator(e)) {
    ++counters.undecided;
    answer = true;
  }
  memo[e] = answer;
  return answer;
}
