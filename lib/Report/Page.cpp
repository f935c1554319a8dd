//===- Page.cpp - A report as one HTML page -------------------------------===//

#include "Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mirage::report;
using namespace mirage;
using llvm::formatv;
using llvm::StringRef;

namespace {
class Page {
public:
  Page(const PageInput &input, llvm::raw_ostream &os) : input(input), os(os) {}

  void run() {
    os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
          "charset=\"utf-8\"/>\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\"/>\n<title>"
       << escapeXML(input.title) << "</title>\n<style>" << kStyle
       << "</style>\n</head>\n<body>\n<main>\n";
    writeHeader();
    writeOverview();
    writeLegend();
    for (size_t i = 0; i < input.report.fragments.size(); ++i)
      writeFragment(i);
    writeTuned(/*where=*/std::nullopt);
    os << "</main>\n</body>\n</html>\n";
  }

private:
  void writeHeader() {
    const Report &report = input.report;
    double before = 0, after = 0;
    size_t replaced = 0;
    for (const Fragment &fragment : report.fragments) {
      before += fragment.originalMicros;
      after += fragment.micros();
      replaced += fragment.isReplaced();
    }
    os << "<h1>" << escapeXML(input.title) << "</h1>\n<p>Mirage looked for "
       << "cheaper GPU kernels that compute the same, for the target <code>"
       << escapeXML(report.target) << "</code>. Of "
       << counted(report.fragments.size(), "fragment")
       << " of the program it replaced <strong>" << replaced
       << "</strong>, each by one kernel that it found by searching and "
          "verified; the others stay as they were, with the reason.</p>\n"
          "<ul class=\"figures\">\n";
    auto figure = [&](const std::string &value, StringRef what) {
      os << "<li><strong>" << value << "</strong>" << what << "</li>\n";
    };
    figure(micros(before) + " µs", "predicted op by op");
    figure(micros(after) + " µs", "predicted now");
    if (after > 0)
      figure(formatv("{0:F2}×", before / after).str(), "as fast, predicted");
    figure(grouped(report.searches), "programs searched");
    os << "</ul>\n";
    if (report.leftOut > 0)
      os << "<p>" << counted(report.leftOut, "part")
         << " of the program could not be searched within the budget.</p>\n";
  }

  void writeOverview() {
    os << "<table class=\"overview\"><caption>Fragments</caption>\n<tr>"
          "<th>what, and what came of it</th><th class=\"number\">before, "
          "µs</th><th class=\"number\">now</th></tr>\n";
    for (size_t i = 0; i < input.report.fragments.size(); ++i) {
      const Fragment &one = input.report.fragments[i];
      os << "<tr><th scope=\"row\"><a href=\"#f" << i << "\">" << i + 1 << ". "
         << nameOf(one) << "</a><small>" << outcome(one)
         << "</small></th><td class=\"number\">" << micros(one.originalMicros)
         << "</td><td class=\"number\">"
         << (one.isReplaced() ? micros(one.micros()) : std::string("–"))
         << "</td></tr>\n";
    }
    os << "</table>\n";
  }

  void writeLegend() {
    os << R"html(<details><summary>How to read the pictures</summary>
<ul>
<li>Arrows go from what is computed to what reads it. <code>%7 = mul %0, %6</code>
is an operator with its operands in order; the last line is the size and element
type of its result.</li>
<li>A solid box is one GPU kernel, drawn as what <em>one block</em> of its grid
does; every block does the same on its own part of the data. A dashed box is a
loop in it.</li>
<li>A trapezium that narrows downwards loads a part of a tensor: <code>imap
x:dim 1</code> says that the blocks along the grid's x axis share out dim 1,
<code>x:all</code> that each has all of it; <code>fmap loop:dim 0</code> that the
loop walks along dim 0. One that widens stores a result, with its
<code>omap</code>.</li>
<li>A double border is an accumulator: what the loop leaves. Rounded boxes are
tensors in device memory, text without a border is a constant, a dotted border a
barrier or a wait.</li>
<li>In plots of candidates ◆ was taken, ✕ was refused, □ is one about which the
verifier could not tell, ○ was not needed. The dashed line is the time of the
fragment op by op.</li>
</ul>
</details>
)html";
  }

  static std::string nameOf(const Fragment &one) {
    return counted(one.ops, "op") + " of @" + escapeXML(one.function);
  }

  static std::string outcome(const Fragment &one) {
    return one.isReplaced() ? std::string("replaced by one verified kernel")
                            : "left: " + escapeXML(one.outcome);
  }

  void draw(const semantics::Program &program, const std::string &title,
            const std::string &text) {
    os << "<figure><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
          "aria-label=\""
       << escapeXML(title) << "\">";
    drawing::writeSvg(drawing::drawProgram(program), title, os);
    os << "</div></figure>\n<details><summary>The same as text</summary><pre "
          "tabindex=\"0\">"
       << escapeXML(text) << "</pre></details>\n";
  }

