//===- Types.h - Element types, shapes and constants ------------*- C++ -*-===//

#ifndef MIRAGE_SEMANTICS_TYPES_H
#define MIRAGE_SEMANTICS_TYPES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mirage::semantics {

/// The largest rank that an operator accepts.
constexpr unsigned kMaxRank = 6;

using Shape = llvm::SmallVector<int64_t, 4>;

/// Element types. F16, BF16 and F32 carry values; I1 is what `compare` yields
/// and `select` reads; I32 and I64 index `gather`. F64 is only ever a literal's
/// type or a reference's.
enum class DType : uint8_t { F16, BF16, F32, F64, I1, I32, I64 };

llvm::StringRef stringify(DType type);
/// Bytes that one element takes in memory.
unsigned byteWidth(DType type);
inline bool isFloat(DType type) { return type <= DType::F64; }

/// A ranked tensor or tile with a static shape.
struct TensorType {
  Shape shape;
  DType dtype = DType::F32;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t numElements() const;
  int64_t byteSize() const { return numElements() * byteWidth(dtype); }
  bool operator==(const TensorType &other) const {
    return shape == other.shape && dtype == other.dtype;
  }
  bool operator!=(const TensorType &other) const { return !(*this == other); }
};

/// Prints as MLIR would: `16x4096xf16`.
std::string toString(const TensorType &type);
/// Prints `[16, 4096]`.
std::string toString(llvm::ArrayRef<int64_t> shape);

/// The value of a splat constant. Constants that stem from a size (a mean's
/// 1/n, attention's 1/sqrt(d)) keep the size as a symbol: 1/14336 is no dyadic
/// number, so a literal would make sum(x) * (1/n) and sum(x) / n differ.
struct ConstantValue {
  enum class Kind : uint8_t {
    Literal,     ///< `literal`, an exact double
    Extent,      ///< `extent`
    InvExtent,   ///< 1 / extent
    RsqrtExtent, ///< 1 / sqrt(extent)
    NegInf,      ///< minus infinity, the neutral value of max
  };
  Kind kind = Kind::Literal;
  double literal = 0.0;
  int64_t extent = 0;

  static ConstantValue makeLiteral(double value) {
    return {Kind::Literal, value, 0};
  }
  static ConstantValue makeExtent(Kind kind, int64_t extent) {
    return {kind, 0.0, extent};
  }
  /// The value as the nearest double.
  double toDouble() const;
  bool operator==(const ConstantValue &o) const {
    return kind == o.kind && literal == o.literal && extent == o.extent;
  }
};

std::string toString(const ConstantValue &value);

} // namespace mirage::semantics

#endif // MIRAGE_SEMANTICS_TYPES_H
