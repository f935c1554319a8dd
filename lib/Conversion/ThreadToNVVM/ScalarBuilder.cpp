//===- ScalarBuilder.cpp - Short names for LLVM dialect ops ---------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mirage::thread;

Type ScalarBuilder::ptr(unsigned space) {
  return LLVM::LLVMPointerType::get(b.getContext(), space);
}
Value ScalarBuilder::c32(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, i32(), b.getI32IntegerAttr(value));
}
Value ScalarBuilder::c64(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, i64(), b.getI64IntegerAttr(value));
}
Value ScalarBuilder::cf32(double value) {
  return LLVM::ConstantOp::create(b, loc, f32(), b.getF32FloatAttr(value));
}
Value ScalarBuilder::add(Value x, Value y) {
  return LLVM::AddOp::create(b, loc, x, y);
}
Value ScalarBuilder::add(Value x, int64_t y) {
  if (y == 0)
    return x;
  return add(x, x.getType().isInteger(64) ? c64(y) : c32(y));
}
Value ScalarBuilder::mul(Value x, int64_t y) {
  if (y == 1)
    return x;
  return LLVM::MulOp::create(b, loc, x,
                             x.getType().isInteger(64) ? c64(y) : c32(y));
}
Value ScalarBuilder::udiv(Value x, int64_t y) {
  return y == 1 ? x : LLVM::UDivOp::create(b, loc, x, c32(y)).getResult();
}
Value ScalarBuilder::urem(Value x, int64_t y) {
  return y == 1 ? c32(0) : LLVM::URemOp::create(b, loc, x, c32(y)).getResult();
}
Value ScalarBuilder::bitXor(Value x, Value y) {
  return LLVM::XOrOp::create(b, loc, x, y);
}
Value ScalarBuilder::select(Value c, Value x, Value y) {
  return LLVM::SelectOp::create(b, loc, c, x, y);
}
Value ScalarBuilder::ult(Value x, int64_t bound) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, x, c32(bound));
}
Value ScalarBuilder::eq(Value x, int64_t y) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, x, c32(y));
}
Value ScalarBuilder::andi(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return LLVM::AndOp::create(b, loc, x, y);
}
Value ScalarBuilder::zext64(Value x) {
  return LLVM::ZExtOp::create(b, loc, i64(), x);
}
Value ScalarBuilder::fadd(Value x, Value y) {
  return LLVM::FAddOp::create(b, loc, x, y);
}
Value ScalarBuilder::fsub(Value x, Value y) {
  return LLVM::FSubOp::create(b, loc, x, y);
}
Value ScalarBuilder::fmul(Value x, Value y) {
  return LLVM::FMulOp::create(b, loc, x, y);
}
Value ScalarBuilder::fdiv(Value x, Value y) {
  // div.full: 2 ulp over the whole range, where div.rn calls a subroutine.
  return intrinsic("llvm.nvvm.div.full", f32(), {x, y});
}
// max.NaN and min.NaN: a NaN operand must reach the result, as in IEEE 754's
// maximum; fmaxf would drop it and hide an upstream fault.
Value ScalarBuilder::fmax(Value x, Value y) {
  return intrinsic("llvm.maximum.f32", f32(), {x, y});
}
Value ScalarBuilder::fmin(Value x, Value y) {
  return intrinsic("llvm.minimum.f32", f32(), {x, y});
}
Value ScalarBuilder::toF32(Value x) {
  if (x.getType().isF32())
    return x;
  return LLVM::FPExtOp::create(b, loc, f32(), x);
}
Value ScalarBuilder::fromF32(Value x, Type type) {
  if (x.getType() == type)
    return x;
  return LLVM::FPTruncOp::create(b, loc, type, x);
}
Value ScalarBuilder::intrinsic(StringRef name, Type type, ValueRange args) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       args)
      .getResult(0);
}
Value ScalarBuilder::gep(Value base, Value bytes) {
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}
Value ScalarBuilder::load(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(b, loc, type, pointer, alignment);
}
void ScalarBuilder::store(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(b, loc, value, pointer, alignment);
}

SmallVector<Value> ScalarBuilder::loadVector(Type type, int64_t count,
                                             Value pointer) {
  unsigned width = type.getIntOrFloatBitWidth() / 8;
  if (count == 1)
    return {load(type, pointer, width)};
  Value vector = load(VectorType::get({count}, type), pointer, count * width);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(LLVM::ExtractElementOp::create(b, loc, vector, c32(i)));
  return parts;
}

void ScalarBuilder::storeVector(ArrayRef<Value> values, Type type,
                                Value pointer) {
  int64_t count = values.size();
  unsigned width = type.getIntOrFloatBitWidth() / 8;
  if (count == 1)
    return store(fromF32(values[0], type), pointer, width);
  Value vector = LLVM::UndefOp::create(b, loc, VectorType::get({count}, type));
  for (int64_t i = 0; i < count; ++i)
    vector = LLVM::InsertElementOp::create(b, loc, vector,
                                           fromF32(values[i], type), c32(i));
  store(vector, pointer, count * width);
}
