"""Robots made, inspected, changed, saved and pickled."""
import copy
import doctest
import os
import pickle
import tempfile
from pathlib import Path

from support import *


def two_links():
    arm = catena.Robot("two links")
    arm.add_body("upper", joint="revolute", joint_name="shoulder", axis=(0, 1, 0), mass=2, com=(0, 0, -0.25),
                 inertia=(0.04, 0.04, 0.001))
    arm.add_body("lower", parent="upper", joint="revolute", joint_name="elbow", axis=(0, 1, 0), position=(0, 0, -0.5),
                 mass=1, com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.001), damping=0.1)
    arm.add_frame("tip", "lower", position=(0, 0, -0.4))
    return arm


class Robots(TestCase):
    def test_written_body_by_body(self):
        arm = two_links().build()
        self.assertEqual(arm.joints, ["shoulder", "elbow"])
        self.assertClose(arm.pose("tip", [0, 0]).p, [0, 0, -0.9])
        M = arm.mass_matrix([0, 0])  # by hand: parallel axes
        lower = 0.01 + 0.2**2
        self.assertClose(M, [[0.04 + 2 * 0.25**2 + 0.01 + 0.7**2, 0.01 + 0.7 * 0.2], [0.01 + 0.7 * 0.2, lower]])

    def test_joints_and_bodies_say_what_they_are(self):
        robot = catena.load("joints")
        hinge = robot.joint("hinge")
        self.assertEqual((hinge["type"], hinge["parent"], hinge["child"]), ("revolute", "post", "arm"))
        self.assertEqual(hinge["limits"]["effort"], 40)
        self.assertEqual(hinge["terms"]["armature"], 4e-5 * 50**2)
        self.assertIsNone(robot.joint("mount")["q"])
        q = robot.random_configuration(1)
        self.assertEqual(q[robot.joint("ball")["q"]].shape, (4,))
        self.assertEqual(robot.body("arm")["mass"], 0.9)
        self.assertAlmostEqual(sum(robot.body(name)["mass"] for name in robot.bodies), robot.mass)
        with self.assertRaisesRegex(ValueError, "hinge"):
            robot.joint("hing")

    def test_pickles_and_texts_are_the_same_robot(self):
        for name in ROBOTS:
            robot = catena.load(name)
            q, v, tau = robot.random_configuration(1), robot.random_vector(2), robot.random_vector(3)
            for other in (pickle.loads(pickle.dumps(robot)), catena.loads(robot.to_toml()), copy.deepcopy(robot)):
                self.assertEqual(other.hash, robot.hash)
                self.assertSameBits(other.forward(q, v, tau), robot.forward(q, v, tau))
            urdf = catena.loads(robot.to_urdf())
            self.assertClose(urdf.mass, robot.mass)
        with self.assertRaises(TypeError):
            pickle.dumps(catena.load("arm7").compile("forward"))

    def test_files(self):
        arm = two_links().build()
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("urdf", "toml"):
                path = os.path.join(folder, "arm." + ending)
                arm.save(path)
                self.assertClose(catena.load(path).mass_matrix([0.3, 0.2]), arm.mass_matrix([0.3, 0.2]), 1e-14)
                with self.assertRaisesRegex(ValueError, "exists already"):
                    arm.save(path)
            with self.assertRaisesRegex(ValueError, "the ending says the format"):
                arm.save(os.path.join(folder, "arm.xyz"))

    def test_locked_joints_stay_where_they_are(self):
        robot = catena.load("joints")
        q = robot.random_configuration(5)
        locked = catena.Robot.of(robot).lock(hinge=float(q[robot.joint("hinge")["q"]][0]),
                                             ball=q[robot.joint("ball")["q"]]).build()
        self.assertNotIn("hinge", locked.joints)
        rest = np.concatenate([q[robot.joint(name)["q"]] for name in locked.joints])
        for frame in robot.frames:
            for mine, theirs in zip(locked.pose(frame, rest), robot.pose(frame, q)):
                self.assertLess(np.abs(mine - theirs).max(), 1e-12)
        keep = np.concatenate([np.arange(robot.nv)[robot.joint(name)["v"]] for name in locked.joints])
        self.assertClose(locked.mass_matrix(rest), robot.mass_matrix(q)[np.ix_(keep, keep)], 1e-12)
        with self.assertRaisesRegex(ValueError, "carries no coordinate"):
            catena.Robot.of(robot).lock(mount=0)

    def test_a_gripper_is_mounted_and_taken_off(self):
        arm, gripper = catena.load("arm7"), catena.Robot("gripper")
        gripper.add_body("palm", mass=0.5, com=(0, 0, 0.02), inertia=(1e-3, 1e-3, 1e-3))
        gripper.add_body("finger", parent="palm", joint="prismatic", axis=(1, 0, 0), mass=0.1, com=(0, 0, 0.05),
                         inertia=(1e-5, 1e-5, 1e-5))
        whole = catena.Robot.of(arm).merge(gripper, on="flange", prefix="left_")
        both = whole.build()
        self.assertEqual(both.nv, arm.nv + 1)
        self.assertAlmostEqual(both.mass, arm.mass + 0.6)
        q = np.append(arm.random_configuration(1), 0.0)
        self.assertClose(both.pose("left_palm", q).p, arm.pose("flange", q[:-1]).p)
        self.assertEqual(whole.remove("left_palm").build().nv, arm.nv)
        with self.assertRaisesRegex(ValueError, "no body or frame 'flnge'"):
            whole.merge(gripper, on="flnge")

    def test_without_terms(self):
        robot = catena.load("joints")
        q, v, a = robot.random_configuration(1), robot.random_vector(2), robot.random_vector(3)
        bare = robot.without_terms("damping", "friction", "springs", "armature")
        self.assertGreater(relative_error(bare.inverse(q, v, a), robot.inverse(q, v, a)), 1e-6)
        difference = robot.without_terms("friction").inverse(q, v, a) - robot.inverse(q, v, a)
        k = robot.joint("hinge")["v"]
        self.assertClose(difference[k], -0.2 * np.tanh(v[k] / 0.05), 1e-9)
        with self.assertRaisesRegex(ValueError, "damping"):
            robot.without_terms("dampng")

    def test_doctor_tells_what_is_wrong_with_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.urdf")
            with open(path, "w") as file:
                file.write('<robot name="r"><link name="a"><inertial><mass value="-1"/>'
                           '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>')
            findings = catena.doctor(path)
        self.assertTrue(any(f.severity == "error" and f.line == 1 and f.body == "a" for f in findings), findings)
        self.assertEqual(catena.doctor("arm7"), [])
        self.assertTrue(str(findings[0]).startswith(path))

    def test_mistakes(self):
        with self.assertRaises(catena.ModelError):
            catena.loads("")
        with self.assertRaises(catena.ModelError):
            catena.loads("<robot/>")
        with self.assertRaises(catena.ModelError):
            catena.Robot("r").add_body("a", joint="revolut", mass=1).build()
        with self.assertRaisesRegex(ValueError, "there are upper, lower"):
            two_links().change_body("middle", mass=1)


