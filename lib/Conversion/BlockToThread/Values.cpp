//===- Values.cpp - Tiles on demand, layouts and shared memory ------------===//

#include "BlockLowering.h"
#include "Mirage/Dialect/Common/IR/Common.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;
using semantics::OpClass;
using semantics::OpKind;

namespace {
/// Elements of a product's left operand that a thread may keep in registers
/// over a loop; packed in pairs they take half as many.
constexpr int64_t kMaxLeftRegisters = 64;
} // namespace

//===----------------------------------------------------------------------===//
// Layouts and types
//===----------------------------------------------------------------------===//

BlockLowering::Extent BlockLowering::extent(ValueId id, bool inSlice) const {
  const semantics::Shape &shape = program.type(id).shape;
  Extent e{1, 1};
  if (!shape.empty())
    e.cols = shape.back();
  if (shape.size() >= 2)
    e.rows = shape[shape.size() - 2];
  if (inSlice && sliceDim == 0 && e.rows != 1)
    e.rows /= clusterSize();
  if (inSlice && sliceDim == 1 && e.cols != 1)
    e.cols /= clusterSize();
  return e;
}

Attribute BlockLowering::linearLayout(Extent e, int64_t maxVec) {
  return chooseLinearLayout(b.getContext(), e.rows, e.cols, threads, maxVec);
}

/// Warps over the tile: along columns first (each then reads every row of lhs
/// once), and along rows where a warp would hold fewer than 16 columns or the
/// tile is tall.
Attribute BlockLowering::mmaLayout(Extent e) {
  int64_t warps = threads / 32, warpsM = 1;
  int64_t rowTiles = llvm::divideCeil(e.rows, 16);
  auto fits = [&](int64_t m) {
    int64_t n = warps / m;
    return warps % m == 0 && rowTiles % m == 0 && e.cols % (8 * n) == 0;
  };
  // Bytes that all warps read from shared memory for one step along K.
  auto traffic = [&](int64_t m) {
    return (warps / m) * rowTiles * 16 + m * e.cols;
  };
  bool found = fits(1);
  if (rowWarps && fits(warps)) {
    warpsM = warps;
    return MmaLayoutAttr::get(b.getContext(), e.rows, e.cols, warpsM, 1);
  }
  for (int64_t m = 2; m <= warps; m *= 2)
    if (fits(m) && (!found || traffic(m) < traffic(warpsM))) {
      warpsM = m;
      found = true;
    }
  if (!found) // padding: every warp takes whole 8-column pieces
    warpsM = 1;
  return MmaLayoutAttr::get(b.getContext(), e.rows, e.cols, warpsM,
                            warps / warpsM);
}

FragmentType BlockLowering::fragment(Extent e, Type element, Attribute layout) {
  return FragmentType::get(b.getContext(), e.rows, e.cols, element, layout);
}

Type BlockLowering::elementType(semantics::DType dtype) {
  return fromSemantics(b.getContext(), dtype);
}

BufferType BlockLowering::ringType(const semantics::TensorType &tile,
                                   int64_t stages, bool forMma) {
  int64_t cols = tile.shape.back();
  int64_t rows = tile.shape.size() < 2 ? 1 : tile.shape[tile.shape.size() - 2];
  // ldmatrix reads whole 16-row pieces; rows past the tile only reach rows of
  // the product that nothing stores.
  if (forMma)
    rows = llvm::alignTo(rows, 16);
  int64_t rowBytes = cols * semantics::byteWidth(tile.dtype);
  bool swizzle = forMma && llvm::isPowerOf2_64(rowBytes / 16);
  // Without a power of two of chunks, one spare chunk a row does the same.
  if (forMma && !swizzle && (rowBytes / 16) % 2 == 0)
    rowBytes += 16;
  return BufferType::get(b.getContext(), stages, rows, cols,
                         elementType(tile.dtype), rowBytes, swizzle);
}

