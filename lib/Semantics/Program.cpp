//===- Program.cpp - Op table, types and building -------------------------===//

#include "Mirage/Semantics/Program.h"
#include "Mirage/Semantics/Limits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace mirage::semantics;

namespace {
struct OpRow {
  llvm::StringLiteral mnemonic;
  OpClass opClass;
  int arity;
};

constexpr OpRow kOpTable[] = {
#define MIRAGE_OP(Name, mnemonic, Class, arity)                                \
  {mnemonic, OpClass::Class, arity},
#include "Mirage/Semantics/Ops.def"
};
} // namespace

llvm::StringRef mirage::semantics::mnemonic(OpKind kind) {
  return kOpTable[static_cast<unsigned>(kind)].mnemonic;
}

OpClass mirage::semantics::opClass(OpKind kind) {
  return kOpTable[static_cast<unsigned>(kind)].opClass;
}

int mirage::semantics::arity(OpKind kind) {
  return kOpTable[static_cast<unsigned>(kind)].arity;
}

std::optional<OpKind> mirage::semantics::parseOpKind(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(kOpTable); ++i)
    if (kOpTable[i].mnemonic == name)
      return static_cast<OpKind>(i);
  return std::nullopt;
}

llvm::StringRef mirage::semantics::stringify(DType type) {
  switch (type) {
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::F32:
    return "f32";
  case DType::F64:
    return "f64";
  case DType::I1:
    return "i1";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  }
  llvm_unreachable("covered switch");
}

unsigned mirage::semantics::byteWidth(DType type) {
  switch (type) {
  case DType::I1:
    return 1;
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F64:
  case DType::I64:
    return 8;
  }
  llvm_unreachable("covered switch");
}

int64_t TensorType::numElements() const {
  int64_t n = 1;
  bool saturated = false;
  for (int64_t dim : shape) {
    // A later size of 0 still makes the tensor empty.
    if (dim == 0)
      return 0;
    if (llvm::MulOverflow(n, dim, n) || n > kSaturatedElements) {
      saturated = true;
      n = 1;
    }
  }
  return saturated ? kSaturatedElements : n;
}

std::string mirage::semantics::toString(const TensorType &type) {
  std::string text;
  for (int64_t dim : type.shape)
    text += std::to_string(dim) + "x";
  return text + stringify(type.dtype).str();
}

std::string mirage::semantics::toString(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os);
  return text + "]";
}

double ConstantValue::toDouble() const {
  switch (kind) {
  case Kind::Literal:
    return literal;
  case Kind::Extent:
    return static_cast<double>(extent);
  case Kind::InvExtent:
    return 1.0 / static_cast<double>(extent);
  case Kind::RsqrtExtent:
    return 1.0 / std::sqrt(static_cast<double>(extent));
  case Kind::NegInf:
    return -std::numeric_limits<double>::infinity();
  }
  llvm_unreachable("covered switch");
}

std::string mirage::semantics::toString(const ConstantValue &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (value.kind) {
  case ConstantValue::Kind::Literal:
    // Shortest of the forms that read back exactly.
    for (int digits = 6; digits <= 17; ++digits) {
      char buffer[40];
      snprintf(buffer, sizeof(buffer), "%.*g", digits, value.literal);
      if (strtod(buffer, nullptr) == value.literal || digits == 17) {
        os << buffer;
        break;
      }
    }
    break;
  case ConstantValue::Kind::Extent:
    os << "extent " << value.extent;
    break;
  case ConstantValue::Kind::InvExtent:
    os << "inv_extent " << value.extent;
    break;
  case ConstantValue::Kind::RsqrtExtent:
    os << "rsqrt_extent " << value.extent;
    break;
  case ConstantValue::Kind::NegInf:
    os << "neg_inf";
    break;
  }
  return text;
}

ValueId Program::addInput(TensorType type) {
  ++numInputs;
  return addValue(std::move(type));
}

ValueId Program::addValue(TensorType type) {
  values.push_back(std::move(type));
  return static_cast<ValueId>(values.size()) - 1;
}

ValueId Program::append(OpKind kind, llvm::ArrayRef<ValueId> operands,
                        Attrs attrs) {
  llvm::SmallVector<TensorType, 3> types;
  for (ValueId id : operands)
    types.push_back(type(id));
  llvm::Expected<TensorType> result =
      inferType(kind, attrs, types, Level::Kernel);
  if (!result)
    llvm::report_fatal_error(result.takeError());
  Op op;
  op.kind = kind;
  op.attrs = std::move(attrs);
  op.operands.assign(operands.begin(), operands.end());
  op.results.push_back(addValue(*result));
  ops.push_back(std::move(op));
  return ops.back().results.front();
}
