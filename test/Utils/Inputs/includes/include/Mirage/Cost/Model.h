#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "Mirage/Bridge/Bridge.h"
