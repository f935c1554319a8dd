//===- KernelToThread.cpp - Predefined operators as kernels ---------------===//
//
// Every operator but a contraction is one statement over the index space of
// what it writes: out[i] = f(a[A i + a0], b[B i + b0], ...), where the maps are
// diagonal up to a permutation, so that strides say all of them. Data movement
// is the case f = identity. Reductions and products that no block graph fits
// combine over a second space.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/KernelToThread/KernelToThread.h"
#include "Mirage/Dialect/Common/IR/Common.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;
using semantics::DType;
using semantics::OpClass;
using semantics::OpKind;
using semantics::ValueId;

namespace {
using Dims = llvm::SmallVector<int64_t>;

/// Blocks below which a thread takes fewer elements: about two on each of the
/// largest device's multiprocessors.
constexpr int64_t kBusyBlocks = 264;

llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Row-major strides; 0 along dims of size 1, which then broadcast.
Dims stridesOf(const semantics::Shape &shape) {
  Dims strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = shape[d] == 1 ? 0 : stride;
    stride *= shape[d];
  }
  return strides;
}

/// The index space of a kernel and every access to it, kept small: dims of size
/// 1 go, and neighbours that all tensors step through alike become one.
struct Space {
  Dims sizes;
  std::vector<Dims> strides; ///< one list for each access
  Dims kept;                 ///< dims that an iota or a gather names

  void simplify() {
    for (size_t d = sizes.size(); d-- > 0;)
      if (sizes[d] == 1 && !llvm::is_contained(kept, static_cast<int64_t>(d)))
        erase(d);
    for (size_t d = sizes.size(); d-- > 1;) {
      bool merges = !llvm::is_contained(kept, static_cast<int64_t>(d)) &&
                    !llvm::is_contained(kept, static_cast<int64_t>(d - 1));
      for (const Dims &access : strides)
        merges &= access[d - 1] == access[d] * sizes[d];
      if (!merges)
        continue;
      sizes[d] *= sizes[d - 1];
      erase(d - 1);
    }
  }

  int64_t numElements() const {
    int64_t n = 1;
    for (int64_t size : sizes)
      n *= size;
    return n;
  }

private:
  void erase(size_t d) {
    sizes.erase(sizes.begin() + d);
    for (Dims &access : strides)
      access.erase(access.begin() + d);
    for (int64_t &dim : kept)
      dim -= dim > static_cast<int64_t>(d);
  }
};

class OperatorLowering {
public:
  OperatorLowering(OpBuilder &b, Location loc, StringRef name, unsigned number,
                   const semantics::Program &program, const semantics::Op &op,
                   const InlineValues &inlined)
      : b(b), loc(loc), name(name), number(number), program(program), op(op),
        inlined(inlined) {}

  llvm::Expected<llvm::SmallVector<OperatorKernel>> run() {
    if (llvm::Error e = check())
      return std::move(e);
    switch (semantics::opClass(op.kind)) {
    case OpClass::Unary:
    case OpClass::Binary:
    case OpClass::Compare:
    case OpClass::Select:
    case OpClass::Constant:
    case OpClass::Iota:
    case OpClass::Broadcast:
      lowerElementwise();
      break;
    case OpClass::Reshape:
      if (inlined.count(op.results[0]))
        lowerElementwise();
      else
        lowerMovement();
      break;
    case OpClass::Transpose:
    case OpClass::Slice:
    case OpClass::Gather:
      lowerMovement();
      break;
    case OpClass::Concat:
      lowerConcat();
      break;
    case OpClass::Reduce:
      lowerReduce();
      break;
    case OpClass::Matmul:
      lowerMatmul();
      break;
    case OpClass::Norm:
    case OpClass::Softmax:
    case OpClass::Structure:
      llvm_unreachable("decomposed before, or a graph");
    }
    return std::move(kernels);
  }

private:
  const semantics::TensorType &type(ValueId id) const {
    return program.type(id);
  }

  llvm::Error check() const {
    OpClass opClass = semantics::opClass(op.kind);
    bool moves = opClass >= OpClass::Transpose && opClass <= OpClass::Gather;
    llvm::SmallVector<ValueId> all(op.operands.begin(), op.operands.end());
    all.append(op.results.begin(), op.results.end());
    for (ValueId id : all) {
      if (type(id).dtype == DType::F64 && !moves)
        return error("'" + semantics::mnemonic(op.kind) +
                     "' expected element types that the target computes with, "
                     "but got f64");
      // Indices are 32 bits wide.
      if (type(id).numElements() >= (int64_t(1) << 31))
        return error(
            "'" + semantics::mnemonic(op.kind) +
            "' expected tensors of fewer than 2147483648 elements, but "
            "got " +
            semantics::toString(type(id)));
    }
    return llvm::Error::success();
  }

