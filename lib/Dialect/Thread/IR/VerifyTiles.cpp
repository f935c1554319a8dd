//===- VerifyTiles.cpp - Constraints on layouts, tiles and their moves ----===//

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage::thread;

namespace {
using Emit = llvm::function_ref<InFlightDiagnostic()>;

bool isTileFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

int64_t byteWidth(Type type) { return type.getIntOrFloatBitWidth() / 8; }

LogicalResult verifySizes(Emit emitError, int64_t rows, int64_t cols) {
  for (int64_t size : {rows, cols})
    if (size < 1 || size > std::numeric_limits<int32_t>::max())
      return emitError() << "expected sizes in [1, 2147483647], but got "
                         << rows << " x " << cols;
  return success();
}
} // namespace

//===----------------------------------------------------------------------===//
// Layouts and types
//===----------------------------------------------------------------------===//

/// Elements that one thread holds. Sizes below 2^31 leave room in 64 bits.
static LogicalResult verifyElements(Emit emitError, int64_t elements) {
  if (elements <= kMaxLayoutElements)
    return success();
  return emitError() << "expected at most " << kMaxLayoutElements
                     << " elements in each thread, but got " << elements;
}

LogicalResult LinearLayoutAttr::verify(Emit emitError, int64_t rows,
                                       int64_t cols, int64_t vec,
                                       int64_t threads) {
  // C1
  if (failed(verifySizes(emitError, rows, cols)))
    return failure();
  // C2
  if (vec < 1 || vec > 16 || !llvm::isPowerOf2_64(vec))
    return emitError() << "expected vec to be a power of two in [1, 16], but "
                          "got "
                       << vec;
  // C3
  if (threads < 32 || threads > 1024 || threads % 32 != 0)
    return emitError() << "expected threads to be a multiple of 32 in [32, "
                          "1024], but got "
                       << threads;
  // C4, as Distribution::get lays them out
  int64_t vectors = llvm::divideCeil(cols, vec);
  int64_t threadsPerRow = std::min(vectors, threads);
  int64_t rowsPerThread = llvm::divideCeil(rows, threads / threadsPerRow);
  int64_t colsPerThread = llvm::divideCeil(cols, threadsPerRow * vec) * vec;
  return verifyElements(emitError, rowsPerThread * colsPerThread);
}

LogicalResult MmaLayoutAttr::verify(Emit emitError, int64_t rows, int64_t cols,
                                    int64_t warpsM, int64_t warpsN) {
  // C1
  if (failed(verifySizes(emitError, rows, cols)))
    return failure();
  // C2
  if (warpsM < 1 || warpsN < 1 || warpsM > 32 || warpsN > 32 ||
      warpsM * warpsN > 32)
    return emitError() << "expected 1 to 32 warps, but got " << warpsM << " x "
                       << warpsN;
  // C3, as Distribution::get lays them out
  int64_t warpRows = llvm::alignTo(llvm::divideCeil(rows, warpsM), 16);
  int64_t warpCols = llvm::alignTo(llvm::divideCeil(cols, warpsN), 8);
  return verifyElements(emitError, warpRows / 8 * (warpCols / 8 * 2));
}

LogicalResult FragmentType::verify(Emit emitError, int64_t rows, int64_t cols,
                                   Type elementType, Attribute layout) {
  // C1
  int64_t layoutRows, layoutCols;
  if (auto linear = dyn_cast<LinearLayoutAttr>(layout)) {
    layoutRows = linear.getRows();
    layoutCols = linear.getCols();
  } else if (auto mma = dyn_cast<MmaLayoutAttr>(layout)) {
    layoutRows = mma.getRows();
    layoutCols = mma.getCols();
  } else {
    return emitError() << "expected a linear or mma layout, but got " << layout;
  }
  // C2
  if ((rows != 1 && rows != layoutRows) || (cols != 1 && cols != layoutCols))
    return emitError() << "expected sizes of 1 or the layout's " << layoutRows
                       << " x " << layoutCols << ", but got " << rows << " x "
                       << cols;
  // C3
  if (!isTileFloat(elementType) && !elementType.isF64() &&
      !elementType.isInteger(1) && !elementType.isInteger(32) &&
      !elementType.isInteger(64))
    return emitError() << "expected elements of f16, bf16, f32, f64, i1, i32 "
                          "or i64, but got "
                       << elementType;
  return success();
}

