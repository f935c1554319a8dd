//===- PassNumber.h - Numbers as options of passes --------------*- C++ -*-===//
//
// A pass option that does not parse ends in two messages, of which one is
// empty. This type takes any text; the pass asks for what was wrong and says it
// once, like its other diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_PASSNUMBER_H
#define MIRAGE_TRANSFORMS_PASSNUMBER_H

#include "llvm/Support/CommandLine.h"
#include <cstdint>
#include <string>

namespace mirage {

struct PassNumber {
  uint64_t value = 0;
  std::string text; ///< what was given, if it is no number

  PassNumber(uint64_t value = 0) : value(value) {}
  operator uint64_t() const { return value; }
  bool operator==(const PassNumber &other) const {
    return value == other.value && text == other.text;
  }
  /// What was given, as text.
  std::string str() const {
    return text.empty() ? std::to_string(value) : text;
  }
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const PassNumber &number) {
  return os << number.str();
}

} // namespace mirage

template <>
class llvm::cl::parser<mirage::PassNumber>
    : public llvm::cl::basic_parser<mirage::PassNumber> {
public:
  using basic_parser::basic_parser;

  bool parse(Option &, StringRef, StringRef argument,
             mirage::PassNumber &number) {
    number = {};
    if (argument.getAsInteger(10, number.value))
      number.text = argument.empty() ? "nothing" : argument.str();
    return false;
  }
  StringRef getValueName() const override { return "number"; }
  void printOptionDiff(const Option &option, const mirage::PassNumber &number,
                       const OptionValue<mirage::PassNumber> &,
                       size_t width) const {
    printOptionName(option, width);
    outs() << "= " << number << '\n';
  }
};

#endif // MIRAGE_TRANSFORMS_PASSNUMBER_H
