//===- Elementwise.cpp - Structured ops without reduction loops -----------===//
//
// Every value is built over the loops of the op: its rank is their number, and
// a loop that it does not depend on is a dim of size 1. Ops of the dialect
// broadcast such dims, so indexing maps that drop dims cost one reshape, or
// nothing.
//
//===----------------------------------------------------------------------===//

#include "Structured.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;
using semantics::DType;
using semantics::OpKind;
using TablePredicate = semantics::Predicate;

static std::string print(AffineMap map) {
  std::string text;
  llvm::raw_string_ostream(text) << map;
  return text;
}

LogicalResult mirage::raising::checkMap(Raiser &raiser, AffineMap map,
                                        ArrayRef<int64_t> shape) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (seen.test(dim.getPosition()))
        return raiser.refuse("expected an indexing map with distinct loops, "
                             "but got " +
                             print(map));
      seen.set(dim.getPosition());
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || constant.getValue() != 0 || size != 1)
      return raiser.refuse("expected an indexing map of loops, and of 0 in "
                           "dims of size 1, but got " +
                           print(map));
  }
  return success();
}

FailureOr<Structured> mirage::raising::readStructured(Raiser &raiser,
                                                      linalg::LinalgOp op) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    // Splat constants become constants of the body, scalars must be such.
    if (raiser.splat(operand->get()))
      continue;
    if (failed(raiser.checkOperand(operand->get())))
      return failure();
  }
  for (Value result : op->getResults())
    if (!result.use_empty() && failed(raiser.checkType(result)))
      return failure();

  Structured structured;
  structured.op = op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  structured.domain.assign(ranges.begin(), ranges.end());
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return raiser.refuse("expected static loops, but got a dynamic one");
  if (llvm::is_contained(ranges, 0))
    return raiser.refuse("expected loops of at least 1 iteration, but got 0");
  if (ranges.size() > semantics::kMaxRank)
    return raiser.refuse("expected at most " + Twine(semantics::kMaxRank) +
                         " loops, but got " + Twine(ranges.size()));
  for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      structured.reductionDims.push_back(i);
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
      if (failed(checkMap(raiser, op.getMatchingIndexingMap(&operand),
                          type.getShape())))
        return failure();
  // A result element that no loop nest position determines alone.
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [dim, size] : llvm::enumerate(structured.domain))
      if (size != 1 && !map.isFunctionOfDim(dim) &&
          !llvm::is_contained(structured.reductionDims, int64_t(dim)))
        return raiser.refuse("expected each parallel loop in the output's map, "
                             "but got one without loop " +
                             Twine(dim));
  }
  if (failed(readBody(raiser, structured)))
    return failure();
  return structured;
}

Value mirage::raising::alignInput(Raiser &raiser, const Structured &structured,
                                  unsigned number) {
  // The interface's accessors are not const.
  linalg::LinalgOp op = structured.op;
  OpOperand *operand = op.getDpsInputOperand(number);
  AffineMap map = op.getMatchingIndexingMap(operand);
  Value value = raiser.lookup(operand->get());
  // Dims in the order of the loops; those of size 1 without a loop last.
  SmallVector<int64_t> perm, shape(structured.domain.size(), 1);
  for (int64_t loop = 0, e = structured.domain.size(); loop < e; ++loop)
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (dim.getPosition() == loop) {
          perm.push_back(i);
          shape[loop] = structured.domain[loop];
        }
  bool sorted = llvm::is_sorted(perm);
  if (!sorted) {
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (isa<AffineConstantExpr>(expr))
        perm.push_back(i);
    value = raiser.transpose(op.getLoc(), value, perm);
  }
  return raiser.reshape(op.getLoc(), value, shape);
}

namespace {
/// Builds the ops of the nodes that `root` needs, in order.
class Emitter {
public:
  Emitter(Raiser &raiser, const Structured &structured)
      : raiser(raiser), structured(structured), body(structured.body),
        rank(structured.domain.size()),
        loc(linalg::LinalgOp(structured.op).getLoc()) {}

  Value run(NodeId root, DType dtype) {
    std::vector<bool> needed(root + 1);
    needed[root] = true;
    for (NodeId id = root + 1; id-- > 0;)
      if (needed[id])
        for (NodeId arg : body[id].args)
          needed[arg] = true;
    values.resize(root + 1);
    // An integer that is only moved, or a position, needs no float.
    const Node &node = body[root];
    if (node.isInteger() && node.form == Node::Form::Input)
      return raiser.cast(loc, alignInput(raiser, structured, node.index),
                         dtype);
    if (node.form == Node::Form::Position)
      return emitPosition(node, dtype);
    if (node.form == Node::Form::Literal)
      return raiser.constant(node.constant, dtype, rank);
    for (NodeId id = 0; id <= root; ++id)
      if (needed[id])
        values[id] = emit(body[id]);
    if (!node.isInteger())
      return values[root];
    Value integer = raiser.cast(loc, values[root], dtype);
    raiser.recordFloat(integer, values[root], *node.bound);
    return integer;
  }

private:
  /// Integers are emitted in f32.
  Value emit(const Node &node) {
    switch (node.form) {
    case Node::Form::Input: {
      Value value = alignInput(raiser, structured, node.index);
      if (!node.isInteger())
        return value;
      return raiser.asFloat(loc, value);
    }
    case Node::Form::Position:
      return emitPosition(node, DType::F32);
    case Node::Form::Literal:
      return raiser.constant(node.constant,
                             node.isInteger() ? DType::F32 : node.dtype, rank);
    case Node::Form::Apply:
      return emitApply(node);
    case Node::Form::Init:
      break;
    }
    llvm_unreachable("callers emit no node that reads an init");
  }

