//===- Analysis.cpp - Size classes, maps and values of the input ----------===//

#include "Analysis.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

bool isElementwise(OpKind kind) {
  OpClass c = opClass(kind);
  return c == OpClass::Unary || c == OpClass::Binary || c == OpClass::Compare ||
         c == OpClass::Select;
}

/// Pairs the dims of two shapes that differ only in dims of size 1; empty when
/// they differ in more.
std::optional<llvm::SmallVector<std::pair<int, int>, 6>>
matchUnitReshape(const Shape &from, const Shape &to) {
  llvm::SmallVector<std::pair<int, int>, 6> pairs;
  size_t i = 0, j = 0;
  while (true) {
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
    if (i == from.size() || j == to.size())
      break;
    if (from[i] != to[j])
      return std::nullopt;
    pairs.push_back({i++, j++});
  }
  if (i != from.size() || j != to.size())
    return std::nullopt;
  return pairs;
}

/// Union-find over (value, dim).
class Classes {
public:
  explicit Classes(const Program &program) : program(program) {
    for (const TensorType &type : program.values) {
      first.push_back(parent.size());
      for (int64_t d = 0; d < type.rank(); ++d)
        parent.push_back(parent.size());
    }
  }
  int node(ValueId value, int dim) const { return first[value] + dim; }
  int find(int n) {
    while (parent[n] != n)
      n = parent[n] = parent[parent[n]];
    return n;
  }
  /// Dims of size 1 broadcast and belong to no class.
  void unify(ValueId a, int da, ValueId b, int db) {
    if (program.type(a).shape[da] == 1 || program.type(b).shape[db] == 1)
      return;
    int x = find(node(a, da)), y = find(node(b, db));
    parent[std::max(x, y)] = std::min(x, y);
  }

private:
  const Program &program;
  std::vector<int> first, parent;
};

class Analyzer {
public:
  Analyzer(const Program &program, bool opaqueMaps)
      : program(program), opaqueMaps(opaqueMaps), classes(program) {}

  llvm::Expected<Analysis> run() {
    result.program = &program;
    result.opaqueMaps = opaqueMaps;
    result.constants.resize(program.values.size());
    for (const Op &op : program.ops)
      if (llvm::Error e = visit(op))
        return std::move(e);
    numberClasses();
    for (const Op &op : program.ops)
      collect(op);
    // A product reads either operand as it lies: where one is transposed first,
    // the other form saves that.
    if (!result.transposes.empty() &&
        (result.hasMatmul || result.hasMatmulTransposed))
      result.hasMatmul = result.hasMatmulTransposed = true;
    tieExtents();
    findMaps();
    return std::move(result);
  }

private:
  llvm::Error visit(const Op &op) {
    if (op.results.size() != 1)
      return error("expected an op with 1 result, but got '" +
                   mnemonic(op.kind) + "' with " +
                   std::to_string(op.results.size()));
    ValueId out = op.results[0];
    int rank = program.type(out).rank();
    auto type = [&](unsigned i) { return program.type(op.operands[i]); };
    auto same = [&](unsigned i) {
      for (int d = 0; d < rank; ++d)
        classes.unify(op.operands[i], d, out, d);
    };
    switch (opClass(op.kind)) {
    case OpClass::Unary:
    case OpClass::Binary:
    case OpClass::Compare:
    case OpClass::Select:
      for (unsigned i = 0; i < op.operands.size(); ++i)
        if (!result.constants[op.operands[i]])
          same(i);
      if (op.kind == OpKind::Cast)
        result.constants[out] = result.constants[op.operands[0]];
      return llvm::Error::success();
    case OpClass::Constant:
      result.constants[out] = op.attrs.constant;
      return llvm::Error::success();
    case OpClass::Reduce:
      if (op.attrs.reduce == ReduceKind::Mean)
        return error("expected a decomposed program, but got 'reduce' with a "
                     "mean");
      same(0);
      return llvm::Error::success();
    case OpClass::Broadcast:
      same(0);
      result.constants[out] = result.constants[op.operands[0]];
      return llvm::Error::success();
    case OpClass::Matmul: {
      int column = op.attrs.transposeRhs ? rank - 2 : rank - 1;
      int contracted = op.attrs.transposeRhs ? rank - 1 : rank - 2;
      for (int d = 0; d + 2 < rank; ++d) {
        classes.unify(op.operands[0], d, out, d);
        classes.unify(op.operands[1], d, out, d);
      }
      classes.unify(op.operands[0], rank - 2, out, rank - 2);
      classes.unify(op.operands[1], column, out, rank - 1);
      classes.unify(op.operands[0], rank - 1, op.operands[1], contracted);
      return llvm::Error::success();
    }
    case OpClass::Transpose:
      for (int d = 0; d < rank; ++d)
        classes.unify(op.operands[0], op.attrs.dims[d], out, d);
      return llvm::Error::success();
    case OpClass::Reshape: {
      result.constants[out] = result.constants[op.operands[0]];
      auto pairs = matchUnitReshape(type(0).shape, program.type(out).shape);
      if (!pairs)
        return error("expected a reshape that adds or drops dimensions of "
                     "size 1, but got " +
                     toString(type(0)) + " to " + toString(program.type(out)));
      for (auto [i, j] : *pairs)
        classes.unify(op.operands[0], i, out, j);
      return llvm::Error::success();
    }
    default:
      return error("expected an op that the search can look inside, but got '" +
                   mnemonic(op.kind) + "'");
    }
  }

