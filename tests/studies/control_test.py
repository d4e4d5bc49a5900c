"""What docs/studies/control.md concludes, on the planar arm and two starts; and that its tables are those of its CSV files."""
import sys
import unittest
from pathlib import Path

import numpy as np

STUDIES = Path(__file__).resolve().parents[2] / "docs" / "studies"
sys.path.insert(0, str(STUDIES))
import control  # noqa: E402
import control_laws as laws  # noqa: E402
from control_runs import Runner, Study  # noqa: E402

STARTS = [1, 4]
CONDITIONS = {condition.name: condition for condition in laws.CONDITIONS}


class Reaching(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study(laws.robots()[:1], STARTS, Runner())
        cls.study.tune_reaching()
        cls.robot = cls.study.robots[0]

    def results(self, name, condition="nominal"):
        return [self.study.reach(self.robot, name, CONDITIONS[condition], seed)[0] for seed in STARTS]

    def spread(self, name):
        times = [result["settling_s"] for result in self.results(name)]
        return max(times) / min(times)

    def test_everybody_arrives_under_nominal_conditions(self):
        for name in laws.REACHING:
            for result in self.results(name):
                self.assertEqual(result["settled"], 1, name)
                self.assertLess(result["steady_mm"], 1, name)

    def test_two_weights_settle_at_any_time_and_need_more_torque(self):
        self.assertLess(self.spread("computed torque"), 1.1)
        self.assertGreater(self.spread("Control 8.2, two weights"), 4)
        self.assertLess(self.spread("Control 8.2, full W"), 2)
        peaks = {name: np.median([r["peak_percent"] for r in self.results(name)]) for name in laws.REACHING}
        self.assertGreater(peaks["Control 8.2, two weights"], 4 * peaks["Control 8.2, full W"])
        self.assertLess(peaks["computed torque"], peaks["Control 8.2, full W"])

    def test_the_full_weight_makes_every_motion_at_the_goal_equally_fast(self):
        Y, M = laws.output_jacobian(self.robot, self.robot.goal), self.robot.mass_matrix(self.robot.goal)
        squares = lambda W: np.sort(np.linalg.eigvals(np.linalg.solve(M, Y.T @ W @ Y)).real)
        np.testing.assert_allclose(squares(laws.inertial_weight(self.robot, 3.0)), 9, rtol=1e-9)
        point, axes = laws.two_weights(self.robot, 3.0)
        slow, *_, fast = squares(np.diag([point] * 3 + [axes] * 9))
        self.assertGreater(fast, 5 * slow)

    def test_sampling_fells_the_joint_pd_first(self):
        self.assertFalse(all(result["settled"] for result in self.results("PD + gravity", "sampled 20 ms")))
        for name in ("computed torque", "LQR", "Control 8.2, full W"):
            for result in self.results(name, "sampled 20 ms"):
                self.assertEqual(result["settled"], 1, name)

    def test_nobody_holds_the_goal_with_a_payload_that_is_not_known(self):
        for name in laws.REACHING:
            for result in self.results(name, "payload not known"):
                self.assertGreater(result["steady_mm"], 1, name)


class Braking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study(laws.robots()[:1], STARTS, Runner())
        cls.study.tune_braking()
        cls.robot = cls.study.robots[0]

    def results(self, name, condition="nominal"):
        return [self.study.stop(self.robot, name, CONDITIONS[condition], seed)[0] for seed in STARTS]

    def test_quasi_velocities_stop_at_the_promised_time_from_every_start(self):
        row = 2 * self.robot.settle / 400
        for result in self.results("Control 8.1"):
            self.assertAlmostEqual(result["stop_s"], self.robot.settle / 2, delta=row)
        dampers = [result["stop_s"] for result in self.results("joint dampers")]
        self.assertGreater(max(dampers) - min(dampers), 5 * row)

    def test_without_a_place_to_return_to_a_wrong_payload_makes_it_creep(self):
        condition = "payload assumed 70 %"
        left = {name: max(r["drift_mm_s"] for r in self.results(name, condition)) for name in laws.BRAKING}
        for name in ("Control 8.1", "computed torque", "joint dampers"):
            self.assertGreater(left[name], 5 * left["LQR"], name)
            self.assertFalse(any(result["stopped"] for result in self.results(name, condition)), name)
        self.assertTrue(all(result["stopped"] for result in self.results("LQR", condition)))


class Page(unittest.TestCase):
    def test_its_tables_are_those_of_the_runs(self):
        page = (STUDIES / "control.md").read_text()
        self.assertEqual(control.with_tables(page), page)


if __name__ == "__main__":
    unittest.main()
