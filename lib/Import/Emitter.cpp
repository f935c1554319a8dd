//===- Emitter.cpp - From the format's ops to a program's -----------------===//

#include "Emitter.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::semantics;

ValueId Emitter::emit(OpKind kind, llvm::ArrayRef<ValueId> operands,
                      Attrs attrs, const TensorType *result) {
  llvm::SmallVector<TensorType, 3> types;
  for (ValueId id : operands) {
    if (id < 0)
      return -1;
    types.push_back(program.type(id));
  }
  llvm::Expected<TensorType> type =
      inferType(kind, attrs, types, level, result);
  if (!type) {
    log.complain(where, llvm::toString(type.takeError()));
    return -1;
  }
  ValueId id = program.addValue(*type);
  ops.push_back(
      {kind, std::move(attrs), {operands.begin(), operands.end()}, {id}, {}});
  return id;
}

ValueId Emitter::emitReshape(ValueId operand, Shape shape) {
  if (operand < 0)
    return -1;
  TensorType type{std::move(shape), program.type(operand).dtype};
  return emit(OpKind::Reshape, operand, {}, &type);
}

ValueId Emitter::emitReduce(ValueId operand, int dim) {
  Attrs attrs;
  attrs.dims = {dim};
  return emit(OpKind::Reduce, operand, attrs);
}

ValueId Emitter::emitReduceTo(ValueId operand, int dim, int64_t size) {
  if (operand < 0)
    return -1;
  Shape shape = program.type(operand).shape;
  if (dim >= static_cast<int>(shape.size()) || shape[dim] % size != 0) {
    log.expected(where,
                 "dimension " + llvm::Twine(dim) +
                     " to be a multiple of reduction_dimx " + llvm::Twine(size),
                 toString(llvm::ArrayRef<int64_t>(shape)));
    return -1;
  }
  Shape grouped = shape;
  grouped[dim] = shape[dim] / size;
  grouped.insert(grouped.begin() + dim + 1, size);
  shape[dim] = size;
  return emitReshape(emitReduce(emitReshape(operand, grouped), dim), shape);
}

ValueId Emitter::emitScale(ValueId operand, ConstantValue factor) {
  if (operand < 0)
    return -1;
  const TensorType &type = program.type(operand);
  TensorType scalar{Shape(type.rank(), 1),
                    level == Level::Block ? DType::F32 : type.dtype};
  Attrs attrs;
  attrs.constant = factor;
  ValueId constant = emit(OpKind::Constant, {}, attrs, &scalar);
  return emit(OpKind::Mul, {operand, constant});
}

ValueId Emitter::emitRmsNorm(ValueId operand) {
  if (operand < 0)
    return -1;
  if (level == Level::Kernel)
    return emit(OpKind::RmsNorm, operand);
  const Shape shape = program.type(operand).shape;
  ValueId squares = emitReduce(emit(OpKind::Square, operand),
                               static_cast<int>(shape.size()) - 1);
  ValueId mean = emitScale(
      squares,
      ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, shape.back()));
  return emit(OpKind::Div, {operand, emit(OpKind::Sqrt, mean)});
}

ValueId Emitter::castTo(ValueId operand, DType dtype) {
  if (operand < 0 || program.type(operand).dtype == dtype)
    return operand;
  TensorType type{program.type(operand).shape, dtype};
  return emit(OpKind::Cast, operand, {}, &type);
}

ValueId Emitter::emitMatmul(ValueId lhs, ValueId rhs, DType dtype) {
  if (level == Level::Kernel)
    return emit(OpKind::Matmul, {lhs, rhs});
  ValueId left = castTo(lhs, dtype);
  return emit(OpKind::Matmul, {left, lhs == rhs ? left : castTo(rhs, dtype)});
}

ValueId Emitter::emitForm(const OpEntry &entry, Fields &fields,
                          llvm::ArrayRef<ValueId> operands, DType dtype,
                          int64_t reductionDimX) {
  Attrs attrs;
  switch (entry.form) {
  case Form::Elementwise:
    return emit(entry.kind, operands);
  case Form::Matmul:
    return emitMatmul(operands[0], operands[1], dtype);
  case Form::MulScalar:
    return emitScale(operands[0],
                     ConstantValue::makeLiteral(fields.number("scalar")));
  case Form::Clamp:
    attrs.lo = fields.number("min_val");
    attrs.hi = fields.number("max_val");
    return emit(OpKind::Clamp, operands, attrs);
  case Form::Reduce:
  case Form::ReduceToDimx:
    if (fields.has("reduce_dim"))
      fields.integer("reduce_dim", entry.dim, entry.dim);
    if (fields.has("reduce_size")) {
      int64_t size = entry.form == Form::Reduce ? 1 : reductionDimX;
      fields.integer("reduce_size", size, size);
    }
    return entry.form == Form::Reduce
               ? emitReduce(operands[0], entry.dim)
               : emitReduceTo(operands[0], entry.dim, reductionDimX);
  case Form::RmsNorm:
    if (fields.has("normalized_size")) {
      int64_t size = program.type(operands[0]).shape.back();
      fields.integer("normalized_size", size, size);
    }
    return emitRmsNorm(operands[0]);
  case Form::Concat:
    if (fields.has("concat_dim"))
      fields.integer("concat_dim", entry.dim, entry.dim);
    attrs.dims = {entry.dim};
    return emit(OpKind::Concat, operands, attrs);
  case Form::ConcatMatmul:
    // [A, B] * [C; D] = A * C + B * D.
    return emit(OpKind::Add, {emitMatmul(operands[0], operands[2], dtype),
                              emitMatmul(operands[1], operands[3], dtype)});
  }
  return -1;
}
