//===- Evaluator.h - What a program computes at a real point ----*- C++ -*-===//
//
// Executes a program op by op over Scalar.h, with every tile of every block
// held at once. Written apart from the verifier's executor and from the
// interpreter: a fault that they share with their judge would go unseen.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_EVALUATOR_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_EVALUATOR_H

#include "Mirage/Semantics/Program.h"
#include "Tracked.h"

namespace mirage::verify::mutation {

/// The outputs of a well-formed program, each row by row. Elements whose value
/// is not known are NaN.
std::vector<std::vector<double>>
evaluate(const semantics::Program &program,
         const std::vector<std::vector<double>> &inputs);
std::vector<std::vector<Tracked>>
evaluateWide(const semantics::Program &program,
             const std::vector<std::vector<double>> &inputs);

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_EVALUATOR_H
