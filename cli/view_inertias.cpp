// Blocks of P and of the composite inertia in the axes of the link, where they change least: between the instants kept
// here the page interpolates, which leaves them positive and P below the other.
#include "cli/view_inertias.hpp"

#include <algorithm>

#include "catena/reference/explain.hpp"
#include "cli/packed.hpp"

namespace catena::cli {
namespace {

constexpr long most_inertia_instants = 400, most_inertia_numbers = 500'000, numbers_per_joint = 18;

void append_symmetric(std::vector<double>& out, const Matrix3& A) {
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) out.push_back(A(i, j));
}

struct BlocksOverTime {
  std::vector<double> push, twist, locked_twist;  // six numbers an instant: xx xy xz yy yz zz
};

}  // namespace

Json viewer_inertias(const Model& model, const Recording& recording, const std::vector<long>& rows) {
  const auto joints = static_cast<long>(model.coordinates().size());
  const long limit =
      std::clamp(most_inertia_numbers / (numbers_per_joint * std::max(1l, joints)), 2l, most_inertia_instants);
  const long kept = std::min(limit, static_cast<long>(rows.size()));
  const std::vector<std::string> names = model.position_names();
  std::vector<BlocksOverTime> blocks(static_cast<std::size_t>(joints));
  std::vector<double> times;
  InertiasAtJoints at;
  for (long i = 0; i < kept; ++i) {
    const long row =
        rows[static_cast<std::size_t>(kept == 1 ? 0 : i * (static_cast<long>(rows.size()) - 1) / (kept - 1))];
    Vector q(model.nq());
    for (std::size_t k = 0; k < names.size(); ++k)
      q[static_cast<Eigen::Index>(k)] = recording.values(row, recording.header.column("q." + names[k]));
    normalize(model, q);
    at = inertias_at_joints(model, q);
    times.push_back(recording.values(row, recording.header.column("time")));
    for (std::size_t j = 0; j < blocks.size(); ++j) {
      append_symmetric(blocks[j].push, at.articulated[j].bottomRightCorner<3, 3>());
      append_symmetric(blocks[j].twist, at.articulated[j].topLeftCorner<3, 3>());
      append_symmetric(blocks[j].locked_twist, at.composite[j].topLeftCorner<3, 3>());
    }
  }
  std::vector<Json> list;
  const Description& robot = model.description();
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(at.joints[j])];
    Json json;
    json.add("joint", joint.name).add("body", joint.child).add("origin", Vector(at.origins[j]));
    json.add("mass", at.composite[j](3, 3)).add("push", packed_floats(blocks[j].push));
    json.add("twist", packed_floats(blocks[j].twist)).add("locked_twist", packed_floats(blocks[j].locked_twist));
    list.push_back(std::move(json));
  }
  return Json().add("time", packed_doubles(times)).add("joints", list);
}

}  // namespace catena::cli
