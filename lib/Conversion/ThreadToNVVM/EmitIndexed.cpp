//===- EmitIndexed.cpp - Access by an index space -------------------------===//
//
// Register c of a thread stands for the element with row-major index
// n = block * cols + col0 + colOffset(c) of the space. Consecutive registers of
// one vector move together where the tensor's strides allow it.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage::thread;

namespace {
int64_t numElements(ArrayRef<int64_t> space) {
  int64_t n = 1;
  for (int64_t size : space)
    n *= size;
  return n;
}

Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

/// The type that one element has in memory: i1 takes a byte.
Type memoryType(OpBuilder &b, Type element) {
  return element.isInteger(1) ? Type(b.getI8Type()) : element;
}

int64_t memoryBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

bool inF32(Type element) {
  return element.isF16() || element.isBF16() || element.isF32();
}

Value toRegister(ScalarBuilder s, Value x, Type element) {
  if (element.isInteger(1))
    return LLVM::ICmpOp::create(
        s.b, s.loc, LLVM::ICmpPredicate::ne, x,
        LLVM::ConstantOp::create(s.b, s.loc, x.getType(),
                                 s.b.getIntegerAttr(x.getType(), 0)));
  return inF32(element) ? s.toF32(x) : x;
}

Value toMemory(ScalarBuilder s, Value x, Type element) {
  if (element.isInteger(1))
    return LLVM::ZExtOp::create(s.b, s.loc, s.b.getI8Type(), x);
  return inF32(element) ? s.fromF32(x, element) : x;
}

/// True where `vec` consecutive elements of the space, from a multiple of vec,
/// are consecutive and aligned in the tensor.
bool movesVectors(ArrayRef<int64_t> space, ArrayRef<int64_t> strides,
                  int64_t offset, int64_t vec, int64_t gatherDim,
                  int64_t bytes) {
  if (vec == 1 || space.empty() || vec * bytes > 16)
    return false;
  size_t last = space.size() - 1;
  if (strides[last] != 1 || space[last] % vec != 0 || offset % vec != 0 ||
      gatherDim == static_cast<int64_t>(last))
    return false;
  for (size_t d = 0; d < last; ++d)
    if (strides[d] % vec != 0)
      return false;
  return true;
}
} // namespace

Value Emitter::spaceIndex(const View &v, int64_t c, Location loc) {
  ScalarBuilder s = at(loc);
  Value start = s.mul(blockIndex(0, loc), v.d.cols);
  return s.add(s.add(start, v.col0), v.colOffset(c));
}

SmallVector<Value> Emitter::delinearize(Value n, ArrayRef<int64_t> space,
                                        Location loc) {
  ScalarBuilder s = at(loc);
  SmallVector<Value> index(space.size());
  for (size_t d = space.size(); d-- > 0;) {
    if (d == 0) {
      index[d] = n; // below the space's end, so the quotient is in range
      break;
    }
    index[d] = s.urem(n, space[d]);
    n = s.udiv(n, space[d]);
  }
  return index;
}

Value Emitter::dotStrides(ArrayRef<Value> index, ArrayRef<int64_t> strides,
                          int64_t offset, Location loc) {
  ScalarBuilder s = at(loc);
  Value place = s.c64(offset);
  for (auto [i, stride] : llvm::zip(index, strides))
    if (stride != 0)
      place =
          s.add(place, i.getType().isInteger(64) ? s.mul(i, stride)
                                                 : s.mul(s.zext64(i), stride));
  return place;
}

