//===- Mutants.h - Every single edit of a program ---------------*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTANTS_H
#define MIRAGE_UNITTESTS_VERIFY_MUTANTS_H

#include "Mirage/Semantics/Program.h"

namespace mirage::verify::test {

struct Mutant {
  std::string name;
  semantics::Program program;
};

/// Programs that differ from `program` in one place: operands, kinds,
/// constants, maps, loops, grids, reductions, dropped ops. Some are malformed,
/// and a few compute the same.
std::vector<Mutant> allMutants(const semantics::Program &program);

} // namespace mirage::verify::test

#endif // MIRAGE_UNITTESTS_VERIFY_MUTANTS_H