  Value emitPosition(const Node &node, DType dtype) {
    SmallVector<int64_t> shape(rank, 1);
    shape[node.index] = structured.domain[node.index];
    return raiser.iota(loc, node.index, raiser.tensorType(shape, dtype));
  }

  Value emitApply(const Node &node) {
    SmallVector<Value> args;
    for (NodeId arg : node.args)
      args.push_back(values[arg]);
    OpBuilder &builder = raiser.getBuilder();
    switch (node.kind) {
    case OpKind::Cast: {
      const Node &from = body[node.args[0]];
      // Straight from the integers: they may be too large for f32.
      if (from.isInteger() && from.form == Node::Form::Input)
        args[0] = alignInput(raiser, structured, from.index);
      return raiser.cast(loc, args[0], node.dtype);
    }
    case OpKind::Compare:
      return emitCompare(node, args);
    case OpKind::Clamp:
      return raiser.create(
          loc, node.kind, args,
          {builder.getNamedAttr("lo", builder.getF64FloatAttr(node.lo)),
           builder.getNamedAttr("hi", builder.getF64FloatAttr(node.hi))});
    default:
      return raiser.create(loc, node.kind, args);
    }
  }

  /// A comparison that holds for NaN is the negation of the opposite one.
  Value emitCompare(const Node &node, ArrayRef<Value> args) {
    TablePredicate predicate = node.predicate;
    if (node.unordered)
      predicate = predicate == TablePredicate::Gt   ? TablePredicate::Le
                  : predicate == TablePredicate::Ge ? TablePredicate::Lt
                  : predicate == TablePredicate::Lt ? TablePredicate::Ge
                                                    : TablePredicate::Gt;
    OpBuilder &builder = raiser.getBuilder();
    auto attribute = builder.getNamedAttr(
        "predicate",
        PredicateAttr::get(builder.getContext(), fromSemantics(predicate)));
    Value result = raiser.create(loc, OpKind::Compare, args, attribute);
    if (!node.unordered)
      return result;
    return raiser.create(loc, OpKind::Select,
                         {result, raiser.constant(0.0, DType::I1, rank),
                          raiser.constant(1.0, DType::I1, rank)});
  }

  Raiser &raiser;
  const Structured &structured;
  const ScalarBody &body;
  int64_t rank;
  Location loc;
  std::vector<Value> values;
};
} // namespace

Value mirage::raising::emitNode(Raiser &raiser, const Structured &structured,
                                NodeId root, DType dtype) {
  return Emitter(raiser, structured).run(root, dtype);
}

Value mirage::raising::placeOutput(Raiser &raiser, const Structured &structured,
                                   Value value, unsigned number) {
  linalg::LinalgOp op = structured.op;
  OpOperand *init = op.getDpsInitOperand(number);
  AffineMap map = op.getMatchingIndexingMap(init);
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  SmallVector<int64_t> shape = structured.domain;
  for (int64_t dim : structured.reductionDims)
    shape[dim] = 1;
  value = raiser.broadcast(op.getLoc(), value, shape);
  // Loops in the order of the output's dims; those that it lacks have size 1.
  SmallVector<int64_t> perm;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      perm.push_back(dim.getPosition());
  if (!llvm::is_sorted(perm)) {
    for (int64_t loop = 0, e = shape.size(); loop < e; ++loop)
      if (!llvm::is_contained(perm, loop))
        perm.push_back(loop);
    value = raiser.transpose(op.getLoc(), value, perm);
  }
  return raiser.reshape(op.getLoc(), value, type.getShape());
}

FailureOr<Values>
mirage::raising::raiseElementwise(Raiser &raiser,
                                  const Structured &structured) {
  for (auto [i, root] : llvm::enumerate(structured.roots))
    if (root && structured.body.readsInit(*root))
      return raiser.refuse("expected outputs that are only written, but got "
                           "output " +
                           Twine(i) + " that is read");
  Values results;
  linalg::LinalgOp op = structured.op;
  for (auto [i, root] : llvm::enumerate(structured.roots)) {
    results.emplace_back();
    if (!root)
      continue;
    DType dtype = raiser.dtype(op->getResult(i));
    Value value = emitNode(raiser, structured, *root, dtype);
    results.back() = placeOutput(raiser, structured, value, i);
  }
  return results;
}
