//===- ThreadMoves.cpp - What threads read and write ----------------------===//

#include "ThreadCluster.h"
#include "llvm/ADT/Twine.h"

using namespace mirage::semantics;
using namespace mirage::verify;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::optional<int64_t> ClusterRun::tileBase(const ThreadOp &op, int buffer,
                                            int stage) {
  const ThreadBuffer &b = kernel.buffers[buffer];
  int64_t number = stage < 0 ? 0 : scalars[stage];
  if (number < 0 || number >= b.stages) {
    fail(op, "expected a stage below " + llvm::Twine(b.stages) + ", but got " +
                 llvm::Twine(number));
    return std::nullopt;
  }
  return b.offset + number * stageBytes(b);
}

std::pair<int64_t, int64_t>
ClusterRun::sliceStart(const ThreadOp &op, const BlockState &block,
                       const Placement &p, int64_t rows, int64_t cols) const {
  int64_t peers = blocks.size();
  return {op.sliceDim == 0 && !p.sameRow ? block.rank * (rows / peers) : 0,
          op.sliceDim == 1 && !p.sameCol ? block.rank * (cols / peers) : 0};
}

/// Whether the buffer's tile has the element; elements never lie outside of
/// shared memory, as the launch has checked.
static bool has(const ThreadBuffer &buffer, int64_t row, int64_t col) {
  return row < buffer.rows && col < buffer.cols;
}

bool ClusterRun::readTile(const ThreadOp &op, BlockState &block, int buffer,
                          int stage, int64_t rows, int64_t cols,
                          Fragment &result) {
  const ThreadBuffer &b = kernel.buffers[buffer];
  std::optional<int64_t> base = tileBase(op, buffer, stage);
  if (!base)
    return false;
  int64_t width = byteWidth(b.dtype);
  Places places(rows * cols, -1);
  // A product's tile may have rows past the buffer, which are padding.
  for (int64_t row = 0; row < std::min(rows, b.rows); ++row)
    for (int64_t col = 0; col < std::min(cols, b.cols); ++col)
      if (const char *wrong =
              block.memory.read(*base + byteInTile(b, row, col), width,
                                kAnyThread, places[row * cols + col]))
        return fail(op, wrong);
  result = block.memory.elements().gather({rows, cols}, places, launch.run.junk,
                                          domain());
  return true;
}

bool ClusterRun::copyAsync(const ThreadOp &op, BlockState &block) {
  const ThreadBuffer &b = kernel.buffers[op.buffer];
  std::optional<int64_t> base = tileBase(op, op.buffer, op.stage);
  if (!base || !mayRead(op, op.tensors[0]))
    return false;
  int64_t iteration = scalars[op.iteration], width = byteWidth(b.dtype);
  // Past the last iteration the copy brings nothing that is defined.
  bool reads = iteration >= 0 && iteration < op.range;
  std::optional<TensorTile> tile =
      tensorTile(op, block, reads ? iteration : int64_t(0));
  if (!tile)
    return false;
  if (tile->rows > b.rows || tile->cols > b.cols ||
      kernel.arguments[op.tensors[0]].dtype != b.dtype)
    return fail(op, "expected a tile that fits the buffer");
  const Store &source = *launch.tensors[op.tensors[0]]->store;
  Places places(tile->rows * tile->cols);
  for (int64_t row = 0; row < tile->rows; ++row)
    for (int64_t col = 0; col < tile->cols; ++col)
      places[row * tile->cols + col] =
          tile->start + row * tile->rowStride + col;
  Fragment read = source.gather({tile->rows, tile->cols}, places,
                                launch.run.junk, domain());
  for (int64_t i = 0; i < static_cast<int64_t>(places.size()); ++i) {
    int64_t byte = *base + byteInTile(b, i / tile->cols, i % tile->cols);
    bool defined = reads && !read.poisonAt(i);
    if (const char *wrong = block.memory.copy(
            byte, width, defined ? read.tile.get() : nullptr, i))
      return fail(op, wrong);
  }
  return true;
}

