#include "Mirage/Bridge/Bridge.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
