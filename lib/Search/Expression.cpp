//===- Expression.cpp - Hash-consed normal forms --------------------------===//

#include "Mirage/Search/Expression.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
void insert(Multiset &set, int id, int count) {
  auto at = std::lower_bound(set.begin(), set.end(), std::make_pair(id, 0));
  if (at != set.end() && at->first == id)
    at->second += count;
  else
    set.insert(at, {id, count});
}

Multiset merged(const Multiset &a, const Multiset &b) {
  Multiset result = a;
  for (auto [id, count] : b)
    insert(result, id, count);
  return result;
}

void flatten(const Multiset &set, std::vector<int64_t> &key) {
  for (auto [id, count] : set) {
    key.push_back(id);
    key.push_back(count);
  }
}
} // namespace

ExpressionPool::ExpressionPool(int maxTerms) : maxTerms(maxTerms) {
  onePoly = internPoly({{internMonomial({}), 1}});
}

int ExpressionPool::internAtom(Atom atom) {
  std::vector<int64_t> key{static_cast<int64_t>(atom.kind), atom.parameter};
  key.insert(key.end(), atom.args.begin(), atom.args.end());
  auto [at, isNew] = atomIds.try_emplace(key, atoms.size());
  if (isNew)
    atoms.push_back(std::move(atom));
  return at->second;
}

int ExpressionPool::internMonomial(Monomial monomial) {
  std::vector<int64_t> key{monomial.sigma, monomial.negative,
                           static_cast<int64_t>(monomial.atoms.size())};
  flatten(monomial.atoms, key);
  flatten(monomial.dens, key);
  auto [at, isNew] = monomialIds.try_emplace(key, monos.size());
  if (isNew)
    monos.push_back(std::move(monomial));
  return at->second;
}

PolyId ExpressionPool::internPoly(Multiset monomials) {
  int64_t count = 0;
  for (auto [id, n] : monomials)
    count += n;
  if (count > maxTerms)
    return kTooLarge;
  std::vector<int64_t> key;
  flatten(monomials, key);
  auto [at, isNew] = polyIds.try_emplace(key, polys.size());
  if (isNew) {
    polys.push_back(std::move(monomials));
    terms.push_back(count);
  }
  return at->second;
}

PolyId ExpressionPool::atomPoly(int atom) {
  Monomial monomial;
  monomial.atoms = {{atom, 1}};
  return internPoly({{internMonomial(monomial), 1}});
}

PolyId ExpressionPool::input(int number) {
  return atomPoly(internAtom({AtomKind::Input, number, {}}));
}

int ExpressionPool::parameter(std::vector<double> numbers) {
  return parameters.try_emplace(std::move(numbers), parameters.size())
      .first->second;
}

PolyId ExpressionPool::constant(const ConstantValue &value) {
  double literal = std::abs(value.literal);
  if (value.kind == ConstantValue::Kind::Literal && value.literal < 0)
    return neg(constant(ConstantValue::makeLiteral(literal)));
  if (value.kind == ConstantValue::Kind::Literal && literal == 1.0)
    return onePoly;
  // Zero is an atom and no empty sum: relu's max(x, 0) must not lose it.
  std::vector<double> key{static_cast<double>(value.kind),
                          value.kind == ConstantValue::Kind::Literal
                              ? literal
                              : static_cast<double>(value.extent)};
  return atomPoly(internAtom({AtomKind::Constant, parameter(key), {}}));
}

int ExpressionPool::numTerms(PolyId id) const { return terms[id]; }

PolyId ExpressionPool::add(PolyId a, PolyId b) {
  if (a == kTooLarge || b == kTooLarge)
    return kTooLarge;
  return internPoly(merged(polys[a], polys[b]));
}

Monomial ExpressionPool::product(const Monomial &a, const Monomial &b) {
  Monomial result;
  result.sigma = a.sigma * b.sigma; // mul() has checked it
  result.negative = a.negative != b.negative;
  result.dens = merged(a.dens, b.dens);
  Multiset all = merged(a.atoms, b.atoms);
  for (AtomKind kind : {AtomKind::Exp, AtomKind::Sqrt}) {
    PolyId argument = kTooLarge;
    int found = 0;
    for (auto [id, count] : all)
      if (atoms[id].kind == kind)
        found += count;
    if (found < 2)
      continue;
    Multiset rest;
    bool first = true;
    for (auto [id, count] : all) {
      if (atoms[id].kind != kind) {
        rest.push_back({id, count});
        continue;
      }
      PolyId arg = atoms[id].args[0];
      for (int n = 0; n < count; ++n) {
        argument = first                   ? arg
                   : kind == AtomKind::Exp ? add(argument, arg)
                                           : mul(argument, arg);
        first = false;
      }
    }
    // Too large an argument stays unmerged: such a monomial is in no target.
    if (argument == kTooLarge)
      continue;
    insert(rest, internAtom({kind, 0, {argument}}), 1);
    all = std::move(rest);
  }
  result.atoms = std::move(all);
  return result;
}

