"""Runs: scenarios as dicts and files, controllers in Python, results by name."""
import math
import os
import tempfile
from pathlib import Path

from support import *


class Simulation(TestCase):
    def setUp(self):
        self.arm = catena.load("planar_3r")

    def test_free_fall_is_that_of_the_tool_and_keeps_energy(self):
        run = self.arm.simulate([0.3, 0.2, 0.1], duration=1, every=0.25)
        self.assertEqual(len(run), 5)
        np.testing.assert_allclose(run.time, [0, 0.25, 0.5, 0.75, 1])
        self.assertLess(run.drift, 1e-8)
        answer = catena.command("simulate", "planar_3r", q=[0.3, 0.2, 0.1], duration=1, every=0.25)
        self.assertClose(np.asarray(run.q)[-1], answer["q"], 1e-9)
        self.assertEqual(run.energies.keys(), answer["energy"].keys())

    def test_a_controller_in_python_is_the_librarys_own(self):
        def pd(t, q, v):
            return -100.0 * q - 10.0 * v

        start = [0.3, -0.2, 0.1]
        mine = self.arm.simulate(start, duration=0.5, controller=pd)
        theirs = self.arm.simulate(start, duration=0.5, controller={
            "kind": "pd", "stiffness": 100, "damping": 10, "target": [0, 0, 0]})
        self.assertClose(np.asarray(mine.q), np.asarray(theirs.q), 1e-7)
        self.assertGreater(np.abs(np.asarray(mine.tau)).max(), 1)

    def test_control_8_2_takes_a_full_weight_and_keeps_its_energy_balance(self):
        A = np.random.RandomState(1).uniform(-1, 1, (12, 12))
        W, c = 10 * A @ A.T + 5 * np.eye(12), 3.0
        goal = self.arm.pose("link3", [0.4, 0.8, -0.5])
        yaw = math.atan2(goal.R[1, 0], goal.R[0, 0])
        control = {"kind": "reach", "frame": "link3", "position": goal.p, "rpy": [0, 0, yaw], "weight": W, "c": c}
        run = self.arm.simulate([0.1, 1.2, -0.2], [0.5, 0, -1], duration=0.5, every=0.0025, controller=control)

        def lyapunov(q, v):
            pose, nu = self.arm.pose("link3", q), self.arm.nu(q, v)
            e = np.concatenate([goal.p - pose.p, (goal.R - pose.R).T.ravel()])  # the point, then the axes
            return nu @ nu / 2 + e @ W @ e / 2

        q, v = np.asarray(run.q), np.asarray(run.v)
        taken = c * np.array([nu @ nu for nu in map(self.arm.nu, q, v)])
        simpson = 0.0025 / 3 * (taken[0] + 4 * taken[1:-1:2].sum() + 2 * taken[2:-1:2].sum() + taken[-1])
        before, after = lyapunov(q[0], v[0]), lyapunov(q[-1], v[-1])
        self.assertLess(after, 0.9 * before)
        self.assertAlmostEqual(before - after, simpson, delta=1e-6 * before)
        with self.assertRaisesRegex(catena.ModelError, "not positive definite: W\\(1, 1\\) = -1"):
            self.arm.simulate(duration=0.1, controller={**control, "weight": np.diag([-1] + [1] * 11)})

    def test_a_controller_may_be_wrong_about_the_payload(self):
        load = {"frame": "link3", "mass": 2}
        hold = {"kind": "pd_gravity", "stiffness": 50, "damping": 20}
        right = self.arm.simulate([0.3, 0.2, 0.1], duration=1, payload=load, controller=hold)
        wrong = self.arm.simulate([0.3, 0.2, 0.1], duration=1, payload=load,
                                  controller={**hold, "assumes": {"payload": 0}})
        self.assertClose(np.asarray(right.q)[-1], [0.3, 0.2, 0.1], 1e-9)
        self.assertLess(wrong.q["joint1"][-1], 0.2)  # it sags
        self.assertAlmostEqual(wrong.model.mass, self.arm.mass + 2)

    def test_a_sampled_controller_may_keep_a_state_and_is_called_once_a_sample(self):
        times = []

        def hold(t, q, v):
            times.append(t)
            return np.zeros(3)

        self.arm.simulate(duration=0.1, every=0.05, controller=hold, input={"period": 0.02})
        np.testing.assert_allclose(sorted(set(np.round(times, 9))), np.arange(0, 0.1 + 1e-9, 0.02)[:len(set(times))],
                                   atol=1e-9)
        self.assertEqual(len(times), len(set(times)))

    def test_columns_by_name_and_by_joint(self):
        robot = catena.load("joints")
        run = robot.simulate(duration=0.05, every=0.05, record=["a"])
        self.assertSameBits(run["q.hinge"], run.q["hinge"])
        self.assertEqual(run.q["ball"].shape, (2, 4))
        self.assertEqual(np.asarray(run.q).shape, (2, robot.nq))
        self.assertEqual(run.a.shape, (2, robot.nv))
        self.assertEqual(run.units["v.hinge"], "rad/s")
        self.assertEqual(list(run.energy), ["kinetic", "potential", "work", "dissipated", "balance"])
        with self.assertRaisesRegex(KeyError, "q.hinge"):
            run["q.hing"]
        with self.assertRaisesRegex(ValueError, "nothing called nu"):
            run.family("nu")

    def test_scenarios_as_dicts_and_files(self):
        scenario = {"model": "planar_3r", "duration": 0.5, "every": 0.1, "start": {"q": {"joint1": 0.4}},
                    "integrator": {"method": "rk4", "step": 0.001}, "stop": [{"quantity": "q.joint1", "below": 0.2}],
                    "wrench": [{"frame": "link3", "force": [0, 1, 0], "axes": "aligned"}]}
        run = catena.simulate(scenario)
        self.assertIn("q.joint1", run.reason)
        self.assertLess(run.time[-1], 0.5)
        file = ROOT / "scenarios" / "planar_fall.toml"
        self.assertGreater(len(catena.simulate(file)), 10)

    def test_recordings_are_read_back_to_the_bit(self):
        run = self.arm.simulate([0.3, 0.2, 0.1], duration=0.2)
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("h5", "csv"):
                path = os.path.join(folder, f"run.{ending}")
                run.save(path)
                back = catena.read_recording(path)
                self.assertEqual(back.columns, run.columns)
                self.assertEqual(back.units, run.units)
                self.assertSameBits(back.values, run.values)
                self.assertEqual(back.model.hash, self.arm.hash)
                with self.assertRaisesRegex(ValueError, "exists already"):
                    run.save(path)
                run.save(path, force=True)

    def test_pictures_and_pages(self):
        run = self.arm.simulate([0.3, 0.2, 0.1], duration=0.2)
        self.assertIn("<svg", run.plot())
        self.assertIn("joint1", run.plot(show="q"))
        with tempfile.TemporaryDirectory() as folder:
            page = run.show(os.path.join(folder, "run.html"))
            self.assertIn("catena-data", Path(page).read_text())
            picture = run.plot(os.path.join(folder, "run.png"))
            self.assertEqual(Path(picture).read_bytes()[:4], b"\x89PNG")

    def test_a_payload_that_no_body_can_have_is_warned_of(self):
        payload = {"frame": "link3", "mass": 2, "com": [0, 0, 0], "inertia": [1, 1, 9]}
        run = self.arm.simulate(duration=0.01, payload=payload)
        self.assertTrue(any("payload" in warning and "inertia" in warning for warning in run.warnings), run.warnings)
        self.assertEqual(self.arm.simulate(duration=0.01).warnings, [])

    def test_progress_sees_the_time_and_can_end_the_run(self):
        slow = []

        def progress(t):
            slow.append(t)
            return len(slow) < 2

        run = catena.load("chain:30").simulate(duration=1000, every=10, progress=progress)
        self.assertFalse(run.finished)
        self.assertEqual(len(slow), 2)

    def test_mistakes_are_told(self):
        arm = self.arm
        with self.assertRaisesRegex(ValueError, "3 joint forces"):
            arm.simulate(controller=lambda t, q, v: [0.0])
        with self.assertRaisesRegex(ValueError, "not finite"):
            arm.simulate(controller=lambda t, q, v: [math.nan] * 3)
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            arm.simulate(controller=lambda t, q, v: [1 / 0] * 3)
        for method in ("adams", "rk4", "verner65"):  # through the loops of every suite
            with self.assertRaises(ZeroDivisionError):
                arm.simulate(controller=lambda t, q, v: [1 / 0] * 3, integrator={"method": method})
        with self.assertRaisesRegex(TypeError, "function of"):
            arm.simulate(controller=3)
        with self.assertRaisesRegex(ValueError, "leave one out"):
            arm.simulate(tau=[0, 0, 0], controller=lambda t, q, v: q)
        with self.assertRaisesRegex(catena.ModelError, "durtion"):
            arm.simulate(durtion=3)
        with self.assertRaisesRegex(catena.ModelError, "another one is given"):
            arm.simulate(model="arm7")
        with self.assertRaises(catena.ModelError):
            catena.simulate({"duration": 1})
        with self.assertRaisesRegex(catena.FileError, "no_such_scenario.toml"):
            catena.simulate("no_such_scenario.toml")
        with self.assertRaisesRegex(TypeError, "arm.simulate"):
            catena.simulate(arm)
        with self.assertRaisesRegex(ValueError, "leave one out"):
            arm.simulate(controller=lambda t, q, v: q, input={"kind": "pd"})
        with self.assertRaisesRegex(TypeError, "numbers, texts"):
            arm.simulate(record=object())


if __name__ == "__main__":
    unittest.main()
