//===- Verify.cpp - Equivalence of two tensor programs --------------------===//
//
// The ladder of interpretations:
//
//   1. normalise both programs by the same laws
//   2. the free interpretation, with sigmoid as a random function; and, if that
//      disagrees and there is a sigmoid, once more with sigmoid through exp
//   3. a mismatch with no soft symbol in its cone: not equivalent, by proof
//   4. otherwise real points: a shared difference is a counterexample
//   5. where those agree too, the structured interpretation: agreement with
//   full
//      coverage is `equivalent`, labelled statistical; all else leaves the
//      question open
//
// Every interpretation either contains the real functions or satisfies only
// laws that they satisfy, so one that accepts is enough; the error of an
// earlier one that disagreed adds.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Verify.h"
#include "Bookkeep.h"
#include "CertificateFields.h"
#include "Constants.h"
#include "Executor.h"
#include "FieldDomain.h"
#include "Mirage/Interpreter/Memory.h"
#include "Normalise.h"
#include "RealProbe.h"
#include "Seeds.h"
#include "Shrink.h"
#include "Structured.h"
#include "Work.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"
#include <chrono>
#include <cmath>
#include <thread>

namespace interpreter = mirage::interpreter;
using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
/// The largest evaluation that is tried.
constexpr double kMaxBytes = 64 * 0x1p30;

llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error checkSignatures(const Program &f, const Program &g) {
  if (f.numInputs != g.numInputs)
    return error("expected " + llvm::Twine(f.numInputs) +
                 (f.numInputs == 1 ? " input" : " inputs") +
                 " as in the reference, but got " + llvm::Twine(g.numInputs));
  for (unsigned i = 0; i < f.numInputs; ++i)
    if (f.type(i) != g.type(i))
      return error("expected input " + llvm::Twine(i) + " of type " +
                   toString(f.type(i)) + " as in the reference, but got " +
                   toString(g.type(i)));
  if (f.outputs.size() != g.outputs.size())
    return error("expected " + llvm::Twine(f.outputs.size()) +
                 (f.outputs.size() == 1 ? " output" : " outputs") +
                 " as in the reference, but got " +
                 llvm::Twine(g.outputs.size()));
  for (size_t i = 0; i < f.outputs.size(); ++i) {
    const TensorType &a = f.type(f.outputs[i]), &b = g.type(g.outputs[i]);
    if (a != b)
      return error("expected output " + llvm::Twine(i) + " of type " +
                   toString(a) + " as in the reference, but got " +
                   toString(b));
  }
  return llvm::Error::success();
}

