// Motions: the papers' examples, derivatives against differences, ends, continuity, and what is refused.
#include "catena/trajectory/trajectories.hpp"

#include <numbers>

#include "catena/read/robot.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

struct Instant {
  Vector q, v, a;
};

Instant at(const Model& model, const Trajectory& motion, double time) {
  Instant now{Vector(model.nq()), Vector(model.nv()), Vector(model.nv())};
  motion.at(time, now.q, now.v, now.a);
  return now;
}

// q and v differentiated numerically, fourth order; h must not reach over a break.
void expect_exact_derivatives(const Model& model, const Trajectory& motion, double time, double h, double tolerance) {
  SCOPED_TRACE(model.name() + " at time " + std::to_string(time));
  const Instant now = at(model, motion, time);
  const auto position = [&](double t) { return difference(model, now.q, at(model, motion, t).q); };
  const auto velocity = [&](double t) { return at(model, motion, t).v; };
  const auto slope = [&](const auto& f) {
    return Vector((8 * (f(time + h) - f(time - h)) - (f(time + 2 * h) - f(time - 2 * h))) / (12 * h));
  };
  EXPECT_LT((slope(position) - now.v).cwiseAbs().maxCoeff(), tolerance) << "v";
  EXPECT_LT((slope(velocity) - now.a).cwiseAbs().maxCoeff(), tolerance) << "a";
}

Matrix waypoints(const Model& model, std::uint64_t seed, int count, double spread) {
  Matrix rows(count, model.nq());
  Vector q = random_configuration(model, seed);
  for (int k = 0; k < count; ++k) {
    rows.row(k) = q;
    q = integrate(model, q, random_vector(model, seed + 10 + k, spread));
  }
  return rows;
}

const char* const robots[] = {"planar_3r", "stanford_arm", "joints", "quadruped"};  // with every joint type among them

TEST(Motions, CycloidalMatchesThePapersExamples) {
  const Json examples = read_reference("inverse_dynamics_examples");
  for (const char* name : {"planar", "stanford"}) {  // formula sheet 2.6 and 2.7: (38), and (39) corrected
    SCOPED_TRACE(name);
    const Model model(description_from(examples.at(name).at("model")));
    const Json& rows = examples.at(name).at("rows");
    const auto motion =
        cycloidal(model, vector_from(rows.front().at("q")), vector_from(rows.back().at("q")), rows.back().at("t"));
    for (const Json& row : rows) {
      const Instant now = at(model, *motion, row.at("t"));
      EXPECT_LT((now.q - vector_from(row.at("q"))).cwiseAbs().maxCoeff(), 1e-14) << row.at("t");
      EXPECT_LT((now.v - vector_from(row.at("v"))).cwiseAbs().maxCoeff(), 1e-14) << row.at("t");
      EXPECT_LT((now.a - vector_from(row.at("a"))).cwiseAbs().maxCoeff(), 1e-14) << row.at("t");
      const Vector tau = inverse_dynamics(model, now.q, now.v, now.a);
      EXPECT_LT((tau - vector_from(row.at("tau"))).cwiseAbs().maxCoeff(), 1e-12) << row.at("t");
    }
  }
}

TEST(Motions, DerivativesAreThoseOfThePositions) {
  for (const char* name : robots) {
    const Model model = read::load(name);
    const Vector from = random_configuration(model, 1), to = random_configuration(model, 2);
    const std::unique_ptr<Trajectory> laws[] = {cycloidal(model, from, to, 2.5), minimum_jerk(model, from, to, 2.5),
                                                trapezoidal(model, from, to, 2.5, 0.3)};
    for (const auto& law : laws) {
      // away from the ramps' ends at 0.75 and 1.75
      for (const double time : {0.3, 0.7, 1.2, 1.7, 2.2}) expect_exact_derivatives(model, *law, time, 1e-3, 1e-8);
    }
  }
}

