//===- Work.cpp - What an evaluation costs --------------------------------===//

#include "Work.h"

using namespace mirage::semantics;

static double workOf(const Program &program, const std::vector<Op> &ops) {
  double work = 0;
  for (const Op &op : ops) {
    double times = op.attrs.range;
    for (int64_t dim : op.attrs.grid)
      times *= dim;
    work += times * workOf(program, op.body);
    for (ValueId id : op.results) {
      double elements = program.type(id).numElements();
      if (op.kind == OpKind::Matmul)
        elements *= program.type(op.operands[0]).shape.back();
      if (op.kind == OpKind::Reduce)
        elements = program.type(op.operands[0]).numElements();
      work += elements;
    }
  }
  return work;
}

double mirage::verify::workOf(const Program &program) {
  double work = ::workOf(program, program.ops);
  for (unsigned i = 0; i < program.numInputs; ++i)
    work += program.type(i).numElements();
  return work;
}

double mirage::verify::memoryOf(const Program &program) {
  double bytes = 0;
  for (unsigned i = 0; i < program.numInputs; ++i)
    bytes += 16.0 * program.type(i).numElements();
  for (const Op &op : program.ops) {
    double blocks = 1;
    for (int64_t dim : op.attrs.grid)
      blocks *= dim;
    for (ValueId id : op.results)
      bytes += 16.0 * program.type(id).numElements();
    // What a block graph holds at its reduce_blocks and stores.
    for (const Op &inner : op.body) {
      bytes += 32.0 * blocks;
      if (inner.kind == OpKind::Store || inner.kind == OpKind::ReduceBlocks)
        bytes += 16.0 * blocks * program.type(inner.operands[0]).numElements();
    }
  }
  return bytes;
}