LogicalResult BufferType::verify(Emit emitError, int64_t stages, int64_t rows,
                                 int64_t cols, Type elementType,
                                 int64_t rowBytes, bool swizzle) {
  // C1
  if (stages < 1 || rows < 1 || cols < 1)
    return emitError() << "expected sizes of at least 1, but got " << stages
                       << " x " << rows << " x " << cols;
  // C2
  if (!isTileFloat(elementType))
    return emitError() << "expected elements of f16, bf16 or f32, but got "
                       << elementType;
  // C3
  int64_t width = byteWidth(elementType);
  if (rowBytes / width < cols || rowBytes % width != 0)
    return emitError() << "expected row_bytes to be a multiple of " << width
                       << " that holds " << cols << " elements, but got "
                       << rowBytes;
  // C4
  if (swizzle && (rowBytes % 16 != 0 || !llvm::isPowerOf2_64(rowBytes / 16)))
    return emitError() << "expected swizzled rows of a power of two of 16-byte "
                          "chunks, but got "
                       << rowBytes << " bytes";
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

namespace {
struct Tile {
  int64_t rows = 1, cols = 1;
};

LogicalResult verifyFragment(Operation *op, FragmentType type, bool anyFloat) {
  Type element = type.getElementType();
  if (anyFloat ? isTileFloat(element) : element.isF32())
    return success();
  return op->emitOpError("expected a fragment of ")
         << (anyFloat ? "f16, bf16 or f32" : "f32") << ", but got " << element;
}

/// The fragment, once for each block of the cluster along a sliced dim, fits.
LogicalResult verifyFits(Operation *op, FragmentType type, Tile tile,
                         int64_t sliceDim) {
  if (sliceDim < -1 || sliceDim > 1)
    return op->emitOpError("expected slice_dim to be -1, 0 or 1, but got ")
           << sliceDim;
  int64_t blocks = 1;
  if (auto kernel = op->getParentOfType<KernelOp>())
    for (int64_t size : kernel.getCluster())
      blocks *= size;
  // A size of 1 is not sliced: all blocks move the same row or column.
  Tile piece = tile;
  if (sliceDim == 0 && tile.rows != 1)
    piece.rows /= blocks;
  if (sliceDim == 1 && tile.cols != 1)
    piece.cols /= blocks;
  if (type.getRows() > piece.rows || type.getCols() > piece.cols)
    return op->emitOpError("expected a fragment of at most ")
           << piece.rows << " x " << piece.cols << " elements, but got "
           << type.getRows() << " x " << type.getCols();
  return success();
}

/// The tile of a tensor that `map`, and `fmap` over `range`, give a block.
FailureOr<Tile> verifyTile(Operation *op, RankedTensorType tensor,
                           ArrayRef<int64_t> map, int64_t fmap, int64_t range) {
  // C1
  if (map.size() != 3)
    return op->emitOpError("expected a map of 3 entries, but got ")
           << map.size();
  auto dims = llvm::to_vector(map);
  dims.push_back(fmap);
  for (int64_t dim : dims)
    if (dim < -1 || dim >= tensor.getRank())
      return op->emitOpError("expected mapped dimensions in [-1, ")
             << tensor.getRank() << "), but got " << dim;
  // C2
  if (range < 1)
    return op->emitOpError("expected a range of at least 1, but got ") << range;
  if (!tensor.hasStaticShape() || !isTileFloat(tensor.getElementType()))
    return op->emitOpError("expected a tensor of static shape, of f16, bf16 or "
                           "f32, but got ")
           << tensor;
  SmallVector<int64_t> shape(tensor.getShape());
  auto split = [&](int64_t dim, int64_t parts) -> LogicalResult {
    if (dim < 0)
      return success();
    if (shape[dim] % parts != 0 || shape[dim] < parts)
      return op->emitOpError("expected dimension ")
             << dim << " of " << tensor << " to split evenly, but got "
             << shape[dim] << " in " << parts;
    shape[dim] /= parts;
    return success();
  };
  if (auto kernel = op->getParentOfType<KernelOp>())
    for (auto [dim, blocks] : llvm::zip(map, kernel.getGrid()))
      if (failed(split(dim, blocks)))
        return failure();
  if (failed(split(fmap, range)))
    return failure();
  Tile tile;
  if (!shape.empty())
    tile.cols = shape.back();
  if (shape.size() >= 2)
    tile.rows = shape[shape.size() - 2];
  return tile;
}
} // namespace

LogicalResult CopyAsyncOp::verify() {
  // C1, C2
  auto tensor = cast<RankedTensorType>(getSource().getType());
  auto tile = verifyTile(*this, tensor, getImap(), getFmap(), getRange());
  if (failed(tile))
    return failure();
  // C3
  BufferType buffer = getTarget().getType();
  if (tile->rows > buffer.getRows() || tile->cols > buffer.getCols() ||
      tensor.getElementType() != buffer.getElementType())
    return emitOpError("expected a tile that fits ")
           << buffer << ", but got " << tile->rows << " x " << tile->cols
           << " of " << tensor.getElementType();
  // C4
  int64_t bytes = tile->cols * byteWidth(tensor.getElementType());
  if (bytes % 16 != 0 || buffer.getRowBytes() % 16 != 0)
    return emitOpError("expected rows of a multiple of 16 bytes, but got ")
           << bytes << " and " << buffer.getRowBytes();
  return success();
}

LogicalResult LoadOp::verify() {
  // C1
  if (failed(verifyFragment(*this, getResult().getType(), false)))
    return failure();
  // C2, C3
  BufferType buffer = getSource().getType();
  return verifyFits(*this, getResult().getType(),
                    {buffer.getRows(), buffer.getCols()}, getSliceDim());
}

LogicalResult LoadClusterOp::verify() {
  // C1
  if (failed(verifyFragment(*this, getResult().getType(), false)))
    return failure();
  // C4
  BufferType buffer = getSource().getType();
  if (!buffer.getElementType().isF32())
    return emitOpError("expected a buffer of f32, but got ")
           << buffer.getElementType();
  // C2, C3
  return verifyFits(*this, getResult().getType(),
                    {buffer.getRows(), buffer.getCols()}, getSliceDim());
}

LogicalResult StoreOp::verify() {
  // C1
  if (failed(verifyFragment(*this, getValue().getType(), true)))
    return failure();
  // C2
  BufferType buffer = getTarget().getType();
  return verifyFits(*this, getValue().getType(),
                    {buffer.getRows(), buffer.getCols()}, -1);
}

LogicalResult LoadGlobalOp::verify() {
  // C1, C2
  auto tile = verifyTile(*this, cast<RankedTensorType>(getSource().getType()),
                         getImap(), getFmap(), getRange());
  // C3
  if (failed(tile) ||
      failed(verifyFragment(*this, getResult().getType(), false)))
    return failure();
  // C4
  return verifyFits(*this, getResult().getType(), *tile, getSliceDim());
}

LogicalResult StoreGlobalOp::verify() {
  // C1, C2
  auto tile = verifyTile(*this, cast<RankedTensorType>(getTarget().getType()),
                         getOmap(), -1, 1);
  // C3
  if (failed(tile) || failed(verifyFragment(*this, getValue().getType(), true)))
    return failure();
  // C4
  return verifyFits(*this, getValue().getType(), *tile, getSliceDim());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult CombineOp::verify() {
  FragmentType value = getValue().getType(), acc = getAcc().getType();
  // C1
  if (value.getLayout() != acc.getLayout() || !value.getElementType().isF32() ||
      !acc.getElementType().isF32())
    return emitOpError("expected fragments of f32 in one layout, but got ")
           << value << " and " << acc;
  // C2
  if ((acc.getRows() != 1 && acc.getRows() != value.getRows()) ||
      (acc.getCols() != 1 && acc.getCols() != value.getCols()))
    return emitOpError("expected accumulator sizes of 1 or the value's ")
           << value.getRows() << " x " << value.getCols() << ", but got "
           << acc.getRows() << " x " << acc.getCols();
  return success();
}

namespace {
/// Partial results of a row (or column) that shuffles leave, as the emitter of
/// reduce_threads divides the work, and how many rows (or columns) there are.
Tile scratchTile(Attribute layout, int64_t dim) {
  if (auto mma = dyn_cast<MmaLayoutAttr>(layout))
    return dim == 1 ? Tile{mma.getRows(), mma.getWarpsN()}
                    : Tile{mma.getCols(), mma.getWarpsM()};
  auto linear = cast<LinearLayoutAttr>(layout);
  int64_t perRow = std::min<int64_t>(
      llvm::divideCeil(linear.getCols(), linear.getVec()), linear.getThreads());
  if (dim == 0)
    return {linear.getCols(), linear.getThreads() / perRow};
  if (perRow <= 32 && llvm::isPowerOf2_64(perRow))
    return {linear.getRows(), 1};
  return {linear.getRows(), perRow % 32 == 0 ? perRow / 32 : perRow};
}
} // namespace

LogicalResult ReduceThreadsOp::verify() {
  FragmentType value = getValue().getType();
  // C1
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim > 1)
    return emitOpError("expected dimension 0 or 1, but got ") << dim;
  if (failed(verifyFragment(*this, value, false)))
    return failure();
  if ((dim == 1 ? value.getCols() : value.getRows()) != 1)
    return emitOpError("expected a value of size 1 along dimension ")
           << dim << ", but got " << value.getRows() << " x "
           << value.getCols();
  // C2
  Tile needed = scratchTile(value.getLayout(), dim);
  BufferType scratch = getScratch().getType();
  if (needed.cols > 1 &&
      (scratch.getRows() < needed.rows || scratch.getCols() < needed.cols ||
       !scratch.getElementType().isF32()))
    return emitOpError("expected a scratch of ")
           << needed.rows << " x " << needed.cols << " 'f32', but got "
           << scratch.getRows() << " x " << scratch.getCols() << " "
           << scratch.getElementType();
  return success();
}

int64_t mirage::thread::layoutThreads(Attribute layout) {
  if (auto mma = dyn_cast<MmaLayoutAttr>(layout))
    return 32 * mma.getWarpsM() * mma.getWarpsN();
  return cast<LinearLayoutAttr>(layout).getThreads();
}
