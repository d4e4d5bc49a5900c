// Inside of Kinematics: one state's poses, velocities and accelerations, by tree body.
#pragma once

#include "catena/kinematics/kinematics.hpp"
#include "catena/kinematics/sweeps.hpp"

namespace catena {

struct Kinematics::Storage {
  explicit Storage(const Model& model_in);

  Model model;
  std::vector<double> q, v, a;  // full coordinates
  kernel::Positions<double> positions;
  std::vector<spatial::Transform<double>> world;     // pose of each body in the world
  std::vector<spatial::Motion<double>> V, s, alpha;  // in body axes

  const Tree& tree() const { return model.tree(); }
  const TreeFrame& frame(FrameRef frame) const { return tree().frames[frame.in(model)]; }
};

namespace kernel {

inline Vector3 eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Vec3<double> vec3(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
inline Matrix3 eigen(const Mat3<double>& m) {
  Matrix3 R;
  R << eigen(m.cx), eigen(m.cy), eigen(m.cz);
  return R;
}
inline Vector6 eigen(const Motion<double>& V) {
  Vector6 x;
  x << eigen(V.w), eigen(V.v);
  return x;
}
inline Vector6 eigen(const Force<double>& f) {
  Vector6 x;
  x << eigen(f.n), eigen(f.f);
  return x;
}

}  // namespace kernel
}  // namespace catena
