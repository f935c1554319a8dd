// A certificate is trusted only as far as it can be computed again.

#include "Programs.h"
#include "gtest/gtest.h"

using namespace mirage::verify;
using namespace mirage::verify::test;
namespace json = llvm::json;

namespace {
std::string message(llvm::Error error) {
  return llvm::toString(std::move(error));
}

struct Pair {
  Program reference = rmsNormLinear(kSmall);
  Program candidate = fusedRmsNormLinear(kSmall, {3, 2, 4});
};

json::Object certify(const Pair &pair) {
  return llvm::cantFail(verify(pair.reference, pair.candidate, fixedOptions()))
      .certificate;
}

std::string recheckMessage(const Pair &pair, json::Object certificate) {
  VerifyOptions options;
  options.threads = 1;
  return message(recheck(pair.reference, pair.candidate, certificate, options));
}

/// The certificate as text, with one edit.
std::string edited(const json::Object &certificate, llvm::StringRef from,
                   llvm::StringRef to) {
  std::string text = printCertificate(certificate);
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

std::string parseMessage(const std::string &text) {
  auto parsed = parseCertificate(text);
  return parsed ? "" : message(parsed.takeError());
}

TEST(CertificateTest, SurvivesTextAndRecheck) {
  Pair pair;
  json::Object certificate = certify(pair);
  auto parsed = parseCertificate(printCertificate(certificate));
  ASSERT_TRUE(static_cast<bool>(parsed)) << message(parsed.takeError());
  EXPECT_EQ(*parsed, certificate);
  EXPECT_EQ(recheckMessage(pair, *parsed), "");
}

TEST(CertificateTest, SaysWhatTheClaimRestsOn) {
  json::Object certificate = certify({});
  EXPECT_EQ(certificate.getString("verdict"), "equivalent");
  EXPECT_EQ(certificate.getString("profile"), "R");
  EXPECT_EQ(certificate.getString("claim"), "proved");
  EXPECT_EQ(certificate.getString("sigma"), "keyed");
  EXPECT_EQ(certificate.getInteger("T"), 2);
  EXPECT_EQ(certificate.getArray("tests")->size(), 2u);
  EXPECT_EQ(certificate.getArray("soft")->front(), "sqrt");
  EXPECT_LT(*certificate.getNumber("log2_bound"), -100);
  // One call of sqrt on each side, whose argument has degree 2.
  const json::Object &numbers = *certificate.getObject("numbers");
  EXPECT_EQ(numbers.getNumber("Du"), 2);
}

// The same seed gives the same certificate on any number of threads.
TEST(CertificateTest, DoesNotDependOnThreads) {
  Pair pair;
  VerifyOptions options = fixedOptions();
  options.threads = 1;
  json::Object one =
      llvm::cantFail(verify(pair.reference, pair.candidate, options))
          .certificate;
  options.threads = 5;
  json::Object five =
      llvm::cantFail(verify(pair.reference, pair.candidate, options))
          .certificate;
  one.erase("seconds");
  five.erase("seconds");
  EXPECT_EQ(one, five);
}

// Value ids and names are no part of a program's meaning.
TEST(CertificateTest, HashesStripNames) {
  Pair pair;
  json::Object certificate = certify(pair);
  pair.candidate.name = "other";
  pair.reference.addValue({{1}, DType::F32});
  EXPECT_EQ(recheckMessage(pair, certificate), "");
}

TEST(CertificateTest, RefusesOtherPrograms) {
  Pair pair;
  json::Object certificate = certify(pair);
  pair.candidate = fusedRmsNormLinear(kSmall, {3, 1, 4});
  EXPECT_NE(recheckMessage(pair, certificate).find("expected candidate to be"),
            std::string::npos);
}

TEST(CertificateTest, RefusesEditedFields) {
  Pair pair;
  json::Object certificate = certify(pair);
  auto refuses = [&](llvm::StringRef from, llvm::StringRef to,
                     llvm::StringRef field) {
    auto parsed = parseCertificate(edited(certificate, from, to));
    ASSERT_TRUE(static_cast<bool>(parsed)) << message(parsed.takeError());
    std::string text = recheckMessage(pair, *parsed);
    EXPECT_NE(text.find("expected " + field.str()), std::string::npos) << text;
  };
  refuses("\"log2_bound\": -", "\"log2_bound\": -9", "log2_bound");
  refuses("\"attempts\": 1", "\"attempts\": 2", "tests[0].attempts");
  refuses("\"p\": ", "\"p\": 1", "tests[0].p");
  refuses("\"A2\"", "\"A4\"", "assumptions[1]");
  // One test would do for the target, but not for the bound as stated.
  refuses("\"T\": 2", "\"T\": 1", "log2_bound");
  refuses("\"T\": 2", "\"T\": 3", "log2_bound");
  refuses("\"T\": 2", "\"T\": 0", "T from 1 to 64");
  refuses("\"claim\": \"proved\"", "\"claim\": \"certain\"", "claim");
  // Another seed is honest by itself, but its draws are others.
  refuses("\"seed\": \"01", "\"seed\": \"02", "tests[0].");
  refuses("\"profile\": \"R\"", "\"profile\": \"E\"", "profile");
}

TEST(CertificateTest, RefusesBadText) {
  json::Object certificate = certify({});
  std::string text = printCertificate(certificate);
  EXPECT_NE(parseMessage(text.substr(0, text.size() / 2)), "");
  EXPECT_EQ(parseMessage("[]"),
            "certificate: expected an object, but got an array");
  EXPECT_EQ(parseMessage(edited(certificate, "\"prf\"", "\"prg\"")),
            "certificate: expected a field 'prf', but got none");
  EXPECT_EQ(parseMessage(edited(certificate, "\"prf\"", "\"x\": 1, \"prf\"")),
            "certificate: expected no field 'x', but got one");
  EXPECT_EQ(parseMessage(edited(certificate, "\"T\": 2", "\"T\": 3, \"T\": 2")),
            "certificate: expected each field once, but got 'T' twice");
  EXPECT_EQ(parseMessage(edited(certificate, "\"T\": 2", "\"T\": \"2\"")),
            "certificate: expected field 'T' to be a number, but got a string");
  EXPECT_EQ(parseMessage(edited(certificate, "\"omega\"", "\"p\"")),
            "certificate: expected each field once, but got 'p' twice");
  EXPECT_EQ(parseMessage(edited(certificate, "\"full\": true,", "")),
            "certificate: expected a field 'full', but got none");
}

TEST(CertificateTest, RefusesOddText) {
  json::Object certificate = certify({});
  EXPECT_EQ(parseMessage(edited(certificate, "\"prf\"", "\"pr\\u0066\"")),
            "certificate: expected field names without escapes, but got "
            "\"pr\\u0066\"");
  certificate["tests"] = json::Array({1});
  EXPECT_EQ(parseMessage(printCertificate(certificate)),
            "certificate: expected tests to be objects, but got a number");
}

TEST(CertificateTest, RefusesSeedsAndCountsOutOfRange) {
  Pair pair;
  json::Object certificate = certify(pair);
  certificate["seed"] = "XY";
  EXPECT_EQ(recheckMessage(pair, certificate),
            "certificate: expected a seed of 64 lower-case hexadecimal digits, "
            "but got 'XY'");
  certificate = certify(pair);
  certificate["T"] = 65;
  EXPECT_EQ(recheckMessage(pair, certificate),
            "certificate: expected T from 1 to 64, but got 65");
}

// More tests than the default are no fault; a bound that misses the target is.
TEST(CertificateTest, ChecksBoundAgainstTarget) {
  Pair pair;
  VerifyOptions options = fixedOptions();
  options.minTests = 3;
  json::Object certificate =
      llvm::cantFail(verify(pair.reference, pair.candidate, options))
          .certificate;
  EXPECT_EQ(recheckMessage(pair, certificate), "");
  options.targetLog2Bound = -500;
  EXPECT_NE(
      message(recheck(pair.reference, pair.candidate, certificate, options))
          .find("expected a bound of at most 2^-500.0, but got 2^-1"),
      std::string::npos);
}

TEST(CertificateTest, HoldsFloatFigures) {
  Pair pair;
  VerifyOptions options = fixedOptions();
  options.checkFloat = true;
  VerifyResult result =
      llvm::cantFail(verify(pair.reference, pair.candidate, options));
  ASSERT_TRUE(result.floatReport);
  EXPECT_TRUE(result.floatReport->accepted) << result.floatReport->complaint();
  EXPECT_EQ(recheckMessage(pair, result.certificate), "");
  json::Object &figures = *result.certificate.getObject("float");
  figures["accepted"] = false;
  EXPECT_NE(recheckMessage(pair, result.certificate)
                .find("expected float.accepted to be true"),
            std::string::npos);
}

TEST(CertificateTest, NeverVerifiesAnotherVerdict) {
  Kernel a, b;
  ValueId x = a.input({2, 2});
  Program f = a.done({a.exp(x)});
  x = b.input({2, 2});
  Program g = b.done({b.neg(x)});
  VerifyResult result = llvm::cantFail(verify(f, g, fixedOptions()));
  EXPECT_EQ(message(recheck(f, g, result.certificate)),
            "certificate: expected verdict 'equivalent', but got 'not "
            "equivalent'");
}

/// relu(2 x) and 2 relu(x), which only counts show equal.
Program scaledRelu(bool outside) {
  Kernel k;
  ValueId x = k.input({3, 4}), two = k.literal(2);
  return outside ? k.done({k.mul(k.op(OpKind::Relu, {x}), two)})
                 : k.done({k.op(OpKind::Relu, {k.mul(x, two)})});
}

TEST(CertificateTest, StatisticalClaimsMustBeAccepted) {
  Program f = scaledRelu(false), g = scaledRelu(true);
  VerifyResult result = llvm::cantFail(verify(f, g, fixedOptions()));
  EXPECT_EQ(message(recheck(f, g, result.certificate)),
            "certificate: expected claim 'proved', but got 'statistical'");
  VerifyOptions options;
  options.acceptStatistical = true;
  EXPECT_EQ(message(recheck(f, g, result.certificate, options)), "");
  llvm::json::Object edited = result.certificate;
  (*edited.getObject("coverage"))["fewest_compares"] = 4000;
  EXPECT_NE(message(recheck(f, g, edited, options))
                .find("expected coverage.fewest_compares to be"),
            std::string::npos);
  edited = result.certificate;
  edited["claim"] = "proved";
  edited["T"] = 2;
  EXPECT_NE(message(recheck(f, g, edited, options)), "");
}

// The number of tests is capped: then the bound says what was reached, and the
// result says that it is not the target.
TEST(CertificateTest, SaysWhenTheBoundIsWeak) {
  Pair pair;
  VerifyOptions options = fixedOptions();
  options.maxTests = 2;
  options.targetLog2Bound = -500;
  VerifyResult result =
      llvm::cantFail(verify(pair.reference, pair.candidate, options));
  EXPECT_EQ(result.verdict, Verdict::Equivalent);
  EXPECT_FALSE(result.reachesTarget(options));
  EXPECT_NE(describe(result).find("which misses the target of 2^-500.0"),
            std::string::npos)
      << describe(result);
  EXPECT_TRUE(result.reachesTarget({}));
}

TEST(LimitTest, AtLeastOneTest) {
  VerifyOptions options = fixedOptions();
  options.minTests = options.maxTests = 0;
  Pair pair;
  VerifyResult result =
      llvm::cantFail(verify(pair.reference, pair.candidate, options));
  EXPECT_EQ(result.certificate.getInteger("T"), 1);
  result = llvm::cantFail(
      verify(pair.reference, rmsNormLinear(kSmall, 1e-3), options));
  EXPECT_EQ(result.verdict, Verdict::NotEquivalent);
}

// A program too large to evaluate is an open question, not a crash.
TEST(LimitTest, HugeProgramsAreOpen) {
  Kernel k;
  ValueId x = k.input({1 << 20, 1 << 20});
  Program huge = k.done({k.neg(x)});
  VerifyResult result = llvm::cantFail(verify(huge, huge, fixedOptions()));
  EXPECT_EQ(result.verdict, Verdict::CannotTell);
  EXPECT_TRUE(llvm::StringRef(result.reason)
                  .starts_with("evaluation takes 32768.0 GiB of memory, and "
                               "the limit is "))
      << result.reason;
}

TEST(LimitTest, IntegerInputsAreOpen) {
  Program p;
  ValueId data = p.addInput({{8, 4}, DType::F32});
  ValueId index = p.addInput({{3}, DType::I32});
  Attrs attrs;
  attrs.dims = {0};
  p.outputs = {p.append(OpKind::Gather, {data, index}, attrs)};
  VerifyResult result = llvm::cantFail(verify(p, p, fixedOptions()));
  EXPECT_EQ(result.verdict, Verdict::CannotTell);
  EXPECT_EQ(result.reason, "input 1 holds integers");
}

// An index that is computed leaves the verifier without a rule.
TEST(LimitTest, GathersAreOpen) {
  Kernel k;
  ValueId data = k.input({8, 4});
  Attrs dim;
  dim.dims = {0};
  k.dtype = DType::I32;
  ValueId index = k.shaped(OpKind::Iota, {}, {3}, dim);
  k.dtype = DType::F32;
  Program p = k.done({k.op(OpKind::Gather, {data, index}, dim)});
  VerifyResult result = llvm::cantFail(verify(p, p, fixedOptions()));
  EXPECT_EQ(result.verdict, Verdict::CannotTell);
  EXPECT_NE(
      result.reason.find("gather: expected an op that the verifier models"),
      std::string::npos)
      << result.reason;
}

TEST(SignatureTest, MismatchesAreDiagnostics) {
  auto check = [](const Program &f, const Program &g) {
    auto result = verify(f, g, fixedOptions());
    return result ? "" : message(result.takeError());
  };
  Sizes wide = kSmall;
  wide.cols *= 2;
  EXPECT_EQ(check(rmsNormLinear(kSmall), rmsNormLinear(wide)),
            "expected input 1 of type 24x12xf16 as in the reference, but got "
            "24x24xf16");
  EXPECT_EQ(check(rmsNormLinear(kSmall), gatedMlp(kSmall)),
            "expected 2 inputs as in the reference, but got 3");
  Kernel one, two;
  ValueId x = one.input({2, 2}), y = two.input({2, 2});
  EXPECT_EQ(check(one.done({one.neg(x)}), two.done({two.neg(y), y})),
            "expected 1 output as in the reference, but got 2");
  Program malformed = rmsNormLinear(kSmall);
  malformed.outputs = {99};
  EXPECT_EQ(check(rmsNormLinear(kSmall), malformed),
            "candidate: output: expected a value id below 4, but got 99");
}
TEST(CertificateTest, RefusesDeepNesting) {
  auto parsed = parseCertificate(std::string(200000, '['));
  ASSERT_FALSE(static_cast<bool>(parsed));
  EXPECT_EQ(llvm::toString(parsed.takeError()),
            "expected JSON nested at most 64 deep, but got more at byte 64");
}

std::string keptMessage(const Program &reference, const Program &candidate,
                        const json::Object &certificate) {
  return message(recheckKept(reference, candidate, certificate));
}

TEST(KeptCertificateTest, HoldsForItsPrograms) {
  Pair pair;
  json::Object certificate = certify(pair);
  EXPECT_EQ(keptMessage(pair.reference, pair.candidate, certificate), "");
  Program full = rmsNormLinear(kFullRmsNorm);
  // Of other programs, whatever they compute.
  EXPECT_NE(keptMessage(full, pair.candidate, certificate)
                .find("expected reference to be"),
            std::string::npos);
}

// Hashes that are made to fit do not help a wrong candidate: fresh tests see
// it.
TEST(KeptCertificateTest, IsTestedAgain) {
  Pair pair;
  Program wrong = fusedRmsNormLinear(kSmall, {3, 2, 4});
  bool changed = false;
  for (Op &op : wrong.ops)
    for (Op &inner : op.body)
      if (inner.kind == OpKind::Div) {
        inner.kind = OpKind::Mul;
        changed = true;
      }
  ASSERT_TRUE(changed);
  VerifyOptions options = fixedOptions();
  json::Object certificate = certify(pair);
  json::Object other =
      llvm::cantFail(verify(pair.reference, wrong, options)).certificate;
  certificate["candidate"] = *other.get("candidate");
  EXPECT_NE(keptMessage(pair.reference, wrong, certificate)
                .find("expected the verdict of fresh tests to be equivalent, "
                      "but got not equivalent"),
            std::string::npos);
  // Nor does a refusal serve as an acceptance.
  EXPECT_EQ(keptMessage(pair.reference, wrong, other),
            "certificate: expected verdict to be equivalent, but got not "
            "equivalent");
}

TEST(KeptCertificateTest, NeedsItsBound) {
  Pair pair;
  json::Object certificate = certify(pair);
  certificate["log2_bound"] = -20.0;
  EXPECT_EQ(keptMessage(pair.reference, pair.candidate, certificate),
            "certificate: expected log2_bound to be at most -50.0, but got "
            "-20.0");
  certificate.erase("log2_bound");
  EXPECT_NE(keptMessage(pair.reference, pair.candidate, certificate), "");
}

TEST(KeptCertificateTest, SaysWhatWasFound) {
  Pair pair;
  VerifyOptions options = fixedOptions();
  options.checkFloat = true;
  VerifyResult found =
      llvm::cantFail(verify(pair.reference, pair.candidate, options));
  VerifyResult kept = llvm::cantFail(resultFromCertificate(found.certificate));
  EXPECT_EQ(describe(kept), describe(found));
  EXPECT_EQ(kept.floatReport->toJSON(), found.floatReport->toJSON());
  Program wrong = pair.candidate;
  for (Op &op : wrong.ops)
    for (Op &inner : op.body)
      if (inner.kind == OpKind::Div)
        inner.kind = OpKind::Mul;
  found = llvm::cantFail(verify(pair.reference, wrong, options));
  kept = llvm::cantFail(resultFromCertificate(found.certificate));
  EXPECT_EQ(describe(kept), describe(found));
}
} // namespace
