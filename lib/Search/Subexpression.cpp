//===- Subexpression.cpp - Hosts, the direct test and Z3 ------------------===//

#include "Mirage/Search/Subexpression.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace mirage::search;
using mirage::solver::Answer;

/// Up to so many monomials the direct test is left to answer alone.
static constexpr size_t kEasyMonomials = 2;
/// Past so many questions to the solver `Auto` leaves all to the direct test: a
/// count and no time, so that the answer repeats.
static constexpr uint64_t kSolverQuestions = 1000;

SubexpressionTest::SubexpressionTest(ExpressionPool &pool,
                                     const std::vector<PolyId> &targets,
                                     PruneMode mode, solver::Solver *solver,
                                     unsigned rlimit, IndexInfo indices)
    : pool(pool), mode(mode), z3(solver), rlimit(rlimit),
      indices(std::move(indices)) {
  for (PolyId id : targets)
    addHosts(id);
  for (PolyId id : hostIds) {
    hostRows.push_back(rowsOf(id));
    auto known = this->indices.hostClasses.find(id);
    uint64_t carried = known == this->indices.hostClasses.end()
                           ? this->indices.outputClasses
                           : known->second;
    for (Row &row : hostRows.back())
      row.twice |= carried;
  }
}

bool SubexpressionTest::isRoot(PolyId id) const {
  for (auto [a, k] : pool.monomial(pool.monomials(id)[0].first).atoms)
    if (pool.atom(a).kind == AtomKind::Sqrt)
      return true;
  return false;
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
    // it, a sum over one factor among them, is a part of
    // their product. Two roots are left apart: their product would be one root
    // of a product, and all of that product's parts hosts.
    PolyId product = pool.one();
    std::vector<PolyId> roots;
    for (auto [d, k] : monomial.dens) {
      addHosts(d);
      if (pool.numTerms(d) > 1)
        hostDenominators.push_back(d);
      else if (isRoot(d))
        roots.push_back(d);
      else
        for (int i = 0; i < k; ++i)
          product = pool.mul(product, d);
    }
    addHosts(product);
    for (PolyId root : roots)
      addHosts(pool.mul(product, root));
  }
}

int SubexpressionTest::coordinate(std::vector<int64_t> key, uint64_t classes) {
  auto [at, isNew] =
      coordinates.try_emplace(std::move(key), coordinates.size());
  if (isNew)
    coordinateClasses.push_back(classes);
  return at->second;
}

/// Classes that a monomial's value still depends on. A class summed in part
/// counts as gone: that forbids less.
uint64_t SubexpressionTest::classesOf(const Monomial &monomial) const {
  uint64_t classes = 0;
  for (auto [id, count] : monomial.atoms) {
    const Atom &atom = pool.atom(id);
    if (atom.kind == AtomKind::Input &&
        atom.parameter < static_cast<int>(indices.inputClasses.size()))
      classes |= indices.inputClasses[atom.parameter];
    // A maximum may have removed any index.
    if (atom.kind != AtomKind::Max)
      for (PolyId arg : atom.args)
        classes |= classesOf(arg);
  }
  for (auto [id, count] : monomial.dens)
    classes |= classesOf(id);
  for (auto [prime, c] : indices.primeClass)
    if (monomial.sigma % prime == 0)
      classes &= ~(uint64_t(1) << c);
  return classes;
}

uint64_t SubexpressionTest::classesOf(PolyId id) const {
  uint64_t classes = 0;
  for (auto [m, n] : pool.monomials(id))
    classes |= classesOf(pool.monomial(m));
  return classes;
}

