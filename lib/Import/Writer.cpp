//===- Writer.cpp - Ops in the stored form --------------------------------===//

#include "Writer.h"

#include "llvm/Support/Error.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::semantics;

namespace json = llvm::json;

llvm::Error mirage::import::cannotWrite(const llvm::Twine &expected,
                                        const llvm::Twine &got) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "expected " + expected + ", but got " + got);
}

json::Object mirage::import::xyzObject(llvm::ArrayRef<int64_t> values) {
  return json::Object{{"x", values[0]}, {"y", values[1]}, {"z", values[2]}};
}

json::Object OpWriter::tensorObject(const WrittenTensor &tensor) const {
  json::Array dims;
  for (size_t i = 0; i < 4; ++i)
    dims.push_back(i < tensor.type.shape.size() ? tensor.type.shape[i] : 0);
  json::Object object{
      {"guid", tensor.guid},
      {"dim", std::move(dims)},
      {"num_dims", tensor.type.rank()},
      // `lookup` refuses types without a number.
      {"data_type", dtypeNumber(tensor.type.dtype).value_or(0)},
      {"layout", level == Level::Kernel ? "DmemRowMajor" : "SmemRowMajor"}};
  if (level == Level::Block) {
    object["after_accum"] = tensor.after;
    // Where tiles lie is the reader's plan to make; 0 says nothing of it.
    object["smem_offset"] = 0;
  }
  return object;
}

llvm::Expected<WrittenTensor> OpWriter::lookup(ValueId id) const {
  auto found = written.find(id);
  if (found == written.end())
    return cannotWrite("operands that are results of ops of the format",
                       "a value of type " + toString(program.type(id)));
  const TensorType &type = found->second.type;
  if (!dtypeNumber(type.dtype) || type.rank() < 1 || type.rank() > 4)
    return cannotWrite("a tensor of rank 1 to 4 of bf16, f16, f32 or f64",
                       toString(type));
  return found->second;
}

WrittenTensor OpWriter::define(ValueId id, TensorType type, bool after) {
  WrittenTensor tensor{level == Level::Kernel ? guids.tensor++ : guids.tile++,
                       std::move(type), after};
  written.try_emplace(id, tensor);
  return tensor;
}

/// A constant and its product with a tensor.
size_t OpWriter::matchScale(llvm::ArrayRef<Op> ops) const {
  if (ops.size() < 2 || ops[0].kind != OpKind::Constant ||
      ops[1].kind != OpKind::Mul || !usedOnce(ops[0]) ||
      ops[1].operands[1] != ops[0].results[0] ||
      program.type(ops[0].results[0]).numElements() != 1)
    return 0;
  return 2;
}

static bool isSumOf(const Op &op, ValueId operand) {
  return op.kind == OpKind::Reduce && op.attrs.reduce == ReduceKind::Sum &&
         op.attrs.dims.size() == 1 && op.operands[0] == operand;
}

size_t OpWriter::matchReduceTo(llvm::ArrayRef<Op> ops) const {
  if (ops.size() < 3 || ops[0].kind != OpKind::Reshape ||
      !isSumOf(ops[1], ops[0].results[0]) || ops[2].kind != OpKind::Reshape ||
      ops[2].operands[0] != ops[1].results[0] || !usedOnce(ops[0]) ||
      !usedOnce(ops[1]))
    return 0;
  // in[.., k, j, ..] and out[.., j, ..] beside in's own shape.
  Shape shape = program.type(ops[0].operands[0]).shape;
  Shape grouped = program.type(ops[0].results[0]).shape;
  Shape result = program.type(ops[2].results[0]).shape;
  size_t dim = ops[1].attrs.dims[0];
  if (grouped.size() != shape.size() + 1 || dim + 1 >= grouped.size())
    return 0;
  Shape merged = grouped;
  merged[dim] *= merged[dim + 1];
  merged.erase(merged.begin() + dim + 1);
  grouped.erase(grouped.begin() + dim);
  return merged == shape && grouped == result && dim < 3 ? 3 : 0;
}

size_t OpWriter::matchRmsNorm(llvm::ArrayRef<Op> ops) const {
  if (ops.size() < 6 || ops[0].kind != OpKind::Square ||
      !isSumOf(ops[1], ops[0].results[0]) || matchScale(ops.drop_front(2)) == 0)
    return 0;
  for (size_t i : {0, 1, 3, 4})
    if (!usedOnce(ops[i]))
      return 0;
  ValueId input = ops[0].operands[0];
  const Shape &shape = program.type(input).shape;
  bool matches =
      ops[1].attrs.dims[0] == static_cast<int64_t>(shape.size()) - 1 &&
      ops[2].attrs.constant ==
          ConstantValue::makeExtent(ConstantValue::Kind::InvExtent,
                                    shape.back()) &&
      ops[3].operands[0] == ops[1].results[0] && ops[4].kind == OpKind::Sqrt &&
      ops[4].operands[0] == ops[3].results[0] && ops[5].kind == OpKind::Div &&
      ops[5].operands[0] == input && ops[5].operands[1] == ops[4].results[0];
  return matches ? 6 : 0;
}

