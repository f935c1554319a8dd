//===- ThreadArithmetic.cpp - What threads compute in registers -----------===//

#include "Mirage/Semantics/Evaluate.h"
#include "ThreadCluster.h"
#include "llvm/ADT/Twine.h"

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
using Mask = std::shared_ptr<const std::vector<uint8_t>>;

/// Poison of a value of registers `shape` made of `parts`, with broadcasting.
Mask joined(llvm::ArrayRef<const Fragment *> parts, const Shape &shape) {
  std::vector<uint8_t> mask;
  for (const Fragment *part : parts) {
    if (!part->poison)
      continue;
    if (mask.empty())
      mask.resize(numElements(shape));
    Strides strides = broadcastStrides(part->tile->shape, shape);
    forEachElement(shape, strides, strides,
                   [&](int64_t i, int64_t at, int64_t) {
                     mask[i] |= (*part->poison)[at];
                   });
  }
  if (mask.empty())
    return nullptr;
  return std::make_shared<const std::vector<uint8_t>>(std::move(mask));
}
} // namespace

Fragment ClusterRun::spread(const Fragment &fragment, const Placement &p) {
  Shape shape = p.shape();
  if (fragment.tile->shape == shape)
    return fragment;
  return {stridedCopy(*fragment.tile, shape, 0,
                      broadcastStrides(fragment.tile->shape, shape)),
          joined({&fragment}, shape)};
}

bool ClusterRun::splat(const ThreadOp &op, BlockState &block) {
  TileRef value = domain().constant(op.meaning);
  if (op.inverted)
    value =
        domain().div(domain().constant(ConstantValue::makeLiteral(1.0)), value);
  block.fragments[op.results[0]] = {value, nullptr};
  return true;
}

bool ClusterRun::iota(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.results[0]);
  const ThreadLayout &layout = kernel.values[op.results[0]]->layout;
  int64_t size = op.dim == 0 ? layout.rows : layout.cols;
  Places places(p.count());
  p.forEach([&](int64_t i, int64_t, int64_t row, int64_t col) {
    places[i] = row < 0 || col < 0 ? -1 : op.dim == 0 ? row : col;
  });
  block.fragments[op.results[0]] = gatherTile(
      *domain().iota({size}, 0), p.shape(), places, launch.run.junk, domain());
  return true;
}

bool ClusterRun::map(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.results[0]);
  llvm::SmallVector<TileRef, 3> args;
  llvm::SmallVector<const Fragment *, 3> parts;
  for (int id : op.operands) {
    parts.push_back(&block.fragments[id]);
    args.push_back(parts.back()->tile);
  }
  TileRef tile = evalElementwise(domain(), op.mapKind, op.attrs,
                                 llvm::ArrayRef<TileRef>(args),
                                 kernel.values[op.results[0]]->dtype);
  Shape shape = tile->shape;
  if (!shape.empty())
    for (size_t d = 0; d < 3; ++d)
      if (shape[d] != 1 && shape[d] != p.shape()[d])
        return fail(op, "expected operands that broadcast to " +
                            toString(p.shape()) + " registers, but got " +
                            toString(shape));
  Fragment result{tile, joined(parts, shape)};
  block.fragments[op.results[0]] =
      result.isUniform() ? result : spread(result, p);
  return true;
}

/// Padding counts as nothing where registers are reduced.
Fragment ClusterRun::replacePadding(const Fragment &fragment,
                                    const Placement &p, bool maximum) {
  Fragment whole = spread(fragment, p);
  Places places(p.count());
  bool any = false;
  int64_t count = p.count();
  p.forEach([&](int64_t i, int64_t, int64_t row, int64_t col) {
    bool inside = row >= 0 && col >= 0;
    any |= !inside;
    places[i] = inside ? i : count;
  });
  if (!any)
    return whole;
  ConstantValue neutral;
  if (maximum)
    neutral.kind = ConstantValue::Kind::NegInf;
  TileRef scalar = domain().constant(neutral);
  Store all(count + 1);
  for (int64_t i = 0; i < count; ++i)
    if (!whole.poisonAt(i))
      all.set(i, *whole.tile, i);
  all.set(count, *scalar, 0);
  return all.gather(p.shape(), places, launch.run.junk, domain());
}

