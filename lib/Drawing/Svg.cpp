//===- Svg.cpp - Diagrams as SVG ------------------------------------------===//

#include "Layout.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mirage::drawing;

std::string mirage::drawing::escapeXML(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      // Other control characters are in no XML document.
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
        result += c;
    }
  }
  return result;
}

namespace {
constexpr double kHead = 6; ///< length of an arrow's head

/// Half pixels are enough, and keep the text short.
struct Pixels {
  double value;
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Pixels pixels) {
  return os << llvm::format("%g", std::round(pixels.value * 2) / 2);
}

void writeShape(NodeKind kind, const Place &at, llvm::raw_ostream &os) {
  double x = at.x, y = at.y, w = at.width, h = at.height;
  auto rect = [&](double inset, double radius) {
    os << "<rect x=\"" << Pixels{x + inset} << "\" y=\"" << Pixels{y + inset}
       << "\" width=\"" << Pixels{w - 2 * inset} << "\" height=\""
       << Pixels{h - 2 * inset} << "\"";
    if (radius > 0)
      os << " rx=\"" << Pixels{radius} << "\"";
    os << "/>";
  };
  auto polygon = [&](std::initializer_list<std::pair<double, double>> points) {
    os << "<path d=\"";
    char letter = 'M';
    for (auto [px, py] : points) {
      os << letter << Pixels{px} << " " << Pixels{py};
      letter = 'L';
    }
    os << "Z\"/>";
  };
  switch (kind) {
  case NodeKind::Input:
  case NodeKind::Output:
    return rect(0, h / 2 > 14 ? 14 : h / 2);
  case NodeKind::Load: // as a funnel into the block
    return polygon({{x - 5, y}, {x + w + 5, y}, {x + w, y + h}, {x, y + h}});
  case NodeKind::Store:
    return polygon({{x, y}, {x + w, y}, {x + w + 5, y + h}, {x - 5, y + h}});
  case NodeKind::Accumulator:
    rect(0, 0);
    return rect(2.5, 0);
  case NodeKind::Buffer:
    return polygon(
        {{x, y}, {x + w - 6, y}, {x + w, y + 6}, {x + w, y + h}, {x, y + h}});
  case NodeKind::Op:
    return rect(0, 3);
  case NodeKind::Constant:
  case NodeKind::Sync:
  case NodeKind::Graph:
  case NodeKind::Loop:
    return rect(0, 0);
  }
}

void writePath(const Path &path, llvm::raw_ostream &os) {
  os << "<path class=\"" << (path.order ? "edge order" : "edge") << "\" d=\"M"
     << Pixels{path.points[0].first} << " " << Pixels{path.points[0].second};
  for (size_t i = 1; i < path.points.size(); ++i) {
    auto [x0, y0] = path.points[i - 1];
    auto [x, y] = path.points[i];
    if (path.ends && i + 1 == path.points.size())
      y -= kHead;
    if (std::abs(x - x0) < 0.5) {
      os << "L" << Pixels{x} << " " << Pixels{y};
      continue;
    }
    double bend = (y - y0) / 2;
    os << "C" << Pixels{x0} << " " << Pixels{y0 + bend} << " " << Pixels{x}
       << " " << Pixels{y - bend} << " " << Pixels{x} << " " << Pixels{y};
  }
  os << "\"/>\n";
  if (!path.ends)
    return;
  // Every arrow ends downwards.
  auto [x, y] = path.points.back();
  os << "<path class=\"head\" d=\"M" << Pixels{x - kHead / 2} << " "
     << Pixels{y - kHead} << "h" << Pixels{kHead} << "L" << Pixels{x} << " "
     << Pixels{y} << "Z\"/>\n";
}
} // namespace

void mirage::drawing::writeSvg(const Diagram &diagram, llvm::StringRef title,
                               llvm::raw_ostream &os) {
  constexpr double kMargin = 8;
  Layout layout = layOut(diagram);
  double width = layout.width + 2 * kMargin,
         height = layout.height + 2 * kMargin;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram\" "
        "role=\"img\" width=\""
     << Pixels{width} << "\" height=\"" << Pixels{height} << "\" viewBox=\"0 0 "
     << Pixels{width} << " " << Pixels{height}
     << "\" style=\"--w:" << Pixels{width} << "px\">\n<title>"
     << escapeXML(title) << "</title>\n"
     << "<g transform=\"translate(" << Pixels{kMargin} << " " << Pixels{kMargin}
     << ")\">\n";
  auto writeNode = [&](size_t i) {
    const Node &node = diagram.nodes[i];
    const Place &at = layout.places[i];
    os << "<g class=\"node " << stringify(node.kind) << "\">";
    writeShape(node.kind, at, os);
    bool box = diagram.isBox(i);
    double x = box ? at.x + kPadX : at.x + at.width / 2;
    double y = at.y + (box ? 2 : kPadY) + kLineHeight - 3;
    for (const std::string &line : node.lines) {
      os << "<text x=\"" << Pixels{x} << "\" y=\"" << Pixels{y} << "\">"
         << escapeXML(line) << "</text>";
      y += kLineHeight;
    }
    os << "</g>\n";
  };
  // Arrows lie over boxes and under nodes.
  for (size_t i = 0; i < diagram.nodes.size(); ++i)
    if (diagram.isBox(i))
      writeNode(i);
  for (const Path &path : layout.paths)
    writePath(path, os);
  for (size_t i = 0; i < diagram.nodes.size(); ++i)
    if (!diagram.isBox(i))
      writeNode(i);
  os << "</g>\n</svg>\n";
}