  void writeFragment(size_t i) {
    const Fragment &one = input.report.fragments[i];
    os << "<article id=\"f" << i << "\">\n<h2>" << i + 1 << ". " << nameOf(one)
       << "</h2>\n<p>" << sentence(one) << "</p>\n<p><small>"
       << escapeXML(one.location) << "</small></p>\n";
    if (!one.isReplaced())
      os << "<details><summary>The fragment and its search</summary>\n";
    os << "<h3>Before: op by op</h3>\n";
    draw(one.originalProgram, "the fragment before", one.original);
    if (one.winnerProgram) {
      os << "<h3>Now: one kernel</h3>\n<p>"
         << escapeXML(drawing::describeSizes(*one.winnerProgram)) << "</p>\n";
      draw(*one.winnerProgram, "the μGraph that replaced it", one.winner);
    }
    writeCandidates(one);
    writeTuned(one);
    if (one.search.visited > 0) {
      os << "<h3>What the search did</h3>\n";
      writePruning(one.search, os);
    }
    if (one.certificate) {
      os << "<h3>Why it computes the same</h3>\n";
      writeCertificate(*one.certificate, os);
    }
    if (i < input.code.size())
      writeCode(input.code[i]);
    if (!one.isReplaced())
      os << "</details>\n";
    os << "</article>\n";
  }

  static std::string sentence(const Fragment &one) {
    if (!one.isReplaced())
      return "It was left as it is: " + escapeXML(one.outcome) + ".";
    return formatv("One kernel now does what took {0} µs op by op, in a "
                   "predicted {1} µs: {2:F2} times as fast.",
                   micros(one.originalMicros), micros(one.micros()),
                   one.originalMicros / one.micros());
  }

  void writeCandidates(const Fragment &one) {
    if (one.candidates.empty())
      return;
    os << "<h3>Candidates</h3>\n<figure>";
    writeCandidatePlot(one, os);
    os << "</figure>\n<details><summary>The candidates as a table</summary>"
          "<div class=\"scroll\"><table class=\"list\"><tr><th>rank</th>"
          "<th>predicted, µs</th><th>sizes</th><th>verdict</th></tr>\n";
    for (size_t i = 0; i < one.candidates.size(); ++i) {
      std::string verdict = "not needed";
      for (const Verdict &v : one.verdicts)
        if (v.candidate == static_cast<int64_t>(i))
          verdict = v.text;
      os << "<tr><td class=\"number\">" << i + 1 << "</td><td class=\"number\">"
         << micros(one.candidates[i].predictedMicros) << "</td><td>"
         << escapeXML(one.candidates[i].sizes) << "</td><td>"
         << escapeXML(verdict) << "</td></tr>\n";
    }
    os << "</table></div></details>\n";
  }

  /// What was timed, at the first fragment of its function that was replaced,
  /// or at the end of the page where there is none.
  void writeTuned(std::optional<std::reference_wrapper<const Fragment>> where) {
    const TuneResults *tuned = input.tuned;
    if (!tuned || tunedIsWritten)
      return;
    if (where &&
        (where->get().function != tuned->program || !where->get().isReplaced()))
      return;
    tunedIsWritten = true;
    size_t timed = llvm::count_if(tuned->candidates, [](const Timed &one) {
      return one.coldMicros.has_value();
    });
    os << "<h3>Measured</h3>\n<p>" << counted(timed, "candidate") << " of @"
       << escapeXML(tuned->program) << " timed on " << escapeXML(tuned->device)
       << ", with a cold cache. ◆ is the quickest; ✕ on the axis gave no "
          "time. On the dashed line the prediction is exact.</p>\n<figure>";
    writeMeasuredPlot(*tuned, os);
    os << "</figure>\n<details><summary>The times as a table</summary><div "
          "class=\"scroll\"><table class=\"list\"><tr><th>rank</th><th>"
          "predicted, µs</th><th>cold</th><th>warm</th><th>verdict</th>"
          "<th>sizes</th></tr>\n";
    auto orDash = [](std::optional<double> value) {
      return value ? micros(*value) : std::string("–");
    };
    for (const Timed &one : tuned->candidates)
      os << "<tr><td class=\"number\">" << one.rank + 1
         << "</td><td class=\"number\">" << micros(one.predictedMicros)
         << "</td><td class=\"number\">" << orDash(one.coldMicros)
         << "</td><td class=\"number\">" << orDash(one.warmMicros)
         << "</td><td>" << escapeXML(one.verdict) << "</td><td>"
         << escapeXML(one.sizes) << "</td></tr>\n";
    os << "</table></div></details>\n";
  }

  void writeCode(const Code &code) {
    if (!code.failure.empty()) {
      os << "<h3>Code</h3>\n<p>" << escapeXML(code.failure) << ".</p>\n";
      return;
    }
    for (const LoweredKernel &kernel : code.kernels) {
      os << "<h3>Shared memory of a block</h3>\n";
      writeSharedPlan(kernel, os);
      if (!kernel.threads.empty())
        os << "<h3>Threads</h3>\n<details><summary>What the threads of a "
              "block do</summary><figure><div class=\"scroll\" "
              "role=\"region\" tabindex=\"0\" aria-label=\"thread level\">"
           << kernel.threads << "</div></figure></details>\n";
    }
    if (code.ptx.empty())
      return;
    os << "<h3>Code</h3>\n";
    if (!code.ptxas.empty())
      os << "<p>What <code>ptxas -v</code> says:</p>\n<pre tabindex=\"0\">"
         << escapeXML(code.ptxas) << "</pre>\n";
    os << "<details><summary>PTX, "
       << counted(StringRef(code.ptx).count('\n'), "line")
       << "</summary><pre tabindex=\"0\">" << escapeXML(code.ptx)
       << "</pre></details>\n";
  }

  const PageInput &input;
  llvm::raw_ostream &os;
  bool tunedIsWritten = false;
};
} // namespace

void mirage::report::writePage(const PageInput &input, llvm::raw_ostream &os) {
  Page(input, os).run();
}
