//===- Format.cpp - Names and numbers of the stored graphs ----------------===//

#include "Format.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::semantics;

namespace json = llvm::json;

namespace {
struct DTypeEntry {
  int64_t number;
  DType type;
};
constexpr DTypeEntry kFirst[] = {{920, DType::BF16},
                                 {921, DType::F16},
                                 {930, DType::F32},
                                 {940, DType::F64}};
constexpr DTypeEntry kSecond[] = {{940, DType::BF16},
                                  {941, DType::F16},
                                  {950, DType::F32},
                                  {960, DType::F64}};

constexpr OpEntry kOps[] = {
    {"exp", Form::Elementwise, OpKind::Exp, 1},
    {"square", Form::Elementwise, OpKind::Square, 1},
    {"sqrt", Form::Elementwise, OpKind::Sqrt, 1},
    {"silu", Form::Elementwise, OpKind::Silu, 1},
    {"sigmoid", Form::Elementwise, OpKind::Sigmoid, 1},
    {"gelu", Form::Elementwise, OpKind::GeluErf, 1},
    {"relu", Form::Elementwise, OpKind::Relu, 1},
    {"log", Form::Elementwise, OpKind::Log, 1},
    {"add", Form::Elementwise, OpKind::Add, 2},
    {"sub", Form::Elementwise, OpKind::Sub, 2},
    {"mul", Form::Elementwise, OpKind::Mul, 2},
    {"div", Form::Elementwise, OpKind::Div, 2},
    {"pow", Form::Elementwise, OpKind::Pow, 2},
    {"matmul", Form::Matmul, OpKind::Matmul, 2},
    {"mul_scalar", Form::MulScalar, OpKind::Mul, 1},
    {"clamp", Form::Clamp, OpKind::Clamp, 1},
    {"reduction_0", Form::Reduce, OpKind::Reduce, 1, 0},
    {"reduction_1", Form::Reduce, OpKind::Reduce, 1, 1},
    {"reduction_2", Form::Reduce, OpKind::Reduce, 1, 2},
    {"reduction_0_to_dimx", Form::ReduceToDimx, OpKind::Reduce, 1, 0},
    {"reduction_1_to_dimx", Form::ReduceToDimx, OpKind::Reduce, 1, 1},
    {"reduction_2_to_dimx", Form::ReduceToDimx, OpKind::Reduce, 1, 2},
    {"rms_norm", Form::RmsNorm, OpKind::RmsNorm, 1},
    {"concat_0", Form::Concat, OpKind::Concat, 2, 0},
    {"concat_1", Form::Concat, OpKind::Concat, 2, 1},
    {"concat_2", Form::Concat, OpKind::Concat, 2, 2},
    {"concat_then_matmul", Form::ConcatMatmul, OpKind::Matmul, 4},
};

struct AccumEntry {
  llvm::StringLiteral name;
  AccumForm form;
};
constexpr AccumEntry kAccums[] = {
    {"nored", AccumForm::NoRed},
    {"red_ld_sum", AccumForm::Sum},
    {"red_ld_mean", AccumForm::Mean},
    {"red_ld_rms", AccumForm::Rms},
    {"redtox_ld_sum", AccumForm::SumToDimx},
};

void collectNumbers(const json::Value &value, std::vector<int64_t> &numbers) {
  if (const json::Array *list = value.getAsArray()) {
    for (const json::Value &element : *list)
      collectNumbers(element, numbers);
  } else if (const json::Object *object = value.getAsObject()) {
    for (const auto &entry : *object) {
      std::optional<int64_t> number;
      if (entry.first == "data_type")
        number = entry.second.getAsInteger();
      if (number)
        numbers.push_back(*number);
      else
        collectNumbers(entry.second, numbers);
    }
  }
}
} // namespace

Numbering mirage::import::findNumbering(const json::Value &file) {
  std::vector<int64_t> numbers;
  collectNumbers(file, numbers);
  for (int64_t number : numbers)
    if (number == 920 || number == 921)
      return Numbering::First;
  for (int64_t number : numbers)
    if (number == 941 || number == 950 || number == 960)
      return Numbering::Second;
  return llvm::is_contained(numbers, 940) ? Numbering::Second
                                          : Numbering::First;
}

std::optional<DType> mirage::import::parseDType(int64_t number,
                                                Numbering numbering) {
  llvm::ArrayRef<DTypeEntry> table = numbering == Numbering::First
                                         ? llvm::ArrayRef(kFirst)
                                         : llvm::ArrayRef(kSecond);
  for (const DTypeEntry &entry : table)
    if (entry.number == number)
      return entry.type;
  return std::nullopt;
}

std::optional<int64_t> mirage::import::dtypeNumber(DType type) {
  for (const DTypeEntry &entry : kFirst)
    if (entry.type == type)
      return entry.number;
  return std::nullopt;
}

const OpEntry *mirage::import::findOp(llvm::StringRef name) {
  for (const OpEntry &entry : kOps)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

const OpEntry *mirage::import::findElementwise(OpKind kind) {
  for (const OpEntry &entry : kOps)
    if (entry.form == Form::Elementwise && entry.kind == kind)
      return &entry;
  return nullptr;
}

std::optional<AccumForm> mirage::import::parseAccum(llvm::StringRef name) {
  name.consume_front("forloop_");
  if (!name.consume_front("accum_"))
    return std::nullopt;
  for (const AccumEntry &entry : kAccums)
    if (entry.name == name)
      return entry.form;
  return std::nullopt;
}

llvm::StringRef mirage::import::accumName(AccumForm form) {
  return kAccums[static_cast<unsigned>(form)].name;
}
