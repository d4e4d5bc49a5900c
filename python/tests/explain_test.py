"""The papers' interpretations: each split adds up to its whole."""
from support import *


class Explain(TestCase):
    def test_the_parts_add_up(self):
        for robot in ("planar_3r", "arm7", "quadruped"):
            model = catena.load(robot)
            q, v, tau = (x[0] for x in inputs(model, "forward", 1))
            with self.subTest(robot=robot):
                x, terms = model.explain_diagonal(q, v, tau), model.diagonal_terms(q, v, tau)
                self.assertClose(x["own_rate"] + x["carried_rate"], terms.xi, 1e-11)
                self.assertClose(x["kappa"] + x["passed_on"], tau, 1e-11)
                for name, whole in ("C_xi", terms.C_xi), ("C_nu", terms.C_nu):
                    self.assertClose(sum(x[name].values()), whole, 1e-10)
                self.assertClose(x["c_nu"], -x["c_nu"].T, 1e-10)
                self.assertAlmostEqual(x["reduced"]["energy"].sum(), 0.5 * terms.nu @ terms.nu)
                y = model.explain_torque(q, v, tau)
                parts = sum(y[name].sum(axis=1) for name in ("by_acceleration", "by_bias_acceleration", "by_bias_force",
                                                             "by_weight"))
                self.assertClose(parts + y["joint_terms"], model.inverse(q, v, tau), 1e-10)

    def test_rows_of_coefficients_and_inertias_at_joints(self):
        model = catena.load("arm7")
        q, v, tau = (x[0] for x in inputs(model, "forward", 1))
        x = model.explain_diagonal(q, v, tau)
        row = model.explain_coefficients(q, v, model.velocity_names[2])
        for table in "c_nu", "c_xi":
            self.assertClose(row[table].sum(axis=0), x[table][2], 1e-11)
        with self.assertRaisesRegex(ValueError, "no velocity component"):
            model.explain_coefficients(q, v, "elbows")
        at = model.inertias_at_joints(q)
        self.assertEqual(len(at), 7)
        for joint in at.values():
            self.assertGreater(np.linalg.eigvalsh(joint["articulated"])[0], 0)
            self.assertGreater(np.linalg.eigvalsh(joint["composite"] - joint["articulated"])[0], -1e-12)

    def test_one_state_at_a_time(self):
        model = catena.load("arm7")
        q, v, tau = inputs(model, "forward", 2)
        with self.assertRaisesRegex(ValueError, "one state at a time"):
            model.explain_diagonal(q, v, tau)


if __name__ == "__main__":
    unittest.main()
