// The expression graph: what is shared, what folds, what simplification keeps.
#include "catena/compile/graph.hpp"

#include <gtest/gtest.h>

#include "catena/compile/code.hpp"
#include "catena/compile/tracing.hpp"

namespace catena::compile {
namespace {

struct Inputs {
  Graph graph;
  Traced x{graph, graph.input(0)}, y{graph, graph.input(1)}, z{graph, graph.input(2)};

  int node(const Traced& t) { return t.node(graph); }
};

TEST(Graph, SharesEqualExpressionsWhateverTheirOrder) {
  Inputs in;
  EXPECT_EQ(in.node(in.x * in.y + in.z), in.node(in.z + in.y * in.x));
  const int size = in.graph.size();
  in.node(in.z + in.x * in.y);
  EXPECT_EQ(in.graph.size(), size);
}

TEST(Graph, SharesADifferenceWithItsOpposite) {
  Inputs in;
  EXPECT_EQ(in.node(in.x - in.y), in.node(-(in.y - in.x)));
  EXPECT_EQ(in.node(-in.x * in.y), in.node(in.x * -in.y));
  EXPECT_EQ(in.node(in.x * -3.0), in.node(-(in.x * 3.0)));
  EXPECT_EQ(in.node(in.x - -in.y), in.node(in.x + in.y));
}

TEST(Graph, FoldsConstantsZerosAndOnes) {
  Inputs in;
  EXPECT_EQ(in.node(in.x + 0.0), in.node(in.x));
  EXPECT_EQ(in.node(0.0 - in.x), in.node(-in.x));
  EXPECT_EQ(in.node(in.x * 1.0), in.node(in.x));
  EXPECT_EQ(in.node(in.x * -1.0), in.node(-in.x));
  EXPECT_EQ(in.node(-(-in.x)), in.node(in.x));
  EXPECT_TRUE((in.x * 0.0).constant());
  EXPECT_TRUE((in.x - in.x).constant());
  EXPECT_EQ((Traced(2) * Traced(3)).value(), 6);
  EXPECT_EQ(in.node((in.x * 2.0) * 3.0), in.node(in.x * 6.0));
  EXPECT_EQ(in.node(in.x / Traced(4)), in.node(in.x * 0.25));
  EXPECT_EQ(in.node(in.x - (in.x - in.y)), in.node(in.y));
  EXPECT_EQ(in.node((in.x + in.y) - in.x), in.node(in.y));
}

TEST(Graph, KeepsTheSignOfSinesOutside) {
  Inputs in;
  Traced s1, c1, s2, c2;
  sincos(in.x, s1, c1);
  sincos(-in.x, s2, c2);
  EXPECT_EQ(in.node(s2), in.node(-s1));
  EXPECT_EQ(in.node(c2), in.node(c1));
}

TEST(Graph, RefusesDecisionsOnTheState) {
  Inputs in;
  EXPECT_THROW(static_cast<void>(in.x < in.y), std::invalid_argument);
  EXPECT_TRUE(Traced(1) < Traced(2));
}

int cost(const Traces& traces) {
  int total = 0;
  for (const Node& node : arrange(traces).nodes) total += !is_leaf(node.op);
  return total;
}

TEST(Simplify, TakesOutCommonFactorsAndMergesLikeTerms) {
  Inputs in;
  EXPECT_EQ(cost(simplify(in.graph, {in.node(in.x * in.y + in.x * in.z)})), 2);
  EXPECT_EQ(cost(simplify(in.graph, {in.node(in.x * 2.0 + (in.y + in.x * 3.0))})), 2);
  EXPECT_EQ(cost(simplify(in.graph, {in.node(in.x * 0.5 + in.y * 0.5 - in.z * 0.5)})), 3);
  EXPECT_EQ(cost(simplify(in.graph, {in.node((in.x + in.y) - (in.z + in.x) - in.y)})), 1);  // -z
}

TEST(Simplify, KeepsWhatSeveralOutputsShare) {
  Inputs in;
  const Traced shared = in.x * in.y;
  const Traces out = simplify(in.graph, {in.node(shared + in.z), in.node(shared), in.node(shared - in.z)});
  EXPECT_EQ(cost(out), 3);
}

TEST(Simplify, AbsorbsSignsOfResultsIntoOperands) {
  Inputs in;
  const Traced product = in.x * in.y;
  EXPECT_EQ(cost(simplify(in.graph, {in.node(product - in.z)})), 2);
  EXPECT_EQ(cost(simplify(in.graph, {in.node(in.x * -3.0)})), 1);
  EXPECT_EQ(cost(simplify(in.graph, {in.node(-(in.x + in.y * 2.0))})), 2);  // y * -2 - x
  EXPECT_EQ(cost(simplify(in.graph, {in.node(-in.x)})), 1);
  // used with both signs: the sign cannot move
  EXPECT_EQ(cost(simplify(in.graph, {in.node(in.x - in.y), in.node(in.y - in.x)})), 2);
}

TEST(Simplify, DropsWhatNoOutputNeeds) {
  Inputs in;
  in.node(in.x / in.y);
  EXPECT_EQ(simplify(in.graph, {in.node(in.z)}).graph.size(), 1);
}

}  // namespace
}  // namespace catena::compile
