#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Value.h"
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
