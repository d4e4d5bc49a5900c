"""One state by the plain library: reference numbers, derivatives by differences, frames, configurations."""
import json
import os
import pathlib
import tempfile

from support import *


def reference(name):
    """A robot and a state of tests/data, with the values found by brute force. One-degree joints only."""
    file = REFERENCE / f"{name}.json"
    data = json.loads(file.read_text())
    state = [np.array(data["state"][key]) for key in "qva"]
    return catena.load(file), state, {key: np.array(value) for key, value in data["values"].items()
                                      if key not in ("P", "P_local_dot", "body_pose_world")}


class Reference(TestCase):
    NAMES = ["chain_6r", "chain_8mixed", "chain_rprpr", "planar_3r", "stanford_arm", "tree_9_1dof"]

    def test_every_function_gives_the_reference_numbers(self):
        for name in self.NAMES:
            model, (q, v, a), values = reference(name)
            loose = tolerance_of(model, q)
            with self.subTest(name):
                tau = values["tau"]
                self.assertClose(model.inverse(q, v, a), tau)
                self.assertClose(model.gravity(q), values["gravity_force"])
                self.assertClose(model.coriolis(q, v), values["coriolis"])
                self.assertClose(model.bias(q, v), values["bias"])
                self.assertClose(model.mass_matrix(q), values["M"])
                self.assertClose(model.mass_matrix_inverse(q), values["Minv"], loose)
                self.assertClose(model.coriolis_matrix(q, v) @ v, values["coriolis"])
                self.assertClose(model.forward(q, v, tau), a, loose)
                self.assertClose(model.nu(q, v), values["nu"], loose)
                self.assertClose(model.epsilon(q, tau), values["epsilon"], loose)
                self.assertClose(model.forward_nu(q, values["nu"], tau).v, v, loose)
                self.assertClose(model.forward_nu(q, values["nu"], tau).nu_dot, values["nudot"], loose)
                inverse = model.linearize_inverse(q, v, a)
                self.assertClose(inverse.M, values["M"])
                self.assertClose(inverse.A_D, values["A_D"])
                self.assertClose(inverse.B_D, values["B_D"])
                forward = model.linearize_forward(q, v, tau)
                self.assertClose(forward.a, a, loose)
                self.assertClose(forward.M_inv, values["Minv"], loose)
                self.assertClose(forward.A_C, values["A_C"], 10 * loose)
                self.assertClose(forward.B_C, values["B_C"], 10 * loose)

    def test_matrices_that_are_not_symmetric_tell_rows_from_columns(self):
        _, _, values = reference("stanford_arm")
        for name in ("A_D", "B_D", "A_C", "B_C"):  # or the test above could not fail
            self.assertGreater(relative_error(values[name].T, values[name]), 1e-3)


class Slopes(TestCase):
    def differences(self, f, n):
        """Central differences of f along each of n directions, as columns."""
        step = 1e-5
        return np.stack([(f(step * e) - f(-step * e)) / (2 * step) for e in np.eye(n)], axis=1)

    def test_linearizations_are_derivatives(self):
        for robot in ROBOTS:
            model = catena.load(robot)
            q, v, a = inputs(model, "inverse")
            tau = model.inverse(q, v, a)
            with self.subTest(robot):
                at = model.linearize_inverse(q, v, a)
                np.testing.assert_array_equal(at.dtau_dv, at.A_D)
                self.assertClose(at.dtau_dv, self.differences(lambda d: model.inverse(q, v + d, a), model.nv), 1e-6)
                self.assertClose(
                    at.dtau_dq, self.differences(lambda d: model.inverse(model.integrate(q, d), v, a), model.nv), 1e-6)
                at = model.linearize_forward(q, v, tau)
                np.testing.assert_array_equal(at.da_dv, -at.A_C)
                np.testing.assert_array_equal(at.da_dtau, at.M_inv)
                self.assertClose(at.da_dv, self.differences(lambda d: model.forward(q, v + d, tau), model.nv), 1e-5)
                self.assertClose(
                    at.da_dq, self.differences(lambda d: model.forward(model.integrate(q, d), v, tau), model.nv), 1e-5)


