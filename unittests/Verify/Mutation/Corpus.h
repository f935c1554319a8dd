//===- Corpus.h - The programs that the mutation test starts from -*- C++ -*-=//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_CORPUS_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_CORPUS_H

#include "Mirage/Semantics/Program.h"
#include <vector>

namespace mirage::verify::mutation {

/// A program and one that computes the same; edits are made of the second.
struct Base {
  std::string name;
  semantics::Program reference, candidate;
};

/// Kernel-level programs: the benchmark suite's, norms, softmax, order, masks;
/// as written and as primitives; with extents that differ and with equal ones,
/// where no swap of dims shows in a shape.
void addKernelPrograms(std::vector<Base> &corpus);
/// Hand-written block graphs: products, norms, epilogues, online softmax.
void addBlockGraphs(std::vector<Base> &corpus);
/// What the search finds for `count` programs, at small sizes.
void addSearchWinners(std::vector<Base> &corpus, unsigned count);
/// Graphs that the published system stores, at small sizes; from each file at
/// most `perFile`.
void addStoredGraphs(std::vector<Base> &corpus, llvm::StringRef folder,
                     unsigned perFile);

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_CORPUS_H
