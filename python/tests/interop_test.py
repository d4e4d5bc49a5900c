"""The numbers mean to other libraries what they meant here: their rates of q follow from their v."""
from catena import interop
from support import *


def product(a, b):
    """Of quaternions (x, y, z, w)."""
    v = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(v, a[3] * b[3] - a[:3] @ b[:3])


def robot():
    """A floating tree with every joint that others know, the branches not in the order of their names."""
    out = catena.Robot("tree")
    body = dict(mass=1, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    out.add_body("base", joint="free", joint_name="root", **body)
    out.add_body("b", parent="base", joint="revolute", joint_name="z_hinge", axis=(0, 1, 0), **body)
    out.add_body("c", parent="b", joint="continuous", joint_name="wheel", **body)
    out.add_body("d", parent="base", joint="prismatic", joint_name="a_slide", **body)
    return out


class Interop(TestCase):
    def rates(self, library, model, q, v, names):
        h = 1e-6
        ahead, behind = (library.to_q(model, model.integrate(q, s * h * v), names=names) for s in (1, -1))
        return (ahead - behind) / (2 * h)

    def check_free(self, library, at, turn, w_at, axes):
        """Position at `at`, (x, y, z) of the quaternion at `turn`, w at `w_at`; axes of the linear and angular velocity."""
        model = robot().build()
        names = ["root", "z_hinge", "wheel", "a_slide"]
        q, v = model.random_configuration(3), model.random_vector(4)
        rates = self.rates(library, model, q, v, names)
        x, u = library.to_q(model, q, names=names), library.to_v(model, q, v, names=names)
        quaternion = np.append(x[turn:turn + 3], x[w_at])
        self.assertClose(quaternion, q[3:7])
        R = interop._rotation(quaternion)
        linear_first = library in (interop.pinocchio, interop.mujoco, interop.rbdl)
        linear, angular = (u[:3], u[3:6]) if linear_first else (u[3:6], u[:3])
        self.assertLess(np.abs(rates[at:at + 3] - (linear if axes[0] == "world" else R @ linear)).max(), 1e-8)
        w = np.append(angular, 0)
        expected = 0.5 * (product(w, quaternion) if axes[1] == "world" else product(quaternion, w))
        self.assertLess(np.abs(np.append(rates[turn:turn + 3], rates[w_at]) - expected).max(), 1e-8)
        # and back
        self.assertClose(model.difference(q, library.from_q(model, x, names=names)) + 1, np.ones(model.nv), 1e-12)
        self.assertClose(library.from_v(model, q, u, names=names), v, 1e-14)
        tau = model.random_vector(5)
        self.assertAlmostEqual(library.to_tau(model, q, tau, names=names) @ u, tau @ v)  # power
        self.assertClose(library.from_tau(model, q, library.to_tau(model, q, tau, names=names), names=names), tau, 1e-14)

    def test_pinocchio(self):
        self.check_free(interop.pinocchio, 0, 3, 6, ("body", "body"))

    def test_mujoco(self):
        self.check_free(interop.mujoco, 0, 4, 3, ("world", "body"))

    def test_drake(self):
        self.check_free(interop.drake, 4, 1, 0, ("world", "world"))

    def test_rbdl(self):
        self.check_free(interop.rbdl, 0, 3, 9, ("world", "body"))

    def test_order_of_the_joints(self):
        model = robot().build()
        q = model.random_configuration(1)
        self.assertEqual(interop.pinocchio.joints(model), ["root", "a_slide", "z_hinge", "wheel"])
        self.assertEqual(interop.mujoco.joints(model), ["root", "z_hinge", "wheel", "a_slide"])
        x = interop.pinocchio.to_q(model, q)
        self.assertClose(x[7:], [q[9], q[7], np.cos(q[8]), np.sin(q[8])])
        named = interop.drake.to_q(model, q, names=["a_slide", "tool_fixed", "root", "wheel", "z_hinge"])
        self.assertEqual(named[0], q[9])
        with self.assertRaisesRegex(ValueError, "branches"):
            interop.drake.to_q(model, q)
        with self.assertRaisesRegex(ValueError, "more than once"):
            interop.mujoco.to_q(model, q, names=["root", "root", "wheel", "z_hinge", "a_slide"])
        with self.assertRaisesRegex(ValueError, "not finite"):
            interop.mujoco.to_v(model, np.full(model.nq, np.nan), np.zeros(model.nv))
        with self.assertRaisesRegex(ValueError, "leaves out a_slide"):
            interop.drake.to_q(model, q, names=["root", "wheel", "z_hinge"])

    def test_many_states(self):
        model = robot().build()
        Q, V = model.random_configuration(1, 5), model.random_vector(2, 5)
        for library in (interop.pinocchio, interop.mujoco):
            X, U = library.to_q(model, Q), library.to_v(model, Q, V)
            for k in range(5):
                self.assertClose(X[k], library.to_q(model, Q[k]))
                self.assertClose(U[k], library.to_v(model, Q[k], V[k]))
            self.assertClose(library.from_v(model, Q, U), V)

    def test_ros(self):
        model = robot().build()
        q = model.random_configuration(1)
        by_name = interop.ros.to_q(model, q)
        self.assertEqual(sorted(by_name), ["a_slide", "wheel", "z_hinge"])
        back = interop.ros.from_q(model, [*by_name, "a camera"], [*by_name.values(), 1.0])
        self.assertClose(back[7:], q[7:])
        with self.assertRaisesRegex(ValueError, "2 names and 1"):
            interop.ros.from_q(model, ["a", "b"], [1.0])

    def test_joints_that_others_do_not_have_are_refused(self):
        model = catena.load("joints")
        with self.assertRaisesRegex(ValueError, "has no such joint"):
            interop.mujoco.to_q(model, model.random_configuration(1))
        with self.assertRaisesRegex(ValueError, "numbers"):
            interop.mujoco.to_q(catena.load("arm7"), [0, 0])


if __name__ == "__main__":
    unittest.main()
