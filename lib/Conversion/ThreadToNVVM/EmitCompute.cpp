//===- EmitCompute.cpp - Elementwise code and reductions ------------------===//

#include "Approximations.h"
#include "Emitter.h"
#include "Mirage/Dialect/Common/IR/Common.h"
#include "Mirage/Semantics/Evaluate.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;

namespace {
/// The arithmetic of Approximations.h as instructions.
struct EmittedArithmetic {
  using Value = mlir::Value;
  using Condition = mlir::Value;
  ScalarBuilder s;

  Value constant(double value) { return s.cf32(value); }
  Value add(Value x, Value y) { return s.fadd(x, y); }
  Value sub(Value x, Value y) { return s.fsub(x, y); }
  Value mul(Value x, Value y) { return s.fmul(x, y); }
  Value div(Value x, Value y) { return s.fdiv(x, y); }
  Value fma(Value x, Value y, Value z) {
    return s.intrinsic("llvm.fma.f32", s.f32(), {x, y, z});
  }
  Value neg(Value x) { return LLVM::FNegOp::create(s.b, s.loc, x); }
  Value abs(Value x) { return s.intrinsic("llvm.fabs.f32", s.f32(), {x}); }
  Value min(Value x, Value y) { return s.fmin(x, y); }
  Value copysign(Value magnitude, Value sign) {
    return s.intrinsic("llvm.copysign.f32", s.f32(), {magnitude, sign});
  }
  Value exp2(Value x) {
    return s.intrinsic("llvm.nvvm.ex2.approx.ftz.f", s.f32(), {x});
  }
  Value log2(Value x) {
    return s.intrinsic("llvm.nvvm.lg2.approx.f", s.f32(), {x});
  }
  Condition less(Value x, Value y) {
    return LLVM::FCmpOp::create(s.b, s.loc, LLVM::FCmpPredicate::olt, x, y);
  }
  Value select(Condition c, Value x, Value y) { return s.select(c, x, y); }
};

/// Elementwise meaning in the registers of a thread. Functions are
/// approximations made of the hardware's (Approximations.h).
struct RegisterDomain {
  using Value = mlir::Value;
  ScalarBuilder s;
  EmittedArithmetic arithmetic{s};
  Approximations<EmittedArithmetic> functions{arithmetic};

  explicit RegisterDomain(ScalarBuilder builder) : s(builder) {}
  RegisterDomain(const RegisterDomain &) = delete;

