//===- LaunchPlan.cpp - Launch plans as JSON ------------------------------===//

#include "Mirage/Runtime/LaunchPlan.h"
#include "Mirage/Cost/Target.h"
#include "Mirage/Support/JSONDepth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace mirage;
using namespace mirage::runtime;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

Error planError(const llvm::Twine &message) {
  return llvm::createStringError("launch plan: " + message);
}

std::string describe(const json::Value *value) {
  if (!value)
    return "nothing";
  std::string text = formatv("{0}", *value).str();
  // A whole array or object in a diagnostic hides the message.
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

/// Reads one JSON object key by key, remembers the first thing that is wrong,
/// and complains about keys that nobody asked for.
class ObjectReader {
public:
  ObjectReader(const json::Value &value, std::string path)
      : object(value.getAsObject()), path(std::move(path)) {
    if (!object)
      fail("", "an object", &value);
  }

  const json::Value *get(StringRef key) {
    known.push_back(key);
    return object ? object->get(key) : nullptr;
  }

  int64_t integer(StringRef key) {
    const json::Value *value = get(key);
    if (value)
      if (std::optional<int64_t> number = value->getAsInteger())
        return *number;
    fail(key, "an integer", value);
    return 0;
  }

  bool boolean(StringRef key, std::optional<bool> fallback) {
    const json::Value *value = get(key);
    if (!value && fallback)
      return *fallback;
    if (value)
      if (std::optional<bool> flag = value->getAsBoolean())
        return *flag;
    fail(key, "true or false", value);
    return false;
  }

  std::string string(StringRef key) {
    const json::Value *value = get(key);
    if (value)
      if (std::optional<StringRef> text = value->getAsString())
        return text->str();
    fail(key, "a string", value);
    return "";
  }

  /// The elements of an array; none if it is absent and may be.
  llvm::ArrayRef<json::Value> array(StringRef key, bool optional = false) {
    const json::Value *value = get(key);
    if (!value && optional)
      return {};
    if (value)
      if (const json::Array *elements = value->getAsArray())
        return llvm::ArrayRef(elements->data(), elements->size());
    fail(key, "an array", value);
    return {};
  }

  llvm::SmallVector<int64_t, 4> integers(StringRef key) {
    llvm::SmallVector<int64_t, 4> result;
    llvm::ArrayRef<json::Value> elements = array(key);
    for (size_t i = 0; i < elements.size(); ++i) {
      std::optional<int64_t> number = elements[i].getAsInteger();
      if (!number)
        fail(formatv("{0}[{1}]", key, i).str(), "an integer", &elements[i]);
      result.push_back(number.value_or(0));
    }
    return result;
  }

  std::array<int64_t, 3> triple(StringRef key, bool optional) {
    std::array<int64_t, 3> result = {1, 1, 1};
    if (optional && object && !object->get(key)) {
      known.push_back(key);
      return result;
    }
    llvm::SmallVector<int64_t, 4> numbers = integers(key);
    if (numbers.size() != 3)
      fail(key, "an array of 3 integers", object ? object->get(key) : nullptr);
    else
      llvm::copy(numbers, result.begin());
    return result;
  }

  semantics::DType dtype(StringRef key) {
    std::string name = string(key);
    if (std::optional<semantics::DType> type = parseDType(name))
      return *type;
    if (message.empty())
      fail(key, "one of f16, bf16, f32, f64, i1, i32, i64", get(key));
    return semantics::DType::F32;
  }

  std::string at(StringRef key) const {
    if (path.empty())
      return key.str();
    return key.empty() ? path : path + "." + key.str();
  }

  void fail(StringRef key, StringRef expected, const json::Value *got) {
    if (!message.empty())
      return;
    std::string place = at(key);
    message =
        formatv("expected {0} to be {1}, but got {2}",
                place.empty() ? "the plan" : place, expected, describe(got));
  }

  /// Call last: what went wrong, if anything did.
  Error finish() {
    if (message.empty() && object)
      for (const auto &entry : *object)
        if (!llvm::is_contained(known, StringRef(entry.first))) {
          message = formatv("expected {0} to have only the keys {1}, but got "
                            "\"{2}\"",
                            path.empty() ? "the plan" : path,
                            llvm::join(known, ", "), StringRef(entry.first));
          break;
        }
    return message.empty() ? Error::success() : planError(message);
  }

private:
  const json::Object *object;
  std::string path;
  llvm::SmallVector<StringRef, 8> known;
  std::string message;
};

semantics::TensorType readTensor(ObjectReader &reader) {
  semantics::TensorType type;
  llvm::SmallVector<int64_t, 4> shape = reader.integers("shape");
  type.shape.assign(shape.begin(), shape.end());
  type.dtype = reader.dtype("dtype");
  return type;
}

Expected<PlanParameter> readParameter(const json::Value &value,
                                      std::string path) {
  ObjectReader reader(value, std::move(path));
  PlanParameter parameter;
  std::string kind = reader.string("kind");
  if (kind == "input")
    parameter.kind = ParameterKind::Input;
  else if (kind == "output")
    parameter.kind = ParameterKind::Output;
  else if (kind == "scratch")
    parameter.kind = ParameterKind::Scratch;
  else
    reader.fail("kind", "\"input\", \"output\" or \"scratch\"",
                reader.get("kind"));
  int64_t index = reader.integer("index");
  if (index < 0 || index > std::numeric_limits<int32_t>::max())
    reader.fail("index", "a position in [0, 2^31)", reader.get("index"));
  parameter.index = static_cast<unsigned>(index);
  if (Error error = reader.finish())
    return std::move(error);
  return parameter;
}

Expected<PlanKernel> readKernel(const json::Value &value, std::string path) {
  ObjectReader reader(value, path);
  PlanKernel kernel;
  kernel.name = reader.string("name");
  kernel.grid = reader.triple("grid", /*optional=*/false);
  kernel.cluster = reader.triple("cluster", /*optional=*/true);
  kernel.threads = reader.integer("threads");
  kernel.sharedBytes = reader.integer("shared_bytes");
  kernel.dependentLaunch = reader.boolean("dependent_launch", false);
  llvm::ArrayRef<json::Value> parameters = reader.array("parameters");
  if (Error error = reader.finish())
    return std::move(error);
  for (size_t i = 0; i < parameters.size(); ++i) {
    Expected<PlanParameter> parameter = readParameter(
        parameters[i], formatv("{0}.parameters[{1}]", path, i).str());
    if (!parameter)
      return parameter.takeError();
    kernel.parameters.push_back(*parameter);
  }
  return kernel;
}

StringRef stringify(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Input:
    return "input";
  case ParameterKind::Output:
    return "output";
  case ParameterKind::Scratch:
    return "scratch";
  }
  return "";
}

