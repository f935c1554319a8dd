//===- FloatCheck.cpp - Rounding errors of a candidate --------------------===//

#include "Mirage/Verify/FloatCheck.h"
#include "Mirage/Interpreter/Interpreter.h"
#include "Mirage/Interpreter/Rounding.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>
#include <map>
#include <mutex>

using namespace mirage;
using namespace mirage::semantics;
using namespace mirage::verify;
using mirage::interpreter::Mode;
using mirage::interpreter::Tensor;

namespace {
/// Errors below one rounding of f32 are not compared: both are as good as
/// exact.
constexpr double kSlack = 0x1p-23;
constexpr double kFactor = interpreter::kAllowedRounding;

constexpr const char *kCases[] = {"ordinary", "large", "tiny",
                                  "offset",   "zeros", "non_finite"};

/// Changes `tensor` in place as the case says.
void makeHostile(Tensor &tensor, llvm::StringRef name) {
  int64_t count = tensor.values.size();
  int64_t row = tensor.type.shape.empty() ? 1 : tensor.type.shape.back();
  auto each = [&](auto fn) {
    for (int64_t i = 0; i < count; ++i)
      tensor.values[i] =
          interpreter::roundTo(tensor.type.dtype, fn(i, tensor.values[i]));
  };
  if (name == "large")
    each([](int64_t, double v) { return v * 256; });
  else if (name == "tiny")
    each([](int64_t, double v) { return v * 0x1p-10; });
  else if (name == "offset")
    each([](int64_t, double v) { return v + 16; });
  else if (name == "zeros")
    each([=](int64_t i, double v) { return i / row % 2 == 0 ? 0.0 : v; });
  else if (name == "non_finite" && count) {
    tensor.values[count - 1] = std::numeric_limits<double>::quiet_NaN();
    tensor.values[row / 2] = std::numeric_limits<double>::infinity();
  }
}
/// The reference's results in one case.
struct ReferenceCase {
  std::vector<Tensor> exact, baseline;
};
} // namespace

/// A map entry, once it is there, stays until the key changes, and readers hold
/// it by a pointer of their own.
struct FloatReferences::Kept {
  std::mutex mutex;
  std::string key;
  std::shared_ptr<const std::vector<Tensor>> ordinary;
  std::map<std::string, std::shared_ptr<const ReferenceCase>> cases;
};

FloatReferences::FloatReferences() : kept(std::make_unique<Kept>()) {}
FloatReferences::~FloatReferences() = default;

llvm::Expected<FloatReport> mirage::verify::checkFloat(
    const Program &reference, const Program &candidate, uint64_t seed,
    unsigned threads, FloatReferences *shared, const Cancelled &cancelled) {
  FloatReferences own;
  FloatReferences::Kept &kept = shared ? *shared->kept : *own.kept;
  std::string key = std::to_string(seed) + " " + toString(reference);
  std::shared_ptr<const std::vector<Tensor>> ordinary;
  {
    std::lock_guard<std::mutex> lock(kept.mutex);
    if (kept.key != key) {
      kept.key.clear();
      kept.cases.clear();
      kept.ordinary = std::make_shared<std::vector<Tensor>>(
          interpreter::randomInputs(reference, seed, cancelled));
      if (cancelled && cancelled())
        return llvm::createStringError("interrupted");
      kept.key = key;
    }
    ordinary = kept.ordinary;
  }
  auto referenceCase = [&](llvm::StringRef name, llvm::ArrayRef<Tensor> inputs)
      -> llvm::Expected<std::shared_ptr<const ReferenceCase>> {
    std::lock_guard<std::mutex> lock(kept.mutex);
    bool mine = kept.key == key;
    if (mine && kept.cases.count(name.str()))
      return kept.cases[name.str()];
    auto exact =
        interpreter::run(reference, inputs, Mode::F64, threads, cancelled);
    if (!exact)
      return exact.takeError();
    auto baseline =
        interpreter::run(reference, inputs, Mode::Program, threads, cancelled);
    if (!baseline)
      return baseline.takeError();
    auto made = std::make_shared<const ReferenceCase>(
        ReferenceCase{std::move(*exact), std::move(*baseline)});
    if (mine)
      kept.cases[name.str()] = made;
    return made;
  };

  FloatReport report;
  report.accepted = true;
  std::vector<Tensor> inputs = *ordinary;
  for (llvm::StringRef name : kCases) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (isFloat(inputs[i].type.dtype)) {
        inputs[i] = (*ordinary)[i];
        makeHostile(inputs[i], name);
        break;
      }
    auto known = referenceCase(name, inputs);
    if (!known)
      return known.takeError();
    const std::vector<Tensor> *exact = &(*known)->exact;
    const std::vector<Tensor> *baseline = &(*known)->baseline;
    auto actual =
        interpreter::run(candidate, inputs, Mode::Program, threads, cancelled);
    if (!actual)
      return actual.takeError();
    FloatCase result;
    result.name = name.str();
    for (size_t i = 0; i < exact->size(); ++i) {
      auto b = interpreter::compare((*baseline)[i], (*exact)[i]);
      auto a = interpreter::compare((*actual)[i], (*exact)[i]);
      result.baselineError = std::max(result.baselineError, b.relative);
      result.candidateError = std::max(result.candidateError, a.relative);
      result.baselineWrongClass += b.wrongClass;
      result.candidateWrongClass += a.wrongClass;
    }
    result.accepted =
        result.candidateError <= kFactor * result.baselineError + kSlack &&
        result.candidateWrongClass <= result.baselineWrongClass;
    report.accepted &= result.accepted;
    report.cases.push_back(std::move(result));
  }
  return report;
}

llvm::json::Object FloatReport::toJSON() const {
  llvm::json::Array list;
  for (const FloatCase &c : cases)
    list.push_back(
        llvm::json::Object{{"name", c.name},
                           {"baseline_error", c.baselineError},
                           {"candidate_error", c.candidateError},
                           {"baseline_wrong_class", c.baselineWrongClass},
                           {"candidate_wrong_class", c.candidateWrongClass},
                           {"accepted", c.accepted}});
  return llvm::json::Object{
      {"accepted", accepted}, {"factor", kFactor}, {"cases", std::move(list)}};
}

std::string FloatReport::complaint() const {
  for (const FloatCase &c : cases) {
    if (c.accepted)
      continue;
    if (c.candidateWrongClass > c.baselineWrongClass)
      return llvm::formatv("{0} inputs: expected at most {1} elements of the "
                           "wrong class, but got {2}",
                           c.name, c.baselineWrongClass, c.candidateWrongClass)
          .str();
    return llvm::formatv("{0} inputs: expected an error of at most {1:E2}, "
                         "twice the baseline's, but got {2:E2}",
                         c.name, kFactor * c.baselineError + kSlack,
                         c.candidateError)
        .str();
  }
  return "";
}
