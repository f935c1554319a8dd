//===- Context.cpp - Contexts and what is reported in them ----------------===//

#include "Internal.h"

#include "Mirage/Cost/Target.h"
#include "Mirage/InitAll.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mirage;

// What front ends write, by name: registering every dialect would make the
// self-contained library three times as large.
static void insertDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect,
                  index::IndexDialect, linalg::LinalgDialect, math::MathDialect,
                  ml_program::MLProgramDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  mirage::registerAllDialects(registry);
}

// Without a thread pool of MLIR's: the process is the caller's, and the search
// and the verifier, where the time goes, start threads of their own.
MirageContext::MirageContext() : mlir(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  insertDialects(registry);
  mlir.appendDialectRegistry(registry);
  // The text of an op with its certificate would drown the message about it.
  mlir.printOpOnDiagnostic(false);
}

/// The first place in a text that a location names.
static FileLineColLoc placeOf(Location location) {
  FileLineColLoc place;
  location->walk([&](Location part) {
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

static void printDiagnostic(Diagnostic &diagnostic, raw_ostream &os) {
  auto one = [&](Diagnostic &d, const char *kind) {
    // A location that names no text is left out.
    if (FileLineColLoc place = placeOf(d.getLocation()))
      os << place.getFilename().getValue() << ":" << place.getLine() << ":"
         << place.getColumn() << ": ";
    os << kind << d << "\n";
  };
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    one(diagnostic, "");
    break;
  case DiagnosticSeverity::Warning:
    one(diagnostic, "warning: ");
    break;
  case DiagnosticSeverity::Remark:
  case DiagnosticSeverity::Note:
    one(diagnostic, "remark: ");
    break;
  }
  for (Diagnostic &note : diagnostic.getNotes())
    one(note, "note: ");
}

capi::Call::Call(MirageContext *context) : context(context) {
  context->errors.clear();
  context->remarks.clear();
  handler = context->mlir.getDiagEngine().registerHandler(
      [context](Diagnostic &diagnostic) {
        bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
        llvm::raw_string_ostream os(isError ? context->errors
                                            : context->remarks);
        printDiagnostic(diagnostic, os);
        return success();
      });
}

capi::Call::~Call() { context->mlir.getDiagEngine().eraseHandler(handler); }

void capi::Call::fail(llvm::Error error) {
  if (error)
    context->errors += llvm::toString(std::move(error)) + "\n";
}

char *capi::copyString(llvm::StringRef text) {
  char *copy = static_cast<char *>(malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

int mirageApiVersion() { return MIRAGE_C_API_VERSION; }
const char *mirageVersion() { return MIRAGE_VERSION; }
void mirageStringDestroy(char *string) { free(string); }
MirageContext *mirageContextCreate() { return new MirageContext(); }
void mirageContextDestroy(MirageContext *context) { delete context; }

const char *mirageContextErrors(const MirageContext *context) {
  return context->errors.c_str();
}

const char *mirageContextRemarks(const MirageContext *context) {
  return context->remarks.c_str();
}