Error verifyTensor(const semantics::TensorType &type, StringRef place) {
  if (type.shape.size() > semantics::kMaxRank)
    return planError(formatv("expected {0} to have rank {1} at most, but got "
                             "{2}",
                             place, semantics::kMaxRank, type.shape.size()));
  for (size_t d = 0; d < type.shape.size(); ++d)
    if (type.shape[d] < 1 || type.shape[d] > (int64_t(1) << 40))
      return planError(
          formatv("expected {0}.shape[{1}] to be in [1, 2^40], but got {2}",
                  place, d, type.shape[d]));
  return Error::success();
}

/// Limits that hold on every CUDA device; the driver knows the tighter ones.
Error verifyKernelSizes(const PlanKernel &kernel, StringRef place) {
  const int64_t gridLimit[3] = {(int64_t(1) << 31) - 1, 65535, 65535};
  int64_t clusterSize = 1;
  for (int axis = 0; axis < 3; ++axis) {
    int64_t blocks = kernel.grid[axis], cluster = kernel.cluster[axis];
    if (blocks < 1 || blocks > gridLimit[axis])
      return planError(
          formatv("expected {0}.grid[{1}] to be in [1, {2}], but got {3}",
                  place, axis, gridLimit[axis], blocks));
    if (cluster < 1 || cluster > 16)
      return planError(
          formatv("expected {0}.cluster[{1}] to be in [1, 16], but got {2}",
                  place, axis, cluster));
    if (blocks % cluster != 0)
      return planError(formatv("expected {0}.grid[{1}] to be a multiple of the "
                               "cluster's {2}, but got {3}",
                               place, axis, cluster, blocks));
    clusterSize *= cluster;
  }
  if (clusterSize > 16)
    return planError(formatv("expected {0}.cluster to hold 16 blocks at most, "
                             "but got {1}",
                             place, clusterSize));
  if (kernel.threads < 1 || kernel.threads > 1024)
    return planError(
        formatv("expected {0}.threads to be in [1, 1024], but got {1}", place,
                kernel.threads));
  const int64_t sharedLimit = 227 * 1024;
  if (kernel.sharedBytes < 0 || kernel.sharedBytes > sharedLimit)
    return planError(
        formatv("expected {0}.shared_bytes to be in [0, {1}], but got {2}",
                place, sharedLimit, kernel.sharedBytes));
  return Error::success();
}

} // namespace

