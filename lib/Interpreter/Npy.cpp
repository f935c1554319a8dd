//===- Npy.cpp - NumPy's array files --------------------------------------===//

#include "Mirage/Interpreter/Npy.h"
#include "Mirage/Interpreter/Rounding.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>

using namespace mirage;
using namespace mirage::interpreter;
using llvm::formatv;
using llvm::StringRef;
using semantics::DType;
using semantics::TensorType;
namespace endian = llvm::support::endian;

namespace {

constexpr StringRef kMagic("\x93NUMPY", 6);

StringRef descriptor(DType type) {
  switch (type) {
  case DType::F16:
    return "<f2";
  case DType::BF16:
    return "<V2";
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  case DType::I1:
    return "|b1";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  }
  return "";
}

/// The shortest text that reads back exactly.
std::string exact(double value) {
  return semantics::toString(semantics::ConstantValue::makeLiteral(value));
}

std::optional<DType> parseDescriptor(StringRef text) {
  if (text == "|V2") // what NumPy itself makes of <V2
    return DType::BF16;
  for (DType type : {DType::F16, DType::BF16, DType::F32, DType::F64, DType::I1,
                     DType::I32, DType::I64})
    if (descriptor(type) == text)
      return type;
  return std::nullopt;
}

llvm::Error npyError(const llvm::Twine &message) {
  return llvm::createStringError("npy: " + message);
}

/// The header, a Python dict literal of three known keys, read token by token.
class HeaderReader {
public:
  explicit HeaderReader(StringRef text) : rest(text) {}

  llvm::Expected<TensorType> read() {
    TensorType type;
    bool seenDescr = false, seenOrder = false, seenShape = false;
    if (!take("{"))
      return unexpected("'{'");
    while (!take("}")) {
      std::optional<StringRef> key = quoted();
      if (!key)
        return unexpected("a quoted key or '}'");
      if (!take(":"))
        return unexpected("':'");
      if (*key == "descr" && !seenDescr) {
        seenDescr = true;
        std::optional<StringRef> text = quoted();
        if (!text)
          return unexpected("a quoted element type");
        std::optional<DType> dtype = parseDescriptor(*text);
        if (!dtype)
          return npyError("expected an element type among <f2, <f4, <f8, <i4, "
                          "<i8, |b1 and <V2 (bf16), but got " +
                          *text);
        type.dtype = *dtype;
      } else if (*key == "fortran_order" && !seenOrder) {
        seenOrder = true;
        if (take("True"))
          return npyError("expected C order, but got fortran_order True");
        if (!take("False"))
          return unexpected("True or False");
      } else if (*key == "shape" && !seenShape) {
        seenShape = true;
        if (llvm::Error error = shape(type))
          return std::move(error);
      } else {
        return npyError("expected the keys descr, fortran_order and shape once "
                        "each, but got " +
                        *key);
      }
      if (!take(",") && !rest.ltrim().starts_with("}"))
        return unexpected("',' or '}'");
    }
    if (!seenDescr || !seenOrder || !seenShape)
      return npyError("expected the keys descr, fortran_order and shape, but "
                      "one is missing");
    if (!rest.trim().empty())
      return unexpected("the end of the header");
    return type;
  }

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  std::optional<StringRef> quoted() {
    for (StringRef quote : {"'", "\""})
      if (take(quote)) {
        auto [text, after] = rest.split(quote);
        if (text.size() == rest.size())
          return std::nullopt;
        rest = after;
        return text;
      }
    return std::nullopt;
  }

  llvm::Error shape(TensorType &type) {
    if (!take("("))
      return unexpected("'('");
    int64_t elements = 1;
    while (!take(")")) {
      int64_t dim;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, dim) || dim < 1)
        return unexpected("a positive dimension");
      if (dim > kMaxElements / elements)
        return npyError(formatv("expected at most {0} elements, but got more",
                                kMaxElements));
      elements *= dim;
      type.shape.push_back(dim);
      if (!take(",") && !rest.ltrim().starts_with(")"))
        return unexpected("',' or ')'");
    }
    if (type.shape.size() > semantics::kMaxRank)
      return npyError(formatv("expected rank {0} at most, but got {1}",
                              semantics::kMaxRank, type.shape.size()));
    return llvm::Error::success();
  }

  llvm::Error unexpected(StringRef what) const {
    StringRef got = rest.trim().take_front(20);
    return npyError("header: expected " + what + ", but got " +
                    (got.empty() ? "its end" : "'" + got.str() + "'"));
  }

  StringRef rest;
};

double decode(DType type, const char *p) {
  switch (type) {
  case DType::F16:
    return fromF16(endian::read16le(p));
  case DType::BF16:
    return fromBF16(endian::read16le(p));
  case DType::F32:
    return llvm::bit_cast<float>(endian::read32le(p));
  case DType::F64:
    return llvm::bit_cast<double>(endian::read64le(p));
  case DType::I1:
    return *p != 0;
  case DType::I32:
    return static_cast<int32_t>(endian::read32le(p));
  case DType::I64:
    return static_cast<double>(static_cast<int64_t>(endian::read64le(p)));
  }
  return 0.0;
}

