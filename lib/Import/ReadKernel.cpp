//===- ReadKernel.cpp - The kernel level of a stored graph ----------------===//

#include "Mirage/Import/MugraphJSON.h"

#include "Emitter.h"
#include "Mirage/Semantics/Limits.h"
#include "Mirage/Support/JSONDepth.h"
#include "Reader.h"
#include "llvm/ADT/DenseMap.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::semantics;

namespace json = llvm::json;

StoredTensor mirage::import::readTensor(const json::Value &value,
                                        std::string where, Level level,
                                        Numbering numbering, Log &log) {
  StoredTensor tensor;
  auto fields = Fields::of(value, where, log);
  if (!fields)
    return tensor;
  tensor.guid = fields->integer("guid", 0, kMaxStored);
  int64_t number = fields->integer("data_type", 0, kMaxStored);
  if (std::optional<DType> type = parseDType(number, numbering))
    tensor.type.dtype = *type;
  else
    fields->expected("data_type",
                     numbering == Numbering::First
                         ? "920 (bf16), 921 (f16), 930 (f32) or 940 (f64)"
                         : "940 (bf16), 941 (f16), 950 (f32) or 960 (f64)",
                     llvm::Twine(number));
  // The format has four slots; a larger rank would have no place.
  int64_t rank = fields->integer("num_dims", 1, 4);
  std::vector<int64_t> dims = fields->integers("dim");
  if (!log.failed() && dims.size() != 4)
    fields->expected("dim", "4 sizes", llvm::Twine(dims.size()));
  for (size_t i = 0; i < dims.size() && !log.failed(); ++i) {
    bool used = static_cast<int64_t>(i) < rank;
    if (used ? dims[i] < 1 : dims[i] != 0)
      fields->expected(
          "dim",
          used ? "a size of at least 1 in slot " + std::to_string(i)
               : "0 in slot " + std::to_string(i) + ", beyond num_dims",
          llvm::Twine(dims[i]));
  }
  if (!log.failed())
    tensor.type.shape.assign(dims.begin(), dims.begin() + rank);
  std::string layout = fields->string("layout");
  // Layouts say where elements lie, not which there are.
  llvm::StringRef kept = layout, wanted = "Smem";
  if (level == Level::Kernel)
    wanted = "Dmem";
  if (!log.failed() &&
      (!kept.consume_front(wanted) ||
       !(kept.starts_with("RowMajor") || kept.starts_with("ColumnMajor"))))
    fields->expected("layout", wanted + "RowMajor or " + wanted + "ColumnMajor",
                     "\"" + layout + "\"");
  if (level == Level::Block) {
    tensor.afterAccum = fields->boolean("after_accum");
    fields->integer("smem_offset", 0, kMaxStored);
  }
  fields->finish();
  if (!log.failed())
    if (llvm::Error e = checkSize(tensor.type))
      log.complain(where, llvm::toString(std::move(e)));
  return tensor;
}

std::vector<StoredTensor>
mirage::import::readTensors(Fields &fields, llvm::StringRef field, int count,
                            Level level, Numbering numbering, Log &log) {
  std::vector<StoredTensor> tensors;
  const json::Array &list = fields.array(field);
  if (log.failed())
    return tensors;
  if (count >= 0 ? list.size() != static_cast<size_t>(count) : list.empty())
    fields.expected(field,
                    count >= 0 ? std::to_string(count) + " tensors"
                               : "at least 1 tensor",
                    llvm::Twine(list.size()));
  for (auto [i, value] : llvm::enumerate(list)) {
    tensors.push_back(readTensor(value,
                                 fields.where() + ": field '" + field.str() +
                                     "', tensor " + std::to_string(i),
                                 level, numbering, log));
    if (log.failed())
      break;
  }
  return tensors;
}

void mirage::import::checkSame(const StoredTensor &used,
                               const StoredTensor &known,
                               const std::string &where, Log &log) {
  std::string guid = std::to_string(used.guid);
  if (used.type.shape != known.type.shape)
    log.expected(where + ", field 'dim'",
                 toString(llvm::ArrayRef<int64_t>(known.type.shape)) +
                     " for tensor " + guid,
                 toString(llvm::ArrayRef<int64_t>(used.type.shape)));
  if (used.type.dtype != known.type.dtype)
    log.expected(where + ", field 'data_type'",
                 stringify(known.type.dtype) + " for tensor " + guid,
                 stringify(used.type.dtype));
  if (used.afterAccum != known.afterAccum)
    log.expected(where + ", field 'after_accum'",
                 (known.afterAccum ? "true" : "false") +
                     llvm::Twine(" for tensor ") + guid,
                 used.afterAccum ? "true" : "false");
}

