"""The paper's algorithms for linearized forward dynamics, each by its name."""
from support import *


class Methods(TestCase):
    def test_all_say_the_same(self):
        for robot, methods in {"arm7": "3 4 5 6 6T", "quadruped": "3 4 5 6T"}.items():
            model = catena.load(robot)
            arguments = inputs(model, "linearize_forward", 4)
            expected = model.linearize_forward(*arguments)
            loose = 100 * max(tolerance_of(model, q) for q in arguments[0])
            for method in methods.split():
                with self.subTest(robot=robot, method=method):
                    many = model.linearize_forward(*arguments, method=method)
                    one = model.linearize_forward(*(x[2] for x in arguments), method=method)
                    for k, part in enumerate(parts(many)):
                        self.assertClose(part, parts(expected)[k], loose)
                        self.assertClose(parts(one)[k], part[2], loose)

    def test_those_that_do_not_exist_are_refused(self):
        quadruped = catena.load("quadruped")
        arguments = inputs(quadruped, "linearize_forward")
        with self.assertRaisesRegex(ValueError, "use Algorithm 6T"):
            quadruped.linearize_forward(*arguments, method="6")
        with self.assertRaisesRegex(ValueError, "auto, 3, 4, 5, 6 or 6T"):
            quadruped.linearize_forward(*arguments, method="seven")


if __name__ == "__main__":
    unittest.main()
