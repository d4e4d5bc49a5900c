#include "catena/dynamics/packed.hpp"

#include "catena/spatial/lanes.hpp"

namespace catena::kernel {
namespace {

constexpr int most_packed_bodies = 300;  // more of them do not stay in the second cache

void put(const Vec3<double>& v, Packed3& out) { out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = 0; }
void put(const Vec3<double>& v, Cycle& out) {
  for (int i = 0; i < 6; i += 3) out[i] = v.x, out[i + 1] = v.y, out[i + 2] = v.z;
  out[6] = out[7] = 0;
}

}  // namespace

Packed::Packed(const Tree& tree) {
  if (!spatial::processor_has_lanes(4) || tree.count() > most_packed_bodies) return;
  bodies.resize(tree.bodies.size());  // zeros
  columns.resize(tree.nv_full);
  for (int k = 0; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    const Mat3<double>& R = body.placement.R;
    PackedBody& out = bodies[k];
    put({R.cx.x, R.cy.x, R.cz.x}, out.placement_row[0]);
    put({R.cx.y, R.cy.y, R.cz.y}, out.placement_row[1]);
    put({R.cx.z, R.cy.z, R.cz.z}, out.placement_row[2]);
    put(R.cx, out.placement_x), put(R.cy, out.placement_y);
    put({body.M.J.xx, body.M.J.xy, body.M.J.xz}, out.J[0]);
    put({body.M.J.xy, body.M.J.yy, body.M.J.yz}, out.J[1]);
    put({body.M.J.xz, body.M.J.yz, body.M.J.zz}, out.J[2]);
    put(body.M.h, out.h);
    out.m = body.M.m;
    put(R.cz, out.axis[2]), put(body.placement.p, out.p);  // a revolute joint leaves them so
  }
}

}  // namespace catena::kernel
