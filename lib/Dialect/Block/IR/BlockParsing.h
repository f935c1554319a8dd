//===- BlockParsing.h - Custom directives of mgraph_block -------*- C++ -*-===//

#ifndef MIRAGE_LIB_DIALECT_BLOCK_IR_BLOCKPARSING_H
#define MIRAGE_LIB_DIALECT_BLOCK_IR_BLOCKPARSING_H

#include "Mirage/Dialect/Block/IR/Block.h"

namespace mirage::block {

/// `custom<Yield>`: `%a, %b : types` or `sum %a, rescale(%f, 1) %b : types`,
/// the types in the order in which the operands are written.
mlir::ParseResult
parseYield(mlir::OpAsmParser &parser,
           llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &values,
           llvm::SmallVectorImpl<mlir::Type> &valueTypes,
           llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &factors,
           llvm::SmallVectorImpl<mlir::Type> &factorTypes,
           mlir::ArrayAttr &accumulators);
void printYield(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ValueRange values, mlir::TypeRange valueTypes,
                mlir::ValueRange factors, mlir::TypeRange factorTypes,
                mlir::ArrayAttr accumulators);

/// The rest of a tile type after its `<`, or null with an error.
mlir::Type parseTileRest(mlir::AsmParser &parser);

/// A type, where a tile may stand without its prefix: `<16x64xf32>`.
mlir::ParseResult parseShortType(mlir::AsmParser &parser, mlir::Type &type);
void printShortType(mlir::AsmPrinter &printer, mlir::Type type);

} // namespace mirage::block

#endif // MIRAGE_LIB_DIALECT_BLOCK_IR_BLOCKPARSING_H
