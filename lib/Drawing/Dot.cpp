//===- Dot.cpp - Diagrams in the language of Graphviz ---------------------===//

#include "Mirage/Drawing/Diagram.h"

using namespace mirage::drawing;

/// A quoted string; text comes from a user's names.
static std::string quote(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

static std::string quoteLines(llvm::ArrayRef<std::string> lines) {
  std::string result;
  for (const std::string &line : lines) {
    std::string quoted = quote(line);
    result +=
        (result.empty() ? "" : "\\n") + quoted.substr(1, quoted.size() - 2);
  }
  return "\"" + result + "\"";
}

static llvm::StringRef styleOf(NodeKind kind) {
  switch (kind) {
  case NodeKind::Input:
  case NodeKind::Output:
    return "shape=box, style=rounded";
  case NodeKind::Constant:
    return "shape=plaintext";
  case NodeKind::Load:
    return "shape=invtrapezium";
  case NodeKind::Store:
    return "shape=trapezium";
  case NodeKind::Accumulator:
    return "shape=box, peripheries=2";
  case NodeKind::Buffer:
    return "shape=box3d";
  case NodeKind::Sync:
    return "shape=box, style=dotted";
  case NodeKind::Op:
  case NodeKind::Graph:
  case NodeKind::Loop:
    return "shape=box";
  }
  return "";
}

static void writeNodes(const Diagram &diagram, int parent, unsigned depth,
                       llvm::raw_ostream &os) {
  for (size_t i = 0; i < diagram.nodes.size(); ++i) {
    const Node &node = diagram.nodes[i];
    if (node.parent != parent)
      continue;
    if (!diagram.isBox(i)) {
      os.indent(2 * depth) << "n" << i << " [label=" << quoteLines(node.lines)
                           << ", " << styleOf(node.kind) << "];\n";
      continue;
    }
    os.indent(2 * depth) << "subgraph cluster_" << i << " {\n";
    os.indent(2 * depth + 2)
        << "label=" << quoteLines(node.lines) << "; labeljust=l; style="
        << (node.kind == NodeKind::Loop ? "dashed" : "solid") << ";\n";
    writeNodes(diagram, i, depth + 1, os);
    os.indent(2 * depth) << "}\n";
  }
}

void mirage::drawing::writeDot(const Diagram &diagram, llvm::StringRef name,
                               llvm::raw_ostream &os) {
  os << "digraph " << quote(name) << " {\n  label=" << quote(name)
     << "; labelloc=t;\n  node [fontname=monospace, fontsize=10];\n"
     << "  graph [fontname=monospace, fontsize=10];\n";
  writeNodes(diagram, -1, 1, os);
  for (const Edge &edge : diagram.edges)
    os << "  n" << edge.from << " -> n" << edge.to
       << (edge.order ? " [style=dotted, arrowhead=open]" : "") << ";\n";
  os << "}\n";
}
