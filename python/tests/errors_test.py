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
                    with test.subTest(backend=way, words=words):
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

    def test_what_overflows(self):
        z, fast = self.zero, np.full(7, 1e154)
        self.refuses(ValueError, "v is 1e+154", "shoulder_yaw", "beyond 1e+50")(z, fast, z)
        self.refuses(ValueError, "tau is 1e+154", "shoulder_yaw", "beyond 1e+50")(z, z, fast)
        with self.assertRaisesRegex(ValueError, "v is 1e.154 at shoulder_yaw"):
            self.arm.linearize_forward(z, fast, z)

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
        self.refuses(ValueError, "out", "a", "float64, not float32")(z, z, z, out=np.zeros(7, "f4"))
        self.refuses(ValueError, "out", "a", "float64, not >f8")(z, z, z, out=np.zeros(7, ">f8"))
        self.refuses(ValueError, "out", "a", "float64, not str")(z, z, z, out="here")
        self.refuses(ValueError, "out must be a tuple", "for each of a")(z, z, z, out=(a, a))
        a.flags.writeable = False
        self.refuses(ValueError, "out", "read-only")(z, z, z, out=a)
        f = self.arm.compile("linearize_forward")
        with self.assertRaisesRegex(ValueError, "out must be a tuple.*a, M_inv, A_C, B_C"):
            f(z, z, z, out=np.zeros(7))


    def test_places_that_overlap_themselves(self):
        z, many, memory = self.zero, np.zeros((5, 7)), np.zeros(1000)

        def window(shape, *strides):
            return np.lib.stride_tricks.as_strided(memory[100:], shape, [8 * s for s in strides])

        for strides in ([0], [-0]):
            self.refuses(ValueError, "out", "a", "overlaps itself")(z, z, z, out=window((7,), *strides))
        half = np.lib.stride_tricks.as_strided(memory, (7,), [4])  # half a number further on
        self.refuses(ValueError, "out", "a", "overlaps itself")(z, z, z, out=half)
        for strides in ([0, 1], [1, 0], [1, 1], [6, 1], [-6, 1], [1, 4], [3, 2], [0, 0]):
            self.refuses(ValueError, "out", "a", "overlaps itself")(many, z, z, out=window((5, 7), *strides))
        for strides in ([1, 1], [0, 7], [6, 5], [-1, 2]):
            with self.assertRaisesRegex(ValueError, "out for M overlaps itself"):
                self.arm.mass_matrix(z, out=window((7, 7), *strides))
        # no number twice, though the windows reach into each other
        expected = self.arm.forward(many, z, z)
        for strides in ([1, 5], [-1, 5], [7, 1], [8, -1], [1, 13], [7, 5]):
            for way, f in callables(self.arm, "forward").items():
                with self.subTest(backend=way, strides=strides):
                    out = window((5, 7), *strides)
                    f(many, z, z, out=out)
                    self.assertClose(out, expected)

    def test_places_that_overlap_each_other(self):
        z, memory = self.zero, np.zeros((7, 21))
        M, A, B = memory[:, :7], memory[:, 7:14], memory[:, 14:]  # side by side: no number twice
        for way, f in callables(self.arm, "linearize_inverse").items():
            expected = f(z, z, z)
            with self.subTest(way):
                f(z, z, z, out=(M, A, B))
                for x, y in zip((M, A, B), expected):
                    self.assertSameBits(x, y)
                for out in ((M, M, B), (M, A, M.T), (memory[:, 1:8], None, M)):
                    with self.assertRaisesRegex(ValueError, "out for M and out for (A_D|B_D) overlap"):
                        f(z, z, z, out=out)


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

    def test_slips_are_answered_with_the_name_that_was_meant(self):
        q = self.arm.neutral_configuration()
        slips = [
            ("forward", ValueError, lambda: self.arm.compile("foward")),
            ("mass_matrix", ValueError, lambda: self.arm.batch("mas_matrix")),
            ("inverse", AttributeError, lambda: self.arm.compile().invers),
            ("A_D", ValueError, lambda: self.arm.compile("linearize_inverse", outputs=["M", "AD"])),
            ("A_D", ValueError, lambda: self.arm.batch("linearize_inverse", outputs=["a_d"])),
            (self.arm.frames[-1], ValueError, lambda: self.arm.pose(self.arm.frames[-1] + "x", q)),
            (self.arm.frames[-1], ValueError, lambda: self.arm.jacobian(self.arm.frames[-1] + "x", q)),
            (self.arm.frames[-1], ValueError, lambda: self.arm.compile("pose", outputs=[self.arm.frames[-1] + "x"])),
            ("aligned", ValueError, lambda: self.arm.jacobian(self.arm.frames[-1], q, "alinged")),
            ("compiled", ValueError, lambda: self.arm.batch("forward", backend="compile")),
            ("lanes", ValueError, lambda: self.arm.rollout(backend="lane")),
            ("euler", ValueError, lambda: self.arm.rollout(method="Eular")),
            ("tau", TypeError, lambda: self.arm.forward(q, q, Tau=q)),
            ("out", TypeError, lambda: self.arm.compile("forward")(q, q, q, oout=q)),
            ("arm7", catena.ModelError, lambda: catena.load("amr7")),
        ]
        for meant, kind, call in slips:
            with self.subTest(meant), self.assertRaisesRegex(kind, f'did you mean.*"{meant}"'):
                call()

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
        with self.assertRaisesRegex(ValueError, "backend is 'automatic', 'lanes', 'compiled' or 'plain', not 'fast'"):
            self.arm.batch("forward", backend="fast")
        for make in (lambda threads: self.arm.batch("forward", threads=threads),
                     lambda threads: self.arm.rollout(threads=threads)):
            for threads in (0, -1, 1025, 2**31, 2**63, -2**64, 10**5000, np.int64(5000)):
                with self.assertRaisesRegex(ValueError, "threads must be from 1 to 1024"):
                    make(threads)
            for threads in (True, False, 1.0, "2", None, [2], np.bool_(True), np.zeros(3)):
                with self.assertRaisesRegex(TypeError, "threads must be a whole number"):
                    make(threads)
            make(np.int8(2))
        with self.assertRaises(ValueError):
            self.arm.batch("forward", backend="lanes", lanes=3)
        with self.assertRaisesRegex(ValueError, "negative"):
            self.arm.random_configuration(1, -1)


class Robots(TestCase):
    def test_no_such_robot(self):
        with self.assertRaises(catena.ModelError) as caught:
            catena.load("no_such_robot.urdf")
        self.assertIsInstance(caught.exception, catena.FileError)
        self.assertIsInstance(caught.exception, OSError)
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
        self.assertNotIsInstance(caught.exception, OSError)
        self.assertIn("broken.toml", str(caught.exception))
        self.assertIn("mass", " ".join(caught.exception.findings))

    def test_models_are_not_made_by_hand(self):
        for kind in (catena.Model, catena.CompiledFunction, catena.Batch, catena.Rollout):
            with self.assertRaises(TypeError):
                kind()


if __name__ == "__main__":
    unittest.main()
