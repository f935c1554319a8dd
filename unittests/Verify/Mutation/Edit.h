//===- Edit.h - Changing one op of a program --------------------*- C++ -*-===//
//
// An Editor walks a program and offers changed copies of it. A copy is kept if
// it obeys verifyProgram once all types are inferred again, still has the
// program's signature, and has not been offered before.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_EDIT_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_EDIT_H

#include "Mirage/Semantics/Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <set>

namespace mirage::verify::mutation {

using namespace semantics;

struct Edited {
  std::string kind; ///< row of the table
  std::string what; ///< the op and its change
  Program program;
};

/// Infers the type of every result again. False where a rule is broken.
bool retype(Program &program);

/// The op at a place of the preorder walk, and where it stands.
struct Site {
  std::vector<Op> *list = nullptr;
  size_t index = 0;
  Level level = Level::Kernel;
  Op *graph = nullptr, *loop = nullptr; ///< around it

  Op &op() const { return (*list)[index]; }
};

/// False past the last op.
bool findSite(Program &program, unsigned place, Site &site);

/// Reads of `from` become reads of `to`, accumulators and outputs included.
void replaceUses(Program &program, ValueId from, ValueId to);

/// Inserts ops before a site; `site.index` moves along.
class Inserter {
public:
  Inserter(Program &program, Site &site) : program(program), site(site) {}

  /// -1 where the op is malformed; so is then all that reads it.
  ValueId op(OpKind kind, llvm::ArrayRef<ValueId> operands, Attrs attrs = {});
  ValueId constant(ConstantValue value, ValueId like);
  ValueId literal(double value, ValueId like) {
    return constant(ConstantValue::makeLiteral(value), like);
  }
  /// Swaps the last two dims.
  ValueId transpose(ValueId x);
  ValueId reduce(ReduceKind kind, ValueId x, llvm::ArrayRef<int64_t> dims);
  ValueId slice(ValueId x, size_t dim, int64_t first, int64_t size);
  ValueId concat(llvm::ArrayRef<ValueId> parts, size_t dim);

  /// Makes the site's op compute this, under its old result id.
  void become(OpKind kind, llvm::ArrayRef<ValueId> operands, Attrs attrs = {});

  Op &target() { return site.op(); }
  const TensorType &type(ValueId id) const { return program.type(id); }

private:
  Program &program;
  Site &site;
};

class Editor {
public:
  explicit Editor(const Program &source);

  /// A changed copy. `change` returns false where it does not apply.
  void offer(llvm::StringRef kind, llvm::StringRef what,
             llvm::function_ref<bool(Program &)> change);
  /// The same for a change of one op.
  void offerAt(unsigned place, llvm::StringRef kind, llvm::StringRef what,
               llvm::function_ref<bool(Program &, Site &)> change);

  const Program &source;
  std::vector<Edited> edited;

private:
  std::string signature;
  std::set<std::string> seen;
};

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_EDIT_H