  void numberClasses() {
    std::map<int, int> numbers;
    for (size_t v = 0; v < program.values.size(); ++v) {
      result.dims.emplace_back();
      const TensorType &type = program.type(v);
      for (int64_t d = 0; d < type.rank(); ++d) {
        if (type.shape[d] == 1) {
          result.dims.back().push_back(-1);
          continue;
        }
        auto [at, isNew] = numbers.try_emplace(classes.find(classes.node(v, d)),
                                               result.classes.size());
        if (isNew) {
          result.classes.emplace_back();
          result.classes.back().extent = type.shape[d];
        }
        result.dims.back().push_back(at->second);
      }
    }
    auto mark = [&](ValueId v, bool output) {
      const auto &dims = result.dims[v];
      for (size_t d = 0; d < dims.size(); ++d)
        if (dims[d] >= 0) {
          result.classes[dims[d]].output |= output;
          result.classes[dims[d]].batch |= d + 2 < dims.size();
        }
    };
    for (unsigned i = 0; i < program.numInputs; ++i)
      mark(i, false);
    for (ValueId v : program.outputs)
      mark(v, true);
  }

  /// The element type in which a product reads `v`. A product of f16 is summed
  /// in f32, so that widening the operands first adds nothing, and takes twice
  /// the memory and the tensor cores away.
  DType productType(ValueId v) const {
    for (const Op &op : program.ops)
      if (op.kind == OpKind::Cast && op.results[0] == v &&
          byteWidth(program.type(op.operands[0]).dtype) == 2)
        return program.type(op.operands[0]).dtype;
    return program.type(v).dtype;
  }

  void collect(const Op &op) {
    switch (opClass(op.kind)) {
    case OpClass::Matmul: {
      (op.attrs.transposeRhs ? result.hasMatmulTransposed : result.hasMatmul) =
          true;
      DType lhs = productType(op.operands[0]);
      bool alike = lhs == productType(op.operands[1]);
      result.matmulType = alike ? lhs : program.type(op.operands[0]).dtype;
      contract(result.dims[op.operands[0]].back());
      break;
    }
    case OpClass::Reduce:
      (op.attrs.reduce == ReduceKind::Max ? result.hasMax : result.hasSum) =
          true;
      for (int64_t d : op.attrs.dims)
        contract(result.dims[op.operands[0]][d]);
      break;
    case OpClass::Reshape: {
      ReshapeTemplate reshape{result.dims[op.operands[0]],
                              result.dims[op.results[0]]};
      if (!result.constants[op.results[0]]) {
        addReshape(reshape);
        addReshape({reshape.to, reshape.from});
      }
      break;
    }
    case OpClass::Transpose:
      if (!llvm::is_contained(result.transposes, op.attrs.dims))
        result.transposes.emplace_back(op.attrs.dims.begin(),
                                       op.attrs.dims.end());
      break;
    default:
      break;
    }
  }

  void addReshape(const ReshapeTemplate &reshape) {
    auto equal = [&](const ReshapeTemplate &t) {
      return t.from == reshape.from && t.to == reshape.to;
    };
    if (reshape.from != reshape.to && llvm::none_of(result.reshapes, equal))
      result.reshapes.push_back(reshape);
  }

  void contract(int sizeClass) {
    if (sizeClass >= 0)
      result.classes[sizeClass].contracted = true;
  }

  /// A size-tied constant follows the class of that extent; of several the
  /// contracted one, since a mean's 1/n is what such constants stem from.
  void tieExtents() {
    for (unsigned c = 0; c < result.classes.size(); ++c) {
      const SizeClass &one = result.classes[c];
      auto [at, isNew] = result.extentClass.try_emplace(one.extent, c);
      if (!isNew && one.contracted && !result.classes[at->second].contracted)
        at->second = c;
    }
  }

