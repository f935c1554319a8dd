//===- FromProgram.cpp - From plain programs to the dialects --------------===//

#include "Mirage/Bridge/Bridge.h"

#include "Mirage/Dialect/Block/IR/Block.h"

using namespace mlir;
using namespace mirage;

namespace sem = mirage::semantics;

/// The attributes of a compute op, which are the same at both levels.
static NamedAttrList attributesOf(Builder &builder, const sem::Op &op) {
  NamedAttrList list;
  const sem::Attrs &attrs = op.attrs;
  auto setDim = [&] {
    list.set("dim", builder.getI64IntegerAttr(attrs.dims[0]));
  };
  MLIRContext *context = builder.getContext();
  switch (sem::opClass(op.kind)) {
  case sem::OpClass::Unary:
    if (op.kind == sem::OpKind::Clamp) {
      list.set("lo", builder.getF64FloatAttr(attrs.lo));
      list.set("hi", builder.getF64FloatAttr(attrs.hi));
    }
    break;
  case sem::OpClass::Compare:
    list.set("predicate",
             PredicateAttr::get(context, fromSemantics(attrs.predicate)));
    break;
  case sem::OpClass::Matmul:
    if (attrs.transposeRhs)
      list.set("transpose_rhs", builder.getUnitAttr());
    break;
  case sem::OpClass::Reduce:
    list.set("kind", ReduceKindAttr::get(context, fromSemantics(attrs.reduce)));
    list.set("dims", builder.getDenseI64ArrayAttr(attrs.dims));
    break;
  case sem::OpClass::Norm:
    list.set("epsilon", builder.getF64FloatAttr(attrs.epsilon));
    if (op.kind == sem::OpKind::LayerNorm)
      list.set("operandSegmentSizes",
               builder.getDenseI32ArrayAttr(
                   {1, attrs.hasScale ? 1 : 0, attrs.hasBias ? 1 : 0}));
    break;
  case sem::OpClass::Softmax:
  case sem::OpClass::Concat:
  case sem::OpClass::Gather:
  case sem::OpClass::Iota:
    setDim();
    break;
  case sem::OpClass::Transpose:
    list.set("perm", builder.getDenseI64ArrayAttr(attrs.dims));
    break;
  case sem::OpClass::Slice:
    list.set("offsets", builder.getDenseI64ArrayAttr(attrs.offsets));
    list.set("sizes", builder.getDenseI64ArrayAttr(attrs.sizes));
    list.set("strides", builder.getDenseI64ArrayAttr(attrs.strides));
    break;
  case sem::OpClass::Constant:
    list.set("kind", ConstantKindAttr::get(context,
                                           fromSemantics(attrs.constant.kind)));
    list.set("literal", builder.getF64FloatAttr(attrs.constant.literal));
    list.set("extent", builder.getI64IntegerAttr(attrs.constant.extent));
    break;
  case sem::OpClass::Binary:
  case sem::OpClass::Select:
  case sem::OpClass::Reshape:
  case sem::OpClass::Broadcast:
  case sem::OpClass::Structure:
    break;
  }
  return list;
}

namespace {
/// Builds ops in the program's order.
class ProgramReader {
public:
  ProgramReader(OpBuilder &builder, Location loc, const sem::Program &program)
      : builder(builder), loc(loc), program(program),
        values(program.values.size()) {}

  SmallVector<Value> run(ValueRange inputs) {
    for (auto [id, input] : llvm::enumerate(inputs))
      values[id] = input;
    for (const sem::Op &op : program.ops) {
      if (op.kind == sem::OpKind::Graph)
        buildGraph(op);
      else
        buildCompute(op, kernel::KernelDialect::getDialectNamespace());
    }
    return lookup(program.outputs);
  }

private:
  SmallVector<Value> lookup(ArrayRef<sem::ValueId> ids) {
    SmallVector<Value> found;
    for (sem::ValueId id : ids)
      found.push_back(values[id]);
    return found;
  }

  Type tensorType(sem::ValueId id) {
    return tensorFromSemantics(builder.getContext(), program.type(id));
  }
  block::TileType tileType(sem::ValueId id) {
    return block::tileFromSemantics(builder.getContext(), program.type(id));
  }

  void buildCompute(const sem::Op &op, StringRef dialect) {
    bool atKernel = dialect == kernel::KernelDialect::getDialectNamespace();
    sem::ValueId result = op.results[0];
    OperationState state(loc, (dialect + "." + sem::mnemonic(op.kind)).str());
    state.addOperands(lookup(op.operands));
    state.addTypes(atKernel ? tensorType(result) : Type(tileType(result)));
    state.addAttributes(attributesOf(builder, op));
    values[result] = builder.create(state)->getResult(0);
  }

