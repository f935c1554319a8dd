//===- Run.cpp - The interpreter behind the C interface -------------------===//

#include "Internal.h"

#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Conversion/LinalgToKernel/LinalgToKernel.h"
#include "Mirage/Interpreter/Npy.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;
using namespace mirage;
using interpreter::Tensor;
using mirage::capi::Call;

static bool needsRaising(func::FuncOp func) {
  return llvm::any_of(func.getBody().front().without_terminator(),
                      [](Operation &op) {
                        return !isa<kernel::KernelDialect>(op.getDialect());
                      });
}

/// The program of a function, raised from linalg in a copy where it needs to
/// be.
static FailureOr<semantics::Program> readProgram(func::FuncOp func) {
  if (!func.getBody().hasOneBlock() || !needsRaising(func))
    return toProgram(func);
  OwningOpRef<ModuleOp> copy(func->getParentOfType<ModuleOp>().clone());
  auto same = copy->lookupSymbol<func::FuncOp>(func.getName());
  PassManager manager(func.getContext(), func::FuncOp::getOperationName());
  manager.addPass(createConvertLinalgToKernelPass());
  if (failed(manager.run(same)))
    return failure();
  return toProgram(same);
}

static llvm::Error checkCount(const char *what, size_t expected, size_t got) {
  if (expected == got)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::formatv("expected {0} {1}, but got {2}", expected, what, got));
}

static llvm::Error checkSize(const char *what, size_t index,
                             const semantics::TensorType &type, size_t got) {
  if (static_cast<size_t>(type.byteSize()) == got)
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "{0} {1}: expected {2} bytes, those of {3}, but got {4}", what, index,
      type.byteSize(), semantics::toString(type), got));
}

static llvm::Error runProgram(const semantics::Program &program,
                              llvm::ArrayRef<MirageBuffer> inputs,
                              llvm::ArrayRef<MirageBuffer> outputs, bool exact,
                              unsigned threads) {
  if (llvm::Error error =
          checkCount("inputs", program.numInputs, inputs.size()))
    return error;
  if (llvm::Error error =
          checkCount("outputs", program.outputs.size(), outputs.size()))
    return error;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const semantics::TensorType &type = program.type(i);
    if (llvm::Error error = checkSize("input", i, type, inputs[i].bytes))
      return error;
    tensors.push_back(interpreter::unpackElements(
        type,
        StringRef(static_cast<const char *>(inputs[i].data), inputs[i].bytes)));
  }
  auto outputType = [&](size_t i) {
    semantics::TensorType type = program.type(program.outputs[i]);
    if (exact && semantics::isFloat(type.dtype))
      type.dtype = semantics::DType::F64;
    return type;
  };
  for (size_t i = 0; i < outputs.size(); ++i)
    if (llvm::Error error =
            checkSize("output", i, outputType(i), outputs[i].bytes))
      return error;
  llvm::Expected<std::vector<Tensor>> results = interpreter::run(
      program, tensors,
      exact ? interpreter::Mode::F64 : interpreter::Mode::Program, threads);
  if (!results)
    return results.takeError();
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor &result = (*results)[i];
    result.type = outputType(i);
    std::string bytes = interpreter::packElements(result);
    memcpy(outputs[i].data, bytes.data(), bytes.size());
  }
  return llvm::Error::success();
}

bool mirageModuleRun(const MirageModule *module, const char *function,
                     const MirageBuffer *inputs, size_t numInputs,
                     const MirageBuffer *outputs, size_t numOutputs, bool exact,
                     unsigned threads) {
  Call call(module->context);
  func::FuncOp func = capi::selectFunction(*module, function);
  if (!func)
    return false;
  FailureOr<semantics::Program> program = readProgram(func);
  if (failed(program))
    return false;
  call.fail(runProgram(*program, {inputs, numInputs}, {outputs, numOutputs},
                       exact, threads));
  return !call.failed();
}
