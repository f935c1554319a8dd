//===- PlanBuilder.cpp - Kernels and launch plan of one program -----------===//

#include "PlanBuilder.h"
#include "Mirage/Conversion/BlockToThread/BlockToThread.h"
#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mirage;
using semantics::OpClass;
using semantics::OpKind;
using semantics::ValueId;

namespace {
/// A name such that `name`_0, `name`_1, ... are names that PTX admits and no
/// symbol of the module has.
std::string chooseBaseName(func::FuncOp func) {
  std::string name = func.getName().str();
  for (char &c : name)
    if (!thread::isKernelNameCharacter(c))
      c = '_';
  auto taken = [&](StringRef symbol) {
    return symbol.consume_front(name) && symbol.consume_front("_") &&
           llvm::all_of(symbol, llvm::isDigit);
  };
  bool again = true;
  while (again) {
    again = false;
    for (Operation &op : *func->getBlock())
      if (auto symbol =
              op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        again |= taken(symbol.getValue());
    if (again)
      name += "_kernel";
  }
  return name;
}
} // namespace

PlanBuilder::PlanBuilder(const semantics::Program &program, OpBuilder &builder,
                         func::FuncOp func, const cost::Target &lowering,
                         StringRef target, LaunchMode launchMode,
                         llvm::DenseMap<ValueId, LocationAttr> locations)
    : program(program), builder(builder), func(func), lowering(lowering),
      launchMode(launchMode), locations(std::move(locations)),
      location(func.getLoc()) {
  plan.target = target.str();
  baseName = chooseBaseName(func);
  for (unsigned i = 0; i < program.numInputs; ++i) {
    bool constant = func.getArgAttr(i, kConstantAttribute) != nullptr;
    plan.inputs.push_back({program.type(i), constant});
    places[i] = {runtime::ParameterKind::Input, i};
  }
}

ValueId PlanBuilder::root(ValueId id) const {
  for (auto it = aliases.find(id); it != aliases.end(); it = aliases.find(id))
    id = it->second;
  return id;
}

void PlanBuilder::findAliases() {
  // The output that each buffer serves, by the buffer's first name.
  llvm::DenseMap<ValueId, unsigned> outputOf, served;
  for (auto [i, id] : llvm::enumerate(program.outputs))
    outputOf[id] = i;
  for (const semantics::Op &op : program.ops) {
    for (ValueId id : op.results)
      if (auto it = outputOf.find(id); it != outputOf.end())
        served[id] = it->second;
    if (op.kind != OpKind::Reshape || inlined.count(op.results[0]))
      continue;
    ValueId from = root(op.operands[0]), to = op.results[0];
    bool isInput = from < static_cast<int>(program.numInputs);
    auto output = outputOf.find(to);
    if (output != outputOf.end()) {
      // An argument, a constant or another output cannot be this output.
      if (isInput || inlined.count(from) || served.count(from))
        continue;
      served.erase(to);
      served[from] = output->second;
    }
    aliases[to] = from;
  }
  for (auto [i, id] : llvm::enumerate(program.outputs)) {
    plan.outputs.push_back(program.type(id));
    places[root(id)] = {runtime::ParameterKind::Output,
                        static_cast<unsigned>(i)};
  }
}

/// Inline values that must lie in memory: outputs, and what an op that is not
/// elementwise reads.
void PlanBuilder::findNeeded() {
  for (ValueId id : program.outputs)
    needed.insert(id);
  for (const semantics::Op &op : program.ops) {
    if (semantics::opClass(op.kind) <= OpClass::Select ||
        op.kind == OpKind::Broadcast || inlined.count(op.results[0]))
      continue;
    for (ValueId id : op.operands)
      needed.insert(root(id));
  }
}

llvm::Error PlanBuilder::run() {
  inlined = findInlineValues(program);
  findAliases();
  findNeeded();
  for (const auto &[i, op] : llvm::enumerate(program.ops)) {
    location = locate(i);
    if (op.kind == OpKind::Graph) {
      if (llvm::Error e = lowerGraph(op))
        return e;
      continue;
    }
    ValueId result = op.results[0];
    if (aliases.count(result))
      continue;
    if (inlined.count(result) && !needed.count(result))
      continue;
    if (llvm::Error e = lowerOperator(op))
      return e;
  }
  location = func.getLoc();
  return runtime::verifyLaunchPlan(plan);
}

/// What decomposition wrote has the location of the op it comes from: the next
/// one whose result the function knows.
Location PlanBuilder::locate(size_t position) {
  for (const semantics::Op &op : ArrayRef(program.ops).drop_front(position))
    for (ValueId id : op.results)
      if (LocationAttr known = locations.lookup(id))
        return known;
  return func.getLoc();
}

llvm::Error PlanBuilder::lowerGraph(const semantics::Op &op) {
  ThreadLoweringOptions options(lowering);
  for (auto [i, id] : llvm::enumerate(op.operands)) {
    runtime::PlanParameter from = parameter(id);
    if (from.kind == runtime::ParameterKind::Input &&
        plan.inputs[from.index].constant)
      options.constantInputs.push_back(i);
  }
  std::string name = (baseName + "_" + Twine(kernels.size())).str();
  auto kernel =
      lowerGraphToThread(builder, location, name, program, op, options);
  if (!kernel)
    return kernel.takeError();
  addLaunch(*kernel, op.operands, op.results);
  return llvm::Error::success();
}

llvm::Error PlanBuilder::lowerOperator(const semantics::Op &op) {
  auto lowered = lowerOperatorToThread(builder, location, baseName,
                                       kernels.size(), program, op, inlined);
  if (!lowered)
    return lowered.takeError();
  for (const OperatorKernel &kernel : *lowered)
    addLaunch(kernel.kernel, kernel.operands, {kernel.result});
  return llvm::Error::success();
}

runtime::PlanParameter PlanBuilder::parameter(ValueId id) const {
  auto found = places.find(root(id));
  // Values are defined before they are used, and findNeeded kept the others.
  assert(found != places.end() && "an operand without a place");
  return found->second;
}

runtime::PlanParameter PlanBuilder::place(ValueId id) {
  auto [found, isNew] = places.try_emplace(root(id));
  if (isNew) {
    found->second = {runtime::ParameterKind::Scratch,
                     static_cast<unsigned>(plan.scratch.size())};
    plan.scratch.push_back({program.type(id).byteSize(), false});
  }
  return found->second;
}

void PlanBuilder::addLaunch(thread::KernelOp kernel, ArrayRef<ValueId> operands,
                            ArrayRef<ValueId> results) {
  kernels.push_back(kernel);
  runtime::PlanKernel launch;
  launch.name = kernel.getSymName().str();
  for (ValueId id : operands)
    launch.parameters.push_back(parameter(id));
  for (ValueId id : results)
    launch.parameters.push_back(place(id));
  llvm::copy(kernel.getGrid(), launch.grid.begin());
  llvm::copy(kernel.getCluster(), launch.cluster.begin());
  launch.threads = kernel.getThreads();
  launch.sharedBytes = kernel.getSharedBytes();
  launch.dependentLaunch =
      launchMode == LaunchMode::Dependent && lowering.hasGridDependency();
  plan.kernels.push_back(launch);
}

void PlanBuilder::eraseKernels() {
  for (thread::KernelOp kernel : kernels)
    kernel.erase();
  kernels.clear();
}
