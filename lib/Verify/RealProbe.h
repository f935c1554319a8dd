//===- RealProbe.h - Two programs at real points ----------------*- C++ -*-===//
//
// Where field values differ but a soft symbol is in the cone, the programs may
// still be equal as real functions. The probe evaluates both in double and
// again in double-double at random points of several magnitudes. A difference
// that is large and that both precisions share is a counterexample; agreement
// proves nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_REALPROBE_H
#define MIRAGE_LIB_VERIFY_REALPROBE_H

#include "TileDomain.h"
#include <functional>

namespace mirage::verify {

struct RealDifference {
  unsigned point = 0;
  unsigned output = 0;
  semantics::Shape index;
  double reference = 0, candidate = 0;
};

/// Evaluates something over a domain, reporting failures to the domain's log.
using Evaluation = std::function<std::vector<TileRef>(
    TileDomain &domain, FailureLog &log, llvm::ArrayRef<TileRef> inputs)>;

/// The same of anything that can be evaluated on inputs of these types.
std::optional<RealDifference>
probeReals(llvm::ArrayRef<semantics::TensorType> inputs, const Evaluation &f,
           const Evaluation &g, Key key, unsigned threads);

std::optional<RealDifference> probeReals(const semantics::Program &f,
                                         const semantics::Program &g, Key key,
                                         unsigned threads);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_REALPROBE_H
