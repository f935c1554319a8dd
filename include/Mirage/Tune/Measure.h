//===- Measure.h - Time the candidates of a bundle --------------*- C++ -*-===//
//
// A parent judges, a child holds the device: a kernel that hangs or faults
// makes the context, and with it the process, of no use. The child times one
// candidate at a time; where it crashes, does not answer in time or answers
// wrong, it is ended, the candidate is dropped and a fresh child goes on with
// the next. Good candidates share a child, since opening a device takes as long
// as timing one.
//
//   parent -> child   a line: the candidate's folder
//   child -> parent   a line of JSON: the times, or {"error": ...}
//   by files          input_<i>.bin, and what came out, output_<launch>_<i>.bin
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TUNE_MEASURE_H
#define MIRAGE_TUNE_MEASURE_H

#include "Mirage/Runtime/Device.h"
#include "Mirage/Tune/Bundle.h"
#include "Mirage/Tune/Judge.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <optional>

namespace mirage::tune {

constexpr int64_t kResultSchema = 1;

struct MeasureOptions {
  std::string executable; ///< started as `executable tune --worker=...`
  std::string driver;     ///< the CUDA driver library
  unsigned rounds = 20;   ///< graph replays for each median
  /// Times that every candidate is measured, every second time in the reverse
  /// order, so that clocks which drift show and do not favour the first.
  unsigned passes = 2;
  double timeoutSeconds = 30; ///< for one answer of the child
  unsigned threads = 0;       ///< of the interpreter
  std::function<void(const std::string &)> progress; ///< may be empty
};

enum class Outcome : uint8_t { Passed, Wrong, Failed, Hung, Crashed };
/// "pass", "wrong", "failed", "hung" or "crashed".
llvm::StringRef stringify(Outcome outcome);

/// Medians over the passes, microseconds.
struct LaunchTimes {
  double cold = 0, spread = 0, warm = 0;
};

struct Measurement {
  Outcome outcome = Outcome::Failed;
  std::string message; ///< why not passed
  LaunchTimes plain;
  std::optional<LaunchTimes> dependent;
  std::vector<double> coldPasses;           ///< plain, cold, one for each pass
  int64_t registers = 0, spilledBytes = 0;  ///< largest of its kernels
  double relativeError = 0, errorRatio = 0; ///< worst output
};

struct Results {
  std::string device;
  int capability = 0;
  Bundle bundle;
  std::vector<Measurement> measurements; ///< as bundle.candidates
  double seconds = 0;
  unsigned rounds = 0;

  /// Indices of those that passed, quickest cold time first.
  std::vector<size_t> byColdTime() const;
};

/// Times the candidates of the bundle in `folder`. A NoDeviceError where there
/// is no device.
llvm::Expected<Results> measureBundle(const Bundle &bundle,
                                      llvm::StringRef folder,
                                      const MeasureOptions &options);

/// An error unless there is a device, of the architecture of `target`: to ask
/// before a search.
llvm::Error checkDevice(llvm::StringRef target, const MeasureOptions &options);

/// The child's side: serves the parent on its standard input and output until
/// that closes. `scratch` is the folder of input_<i>.bin. Returns the exit
/// status.
int serveMeasurements(llvm::StringRef scratch, llvm::StringRef driver,
                      unsigned rounds);

/// Rank correlation of two rows of numbers, ties at their mean rank; nothing
/// for fewer than two, or where one row is constant.
std::optional<double> spearman(llvm::ArrayRef<double> a,
                               llvm::ArrayRef<double> b);

/// A table for people, with a line for what was dropped and a summary.
void printTable(const Results &results, llvm::raw_ostream &os);
llvm::json::Value toJSON(const Results &results);

} // namespace mirage::tune

#endif // MIRAGE_TUNE_MEASURE_H
