//===- Constants.h - Rounded constants and what they stand for --*- C++ -*-===//
//
// A literal is the exact number that its bits say, with one exception: a
// literal that is the correct rounding, in its own type, of an entry of this
// table stands for the entry.
//
//   ln 2, log2 e        as ln 2 and its inverse
//   sqrt(2/pi), 1/sqrt 2
//   1/n, 1/sqrt n       for n a product of extents of one tensor
//
// So a program written in f32 meets one written in f64, and x * f32(1/3) a
// division by the extent 3. Whatever was recognised is in the certificate.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_CONSTANTS_H
#define MIRAGE_LIB_VERIFY_CONSTANTS_H

#include "Mirage/Semantics/Program.h"
#include <set>
#include <string>

namespace mirage::verify {

/// What a recognised ln 2 is as a literal.
constexpr double kLn2 = 0.69314718055994530942;

/// Replaces recognised literals in both programs, the same literal by the same
/// value. Adds what they stand for to `used`, and the constants that are tied
/// to a size.
void recogniseConstants(semantics::Program &f, semantics::Program &g,
                        std::set<std::string> &used);

/// A hint where a literal is 1/n rounded and n is no extent: an exact reader
/// sees another number. Empty if there is none.
std::string roundedConstantNote(const std::vector<semantics::Op> &ops);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_CONSTANTS_H
