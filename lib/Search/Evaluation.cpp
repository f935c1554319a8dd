//===- Evaluation.cpp - The input at shrunken sizes -----------------------===//
//
// Finite-field values and abstract expressions of every tensor of the program.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

using namespace mirage::search;
using namespace mirage::semantics;

llvm::SmallVector<int, 6>
mirage::search::shrunkenShape(const Analysis &analysis, ValueId value,
                              llvm::ArrayRef<int> classExtents) {
  llvm::SmallVector<int, 6> shape;
  for (int c : analysis.dims[value])
    shape.push_back(c < 0 ? 1 : classExtents[c]);
  return shape;
}

std::vector<FieldTensor>
mirage::search::evaluateField(const Analysis &analysis,
                              llvm::ArrayRef<int> classExtents,
                              FieldDomain &domain, uint64_t seed) {
  const Program &program = *analysis.program;
  domain.key = mix(seed, 0xfeed);
  // By value: the domain outlives the caller's array.
  std::map<int64_t, int64_t> extents;
  for (auto [extent, c] : analysis.extentClass)
    extents[extent] = classExtents[c];
  domain.extent = [extents](int64_t extent) {
    auto at = extents.find(extent);
    return at == extents.end() ? extent : at->second;
  };
  std::vector<FieldTensor> values(program.values.size());
  for (unsigned i = 0; i < program.numInputs; ++i)
    values[i] =
        randomField(shrunkenShape(analysis, i, classExtents), mix(seed, i));
  for (const Op &op : program.ops) {
    ValueId out = op.results[0];
    llvm::SmallVector<const FieldTensor *, 3> operands;
    for (ValueId v : op.operands)
      operands.push_back(&values[v]);
    auto shape = shrunkenShape(analysis, out, classExtents);
    if (auto c = analysis.constants[out]) {
      FieldTensor &t = values[out];
      t = makeFieldTensor({1, 1, 1, 1}, shape);
      FieldValue v = domain.constant(*c);
      for (size_t i = 0, n = t.size(); i < n; ++i)
        t.push(v);
      continue;
    }
    switch (opClass(op.kind)) {
    case OpClass::Reduce:
      values[out] = *operands[0];
      for (int64_t d : op.attrs.dims)
        values[out] =
            reduceField(domain, values[out], FieldTensor::kContext + d,
                        op.attrs.reduce == ReduceKind::Max);
      break;
    case OpClass::Matmul:
      values[out] =
          matmulField(*operands[0], *operands[1], op.attrs.transposeRhs);
      break;
    case OpClass::Transpose:
      values[out] = transposeField(*operands[0], op.attrs.dims);
      break;
    case OpClass::Reshape:
      values[out] = reshapeField(*operands[0], shape);
      break;
    case OpClass::Broadcast:
      values[out] = broadcastField(*operands[0], shape);
      break;
    default: {
      // A constant's dims belong to no class of the tensors beside it.
      llvm::SmallVector<FieldTensor, 2> splats(operands.size());
      for (unsigned i = 0; i < operands.size(); ++i)
        if (auto c = analysis.constants[op.operands[i]]) {
          splats[i] = makeFieldTensor(
              {1, 1, 1, 1}, llvm::SmallVector<int, 6>(shape.size(), 1));
          splats[i].push(domain.constant(*c));
          operands[i] = &splats[i];
        }
      values[out] = broadcastField(
          mapField(operands,
                   [&](llvm::ArrayRef<FieldValue> args) {
                     return evalElementwise(domain, op.kind, op.attrs, args,
                                            program.type(out).dtype);
                   }),
          shape);
      if (analysis.opaqueValues.count(out))
        values[out] = withQ(domain, std::move(values[out]));
      break;
    }
    }
  }
  return values;
}

PolyId mirage::search::mapExpression(const Analysis &analysis, int index,
                                     PolyId argument, ExpressionPool &pool) {
  const MapTemplate &map = analysis.maps[index];
  if (map.opaque)
    return pool.function(AtomKind::Map, {argument}, index);
  ExpressionDomain domain{pool, analysis.opaqueMaps};
  return applyMap(domain, map, argument);
}

std::vector<PolyId>
mirage::search::evaluateExpressions(const Analysis &analysis,
                                    llvm::ArrayRef<int> classExtents,
                                    ExpressionPool &pool) {
  const Program &program = *analysis.program;
  ExpressionDomain domain{pool, analysis.opaqueMaps};
  std::vector<PolyId> values(program.values.size(), kTooLarge);
  for (unsigned i = 0; i < program.numInputs; ++i)
    values[i] = pool.input(i);
  auto extentOf = [&](ValueId v, int d) {
    int c = analysis.dims[v][d];
    return c < 0 ? 1 : classExtents[c];
  };
  for (const Op &op : program.ops) {
    ValueId out = op.results[0];
    if (auto c = analysis.constants[out]) {
      values[out] = pool.constant(*c);
      continue;
    }
    if (auto at = analysis.opaqueValues.find(out);
        at != analysis.opaqueValues.end()) {
      auto [map, argument] = at->second;
      values[out] = mapExpression(analysis, map, values[argument], pool);
      continue;
    }
    PolyId first = values[op.operands[0]];
    switch (opClass(op.kind)) {
    case OpClass::Reduce:
      values[out] = first;
      for (int64_t d : op.attrs.dims)
        values[out] = op.attrs.reduce == ReduceKind::Max
                          ? pool.maxOver(values[out])
                          : pool.sum(extentOf(op.operands[0], d), values[out]);
      break;
    case OpClass::Matmul:
      values[out] =
          pool.sum(extentOf(op.operands[0], program.type(out).rank() - 1),
                   pool.mul(first, values[op.operands[1]]));
      break;
    case OpClass::Transpose:
    case OpClass::Reshape:
    case OpClass::Broadcast:
      values[out] = first;
      break;
    default: {
      llvm::SmallVector<PolyId, 3> args;
      for (ValueId v : op.operands)
        args.push_back(values[v]);
      values[out] = evalElementwise(domain, op.kind, op.attrs, args,
                                    program.type(out).dtype);
      break;
    }
    }
  }
  return values;
}
