//===- Bundle.cpp - Lowered candidates in a folder ------------------------===//

#include "Mirage/Tune/Bundle.h"
#include "Mirage/Runtime/LaunchPlan.h"
#include "Mirage/Support/JSONDepth.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace mirage::tune;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

Expected<std::string> mirage::tune::readTextFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(path +
                                   ": expected a readable file, but got " +
                                   buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Devices and pipes, which a file must not take the place of.
static bool isSpecial(StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         llvm::sys::fs::is_other(status);
}

static Error writeInPlace(StringRef path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << text;
    os.close();
    code = os.error();
    os.clear_error(); // else its destructor ends the process
  }
  return llvm::errorCodeToError(code);
}

Error mirage::tune::writeTextFile(StringRef path, StringRef text) {
  auto write = [&]() -> Error {
    if (isSpecial(path))
      return writeInPlace(path, text);
    return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
      os << text;
      return Error::success();
    });
  };
  return llvm::handleErrors(write(), [&](const llvm::ErrorInfoBase &e) {
    return llvm::createStringError(
        path + ": expected to write the file, but got " + e.message());
  });
}

std::string mirage::tune::hashText(StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

std::string mirage::tune::joinPath(StringRef folder, StringRef first,
                                   StringRef second) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, first);
  if (!second.empty()) // an empty part would leave a separator at the end
    llvm::sys::path::append(path, second);
  return path.str().str();
}

Error mirage::tune::makeFolder(StringRef path) {
  std::error_code code = llvm::sys::fs::create_directories(path);
  if (!code && !llvm::sys::fs::is_directory(path))
    code = std::make_error_code(std::errc::not_a_directory);
  if (!code)
    code = llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Write);
  if (!code)
    return Error::success();
  return llvm::createStringError(
      path + ": expected a folder that can be written, but got " +
      code.message());
}

std::string mirage::tune::expectedFile(size_t output) {
  return llvm::formatv("expected_{0}.bin", output).str();
}

std::vector<mirage::interpreter::Tensor>
mirage::tune::makeInputs(llvm::ArrayRef<semantics::TensorType> types,
                         uint64_t seed) {
  semantics::Program program;
  for (const semantics::TensorType &type : types)
    program.addInput(type);
  return interpreter::randomInputs(program, seed);
}

namespace mirage::tune {
static bool mapType(json::ObjectMapper &map, semantics::TensorType &type,
                    json::Path path) {
  std::vector<int64_t> shape;
  std::string name;
  if (!map.map("shape", shape) || !map.map("dtype", name))
    return false;
  auto dtype = runtime::parseDType(name);
  bool possible = dtype.has_value();
  int64_t elements = 1;
  for (int64_t size : shape) {
    possible =
        possible && size > 0 && size <= interpreter::kMaxElements / elements;
    elements *= possible ? size : 1;
  }
  if (!possible) {
    path.report("expected an element type and positive sizes that fit memory");
    return false;
  }
  type.dtype = *dtype;
  type.shape.assign(shape.begin(), shape.end());
  return true;
}

// Found by json::ObjectMapper through the namespace of the type.
static bool fromJSON(const json::Value &value, BundleCandidate &candidate,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("folder", candidate.folder) &&
         map.map("rank", candidate.rank) &&
         map.map("predicted_us", candidate.predictedMicros) &&
         map.map("summary", candidate.summary) &&
         map.map("verdict", candidate.verdict) &&
         map.map("graph_sha256", candidate.graphHash) &&
         map.map("plan_sha256", candidate.planHash) &&
         map.map("kernel_sha256", candidate.imageHash);
}

static bool fromJSON(const json::Value &value, BundleInput &input,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapType(map, input.type, path) && map.map("sha256", input.hash);
}

static bool fromJSON(const json::Value &value, BundleOutput &output,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapType(map, output.type, path) &&
         map.map("expected_sha256", output.hash) &&
         map.map("op_by_op_error", output.baseline.relative) &&
         map.map("op_by_op_wrong_class", output.baseline.wrongClass);
}

static bool fromJSON(const json::Value &value, DroppedCandidate &dropped,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("rank", dropped.rank) &&
         map.map("predicted_us", dropped.predictedMicros) &&
         map.map("reason", dropped.reason);
}

static bool fromJSON(const json::Value &value, Bundle &bundle,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("tool", bundle.tool) &&
         map.map("target", bundle.target) &&
         map.map("program", bundle.program) && map.map("seed", bundle.seed) &&
         map.map("spread", bundle.spread) && map.map("ranked", bundle.ranked) &&
         map.map("original_us", bundle.originalMicros) &&
         map.map("reference_sha256", bundle.referenceHash) &&
         map.map("inputs", bundle.inputs) &&
         map.map("outputs", bundle.outputs) &&
         map.map("candidates", bundle.candidates) &&
         map.map("dropped", bundle.dropped);
}
} // namespace mirage::tune

