//===- Certificate.cpp - Writing, reading and re-checking -----------------===//

#include "CertificateFields.h"
#include "Mirage/Support/JSONDepth.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::verify;
namespace json = llvm::json;

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "certificate: " + message);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string mirage::verify::signatureOf(const Program &program) {
  std::string text = "(";
  for (unsigned i = 0; i < program.numInputs; ++i)
    text += (i ? ", " : "") + toString(program.type(i));
  text += ") -> (";
  for (size_t i = 0; i < program.outputs.size(); ++i)
    text += (i ? ", " : "") + toString(program.type(program.outputs[i]));
  return text + ")";
}

static json::Value orNull(std::optional<double> value) {
  return value ? json::Value(*value) : json::Value(nullptr);
}

/// The published bound for a fixed p and q near 2^61: 8 d k^4 / q + q^(-1/k^2).
/// It says nothing at half and above.
static json::Object publishedBound(const PairNumbers &numbers) {
  constexpr double kLog2Q = 61;
  double log2K = numbers.log2Terms; // it knows no monomials
  double first = 3 + std::log2(std::max(numbers.d, 1.0)) + 4 * log2K - kLog2Q;
  double second = -kLog2Q / std::exp2(std::min(2 * log2K, 1000.0));
  double value = std::min(1.0, std::exp2(first) + std::exp2(second));
  return json::Object{{"value", value}, {"vacuous", value >= 0.5}};
}

json::Object CertificateFields::toJSON() const {
  json::Array records;
  for (const TestRecord &test : tests)
    records.push_back(json::Object{{"p", test.draw.p},
                                   {"omega", test.draw.omega},
                                   {"attempts", test.attempts},
                                   {"digest", test.digest}});
  json::Array assumptions{"A1", "A2", "A3"};
  // Exponents that are formally different may agree modulo the fixed q.
  if (withExp)
    assumptions.push_back("A4");
  json::Value example = nullptr;
  if (counterexample)
    example = json::Object{{"output", counterexample->output},
                           {"index", json::Array(counterexample->index)},
                           {"reference", counterexample->reference},
                           {"candidate", counterexample->candidate},
                           {"domain", counterexample->domain},
                           {"test", counterexample->test}};
  json::Value counts = nullptr;
  if (coverage)
    counts = json::Object{
        {"draws", coverage->draws},
        {"fewest_compares", coverage->fewestCompares},
        {"decisions", static_cast<int64_t>(coverage->places)},
        {"fewest_outcomes", coverage->fewestOutcomes
                                ? json::Value(*coverage->fewestOutcomes)
                                : json::Value(nullptr)}};
  json::Value floatFigures = nullptr;
  if (floats)
    floatFigures = json::Object(*floats);
  return json::Object{
      {"schema", 2},
      {"tool", "mirage-verify 1"},
      {"verdict", verdict},
      {"reason", reason},
      {"reference", reference},
      {"candidate", candidate},
      {"signature", signature},
      {"law_table", 1},
      {"laws", json::Array(laws)},
      {"soft", json::Array(soft)},
      {"constants", json::Array(constants)},
      {"sigma", sigmaThroughExp ? "exp" : "keyed"},
      {"interpretation", coverage ? "structured" : "free"},
      {"profile", withExp ? "E" : "R"},
      {"q", withExp ? json::Value(kOrderQ) : json::Value(nullptr)},
      {"log2_M", withExp ? std::log2(double(kPoolSizeE)) : kLog2PoolSizeR},
      {"log2_X", kLog2PoolFloor},
      {"A", kAttempts},
      {"T", numTests},
      {"seed", seed},
      {"prf", "philox4x64-10, keys by sha256"},
      {"sizes", json::Object{{"full", !coverage || smallSignature.empty()},
                             {"signature", coverage && !smallSignature.empty()
                                               ? smallSignature
                                               : signature}}},
      {"tests", std::move(records)},
      {"numbers", json::Object{{"d", numbers.d},
                               {"log2_k", numbers.log2K},
                               {"log2_terms", numbers.log2Terms},
                               {"Delta", numbers.delta},
                               {"e", numbers.e},
                               {"log2C", numbers.log2C},
                               {"m", numbers.m},
                               {"Du", numbers.du},
                               {"log2_ku", numbers.log2Ku},
                               {"Delta_u", numbers.deltaU},
                               {"log2Cu", numbers.log2Cu}}},
      {"theorem", coverage  ? "none"
                  : withExp ? "pool"
                            : "rational"},
      {"log2_eps", coverage ? json::Value(nullptr) : orNull(numbers.log2Eps)},
      {"log2_earlier", orNull(log2Earlier)},
      {"log2_bound", orNull(log2Bound)},
      {"published_bound", withExp && !coverage
                              ? json::Value(publishedBound(numbers))
                              : json::Value(nullptr)},
      {"claim", coverage    ? "statistical"
                : log2Bound ? "proved"
                            : "none"},
      {"coverage", std::move(counts)},
      {"assumptions", std::move(assumptions)},
      {"counterexample", std::move(example)},
      {"float", std::move(floatFigures)},
      {"seconds", seconds},
  };
}