SubexpressionTest::Row SubexpressionTest::rowOf(const Monomial &monomial) {
  enum Tag { Prime, Plain, ExpTerm, UnderRoot, Denominator };
  Row row;
  Vector &result = row.exponents;
  row.negative = monomial.negative;
  int64_t sigma = monomial.sigma;
  for (int64_t prime = 2; prime * prime <= sigma; ++prime)
    for (; sigma % prime == 0; sigma /= prime)
      ++result[coordinate({Prime, prime}, 0)];
  if (sigma > 1)
    ++result[coordinate({Prime, sigma}, 0)];
  for (auto [prime, c] : indices.primeClass) {
    uint64_t bit = uint64_t(1) << c;
    if (monomial.sigma % prime == 0)
      row.summed |= bit;
    if (monomial.sigma % (prime * prime) == 0)
      row.twice |= bit;
  }
  auto single = [&](int atom) {
    Monomial m;
    m.atoms = {{atom, 1}};
    return classesOf(m);
  };
  for (auto [id, count] : monomial.atoms) {
    const Atom &atom = pool.atom(id);
    if (atom.kind == AtomKind::Exp) {
      for (auto [term, n] : pool.monomials(atom.args[0]))
        result[coordinate({ExpTerm, term}, classesOf(pool.monomial(term)))] +=
            n * count;
      continue;
    }
    if (atom.kind == AtomKind::Sqrt && pool.numTerms(atom.args[0]) == 1) {
      // Roots of different classes share these coordinates: none is forbidden.
      Row inner = rowOf(pool.monomial(pool.monomials(atom.args[0])[0].first));
      for (auto [c, n] : inner.exponents)
        result[coordinate({UnderRoot, c}, 0)] += n * count;
      continue;
    }
    result[coordinate({Plain, id}, single(id))] += count;
  }
  for (auto [id, count] : monomial.dens) {
    result[coordinate({Denominator, id}, classesOf(id))] += count;
    // A denominator sum(k, X) was split into X, which carries k, and a size.
    if (pool.numTerms(id) != 1)
      continue;
    int64_t size = pool.monomial(pool.monomials(id)[0].first).sigma;
    for (auto [prime, c] : indices.primeClass)
      if (size % prime == 0)
        row.twice |= uint64_t(1) << c;
  }
  return row;
}

SubexpressionTest::Rows SubexpressionTest::rowsOf(PolyId id) {
  Rows result;
  for (auto [m, n] : pool.monomials(id)) {
    Row row = rowOf(pool.monomial(m));
    result.insert(result.end(), n, row);
  }
  return result;
}

bool SubexpressionTest::isScaledSubset(const Rows &part,
                                       const Rows &whole) const {
  if (part.size() > whole.size())
    return false;
  for (const Row &landing : whole) {
    Vector factor = landing.exponents;
    bool nonNegative = true;
    for (auto [c, n] : part[0].exponents)
      nonNegative &= (factor[c] -= n) >= 0;
    if (!nonNegative)
      continue;
    uint64_t carried = 0;
    for (auto [c, n] : factor)
      if (n > 0)
        carried |= coordinateClasses[c];
    // With f fixed each product is one known row: count the rows needed. Rows
    // of equal exponents have equal sums, so any of them serves.
    bool flip = landing.negative != part[0].negative;
    std::map<std::pair<Vector, bool>, std::pair<int, const Row *>> available;
    for (const Row &row : whole) {
      auto &entry = available[{row.exponents, row.negative}];
      ++entry.first;
      entry.second = &row;
    }
    bool fits = true;
    for (const Row &row : part) {
      Vector scaled = factor;
      for (auto [c, n] : row.exponents)
        scaled[c] += n;
      for (auto it = scaled.begin(); it != scaled.end();)
        it = it->second == 0 ? scaled.erase(it) : std::next(it);
      auto at = available.find({scaled, row.negative != flip});
      if (at == available.end() || at->second.first-- == 0 ||
          (forbidden(row, *at->second.second) & carried)) {
        fits = false;
        break;
      }
    }
    if (fits)
      return true;
  }
  return false;
}