std::optional<semantics::DType> runtime::parseDType(StringRef name) {
  using semantics::DType;
  for (DType type : {DType::F16, DType::BF16, DType::F32, DType::F64, DType::I1,
                     DType::I32, DType::I64})
    if (semantics::stringify(type) == name)
      return type;
  return std::nullopt;
}

Error runtime::verifyLaunchPlan(const LaunchPlan &plan) {
  if (auto target = cost::lookupTarget(plan.target); !target)
    return planError(llvm::toString(target.takeError()));
  if (plan.kernels.empty())
    return planError("expected at least 1 kernel, but got 0");
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    if (Error error =
            verifyTensor(plan.inputs[i].type, formatv("inputs[{0}]", i).str()))
      return error;
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (Error error =
            verifyTensor(plan.outputs[i], formatv("outputs[{0}]", i).str()))
      return error;
  for (size_t i = 0; i < plan.scratch.size(); ++i)
    if (plan.scratch[i].bytes < 1)
      return planError(
          formatv("expected scratch[{0}].bytes to be positive, but got {1}", i,
                  plan.scratch[i].bytes));

  std::vector<bool> written(plan.outputs.size(), false);
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const PlanKernel &kernel = plan.kernels[k];
    std::string place = formatv("kernels[{0}]", k).str();
    if (kernel.name.empty())
      return planError("expected " + place +
                       ".name to name a kernel, but got "
                       "\"\"");
    if (Error error = verifyKernelSizes(kernel, place))
      return error;
    for (size_t p = 0; p < kernel.parameters.size(); ++p) {
      const PlanParameter &parameter = kernel.parameters[p];
      size_t count = parameter.kind == ParameterKind::Input ? plan.inputs.size()
                     : parameter.kind == ParameterKind::Output
                         ? plan.outputs.size()
                         : plan.scratch.size();
      if (parameter.index >= count)
        return planError(formatv("expected {0}.parameters[{1}].index to be "
                                 "below the number of {2} tensors, {3}, but "
                                 "got {4}",
                                 place, p, stringify(parameter.kind), count,
                                 parameter.index));
      if (parameter.kind == ParameterKind::Output)
        written[parameter.index] = true;
    }
  }
  for (size_t i = 0; i < written.size(); ++i)
    if (!written[i])
      return planError(
          formatv("expected outputs[{0}] to be a parameter of some "
                  "kernel, but got none",
                  i));
  return Error::success();
}

