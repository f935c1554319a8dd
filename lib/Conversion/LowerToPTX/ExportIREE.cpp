//===- ExportIREE.cpp - Lowered modules as input of iree-compile ----------===//
//
//   gpu.binary @b, func @f { mgraph_kernel.launch plan {kernels f_0, f_1} }
//     ->  hal.executable.source @b, one PTX object, exports @f_0 and @f_1
//         func @f { flow.dispatch @b::@f_0; flow.dispatch @b::@f_1 }
//
// Written as text, since IREE's dialects are not registered here. The two hal
// ops are in the generic form, which keeps its spelling while IREE's pretty
// one changes. IREE passes the bindings of a dispatch as pointers, its operands
// first and then its results, and launches by cuLaunchKernel or as a node of a
// CUDA graph: there is no room for launch attributes.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/Export.h"
#include "Mirage/Conversion/PlanAttribute.h"
#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Dialect/Common/IR/Common.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mirage;
using runtime::ParameterKind;
using runtime::PlanKernel;

namespace {
/// Blocks of a cluster that any device with clusters runs. More of them need
/// an attribute of the function, which IREE does not set.
constexpr int64_t kPortableCluster = 8;

/// One buffer of a launch as an SSA value of the text.
struct Buffer {
  std::string name; ///< empty before the first write
  std::string type;
};

/// The buffers of one launch.
struct Buffers {
  std::vector<Buffer> inputs, outputs, scratch;

  Buffer &operator[](const runtime::PlanParameter &parameter) {
    switch (parameter.kind) {
    case ParameterKind::Input:
      return inputs[parameter.index];
    case ParameterKind::Output:
      return outputs[parameter.index];
    case ParameterKind::Scratch:
      return scratch[parameter.index];
    }
    llvm_unreachable("all kinds are listed");
  }
};

class IREEWriter {
public:
  IREEWriter(ModuleOp module, StringRef objectPath)
      : module(module), objectPath(objectPath), exportsOS(exports),
        functionsOS(functions) {}

  FailureOr<std::string> run() {
    FailureOr<std::string> ptx = exportPTX(module);
    if (failed(ptx))
      return failure();
    binary = (*module.getOps<gpu::BinaryOp>().begin()).getSymNameAttr();
    for (Operation &op : *module.getBody()) {
      if (isa<gpu::BinaryOp>(op))
        continue;
      auto func = dyn_cast<func::FuncOp>(op);
      if (!func)
        return op.emitError("expected only functions and one gpu.binary in a "
                            "module to export, but got '")
               << op.getName() << "'";
      if (func.isExternal() || func->hasAttr(kReferenceRoleAttribute))
        continue;
      if (failed(writeFunction(func)))
        return failure();
    }
    if (ordinal == 0)
      return emitError(module.getLoc(),
                       "expected at least one mgraph_kernel.launch, as "
                       "mirage-lower-to-ptx leaves it, but got 0");
    return assemble(*ptx);
  }

private:
  /// Straight-line launches and their return: anything else would be lost.
  LogicalResult writeFunction(func::FuncOp func) {
    if (!func.getBody().hasOneBlock())
      return func.emitError("expected a function of one block, but got ")
             << func.getBody().getBlocks().size();
    values.clear();
    numValues = 0;
    functionsOS << "  func.func " << (func.isPrivate() ? "private " : "")
                << symbol(func) << "(";
    llvm::interleaveComma(func.getArguments(), functionsOS, [&](Value value) {
      std::string name = "%arg" + llvm::utostr(values.size());
      functionsOS << name << ": " << value.getType();
      values[value] = name;
    });
    functionsOS << ") -> (";
    llvm::interleaveComma(func.getResultTypes(), functionsOS);
    functionsOS << ") {\n";
    for (Operation &op : func.getBody().front()) {
      if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
        if (failed(writeLaunch(launch)))
          return failure();
        continue;
      }
      auto returned = dyn_cast<func::ReturnOp>(op);
      if (!returned)
        return op.emitError("expected only mgraph_kernel.launch in a function "
                            "to export, but got '")
               << op.getName() << "'";
      functionsOS << "    return";
      if (returned.getNumOperands() != 0)
        functionsOS << " ";
      llvm::interleaveComma(returned.getOperands(), functionsOS,
                            [&](Value v) { functionsOS << values[v]; });
      if (returned.getNumOperands() != 0)
        functionsOS << " : ";
      llvm::interleaveComma(returned.getOperandTypes(), functionsOS);
      functionsOS << "\n";
    }
    functionsOS << "  }\n";
    return success();
  }