  void buildGraph(const sem::Op &op) {
    SmallVector<Value> inputs = lookup(op.operands);
    SmallVector<Type> types;
    for (sem::ValueId id : op.results)
      types.push_back(tensorType(id));
    auto count = [&](int64_t value) {
      return value > 0 ? builder.getI64IntegerAttr(value) : IntegerAttr();
    };
    bool clustered = op.attrs.cluster != sem::GridDims{1, 1, 1};
    auto graph = kernel::GraphOp::create(
        builder, loc, types, inputs,
        builder.getDenseI64ArrayAttr(op.attrs.grid),
        clustered ? builder.getDenseI64ArrayAttr(op.attrs.cluster)
                  : DenseI64ArrayAttr(),
        count(op.attrs.threads), count(op.attrs.stages));
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&graph.getBodyRegion());
    arguments.clear();
    for (auto [id, input] : llvm::zip(op.operands, inputs))
      arguments.try_emplace(id, body->addArgument(input.getType(), loc));
    SmallVector<Value> stored;
    for (const sem::Op &nested : op.body) {
      if (nested.kind == sem::OpKind::Loop) {
        buildLoop(nested);
      } else if (nested.kind == sem::OpKind::Store) {
        Type type = types[stored.size()];
        stored.push_back(block::StoreOp::create(
            builder, loc, type, values[nested.operands[0]],
            builder.getDenseI64ArrayAttr(toArray(nested.attrs.omap))));
      } else {
        buildBlockOp(nested, Value());
      }
    }
    block::YieldOp::create(builder, loc, stored);
    for (auto [id, value] : llvm::zip(op.results, graph.getResults()))
      values[id] = value;
  }

  /// `iteration` is null outside loops.
  void buildBlockOp(const sem::Op &op, Value iteration) {
    switch (op.kind) {
    case sem::OpKind::Load:
      values[op.results[0]] = block::LoadOp::create(
          builder, loc, tileType(op.results[0]),
          arguments.lookup(op.operands[0]), iteration,
          builder.getDenseI64ArrayAttr(toArray(op.attrs.imap)),
          builder.getI64IntegerAttr(op.attrs.fmap),
          op.attrs.interleaved ? builder.getUnitAttr() : UnitAttr());
      return;
    case sem::OpKind::ReduceBlocks:
      values[op.results[0]] = block::ReduceBlocksOp::create(
          builder, loc, tileType(op.results[0]), fromSemantics(op.attrs.reduce),
          values[op.operands[0]], op.attrs.gridDim);
      return;
    case sem::OpKind::Running:
      values[op.results[0]] = block::RunningOp::create(
          builder, loc, tileType(op.results[0]),
          op.attrs.current ? RunningKind::Current : RunningKind::Previous,
          op.attrs.accumulator, iteration);
      return;
    default:
      buildCompute(op, block::BlockDialect::getDialectNamespace());
    }
  }

  void buildLoop(const sem::Op &op) {
    SmallVector<Type> types;
    for (sem::ValueId id : op.results)
      types.push_back(tileType(id));
    auto loop = block::ForOp::create(builder, loc, op.attrs.range, types);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    for (const sem::Op &nested : op.body)
      buildBlockOp(nested, loop.getInductionVar());
    SmallVector<Value> totals, factors;
    SmallVector<Attribute> kinds;
    for (const sem::Accumulator &accumulator : op.attrs.accumulators) {
      totals.push_back(values[accumulator.value]);
      if (accumulator.factor >= 0)
        factors.push_back(values[accumulator.factor]);
      kinds.push_back(block::AccumulatorAttr::get(
          builder.getContext(), fromSemantics(accumulator.kind),
          accumulator.reduceDim));
    }
    block::YieldOp::create(builder, loc, totals, factors,
                           kinds.empty() ? ArrayAttr()
                                         : builder.getArrayAttr(kinds));
    for (auto [id, value] : llvm::zip(op.results, loop.getResults()))
      values[id] = value;
  }

  static SmallVector<int64_t> toArray(const sem::GridMap &map) {
    return {map[0], map[1], map[2]};
  }

  OpBuilder &builder;
  Location loc;
  const sem::Program &program;
  SmallVector<Value> values;                     ///< by value id
  llvm::DenseMap<sem::ValueId, Value> arguments; ///< of the graph being built
};
} // namespace

SmallVector<Value> mirage::fromProgram(OpBuilder &builder, Location loc,
                                       const sem::Program &program,
                                       ValueRange inputs) {
  return ProgramReader(builder, loc, program).run(inputs);
}