namespace {
Error checkFile(StringRef path, StringRef expected) {
  Expected<std::string> text = readTextFile(path);
  if (!text)
    return text.takeError();
  std::string found = hashText(*text);
  if (found != expected)
    return llvm::createStringError(path + ": expected the file whose SHA-256 " +
                                   expected + " the bundle states, but got " +
                                   found);
  return Error::success();
}

std::string describe(const json::Value *value) {
  return value ? llvm::formatv("{0}", *value).str() : "nothing";
}

json::Object describeType(const mirage::semantics::TensorType &type) {
  return json::Object{{"shape", json::Array(type.shape)},
                      {"dtype", mirage::semantics::stringify(type.dtype)}};
}

json::Value toJSON(const Bundle &bundle) {
  json::Array candidates, dropped, inputs, outputs;
  for (const BundleInput &input : bundle.inputs) {
    json::Object entry = describeType(input.type);
    entry["sha256"] = input.hash;
    inputs.push_back(std::move(entry));
  }
  for (const BundleOutput &output : bundle.outputs) {
    json::Object entry = describeType(output.type);
    entry["expected_sha256"] = output.hash;
    entry["op_by_op_error"] = output.baseline.relative;
    entry["op_by_op_wrong_class"] = output.baseline.wrongClass;
    outputs.push_back(std::move(entry));
  }
  for (const BundleCandidate &candidate : bundle.candidates)
    candidates.push_back(
        json::Object{{"folder", candidate.folder},
                     {"rank", candidate.rank},
                     {"predicted_us", candidate.predictedMicros},
                     {"summary", candidate.summary},
                     {"verdict", candidate.verdict},
                     {"graph_sha256", candidate.graphHash},
                     {"plan_sha256", candidate.planHash},
                     {"kernel_sha256", candidate.imageHash}});
  for (const DroppedCandidate &candidate : bundle.dropped)
    dropped.push_back(json::Object{{"rank", candidate.rank},
                                   {"predicted_us", candidate.predictedMicros},
                                   {"reason", candidate.reason}});
  return json::Object{{"schema", kBundleSchema},
                      {"tool", bundle.tool},
                      {"target", bundle.target},
                      {"program", bundle.program},
                      {"seed", bundle.seed},
                      {"spread", bundle.spread},
                      {"ranked", bundle.ranked},
                      {"original_us", bundle.originalMicros},
                      {"reference_sha256", bundle.referenceHash},
                      {"inputs", std::move(inputs)},
                      {"outputs", std::move(outputs)},
                      {"candidates", std::move(candidates)},
                      {"dropped", std::move(dropped)}};
}
} // namespace

Expected<Bundle> mirage::tune::readBundle(StringRef folder) {
  std::string path = joinPath(folder, kBundleFile);
  Expected<std::string> text = readTextFile(path);
  if (!text)
    return text.takeError();
  if (Error error = checkJSONDepth(*text))
    return llvm::createStringError(path + ": " +
                                   llvm::toString(std::move(error)));
  Expected<json::Value> value = json::parse(*text);
  if (!value)
    return llvm::createStringError(path + ": expected JSON, but got " +
                                   llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  const json::Value *schema = object ? object->get("schema") : nullptr;
  if (!schema || schema->getAsInteger() != kBundleSchema)
    return llvm::createStringError(
        llvm::formatv("{0}: expected schema {1}, but got {2}", path,
                      kBundleSchema, describe(schema)));
  Bundle bundle;
  json::Path::Root root("bundle");
  if (!fromJSON(*value, bundle, root))
    return llvm::createStringError(path + ": expected a whole bundle, but " +
                                   llvm::toString(root.getError()));
  if (bundle.candidates.empty() || bundle.outputs.empty())
    return llvm::createStringError(
        path + ": expected at least one " +
        (bundle.candidates.empty() ? "candidate" : "output") +
        ", but got none");
  if (Error error =
          checkFile(joinPath(folder, kReferenceFile), bundle.referenceHash))
    return std::move(error);
  for (size_t i = 0; i < bundle.outputs.size(); ++i)
    if (Error error = checkFile(joinPath(folder, expectedFile(i)),
                                bundle.outputs[i].hash))
      return std::move(error);
  for (const BundleCandidate &candidate : bundle.candidates) {
    // A name with separators would lead out of the bundle.
    if (candidate.folder.empty() ||
        !llvm::all_of(candidate.folder, llvm::isDigit))
      return llvm::createStringError(path +
                                     ": expected folders named by digits, but "
                                     "got '" +
                                     candidate.folder + "'");
    for (auto [name, hash] :
         {std::pair<StringRef, StringRef>{kGraphFile, candidate.graphHash},
          {kPlanFile, candidate.planHash},
          {kImageFile, candidate.imageHash}})
      if (Error error =
              checkFile(joinPath(folder, candidate.folder, name), hash))
        return std::move(error);
  }
  return bundle;
}

Error mirage::tune::writeBundle(const Bundle &bundle, StringRef folder) {
  return writeTextFile(joinPath(folder, kBundleFile),
                       llvm::formatv("{0:2}\n", toJSON(bundle)).str());
}

Error mirage::tune::checkArchitecture(StringRef target, int capability) {
  StringRef number = target;
  number.consume_front("sm_");
  int expected = 0;
  if (!number.consumeInteger(10, expected) && expected == capability)
    return Error::success();
  return llvm::createStringError(
      llvm::formatv("expected a GPU of the candidates' architecture, {0}, but "
                    "got sm_{1}",
                    target, capability));
}
