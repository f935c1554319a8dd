//===- Layout.cpp - Where the boxes of a diagram stand --------------------===//

#include "Layout.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace mirage::drawing;

namespace {
constexpr double kLayerGap = 26, kNodeGap = 14, kBoxPad = 12;
/// Rounds of ordering layers, and of placing what is in them.
constexpr unsigned kSweeps = 12, kPlacings = 100;

/// What stands in a layer of one box: a node, a port of the box, or a bend of
/// an arrow that passes the layer.
struct Item {
  enum Kind { Leaf, Box, InPort, OutPort, Bend } kind;
  int node = -1;   ///< Leaf, Box
  int source = -1; ///< ports
  double width = 0, height = 0;
  int layer = 0;
  double x = 0; ///< of the middle
  double y = 0; ///< of the top
};

/// An arrow between two items of neighbouring layers, after bends were put in;
/// it starts and ends beside the middle of boxes.
struct Link {
  int from, to;
  int source; ///< the node in which its arrow starts
  double fromOffset = 0, toOffset = 0;
  bool ends = false, order = false;
};

/// The inside of one box (or, for node -1, of the diagram).
struct Inside {
  std::vector<Item> items;
  std::vector<Link> links;              ///< as they came
  std::map<int, int> inPorts, outPorts; ///< items, by source
  std::map<int, int> itemOf;            ///< by node
  std::vector<std::vector<int>> chains; ///< items of each link, top first
  std::vector<std::vector<int>> layers;
  double width = 0, height = 0;
};

class Builder {
public:
  explicit Builder(const Diagram &diagram) : diagram(diagram) {}

  Layout run() {
    collect();
    measure(-1);
    Layout result;
    result.places.resize(diagram.nodes.size());
    const Inside &top = insides[-1];
    result.width = top.width;
    result.height = top.height;
    emit(-1, 0, 0, result);
    return result;
  }

private:
  int parentOf(int node) const { return diagram.nodes[node].parent; }

  static int addItem(Inside &inside, Item item) {
    inside.items.push_back(item);
    return static_cast<int>(inside.items.size()) - 1;
  }

  int portOf(Inside &inside, std::map<int, int> &ports, Item::Kind kind,
             int source) {
    auto at = ports.find(source);
    if (at != ports.end())
      return at->second;
    Item item{kind};
    item.source = source;
    return ports[source] = addItem(inside, item);
  }

  static void link(Inside &inside, int from, int to, bool ends,
                   const Edge &edge) {
    for (Link &old : inside.links)
      if (old.from == from && old.to == to && old.source == edge.from)
        return;
    inside.links.push_back({from, to, edge.from, 0, 0, ends, edge.order});
  }

  /// Nodes become items of their box, arrows become links that pass borders at
  /// ports.
  void collect() {
    insides[-1];
    for (size_t i = 0; i < diagram.nodes.size(); ++i) {
      Inside &inside = insides[parentOf(i)];
      Item item{diagram.isBox(i) ? Item::Box : Item::Leaf};
      item.node = i;
      inside.itemOf[i] = addItem(inside, item);
      if (diagram.isBox(i))
        insides[i];
    }
    for (const Edge &edge : diagram.edges) {
      std::vector<int> up; // boxes around the end, innermost first
      for (int box = parentOf(edge.to);; box = parentOf(box)) {
        up.push_back(box);
        if (box < 0)
          break;
      }
      int box = parentOf(edge.from);
      int at = insides[box].itemOf[edge.from];
      while (!llvm::is_contained(up, box)) {
        Inside &inside = insides[box];
        link(inside, at,
             portOf(inside, inside.outPorts, Item::OutPort, edge.from), false,
             edge);
        at = insides[parentOf(box)].itemOf[box];
        box = parentOf(box);
      }
      while (box != parentOf(edge.to)) {
        int next = up[llvm::find(up, box) - up.begin() - 1];
        Inside &inner = insides[next];
        int port = portOf(inner, inner.inPorts, Item::InPort, edge.from);
        link(insides[box], at, insides[box].itemOf[next], false, edge);
        at = port;
        box = next;
      }
      link(insides[box], at, insides[box].itemOf[edge.to], true, edge);
    }
  }