  LogicalResult writeLaunch(kernel::LaunchOp launch) {
    llvm::Expected<runtime::LaunchPlan> plan =
        planFromAttribute(launch.getPlan());
    if (!plan)
      return launch.emitError(llvm::toString(plan.takeError()));
    if (plan->inputs.size() != launch.getInputs().size() ||
        plan->outputs.size() != launch.getNumResults())
      return launch.emitError("expected a plan of ")
             << launch.getInputs().size() << " inputs and "
             << launch.getNumResults() << " outputs, but got "
             << plan->inputs.size() << " and " << plan->outputs.size();
    for (auto [i, scratch] : llvm::enumerate(plan->scratch))
      if (scratch.zero)
        return launch.emitError("expected scratch without a zero fill in a "
                                "plan to export, but got one of scratch ")
               << i;
    Buffers buffers;
    for (Value value : launch.getInputs())
      buffers.inputs.push_back({values[value], spell(value.getType())});
    for (const semantics::TensorType &type : plan->outputs)
      buffers.outputs.push_back(
          {"", spell(tensorFromSemantics(module.getContext(), type))});
    for (const runtime::PlanScratch &scratch : plan->scratch)
      buffers.scratch.push_back(
          {"", "tensor<" + llvm::itostr(scratch.bytes) + "xi8>"});
    for (const PlanKernel &kernel : plan->kernels)
      if (failed(writeKernel(launch, kernel, buffers)))
        return failure();
    for (auto [result, buffer] :
         llvm::zip_equal(launch.getResults(), buffers.outputs)) {
      if (spell(result.getType()) != buffer.type)
        return launch.emitError("expected the plan's output ")
               << result.getResultNumber() << " to be " << result.getType()
               << ", but got " << buffer.type;
      values[result] = buffer.name;
    }
    return success();
  }