void Emitter::emitLoadIndexed(LoadIndexedOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  FragmentType type = op.getResult().getType();
  View v = view(type, loc);
  ArrayRef<int64_t> space = op.getSpace(), strides = op.getStrides();
  int64_t offset = static_cast<int64_t>(op.getOffset());
  int64_t gatherDim = static_cast<int64_t>(op.getGatherDim());
  int64_t total = numElements(space);
  bool partial = total % v.d.cols != 0 || v.d.colPadding;
  Type element = elementOf(op.getSource());
  Type inMemory = memoryType(b, element);
  int64_t bytes = memoryBytes(element);
  Value source = scalars[op.getSource()];
  int64_t vec = v.colBroadcast ? 1 : v.d.vec;
  if (!movesVectors(space, strides, offset, vec, gatherDim, bytes))
    vec = 1;
  Registers regs;
  for (int64_t c = 0; c < v.cols; c += vec) {
    Value n = v.colBroadcast ? blockIndex(0, loc) : spaceIndex(v, c, loc);
    // Padding reads the first element: in bounds, and never stored.
    if (partial && !v.colBroadcast)
      n = s.select(s.ult(n, total), n, s.c32(0));
    SmallVector<Value> index = delinearize(n, space, loc);
    if (gatherDim >= 0) {
      // An index past the data has no meaning, but must not read past it.
      auto data = cast<RankedTensorType>(op.getSource().getType());
      Type kind = elementOf(op.getIndices());
      Value found =
          s.load(kind,
                 s.gep(scalars[op.getIndices()],
                       s.mul(s.zext64(index[gatherDim]), memoryBytes(kind))),
                 memoryBytes(kind));
      if (kind.isInteger(32))
        found = s.zext64(found);
      int64_t stride = strides[gatherDim];
      int64_t count = stride == 0 ? 1 : numElements(data.getShape()) / stride;
      Value bound = s.c64(count - 1);
      Value inside =
          LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ule, found, bound);
      index[gatherDim] = s.select(inside, found, bound);
    }
    Value place = dotStrides(index, strides, offset, loc);
    Value pointer = s.gep(source, s.mul(place, bytes));
    if (vec == 1) {
      regs.push_back(toRegister(s, s.load(inMemory, pointer, bytes), element));
      continue;
    }
    Value vector =
        s.load(VectorType::get({vec}, inMemory), pointer, vec * bytes);
    for (int64_t i = 0; i < vec; ++i)
      regs.push_back(toRegister(
          s, LLVM::ExtractElementOp::create(b, loc, vector, s.c32(i)),
          element));
  }
  registers[op.getResult()] = regs;
}

void Emitter::emitIotaIndexed(IotaIndexedOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  FragmentType type = op.getResult().getType();
  View v = view(type, loc);
  Registers regs;
  for (int64_t c = 0; c < v.cols; ++c) {
    Value n = v.colBroadcast ? blockIndex(0, loc) : spaceIndex(v, c, loc);
    Value index = delinearize(n, op.getSpace(), loc)[op.getDim()];
    Type element = type.getElementType();
    if (element.isF32())
      index = LLVM::UIToFPOp::create(b, loc, element, index);
    else if (element.isInteger(64))
      index = s.zext64(index);
    else if (element.isInteger(1))
      index = toRegister(s, index, element);
    regs.push_back(index);
  }
  registers[op.getResult()] = regs;
}

Value Emitter::emitLoop(Value start, int64_t step, int64_t end, Value init,
                        llvm::function_ref<Value(Value, Value)> body) {
  Location loc = init.getLoc();
  ScalarBuilder s = at(loc);
  Region *region = b.getInsertionBlock()->getParent();
  Block *head = new Block, *inside = new Block, *after = new Block;
  for (Block *block : {head, inside, after})
    region->push_back(block);
  for (Block *block : {head, after}) {
    if (block == head)
      block->addArgument(start.getType(), loc);
    block->addArgument(init.getType(), loc);
  }
  LLVM::BrOp::create(b, loc, ValueRange{start, init}, head);
  b.setInsertionPointToStart(head);
  Value i = head->getArgument(0), carried = head->getArgument(1);
  LLVM::CondBrOp::create(b, loc, s.ult(i, end), inside, ValueRange{}, after,
                         ValueRange{carried});
  b.setInsertionPointToStart(inside);
  Value next = body(i, carried);
  // Unrolled whole, a loop of a few dozen iterations keeps all its addresses in
  // registers, and spills.
  auto latch =
      LLVM::BrOp::create(b, loc, ValueRange{at(loc).add(i, step), next}, head);
  auto unroll = LLVM::LoopUnrollAttr::get(
      b.getContext(), {}, b.getI32IntegerAttr(4), {}, {}, {}, {}, {});
  latch.setLoopAnnotationAttr(
      LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, unroll, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {}));
  b.setInsertionPointToStart(after);
  return after->getArgument(0);
}