  void measure(int box) {
    Inside &inside = insides[box];
    for (Item &item : inside.items) {
      if (item.kind == Item::Box) {
        measure(item.node);
        item.width = insides[item.node].width;
        item.height = insides[item.node].height;
      } else if (item.kind == Item::Leaf) {
        const Node &node = diagram.nodes[item.node];
        size_t longest = 0;
        for (const std::string &line : node.lines)
          longest = std::max(longest, line.size());
        item.width = 2 * kPadX + kCharWidth * longest;
        item.height = 2 * kPadY + kLineHeight * node.lines.size();
      }
    }
    assignLayers(inside);
    addBends(inside);
    findOffsets(inside);
    orderLayers(inside);
    double head = 0;
    size_t longest = 0;
    if (box >= 0) {
      head = kLineHeight * diagram.nodes[box].lines.size() + kBoxPad;
      for (const std::string &line : diagram.nodes[box].lines)
        longest = std::max(longest, line.size());
    }
    place(inside, box >= 0 ? head : 0, box >= 0 ? kBoxPad : 2,
          longest * kCharWidth + 2 * kBoxPad);
  }

  static void assignLayers(Inside &inside) {
    size_t count = inside.items.size();
    std::vector<int> waiting(count, 0);
    for (const Link &one : inside.links)
      ++waiting[one.to];
    std::vector<int> ready;
    bool hasPorts = !inside.inPorts.empty();
    for (size_t i = 0; i < count; ++i) {
      inside.items[i].layer =
          hasPorts && inside.items[i].kind != Item::InPort ? 1 : 0;
      if (!waiting[i])
        ready.push_back(i);
    }
    int last = 0;
    std::vector<int> order;
    for (size_t at = 0; at < ready.size(); ++at) {
      int here = ready[at];
      order.push_back(here);
      last = std::max(last, inside.items[here].layer);
      for (const Link &one : inside.links)
        if (one.from == here) {
          int &layer = inside.items[one.to].layer;
          layer = std::max(layer, inside.items[here].layer + 1);
          if (--waiting[one.to] == 0)
            ready.push_back(one.to);
        }
    }
    // What nothing leads to stands right above what reads it first.
    for (int here : llvm::reverse(order)) {
      Item &item = inside.items[here];
      bool isSource = llvm::none_of(
          inside.links, [&](const Link &one) { return one.to == here; });
      if (!isSource || item.kind == Item::InPort)
        continue;
      int first = std::numeric_limits<int>::max();
      for (const Link &one : inside.links)
        if (one.from == here)
          first = std::min(first, inside.items[one.to].layer);
      if (first != std::numeric_limits<int>::max())
        item.layer = first - 1;
    }
    for (Item &item : inside.items)
      if (item.kind == Item::OutPort)
        item.layer = std::max(last, item.layer);
    bool shared = llvm::any_of(inside.items, [&](const Item &item) {
      return item.layer == last && item.kind != Item::OutPort;
    });
    for (Item &item : inside.items)
      if (item.kind == Item::OutPort)
        item.layer = last + (shared ? 1 : 0);
  }

  static void addBends(Inside &inside) {
    for (const Link &one : inside.links) {
      std::vector<int> chain{one.from};
      int from = inside.items[one.from].layer, to = inside.items[one.to].layer;
      for (int layer = from + 1; layer < to; ++layer) {
        Item item{Item::Bend};
        item.layer = layer;
        chain.push_back(addItem(inside, item));
      }
      chain.push_back(one.to);
      inside.chains.push_back(std::move(chain));
    }
    int last = 0;
    for (const Item &item : inside.items)
      last = std::max(last, item.layer);
    inside.layers.resize(inside.items.empty() ? 0 : last + 1);
    for (size_t i = 0; i < inside.items.size(); ++i)
      inside.layers[inside.items[i].layer].push_back(i);
  }

  /// An item of the next layer, and where on the two boxes the arrow is, as
  /// parts of their width.
  struct Near {
    int other;
    double here, there;
  };

  static std::vector<std::vector<Near>> neighbours(const Inside &inside,
                                                   bool above) {
    std::vector<std::vector<Near>> result(inside.items.size());
    auto part = [&](double offset, int item) {
      return offset / (inside.items[item].width + 1);
    };
    for (size_t l = 0; l < inside.links.size(); ++l) {
      const std::vector<int> &chain = inside.chains[l];
      for (size_t i = 0; i + 1 < chain.size(); ++i) {
        int from = chain[i], to = chain[i + 1];
        double out = i == 0 ? part(inside.links[l].fromOffset, from) : 0;
        double in =
            i + 2 == chain.size() ? part(inside.links[l].toOffset, to) : 0;
        if (above)
          result[to].push_back({from, in, out});
        else
          result[from].push_back({to, out, in});
      }
    }
    return result;
  }

