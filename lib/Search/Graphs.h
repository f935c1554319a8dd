//===- Graphs.h - Block graphs out of the hypergraph ------------*- C++ -*-===//

#ifndef MIRAGE_LIB_SEARCH_GRAPHS_H
#define MIRAGE_LIB_SEARCH_GRAPHS_H

#include "Values.h"

namespace mirage::search {

/// A block graph without sizes: one edge of the hypergraph for each value.
struct GraphSketch {
  std::vector<int> order;   ///< nodes, operands before users
  std::map<int, int> edge;  ///< node -> edge that yields it
  std::vector<int> outputs; ///< node of each output
  double weight = 0;        ///< rough work, for ranking before instantiation
  unsigned countedOps = 0;
};

struct Extraction {
  std::vector<GraphSketch> graphs; ///< lightest first
  bool cut = false;                ///< a bound on steps, or an interrupt
};

/// Up to `limit` graphs that yield all outputs within the bound.
Extraction extractGraphs(const ValueGraph &values, unsigned maxOps,
                         unsigned limit);

} // namespace mirage::search

#endif // MIRAGE_LIB_SEARCH_GRAPHS_H
