"""Diagonalized dynamics: the factors of M, and the terms of the equations of motion in quasi-velocities."""
import pickle

from support import *


class Factors(TestCase):
    def test_they_are_factors_of_the_mass_matrix(self):
        for robot in ROBOTS:
            model = catena.load(robot)
            q = model.random_configuration(1)
            M, one, loose = model.mass_matrix(q), np.eye(model.nv), tolerance_of(model, q)
            with self.subTest(robot):
                U, D, m, l = factors = model.diagonal_factors(q)
                self.assertClose(U @ D @ U.T, M, loose)
                self.assertClose(m @ m.T, M, loose)
                self.assertClose(l @ m, one, loose)
                self.assertSameBits(np.diag(U), np.ones(model.nv))
                self.assertClose(D, D.T)
                self.assertSameBits(pickle.loads(pickle.dumps(factors)).U, U)

    def test_of_a_chain_u_is_triangular_and_d_diagonal(self):
        arm = catena.load("arm7")
        U, D, m, _ = arm.diagonal_factors(arm.random_configuration(1))
        self.assertSameBits(np.tril(U, -1), np.zeros((7, 7)))
        self.assertGreater(np.abs(np.triu(U, 1)).max(), 0.1)  # rows are told from columns
        self.assertSameBits(D, np.diag(np.diag(D)))
        self.assertClose(m, U @ np.sqrt(D))


class Terms(TestCase):
    def states(self):
        for robot in ROBOTS:
            model = catena.load(robot)
            yield model, *inputs(model, "forward")

    def test_they_satisfy_both_equations_of_motion(self):
        for model, q, v, tau in self.states():
            loose = tolerance_of(model, q)
            with self.subTest(model.name):
                U, D, m, l = model.diagonal_factors(q)
                t = model.diagonal_terms(q, v, tau)
                self.assertClose(t.xi, U.T @ v, loose)
                self.assertClose(t.nu, m.T @ v, loose)
                self.assertClose(U @ t.kappa, tau, loose)
                self.assertClose(t.epsilon, l @ tau, loose)
                self.assertClose(D @ t.xi_dot + t.C_xi + t.G_xi + t.F_xi, t.kappa, 10 * loose)
                self.assertClose(t.nu_dot + t.C_nu + t.G_nu + t.F_nu, t.epsilon, 10 * loose)
                self.assertClose(U @ t.G_xi, model.gravity(q), loose)
                self.assertClose(m @ t.G_nu, model.gravity(q), loose)

    def test_energy_and_power(self):
        for model, q, v, tau in self.states():
            loose = tolerance_of(model, q)
            with self.subTest(model.name):
                t = model.diagonal_terms(q, v, tau)
                self.assertClose(t.nu @ t.nu, v @ model.mass_matrix(q) @ v, loose)
                self.assertClose(t.nu @ t.epsilon, v @ tau, 100 * loose)
                size = np.abs(t.nu) @ np.abs(t.C_nu)
                self.assertLessEqual(abs(t.nu @ t.C_nu), loose * size)  # Coriolis forces do no work

    def test_rates_are_those_of_the_motion(self):
        for model, q, v, tau in self.states():
            a, step = model.forward(q, v, tau), 1e-6
            ahead, behind = ((model.integrate(q, s * v + s * s / 2 * a), v + s * a) for s in (step, -step))
            with self.subTest(model.name):
                t = model.diagonal_terms(q, v, tau)
                self.assertClose(t.nu_dot, (model.nu(*ahead) - model.nu(*behind)) / (2 * step), 1e-6)
                self.assertClose(t.xi_dot, (model.xi(*ahead) - model.xi(*behind)) / (2 * step), 1e-6)

    def test_they_agree_with_the_functions_of_the_same_names(self):
        for model, q, v, tau in self.states():
            loose = tolerance_of(model, q)
            with self.subTest(model.name):
                t = model.diagonal_terms(q, v, tau)
                self.assertClose(t.nu, model.nu(q, v), loose)
                self.assertClose(t.kappa, model.kappa(q, tau), loose)
                self.assertClose(t.nu_dot, model.forward_nu(q, t.nu, tau).nu_dot, 10 * loose)

    def test_many_states(self):
        arm = catena.load("arm7")
        Q, V, TAU = inputs(arm, "forward", 3)
        many, U = arm.diagonal_terms(Q, V, TAU), arm.diagonal_factors(Q).U
        self.assertEqual((many.xi.shape, U.shape), ((3, 7), (3, 7, 7)))
        for k in range(3):
            for x, y in zip(many, arm.diagonal_terms(Q[k], V[k], TAU[k])):
                self.assertSameBits(x[k], y)
            self.assertSameBits(U[k], arm.diagonal_factors(Q[k]).U)


class BadInput(TestCase):
    def test_is_refused_by_name(self):
        arm, z = catena.load("arm7"), np.zeros(7)
        bad = np.full(7, np.nan)
        for words, call in {
            r"v has the shape \(6,\); arm7 needs \(7,\)": lambda: arm.diagonal_terms(z, z[1:], z),
            "tau is not a number": lambda: arm.diagonal_terms(z, z, bad),
            "q is not a number": lambda: arm.diagonal_factors(bad),
            "q must be an array of real numbers": lambda: arm.diagonal_factors(z * 1j),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()

    def test_leaves_the_robot_usable(self):
        arm, z = catena.load("arm7"), np.zeros(7)
        expected = arm.diagonal_terms(z, z, z)
        with self.assertRaises(ValueError):
            arm.diagonal_terms(z, np.full(7, np.inf), z)
        self.assertSameBits(arm.diagonal_terms(z, z, z).G_nu, expected.G_nu)


if __name__ == "__main__":
    unittest.main()
