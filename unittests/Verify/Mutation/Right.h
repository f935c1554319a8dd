//===- Right.h - Edits that keep what a program computes --------*- C++ -*-===//
//
// Laws of the reals and of tensors, each wherever it applies: the axioms of
// A_eq in both directions, the verifier's own laws, splitting sums, moving row
// factors across products, re-tiling. A short walk of such edits gives a
// program that is written quite otherwise and computes the same.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_RIGHT_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_RIGHT_H

#include "Edit.h"

namespace mirage::verify::mutation {

/// All single right edits of a program, in a fixed order.
std::vector<Edited> rightEdits(const Program &program);

/// Its parts: elementwise laws; sums, products and tiles.
void rewriteOps(Editor &editor, unsigned place, const Op &op);
void rewriteSums(Editor &editor, unsigned place, const Op &op);

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_RIGHT_H
