//===- ShapeRules.cpp - Result types of the operators ---------------------===//

#include "Mirage/Semantics/Limits.h"
#include "Mirage/Semantics/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mirage::semantics;

namespace {
llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error expected(const llvm::Twine &what, const llvm::Twine &found) {
  return error("expected " + what + ", but got " + found);
}

std::string num(int64_t value) { return std::to_string(value); }

/// Shape of elementwise operands after size-1 broadcast.
llvm::Expected<Shape> broadcastShape(llvm::ArrayRef<TensorType> operands) {
  Shape shape = operands.front().shape;
  for (const TensorType &type : operands.drop_front()) {
    if (type.shape.size() != shape.size())
      return expected("operands of one rank", "ranks " + num(shape.size()) +
                                                  " and " +
                                                  num(type.shape.size()));
    for (auto [i, dim] : llvm::enumerate(type.shape)) {
      if (dim == shape[i] || dim == 1)
        continue;
      if (shape[i] != 1)
        return expected("equal sizes or size 1 in dimension " + num(i),
                        num(shape[i]) + " and " + num(dim));
      shape[i] = dim;
    }
  }
  return shape;
}

llvm::Expected<TensorType>
inferMatmul(const Attrs &attrs, const TensorType &lhs, const TensorType &rhs) {
  int64_t rank = lhs.rank();
  if (rank < 2 || rhs.rank() != rank)
    return expected("lhs and rhs of one rank of at least 2",
                    "ranks " + num(rank) + " and " + num(rhs.rank()));
  unsigned contracted = attrs.transposeRhs ? rank - 1 : rank - 2;
  unsigned column = attrs.transposeRhs ? rank - 2 : rank - 1;
  if (lhs.shape[rank - 1] != rhs.shape[contracted])
    return expected("lhs dimension " + num(rank - 1) +
                        " to equal rhs dimension " + num(contracted),
                    num(lhs.shape[rank - 1]) + " and " +
                        num(rhs.shape[contracted]));
  TensorType result{{}, lhs.dtype};
  for (int64_t i = 0; i + 2 < rank; ++i) {
    int64_t l = lhs.shape[i], r = rhs.shape[i];
    if (l != r && l != 1 && r != 1)
      return expected("equal batch sizes or size 1 in dimension " + num(i),
                      num(l) + " and " + num(r));
    result.shape.push_back(std::max(l, r));
  }
  result.shape.push_back(lhs.shape[rank - 2]);
  result.shape.push_back(rhs.shape[column]);
  return result;
}

llvm::Error checkDims(llvm::ArrayRef<int64_t> dims, int64_t rank,
                      llvm::StringRef what) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank)
      return expected(what + " in [0, " + num(rank) + ")", num(dim));
  return llvm::Error::success();
}

llvm::Expected<TensorType> inferReduce(const Attrs &attrs,
                                       const TensorType &input) {
  if (attrs.dims.empty())
    return expected("at least 1 reduced dimension", "0");
  if (llvm::Error e = checkDims(attrs.dims, input.rank(), "reduced dimension"))
    return std::move(e);
  for (unsigned i = 1; i < attrs.dims.size(); ++i)
    if (attrs.dims[i] <= attrs.dims[i - 1])
      return expected("increasing reduced dimensions", toString(attrs.dims));
  TensorType result = input;
  for (int64_t dim : attrs.dims)
    result.shape[dim] = 1;
  return result;
}

llvm::Expected<TensorType> inferNorm(OpKind kind, const Attrs &attrs,
                                     llvm::ArrayRef<TensorType> operands) {
  size_t count = 1 + attrs.hasScale + attrs.hasBias;
  if (operands.size() != count)
    return expected(num(count) + (count == 1 ? " operand" : " operands"),
                    num(operands.size()));
  const TensorType &input = operands.front();
  if (input.rank() < 1)
    return expected("an input of rank at least 1", "rank 0");
  for (const TensorType &weight : operands.drop_front()) {
    Shape shape(input.rank(), 1);
    shape.back() = input.shape.back();
    if (weight.shape != shape)
      return expected("scale and bias of shape " + toString(shape),
                      toString(weight.shape));
  }
  return input;
}

