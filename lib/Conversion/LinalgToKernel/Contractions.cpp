//===- Contractions.cpp - Structured ops that are matmuls -----------------===//
//
// A sum of products of two inputs is a matmul, whatever its name and its maps:
// loops of both inputs and the output are batch dims, loops of one input are
// rows (M) or columns (N), loops that are summed are K. Operands are brought to
// [batch..., M, K] and [batch..., K, N], or [batch..., N, K] where they lie so.
//
// linalg multiplies in the output's element type, after casts of the operands:
// f16 x f16 into f32 becomes a matmul of two casts. Where the product is then
// rounded to f16, the pattern that absorbs casts leaves a matmul on f16.
//
//===----------------------------------------------------------------------===//

#include "Structured.h"

#include "Mirage/Dialect/Kernel/IR/Kernel.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;
using semantics::DType;
using semantics::OpKind;

namespace {
/// The loops of a contraction, each list increasing.
struct Loops {
  SmallVector<int64_t> batch, m, n, k;
};
struct Product {
  unsigned lhs, rhs; ///< numbers of the inputs
};
} // namespace

/// Matches out + in[a] * in[b], either order, casts allowed.
static std::optional<Product> matchProduct(const Structured &structured) {
  const ScalarBody &body = structured.body;
  if (structured.roots.size() != 1 || !structured.roots[0])
    return std::nullopt;
  NodeId root = *structured.roots[0];
  if (!body.isApply(root, OpKind::Add))
    return std::nullopt;
  NodeId a = body[root].args[0], b = body[root].args[1];
  if (body[a].form != Node::Form::Init)
    std::swap(a, b);
  if (body[a].form != Node::Form::Init || !body.isApply(b, OpKind::Mul))
    return std::nullopt;
  unsigned inputs[2];
  for (int i = 0; i < 2; ++i) {
    NodeId factor = body[b].args[i];
    if (body.isApply(factor, OpKind::Cast))
      factor = body[factor].args[0];
    if (body[factor].form != Node::Form::Input || body[factor].isInteger())
      return std::nullopt;
    inputs[i] = body[factor].index;
  }
  if (inputs[0] == inputs[1])
    return std::nullopt;
  return Product{std::min(inputs[0], inputs[1]),
                 std::max(inputs[0], inputs[1])};
}

static AffineMap inputMap(const Structured &structured, unsigned number) {
  linalg::LinalgOp op = structured.op;
  return op.getMatchingIndexingMap(op.getDpsInputOperand(number));
}

static std::optional<Loops> matchLoops(const Structured &structured,
                                       Product product) {
  AffineMap lhs = inputMap(structured, product.lhs);
  AffineMap rhs = inputMap(structured, product.rhs);
  Loops loops;
  for (int64_t loop = 0, e = structured.domain.size(); loop < e; ++loop) {
    bool summed = llvm::is_contained(structured.reductionDims, loop);
    bool inLhs = lhs.isFunctionOfDim(loop), inRhs = rhs.isFunctionOfDim(loop);
    if (summed) {
      if (!inLhs || !inRhs)
        return std::nullopt;
      loops.k.push_back(loop);
    } else if (inLhs && inRhs) {
      loops.batch.push_back(loop);
    } else if (inLhs) {
      loops.m.push_back(loop);
    } else if (inRhs) {
      loops.n.push_back(loop);
    } else if (structured.domain[loop] != 1) {
      return std::nullopt;
    }
  }
  return loops;
}

bool mirage::raising::isContraction(const Structured &structured) {
  auto product = matchProduct(structured);
  if (!product)
    return false;
  auto loops = matchLoops(structured, *product);
  if (!loops || loops->batch.size() + 2 > semantics::kMaxRank)
    return false;
  // A weighted sum in a generic is better a product and a reduction, which
  // fuse; an op that is named after a matrix is a matmul.
  if (isa<linalg::GenericOp>(linalg::LinalgOp(structured.op).getOperation()))
    return !loops->m.empty() && !loops->n.empty();
  return !loops->m.empty() || !loops->n.empty();
}

