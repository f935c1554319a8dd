//===- EmitWgmma.cpp - Products by warp groups (sm_90a) -------------------===//
//
// wgmma.mma_async (PTX ISA 9.7.15) takes its right operand, and unless it is in
// registers its left one, straight from shared memory. Four warps multiply 64
// rows: their accumulators lie as those of mma.sync m16n8k16 with one warp for
// each 16 rows. Buffers that are swizzled lie as its descriptors want them, in
// panels of at most 128 bytes a row.
//
// A product waits for its own end: other warps fill the gap.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mirage::thread;

namespace {
/// Bytes of a row in one panel.
int64_t panelBytes(BufferType buffer) {
  return std::min<int64_t>(buffer.getRowBytes(), 128);
}

bool fitsDescriptor(BufferType buffer) {
  return buffer.getSwizzle() && panelBytes(buffer) >= 32 &&
         buffer.getRows() % 8 == 0;
}

/// Distance, in 16-byte units, of column `k` of a tile whose rows run along K.
int64_t alongRow(BufferType buffer, int64_t k) {
  int64_t perPanel = panelBytes(buffer) / 2;
  int64_t panel = buffer.getRows() * panelBytes(buffer);
  return (k / perPanel * panel + k % perPanel * 2) / 16;
}
} // namespace

bool Emitter::fitsWgmma(const Product &product) const {
  if (!hasWgmma)
    return false;
  auto rhs = cast<BufferType>(product.rhs.getType());
  auto acc = cast<FragmentType>(product.acc.getType());
  Distribution d = Distribution::get(acc.getLayout());
  bool sizes = d.warpsN == 1 && d.warpsM % 4 == 0 && d.rows == 16 * d.warpsM &&
               d.cols % 8 == 0 && d.cols <= 256;
  if (!sizes || !fitsDescriptor(rhs) || rhs.getElementType().isF32())
    return false;
  if (auto lhs = dyn_cast<BufferType>(product.lhs.getType()))
    return fitsDescriptor(lhs) && lhs.getRows() == d.rows;
  return true;
}

/// The matrix descriptor of `buffer`, `offset` bytes from its start.
Value Emitter::wgmmaDescriptor(BufferType buffer, Value base, Value offset,
                               Location loc) {
  ScalarBuilder s = at(loc);
  int64_t panel = panelBytes(buffer);
  // Leading: from one panel to the next. Stride: from eight rows to the next.
  int64_t leading = buffer.getRows() * panel / 16, stride = 8 * panel / 16;
  int64_t mode = panel == 128 ? 1 : panel == 64 ? 2 : 3;
  uint64_t fields = static_cast<uint64_t>(leading & 0x3fff) << 16 |
                    static_cast<uint64_t>(stride & 0x3fff) << 32 |
                    static_cast<uint64_t>(mode) << 62;
  Value address =
      LLVM::PtrToIntOp::create(b, loc, s.i32(), s.gep(base, offset));
  Value start = s.zext64(s.urem(s.udiv(address, 16), 1 << 14));
  return LLVM::OrOp::create(b, loc, start, s.c64(static_cast<int64_t>(fields)));
}

SmallVector<Value> Emitter::emitWgmma(const Product &product, Location loc,
                                      ArrayRef<Value> left) {
  ScalarBuilder s = at(loc);
  auto rhs = cast<BufferType>(product.rhs.getType());
  auto lhs = dyn_cast<BufferType>(product.lhs.getType());
  auto type = cast<FragmentType>(product.acc.getType());
  Distribution d = Distribution::get(type.getLayout());
  int64_t count = d.cols / 2; // accumulators of a thread
  // Registers of a fragment run along its two rows; wgmma's, over 8 columns.
  auto position = [&](int64_t i) {
    int64_t piece = i / 4, row = i % 4 / 2, col = i % 2;
    return row * (d.cols / 4) + 2 * piece + col;
  };
  SmallVector<Value> operands;
  for (int64_t i = 0; i < count; ++i)
    operands.push_back(registers[product.acc][position(i)]);
  if (lhs) {
    Value base = bufferBase(product.lhs, scalars[product.lhsStage], loc);
    Value group = s.udiv(threadId(loc), 128);
    operands.push_back(
        wgmmaDescriptor(lhs, base, s.mul(group, 64 * panelBytes(lhs)), loc));
  } else {
    llvm::append_range(operands, left);
  }
  operands.push_back(wgmmaDescriptor(
      rhs, bufferBase(product.rhs, scalars[product.rhsStage], loc), s.c32(0),
      loc));

  // Outputs come first, then the inputs tied to them, then the rest.
  std::string text = "{\n.reg .pred p;\n.reg .b64 da, db;\n"
                     "setp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n";
  llvm::raw_string_ostream os(text);
  int64_t firstLeft = 2 * count;
  int64_t right = firstLeft + (lhs ? 1 : static_cast<int64_t>(left.size()));
  std::string half = rhs.getElementType().isBF16() ? "bf16" : "f16";
  for (int64_t k = 0; k < product.depth; k += 16) {
    // Rows of K lie side by side in a panel; along a row, K runs over panels.
    int64_t rightStep =
        product.transposeRhs ? alongRow(rhs, k) : k * panelBytes(rhs) / 16;
    if (lhs)
      os << "add.s64 da, $" << firstLeft << ", " << alongRow(lhs, k) << ";\n";
    os << "add.s64 db, $" << right << ", " << rightStep << ";\n"
       << "wgmma.mma_async.sync.aligned.m64n" << d.cols << "k16.f32." << half
       << "." << half << " {";
    for (int64_t i = 0; i < count; ++i)
      os << (i ? ", $" : "$") << i;
    os << "}, ";
    if (lhs) {
      os << "da";
    } else {
      for (int64_t i = 0; i < 4; ++i)
        os << (i ? ", $" : "{$") << firstLeft + k / 4 + i;
      os << "}";
    }
    os << ", db, p, 1, 1, " << (lhs ? "0, " : "")
       << (product.transposeRhs ? 0 : 1) << ";\n";
  }
  os << "wgmma.commit_group.sync.aligned;\n"
        "wgmma.wait_group.sync.aligned 0;\n}";

  SmallVector<std::string> constraints(count, "=f");
  for (int64_t i = 0; i < count; ++i)
    constraints.push_back(std::to_string(i));
  for (int64_t i = firstLeft; i < right; ++i)
    constraints.push_back(lhs ? "l" : "r");
  constraints.push_back("l");
  SmallVector<Type> types(count, s.f32());
  auto wgmma = LLVM::InlineAsmOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), operands,
      text, llvm::join(constraints, ","), /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  Registers acc(count);
  for (int64_t i = 0; i < count; ++i)
    acc[position(i)] = LLVM::ExtractValueOp::create(b, loc, wgmma.getRes(), i);
  return acc;
}
