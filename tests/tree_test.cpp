// The robot as the kernels see it.
#include "catena/model/tree.hpp"

#include <gtest/gtest.h>

#include "catena/model/generate.hpp"

namespace catena {
namespace {

TEST(Tree, KnowsItsComponentsDepthFirst) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(random_tree(seed));
    const Tree& tree = model.tree();
    const DepthFirst& order = tree.depth_first;
    const int n = tree.nv_full;
    ASSERT_EQ(static_cast<int>(order.component.size()), n);
    std::vector<int> above(n, 0);  // how many components have each one on their way to the ground
    for (int i = 0; i < n; ++i) {
      const int place = order.place[i];
      ASSERT_EQ(order.component[place], i);
      for (int j = tree.ancestors[i].above; j >= 0; j = tree.ancestors[j].above) {
        ++above[j];
        EXPECT_LT(order.place[j], place);
        EXPECT_LT(place, order.end[order.place[j]]);
      }
    }
    for (int p = 0; p < n; ++p) {
      EXPECT_EQ(order.end[p] - p - 1, above[order.component[p]]);  // all of them directly behind, nobody else
      for (int c = order.first[p]; c < order.end[p]; ++c) EXPECT_NE(order.body[c], order.body[p]);
      for (int c = p + 1; c < order.first[p]; ++c) EXPECT_EQ(order.body[c], order.body[p]);
      for (int k = 0; k < order.run[p]; ++k) EXPECT_EQ(order.component[p + k], order.component[p] + k);
    }
  }
}

}  // namespace
}  // namespace catena