bool ClusterRun::load(const ThreadOp &op, BlockState &block) {
  const ThreadBuffer &b = kernel.buffers[op.buffer];
  const Placement &p = placement(op.results[0]);
  std::optional<int64_t> base = tileBase(op, op.buffer, op.stage);
  if (!base)
    return false;
  auto [row0, col0] = sliceStart(op, block, p, b.rows, b.cols);
  int64_t width = byteWidth(b.dtype);
  Places places(p.count(), -1);
  const char *wrong = nullptr;
  p.forEach([&](int64_t i, int64_t t, int64_t row, int64_t col) {
    if (wrong || row < 0 || col < 0)
      return;
    row += row0;
    col += col0;
    wrong = !has(b, row, col)
                ? "expected elements of the buffer, but got one outside"
                : block.memory.read(*base + byteInTile(b, row, col), width, t,
                                    places[i]);
  });
  if (wrong)
    return fail(op, wrong);
  block.fragments[op.results[0]] = block.memory.elements().gather(
      p.shape(), places, launch.run.junk, domain());
  return true;
}

bool ClusterRun::loadCluster(const ThreadOp &op, BlockState &block) {
  const ThreadBuffer &b = kernel.buffers[op.buffer];
  const Placement &p = placement(op.results[0]);
  auto [row0, col0] = sliceStart(op, block, p, b.rows, b.cols);
  std::optional<Fragment> total;
  for (BlockState &peer : blocks) {
    Places places(p.count(), -1);
    const char *wrong = nullptr;
    p.forEach([&](int64_t i, int64_t, int64_t row, int64_t col) {
      if (wrong || row < 0 || col < 0)
        return;
      row += row0;
      col += col0;
      wrong = !has(b, row, col)
                  ? "expected elements of the buffer, but got one outside"
                  : peer.memory.readByPeer(b.offset + byteInTile(b, row, col),
                                           byteWidth(b.dtype), places[i]);
    });
    if (wrong)
      return fail(op, wrong);
    Fragment part = peer.memory.elements().gather(p.shape(), places,
                                                  launch.run.junk, domain());
    if (!total) {
      total = part;
      continue;
    }
    total->tile = op.maximum ? domain().max(total->tile, part.tile)
                             : domain().add(total->tile, part.tile);
    if (!part.poison)
      continue;
    std::vector<uint8_t> mask = *part.poison;
    for (size_t i = 0; i < mask.size(); ++i)
      mask[i] |= total->poisonAt(i);
    total->poison = std::make_shared<const std::vector<uint8_t>>(mask);
  }
  block.fragments[op.results[0]] = *total;
  return true;
}

bool ClusterRun::store(const ThreadOp &op, BlockState &block) {
  const ThreadBuffer &b = kernel.buffers[op.buffer];
  const Placement &p = placement(op.operands[0]);
  const Fragment &value = block.fragments[op.operands[0]];
  std::optional<int64_t> base = tileBase(op, op.buffer, op.stage);
  if (!base)
    return false;
  const char *wrong = nullptr;
  p.forEach([&](int64_t i, int64_t t, int64_t row, int64_t col) {
    if (wrong || row < 0 || col < 0 || !p.writes[t])
      return;
    wrong =
        !has(b, row, col)
            ? "expected elements of the buffer, but got one outside"
            : block.memory.write(*base + byteInTile(b, row, col),
                                 byteWidth(b.dtype), t, *value.tile,
                                 value.isUniform() ? 0 : i, value.poisonAt(i));
  });
  return !wrong || fail(op, wrong);
}

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

bool ClusterRun::mayRead(const ThreadOp &op, int tensor) {
  if (tensor >= static_cast<int>(kernel.numInputs))
    return fail(op, "expected to read an input of the kernel");
  if (!waited && !llvm::is_contained(kernel.constantInputs, tensor))
    return fail(op, "expected grid_dependency_wait before a read of what an "
                    "earlier kernel may write");
  return true;
}