bool ClusterRun::combine(const ThreadOp &op, BlockState &block) {
  const FragmentShape &from = *kernel.values[op.operands[0]];
  const FragmentShape &to = *kernel.values[op.operands[1]];
  const Placement &p = placement(op.operands[0]);
  Fragment value = block.fragments[op.operands[0]];
  const Fragment &acc = block.fragments[op.operands[1]];
  bool rows = from.rows != to.rows, cols = from.cols != to.cols;
  if (rows || cols) {
    value = replacePadding(value, p, op.maximum);
    llvm::SmallVector<int64_t, 2> dims;
    Shape shape = p.shape();
    if (rows) {
      dims.push_back(1);
      shape[1] = 1;
    }
    if (cols) {
      dims.push_back(2);
      shape[2] = 1;
    }
    Mask mask;
    if (value.poison) {
      std::vector<uint8_t> any(numElements(shape));
      Strides strides = broadcastStrides(shape, p.shape());
      forEachElement(p.shape(), strides, strides,
                     [&](int64_t i, int64_t at, int64_t) {
                       any[at] |= (*value.poison)[i];
                     });
      mask = std::make_shared<const std::vector<uint8_t>>(std::move(any));
    }
    value = {op.maximum ? domain().reduceMax(value.tile, dims)
                        : domain().reduceSum(value.tile, dims),
             mask};
  }
  TileRef total = op.maximum ? domain().max(acc.tile, value.tile)
                             : domain().add(acc.tile, value.tile);
  Fragment result{total, joined({&acc, &value}, total->shape)};
  block.fragments[op.results[0]] =
      result.isUniform() ? result : spread(result, placement(op.results[0]));
  return true;
}

bool ClusterRun::reduceThreads(const ThreadOp &op, BlockState &block) {
  const FragmentShape &type = *kernel.values[op.operands[0]];
  const Placement &p = placement(op.operands[0]);
  bool alongRow = op.dim == 1;
  if (alongRow ? p.cols != 1 : p.rows != 1)
    return fail(op, "expected one register along the reduced dimension");
  Fragment value = spread(block.fragments[op.operands[0]], p);
  // The registers that hold parts of each row (or column), in order of threads.
  int64_t keys = alongRow ? type.layout.rows : type.layout.cols;
  std::vector<Places> parts(keys);
  std::vector<uint8_t> poisoned(keys);
  Places keyOf(p.count(), -1);
  p.forEach([&](int64_t i, int64_t t, int64_t row, int64_t col) {
    int64_t key = alongRow ? row : col;
    if (key < 0)
      return;
    keyOf[i] = key;
    if (!p.active[t])
      return;
    parts[key].push_back(i);
    poisoned[key] |= value.poisonAt(i);
  });
  size_t most = 0;
  for (const Places &list : parts)
    most = std::max(most, list.size());
  int64_t count = p.count();
  ConstantValue neutral;
  if (op.maximum)
    neutral.kind = ConstantValue::Kind::NegInf;
  Store all(count + 1);
  for (int64_t i = 0; i < count; ++i)
    if (!value.poisonAt(i))
      all.set(i, *value.tile, i);
  all.set(count, *domain().constant(neutral), 0);
  Places table;
  for (Places &list : parts) {
    list.resize(most, count);
    table.insert(table.end(), list.begin(), list.end());
  }
  Fragment laid = all.gather({keys, static_cast<int64_t>(most)}, table,
                             launch.run.junk, domain());
  TileRef totals = op.maximum ? domain().reduceMax(laid.tile, {1})
                              : domain().reduceSum(laid.tile, {1});
  for (int64_t &key : keyOf)
    if (key >= 0 && poisoned[key])
      key = -1;
  block.fragments[op.results[0]] =
      gatherTile(*totals, p.shape(), keyOf, launch.run.junk, domain());

  // What shuffles leave goes through the scratch, between barriers of its own.
  int64_t slots = partialsOf(type.layout, op.dim);
  if (slots <= 1)
    return true;
  block.memory.barrier();
  const ThreadBuffer &scratch = kernel.buffers[op.buffer];
  if (scratch.rows < keys || scratch.cols < slots)
    return fail(op, "expected a scratch of " + llvm::Twine(keys) + " x " +
                        llvm::Twine(slots));
  for (bool reads : {false, true}) {
    for (int64_t key = 0; key < keys; ++key)
      for (int64_t slot = 0; slot < slots; ++slot) {
        int64_t byte = scratch.offset + byteInTile(scratch, key, slot), place;
        if (!block.memory.holds(byte, 4))
          return fail(op, "expected a scratch within shared memory");
        const char *wrong =
            reads ? block.memory.read(byte, 4, kAnyThread, place)
                  : block.memory.write(byte, 4, kAnyThread, *totals, 0,
                                       /*poison=*/true);
        if (wrong)
          return fail(op, wrong);
      }
    if (!reads)
      block.memory.barrier();
  }
  return true;
}

