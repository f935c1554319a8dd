//===- Print.cpp - Programs as text ---------------------------------------===//
//
// The text is canonical: it depends on value ids and attributes only, so equal
// programs print equally. Certificates hash it.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Semantics/Program.h"
#include "llvm/ADT/StringExtras.h"

using namespace mirage::semantics;

namespace {
llvm::StringRef stringify(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return "sum";
  case ReduceKind::Max:
    return "max";
  case ReduceKind::Mean:
    return "mean";
  }
  llvm_unreachable("covered switch");
}

llvm::StringRef stringify(AccumulatorKind kind) {
  switch (kind) {
  case AccumulatorKind::Sum:
    return "sum";
  case AccumulatorKind::Max:
    return "max";
  case AccumulatorKind::Rescale:
    return "rescale";
  }
  llvm_unreachable("covered switch");
}

llvm::StringRef stringify(Predicate predicate) {
  static constexpr llvm::StringLiteral names[] = {"eq", "ne", "lt",
                                                  "le", "gt", "ge"};
  return names[static_cast<unsigned>(predicate)];
}

class Printer {
public:
  Printer(const Program &program, llvm::raw_ostream &os)
      : program(program), os(os) {}

  void run() {
    os << "program(";
    for (unsigned i = 0; i < program.numInputs; ++i)
      os << (i ? ", " : "") << "%" << i << ": " << toString(program.values[i]);
    os << ") {\n";
    for (const Op &op : program.ops)
      printOp(op, 1);
    os << "  return ";
    printIds(program.outputs);
    os << "\n}\n";
  }

private:
  template <class Ids> void printIds(const Ids &ids) {
    llvm::interleaveComma(ids, os, [&](ValueId id) { os << "%" << id; });
  }

  template <class List> void printList(llvm::StringRef name, const List &list) {
    os << " " << name << " [";
    llvm::interleaveComma(list, os);
    os << "]";
  }

  void printAttrs(const Op &op) {
    const Attrs &a = op.attrs;
    switch (op.kind) {
    case OpKind::Reduce:
      os << " " << stringify(a.reduce);
      printList("dims", a.dims);
      break;
    case OpKind::Transpose:
    case OpKind::Softmax:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Iota:
      printList("dims", a.dims);
      break;
    case OpKind::Slice:
      printList("offsets", a.offsets);
      printList("sizes", a.sizes);
      printList("strides", a.strides);
      break;
    case OpKind::Matmul:
      if (a.transposeRhs)
        os << " transpose_rhs";
      break;
    case OpKind::Clamp:
      os << " [" << toString(ConstantValue::makeLiteral(a.lo)) << ", "
         << toString(ConstantValue::makeLiteral(a.hi)) << "]";
      break;
    case OpKind::RmsNorm:
    case OpKind::LayerNorm:
      os << " epsilon " << toString(ConstantValue::makeLiteral(a.epsilon));
      if (a.hasScale)
        os << " scale";
      if (a.hasBias)
        os << " bias";
      break;
    case OpKind::Compare:
      os << " " << stringify(a.predicate);
      break;
    case OpKind::Constant:
      os << " " << toString(a.constant);
      break;
    case OpKind::Graph:
      printList("grid", a.grid);
      printList("cluster", a.cluster);
      break;
    case OpKind::Load:
      printList("imap", a.imap);
      os << " fmap " << a.fmap << (a.interleaved ? " interleaved" : "");
      break;
    case OpKind::Loop:
      os << " " << a.range;
      break;
    case OpKind::Running:
      os << " " << a.accumulator << (a.current ? " current" : " previous");
      break;
    case OpKind::ReduceBlocks:
      os << " " << stringify(a.reduce) << " dim " << a.gridDim;
      break;
    case OpKind::Store:
      printList("omap", a.omap);
      break;
    default:
      break;
    }
  }

  void printOp(const Op &op, unsigned depth) {
    os.indent(2 * depth);
    if (!op.results.empty()) {
      printIds(op.results);
      os << " = ";
    }
    os << mnemonic(op.kind);
    if (!op.operands.empty()) {
      os << " ";
      printIds(op.operands);
    }
    printAttrs(op);
    if (!op.results.empty()) {
      os << " : ";
      llvm::interleaveComma(op.results, os, [&](ValueId id) {
        os << toString(program.values[id]);
      });
    }
    if (op.kind == OpKind::Graph || op.kind == OpKind::Loop) {
      os << " {\n";
      for (const Op &inner : op.body)
        printOp(inner, depth + 1);
      if (op.kind == OpKind::Loop)
        printAccumulators(op, depth + 1);
      os.indent(2 * depth) << "}";
    }
    os << "\n";
  }

  void printAccumulators(const Op &loop, unsigned depth) {
    os.indent(2 * depth) << "yield ";
    llvm::interleaveComma(loop.attrs.accumulators, os,
                          [&](const Accumulator &acc) {
                            os << stringify(acc.kind);
                            if (acc.factor >= 0)
                              os << "(%" << acc.factor << ")";
                            if (acc.reduceDim >= 0)
                              os << "(" << acc.reduceDim << ")";
                            os << " %" << acc.value;
                          });
    os << "\n";
  }

  const Program &program;
  llvm::raw_ostream &os;
};
} // namespace

void mirage::semantics::print(const Program &program, llvm::raw_ostream &os) {
  Printer(program, os).run();
}

std::string mirage::semantics::toString(const Program &program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(program, os);
  return text;
}