std::optional<ClusterRun::TensorTile>
ClusterRun::tensorTile(const ThreadOp &op, const BlockState &block,
                       int64_t iteration) {
  const Shape &tensor = kernel.arguments[op.tensors[0]].shape;
  Strides strides = rowMajor(tensor);
  TensorTile tile;
  int64_t rank = tensor.size();
  for (int64_t d = 0; d < rank; ++d) {
    // Row-major over the grid axes that split the dim, x first.
    int64_t part = 0, parts = 1, range = op.fmap == d ? op.range : 1;
    int64_t step = op.fmap == d ? iteration : 0;
    for (int g = 0; g < 3; ++g)
      if (op.map[g] == d) {
        part = part * kernel.grid[g] + block.at[g];
        parts *= kernel.grid[g];
      }
    int64_t size = tensor[d] / (parts * range);
    if (size * parts * range != tensor[d])
      return fail(op,
                  "expected dimension " + llvm::Twine(d) + " to split evenly"),
             std::nullopt;
    int64_t piece = op.interleaved ? step * parts + part : part * range + step;
    if (step < 0 || step >= range || piece * size >= tensor[d])
      return fail(op,
                  "expected a tile in bounds of dimension " + llvm::Twine(d)),
             std::nullopt;
    tile.start += piece * size * strides[d];
    if (d == rank - 1)
      tile.cols = size;
    else if (d == rank - 2)
      tile.rows = size;
    else if (size != 1)
      return fail(op, "expected a tile of two dimensions"), std::nullopt;
  }
  if (rank >= 2)
    tile.rowStride = strides[rank - 2];
  return tile;
}

bool ClusterRun::loadGlobal(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.results[0]);
  if (!mayRead(op, op.tensors[0]))
    return false;
  std::optional<TensorTile> tile = tensorTile(op, block, scalars[op.iteration]);
  if (!tile)
    return false;
  auto [row0, col0] = sliceStart(op, block, p, tile->rows, tile->cols);
  Places places(p.count(), -1);
  bool outside = false;
  p.forEach([&](int64_t i, int64_t, int64_t row, int64_t col) {
    if (row < 0 || col < 0)
      return;
    // A tile of one row or column is the same for every block's slice.
    row += tile->rows == 1 ? 0 : row0;
    col += tile->cols == 1 ? 0 : col0;
    if (row >= tile->rows || col >= tile->cols)
      outside = true;
    else
      places[i] = tile->start + row * tile->rowStride + col;
  });
  if (outside)
    return fail(op, "expected elements of the tile, but got one outside");
  block.fragments[op.results[0]] = launch.tensors[op.tensors[0]]->store->gather(
      p.shape(), places, launch.run.junk, domain());
  return true;
}

bool ClusterRun::writeTensor(const ThreadOp &op, int tensor, int64_t place,
                             const Fragment &value, int64_t i) {
  DeviceTensor &target = *launch.tensors[tensor];
  int64_t from = value.isUniform() ? 0 : i;
  if (value.poisonAt(i))
    return fail(op, "an undefined value is written to element " +
                        llvm::Twine(place) + " of argument " +
                        llvm::Twine(tensor));
  if (!target.written[place]) {
    target.written[place] = 1;
    target.store->set(place, *value.tile, from);
    return true;
  }
  return target.store->equals(place, *value.tile, from) ||
         fail(op, "two values are written to element " + llvm::Twine(place) +
                      " of argument " + llvm::Twine(tensor));
}

