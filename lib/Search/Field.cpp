//===- Field.cpp - Arithmetic in Z_p x Z_q over tiles ---------------------===//

#include "Mirage/Search/Field.h"
#include <algorithm>
#include <cmath>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
constexpr uint32_t kGenerator = 4; // of the subgroup of order q

uint32_t addMod(uint32_t a, uint32_t b, uint32_t m) {
  uint64_t s = static_cast<uint64_t>(a) + b;
  return s >= m ? s - m : s;
}
uint32_t subMod(uint32_t a, uint32_t b, uint32_t m) {
  return a >= b ? a - b : static_cast<uint64_t>(a) + m - b;
}
uint32_t mulMod(uint32_t a, uint32_t b, uint32_t m) {
  return static_cast<uint64_t>(a) * b % m;
}
// Zero has no inverse and maps to zero: rare, and harmless in a filter.
uint32_t inverse(uint32_t a, uint32_t m) { return powMod(a, m - 2, m); }

uint32_t literalMod(double value, uint32_t m) {
  int exponent;
  double fraction = std::frexp(std::fabs(value), &exponent);
  auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  uint32_t scale = powMod(2, std::abs(exponent), m);
  if (exponent < 0)
    scale = inverse(scale, m);
  uint32_t result = mulMod(mantissa % m, scale, m);
  return value < 0 ? subMod(0, result, m) : result;
}
} // namespace

