//===- RandomInputs.cpp - Inputs that depend on a seed alone --------------===//
//
// The standard library's normal distribution differs between implementations,
// so the numbers are made here: a counter through splitmix64, then Box-Muller.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Interpreter/Interpreter.h"
#include "Mirage/Interpreter/Rounding.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mirage;
using namespace mirage::interpreter;
using semantics::DType;
using semantics::Op;
using semantics::OpKind;
using semantics::TensorType;

namespace {

uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Uniform in (0, 1): 53 bits and a half, so that a logarithm is finite.
double uniform(uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

double standardDeviation(const TensorType &type) {
  if (type.rank() >= 2 && type.shape[type.rank() - 2] >= 1024)
    return 1.0 / std::sqrt(static_cast<double>(type.shape[type.rank() - 2]));
  return 0.5;
}

/// The smallest dim that a gather reads by `indices`, at any level, or 1.
int64_t gatherBound(const semantics::Program &program, llvm::ArrayRef<Op> ops,
                    int indices) {
  int64_t bound = 0;
  auto take = [&](int64_t size) {
    if (size > 0)
      bound = bound == 0 ? size : std::min(bound, size);
  };
  for (const Op &op : ops) {
    if (op.kind == OpKind::Gather && op.operands[1] == indices)
      take(program.type(op.operands[0]).shape[op.attrs.dims[0]]);
    // A tile of indices is loaded from the tensor: follow it.
    if (op.kind == OpKind::Load && op.operands[0] == indices)
      for (const Op &outer : program.ops)
        take(gatherBound(program, outer.body, op.results[0]));
    take(gatherBound(program, op.body, indices));
  }
  return bound;
}

} // namespace

std::vector<Tensor> interpreter::randomInputs(const semantics::Program &program,
                                              uint64_t seed,
                                              const Cancelled &cancelled) {
  std::vector<Tensor> inputs;
  for (unsigned input = 0; input < program.numInputs; ++input) {
    const TensorType &type = program.type(input);
    Tensor tensor{type, {}};
    tensor.values.resize(type.numElements());
    uint64_t stream = mix(seed ^ mix(input));
    double deviation = standardDeviation(type);
    int64_t bound =
        isFloat(type.dtype)
            ? 1
            : std::max<int64_t>(1, gatherBound(program, program.ops, input));
    for (size_t i = 0; i < tensor.values.size(); ++i) {
      if (i % (1 << 16) == 0 && cancelled && cancelled())
        break;
      uint64_t bits = mix(stream + i);
      if (type.dtype == DType::I1)
        tensor.values[i] = static_cast<double>(bits & 1);
      else if (!isFloat(type.dtype))
        tensor.values[i] = static_cast<double>(bits % bound);
      else
        tensor.values[i] = roundTo(
            type.dtype, deviation * std::sqrt(-2.0 * std::log(uniform(bits))) *
                            std::cos(2 * M_PI * uniform(mix(bits))));
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}