std::string mirage::verify::printCertificate(const json::Object &certificate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::Object copy = certificate;
  os << llvm::formatv("{0:2}", json::Value(std::move(copy))) << "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// The JSON reader keeps the last of two equal keys; a certificate has none.
/// Runs on text that has been parsed, so it is well formed.
llvm::Error refuseDuplicateKeys(llvm::StringRef text) {
  std::vector<llvm::StringSet<>> objects;
  std::vector<bool> isObject;
  bool expectKey = false;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '{':
      objects.emplace_back();
      isObject.push_back(true);
      expectKey = true;
      break;
    case '[':
      isObject.push_back(false);
      expectKey = false;
      break;
    case '}':
      objects.pop_back();
      isObject.pop_back();
      expectKey = false;
      break;
    case ']':
      isObject.pop_back();
      expectKey = false;
      break;
    case ',':
      expectKey = !isObject.empty() && isObject.back();
      break;
    case '"': {
      size_t begin = ++i;
      while (text[i] != '"')
        i += text[i] == '\\' ? 2 : 1;
      llvm::StringRef key = text.slice(begin, i);
      // An escape could spell a known key in a second way.
      if (expectKey && key.contains('\\'))
        return error("expected field names without escapes, but got \"" + key +
                     "\"");
      if (expectKey && !objects.back().insert(key).second)
        return error("expected each field once, but got '" + key + "' twice");
      expectKey = false;
      break;
    }
    default:
      break;
    }
  }
  return llvm::Error::success();
}

const char *kindName(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return "null";
  case json::Value::Boolean:
    return "a boolean";
  case json::Value::Number:
    return "a number";
  case json::Value::String:
    return "a string";
  case json::Value::Array:
    return "an array";
  case json::Value::Object:
    return "an object";
  }
  llvm_unreachable("covered switch");
}

/// A field of a certificate or of an object inside it.
struct FieldRule {
  const char *name;
  json::Value::Kind kind;
  bool orNull = false;
};

constexpr auto kString = json::Value::String;
constexpr auto kNumber = json::Value::Number;
constexpr auto kArray = json::Value::Array;
constexpr auto kObject = json::Value::Object;
constexpr auto kBoolean = json::Value::Boolean;

constexpr FieldRule kRules[] = {
    {"schema", kNumber},
    {"tool", kString},
    {"verdict", kString},
    {"reason", kString},
    {"reference", kString},
    {"candidate", kString},
    {"signature", kString},
    {"law_table", kNumber},
    {"laws", kArray},
    {"soft", kArray},
    {"constants", kArray},
    {"sigma", kString},
    {"interpretation", kString},
    {"profile", kString},
    {"q", kNumber, true},
    {"log2_M", kNumber},
    {"log2_X", kNumber},
    {"A", kNumber},
    {"T", kNumber},
    {"seed", kString},
    {"prf", kString},
    {"sizes", kObject},
    {"tests", kArray},
    {"numbers", kObject},
    {"theorem", kString},
    {"log2_eps", kNumber, true},
    {"log2_earlier", kNumber, true},
    {"log2_bound", kNumber, true},
    {"published_bound", kObject, true},
    {"claim", kString},
    {"coverage", kObject, true},
    {"assumptions", kArray},
    {"counterexample", kObject, true},
    {"float", kObject, true},
    {"seconds", kNumber},
};
constexpr FieldRule kSizesRules[] = {{"full", kBoolean},
                                     {"signature", kString}};
