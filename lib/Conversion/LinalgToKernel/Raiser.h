//===- Raiser.h - State of one function's raising ---------------*- C++ -*-===//
//
// Ops are raised one by one, in program order. Each raise function first
// matches all of an op, refusing with a reason, and then builds; what it builds
// stands before the op, and the driver replaces the op's results. So operands
// of an op are raised values already, or values that stay as they are.
//
// f64. The dialect computes in f32. Values of f64 that come from casts and only
// go to casts or comparisons are `narrowed`: they have an f32 counterpart,
// which `lookup` yields.
//
// Integers serve masks: iota, differences, comparisons. The dialect compares
// floats, so integers whose magnitude is bounded by 2^24 are computed in f32,
// where they are exact; `asFloat` yields this counterpart.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_RAISER_H
#define MIRAGE_CONVERSION_LINALGTOKERNEL_RAISER_H

#include "Mirage/Dialect/Common/IR/Common.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <tuple>

namespace mirage::raising {

using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

/// A value as a diagnostic names it: by its op and its type.
std::string describe(Value value);

class Raiser {
public:
  explicit Raiser(mlir::Block &entry)
      : entry(entry), builder(entry.getParentOp()->getContext()) {}

  //===--- Refusing -------------------------------------------------------===//

  /// Keeps the reason and fails.
  LogicalResult refuse(const llvm::Twine &why) {
    reason = why.str();
    return mlir::failure();
  }
  const std::string &lastReason() const { return reason; }

  //===--- Operands -------------------------------------------------------===//

  /// Refuses a value whose type has no counterpart in the dialect.
  LogicalResult checkType(Value value);
  /// The same for an operand, whose definition must be raised if it is f64.
  LogicalResult checkOperand(Value value);
  /// The element type in which `value` is computed. Needs checkType.
  semantics::DType dtype(Value value) const;
  /// The raised counterpart: `value` itself unless it is narrowed.
  Value lookup(Value value) const;
  /// The number in each element of `value`, if it is a scalar constant, a
  /// splat constant or a fill; not a NaN, not plus infinity.
  std::optional<double> splat(Value value) const;
  /// A bound of the magnitude of an integer tensor, if it comes from
  /// positions.
  std::optional<double> integerBound(Value value) const;
  /// An integer tensor in f32.
  Value asFloat(Location loc, Value value);
  /// Marks `integer` as the cast of `value`, bounded by `bound`.
  void recordFloat(Value integer, Value value, double bound) {
    floats[integer] = {value, bound};
  }

  //===--- Building -------------------------------------------------------===//

  void setInsertionPoint(Operation *op) { builder.setInsertionPoint(op); }
  /// An op of mgraph_kernel. `shape` and `dtype` are the result's where the
  /// operands do not determine them (see semantics::inferType).
  Value create(Location loc, semantics::OpKind kind, mlir::ValueRange operands,
               llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
               std::optional<RankedTensorType> result = std::nullopt);
  Value cast(Location loc, Value value, semantics::DType dtype);
  Value reshape(Location loc, Value value, llvm::ArrayRef<int64_t> shape);
  Value broadcast(Location loc, Value value, llvm::ArrayRef<int64_t> shape);
  Value transpose(Location loc, Value value, llvm::ArrayRef<int64_t> perm);
  Value reduce(Location loc, ReduceKind kind, Value value,
               llvm::ArrayRef<int64_t> dims);
  Value iota(Location loc, int64_t dim, RankedTensorType type);
  /// A constant of shape 1x...x1, made once and put at the function's start.
  Value constant(const semantics::ConstantValue &value, semantics::DType dtype,
                 int64_t rank);
  Value constant(double value, semantics::DType dtype, int64_t rank) {
    return constant(semantics::ConstantValue::makeLiteral(value), dtype, rank);
  }
  /// A constant of any shape at the insertion point.
  Value fill(Location loc, double value, RankedTensorType type);

  RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape,
                              semantics::DType dtype) const;
  mlir::OpBuilder &getBuilder() { return builder; }

  /// f64 values that are computed in f32, and their counterparts.
  llvm::DenseSet<Value> narrowable;
  llvm::DenseMap<Value, Value> narrowed;

private:
  llvm::SmallVector<mlir::NamedAttribute, 3>
  constantAttributes(const semantics::ConstantValue &value);

  mlir::Block &entry;
  mlir::OpBuilder builder;
  std::string reason;
  llvm::DenseMap<Value, std::pair<Value, double>> floats;
  /// Keyed by rank, element type, kind, bits of the literal and extent.
  using ConstantKey = std::tuple<int64_t, int, int, uint64_t, int64_t>;
  std::map<ConstantKey, Value> constants;
};

} // namespace mirage::raising

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_RAISER_H