bool ClusterRun::storeGlobal(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.operands[0]);
  int tensor = op.tensors[0];
  if (!waited)
    return fail(op, "expected grid_dependency_wait before a write");
  if (tensor < static_cast<int>(kernel.numInputs))
    return fail(op, "expected to write an output of the kernel");
  std::optional<TensorTile> tile = tensorTile(op, block, 0);
  if (!tile)
    return false;
  auto [row0, col0] = sliceStart(op, block, p, tile->rows, tile->cols);
  const Fragment &value = block.fragments[op.operands[0]];
  std::lock_guard<std::mutex> guard(launch.lock);
  bool good = true;
  p.forEach([&, row0 = row0, col0 = col0](int64_t i, int64_t t, int64_t row,
                                          int64_t col) {
    if (!good || row < 0 || col < 0 || !p.writes[t])
      return;
    row += row0;
    col += col0;
    good =
        row < tile->rows && col < tile->cols
            ? writeTensor(op, tensor, tile->start + row * tile->rowStride + col,
                          value, i)
            : fail(op, "expected elements of the tile, but got one outside");
  });
  return good;
}

//===----------------------------------------------------------------------===//
// Indexed access
//===----------------------------------------------------------------------===//

int64_t mirage::verify::placeInSpace(int64_t n, const Shape &space,
                                     llvm::ArrayRef<int64_t> strides,
                                     int64_t offset) {
  for (size_t d = space.size(); d-- > 0;) {
    offset += n % space[d] * strides[d];
    n /= space[d];
  }
  return offset;
}

/// For each register of block x, its element's index in the space, or -1.
static std::vector<int64_t> spaceIndices(const Placement &p,
                                         const ThreadLayout &layout,
                                         int64_t block, int64_t total) {
  std::vector<int64_t> indices(p.count());
  p.forEach([&](int64_t i, int64_t, int64_t row, int64_t col) {
    // A fragment of one element for all threads stands for the block's.
    int64_t n = p.sameCol ? block : block * layout.cols + col;
    bool inside = row >= 0 && (p.sameCol || col >= 0) && n < total;
    indices[i] = inside ? n : -1;
  });
  return indices;
}

bool ClusterRun::loadIndexed(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.results[0]);
  const ThreadLayout &layout = kernel.values[op.results[0]]->layout;
  if (!mayRead(op, op.tensors[0]))
    return false;
  if (op.indices >= 0)
    return fail(op, "indices that a tensor holds are not modelled",
                FailureKind::CannotTell);
  const Store &source = *launch.tensors[op.tensors[0]]->store;
  Places places = spaceIndices(p, layout, block.at[0], numElements(op.space));
  for (int64_t &place : places) {
    if (place < 0)
      continue;
    place = placeInSpace(place, op.space, op.strides, op.offset);
    if (place < 0 || place >= source.size())
      return fail(op, "expected an element of the tensor, but got place " +
                          llvm::Twine(place) + " of " +
                          llvm::Twine(source.size()));
  }
  block.fragments[op.results[0]] =
      source.gather(p.shape(), places, launch.run.junk, domain());
  return true;
}

bool ClusterRun::iotaIndexed(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.results[0]);
  const ThreadLayout &layout = kernel.values[op.results[0]]->layout;
  Places places = spaceIndices(p, layout, block.at[0], numElements(op.space));
  Shape strides(op.space.size(), 0);
  strides[op.dim] = 1;
  for (int64_t &place : places)
    if (place >= 0)
      place = placeInSpace(place, op.space, strides, 0);
  block.fragments[op.results[0]] =
      gatherTile(*domain().iota({op.space[op.dim]}, 0), p.shape(), places,
                 launch.run.junk, domain());
  return true;
}

