"""PyTorch: values and gradients, where Debian's python3-torch is installed."""
from support import *

try:
    import torch
except ImportError:
    torch = None


@unittest.skipUnless(torch, "Debian's python3-torch is not installed")
class Torch(TestCase):
    def test_values_and_gradients(self):
        import catena.torch
        arm = catena.load("arm7")
        for function, plain_function in ((catena.torch.inverse, arm.inverse), (catena.torch.forward, arm.forward)):
            for count in (None, 3):
                state = [torch.from_numpy(x).requires_grad_() for x in (
                    arm.random_configuration(1, count), arm.random_vector(2, count), arm.random_vector(3, count))]
                self.assertSameBits(function(arm, *state).detach().numpy(),
                                    plain_function(*[x.detach().numpy() for x in state]))
                self.assertTrue(torch.autograd.gradcheck(lambda *x: function(arm, *x), state, atol=1e-4, rtol=1e-4))
        with self.assertRaisesRegex(ValueError, "float64"):
            catena.torch.inverse(arm, torch.zeros(7), torch.zeros(7), torch.zeros(7))
        with self.assertRaisesRegex(ValueError, "quaternions"):
            robot = catena.load("quadruped")
            catena.torch.inverse(robot, *[torch.zeros(1, dtype=torch.float64)] * 3)


if __name__ == "__main__":
    unittest.main()
