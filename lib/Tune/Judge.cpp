//===- Judge.cpp - Whether a kernel's numbers are good --------------------===//

#include "Mirage/Tune/Judge.h"

using namespace mirage;
using namespace mirage::interpreter;
using namespace mirage::tune;

/// Below this much relative error there is nothing to hold against a kernel.
static constexpr double kNoise = 1e-7;

llvm::Expected<Judge> Judge::create(const semantics::Program &program,
                                    llvm::ArrayRef<Tensor> inputs,
                                    unsigned threads) {
  auto exact = interpreter::run(program, inputs, Mode::F64, threads);
  if (!exact)
    return exact.takeError();
  auto baseline = interpreter::run(program, inputs, Mode::Program, threads);
  if (!baseline)
    return baseline.takeError();
  std::vector<Difference> baselines;
  for (size_t i = 0; i < exact->size(); ++i)
    baselines.push_back(compare((*baseline)[i], (*exact)[i]));
  return Judge(std::move(*exact), std::move(baselines));
}

Judgement Judge::judge(unsigned output, const Tensor &actual) const {
  Judgement result;
  result.ours = compare(actual, exact[output]);
  result.baseline = baselines[output];
  result.ratio =
      result.ours.relative / std::max(result.baseline.relative, kNoise);
  // Written so that a NaN is refused.
  result.accepted = result.ratio <= kAllowedRatio &&
                    result.ours.wrongClass <= result.baseline.wrongClass;
  return result;
}