class Kinematics(TestCase):
    def test_derivatives_of_poses(self):
        h = 1e-6
        for name in ROBOTS:
            robot = catena.load(name)
            q, v, a = robot.random_configuration(1), robot.random_vector(2), robot.random_vector(3)
            frame = robot.tip_frame
            ahead, behind = robot.integrate(q, h * v), robot.integrate(q, -h * v)
            V = robot.velocity(frame, q, v)
            self.assertClose(V, robot.jacobian(frame, q) @ v, 1e-12)
            self.assertLess(np.abs((robot.pose(frame, ahead).p - robot.pose(frame, behind).p) / (2 * h) - V[3:]).max(),
                            1e-7)
            A = robot.acceleration(frame, q, v, a)
            J_dot = robot.jacobian_dot(frame, q, v)
            self.assertClose(A, robot.jacobian(frame, q) @ a + J_dot @ v, 1e-10)
            body = robot.acceleration(frame, q, v, a, "body", spatial=True)
            self.assertClose(body, robot.jacobian(frame, q, "body") @ a + robot.jacobian_dot(frame, q, v, "body") @ v,
                             1e-10)
            com = robot.center_of_mass_jacobian(q)
            self.assertClose(com @ v, robot.center_of_mass_velocity(q, v), 1e-12)
            slope = (robot.center_of_mass(ahead) - robot.center_of_mass(behind)) / (2 * h)
            self.assertLess(np.abs(slope - com @ v).max(), 1e-7)

    def test_energy_and_momentum(self):
        for name in ROBOTS:
            robot = catena.load(name)
            q, v = robot.random_configuration(1), robot.random_vector(2)
            energy = robot.kinetic_energy(q, v)
            self.assertIsInstance(energy, float)
            self.assertAlmostEqual(energy, 0.5 * v @ robot.mass_matrix(q) @ v, delta=1e-12 * max(1, energy))
            h = robot.momentum(q, v)
            self.assertClose(h[3:], robot.mass * robot.center_of_mass_velocity(q, v), 1e-12)
            Q = robot.random_configuration(1, 4)
            self.assertEqual(robot.potential_energy(Q).shape, (4,))
            bare = robot.without_terms("springs")
            step = 1e-6
            slope = (bare.potential_energy(robot.integrate(q, step * v)) -
                     bare.potential_energy(robot.integrate(q, -step * v))) / (2 * step)
            self.assertAlmostEqual(slope, bare.gravity(q) @ v, delta=1e-6 * robot.mass * 9.81)


