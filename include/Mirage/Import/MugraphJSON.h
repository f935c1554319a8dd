//===- MugraphJSON.h - The published system's stored graphs -----*- C++ -*-===//
//
// Reads and writes the JSON in which the published Mirage stores what its
// search found: a list of graphs, each a list of kernel-level ops.
// docs/mugraph-json.md states the format's facts and what each op becomes.
//
// Reading is strict. A message names the graph, the op and the field at fault,
// what was expected and what was found. What it accepts obeys
// semantics::verifyProgram.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_IMPORT_MUGRAPHJSON_H
#define MIRAGE_IMPORT_MUGRAPHJSON_H

#include "Mirage/Semantics/Program.h"

namespace mirage::import {

struct MugraphFile {
  std::vector<semantics::Program> graphs;
  /// What the programs do not carry over, such as strides: one line each.
  std::vector<std::string> notes;
};

/// Reads every graph of a file, or says why the first one at fault is refused.
llvm::Expected<MugraphFile> readMugraphs(llvm::StringRef text);

/// Writes programs in the same format. Reading the text gives programs of the
/// same ops, for all that readMugraphs made. An op, map or accumulator that the
/// format lacks is an error that names it.
llvm::Expected<std::string>
writeMugraphs(llvm::ArrayRef<semantics::Program> programs);

} // namespace mirage::import

#endif // MIRAGE_IMPORT_MUGRAPHJSON_H
