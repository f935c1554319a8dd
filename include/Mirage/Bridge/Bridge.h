//===- Bridge.h - Between the dialects and plain programs -------*- C++ -*-===//
//
// The mgraph_kernel and mgraph_block dialects and semantics::Program say the
// same thing, op for op. The search, the verifier and the interpreter work on
// Programs; this is the door.
//
//   kernel op             Op of the same mnemonic, values numbered in order
//   graph arguments       the Graph's operands (a Load names one of them)
//   store                 a Store; its tensor is the Graph's result
//   terminator of a loop  Attrs::accumulators of the Loop
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_BRIDGE_BRIDGE_H
#define MIRAGE_BRIDGE_BRIDGE_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Semantics/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mirage {

/// The program of `ops`, in this order, with these inputs and outputs. Every
/// value that the ops read is an input or the result of an op before. A value
/// or op that a program cannot hold is a diagnostic at the op.
llvm::FailureOr<semantics::Program>
toProgram(llvm::ArrayRef<mlir::Operation *> ops, mlir::ValueRange inputs,
          mlir::ValueRange outputs);

/// The program of a function whose ops are all of mgraph_kernel but the return.
llvm::FailureOr<semantics::Program> toProgram(mlir::func::FuncOp func);

/// The function named, or the only public one with a body where `name` is empty
/// (the originals that a search keeps are private). Null after a diagnostic,
/// which offers `otherwise`, as in "--function to name one".
mlir::func::FuncOp selectFunction(mlir::ModuleOp module, llvm::StringRef name,
                                  llvm::StringRef otherwise);

/// The program that consists of this graph.
llvm::FailureOr<semantics::Program> toProgram(kernel::GraphOp graph);

/// Builds the ops of `program` at the builder's insertion point and returns its
/// outputs. The program obeys semantics::verifyProgram, and `inputs` have the
/// types of its inputs. Every op gets the location `loc`.
llvm::SmallVector<mlir::Value> fromProgram(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           const semantics::Program &program,
                                           mlir::ValueRange inputs);

} // namespace mirage

#endif // MIRAGE_BRIDGE_BRIDGE_H
