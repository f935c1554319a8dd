//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Reads and writes .npy files of format 1.0 to 3.0: little-endian, C order.
//
//   f16 <f2   f32 <f4   f64 <f8   i32 <i4   i64 <i8   i1 |b1   bf16 <V2
//
// NumPy has no bf16: such a file holds the 16-bit patterns as 2-byte void
// elements, which is what ml_dtypes writes; in NumPy, view them as uint16. A
// file of f32 is read as bf16 too if bf16 holds each of its values exactly.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_INTERPRETER_NPY_H
#define MIRAGE_INTERPRETER_NPY_H

#include "Mirage/Interpreter/Interpreter.h"

namespace mirage::interpreter {

/// The elements as they lie in memory, in host and device alike: little-endian,
/// row-major, rounded to the tensor's type.
std::string packElements(const Tensor &tensor);
/// The tensor of this type whose elements are `bytes`, exactly as many.
Tensor unpackElements(const semantics::TensorType &type, llvm::StringRef bytes);

/// Reads the tensor in `bytes`, the contents of a file.
llvm::Expected<Tensor> parseNpy(llvm::StringRef bytes);
/// Reads a file as a tensor of `type`, or says what it holds instead.
llvm::Expected<Tensor> readNpy(llvm::StringRef path,
                               const semantics::TensorType &type);

/// The contents of a file that holds `tensor`. Values are rounded to its type.
std::string formatNpy(const Tensor &tensor);
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

} // namespace mirage::interpreter

#endif // MIRAGE_INTERPRETER_NPY_H
