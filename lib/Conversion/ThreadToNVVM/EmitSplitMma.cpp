//===- EmitSplitMma.cpp - Products of f32 on tensor cores -----------------===//
//
// mma.sync m16n8k8 (PTX ISA 9.7.14.5) multiplies tf32, which keeps 11 of the 24
// significant bits of f32. Each operand is split into two, x = big + small,
// which loses at most 2^-23 of it, and all four products are added, the least
// first. The tensor cores round their own sums towards zero, so a sum over K
// grows outside of them.
//
// A sum over K is the same in any order: lane t takes the neighbours 2t and
// 2t + 1 where the instruction says t and t + 4. They are one access, and the
// accumulators of a product serve as left operand as they lie.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mirage::thread;

namespace {
/// The bits of an f32 that tf32 has too.
constexpr int64_t kTf32Mask = ~int64_t(0x1fff) & 0xffffffff;
} // namespace

std::pair<Value, Value> Emitter::splitTf32(Value value, Location loc) {
  ScalarBuilder s = at(loc);
  Value bits = LLVM::BitcastOp::create(b, loc, s.i32(), value);
  // Cut and not rounded: the largest values would become infinite.
  Value big =
      LLVM::AndOp::create(b, loc, bits, s.c32(static_cast<int32_t>(kTf32Mask)));
  Value rest = s.fsub(value, LLVM::BitcastOp::create(b, loc, s.f32(), big));
  // Infinity less itself is no number; nothing of an infinity is left.
  Value infinite = LLVM::ICmpOp::create(
      b, loc, LLVM::ICmpPredicate::eq,
      LLVM::AndOp::create(b, loc, bits, s.c32(0x7fffffff)), s.c32(0x7f800000));
  rest = s.select(infinite, s.cf32(0.0), rest);
  Value small = NVVM::ConvertFloatToTF32Op::create(b, loc, s.i32(), rest,
                                                   NVVM::FPRoundingMode::RNA);
  return {big, small};
}

SmallVector<Value> Emitter::emitSplitProduct(
    const Product &product, Location loc,
    llvm::function_ref<Registers(int64_t, int64_t)> left) {
  ScalarBuilder s = at(loc);
  auto rhs = cast<BufferType>(product.rhs.getType());
  View v = view(cast<FragmentType>(product.acc.getType()), loc);
  Value base = bufferBase(product.rhs, scalars[product.rhsStage], loc);
  Value tid = threadId(loc);
  Value lane = s.urem(tid, 32), warp = s.udiv(tid, 32);
  Value column =
      s.add(s.mul(s.urem(warp, v.d.warpsN), v.d.warpCols), s.udiv(lane, 4));
  Value inner = s.mul(s.urem(lane, 4), 2);
  Registers acc = registers[product.acc];
  int64_t rowPieces = v.d.warpRows / 16, colPieces = v.d.warpCols / 8;
  Type f32x4 = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {s.f32(), s.f32(), s.f32(), s.f32()});
  auto multiply = [&](ArrayRef<Value> a, ArrayRef<Value> right,
                      ArrayRef<Value> sum) {
    Value result = NVVM::MmaOp::create(
        b, loc, f32x4, a, right, sum, ArrayRef<int64_t>{16, 8, 8}, std::nullopt,
        std::nullopt,
        std::array<NVVM::MMATypes, 2>{NVVM::MMATypes::tf32,
                                      NVVM::MMATypes::tf32},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    Registers parts;
    for (unsigned i = 0; i < 4; ++i)
      parts.push_back(LLVM::ExtractValueOp::create(b, loc, result, i));
    return parts;
  };
  struct Split {
    Registers big, small;
  };
  auto split = [&](const Registers &values) {
    Split result;
    for (Value value : values) {
      auto [big, small] = splitTf32(value, loc);
      result.big.push_back(big);
      result.small.push_back(small);
    }
    return result;
  };
  auto right = [&](int64_t j, int64_t k) {
    Value n = s.add(column, 8 * j), depth = s.add(inner, k);
    // Pieces past the tile are never stored; read its start instead.
    if (v.d.colPadding)
      n = s.select(s.ult(n, v.d.cols), n, s.c32(0));
    auto pointer = [&](Value row, Value col) {
      return s.gep(base, bufferOffset(rhs, row, col, loc));
    };
    if (product.transposeRhs)
      return s.loadVector(s.f32(), 2, pointer(n, depth));
    return Registers{s.load(s.f32(), pointer(depth, n), 4),
                     s.load(s.f32(), pointer(s.add(depth, 1), n), 4)};
  };
  Registers zero(4, s.cf32(0.0));
  for (int64_t k = 0; k < product.depth; k += 8) {
    SmallVector<Split> a;
    for (int64_t i = 0; i < rowPieces; ++i)
      a.push_back(split(left(i, k)));
    for (int64_t j = 0; j < colPieces; ++j) {
      Split bPiece = split(right(j, k));
      for (int64_t i = 0; i < rowPieces; ++i) {
        Registers sum = multiply(a[i].small, bPiece.small, zero);
        sum = multiply(a[i].small, bPiece.big, sum);
        sum = multiply(a[i].big, bPiece.small, sum);
        sum = multiply(a[i].big, bPiece.big, sum);
        for (int64_t part = 0; part < 4; ++part) {
          Value &total = acc[(2 * i + part / 2) * v.cols + 2 * j + part % 2];
          total = s.fadd(total, sum[part]);
        }
      }
    }
  }
  return acc;
}
