//===- Results.cpp - What was measured, as a table and as JSON ------------===//

#include "Mirage/Tune/Measure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <numeric>

using namespace mirage::tune;
namespace json = llvm::json;

llvm::StringRef mirage::tune::stringify(Outcome outcome) {
  switch (outcome) {
  case Outcome::Passed:
    return "pass";
  case Outcome::Wrong:
    return "wrong";
  case Outcome::Failed:
    return "failed";
  case Outcome::Hung:
    return "hung";
  case Outcome::Crashed:
    return "crashed";
  }
  return "";
}

std::vector<size_t> Results::byColdTime() const {
  std::vector<size_t> order;
  for (size_t i = 0; i < measurements.size(); ++i)
    if (measurements[i].outcome == Outcome::Passed)
      order.push_back(i);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return measurements[a].plain.cold < measurements[b].plain.cold;
  });
  return order;
}

/// Ranks from 0; equal numbers share the mean of theirs.
static std::vector<double> ranksOf(llvm::ArrayRef<double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::stable_sort(order,
                    [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]])
      ++end;
    for (size_t i = begin; i < end; ++i)
      ranks[order[i]] = (begin + end - 1) / 2.0;
  }
  return ranks;
}

std::optional<double> mirage::tune::spearman(llvm::ArrayRef<double> a,
                                             llvm::ArrayRef<double> b) {
  size_t n = std::min(a.size(), b.size());
  std::vector<double> x = ranksOf(a.take_front(n)),
                      y = ranksOf(b.take_front(n));
  double mean = (n - 1.0) / 2, xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < n; ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  if (n < 2 || xx == 0 || yy == 0)
    return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

namespace {
/// The figures under the table.
struct Summary {
  std::optional<double> correlation;
  std::optional<size_t> bestMeasured,
      bestPredicted; ///< among those that passed
  double drift = 0;  ///< largest relative distance between two passes
};

Summary summarize(const Results &results) {
  Summary summary;
  std::vector<double> predicted, measured;
  for (size_t i = 0; i < results.measurements.size(); ++i) {
    const Measurement &m = results.measurements[i];
    if (m.outcome != Outcome::Passed)
      continue;
    predicted.push_back(results.bundle.candidates[i].predictedMicros);
    measured.push_back(m.plain.cold);
    if (!summary.bestPredicted ||
        results.bundle.candidates[i].rank <
            results.bundle.candidates[*summary.bestPredicted].rank)
      summary.bestPredicted = i;
    auto [low, high] =
        std::minmax_element(m.coldPasses.begin(), m.coldPasses.end());
    if (low != m.coldPasses.end() && *low > 0)
      summary.drift = std::max(summary.drift, *high / *low - 1);
  }
  std::vector<size_t> order = results.byColdTime();
  if (!order.empty())
    summary.bestMeasured = order.front();
  summary.correlation = spearman(predicted, measured);
  return summary;
}

/// JSON has no spelling for the others.
json::Value numberOrNull(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

json::Value toJSON(const LaunchTimes &times) {
  return json::Object{{"cold_us", times.cold},
                      {"cold_spread_us", times.spread},
                      {"warm_us", times.warm}};
}
} // namespace

void mirage::tune::printTable(const Results &results, llvm::raw_ostream &os) {
  os << results.device << ", sm_" << results.capability << "; @"
     << results.bundle.program << ", " << results.measurements.size()
     << " candidates of " << results.bundle.ranked << " for "
     << results.bundle.target << "; microseconds\n";
  os << llvm::format("%-5s %5s %9s %9s %7s %9s %9s %9s %5s %8s %6s  %-8s%s\n",
                     "dir", "rank", "predicted", "cold", "spread", "warm",
                     "dep cold", "dep warm", "regs", "error", "ratio",
                     "verdict", "sizes");
  for (size_t i = 0; i < results.measurements.size(); ++i) {
    const BundleCandidate &candidate = results.bundle.candidates[i];
    const Measurement &m = results.measurements[i];
    os << llvm::format("%-5s %5lld %9.2f ", candidate.folder.c_str(),
                       static_cast<long long>(candidate.rank),
                       candidate.predictedMicros);
    if (m.outcome == Outcome::Passed) {
      os << llvm::format("%9.2f %7.2f %9.2f ", m.plain.cold, m.plain.spread,
                         m.plain.warm);
      if (m.dependent)
        os << llvm::format("%9.2f %9.2f ", m.dependent->cold,
                           m.dependent->warm);
      else
        os << llvm::format("%9s %9s ", "-", "-");
      os << llvm::format("%5lld %8.1e %6.3f  %-8s",
                         static_cast<long long>(m.registers), m.relativeError,
                         m.errorRatio, "pass")
         << candidate.summary << "\n";
    } else {
      os << llvm::format("%9s %7s %9s %9s %9s %5s %8s %6s  %-8s", "-", "-", "-",
                         "-", "-", "-", "-", "-",
                         stringify(m.outcome).str().c_str())
         << candidate.summary << "\n"
         << "      dropped: " << m.message << "\n";
    }
  }
  Summary summary = summarize(results);
  if (!summary.bestMeasured) {
    os << "no candidate passed\n";
    return;
  }
  auto line = [&](const char *what, size_t i) {
    os << llvm::format("%s %s: predicted %.2f, cold %.2f\n", what,
                       results.bundle.candidates[i].folder.c_str(),
                       results.bundle.candidates[i].predictedMicros,
                       results.measurements[i].plain.cold);
  };
  line("best measured ", *summary.bestMeasured);
  line("best predicted", *summary.bestPredicted);
  if (summary.correlation)
    os << llvm::format("rank correlation of predicted and cold: %.3f\n",
                       *summary.correlation);
  os << llvm::format("largest difference between passes: %.1f %%; %.1f s in "
                     "all\n",
                     summary.drift * 100, results.seconds);
}

json::Value mirage::tune::toJSON(const Results &results) {
  json::Array candidates;
  for (size_t i = 0; i < results.measurements.size(); ++i) {
    const BundleCandidate &candidate = results.bundle.candidates[i];
    const Measurement &m = results.measurements[i];
    json::Object entry{{"folder", candidate.folder},
                       {"rank", candidate.rank},
                       {"predicted_us", candidate.predictedMicros},
                       {"summary", candidate.summary},
                       {"verified", candidate.verdict},
                       {"verdict", stringify(m.outcome)}};
    if (!m.message.empty())
      entry["message"] = m.message;
    if (!m.coldPasses.empty()) {
      entry["plain"] = ::toJSON(m.plain);
      entry["cold_passes_us"] = json::Array(m.coldPasses);
      if (m.dependent)
        entry["dependent"] = ::toJSON(*m.dependent);
      entry["registers"] = m.registers;
      entry["spilled_bytes"] = m.spilledBytes;
      entry["relative_error"] = numberOrNull(m.relativeError);
      entry["error_ratio"] = numberOrNull(m.errorRatio);
    }
    candidates.push_back(std::move(entry));
  }
  json::Array dropped;
  for (const DroppedCandidate &candidate : results.bundle.dropped)
    dropped.push_back(json::Object{{"rank", candidate.rank},
                                   {"predicted_us", candidate.predictedMicros},
                                   {"reason", candidate.reason}});
  Summary summary = summarize(results);
  auto folderOf = [&](std::optional<size_t> i) -> json::Value {
    return i ? json::Value(results.bundle.candidates[*i].folder)
             : json::Value(nullptr);
  };
  return json::Object{{"schema", kResultSchema},
                      {"tool", results.bundle.tool},
                      {"device", results.device},
                      {"capability", results.capability},
                      {"target", results.bundle.target},
                      {"program", results.bundle.program},
                      {"seed", results.bundle.seed},
                      {"spread", results.bundle.spread},
                      {"ranked", results.bundle.ranked},
                      {"original_us", results.bundle.originalMicros},
                      {"rounds", static_cast<int64_t>(results.rounds)},
                      {"seconds", results.seconds},
                      {"candidates", std::move(candidates)},
                      {"dropped", std::move(dropped)},
                      {"best_measured", folderOf(summary.bestMeasured)},
                      {"best_predicted", folderOf(summary.bestPredicted)},
                      {"spearman", summary.correlation
                                       ? json::Value(*summary.correlation)
                                       : json::Value(nullptr)},
                      {"drift", summary.drift}};
}