Answer SubexpressionTest::askZ3(const Rows &part, const Rows &whole) {
  std::set<int> used;
  for (const Rows *rows : {&part, &whole})
    for (const Row &row : *rows)
      for (auto [c, n] : row.exponents)
        used.insert(c);
  // Only the numbers matter to the answer. With columns sorted and equal ones
  // made one, questions that differ in names only are one question to a memo,
  // those of other structures among them.
  using Column = std::pair<std::vector<int>, uint64_t>;
  std::vector<Column> columns;
  uint64_t allForbidden = 0;
  for (const Row &row : part)
    for (const Row &landing : whole)
      allForbidden |= forbidden(row, landing);
  for (int c : used) {
    Column column{{}, coordinateClasses[c] & allForbidden};
    for (const Rows *rows : {&part, &whole})
      for (const Row &row : *rows) {
        auto at = row.exponents.find(c);
        column.first.push_back(at == row.exponents.end() ? 0 : at->second);
      }
    columns.push_back(std::move(column));
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());

  solver::SubsetQuestion question;
  for (size_t row = 0; row < part.size() + whole.size(); ++row) {
    bool inPart = row < part.size();
    const Row &source = inPart ? part[row] : whole[row - part.size()];
    std::vector<int> numbers;
    for (const Column &column : columns)
      numbers.push_back(column.first[row]);
    (inPart ? question.partNegative : question.wholeNegative)
        .push_back(source.negative);
    (inPart ? question.part : question.whole).push_back(std::move(numbers));
  }
  for (const Row &row : part) {
    question.zero.emplace_back();
    for (const Row &landing : whole) {
      question.zero.back().emplace_back();
      uint64_t classes = forbidden(row, landing);
      for (unsigned c = 0; c < columns.size(); ++c)
        if (columns[c].second & classes)
          question.zero.back().back().push_back(c);
    }
  }
  ++counters.z3Questions;
  return z3->isScaledSubset(question, rlimit);
}

bool SubexpressionTest::isScaledSubsetOfHost(const Rows &part) const {
  return llvm::any_of(
      hostRows, [&](const Rows &host) { return isScaledSubset(part, host); });
}

/// Needs no query: an injection takes as many rows, and f >= 0 lays a row only
/// on rows that have as much of everything.
bool SubexpressionTest::isObviouslyNoSubset(const Rows &part,
                                            const Rows &whole) {
  auto landsOn = [](const Row &row, const Row &landing) {
    for (auto [c, n] : row.exponents) {
      auto at = landing.exponents.find(c);
      if (at == landing.exponents.end() || at->second < n)
        return false;
    }
    return true;
  };
  if (part.size() > whole.size())
    return true;
  return llvm::any_of(part, [&](const Row &row) {
    return llvm::none_of(
        whole, [&](const Row &landing) { return landsOn(row, landing); });
  });
}

bool SubexpressionTest::z3Keeps(const Rows &part, bool &unknown) {
  for (const Rows &host : hostRows) {
    if (isObviouslyNoSubset(part, host))
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
      if (size < 2 ||
          std::find(hostDenominators.begin(), hostDenominators.end(), d) !=
              hostDenominators.end())
        continue;
      for (PolyId host : hostDenominators) {
        int other = pool.numTerms(host);
        if (size != other && (size % other == 0 || other % size == 0))
          return true;
      }
    }
  return false;
}

bool SubexpressionTest::contains(PolyId whole, PolyId part) {
  if (whole == kTooLarge || part == kTooLarge)
    return true;
  auto [at, isNew] = containsMemo.try_emplace({whole, part}, false);
  if (isNew) {
    Rows inner = rowsOf(part), outer = rowsOf(whole);
    for (Row &row : outer)
      row.twice = ~uint64_t(0);
    at->second = isScaledSubset(inner, outer);
  }
  return at->second;
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
  Rows part = rowsOf(e);
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
    // A yes comes with its f; a no on more than a few comparisons is Z3's.
    answer =
        isScaledSubsetOfHost(part) ||
        (part.size() > kEasyMonomials &&
         counters.z3Questions < kSolverQuestions && z3Keeps(part, unknown));
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