uint64_t mirage::search::mix(uint64_t a, uint64_t b) {
  uint64_t x = a + 0x9e3779b97f4a7c15ull * (b + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

uint32_t mirage::search::powMod(uint32_t base, uint64_t exponent,
                                uint32_t modulus) {
  uint64_t result = 1, b = base;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = result * b % modulus;
    b = b * b % modulus;
  }
  return result;
}

FieldValue FieldDomain::keyed(uint64_t function, uint64_t argument) const {
  uint64_t h = mix(mix(key, function), argument);
  FieldValue value;
  value.p = h % kFieldP;
  value.q = mix(h, 1) % kFieldQ;
  return value;
}

FieldValue FieldDomain::add(Value a, Value b) {
  return {addMod(a.p, b.p, kFieldP), addMod(a.q, b.q, kFieldQ),
          a.hasQ && b.hasQ};
}
FieldValue FieldDomain::sub(Value a, Value b) {
  return {subMod(a.p, b.p, kFieldP), subMod(a.q, b.q, kFieldQ),
          a.hasQ && b.hasQ};
}
FieldValue FieldDomain::mul(Value a, Value b) {
  return {mulMod(a.p, b.p, kFieldP), mulMod(a.q, b.q, kFieldQ),
          a.hasQ && b.hasQ};
}
FieldValue FieldDomain::div(Value a, Value b) {
  return {mulMod(a.p, inverse(b.p, kFieldP), kFieldP),
          b.hasQ ? mulMod(a.q, inverse(b.q, kFieldQ), kFieldQ) : 0,
          a.hasQ && b.hasQ};
}
FieldValue FieldDomain::neg(Value a) {
  return {subMod(0, a.p, kFieldP), subMod(0, a.q, kFieldQ), a.hasQ};
}
FieldValue FieldDomain::exp(Value a) {
  if (a.isBag && a.bag == 0)
    return {0, 0, true}; // exp(-inf)
  FieldValue value =
      a.hasQ ? FieldValue{powMod(kGenerator, a.q, kFieldP), 0} : keyed(2, a.p);
  value.hasQ = false;
  return value;
}
FieldValue FieldDomain::sqrt(Value a) {
  return {powMod(a.p, (kFieldP + 1) / 4, kFieldP),
          powMod(a.q, (kFieldQ + 1) / 4, kFieldQ), a.hasQ};
}
FieldValue FieldDomain::sigmoid(Value a) {
  FieldValue one = constant(ConstantValue::makeLiteral(1.0));
  return div(one, add(one, exp(neg(a))));
}
FieldValue FieldDomain::erf(Value a) {
  // Odd, as the real function is: x * E(x^2).
  return mul(a, keyed(3, mulMod(a.p, a.p, kFieldP)));
}
FieldValue FieldDomain::abs(Value a) {
  return keyed(4, mulMod(a.p, a.p, kFieldP));
}
FieldValue FieldDomain::max(Value a, Value b) {
  if (a.isBag && a.bag == 0)
    return b;
  if (b.isBag && b.bag == 0)
    return a;
  if (!a.isBag && !b.isBag && a.p == b.p)
    return a;
  uint64_t bag = (a.isBag ? a.bag : mix(key ^ 5, a.p)) +
                 (b.isBag ? b.bag : mix(key ^ 5, b.p));
  FieldValue value = keyed(6, bag);
  value.isBag = true;
  value.bag = bag;
  return value;
}
FieldValue FieldDomain::clamp(Value a, double lo, double hi) {
  uint64_t bounds = mix(literalMod(lo, kFieldP), literalMod(hi, kFieldP));
  return keyed(mix(7, bounds), a.p);
}
FieldValue FieldDomain::pow(Value a, Value b) {
  // Small whole exponents are products, as the law table has it.
  for (unsigned n = 0; n <= 8; ++n)
    if (b.p == n) {
      FieldValue result = constant(ConstantValue::makeLiteral(1.0));
      for (unsigned i = 0; i < n; ++i)
        result = mul(result, a);
      return result;
    }
  return keyed(mix(8, b.p), a.p);
}
FieldValue FieldDomain::constant(const ConstantValue &value) {
  FieldValue result;
  switch (value.kind) {
  case ConstantValue::Kind::Literal:
    if (std::isinf(value.literal))
      return keyed(value.literal < 0 ? 9 : 10, 0);
    result.p = literalMod(value.literal, kFieldP);
    result.q = literalMod(value.literal, kFieldQ);
    return result;
  case ConstantValue::Kind::NegInf:
    result = keyed(9, 0);
    result.isBag = true; // the empty set of operands
    return result;
  default:
    break;
  }
  int64_t n = extent ? extent(value.extent) : value.extent;
  result.p = n % kFieldP;
  result.q = n % kFieldQ;
  if (value.kind == ConstantValue::Kind::RsqrtExtent)
    result = sqrt(result);
  if (value.kind != ConstantValue::Kind::Extent)
    result = div(constant(ConstantValue::makeLiteral(1.0)), result);
  return result;
}
FieldValue FieldDomain::compare(Predicate predicate, Value a, Value b) {
  return keyed(mix(11, static_cast<uint64_t>(predicate)), mix(a.p, b.p));
}
FieldValue FieldDomain::select(Value c, Value a, Value b) {
  return keyed(12, mix(c.p, mix(a.p, b.p)));
}

size_t FieldTensor::size() const {
  size_t n = 1;
  for (int dim : dims)
    n *= dim;
  return n;
}

FieldValue FieldTensor::at(size_t index) const {
  FieldValue value;
  value.p = p[index];
  value.hasQ = hasQ;
  if (hasQ)
    value.q = q[index];
  if (!bag.empty()) {
    value.isBag = true;
    value.bag = bag[index];
  }
  return value;
}

void FieldTensor::reserve(size_t n) {
  p.reserve(n);
  q.reserve(n);
}

void FieldTensor::push(const FieldValue &value) {
  if (p.empty())
    hasQ = value.hasQ;
  // One element without a q-component deprives the whole tensor of it, and one
  // that is no bag makes the whole tensor plain.
  hasQ &= value.hasQ;
  if (value.isBag && bag.size() == p.size())
    bag.push_back(value.bag);
  p.push_back(value.p);
  if (hasQ)
    q.push_back(value.q);
  else
    q.clear();
  if (!bag.empty() && bag.size() != p.size())
    bag.clear();
}

std::pair<uint64_t, uint64_t> FieldTensor::hash() const {
  uint64_t a = hasQ, b = 0x5bd1e995 + hasQ;
  for (int dim : dims) {
    a = mix(a, dim);
    b = mix(b ^ 0xabcdef, dim);
  }
  for (uint32_t v : p) {
    a = mix(a, v);
    b = mix(b ^ 0x1234567, v);
  }
  if (hasQ)
    for (uint32_t v : q) {
      a = mix(a, v);
      b = mix(b ^ 0x7654321, v);
    }
  return {a, b};
}

bool FieldTensor::operator==(const FieldTensor &other) const {
  return dims == other.dims && p == other.p;
}

FieldTensor mirage::search::makeFieldTensor(llvm::ArrayRef<int> context,
                                            llvm::ArrayRef<int> shape) {
  FieldTensor result;
  result.dims.append(context.begin(), context.end());
  result.dims.append(shape.begin(), shape.end());
  return result;
}

FieldTensor mirage::search::randomField(llvm::ArrayRef<int> shape,
                                        uint64_t seed) {
  FieldTensor result = makeFieldTensor({1, 1, 1, 1}, shape);
  size_t n = result.size();
  result.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    FieldValue value;
    // Never zero: inputs are divided by.
    value.p = 1 + mix(seed, 2 * i) % (kFieldP - 1);
    value.q = 1 + mix(seed, 2 * i + 1) % (kFieldQ - 1);
    result.push(value);
  }
  return result;
}

