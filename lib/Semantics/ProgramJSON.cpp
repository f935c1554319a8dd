//===- ProgramJSON.cpp - Programs as JSON ---------------------------------===//

#include "Mirage/Semantics/ProgramJSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mirage::semantics;
namespace json = llvm::json;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr StringRef kReduceNames[] = {"sum", "max", "mean"};
static constexpr StringRef kPredicateNames[] = {"eq", "ne", "lt",
                                                "le", "gt", "ge"};
static constexpr StringRef kAccumulatorNames[] = {"sum", "max", "rescale"};
static constexpr StringRef kConstantNames[] = {
    "literal", "extent", "inv_extent", "rsqrt_extent", "neg_inf"};

template <class Enum>
static StringRef nameOf(Enum value, llvm::ArrayRef<StringRef> names) {
  return names[static_cast<size_t>(value)];
}

static std::string exact(double value) {
  return llvm::formatv("{0}", llvm::format("%.17g", value)).str();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
template <class List> json::Array toArray(const List &list) {
  json::Array array;
  for (auto element : list)
    array.push_back(static_cast<int64_t>(element));
  return array;
}

/// Writes the attributes that differ from their defaults.
void writeAttrs(const Attrs &a, json::Object &to) {
  const Attrs none;
  auto list = [&](StringRef name, const auto &value, const auto &standard) {
    if (value != standard)
      to[name] = toArray(value);
  };
  auto number = [&](StringRef name, int64_t value, int64_t standard) {
    if (value != standard)
      to[name] = value;
  };
  auto flag = [&](StringRef name, bool value, bool standard) {
    if (value != standard)
      to[name] = value;
  };
  // -0.0 differs from 0.0 in its sign alone.
  auto real = [&](StringRef name, double value) {
    if (value != 0.0 || std::signbit(value))
      to[name] = exact(value);
  };
  if (a.reduce != none.reduce)
    to["reduce"] = nameOf(a.reduce, kReduceNames);
  if (a.predicate != none.predicate)
    to["predicate"] = nameOf(a.predicate, kPredicateNames);
  list("dims", a.dims, none.dims);
  list("offsets", a.offsets, none.offsets);
  list("sizes", a.sizes, none.sizes);
  list("strides", a.strides, none.strides);
  flag("transpose_rhs", a.transposeRhs, none.transposeRhs);
  real("lo", a.lo);
  real("hi", a.hi);
  real("epsilon", a.epsilon);
  flag("has_scale", a.hasScale, none.hasScale);
  flag("has_bias", a.hasBias, none.hasBias);
  list("grid", a.grid, none.grid);
  list("cluster", a.cluster, none.cluster);
  number("threads", a.threads, none.threads);
  number("stages", a.stages, none.stages);
  number("range", a.range, none.range);
  list("imap", a.imap, none.imap);
  number("fmap", a.fmap, none.fmap);
  flag("interleaved", a.interleaved, none.interleaved);
  list("omap", a.omap, none.omap);
  number("grid_dim", a.gridDim, none.gridDim);
  number("accumulator", a.accumulator, none.accumulator);
  flag("current", a.current, none.current);
}

json::Object writeOp(const Op &op) {
  json::Object to{{"op", mnemonic(op.kind)}};
  if (!op.operands.empty())
    to["in"] = toArray(op.operands);
  if (!op.results.empty())
    to["out"] = toArray(op.results);
  writeAttrs(op.attrs, to);
  if (op.kind == OpKind::Constant) {
    const ConstantValue &constant = op.attrs.constant;
    to["constant"] = nameOf(constant.kind, kConstantNames);
    if (constant.kind == ConstantValue::Kind::Literal)
      to["literal"] = exact(constant.literal);
    else if (constant.kind != ConstantValue::Kind::NegInf)
      to["extent"] = constant.extent;
  }
  if (!op.attrs.accumulators.empty()) {
    json::Array list;
    for (const Accumulator &one : op.attrs.accumulators) {
      json::Object entry{{"kind", nameOf(one.kind, kAccumulatorNames)},
                         {"value", one.value}};
      if (one.factor != -1)
        entry["factor"] = one.factor;
      if (one.reduceDim != -1)
        entry["reduce_dim"] = one.reduceDim;
      list.push_back(std::move(entry));
    }
    to["accumulators"] = std::move(list);
  }
  if (!op.body.empty()) {
    json::Array body;
    for (const Op &inner : op.body)
      body.push_back(writeOp(inner));
    to["body"] = std::move(body);
  }
  return to;
}
} // namespace