/// SHA-256 of the outputs as integers mod p, little-endian.
std::string digestOf(const std::vector<TileRef> &outputs,
                     const PrimeField &field) {
  llvm::SHA256 hash;
  for (const TileRef &tile : outputs) {
    std::vector<uint8_t> bytes(8 * tile->p.size());
    for (size_t i = 0; i < tile->p.size(); ++i) {
      uint64_t v = tile->p[i];
      llvm::support::endian::write64le(&bytes[8 * i],
                                       v == kNegInf ? v : field.toInteger(v));
    }
    hash.update(bytes);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// log2 of 2^a + 2^b.
double log2Sum(double a, std::optional<double> b) {
  return b ? std::max(a, *b) + std::log2(1 + std::exp2(-std::abs(a - *b))) : a;
}

struct Outcome {
  enum Kind { Agree, Differ, Void, CannotTell, Malformed } kind = Agree;
  std::string text;
  std::optional<Counterexample> where;
  bool permuted = false; ///< the outputs agree in another order
};

class Verifier {
public:
  Verifier(const Program &f, const Program &g, const VerifyOptions &options,
           const Seed &seed)
      : original{&f, &g}, options(options), seed(seed) {
    threads = options.threads
                  ? options.threads
                  : std::max(1u, std::thread::hardware_concurrency());
    programs[0] = normalise(f, laws);
    programs[1] = normalise(g, laws);
    std::set<std::string> constants;
    recogniseConstants(programs[0], programs[1], constants);
    real[0] = normalise(f, laws, /*keepsShift=*/true);
    real[1] = normalise(g, laws, /*keepsShift=*/true);
    recogniseConstants(real[0], real[1], constants);
    fields.constants.assign(constants.begin(), constants.end());
  }

  llvm::Expected<VerifyResult> run() {
    auto start = std::chrono::steady_clock::now();
    VerifyResult result;
    if (llvm::Error e = decide(result))
      return std::move(e);
    if (options.checkFloat && result.verdict == Verdict::Equivalent) {
      auto report =
          checkFloat(*original[0], *original[1],
                     llvm::support::endian::read64le(seed.data()), threads,
                     options.floatReferences, options.cancelled);
      if (!report)
        return report.takeError();
      fields.floats = report->toJSON();
      result.floatReport = std::move(*report);
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    fields.seconds = result.seconds;
    fields.verdict = stringify(result.verdict).str();
    // A missed target is no property of the certificate: its bound is.
    fields.reason = result.log2Bound ? "" : result.reason;
    fields.log2Bound = result.log2Bound;
    fields.counterexample = result.counterexample;
    result.certificate = fields.toJSON();
    return result;
  }

private:
  llvm::Error decide(VerifyResult &result) {
    describePrograms();
    for (unsigned i = 0; i < programs[0].numInputs; ++i)
      if (!isFloat(programs[0].type(i).dtype)) {
        result.reason = "input " + std::to_string(i) + " holds integers";
        return llvm::Error::success();
      }
    double bytes = std::max(memoryOf(programs[0]), memoryOf(programs[1]));
    double most = std::min<double>(
        kMaxBytes, static_cast<double>(interpreter::availableMemory()));
    if (bytes > most) {
      result.reason =
          llvm::formatv("evaluation takes {0:F1} GiB of memory, and "
                        "the limit is {1:F1}",
                        bytes / 0x1p30, most / 0x1p30)
              .str();
      return llvm::Error::success();
    }
    double work = 0;
    for (const Program &program : programs)
      work =
          std::max(work, interpreter::workOf(program, interpreter::kWorkPerOp));
    if (work > interpreter::kMaxWork) {
      result.reason = llvm::formatv("evaluation takes {0:E1} element "
                                    "operations, and the limit is {1:E1}",
                                    work, interpreter::kMaxWork)
                          .str();
      return llvm::Error::success();
    }
    auto contains = [&](std::initializer_list<OpKind> kinds) {
      return anyOp(programs[0].ops,
                   [&](const Op &op) {
                     return llvm::is_contained(kinds, op.kind);
                   }) ||
             anyOp(programs[1].ops, [&](const Op &op) {
               return llvm::is_contained(kinds, op.kind);
             });
    };
    bool hasExp = contains({OpKind::Exp});
    bool hasSigmoid = llvm::any_of(programs, [](const Program &program) {
      return anyOp(program.ops,
                   [](const Op &op) { return isSigmoidal(op.kind); });
    });
    std::vector<Interpretation> ladder = {{hasExp, false}};
    if (hasSigmoid)
      ladder.push_back({true, true});
    // Products under log and sqrt are split only where whole ones disagree.
    Program split[2] = {programs[0], programs[1]};
    std::set<std::string> splitLaws = laws;
    bool splits = splitProducts(split, splitLaws);
    size_t numWhole = ladder.size();
    if (splits)
      for (size_t i = 0; i < numWhole; ++i)
        ladder.push_back(ladder[i]);

    Outcome outcome;
    std::optional<double> earlier; // log2 of the errors of earlier rungs
    unsigned soft = 0;
    for (size_t rung = 0; rung < ladder.size(); ++rung) {
      const Interpretation &mode = ladder[rung];
      productsSplit = rung >= numWhole;
      if (rung == numWhole) {
        std::swap(programs[0], split[0]);
        std::swap(programs[1], split[1]);
        fields.laws.assign(splitLaws.begin(), splitLaws.end());
      }
      outcome = test(mode);
      switch (outcome.kind) {
      case Outcome::Malformed:
        return error(outcome.text);
      case Outcome::Agree: {
        if (!pair.log2Eps) {
          result.reason = "no error bound: more exponentials in one element "
                          "than the pool of primes allows";
          continue;
        }
        double bound =
            log2Sum(tests * (*pair.log2Eps + std::log2(kAttempts)), earlier);
        result.verdict = Verdict::Equivalent;
        result.reason.clear();
        result.log2Bound = bound;
        fields.log2Earlier = earlier;
        if (bound > options.targetLog2Bound)
          result.reason =
              llvm::formatv("which misses the target of 2^{0:F1} within {1} "
                            "tests",
                            options.targetLog2Bound, tests)
                  .str();
        return llvm::Error::success();
      }
      case Outcome::Void:
      case Outcome::CannotTell:
        result.reason = outcome.text;
        return llvm::Error::success();
      case Outcome::Differ:
        break;
      }
      // Had the programs been equal in this interpretation, they would have
      // agreed; had they agreed by chance, that is the error that adds.
      if (pair.log2Eps)
        earlier =
            log2Sum(tests * (*pair.log2Eps + std::log2(kAttempts)), earlier);
      unsigned output = outcome.where->output;
      soft = 0;
      for (int side : {0, 1})
        soft |= facts[side].soft[programs[side].outputs[output]];
      if (!soft)
        break;
    }
    if (outcome.kind != Outcome::Differ)
      return llvm::Error::success();
    conclude(result, outcome, soft);
    return llvm::Error::success();
  }

  /// Steps 3 to 5 for programs that differ in the last interpretation.
  void conclude(VerifyResult &result, const Outcome &outcome, unsigned soft) {
    std::string note =
        outcome.permuted ? "; outputs look swapped: they agree in another order"
                         : "";
    if (!soft) {
      for (const Program &program : programs)
        if (note.empty())
          note = roundedConstantNote(program.ops);
      result.verdict = Verdict::NotEquivalent;
      result.reason = "field values differ with no soft symbol" + note;
      result.counterexample = outcome.where;
      return;
    }
    Key key = deriveKeys(seed, /*interpretation=*/2, 0, 0).input;
    if (auto difference = probeReals(real[0], real[1], key, threads)) {
      result.verdict = Verdict::NotEquivalent;
      result.reason = "values at a real point differ" + note;
      Counterexample where;
      where.output = difference->output;
      where.index = difference->index;
      where.reference =
          toString(ConstantValue::makeLiteral(difference->reference));
      where.candidate =
          toString(ConstantValue::makeLiteral(difference->candidate));
      where.domain = "real";
      where.test = difference->point;
      result.counterexample = where;
      return;
    }
    std::string open = "field values differ through " +
                       llvm::join(softNames(soft), ", ") +
                       ", and real points agree" + secondOpinion(result);
    if (result.verdict == Verdict::CannotTell)
      result.reason = open;
  }

  /// The same with small extents, where the rules of Shrink.h find some. Real
  /// points are tried there too: they cost nothing.
  StructuredReport structuredAtSmallSizes(bool withExp, std::string &where) {
    Program f = *original[0], g = *original[1];
    std::set<std::string> unused;
    recogniseConstants(f, g, unused);
    StructuredReport report;
    std::optional<ShrunkPair> small = shrink(f, g);
    if (!small)
      return report;
    f = normalise(small->f, unused, /*keepsShift=*/true);
    g = normalise(small->g, unused, /*keepsShift=*/true);
    Key key = deriveKeys(seed, /*interpretation=*/2, 1, 0).input;
    if (probeReals(f, g, key, /*threads=*/1)) {
      report.kind = StructuredReport::Differ;
      return report;
    }
    fields.smallSignature = signatureOf(small->f);
    where = " at small sizes, " + fields.smallSignature;
    return compareStructured(normalise(small->f, unused),
                             normalise(small->g, unused), withExp, seed);
  }

  /// Step 5. Empty when it decides; otherwise why not.
  std::string secondOpinion(VerifyResult &result) {
    bool withExp = false;
    for (const Program &program : programs)
      withExp |= anyOp(program.ops, [](const Op &op) {
        return op.kind == OpKind::Exp || isSigmoidal(op.kind);
      });
    StructuredReport report =
        compareStructured(programs[0], programs[1], withExp, seed);
    std::string where;
    if (report.kind == StructuredReport::TooLarge)
      report = structuredAtSmallSizes(withExp, where);
    switch (report.kind) {
    case StructuredReport::Agree:
      result.verdict = Verdict::Equivalent;
      result.statistical = true;
      result.reason =
          llvm::formatv("statistical: {0} draws with structured roots and "
                        "order, each element compared {1} times or more",
                        report.draws, report.fewestCompares)
              .str();
      if (report.places)
        result.reason +=
            llvm::formatv(", each outcome of {0} decisions seen "
                          "{1} times or more",
                          report.places, report.fewestOutcomes.value_or(0))
                .str();
      fields.coverage = report;
      fields.withExp = withExp;
      fields.sigmaThroughExp = withExp;
      fields.tests.clear();
      fields.numTests = 0;
      return "";
    case StructuredReport::Differ:
      return "; with structured roots and order they differ";
    case StructuredReport::Uncovered:
      return llvm::formatv("; uncovered with structured roots and order: the "
                           "fewest comparisons of an element are {0}, the "
                           "fewest sights of an outcome {1}, in {2} draws",
                           report.fewestCompares,
                           report.fewestOutcomes.value_or(0), report.draws)
          .str();
    case StructuredReport::Failed:
      return "; structured: " + report.text;
    case StructuredReport::TooLarge:
      return "; too large for structured roots and order";
    }
    llvm_unreachable("covered switch");
  }

  /// Runs tests in one interpretation until the bound is reached or the
  /// programs differ.
  Outcome test(const Interpretation &mode) {
    for (int side : {0, 1})
      facts[side] = analyze(programs[side], mode);
    pair = combine(bookkeep(programs[0], mode), bookkeep(programs[1], mode),
                   mode.withExp);
    tests = options.minTests;
    if (pair.log2Eps) {
      double perTest = *pair.log2Eps + std::log2(kAttempts);
      tests = std::max<double>(
          tests, std::ceil(std::min(options.targetLog2Bound / perTest, 1e6)));
      tests = std::min(tests, options.maxTests);
    }
    tests = std::max(tests, 1u); // no test is no evidence
    describeInterpretation(mode);
    for (unsigned t = 0; t < tests; ++t) {
      Outcome outcome;
      for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
        outcome = attemptTest(mode, t, attempt);
        if (outcome.kind != Outcome::Void)
          break;
      }
      if (outcome.kind != Outcome::Agree)
        return outcome;
    }
    return {};
  }

  Outcome attemptTest(const Interpretation &mode, unsigned t,
                      unsigned attempt) {
    Keys keys = deriveKeys(seed, interpretationId(mode), t, attempt);
    FieldDraw draw = drawField(mode.withExp, keys.draw);
    FieldContext context(draw, mode, keys.input, keys.hash, threads);
    std::vector<TileRef> inputs;
    for (unsigned i = 0; i < programs[0].numInputs; ++i)
      inputs.push_back(context.input(i, programs[0].type(i).shape,
                                     facts[0].live[i] | facts[1].live[i]));
    std::vector<TileRef> outputs[2];
    for (int side : {0, 1}) {
      if (options.cancelled && options.cancelled()) {
        Outcome outcome;
        outcome.kind = Outcome::CannotTell;
        outcome.text = "interrupted";
        return outcome;
      }
      FailureLog log;
      FieldDomain domain(context, facts[side], log);
      outputs[side] = execute(programs[side], domain, inputs, threads);
      if (!log.worst())
        continue;
      Outcome outcome;
      outcome.text = std::string(side ? "candidate: " : "reference: ") +
                     log.worst()->second;
      switch (log.worst()->first) {
      case FailureKind::ZeroDivisor:
        outcome.kind = Outcome::Void;
        break;
      case FailureKind::CannotTell:
        outcome.kind = Outcome::CannotTell;
        break;
      case FailureKind::Malformed:
        outcome.kind = Outcome::Malformed;
        break;
      }
      return outcome;
    }
    fields.tests.push_back(
        {draw, attempt + 1, digestOf(outputs[0], context.fp)});
    return compare(outputs[0], outputs[1], context.fp, t);
  }

  /// Interpretations draw independently; 2 and 3 are the probe's and the
  /// structured one's.
  uint32_t interpretationId(const Interpretation &mode) const {
    return mode.sigmoidThroughExp + (productsSplit ? 4 : 0);
  }

  static Outcome compare(const std::vector<TileRef> &a,
                         const std::vector<TileRef> &b, const PrimeField &field,
                         unsigned t) {
    Outcome outcome;
    auto text = [&](uint64_t v) {
      return v == kNegInf ? "-inf" : std::to_string(field.toInteger(v));
    };
    for (size_t o = 0; o < a.size(); ++o) {
      // Nothing compared must never count as agreement.
      if (a[o]->p.size() != a[o]->numElements() ||
          b[o]->p.size() != a[o]->numElements()) {
        outcome.kind = Outcome::CannotTell;
        outcome.text = "output " + std::to_string(o) + " has no value in Z_p";
        return outcome;
      }
      for (size_t i = 0; i < a[o]->p.size(); ++i) {
        if (a[o]->p[i] == b[o]->p[i])
          continue;
        Counterexample where;
        where.output = o;
        int64_t rest = i;
        for (int64_t stride : rowMajor(a[o]->shape)) {
          where.index.push_back(rest / stride);
          rest %= stride;
        }
        where.reference = text(a[o]->p[i]);
        where.candidate = text(b[o]->p[i]);
        where.domain = "field";
        where.test = t;
        outcome.kind = Outcome::Differ;
        outcome.where = where;
        outcome.permuted = true;
        for (const TileRef &mine : a)
          outcome.permuted &= llvm::any_of(b, [&](const TileRef &other) {
            return mine->shape == other->shape && mine->p == other->p;
          });
        return outcome;
      }
    }
    return outcome;
  }

  void describePrograms() {
    fields.reference = hashOf(*original[0]);
    fields.candidate = hashOf(*original[1]);
    fields.signature = signatureOf(*original[0]);
    fields.seed = llvm::toHex(seed, /*LowerCase=*/true);
    fields.laws.assign(laws.begin(), laws.end());
  }

  void describeInterpretation(const Interpretation &mode) {
    fields.tests.clear();
    unsigned soft = 0;
    for (int side : {0, 1})
      for (ValueId id : programs[side].outputs)
        soft |= facts[side].soft[id];
    fields.soft = softNames(soft);
    fields.withExp = mode.withExp;
    fields.sigmaThroughExp = mode.sigmoidThroughExp;
    fields.numTests = tests;
    fields.numbers = pair;
  }

  const Program *original[2];
  VerifyOptions options;
  Seed seed;
  unsigned threads;
  std::set<std::string> laws;
  Program programs[2];
  Program real[2]; ///< for real points: shifted, and without split products
  Analysis facts[2];
  PairNumbers pair;
  unsigned tests = 0;
  bool productsSplit = false;
  CertificateFields fields;
};
} // namespace

llvm::StringRef mirage::verify::stringify(Verdict verdict) {
  switch (verdict) {
  case Verdict::Equivalent:
    return "equivalent";
  case Verdict::NotEquivalent:
    return "not equivalent";
  case Verdict::CannotTell:
    return "cannot tell";
  }
  llvm_unreachable("covered switch");
}

llvm::Expected<VerifyResult>
mirage::verify::verify(const Program &reference, const Program &candidate,
                       const VerifyOptions &options) {
  if (llvm::Error e = verifyProgram(reference))
    return error("reference: " + llvm::toString(std::move(e)));
  if (llvm::Error e = verifyProgram(candidate))
    return error("candidate: " + llvm::toString(std::move(e)));
  if (llvm::Error e = checkSignatures(reference, candidate))
    return std::move(e);
  Seed seed;
  if (options.seed) {
    seed = *options.seed;
  } else {
    llvm::Expected<Seed> fresh = systemSeed();
    if (!fresh)
      return fresh.takeError();
    seed = *fresh;
  }
  return Verifier(reference, candidate, options, seed).run();
}

std::string mirage::verify::describe(const VerifyResult &result) {
  std::string text = stringify(result.verdict).str();
  if (result.verdict == Verdict::Equivalent) {
    if (result.log2Bound)
      text +=
          llvm::formatv(", error at most 2^{0:F1}", *result.log2Bound).str();
    if (!result.reason.empty())
      text += ", " + result.reason;
    if (result.floatReport && !result.floatReport->accepted)
      text += "; rounding: " + result.floatReport->complaint();
    return text;
  }
  text += ": " + result.reason;
  if (const auto &where = result.counterexample) {
    llvm::SmallVector<int64_t, 4> index(where->index);
    text +=
        llvm::formatv("; output {0} at {1} is {2}, but got {3} ({4} {5} {6})",
                      where->output, toString(index), where->reference,
                      where->candidate, where->domain,
                      where->domain == "real" ? "point" : "test", where->test)
            .str();
  }
  return text;
}
