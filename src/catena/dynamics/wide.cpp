#include "catena/dynamics/wide.hpp"

namespace catena::kernel {

DepthFirst::DepthFirst(const Tree& tree) {
  if (!is_wide(tree)) return;
  std::vector<std::vector<int>> children(tree.count());
  for (int k = 1; k < tree.count(); ++k) children[tree.bodies[k].parent].push_back(k);
  const int n = tree.nv_full;
  place.resize(n);
  first.resize(n), end.resize(n);
  const auto visit_body = [&](const auto& self, int k) -> void {
    const int before = static_cast<int>(component.size());
    for (int i = 0; k > 0 && i < velocity_count(tree.bodies[k]); ++i) {
      place[tree.bodies[k].v + i] = static_cast<int>(component.size());
      component.push_back(tree.bodies[k].v + i);
      body.push_back(k);
    }
    const int behind = static_cast<int>(component.size());
    for (const int child : children[k]) self(self, child);
    for (int p = before; p < behind; ++p) first[p] = behind, end[p] = static_cast<int>(component.size());
  };
  visit_body(visit_body, 0);
  run.resize(n, 1);
  for (int p = n - 2; p >= 0; --p) {
    if (component[p + 1] == component[p] + 1) run[p] = run[p + 1] + 1;
  }
}

Wide::Wide(const Tree& tree) : order(tree) {
  if (!is_wide(tree)) return;
  world.resize(tree.count());
  M.resize(tree.count(), Inertia<double>::zero());
  V.resize(tree.count(), Motion<double>::zero());
  alpha = V;
  load.resize(tree.count());
  H.resize(tree.nv_full, Motion<double>::zero());
  stride = (tree.nv_full + 3) / 4 * 4 + 4;  // room for a vector from any place
  numbers.resize(static_cast<std::size_t>(rows) * stride, 0.0);
}

BeginForward begin_forward() {
#ifdef __x86_64__
  static const bool four = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (four) return begin_forward_4();
#endif
  return begin_forward_2();
}

}  // namespace catena::kernel
