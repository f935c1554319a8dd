//===- Coverage.h - What the blocks of a graph read and write ---*- C++ -*-===//
//
// Proves, for every graph of a program and for all its block indices at once,
// from the maps, the tiles and the tensors alone:
//
//   in bounds   no element of a load or store lies outside of its tensor
//   disjoint    no two blocks, and no two elements of a tile, write one element
//   complete    every element of a result is written
//
// along each dim d of size D, for tiles of t elements along it. With b_g in
// [0, grid_g) for the axes g that the map sends to d, G their row-major index,
// N their number, i in [0, R) the iteration and e in [0, t), an element lies at
//
//   blocked      (G * R + i) * t + e
//   interleaved  (i * N + G) * t + e
//
// and at G * t + e in a store. The negations of the claims are linear over the
// integers, and go to Z3. For completeness, an element o of the tensor is
// o = q * t + e by Euclid's division, and q has digits in the radices of the
// axes after the first; the claim is that the first digit is in its range.
// Tiles need not divide tensors: what is ragged fails where it leaves the
// tensor.
//
// This is a second opinion on the shape rules of Semantics, and shares none of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_COVERAGE_H
#define MIRAGE_VERIFY_COVERAGE_H

#include "Mirage/Semantics/Program.h"
#include "Mirage/Solver/Solver.h"

namespace mirage::verify {

struct CoverageReport {
  enum class Outcome : uint8_t { Proved, Refuted, CannotTell };
  Outcome outcome = Outcome::Proved;
  std::string reason; ///< the claim that failed, for the other two
  unsigned loads = 0, stores = 0;
};

/// Stops at the first claim that is not proved. The ids of `program` are in
/// range; nothing else is taken for granted.
CoverageReport proveCoverage(const semantics::Program &program,
                             solver::Solver &solver);

/// "loads in bounds, stores disjoint and complete (3 and 1)", or the reason.
std::string describe(const CoverageReport &report);

} // namespace mirage::verify

#endif // MIRAGE_VERIFY_COVERAGE_H
