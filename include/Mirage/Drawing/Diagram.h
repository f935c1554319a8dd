//===- Diagram.h - What is drawn of a program -------------------*- C++ -*-===//
//
// Boxes, boxes in boxes, and arrows: what the kernel, block and thread levels
// have in common when a person looks at them. A diagram is made from a program
// (or from a thread-level kernel), and written as DOT or as SVG.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DRAWING_DIAGRAM_H
#define MIRAGE_DRAWING_DIAGRAM_H

#include "Mirage/Semantics/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mirage::drawing {

enum class NodeKind : uint8_t {
  Input,
  Output,
  Constant,
  Op,
  Load,        ///< from device memory into a tile
  Store,       ///< of a tile into device memory
  Accumulator, ///< what leaves a loop
  Buffer,      ///< shared memory
  Sync,        ///< barriers and waits
  Graph,       ///< a box around a block graph or a thread-level kernel
  Loop,        ///< a box around a loop's body
};

/// "input", "op", ...: the word for a class of shapes.
llvm::StringRef stringify(NodeKind kind);

struct Node {
  NodeKind kind = NodeKind::Op;
  std::vector<std::string> lines;
  int parent = -1; ///< the box that it is in, or -1
};

struct Edge {
  int from = -1, to = -1;
  bool order = false; ///< one after the other, without a value
};

struct Diagram {
  std::vector<Node> nodes; ///< a box before what is in it
  std::vector<Edge> edges; ///< between nodes that are no boxes

  int add(NodeKind kind, std::vector<std::string> lines, int parent = -1);
  void connect(int from, int to, bool order = false);
  bool isBox(int node) const {
    return nodes[node].kind == NodeKind::Graph ||
           nodes[node].kind == NodeKind::Loop;
  }
};

/// The kernel level of a program, with the block graphs of its graph-defined
/// kernels.
Diagram drawProgram(const semantics::Program &program);

/// "16 x 4096 f16".
std::string describe(const semantics::TensorType &type);

/// "grid 96, clusters of 4, loop 16, 128 threads, 5 stages": the sizes of each
/// graph of the program.
std::string describeSizes(const semantics::Program &program);

/// One digraph in the language of Graphviz. `name` becomes its label.
void writeDot(const Diagram &diagram, llvm::StringRef name,
              llvm::raw_ostream &os);

/// An SVG element without style: shapes and texts carry classes by their kind,
/// `--w` is its width, and `title` its accessible name. Kinds differ in shape
/// and in the style of their border, never by colour alone.
void writeSvg(const Diagram &diagram, llvm::StringRef title,
              llvm::raw_ostream &os);

/// Text with what HTML and XML reserve replaced, and without what XML forbids.
std::string escapeXML(llvm::StringRef text);

} // namespace mirage::drawing

#endif // MIRAGE_DRAWING_DIAGRAM_H
