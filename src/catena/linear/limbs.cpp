#include "catena/linear/limbs.hpp"

#include <algorithm>
#include <unordered_map>

#include "catena/kinematics/storage.hpp"
#include "catena/linear/regressor.hpp"

namespace catena::kernel {

Limbs::Limbs(const Model& model, const WorldSweep<double>& world, const ExternalLoads& loads)
    : model_(model), world_(world), limbs_(model.description().bodies.size()), first_(limbs_.size()), end_(first_) {
  const Description& robot = model.description();
  const Tree& tree = model.reduced().tree;  // whose frames the sweep has
  const Mat3<double>& ground = model.reduced().frames[0].R;
  const int count = static_cast<int>(limbs_.size());
  std::unordered_map<std::string, int> index;
  for (int b = 0; b < count; ++b) index[robot.bodies[b].name] = b;
  std::vector<std::vector<int>> carried(count + 1);  // last: by the ground
  for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) {
    Limb& limb = limbs_[child(j)];
    limb.joint = j;
    if (!robot.joints[j].parent.empty()) limb.parent = index.at(robot.joints[j].parent);
  }
  for (int b = 0; b < count; ++b) carried[limbs_[b].parent < 0 ? count : limbs_[b].parent].push_back(b);
  // Chains may be thousands of bodies deep: a stack of our own. A body's limb ends where the next of its height begins.
  std::vector<int> stack(carried[count].rbegin(), carried[count].rend());
  while (!stack.empty()) {
    const int b = stack.back();
    stack.pop_back();
    first_[b] = static_cast<int>(order_.size());
    order_.push_back(b);
    stack.insert(stack.end(), carried[b].rbegin(), carried[b].rend());
  }

  for (int b = 0; b < count; ++b) {
    if (!robot.bodies[b].inertial) continue;
    const Vector10 p = inertial_parameters(*robot.bodies[b].inertial);
    const int k = tree.frames[b].body;
    Limb& limb = limbs_[b];
    limb.R = spatial::apply_transposed(world.world[k] * tree.frames[b].pose,
                                       Inertia<double>{p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[6], p[7], p[8], p[9]}});
    limb.R_bar = velocity_inertia(limb.R, world.V[k]);
    limb.f = limb.R * world.alpha[k] + limb.R_bar * world.V[k];
  }
  for (const Wrench& wrench : loads.wrenches) {
    int b = wrench.frame;
    if (b >= count) {
      const std::string& body = robot.frames[b - count].body;
      if (body.empty()) continue;
      b = index.at(body);
    }
    const TreeFrame& frame = tree.frames[wrench.frame];
    const Transform<double> pose = world.world[frame.body] * frame.pose;
    const Vec3<double> c = pose.R * vec3(wrench.point) + pose.p;
    Vec3<double> force = vec3(wrench.force), moment = vec3(wrench.moment);
    if (wrench.axes == Axes::body) {
      force = pose.R * force, moment = pose.R * moment;
    } else {
      force = spatial::transposed_times(ground, force), moment = spatial::transposed_times(ground, moment);
      limbs_[b].E += world_fixed_wrench(c, force, moment);
    }
    limbs_[b].f -= Force<double>{moment + cross(c, force), force};
  }

  for (int i = count - 1; i >= 0; --i) {
    const int b = order_[i];
    const Limb& limb = limbs_[b];
    end_[b] = std::max(end_[b], i + 1);
    if (limb.parent < 0) continue;
    Limb& parent = limbs_[limb.parent];
    parent.R += limb.R;
    parent.R_bar += limb.R_bar;
    parent.E += limb.E;
    parent.f += limb.f;
    end_[limb.parent] = std::max(end_[limb.parent], end_[b]);
  }
}

template <class Use>
void Limbs::for_each_row(int joint, const Use& use) const {
  const Tree& tree = model_.tree();
  const int d = velocity_count(model_.description().joints[joint].type);
  if (d == 0) return;
  // Universal and gimbal joints are several bodies of the tree: their components end with the last one's.
  const TreeBody& last = tree.bodies[tree.joint_body[joint]];
  const int end = last.v + velocity_count(last);
  for (int r = end - d; r < end; ++r) use(r, world_.column[r].H);
}

// further out:  d tau = H_r' (R Hw + 2 R_bar Hq + E H), of that joint's own limb
// further in:   d tau = H_r' (R Hw + 2 R_bar Hq + E H + crf(H) f), of the displaced limb
void Limbs::displace(int joint, const Motion<double>& H, bool before, double* column) const {
  const Tree& tree = model_.reduced().tree;
  std::fill_n(column, tree.nv_full, 0.0);
  const int body = child(joint), parent = limbs_[body].parent;
  const int carrier = before ? (parent < 0 ? 0 : tree.frames[parent].body) : tree.frames[body].body;
  const Motion<double>&V = world_.V[carrier], &alpha = world_.alpha[carrier];
  const Motion<double> Hq = cross(V, H), Hw = cross(alpha, H) + cross(V, Hq);
  const auto change = [&](const Limb& limb) { return limb.R * Hw + (limb.R_bar * Hq) * 2.0 + limb.E * H; };
  const auto feel = [&](int j, const Force<double>& f) {
    for_each_row(j, [&](int r, const Motion<double>& H_r) { column[r] = dot(H_r, f); });
  };
  for (int i = first_[body] + (before ? 0 : 1); i < end_[body]; ++i) {
    const Limb& limb = limbs_[order_[i]];
    feel(limb.joint, change(limb));
  }
  const Force<double> f = change(limbs_[body]) + cross(H, limbs_[body].f);
  for (int b = before ? parent : body; b >= 0; b = limbs_[b].parent) {
    if (limbs_[b].joint >= 0) feel(limbs_[b].joint, f);
  }
}

}  // namespace catena::kernel