  Value constant(const semantics::ConstantValue &c) {
    return s.cf32(c.toDouble());
  }
  Value add(Value x, Value y) { return s.fadd(x, y); }
  Value sub(Value x, Value y) { return s.fsub(x, y); }
  Value mul(Value x, Value y) { return s.fmul(x, y); }
  Value div(Value x, Value y) { return s.fdiv(x, y); }
  Value neg(Value x) { return arithmetic.neg(x); }
  Value exp(Value x) { return functions.exp(x); }
  Value log(Value x) { return functions.log(x); }
  Value sqrt(Value x) {
    return s.intrinsic("llvm.nvvm.sqrt.rn.f", s.f32(), {x});
  }
  Value sigmoid(Value x) { return functions.sigmoid(x); }
  Value erf(Value x) { return functions.erf(x); }
  Value abs(Value x) { return arithmetic.abs(x); }
  Value max(Value x, Value y) { return s.fmax(x, y); }
  Value min(Value x, Value y) { return s.fmin(x, y); }
  Value clamp(Value x, double lo, double hi) {
    return s.fmin(s.fmax(x, s.cf32(lo)), s.cf32(hi));
  }
  // |x|^y, negated where x < 0 and y is an odd integer; NaN where y is none.
  Value pow(Value x, Value y) {
    Value magnitude = arithmetic.exp2(s.fmul(y, functions.log2(abs(x))));
    auto floorOf = [&](Value v) {
      return s.intrinsic("llvm.floor.f32", s.f32(), {v});
    };
    auto same = [&](Value a, Value c) {
      return LLVM::FCmpOp::create(s.b, s.loc, LLVM::FCmpPredicate::oeq, a, c);
    };
    Value integral = same(floorOf(y), y);
    Value half = s.fmul(y, s.cf32(0.5));
    Value even = same(floorOf(half), half);
    Value signedValue = s.select(even, magnitude, neg(magnitude));
    Value negative = LLVM::FCmpOp::create(s.b, s.loc, LLVM::FCmpPredicate::olt,
                                          x, s.cf32(0.0));
    Value nan = s.cf32(std::numeric_limits<double>::quiet_NaN());
    Value forNegative = s.select(integral, signedValue, nan);
    Value result = s.select(negative, forNegative, magnitude);
    return s.select(same(y, s.cf32(0.0)), s.cf32(1.0), result);
  }
  Value compare(semantics::Predicate predicate, Value x, Value y) {
    static constexpr LLVM::FCmpPredicate table[] = {
        LLVM::FCmpPredicate::oeq, LLVM::FCmpPredicate::une,
        LLVM::FCmpPredicate::olt, LLVM::FCmpPredicate::ole,
        LLVM::FCmpPredicate::ogt, LLVM::FCmpPredicate::oge};
    return LLVM::FCmpOp::create(s.b, s.loc,
                                table[static_cast<unsigned>(predicate)], x, y);
  }
  Value select(Value c, Value x, Value y) { return s.select(c, x, y); }
  // Registers hold f32: a cast to a narrower type rounds there and back.
  // Integers keep their type; a cast to one truncates and saturates.
  Value cast(Value x, semantics::DType to) {
    Type from = x.getType();
    if (from.isInteger(1))
      x = LLVM::ZExtOp::create(s.b, s.loc, s.i32(), x);
    if (!semantics::isFloat(to)) {
      Type type = to == semantics::DType::I64   ? s.i64()
                  : to == semantics::DType::I32 ? s.i32()
                                                : s.i1();
      if (to == semantics::DType::I1) {
        if (isa<FloatType>(x.getType()))
          return LLVM::FCmpOp::create(s.b, s.loc, LLVM::FCmpPredicate::une, x,
                                      s.cf32(0.0));
        Value zero = LLVM::ConstantOp::create(
            s.b, s.loc, x.getType(), s.b.getIntegerAttr(x.getType(), 0));
        return LLVM::ICmpOp::create(s.b, s.loc, LLVM::ICmpPredicate::ne, x,
                                    zero);
      }
      if (isa<FloatType>(x.getType()))
        return s.intrinsic(to == semantics::DType::I64
                               ? "llvm.fptosi.sat.i64.f32"
                               : "llvm.fptosi.sat.i32.f32",
                           type, {x});
      if (x.getType() == type)
        return x;
      if (to == semantics::DType::I64)
        return LLVM::SExtOp::create(s.b, s.loc, type, x);
      return LLVM::TruncOp::create(s.b, s.loc, type, x);
    }
    if (!isa<FloatType>(x.getType()))
      x = LLVM::SIToFPOp::create(s.b, s.loc, s.f32(), x);
    Type narrow = to == semantics::DType::F16    ? Type(s.b.getF16Type())
                  : to == semantics::DType::BF16 ? Type(s.b.getBF16Type())
                                                 : s.f32();
    return s.toF32(s.fromF32(x, narrow));
  }
};

/// The table's own formula, but for two kinds whose formula cancels.
Value evaluate(RegisterDomain &domain, semantics::OpKind kind,
               const semantics::Attrs &attrs, ArrayRef<Value> args,
               semantics::DType type) {
  if (kind == semantics::OpKind::Tanh)
    return domain.functions.tanh(args[0]);
  if (kind == semantics::OpKind::GeluErf)
    return domain.functions.geluErf(args[0]);
  return semantics::evalElementwise(domain, kind, attrs, args, type);
}
} // namespace

LogicalResult Emitter::emitMap(MapOp op) {
  Location loc = op.getLoc();
  auto kind = semantics::parseOpKind(op.getKind()); // C1 of map
  semantics::Attrs attrs;
  attrs.lo = op.getLo().convertToDouble();
  attrs.hi = op.getHi().convertToDouble();
  attrs.predicate = static_cast<semantics::Predicate>(op.getPredicate());
  FragmentType type = op.getResult().getType();
  View result = view(type, loc);
  SmallVector<View> views;
  for (Value operand : op.getOperands())
    views.push_back(view(cast<FragmentType>(operand.getType()), loc));
  RegisterDomain domain(at(loc));
  Registers regs;
  for (int64_t r = 0; r < result.rows; ++r)
    for (int64_t c = 0; c < result.cols; ++c) {
      SmallVector<Value> args;
      for (auto [operand, v] : llvm::zip(op.getOperands(), views))
        args.push_back(registers[operand][(v.rowBroadcast ? 0 : r) * v.cols +
                                          (v.colBroadcast ? 0 : c)]);
      regs.push_back(evaluate(domain, *kind, attrs, args,
                              *toSemanticsDType(type.getElementType())));
    }
  registers[op.getResult()] = regs;
  return success();
}

void Emitter::emitIota(IotaOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  View v = view(op.getResult().getType(), loc);
  Registers regs;
  for (int64_t r = 0; r < v.rows; ++r)
    for (int64_t c = 0; c < v.cols; ++c) {
      Value index = op.getDim() == 0 ? s.add(v.row0, v.rowOffset(r))
                                     : s.add(v.col0, v.colOffset(c));
      regs.push_back(LLVM::UIToFPOp::create(b, loc, s.f32(), index));
    }
  registers[op.getResult()] = regs;
}

