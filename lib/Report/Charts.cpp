//===- Charts.cpp - Candidates, pruning and memory as pictures ------------===//
//
// Charts are 330 pixels wide, so that a phone shows them whole. Every mark has
// a shape of its own and a title with its figures.
//
//===----------------------------------------------------------------------===//

#include "Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mirage::report;
using llvm::formatv;
using llvm::StringRef;

std::string mirage::report::micros(double value) {
  return formatv(value < 100 ? "{0:F2}" : "{0:F1}", value).str();
}

std::string mirage::report::grouped(int64_t count) {
  std::string digits = std::to_string(count), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0)
      text += "\u2009"; // a thin space
    text += digits[i];
  }
  return text;
}

std::string mirage::report::counted(int64_t count, StringRef what) {
  return grouped(count) + " " + what.str() + (count == 1 ? "" : "s");
}

namespace {
constexpr double kChartWidth = 330, kLeft = 30, kRight = 52;

/// 1, 2 or 5 times a power of ten: at most five steps to `most`.
double stepFor(double most) {
  double power = std::pow(10, std::floor(std::log10(most / 5)));
  for (double factor : {1.0, 2.0, 5.0})
    if (most / (factor * power) <= 5)
      return factor * power;
  return 10 * power;
}

/// A linear axis from 0.
struct Axis {
  double most, from, to;
  double at(double value) const { return from + (to - from) * value / most; }
};

void openChart(double height, StringRef title, llvm::raw_ostream &os) {
  os << formatv("<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {0} {1:F0}\" "
                "width=\"{0}\" height=\"{1:F0}\"><title>{2}</title>\n",
                kChartWidth, height, escapeXML(title));
}

/// Lines and numbers of a time axis along x.
void writeTimeAxis(const Axis &axis, double top, double bottom,
                   llvm::raw_ostream &os) {
  double step = stepFor(axis.most);
  for (double value = 0; value <= axis.most; value += step) {
    os << formatv("<path class=\"grid\" d=\"M{0:F1} {1:F1}V{2:F1}\"/>",
                  axis.at(value), top, bottom);
    os << formatv("<text class=\"tick\" x=\"{0:F1}\" y=\"{1:F1}\">{2}</text>\n",
                  axis.at(value), bottom + 12,
                  formatv("{0}", llvm::format("%g", value)));
  }
}

enum class Mark { Taken, Failed, Undecided, Open };

void writeMark(Mark mark, double x, double y, StringRef title, size_t rank,
               llvm::raw_ostream &os) {
  os << formatv("<g class=\"candidate\" data-rank=\"{0}\"><title>{1}</title>",
                rank, escapeXML(title));
  switch (mark) {
  case Mark::Taken:
    os << formatv("<path class=\"taken\" d=\"M{0:F1} {1:F1}l6 6l-6 6l-6 "
                  "-6Z\"/>",
                  x, y - 6);
    break;
  case Mark::Failed:
    os << formatv("<path class=\"failed\" d=\"M{0:F1} {1:F1}l8 8m-8 0l8 "
                  "-8\"/>",
                  x - 4, y - 4);
    break;
  case Mark::Undecided:
    os << formatv("<rect class=\"open\" x=\"{0:F1}\" y=\"{1:F1}\" width=\"8\" "
                  "height=\"8\"/>",
                  x - 4, y - 4);
    break;
  case Mark::Open:
    os << formatv("<circle class=\"open\" cx=\"{0:F1}\" cy=\"{1:F1}\" "
                  "r=\"4\"/>",
                  x, y);
    break;
  }
  os << "</g>";
}

Mark markOf(StringRef judgement) {
  if (judgement == "accepted")
    return Mark::Taken;
  if (judgement == "undecided")
    return Mark::Undecided;
  return judgement.empty() ? Mark::Open : Mark::Failed;
}
} // namespace

