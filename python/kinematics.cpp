// Kinematics of a Model: frames, their velocities, accelerations and Jacobians; the whole robot's mass centre, momentum and
// energy; wrenches in the joints.
#include "catena/kinematics/kinematics.hpp"

#include "catena/dynamics/reactions.hpp"
#include "loads.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

// How much of the state a quantity takes: q, then v, then a.
Blocks blocks_for(const Model& model, std::size_t inputs, Block output) {
  std::vector<Block> state = {{"q", model.nq()}, {"v", model.nv()}, {"a", model.nv()}};
  state.resize(inputs);
  return {std::move(state), {std::move(output)}};
}

void update(Robot& self, Pointers in) {
  const int nq = self.model.nq(), nv = self.model.nv();
  const auto q = vector(in[0], nq);
  Kinematics& kinematics = self.kinematics();
  if (in.size() == 1) return kinematics.update(q);
  const auto v = vector(in[1], nv);
  if (in.size() == 2) return kinematics.update(q, v);
  kinematics.update(q, v, vector(in[2], nv));
}

// read(kinematics, numbers): fills the result at a state, (n,) or each of (B, n).
template <class Read>
py::object at_states(Robot& self, const char* name, std::initializer_list<py::handle> state, Block output,
                     const Read& read) {
  const Call call(name, self.model.name(), blocks_for(self.model, state.size(), std::move(output)));
  return call.each(state, {}, [&](Pointers in, OutPointers out) {
    update(self, in);
    read(std::as_const(self.kinematics()), out[0]);
  });
}

// The one number of a state as a float, those of many as an array, (B,).
py::object scalar(const py::object& result) {
  const py::object numbers = result[py::make_tuple(py::ellipsis(), 0)];
  return numbers.attr("ndim").cast<int>() == 0 ? py::object(numbers.attr("item")()) : numbers;
}

void define_frames(py::class_<Robot>& robot) {
  robot.def(
      "pose",
      [](Robot& self, const std::string& frame, py::handle q) {
        const int index = self.model.frame(frame);
        const Call call("Pose", self.model.name(), {{{"q", self.model.nq()}}, {{"R", 3, 3, true}, {"p", 3, 1, false}}});
        return call.each({q}, {}, [&](Pointers in, OutPointers out) {
          update(self, in);
          const Pose pose = self.kinematics().pose(index);
          matrix(out[0], 3, 3) = pose.R;
          vector(out[1], 3) = pose.p;
        });
      },
      py::arg("frame"), py::arg("q"),
      "pose(frame, q) -> (R, p)\n\nWhere a frame is in the world: x_world = R x + p (m). q: (nq,) or (B, nq).");

  const auto of_frame = [&](const char* name, auto&& read, const char* help) {
    robot.def(
        name,
        [name, read](Robot& self, const std::string& frame, py::handle q, py::handle v, const std::string& axes) {
          const int index = self.model.frame(frame);
          const Axes which = axes_from(axes);
          return read(self, name, index, q, v, which);
        },
        py::arg("frame"), py::arg("q"), py::arg("v"), py::arg("axes") = "aligned", help);
  };
  of_frame(
      "velocity",
      [](Robot& self, const char* name, int frame, py::handle q, py::handle v, Axes axes) {
        return at_states(self, name, {q, v}, {"V", 6},
                         [&](const Kinematics& k, double* out) { vector(out, 6) = k.velocity(frame, axes); });
      },
      "velocity(frame, q, v, axes='aligned') -> V\n\n[angular; linear] velocity of a frame (rad/s, m/s); axes as for "
      "jacobian().");
  of_frame(
      "jacobian_dot",
      [](Robot& self, const char* name, int frame, py::handle q, py::handle v, Axes axes) {
        const int nv = self.model.nv();
        return at_states(self, name, {q, v}, {"J_dot", 6, nv, true},
                         [&](const Kinematics& k, double* out) { k.jacobian_dot(frame, axes, matrix(out, 6, nv)); });
      },
      "jacobian_dot(frame, q, v, axes='aligned') -> J_dot\n\nThe derivative of jacobian() by time along v, 6 x nv.");

  robot.def(
      "jacobian",
      [](Robot& self, const std::string& frame, py::handle q, const std::string& axes) {
        const int index = self.model.frame(frame), nv = self.model.nv();
        const Axes which = axes_from(axes);
        return at_states(self, "jacobian", {q}, {"J", 6, nv, true},
                         [&](const Kinematics& k, double* out) { k.jacobian(index, which, matrix(out, 6, nv)); });
      },
      py::arg("frame"), py::arg("q"), py::arg("axes") = "aligned",
      "jacobian(frame, q, axes='aligned') -> J\n\nJ, 6 x nv: [angular; linear] velocity of the frame is J v. axes: "
      "'aligned' (the world's, at the\nframe's origin), 'body' (the frame's own) or 'world' (the world's, at the "
      "world's origin).");
  robot.def(
      "acceleration",
      [](Robot& self, const std::string& frame, py::handle q, py::handle v, py::handle a, const std::string& axes,
         bool spatial) {
        const int index = self.model.frame(frame);
        const Axes which = axes_from(axes);
        return at_states(self, "acceleration", {q, v, a}, {"A", 6}, [&](const Kinematics& k, double* out) {
          vector(out, 6) = spatial ? k.acceleration(index, which) : k.ordinary_acceleration(index, which);
        });
      },
      py::arg("frame"), py::arg("q"), py::arg("v"), py::arg("a"), py::arg("axes") = "aligned", py::kw_only(),
      py::arg("spatial") = false,
      "acceleration(frame, q, v, a, axes='aligned', *, spatial=False) -> A\n\n[angular acceleration; second derivative "
      "of the origin's position] of a frame (rad/s^2, m/s^2), without gravity.\nspatial: the component-wise derivative "
      "of the velocity in the frame's own axes instead.");
}

