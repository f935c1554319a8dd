//===- Field.h - Finite-field values of tensors in all blocks ---*- C++ -*-===//
//
// The search tells values apart, and recognises the target's, by their images
// in Z_p x Z_q with p = 2q + 1 fixed: a filter, whose survivors the verifier
// judges with randomness of its own.
//
//   op                          p-component          q-component
//   + - * /                     in Z_p               in Z_q
//   exp x                       4^(x_q)              none
//   sqrt x                      x^((p+1)/4)          x^((q+1)/4)
//   sigmoid x                   1 / (1 + exp(-x))    none
//   erf, log, abs, clamp, ...   keyed hash of x_p    keyed hash of x_p
//   max                         hash of the bag of operands
//
// x^((p+1)/4) is multiplicative, so that sqrt(a) sqrt(b) = sqrt(ab) holds; it
// is a root of residues only, which no law used here needs. A value without a
// q-component goes into exp as a keyed hash of its p-component.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_FIELD_H
#define MIRAGE_SEARCH_FIELD_H

#include "Mirage/Semantics/Program.h"
#include <array>
#include <functional>
#include <vector>

namespace mirage::search {

constexpr uint32_t kFieldP = 2147481143;
constexpr uint32_t kFieldQ = 1073740571;

struct FieldValue {
  uint32_t p = 0, q = 0;
  bool hasQ = true;
  bool isBag = false; ///< the result of a max: `bag` holds its operands
  uint64_t bag = 0;
};

uint64_t mix(uint64_t a, uint64_t b);
uint32_t powMod(uint32_t base, uint64_t exponent, uint32_t modulus);

/// The domain of evalElementwise whose values are field elements.
struct FieldDomain {
  using Value = FieldValue;
  /// Extents follow the shrunken sizes.
  std::function<int64_t(int64_t)> extent;
  uint64_t key = 0;

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value neg(Value a);
  Value exp(Value a);
  Value log(Value a) { return keyed(1, a.p); }
  Value sqrt(Value a);
  Value sigmoid(Value a);
  Value erf(Value a);
  Value max(Value a, Value b);
  Value min(Value a, Value b) { return neg(max(neg(a), neg(b))); }
  Value abs(Value a);
  Value clamp(Value a, double lo, double hi);
  Value pow(Value a, Value b);
  Value constant(const semantics::ConstantValue &value);
  Value compare(semantics::Predicate predicate, Value a, Value b);
  Value select(Value c, Value a, Value b);
  Value cast(Value a, semantics::DType) { return a; }

  Value keyed(uint64_t function, uint64_t argument) const;
};

/// The values of one tile in all blocks and iterations. The first four
/// dimensions are grid x, y, z and the loop, of extent 1 where the tile does
/// not depend on them; the tile's own dimensions follow.
struct FieldTensor {
  static constexpr unsigned kContext = 4;
  llvm::SmallVector<int, 8> dims;
  bool hasQ = true;
  std::vector<uint32_t> p, q;
  std::vector<uint64_t> bag; ///< empty unless the result of a max

  unsigned rank() const { return dims.size() - kContext; }
  llvm::ArrayRef<int> shape() const {
    return llvm::ArrayRef<int>(dims).drop_front(kContext);
  }
  size_t size() const;
  FieldValue at(size_t index) const;
  void push(const FieldValue &value);
  void reserve(size_t n);

  /// Two independent hashes of the shape and the values.
  std::pair<uint64_t, uint64_t> hash() const;
  bool operator==(const FieldTensor &other) const;
};

FieldTensor makeFieldTensor(llvm::ArrayRef<int> context,
                            llvm::ArrayRef<int> shape);

/// Random values for an input.
FieldTensor randomField(llvm::ArrayRef<int> shape, uint64_t seed);

/// Gives a tensor without a q-component one that is a function of its
/// p-component. What an opaque map yields obeys no law that this could break,
/// and the exp of it minus a maximum must still be a power.
FieldTensor withQ(const FieldDomain &domain, FieldTensor tensor);

/// Elementwise with size-1 broadcast over context and tile dimensions.
FieldTensor
mapField(llvm::ArrayRef<const FieldTensor *> operands,
         llvm::function_ref<FieldValue(llvm::ArrayRef<FieldValue>)> body);

/// Sum or max over one dimension (counted with the context), kept with size 1.
FieldTensor reduceField(FieldDomain &domain, const FieldTensor &tensor,
                        unsigned dim, bool isMax);

FieldTensor matmulField(const FieldTensor &lhs, const FieldTensor &rhs,
                        bool transposeRhs);
FieldTensor transposeField(const FieldTensor &tensor,
                           llvm::ArrayRef<int64_t> permutation);
FieldTensor reshapeField(const FieldTensor &tensor, llvm::ArrayRef<int> shape);
FieldTensor broadcastField(const FieldTensor &tensor,
                           llvm::ArrayRef<int> shape);

/// The maximum over one dimension up to each place, itself included with
/// `current`; before the first place it is minus infinity.
FieldTensor runningMaxField(FieldDomain &domain, const FieldTensor &tensor,
                            unsigned dim, bool current);

/// state = state * factor + value along one dimension, from 0; that dimension
/// is kept with size 1.
FieldTensor rescaleField(FieldDomain &domain, const FieldTensor &value,
                         const FieldTensor &factor, unsigned dim);

/// How one dimension of a tensor is cut: the context axes that split it,
/// outermost first, and the extents of those axes.
struct FieldSplit {
  llvm::SmallVector<unsigned, 2> axes;
};

/// The tiles that a load with these splits (one for each dim) reads.
FieldTensor tileField(const FieldTensor &tensor,
                      llvm::ArrayRef<FieldSplit> splits,
                      llvm::ArrayRef<int> contextExtents);

} // namespace mirage::search

#endif // MIRAGE_SEARCH_FIELD_H
