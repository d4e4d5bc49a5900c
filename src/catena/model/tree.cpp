// From a description to the tree the kernels run on: number the bodies, lump fixed joints, rotate joint axes to z.
#include "catena/model/tree.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <unordered_map>

#include "catena/joints/joints.hpp"

namespace catena {
namespace {

using spatial::Inertia;
using spatial::Mat3;
using spatial::Transform;
using spatial::Vec3;

Vec3<double> vec3(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
Mat3<double> mat3(const Matrix3& m) { return {vec3(m.col(0)), vec3(m.col(1)), vec3(m.col(2))}; }
Transform<double> transform(const Pose& pose) { return {mat3(pose.R), vec3(pose.p)}; }

}  // namespace

Inertia<double> inertia_of(const Inertial& inertial) {
  const double m = inertial.mass;
  const Vector3& c = inertial.com;
  const Matrix3 symmetric = 0.5 * (inertial.inertia + inertial.inertia.transpose());
  const Matrix3 J = symmetric + m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  return {m, vec3(m * c), {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}};
}

namespace {

// Parents first, otherwise the order of the file.
std::vector<int> topological_order(const Description& robot, const std::unordered_map<std::string, int>& joint_of) {
  const int count = static_cast<int>(robot.joints.size());
  std::vector<std::vector<int>> followers(count);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int j = 0; j < count; ++j) {
    const auto parent_joint = joint_of.find(robot.joints[j].parent);
    if (parent_joint == joint_of.end()) {
      ready.push(j);
    } else {
      followers[parent_joint->second].push_back(j);
    }
  }
  std::vector<int> order;
  order.reserve(count);
  while (!ready.empty()) {
    const int j = ready.top();
    ready.pop();
    order.push_back(j);
    for (const int follower : followers[j]) ready.push(follower);
  }
  return order;
}

// Where a body of the description sits on the tree.
struct Seat {
  int body = 0;
  Pose pose;  // of the description's body frame in the tree body's frame
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const Description& robot) : robot_(robot) {
    for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) joint_of_body_[robot.joints[j].child] = j;
    for (int b = 0; b < static_cast<int>(robot.bodies.size()); ++b) index_of_body_[robot.bodies[b].name] = b;
  }

  Tree build() {
    tree_.gravity = {robot_.gravity.x(), robot_.gravity.y(), robot_.gravity.z()};
    tree_.bodies.emplace_back();  // the ground
    tree_.inertias.emplace_back();
    tree_.joint_names.emplace_back();
    tree_.bodies[0].placement = Transform<double>::identity();
    seats_.resize(robot_.bodies.size());
    tree_.joint_body.resize(robot_.joints.size());
    tree_.joint_frame.resize(robot_.joints.size());
    number_coordinates();
    tree_.joint_parent.resize(robot_.joints.size());
    tree_.joints_outward = topological_order(robot_, joint_of_body_);
    for (const int j : tree_.joints_outward) place(j);
    for (std::size_t b = 0; b < robot_.bodies.size(); ++b) {
      if (robot_.bodies[b].inertial) add_inertia(seats_[b], *robot_.bodies[b].inertial);
    }
    for (BodyInertia<double>& body : tree_.inertias) body.second = spatial::second_moments(body.M.J);
    name_frames();
    number_steps();
    order_depth_first();
    judge_pivots();
    return std::move(tree_);
  }