void encode(DType type, double value, char *p) {
  switch (type) {
  case DType::F16:
    return endian::write16le(p, toF16(value));
  case DType::BF16:
    return endian::write16le(p, toBF16(value));
  case DType::F32:
    return endian::write32le(
        p, llvm::bit_cast<uint32_t>(static_cast<float>(value)));
  case DType::F64:
    return endian::write64le(p, llvm::bit_cast<uint64_t>(value));
  case DType::I1:
    *p = value != 0.0;
    return;
  case DType::I32:
    return endian::write32le(p, static_cast<uint32_t>(static_cast<int32_t>(
                                    roundTo(DType::I32, value))));
  case DType::I64: {
    // 2^63 is a double and no int64_t: saturation leaves it to us.
    double rounded = roundTo(DType::I64, value);
    int64_t integer = rounded >= 0x1p63 ? std::numeric_limits<int64_t>::max()
                                        : static_cast<int64_t>(rounded);
    return endian::write64le(p, static_cast<uint64_t>(integer));
  }
  }
}

} // namespace

std::string interpreter::packElements(const Tensor &tensor) {
  unsigned width = semantics::byteWidth(tensor.type.dtype);
  std::string bytes(tensor.values.size() * width, '\0');
  for (size_t i = 0; i < tensor.values.size(); ++i)
    encode(tensor.type.dtype, tensor.values[i], &bytes[i * width]);
  return bytes;
}

Tensor interpreter::unpackElements(const TensorType &type, StringRef bytes) {
  unsigned width = semantics::byteWidth(type.dtype);
  Tensor tensor{type, {}};
  tensor.values.resize(type.numElements());
  for (size_t i = 0; i < tensor.values.size(); ++i)
    tensor.values[i] = decode(type.dtype, bytes.data() + i * width);
  return tensor;
}

llvm::Expected<Tensor> interpreter::parseNpy(StringRef bytes) {
  if (!bytes.starts_with(kMagic))
    return npyError("expected the first bytes to be \\x93NUMPY, but got other "
                    "ones");
  if (bytes.size() < 10)
    return npyError(formatv("expected a header of at least 10 bytes, but got "
                            "{0}",
                            bytes.size()));
  unsigned version = static_cast<uint8_t>(bytes[6]);
  if (version < 1 || version > 3)
    return npyError(formatv("expected format 1, 2 or 3, but got {0}", version));
  size_t prefix = version == 1 ? 10 : 12;
  if (bytes.size() < prefix)
    return npyError(formatv("expected the length of the header in {0} bytes, "
                            "but got {1}",
                            prefix, bytes.size()));
  size_t length = version == 1 ? endian::read16le(bytes.data() + 8)
                               : endian::read32le(bytes.data() + 8);
  if (bytes.size() - prefix < length)
    return npyError(formatv("expected a header of {0} bytes, but got {1}",
                            length, bytes.size() - prefix));
  llvm::Expected<TensorType> type =
      HeaderReader(bytes.substr(prefix, length)).read();
  if (!type)
    return type.takeError();
  StringRef data = bytes.drop_front(prefix + length);
  if (static_cast<int64_t>(data.size()) != type->byteSize())
    return npyError(formatv("expected {0} bytes of data for {1}, but got {2}",
                            type->byteSize(), semantics::toString(*type),
                            data.size()));
  Tensor tensor = unpackElements(*type, data);
  if (type->dtype == DType::I64)
    for (size_t i = 0; i < tensor.values.size(); ++i)
      if (std::abs(tensor.values[i]) > 0x1p53)
        return npyError(formatv("expected i64 values of at most 2^53, but got "
                                "{0} at position {1}",
                                exact(tensor.values[i]), i));
  return tensor;
}

llvm::Expected<Tensor> interpreter::readNpy(StringRef path,
                                            const TensorType &type) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError(path + ": " + message);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("expected a readable file, but got " +
                buffer.getError().message());
  llvm::Expected<Tensor> tensor = parseNpy((*buffer)->getBuffer());
  if (!tensor)
    return fail(llvm::toString(tensor.takeError()));
  if (tensor->type.dtype == DType::F32 && type.dtype == DType::BF16 &&
      tensor->type.shape == type.shape) {
    for (size_t i = 0; i < tensor->values.size(); ++i) {
      double value = tensor->values[i];
      if (value == value && roundTo(DType::BF16, value) != value)
        return fail(formatv("expected values that bf16 holds exactly, but got "
                            "{0} at position {1}",
                            exact(value), i));
    }
    tensor->type.dtype = DType::BF16;
  }
  if (tensor->type != type)
    return fail("expected " + semantics::toString(type) + ", but got " +
                semantics::toString(tensor->type));
  return tensor;
}

std::string interpreter::formatNpy(const Tensor &tensor) {
  std::string header = "{'descr': '" + descriptor(tensor.type.dtype).str() +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : tensor.type.shape)
    header += std::to_string(dim) + ", ";
  // A Python tuple of one element keeps its comma.
  if (tensor.type.rank() > 1)
    header.resize(header.size() - 2);
  else if (tensor.type.rank() == 1)
    header.pop_back();
  header += "), }";
  // The format asks for data at a multiple of 64, after a newline.
  size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - 11, ' ');
  header += '\n';

  std::string bytes = kMagic.str();
  bytes += '\x01';
  bytes += '\0';
  char length[2];
  endian::write16le(length, static_cast<uint16_t>(header.size()));
  bytes.append(length, 2);
  bytes += header;
  bytes += packElements(tensor);
  return bytes;
}

llvm::Error interpreter::writeNpy(StringRef path, const Tensor &tensor) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << formatNpy(tensor);
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError(path +
                                   ": expected a file that can be written, "
                                   "but got " +
                                   code.message());
  return llvm::Error::success();
}