llvm::Expected<TensorType> inferConcat(const Attrs &attrs,
                                       llvm::ArrayRef<TensorType> operands) {
  if (attrs.dims.size() != 1)
    return expected("1 dimension", num(attrs.dims.size()));
  TensorType result = operands.front();
  if (llvm::Error e = checkDims(attrs.dims, result.rank(), "dimension"))
    return std::move(e);
  int64_t dim = attrs.dims[0];
  for (const TensorType &type : operands.drop_front()) {
    Shape rest = type.shape;
    if (rest.size() == result.shape.size())
      rest[dim] = result.shape[dim];
    if (rest != result.shape)
      return expected("operands that differ only in dimension " + num(dim),
                      toString(result.shape) + " and " + toString(type.shape));
    result.shape[dim] += type.shape[dim];
  }
  return result;
}

llvm::Expected<TensorType> inferSlice(const Attrs &attrs,
                                      const TensorType &input) {
  size_t rank = input.rank();
  if (attrs.offsets.size() != rank || attrs.sizes.size() != rank ||
      attrs.strides.size() != rank)
    return expected(num(rank) + " offsets, sizes and strides",
                    num(attrs.offsets.size()) + ", " + num(attrs.sizes.size()) +
                        " and " + num(attrs.strides.size()));
  TensorType result = input;
  for (size_t i = 0; i < rank; ++i) {
    int64_t offset = attrs.offsets[i], size = attrs.sizes[i],
            stride = attrs.strides[i];
    if (offset < 0 || size < 1 || stride < 1)
      return expected("offset >= 0, size >= 1 and stride >= 1 in dimension " +
                          num(i),
                      num(offset) + ", " + num(size) + " and " + num(stride));
    int64_t last = 0;
    if (llvm::MulOverflow(size - 1, stride, last) ||
        llvm::AddOverflow(last, offset, last))
      last = std::numeric_limits<int64_t>::max();
    if (last >= input.shape[i])
      return expected("last index below " + num(input.shape[i]) +
                          " in dimension " + num(i),
                      num(last));
    result.shape[i] = size;
  }
  return result;
}

llvm::Error requireFloat(llvm::ArrayRef<TensorType> operands) {
  for (const TensorType &type : operands)
    if (!isFloat(type.dtype))
      return expected("a float element type", stringify(type.dtype));
  return llvm::Error::success();
}

llvm::Error requireOneType(llvm::ArrayRef<TensorType> operands) {
  for (const TensorType &type : operands)
    if (type.dtype != operands.front().dtype)
      return expected("operands of one element type",
                      stringify(operands.front().dtype) + " and " +
                          stringify(type.dtype));
  return llvm::Error::success();
}

