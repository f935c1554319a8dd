//===- ScalarBody.cpp - Expressions, and their simplification -------------===//

#include "ScalarBody.h"

#include "Mirage/Semantics/Evaluate.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mirage::raising;
using namespace mirage::semantics;

double mirage::raising::roundTo(DType dtype, double value) {
  const llvm::fltSemantics *semantics;
  switch (dtype) {
  case DType::F16:
    semantics = &llvm::APFloat::IEEEhalf();
    break;
  case DType::BF16:
    semantics = &llvm::APFloat::BFloat();
    break;
  case DType::F32:
    semantics = &llvm::APFloat::IEEEsingle();
    break;
  default:
    return value;
  }
  bool losesInfo;
  llvm::APFloat rounded(value);
  rounded.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

NodeId ScalarBody::add(Node node) {
  // Bodies have a few dozen nodes: a search is quicker than a table.
  auto found = llvm::find(nodes, node);
  if (found != nodes.end())
    return found - nodes.begin();
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

NodeId ScalarBody::input(unsigned index, DType dtype,
                         std::optional<double> bound) {
  Node node;
  node.dtype = dtype;
  node.index = index;
  node.bound = bound;
  return add(std::move(node));
}

NodeId ScalarBody::init(unsigned index, DType dtype) {
  Node node;
  node.form = Node::Form::Init;
  node.dtype = dtype;
  node.index = index;
  return add(std::move(node));
}

NodeId ScalarBody::position(unsigned dim, int64_t extent) {
  Node node;
  node.form = Node::Form::Position;
  node.dtype = DType::I64;
  node.index = dim;
  node.bound = double(extent - 1);
  return add(std::move(node));
}

NodeId ScalarBody::literal(double value, DType dtype) {
  Node node;
  node.form = Node::Form::Literal;
  node.dtype = dtype;
  if (std::isinf(value))
    node.constant.kind = ConstantValue::Kind::NegInf;
  else
    node.constant = ConstantValue::makeLiteral(value);
  if (node.isInteger())
    node.bound = std::abs(value);
  return add(std::move(node));
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

std::optional<double> ScalarBody::value(NodeId id) const {
  if (nodes[id].form != Node::Form::Literal)
    return std::nullopt;
  return nodes[id].constant.toDouble();
}

bool ScalarBody::isLiteral(NodeId id, double exact) const {
  auto found = value(id);
  // The text may hold the literal in a wider type than it is used in.
  DType dtype = nodes[id].dtype;
  return found && roundTo(dtype, *found) == roundTo(dtype, exact);
}

bool ScalarBody::readsInit(NodeId id) const {
  // Arguments come first, so one pass in order sees everything.
  std::vector<bool> reads(id + 1);
  for (NodeId i = 0; i <= id; ++i) {
    reads[i] = nodes[i].form == Node::Form::Init;
    for (NodeId arg : nodes[i].args)
      reads[i] = reads[i] || reads[arg];
  }
  return reads[id];
}

std::optional<NodeId> ScalarBody::without(NodeId id, OpKind kind,
                                          double exact) const {
  if (!isApply(id, kind))
    return std::nullopt;
  if (isLiteral(nodes[id].args[1], exact))
    return nodes[id].args[0];
  if (isLiteral(nodes[id].args[0], exact))
    return nodes[id].args[1];
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

NodeId ScalarBody::make(OpKind kind, llvm::ArrayRef<NodeId> args, DType dtype) {
  Node node;
  node.form = Node::Form::Apply;
  node.kind = kind;
  node.dtype = dtype;
  node.args.assign(args.begin(), args.end());
  return add(std::move(node));
}

/// An operator on literals, rounded to their type as the program would.
std::optional<NodeId> ScalarBody::fold(OpKind kind,
                                       llvm::ArrayRef<NodeId> args) {
  double x[2] = {0.0, 0.0};
  if (args.size() > 2)
    return std::nullopt;
  for (auto [i, arg] : llvm::enumerate(args)) {
    auto found = value(arg);
    if (!found)
      return std::nullopt;
    x[i] = roundTo(nodes[arg].dtype, *found);
  }
  double result;
  switch (kind) {
  case OpKind::Add:
    result = x[0] + x[1];
    break;
  case OpKind::Sub:
    result = x[0] - x[1];
    break;
  case OpKind::Mul:
    result = x[0] * x[1];
    break;
  case OpKind::Div:
    result = x[0] / x[1];
    break;
  case OpKind::Neg:
    result = -x[0];
    break;
  case OpKind::Sqrt:
    result = std::sqrt(x[0]);
    break;
  default:
    return std::nullopt;
  }
  DType dtype = nodes[args[0]].dtype;
  result = roundTo(dtype, result);
  if (!std::isfinite(result))
    return std::nullopt;
  return literal(result, dtype);
}

/// args[0] / args[1] == 1 / (1 + exp(-x)).
std::optional<NodeId> ScalarBody::matchSigmoid(llvm::ArrayRef<NodeId> args) {
  if (!isLiteral(args[0], 1.0))
    return std::nullopt;
  auto power = without(args[1], OpKind::Add, 1.0);
  if (!power || !isApply(*power, OpKind::Exp))
    return std::nullopt;
  NodeId exponent = nodes[*power].args[0];
  if (!isApply(exponent, OpKind::Neg))
    return std::nullopt;
  return nodes[exponent].args[0];
}

/// factor == 0.5 * (1 + erf(x / sqrt 2)).
bool ScalarBody::isGeluErfFactor(NodeId factor, NodeId x) const {
  auto sum = without(factor, OpKind::Mul, 0.5);
  auto erf = sum ? without(*sum, OpKind::Add, 1.0) : std::nullopt;
  if (!erf || !isApply(*erf, OpKind::Erf))
    return false;
  NodeId argument = nodes[*erf].args[0];
  if (isApply(argument, OpKind::Div))
    return nodes[argument].args[0] == x &&
           isLiteral(nodes[argument].args[1], std::sqrt(2.0));
  return without(argument, OpKind::Mul, kInvSqrt2) == x;
}

/// factor == 0.5 * (1 + tanh(c * (x + 0.044715 x^3))). The literal c must be
/// sqrt(2/pi) in its type: some front ends write a less exact one in f32.
bool ScalarBody::isGeluTanhFactor(NodeId factor, NodeId x) const {
  auto sum = without(factor, OpKind::Mul, 0.5);
  auto tanh = sum ? without(*sum, OpKind::Add, 1.0) : std::nullopt;
  if (!tanh || !isApply(*tanh, OpKind::Tanh))
    return false;
  auto inner = without(nodes[*tanh].args[0], OpKind::Mul, kSqrt2OverPi);
  if (!inner || !isApply(*inner, OpKind::Add))
    return false;
  auto inside = nodes[*inner].args;
  NodeId cubic = inside[0] == x ? inside[1] : inside[0];
  if (inside[0] != x && inside[1] != x)
    return false;
  auto cube = without(cubic, OpKind::Mul, kGeluCubic);
  if (!cube || !isApply(*cube, OpKind::Mul))
    return false;
  auto factors = nodes[*cube].args;
  NodeId square = factors[0] == x ? factors[1] : factors[0];
  return (factors[0] == x || factors[1] == x) &&
         isApply(square, OpKind::Square) && nodes[square].args[0] == x;
}

std::optional<NodeId> ScalarBody::matchProduct(NodeId x, NodeId y) {
  if (x == y)
    return make(OpKind::Square, {x}, nodes[x].dtype);
  for (auto [a, b] : {std::pair(x, y), std::pair(y, x)}) {
    if (isApply(b, OpKind::Sigmoid) && nodes[b].args[0] == a)
      return make(OpKind::Silu, {a}, nodes[a].dtype);
    if (isGeluErfFactor(b, a))
      return make(OpKind::GeluErf, {a}, nodes[a].dtype);
    if (isGeluTanhFactor(b, a))
      return make(OpKind::GeluTanh, {a}, nodes[a].dtype);
  }
  return std::nullopt;
}

/// max(x, 0) == relu(x), and min(max(x, lo), hi) == clamp(x, lo, hi), in either
/// order, when lo <= hi.
std::optional<NodeId> ScalarBody::matchExtremum(OpKind kind, NodeId x,
                                                NodeId y) {
  if (value(x))
    std::swap(x, y);
  auto outer = value(y);
  if (!outer || !std::isfinite(*outer))
    return std::nullopt;
  OpKind inverse = kind == OpKind::Max ? OpKind::Min : OpKind::Max;
  auto inner = std::optional<double>();
  if (isApply(x, inverse))
    inner = value(nodes[x].args[1]);
  else if (kind == OpKind::Min && isApply(x, OpKind::Relu))
    inner = 0.0;
  if (inner && std::isfinite(*inner)) {
    double lo = kind == OpKind::Max ? *outer : *inner;
    double hi = kind == OpKind::Max ? *inner : *outer;
    if (lo <= hi) {
      Node node;
      node.form = Node::Form::Apply;
      node.kind = OpKind::Clamp;
      node.dtype = nodes[x].dtype;
      node.lo = roundTo(node.dtype, lo);
      node.hi = roundTo(node.dtype, hi);
      node.args = {nodes[x].args[0]};
      return add(std::move(node));
    }
  }
  if (kind == OpKind::Max && *outer == 0.0)
    return make(OpKind::Relu, {x}, nodes[x].dtype);
  return make(kind, {x, y}, nodes[x].dtype);
}

NodeId ScalarBody::apply(OpKind kind, llvm::ArrayRef<NodeId> args) {
  DType dtype = nodes[args[0]].dtype;
  if (auto folded = fold(kind, args))
    return *folded;
  if (kind == OpKind::Div) {
    if (auto x = matchSigmoid(args))
      return make(OpKind::Sigmoid, {*x}, dtype);
    if (isLiteral(args[0], 1.0))
      return make(OpKind::Reciprocal, {args[1]}, dtype);
  }
  if (kind == OpKind::Mul)
    if (auto product = matchProduct(args[0], args[1]))
      return *product;
  if (kind == OpKind::Max || kind == OpKind::Min)
    if (auto extremum = matchExtremum(kind, args[0], args[1]))
      return *extremum;
  if (kind == OpKind::Pow && isLiteral(args[1], 2.0))
    return make(OpKind::Square, {args[0]}, dtype);
  return make(kind, args, dtype);
}

NodeId ScalarBody::cast(NodeId x, DType dtype) {
  if (nodes[x].dtype == dtype)
    return x;
  // A literal keeps its digits, which its constant rounds; but where it is
  // widened it has been rounded before.
  if (auto known = value(x))
    return literal(
        dtype == DType::F32 ? roundTo(nodes[x].dtype, *known) : *known, dtype);
  return make(OpKind::Cast, {x}, dtype);
}

NodeId ScalarBody::compare(Predicate predicate, bool unordered, NodeId x,
                           NodeId y) {
  Node node;
  node.form = Node::Form::Apply;
  node.kind = OpKind::Compare;
  node.dtype = DType::I1;
  node.predicate = predicate;
  node.unordered = unordered;
  node.args = {x, y};
  return add(std::move(node));
}

NodeId ScalarBody::select(NodeId condition, NodeId x, NodeId y) {
  DType dtype = nodes[x].dtype;
  if (dtype == DType::I1 && value(x) == 1.0 && value(y) == 0.0)
    return condition;
  // A negated condition swaps the values.
  if (isApply(condition, OpKind::Select)) {
    auto inner = nodes[condition].args;
    if (value(inner[1]) == 0.0 && value(inner[2]) == 1.0)
      return select(inner[0], y, x);
  }
  if (isFloat(dtype) && isApply(condition, OpKind::Compare)) {
    const Node &test = nodes[condition];
    bool greater =
        test.predicate == Predicate::Gt || test.predicate == Predicate::Ge;
    bool less =
        test.predicate == Predicate::Lt || test.predicate == Predicate::Le;
    NodeId a = test.args[0], b = test.args[1];
    if (greater || less) {
      if (a == x && b == y)
        return apply(greater ? OpKind::Max : OpKind::Min, {x, y});
      if (a == y && b == x)
        return apply(greater ? OpKind::Min : OpKind::Max, {x, y});
    }
  }
  NodeId id = make(OpKind::Select, {condition, x, y}, dtype);
  if (nodes[x].bound && nodes[y].bound)
    nodes[id].bound = std::max(*nodes[x].bound, *nodes[y].bound);
  return id;
}

NodeId ScalarBody::logicalNot(NodeId x) {
  return select(x, literal(0.0, DType::I1), literal(1.0, DType::I1));
}

NodeId ScalarBody::integerArithmetic(OpKind kind, NodeId x, NodeId y) {
  double a = *nodes[x].bound, b = *nodes[y].bound;
  NodeId id = make(kind, {x, y}, nodes[x].dtype);
  nodes[id].bound = kind == OpKind::Mul ? a * b : a + b;
  return id;
}