class Frames(TestCase):
    def test_the_jacobian_is_the_derivative_of_the_pose(self):
        model = catena.load("quadruped")
        frame = model.frames[-1]
        q, v = model.random_configuration(5), model.random_vector(6)
        step = 1e-6
        ahead, behind = (model.pose(frame, model.integrate(q, s * step * v)) for s in (1, -1))
        R = model.pose(frame, q).R
        spin = (ahead.R - behind.R) / (2 * step) @ R.T
        turn = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        move = (ahead.p - behind.p) / (2 * step)
        velocity = model.jacobian(frame, q) @ v
        self.assertEqual(velocity.shape, (6,))
        self.assertClose(velocity[:3], turn, 1e-7)
        self.assertClose(velocity[3:], move, 1e-7)
        self.assertClose(model.jacobian(frame, q, "body") @ v, np.concatenate([R.T @ turn, R.T @ move]), 1e-7)
        p = model.pose(frame, q).p
        self.assertClose(model.jacobian(frame, q, axes="world") @ v, np.concatenate([turn, move - np.cross(turn, p)]),
                         1e-7)

    def test_many_states_at_a_time(self):
        model = catena.load("arm7")
        frame = model.frames[-1]
        Q = model.random_configuration(1, 5)
        poses, J, center = model.pose(frame, Q), model.jacobian(frame, Q), model.center_of_mass(Q)
        self.assertEqual((poses.R.shape, poses.p.shape, J.shape), ((5, 3, 3), (5, 3), (5, 6, 7)))
        for k, q in enumerate(Q):
            self.assertSameBits(poses.R[k], model.pose(frame, q).R)
            self.assertSameBits(poses.p[k], model.pose(frame, q).p)
            self.assertSameBits(J[k], model.jacobian(frame, q))
            self.assertSameBits(center[k], model.center_of_mass(q))
        self.assertGreater(relative_error(poses.R[0].T, poses.R[0]), 0.1)

    def test_reactions_hold_every_body_and_carry_the_drive(self):
        arm = catena.load("puma560")
        q, v, a = arm.random_configuration(1), arm.random_vector(2), arm.random_vector(3)
        loads = arm.reactions(q, v, a)
        np.testing.assert_array_equal(loads.tau, arm.inverse(q, v, a))
        self.assertEqual(loads.joints.shape, (6, len(arm.all_joints)))
        still = arm.reactions(q, 0 * v, 0 * a)
        weight = -arm.mass * arm.gravity_vector
        np.testing.assert_allclose(still.base[3:], weight, rtol=0, atol=1e-12 * np.abs(weight).max())
        np.testing.assert_allclose(still.base[:3], np.cross(arm.center_of_mass(q), weight), rtol=0, atol=1e-11)
        many = arm.reactions(np.stack([q, q]), np.stack([v, 0 * v]), np.stack([a, 0 * a]))
        np.testing.assert_array_equal(many.joints[0], loads.joints)
        np.testing.assert_array_equal(many.base[1], still.base)
        with self.assertRaisesRegex(ValueError, "v"):
            arm.reactions(q, v[:3], a)

    def test_gravity_acts_on_the_center_of_mass(self):
        model = catena.load("quadruped")
        q, step = model.random_configuration(3), 1e-6
        height = [model.center_of_mass(model.integrate(q, s * step * e))[2] for e in np.eye(model.nv) for s in (1, -1)]
        slope = np.diff(np.array(height).reshape(-1, 2)[:, ::-1], axis=1)[:, 0] / (2 * step)
        self.assertClose(model.gravity(q), 9.81 * model.mass * slope, 1e-7)


class Robots(TestCase):
    def test_a_model_says_what_it_is(self):
        arm = catena.load("arm7")
        self.assertEqual((arm.name, arm.nq, arm.nv, len(arm.joints)), ("arm7", 7, 7, 7))
        self.assertEqual(arm.position_names, arm.joints)
        self.assertEqual(repr(arm), "<catena.Model arm7: 7 joints, nq 7, nv 7>")
        self.assertIn(arm.joints[0], arm.velocity_names)
        self.assertIn("arm7", catena.models())
        self.assertEqual(arm.findings, [])
        self.assertSameBits(arm.gravity_vector, [0, 0, -9.81])

    def test_the_findings_are_those_of_the_reader_and_of_the_doctor(self):
        solid = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        text = (f"<robot name='arm'><link name='base'>{solid}<colision/></link><link name='rod'>{solid}</link>"
                "<joint name='pivot' type='revolute'><parent link='base'/><child link='rod'/></joint>"
                "<joint name='ground' type='fixed'><parent link='world'/><child link='base'/></joint>"
                "<link name='world'/></robot>")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "arm.urdf"
            path.write_text(text)
            arm = catena.load(path)
        told = "\n".join(arm.findings)
        self.assertIn("element-unknown", told)
        self.assertIn("limit-missing", told)
        self.assertEqual(arm.with_gravity((0, 0, 0)).findings, arm.findings)
        # the frame meant where none is named is the end of the arm, not the last link of the file
        self.assertEqual((arm.tip_frame, arm.frames[-1]), ("rod", "world"))
        self.assertGreater(np.abs(arm.jacobian(arm.tip_frame, [0.3])).max(), 0.9)

    def test_a_floating_base_comes_first(self):
        arm = catena.load("arm7", floating=True)
        self.assertEqual((arm.nq, arm.nv, arm.joints[0]), (14, 13, "floating_base"))

    def test_another_gravity_is_another_robot(self):
        earth = catena.load("arm7")
        moon = earth.with_gravity((0, 0, -1.62))
        q = earth.random_configuration(1)
        self.assertClose(moon.gravity(q) * (9.81 / 1.62), earth.gravity(q))
        self.assertSameBits(earth.gravity_vector, [0, 0, -9.81])

    def test_configurations_move_and_come_back(self):
        model = catena.load("joints")
        q, v = model.random_configuration(1), model.random_vector(2)
        self.assertClose(model.difference(q, model.integrate(q, v)), v)
        Q, V = model.random_configuration(1, 3), model.random_vector(2, 3)
        self.assertSameBits(Q[0], q)
        self.assertSameBits(model.integrate(Q, V)[2], model.integrate(Q[2], V[2]))
        self.assertSameBits(model.integrate(Q, v)[1], model.integrate(Q[1], v))
        self.assertEqual(model.neutral_configuration().shape, (model.nq,))

    def test_a_robot_with_one_joint_has_matrices_too(self):
        model = catena.load("chain:1")
        q = model.random_configuration(1)
        self.assertEqual(model.mass_matrix(q).shape, (1, 1))
        self.assertEqual(model.mass_matrix(q[None]).shape, (1, 1, 1))
        self.assertEqual(model.compile("mass_matrix").outputs, {"M": (1, 1)})
        result = model.linearize_forward(q, q, q)
        self.assertEqual([x.shape for x in result], [(1,), (1, 1), (1, 1), (1, 1)])

    def test_a_robot_without_joints_has_empty_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rock.toml")
            with open(file, "w") as out:
                out.write('[[body]]\nname = "rock"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n')
            rock = catena.load(file)
        self.assertEqual(rock.mass_matrix([]).shape, (0, 0))
        self.assertEqual(rock.forward(np.zeros((3, 0)), [], []).shape, (3, 0))


if __name__ == "__main__":
    unittest.main()