  Type element(DType dtype) { return fromSemantics(b.getContext(), dtype); }

  /// What registers hold for an element type.
  Type registerType(DType dtype) {
    return dtype == DType::F16 || dtype == DType::BF16 ? b.getF32Type()
                                                       : element(dtype);
  }

  /// Opens a kernel on these tensors and sets the builder into it.
  OperatorKernel &open(ArrayRef<ValueId> operands, int64_t blocks,
                       int64_t threads, int64_t sharedBytes = 0) {
    auto kernel = KernelOp::create(
        b, loc, (name + "_" + llvm::Twine(number + kernels.size())).str(),
        operands.size(), b.getDenseI64ArrayAttr({blocks, 1, 1}),
        b.getDenseI64ArrayAttr({1, 1, 1}), threads, sharedBytes,
        b.getDenseI64ArrayAttr({}));
    kernels.push_back(
        {kernel, llvm::SmallVector<ValueId>(operands), op.results[0]});
    Block *body = b.createBlock(&kernel.getBody());
    auto argument = [&](ValueId id) {
      return body->addArgument(
          RankedTensorType::get(type(id).shape, element(type(id).dtype)), loc);
    };
    tensors.clear();
    for (ValueId id : operands)
      tensors.push_back(argument(id));
    target = argument(op.results[0]);
    GridLaunchDependentsOp::create(b, loc);
    GridDependencyWaitOp::create(b, loc);
    return kernels.back();
  }

  void close() {
    ReturnOp::create(b, loc);
    b.setInsertionPointAfter(kernels.back().kernel);
  }

  /// Rows of vectors over the space: as wide as the memory's, while all
  /// multiprocessors have work.
  LinearLayoutAttr layout(const Space &space, DType dtype, int64_t maxVec) {
    int64_t total = space.numElements();
    int64_t threads =
        total >= 128 ? 128 : llvm::alignTo(std::max<int64_t>(total, 1), 32);
    int64_t vec = std::min<int64_t>(maxVec, 16 / semantics::byteWidth(dtype));
    int64_t last = space.sizes.empty() ? 1 : space.sizes.back();
    while (vec > 1 && (last % vec != 0 || total < kBusyBlocks * threads * vec))
      vec /= 2;
    return LinearLayoutAttr::get(b.getContext(), 1, threads * vec, vec,
                                 threads);
  }

  FragmentType fragment(LinearLayoutAttr layout, Type element) {
    return FragmentType::get(b.getContext(), 1, layout.getCols(), element,
                             layout);
  }

  Value map(StringRef kind, FragmentType type, ArrayRef<Value> operands,
            const semantics::Attrs &attrs = {}) {
    return MapOp::create(b, loc, type, kind, operands, llvm::APFloat(attrs.lo),
                         llvm::APFloat(attrs.hi),
                         static_cast<uint64_t>(attrs.predicate));
  }

  /// A constant or iota, rounded to the type of the tensor that it stands for.
  Value inlineValue(ValueId id, LinearLayoutAttr at, const Space &space,
                    int64_t iotaDim) {
    const semantics::Op &source = *inlined.lookup(id);
    DType dtype = type(id).dtype;
    FragmentType held = fragment(at, registerType(dtype));
    Value value;
    if (source.kind == OpKind::Iota && iotaDim >= 0)
      value = IotaIndexedOp::create(b, loc, held, space.sizes, iotaDim);
    else
      value = SplatOp::create(
          b, loc, held,
          b.getF64FloatAttr(source.kind == OpKind::Iota
                                ? 0.0
                                : source.attrs.constant.toDouble()));
    if (dtype == DType::F16 || dtype == DType::BF16)
      value = map("cast", fragment(at, element(dtype)), {value});
    return value;
  }