std::string mirage::import::readOpType(Fields &fields, llvm::StringRef prefix,
                                       Log &log) {
  std::string type = fields.string("op_type");
  if (log.failed())
    return "";
  llvm::StringRef name = type;
  if (!name.consume_front(prefix) || !name.consume_back("_op") ||
      name.empty()) {
    fields.expected("op_type", "a name of the form " + prefix + "..._op",
                    "\"" + type + "\"");
    return "";
  }
  fields.rename(fields.where() + " (" + type + ")");
  return name.str();
}

namespace {
/// Reads one graph.
class GraphReader {
public:
  GraphReader(std::string where, Numbering numbering,
              std::vector<std::string> &notes, Log &log)
      : where(std::move(where)), numbering(numbering), notes(notes), log(log) {}

  Program run(const json::Value &value) {
    const json::Array *list = value.getAsArray();
    if (!list)
      log.expected(where, "a list of ops", describe(value));
    else
      readOps(*list);
    if (!log.failed() && program.outputs.empty())
      log.expected(where, "at least 1 kn_output_op", "none");
    if (!log.failed())
      if (llvm::Error e = verifyProgram(program))
        log.complain(where, llvm::toString(std::move(e)));
    return std::move(program);
  }

private:
  struct Known {
    StoredTensor tensor;
    ValueId value;
  };

  void readOps(const json::Array &list) {
    for (auto [i, value] : llvm::enumerate(list)) {
      auto fields = Fields::of(value, where + ", op " + std::to_string(i), log);
      if (fields)
        readOp(*fields);
      if (log.failed())
        return;
    }
  }

  void readOp(Fields &fields) {
    std::string name = readOpType(fields, "kn_", log);
    if (log.failed())
      return;
    if (name == "input")
      return readInput(fields);
    if (name == "output")
      return readOutput(fields);
    if (name == "customized")
      return readCustomized(fields);
    const OpEntry *entry = findOp(name);
    if (!entry || entry->form == Form::ReduceToDimx ||
        entry->form == Form::ConcatMatmul)
      return fields.expected("op_type", "an op of the kernel level",
                             "\"kn_" + name + "_op\"");
    readCompute(*entry, fields);
  }

  void readInput(Fields &fields) {
    readTensors(fields, "input_tensors", 0, Level::Kernel, numbering, log);
    auto outputs =
        readTensors(fields, "output_tensors", 1, Level::Kernel, numbering, log);
    readPlacement(fields, "input_map");
    if (log.failed())
      return;
    if (!program.ops.empty())
      return log.expected(fields.where(), "all inputs before other ops",
                          std::to_string(program.ops.size()) +
                              " ops before this one");
    readStrides(fields, "input_strides", outputs[0],
                "input " + std::to_string(program.numInputs));
    fields.finish();
    define(fields, outputs[0], program.addInput(outputs[0].type));
  }

  void readOutput(Fields &fields) {
    auto inputs =
        readTensors(fields, "input_tensors", 1, Level::Kernel, numbering, log);
    readTensors(fields, "output_tensors", 0, Level::Kernel, numbering, log);
    readPlacement(fields, "output_map");
    if (log.failed())
      return;
    readStrides(fields, "output_strides", inputs[0],
                "output " + std::to_string(program.outputs.size()));
    fields.finish();
    ValueId value = lookup(fields, inputs[0]);
    if (!log.failed())
      program.outputs.push_back(value);
  }

  /// Where parts of a tensor lie on several devices; here there is one.
  void readPlacement(Fields &fields, llvm::StringRef field) {
    if (fields.has(field))
      fields.xyz(field, -1, -1);
  }

  void readStrides(Fields &fields, llvm::StringRef field,
                   const StoredTensor &tensor, const std::string &what) {
    if (!fields.has(field))
      return;
    std::vector<int64_t> strides = fields.integers(field);
    if (log.failed())
      return;
    const Shape &shape = tensor.type.shape;
    if (strides.size() != shape.size())
      return fields.expected(field, std::to_string(shape.size()) + " strides",
                             llvm::Twine(strides.size()));
    std::vector<int64_t> rowMajor(shape.size(), 1);
    for (size_t i = shape.size() - 1; i-- > 0;)
      rowMajor[i] = rowMajor[i + 1] * shape[i + 1];
    for (int64_t stride : strides)
      if (stride < 1)
        return fields.expected(field, "strides of at least 1",
                               llvm::Twine(stride));
    if (strides != rowMajor)
      notes.push_back(where + ": " + what + " is stored with strides " +
                      toString(llvm::ArrayRef<int64_t>(strides)) +
                      "; the function takes it row by row");
  }

