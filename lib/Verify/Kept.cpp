//===- Kept.cpp - Certificates that a store has kept ----------------------===//

#include "CertificateFields.h"
#include "Constants.h"
#include "Normalise.h"
#include "Shrink.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace mirage::semantics;
using namespace mirage::verify;
namespace json = llvm::json;

std::string mirage::verify::hashOf(const Program &program) {
  std::string text = toString(canonical(program));
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

static llvm::Error disagree(const llvm::Twine &what, const llvm::Twine &want,
                            const llvm::Twine &got) {
  return llvm::createStringError("certificate: expected " + what + " to be " +
                                 want + ", but got " + got);
}

/// Fresh tests of the pair, cheap ones.
static llvm::Error testAgain(const Program &reference, const Program &candidate,
                             VerifyOptions options) {
  options.seed.reset();
  options.checkFloat = false;
  options.threads = 1; // threads would take longer to start
  Program f = reference, g = candidate;
  std::set<std::string> unused;
  recogniseConstants(f, g, unused);
  std::optional<ShrunkPair> small = shrink(f, g);
  if (!small) {
    options.minTests = options.maxTests = 1;
    options.threads = 0;
  }
  llvm::Expected<VerifyResult> fresh =
      small ? verify(small->f, small->g, options)
            : verify(reference, candidate, options);
  if (!fresh)
    return fresh.takeError();
  if (fresh->verdict != Verdict::Equivalent)
    return disagree("the verdict of fresh tests", "equivalent",
                    describe(*fresh));
  return llvm::Error::success();
}

llvm::Error mirage::verify::recheckKept(const Program &reference,
                                        const Program &candidate,
                                        const json::Object &certificate,
                                        const VerifyOptions &options) {
  llvm::Expected<json::Object> fields =
      parseCertificate(printCertificate(certificate));
  if (!fields)
    return fields.takeError();
  auto expect = [&](llvm::StringRef name, const std::string &want) {
    llvm::StringRef got = *fields->getString(name);
    return got == want ? llvm::Error::success() : disagree(name, want, got);
  };
  if (llvm::Error error = expect("reference", hashOf(reference)))
    return error;
  if (llvm::Error error = expect("candidate", hashOf(candidate)))
    return error;
  if (llvm::Error error = expect("signature", signatureOf(reference)))
    return error;
  if (llvm::Error error = expect("verdict", "equivalent"))
    return error;
  if (llvm::Error error = expect("claim", "proved"))
    return error;
  std::optional<double> bound = fields->getNumber("log2_bound");
  if (!bound || !(*bound <= options.targetLog2Bound))
    return disagree("log2_bound",
                    "at most " +
                        llvm::formatv("{0:F1}", options.targetLog2Bound).str(),
                    bound ? llvm::formatv("{0:F1}", *bound).str() : "none");
  return testAgain(reference, candidate, options);
}

namespace {
Counterexample readCounterexample(const json::Object &from) {
  Counterexample to;
  to.output = from.getInteger("output").value_or(0);
  if (const json::Array *index = from.getArray("index"))
    for (const json::Value &at : *index)
      to.index.push_back(at.getAsInteger().value_or(0));
  to.reference = from.getString("reference").value_or("").str();
  to.candidate = from.getString("candidate").value_or("").str();
  to.domain = from.getString("domain").value_or("").str();
  to.test = from.getInteger("test").value_or(0);
  return to;
}

FloatReport readFloats(const json::Object &from) {
  FloatReport to;
  to.accepted = from.getBoolean("accepted").value_or(false);
  if (const json::Array *cases = from.getArray("cases"))
    for (const json::Value &value : *cases)
      if (const json::Object *one = value.getAsObject()) {
        FloatCase &entry = to.cases.emplace_back();
        entry.name = one->getString("name").value_or("").str();
        entry.baselineError = one->getNumber("baseline_error").value_or(0);
        entry.candidateError = one->getNumber("candidate_error").value_or(0);
        entry.baselineWrongClass =
            one->getInteger("baseline_wrong_class").value_or(0);
        entry.candidateWrongClass =
            one->getInteger("candidate_wrong_class").value_or(0);
        entry.accepted = one->getBoolean("accepted").value_or(false);
      }
  return to;
}
} // namespace

llvm::Expected<VerifyResult>
mirage::verify::resultFromCertificate(const json::Object &certificate) {
  llvm::Expected<json::Object> fields =
      parseCertificate(printCertificate(certificate));
  if (!fields)
    return fields.takeError();
  VerifyResult result;
  llvm::StringRef verdict = *fields->getString("verdict");
  bool known = false;
  for (Verdict one :
       {Verdict::Equivalent, Verdict::NotEquivalent, Verdict::CannotTell})
    if (stringify(one) == verdict) {
      result.verdict = one;
      known = true;
    }
  if (!known)
    return disagree("verdict", "one of three", verdict);
  result.reason = fields->getString("reason")->str();
  result.log2Bound = fields->getNumber("log2_bound");
  result.statistical = fields->getString("claim") == "statistical";
  if (const json::Object *where = fields->getObject("counterexample"))
    result.counterexample = readCounterexample(*where);
  if (const json::Object *floats = fields->getObject("float"))
    result.floatReport = readFloats(*floats);
  result.seconds = fields->getNumber("seconds").value_or(0);
  result.certificate = std::move(*fields);
  return result;
}
