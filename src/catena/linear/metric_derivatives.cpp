#include "catena/linear/metric_derivatives.hpp"

#include <limits>
#include <unordered_map>

#include "catena/dynamics/composite_kernel.hpp"
#include "catena/spatial/dual.hpp"

namespace catena::kernel {

namespace {

// value.x.x, derivative along e1 value.x.d, along e2 value.d.x, along both value.d.d
using Second = spatial::Dual<spatial::Dual<double>>;

void require_rates(const Model& model) {
  for (const Coordinate& c : model.coordinates()) {
    if (!visit(c.type, [](auto joint) { return joint.adds; })) {
      throw std::invalid_argument("the curvature of " + model.name() + " needs coordinates with v = dq/dt; joint " +
                                  c.joint + " is " + name_of(c.type));
    }
  }
}

// q in full coordinates with e1 along coordinate l and e2 along m.
std::vector<Second> seeded(const Tree& tree, ConstVector q, int l, int m) {
  std::vector<Second> full(tree.nq_full);
  for (int i = 0; i < tree.nq; ++i) full[i] = {{q[i], i == l ? 1.0 : 0.0}, {i == m ? 1.0 : 0.0, 0}};
  expand_positions(tree, full.data());
  return full;
}

// E' M E with |ratio| for majorants.
void reduce(const Tree& tree, std::vector<Second>& M, bool majorant) {
  const int n = tree.nv_full;
  const auto weight = [&](const Coupling& c) { return majorant ? std::abs(c.ratio) : c.ratio; };
  for (const Coupling& c : tree.couplings) {
    for (int i = 0; i < n; ++i) M[i + c.master_v * n] += M[i + c.v * n] * weight(c);
  }
  for (const Coupling& c : tree.couplings) {
    for (int i = 0; i < n; ++i) M[c.master_v + i * n] += M[c.v + i * n] * weight(c);
  }
}

// Runs fill(q, M) for every pair of directions and sorts the parts of M into the derivatives.
template <class Fill>
Metric differentiate(const Model& model, ConstVector q, bool majorant, const Fill& fill) {
  require_rates(model);
  require_configuration(model, q);
  const Tree& tree = model.tree();
  const int n = tree.nv, stride = tree.nv_full;
  Metric out{Matrix(n, n), std::vector<Matrix>(n), std::vector<Matrix>(static_cast<std::size_t>(n) * n)};
  std::vector<Second> M(static_cast<std::size_t>(stride) * stride);
  for (int l = 0; l < n; ++l) {
    for (int m = l; m < n; ++m) {
      fill(seeded(tree, q, l, m), M);
      reduce(tree, M, majorant);
      Matrix& second = out.second[l * n + m];
      second.resize(n, n);
      if (l == m) out.first[l].resize(n, n);
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          const Second& entry = M[i + j * stride];
          second(i, j) = entry.d.d;
          if (l == m) out.first[l](i, j) = entry.x.d;
          out.M(i, j) = entry.x.x;
        }
      }
      out.second[m * n + l] = second;
    }
  }
  return out;
}

// Norms of a body's inertia and of the change of frame to its parent.
struct Norms {
  double m = 0, h = 0, J = 0;  // lumped bodies added up without cancelling
  double placement = 0;        // length, by the same rule
};

// From the description, because sums in the tree may have cancelled.
std::vector<Norms> tree_norms(const Model& model, int& depth) {
  const Description& robot = model.description();
  const Tree& tree = model.tree();
  std::unordered_map<std::string, int> joint_of;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) joint_of[robot.joints[j].child] = static_cast<int>(j);
  // Distance from the tree body's origin along the fixed joints in between; their number adds to the depth.
  const auto seat = [&](std::string body) {
    double length = 0;
    for (auto it = joint_of.find(body); it != joint_of.end(); it = joint_of.find(body)) {
      const Joint& joint = robot.joints[it->second];
      length += joint.body_in_joint.p.norm();
      if (joint.type != JointType::fixed) break;
      length += joint.placement.p.norm();
      body = joint.parent;
    }
    return length;
  };
  std::vector<Norms> out(tree.count());
  depth = 0;
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) {
    int own_depth = 0;
    for (auto it = joint_of.find(robot.bodies[b].name); it != joint_of.end();
         it = joint_of.find(robot.joints[it->second].parent)) {
      own_depth += std::max(1, facts_of(robot.joints[it->second].type).bodies);
    }
    depth = std::max(depth, own_depth);
    if (!robot.bodies[b].inertial) continue;
    const Inertial& inertial = *robot.bodies[b].inertial;
    const double arm = seat(robot.bodies[b].name) + inertial.com.norm();
    Norms& norms = out[tree.frames[b].body];
    norms.m += inertial.mass;
    norms.h += inertial.mass * arm;
    norms.J += inertial.inertia.norm() + inertial.mass * arm * arm;
  }
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    if (joint.type == JointType::fixed) continue;
    const int first = tree.joint_body[j] - facts_of(joint.type).bodies + 1;
    out[first].placement = joint.placement.p.norm() + seat(joint.parent);
  }
  return out;
}

