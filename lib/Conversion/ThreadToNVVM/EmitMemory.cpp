//===- EmitMemory.cpp - Loads, stores and asynchronous copies -------------===//

#include "Emitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage::thread;

namespace {
/// Tile shape of a load or store, as the tensor sees it.
SmallVector<int64_t> tileShape(RankedTensorType tensor, ArrayRef<int64_t> map,
                               int64_t fmap, int64_t range,
                               ArrayRef<int64_t> grid) {
  SmallVector<int64_t> shape(tensor.getShape());
  for (unsigned g = 0; g < 3; ++g)
    if (map[g] >= 0)
      shape[map[g]] /= grid[g];
  if (fmap >= 0)
    shape[fmap] /= range;
  return shape;
}

int64_t byteWidth(Type type) { return type.getIntOrFloatBitWidth() / 8; }

/// Elements from one row of a tile to the next; columns lie side by side.
int64_t tileRowStride(RankedTensorType tensor) {
  return tensor.getRank() < 2 ? 0 : tensor.getDimSize(tensor.getRank() - 1);
}

/// Widest group of consecutive columns that a thread holds and that `bytes`
/// alignment of rows lets it move at once.
int64_t vectorWidth(const Distribution &d, bool colBroadcast, int64_t width,
                    int64_t rowBytes) {
  if (colBroadcast)
    return 1;
  int64_t vec = d.isMma ? 2 : d.vec;
  while (vec > 1 && (vec * width > 16 || rowBytes % (vec * width) != 0))
    vec /= 2;
  return vec;
}
} // namespace

void Emitter::emitCopyAsync(CopyAsyncOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  auto tensor = cast<RankedTensorType>(op.getSource().getType());
  BufferType buffer = op.getTarget().getType();
  int64_t range = op.getRange();
  int64_t fmap = static_cast<int64_t>(op.getFmap());
  int64_t width = byteWidth(tensor.getElementType());
  SmallVector<int64_t> shape =
      tileShape(tensor, op.getImap(), fmap, range, kernel.getGrid());
  int64_t cols = shape.empty() ? 1 : shape.back();
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  int64_t chunksPerRow = cols * width / 16;
  int64_t chunks = rows * chunksPerRow;
  int64_t threads = kernel.getThreads();

  Value iteration = scalars[op.getIteration()];
  Value start = tileStart(tensor, op.getImap(), fmap, op.getInterleaved(),
                          range, iteration, shape, loc);
  Value source = s.gep(scalars[op.getSource()], s.mul(start, width));
  Value base = bufferBase(op.getTarget(), scalars[op.getStage()], loc);
  // Past the last iteration nothing is read, yet the group must stay in step.
  Value bytes = s.select(s.ult(iteration, range), s.c32(16), s.c32(0));
  int64_t rowStride = tileRowStride(tensor);
  Value tid = threadId(loc);
  for (int64_t first = 0; first < chunks; first += threads) {
    Value chunk = s.add(tid, first);
    Value inRange = first + threads > chunks ? s.ult(chunk, chunks) : Value();
    emitIf(inRange, [&] {
      Value row = s.udiv(chunk, chunksPerRow);
      Value col = s.mul(s.urem(chunk, chunksPerRow), 16 / width);
      // In 64 bits: a row of a wide tensor lies past 2^31 elements.
      Value index = s.add(s.mul(s.zext64(row), rowStride), s.zext64(col));
      Value from = s.gep(source, s.mul(index, width));
      Value to = s.gep(base, bufferOffset(buffer, row, col, loc));
      NVVM::CpAsyncOp::create(b, loc, to, from, 16,
                              NVVM::LoadCacheModifierKind::CG, bytes);
    });
  }
}

void Emitter::emitLoad(LoadOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  BufferType buffer = op.getSource().getType();
  FragmentType type = op.getResult().getType();
  View v = view(type, loc);
  Value base = bufferBase(op.getSource(), scalars[op.getStage()], loc);
  Value row0 = v.row0, col0 = v.col0;
  int64_t sliceDim = static_cast<int64_t>(op.getSliceDim());
  if (sliceDim == 0 && !v.rowBroadcast)
    row0 = s.add(row0, sliceStart(buffer.getRows(), loc));
  if (sliceDim == 1 && !v.colBroadcast)
    col0 = s.add(col0, sliceStart(buffer.getCols(), loc));
  Type element = buffer.getElementType();
  int64_t width = byteWidth(element);
  int64_t vec = vectorWidth(v.d, v.colBroadcast, width, buffer.getRowBytes());
  Registers regs;
  for (int64_t r = 0; r < v.rows; ++r)
    for (int64_t c = 0; c < v.cols; c += vec) {
      // Padding rows may lie past the buffer: read the last row instead.
      Value row = s.add(row0, v.rowOffset(r));
      if (v.d.rowPadding && !v.rowBroadcast)
        row = s.select(s.ult(row, buffer.getRows()), row,
                       s.c32(buffer.getRows() - 1));
      Value col = s.add(col0, v.colOffset(c));
      if (v.d.colPadding && !v.colBroadcast)
        col = s.select(s.ult(col, buffer.getCols()), col, s.c32(0));
      Value at = s.gep(base, bufferOffset(buffer, row, col, loc));
      for (Value part : s.loadVector(element, vec, at))
        regs.push_back(s.toF32(part));
    }
  registers[op.getResult()] = regs;
}