json::Value mirage::semantics::toJSON(const Program &program) {
  json::Array values, ops;
  for (const TensorType &type : program.values)
    values.push_back(toString(type));
  for (const Op &op : program.ops)
    ops.push_back(writeOp(op));
  return json::Object{{"values", std::move(values)},
                      {"inputs", static_cast<int64_t>(program.numInputs)},
                      {"ops", std::move(ops)},
                      {"outputs", toArray(program.outputs)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
Error mistake(const llvm::Twine &what) {
  return llvm::createStringError("program: " + what);
}

std::string show(const json::Value &value) {
  std::string text = llvm::formatv("{0}", value).str();
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

/// Reads the fields of one object and remembers what is wrong first. Every
/// field that is asked for counts as known.
class Fields {
public:
  Fields(const json::Object &object, StringRef what)
      : object(object), what(what) {}

  const json::Value *get(StringRef name) {
    known.push_back(name);
    return object.get(name);
  }
  const json::Value *need(StringRef name) {
    const json::Value *value = get(name);
    if (!value)
      fail("a field '" + name + "' of " + what, "none");
    return value;
  }
  void fail(const llvm::Twine &expected, const llvm::Twine &got) {
    if (message.empty())
      message = ("expected " + expected + ", but got " + got).str();
  }
  void wrong(StringRef name, StringRef kind, const json::Value &value) {
    fail("'" + name + "' to be " + kind, show(value));
  }

  template <class Int> void number(StringRef name, Int &to) {
    if (const json::Value *value = get(name)) {
      std::optional<int64_t> number = value->getAsInteger();
      if (!number || *number < std::numeric_limits<Int>::min() ||
          *number > std::numeric_limits<Int>::max())
        return wrong(name, "an integer in range", *value);
      to = static_cast<Int>(*number);
    }
  }
  void flag(StringRef name, bool &to) {
    if (const json::Value *value = get(name)) {
      if (std::optional<bool> flag = value->getAsBoolean())
        to = *flag;
      else
        wrong(name, "true or false", *value);
    }
  }
  void real(StringRef name, double &to) {
    if (const json::Value *value = get(name)) {
      std::optional<StringRef> text = value->getAsString();
      if (!text || text->getAsDouble(to, /*AllowInexact=*/true))
        wrong(name, "a number in quotes", *value);
    }
  }
  template <class Enum>
  void name(StringRef field, llvm::ArrayRef<StringRef> names, Enum &to) {
    if (const json::Value *value = get(field)) {
      std::optional<StringRef> text = value->getAsString();
      const auto *at = text ? llvm::find(names, *text) : names.end();
      if (at == names.end())
        return wrong(field, "one of " + llvm::join(names, ", "), *value);
      to = static_cast<Enum>(at - names.begin());
    }
  }
  template <class Element, class Add>
  void list(StringRef name, const json::Value *value, Add add) {
    if (!value)
      return;
    const json::Array *array = value->getAsArray();
    if (!array)
      return wrong(name, "a list", *value);
    for (const json::Value &element : *array) {
      std::optional<int64_t> number = element.getAsInteger();
      if (!number || *number < std::numeric_limits<Element>::min() ||
          *number > std::numeric_limits<Element>::max())
        return wrong(name, "a list of integers", *value);
      add(static_cast<Element>(*number));
    }
  }
  template <class List> void numbers(StringRef name, List &to) {
    list<typename List::value_type>(name, get(name),
                                    [&](auto value) { to.push_back(value); });
  }
  template <class Element>
  void triple(StringRef name, std::array<Element, 3> &to) {
    const json::Value *value = get(name);
    size_t count = 0;
    list<Element>(name, value, [&](Element element) {
      if (count < 3)
        to[count] = element;
      ++count;
    });
    if (value && count != 3)
      wrong(name, "a list of 3", *value);
  }

  Error finish() {
    if (message.empty())
      for (const auto &field : object)
        if (!llvm::is_contained(known, StringRef(field.first)) &&
            (message.empty() || StringRef(field.first) < first)) {
          first = StringRef(field.first).str();
          message =
              "expected no field '" + first + "' of " + what + ", but got one";
        }
    return message.empty() ? Error::success() : mistake(message);
  }

private:
  const json::Object &object;
  std::string what, message, first;
  llvm::SmallVector<StringRef, 32> known;
};

void readAttrs(Fields &fields, Attrs &a) {
  fields.name("reduce", kReduceNames, a.reduce);
  fields.name("predicate", kPredicateNames, a.predicate);
  fields.numbers("dims", a.dims);
  fields.numbers("offsets", a.offsets);
  fields.numbers("sizes", a.sizes);
  fields.numbers("strides", a.strides);
  fields.flag("transpose_rhs", a.transposeRhs);
  fields.real("lo", a.lo);
  fields.real("hi", a.hi);
  fields.real("epsilon", a.epsilon);
  fields.flag("has_scale", a.hasScale);
  fields.flag("has_bias", a.hasBias);
  fields.triple("grid", a.grid);
  fields.triple("cluster", a.cluster);
  fields.number("threads", a.threads);
  fields.number("stages", a.stages);
  fields.number("range", a.range);
  fields.triple("imap", a.imap);
  fields.number("fmap", a.fmap);
  fields.flag("interleaved", a.interleaved);
  fields.triple("omap", a.omap);
  fields.number("grid_dim", a.gridDim);
  fields.number("accumulator", a.accumulator);
  fields.flag("current", a.current);
  fields.name("constant", kConstantNames, a.constant.kind);
  fields.real("literal", a.constant.literal);
  fields.number("extent", a.constant.extent);
}

Expected<Accumulator> readAccumulator(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return mistake("expected an accumulator, but got " + show(value));
  Fields fields(*object, "an accumulator");
  Accumulator result;
  fields.name("kind", kAccumulatorNames, result.kind);
  fields.number("value", result.value);
  fields.number("factor", result.factor);
  fields.number("reduce_dim", result.reduceDim);
  if (Error error = fields.finish())
    return std::move(error);
  return result;
}

Expected<std::vector<Op>> readOps(const json::Value *value);

Expected<Op> readOp(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return mistake("expected an op, but got " + show(value));
  Fields fields(*object, "an op");
  Op op{};
  if (const json::Value *name = fields.need("op")) {
    std::optional<StringRef> text = name->getAsString();
    std::optional<OpKind> kind =
        text ? parseOpKind(*text) : std::optional<OpKind>();
    if (kind)
      op.kind = *kind;
    else
      fields.wrong("op", "an operator", *name);
  }
  fields.numbers("in", op.operands);
  fields.numbers("out", op.results);
  readAttrs(fields, op.attrs);
  const json::Value *accumulators = fields.get("accumulators"),
                    *body = fields.get("body");
  if (Error error = fields.finish())
    return std::move(error);
  if (accumulators) {
    const json::Array *list = accumulators->getAsArray();
    if (!list)
      return mistake("expected a list of accumulators, but got " +
                     show(*accumulators));
    for (const json::Value &one : *list) {
      Expected<Accumulator> accumulator = readAccumulator(one);
      if (!accumulator)
        return accumulator.takeError();
      op.attrs.accumulators.push_back(*accumulator);
    }
  }
  if (body) {
    Expected<std::vector<Op>> ops = readOps(body);
    if (!ops)
      return ops.takeError();
    op.body = std::move(*ops);
  }
  return op;
}

// The reader of the text bounds its nesting, and with it this recursion.
Expected<std::vector<Op>> readOps(const json::Value *value) {
  const json::Array *list = value ? value->getAsArray() : nullptr;
  if (!list)
    return mistake("expected a list of ops, but got " +
                   (value ? show(*value) : std::string("none")));
  std::vector<Op> ops;
  for (const json::Value &entry : *list) {
    Expected<Op> op = readOp(entry);
    if (!op)
      return op.takeError();
    ops.push_back(std::move(*op));
  }
  return ops;
}

/// "16x64xf16"; "f16" has no dims.
Expected<TensorType> readType(const json::Value &value) {
  TensorType type;
  llvm::SmallVector<StringRef> parts;
  StringRef text = value.getAsString().value_or("");
  text.split(parts, 'x');
  bool good = false;
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64,
                      DType::I1, DType::I32, DType::I64})
    if (stringify(dtype) == parts.back()) {
      type.dtype = dtype;
      good = true;
    }
  parts.pop_back();
  for (StringRef part : parts) {
    int64_t size = 0;
    good &= !part.getAsInteger(10, size);
    type.shape.push_back(size);
  }
  if (!good)
    return mistake("expected a tensor type, but got " + show(value));
  return type;
}
} // namespace

Expected<Program> mirage::semantics::programFromJSON(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return mistake("expected an object, but got " + show(value));
  Fields fields(*object, "a program");
  Program program;
  const json::Value *values = fields.need("values"), *ops = fields.need("ops");
  if (fields.need("inputs"))
    fields.number("inputs", program.numInputs);
  if (fields.need("outputs"))
    fields.numbers("outputs", program.outputs);
  if (Error error = fields.finish())
    return std::move(error);
  const json::Array *types = values->getAsArray();
  if (!types)
    return mistake("expected a list of values, but got " + show(*values));
  for (const json::Value &one : *types) {
    Expected<TensorType> type = readType(one);
    if (!type)
      return type.takeError();
    program.values.push_back(std::move(*type));
  }
  Expected<std::vector<Op>> list = readOps(ops);
  if (!list)
    return list.takeError();
  program.ops = std::move(*list);
  if (Error error = verifyProgram(program))
    return std::move(error);
  return program;
}
