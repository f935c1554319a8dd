//===- ProgramJSON.h - Programs as JSON -------------------------*- C++ -*-===//
//
// How reports and caches keep a program. Attributes that have their default are
// left out; everything else is there, so that a program read back is equal.
//
//   {"values": ["16x64xf16", ...], "inputs": 2, "outputs": [5],
//    "ops": [{"op": "matmul", "in": [0, 1], "out": [2]},
//            {"op": "graph", "in": [2], "out": [5], "grid": [4, 1, 1],
//             "body": [...]}]}
//
// Literals are strings, because JSON readers differ in what a double keeps.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEMANTICS_PROGRAMJSON_H
#define MIRAGE_SEMANTICS_PROGRAMJSON_H

#include "Mirage/Semantics/Program.h"
#include "llvm/Support/JSON.h"

namespace mirage::semantics {

llvm::json::Value toJSON(const Program &program);

/// Reads a program and verifies it. An unknown, missing or mistyped field is an
/// error that names it.
llvm::Expected<Program> programFromJSON(const llvm::json::Value &value);

} // namespace mirage::semantics

#endif // MIRAGE_SEMANTICS_PROGRAMJSON_H
