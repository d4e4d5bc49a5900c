"""The papers' operators as arrays: identities of each paper, products in NumPy and in the papers' notation."""
from support import *


class Operators(TestCase):
    def state(self, robot):
        model = catena.load(robot)
        q, v = (x[0] for x in inputs(model, "bias", 1))
        return model, q, v

    def test_products_are_numpys(self):
        model, q, v = self.state("arm7")
        o = model.operators(q, v)
        M = model.mass_matrix(q)
        self.assertClose(o.U @ o.D @ o.U.T, M, 1e-12)
        self.assertClose(o.H @ o.Phi @ o["soa.M"] @ o.Phi.T @ o.H.T + o.J, M, 1e-12)
        self.assertClose(o.V, o.Phi.T @ o.H.T @ v, 1e-12)
        self.assertEqual(o.V.shape, (42,))
        self.assertIn("soa.Phi", o.names)
        self.assertIn("Phi", dir(o))

    def test_expressions_are_the_papers(self):
        model, q, v = self.state("arm7")
        o = model.operators(q, v)
        self.assertLess(abs(o.evaluate("(1+H*Phi*K)*D*(1+H*Phi*K)^T - M")).max(), 1e-12 * abs(o.M).max())
        self.assertAlmostEqual(o.evaluate("0.5*v'*M*v"), 0.5 * v @ o.M @ v)

    def test_linearized_dynamics(self):
        model, q, v = self.state("puma560")
        a = 0.3 * v - 0.1
        o = model.operators(q, v, a)
        B_C = model.linearize_forward(q, v, model.inverse(q, v, a)).B_C
        self.assertClose(o.B_C, B_C, 1e-9)
        self.assertClose(o.evaluate("M_inv*B_D"), B_C, 1e-9)
        self.assertGreater(abs(model.operators(q, v).B_C - B_C).max(), 1e-3)

    def test_families(self):
        model, q, v = self.state("stanford_arm")
        noc, denoc = model.noc(q, v), model.denoc(q, v)
        self.assertLess(abs(noc.K @ noc.T).max(), 1e-13)
        self.assertClose(denoc.N_l @ denoc.N_d, noc.T, 1e-12)
        self.assertClose(denoc.I, model.mass_matrix(q), 1e-12)
        self.assertEqual(noc.names[0], "K")
        self.assertLess(abs(noc.evaluate("K*T")).max(), 1e-13)
        self.assertFalse(hasattr(noc, "U"))
        self.assertTrue(np.isfinite(denoc["noc.K"]).all())

    def test_what_does_not_exist_is_said(self):
        model, q, v = self.state("quadruped")
        o = model.operators(q)
        with self.assertRaisesRegex(AttributeError, "no operator is called 'Fi'"):
            o.Fi
        with self.assertRaisesRegex(KeyError, "no operator is called"):
            o["Fi"]
        with self.assertRaisesRegex(ValueError, "does not parse"):
            o.evaluate("M +")
        with self.assertRaisesRegex(ValueError, "sizes do not fit"):
            o.evaluate("H*D")
        joints, q_joints, v_joints = self.state("joints")  # it has a mimic joint
        with self.assertRaisesRegex(AttributeError, "does not exist for"):
            joints.noc(q_joints, v_joints).T
        with self.assertRaisesRegex(ValueError, "does not exist for"):
            joints.noc(q_joints, v_joints)["T"]
        with self.assertRaisesRegex(catena.NumericalError, "overflow"):
            o.evaluate("1e200*1e200*M")
        with self.assertRaisesRegex(ValueError, "one state at a time"):
            model.operators(np.stack([q, q]))


if __name__ == "__main__":
    unittest.main()