void Emitter::emitReduceIndexed(ReduceIndexedOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  View v = view(op.getResult().getType(), loc);
  ArrayRef<int64_t> space = op.getSpace(), over = op.getReduceSpace();
  int64_t total = numElements(space), count = numElements(over);
  bool cooperative = op.getCooperative();
  bool partial = total % v.d.cols != 0 || v.d.colPadding;
  double neutral =
      op.getMaximum() ? -std::numeric_limits<double>::infinity() : 0.0;
  Registers regs;
  for (int64_t c = 0; c < v.cols; ++c) {
    Value n = cooperative ? blockIndex(0, loc) : spaceIndex(v, c, loc);
    if (partial && !cooperative)
      n = s.select(s.ult(n, total), n, s.c32(0));
    SmallVector<Value> index = delinearize(n, space, loc);
    SmallVector<Value> bases;
    for (auto [i, source] : llvm::enumerate(op.getSources())) {
      Value place = dotStrides(
          index, op.getStrides().slice(i * space.size(), space.size()), 0, loc);
      bases.push_back(
          s.gep(scalars[source], s.mul(place, memoryBytes(elementOf(source)))));
    }
    Value first = cooperative ? threadId(loc) : s.c32(0);
    int64_t step = cooperative ? kernel.getThreads() : 1;
    regs.push_back(emitLoop(
        first, step, count, s.cf32(neutral), [&](Value r, Value sum) -> Value {
          ScalarBuilder s = at(loc);
          SmallVector<Value> term = delinearize(r, over, loc);
          SmallVector<Value> terms;
          for (auto [i, source] : llvm::enumerate(op.getSources())) {
            Type element = elementOf(source);
            Value place = dotStrides(
                term, op.getReduceStrides().slice(i * over.size(), over.size()),
                0, loc);
            Value pointer = s.gep(bases[i], s.mul(place, memoryBytes(element)));
            terms.push_back(
                s.toF32(s.load(element, pointer, memoryBytes(element))));
          }
          if (op.getMaximum())
            return s.fmax(sum, terms.size() == 2 ? s.fmul(terms[0], terms[1])
                                                 : terms[0]);
          if (terms.size() == 2)
            return s.intrinsic("llvm.fma.f32", s.f32(),
                               {terms[0], terms[1], sum});
          return s.fadd(sum, terms[0]);
        }));
  }
  registers[op.getResult()] = regs;
}

void Emitter::emitStoreIndexed(StoreIndexedOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  FragmentType type = op.getValue().getType();
  View v = view(type, loc);
  ArrayRef<int64_t> space = op.getSpace(), strides = op.getStrides();
  int64_t offset = static_cast<int64_t>(op.getOffset());
  int64_t total = numElements(space);
  bool partial = total % v.d.cols != 0 || v.d.colPadding;
  Type element = elementOf(op.getTarget());
  int64_t bytes = memoryBytes(element);
  int64_t vec = v.colBroadcast ? 1 : v.d.vec;
  if (!movesVectors(space, strides, offset, vec, -1, bytes))
    vec = 1;
  const Registers regs = registers[op.getValue()];
  // A value that all threads hold is written by one of them.
  Value writer = v.colBroadcast ? s.eq(threadId(loc), 0) : Value();
  emitIf(writer, [&] {
    for (int64_t c = 0; c < v.cols; c += vec) {
      ScalarBuilder s = at(loc);
      Value n = v.colBroadcast ? blockIndex(0, loc) : spaceIndex(v, c, loc);
      Value inside = partial && !v.colBroadcast ? s.ult(n, total) : Value();
      emitIf(inside, [&] {
        Value place =
            dotStrides(delinearize(n, space, loc), strides, offset, loc);
        Value pointer = s.gep(scalars[op.getTarget()], s.mul(place, bytes));
        if (vec == 1)
          return s.store(toMemory(s, regs[c], element), pointer, bytes);
        Value vector = LLVM::UndefOp::create(
            b, loc, VectorType::get({vec}, memoryType(b, element)));
        for (int64_t i = 0; i < vec; ++i)
          vector = LLVM::InsertElementOp::create(
              b, loc, vector, toMemory(s, regs[c + i], element), s.c32(i));
        s.store(vector, pointer, vec * bytes);
      });
    }
  });
}
