//===- Shrink.h - The same pair of programs at small sizes ------*- C++ -*-===//
//
// Replaces the extents of two programs by small ones that keep their structure:
//
//   an extent is a grid axis times a loop times a tile, and the factors shrink,
//   not the product: 1 stays 1, a grid axis becomes 2, 3 or 5 by its axis, a
//   loop at most 3 (first, middle and last differ), a tile at least 2
//   dims that must be equal form one class, over both programs: equal extents
//   alone are no reason. Classes get different extents where they can
//   1/n and the like follow the class of extent n; two classes of extent n
//   become one
//   what a reshape, slice or concatenation touches keeps its size
//
// What is found at small sizes is evidence, no proof about the large ones.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_SHRINK_H
#define MIRAGE_LIB_VERIFY_SHRINK_H

#include "Mirage/Semantics/Program.h"
#include <optional>

namespace mirage::verify {

struct ShrunkPair {
  semantics::Program f, g;
};

/// The pair at small sizes, or nothing where the rules above find none. Both
/// programs are well formed and have one signature.
std::optional<ShrunkPair> shrink(const semantics::Program &f,
                                 const semantics::Program &g);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_SHRINK_H
