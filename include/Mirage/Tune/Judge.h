//===- Judge.h - Whether a kernel's numbers are good ------------*- C++ -*-===//

#ifndef MIRAGE_TUNE_JUDGE_H
#define MIRAGE_TUNE_JUDGE_H

#include "Mirage/Interpreter/Interpreter.h"

namespace mirage::tune {

/// Error allowed over that of the program run op by op in its own precision.
constexpr double kAllowedRatio = interpreter::kAllowedOnDevice;

/// One output against the f64 result.
struct Judgement {
  interpreter::Difference ours, baseline;
  double ratio = 0.0; ///< ours over the baseline's, in relative norm
  bool accepted = false;
};

/// The reference results of one program on one set of inputs, computed once.
class Judge {
public:
  Judge(std::vector<interpreter::Tensor> exact,
        std::vector<interpreter::Difference> baselines)
      : exact(std::move(exact)), baselines(std::move(baselines)) {}

  /// Runs the program in the interpreter.
  static llvm::Expected<Judge>
  create(const semantics::Program &program,
         llvm::ArrayRef<interpreter::Tensor> inputs, unsigned threads);

  Judgement judge(unsigned output, const interpreter::Tensor &actual) const;

  /// The outputs in f64, and how far the program's own precision is from them.
  llvm::ArrayRef<interpreter::Tensor> exactOutputs() const { return exact; }
  llvm::ArrayRef<interpreter::Difference> baseline() const { return baselines; }

private:
  std::vector<interpreter::Tensor> exact;
  std::vector<interpreter::Difference> baselines;
};

} // namespace mirage::tune

#endif // MIRAGE_TUNE_JUDGE_H