class Loads(TestCase):
    def test_wrenches_are_those_of_the_jacobian(self):
        for name in ROBOTS:
            robot = catena.load(name)
            q, v, a = robot.random_configuration(1), robot.random_vector(2), robot.random_vector(3)
            force, moment = np.array([1.0, -2, 3]), np.array([0.3, 0.2, -0.1])
            frame = robot.tip_frame
            push = {"frame": frame, "force": force, "moment": moment, "axes": "aligned"}
            expected = robot.inverse(q, v, a) - robot.jacobian(frame, q).T @ np.concatenate([moment, force])
            self.assertClose(robot.inverse(q, v, a, wrenches=push), expected, 1e-11)
            tau = robot.inverse(q, v, a, wrenches=[push])
            self.assertClose(robot.forward(q, v, tau, wrenches=[push]), a, 1e3 * tolerance_of(robot, q))
            self.assertClose(robot.bias(q, v, wrenches=push), robot.inverse(q, v, 0 * a, wrenches=push), 1e-12)
            self.assertClose(robot.reactions(q, v, a, wrenches=push).tau, expected, 1e-11)
            self.assertGreater(relative_error(robot.linearize_inverse(q, v, a, wrenches=push).dtau_dq,
                                              robot.linearize_inverse(q, v, a).dtau_dq), 1e-6)

    def test_an_accelerating_base_is_gravity(self):
        arm = catena.load("arm7")
        q, v, a = arm.random_configuration(1), arm.random_vector(2), arm.random_vector(3)
        lifted = arm.inverse(q, v, a, base={"acceleration": (0, 0, 2.0)})
        self.assertClose(lifted, arm.with_gravity((0, 0, -11.81)).inverse(q, v, a), 1e-12)
        self.assertClose(arm.linearize_forward(q, v, lifted, base={"acceleration": (0, 0, 2.0)}).a, a, 1e-9)

    def test_mistakes(self):
        arm = catena.load("arm7")
        q, v, a = arm.random_configuration(1), arm.random_vector(2), arm.random_vector(3)
        for bad, text in (({"force": (0, 0, 1)}, "needs the frame"), ({"frame": "flnge"}, "flange"),
                          ({"frame": "flange", "forc": (0, 0, 1)}, "force"),
                          ({"frame": "flange", "force": (0, 1)}, "three numbers"),
                          ({"frame": "flange", "force": (0, 1, np.nan)}, "finite")):
            with self.assertRaisesRegex(ValueError, text):
                arm.inverse(q, v, a, wrenches=bad)
        with self.assertRaises(TypeError):
            arm.inverse(q, v, a, wrenches=3)
        with self.assertRaisesRegex(ValueError, "velocity"):
            arm.inverse(q, v, a, base={"velocty": (0, 0, 1)})
        with self.assertRaises(TypeError):
            arm.mass_matrix(q, wrenches=[])


class Tool(TestCase):
    def test_commands_answer_as_dicts(self):
        arm = catena.load("planar_3r")
        self.assertTrue(catena.verify(arm, states=2)["passed"])
        answer = catena.command("inverse", arm, q=[0.1, 0.2, 0.3], v=[1, 2, 3], a=[0, 0, 0])
        self.assertClose(answer["tau"], arm.inverse([0.1, 0.2, 0.3], [1, 2, 3], [0, 0, 0]), 1e-12)
        self.assertIn("Usage", catena.command("verify", "--help", text=True))

    def test_convert_and_show(self):
        arm = catena.load("stanford_arm")
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "arm.urdf")
            catena.convert(arm, target)
            self.assertClose(catena.load(target).mass, arm.mass)
            page = os.path.join(folder, "arm.html")
            arm.show(page)
            self.assertIn("catena-data", Path(page).read_text())
        self.assertIn("<iframe", arm._repr_html_())

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "did you mean"):
            catena.command("verfy", "arm7")
        with self.assertRaisesRegex(ValueError, "unknown option"):
            catena.command("verify", "arm7", stats=3)
        with self.assertRaises(catena.FileError):
            catena.command("info", "no_such_robot")


class Docstrings(TestCase):
    def test_examples_in_them_run(self):
        from catena import _robots, _simulation, _tool
        for module in (_robots, _simulation, _tool):
            failed, tried = doctest.testmod(module)
            self.assertEqual(failed, 0, module.__name__)
            self.assertGreater(tried, 0, module.__name__)


if __name__ == "__main__":
    unittest.main()
