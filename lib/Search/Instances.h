//===- Instances.h - Graphs with sizes --------------------------*- C++ -*-===//

#ifndef MIRAGE_LIB_SEARCH_INSTANCES_H
#define MIRAGE_LIB_SEARCH_INSTANCES_H

#include "Graphs.h"

namespace mirage::search {

/// Real sizes of a structure: how many parts each axis and the loop make.
struct InstanceSizes {
  std::array<int64_t, 4> axes = {1, 1, 1, 1};
};

/// The program with the graph at these sizes, threads and stages left open; an
/// error when a part does not divide.
llvm::Expected<semantics::Program> emitGraph(const ValueGraph &values,
                                             const GraphSketch &graph,
                                             const InstanceSizes &sizes);

/// The best instances of `graph` on the target, cheapest first.
std::vector<Candidate> instantiate(const ValueGraph &values,
                                   const GraphSketch &graph,
                                   const SearchOptions &options, unsigned limit,
                                   SearchStats &stats);

} // namespace mirage::search

#endif // MIRAGE_LIB_SEARCH_INSTANCES_H
