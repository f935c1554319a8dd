//===- Programs.h - Programs that the tests share ---------------*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_SEMANTICS_PROGRAMS_H
#define MIRAGE_UNITTESTS_SEMANTICS_PROGRAMS_H

#include "Mirage/Semantics/Program.h"

namespace mirage::semantics::test {

inline std::string message(llvm::Error error) {
  return llvm::toString(std::move(error));
}

inline Op makeLoad(Program &p, ValueId source, GridMap imap, int fmap,
                   const GridDims &grid, int64_t range) {
  Op load{OpKind::Load, {}, {source}, {}, {}};
  load.attrs.imap = imap;
  load.attrs.fmap = fmap;
  load.results.push_back(p.addValue(
      cantFail(inferLoadTile(p.type(source), grid, imap, fmap, range))));
  return load;
}

/// x[16,4096] * w[4096,6144] as one kernel: columns split over grid x, K split
/// over grid z and the loop. Values: 0 and 1 the inputs, 2 and 3 their tiles, 4
/// the product, 5 its total, 6 the total over blocks (if reduced), the last the
/// result.
inline Program splitMatmul(bool reduceBlocks) {
  Program p;
  ValueId x = p.addInput({{16, 4096}, DType::F16});
  ValueId w = p.addInput({{4096, 6144}, DType::F16});
  Op graph{OpKind::Graph, {}, {x, w}, {}, {}};
  graph.attrs.grid = {96, 1, 4};
  graph.attrs.cluster = {1, 1, 4};
  Op loop{OpKind::Loop, {}, {}, {}, {}};
  loop.attrs.range = 16;
  loop.body.push_back(makeLoad(p, x, {-1, -1, 1}, 1, graph.attrs.grid, 16));
  loop.body.push_back(makeLoad(p, w, {1, -1, 0}, 0, graph.attrs.grid, 16));
  Op product{OpKind::Matmul,
             {},
             {loop.body[0].results[0], loop.body[1].results[0]},
             {p.addValue({{16, 64}, DType::F32})},
             {}};
  loop.body.push_back(product);
  loop.attrs.accumulators.push_back(
      {AccumulatorKind::Sum, product.results[0], -1, -1});
  loop.results.push_back(p.addValue({{16, 64}, DType::F32}));
  ValueId total = loop.results[0];
  graph.body.push_back(loop);
  if (reduceBlocks) {
    Op reduce{
        OpKind::ReduceBlocks, {}, {total}, {p.addValue(p.type(total))}, {}};
    reduce.attrs.gridDim = 2;
    total = reduce.results[0];
    graph.body.push_back(reduce);
  }
  Op store{OpKind::Store, {}, {total}, {}, {}};
  store.attrs.omap = {1, -1, -1};
  graph.body.push_back(store);
  graph.results.push_back(p.addValue({{16, 6144}, DType::F16}));
  p.ops.push_back(graph);
  p.outputs = {graph.results[0]};
  return p;
}

} // namespace mirage::semantics::test

#endif // MIRAGE_UNITTESTS_SEMANTICS_PROGRAMS_H