  void lowerElementwise() {
    ValueId out = op.results[0];
    // A constant or iota that is an output is a statement without operands.
    bool isSource = op.kind == OpKind::Constant || op.kind == OpKind::Iota;
    llvm::SmallVector<ValueId> inputs(op.operands.begin(), op.operands.end());
    if (isSource)
      inputs.push_back(out);
    Space space;
    space.sizes.assign(type(out).shape.begin(), type(out).shape.end());
    space.strides.push_back(stridesOf(type(out).shape));
    llvm::SmallVector<ValueId> loaded;
    llvm::SmallVector<int64_t> place; // of each input: access, kept dim, or -1
    for (ValueId id : inputs) {
      const semantics::Op *source = inlined.lookup(id);
      if (!source) {
        place.push_back(space.strides.size());
        space.strides.push_back(stridesOf(type(id).shape));
        loaded.push_back(id);
      } else if (source->kind == OpKind::Iota &&
                 type(id).shape[source->attrs.dims[0]] != 1) {
        place.push_back(space.kept.size());
        space.kept.push_back(source->attrs.dims[0]);
      } else {
        place.push_back(-1);
      }
    }
    space.simplify();
    LinearLayoutAttr at = layout(space, type(out).dtype, 8);
    open(loaded, llvm::divideCeil(space.numElements(), at.getCols()),
         at.getThreads());
    llvm::SmallVector<Value> values;
    unsigned nextTensor = 0;
    for (auto [id, where] : llvm::zip(inputs, place)) {
      if (inlined.count(id)) {
        values.push_back(
            inlineValue(id, at, space, where < 0 ? -1 : space.kept[where]));
        continue;
      }
      values.push_back(LoadIndexedOp::create(
          b, loc, fragment(at, registerType(type(id).dtype)),
          tensors[nextTensor++], Value(), space.sizes, space.strides[where]));
    }
    Value value = values[0];
    if (!isSource && op.kind != OpKind::Broadcast &&
        op.kind != OpKind::Reshape) {
      Type held = op.kind == OpKind::Cast ? element(type(out).dtype)
                                          : registerType(type(out).dtype);
      value = map(semantics::mnemonic(op.kind), fragment(at, held), values,
                  op.attrs);
    }
    StoreIndexedOp::create(b, loc, value, target, space.sizes,
                           space.strides[0]);
    close();
  }

  /// One load and one store, with the operand's strides seen from the result.
  void lowerMovement() {
    ValueId in = op.operands[0], out = op.results[0];
    Dims source = stridesOf(type(in).shape);
    Space space;
    space.sizes.assign(type(out).shape.begin(), type(out).shape.end());
    Dims access(space.sizes.size(), 0);
    int64_t offset = 0, gatherDim = -1;
    switch (op.kind) {
    case OpKind::Reshape:
      space.sizes = {type(out).numElements()};
      access = {1};
      break;
    case OpKind::Transpose:
      for (size_t d = 0; d < access.size(); ++d)
        access[d] = source[op.attrs.dims[d]];
      break;
    case OpKind::Slice:
      for (size_t d = 0; d < access.size(); ++d) {
        access[d] = source[d] * op.attrs.strides[d];
        offset += source[d] * op.attrs.offsets[d];
      }
      break;
    default: // Gather
      access = source;
      gatherDim = op.attrs.dims[0];
      // The data's dim may have size 1 where the result's has not.
      if (type(in).shape[gatherDim] == 1)
        gatherDim = -1;
      break;
    }
    Dims written =
        op.kind == OpKind::Reshape ? Dims{1} : stridesOf(type(out).shape);
    space.strides = {written, access};
    if (gatherDim >= 0)
      space.kept.push_back(gatherDim);
    llvm::SmallVector<ValueId> operands{in};
    if (gatherDim >= 0)
      operands.push_back(op.operands[1]);
    emitCopy(space, operands, offset, /*storeOffset=*/0);
  }

  void emitCopy(Space &space, ArrayRef<ValueId> operands, int64_t loadOffset,
                int64_t storeOffset) {
    DType dtype = type(op.results[0]).dtype;
    space.simplify();
    LinearLayoutAttr at = layout(space, dtype, 16);
    open(operands, llvm::divideCeil(space.numElements(), at.getCols()),
         at.getThreads());
    int64_t gatherDim = space.kept.empty() ? -1 : space.kept[0];
    Value value = LoadIndexedOp::create(
        b, loc, fragment(at, registerType(dtype)), tensors[0],
        operands.size() > 1 ? tensors[1] : Value(), space.sizes,
        space.strides[1], loadOffset, gatherDim);
    StoreIndexedOp::create(b, loc, value, target, space.sizes, space.strides[0],
                           storeOffset);
    close();
  }

  void lowerConcat() {
    ValueId out = op.results[0];
    int64_t dim = op.attrs.dims[0], start = 0;
    Dims written = stridesOf(type(out).shape);
    for (ValueId id : op.operands) {
      Space space;
      space.sizes.assign(type(id).shape.begin(), type(id).shape.end());
      space.strides = {written, stridesOf(type(id).shape)};
      emitCopy(space, {id}, 0, start * written[dim]);
      start += type(id).shape[dim];
    }
  }

