//===- Shift.h - Values that hang on a partial maximum ----------*- C++ -*-===//
//
// softmax shifts its argument by a maximum, exp(x - M). A block that has not
// seen all of x can only shift by the maximum m of what it has seen, and has to
// make up for it:
//
//   exp(x - m) * exp(m - M) = exp(x - M)
//
// To the abstract expressions m and M are one maximum, M - M is 0, and so the
// factor exp(m - M) is 1: all four have the form that the program has. Hence a
// value carries which partial maximum it hangs on, and these rules keep what
// can still be made whole (everything else is of no use to any completion, or
// has an exp of what may be positive):
//
//   value               hangs on  what is done with it
//   x - m               m         exp only; m has to be over x among others
//   exp(x - m)          m         products and sums with what hangs on nothing,
//                                 sums along dims that m does not vary along,
//                                 sums with what hangs on m, quotients by it
//   m itself                      shifts, and maxima of it
//   exp(m_prev - m_cur)           rescales accumulators of what hangs on m_cur;
//                                 the total hangs on the total maximum
//   exp(m - M)                    turns what hangs on m into what hangs on M
//
// A maximum over all that the program's is over is whole: nothing hangs on it.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SHIFT_H
#define MIRAGE_LIB_SEARCH_SHIFT_H

#include "Analysis.h"

namespace mirage::search {

/// Stands for the node that is being made.
constexpr int kThisNode = -2;

struct Traits {
  bool bounded = false; ///< at most 0 by construction
  int64_t maxCount = 0; ///< of a maximum: how many elements it is over
  /// Of a partial maximum: the node that it is, through changes of shape.
  int partial = -1;
  bool running = false;   ///< of a partial maximum: it runs along the loop
  int argument = -1;      ///< of x - m: m
  int shift = -1;         ///< of what hangs on m: m
  int shiftMap = -1;      ///< the map that exp(x - m) was taken with
  uint32_t shiftDims = 0; ///< dims along which m varies
  /// Of a factor exp(from - to), or of one of a loop, whose totals then hang on
  /// `total`.
  int from = -1, to = -1, total = -1;
  llvm::SmallVector<int, 2> covers; ///< of a maximum: nodes that it is over

  bool isFactor() const { return from >= 0; }
  bool isPlain() const {
    return partial == -1 && argument == -1 && shift == -1 && from == -1;
  }
};

/// What a map does to what hangs on a maximum.
enum class MapEffect : uint8_t { Other, Linear, Exp };
MapEffect effectOf(const MapTemplate &map);

} // namespace mirage::search

#endif // MIRAGE_LIB_SEARCH_SHIFT_H
