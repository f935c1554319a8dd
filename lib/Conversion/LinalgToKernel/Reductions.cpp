//===- Reductions.cpp - Structured ops that reduce ------------------------===//
//
//   out = out + e                 reduce sum
//   out = max(e, out)             reduce max
//   out = min(e, out)             -reduce max of -e
//   out = out or e   (bits)       reduce max of (e ? 1 : 0) > 0
//   out = out and e  (bits)       reduce max of (e ? 0 : 1) == 0
//
// e is any elementwise expression of the inputs.
//
//===----------------------------------------------------------------------===//

#include "Structured.h"

#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;
using semantics::DType;
using semantics::OpKind;

namespace {
enum class Combiner : uint8_t { Sum, Max, Min, Any, All };

struct Reduction {
  Combiner combiner;
  NodeId value;
};
} // namespace

/// The combiner of `root` and what it adds to the output's element `init`.
static std::optional<Reduction> matchReduction(const ScalarBody &body,
                                               NodeId root, unsigned init) {
  const Node &node = body[root];
  auto isInit = [&](NodeId id) {
    return body[id].form == Node::Form::Init && body[id].index == init;
  };
  if (node.form != Node::Form::Apply || node.args.size() < 2)
    return std::nullopt;
  std::optional<Reduction> result;
  NodeId a = node.args[0], b = node.args[1];
  switch (node.kind) {
  case OpKind::Add:
  case OpKind::Max:
  case OpKind::Min:
    if (isInit(a) == isInit(b))
      return std::nullopt;
    result = Reduction{node.kind == OpKind::Add   ? Combiner::Sum
                       : node.kind == OpKind::Max ? Combiner::Max
                                                  : Combiner::Min,
                       isInit(a) ? b : a};
    break;
  case OpKind::Select: {
    // Bits: x and y is select(x, y, 0), x or y is select(x, 1, y).
    NodeId c = node.args[2];
    bool isAll = node.dtype == DType::I1 && body.value(c) == 0.0;
    bool isAny = node.dtype == DType::I1 && body.value(b) == 1.0;
    NodeId other = isAll ? b : c;
    if ((!isAll && !isAny) || isInit(a) == isInit(other))
      return std::nullopt;
    result =
        Reduction{isAll ? Combiner::All : Combiner::Any, isInit(a) ? other : a};
    break;
  }
  default:
    return std::nullopt;
  }
  if (body.readsInit(result->value))
    return std::nullopt;
  return result;
}

bool mirage::raising::isPlusInfinity(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  return matchPattern(value, m_PosInfFloat());
}

LogicalResult mirage::raising::checkInit(Raiser &raiser,
                                         const Structured &structured,
                                         unsigned number) {
  linalg::LinalgOp op = structured.op;
  Value init = op.getDpsInitOperand(number)->get();
  // Plus infinity, where a minimum starts, is no splat of the dialect.
  if (raiser.splat(init) || isPlusInfinity(init))
    return success();
  return raiser.checkOperand(init);
}

Value mirage::raising::combineWithInit(Raiser &raiser,
                                       const Structured &structured,
                                       OpKind kind, double neutral, Value value,
                                       unsigned number) {
  linalg::LinalgOp op = structured.op;
  Value init = op.getDpsInitOperand(number)->get();
  auto type = cast<RankedTensorType>(value.getType());
  if (neutral == std::numeric_limits<double>::infinity() &&
      isPlusInfinity(init))
    return value;
  auto start = raiser.splat(init);
  if (start == neutral)
    return value;
  Value operand =
      start ? raiser.constant(*start, raiser.dtype(value), type.getRank())
            : raiser.lookup(init);
  return raiser.create(op.getLoc(), kind, {value, operand});
}

static Value buildReduction(Raiser &raiser, const Structured &structured,
                            Reduction reduction, unsigned number) {
  linalg::LinalgOp op = structured.op;
  Location loc = op.getLoc();
  int64_t rank = structured.domain.size();
  DType dtype = raiser.dtype(op->getResult(number));
  Value value = emitNode(raiser, structured, reduction.value, dtype);
  // All elements along the reduced dims must exist.
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  for (int64_t dim : structured.reductionDims)
    shape[dim] = structured.domain[dim];
  value = raiser.broadcast(loc, value, shape);

  bool bits = reduction.combiner == Combiner::Any ||
              reduction.combiner == Combiner::All;
  bool any = reduction.combiner == Combiner::Any;
  if (bits)
    value = raiser.create(loc, OpKind::Select,
                          {value,
                           raiser.constant(any ? 1.0 : 0.0, DType::F32, rank),
                           raiser.constant(any ? 0.0 : 1.0, DType::F32, rank)});
  if (reduction.combiner == Combiner::Min)
    value = raiser.create(loc, OpKind::Neg, value);
  ReduceKind kind =
      reduction.combiner == Combiner::Sum ? ReduceKind::Sum : ReduceKind::Max;
  value = raiser.reduce(loc, kind, value, structured.reductionDims);
  if (reduction.combiner == Combiner::Min)
    value = raiser.create(loc, OpKind::Neg, value);
  if (bits) {
    OpBuilder &builder = raiser.getBuilder();
    value = raiser.create(
        loc, OpKind::Compare, {value, raiser.constant(0.0, DType::F32, rank)},
        builder.getNamedAttr(
            "predicate",
            PredicateAttr::get(builder.getContext(),
                               any ? Predicate::Gt : Predicate::Eq)));
  }
  value = placeOutput(raiser, structured, value, number);
  double infinity = std::numeric_limits<double>::infinity();
  switch (reduction.combiner) {
  case Combiner::Sum:
    return combineWithInit(raiser, structured, OpKind::Add, 0.0, value, number);
  case Combiner::Max:
    return combineWithInit(raiser, structured, OpKind::Max, -infinity, value,
                           number);
  case Combiner::Min:
    return combineWithInit(raiser, structured, OpKind::Min, infinity, value,
                           number);
  case Combiner::Any:
  case Combiner::All:
    return value;
  }
  llvm_unreachable("every combiner is listed");
}

FailureOr<Values>
mirage::raising::raiseReduction(Raiser &raiser, const Structured &structured) {
  linalg::LinalgOp op = structured.op;
  SmallVector<std::optional<Reduction>> reductions;
  for (auto [i, root] : llvm::enumerate(structured.roots)) {
    reductions.emplace_back();
    if (!root)
      continue;
    reductions.back() = matchReduction(structured.body, *root, i);
    if (!reductions.back())
      return raiser.refuse(
          "expected a reduction by sum, maximum, minimum, and "
          "or or, but got " +
          describe(op.getBlock()->getTerminator()->getOperand(i)));
    if (failed(checkInit(raiser, structured, i)))
      return failure();
    Combiner combiner = reductions.back()->combiner;
    auto start = raiser.splat(op.getDpsInitOperand(i)->get());
    if ((combiner == Combiner::Any && start != 0.0) ||
        (combiner == Combiner::All && start != 1.0))
      return raiser.refuse(Twine("expected bits that are reduced from ") +
                           (combiner == Combiner::Any ? "false" : "true") +
                           ", but got " +
                           (start ? *start != 0.0 ? "true" : "false"
                                  : "a start that is no constant"));
  }
  Values results;
  for (auto [i, reduction] : llvm::enumerate(reductions))
    results.push_back(reduction
                          ? buildReduction(raiser, structured, *reduction, i)
                          : Value());
  return results;
}
