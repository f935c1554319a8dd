//===- ThreadDiagram.cpp - Boxes and arrows of a kernel's threads ---------===//

#include "Mirage/Drawing/ThreadDiagram.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::drawing;

static std::string showSizes(ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

static std::string showElement(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

static std::string show(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return showSizes(tensor.getShape()) + " " +
           showElement(tensor.getElementType());
  if (auto buffer = dyn_cast<thread::BufferType>(type)) {
    std::string text = showSizes({buffer.getRows(), buffer.getCols()}) + " " +
                       showElement(buffer.getElementType());
    return buffer.getStages() == 1
               ? text
               : std::to_string(buffer.getStages()) + " stages of " + text;
  }
  if (auto fragment = dyn_cast<thread::FragmentType>(type))
    return showSizes({fragment.getRows(), fragment.getCols()}) + " " +
           showElement(fragment.getElementType()) +
           (isa<thread::MmaLayoutAttr>(fragment.getLayout()) ? ", mma layout"
                                                             : "");
  return showElement(type);
}

namespace {
class Drawer {
public:
  explicit Drawer(thread::KernelOp kernel) : kernel(kernel) {}

  Diagram run() {
    Block &body = kernel.getBody().front();
    unsigned inputs = kernel.getNumInputs();
    std::vector<int> outputs;
    for (BlockArgument argument : body.getArguments()) {
      unsigned i = argument.getArgNumber();
      bool isInput = i < inputs;
      names[argument] =
          (isInput ? "in" : "out") + std::to_string(isInput ? i : i - inputs);
      if (isInput)
        definers[argument] = diagram.add(
            NodeKind::Input, {names[argument], show(argument.getType())});
    }
    std::vector<std::string> head{"threads of @" + kernel.getSymName().str(),
                                  std::to_string(kernel.getThreads()) +
                                      " threads, " +
                                      std::to_string(kernel.getSharedBytes()) +
                                      " bytes of shared memory"};
    int box = diagram.add(NodeKind::Graph, std::move(head));
    draw(body, box);
    for (BlockArgument argument : body.getArguments().drop_front(inputs)) {
      int node = diagram.add(NodeKind::Output,
                             {names[argument], show(argument.getType())});
      for (int store : stores[argument])
        diagram.connect(store, node);
    }
    return std::move(diagram);
  }

private:
  void draw(Block &body, int box) {
    for (Operation &op : body) {
      // Counters say where in a ring a copy goes, which its label does.
      if (isa<thread::IndexOp, thread::AdvanceOp, thread::ReturnOp,
              thread::YieldOp>(op))
        continue;
      if (isa<thread::AllocOp>(op)) {
        names[op.getResult(0)] = "b" + std::to_string(numBuffers++);
        continue;
      }
      if (auto loop = dyn_cast<thread::ForOp>(op))
        drawLoop(loop, box);
      else
        drawOp(op, box);
    }
  }

  void drawLoop(thread::ForOp loop, int box) {
    int inner = diagram.add(
        NodeKind::Loop,
        {"for " + std::to_string(loop.getRange()) + " iterations"}, box);
    Block &body = loop.getBody().front();
    for (auto [argument, init] :
         llvm::zip(body.getArguments().take_back(loop.getInits().size()),
                   loop.getInits()))
      if (auto at = definers.find(init); at != definers.end())
        definers[argument] = at->second;
    draw(body, inner);
    for (auto [result, value] :
         llvm::zip(loop.getResults(), body.getTerminator()->getOperands()))
      if (auto at = definers.find(value); at != definers.end())
        definers[result] = at->second;
  }

  static NodeKind kindOf(Operation &op) {
    return TypeSwitch<Operation *, NodeKind>(&op)
        .Case<thread::CopyAsyncOp, thread::LoadGlobalOp, thread::LoadIndexedOp>(
            [](auto) { return NodeKind::Load; })
        .Case<thread::StoreGlobalOp, thread::StoreIndexedOp>(
            [](auto) { return NodeKind::Store; })
        .Case<thread::CommitOp, thread::WaitOp, thread::BarrierOp,
              thread::ClusterBarrierOp, thread::GridDependencyWaitOp,
              thread::GridLaunchDependentsOp>(
            [](auto) { return NodeKind::Sync; })
        .Case<thread::SplatOp>([](auto) { return NodeKind::Constant; })
        .Default([](auto) { return NodeKind::Op; });
  }

  void drawOp(Operation &op, int box) {
    std::string head = op.getName().stripDialect().str();
    if (auto map = dyn_cast<thread::MapOp>(op))
      head += " " + map.getKind().str();
    if (auto wait = dyn_cast<thread::WaitOp>(op))
      head += ", " + std::to_string(wait.getPending()) + " may be in flight";
    std::string places;
    for (Value operand : op.getOperands())
      if (auto at = names.find(operand); at != names.end())
        places += (places.empty() ? "" : ", ") + at->second;
    std::vector<std::string> lines{head};
    if (!places.empty())
      lines.push_back(places);
    for (Type type : op.getResultTypes())
      lines.push_back(show(type));
    NodeKind kind = kindOf(op);
    bool ordered = !isMemoryEffectFree(&op);
    // The copies that fill a ring before its loop are one node each.
    bool repeats = isa<thread::CopyAsyncOp, thread::CommitOp>(op);
    if (repeats && ordered)
      for (int old : filling)
        if (diagram.nodes[old].parent == box &&
            ArrayRef<std::string>(diagram.nodes[old].lines)
                    .take_front(lines.size()) == ArrayRef<std::string>(lines)) {
          sayHowOften(old, lines.size());
          return;
        }
    int node = diagram.add(kind, lines, box);
    for (Value operand : op.getOperands())
      if (auto at = definers.find(operand); at != definers.end())
        diagram.connect(at->second, node);
    for (Value result : op.getResults())
      definers[result] = node;
    if (kind == NodeKind::Store)
      for (Value operand : op.getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          stores[operand].push_back(node);
    if (!ordered)
      return;
    diagram.connect(last, node, /*order=*/true);
    last = node;
    if (!repeats)
      filling.clear();
    filling.push_back(node);
  }

  void sayHowOften(int node, size_t lines) {
    std::vector<std::string> &texts = diagram.nodes[node].lines;
    int &count = counts[node];
    count = count ? count + 1 : 2;
    texts.resize(lines);
    texts.push_back(std::to_string(count) + " times, for the first stages");
  }

  thread::KernelOp kernel;
  Diagram diagram;
  llvm::DenseMap<Value, int> definers;
  llvm::DenseMap<Value, std::string> names; ///< of tensors and buffers
  llvm::DenseMap<Value, std::vector<int>> stores;
  llvm::DenseMap<int, int> counts;
  std::vector<int> filling; ///< copies and commits since anything else
  int last = -1;            ///< the last node that has an order
  unsigned numBuffers = 0;
};
} // namespace

Diagram mirage::drawing::drawKernel(thread::KernelOp kernel) {
  return Drawer(kernel).run();
}

std::vector<SharedBuffer>
mirage::drawing::findSharedBuffers(thread::KernelOp kernel) {
  std::vector<SharedBuffer> result;
  llvm::DenseMap<Operation *, unsigned> positions;
  unsigned count = 0;
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { positions[op] = count++; });
  kernel.walk<WalkOrder::PreOrder>([&](thread::AllocOp alloc) {
    auto type = cast<thread::BufferType>(alloc.getResult().getType());
    SharedBuffer buffer;
    buffer.name = "b" + std::to_string(result.size());
    buffer.offset = alloc.getOffset();
    buffer.bytes = type.getStages() * type.getStageBytes();
    buffer.shape = show(type);
    buffer.firstUse = count;
    for (Operation *user : alloc->getUsers()) {
      // A use in a loop lasts as long as the loop.
      Operation *outer = user;
      while (outer->getParentOp() != kernel)
        outer = outer->getParentOp();
      unsigned end = positions[outer];
      outer->walk([&](Operation *op) { end = std::max(end, positions[op]); });
      buffer.firstUse = std::min(buffer.firstUse, positions[outer]);
      buffer.lastUse = std::max(buffer.lastUse, end);
    }
    result.push_back(std::move(buffer));
  });
  return result;
}