void Emitter::emitLoadCluster(LoadClusterOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  BufferType buffer = op.getSource().getType();
  View v = view(op.getResult().getType(), loc);
  Value base = bufferBase(op.getSource(), Value(), loc);
  Value row0 = v.row0, col0 = v.col0;
  int64_t sliceDim = static_cast<int64_t>(op.getSliceDim());
  if (sliceDim == 0 && !v.rowBroadcast)
    row0 = s.add(row0, sliceStart(buffer.getRows(), loc));
  if (sliceDim == 1 && !v.colBroadcast)
    col0 = s.add(col0, sliceStart(buffer.getCols(), loc));
  int64_t vec = vectorWidth(v.d, v.colBroadcast, 4, buffer.getRowBytes());
  int64_t peers = clusterSize();
  SmallVector<Value> bases;
  for (int64_t peer = 0; peer < peers; ++peer)
    bases.push_back(NVVM::MapaOp::create(b, loc, s.ptr(7), base, s.c32(peer)));
  Registers regs;
  for (int64_t r = 0; r < v.rows; ++r)
    for (int64_t c = 0; c < v.cols; c += vec) {
      Value row = s.add(row0, v.rowOffset(r));
      if (v.d.rowPadding && !v.rowBroadcast)
        row = s.select(s.ult(row, buffer.getRows()), row,
                       s.c32(buffer.getRows() - 1));
      Value col = s.add(col0, v.colOffset(c));
      if (v.d.colPadding && !v.colBroadcast)
        col = s.select(s.ult(col, buffer.getCols()), col, s.c32(0));
      Value offset = bufferOffset(buffer, row, col, loc);
      SmallVector<Value> total;
      for (Value peerBase : bases) {
        Value pointer = s.gep(peerBase, offset);
        SmallVector<Value> part = s.loadVector(s.f32(), vec, pointer);
        if (total.empty()) {
          total = part;
          continue;
        }
        for (int64_t i = 0; i < vec; ++i)
          total[i] = op.getMaximum() ? s.fmax(total[i], part[i])
                                     : s.fadd(total[i], part[i]);
      }
      llvm::append_range(regs, total);
    }
  registers[op.getResult()] = regs;
}

void Emitter::emitStore(StoreOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  BufferType buffer = op.getTarget().getType();
  FragmentType type = op.getValue().getType();
  View v = view(type, loc);
  Value base = bufferBase(op.getTarget(), scalars[op.getStage()], loc);
  Type element = buffer.getElementType();
  int64_t width = byteWidth(element);
  int64_t vec = vectorWidth(v.d, v.colBroadcast, width, buffer.getRowBytes());
  const Registers &regs = registers[op.getValue()];
  // A value that is the same along a dim is held by all threads along it: one
  // of them writes.
  Value writer;
  auto [row, col] = origin(type.getLayout(), loc);
  if (v.rowBroadcast)
    writer = s.eq(row, 0);
  if (v.colBroadcast)
    writer = s.andi(writer, s.eq(col, 0));
  emitIf(writer, [&] {
    for (int64_t r = 0; r < v.rows; ++r)
      for (int64_t c = 0; c < v.cols; c += vec)
        emitIf(inTile(v, r, c, loc), [&] {
          Value at =
              s.gep(base, bufferOffset(buffer, s.add(v.row0, v.rowOffset(r)),
                                       s.add(v.col0, v.colOffset(c)), loc));
          s.storeVector(ArrayRef(regs).slice(r * v.cols + c, vec), element, at);
        });
  });
}