  /// Follows a value to the one it is an elementwise function of, through ops
  /// that change nothing the search sees: casts, and broadcasts of size-1 dims.
  ValueId alias(ValueId v) const {
    while (true) {
      const Op *op = definer(v);
      if (!op || (op->kind != OpKind::Cast && op->kind != OpKind::Broadcast))
        return v;
      v = op->operands[0];
    }
  }
  const Op *definer(ValueId v) const { return definers[v]; }

  void findMaps() {
    definers.assign(program.values.size(), nullptr);
    std::vector<int> root(program.values.size());
    std::vector<std::vector<const Op *>> users(program.values.size());
    for (size_t v = 0; v < root.size(); ++v)
      root[v] = v;
    std::set<OpKind> binaries;
    for (const Op &op : program.ops) {
      ValueId out = op.results[0];
      definers[out] = &op;
      if (result.constants[out] || !isElementwise(op.kind) ||
          op.kind == OpKind::Cast)
        continue;
      llvm::SmallVector<ValueId, 3> tensors;
      int constants = 0;
      for (ValueId v : op.operands) {
        if (result.constants[v])
          ++constants;
        else
          tensors.push_back(alias(v));
      }
      for (ValueId v : op.operands)
        if (!result.constants[v])
          users[alias(v)].push_back(&op);
      if (opClass(op.kind) == OpClass::Binary && constants == 0 &&
          tensors[0] != tensors[1])
        binaries.insert(op.kind);
      // Select and compare are searched inside maps only, and a step of a map
      // has two operands at most.
      if (tensors.empty() || op.operands.size() > 2)
        continue;
      ValueId base = root[tensors[0]];
      bool map = true;
      for (ValueId v : tensors)
        map &=
            root[v] == base && program.type(v).shape == program.type(out).shape;
      map &= program.type(base).shape == program.type(out).shape;
      if (map)
        root[out] = base;
    }
    // Whole maps, up to where another tensor joins, then the single ops that no
    // opaque map hides.
    std::set<ValueId> hidden;
    for (const Op &op : program.ops) {
      ValueId out = op.results[0];
      if (root[out] == static_cast<int>(out))
        continue;
      bool inner =
          !llvm::is_contained(program.outputs, out) && !users[out].empty();
      for (const Op *user : users[out])
        inner &= root[user->results[0]] == root[out];
      if (inner)
        continue;
      std::map<ValueId, int> slots;
      MapTemplate map = mapBetween(root[out], out, slots);
      map.opaque = opaqueMaps && isOpaque(map);
      llvm::SmallVector<const Op *, 8> steps;
      for (auto [v, slot] : slots)
        if (v != root[out])
          steps.push_back(definer(v));
      int index = addMap(map, steps);
      if (!result.maps[index].opaque)
        continue;
      result.opaqueValues[out] = {index, root[out]};
      for (auto [v, slot] : slots)
        if (v != out && v != root[out])
          hidden.insert(v);
      if (map.steps.size() > 1)
        hidden.insert(out);
    }
    for (const Op &op : program.ops) {
      ValueId out = op.results[0];
      if (result.constants[out] || !isElementwise(op.kind) ||
          op.kind == OpKind::Cast || hidden.count(out))
        continue;
      if (std::optional<ScalarOp> scalar = scalarOp(op)) {
        bool twice = op.operands.size() > 1 && !scalar->hasConstant;
        MapTemplate map{{{*scalar, 0, twice ? 0 : -1}}, false};
        map.opaque = opaqueMaps && isOpaque(map);
        int index = addMap(map, {&op});
        if (scalar->hasConstant && !scalar->constantLeft
                ? op.kind == OpKind::Mul || op.kind == OpKind::Div
                : scalar->hasConstant && op.kind == OpKind::Mul)
          result.scaledValues[index].push_back(
              alias(op.operands[scalar->constantLeft ? 1 : 0]));
      }
    }
    // Products and sums are how values combine; the others only if the program
    // has them, or has what they come from.
    binaries.insert(OpKind::Add);
    binaries.insert(OpKind::Mul);
    for (const Op &op : program.ops) {
      if (op.kind == OpKind::Rsqrt || op.kind == OpKind::Reciprocal ||
          op.kind == OpKind::Div)
        binaries.insert(OpKind::Div);
      if (op.kind == OpKind::Neg || op.kind == OpKind::Sub)
        binaries.insert(OpKind::Sub);
    }
    binaries.erase(OpKind::Pow);
    result.binaries.assign(binaries.begin(), binaries.end());
  }

