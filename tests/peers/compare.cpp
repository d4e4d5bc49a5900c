#include "compare.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/model/doctor.hpp"
#include "catena/model/generate.hpp"
#include "catena/read/robot.hpp"

namespace catena::peers {
namespace {

constexpr double tolerance = 1e-10;
constexpr int states = 20;

Description prepared(Description robot, const Abilities& abilities) {
  if (!abilities.any_inertia) mend(robot);
  for (Joint& joint : robot.joints) {
    joint.terms = abilities.joint_terms ? joint.terms : JointTerms{};
    joint.terms.friction = 0;
    if (joint.type != JointType::fixed) joint.axis.normalize();
  }
  std::set<std::string> carried;
  for (const Joint& joint : robot.joints) carried.insert(joint.child);
  for (const Body& body : robot.bodies) {
    if (carried.contains(body.name)) continue;
    Joint weld = fixed("ground to " + body.name);
    weld.child = body.name;
    robot.joints.push_back(weld);
  }
  return robot;
}

Description uncoupled(Description robot) {
  for (Joint& joint : robot.joints) joint.mimic.reset();
  return robot;
}

Answer answer_of(const Model& model, const State& state) {
  Answer ours;
  ours.inverse = inverse_dynamics(model, state.q, state.v, state.a);
  ours.gravity = gravity_forces(model, state.q);
  ours.forward = forward_dynamics(model, state.q, state.v, state.tau);
  ours.mass_matrix = mass_matrix(model, state.q);
  const Kinematics kinematics(model, state.q);
  for (const Body& body : model.description().bodies) {
    const int frame = model.frame(body.name);
    ours.poses.push_back(kinematics.pose(frame));
    ours.jacobians.push_back(kinematics.jacobian(frame, Axes::aligned));
  }
  return ours;
}

const Joint& joint_named(const Description& robot, const std::string& name) {
  for (const Joint& joint : robot.joints) {
    if (joint.name == name) return joint;
  }
  throw std::invalid_argument("no joint " + name);
}

// q_free = G q + offset, v_free = G v: the peer knows the robot without its couplings, we know it with them.
Ask projected(const Ask& ask, const Model& free, const Model& coupled) {
  Matrix G = Matrix::Zero(free.nv(), coupled.nv()), Gq = Matrix::Zero(free.nq(), coupled.nq());
  Vector offset = Vector::Zero(free.nq());
  for (const Coordinate& to : free.coordinates()) {
    const Joint* joint = &coupled.description().joints[static_cast<std::size_t>(to.index)];
    double ratio = 1;
    for (; joint->mimic; joint = &joint_named(coupled.description(), joint->mimic->joint)) {
      offset[to.q] += ratio * joint->mimic->offset;
      ratio *= joint->mimic->ratio;
    }
    const Coordinate& from = coupled.coordinate(joint->name);
    for (int i = 0; i < to.nv; ++i) G(to.v + i, from.v + i) = ratio;
    for (int i = 0; i < to.nq; ++i) Gq(to.q + i, from.q + i) = ratio;
  }
  return [=](const State& state) {
    const State moving{Gq * state.q + offset, G * state.v, G * state.a, Vector::Zero(G.rows())};
    State coasting = moving;
    coasting.a.setZero();
    Answer peer = ask(moving);
    const Vector bias = G.transpose() * ask(coasting).inverse;
    peer.inverse = G.transpose() * peer.inverse;
    peer.gravity = G.transpose() * peer.gravity;
    peer.mass_matrix = G.transpose() * peer.mass_matrix * G;
    peer.forward = peer.mass_matrix.llt().solve(state.tau - bias);
    for (Matrix& J : peer.jacobians) J = J * G;
    return peer;
  };
}

double difference_of(const Matrix& ours, const Matrix& theirs) {
  if (ours.rows() != theirs.rows() || ours.cols() != theirs.cols()) return HUGE_VAL;
  const double largest = (ours - theirs).cwiseAbs().maxCoeff() / theirs.cwiseAbs().maxCoeff();
  return largest <= HUGE_VAL ? largest : HUGE_VAL;  // NaN is no agreement
}

Matrix stacked(const std::vector<Matrix>& blocks) {
  Matrix all(6 * static_cast<Eigen::Index>(blocks.size()), blocks.at(0).cols());
  for (std::size_t i = 0; i < blocks.size(); ++i) all.middleRows(6 * static_cast<Eigen::Index>(i), 6) = blocks[i];
  return all;
}

Matrix stacked(const std::vector<Pose>& poses) {
  Matrix all(3, 4 * static_cast<Eigen::Index>(poses.size()));
  for (std::size_t i = 0; i < poses.size(); ++i) {
    all.middleCols(4 * static_cast<Eigen::Index>(i), 4) << poses[i].R, poses[i].p;
  }
  return all;
}

void compare(const std::string& peer, const std::string& robot, const Model& model, const Ask& ask) {
  const std::vector<const char*> names = {"inverse", "gravity", "forward", "mass matrix", "poses", "Jacobians"};
  std::vector<double> worst(names.size(), 0);
  for (std::uint64_t seed = 1; seed <= states; ++seed) {
    const State state{random_configuration(model, seed), random_vector(model, seed + 1000, 2),
                      random_vector(model, seed + 2000, 5), random_vector(model, seed + 3000, 20)};
    const Answer ours = answer_of(model, state), theirs = ask(state);
    const double differences[] = {difference_of(ours.inverse, theirs.inverse),
                                  difference_of(ours.gravity, theirs.gravity),
                                  difference_of(ours.forward, theirs.forward),
                                  difference_of(ours.mass_matrix, theirs.mass_matrix),
                                  difference_of(stacked(ours.poses), stacked(theirs.poses)),
                                  difference_of(stacked(ours.jacobians), stacked(theirs.jacobians))};
    for (std::size_t i = 0; i < names.size(); ++i) {
      worst[i] = std::max(worst[i], differences[i]);
      EXPECT_LE(differences[i], tolerance) << peer << ", " << robot << ": " << names[i] << ", seed " << seed;
    }
  }
  std::string line = fmt::format("| {} | {} | {} |", peer, robot, model.nv());
  for (const double difference : worst) line += fmt::format(" {:.0e} |", difference);
  fmt::print("{}\n", line);
}

void compare_with_couplings(const std::string& peer, const std::string& robot, const Description& description,
                            const MakePeer& make) {
  const Model free(uncoupled(description));
  const Ask ask = make(free);
  compare(peer, robot, free, ask);
  const Model coupled(description);
  if (coupled.has_couplings()) compare(peer, robot + ", coupled", coupled, projected(ask, free, coupled));
}

}  // namespace

std::vector<std::string> builtin_robots() {
  return {"arm7", "puma560", "ur_like", "stanford_arm", "planar_3r", "gantry", "quadruped", "humanoid"};
}

std::vector<std::string> given_robots() {
  std::vector<std::string> robots;
  const char* list = std::getenv("CATENA_PEER_ROBOTS");
  std::istringstream stream(list ? list : "");
  for (std::string robot; std::getline(stream, robot, ':');) {
    if (!robot.empty()) robots.push_back(robot);
  }
  return robots;
}

void expect_agreement(const std::string& peer, const std::vector<std::string>& robots, const Abilities& abilities,
                      const MakePeer& make) {
  for (const std::string& path : robots) {
    SCOPED_TRACE(path);
    const std::string robot = path.substr(path.find_last_of('/') + 1);
    const Description written = read::robot(path).description;
    const auto beyond = std::find_if(written.joints.begin(), written.joints.end(), [&](const Joint& joint) {
      return std::find(abilities.types.begin(), abilities.types.end(), joint.type) == abilities.types.end();
    });
    if (beyond != written.joints.end()) {
      fmt::print("{}: {} left out, it has a {} joint\n", peer, robot, name_of(beyond->type));
      continue;
    }
    compare_with_couplings(peer, robot, prepared(written, abilities), make);
    const bool has_free = std::any_of(written.joints.begin(), written.joints.end(),
                                      [](const Joint& joint) { return joint.type == JointType::free; });
    const bool one_root = written.bodies.size() == written.joints.size() + 1;
    if (!abilities.moving_root || has_free || !one_root) continue;
    Description floating = written;
    make_floating(floating);
    compare_with_couplings(peer, robot + ", floating", prepared(floating, abilities), make);
  }
}

void expect_agreement_on_random_trees(const std::string& peer, const Abilities& abilities, const MakePeer& make) {
  TreeOptions options;
  options.types = abilities.types;
  std::erase(options.types, JointType::free);
  options.massless = false;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string robot = fmt::format("random tree {}", seed);
    SCOPED_TRACE(robot);
    compare_with_couplings(peer, robot, prepared(random_tree(seed, options), abilities), make);
  }
}

}  // namespace catena::peers
