// Joint limits as hard stops: an impact that reverses one joint's velocity and leaves momentum of all others consistent.
#include "catena/simulate/impact.hpp"

#include "catena/dynamics/mass_matrix.hpp"

namespace catena {

// M (v+ - v-) = e_i p with v+_i = -restitution v-_i, hence p = -(1 + restitution) v_i / (M^-1)_ii.
double strike(const Model& model, ConstVector q, int component, double restitution, VectorRef v) {
  const Matrix M_inv = mass_matrix_inverse(model, q);
  const double mobility = M_inv(component, component), speed = v[component];
  v -= M_inv.col(component) * ((1 + restitution) * speed / mobility);
  v[component] = -restitution * speed;
  return 0.5 * (1 - restitution * restitution) * speed * speed / mobility;
}

}  // namespace catena