/// Product of the sizes of `loops`.
static int64_t extent(const Structured &structured, ArrayRef<int64_t> loops) {
  int64_t result = 1;
  for (int64_t loop : loops)
    result *= structured.domain[loop];
  return result;
}

/// The permutation that brings input `number` to the order `loops`.
static SmallVector<int64_t> permutation(const Structured &structured,
                                        unsigned number,
                                        ArrayRef<int64_t> loops) {
  AffineMap map = inputMap(structured, number);
  SmallVector<int64_t> perm, rest;
  for (int64_t loop : loops)
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (dim.getPosition() == loop)
          perm.push_back(i);
  for (int64_t i = 0, e = map.getNumResults(); i < e; ++i)
    if (!llvm::is_contained(perm, i))
      rest.push_back(i);
  perm.append(rest);
  return perm;
}

/// Input `number` in `dtype`, as a matrix for each index of the batch loops.
static Value matrix(Raiser &raiser, const Structured &structured,
                    unsigned number, DType dtype, ArrayRef<int64_t> batch,
                    ArrayRef<int64_t> rows, ArrayRef<int64_t> columns) {
  linalg::LinalgOp op = structured.op;
  Location loc = op.getLoc();
  SmallVector<int64_t> loops(batch), shape;
  loops.append(rows.begin(), rows.end());
  loops.append(columns.begin(), columns.end());
  for (int64_t loop : batch)
    shape.push_back(structured.domain[loop]);
  shape.push_back(extent(structured, rows));
  shape.push_back(extent(structured, columns));
  Value value = raiser.lookup(op.getDpsInputOperand(number)->get());
  value = raiser.transpose(loc, value, permutation(structured, number, loops));
  return raiser.cast(loc, raiser.reshape(loc, value, shape), dtype);
}

FailureOr<Values>
mirage::raising::raiseContraction(Raiser &raiser,
                                  const Structured &structured) {
  Product product = *matchProduct(structured);
  Loops loops = *matchLoops(structured, product);
  if (failed(checkInit(raiser, structured, 0)))
    return failure();

  linalg::LinalgOp op = structured.op;
  Location loc = op.getLoc();
  DType dtype = raiser.dtype(op->getResult(0));
  Value lhs = matrix(raiser, structured, product.lhs, dtype, loops.batch,
                     loops.m, loops.k);
  // Leave the rhs as it lies, if either order is its own.
  SmallVector<int64_t> order(loops.batch);
  order.append(loops.n);
  order.append(loops.k);
  bool transposed =
      !loops.n.empty() &&
      llvm::is_sorted(permutation(structured, product.rhs, order));
  Value rhs = transposed ? matrix(raiser, structured, product.rhs, dtype,
                                  loops.batch, loops.n, loops.k)
                         : matrix(raiser, structured, product.rhs, dtype,
                                  loops.batch, loops.k, loops.n);
  Value value =
      kernel::MatmulOp::create(raiser.getBuilder(), loc, lhs, rhs, transposed);

  // Split rows and columns into their loops, and put these in order.
  order = loops.batch;
  order.append(loops.m);
  order.append(loops.n);
  SmallVector<int64_t> shape, perm, domain = structured.domain;
  for (int64_t loop : order)
    shape.push_back(structured.domain[loop]);
  value = raiser.reshape(loc, value, shape);
  for (int64_t loop = 0, e = domain.size(); loop < e; ++loop) {
    auto position = llvm::find(order, loop);
    if (position != order.end())
      perm.push_back(position - order.begin());
    else
      domain[loop] = 1;
  }
  value = raiser.reshape(loc, raiser.transpose(loc, value, perm), domain);
  value = placeOutput(raiser, structured, value, 0);
  return Values{
      combineWithInit(raiser, structured, OpKind::Add, 0.0, value, 0)};
}
