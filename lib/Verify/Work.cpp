//===- Work.cpp - What an evaluation costs --------------------------------===//

#include "Work.h"
#include "Mirage/Interpreter/Memory.h"
#include "Tile.h"

using namespace mirage::semantics;
using namespace mirage::verify;

double mirage::verify::workOf(const Program &program) {
  return interpreter::workOf(program, /*perOp=*/0);
}

double mirage::verify::memoryOf(const Program &program) {
  auto bytesOf = [&](ValueId id) {
    return sizeof(Tile) +
           16.0 * static_cast<double>(program.type(id).numElements());
  };
  double bytes = 0;
  for (unsigned i = 0; i < program.numInputs; ++i)
    bytes += bytesOf(i);
  for (const Op &op : program.ops) {
    double blocks = 1;
    for (int64_t dim : op.attrs.grid)
      blocks *= static_cast<double>(dim);
    for (ValueId id : op.results)
      bytes += bytesOf(id);
    if (op.kind != OpKind::Graph)
      continue;
    // Every block has a slot for each value of the program, and holds tiles at
    // reduce_blocks and stores.
    bytes +=
        blocks * (sizeof(std::vector<TileRef>) +
                  sizeof(TileRef) * static_cast<double>(program.values.size()));
    for (const Op &inner : op.body)
      if (inner.kind == OpKind::Store || inner.kind == OpKind::ReduceBlocks)
        bytes += blocks * bytesOf(inner.operands[0]);
  }
  return bytes;
}