/// Shape and element type by the kernel-level rules.
llvm::Expected<TensorType> inferKernelType(OpKind kind, const Attrs &attrs,
                                           llvm::ArrayRef<TensorType> operands,
                                           const TensorType *resultType) {
  switch (opClass(kind)) {
  case OpClass::Unary: {
    TensorType result = operands[0];
    if (kind == OpKind::Cast) {
      if (!resultType)
        return expected("a result type for cast", "none");
      result.dtype = resultType->dtype;
    }
    if (kind == OpKind::Clamp && !(attrs.lo <= attrs.hi))
      return expected("lo <= hi",
                      toString(ConstantValue::makeLiteral(attrs.lo)) + " and " +
                          toString(ConstantValue::makeLiteral(attrs.hi)));
    return result;
  }
  case OpClass::Binary:
  case OpClass::Compare: {
    auto shape = broadcastShape(operands);
    if (!shape)
      return shape.takeError();
    return TensorType{*shape, opClass(kind) == OpClass::Compare
                                  ? DType::I1
                                  : operands[0].dtype};
  }
  case OpClass::Select: {
    if (operands[0].dtype != DType::I1)
      return expected("a condition of element type i1",
                      stringify(operands[0].dtype));
    auto shape = broadcastShape(operands);
    if (!shape)
      return shape.takeError();
    return TensorType{*shape, operands[1].dtype};
  }
  case OpClass::Matmul:
    return inferMatmul(attrs, operands[0], operands[1]);
  case OpClass::Reduce:
    return inferReduce(attrs, operands[0]);
  case OpClass::Norm:
    return inferNorm(kind, attrs, operands);
  case OpClass::Softmax: {
    if (attrs.dims.size() != 1)
      return expected("1 dimension", num(attrs.dims.size()));
    if (llvm::Error e = checkDims(attrs.dims, operands[0].rank(), "dimension"))
      return std::move(e);
    return operands[0];
  }
  case OpClass::Transpose: {
    int64_t rank = operands[0].rank();
    llvm::SmallVector<bool, 6> seen(rank, false);
    if (static_cast<int64_t>(attrs.dims.size()) != rank)
      return expected("a permutation of " + num(rank) + " dimensions",
                      toString(attrs.dims));
    TensorType result = operands[0];
    for (auto [i, dim] : llvm::enumerate(attrs.dims)) {
      if (dim < 0 || dim >= rank || seen[dim])
        return expected("a permutation of " + num(rank) + " dimensions",
                        toString(attrs.dims));
      seen[dim] = true;
      result.shape[i] = operands[0].shape[dim];
    }
    return result;
  }
  case OpClass::Reshape: {
    if (!resultType)
      return expected("a result type for reshape", "none");
    TensorType result{resultType->shape, operands[0].dtype};
    if (result.numElements() != operands[0].numElements())
      return expected(num(operands[0].numElements()) + " elements",
                      num(result.numElements()));
    return result;
  }
  case OpClass::Broadcast: {
    if (!resultType)
      return expected("a result type for broadcast", "none");
    TensorType result{resultType->shape, operands[0].dtype};
    if (result.rank() != operands[0].rank())
      return expected("a result of rank " + num(operands[0].rank()),
                      num(result.rank()));
    for (auto [i, dim] : llvm::enumerate(operands[0].shape))
      if (dim != 1 && dim != result.shape[i])
        return expected("operand size 1 or " + num(result.shape[i]) +
                            " in dimension " + num(i),
                        num(dim));
    return result;
  }
  case OpClass::Concat:
    return inferConcat(attrs, operands);
  case OpClass::Slice:
    return inferSlice(attrs, operands[0]);
  case OpClass::Gather: {
    // result[..., i, ...] = data[..., index[i], ...] along one dim.
    if (attrs.dims.size() != 1)
      return expected("1 dimension", num(attrs.dims.size()));
    if (llvm::Error e = checkDims(attrs.dims, operands[0].rank(), "dimension"))
      return std::move(e);
    if (operands[1].rank() != 1 ||
        (operands[1].dtype != DType::I32 && operands[1].dtype != DType::I64))
      return expected("indices of rank 1 and element type i32 or i64",
                      toString(operands[1]));
    TensorType result = operands[0];
    result.shape[attrs.dims[0]] = operands[1].shape[0];
    return result;
  }
  case OpClass::Iota:
    if (!resultType)
      return expected("a result type for iota", "none");
    if (attrs.dims.size() != 1)
      return expected("1 dimension", num(attrs.dims.size()));
    if (llvm::Error e = checkDims(attrs.dims, resultType->rank(), "dimension"))
      return std::move(e);
    return *resultType;
  case OpClass::Constant:
    if (!resultType)
      return expected("a result type for constant", "none");
    if (attrs.constant.kind != ConstantValue::Kind::Literal &&
        attrs.constant.kind != ConstantValue::Kind::NegInf &&
        attrs.constant.extent < 1)
      return expected("an extent of at least 1", num(attrs.constant.extent));
    if (attrs.constant.kind == ConstantValue::Kind::Literal &&
        !std::isfinite(attrs.constant.literal))
      return expected("a finite literal or neg_inf", toString(attrs.constant));
    return *resultType;
  case OpClass::Structure:
    return expected("an op with a shape rule of its own",
                    "'" + mnemonic(kind) + "'");
  }
  llvm_unreachable("covered switch");
}
} // namespace

llvm::Error mirage::semantics::checkSize(const TensorType &type) {
  if (type.rank() > kMaxRank)
    return expected("rank at most " + num(kMaxRank), num(type.rank()));
  int64_t count = 1;
  for (int64_t dim : type.shape) {
    if (dim < 0)
      return expected("sizes of at least 0", toString(type));
    if (llvm::MulOverflow(count, std::max<int64_t>(dim, 1), count) ||
        count > kMaxElements)
      return expected("at most " + num(kMaxElements) + " elements",
                      toString(type));
  }
  return llvm::Error::success();
}

