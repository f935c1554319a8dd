//===- Format.h - Names and numbers of the stored graphs --------*- C++ -*-===//

#ifndef MIRAGE_LIB_IMPORT_FORMAT_H
#define MIRAGE_LIB_IMPORT_FORMAT_H

#include "Mirage/Semantics/Program.h"
#include "llvm/Support/JSON.h"

namespace mirage::import {

/// The numbers of element types changed once. 930 and 940 stand in both lists.
enum class Numbering : uint8_t { First, Second };

/// The numbering of a file, from all its `data_type` fields. A file that holds
/// nothing but 940 is taken for bf16 of the second, and nothing but 930 for f32
/// of the first: the published system computes in neither f64 nor f8.
Numbering findNumbering(const llvm::json::Value &file);

std::optional<semantics::DType> parseDType(int64_t number, Numbering numbering);
/// By the first numbering; nothing for types that it lacks.
std::optional<int64_t> dtypeNumber(semantics::DType type);

/// What an op computes, under the name that follows kn_ or tb_.
enum class Form : uint8_t {
  Elementwise,
  Matmul,
  MulScalar,
  Clamp,
  Reduce,
  ReduceToDimx,
  RmsNorm,
  Concat,
  ConcatMatmul,
};

struct OpEntry {
  llvm::StringLiteral name; ///< between the prefix and _op
  Form form;
  semantics::OpKind kind;
  unsigned operands;
  int dim = -1; ///< Reduce, ReduceToDimx, Concat
};

/// The entry of `name`, which is an op_type without prefix and suffix.
const OpEntry *findOp(llvm::StringRef name);
/// The entry that an elementwise op is written as.
const OpEntry *findElementwise(semantics::OpKind kind);

enum class AccumForm : uint8_t { NoRed, Sum, Mean, Rms, SumToDimx };
/// Reads "accum_nored" and its like, of either spelling.
std::optional<AccumForm> parseAccum(llvm::StringRef name);
llvm::StringRef accumName(AccumForm form);

} // namespace mirage::import

#endif // MIRAGE_LIB_IMPORT_FORMAT_H