namespace {
/// Steps through an index space while keeping the flat index of operands whose
/// strides are zero where they broadcast.
class Odometer {
public:
  Odometer(llvm::ArrayRef<int> dims, unsigned operands)
      : dims(dims.begin(), dims.end()), index(dims.size(), 0),
        strides(operands, llvm::SmallVector<int, 8>(dims.size(), 0)),
        flat(operands, 0) {}

  void setStride(unsigned operand, unsigned dim, int stride) {
    strides[operand][dim] = stride;
  }
  void broadcastFrom(unsigned operand, llvm::ArrayRef<int> from) {
    int stride = 1;
    for (int d = from.size() - 1; d >= 0; --d) {
      strides[operand][d] = from[d] == 1 ? 0 : stride;
      stride *= from[d];
    }
  }
  size_t operator[](unsigned operand) const { return flat[operand]; }
  bool next() {
    for (int d = dims.size() - 1; d >= 0; --d) {
      ++index[d];
      for (unsigned o = 0; o < flat.size(); ++o)
        flat[o] += strides[o][d];
      if (index[d] < dims[d])
        return true;
      for (unsigned o = 0; o < flat.size(); ++o)
        flat[o] -= strides[o][d] * dims[d];
      index[d] = 0;
    }
    return false;
  }

private:
  llvm::SmallVector<int, 8> dims, index;
  llvm::SmallVector<llvm::SmallVector<int, 8>, 3> strides;
  llvm::SmallVector<int64_t, 3> flat;
};

void rowMajor(llvm::ArrayRef<int> dims, llvm::SmallVectorImpl<int> &strides) {
  strides.assign(dims.size(), 1);
  for (int d = static_cast<int>(dims.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * dims[d + 1];
}
} // namespace

FieldTensor mirage::search::mapField(
    llvm::ArrayRef<const FieldTensor *> operands,
    llvm::function_ref<FieldValue(llvm::ArrayRef<FieldValue>)> body) {
  FieldTensor result;
  result.dims = operands[0]->dims;
  for (const FieldTensor *operand : operands.drop_front())
    for (unsigned d = 0; d < result.dims.size(); ++d)
      result.dims[d] = std::max(result.dims[d], operand->dims[d]);
  result.reserve(result.size());
  Odometer at(result.dims, operands.size());
  for (unsigned o = 0; o < operands.size(); ++o)
    at.broadcastFrom(o, operands[o]->dims);
  llvm::SmallVector<FieldValue, 3> values(operands.size());
  do {
    for (unsigned o = 0; o < operands.size(); ++o)
      values[o] = operands[o]->at(at[o]);
    result.push(body(values));
  } while (at.next());
  return result;
}

FieldTensor mirage::search::reduceField(FieldDomain &domain,
                                        const FieldTensor &tensor, unsigned dim,
                                        bool isMax) {
  FieldTensor result;
  result.dims = tensor.dims;
  int extent = tensor.dims[dim];
  result.dims[dim] = 1;
  result.reserve(result.size());
  llvm::SmallVector<int, 8> strides;
  rowMajor(tensor.dims, strides);
  Odometer at(result.dims, 1);
  for (unsigned d = 0; d < strides.size(); ++d)
    at.setStride(0, d, strides[d]);
  do {
    FieldValue total = tensor.at(at[0]);
    for (int i = 1; i < extent; ++i) {
      FieldValue v = tensor.at(at[0] + i * strides[dim]);
      total = isMax ? domain.max(total, v) : domain.add(total, v);
    }
    result.push(total);
  } while (at.next());
  return result;
}

FieldTensor mirage::search::matmulField(const FieldTensor &lhs,
                                        const FieldTensor &rhs,
                                        bool transposeRhs) {
  unsigned n = lhs.dims.size();
  unsigned contracted = transposeRhs ? n - 1 : n - 2;
  unsigned column = transposeRhs ? n - 2 : n - 1;
  FieldTensor result;
  for (unsigned d = 0; d + 2 < n; ++d)
    result.dims.push_back(std::max(lhs.dims[d], rhs.dims[d]));
  result.dims.push_back(lhs.dims[n - 2]);
  result.dims.push_back(rhs.dims[column]);
  result.reserve(result.size());
  result.hasQ = lhs.hasQ && rhs.hasQ;
  llvm::SmallVector<int, 8> ls, rs;
  rowMajor(lhs.dims, ls);
  rowMajor(rhs.dims, rs);
  Odometer at(result.dims, 2);
  for (unsigned d = 0; d + 2 < n; ++d) {
    at.setStride(0, d, lhs.dims[d] == 1 ? 0 : ls[d]);
    at.setStride(1, d, rhs.dims[d] == 1 ? 0 : rs[d]);
  }
  at.setStride(0, n - 2, ls[n - 2]);
  at.setStride(1, n - 1, rs[column]);
  int depth = lhs.dims[n - 1], lk = ls[n - 1], rk = rs[contracted];
  do {
    uint64_t p = 0, q = 0;
    size_t l = at[0], r = at[1];
    for (int k = 0; k < depth; ++k, l += lk, r += rk) {
      p += static_cast<uint64_t>(lhs.p[l]) * rhs.p[r] % kFieldP;
      if (result.hasQ)
        q += static_cast<uint64_t>(lhs.q[l]) * rhs.q[r] % kFieldQ;
    }
    result.p.push_back(p % kFieldP);
    if (result.hasQ)
      result.q.push_back(q % kFieldQ);
  } while (at.next());
  return result;
}

namespace {
/// Reads `tensor` in the order given by strides over new dims.
FieldTensor gather(const FieldTensor &tensor, llvm::ArrayRef<int> dims,
                   llvm::ArrayRef<int> strides) {
  FieldTensor result;
  result.dims.append(dims.begin(), dims.end());
  result.reserve(result.size());
  Odometer at(result.dims, 1);
  for (unsigned d = 0; d < strides.size(); ++d)
    at.setStride(0, d, strides[d]);
  do
    result.push(tensor.at(at[0]));
  while (at.next());
  return result;
}
} // namespace

FieldTensor
mirage::search::transposeField(const FieldTensor &tensor,
                               llvm::ArrayRef<int64_t> permutation) {
  constexpr unsigned c = FieldTensor::kContext;
  llvm::SmallVector<int, 8> from, dims, strides;
  rowMajor(tensor.dims, from);
  for (unsigned d = 0; d < tensor.dims.size(); ++d) {
    unsigned source = d < c ? d : c + permutation[d - c];
    dims.push_back(tensor.dims[source]);
    strides.push_back(from[source]);
  }
  return gather(tensor, dims, strides);
}

FieldTensor mirage::search::reshapeField(const FieldTensor &tensor,
                                         llvm::ArrayRef<int> shape) {
  FieldTensor result = tensor;
  result.dims.resize(FieldTensor::kContext);
  result.dims.append(shape.begin(), shape.end());
  return result;
}

FieldTensor mirage::search::broadcastField(const FieldTensor &tensor,
                                           llvm::ArrayRef<int> shape) {
  constexpr unsigned c = FieldTensor::kContext;
  llvm::SmallVector<int, 8> dims(tensor.dims), strides;
  rowMajor(tensor.dims, strides);
  for (unsigned d = 0; d < shape.size(); ++d)
    if (dims[c + d] != shape[d]) {
      dims[c + d] = shape[d];
      strides[c + d] = 0;
    }
  return gather(tensor, dims, strides);
}

FieldTensor mirage::search::tileField(const FieldTensor &tensor,
                                      llvm::ArrayRef<FieldSplit> splits,
                                      llvm::ArrayRef<int> contextExtents) {
  constexpr unsigned c = FieldTensor::kContext;
  llvm::SmallVector<int, 8> from, dims(c, 1), strides(c, 0);
  rowMajor(tensor.dims, from);
  for (unsigned d = 0; d < splits.size(); ++d) {
    int tile = tensor.dims[c + d];
    for (unsigned axis : splits[d].axes)
      tile /= contextExtents[axis];
    dims.push_back(tile);
    strides.push_back(from[c + d]);
    int step = tile;
    for (unsigned axis : llvm::reverse(splits[d].axes)) {
      dims[axis] = contextExtents[axis];
      strides[axis] = step * from[c + d];
      step *= contextExtents[axis];
    }
  }
  return gather(tensor, dims, strides);
}