void Emitter::emitCombine(CombineOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  View value = view(op.getValue().getType(), loc);
  View acc = view(op.getResult().getType(), loc);
  Registers regs = registers[op.getAcc()];
  const Registers &from = registers[op.getValue()];
  bool reduces = acc.rows != value.rows || acc.cols != value.cols ||
                 acc.rowBroadcast != value.rowBroadcast ||
                 acc.colBroadcast != value.colBroadcast;
  for (int64_t r = 0; r < value.rows; ++r)
    for (int64_t c = 0; c < value.cols; ++c) {
      Value element = from[r * value.cols + c];
      // Padding counts as the neutral value.
      if (reduces)
        if (Value inside = inTile(value, r, c, loc))
          element = s.select(
              inside, element,
              s.cf32(op.getMaximum() ? -std::numeric_limits<double>::infinity()
                                     : 0.0));
      Value &total = regs[(acc.rowBroadcast ? 0 : r) * acc.cols +
                          (acc.colBroadcast ? 0 : c)];
      total = op.getMaximum() ? s.fmax(total, element) : s.fadd(total, element);
    }
  registers[op.getResult()] = regs;
}

// Lanes that share the row (or column) and differ in one bit of their index
// exchange partial results by shuffles. What is left, over warps or over lanes
// whose number is no power of two, goes through `scratch`, a table of partial
// results [rows or cols][slots].
void Emitter::emitReduceThreads(ReduceThreadsOp op) {
  Location loc = op.getLoc();
  ScalarBuilder s = at(loc);
  FragmentType type = op.getValue().getType();
  View v = view(type, loc);
  const Distribution &d = v.d;
  bool alongRow = op.getDim() == 1; // the columns of a row are combined
  auto combine = [&](Value x, Value y) {
    return op.getMaximum() ? s.fmax(x, y) : s.fadd(x, y);
  };
  Registers regs = registers[op.getValue()];

  // Shuffle distances, then the number of partial results that remain and the
  // slot of this thread.
  SmallVector<int64_t> distances;
  int64_t slots = 1;
  Value tid = threadId(loc), slot;
  Value writer; // one thread of those that hold equal partials
  Value lane = s.urem(tid, 32), warp = s.udiv(tid, 32);
  if (d.isMma && alongRow) {
    distances = {1, 2};
    slots = d.warpsN;
    slot = s.urem(warp, d.warpsN);
    writer = s.eq(s.urem(lane, 4), 0);
  } else if (d.isMma) {
    distances = {4, 8, 16};
    slots = d.warpsM;
    slot = s.udiv(warp, d.warpsN);
    writer = s.eq(s.udiv(lane, 4), 0);
  } else if (alongRow) {
    int64_t perRow = d.threadsPerRow;
    if (perRow <= 32 && llvm::isPowerOf2_64(perRow)) {
      for (int64_t step = 1; step < perRow; step *= 2)
        distances.push_back(step);
    } else if (perRow % 32 == 0) {
      distances = {1, 2, 4, 8, 16};
      slots = perRow / 32;
      slot = s.udiv(s.urem(tid, perRow), 32);
      writer = s.eq(lane, 0);
    } else {
      slots = perRow;
      slot = s.urem(tid, perRow);
    }
  } else {
    slots = d.threads / d.threadsPerRow;
    slot = s.udiv(tid, d.threadsPerRow);
  }
  Value full = s.c32(-1), clamp = s.c32(31);
  for (int64_t distance : distances)
    for (Value &reg : regs) {
      Value other =
          NVVM::ShflOp::create(b, loc, s.f32(), full, reg, s.c32(distance),
                               clamp, NVVM::ShflKind::bfly, UnitAttr());
      reg = combine(reg, other);
    }
  if (slots > 1) {
    BufferType scratch = op.getScratch().getType();
    Value base = bufferBase(op.getScratch(), Value(), loc);
    int64_t count = alongRow ? d.rows : d.cols;
    auto key = [&](int64_t i) {
      return alongRow ? s.add(v.row0, v.rowOffset(i / v.cols))
                      : s.add(v.col0, v.colOffset(i % v.cols));
    };
    NVVM::Barrier0Op::create(b, loc); // earlier readers of the scratch
    for (int64_t i = 0; i < static_cast<int64_t>(regs.size()); ++i) {
      Value inside = s.andi(writer, s.ult(key(i), count));
      inside = s.andi(inside, s.ult(slot, slots));
      emitIf(inside, [&] {
        s.store(regs[i], s.gep(base, bufferOffset(scratch, key(i), slot, loc)),
                4);
      });
    }
    NVVM::Barrier0Op::create(b, loc);
    for (int64_t i = 0; i < static_cast<int64_t>(regs.size()); ++i) {
      Value k = key(i);
      Value index = s.select(s.ult(k, count), k, s.c32(0));
      Value total;
      for (int64_t j = 0; j < slots; ++j) {
        Value part =
            s.load(s.f32(),
                   s.gep(base, bufferOffset(scratch, index, s.c32(j), loc)), 4);
        total = total ? combine(total, part) : part;
      }
      regs[i] = total;
    }
  }
  registers[op.getResult()] = regs;
}