bool ClusterRun::multiply(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.results[0]);
  const FragmentShape &type = *kernel.values[op.results[0]];
  int64_t m = type.layout.rows, n = type.layout.cols, depth;
  Fragment left, right;
  if (op.kind == ThreadOpKind::Mma) {
    depth = kernel.buffers[op.buffer].cols;
    if (!readTile(op, block, op.buffer, op.stage, m, depth, left))
      return false;
  } else {
    // Each warp reads its own registers: the layouts have the same rows in it.
    const FragmentShape &lhs = *kernel.values[op.operands[1]];
    const Placement &from = placement(op.operands[1]);
    depth = lhs.layout.cols;
    if (lhs.rows != m || lhs.cols != depth || lhs.layout.warpsN != 1 ||
        type.layout.warpsN != 1 || lhs.layout.warpsM != type.layout.warpsM ||
        !lhs.layout.isMma)
      return fail(op, "expected a left operand whose rows lie in the same "
                      "warps as the result's");
    Fragment value = spread(block.fragments[op.operands[1]], from);
    Places places(m * depth, -1);
    from.forEach([&](int64_t i, int64_t, int64_t row, int64_t col) {
      if (row >= 0 && col >= 0 && !value.poisonAt(i))
        places[row * depth + col] = i;
    });
    left =
        gatherTile(*value.tile, {m, depth}, places, launch.run.junk, domain());
  }
  int64_t rows = op.transposeRhs ? n : depth,
          cols = op.transposeRhs ? depth : n;
  if (!readTile(op, block, op.right, op.rightStage, rows, cols, right))
    return false;
  Fragment product{
      domain().matmul(left.tile, right.tile, op.transposeRhs, {m, n}), nullptr};
  // A row or column with any undefined element has no defined product.
  std::vector<uint8_t> badRow(m), badCol(n);
  if (left.poison)
    for (int64_t i = 0; i < m * depth; ++i)
      badRow[i / depth] |= (*left.poison)[i];
  if (right.poison)
    for (int64_t i = 0; i < rows * cols; ++i)
      badCol[op.transposeRhs ? i / cols : i % cols] |= (*right.poison)[i];
  Places places(p.count());
  p.forEach([&](int64_t i, int64_t, int64_t row, int64_t col) {
    bool isBad = row < 0 || col < 0 || badRow[row] || badCol[col];
    places[i] = isBad ? -1 : row * n + col;
  });
  Fragment added =
      gatherTile(*product.tile, p.shape(), places, launch.run.junk, domain());
  const Fragment &acc = block.fragments[op.operands[0]];
  block.fragments[op.results[0]] = {domain().add(acc.tile, added.tile),
                                    joined({&acc, &added}, p.shape())};
  return true;
}
