//===- Fields.h - Strict access to a JSON object ----------------*- C++ -*-===//

#ifndef MIRAGE_LIB_IMPORT_FIELDS_H
#define MIRAGE_LIB_IMPORT_FIELDS_H

#include "Mirage/Semantics/Program.h"
#include "llvm/Support/JSON.h"

namespace mirage::import {

/// Keeps the first complaint: those that follow are mostly its consequences.
class Log {
public:
  void expected(const llvm::Twine &where, const llvm::Twine &what,
                const llvm::Twine &got) {
    complain(where, "expected " + what + ", but got " + got);
  }
  void complain(const llvm::Twine &where, const llvm::Twine &message) {
    if (first.empty())
      first = (where + ": " + message).str();
  }
  bool failed() const { return !first.empty(); }
  llvm::Error take() const {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), first);
  }

private:
  std::string first;
};

/// A value as a message shows it: short, on one line.
std::string describe(const llvm::json::Value &value);

/// One object, read field by field. A getter that fails logs and returns a
/// default, so check the log before using what it gave. `finish` complains of
/// fields that nothing asked for: they could change the meaning.
class Fields {
public:
  Fields(const llvm::json::Object &object, std::string where, Log &log)
      : object(&object), place(std::move(where)), log(&log) {}

  /// Logs unless `value` is an object.
  static std::optional<Fields> of(const llvm::json::Value &value,
                                  std::string where, Log &log);

  const std::string &where() const { return place; }
  void rename(std::string where) { place = std::move(where); }
  bool has(llvm::StringRef key) const { return object->get(key); }

  const llvm::json::Value *get(llvm::StringRef key);
  int64_t integer(llvm::StringRef key, int64_t low, int64_t high);
  double number(llvm::StringRef key);
  bool boolean(llvm::StringRef key);
  std::string string(llvm::StringRef key);
  /// Empty after a failure.
  const llvm::json::Array &array(llvm::StringRef key);
  std::vector<int64_t> integers(llvm::StringRef key);
  /// {x, y, z}, each in [low, high].
  std::array<int64_t, 3> xyz(llvm::StringRef key, int64_t low, int64_t high);
  void finish();

  void expected(llvm::StringRef key, const llvm::Twine &what,
                const llvm::Twine &got) const {
    log->expected(place + ": field '" + key + "'", what, got);
  }

private:
  const llvm::json::Object *object;
  std::string place;
  Log *log;
  llvm::SmallVector<llvm::StringRef, 8> asked;
};

} // namespace mirage::import

#endif // MIRAGE_LIB_IMPORT_FIELDS_H
