"""Numbers of the robot by name: read, changed, and as arguments of batches, compiled functions and rollouts."""
import numpy as np

import catena
from support import TestCase

NAMES = ["flange.payload.mass", "elbow.damping"]


class Parameters(TestCase):
    def setUp(self):
        self.arm = catena.load("arm7")

    def test_sensitivities_of_a_payload_over_a_whole_run(self):
        def held(mass):
            return self.arm.with_parameters({"flange.payload": [mass, 0.02, 0, 0.05] + 6 * [0.0]})

        q, v = self.arm.random_configuration(seed=3), np.zeros(self.arm.nv)
        tau = np.linspace(-1, 1, self.arm.nv)
        run = held(2).trajectory_sensitivity(q, v, 0.1, ["flange.payload", "initial"], tau=tau, times=[0, 0.05, 0.1])
        self.assertEqual(run.S.shape, (3, 14, 24))
        self.assertEqual(run.parameters[14], "flange.payload.mass")
        self.assertClose(run.S[0, :, :14], np.eye(14), 1e-15)
        end = held(2).trajectory_sensitivity(q, v, 0.05, ["flange.payload", "initial"], tau=[tau, tau],
                                             tau_times=[0, 1])
        self.assertClose(run.S[1], end.S[0], 1e-7)
        h = 1e-3
        more, less = (held(2 + s * h).trajectory_sensitivity(q, v, 0.1, ["gravity"], tau=tau) for s in (1, -1))
        self.assertClose(run.S[2, :7, 14], (more.q[0] - less.q[0]) / (2 * h), 1e-6)
        with self.assertRaisesRegex(ValueError, "did you mean"):
            self.arm.trajectory_sensitivity(q, v, 0.1, ["inertai"])
        with self.assertRaisesRegex(ValueError, "tau_times"):
            self.arm.trajectory_sensitivity(q, v, 0.1, ["tau"], tau=[tau, tau])

    def test_sensitivities_by_name(self):
        q, v, a = (self.arm.random_configuration(seed=k) for k in (1, 2, 3))
        names, d = self.arm.inverse_sensitivity(["flange.payload.mass", "elbow.damping"], q, v, a)
        self.assertEqual(names, ["flange.payload.mass", "elbow.damping"])
        self.assertClose(d[:, 0], self.arm.payload_regressor("flange", q, v, a)[:, 0], 1e-12)
        self.assertClose(d[:, 1], self.arm.inverse_sensitivity("damping", q, v, a).derivative[:, 3], 1e-15)

    def test_denavit_hartenberg_with_the_frames_at_both_ends(self):
        q = self.arm.random_configuration(seed=5)
        table = self.arm.dh()

        def screw(axis, angle, shift):
            T, c, s = np.eye(4), np.cos(angle), np.sin(angle)
            k, l = [(1, 2), (2, 0), (0, 1)][axis]
            T[k, k] = T[l, l] = c
            T[l, k], T[k, l] = s, -s
            T[axis, 3] = shift
            return T

        standard, modified = table.base, table.base
        for i, (a, alpha, d, theta) in enumerate(table.standard):
            a_before, alpha_before = table.modified[i, :2]
            turn = screw(2, theta + q[i], d)
            standard = standard @ turn @ screw(0, alpha, a)
            modified = modified @ screw(0, alpha_before, a_before) @ turn
        R, p = self.arm.pose("flange", q)
        for end in (standard, modified):
            T = end @ table.tools["flange"]
            self.assertClose(T[:3, :3], R, 1e-12)
            self.assertClose(T[:3, 3], p, 1e-12)
        with self.assertRaisesRegex(ValueError, "serial chain"):
            catena.load("quadruped").dh()

    def test_are_listed_with_the_robots_own_values(self):
        self.assertEqual(self.arm.parameters["gravity.z"], -9.81)
        self.assertGreater(self.arm.parameters["link7.mass"], 0)
        self.assertEqual(self.arm.parameters["flange.payload.mass"], 0)

    def test_change_the_robot(self):
        moon = self.arm.with_parameters({"gravity": [0, 0, -1.62], "link7.mass": np.float64(2.5)})
        self.assertEqual(moon.parameters["gravity.z"], -1.62)
        self.assertEqual(moon.parameters["link7.mass"], 2.5)
        self.assertEqual(self.arm.parameters["gravity.z"], -9.81)

    def test_are_arguments_of_a_batch(self):
        forward = self.arm.batch("forward", parameters=NAMES)
        self.assertEqual(forward.parameters, NAMES)
        self.assertEqual(forward.inputs["parameters"], (2,))
        q, v, tau = (self.arm.random_vector(k, 12) for k in range(3))
        numbers = np.column_stack([np.linspace(0, 2, 12), np.linspace(0, 0.5, 12)])
        a = forward(q, v, tau, numbers)
        for k in range(12):
            own = self.arm.with_parameters(dict(zip(NAMES, numbers[k])))
            self.assertClose(a[k], own.forward(q[k], v[k], tau[k]), 1e-9)
        self.assertClose(forward(q, v, tau, parameters=numbers[3]), forward(q, v, tau, np.tile(numbers[3], (12, 1))))

    def test_are_arguments_of_a_compiled_function(self):
        gravity = self.arm.compile("gravity", parameters=["flange.payload"])
        self.assertEqual(len(gravity.parameters), 10)
        q = self.arm.random_configuration(3)
        payload = [2.0, 0, 0.01, 0.05] + 6 * [0.0]
        own = self.arm.with_parameters({"flange.payload": payload})
        self.assertClose(gravity(q, payload), own.gravity(q))
        self.assertClose(gravity(np.array([q, q]), payload)[1], own.gravity(q))
        self.assertIn("parameters[9]  flange.payload.inertia.yz, kg m^2", gravity.c_source()["arm7.h"])

    def test_are_arguments_of_a_rollout(self):
        run = self.arm.rollout(step=1e-3, parameters=["gravity.z"])
        q, v = self.arm.random_configuration(1, 3), np.zeros((3, 7))
        result = run(q, v, steps=10, parameters=[[-9.81], [-1.62], [0]])
        moon = self.arm.with_parameters({"gravity.z": -1.62}).rollout(step=1e-3)(q, v, steps=10)
        self.assertClose(result.q[1], moon.q[1])
        self.assertClose(run(q, v, steps=10, parameters=[-1.62]).v, moon.v)

    def test_bad_ones_are_refused(self):
        with self.assertRaisesRegex(ValueError, "link7.mass"):
            self.arm.batch("forward", parameters=["link7.mas"])
        with self.assertRaisesRegex(ValueError, "gravity is 3 numbers"):
            self.arm.with_parameters({"gravity": -1.62})
        with self.assertRaises(catena.ModelError):
            self.arm.with_parameters({"link7.mass": -1})
        forward = self.arm.batch("forward", parameters=["link7.mass"])
        q = np.zeros((4, 7))
        with self.assertRaisesRegex(ValueError, "state 2: .*mass"):
            forward(q, q, q, [[1.0], [1.0], [-1.0], [1.0]])
        with self.assertRaisesRegex(ValueError, "parameters"):
            forward(q, q, q, [[1.0, 2.0]])
        with self.assertRaisesRegex(TypeError, "parameters is missing"):
            forward(q, q, q)
        run = self.arm.rollout(parameters=["link7.mass"])
        with self.assertRaisesRegex(ValueError, "parameters=..."):
            run(q, q, steps=1)
        with self.assertRaisesRegex(ValueError, "trajectory 1: .*mass"):
            run(q, q, steps=1, parameters=[[1.0], [-1.0], [1.0], [1.0]])
