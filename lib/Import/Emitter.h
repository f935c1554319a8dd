//===- Emitter.h - From the format's ops to a program's ---------*- C++ -*-===//

#ifndef MIRAGE_LIB_IMPORT_EMITTER_H
#define MIRAGE_LIB_IMPORT_EMITTER_H

#include "Fields.h"
#include "Format.h"

namespace mirage::import {

/// Appends ops with inferred types. An op that its shape rule refuses is
/// logged; its value is -1, and so are all that depend on it.
class Emitter {
public:
  using ValueId = semantics::ValueId;

  Emitter(semantics::Program &program, std::vector<semantics::Op> &ops,
          semantics::Level level, std::string where, Log &log)
      : program(program), ops(ops), level(level), where(std::move(where)),
        log(log) {}

  ValueId emit(semantics::OpKind kind, llvm::ArrayRef<ValueId> operands,
               semantics::Attrs attrs = {},
               const semantics::TensorType *result = nullptr);

  /// The op of this entry. Reads the attributes that it has from `fields`.
  /// Products at block level read tiles of `dtype`, as the format says that
  /// tiles are stored; every other op there computes in f32.
  ValueId emitForm(const OpEntry &entry, Fields &fields,
                   llvm::ArrayRef<ValueId> operands, semantics::DType dtype,
                   int64_t reductionDimX);

  /// sum over k of in[.., j + k * size, ..], the format's reduction to dimx.
  ValueId emitReduceTo(ValueId operand, int dim, int64_t size);
  ValueId emitReduce(ValueId operand, int dim);
  /// `operand` times a constant.
  ValueId emitScale(ValueId operand, semantics::ConstantValue factor);
  /// x / sqrt(mean of x^2 over the last dim), in primitives at block level.
  ValueId emitRmsNorm(ValueId operand);

private:
  ValueId emitMatmul(ValueId lhs, ValueId rhs, semantics::DType dtype);
  ValueId castTo(ValueId operand, semantics::DType dtype);
  ValueId emitReshape(ValueId operand, semantics::Shape shape);

  semantics::Program &program;
  std::vector<semantics::Op> &ops;
  semantics::Level level;
  std::string where;
  Log &log;
};

} // namespace mirage::import

#endif // MIRAGE_LIB_IMPORT_EMITTER_H
