//===- Structure.h - Which class each grid axis and the loop split -*- C++
//-*-===//

#ifndef MIRAGE_LIB_SEARCH_STRUCTURE_H
#define MIRAGE_LIB_SEARCH_STRUCTURE_H

#include "Analysis.h"

namespace mirage::search {

constexpr unsigned kLoopAxis = 3; ///< after grid x, y and z

struct Structure {
  std::array<int, 3> axisClass = {-1, -1, -1};
  int loopClass = -1;
  int reduceAxis = -1; ///< the grid axis that splits the loop's class, or -1

  bool isParallel(unsigned axis) const {
    return axisClass[axis] >= 0 && static_cast<int>(axis) != reduceAxis;
  }
};

/// Every structure of the program, most parallel first.
std::vector<Structure> enumerateStructures(const Analysis &analysis);

/// Sizes at which a structure's values are compared. Those that can be summed
/// over are different primes, so that the size of a sum tells what was summed;
/// tiles of different classes have different sizes, so that shapes tell
/// classes.
struct ShrunkenSizes {
  std::array<int, 4> axes = {1, 1, 1, 1}; ///< extents of grid axes and loop
  std::vector<int> tile;                  ///< for each class
  std::vector<int> extent;                ///< for each class, tile times splits
};

ShrunkenSizes shrink(const Analysis &analysis, const Structure &structure);

/// The axes that split each dim of a tensor.
using Splits = llvm::SmallVector<FieldSplit, 6>;

/// The ways to load an input: each dim is split by the axes of its class or,
/// where two dims share a class or `wide`, read whole.
std::vector<Splits> loadVariants(const Analysis &analysis,
                                 const Structure &structure,
                                 semantics::ValueId input, bool wide);

/// How an output's dims are put together from the blocks.
Splits outputSplits(const Analysis &analysis, const Structure &structure,
                    semantics::ValueId output);

bool splitByLoop(const Splits &splits);

} // namespace mirage::search

#endif // MIRAGE_LIB_SEARCH_STRUCTURE_H