void mirage::report::writeCandidatePlot(const Fragment &fragment,
                                        llvm::raw_ostream &os) {
  constexpr double kRow = 17, kTop = 18;
  double most = fragment.originalMicros;
  for (const Candidate &candidate : fragment.candidates)
    most = std::max(most, candidate.predictedMicros);
  if (!(most > 0) || fragment.candidates.empty())
    return;
  Axis axis{most * 1.02, kLeft, kChartWidth - kRight};
  double bottom = kTop + kRow * fragment.candidates.size() + 4;
  openChart(bottom + 30,
            "predicted microseconds of each candidate, cheapest first", os);
  writeTimeAxis(axis, kTop - 4, bottom, os);
  double before = axis.at(fragment.originalMicros);
  os << formatv(
      "<path class=\"before\" d=\"M{0:F1} {1:F1}V{2:F1}\"/><text "
      "class=\"note end\" x=\"{3:F1}\" y=\"10\">op by op {4}</text>\n",
      before, kTop - 6, bottom, std::max(before, 70.0) + 4,
      micros(fragment.originalMicros));
  for (size_t i = 0; i < fragment.candidates.size(); ++i) {
    const Candidate &candidate = fragment.candidates[i];
    double y = kTop + kRow * (i + 0.5);
    std::string judgement,
        title =
            formatv("candidate {0}: predicted {1} us, "
                    "{2}",
                    i + 1, micros(candidate.predictedMicros), candidate.sizes);
    for (const Verdict &verdict : fragment.verdicts)
      if (verdict.candidate == static_cast<int64_t>(i)) {
        judgement = verdict.judgement;
        title += ": " + verdict.text;
      }
    os << formatv("<text class=\"tick end\" x=\"{0}\" y=\"{1:F1}\">{2}</text>",
                  kLeft - 10, y + 4, i + 1);
    os << formatv("<path class=\"stem\" d=\"M{0:F1} {1:F1}H{2:F1}\"/>",
                  axis.from, y, axis.at(candidate.predictedMicros));
    writeMark(markOf(judgement), axis.at(candidate.predictedMicros), y, title,
              i, os);
    os << formatv("<text class=\"tick start\" x=\"{0:F1}\" "
                  "y=\"{1:F1}\">{2}</text>\n",
                  axis.at(candidate.predictedMicros) + 9, y + 4,
                  micros(candidate.predictedMicros));
  }
  os << formatv("<text class=\"note\" x=\"{0:F1}\" y=\"{1:F1}\">predicted "
                "microseconds</text></svg>\n",
                (axis.from + axis.to) / 2, bottom + 27);
}

void mirage::report::writeMeasuredPlot(const TuneResults &tuned,
                                       llvm::raw_ostream &os) {
  double most = 0;
  for (const Timed &one : tuned.candidates)
    most = std::max({most, one.predictedMicros, one.coldMicros.value_or(0)});
  if (!(most > 0))
    return;
  Axis x{most * 1.05, 40, kChartWidth - 12}, y{most * 1.05, 270, 12};
  openChart(310, "predicted and measured microseconds of each candidate", os);
  writeTimeAxis(x, y.to, y.from, os);
  double step = stepFor(y.most);
  for (double value = step; value <= y.most; value += step)
    os << formatv("<path class=\"grid\" d=\"M{0:F1} {1:F1}H{2:F1}\"/><text "
                  "class=\"tick end\" x=\"{3:F1}\" y=\"{4:F1}\">{5}</text>\n",
                  x.from, y.at(value), x.to, x.from - 5, y.at(value) + 4,
                  formatv("{0}", llvm::format("%g", value)));
  os << formatv("<path class=\"before\" d=\"M{0:F1} {1:F1}L{2:F1} "
                "{3:F1}\"/>\n",
                x.from, y.from, x.to, y.to);
  const Timed *best = nullptr;
  for (const Timed &one : tuned.candidates)
    if (one.coldMicros && (!best || *one.coldMicros < *best->coldMicros))
      best = &one;
  for (const Timed &one : tuned.candidates) {
    std::string title =
        formatv("rank {0}: predicted {1} us, {2}: {3}", one.rank + 1,
                micros(one.predictedMicros),
                one.coldMicros ? "measured " + micros(*one.coldMicros) + " us"
                               : one.verdict,
                one.sizes);
    // What has no time stands on the axis.
    writeMark(&one == best     ? Mark::Taken
              : one.coldMicros ? Mark::Open
                               : Mark::Failed,
              x.at(one.predictedMicros), y.at(one.coldMicros.value_or(0)),
              title, one.rank, os);
  }
  os << formatv("<text class=\"note\" x=\"{0:F1}\" y=\"305\">predicted "
                "microseconds</text><text class=\"note start\" x=\"{1}\" "
                "y=\"10\">measured, cold</text></svg>\n",
                (x.from + x.to) / 2, x.from + 4);
}