bool ClusterRun::reduceIndexed(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.results[0]);
  const ThreadLayout &layout = kernel.values[op.results[0]]->layout;
  Places indices = spaceIndices(p, layout, block.at[0], numElements(op.space));
  int64_t terms = numElements(op.reduceSpace), threads = kernel.threads;
  // Alone, a thread combines all terms; together, every threads-th.
  int64_t width = op.cooperative ? (terms + threads - 1) / threads : terms;
  int64_t dims = op.space.size(), reduced = op.reduceSpace.size();
  Shape table{p.count(), width};
  std::optional<Fragment> product;
  bool ragged = false;
  for (size_t s = 0; s < op.tensors.size(); ++s) {
    if (!mayRead(op, op.tensors[s]))
      return false;
    const Store &source = *launch.tensors[op.tensors[s]]->store;
    llvm::ArrayRef<int64_t> strides(op.strides), over(op.reduceStrides);
    Places places(p.count() * width, -1);
    for (int64_t i = 0; i < p.count(); ++i)
      for (int64_t w = 0; w < width; ++w) {
        int64_t term = op.cooperative ? i % threads + w * threads : w;
        ragged |= term >= terms;
        if (indices[i] < 0 || term >= terms)
          continue;
        int64_t place = placeInSpace(indices[i], op.space,
                                     strides.slice(s * dims, dims), 0) +
                        placeInSpace(term, op.reduceSpace,
                                     over.slice(s * reduced, reduced), 0);
        if (place < 0 || place >= source.size())
          return fail(op, "expected an element of the tensor, but got place " +
                              llvm::Twine(place) + " of " +
                              llvm::Twine(source.size()));
        places[i * width + w] = place;
      }
    Fragment part = source.gather(table, places, launch.run.junk, domain());
    if (!product)
      product = part;
    else {
      std::vector<uint8_t> mask(places.size());
      for (size_t i = 0; i < mask.size(); ++i)
        mask[i] = product->poisonAt(i) || part.poisonAt(i);
      product = Fragment{
          domain().mul(product->tile, part.tile),
          std::make_shared<const std::vector<uint8_t>>(std::move(mask))};
    }
  }
  if (ragged) {
    // Terms past the end count as nothing.
    ConstantValue neutral;
    if (op.maximum)
      neutral.kind = ConstantValue::Kind::NegInf;
    int64_t count = p.count() * width;
    Store all(count + 1);
    Places places(count);
    for (int64_t i = 0; i < count; ++i) {
      int64_t term = i / width % threads + i % width * threads;
      places[i] = term >= terms ? count : i;
      if (!product->poisonAt(i))
        all.set(i, *product->tile, i);
    }
    all.set(count, *domain().constant(neutral), 0);
    product = all.gather(table, places, launch.run.junk, domain());
  }
  TileRef sums = op.maximum ? domain().reduceMax(product->tile, {1})
                            : domain().reduceSum(product->tile, {1});
  Places places(p.count());
  for (int64_t i = 0; i < p.count(); ++i) {
    places[i] = i;
    for (int64_t w = 0; w < width; ++w)
      if (product->poisonAt(i * width + w))
        places[i] = -1;
  }
  block.fragments[op.results[0]] =
      gatherTile(*sums, p.shape(), places, launch.run.junk, domain());
  return true;
}

bool ClusterRun::storeIndexed(const ThreadOp &op, BlockState &block) {
  const Placement &p = placement(op.operands[0]);
  const ThreadLayout &layout = kernel.values[op.operands[0]]->layout;
  int tensor = op.tensors[0];
  if (!waited)
    return fail(op, "expected grid_dependency_wait before a write");
  if (tensor < static_cast<int>(kernel.numInputs))
    return fail(op, "expected to write an output of the kernel");
  Places indices = spaceIndices(p, layout, block.at[0], numElements(op.space));
  const Fragment &value = block.fragments[op.operands[0]];
  int64_t size = kernel.arguments[tensor].numElements();
  std::lock_guard<std::mutex> guard(launch.lock);
  for (int64_t i = 0; i < p.count(); ++i) {
    // A value that all threads hold is written by one of them.
    if (indices[i] < 0 || (p.sameCol && i != 0))
      continue;
    int64_t place = placeInSpace(indices[i], op.space, op.strides, op.offset);
    if (place < 0 || place >= size)
      return fail(op, "expected an element of the tensor, but got place " +
                          llvm::Twine(place) + " of " + llvm::Twine(size));
    if (!writeTensor(op, tensor, place, value, i))
      return false;
  }
  return true;
}
