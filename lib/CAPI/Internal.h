//===- Internal.h - What stands behind the C interface ----------*- C++ -*-===//

#ifndef MIRAGE_LIB_CAPI_INTERNAL_H
#define MIRAGE_LIB_CAPI_INTERNAL_H

#include "Mirage-c/Mirage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <string>

struct MirageContext {
  MirageContext();

  mlir::MLIRContext mlir;
  std::string errors, remarks;
};

struct MirageModule {
  MirageContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

namespace mirage::capi {

/// One call of the interface: clears the context's texts, and collects what is
/// reported while it lives.
class Call {
public:
  explicit Call(MirageContext *context);
  ~Call();
  /// Adds an error that came in another way than as a diagnostic.
  void fail(llvm::Error error);
  bool failed() const { return !context->errors.empty(); }

private:
  MirageContext *context;
  mlir::DiagnosticEngine::HandlerID handler;
};

/// The function named, or the only public one that has a body; null after a
/// diagnostic.
mlir::func::FuncOp selectFunction(const MirageModule &module, const char *name);

/// A copy that mirageStringDestroy frees.
char *copyString(llvm::StringRef text);

inline llvm::StringRef orEmpty(const char *text) {
  return text ? llvm::StringRef(text) : llvm::StringRef();
}

} // namespace mirage::capi

#endif // MIRAGE_LIB_CAPI_INTERNAL_H
