//===- Words.cpp - A certificate in plain words ---------------------------===//

#include "Page.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mirage::report;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

/// "1 in 10^33": a probability that is a power of two.
static std::string oneIn(double log2) {
  double digits = -log2 * std::log10(2.0);
  if (digits < 3)
    return formatv("1 in {0:F0}", std::exp2(-log2)).str();
  return formatv("1 in 10<sup>{0:F0}</sup>", std::floor(digits)).str();
}

static StringRef text(const json::Object &object, StringRef name) {
  return object.getString(name).value_or("");
}

static int64_t number(const json::Object &object, StringRef name) {
  return object.getInteger(name).value_or(0);
}

static void writeFloat(const json::Object &floats, llvm::raw_ostream &os) {
  const json::Array *cases = floats.getArray("cases");
  if (!cases)
    return;
  os << "<p>Rounding is a separate question. Both programs were run in their "
        "own precision and compared with double precision, on ordinary and on "
        "hostile inputs; the new one may have at most twice the error.</p>\n"
        "<div class=\"scroll\"><table class=\"list\"><tr><th>inputs</th>"
        "<th>error before</th><th>after</th><th>verdict</th></tr>\n";
  for (const json::Value &value : *cases) {
    const json::Object *one = value.getAsObject();
    if (!one)
      continue;
    auto error = [&](StringRef name) {
      return formatv("{0}",
                     llvm::format("%.1e", one->getNumber(name).value_or(0)))
          .str();
    };
    os << "<tr><td>" << escapeXML(text(*one, "name"))
       << "</td><td class=\"number\">" << error("baseline_error")
       << "</td><td class=\"number\">" << error("candidate_error")
       << "</td><td>"
       << (one->getBoolean("accepted").value_or(false) ? "accepted"
                                                       : "too large")
       << "</td></tr>\n";
  }
  os << "</table></div>\n";
}

void mirage::report::writeCertificate(const json::Object &certificate,
                                      llvm::raw_ostream &os) {
  int64_t tests = number(certificate, "T");
  std::optional<double> bound = certificate.getNumber("log2_bound");
  bool proved = text(certificate, "claim") == "proved";
  os << "<p>Verdict: <strong>" << escapeXML(text(certificate, "verdict"))
     << "</strong>. ";
  if (proved && bound)
    os << "Both programs were computed exactly, without rounding, on "
       << counted(tests, "set")
       << " of random inputs in finite fields whose sizes were drawn at random "
          "as well, and agreed in every element. A program that computes "
          "something else would have passed with a probability of at most "
       << formatv("2<sup>{0:F1}</sup>, less than ", *bound) << oneIn(*bound)
       << ".";
  else
    os << "Both programs agreed at random points; how likely a wrong program "
          "is to do so is not bounded.";
  os << "</p>\n<ul>\n";
  if (const json::Object *sizes = certificate.getObject("sizes"))
    os << "<li>The tests ran at "
       << (sizes->getBoolean("full").value_or(false)
               ? "the sizes of the program"
               : "small sizes of the same structure")
       << ": <code>" << escapeXML(text(*sizes, "signature"))
       << "</code>.</li>\n";
  auto list = [&](StringRef name) {
    std::string words;
    if (const json::Array *array = certificate.getArray(name))
      for (const json::Value &value : *array)
        words += (words.empty() ? "" : ", ") +
                 value.getAsString().value_or("").str();
    return escapeXML(words);
  };
  if (std::string soft = list("soft"); !soft.empty())
    os << "<li>Taken as random functions, so that nothing but the laws below "
          "is known of them: "
       << soft << ".</li>\n";
  if (std::string laws = list("laws"); !laws.empty())
    os << "<li>Laws used (docs/Verification.md has the table): " << laws
       << ".</li>\n";
  if (std::string assumptions = list("assumptions"); !assumptions.empty())
    os << "<li>It assumes " << assumptions
       << ": the generator behaves as random, the laws hold, and equality is "
          "claimed where both programs are defined.</li>\n";
  os << "<li>The tests follow from a seed, which was drawn after the candidate "
        "was fixed unless the option <code>seed</code> gave it: <code>"
     << escapeXML(text(certificate, "seed").take_front(16))
     << "…</code>. <code>mirage-opt --mirage-verify</code> computes all of it "
        "again.</li>\n</ul>\n";
  if (const json::Object *floats = certificate.getObject("float"))
    writeFloat(*floats, os);
  json::Object copy = certificate;
  os << "<details><summary>The certificate as it is stored</summary><pre "
        "tabindex=\"0\">"
     << escapeXML(formatv("{0:2}", json::Value(std::move(copy))).str())
     << "</pre></details>\n";
}