// |a| with its derivatives' absolute values.
Second size_of(const Second& a) { return {{std::abs(a.x.x), std::abs(a.x.d)}, {std::abs(a.d.x), std::abs(a.d.d)}}; }

// A joint map's column as norms: how much it rotates and how much it translates.
struct Shares {
  double turn, slide;
};
template <class Use>
void for_each_column(const TreeBody& body, const Use& use) {
  const auto size = [](const Vec3<double>& x) { return std::abs(x.x) + std::abs(x.y) + std::abs(x.z); };
  visit(body, [&](auto joint) {
    for (int c = 0; c < joint.d; ++c) {
      const Motion<double> h = joint.template unit<double>(body, c);  // along one axis
      use(body.v + c, Shares{size(h.w), size(h.v)});
    }
  });
}

}  // namespace

Metric metric_derivatives(const Model& model, ConstVector q) {
  const Tree& tree = model.tree();
  Positions<Second> positions(tree);
  std::vector<Inertia<Second>> composite(tree.count());
  return differentiate(model, q, false, [&](const std::vector<Second>& full, std::vector<Second>& M) {
    update_positions(tree, full.data(), positions);
    mass_matrix_sweep(tree, positions.X, composite, M.data(), tree.nv_full);
  });
}

// inward, on norms:  m += m    h += rho h + p m    J += rho^2 J + 2 p rho h + p^2 m    n' = rho n + p f'    f' = rho f
Metric metric_majorants(const Model& model, ConstVector q) {
  const Tree& tree = model.tree();
  int depth = 0;
  const std::vector<Norms> norms = tree_norms(model, depth);
  const int count = tree.count(), n = tree.nv_full;
  std::vector<Second> rho(count), p(count), m(count), h(count), J(count);
  return differentiate(model, q, true, [&](const std::vector<Second>& full, std::vector<Second>& M) {
    std::fill(M.begin(), M.end(), Second(0.0));
    for (int k = 1; k < count; ++k) {
      const TreeBody& body = tree.bodies[k];
      m[k] = norms[k].m, h[k] = norms[k].h, J[k] = norms[k].J;
      rho[k] = 1;
      p[k] = norms[k].placement;
      for_each_column(body, [&](int column, const Shares& share) {
        const Second moved = size_of(full[body.q + column - body.v]);
        // a rotation and all its derivatives by the angle have norm one
        if (share.turn > 0) rho[k] = {{1, moved.x.d}, {moved.d.x, moved.x.d * moved.d.x}};
        p[k] += moved * share.slide;
      });
    }
    for (int k = count - 1; k > 0; --k) {
      for_each_column(tree.bodies[k], [&](int column, const Shares& own) {
        Second moment = J[k] * own.turn + h[k] * own.slide, force = h[k] * own.turn + m[k] * own.slide;
        for (int j = k; j > 0; j = tree.bodies[j].parent) {
          for_each_column(tree.bodies[j], [&](int row, const Shares& other) {
            const Second entry = moment * other.turn + force * other.slide;
            M[row + column * n] = M[column + row * n] = entry;
          });
          force = rho[j] * force;
          moment = rho[j] * moment + p[j] * force;
        }
        M[column + column * n] += tree.terms[column].armature;
      });
      const int parent = tree.bodies[k].parent;
      if (parent == 0) continue;
      const Second turned = rho[k] * h[k];
      m[parent] += m[k];
      h[parent] += turned + p[k] * m[k];
      J[parent] += rho[k] * rho[k] * J[k] + p[k] * turned * 2.0 + p[k] * p[k] * m[k];
    }
  });
}

double gamma(double roundings) {
  const double ku = roundings * 0.5 * std::numeric_limits<double>::epsilon();
  return ku / (1 - ku);
}

// A product of nested dual numbers and its sum round four times along the path of any term. One change of frame is at
// most: sine and cosine 2, placement rotated 5, two rotations 12, translation of the lever arm 13: 32 roundings. A
// bound by entries becomes one by norms at the price of |R| |J| |R'| <= 3 sqrt(3) ||J||, rounded up to 6. Building the
// tree out of the description rotates each inertia and placement once more for each joint, in double: within the same
// number.
double rounding_factor(const Model& model) {
  int depth = 0;
  tree_norms(model, depth);
  const Tree& tree = model.tree();
  return gamma(2.0 * 32 * 6 * (depth + 1) + tree.count() + 8.0 * static_cast<double>(tree.couplings.size()));
}

}  // namespace catena::kernel