  static size_t countCrossings(const Inside &inside,
                               const std::vector<std::vector<Near>> &below) {
    std::vector<double> position(inside.items.size());
    for (const std::vector<int> &layer : inside.layers)
      for (size_t i = 0; i < layer.size(); ++i)
        position[layer[i]] = i;
    size_t crossings = 0;
    for (const std::vector<int> &layer : inside.layers) {
      std::vector<std::pair<double, double>> pairs;
      for (int item : layer)
        for (const Near &near : below[item])
          pairs.push_back(
              {position[item] + near.here, position[near.other] + near.there});
      for (size_t i = 0; i < pairs.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          crossings += (pairs[i].first < pairs[j].first &&
                        pairs[i].second > pairs[j].second) ||
                       (pairs[i].first > pairs[j].first &&
                        pairs[i].second < pairs[j].second);
    }
    return crossings;
  }

  static void orderLayers(Inside &inside) {
    std::vector<std::vector<Near>> above = neighbours(inside, true),
                                   below = neighbours(inside, false);
    std::vector<std::vector<int>> best = inside.layers;
    size_t fewest = countCrossings(inside, below);
    std::vector<double> position(inside.items.size());
    auto number = [&](const std::vector<int> &layer) {
      for (size_t i = 0; i < layer.size(); ++i)
        position[layer[i]] = i;
    };
    llvm::for_each(inside.layers, number);
    for (unsigned sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
      bool down = sweep % 2 == 0;
      const auto &nearOf = down ? above : below;
      for (size_t k = down ? 1 : 0; k < inside.layers.size(); ++k) {
        std::vector<int> &layer =
            inside.layers[down ? k : inside.layers.size() - 1 - k];
        std::vector<double> wanted(inside.items.size());
        for (int item : layer) {
          double sum = 0;
          for (const Near &near : nearOf[item])
            sum += position[near.other] + near.there;
          wanted[item] =
              nearOf[item].empty() ? position[item] : sum / nearOf[item].size();
        }
        llvm::stable_sort(layer,
                          [&](int a, int b) { return wanted[a] < wanted[b]; });
        number(layer);
      }
      size_t crossings = countCrossings(inside, below);
      if (crossings < fewest) {
        fewest = crossings;
        best = inside.layers;
      }
    }
    inside.layers = std::move(best);
  }

  /// Where on a box an arrow arrives or leaves: at the port of its source.
  void findOffsets(Inside &inside) {
    auto offset = [](const Item &box, const Inside &inner,
                     const std::map<int, int> &ports, int source) {
      auto at = ports.find(source);
      return at == ports.end() ? 0 : inner.items[at->second].x - box.width / 2;
    };
    for (Link &one : inside.links) {
      const Item &from = inside.items[one.from], &to = inside.items[one.to];
      if (from.kind == Item::Box) {
        const Inside &inner = insides[from.node];
        one.fromOffset = offset(from, inner, inner.outPorts, one.source);
      }
      if (to.kind == Item::Box) {
        const Inside &inner = insides[to.node];
        one.toOffset = offset(to, inner, inner.inPorts, one.source);
      }
    }
  }

  static void place(Inside &inside, double head, double pad, double least) {
    struct Pull {
      int other;
      double offset;
    };
    std::vector<std::vector<Pull>> up(inside.items.size()),
        down(inside.items.size());
    for (size_t l = 0; l < inside.links.size(); ++l) {
      const std::vector<int> &chain = inside.chains[l];
      for (size_t i = 0; i + 1 < chain.size(); ++i) {
        double from = i == 0 ? inside.links[l].fromOffset : 0;
        double to = i + 2 == chain.size() ? inside.links[l].toOffset : 0;
        up[chain[i + 1]].push_back({chain[i], from - to});
        down[chain[i]].push_back({chain[i + 1], to - from});
      }
    }
    auto gapOf = [&](int a, int b) {
      bool narrow = inside.items[a].kind == Item::Bend ||
                    inside.items[b].kind == Item::Bend;
      return (inside.items[a].width + inside.items[b].width) / 2 +
             (narrow ? 10 : kNodeGap);
    };
    for (std::vector<int> &layer : inside.layers)
      for (size_t i = 1; i < layer.size(); ++i)
        inside.items[layer[i]].x =
            inside.items[layer[i - 1]].x + gapOf(layer[i - 1], layer[i]);
    for (unsigned sweep = 0; sweep < kPlacings; ++sweep)
      for (size_t k = 0; k < inside.layers.size(); ++k) {
        std::vector<int> &layer =
            inside.layers[sweep % 2 ? inside.layers.size() - 1 - k : k];
        std::vector<double> wanted, gaps;
        for (size_t i = 0; i < layer.size(); ++i) {
          double sum = 0;
          size_t count = 0;
          for (const auto *pulls : {&up[layer[i]], &down[layer[i]]})
            for (const Pull &pull : *pulls) {
              sum += inside.items[pull.other].x + pull.offset;
              ++count;
            }
          wanted.push_back(count ? sum / count : inside.items[layer[i]].x);
          gaps.push_back(i ? gapOf(layer[i - 1], layer[i]) : 0);
        }
        std::vector<double> xs = placeInOrder(wanted, gaps);
        for (size_t i = 0; i < layer.size(); ++i)
          inside.items[layer[i]].x = xs[i];
      }
    double left = 0, right = 0;
    bool first = true;
    for (const Item &item : inside.items) {
      double a = item.x - item.width / 2, b = item.x + item.width / 2;
      left = first ? a : std::min(left, a);
      right = first ? b : std::max(right, b);
      first = false;
    }
    inside.width = std::max(right - left + 2 * pad, least);
    double shift = (inside.width - (right - left)) / 2 - left;
    for (Item &item : inside.items)
      item.x += shift;
    double y = 0;
    for (size_t k = 0; k < inside.layers.size(); ++k) {
      double height = 0;
      bool onlyPorts = llvm::all_of(inside.layers[k], [&](int i) {
        return inside.items[i].kind == Item::InPort ||
               inside.items[i].kind == Item::Bend;
      });
      for (int item : inside.layers[k])
        height = std::max(height, inside.items[item].height);
      for (int item : inside.layers[k])
        inside.items[item].y = y + (height - inside.items[item].height) / 2;
      // Ports of the upper border: the head of the box is between.
      if (k == 0)
        y += onlyPorts ? head + 6 : (head > 0 ? head : 0);
      if (k == 0 && !onlyPorts)
        for (int item : inside.layers[k])
          inside.items[item].y += head;
      y += height;
      if (k + 1 < inside.layers.size())
        y += k == 0 && onlyPorts ? 4 : kLayerGap;
    }
    bool endsInPorts = !inside.layers.empty() &&
                       llvm::all_of(inside.layers.back(), [&](int i) {
                         return inside.items[i].kind == Item::OutPort;
                       });
    inside.height = y + (endsInPorts ? -kLayerGap / 2 : pad);
    if (endsInPorts)
      for (int item : inside.layers.back())
        inside.items[item].y = inside.height;
  }

  void emit(int box, double x, double y, Layout &to) {
    const Inside &inside = insides[box];
    for (const Item &item : inside.items)
      if (item.node >= 0) {
        Place at{x + item.x - item.width / 2, y + item.y, item.width,
                 item.height};
        to.places[item.node] = at;
        if (item.kind == Item::Box)
          emit(item.node, at.x, at.y, to);
      }
    for (size_t l = 0; l < inside.links.size(); ++l) {
      const Link &one = inside.links[l];
      const std::vector<int> &chain = inside.chains[l];
      Path path;
      path.ends = one.ends;
      path.order = one.order;
      for (size_t i = 0; i < chain.size(); ++i) {
        const Item &item = inside.items[chain[i]];
        double offset = i == 0                  ? one.fromOffset
                        : i + 1 == chain.size() ? one.toOffset
                                                : 0;
        // Arrows bend between layers only: beside a high box they are straight.
        double height = 0;
        for (int other : inside.layers[item.layer])
          height = std::max(height, inside.items[other].height);
        double middle = y + item.y + item.height / 2, at = x + item.x + offset;
        bool port = item.kind == Item::InPort || item.kind == Item::OutPort;
        if (i > 0 && !port)
          path.points.push_back({at, middle - height / 2});
        if (item.kind != Item::Bend)
          path.points.push_back({at, y + item.y + (i == 0 ? item.height : 0)});
        if (i + 1 < chain.size() && !port)
          path.points.push_back({at, middle + height / 2});
      }
      to.paths.push_back(std::move(path));
    }
  }

  const Diagram &diagram;
  std::map<int, Inside> insides; ///< by box
};
} // namespace

// Pool adjacent violators: after the gaps are taken off, the least-squares
// increasing sequence is made of blocks at their means.
std::vector<double>
mirage::drawing::placeInOrder(const std::vector<double> &wanted,
                              const std::vector<double> &gaps) {
  struct Pool {
    double sum;
    size_t count;
    double mean() const { return sum / count; }
  };
  std::vector<Pool> pools;
  std::vector<double> shift(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    shift[i] = i ? shift[i - 1] + gaps[i] : 0;
    pools.push_back({wanted[i] - shift[i], 1});
    while (pools.size() > 1 &&
           pools[pools.size() - 2].mean() > pools.back().mean()) {
      Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> result;
  for (const Pool &pool : pools)
    for (size_t i = 0; i < pool.count; ++i) {
      result.push_back(pool.mean() + shift[result.size()]);
    }
  return result;
}

Layout mirage::drawing::layOut(const Diagram &diagram) {
  return Builder(diagram).run();
}
