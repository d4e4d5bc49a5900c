// Derivatives by parameters as they are named for people: mass, centre of mass and inertia about it instead of the ten
// numbers in which the forces are linear, of bodies and of payloads; joint terms and gravity one by one.
#include <algorithm>
#include <map>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_factor.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/parameters.hpp"

namespace catena {
namespace {

using Kind = Parameter::Kind;

// (xx, yy, zz, xy, xz, yz)
Eigen::Matrix<double, 6, 1> six(const Matrix3& J) {
  return (Eigen::Matrix<double, 6, 1>() << J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)).finished();
}

// d (m, m c, J) / dp with J = I + m (|c|^2 1 - c c'):
//   by m:   1, c, |c|^2 1 - c c'     by c_i:  0, m e_i, m (2 c_i 1 - e_i c' - c e_i')     by I_jk:  0, 0, 1 in place jk
Vector10 ten_by(const Parameter& parameter, const Inertial& own) {
  Vector10 out = Vector10::Zero();
  const double m = own.mass;
  const Vector3& c = own.com;
  if (parameter.kind == Kind::mass) {
    out << 1, c, six(c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  } else if (parameter.kind == Kind::com) {
    const Vector3 e = Vector3::Unit(parameter.component);
    out << 0, m * e, m * six(2 * c[parameter.component] * Matrix3::Identity() - e * c.transpose() - c * e.transpose());
  } else {
    out[4 + parameter.component] = 1;
  }
  return out;
}

ParameterKind kind_of(Kind kind) {
  switch (kind) {
    case Kind::armature: return ParameterKind::armature;
    case Kind::damping: return ParameterKind::damping;
    case Kind::friction: return ParameterKind::friction;
    case Kind::friction_scale: return ParameterKind::friction_scale;
    case Kind::stiffness: return ParameterKind::stiffness;
    case Kind::rest: return ParameterKind::rest;
    case Kind::gravity: return ParameterKind::gravity;
    default: return ParameterKind::inertia;
  }
}

}  // namespace

const std::vector<std::pair<const char*, ParameterKind>>& parameter_kinds() {
  static const std::vector<std::pair<const char*, ParameterKind>> kinds = {
      {"inertia", ParameterKind::inertia},
      {"placement", ParameterKind::placement},
      {"body_pose", ParameterKind::body_pose},
      {"armature", ParameterKind::armature},
      {"damping", ParameterKind::damping},
      {"friction", ParameterKind::friction},
      {"friction_scale", ParameterKind::friction_scale},
      {"stiffness", ParameterKind::stiffness},
      {"rest", ParameterKind::rest},
      {"gravity", ParameterKind::gravity},
  };
  return kinds;
}

Sensitivity inverse_sensitivity(const Model& model, const std::vector<Parameter>& parameters, ConstVector q,
                                ConstVector v, ConstVector a, const ExternalLoads& loads) {
  Sensitivity out;
  out.derivative.resize(model.nv(), static_cast<Eigen::Index>(parameters.size()));
  std::map<ParameterKind, Sensitivity> of_kind;  // each made once
  std::map<int, Matrix> of_payload;              // by frame
  Eigen::Index column = 0;
  for (const Parameter& p : parameters) {
    out.names.push_back(p.name);
    auto into = out.derivative.col(column++);
    if (p.payload) {
      auto found = of_payload.find(p.index);
      if (found == of_payload.end())
        found = of_payload.emplace(p.index, payload_regressor(model, p.index, q, v, a, loads)).first;
      into = found->second * ten_by(p, {});
      continue;
    }
    const ParameterKind kind = kind_of(p.kind);
    auto found = of_kind.find(kind);
    if (found == of_kind.end()) found = of_kind.emplace(kind, inverse_sensitivity(model, kind, q, v, a, loads)).first;
    const Sensitivity& all = found->second;
    if (kind == ParameterKind::inertia) {
      const Inertial own = model.description().bodies[p.index].inertial.value_or(Inertial{});
      into = all.derivative.middleCols(10 * p.index, 10) * ten_by(p, own);
    } else {
      const auto at = std::find(all.names.begin(), all.names.end(), p.name) - all.names.begin();
      into = all.derivative.col(at);
    }
  }
  return out;
}

Sensitivity forward_sensitivity(const Model& model, const std::vector<Parameter>& parameters, ConstVector q,
                                ConstVector v, ConstVector tau, const ExternalLoads& loads) {
  Sensitivity out = inverse_sensitivity(model, parameters, q, v, forward_dynamics(model, q, v, tau, loads), loads);
  out.derivative = -kernel::MassFactor(model, mass_matrix(model, q)).solve(out.derivative);
  return out;
}

}  // namespace catena
