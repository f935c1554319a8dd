//===- Truth.h - Whether two programs are the same, by numbers --*- C++ -*-===//
//
// The judge of the verifier's judge. Both programs are evaluated at 16 points
// of each of 6 magnitudes, in double-double with a bound on each result's
// error. An element counts where both bounds together lie below 2^-60 of its
// size.
//
//   wrong  some element differs by more than 2^-20 of its size
//   same   every element that counts agrees within its bounds, and each counts
//          at 12 points or more
//   grey   all else: a constant that is off by one ulp, what is hardly ever
//          defined. Neither a pass nor a failure
//
// Points are of five sorts, in turn: of both signs, positive, rows that hardly
// vary around an offset (tiny variances), one scale for each tensor, one scale
// for each element. Magnitudes go from 2^-20 to beyond every bound.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_TRUTH_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_TRUTH_H

#include "Evaluator.h"
#include <optional>

namespace mirage::verify::mutation {

enum class Truth : uint8_t { Same, Grey, Wrong };

/// Compares candidates with one reference, whose values are computed once.
class Judge {
public:
  explicit Judge(const semantics::Program &reference);

  /// The candidate has the reference's signature.
  Truth judge(const semantics::Program &candidate);

private:
  struct Point {
    std::vector<std::vector<double>> inputs, narrow;
    std::vector<std::vector<Tracked>> wide; ///< empty until needed
  };
  /// What one point says, and which elements count, all outputs in a row.
  struct PointAnswer {
    Truth worst = Truth::Same;
    std::vector<bool> counted;
  };
  PointAnswer judgeAt(Point &point, const semantics::Program &candidate);

  const semantics::Program reference;
  std::vector<Point> points;
};

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_TRUTH_H