void define_whole_robot(py::class_<Robot>& robot) {
  const auto of_q = [&](const char* name, auto&& output, auto&& read, const char* help) {
    robot.def(
        name,
        [name, output, read](Robot& self, py::handle q) {
          const Block block = output(self);
          const py::object result = at_states(self, name, {q}, block, read);
          return block.size() == 1 && !block.matrix ? scalar(result) : result;
        },
        py::arg("q"), help);
  };
  const auto of_v = [&](const char* name, auto&& output, auto&& read, const char* help) {
    robot.def(
        name,
        [name, output, read](Robot& self, py::handle q, py::handle v) {
          const Block block = output(self);
          const py::object result = at_states(self, name, {q, v}, block, read);
          return block.size() == 1 && !block.matrix ? scalar(result) : result;
        },
        py::arg("q"), py::arg("v"), help);
  };
  const auto numbers = [](const char* name, int size) { return [=](const Robot&) { return Block{name, size}; }; };
  of_q(
      "center_of_mass", numbers("p", 3), [](const Kinematics& k, double* out) { vector(out, 3) = k.center_of_mass(); },
      "center_of_mass(q) -> p\n\nOf the whole robot, in the world (m).");
  of_q(
      "center_of_mass_jacobian",
      [](const Robot& self) {
        return Block{"J", 3, self.model.nv(), true};
      },
      [](const Kinematics& k, double* out) {
        const Matrix J = k.center_of_mass_jacobian();
        matrix(out, 3, static_cast<int>(J.cols())) = J;
      },
      "center_of_mass_jacobian(q) -> J\n\n3 x nv: the velocity of the centre of mass is J v.");
  of_q(
      "potential_energy", numbers("energy", 1), [](const Kinematics& k, double* out) { *out = k.potential_energy(); },
      "potential_energy(q) -> energy\n\nOf gravity and joint springs (J), a float or (B,); gravity's zero is at the "
      "world's origin.");
  of_v(
      "center_of_mass_velocity", numbers("v", 3),
      [](const Kinematics& k, double* out) { vector(out, 3) = k.center_of_mass_velocity(); },
      "center_of_mass_velocity(q, v) -> v\n\nOf the whole robot, in the world (m/s).");
  of_v(
      "momentum", numbers("momentum", 6), [](const Kinematics& k, double* out) { vector(out, 6) = k.momentum(); },
      "momentum(q, v) -> h\n\nCentroidal momentum in world axes: [angular about the centre of mass; linear], in kg "
      "m^2/s "
      "and kg m/s.");
  of_v(
      "kinetic_energy", numbers("energy", 1), [](const Kinematics& k, double* out) { *out = k.kinetic_energy(); },
      "kinetic_energy(q, v) -> energy\n\nOf the bodies and rotors (J), a float or (B,).");
}

void define_reactions(py::class_<Robot>& robot) {
  robot.def(
      "reactions",
      [](Robot& self, py::handle q, py::handle v, py::handle a, py::handle wrenches, py::handle base) {
        const int nq = self.model.nq(), nv = self.model.nv();
        const int joints = static_cast<int>(self.model.description().joints.size());
        const Call call("Reactions", self.model.name(),
                        {{{"q", nq}, {"v", nv}, {"a", nv}},
                         {{"tau", nv, 1, false}, {"joints", 6, joints, true}, {"base", 6, 1, false}}});
        const ExternalLoads loads = loads_from(self.model, wrenches, base);
        Reactions found;
        return call.each({q, v, a}, {}, [&](Pointers in, OutPointers out) {
          reactions(self.model, self.workspace(), vector(in[0], nq), vector(in[1], nv), vector(in[2], nv), found,
                    loads);
          vector(out[0], nv) = found.tau;
          matrix(out[1], 6, joints) = found.joints;
          vector(out[2], 6) = found.base;
        });
      },
      py::arg("q"), py::arg("v"), py::arg("a"), py::kw_only(), py::arg("wrenches") = py::none(),
      py::arg("base") = py::none(),
      "reactions(q, v, a, *, wrenches=None, base=None) -> (tau, joints, base)\n\nWhat the bodies exert on one another "
      "in "
      "that motion, [moment; force] in N m and N. joints, 6 x joints:\na column for each of all_joints, the wrench of "
      "the parent on the child body (bearing and drive together), in the\naxes and at the origin of the child's frame. "
      "base: of the ground on the robot, world axes, world's origin.\nwrenches and base motion as for inverse().");
}

}  // namespace

void define_kinematics(py::class_<Robot>& robot) {
  define_frames(robot);
  define_whole_robot(robot);
  define_reactions(robot);
}

}  // namespace catena::python