llvm::Expected<TensorType>
mirage::semantics::inferType(OpKind kind, const Attrs &attrs,
                             llvm::ArrayRef<TensorType> operands, Level level,
                             const TensorType *resultType) {
  int count = arity(kind);
  if (count >= 0 && operands.size() != static_cast<size_t>(count))
    return expected(num(count) + (count == 1 ? " operand" : " operands"),
                    num(operands.size()));
  if (arity(kind) < 0 && operands.empty())
    return expected("at least 1 operand", "0");
  for (const TensorType &type : operands)
    if (llvm::Error e = checkSize(type))
      return std::move(e);
  if (resultType)
    if (llvm::Error e = checkSize(*resultType))
      return std::move(e);
  OpClass opClassOf = opClass(kind);
  bool movesData =
      opClassOf >= OpClass::Transpose && opClassOf <= OpClass::Gather;
  if (!movesData && opClassOf != OpClass::Select && kind != OpKind::Cast)
    if (llvm::Error e = requireFloat(operands))
      return std::move(e);
  // At block level f16 tiles and f32 results mix freely; a matmul's operands do
  // not, since both feed one instruction.
  if (level == Level::Kernel
          ? (opClassOf != OpClass::Select && opClassOf != OpClass::Gather)
          : opClassOf == OpClass::Matmul)
    if (llvm::Error e = requireOneType(operands))
      return std::move(e);
  if (opClassOf == OpClass::Select && level == Level::Kernel)
    if (llvm::Error e = requireOneType(operands.drop_front()))
      return std::move(e);

  llvm::Expected<TensorType> result =
      inferKernelType(kind, attrs, operands, resultType);
  if (!result)
    return result;
  if (llvm::Error e = checkSize(*result))
    return std::move(e);
  if (level == Level::Block) {
    bool keeps = movesData || kind == OpKind::Cast ||
                 opClassOf == OpClass::Compare || opClassOf == OpClass::Iota;
    if (!keeps)
      result->dtype = DType::F32;
  }
  if (resultType) {
    if (result->shape != resultType->shape)
      return expected("result shape " + toString(result->shape),
                      toString(resultType->shape));
    if (result->dtype != resultType->dtype)
      return expected("result element type " + stringify(result->dtype),
                      stringify(resultType->dtype));
  }
  return result;
}

llvm::Expected<TensorType>
mirage::semantics::inferLoadTile(const TensorType &tensor, const GridDims &grid,
                                 const GridMap &imap, int fmap,
                                 int64_t loopRange) {
  TensorType tile = tensor;
  auto split = [&](int dim, int64_t parts,
                   const std::string &what) -> llvm::Error {
    if (dim < 0)
      return llvm::Error::success();
    if (dim >= tensor.rank())
      return expected(what + " to name a dimension below " + num(tensor.rank()),
                      num(dim));
    if (tile.shape[dim] % parts != 0)
      return expected(what + " to divide dimension " + num(dim) + " of size " +
                          num(tile.shape[dim]),
                      num(parts));
    tile.shape[dim] /= parts;
    return llvm::Error::success();
  };
  for (unsigned g = 0; g < 3; ++g)
    if (llvm::Error e =
            split(imap[g], grid[g], "imap of grid dimension " + num(g)))
      return std::move(e);
  if (llvm::Error e = split(fmap, loopRange, "fmap"))
    return std::move(e);
  return tile;
}

llvm::Expected<TensorType>
mirage::semantics::inferStoreTensor(const TensorType &tile, DType dtype,
                                    const GridDims &grid, const GridMap &omap) {
  TensorType tensor{tile.shape, dtype};
  for (unsigned g = 0; g < 3; ++g) {
    if (omap[g] < 0)
      continue;
    if (omap[g] >= tile.rank())
      return expected("omap of grid dimension " + num(g) +
                          " to name a dimension below " + num(tile.rank()),
                      num(omap[g]));
    int64_t &size = tensor.shape[omap[g]];
    if (llvm::MulOverflow(size, grid[g], size))
      size = std::numeric_limits<int64_t>::max();
  }
  if (llvm::Error e = checkSize(tensor))
    return std::move(e);
  return tensor;
}
