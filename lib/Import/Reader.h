//===- Reader.h - What the readers of both levels share ---------*- C++ -*-===//

#ifndef MIRAGE_LIB_IMPORT_READER_H
#define MIRAGE_LIB_IMPORT_READER_H

#include "Fields.h"
#include "Format.h"

namespace mirage::import {

/// A tensor or tile as an op names it.
struct StoredTensor {
  int64_t guid = 0;
  semantics::TensorType type;
  bool afterAccum = false; ///< block level only
};

/// Largest guid and byte offset that is taken for one.
constexpr int64_t kMaxStored = int64_t(1) << 53;

/// Reads one tensor object of `level`.
StoredTensor readTensor(const llvm::json::Value &value, std::string where,
                        semantics::Level level, Numbering numbering, Log &log);

/// Reads `field`, a list of `count` tensors, or of at least one if -1.
std::vector<StoredTensor> readTensors(Fields &fields, llvm::StringRef field,
                                      int count, semantics::Level level,
                                      Numbering numbering, Log &log);

/// Logs unless `used` is `known` in type and place.
void checkSame(const StoredTensor &used, const StoredTensor &known,
               const std::string &where, Log &log);

/// The op_type of an object, with its prefix ("kn_" or "tb_") and "_op" taken
/// off; empty after a failure. Renames `fields` after it.
std::string readOpType(Fields &fields, llvm::StringRef prefix, Log &log);

/// Reads the block graph of a kn_customized_op into `graph`, whose operands are
/// set; `inputs` and `outputs` are its tensors. Sets body and attributes, and
/// `order`: the output that each store writes.
void readBlockGraph(Fields &bgraph, llvm::ArrayRef<StoredTensor> inputs,
                    llvm::ArrayRef<StoredTensor> outputs,
                    semantics::Program &program, semantics::Op &graph,
                    std::vector<unsigned> &order, Numbering numbering,
                    Log &log);

} // namespace mirage::import

#endif // MIRAGE_LIB_IMPORT_READER_H