Expected<LaunchPlan> runtime::launchPlanFromJSON(const json::Value &value) {
  ObjectReader reader(value, "");
  LaunchPlan plan;
  // First, so that a later schema is named rather than its first unknown key.
  int64_t schema = reader.integer("schema");
  if (schema != kLaunchPlanSchema)
    reader.fail("schema", llvm::Twine(kLaunchPlanSchema).str(),
                reader.get("schema"));
  plan.target = reader.string("target");
  llvm::ArrayRef<json::Value> inputs = reader.array("inputs");
  llvm::ArrayRef<json::Value> outputs = reader.array("outputs");
  llvm::ArrayRef<json::Value> scratch = reader.array("scratch", true);
  llvm::ArrayRef<json::Value> kernels = reader.array("kernels");
  if (Error error = reader.finish())
    return std::move(error);

  for (size_t i = 0; i < inputs.size(); ++i) {
    ObjectReader entry(inputs[i], formatv("inputs[{0}]", i).str());
    semantics::TensorType type = readTensor(entry);
    bool constant = entry.boolean("constant", std::nullopt);
    if (Error error = entry.finish())
      return std::move(error);
    plan.inputs.push_back({type, constant});
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    ObjectReader entry(outputs[i], formatv("outputs[{0}]", i).str());
    semantics::TensorType type = readTensor(entry);
    if (Error error = entry.finish())
      return std::move(error);
    plan.outputs.push_back(type);
  }
  for (size_t i = 0; i < scratch.size(); ++i) {
    ObjectReader entry(scratch[i], formatv("scratch[{0}]", i).str());
    PlanScratch buffer;
    buffer.bytes = entry.integer("bytes");
    buffer.zero = entry.boolean("zero", std::nullopt);
    if (Error error = entry.finish())
      return std::move(error);
    plan.scratch.push_back(buffer);
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    Expected<PlanKernel> kernel =
        readKernel(kernels[i], formatv("kernels[{0}]", i).str());
    if (!kernel)
      return kernel.takeError();
    plan.kernels.push_back(std::move(*kernel));
  }
  if (Error error = verifyLaunchPlan(plan))
    return std::move(error);
  return plan;
}

Expected<LaunchPlan> runtime::parseLaunchPlan(StringRef text) {
  if (Error e = checkJSONDepth(text))
    return std::move(e);
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return planError("expected JSON, but got " +
                     llvm::toString(value.takeError()));
  return launchPlanFromJSON(*value);
}

json::Value runtime::toJSON(const LaunchPlan &plan) {
  auto tensor = [](const semantics::TensorType &type) {
    return json::Object{{"shape", json::Array(type.shape)},
                        {"dtype", semantics::stringify(type.dtype)}};
  };
  json::Array inputs, outputs, scratch, kernels;
  for (const PlanInput &input : plan.inputs) {
    json::Object entry = tensor(input.type);
    entry["constant"] = input.constant;
    inputs.push_back(std::move(entry));
  }
  for (const semantics::TensorType &output : plan.outputs)
    outputs.push_back(tensor(output));
  for (const PlanScratch &buffer : plan.scratch)
    scratch.push_back(
        json::Object{{"bytes", buffer.bytes}, {"zero", buffer.zero}});
  for (const PlanKernel &kernel : plan.kernels) {
    json::Array parameters;
    for (const PlanParameter &parameter : kernel.parameters)
      parameters.push_back(json::Object{{"kind", stringify(parameter.kind)},
                                        {"index", int64_t(parameter.index)}});
    kernels.push_back(json::Object{{"name", kernel.name},
                                   {"grid", json::Array(kernel.grid)},
                                   {"cluster", json::Array(kernel.cluster)},
                                   {"threads", kernel.threads},
                                   {"shared_bytes", kernel.sharedBytes},
                                   {"dependent_launch", kernel.dependentLaunch},
                                   {"parameters", std::move(parameters)}});
  }
  return json::Object{
      {"schema", kLaunchPlanSchema},   {"target", plan.target},
      {"inputs", std::move(inputs)},   {"outputs", std::move(outputs)},
      {"scratch", std::move(scratch)}, {"kernels", std::move(kernels)}};
}

std::string runtime::toString(const LaunchPlan &plan) {
  return formatv("{0:2}\n", toJSON(plan)).str();
}