  LogicalResult checkKernel(kernel::LaunchOp launch, const PlanKernel &kernel) {
    if (kernel.dependentLaunch)
      return launch.emitError("expected kernels for plain launches, as "
                              "mirage-lower-to-ptx=\"launch=plain\" leaves "
                              "them, but got ")
             << kernel.name << " for dependent launch";
    int64_t blocks = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2];
    if (blocks > kPortableCluster)
      return launch.emitError("expected clusters of at most ")
             << kPortableCluster << " blocks, but got " << blocks << " in "
             << kernel.name;
    return success();
  }

  /// The plan's rule: a kernel writes the buffers that no kernel before it
  /// has, else its last one, in place.
  LogicalResult writeKernel(kernel::LaunchOp launch, const PlanKernel &kernel,
                            Buffers &buffers) {
    if (failed(checkKernel(launch, kernel)))
      return failure();
    SmallVector<Buffer *> operands, results;
    for (const runtime::PlanParameter &parameter : kernel.parameters) {
      Buffer &buffer = buffers[parameter];
      if (!buffer.name.empty() && !results.empty())
        return launch.emitError("expected the parameters that ")
               << kernel.name << " writes after those that it reads, but got "
               << "a read of " << buffer.name << " after a write";
      (buffer.name.empty() ? results : operands).push_back(&buffer);
    }
    bool inPlace = results.empty();
    if (inPlace && (kernel.parameters.empty() ||
                    kernel.parameters.back().kind == ParameterKind::Input))
      return launch.emitError("expected an output or scratch as the last "
                              "parameter of ")
             << kernel.name << ", but got none";
    writeExport(kernel, operands.size(), results.size(), inPlace);

    std::string uses;
    for (Buffer *buffer : operands)
      uses += (uses.empty() ? "" : ", ") + buffer->name;
    std::string operandTypes, resultTypes;
    for (Buffer *buffer : operands)
      operandTypes += (operandTypes.empty() ? "" : ", ") + buffer->type;
    for (Buffer *buffer : results)
      resultTypes += (resultTypes.empty() ? "" : ", ") + buffer->type;
    if (inPlace) {
      results.push_back(operands.back());
      resultTypes = operands.back()->name;
    }
    functionsOS << "    ";
    llvm::interleaveComma(results, functionsOS, [&](Buffer *buffer) {
      buffer->name = "%" + llvm::utostr(numValues++);
      functionsOS << buffer->name;
    });
    functionsOS << " = flow.dispatch " << spell(SymbolRefAttr::get(binary))
                << "::" << symbol(kernel.name) << "(" << uses << ") : ("
                << operandTypes << ") -> ";
    functionsOS << (results.size() == 1 ? resultTypes : "(" + resultTypes + ")")
                << "\n";
    return success();
  }

  void writeExport(const PlanKernel &kernel, size_t numOperands,
                   size_t numResults, bool inPlace) {
    exportsOS << "    \"hal.executable.export\"() <{\n"
              << "      sym_name = " << spell(string(kernel.name))
              << ", sym_visibility = \"public\", ordinal = " << ordinal++
              << " : index,\n"
              << "      layout = #hal.pipeline.layout<bindings = [";
    for (size_t i = 0; i < numOperands + numResults; ++i) {
      bool written = inPlace ? i + 1 == numOperands : i >= numOperands;
      exportsOS << (i ? ",\n        " : "\n        ")
                << "#hal.pipeline.binding<storage_buffer"
                << (written ? ">" : ", ReadOnly>");
    }
    exportsOS << "]>,\n      workgroup_size = [" << kernel.threads
              << " : index, 1 : index, 1 : index],\n"
              << "      workgroup_local_memory = " << kernel.sharedBytes
              << " : index\n    }> ({\n    ^bb0(%device: !hal.device):\n";
    for (auto [i, size] : llvm::enumerate(kernel.grid))
      exportsOS << "      %" << "xyz"[i] << " = arith.constant " << size
                << " : index\n";
    exportsOS << "      \"hal.return\"(%x, %y, %z) : (index, index, index) -> "
                 "()\n    }, {}) : () -> ()\n";
  }

  std::string assemble(StringRef ptx) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "#target = #hal.executable.target<\"cuda\", \"cuda-nvptx-fb\">\n"
       << "module {\n  \"hal.executable.source\"() <{\n    sym_name = "
       << spell(binary) << ", sym_visibility = \"private\",\n"
       << "    objects = #hal.executable.objects<{#target = [\n"
       << "      #hal.executable.object<{path = ";
    if (!objectPath.empty())
      os << spell(string(objectPath));
    else
      os << spell(string((binary.getValue() + ".ptx").str()))
         << ", data = dense<\"0x" << llvm::toHex(ptx) << "\"> : vector<"
         << ptx.size() << "xi8>";
    os << "}>]}>\n  }> ({\n"
       << exports << "    \"hal.executable.source_end\"() : () -> ()\n"
       << "  }) : () -> ()\n"
       << functions << "}\n";
    return text;
  }

  StringAttr string(StringRef text) {
    return StringAttr::get(module.getContext(), text);
  }
  std::string symbol(StringRef name) {
    return spell(SymbolRefAttr::get(module.getContext(), name));
  }
  std::string symbol(func::FuncOp func) { return symbol(func.getName()); }
  template <typename T> static std::string spell(T value) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return text;
  }

  ModuleOp module;
  StringRef objectPath;
  StringAttr binary; ///< symbol of the gpu.binary, and of the executable
  std::string exports, functions;
  llvm::raw_string_ostream exportsOS, functionsOS;
  unsigned ordinal = 0, numValues = 0;
  DenseMap<Value, std::string> values; ///< of the function that is written
};
} // namespace

FailureOr<std::string> mirage::exportIREE(ModuleOp module,
                                          StringRef objectPath) {
  return IREEWriter(module, objectPath).run();
}