  void readCompute(const OpEntry &entry, Fields &fields) {
    auto inputs = readTensors(fields, "input_tensors", entry.operands,
                              Level::Kernel, numbering, log);
    auto outputs =
        readTensors(fields, "output_tensors", 1, Level::Kernel, numbering, log);
    llvm::SmallVector<ValueId, 4> operands;
    for (const StoredTensor &input : inputs)
      operands.push_back(lookup(fields, input));
    if (log.failed())
      return;
    Emitter emitter(program, program.ops, Level::Kernel, fields.where(), log);
    ValueId value =
        emitter.emitForm(entry, fields, operands, outputs[0].type.dtype, 1);
    fields.finish();
    if (!log.failed())
      checkSame(outputs[0], {outputs[0].guid, program.type(value), false},
                fields.where() + ": field 'output_tensors'", log);
    define(fields, outputs[0], value);
  }

  void readCustomized(Fields &fields) {
    auto inputs =
        readTensors(fields, "input_tensors", -1, Level::Kernel, numbering, log);
    auto outputs = readTensors(fields, "output_tensors", -1, Level::Kernel,
                               numbering, log);
    Op graph{OpKind::Graph, {}, {}, {}, {}};
    for (const StoredTensor &input : inputs)
      graph.operands.push_back(lookup(fields, input));
    const json::Value *body = fields.get("bgraph");
    fields.finish();
    if (log.failed())
      return;
    auto bgraph = Fields::of(*body, fields.where() + ", bgraph", log);
    std::vector<unsigned> order;
    if (bgraph)
      readBlockGraph(*bgraph, inputs, outputs, program, graph, order, numbering,
                     log);
    if (log.failed())
      return;
    // Stores come in the order of the results; the list may have another.
    for (unsigned output : order) {
      ValueId value = program.addValue(outputs[output].type);
      graph.results.push_back(value);
      define(fields, outputs[output], value);
    }
    program.ops.push_back(std::move(graph));
  }

  void define(Fields &fields, const StoredTensor &tensor, ValueId value) {
    if (log.failed())
      return;
    if (!known.try_emplace(tensor.guid, Known{tensor, value}).second)
      fields.expected("output_tensors", "a guid of its own",
                      llvm::Twine(tensor.guid) + ", which an op before has");
  }

  ValueId lookup(Fields &fields, const StoredTensor &tensor) {
    if (log.failed())
      return -1;
    auto found = known.find(tensor.guid);
    if (found == known.end()) {
      fields.expected("input_tensors", "a tensor that an op before defines",
                      "guid " + llvm::Twine(tensor.guid));
      return -1;
    }
    checkSame(tensor, found->second.tensor,
              fields.where() + ": field 'input_tensors'", log);
    return found->second.value;
  }

  std::string where;
  Numbering numbering;
  std::vector<std::string> &notes;
  Log &log;
  Program program;
  llvm::DenseMap<int64_t, Known> known;
};
} // namespace

llvm::Expected<MugraphFile> mirage::import::readMugraphs(llvm::StringRef text) {
  Log log;
  if (llvm::Error e = checkJSONDepth(text))
    return std::move(e);
  llvm::Expected<json::Value> file = json::parse(text);
  if (!file) {
    log.expected("file", "JSON", llvm::toString(file.takeError()));
    return log.take();
  }
  const json::Array *list = file->getAsArray();
  if (!list || list->empty()) {
    log.expected("file", "a list of at least 1 graph", describe(*file));
    return log.take();
  }
  Numbering numbering = findNumbering(*file);
  MugraphFile result;
  for (auto [i, value] : llvm::enumerate(*list)) {
    std::string name = "graph " + std::to_string(i);
    Program program =
        GraphReader(name, numbering, result.notes, log).run(value);
    if (log.failed())
      return log.take();
    program.name = "mugraph_" + std::to_string(i);
    result.graphs.push_back(std::move(program));
  }
  return result;
}