BufferType BlockLowering::f32Buffer(Extent e) {
  // Eight spare words put the rows of an accumulator fragment's store (8 rows,
  // 8 bytes a lane) in different banks.
  int64_t rowBytes = e.cols == 1 ? 4 : (e.cols + (e.rows == 1 ? 0 : 8)) * 4;
  return BufferType::get(b.getContext(), 1, e.rows, e.cols, b.getF32Type(),
                         rowBytes, false);
}

Value BlockLowering::alloc(BufferType type) {
  int64_t offset = sharedTop;
  sharedTop += llvm::alignTo(type.getStages() * type.getStageBytes(), 1024);
  sharedMax = std::max(sharedMax, sharedTop);
  return AllocOp::create(b, loc, type, offset);
}

Value BlockLowering::index(int64_t value) {
  return IndexOp::create(b, loc, b.getI32Type(), value);
}

void BlockLowering::barrier() { BarrierOp::create(b, loc); }

/// A product's own layout where the value comes from one of its shape through
/// elementwise ops; else rows of vectors.
Attribute BlockLowering::naturalLayout(ValueId id, bool inSlice) {
  Extent e = extent(id, inSlice);
  if (currentLoop && !inSlice) {
    SmallVector<ValueId> work{id};
    while (!work.empty()) {
      ValueId next = work.pop_back_val();
      const semantics::Op *op = definitions.lookup(next);
      if (!op)
        continue;
      Extent at = extent(next, false);
      if (op->kind == OpKind::Matmul) {
        if (at.rows == e.rows && at.cols == e.cols)
          return mmaLayout(e);
        continue;
      }
      OpClass kind = semantics::opClass(op->kind);
      if (kind <= OpClass::Select)
        for (ValueId operand : op->operands)
          work.push_back(operand);
    }
  }
  return linearLayout(e);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Expected<Value> BlockLowering::emit(ValueId id, Attribute layout,
                                          bool inSlice) {
  for (const CacheEntry &entry : cache)
    if (entry.id == id && entry.layout == layout && entry.sliced == inSlice)
      return entry.fragment;
  auto value = emitUncached(id, layout, inSlice);
  if (value)
    cache.push_back({id, layout, inSlice, *value});
  return value;
}

llvm::Expected<Value> BlockLowering::emitUncached(ValueId id, Attribute layout,
                                                  bool inSlice) {
  Extent e = extent(id, inSlice);
  FragmentType type = fragment(e, b.getF32Type(), layout);
  auto source = held.find(id);
  if (source != held.end()) {
    Value result =
        LoadOp::create(b, loc, type, source->second.buffer,
                       source->second.stage, inSlice ? sliceDim : -1);
    return result;
  }
  const semantics::Op *op = definitions.lookup(id);
  if (op && inSlice && sliceDim >= 0 && !isSliced(id) &&
      (op->kind == OpKind::Reduce || op->kind == OpKind::Iota ||
       op->kind == OpKind::Reshape))
    return emitSliceOfWhole(id, layout);
  assert(op && "a tile that no op of the block graph defines");
  switch (op->kind) {
  case OpKind::Load: {
    const semantics::Attrs &a = op->attrs;
    SmallVector<int64_t> imap(a.imap.begin(), a.imap.end());
    if (!waited) {
      GridDependencyWaitOp::create(b, loc);
      waited = true;
    }
    Value result = LoadGlobalOp::create(
        b, loc, type, tensors[op->operands[0]],
        iteration ? iteration : index(0), imap, static_cast<uint64_t>(a.fmap),
        a.interleaved, currentLoop ? currentLoop->attrs.range : 1,
        inSlice ? sliceDim : -1);
    return result;
  }
  case OpKind::ReduceBlocks: {
    ValueId operand = op->operands[0];
    if (graph.attrs.grid[op->attrs.gridDim] == 1)
      return emit(operand, layout, inSlice);
    Value result = LoadClusterOp::create(
        b, loc, type, held[operand].buffer, inSlice ? sliceDim : -1,
        op->attrs.reduce == semantics::ReduceKind::Max);
    return result;
  }
  case OpKind::Running: {
    unsigned i = op->attrs.accumulator;
    Value state = states[i];
    if (op->attrs.current) {
      const semantics::Accumulator &acc = currentLoop->attrs.accumulators[i];
      auto next = updateAccumulator(*currentLoop, i,
                                    naturalLayout(acc.value, false), true);
      if (!next)
        return next;
      state = *next;
    }
    return toLayout(state, layout, -1);
  }
  case OpKind::Matmul: {
    Attribute mma = mmaLayout(extent(id, false));
    Value zero = SplatOp::create(
        b, loc, fragment(extent(id, false), b.getF32Type(), mma),
        b.getF64FloatAttr(0.0));
    auto product = emitMatmul(*op, zero);
    if (!product)
      return product;
    return toLayout(*product, layout, inSlice ? sliceDim : -1);
  }
  case OpKind::Reduce:
    return emitReduce(*op, layout, inSlice);
  default:
    return emitCompute(*op, layout, inSlice);
  }
}

/// A reduction over the slice alone would miss the rest, and an index would
/// count from the slice's start: take the piece of the whole value.
llvm::Expected<Value> BlockLowering::emitSliceOfWhole(ValueId id,
                                                      Attribute layout) {
  auto whole = emit(id, naturalLayout(id, false), false);
  if (!whole)
    return whole;
  return toLayout(*whole, layout, sliceDim);
}

llvm::Expected<Value> BlockLowering::emitCompute(const semantics::Op &op,
                                                 Attribute layout,
                                                 bool inSlice) {
  ValueId id = op.results[0];
  semantics::DType dtype = program.type(id).dtype;
  // Registers hold f32 whatever the tile's type; a cast rounds.
  Type element = dtype == semantics::DType::I1 ? Type(b.getI1Type())
                                               : Type(b.getF32Type());
  FragmentType type = fragment(extent(id, inSlice), element, layout);
  if (op.kind == OpKind::Constant) {
    Value result = SplatOp::create(
        b, loc, type, b.getF64FloatAttr(op.attrs.constant.toDouble()));
    return result;
  }
  if (op.kind == OpKind::Iota) {
    int64_t rank = program.type(id).rank();
    Value result =
        IotaOp::create(b, loc, type, op.attrs.dims[0] == rank - 1 ? 1 : 0);
    return result;
  }
  if (op.kind == OpKind::Broadcast || op.kind == OpKind::Reshape) {
    // Sizes of 1 come and go freely; a broadcast is a choice of registers.
    Extent from = extent(op.operands[0], inSlice), to = extent(id, inSlice);
    if (op.kind == OpKind::Reshape &&
        (from.rows != to.rows || from.cols != to.cols))
      return error(
          "reshape: expected a tile of unchanged rows and columns, but "
          "got " +
          semantics::toString(program.type(op.operands[0])) + " to " +
          semantics::toString(program.type(id)));
    auto operand = emit(op.operands[0], layout, inSlice);
    if (!operand || op.kind == OpKind::Reshape)
      return operand;
    // A product with 1 keeps every value, -0 included, which a sum with 0 does
    // not.
    Value one = SplatOp::create(b, loc, type, b.getF64FloatAttr(1.0));
    Value result = map("mul", type, {*operand, one});
    return result;
  }
  if (semantics::opClass(op.kind) > OpClass::Select)
    return error("'" + semantics::mnemonic(op.kind) +
                 "' has no lowering inside a block graph");
  SmallVector<Value> operands;
  for (ValueId operand : op.operands) {
    auto value = emit(operand, layout, inSlice);
    if (!value)
      return value;
    operands.push_back(*value);
  }
  if (op.kind == OpKind::Cast)
    type = fragment(extent(id, inSlice), elementType(dtype), layout);
  return map(semantics::mnemonic(op.kind), type, operands, op.attrs);
}

llvm::Expected<Value> BlockLowering::emitReduce(const semantics::Op &op,
                                                Attribute layout,
                                                bool inSlice) {
  ValueId operand = op.operands[0];
  Extent from = extent(operand, inSlice);
  int64_t rank = program.type(operand).rank();
  bool maximum = op.attrs.reduce == semantics::ReduceKind::Max;
  // Reduce in the layout that is asked for where it is one of the operand's
  // shape, so that a softmax stays in one set of registers.
  Distribution wanted = Distribution::get(layout);
  Attribute at = wanted.rows == from.rows && wanted.cols == from.cols
                     ? layout
                     : naturalLayout(operand, inSlice);
  auto value = emit(operand, at, inSlice);
  if (!value)
    return value;
  Value total = *value;
  double count = 1;
  for (int64_t dim : op.attrs.dims) {
    count *= program.type(operand).shape[dim];
    if (program.type(operand).shape[dim] == 1)
      continue; // padding lanes repeat it: adding over it would count them
    FragmentType type = cast<FragmentType>(total.getType());
    Extent to{type.getRows(), type.getCols()};
    int64_t axis = dim == rank - 1 ? 1 : 0;
    (axis == 1 ? to.cols : to.rows) = 1;
    FragmentType reduced = fragment(to, b.getF32Type(), at);
    Value neutral = SplatOp::create(
        b, loc, reduced,
        b.getF64FloatAttr(maximum ? -std::numeric_limits<double>::infinity()
                                  : 0.0));
    Value part = CombineOp::create(b, loc, reduced, total, neutral, maximum);
    total = reduceThreads(part, axis, maximum);
  }
  if (op.attrs.reduce == semantics::ReduceKind::Mean) {
    Value inverse = SplatOp::create(b, loc, cast<FragmentType>(total.getType()),
                                    b.getF64FloatAttr(1.0 / count));
    total = map("mul", cast<FragmentType>(total.getType()), {total, inverse});
  }
  return toLayout(total, layout, -1);
}

Value BlockLowering::reduceThreads(Value value, int64_t dim, bool maximum) {
  auto type = cast<FragmentType>(value.getType());
  Distribution d = Distribution::get(type.getLayout());
  int64_t count = dim == 1 ? d.rows : d.cols;
  // Slots: at most one for each thread that shares the row or column.
  int64_t slots = d.isMma ? (dim == 1 ? d.warpsN : d.warpsM)
                  : dim == 1
                      ? (d.threadsPerRow > 32 && d.threadsPerRow % 32 == 0
                             ? d.threadsPerRow / 32
                             : d.threadsPerRow)
                      : d.threads / d.threadsPerRow;
  auto scratch = BufferType::get(b.getContext(), 1, count, slots,
                                 b.getF32Type(), slots * 4, false);
  Value buffer = alloc(scratch);
  return ReduceThreadsOp::create(b, loc, type, value, buffer, dim, maximum);
}

Value BlockLowering::map(StringRef kind, FragmentType type,
                         ArrayRef<Value> operands,
                         const semantics::Attrs &attrs) {
  return MapOp::create(b, loc, type, kind, operands, llvm::APFloat(attrs.lo),
                       llvm::APFloat(attrs.hi),
                       static_cast<uint64_t>(attrs.predicate));
}

/// Through shared memory, unless the registers are the right ones already.
Value BlockLowering::toLayout(Value value, Attribute layout, int slice) {
  auto type = cast<FragmentType>(value.getType());
  if (type.getLayout() == layout && slice < 0)
    return value;
  Extent e{type.getRows(), type.getCols()};
  auto from = dyn_cast<MmaLayoutAttr>(type.getLayout());
  auto to = dyn_cast<MmaLayoutAttr>(layout);
  if (slice < 0 && from && to && e.cols == 1 && from.getCols() != 1 &&
      from.getRows() == to.getRows() && from.getWarpsM() == to.getWarpsM() &&
      from.getWarpsN() == to.getWarpsN())
    return RelayoutOp::create(
        b, loc, fragment(e, type.getElementType(), layout), value);
  Value buffer = alloc(f32Buffer(e));
  StoreOp::create(b, loc, value, buffer, index(0));
  barrier();
  if (slice == 0 && e.rows != 1)
    e.rows /= clusterSize();
  if (slice == 1 && e.cols != 1)
    e.cols /= clusterSize();
  return LoadOp::create(b, loc, fragment(e, b.getF32Type(), layout), buffer,
                        index(0), slice);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

llvm::Expected<BlockLowering::Held>
BlockLowering::hold(ValueId id, Type element, bool forMma) {
  auto done = held.find(id);
  if (done != held.end() &&
      cast<BufferType>(done->second.buffer.getType()).getElementType() ==
          element)
    return done->second;
  const semantics::TensorType &tile = program.type(id);
  semantics::TensorType stored = tile;
  stored.dtype = element.isBF16()  ? semantics::DType::BF16
                 : element.isF16() ? semantics::DType::F16
                                   : semantics::DType::F32;
  auto value = emit(id, naturalLayout(id, false), false);
  if (!value)
    return value.takeError();
  Value buffer = alloc(ringType(stored, 1, forMma));
  StoreOp::create(b, loc, *value, buffer, index(0));
  barrier();
  Held result{buffer, index(0)};
  // The rounded copy stands for the value only where the value has that type.
  if (tile.dtype == stored.dtype)
    held[id] = result;
  return result;
}

Attribute BlockLowering::leftRegisters(const semantics::Op &matmul) {
  ValueId lhs = matmul.operands[0];
  if (!rowWarps || held.count(lhs))
    return {};
  Extent e = extent(lhs, false);
  auto layout = cast<MmaLayoutAttr>(mmaLayout(e));
  auto product =
      cast<MmaLayoutAttr>(mmaLayout(extent(matmul.results[0], false)));
  if (layout.getWarpsN() != 1 || product.getWarpsN() != 1 ||
      numRegisters(fragment(e, b.getF32Type(), layout)) > kMaxLeftRegisters)
    return {};
  return layout;
}

llvm::Expected<Value> BlockLowering::emitMatmul(const semantics::Op &op,
                                                Value acc) {
  const semantics::TensorType &lhs = program.type(op.operands[0]);
  int64_t depth = lhs.shape.back();
  if (depth % 16 != 0)
    return error(
        "matmul: expected a contracted size that 16 divides, but got " +
        llvm::Twine(depth));
  if (extent(op.results[0], false).cols % 8 != 0)
    return error(
        "matmul: expected a number of columns that 8 divides, but got " +
        llvm::Twine(extent(op.results[0], false).cols));
  Type element = elementType(lhs.dtype);
  auto right = hold(op.operands[1], element, true);
  if (!right)
    return right.takeError();
  if (Attribute layout = leftRegisters(op)) {
    auto left = emit(op.operands[0], layout, false);
    if (!left)
      return left;
    // Registers hold f32; the type says what they were rounded to.
    if (cast<FragmentType>(left->getType()).getElementType() != element)
      *left =
          map("cast", fragment(extent(op.operands[0], false), element, layout),
              {*left});
    Value result =
        MmaRegisterOp::create(b, loc, acc.getType(), *left, right->buffer,
                              right->stage, acc, op.attrs.transposeRhs);
    return result;
  }
  auto left = hold(op.operands[0], element, true);
  if (!left)
    return left.takeError();
  Value result =
      MmaOp::create(b, loc, acc.getType(), left->buffer, left->stage,
                    right->buffer, right->stage, acc, op.attrs.transposeRhs);
  return result;
}
