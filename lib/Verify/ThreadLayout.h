//===- ThreadLayout.h - Which thread holds which element --------*- C++ -*-===//
//
// The dialect's two layouts, spelt out. This shares no code with the lowering:
// it follows the layouts' descriptions.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_THREADLAYOUT_H
#define MIRAGE_LIB_VERIFY_THREADLAYOUT_H

#include "Mirage/Verify/ThreadForm.h"

namespace mirage::verify {

/// Register (t, r, c) of a fragment, r < rows and c < cols, holds the element
/// (row[t * rows + r], col[t * cols + c]) of its tile; -1 stands for padding.
struct Placement {
  int64_t threads = 0, rows = 0, cols = 0; ///< registers of a thread
  std::vector<int32_t> row, col;
  bool sameRow = false, sameCol = false; ///< one value along the dim
  /// Where a value is the same along a dim: the threads that write it.
  std::vector<uint8_t> writes;
  /// Threads that hold part of the tile at all.
  std::vector<uint8_t> active;

  int64_t count() const { return threads * rows * cols; }
  semantics::Shape shape() const { return {threads, rows, cols}; }
  /// Calls body(i, thread, row, col), row or col -1 in padding.
  template <class Body> void forEach(Body body) const {
    int64_t i = 0;
    for (int64_t t = 0; t < threads; ++t)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c)
          body(i++, t, row[t * rows + r], col[t * cols + c]);
  }
};

Placement placementOf(const FragmentShape &fragment);

/// Partial results of one row (dim 1) or column (dim 0) that are left when the
/// threads of each warp have combined theirs.
int64_t partialsOf(const ThreadLayout &layout, int64_t dim);

/// Byte of element (row, col) in a tile of `buffer`.
int64_t byteInTile(const ThreadBuffer &buffer, int64_t row, int64_t col);
/// Bytes of one tile, a multiple of 128.
int64_t stageBytes(const ThreadBuffer &buffer);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_THREADLAYOUT_H