 private:
  // The model's own coordinates in the order of the joints, then one entry for each mimic joint.
  void number_coordinates() {
    first_q_.resize(robot_.joints.size());
    first_v_.resize(robot_.joints.size());
    for (const bool coupled : {false, true}) {
      for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
        const Joint& joint = robot_.joints[j];
        if (joint.type == JointType::fixed || joint.mimic.has_value() != coupled) continue;
        const int nq = position_count(joint.type), nv = velocity_count(joint.type);
        first_q_[j] = tree_.nq_full;
        first_v_[j] = tree_.nv_full;
        if (!coupled) {
          tree_.coordinates.push_back(
              {joint.name, joint.type, tree_.nq_full, nq, tree_.nv_full, nv, static_cast<int>(j)});
        }
        tree_.nq_full += nq;
        tree_.nv_full += nv;
        add_terms(joint);
      }
      if (!coupled) tree_.nq = tree_.nq_full, tree_.nv = tree_.nv_full;
    }
    std::unordered_map<std::string, int> joint_by_name;
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) joint_by_name[robot_.joints[j].name] = static_cast<int>(j);
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      if (!robot_.joints[j].mimic || robot_.joints[j].type == JointType::fixed) continue;
      // A master may follow another joint in turn: q = r1 (r2 q0 + o2) + o1.
      double ratio = 1, offset = 0;
      int master = static_cast<int>(j);
      while (robot_.joints[master].mimic) {
        const Mimic& mimic = *robot_.joints[master].mimic;
        offset += ratio * mimic.offset;
        ratio *= mimic.ratio;
        master = joint_by_name.at(mimic.joint);
      }
      tree_.couplings.push_back({first_q_[j], first_v_[j], first_q_[master], first_v_[master], ratio, offset});
    }
  }

  void number_steps() {
    std::vector<int> last(tree_.bodies.size(), -1);  // component of the body nearest to it
    tree_.ancestors.resize(tree_.nv_full);
    for (int k = 1; k < tree_.count(); ++k) {
      const TreeBody& body = tree_.bodies[k];
      int above = last[body.parent];
      for (int i = body.v; i < body.v + kernel::velocity_count(body); ++i) {
        tree_.ancestors[i] = {above, above < 0 ? 0 : tree_.ancestors[above].depth + 1};
        tree_.longest_path = std::max(tree_.longest_path, tree_.ancestors[i].depth + 1);
        tree_.outward.push_back(i);
        above = i;
      }
      last[k] = above;
    }
  }

  void order_depth_first() {
    const int count = tree_.count(), n = tree_.nv_full;
    // how many components each body has and carries; bodies are numbered parents first
    std::vector<int> own(count, 0), carried(count, 0), next(count, 0);
    for (int k = 1; k < count; ++k) own[k] = carried[k] = kernel::velocity_count(tree_.bodies[k]);
    for (int k = count - 1; k > 0; --k) carried[tree_.bodies[k].parent] += carried[k];
    DepthFirst& order = tree_.depth_first;
    for (std::vector<int>* numbers : {&order.component, &order.body, &order.place, &order.first, &order.end}) {
      numbers->resize(n);
    }
    for (int k = 1; k < count; ++k) {
      const TreeBody& body = tree_.bodies[k];
      int& free = next[body.parent];  // the first place below the parent that is not taken
      const int begin = free;
      free += carried[k];
      next[k] = begin + own[k];
      for (int i = 0; i < own[k]; ++i) {
        const int place = begin + i;
        order.component[place] = body.v + i, order.body[place] = k, order.place[body.v + i] = place;
        order.first[place] = begin + own[k], order.end[place] = begin + carried[k];
      }
    }
    order.run.resize(n, 1);
    for (int p = n - 2; p >= 0; --p) {
      if (order.component[p + 1] == order.component[p] + 1) order.run[p] = order.run[p + 1] + 1;
    }
    for (int i = 0; i < n; ++i) tree_.in_order = tree_.in_order && tree_.outward[i] == i;
    for (int k = n - 1; k >= 0; --k) {
      if (tree_.outward[k] < tree_.nv) tree_.tips_first.push_back(tree_.outward[k]);
    }
  }

  // A pivot is what remains of inertias when all that moves freely beyond the joint is taken off. Rounding acts on what
  // was there: at most the trace of the moments of the bodies beyond, each as far away as the links allow - from the
  // first body, near which algorithms in ground axes take moments, or from its parent where the robot is too long for
  // them. Bodies many joints away have hardly any effect, and in the sums of a long chain would drown the rest: each
  // joint takes off a little.
  void judge_pivots() {
    constexpr double felt_past_joint = 0.98;
    const bool about_first = tree_.longest_path <= longest_factored_path;
    const auto length = [](const Vec3<double>& p) { return std::hypot(p.x, p.y, p.z); };
    const int count = tree_.count();
    tree_.pivot_floor.assign(tree_.nv_full, 0.0);
    std::vector<double> distance(count, 0.0), mass(count, 0.0), moments(count, 0.0);
    for (int k = 1; k < count; ++k) {
      const TreeBody& body = tree_.bodies[k];
      const Inertia<double>& M = tree_.inertias[k].M;
      if (body.parent > 0) {
        distance[k] = (about_first ? distance[body.parent] : 0) + length(body.placement.p) + slides_[k];
      } else if (k > 1) {
        distance[k] = length(body.placement.p - tree_.bodies[1].placement.p) + slides_[k];
      }
      const double r = distance[k], m = mass[k] = std::abs(M.m);
      moments[k] = std::abs(M.J.xx) + std::abs(M.J.yy) + std::abs(M.J.zz) + 2 * r * (length(M.h) + r * m);
    }
    for (int k = count - 1; k > 0; --k) {
      const TreeBody& body = tree_.bodies[k];
      const auto [components, turns] =
          kernel::visit(body, [](auto joint) { return std::pair(joint.facts.nv, joint.facts.turning); });
      for (int i = 0; i < components; ++i) {
        const double size = i < turns ? moments[k] + body.pitch * body.pitch * mass[k] : 3 * mass[k];
        tree_.pivot_floor[body.v + i] = pivot_tolerance * size;
      }
      mass[body.parent] += felt_past_joint * mass[k];
      moments[body.parent] += felt_past_joint * moments[k];
    }
    // M_own = E' M E
    for (const Coupling& c : tree_.couplings) {
      double& master = tree_.pivot_floor[c.master_v];
      const double root = std::sqrt(master) + std::abs(c.ratio) * std::sqrt(tree_.pivot_floor[c.v]);
      master = root * root;
    }
  }

  void add_terms(const Joint& joint) {
    const JointTerms& terms = joint.terms;
    const bool rubs = terms.friction != 0;
    tree_.terms.insert(tree_.terms.end(), velocity_count(joint.type),
                       {terms.armature(), terms.damping, terms.friction, rubs ? 1 / terms.friction_scale : 0});
    tree_.has_friction |= rubs;
    tree_.has_terms |= rubs || terms.armature() != 0 || terms.damping != 0 || terms.stiffness != 0;
  }

  void place(int j) {
    const Joint& joint = robot_.joints[j];
    const Seat parent = joint.parent.empty() ? Seat{} : seats_[index_of_body_.at(joint.parent)];
    const int child = index_of_body_.at(joint.child);
    const Pose joint_pose = parent.pose * joint.placement;
    Seat& seat = seats_[child];
    Seat moved = {parent.body, joint_pose};  // the joint's frame behind the rotations so far
    int component = 0;
    for (const Vector3& axis : axes_of(joint)) {
      Pose to_z;  // from the joint's axes to those of the tree's body
      to_z.R = rotation_from_z_to(axis);
      const int body = add_body(joint, moved.body, moved.pose * to_z, first_q_[j] + component, first_v_[j] + component);
      moved = {body, to_z.inverse()};
      ++component;
    }
    seat = {moved.body, moved.pose * joint.body_in_joint};
    tree_.joint_body[j] = seat.body;
    tree_.joint_frame[j] = child;
    tree_.joint_parent[j] = joint.parent.empty() ? -1 : index_of_body_.at(joint.parent);
  }

  int add_body(const Joint& joint, int parent, const Pose& placement, int q, int v) {
    TreeBody body;
    body.kind = kernel::visit(joint.type, [](auto type) { return type.kind; });
    body.parent = parent;
    body.q = q;
    body.v = v;
    body.placement = transform(placement);
    body.pitch = joint.pitch;
    if (kernel::velocity_count(body) > 1) body.multi = tree_.multi_count++;
    if (kernel::visit(body, [](auto own) { return own.has_angle; })) {
      body.angle = static_cast<int>(tree_.angles.size());
      tree_.angles.push_back(q);
    }
    tree_.bodies.push_back(body);
    tree_.inertias.emplace_back();
    slides_.push_back(kernel::visit(joint.type, [&](auto type) { return type.longest_slide(joint); }));
    tree_.joint_names.push_back(joint.name);
    const int index = tree_.count() - 1;
    if (joint.terms.stiffness != 0) tree_.springs.push_back({index, joint.terms.stiffness, joint.terms.rest});
    return index;
  }

  void add_inertia(const Seat& seat, const Inertial& inertial) {
    tree_.inertias[seat.body].M += apply_transposed(transform(seat.pose), inertia_of(inertial));
    tree_.total_mass += inertial.mass;
  }

  void name_frames() {
    for (std::size_t b = 0; b < robot_.bodies.size(); ++b) {
      tree_.frames.push_back({robot_.bodies[b].name, seats_[b].body, transform(seats_[b].pose), static_cast<int>(b),
                              !joint_of_body_.contains(robot_.bodies[b].name)});
    }
    for (const Frame& frame : robot_.frames) {
      const int owner = frame.body.empty() ? -1 : index_of_body_.at(frame.body);
      const Seat seat = owner < 0 ? Seat{} : seats_[owner];
      tree_.frames.push_back({frame.name, seat.body, transform(seat.pose * frame.pose), owner});
    }
  }

  const Description& robot_;
  std::unordered_map<std::string, int> joint_of_body_, index_of_body_;
  std::vector<int> first_q_, first_v_;
  std::vector<Seat> seats_;
  std::vector<double> slides_ = {0};  // by body: how far its joint may translate it
  Tree tree_;
};

}  // namespace

std::shared_ptr<const Tree> build_tree(const Description& description) {
  return std::make_shared<const Tree>(TreeBuilder(description).build());
}

}  // namespace catena