void mirage::report::writePruning(const Statistics &stats,
                                  llvm::raw_ostream &os) {
  struct Row {
    const char *what, *why;
    int64_t count, of;
  };
  // What has no fitting shape or range is dropped before it counts as visited.
  int64_t all = stats.visited + stats.prunedShape + stats.prunedRange;
  const Row rows[] = {
      {"shapes do not fit", "the operands have no common shape",
       stats.prunedShape, all},
      {"no way to the result",
       "its abstract expression is no part of what the program computes",
       stats.prunedExpression, all},
      {"too many ops", "more than the bound", stats.prunedBound, all},
      {"exp may overflow", "its argument is not known to be at most 0",
       stats.prunedRange, all},
      {"computed already", "equal to a value that was there", stats.merged,
       all},
      {"kept as values", "of which graphs are made", stats.values, all},
  };
  os << "<table class=\"bars\"><caption>" << counted(all, "operator")
     << " proposed</caption>\n";
  auto row = [&](const Row &one) {
    double share = one.of > 0 ? 100.0 * one.count / one.of : 0;
    os << "<tr><th scope=\"row\">" << one.what << "<small>" << one.why
       << "</small></th><td class=\"number\">" << grouped(one.count)
       << formatv("</td><td class=\"bar\"><span style=\"width:{0:F1}%\"></span>"
                  "{1}</td></tr>\n",
                  std::min(share, 100.0),
                  share > 0 && share < 0.1 ? std::string("&lt;0.1 %")
                                           : formatv("{0:F1} %", share).str());
  };
  llvm::for_each(rows, row);
  os << "</table>\n<table class=\"bars\"><caption>"
     << counted(stats.instances, "instance") << " of "
     << counted(stats.graphs, "graph") << "</caption>\n";
  row({"past the target's resources", "shared memory, registers, threads",
       stats.prunedResource, stats.instances});
  os << "</table>\n<p>" << counted(stats.structures, "structure")
     << " of grid and loop; " << counted(stats.questions, "question")
     << " about abstract expressions, " << grouped(stats.z3Queries)
     << " of them put to Z3, which left " << grouped(stats.z3Unknown)
     << " open (these were kept). The search "
     << escapeXML(stats.stopped == "finished" ? "finished" : stats.stopped)
     << formatv(" after {0:F1} s", stats.seconds)
     << (stats.repeated ? ", for an earlier fragment of the same program"
         : stats.cached ? ", in an earlier run: this is from the cache"
                        : "")
     << ".</p>\n";
}

void mirage::report::writeSharedPlan(const LoweredKernel &kernel,
                                     llvm::raw_ostream &os) {
  constexpr double kRow = 34;
  if (kernel.buffers.empty() || kernel.sharedBytes <= 0) {
    os << "<p>It uses no shared memory.</p>\n";
    return;
  }
  unsigned last = 1;
  for (const LoweredKernel::Buffer &buffer : kernel.buffers)
    last = std::max(last, buffer.lastUse);
  Axis axis{static_cast<double>(kernel.sharedBytes), 4, kChartWidth - 4};
  double height = kRow * kernel.buffers.size() + 18;
  openChart(height, "where each buffer lies in the shared memory of a block",
            os);
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const LoweredKernel::Buffer &buffer = kernel.buffers[i];
    double y = kRow * i, from = axis.at(buffer.offset),
           to = axis.at(buffer.offset + buffer.bytes);
    os << formatv("<text class=\"note start\" x=\"4\" y=\"{0:F1}\">{1}: "
                  "{2}</text>",
                  y + 11, escapeXML(buffer.name), escapeXML(buffer.shape));
    os << formatv("<rect class=\"track\" x=\"{0:F1}\" y=\"{1:F1}\" "
                  "width=\"{2:F1}\" height=\"12\"/>",
                  axis.from, y + 16, axis.to - axis.from);
    os << formatv("<rect class=\"buffer\" x=\"{0:F1}\" y=\"{1:F1}\" "
                  "width=\"{2:F1}\" height=\"12\"><title>bytes {3} to {4}, in "
                  "use from step {5} to {6} of {7}</title></rect>\n",
                  from, y + 16, std::max(to - from, 2.0), buffer.offset,
                  buffer.offset + buffer.bytes, buffer.firstUse, buffer.lastUse,
                  last);
  }
  os << formatv("<text class=\"tick start\" x=\"4\" y=\"{0:F1}\">0</text><text "
                "class=\"tick end\" x=\"{1}\" y=\"{0:F1}\">{2} bytes</text>"
                "</svg>\n",
                height - 4, kChartWidth - 4, grouped(kernel.sharedBytes));
  os << "<div class=\"scroll\"><table class=\"list\"><tr><th>buffer</th>"
        "<th>bytes</th><th>offset</th><th>in use, steps</th></tr>\n";
  for (const LoweredKernel::Buffer &buffer : kernel.buffers)
    os << "<tr><td>" << escapeXML(buffer.name) << "</td><td class=\"number\">"
       << grouped(buffer.bytes) << "</td><td class=\"number\">"
       << grouped(buffer.offset) << "</td><td class=\"number\">"
       << buffer.firstUse << " to " << buffer.lastUse << "</td></tr>\n";
  os << "</table></div>\n";
}
