//===- Normalise.h - Laws applied before evaluation -------------*- C++ -*-===//
//
// The same laws on both programs:
//
//   L1  norms, softmax and mean become primitives
//   L4  a / (1 + exp(-x)) = a * sigmoid x, so that a silu written out needs no
//       exponential and the bound of profile R holds
//
// Values that nothing reads any more are dropped.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_NORMALISE_H
#define MIRAGE_LIB_VERIFY_NORMALISE_H

#include "Mirage/Semantics/Program.h"
#include <set>
#include <string>

namespace mirage::verify {

/// The program in primitives. Ids of the laws that normalisation and evaluation
/// use are added to `laws`. A softmax keeps the shift by its maximum only with
/// `keepsShift`: for floating point, where it matters.
semantics::Program normalise(const semantics::Program &program,
                             std::set<std::string> &laws,
                             bool keepsShift = false);

/// Splits logarithms and roots of products (laws L7 and L2, Products.cpp) in
/// two normalised programs; false where there is none. Splitting may part what
/// agreed as a whole, so it is for programs that disagree otherwise.
bool splitProducts(semantics::Program (&programs)[2],
                   std::set<std::string> &laws);

/// The program with values numbered in order of definition and no name.
semantics::Program canonical(const semantics::Program &program);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_NORMALISE_H