void Emitter::emitLoadGlobal(LoadGlobalOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  auto tensor = cast<RankedTensorType>(op.getSource().getType());
  FragmentType type = op.getResult().getType();
  View v = view(type, loc);
  int64_t range = op.getRange();
  int64_t fmap = static_cast<int64_t>(op.getFmap());
  SmallVector<int64_t> shape =
      tileShape(tensor, op.getImap(), fmap, range, kernel.getGrid());
  Type element = tensor.getElementType();
  int64_t width = byteWidth(element);
  Value start = tileStart(tensor, op.getImap(), fmap, op.getInterleaved(),
                          range, scalars[op.getIteration()], shape, loc);
  Value source = s.gep(scalars[op.getSource()], s.mul(start, width));
  int64_t cols = shape.empty() ? 1 : shape.back();
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  int64_t rowStride = tileRowStride(tensor);
  Value row0 = v.row0, col0 = v.col0;
  int64_t sliceDim = static_cast<int64_t>(op.getSliceDim());
  if (sliceDim == 0 && !v.rowBroadcast && rows != 1)
    row0 = s.add(row0, sliceStart(rows, loc));
  if (sliceDim == 1 && !v.colBroadcast && cols != 1)
    col0 = s.add(col0, sliceStart(cols, loc));
  int64_t rowBytes = tensor.getRank() < 2 ? cols * width : rowStride * width;
  rowBytes = std::gcd(rowBytes, cols * width);
  int64_t vec = vectorWidth(v.d, v.colBroadcast, width, rowBytes);
  Registers regs;
  for (int64_t r = 0; r < v.rows; ++r)
    for (int64_t c = 0; c < v.cols; c += vec) {
      Value row = s.add(row0, v.rowOffset(r));
      if (v.d.rowPadding && !v.rowBroadcast)
        row = s.select(s.ult(row, rows), row, s.c32(0));
      Value col = s.add(col0, v.colOffset(c));
      if (v.d.colPadding && !v.colBroadcast)
        col = s.select(s.ult(col, cols), col, s.c32(0));
      Value index = s.add(s.mul(s.zext64(row), rowStride), s.zext64(col));
      Value at = s.gep(source, s.mul(index, width));
      for (Value part : s.loadVector(element, vec, at))
        regs.push_back(s.toF32(part));
    }
  registers[op.getResult()] = regs;
}

void Emitter::emitStoreGlobal(StoreGlobalOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  auto tensor = cast<RankedTensorType>(op.getTarget().getType());
  FragmentType type = op.getValue().getType();
  View v = view(type, loc);
  ArrayRef<int64_t> grid = kernel.getGrid();
  int64_t sliceDim = static_cast<int64_t>(op.getSliceDim());
  SmallVector<int64_t> shape = tileShape(tensor, op.getOmap(), -1, 1, grid);
  Type element = tensor.getElementType();
  int64_t width = byteWidth(element);
  Value start =
      tileStart(tensor, op.getOmap(), -1, false, 1, Value(), shape, loc);
  Value target = s.gep(scalars[op.getTarget()], s.mul(start, width));
  int64_t cols = shape.empty() ? 1 : shape.back();
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  int64_t rowStride = tileRowStride(tensor);
  Value row0 = v.row0, col0 = v.col0;
  if (sliceDim == 0)
    row0 = s.add(row0, sliceStart(rows, loc));
  if (sliceDim == 1)
    col0 = s.add(col0, sliceStart(cols, loc));

  // Along an axis that does not split the output, blocks hold the same tile
  // (or, when sliced, the cluster's blocks different pieces): one writes.
  Value writer;
  for (unsigned g = 0; g < 3; ++g)
    if (op.getOmap()[g] < 0 && grid[g] > 1 &&
        !(sliceDim >= 0 && kernel.getCluster()[g] > 1))
      writer = s.andi(writer, s.eq(blockIndex(g, loc), 0));
  auto [row, col] = origin(type.getLayout(), loc);
  if (v.rowBroadcast)
    writer = s.andi(writer, s.eq(row, 0));
  if (v.colBroadcast)
    writer = s.andi(writer, s.eq(col, 0));
  int64_t rowBytes = tensor.getRank() < 2 ? cols * width : rowStride * width;
  rowBytes = std::gcd(rowBytes, cols * width);
  int64_t vec = vectorWidth(v.d, v.colBroadcast, width, rowBytes);
  const Registers &regs = registers[op.getValue()];
  emitIf(writer, [&] {
    for (int64_t r = 0; r < v.rows; ++r)
      for (int64_t c = 0; c < v.cols; c += vec)
        emitIf(inTile(v, r, c, loc), [&] {
          Value rowIndex = s.add(row0, v.rowOffset(r));
          Value colIndex = s.add(col0, v.colOffset(c));
          Value index =
              s.add(s.mul(s.zext64(rowIndex), rowStride), s.zext64(colIndex));
          Value at = s.gep(target, s.mul(index, width));
          s.storeVector(ArrayRef(regs).slice(r * v.cols + c, vec), element, at);
        });
  });
}
