//===- WriteKernel.cpp - Programs as a file of stored graphs --------------===//

#include "Mirage/Import/MugraphJSON.h"

#include "Writer.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::semantics;

namespace json = llvm::json;

namespace {
class GraphWriter {
public:
  explicit GraphWriter(const Program &program)
      : program(program), uses(program.values.size(), 0) {
    countUses(program.ops);
    for (ValueId id : program.outputs)
      ++uses[id];
  }

  llvm::Expected<json::Array> run() {
    json::Array list;
    OpWriter::Written written;
    OpWriter writer(program, Level::Kernel, guids, uses, written, list);
    const json::Object nowhere = xyzObject({-1, -1, -1});
    for (unsigned i = 0; i < program.numInputs; ++i) {
      writer.define(i, program.type(i), false);
      auto tensor = writer.lookup(i);
      if (!tensor)
        return tensor.takeError();
      list.push_back(json::Object{
          {"op_type", "kn_input_op"},
          {"input_tensors", json::Array()},
          {"output_tensors", json::Array{writer.tensorObject(*tensor)}},
          {"input_map", json::Object(nowhere)},
          {"input_strides", strides(program.type(i))}});
    }
    llvm::ArrayRef<Op> ops = program.ops;
    while (!ops.empty()) {
      if (ops[0].kind != OpKind::Graph) {
        if (llvm::Error e = writer.next(ops))
          return std::move(e);
        continue;
      }
      if (llvm::Error e = writeGraph(ops[0], writer, list))
        return std::move(e);
      ops = ops.drop_front();
    }
    for (ValueId id : program.outputs) {
      auto tensor = writer.lookup(id);
      if (!tensor)
        return tensor.takeError();
      list.push_back(json::Object{
          {"op_type", "kn_output_op"},
          {"input_tensors", json::Array{writer.tensorObject(*tensor)}},
          {"output_tensors", json::Array()},
          {"output_map", json::Object(nowhere)},
          {"output_strides", strides(program.type(id))}});
    }
    return std::move(list);
  }

private:
  void countUses(llvm::ArrayRef<Op> ops) {
    for (const Op &op : ops) {
      for (ValueId id : op.operands)
        ++uses[id];
      for (const Accumulator &acc : op.attrs.accumulators)
        ++uses[acc.value];
      countUses(op.body);
    }
  }

  llvm::Error writeGraph(const Op &graph, OpWriter &writer, json::Array &list) {
    json::Array inputs, outputs;
    for (ValueId id : graph.operands) {
      auto tensor = writer.lookup(id);
      if (!tensor)
        return tensor.takeError();
      inputs.push_back(writer.tensorObject(*tensor));
    }
    for (ValueId id : graph.results) {
      writer.define(id, program.type(id), false);
      auto tensor = writer.lookup(id);
      if (!tensor)
        return tensor.takeError();
      outputs.push_back(writer.tensorObject(*tensor));
    }
    auto bgraph = writeBlockGraph(program, graph, guids, uses, writer);
    if (!bgraph)
      return bgraph.takeError();
    list.push_back(json::Object{{"op_type", "kn_customized_op"},
                                {"input_tensors", std::move(inputs)},
                                {"output_tensors", std::move(outputs)},
                                {"bgraph", std::move(*bgraph)}});
    return llvm::Error::success();
  }

  static json::Array strides(const TensorType &type) {
    std::vector<int64_t> steps(type.shape.size(), 1);
    for (size_t i = steps.size(); i-- > 1;)
      steps[i - 1] = steps[i] * type.shape[i];
    return json::Array(steps);
  }

  const Program &program;
  std::vector<unsigned> uses;
  Guids guids;
};
} // namespace

llvm::Expected<std::string>
mirage::import::writeMugraphs(llvm::ArrayRef<Program> programs) {
  json::Array graphs;
  for (const Program &program : programs) {
    llvm::Expected<json::Array> graph = GraphWriter(program).run();
    if (!graph)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "@" + program.name + ": " +
                                         llvm::toString(graph.takeError()));
    graphs.push_back(std::move(*graph));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << json::Value(std::move(graphs)) << "\n";
  return text;
}