  void lowerReduce() {
    ValueId in = op.operands[0], out = op.results[0];
    Dims source = stridesOf(type(in).shape),
         written = stridesOf(type(out).shape);
    Space space, over;
    space.strides.resize(2);
    over.strides.resize(1);
    for (int64_t d = 0; d < type(in).rank(); ++d) {
      if (llvm::is_contained(op.attrs.dims, d)) {
        over.sizes.push_back(type(in).shape[d]);
        over.strides[0].push_back(source[d]);
      } else {
        space.sizes.push_back(type(in).shape[d]);
        space.strides[0].push_back(written[d]);
        space.strides[1].push_back(source[d]);
      }
    }
    space.simplify();
    over.simplify();
    bool maximum = op.attrs.reduce == semantics::ReduceKind::Max;
    bool contiguous = !over.sizes.empty() && over.strides[0].back() == 1;
    int64_t count = over.numElements(), blocks = space.numElements();
    if (!contiguous || count < 32) {
      emitReduce(space, over, {in}, maximum);
      return;
    }
    // A block for each result; its threads step through the row together.
    int64_t threads = count >= 128 ? 128 : 32;
    if (count >= 2048)
      threads = 256;
    open({in}, blocks, threads, /*sharedBytes=*/128);
    auto at = LinearLayoutAttr::get(b.getContext(), 1, threads, 1, threads);
    auto one = FragmentType::get(b.getContext(), 1, 1, b.getF32Type(), at);
    Value part = ReduceIndexedOp::create(
        b, loc, one, ValueRange(tensors), space.sizes, space.strides[1],
        over.sizes, over.strides[0], maximum, /*cooperative=*/true);
    int64_t slots = std::max<int64_t>(1, threads / 32);
    auto scratch = BufferType::get(b.getContext(), 1, 1, slots, b.getF32Type(),
                                   4 * slots, false);
    Value total = ReduceThreadsOp::create(
        b, loc, one, part, AllocOp::create(b, loc, scratch, 0), 1, maximum);
    StoreIndexedOp::create(b, loc, total, target, space.sizes,
                           space.strides[0]);
    close();
  }

  /// A thread for each result; strides[0] of `space` are the result's.
  void emitReduce(const Space &space, const Space &over,
                  ArrayRef<ValueId> operands, bool maximum) {
    LinearLayoutAttr at = layout(space, DType::F32, /*maxVec=*/1);
    open(operands, llvm::divideCeil(space.numElements(), at.getCols()),
         at.getThreads());
    Dims strides, overStrides;
    for (size_t i = 0; i < operands.size(); ++i) {
      strides.append(space.strides[i + 1]);
      overStrides.append(over.strides[i]);
    }
    Value value = ReduceIndexedOp::create(
        b, loc, fragment(at, b.getF32Type()), ValueRange(tensors), space.sizes,
        strides, over.sizes, overStrides, maximum, /*cooperative=*/false);
    StoreIndexedOp::create(b, loc, value, target, space.sizes,
                           space.strides[0]);
    close();
  }

  void lowerMatmul() {
    ValueId lhs = op.operands[0], rhs = op.operands[1], out = op.results[0];
    size_t rank = type(out).rank(), row = rank - 2, col = rank - 1;
    Dims left = stridesOf(type(lhs).shape), right = stridesOf(type(rhs).shape);
    size_t rhsCol = op.attrs.transposeRhs ? row : col;
    size_t rhsDepth = op.attrs.transposeRhs ? col : row;
    Space space, over;
    space.sizes.assign(type(out).shape.begin(), type(out).shape.end());
    over.sizes = {type(lhs).shape[col]};
    over.strides = {{left[col]}, {right[rhsDepth]}};
    left[col] = 0;
    right[col] = right[rhsCol];
    right[row] = 0;
    space.strides = {stridesOf(type(out).shape), left, right};
    space.simplify();
    emitReduce(space, over, {lhs, rhs}, /*maximum=*/false);
  }

  OpBuilder &b;
  Location loc;
  StringRef name;
  unsigned number;
  const semantics::Program &program;
  const semantics::Op &op;
  const InlineValues &inlined;
  llvm::SmallVector<OperatorKernel> kernels;
  llvm::SmallVector<Value> tensors; ///< operands of the open kernel
  Value target;                     ///< and its result
};
} // namespace

InlineValues mirage::findInlineValues(const semantics::Program &program) {
  InlineValues found;
  for (const semantics::Op &op : program.ops) {
    if (op.kind == OpKind::Constant || op.kind == OpKind::Iota)
      found[op.results[0]] = &op;
    if (op.kind != OpKind::Broadcast && op.kind != OpKind::Reshape)
      continue;
    auto source = found.find(op.operands[0]);
    if (source != found.end() && source->second->kind == OpKind::Constant)
      found[op.results[0]] = source->second;
  }
  return found;
}

llvm::Expected<llvm::SmallVector<OperatorKernel>> mirage::lowerOperatorToThread(
    OpBuilder &builder, Location loc, StringRef name, unsigned number,
    const semantics::Program &program, const semantics::Op &op,
    const InlineValues &inlined) {
  OpBuilder::InsertionGuard guard(builder);
  return OperatorLowering(builder, loc, name, number, program, op, inlined)
      .run();
}
