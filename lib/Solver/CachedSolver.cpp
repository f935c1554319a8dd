//===- CachedSolver.cpp - A memo in front of a solver ---------------------===//

#include "Mirage/Solver/Solver.h"

using namespace mirage::solver;

CachedSolver::CachedSolver(std::unique_ptr<Solver> inner)
    : inner(std::move(inner)) {}

Answer CachedSolver::isScaledSubset(const SubsetQuestion &question,
                                    unsigned rlimit) {
  // Every list is preceded by its length, so that no two questions share a key.
  std::vector<int64_t> key{rlimit};
  for (const ExponentRows *rows : {&question.part, &question.whole}) {
    key.push_back(rows->size());
    for (const std::vector<int> &row : *rows) {
      key.push_back(row.size());
      key.insert(key.end(), row.begin(), row.end());
    }
  }
  for (const auto *signs : {&question.partNegative, &question.wholeNegative}) {
    key.push_back(signs->size());
    key.insert(key.end(), signs->begin(), signs->end());
  }
  for (const auto &row : question.zero)
    for (const std::vector<unsigned> &columns : row) {
      key.push_back(columns.size());
      key.insert(key.end(), columns.begin(), columns.end());
    }
  std::lock_guard<std::mutex> lock(mutex);
  auto [at, isNew] = answers.try_emplace(std::move(key), Answer::Unknown);
  if (isNew) {
    ++numAsked;
    at->second = inner->isScaledSubset(question, rlimit);
    numUnknown += at->second == Answer::Unknown;
  } else {
    ++numHits;
  }
  return at->second;
}

Answer CachedSolver::check(llvm::StringRef smtlib, unsigned rlimit) {
  std::lock_guard<std::mutex> lock(mutex);
  return inner->check(smtlib, rlimit);
}
