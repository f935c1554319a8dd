//===- Interpreter.cpp - Run a tensor program on the CPU ------------------===//

#include "Mirage/Interpreter/Interpreter.h"
#include "Compute.h"
#include "Mirage/Interpreter/Rounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <thread>

using namespace mirage;
using namespace mirage::interpreter;
using semantics::Accumulator;
using semantics::Op;
using semantics::OpKind;
using semantics::ValueId;

namespace {

llvm::Error checkInputs(const semantics::Program &program,
                        llvm::ArrayRef<Tensor> inputs) {
  if (inputs.size() != program.numInputs)
    return llvm::createStringError(
        llvm::formatv("expected {0} input{1}, but got {2}", program.numInputs,
                      program.numInputs == 1 ? "" : "s", inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type != program.values[i])
      return llvm::createStringError(
          llvm::formatv("input {0}: expected type {1}, but got {2}", i,
                        semantics::toString(program.values[i]),
                        semantics::toString(inputs[i].type)));
    if (static_cast<int64_t>(inputs[i].values.size()) !=
        inputs[i].type.numElements())
      return llvm::createStringError(
          llvm::formatv("input {0}: expected {1} elements, but got {2}", i,
                        inputs[i].type.numElements(), inputs[i].values.size()));
  }
  return llvm::Error::success();
}

llvm::Error checkSizes(const semantics::Program &program) {
  for (size_t id = 0; id < program.values.size(); ++id) {
    int64_t elements = 1;
    for (int64_t dim : program.values[id].shape) {
      // Divide, so that the product cannot overflow.
      if (dim < 1 || dim > kMaxElements / elements)
        return llvm::createStringError(llvm::formatv(
            "value {0}: expected 1 to {1} elements, but got {2}", id,
            kMaxElements, semantics::toString(program.values[id])));
      elements *= dim;
    }
  }
  return llvm::Error::success();
}

/// `running current` of a rescaling accumulator needs the factor as well as the
/// value, which verifyProgram leaves to whoever executes the loop.
llvm::Error checkRunning(const Op &loop) {
  llvm::SmallVector<ValueId, 8> defined;
  for (const Op &op : loop.body) {
    if (op.kind == OpKind::Running && op.attrs.current) {
      const Accumulator &accumulator =
          loop.attrs.accumulators[op.attrs.accumulator];
      bool inBody = llvm::any_of(loop.body, [&](const Op &other) {
        return llvm::is_contained(other.results, accumulator.factor);
      });
      if (inBody && !llvm::is_contained(defined, accumulator.factor))
        return llvm::createStringError(llvm::formatv(
            "running: expected the factor of accumulator {0} to be defined "
            "before its current state is read, but got value {1} later",
            op.attrs.accumulator, accumulator.factor));
    }
    llvm::append_range(defined, op.results);
  }
  return llvm::Error::success();
}

llvm::Error checkLoops(const semantics::Program &program) {
  for (const Op &op : program.ops)
    for (const Op &inner : op.body)
      if (inner.kind == OpKind::Loop)
        if (llvm::Error error = checkRunning(inner))
          return error;
  return llvm::Error::success();
}

bool isRounded(const Tensor &tensor) {
  return llvm::all_of(tensor.values, [&](double value) {
    return std::isnan(value) || roundTo(tensor.type.dtype, value) == value;
  });
}

class ProgramRunner {
public:
  ProgramRunner(const semantics::Program &program, const Context &context)
      : program(program), context(context), owned(program.values.size()),
        visible(program.values.size(), nullptr),
        usesLeft(program.values.size(), 0) {
    for (const Op &op : program.ops)
      for (ValueId id : op.operands)
        ++usesLeft[id];
    for (ValueId id : program.outputs)
      ++usesLeft[id];
  }

  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      visible[i] = &inputs[i];
      if (context.mode == Mode::F64 || isRounded(inputs[i]))
        continue;
      owned[i] = inputs[i];
      for (double &value : owned[i].values)
        value = roundTo(owned[i].type.dtype, value);
      visible[i] = &owned[i];
    }
    for (const Op &op : program.ops)
      if (llvm::Error error = runOp(op))
        return std::move(error);
    std::vector<Tensor> outputs;
    for (ValueId id : program.outputs)
      outputs.push_back(*visible[id]);
    return outputs;
  }

private:
  llvm::Error runOp(const Op &op) {
    if (context.isCancelled())
      return interrupted();
    llvm::SmallVector<const Tensor *, 3> operands;
    for (ValueId id : op.operands)
      operands.push_back(visible[id]);
    if (op.kind == OpKind::Graph) {
      llvm::Expected<std::vector<Tensor>> results =
          runGraph(program, op, operands, context);
      if (!results)
        return results.takeError();
      for (size_t i = 0; i < op.results.size(); ++i)
        define(op.results[i], std::move((*results)[i]));
    } else {
      llvm::Expected<Tensor> result =
          evaluate(op, program.type(op.results[0]), operands, context);
      if (!result)
        return result.takeError();
      define(op.results[0], std::move(*result));
    }
    // Tensors of whole models do not fit in memory side by side.
    for (ValueId id : op.operands)
      if (--usesLeft[id] == 0)
        owned[id].values = {};
    return llvm::Error::success();
  }

  void define(ValueId id, Tensor value) {
    owned[id] = std::move(value);
    visible[id] = &owned[id];
  }

  const semantics::Program &program;
  Context context;
  std::vector<Tensor> owned;
  std::vector<const Tensor *> visible;
  std::vector<int> usesLeft;
};

} // namespace

llvm::Expected<std::vector<Tensor>>
interpreter::run(const semantics::Program &program,
                 llvm::ArrayRef<Tensor> inputs, Mode mode, unsigned threads,
                 const Cancelled &cancelled) {
  if (llvm::Error error = semantics::verifyProgram(program))
    return std::move(error);
  if (llvm::Error error = checkSizes(program))
    return std::move(error);
  if (llvm::Error error = checkLoops(program))
    return std::move(error);
  if (llvm::Error error = checkInputs(program, inputs))
    return std::move(error);
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  return ProgramRunner(program, {mode, threads, &cancelled}).run(inputs);
}

Difference interpreter::compare(const Tensor &actual, const Tensor &expected) {
  Difference result;
  double differenceNorm = 0.0, expectedNorm = 0.0;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    double a = actual.values[i], e = expected.values[i];
    if (!std::isfinite(e) || !std::isfinite(a)) {
      bool same = std::isnan(e) ? std::isnan(a) : a == e;
      result.wrongClass += !same;
      continue;
    }
    differenceNorm += (a - e) * (a - e);
    expectedNorm += e * e;
    result.maxAbs = std::max(result.maxAbs, std::fabs(a - e));
  }
  result.relative = expectedNorm > 0.0
                        ? std::sqrt(differenceNorm / expectedNorm)
                        : std::sqrt(differenceNorm);
  return result;
}
