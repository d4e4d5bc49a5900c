// Mending what has one natural remedy; every change is listed with the value before and after.
// Inertia is about the centre of mass, in the body's axes.

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "catena/model/checks.hpp"
#include "catena/model/doctor.hpp"
#include "catena/model/formatted.hpp"

namespace catena {
namespace {

// Relative to the largest second moment: the mended inertia stays valid after rounding, here and in stricter tools.
constexpr double margin = 1e-9;

std::string triple(const Vector3& x) { return formatted("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]); }

class Mender {
 public:
  std::vector<Change> changes;

  void mend_body(Body& body) {
    if (!body.inertial || !body.inertial->inertia.allFinite()) return;
    Inertial& in = *body.inertial;
    const auto note = [&](std::string what) { changes.push_back({doctor::place(body), body.name, std::move(what)}); };
    const Matrix3 symmetric = 0.5 * (in.inertia + in.inertia.transpose());
    if (doctor::is_asymmetric(in.inertia)) {
      note(formatted("inertia: replaced by its symmetric part (it differed from its transpose by {:.3g} kg m²)",
                     (in.inertia - in.inertia.transpose()).cwiseAbs().maxCoeff()));
      in.inertia = symmetric;
    }
    if (!doctor::breaks_physics(in)) return;
    in.inertia = nearest_valid_inertia(symmetric);
    note(formatted("inertia: principal moments {} -> {} kg m², nearest in second moments (changed by {:.3g} kg m²)",
                   triple(doctor::principal_moments(symmetric)), triple(doctor::principal_moments(in.inertia)),
                   (in.inertia - symmetric).norm()));
  }

  void mend_joint(Joint& j) {
    if (doctor::needs_axis(j.type)) {
      mend_axis(j, j.axis, "axis");
      if (j.type == JointType::universal) mend_axis(j, j.second_axis, "second axis");
    }
    mend_rotation(j.placement.R, "placement", j.source, j.name);
    mend_rotation(j.body_in_joint.R, "child's pose", j.source, j.name);
    if (j.limits.lower > j.limits.upper) {
      note(j, formatted("limits: {:g} to {:g} -> {:g} to {:g}", j.limits.lower, j.limits.upper, j.limits.upper,
                        j.limits.lower));
      std::swap(j.limits.lower, j.limits.upper);
    }
    clamp(j, j.terms.damping, "damping");
    clamp(j, j.terms.friction, "friction");
    if (j.terms.friction != 0 && j.terms.friction_scale < doctor::least_friction_scale) {
      note(j, formatted("friction scale: {:g} -> {:g}", j.terms.friction_scale, JointTerms{}.friction_scale));
      j.terms.friction_scale = JointTerms{}.friction_scale;
    }
    if (j.mimic && j.type == JointType::fixed) {
      note(j, formatted("mimic of '{}' removed: the joint is fixed", j.mimic->joint));
      j.mimic.reset();
    }
  }

  // Nearest rotation (Frobenius) if the matrix is a rounded one; anything further off was no rotation.
  void mend_rotation(Matrix3& R, const char* what, const Source& source, const std::string& name) {
    if (!R.allFinite() || doctor::is_rotation(R)) return;
    const double off = (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff();
    const Eigen::JacobiSVD<Matrix3> svd(R, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Matrix3 nearest = svd.matrixU() * svd.matrixV().transpose();
    if (off > 1e-2 || !doctor::is_rotation(nearest)) return;
    changes.push_back(
        {source, name, formatted("{}: rotation matrix made orthonormal (RᵀR was off by {:.3g})", what, off)});
    R = nearest;
  }

 private:
  void note(const Joint& j, std::string what) { changes.push_back({j.source, j.name, std::move(what)}); }

  void mend_axis(const Joint& j, Vector3& axis, const char* which) {
    const double length = axis.stableNorm();
    if (!std::isfinite(length) || length < doctor::shortest_axis || std::abs(length - 1) <= doctor::axis_slack) return;
    const Vector3 unit = axis / length;
    note(j, formatted("{}: {} -> {}", which, triple(axis), triple(unit)));
    axis = unit;
  }

  void clamp(const Joint& j, double& x, const char* what) {
    if (!(x < 0)) return;
    note(j, formatted("{}: {:g} -> 0", what, x));
    x = 0;
  }
};

}  // namespace

Matrix3 nearest_valid_inertia(const Matrix3& inertia) {
  const Matrix3 symmetric = 0.5 * (inertia + inertia.transpose());
  const Matrix3 second_moments = 0.5 * symmetric.trace() * Matrix3::Identity() - symmetric;
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(second_moments);
  const Vector3& s = eigen.eigenvalues();
  if (s[0] >= 0) return symmetric;
  const Vector3 valid = s.cwiseMax(margin * std::max(s[2], 0.));
  const Matrix3 S = eigen.eigenvectors() * valid.asDiagonal() * eigen.eigenvectors().transpose();
  const Matrix3 nearest = S.trace() * Matrix3::Identity() - S;
  return 0.5 * (nearest + nearest.transpose());
}

std::vector<Change> mend(Description& description) {
  Mender mender;
  for (Body& body : description.bodies) mender.mend_body(body);
  for (Joint& joint : description.joints) mender.mend_joint(joint);
  for (Frame& frame : description.frames) mender.mend_rotation(frame.pose.R, "pose", frame.source, frame.name);
  return std::move(mender.changes);
}

}  // namespace catena