PolyId ExpressionPool::mul(PolyId a, PolyId b) {
  if (a == kTooLarge || b == kTooLarge)
    return kTooLarge;
  if (static_cast<int64_t>(terms[a]) * terms[b] > maxTerms)
    return kTooLarge;
  // Copies: interning may move the vectors.
  Multiset left = polys[a], right = polys[b], result;
  for (auto [x, n] : left)
    for (auto [y, m] : right) {
      Monomial p = monos[x], q = monos[y];
      int64_t sigma;
      if (__builtin_mul_overflow(p.sigma, q.sigma, &sigma))
        return kTooLarge;
      insert(result, internMonomial(product(p, q)), n * m);
    }
  return internPoly(std::move(result));
}

PolyId ExpressionPool::neg(PolyId a) {
  if (a == kTooLarge)
    return a;
  Monomial minusOne;
  minusOne.negative = true;
  return mul(a, internPoly({{internMonomial(minusOne), 1}}));
}

PolyId ExpressionPool::sum(int64_t size, PolyId a) {
  if (a == kTooLarge || size == 1)
    return a;
  Monomial factor;
  factor.sigma = size;
  return mul(a, internPoly({{internMonomial(factor), 1}}));
}

PolyId ExpressionPool::div(PolyId a, PolyId b) {
  if (a == kTooLarge || b == kTooLarge)
    return kTooLarge;
  Monomial factor;
  if (terms[b] == 1 && monos[polys[b][0].first].dens.empty()) {
    Monomial denominator = monos[polys[b][0].first];
    factor.negative = denominator.negative;
    for (auto [atom, count] : denominator.atoms)
      insert(factor.dens, atomPoly(atom), count);
    if (denominator.sigma != 1) {
      Monomial size;
      size.sigma = denominator.sigma;
      insert(factor.dens, internPoly({{internMonomial(size), 1}}), 1);
    }
  } else {
    insert(factor.dens, b, 1);
  }
  return mul(a, internPoly({{internMonomial(factor), 1}}));
}

PolyId ExpressionPool::maxOver(PolyId a) {
  if (a == kTooLarge)
    return a;
  return max(a, a);
}

PolyId ExpressionPool::max(PolyId a, PolyId b) {
  if (a == kTooLarge || b == kTooLarge)
    return kTooLarge;
  Atom atom{AtomKind::Max, 0, {}};
  for (PolyId id : {a, b}) {
    const Multiset &set = polys[id];
    if (terms[id] == 1) {
      const Monomial &m = monos[set[0].first];
      if (m.sigma == 1 && !m.negative && m.dens.empty() &&
          m.atoms.size() == 1 && m.atoms[0].second == 1 &&
          atoms[m.atoms[0].first].kind == AtomKind::Max) {
        const auto &args = atoms[m.atoms[0].first].args;
        atom.args.insert(atom.args.end(), args.begin(), args.end());
        continue;
      }
    }
    atom.args.push_back(id);
  }
  std::sort(atom.args.begin(), atom.args.end());
  atom.args.erase(std::unique(atom.args.begin(), atom.args.end()),
                  atom.args.end());
  return atomPoly(internAtom(std::move(atom)));
}

PolyId ExpressionPool::function(AtomKind kind, llvm::ArrayRef<PolyId> args,
                                int parameter) {
  for (PolyId arg : args)
    if (arg == kTooLarge)
      return kTooLarge;
  return atomPoly(internAtom({kind, parameter, args.vec()}));
}

std::string ExpressionPool::toString(PolyId id) const {
  if (id == kTooLarge)
    return "too large";
  static constexpr const char *names[] = {
      "in",  "c",   "exp",   "sqrt", "log",     "sigmoid", "erf",
      "abs", "max", "clamp", "pow",  "compare", "select",  "map"};
  std::string text;
  llvm::raw_string_ostream os(text);
  bool firstTerm = true;
  for (auto [m, n] : polys[id]) {
    os << (firstTerm ? "" : " + ");
    firstTerm = false;
    if (n != 1)
      os << n << " ";
    const Monomial &mono = monos[m];
    os << (mono.negative ? "-" : "") << "[" << mono.sigma << "]";
    for (auto [a, k] : mono.atoms) {
      const Atom &atom = atoms[a];
      os << " " << names[static_cast<int>(atom.kind)];
      if (atom.args.empty())
        os << atom.parameter;
      for (PolyId arg : atom.args)
        os << "(" << toString(arg) << ")";
      if (k != 1)
        os << "^" << k;
    }
    for (auto [d, k] : mono.dens) {
      os << " / (" << toString(d) << ")";
      if (k != 1)
        os << "^" << k;
    }
  }
  return text;
}