constexpr FieldRule kNumbersRules[] = {
    {"d", kNumber},       {"log2_k", kNumber}, {"log2_terms", kNumber},
    {"Delta", kNumber},   {"e", kNumber},      {"log2C", kNumber},
    {"m", kNumber},       {"Du", kNumber},     {"log2_ku", kNumber},
    {"Delta_u", kNumber}, {"log2Cu", kNumber}};
constexpr FieldRule kCoverageRules[] = {{"draws", kNumber},
                                        {"fewest_compares", kNumber},
                                        {"decisions", kNumber},
                                        {"fewest_outcomes", kNumber, true}};
constexpr FieldRule kTestRules[] = {{"p", kNumber},
                                    {"omega", kNumber},
                                    {"attempts", kNumber},
                                    {"digest", kString}};

llvm::Error checkFields(const json::Object &object,
                        llvm::ArrayRef<FieldRule> rules) {
  for (const FieldRule &rule : rules) {
    const json::Value *value = object.get(rule.name);
    if (!value)
      return error(llvm::Twine("expected a field '") + rule.name +
                   "', but got none");
    if (value->kind() != rule.kind &&
        !(rule.orNull && value->kind() == json::Value::Null))
      return error(llvm::Twine("expected field '") + rule.name + "' to be " +
                   (rule.kind == kString   ? "a string"
                    : rule.kind == kNumber ? "a number"
                    : rule.kind == kArray  ? "an array"
                    : rule.kind == kObject ? "an object"
                                           : "a boolean") +
                   ", but got " + kindName(*value));
  }
  std::string unknown;
  for (const auto &field : object) {
    llvm::StringRef name = field.first;
    bool known = llvm::any_of(
        rules, [&](const FieldRule &rule) { return name == rule.name; });
    // The first by name, whatever the order of the table.
    if (!known && (unknown.empty() || name < unknown))
      unknown = name.str();
  }
  if (!unknown.empty())
    return error("expected no field '" + unknown + "', but got one");
  return llvm::Error::success();
}
} // namespace

llvm::Expected<json::Object>
mirage::verify::parseCertificate(llvm::StringRef text) {
  if (llvm::Error e = checkJSONDepth(text))
    return std::move(e);
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return error("expected JSON, but got " + llvm::toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object)
    return error(llvm::Twine("expected an object, but got ") +
                 kindName(*value));
  if (llvm::Error e = refuseDuplicateKeys(text))
    return std::move(e);
  if (llvm::Error e = checkFields(*object, kRules))
    return std::move(e);
  if (llvm::Error e = checkFields(*object->getObject("sizes"), kSizesRules))
    return std::move(e);
  if (llvm::Error e = checkFields(*object->getObject("numbers"), kNumbersRules))
    return std::move(e);
  if (const json::Object *coverage = object->getObject("coverage"))
    if (llvm::Error e = checkFields(*coverage, kCoverageRules))
      return std::move(e);
  for (const json::Value &test : *object->getArray("tests")) {
    const json::Object *record = test.getAsObject();
    if (!record)
      return error(llvm::Twine("expected tests to be objects, but got ") +
                   kindName(test));
    if (llvm::Error e = checkFields(*record, kTestRules))
      return std::move(e);
  }
  return std::move(*object);
}

//===----------------------------------------------------------------------===//
// Re-checking
//===----------------------------------------------------------------------===//

