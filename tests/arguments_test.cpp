// Bad arguments are told apart by place and remedy; nothing bad passes in silence.
#include <atomic>
#include <limits>
#include <thread>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

Model two_joints() {
  Builder builder("pair");
  const Inertial box{1, {0, 0, 0.2}, box_inertia(1, 0.1, 0.2, 0.3)};
  builder.add_body("link", box, revolute("hinge").about(0, 1, 0));
  builder.add_body("ball", box, spherical("socket").on("link").at(0, 0, 0.4));
  return builder.build();
}

TEST(Arguments, WrongSizesNameTheArgumentAndTheSizeNeeded) {
  const Model model = two_joints();
  const Vector q = neutral_configuration(model), v = Vector::Zero(4);
  EXPECT_MESSAGE(inverse_dynamics(model, Vector::Zero(4), v, v), "q has 4 numbers, pair needs 5");
  EXPECT_MESSAGE(inverse_dynamics(model, q, Vector::Zero(5), v), "v has 5 numbers, pair needs 4");
  EXPECT_MESSAGE(inverse_dynamics(model, q, v, Vector::Zero(0)), "a has 0 numbers, pair needs 4");
  EXPECT_MESSAGE(forward_dynamics(model, q, v, Vector::Zero(1)), "tau has 1 numbers, pair needs 4");
  Workspace workspace(model);
  Matrix M(3, 3);
  EXPECT_MESSAGE(mass_matrix(model, workspace, q, M), "M must be nv x nv = 4 x 4");
}

TEST(Arguments, NotANumberNamesTheJoint) {
  const Model model = two_joints();
  Vector q = neutral_configuration(model), v = Vector::Zero(4);
  q[0] = nan;
  EXPECT_MESSAGE(mass_matrix(model, q), "q is not a number at hinge");
  q[0] = 0;
  v[2] = std::numeric_limits<double>::infinity();
  EXPECT_MESSAGE(inverse_dynamics(model, q, v, Vector::Zero(4)), "v is infinite at socket.1");
  EXPECT_MESSAGE(Kinematics(model, q, v), "v is infinite at socket.1");
}

TEST(Arguments, AQuaternionThatIsNotUnitIsRefused) {
  const Model model = two_joints();
  Vector q = neutral_configuration(model);
  q[4] = 1.1;
  EXPECT_MESSAGE(mass_matrix(model, q), "joint socket has length 1.1");
  q.setZero();
  EXPECT_MESSAGE(mass_matrix(model, q), "normalize it");
}

TEST(Arguments, UnknownNamesSuggestNearOnes) {
  const Model model = two_joints();
  EXPECT_MESSAGE(model.coordinate("hindge"), "did you mean \"hinge\"");
  EXPECT_MESSAGE(model.frame("bal"), "did you mean \"ball\"");
  EXPECT_MESSAGE(model.frame("zzzzzz"), "there are: link, ball");
}

TEST(Arguments, AWorkspaceOfAnotherModelIsRefused) {
  const Model model = two_joints();
  Workspace other(Model(chain(7)));
  Vector tau(4);
  const Vector q = neutral_configuration(model), zero = Vector::Zero(4);
  EXPECT_MESSAGE(inverse_dynamics(model, other, q, zero, zero, tau), "made for another model");
}

TEST(Arguments, FramesAndWrenchesThatDoNotExistAreRefused) {
  const Model model = two_joints();
  const Kinematics kinematics(model);
  EXPECT_MESSAGE(kinematics.pose(99), "frame 99 does not exist");
  ExternalLoads loads;
  loads.wrenches.push_back({-1, Vector3::Zero(), Vector3::Zero(), Vector3::Zero(), Axes::body});
  const Vector q = neutral_configuration(model), zero = Vector::Zero(4);
  EXPECT_MESSAGE(inverse_dynamics(model, q, zero, zero, loads), "frame -1");
  loads.wrenches[0] = {0, {nan, 0, 0}, {0, 0, 0}, {0, 0, 0}, Axes::body};
  EXPECT_MESSAGE(forward_dynamics(model, q, zero, zero, loads), "the wrench on link is not finite");
}

// A point mass at the end of two hinges in line: turning about the line moves nothing. Other poses are fine.
TEST(Arguments, ASingularPoseNamesTheJoint) {
  Builder builder("whip");
  builder.add_body("arm", {0, Vector3::Zero(), Matrix3::Zero()}, revolute("roll").about(1, 0, 0));
  builder.add_body("tip", {1, {0.5, 0, 0}, Matrix3::Zero()}, revolute("bend").on("arm").at(0.5, 0, 0).about(0, 0, 1));
  const Model model = builder.build();
  EXPECT_NO_THROW(mass_matrix_inverse(model, Eigen::Vector2d(0.3, 0.7)));
  const Vector zero = Vector::Zero(2);
  EXPECT_THROW(mass_matrix_inverse(model, zero), NumericalError);
  EXPECT_MESSAGE(forward_dynamics(model, zero, zero, zero), "singular at joint roll");
}

TEST(Arguments, AModelWithErrorsIsNotBuilt) {
  Builder builder("bad");
  builder.add_body("a", {-1, Vector3::Zero(), Matrix3::Identity()}, revolute("a"));
  EXPECT_THROW(builder.build(), ModelError);
}

// A model shared between threads lends each of them a workspace of its own.
TEST(ReturningCalls, FromSeveralThreadsAtOnceGiveTheSameBits) {
  const Model model = read::load("arm7");
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2), a = random_vector(model, 3);
  const Vector tau = inverse_dynamics(model, q, v, a), back = forward_dynamics(model, q, v, tau);
  const Matrix A_C = linearize_forward(model, q, v, tau).A_C;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 12; ++t) {  // more than the model keeps workspaces for
      threads.emplace_back([&] {
        for (int k = 0; k < 200; ++k) {
          const bool same = inverse_dynamics(model, q, v, a) == tau && forward_dynamics(model, q, v, tau) == back &&
                            linearize_forward(model, q, v, tau).A_C == A_C;
          if (!same) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ReturningCalls, OutliveTheirModelAndAnError) {
  Vector q, tau;
  {
    const Model model = read::load("arm7");
    q = Vector::Zero(7);
    EXPECT_THROW(inverse_dynamics(model, q, Vector::Constant(7, nan), q), std::invalid_argument);
    tau = inverse_dynamics(model, q, q, q);
  }
  EXPECT_EQ(tau, inverse_dynamics(read::load("arm7"), q, q, q));
}

}  // namespace
}  // namespace catena::test
