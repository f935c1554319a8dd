//===- EmitMma.cpp - Products on tensor cores -----------------------------===//
//
// Each warp multiplies its piece: fragments of lhs by ldmatrix (rows lie as the
// instruction wants them) or from registers, fragments of rhs by ldmatrix.trans
// where K is the row, plain where it is the column (PTX ISA 9.7.14.5.15).
// EmitSplitMma.cpp has the products of f32.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mirage::thread;

/// Four 8 x 8 matrices (two for `count` 2) of 16-bit elements, one register
/// each, as mma.sync takes them.
SmallVector<Value> Emitter::ldmatrix(Value pointer, unsigned count, bool trans,
                                     bool bf16, Location loc) {
  ScalarBuilder s = at(loc);
  SmallVector<Type> words(count, s.i32());
  Value loaded = NVVM::LdMatrixOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), words), pointer,
      count, trans ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  Type pair = VectorType::get({2}, b.getF16Type());
  Registers parts;
  for (unsigned i = 0; i < count; ++i) {
    Value part = LLVM::ExtractValueOp::create(b, loc, loaded, i);
    parts.push_back(bf16 ? part : LLVM::BitcastOp::create(b, loc, pair, part));
  }
  return parts;
}

Emitter::Product Emitter::productOf(MmaOp op) {
  return {op.getAcc(),
          op.getLhs(),
          op.getLhsStage(),
          op.getRhs(),
          op.getRhsStage(),
          op.getTransposeRhs(),
          op.getLhs().getType().getCols()};
}

Emitter::Product Emitter::productOf(MmaRegisterOp op) {
  return {op.getAcc(),
          op.getLhs(),
          Value(),
          op.getRhs(),
          op.getRhsStage(),
          op.getTransposeRhs(),
          op.getLhs().getType().getCols()};
}

void Emitter::emitMma(MmaOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  BufferType lhs = op.getLhs().getType();
  Distribution d = Distribution::get(op.getAcc().getType().getLayout());
  Value base = bufferBase(op.getLhs(), scalars[op.getLhsStage()], loc);
  Value lane = s.urem(threadId(loc), 32), warp = s.udiv(threadId(loc), 32);
  Value warpRow = s.mul(s.udiv(warp, d.warpsN), d.warpRows);
  Value low = s.urem(lane, 16), high = s.mul(s.udiv(lane, 16), 8);
  bool bf16 = lhs.getElementType().isBF16();
  Product product = productOf(op);
  if (fitsWgmma(product)) {
    registers[op.getResult()] = emitWgmma(product, loc, {});
    return;
  }
  if (lhs.getElementType().isF32()) {
    Value group = s.add(warpRow, s.udiv(lane, 4));
    Value inner = s.mul(s.urem(lane, 4), 2);
    registers[op.getResult()] =
        emitSplitProduct(product, loc, [&](int64_t rowPiece, int64_t k) {
          SmallVector<Registers, 2> rows;
          for (int64_t half : {0, 8}) {
            Value row = s.add(group, 16 * rowPiece + half);
            Value offset = bufferOffset(lhs, row, s.add(inner, k), loc);
            rows.push_back(s.loadVector(s.f32(), 2, s.gep(base, offset)));
          }
          return Registers{rows[0][0], rows[1][0], rows[0][1], rows[1][1]};
        });
    return;
  }
  registers[op.getResult()] =
      emitProduct(product, loc, [&](int64_t rowPiece, int64_t k) {
        Value row = s.add(s.add(warpRow, 16 * rowPiece), low);
        Value offset = bufferOffset(lhs, row, s.add(high, k), loc);
        return ldmatrix(s.gep(base, offset), 4, /*trans=*/false, bf16, loc);
      });
}

/// The accumulator layout of two neighbouring 16 x 8 pieces is the layout of a
/// 16 x 16 left operand: rounded and packed in pairs, registers serve as they
/// are.
void Emitter::emitMmaRegister(MmaRegisterOp op) {
  Location loc = op.getLoc();
  FragmentType lhs = op.getLhs().getType();
  View v = view(lhs, loc);
  const Registers &values = registers[op.getLhs()];
  ScalarBuilder s = at(loc);
  Product product = productOf(op);
  if (lhs.getElementType().isF32()) {
    registers[op.getResult()] =
        emitSplitProduct(product, loc, [&](int64_t rowPiece, int64_t k) {
          auto at = values.begin() + 2 * rowPiece * v.cols + k / 4;
          return Registers{at[0], at[v.cols], at[1], at[v.cols + 1]};
        });
    return;
  }
  Type half = lhs.getElementType();
  auto pack = [&](int64_t row, int64_t col) {
    Value pair = LLVM::PoisonOp::create(b, loc, VectorType::get({2}, half));
    for (int64_t i = 0; i < 2; ++i) {
      Value element = s.fromF32(values[row * v.cols + col + i], half);
      pair = LLVM::InsertElementOp::create(b, loc, pair, element, s.c32(i));
    }
    return half.isBF16() ? LLVM::BitcastOp::create(b, loc, s.i32(), pair)
                         : pair;
  };
  if (fitsWgmma(product)) {
    Registers left;
    for (int64_t col = 0; col < v.cols; col += 4)
      for (auto [row, at] :
           {std::pair(0, col), {1, col}, {0, col + 2}, {1, col + 2}})
        left.push_back(LLVM::BitcastOp::create(b, loc, s.i32(), pack(row, at)));
    registers[op.getResult()] = emitWgmma(product, loc, left);
    return;
  }
  registers[op.getResult()] =
      emitProduct(product, loc, [&](int64_t rowPiece, int64_t k) {
        int64_t row = 2 * rowPiece, col = k / 4; // two registers for 8 columns
        return Registers{pack(row, col), pack(row + 1, col), pack(row, col + 2),
                         pack(row + 1, col + 2)};
      });
}

