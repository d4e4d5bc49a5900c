"""Linearized dynamics beyond the matrices: state space, directions, regressors, sensitivities, curvature."""
import pickle

from support import *

STEP = 1e-5


def states(robots=ROBOTS):
    for robot in robots:
        model = catena.load(robot)
        yield model, *inputs(model, "forward")


def joint_terms(model):
    return [name for name in model.parameters
            if name.rpartition(".")[2] in ("armature", "damping", "friction", "stiffness")]


def slope(f, step=STEP):
    """The central difference of f at zero."""
    return (f(step) - f(-step)) / (2 * step)


class StateSpaces(TestCase):
    def test_has_the_blocks_of_linearized_forward_dynamics(self):
        for model, q, v, tau in states(["arm7", "stanford_arm"]):
            n, zero = model.nv, np.zeros((model.nv, model.nv))
            at, (A, B) = model.linearize_forward(q, v, tau), model.state_space(q, v, tau)
            with self.subTest(model.name):
                self.assertSameBits(A, np.block([[zero, np.eye(n)], [-at.B_C, -at.A_C]]))
                self.assertSameBits(B, np.vstack([zero, at.M_inv]))

    def test_tells_how_neighbouring_motions_part(self):
        model = catena.load("quadruped")  # its free joint's v carries dq along
        q, v, tau = inputs(model, "forward")
        n, step = model.nv, 1e-4
        A = model.state_space(q, v, tau).A
        x = np.concatenate([model.random_vector(7), model.random_vector(8)])
        size = 1e-4

        def apart(t):  # dq after t, between the motion through (q, v) and the ones beside it; second order in t
            def after(s):
                q_s, v_s = model.integrate(q, s * size * x[:n]), v + s * size * x[n:]
                return model.integrate(q_s, t * v_s)
            middle = model.integrate(q, t * v)
            return (model.difference(middle, after(1)) - model.difference(middle, after(-1))) / (2 * size)

        self.assertClose((A @ x)[:n], slope(apart, step), 1e-6)
        self.assertGreater(relative_error((A @ x)[:n], x[n:]), 1e-2)

    def test_sampling_is_exact_for_held_inputs(self):
        arm = catena.load("arm7")
        A, B = arm.state_space(*inputs(arm, "forward"))
        whole = catena.discretize(A, B, 1e-3)
        half = catena.discretize(A, B, 5e-4)
        self.assertClose(half.A @ half.A, whole.A)
        self.assertClose(half.A @ half.B + half.B, whole.B)
        self.assertClose(slope(lambda h: catena.discretize(A, B, 1e-3 + h).A, 1e-6), A @ whole.A, 1e-6)
        self.assertClose(catena.discretize([[0, 1], [0, 0]], [[0], [1]], 0.5).B, [[0.125], [0.5]])
        still = catena.discretize(np.zeros((0, 0)), np.zeros((0, 2)), 1)
        self.assertEqual((still.A.shape, still.B.shape), ((0, 0), (0, 2)))

    def test_bad_systems_are_refused(self):
        A, B = np.zeros((4, 4)), np.zeros((4, 2))
        for words, given in {
            r"A has the shape \(4, 2\).*square": (B, B, 1), r"B has the shape \(2, 4\).*\(4, inputs\)": (A, B.T, 1),
            r"A has the shape \(3, 4, 4\).*one system": (np.zeros((3, 4, 4)), B, 1),
            r"B has the shape \(4,\)": (A, A[0], 1),
            "A is not a number at row 0, column 0": (A * np.nan, B, 1), "B is infinite": (A, B + np.inf, 1),
            "step must be positive": (A, B, 0), "step must be positive and finite": (A, B, np.inf),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                catena.discretize(*given)
        for far in (A + 1e300, A + 1e6):
            with self.assertRaisesRegex(catena.NumericalError, "overflows"):
                catena.discretize(far, B, 1e10)


class Directions(TestCase):
    def test_they_are_products_with_the_matrices(self):
        for model, q, v, tau in states():
            dq, dv, d = (model.random_vector(k) for k in (11, 12, 13))
            loose = 100 * tolerance_of(model, q)
            with self.subTest(model.name):
                at = model.linearize_inverse(q, v, tau)
                self.assertClose(model.inverse_jvp(q, v, tau, dq, dv, d), at.M @ d + at.A_D @ dv + at.B_D @ dq)
                at = model.linearize_forward(q, v, tau)
                expected = at.M_inv @ d - at.A_C @ dv - at.B_C @ dq
                self.assertClose(model.forward_jvp(q, v, tau, dq, dv, d), expected, loose)
                for method in ("auto", "3") if model.name == "joints" else ("auto", "3", "5"):  # it has mimic joints
                    self.assertClose(model.forward_jvp(q, v, tau, dq, dv, d, method=method), expected, loose)

    def test_they_are_derivatives(self):
        for model, q, v, tau in states():
            dq, dv, d = (model.random_vector(k) for k in (11, 12, 13))

            def moved(f):
                return slope(lambda s: f(model.integrate(q, s * dq), v + s * dv, tau + s * d))
            with self.subTest(model.name):
                self.assertClose(model.inverse_jvp(q, v, tau, dq, dv, d), moved(model.inverse), 1e-6)
                self.assertClose(model.forward_jvp(q, v, tau, dq, dv, d), moved(model.forward), 1e-5)

    def test_many_states(self):
        arm = catena.load("arm7")
        Q, V, TAU = inputs(arm, "forward", 3)
        d = arm.random_vector(5)
        many, A = arm.forward_jvp(Q, V, TAU, d, d, d), arm.state_space(Q, V, TAU).A
        self.assertEqual((many.shape, A.shape), ((3, 7), (3, 14, 14)))
        self.assertSameBits(many[2], arm.forward_jvp(Q[2], V[2], TAU[2], d, d, d))
        self.assertSameBits(A[2], arm.state_space(Q[2], V[2], TAU[2]).A)

    def test_bad_input_is_refused_by_name(self):
        arm, z = catena.load("arm7"), np.zeros(7)
        bad = np.full(7, np.nan)
        for words, call in {
            "of one direction use 3 or 5": lambda: arm.forward_jvp(z, z, z, z, z, z, method="6"),
            "'seven'": lambda: arm.forward_jvp(z, z, z, z, z, z, method="seven"),
            r"dq has the shape \(3,\)": lambda: arm.inverse_jvp(z, z, z, z[:3], z, z),
            "da is not a number": lambda: arm.inverse_jvp(z, z, z, z, z, bad),
            "dtau is not a number": lambda: arm.forward_jvp(z, z, z, z, z, bad),
            "v is not a number": lambda: arm.state_space(z, bad, z),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()


class Regressors(TestCase):
    def test_joint_forces_are_linear_in_the_inertial_parameters(self):
        for robot in ROBOTS:
            model = catena.load(robot)
            q, v, a = inputs(model, "inverse")
            Y = model.joint_torque_regressor(q, v, a)
            pi, names = model.inertial_parameters, model.inertial_parameter_names
            bare = model.with_parameters(dict.fromkeys(joint_terms(model), 0))
            with self.subTest(robot):
                self.assertEqual((Y.shape, pi.shape), ((model.nv, len(names)), (len(names),)))
                self.assertClose(Y @ pi, bare.inverse(q, v, a), 1e-11)
                body = names[-10].rpartition(".")[0]
                self.assertEqual(names[-10:], [f"{body}.{part}" for part in (
                    "m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")])

    def test_a_payload_at_a_body_has_the_columns_of_the_body(self):
        arm = catena.load("arm7")
        q, v, a = inputs(arm, "inverse")
        Y, names = arm.joint_torque_regressor(q, v, a), arm.inertial_parameter_names
        for frame in {name.rpartition(".")[0] for name in names}:
            first = names.index(frame + ".m")
            self.assertSameBits(arm.payload_regressor(frame, q, v, a), Y[:, first:first + 10])
        Q, V, A = inputs(arm, "inverse", 3)
        self.assertSameBits(arm.payload_regressor(arm.tip_frame, Q, V, A)[1],
                            arm.payload_regressor(arm.tip_frame, Q[1], V[1], A[1]))

    def test_base_parameters_say_all_that_joint_forces_can(self):
        arm = catena.load("puma560")
        base = arm.base_parameters()
        self.assertEqual((base.rank, base.combination.shape), (36, (36, len(arm.inertial_parameters))))
        self.assertClose(base.combination[:, base.independent], np.eye(36), 1e-10)
        self.assertGreater(base.last_kept, 1e3 * base.first_dropped)
        q, v, a = inputs(arm, "inverse", seed=77)
        Y = arm.joint_torque_regressor(q, v, a)
        self.assertClose(Y[:, base.independent] @ base.combination, Y, 1e-10)
        self.assertEqual(arm.base_parameters(seed=5).rank, 36)

    def test_bad_input_is_refused_by_name(self):
        arm, z = catena.load("arm7"), np.zeros(7)
        for words, call in {
            "nobody": lambda: arm.payload_regressor("nobody", z, z, z),
            r"a has the shape \(8,\)": lambda: arm.joint_torque_regressor(z, z, np.zeros(8)),
            "v is infinite": lambda: arm.payload_regressor(arm.tip_frame, z, z + np.inf, z),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()


class Sensitivities(TestCase):
    KINDS = ["inertia", "placement", "body_pose", "armature", "damping", "friction", "friction_scale", "stiffness",
             "rest", "gravity"]

    def test_they_are_derivatives_by_the_named_numbers(self):
        compared = set()
        for robot in ("arm7", "quadruped"):
            model = catena.load(robot)
            model = model.with_parameters(dict.fromkeys(joint_terms(model), 0.5))
            q, v, a = inputs(model, "inverse")
            tau = model.inverse(q, v, a)
            for kind in ("armature", "damping", "friction", "stiffness", "gravity"):
                inverse, forward = (getattr(model, f"{way}_sensitivity")(kind, q, v, x)
                                    for way, x in (("inverse", a), ("forward", tau)))
                self.assertEqual(inverse.names, forward.names)
                for c, name in list(enumerate(inverse.names))[:4]:
                    value = model.parameters.get(name)
                    if value is None:
                        continue  # of a free joint

                    def changed(s, name=name, value=value):
                        return model.with_parameters({name: value + s})
                    compared.add(kind)
                    with self.subTest(robot=robot, name=name):
                        self.assertClose(inverse.derivative[:, c],
                                         slope(lambda s: changed(s).inverse(q, v, a), 1e-3), 1e-7)
                        self.assertClose(forward.derivative[:, c],
                                         slope(lambda s: changed(s).forward(q, v, tau), 1e-3), 1e-5)
        self.assertEqual(compared, {"armature", "damping", "friction", "stiffness", "gravity"})

    def test_forward_ones_are_inverse_ones_behind_the_mass_matrix(self):
        for model, q, v, tau in states():
            a, M = model.forward(q, v, tau), model.mass_matrix(q)
            for kind in self.KINDS:
                with self.subTest(robot=model.name, kind=kind):
                    inverse = model.inverse_sensitivity(kind, q, v, a)
                    forward = model.forward_sensitivity(kind, q, v, tau)
                    self.assertEqual(inverse.names, forward.names)
                    self.assertEqual(inverse.derivative.shape, (model.nv, len(inverse.names)))
                    self.assertClose(M @ forward.derivative, -inverse.derivative, 100 * tolerance_of(model, q))

    def test_of_the_inertia_they_are_the_regressor(self):
        arm = catena.load("arm7")
        q, v, a = inputs(arm, "inverse")
        names, derivative = result = arm.inverse_sensitivity("inertia", q, v, a)
        self.assertEqual(names, arm.inertial_parameter_names)
        self.assertSameBits(derivative, arm.joint_torque_regressor(q, v, a))
        self.assertEqual(pickle.loads(pickle.dumps(result)).names, names)

    def test_of_gravity_they_give_its_forces_back(self):
        arm = catena.load("arm7")
        q, v, a = inputs(arm, "inverse")
        names, derivative = arm.inverse_sensitivity("gravity", q, v, a)
        self.assertEqual(names, ["gravity.x", "gravity.y", "gravity.z"])
        self.assertClose(derivative @ arm.gravity_vector, arm.gravity(q))  # gravity's forces are linear in it

    def test_bad_input_is_refused_by_name(self):
        arm, z = catena.load("arm7"), np.zeros(7)
        many = np.zeros((3, 7))
        for words, call in {
            "'dampng'.*damping": lambda: arm.inverse_sensitivity("dampng", z, z, z),
            "'color'.*inertia.*stiffness": lambda: arm.forward_sensitivity("color", z, z, z),
            r"q has the shape \(3, 7\); arm7 needs \(7,\): inverse_sensitivity takes one state at a time":
                lambda: arm.inverse_sensitivity("damping", many, z, z),
            r"tau has the shape \(3, 7\).*one state": lambda: arm.forward_sensitivity("damping", z, z, many),
            r"v has the shape \(6,\)": lambda: arm.inverse_sensitivity("gravity", z, z[1:], z),
            "a is not a number": lambda: arm.inverse_sensitivity("damping", z, z, z * np.nan),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()


class Curvatures(TestCase):
    def test_christoffel_symbols_are_derivatives_of_the_mass_matrix(self):
        arm = catena.load("planar_3r")
        q, v = arm.random_configuration(1), arm.random_vector(2)
        first, second = arm.christoffel_symbols(q)
        dM = np.stack([slope(lambda s: arm.mass_matrix(q + s * e)) for e in np.eye(3)])  # dM[k] = d_k M
        expected = np.array([[[(dM[j][i, k] + dM[i][j, k] - dM[k][i, j]) / 2 for j in range(3)] for i in range(3)]
                             for k in range(3)])
        self.assertClose(first, expected, 1e-8)
        self.assertClose(np.einsum("lk,kij->lij", arm.mass_matrix_inverse(q), first), second, 1e-10)
        self.assertClose(np.einsum("kij,i,j->k", first, v, v), arm.coriolis(q, v), 1e-10)

    def test_the_tensor_has_its_symmetries(self):
        arm = catena.load("chain:5")
        found = arm.curvature(arm.random_configuration(1))
        R = found.tensor()
        self.assertEqual((len(found.values), R.shape), (25 * 24 // 12, (5,) * 4))
        self.assertSameBits(R, -R.transpose(1, 0, 2, 3))
        self.assertSameBits(R, R.transpose(2, 3, 0, 1))
        cyclic = R + R.transpose(0, 3, 1, 2) + R.transpose(0, 2, 3, 1)
        self.assertLessEqual(np.abs(cyclic).max(), 1e-14 * np.abs(R).max())
        for (h, i, j, k), value in zip(found.indices, found.values):
            self.assertEqual(R[h, i, j, k], value)
        self.assertGreater(np.abs(R).max(), 1e3 * found.bounds.max())
        self.assertFalse(found.flat)

    def test_sectional_curvature_is_the_tensor_on_planes(self):
        arm = catena.load("planar_3r")
        q = arm.random_configuration(3)
        M, R = arm.mass_matrix(q), arm.curvature(q).tensor()
        found = arm.sectional_curvature(q)
        self.assertClose(found.planes[0, 2], R[0, 2, 0, 2] / (M[0, 0] * M[2, 2] - M[0, 2] ** 2), 1e-10)
        inverse = np.linalg.inv(M)
        self.assertClose(found.scalar, np.einsum("hijk,hj,ik->", R, inverse, inverse), 1e-8)
        K = found.planes[np.triu_indices(3, 1)]
        self.assertTrue(found.lowest - 1e-9 <= K.min() <= K.max() <= found.highest + 1e-9)

    def test_flatness(self):
        arm = catena.load("planar_3r").flatness(samples=3, seed=4)
        self.assertEqual((arm.flat, arm.samples, arm.q.shape, arm.curvature.flat), (False, 3, (3,), False))
        self.assertTrue(catena.load("gantry").flatness().flat)  # its mass matrix is constant

    def test_flat_coordinates_have_the_metric_of_the_mass_matrix(self):
        gantry = catena.load("gantry")
        q, q0, v = gantry.random_configuration(1), gantry.random_configuration(2), gantry.random_vector(3)
        found = gantry.flat_coordinates(q, q0)
        self.assertClose(found.J.T @ found.J, gantry.mass_matrix(q), 1e-12)
        self.assertClose(found.J @ v, found.Q @ gantry.nu(q, v), 1e-12)
        self.assertClose(found.theta, found.J @ (q - q0), 1e-12)  # M is constant
        self.assertLessEqual(max(found.metric_error, found.path_error), 1e-13)
        self.assertClose(gantry.flat_coordinates(q).theta,
                         gantry.flat_coordinates(q, gantry.neutral_configuration()).theta, 0)
        with self.assertRaisesRegex(catena.NumericalError, "joints joint. and joint. have the largest curvature"):
            catena.load("planar_3r").flat_coordinates(np.ones(3))

    def test_pair_curvature_is_the_norm_of_the_tensor_over_the_range(self):
        arm = catena.load("planar_3r")
        found = arm.pair_curvature(1, seed=5)
        q = arm.random_configuration(5)
        inverse, R = np.linalg.inv(arm.mass_matrix(q)), arm.curvature(q).tensor()
        squares = np.einsum("hiab,hicd,ac,bd->hi", R, R, inverse, inverse) / 2
        self.assertClose(found.mean, np.sqrt(squares) * np.outer(found.range, found.range), 1e-10)
        self.assertSameBits(found.mean, found.largest)
        self.assertFalse(catena.load("gantry").pair_curvature().largest.any())

    def test_bad_input_is_refused_by_name(self):
        arm, free = catena.load("arm7"), catena.load("quadruped")
        for words, call in {
            r"q has the shape \(2, 7\); arm7 needs \(7,\): curvature takes one state":
                lambda: arm.curvature(np.zeros((2, 7))),
            r"q has the shape \(3,\)": lambda: arm.sectional_curvature(np.zeros(3)),
            "q is not a number": lambda: arm.christoffel_symbols(np.full(7, np.nan)),
            "v = dq/dt": lambda: free.curvature(free.neutral_configuration()),
            "v = dq/dt; joint": lambda: free.flatness(),
            "at least one sample": lambda: arm.flatness(0),
            "needs at least one sample": lambda: arm.pair_curvature(0),
            r"flat_coordinates takes one state": lambda: arm.flat_coordinates(np.zeros((2, 7))),
        }.items():
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()


if __name__ == "__main__":
    unittest.main()