llvm::Error OpWriter::setReductionDimX(int64_t size) {
  if (reductionDimX != 0 && reductionDimX != size)
    return cannotWrite("reductions of a block graph to one size, " +
                           llvm::Twine(reductionDimX),
                       llvm::Twine(size));
  reductionDimX = size;
  return llvm::Error::success();
}

llvm::Error OpWriter::next(llvm::ArrayRef<Op> &ops) {
  const Op &first = ops[0];
  if (level == Level::Block) {
    if (size_t length = matchRmsNorm(ops)) {
      ValueId result = ops[length - 1].results[0];
      ops = ops.drop_front(length);
      return write("rms_norm", first.operands, result);
    }
    if (size_t length = matchReduceTo(ops)) {
      ValueId result = ops[length - 1].results[0];
      int64_t dim = ops[1].attrs.dims[0];
      ops = ops.drop_front(length);
      if (llvm::Error e = setReductionDimX(program.type(result).shape[dim]))
        return e;
      return write(
          "reduction_" + std::to_string(dim) + "_to_dimx", first.operands,
          result,
          json::Object{{"reduce_dim", dim}, {"reduce_size", reductionDimX}});
    }
  }
  if (size_t length = matchScale(ops)) {
    const Op &product = ops[1];
    ops = ops.drop_front(length);
    if (first.attrs.constant.kind != ConstantValue::Kind::Literal)
      return cannotWrite("factors that are literals",
                         toString(first.attrs.constant));
    return write("mul_scalar", product.operands[0], product.results[0],
                 json::Object{{"scalar", first.attrs.constant.literal}});
  }
  ops = ops.drop_front();
  return writeOne(first);
}

llvm::Error OpWriter::writeOne(const Op &op) {
  if (const OpEntry *entry = findElementwise(op.kind))
    return write(entry->name, op.operands, op.results[0]);
  const Attrs &attrs = op.attrs;
  auto refuse = [&](const llvm::Twine &expected) {
    return cannotWrite(expected, "'" + mnemonic(op.kind) + "' of type " +
                                     toString(program.type(op.results[0])));
  };
  switch (op.kind) {
  case OpKind::Matmul:
    if (attrs.transposeRhs)
      return refuse("products whose right operand is not transposed");
    if (level == Level::Block)
      for (ValueId id : op.operands) {
        auto operand = lookup(id);
        if (!operand)
          return operand.takeError();
        if (operand->type.dtype != program.type(id).dtype)
          return refuse("products of tiles of " +
                        stringify(operand->type.dtype));
      }
    return write("matmul", op.operands, op.results[0]);
  case OpKind::Clamp:
    return write("clamp", op.operands, op.results[0],
                 json::Object{{"min_val", attrs.lo}, {"max_val", attrs.hi}});
  case OpKind::Reduce:
    if (!isSumOf(op, op.operands[0]) || attrs.dims[0] > 2)
      return refuse("sums along one dimension below 3");
    return write(
        "reduction_" + std::to_string(attrs.dims[0]), op.operands,
        op.results[0],
        json::Object{{"reduce_dim", attrs.dims[0]}, {"reduce_size", 1}});
  case OpKind::RmsNorm:
    if (attrs.epsilon != 0 || attrs.hasScale)
      return refuse("norms without epsilon and scale");
    return write("rms_norm", op.operands, op.results[0]);
  case OpKind::Concat:
    if (op.operands.size() != 2 || attrs.dims[0] > 2)
      return refuse("concatenations of 2 operands along a dimension below 3");
    return write("concat_" + std::to_string(attrs.dims[0]), op.operands,
                 op.results[0], json::Object{{"concat_dim", attrs.dims[0]}});
  case OpKind::Cast: {
    auto operand = lookup(op.operands[0]);
    if (!operand)
      return operand.takeError();
    // Tiles are stored in their element type as it is; the reader casts again.
    if (level != Level::Block ||
        operand->type.dtype != program.type(op.results[0]).dtype)
      return refuse("no casts to other element types");
    written.try_emplace(op.results[0], *operand);
    return llvm::Error::success();
  }
  default:
    return refuse("an op that the format has");
  }
}

llvm::Error OpWriter::write(llvm::StringRef name,
                            llvm::ArrayRef<ValueId> operands, ValueId result,
                            json::Object attributes) {
  json::Array inputs;
  bool after = false;
  std::optional<DType> dtype;
  for (ValueId id : operands) {
    llvm::Expected<WrittenTensor> operand = lookup(id);
    if (!operand)
      return operand.takeError();
    after |= operand->after;
    if (!dtype)
      dtype = operand->type.dtype;
    else if (*dtype != operand->type.dtype)
      return cannotWrite("operands of '" + name + "' of one element type",
                         stringify(*dtype) + " and " +
                             stringify(operand->type.dtype));
    inputs.push_back(tensorObject(*operand));
  }
  // Block ops compute in f32, but a tile is stored in its operands' type.
  TensorType type = program.type(result);
  if (level == Level::Block)
    type.dtype = *dtype;
  json::Array outputs{tensorObject(define(result, type, after))};
  attributes["op_type"] =
      ((level == Level::Kernel ? "kn_" : "tb_") + name + "_op").str();
  attributes["input_tensors"] = std::move(inputs);
  attributes["output_tensors"] = std::move(outputs);
  list.push_back(std::move(attributes));
  return llvm::Error::success();
}