TEST(Motions, BeginAndEndWhereTheyShouldAndRestOutside) {
  for (const char* name : robots) {
    SCOPED_TRACE(name);
    const Model model = read::load(name);
    const Vector from = random_configuration(model, 3), to = random_configuration(model, 4);
    const std::unique_ptr<Trajectory> laws[] = {cycloidal(model, from, to, 2), minimum_jerk(model, from, to, 2),
                                                trapezoidal(model, from, to, 2)};
    for (const auto& law : laws) {
      EXPECT_EQ(law->duration(), 2);
      for (const double time : {-1.0, 0.0, 2.0, 3.0}) {
        const Instant now = at(model, *law, time);
        const Vector there = time <= 0 ? from : to;
        EXPECT_LT(difference(model, now.q, there).cwiseAbs().maxCoeff(), 1e-14) << time;
        EXPECT_LT(now.v.cwiseAbs().maxCoeff(), 1e-14) << time;
        if (time < 0 || time > 2) {
          EXPECT_EQ(now.a.cwiseAbs().maxCoeff(), 0) << time;
        }
      }
      EXPECT_EQ(law->next_break(-1), 0);
      EXPECT_EQ(law->next_break(2), std::numeric_limits<double>::infinity());
    }
    EXPECT_LT(at(model, *laws[0], 0).a.cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT(at(model, *laws[1], 2).a.cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_EQ(laws[2]->next_break(0), 0.5);
    EXPECT_EQ(laws[2]->next_break(0.5), 1.5);
    EXPECT_EQ(laws[2]->next_break(1.5), 2);
  }
}

TEST(Motions, TrapezoidalWithinReachesThePeaksAndNotMore) {
  const Model model = read::load("stanford_arm");
  const Vector from = Vector::Zero(6), to = (Vector(6) << 1, -2, 0.1, 0.5, 0, 3).finished();
  for (const double acceleration : {0.4, 40.0}) {  // a triangle, and a long middle part
    const Vector v = Vector::Constant(6, 1.2), a = Vector::Constant(6, acceleration);
    const auto motion = trapezoidal_within(model, from, to, v, a);
    double fastest = 0, strongest = 0;
    for (int k = 0; k <= 1000; ++k) {
      const Instant now = at(model, *motion, motion->duration() * k / 1000);
      fastest = std::max(fastest, now.v.cwiseAbs().maxCoeff());
      strongest = std::max(strongest, now.a.cwiseAbs().maxCoeff());
    }
    EXPECT_NEAR(strongest, acceleration, 1e-12);
    EXPECT_NEAR(fastest, acceleration < 1 ? std::sqrt(3 * acceleration) : 1.2, 1e-12);  // triangle: sqrt(way a)
    EXPECT_LT((at(model, *motion, motion->duration()).q - to).cwiseAbs().maxCoeff(), 1e-14);
  }
  EXPECT_EQ(trapezoidal_within(model, to, to, Vector::Ones(6), Vector::Ones(6))->duration(), 0);
}

TEST(Motions, SplinesPassThroughTheWaypointsWithContinuousAcceleration) {
  const Vector times = (Vector(5) << 0, 0.7, 1.1, 2, 2.4).finished();
  for (const char* name : robots) {
    SCOPED_TRACE(name);
    const Model model = read::load(name);
    const Matrix rows = waypoints(model, 5, 5, 0.8);
    for (const SplineEnds ends : {SplineEnds::at_rest, SplineEnds::smooth}) {
      const auto motion = spline(model, times, rows, ends);
      EXPECT_EQ(motion->duration(), 2.4);
      for (int k = 0; k < 5; ++k) {
        const Instant now = at(model, *motion, times[k]);
        EXPECT_LT(difference(model, now.q, rows.row(k).transpose()).cwiseAbs().maxCoeff(), 1e-13) << k;
        if (k == 0 || k == 4) continue;
        EXPECT_EQ(motion->next_break(times[k - 1]), times[k]);
        const Instant before = at(model, *motion, std::nextafter(times[k], 0));
        EXPECT_LT((before.v - now.v).cwiseAbs().maxCoeff(), 1e-11) << k;
        EXPECT_LT((before.a - now.a).cwiseAbs().maxCoeff(), 1e-10) << k;
      }
      for (const double time : {0.01, 0.4, 0.9, 1.5, 2.2}) expect_exact_derivatives(model, *motion, time, 1e-3, 1e-7);
    }
    const auto resting = spline(model, times, rows);
    EXPECT_LT(at(model, *resting, 0).v.cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT(at(model, *resting, 2.4).v.cwiseAbs().maxCoeff(), 1e-12);
  }
}

// A cubic is its own smooth spline; a screw of constant twist is that of its samples.
TEST(Motions, SmoothSplinesReproduceCubicsAndScrews) {
  const Model arm = read::load("planar_3r"), body = read::load("joints");
  const Vector times = (Vector(4) << 0, 0.3, 0.5, 1.2).finished();
  Matrix rows(4, 3);
  const auto cubic = [](double t) { return Vector3(1 - t * t * t, 2 * t * t - t, 3 * t * t * t - t * t); };
  for (int k = 0; k < 4; ++k) rows.row(k) = cubic(times[k]);
  const auto motion = spline(arm, times, rows, SplineEnds::smooth);
  for (const double t : {0.1, 0.45, 0.8, 1.1}) {
    EXPECT_LT((at(arm, *motion, t).q - cubic(t)).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((at(arm, *motion, t).a - Vector3(-6 * t, 4, 18 * t - 2)).cwiseAbs().maxCoeff(), 1e-11);
  }
  const Vector q = random_configuration(body, 1), twist = random_vector(body, 2);
  Matrix poses(4, body.nq());
  for (int k = 0; k < 4; ++k) poses.row(k) = integrate(body, q, times[k] * twist);
  const auto screw = spline(body, times, poses, SplineEnds::smooth);
  for (const double t : {0.1, 0.45, 0.8, 1.1}) {
    EXPECT_LT(difference(body, at(body, *screw, t).q, integrate(body, q, t * twist)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((at(body, *screw, t).v - twist).cwiseAbs().maxCoeff(), 1e-12);
  }
  for (const int few : {2, 3}) {  // a line, a parabola
    const auto shorter = spline(arm, times.head(few), rows.topRows(few), SplineEnds::smooth);
    EXPECT_LT((at(arm, *shorter, times[few - 1]).q - rows.row(few - 1).transpose()).cwiseAbs().maxCoeff(), 1e-14);
    expect_exact_derivatives(arm, *shorter, 0.1, 1e-3, 1e-10);
  }
}

// A motion that turns about changing axes, sampled; what comes back differs by a power of the step.
TEST(Motions, SampledMotionsConverge) {
  LONG_TEST();
  const Model model = read::load("joints");
  const Matrix path = waypoints(model, 9, 3, 1.0);
  const auto truth = spline(model, Vector3(0, 1, 2), path);
  const auto error = [&](int count, bool with_v, bool with_a) {
    read::TrajectoryRows rows;
    const double end = 1;  // the first piece alone: smooth
    rows.time = Vector::LinSpaced(count, 0, end);
    rows.q.resize(count, model.nq()), rows.lines.resize(static_cast<std::size_t>(count));
    if (with_v) rows.v.resize(count, model.nv());
    if (with_a) rows.a.resize(count, model.nv());
    for (int k = 0; k < count; ++k) {
      const Instant now = at(model, *truth, rows.time[k]);
      rows.q.row(k) = now.q;
      if (with_v) rows.v.row(k) = now.v;
      if (with_a) rows.a.row(k) = now.a;
    }
    const auto motion = sampled(model, rows);
    const Instant there = at(model, *motion, rows.time[1]);
    if (with_v) {
      EXPECT_LT((there.v - rows.v.row(1).transpose()).cwiseAbs().maxCoeff(), 1e-12);
    }
    if (with_a) {
      EXPECT_LT((there.a - rows.a.row(1).transpose()).cwiseAbs().maxCoeff(), 1e-10);
    }
    const double middle = 0.5 * (rows.time[1] + rows.time[2]);
    expect_exact_derivatives(model, *motion, middle, 1e-3, 1e-7);
    double largest = 0;
    for (int k = 1; k < 200; ++k) {
      const double t = end * k / 200;
      largest =
          std::max(largest, difference(model, at(model, *motion, t).q, at(model, *truth, t).q).cwiseAbs().maxCoeff());
    }
    return largest;
  };
  EXPECT_GT(error(6, true, true) / error(11, true, true), 40);      // sixth order: 64
  EXPECT_GT(error(11, true, false) / error(21, true, false), 13);   // fourth order: 16
  EXPECT_GT(error(11, false, false) / error(21, false, false), 7);  // joints that turn: third order or better
  EXPECT_LT(error(21, true, true), 1e-8);
  EXPECT_LT(error(21, false, false), 1e-4);
}

TEST(Motions, WaitBeforeAFirstTimeAboveZero) {
  const Model model = read::load("planar_3r");
  const auto motion = spline(model, Eigen::Vector2d(1, 2), waypoints(model, 1, 2, 0.5));
  EXPECT_EQ(at(model, *motion, 0.5).q, at(model, *motion, 1).q);
  EXPECT_EQ(at(model, *motion, 0.5).a.norm(), 0);
  EXPECT_EQ(motion->next_break(0), 1);
}

TEST(Motions, RefuseWhatMakesNoMotion) {
  const Model model = read::load("planar_3r");
  const Vector q = Vector::Zero(3), bad = Vector::Constant(3, std::nan(""));
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(cycloidal(model, q, Vector::Zero(2), 1), std::invalid_argument);
  EXPECT_THROW(cycloidal(model, q, bad, 1), std::invalid_argument);
  for (const double duration : {0.0, -1.0, std::nan(""), infinite}) {
    EXPECT_THROW(cycloidal(model, q, q, duration), std::invalid_argument);
    EXPECT_THROW(minimum_jerk(model, q, q, duration), std::invalid_argument);
    EXPECT_THROW(trapezoidal(model, q, q, duration), std::invalid_argument);
  }
  for (const double ramp : {0.0, 0.6, std::nan("")})
    EXPECT_THROW(trapezoidal(model, q, q, 1, ramp), std::invalid_argument);
  const Vector one = Vector::Ones(3);
  EXPECT_THROW(trapezoidal_within(model, q, one, -one, one), std::invalid_argument);
  EXPECT_THROW(trapezoidal_within(model, q, one, Vector::Ones(2), one), std::invalid_argument);
  EXPECT_THROW(trapezoidal_within(model, q, one, one, infinite * one), std::invalid_argument);
  EXPECT_THROW(standstill(model, bad), std::invalid_argument);
  const Matrix rows = Matrix::Zero(3, 3);
  EXPECT_THROW(spline(model, Vector3(0, 1, 1), rows), std::invalid_argument);
  EXPECT_THROW(spline(model, Vector3(-1, 1, 2), rows), std::invalid_argument);
  EXPECT_THROW(spline(model, Eigen::Vector2d(0, 1), rows), std::invalid_argument);
  EXPECT_THROW(spline(model, Vector3(0, 1, 2), Matrix::Zero(3, 2)), std::invalid_argument);
  EXPECT_THROW(spline(model, Vector::Zero(1), Matrix::Zero(1, 3)), std::invalid_argument);
  read::TrajectoryRows untimed;
  untimed.q = rows;
  EXPECT_THROW(sampled(model, untimed), std::invalid_argument);
  Vector few(2), v(3), a(3);
  EXPECT_THROW(cycloidal(model, q, one, 1)->at(0.5, few, v, a), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test
