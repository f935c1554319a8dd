//===- Memory.cpp - What running a program takes --------------------------===//
//
// The sum at each op of what the interpreter then holds. Numbers are kept in
// double: they may be far beyond 64 bits, and the answer need not be exact.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Interpreter/Memory.h"
#include "Mirage/Interpreter/Interpreter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

using namespace mirage;
using namespace mirage::interpreter;
using semantics::Op;
using semantics::OpKind;
using semantics::ValueId;

namespace {
/// The first number of a file, after `key` if one is given.
std::optional<int64_t> numberOf(llvm::StringRef path,
                                llvm::StringRef key = "") {
  // The kernel makes these files as they are read, and their size is 0.
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  if (!buffer)
    return std::nullopt;
  llvm::StringRef text = (*buffer)->getBuffer();
  text = text.drop_front(std::min(text.find(key), text.size()));
  text = text.drop_until(llvm::isDigit).take_while(llvm::isDigit);
  int64_t number = 0;
  if (text.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

double bytesOf(const semantics::TensorType &type) {
  double bytes = sizeof(double);
  for (int64_t dim : type.shape)
    bytes *= static_cast<double>(dim);
  return bytes;
}

/// Tiles that all blocks hold at once, where they exchange them.
double bytesOfTiles(const semantics::Program &program, const Op &graph) {
  bool exchange = llvm::any_of(
      graph.body, [](const Op &op) { return op.kind == OpKind::ReduceBlocks; });
  if (!exchange)
    return 0;
  double tiles = 0, blocks = 1;
  for (const Op &op : graph.body)
    for (ValueId id : op.results)
      tiles += bytesOf(program.type(id));
  for (int64_t dim : graph.attrs.grid)
    blocks *= static_cast<double>(dim);
  return blocks * tiles;
}

double workOfOps(const semantics::Program &program, const std::vector<Op> &ops,
                 double perOp) {
  double work = 0;
  for (const Op &op : ops) {
    double times = static_cast<double>(op.attrs.range);
    for (int64_t dim : op.attrs.grid)
      times *= static_cast<double>(dim);
    work += perOp + times * workOfOps(program, op.body, perOp);
    for (ValueId id : op.results) {
      double elements = static_cast<double>(program.type(id).numElements());
      if (op.kind == OpKind::Matmul)
        elements *= program.type(op.operands[0]).shape.back();
      if (op.kind == OpKind::Reduce)
        elements =
            static_cast<double>(program.type(op.operands[0]).numElements());
      work += elements;
    }
  }
  return work;
}

std::string describe(const semantics::Program &program, ValueId id) {
  std::string type = ", " + semantics::toString(program.type(id));
  if (id < static_cast<int>(program.numInputs))
    return "input " + std::to_string(id) + type;
  for (const Op &op : program.ops)
    if (llvm::is_contained(op.results, id))
      return ("the result of '" + semantics::mnemonic(op.kind) + "'" + type)
          .str();
  return "a tile" + type;
}

std::string inMiB(double bytes) {
  return llvm::formatv("{0:F1} MiB", bytes / 0x1p20).str();
}
} // namespace

int64_t interpreter::availableMemory() {
  int64_t limit = std::numeric_limits<int64_t>::max();
  auto atMost = [&](std::optional<int64_t> bytes) {
    if (bytes)
      limit = std::min(limit, *bytes);
  };
  if (auto kib = numberOf("/proc/meminfo", "MemAvailable:"))
    atMost(*kib * 1024);
  else
    atMost(int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
  // Containers: what their control group allows, in its two versions.
  atMost(numberOf("/sys/fs/cgroup/memory.max"));
  atMost(numberOf("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  rlimit space = {};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    atMost(static_cast<int64_t>(space.rlim_cur));
  return limit;
}

llvm::Error interpreter::checkMemory(const semantics::Program &program,
                                     int64_t limit) {
  llvm::SmallVector<int> usesLeft(program.values.size(), 0);
  for (const Op &op : program.ops)
    for (ValueId id : op.operands)
      ++usesLeft[id];
  for (ValueId id : program.outputs)
    ++usesLeft[id];

  double held = 0, most = 0, largest = -1;
  ValueId largestId = 0;
  auto define = [&](ValueId id) {
    double bytes = bytesOf(program.type(id));
    held += bytes;
    if (bytes > largest) {
      largest = bytes;
      largestId = id;
    }
  };
  for (unsigned i = 0; i < program.numInputs; ++i)
    define(static_cast<ValueId>(i));
  most = held;
  for (const Op &op : program.ops) {
    for (ValueId id : op.results)
      define(id);
    most = std::max(
        most,
        held + (op.kind == OpKind::Graph ? bytesOfTiles(program, op) : 0.0));
    // Inputs are the caller's, and stay.
    for (ValueId id : op.operands)
      if (--usesLeft[id] == 0 && id >= static_cast<int>(program.numInputs))
        held -= bytesOf(program.type(id));
  }
  for (ValueId id : program.outputs) // copied when the run ends
    held += bytesOf(program.type(id));
  most = std::max(most, held);

  if (largest > kMaxElements * double(sizeof(double)))
    return llvm::createStringError(
        llvm::formatv("expected tensors of at most {0} elements, but got {1}",
                      kMaxElements, describe(program, largestId)));
  if (most <= static_cast<double>(limit))
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "expected a program that runs in {0} of memory, but got one that takes "
      "{1}; its largest tensor is {2}, which takes {3}",
      inMiB(static_cast<double>(limit)), inMiB(most),
      describe(program, largestId), inMiB(largest)));
}

double interpreter::workOf(const semantics::Program &program, double perOp) {
  double work = workOfOps(program, program.ops, perOp);
  for (unsigned i = 0; i < program.numInputs; ++i)
    work += static_cast<double>(program.type(i).numElements());
  return work;
}

llvm::Error interpreter::checkWork(const semantics::Program &program) {
  double work = workOf(program, kWorkPerOp);
  if (work <= kMaxWork)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::formatv("expected a program of at most {0:E1} element operations, "
                    "but got one of {1:E1}",
                    kMaxWork, work));
}
