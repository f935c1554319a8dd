//===- Layout.h - Where the boxes of a diagram stand ------------*- C++ -*-===//
//
// A layered layout (Sugiyama's): nodes in layers by longest path, layers in the
// order that crosses few arrows (barycenters), then places that keep this order
// and are near the mean of their neighbours (isotonic regression by layer).
// What is in a box is laid out first, and the box is then one node; an arrow
// that passes a border does so at a port, of which each source has one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_DRAWING_LAYOUT_H
#define MIRAGE_LIB_DRAWING_LAYOUT_H

#include "Mirage/Drawing/Diagram.h"

namespace mirage::drawing {

struct Place {
  double x = 0, y = 0; ///< top left corner
  double width = 0, height = 0;
};

/// A piece of an arrow, from top to bottom.
struct Path {
  std::vector<std::pair<double, double>> points;
  bool ends = false; ///< in a node, where an arrow's head is
  bool order = false;
};

struct Layout {
  double width = 0, height = 0;
  std::vector<Place> places; ///< of each node
  std::vector<Path> paths;
};

/// Pixels, for a monospaced font of this size.
constexpr double kCharWidth = 6.65, kLineHeight = 14, kFontSize = 11;
constexpr double kPadX = 7, kPadY = 5;

Layout layOut(const Diagram &diagram);

/// Values in increasing order, each at least `gaps[i]` after the one before,
/// that are nearest to `wanted` in least squares. `gaps[0]` is not read.
std::vector<double> placeInOrder(const std::vector<double> &wanted,
                                 const std::vector<double> &gaps);

} // namespace mirage::drawing

#endif // MIRAGE_LIB_DRAWING_LAYOUT_H
