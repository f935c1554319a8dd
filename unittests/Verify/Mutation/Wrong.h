//===- Wrong.h - Edits that should change what a program computes -*- C++ -*-=//
//
// Each edit is made wherever it applies, at kernel level and in block graphs.
// Some leave the function as it was (swapping operands that are equal): the
// ground truth tells.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_WRONG_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_WRONG_H

#include "Edit.h"

namespace mirage::verify::mutation {

/// All single edits of a program, in a fixed order.
std::vector<Edited> wrongEdits(const Program &program);

/// Its parts: operands, functions and constants; maps, loops and grids.
void editOps(Editor &editor, unsigned place, const Op &op);
void editStructure(Editor &editor, unsigned place, const Op &op);

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_WRONG_H