  /// x - max(x), or that times a positive constant.
  bool isShifted(ValueId v) const {
    const Op *op = definer(v);
    if (op && op->kind == OpKind::Mul)
      for (unsigned i = 0; i < 2; ++i)
        if (auto c = result.constants[op->operands[i]])
          return c->toDouble() > 0 && isShifted(alias(op->operands[1 - i]));
    if (!op || op->kind != OpKind::Sub)
      return false;
    const Op *max = definer(alias(op->operands[1]));
    return max && max->kind == OpKind::Reduce &&
           max->attrs.reduce == ReduceKind::Max &&
           alias(max->operands[0]) == alias(op->operands[0]);
  }

  /// The op as a function of one tensor, if it is one: its tensor operands are
  /// all the same value.
  std::optional<ScalarOp> scalarOp(const Op &op) const {
    ScalarOp scalar{op.kind, op.attrs, false, false, {}};
    if (opClass(op.kind) == OpClass::Unary)
      return scalar;
    if (opClass(op.kind) != OpClass::Binary)
      return std::nullopt;
    for (unsigned i = 0; i < 2; ++i)
      if (auto c = result.constants[op.operands[i]]) {
        scalar.hasConstant = true;
        scalar.constantLeft = i == 0;
        scalar.constant = *c;
        return scalar;
      }
    if (alias(op.operands[0]) != alias(op.operands[1]))
      return std::nullopt;
    return scalar;
  }

  /// A chain of primitive steps is transparent, a square too.
  static bool isOpaque(const MapTemplate &map) {
    for (const MapTemplate::Step &step : map.steps) {
      switch (step.op.kind) {
      case OpKind::Silu:
      case OpKind::GeluTanh:
      case OpKind::GeluErf:
      case OpKind::Tanh:
      case OpKind::Sigmoid:
        return true;
      default:
        if (step.rhs >= 0 && step.rhs != step.lhs)
          return true;
      }
    }
    return false;
  }

  MapTemplate mapBetween(ValueId base, ValueId out,
                         std::map<ValueId, int> &slots) const {
    MapTemplate map;
    slots[base] = 0;
    emitMap(out, slots, map);
    return map;
  }

  int emitMap(ValueId v, std::map<ValueId, int> &slots,
              MapTemplate &map) const {
    v = alias(v);
    if (auto at = slots.find(v); at != slots.end())
      return at->second;
    const Op &op = *definer(v);
    MapTemplate::Step step;
    step.op = {op.kind, op.attrs, false, false, {}};
    llvm::SmallVector<int, 2> args;
    for (unsigned i = 0; i < op.operands.size(); ++i) {
      if (auto c = result.constants[op.operands[i]]) {
        step.op.hasConstant = true;
        step.op.constantLeft = i == 0;
        step.op.constant = *c;
      } else {
        args.push_back(emitMap(op.operands[i], slots, map));
      }
    }
    step.lhs = args[0];
    step.rhs = args.size() > 1 ? args[1] : -1;
    map.steps.push_back(step);
    return slots[v] = map.steps.size();
  }

  /// `steps` are the ops that are this map in the program.
  int addMap(MapTemplate map, llvm::ArrayRef<const Op *> steps) {
    bool anyExp = false, shifted = true;
    for (const Op *op : steps)
      if (op->kind == OpKind::Exp) {
        anyExp = true;
        shifted &= isShifted(alias(op->operands[0]));
      }
    int index = findMap(std::move(map), anyExp);
    if (!shifted)
      result.boundedMaps[index] = false;
    return index;
  }

  int findMap(MapTemplate map, bool bounded) {
    auto key = [](const MapTemplate &m) {
      std::vector<
          std::tuple<int, int, int, int, double, int64_t, double, double, int>>
          k;
      for (const MapTemplate::Step &s : m.steps)
        k.emplace_back(static_cast<int>(s.op.kind), s.lhs, s.rhs,
                       s.op.hasConstant * 2 + s.op.constantLeft +
                           4 * static_cast<int>(s.op.constant.kind),
                       s.op.constant.literal, s.op.constant.extent,
                       s.op.attrs.lo, s.op.attrs.hi,
                       static_cast<int>(s.op.attrs.predicate));
      return k;
    };
    auto k = key(map);
    for (unsigned i = 0; i < result.maps.size(); ++i)
      if (key(result.maps[i]) == k)
        return i;
    result.maps.push_back(std::move(map));
    result.scaledValues.emplace_back();
    result.boundedMaps.push_back(bounded);
    return result.maps.size() - 1;
  }

  const Program &program;
  bool opaqueMaps;
  Classes classes;
  Analysis result;
  std::vector<const Op *> definers;
};

} // namespace

llvm::Expected<Analysis> mirage::search::analyze(const Program &program,
                                                 bool opaqueMaps) {
  return Analyzer(program, opaqueMaps).run();
}
