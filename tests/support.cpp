#include "support.hpp"

#include <Eigen/Dense>
#include <fstream>

#include "catena/dynamics/mass_matrix.hpp"

namespace catena::test {

Json read_reference(const std::string& name) {
  std::ifstream file(std::string(CATENA_TEST_DATA) + "/reference/" + name + ".json");
  if (!file) throw std::runtime_error("no reference file " + name);
  return Json::parse(file);
}

Matrix matrix_from(const Json& rows) {
  Matrix M(rows.size(), rows.at(0).size());
  for (Eigen::Index i = 0; i < M.rows(); ++i) M.row(i) = vector_from(rows.at(i)).transpose();
  return M;
}

Vector vector_from(const Json& numbers) {
  Vector x(numbers.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = numbers.at(i).get<double>();
  return x;
}

Matrix3 matrix3_from(const Json& rows) { return matrix_from(rows); }
Vector3 vector3_from(const Json& numbers) { return vector_from(numbers); }

Description description_from(const Json& system) {
  Description robot;
  robot.name = system.value("name", "reference");
  robot.gravity = vector3_from(system.at("gravity"));
  int index = 0;
  for (const Json& entry : system.at("bodies")) {
    const std::string number = std::to_string(++index);
    const int parent = entry.at("parent").get<int>();
    Joint joint;
    joint.name = "joint" + number;
    joint.type = joint_type_from(entry.at("joint").get<std::string>()).value();
    joint.parent = parent < 0 ? "" : "body" + std::to_string(parent + 1);
    joint.child = "body" + number;
    joint.placement = {matrix3_from(entry.at("R")), vector3_from(entry.at("p"))};
    if (!entry.at("axis").is_null()) joint.axis = vector3_from(entry.at("axis"));
    joint.pitch = entry.value("pitch", 0.0);
    robot.joints.push_back(joint);
    robot.bodies.push_back({"body" + number, Inertial{entry.at("mass").get<double>(), vector3_from(entry.at("com")),
                                                      matrix3_from(entry.at("inertia"))}});
  }
  return robot;
}

Vector configuration_from(const Json& q) {
  std::vector<double> numbers;
  for (const Json& entry : q) {
    if (entry.is_number()) {
      numbers.push_back(entry.get<double>());
      continue;
    }
    if (entry.contains("p")) {
      for (const double x : vector3_from(entry.at("p"))) numbers.push_back(x);
    }
    const Eigen::Quaterniond rotation = Eigen::Quaterniond(matrix3_from(entry.at("R"))).normalized();
    for (const double x : rotation.coeffs()) numbers.push_back(x);
  }
  return Eigen::Map<Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

Matrix ReferenceFile::reference(const char* name) const {
  const Json& numbers = values.at(name);
  return numbers.at(0).is_array() ? matrix_from(numbers) : Matrix(vector_from(numbers));
}

std::optional<ExternalLoads> ReferenceFile::follower_wrench() const {
  if (!file.contains("with_wrench")) return std::nullopt;
  const Json& with = file.at("with_wrench");
  Wrench wrench;
  wrench.frame = with.at("body").get<int>();
  wrench.moment = vector3_from(with.at("moment_body_axes_about_com"));
  wrench.force = vector3_from(with.at("force_body_axes_at_com"));
  wrench.point = model.description().bodies[wrench.frame].inertial->com;
  ExternalLoads loads;
  loads.wrenches.push_back(wrench);
  return loads;
}

std::optional<ExternalLoads> ReferenceFile::moving_base() const {
  if (!file.contains("moving_base")) return std::nullopt;
  const Json& moving = file.at("moving_base");
  ExternalLoads loads;
  loads.base.angular_velocity = vector3_from(moving.at("angular_velocity"));
  loads.base.velocity = vector3_from(moving.at("linear_velocity_of_origin"));
  loads.base.angular_acceleration = vector3_from(moving.at("angular_acceleration"));
  loads.base.acceleration = vector3_from(moving.at("linear_acceleration_of_origin"));
  return loads;
}

::testing::AssertionResult near_relative(const Matrix& x, const Matrix& expected, double tolerance) {
  if (x.rows() != expected.rows() || x.cols() != expected.cols()) {
    return ::testing::AssertionFailure() << "sizes differ";
  }
  if (x.size() == 0) return ::testing::AssertionSuccess();
  const double scale = std::max(1e-300, expected.cwiseAbs().maxCoeff());
  const double error = (x - expected).cwiseAbs().maxCoeff();
  if (error <= tolerance * scale) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "relative error " << error / scale << " exceeds " << tolerance << "\ngot\n"
                                       << x << "\nexpected\n"
                                       << expected;
}

double condition_number(const Matrix& M) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(M, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().maxCoeff() / solver.eigenvalues().minCoeff();
}

double force_scale(const Case& c) {
  return 1 + mass_matrix(c.model, c.q).cwiseAbs().maxCoeff() * c.a.cwiseAbs().sum() +
         bias_forces(c.model, c.q, c.v).cwiseAbs().maxCoeff() + gravity_forces(c.model, c.q).cwiseAbs().maxCoeff();
}

}  // namespace catena::test