/// Compares what was recorded with what was computed; logarithms to 1e-6.
static llvm::Error compareValues(const std::string &path,
                                 const json::Value &recorded,
                                 const json::Value &computed) {
  auto text = [](const json::Value &v) {
    return llvm::formatv("{0}", v).str();
  };
  auto mismatch = [&]() {
    return error("expected " + path + " to be " + text(computed) +
                 ", but got " + text(recorded));
  };
  if (recorded.kind() != computed.kind())
    return mismatch();
  if (const json::Object *want = computed.getAsObject()) {
    const json::Object &got = *recorded.getAsObject();
    if (got.size() != want->size())
      return mismatch();
    std::vector<std::string> names;
    for (const auto &field : *want)
      names.push_back(field.first.str());
    llvm::sort(names);
    for (const std::string &name : names) {
      if (name == "seconds")
        continue;
      if (!got.get(name))
        return mismatch();
      if (llvm::Error e = compareValues(path.empty() ? name : path + "." + name,
                                        *got.get(name), *want->get(name)))
        return e;
    }
    return llvm::Error::success();
  }
  if (const json::Array *want = computed.getAsArray()) {
    const json::Array &got = *recorded.getAsArray();
    if (got.size() != want->size())
      return mismatch();
    for (size_t i = 0; i < want->size(); ++i)
      if (llvm::Error e = compareValues(path + "[" + std::to_string(i) + "]",
                                        got[i], (*want)[i]))
        return e;
    return llvm::Error::success();
  }
  if (computed.kind() == json::Value::Number) {
    auto x = recorded.getAsUINT64(), y = computed.getAsUINT64();
    if (x && y)
      return *x == *y ? llvm::Error::success() : mismatch();
    if (!(std::abs(*recorded.getAsNumber() - *computed.getAsNumber()) <= 1e-6))
      return mismatch();
    return llvm::Error::success();
  }
  return recorded == computed ? llvm::Error::success() : mismatch();
}

llvm::Error mirage::verify::recheck(const Program &reference,
                                    const Program &candidate,
                                    const json::Object &certificate,
                                    const VerifyOptions &options) {
  // A certificate that did not come through parseCertificate is read as text.
  llvm::Expected<json::Object> parsed =
      parseCertificate(printCertificate(certificate));
  if (!parsed)
    return parsed.takeError();
  std::string bytes;
  llvm::StringRef seedText = *parsed->getString("seed");
  if (seedText.size() != 64 || !llvm::tryGetFromHex(seedText, bytes) ||
      seedText != seedText.lower())
    return error("expected a seed of 64 lower-case hexadecimal digits, but "
                 "got '" +
                 seedText + "'");
  VerifyOptions again = options;
  again.seed.emplace();
  std::copy(bytes.begin(), bytes.end(), again.seed->begin());
  // The certificate may rest on more tests than the default, not on fewer than
  // its bound needs: that is compared at the end.
  constexpr int64_t kMostTests = 64;
  int64_t tests = parsed->getInteger("T").value_or(0);
  bool statistical = parsed->getString("claim") == "statistical";
  if (statistical && !options.acceptStatistical)
    return error("expected claim 'proved', but got 'statistical'");
  if (!statistical && (tests < 1 || tests > kMostTests))
    return error("expected T from 1 to " + llvm::Twine(kMostTests) +
                 ", but got " + llvm::Twine(tests));
  if (!statistical)
    again.minTests = again.maxTests = static_cast<unsigned>(tests);
  again.checkFloat = parsed->getObject("float") != nullptr;
  llvm::Expected<VerifyResult> result = verify(reference, candidate, again);
  if (!result)
    return result.takeError();
  json::Object recorded = *parsed;
  if (llvm::Error e =
          compareValues("", json::Value(std::move(recorded)),
                        json::Value(std::move(result->certificate))))
    return e;
  if (result->verdict != Verdict::Equivalent)
    return error("expected verdict 'equivalent', but got '" +
                 stringify(result->verdict) + "'");
  if (!result->statistical && !result->reachesTarget(options))
    return error(llvm::formatv("expected a bound of at most 2^{0:F1}, but got "
                               "2^{1:F1}",
                               options.targetLog2Bound, *result->log2Bound)
                     .str());
  again.seed.reset();
  again.checkFloat = false;
  llvm::Expected<VerifyResult> fresh = verify(reference, candidate, again);
  if (!fresh)
    return fresh.takeError();
  if (fresh->verdict != Verdict::Equivalent)
    return error("expected verdict 'equivalent' with a fresh seed, but got '" +
                 stringify(fresh->verdict) + "'");
  if (fresh->statistical && !statistical)
    return error("expected claim 'proved' with a fresh seed, but got "
                 "'statistical'");
  return llvm::Error::success();
}
