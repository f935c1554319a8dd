//===- Writer.h - Ops in the stored form ------------------------*- C++ -*-===//

#ifndef MIRAGE_LIB_IMPORT_WRITER_H
#define MIRAGE_LIB_IMPORT_WRITER_H

#include "Format.h"
#include "llvm/ADT/DenseMap.h"

namespace mirage::import {

/// A tensor or tile in the file.
struct WrittenTensor {
  int64_t guid;
  semantics::TensorType type; ///< as the file stores it
  bool after = false;         ///< block level: after an accumulator
};

/// Numbers what is written. Tensors and tiles count apart, as in the files.
struct Guids {
  int64_t tensor = 10000000, tile = 20000000;
};

/// Writes runs of ops at one level. Some ops of the format are several of a
/// program's; such a group is only taken where it stands in the order in which
/// the reader makes it, and where nothing else uses what is inside.
class OpWriter {
public:
  using ValueId = semantics::ValueId;
  using Written = llvm::DenseMap<ValueId, WrittenTensor>;

  OpWriter(const semantics::Program &program, semantics::Level level,
           Guids &guids, llvm::ArrayRef<unsigned> uses, Written &written,
           llvm::json::Array &list)
      : program(program), level(level), guids(guids), uses(uses),
        written(written), list(list) {}

  /// Writes the op, or group of ops, at the front of `ops`, and takes it off.
  llvm::Error next(llvm::ArrayRef<semantics::Op> &ops);

  llvm::json::Object tensorObject(const WrittenTensor &tensor) const;
  /// The tensor of a value, or an error where no op was written for it.
  llvm::Expected<WrittenTensor> lookup(ValueId id) const;
  WrittenTensor define(ValueId id, semantics::TensorType type, bool after);

  /// The length of the group at the front of `ops`, or 0.
  size_t matchScale(llvm::ArrayRef<semantics::Op> ops) const;
  size_t matchReduceTo(llvm::ArrayRef<semantics::Op> ops) const;
  size_t matchRmsNorm(llvm::ArrayRef<semantics::Op> ops) const;
  bool usedOnce(const semantics::Op &op) const {
    return uses[op.results[0]] == 1;
  }

  /// Size to which the file's reductions "to dimx" reduce, once one is written.
  int64_t reductionDimX = 0;
  llvm::Error setReductionDimX(int64_t size);

private:
  llvm::Error write(llvm::StringRef name, llvm::ArrayRef<ValueId> operands,
                    ValueId result, llvm::json::Object attributes = {});
  llvm::Error writeOne(const semantics::Op &op);

  const semantics::Program &program;
  semantics::Level level;
  Guids &guids;
  llvm::ArrayRef<unsigned> uses;
  Written &written;
  llvm::json::Array &list;
};

/// The error of a program that the format cannot hold.
llvm::Error cannotWrite(const llvm::Twine &expected, const llvm::Twine &got);

llvm::json::Object xyzObject(llvm::ArrayRef<int64_t> values);

/// Writes a Graph as the `bgraph` of a kn_customized_op. `tensors` are those of
/// its operands, `results` those of its results.
llvm::Expected<llvm::json::Object>
writeBlockGraph(const semantics::Program &program, const semantics::Op &graph,
                Guids &guids, llvm::ArrayRef<unsigned> uses,
                const OpWriter &kernel);

} // namespace mirage::import

#endif // MIRAGE_LIB_IMPORT_WRITER_H
