"""Whatever is wrong is said, with the name of what is wrong, and never a crash."""
import os
import tempfile

from support import *


def callables(model, function):
    return {"plain": getattr(model, function), "compiled": model.compile(function), "batch": model.batch(function)}


class Arguments(TestCase):
    def setUp(self):
        self.arm = catena.load("arm7")
        self.zero = np.zeros(7)

    def refuses(self, error, *words):
        """A context in which every callable of forward must raise the error with all the words in it."""
        test = self

        class Refusal:
            def __call__(self, *arguments, **named):
                for way, f in callables(test.arm, "forward").items():
                    with test.subTest(way=way, words=words):
                        with test.assertRaises(error) as caught:
                            f(*arguments, **named)
                        for word in words:
                            test.assertIn(word, str(caught.exception))
        return Refusal()

    def test_shapes(self):
        z = self.zero
        self.refuses(ValueError, "q", "(6,)", "(7,)", "(B, 7)")(np.zeros(6), z, z)
        self.refuses(ValueError, "tau", "(3, 8)")(z, z, np.zeros((3, 8)))
        self.refuses(ValueError, "v", "(2, 2, 7)")(z, np.zeros((2, 2, 7)), z)
        self.refuses(ValueError, "v", "()")(z, 0.0, z)
        self.refuses(ValueError, "tau has 4 states", "3")(np.zeros((3, 7)), z, np.zeros((4, 7)))

    def test_what_is_no_number(self):
        z = self.zero
        self.refuses(ValueError, "v", "<U1")(z, ["a"] * 7, z)
        self.refuses(ValueError, "v", "<U1")(z, ["1"] * 7, z)
        self.refuses(ValueError, "tau", "complex")(z, z, z * 1j)
        self.refuses(ValueError, "q")([[1, 2], [3]], z, z)
        self.refuses(ValueError, "q", "object")(None, z, z)
        self.refuses(ValueError, "q", "object")({"joint1": 1}, z, z)

    def test_what_is_not_finite(self):
        for bad, word in ((np.nan, "not a number"), (np.inf, "infinite")):
            x = self.zero.copy()
            x[2] = bad
            z = self.zero
            self.refuses(ValueError, "q", word, "entry 2")(x, z, z)
            self.refuses(ValueError, "v", word, "entry 2")(z, x, z)
            self.refuses(ValueError, "tau", word, "entry 2")(z, z, x)
            many = np.zeros((9, 7))
            many[6] = x
            self.refuses(ValueError, "state 6", "v", word)(z, many, z)

    def test_quaternions(self):
        model = catena.load("quadruped")
        q, v, tau = inputs(model, "forward")
        q[3:7] *= 1.1
        for way, f in callables(model, "forward").items():
            with self.subTest(way), self.assertRaisesRegex(ValueError, "quaternion.*length 1.1"):
                f(q, v, tau)
            with self.subTest(way), self.assertRaisesRegex(ValueError, "state 0.*quaternion.*length 1.1"):
                f(q[None], v, tau)

    def test_missing_and_surplus(self):
        z = self.zero
        self.refuses(TypeError, "q, v, tau", "tau is missing")(z, z)
        self.refuses(TypeError, "3 arguments, not 4")(z, z, z, z)
        self.refuses(TypeError, "a is none of them")(z, z, a=z)
        self.refuses(TypeError, "q was given twice")(z, z, z, q=z)

    def test_places_for_results(self):
        z, a = self.zero, np.zeros(7)
        self.refuses(ValueError, "out", "a", "(3,)", "(7,)")(z, z, z, out=np.zeros(3))
        self.refuses(ValueError, "out", "a", "float64")(z, z, z, out=np.zeros(7, "f4"))
        self.refuses(ValueError, "out", "a", "float64")(z, z, z, out="here")
        self.refuses(ValueError, "out must be a tuple", "for each of a")(z, z, z, out=(a, a))
        a.flags.writeable = False
        self.refuses(ValueError, "out", "read-only")(z, z, z, out=a)
        f = self.arm.compile("linearize_forward")
        with self.assertRaisesRegex(ValueError, "out must be a tuple.*a, M_inv, A_C, B_C"):
            f(z, z, z, out=np.zeros(7))


class Names(TestCase):
    def setUp(self):
        self.arm = catena.load("arm7")

    def test_functions(self):
        for make in (self.arm.compile, self.arm.batch):
            with self.assertRaises(ValueError) as caught:
                make("fly")
            for name in catena.functions():
                self.assertIn(name, str(caught.exception))
        with self.assertRaisesRegex(AttributeError, "fly"):
            self.arm.compile().fly

    def test_outputs(self):
        for make in (self.arm.compile, self.arm.batch):
            with self.assertRaisesRegex(ValueError, "M, A_D, B_D"):
                make("linearize_inverse", outputs=["A_C"])
        with self.assertRaisesRegex(ValueError, "name it"):
            self.arm.compile(outputs=["A_C"])

    def test_frames_and_axes(self):
        q = self.arm.neutral_configuration()
        for call in (self.arm.pose, self.arm.jacobian):
            with self.assertRaisesRegex(ValueError, "nothing"):
                call("nothing", q)
        with self.assertRaisesRegex(ValueError, "aligned.*body.*world.*'inner'"):
            self.arm.jacobian(self.arm.frames[0], q, "inner")
        with self.assertRaisesRegex(ValueError, r"q has the shape \(6,\)"):
            self.arm.pose(self.arm.frames[0], q[:6])
        with self.assertRaisesRegex(ValueError, "q is not a number"):
            self.arm.pose(self.arm.frames[0], q * np.nan)

    def test_options(self):
        with self.assertRaisesRegex(ValueError, "way is 'automatic', 'lanes', 'compiled' or 'plain', not 'fast'"):
            self.arm.batch("forward", way="fast")
        with self.assertRaisesRegex(ValueError, "at least one thread"):
            self.arm.batch("forward", threads=0)
        with self.assertRaises(ValueError):
            self.arm.batch("forward", way="lanes", lanes=3)
        with self.assertRaisesRegex(ValueError, "negative"):
            self.arm.random_configuration(1, -1)


class Robots(TestCase):
    def test_no_such_robot(self):
        with self.assertRaises(catena.ModelError) as caught:
            catena.load("no_such_robot.urdf")
        self.assertIsInstance(caught.exception, ValueError)
        self.assertIn("no_such_robot.urdf", str(caught.exception))
        self.assertGreaterEqual(len(caught.exception.findings), 1)

    def test_a_broken_file_is_told_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "broken.toml")
            with open(file, "w") as out:
                out.write('name = "broken"\n[[body]]\nname = "link"\njoint = "revolute"\nmass = -1\ncom = [0, 0, 0]\n'
                          'inertia = [1, 1, 1]\n')
            with self.assertRaises(catena.ModelError) as caught:
                catena.load(file)
        self.assertIn("broken.toml", str(caught.exception))
        self.assertIn("mass", " ".join(caught.exception.findings))

    def test_models_are_not_made_by_hand(self):
        for kind in (catena.Model, catena.CompiledFunction, catena.Batch, catena.Rollout):
            with self.assertRaises(TypeError):
                kind()


if __name__ == "__main__":
    unittest.main()
