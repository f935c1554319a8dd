//===- Fields.cpp - Strict access to a JSON object ------------------------===//

#include "Fields.h"

#include "llvm/Support/raw_ostream.h"

using namespace mirage;
using namespace mirage::import;

namespace json = llvm::json;

std::string mirage::import::describe(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  constexpr size_t longest = 60;
  if (text.size() > longest) {
    text.resize(longest);
    text += "...";
  }
  return text;
}

std::optional<Fields> Fields::of(const json::Value &value, std::string where,
                                 Log &log) {
  if (const json::Object *object = value.getAsObject())
    return Fields(*object, std::move(where), log);
  log.expected(where, "an object", describe(value));
  return std::nullopt;
}

const json::Value *Fields::get(llvm::StringRef key) {
  asked.push_back(key);
  const json::Value *value = object->get(key);
  if (!value)
    expected(key, "a value", "no such field");
  return value;
}

int64_t Fields::integer(llvm::StringRef key, int64_t low, int64_t high) {
  const json::Value *value = get(key);
  if (!value)
    return low;
  std::optional<int64_t> number = value->getAsInteger();
  if (number && *number >= low && *number <= high)
    return *number;
  expected(key,
           "an integer from " + llvm::Twine(low) + " to " + llvm::Twine(high),
           describe(*value));
  return low;
}

double Fields::number(llvm::StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return 0;
  if (std::optional<double> number = value->getAsNumber())
    return *number;
  expected(key, "a number", describe(*value));
  return 0;
}

bool Fields::boolean(llvm::StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return false;
  if (std::optional<bool> flag = value->getAsBoolean())
    return *flag;
  expected(key, "true or false", describe(*value));
  return false;
}

std::string Fields::string(llvm::StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return "";
  if (std::optional<llvm::StringRef> text = value->getAsString())
    return text->str();
  expected(key, "a string", describe(*value));
  return "";
}

const json::Array &Fields::array(llvm::StringRef key) {
  static const json::Array none;
  const json::Value *value = get(key);
  if (!value)
    return none;
  if (const json::Array *list = value->getAsArray())
    return *list;
  expected(key, "a list", describe(*value));
  return none;
}

std::vector<int64_t> Fields::integers(llvm::StringRef key) {
  std::vector<int64_t> numbers;
  for (const json::Value &value : array(key)) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number) {
      expected(key, "a list of integers", describe(value));
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::array<int64_t, 3> Fields::xyz(llvm::StringRef key, int64_t low,
                                   int64_t high) {
  const json::Value *value = get(key);
  if (!value)
    return {low, low, low};
  auto axes = of(*value, place + ": field '" + key.str() + "'", *log);
  if (!axes)
    return {low, low, low};
  std::array<int64_t, 3> result = {axes->integer("x", low, high),
                                   axes->integer("y", low, high),
                                   axes->integer("z", low, high)};
  axes->finish();
  return result;
}

void Fields::finish() {
  llvm::SmallVector<llvm::StringRef> unknown;
  for (const auto &entry : *object)
    if (!llvm::is_contained(asked, llvm::StringRef(entry.first)))
      unknown.push_back(entry.first);
  // The table of an object is hashed; name the same field in every run.
  llvm::sort(unknown);
  if (!unknown.empty())
    expected(unknown[0], "no such field", describe(*object->get(unknown[0])));
}