SmallVector<Value>
Emitter::emitProduct(const Product &product, Location loc,
                     llvm::function_ref<Registers(int64_t, int64_t)> left) {
  ScalarBuilder s = at(loc);
  auto rhs = cast<BufferType>(product.rhs.getType());
  View v = view(cast<FragmentType>(product.acc.getType()), loc);
  Value rhsBase = bufferBase(product.rhs, scalars[product.rhsStage], loc);
  Value tid = threadId(loc);
  Value lane = s.urem(tid, 32), warp = s.udiv(tid, 32);
  Value warpCol = s.mul(s.urem(warp, v.d.warpsN), v.d.warpCols);
  Value low = s.urem(lane, 16), high = s.mul(s.udiv(lane, 16), 8);
  // Row of the stored rhs tile and its column, for ldmatrix without .trans.
  Value nRow = s.add(high, s.urem(lane, 8));
  Value kCol = s.mul(s.urem(s.udiv(lane, 8), 2), 8);
  bool bf16 = rhs.getElementType().isBF16();
  NVVM::MMATypes half = bf16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;

  Registers acc = registers[product.acc];
  Type f32x4 = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {s.f32(), s.f32(), s.f32(), s.f32()});
  int64_t rowPieces = v.d.warpRows / 16, colPieces = v.d.warpCols / 8;
  for (int64_t k = 0; k < product.depth; k += 16) {
    SmallVector<Registers> a(rowPieces), bPieces(colPieces);
    for (int64_t i = 0; i < rowPieces; ++i)
      a[i] = left(i, k);
    for (int64_t j = 0; j < colPieces; j += 2) {
      unsigned count = j + 1 < colPieces ? 4 : 2;
      Value row, col;
      if (product.transposeRhs) {
        row = s.add(s.add(warpCol, 8 * j), nRow);
        col = s.add(kCol, k);
        // The upper lanes' addresses are unused by .x2; keep them in the tile.
        if (count == 2)
          row = s.add(s.add(warpCol, 8 * j), s.urem(lane, 8));
      } else {
        row = s.add(low, k);
        col = s.add(warpCol, 8 * j);
        if (count == 4)
          col = s.add(col, high);
      }
      // Pieces past the tile are never stored; read the first one instead.
      if (v.d.colPadding) {
        Value &column = product.transposeRhs ? row : col;
        column = s.select(s.ult(column, v.d.cols), column, s.c32(0));
      }
      Registers loaded =
          ldmatrix(s.gep(rhsBase, bufferOffset(rhs, row, col, loc)), count,
                   /*trans=*/!product.transposeRhs, bf16, loc);
      bPieces[j] = {loaded[0], loaded[1]};
      if (count == 4)
        bPieces[j + 1] = {loaded[2], loaded[3]};
    }
    for (int64_t i = 0; i < rowPieces; ++i)
      for (int64_t j = 0; j < colPieces; ++j) {
        // Registers (2i, 2j), (2i, 2j+1), (2i+1, 2j), (2i+1, 2j+1).
        int64_t index[4] = {
            (2 * i) * v.cols + 2 * j, (2 * i) * v.cols + 2 * j + 1,
            (2 * i + 1) * v.cols + 2 * j, (2 * i + 1) * v.cols + 2 * j + 1};
        SmallVector<Value> c;
        for (int64_t at : index)
          c.push_back(acc[at]);
        Value result = NVVM::MmaOp::create(
            b, loc, f32x4, a[i], bPieces[j], c, ArrayRef<int64_t>{16, 8, 16},
            std::nullopt, std::nullopt,
            std::array<NVVM::MMATypes, 2>{half, half},
            std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                           NVVM::MMALayout::col});
        for (unsigned part = 0; part < 4; ++part)
          acc[index[part]] = LLVM::ExtractValueOp::create(b, loc, result, part);
      }
  }
  return acc;
}
