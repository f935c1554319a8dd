#include "mlir/Dialect/Linalg/IR/Linalg.h"
