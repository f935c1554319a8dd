//===- ThreadLayout.cpp - Which thread holds which element ----------------===//

#include "ThreadLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
/// Along one dim: the first index of a thread, and the steps of its registers.
struct Steps {
  std::vector<int64_t> offsets;
};
} // namespace

Placement mirage::verify::placementOf(const FragmentShape &fragment) {
  const ThreadLayout &layout = fragment.layout;
  Placement p;
  p.sameRow = fragment.rows == 1 && layout.rows != 1;
  p.sameCol = fragment.cols == 1 && layout.cols != 1;
  std::vector<int64_t> row0, col0;
  Steps rows, cols;
  if (layout.isMma) {
    // mma.sync.m16n8: lane l has rows l/4 and l/4 + 8, columns 2(l%4) and the
    // next, of each 16 x 8 piece of its warp.
    p.threads = 32 * layout.warpsM * layout.warpsN;
    int64_t warpRows =
        llvm::alignTo(llvm::divideCeil(layout.rows, layout.warpsM), 16);
    int64_t warpCols =
        llvm::alignTo(llvm::divideCeil(layout.cols, layout.warpsN), 8);
    for (int64_t t = 0; t < p.threads; ++t) {
      int64_t warp = t / 32, lane = t % 32;
      row0.push_back(warp / layout.warpsN * warpRows + lane / 4);
      col0.push_back(warp % layout.warpsN * warpCols + lane % 4 * 2);
      p.active.push_back(1);
    }
    for (int64_t r = 0; r < warpRows; r += 8)
      rows.offsets.push_back(r);
    for (int64_t c = 0; c < warpCols; c += 8)
      for (int64_t i : {0, 1})
        cols.offsets.push_back(c + i);
  } else {
    p.threads = layout.threads;
    int64_t perRow = std::min<int64_t>(
        llvm::divideCeil(layout.cols, layout.vec), layout.threads);
    int64_t pass = layout.threads / perRow;
    for (int64_t t = 0; t < p.threads; ++t) {
      p.active.push_back(t < pass * perRow);
      row0.push_back(t < pass * perRow ? t / perRow : layout.rows);
      col0.push_back(t % perRow * layout.vec);
    }
    for (int64_t r = 0; r < layout.rows; r += pass)
      rows.offsets.push_back(r);
    for (int64_t c = 0; c < layout.cols; c += perRow * layout.vec)
      for (int64_t i = 0; i < layout.vec; ++i)
        cols.offsets.push_back(c + i);
  }
  auto fill = [&](bool same, const std::vector<int64_t> &first,
                  const Steps &steps, int64_t size,
                  std::vector<int32_t> &places) {
    int64_t count = same ? 1 : steps.offsets.size();
    for (int64_t t = 0; t < p.threads; ++t)
      for (int64_t i = 0; i < count; ++i) {
        int64_t at = same ? 0 : first[t] + steps.offsets[i];
        places.push_back(at < size ? static_cast<int32_t>(at) : -1);
      }
    return count;
  };
  p.rows = fill(p.sameRow, row0, rows, layout.rows, p.row);
  p.cols = fill(p.sameCol, col0, cols, layout.cols, p.col);
  for (int64_t t = 0; t < p.threads; ++t)
    p.writes.push_back((!p.sameRow || row0[t] == 0) &&
                       (!p.sameCol || col0[t] == 0));
  return p;
}

int64_t mirage::verify::partialsOf(const ThreadLayout &layout, int64_t dim) {
  if (layout.isMma)
    return dim == 1 ? layout.warpsN : layout.warpsM;
  int64_t perRow = std::min<int64_t>(llvm::divideCeil(layout.cols, layout.vec),
                                     layout.threads);
  if (dim == 0)
    return layout.threads / perRow;
  if (perRow <= 32 && llvm::isPowerOf2_64(perRow))
    return 1;
  return perRow % 32 == 0 ? perRow / 32 : perRow;
}

int64_t mirage::verify::byteInTile(const ThreadBuffer &buffer, int64_t row,
                                   int64_t col) {
  int64_t byte = col * byteWidth(buffer.dtype);
  if (!buffer.swizzle)
    return row * buffer.rowBytes + byte;
  // Panels of 128 bytes, one after the other; in each, the 16-byte chunks of a
  // row are permuted by an exclusive or with the row's index.
  int64_t panel = std::min<int64_t>(buffer.rowBytes, 128), chunks = panel / 16;
  int64_t pattern = chunks >= 8 ? row % 8 : row / (8 / chunks) % chunks;
  int64_t inPanel = byte % panel;
  return byte / panel * buffer.rows * panel + row * panel +
         ((inPanel / 16) ^ pattern) * 16 + inPanel % 16;
}

int64_t mirage::verify::stageBytes(const ThreadBuffer &buffer) {
  return llvm::alignTo(buffer.rows * buffer.rowBytes, 128);
}
