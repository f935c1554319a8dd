//===- FieldScan.cpp - What runs along a loop, in finite fields -----------===//

#include "Mirage/Search/Field.h"

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
FieldTensor slice(const FieldTensor &tensor, unsigned dim, int index) {
  FieldTensor result;
  result.dims = tensor.dims;
  if (tensor.dims[dim] == 1)
    return tensor;
  result.dims[dim] = 1;
  size_t inner = 1, outer = 1;
  for (unsigned d = 0; d < tensor.dims.size(); ++d)
    (d < dim ? outer : inner) *= d == dim ? 1 : tensor.dims[d];
  result.reserve(inner * outer);
  for (size_t o = 0; o < outer; ++o)
    for (size_t i = 0; i < inner; ++i)
      result.push(tensor.at((o * tensor.dims[dim] + index) * inner + i));
  return result;
}
} // namespace

FieldTensor mirage::search::withQ(const FieldDomain &domain,
                                  FieldTensor tensor) {
  if (tensor.hasQ)
    return tensor;
  tensor.hasQ = true;
  tensor.q.reserve(tensor.p.size());
  for (uint32_t p : tensor.p)
    tensor.q.push_back(domain.keyed(13, p).q);
  return tensor;
}

FieldTensor mirage::search::runningMaxField(FieldDomain &domain,
                                            const FieldTensor &tensor,
                                            unsigned dim, bool current) {
  FieldTensor result;
  result.dims = tensor.dims;
  size_t inner = 1, outer = 1;
  int extent = tensor.dims[dim];
  for (unsigned d = 0; d < tensor.dims.size(); ++d)
    (d < dim ? outer : inner) *= d == dim ? 1 : tensor.dims[d];
  ConstantValue negInf;
  negInf.kind = ConstantValue::Kind::NegInf;
  std::vector<FieldValue> values(result.size());
  for (size_t o = 0; o < outer; ++o)
    for (size_t i = 0; i < inner; ++i) {
      FieldValue state = domain.constant(negInf);
      for (int k = 0; k < extent; ++k) {
        size_t at = (o * extent + k) * inner + i;
        FieldValue next = domain.max(state, tensor.at(at));
        values[at] = current ? next : state;
        state = next;
      }
    }
  result.reserve(values.size());
  for (const FieldValue &value : values)
    result.push(value);
  return result;
}

FieldTensor mirage::search::rescaleField(FieldDomain &domain,
                                         const FieldTensor &value,
                                         const FieldTensor &factor,
                                         unsigned dim) {
  int extent = std::max(value.dims[dim], factor.dims[dim]);
  FieldTensor state = slice(value, dim, 0);
  for (int k = 1; k < extent; ++k) {
    FieldTensor scale = slice(factor, dim, k), more = slice(value, dim, k);
    state =
        mapField({&state, &scale, &more}, [&](llvm::ArrayRef<FieldValue> args) {
          return domain.add(domain.mul(args[0], args[1]), args[2]);
        });
  }
  return state;
}
