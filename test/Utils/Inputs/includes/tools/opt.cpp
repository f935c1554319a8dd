#include "mlir/Dialect/GPU/IR/GPUDialect.h"
