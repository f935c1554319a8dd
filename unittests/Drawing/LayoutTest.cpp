// Boxes stand apart, what is in a box is drawn in it, arrows go down.

#include "Layout.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mirage::drawing;
using namespace mirage::semantics::test;

namespace {
bool overlap(const Place &a, const Place &b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
         b.y < a.y + a.height;
}

void expectGood(const Diagram &diagram) {
  Layout layout = layOut(diagram);
  ASSERT_EQ(layout.places.size(), diagram.nodes.size());
  for (size_t i = 0; i < diagram.nodes.size(); ++i) {
    const Place &at = layout.places[i];
    EXPECT_GE(at.x, -0.01);
    EXPECT_LE(at.x + at.width, layout.width + 0.01);
    EXPECT_LE(at.y + at.height, layout.height + 0.01);
    if (int parent = diagram.nodes[i].parent; parent >= 0) {
      const Place &box = layout.places[parent];
      EXPECT_GE(at.x, box.x) << i;
      EXPECT_LE(at.x + at.width, box.x + box.width) << i;
      EXPECT_GT(at.y, box.y) << i;
      EXPECT_LE(at.y + at.height, box.y + box.height) << i;
    }
    for (size_t j = 0; j < i; ++j)
      if (diagram.nodes[j].parent == diagram.nodes[i].parent)
        EXPECT_FALSE(overlap(at, layout.places[j])) << i << " and " << j;
  }
  size_t ends = 0;
  for (const Path &path : layout.paths) {
    ends += path.ends;
    for (size_t k = 1; k < path.points.size(); ++k)
      EXPECT_GE(path.points[k].second, path.points[k - 1].second - 0.01);
  }
  EXPECT_EQ(ends, diagram.edges.size());
}

TEST(LayoutTest, PlacesAProgramWithABlockGraph) {
  expectGood(drawProgram(splitMatmul(true)));
}

// A ladder of boxes in boxes whose arrows pass several borders.
TEST(LayoutTest, PassesBorders) {
  Diagram diagram;
  int source = diagram.add(NodeKind::Input, {"source"});
  int other = diagram.add(NodeKind::Input, {"another, wide source"});
  int box = diagram.add(NodeKind::Graph, {"graph"});
  int loop = diagram.add(NodeKind::Loop, {"loop"}, box);
  int a = diagram.add(NodeKind::Op, {"a", "of two lines"}, loop);
  int b = diagram.add(NodeKind::Op, {"b"}, loop);
  int after = diagram.add(NodeKind::Op, {"after"}, box);
  int end = diagram.add(NodeKind::Output, {"end"});
  for (auto [from, to] : {std::pair(source, a),
                          {other, b},
                          {source, b},
                          {a, after},
                          {b, after},
                          {other, after},
                          {b, end},
                          {after, end},
                          {source, end}})
    diagram.connect(from, to);
  expectGood(diagram);
}

TEST(LayoutTest, PlacesNothing) {
  EXPECT_TRUE(layOut(Diagram()).places.empty());
}

TEST(LayoutTest, PlacesInOrderAsNearAsGapsAllow) {
  EXPECT_EQ(placeInOrder({0, 10}, {0, 4}), (std::vector<double>{0, 10}));
  EXPECT_EQ(placeInOrder({5, 5}, {0, 4}), (std::vector<double>{3, 7}));
  EXPECT_EQ(placeInOrder({9, 0, 20}, {0, 1, 1}),
            (std::vector<double>{4, 5, 20}));
}

TEST(SvgTest, EscapesText) {
  EXPECT_EQ(escapeXML("a<b> & \"c\"\x01"), "a&lt;b&gt; &amp; &quot;c&quot;");
}
} // namespace
