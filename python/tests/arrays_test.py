"""Arrays of every kind and layout, in and out, through the plain library, compiled functions and batches."""
import pickle

from support import *


def backends(model, function):
    """Everything that computes the function."""
    return {"plain": plain(model, function), "compiled": model.compile(function), "batch": model.batch(function),
            "lanes": model.batch(function, backend="lanes"), "state by state": model.batch(function, backend="plain")}


class Layouts(TestCase):
    def test_a_batch_gives_what_single_states_give(self):
        for robot in ROBOTS:
            model = catena.load(robot)
            for function in model.functions:
                arguments = inputs(model, function, 11)
                loose = 100 * max(tolerance_of(model, q) for q in arguments[0])
                single = [parts(plain(model, function)(*state)) for state in zip(*arguments)]
                for way, f in backends(model, function).items():
                    with self.subTest(robot=robot, function=function, backend=way):
                        for k, many in enumerate(parts(f(*arguments))):
                            self.assertClose(many, np.stack([state[k] for state in single]), loose)

    def test_strides_do_not_matter(self):
        model = catena.load("stanford_arm")
        q, v, tau = inputs(model, "linearize_forward", 9)
        wide = np.zeros((9, 40))
        wide[:, 1:7], wide[:, 10:22:2], wide[:, 36:30:-1] = q, v, tau
        odd = np.zeros(9, dtype=[("skip", "i1"), ("x", "f8", 6)])  # numbers at odd addresses
        odd["x"] = v
        layouts = {
            "Fortran order": [np.asfortranarray(x) for x in (q, v, tau)],
            "slices": [wide[:, 1:7], wide[:, 10:22:2], wide[:, 36:30:-1]],
            "backwards": [x[::-1].copy()[::-1] for x in (q, v, tau)],
            "transposed": [np.ascontiguousarray(x.T).T for x in (q, v, tau)],
            "not aligned": [q, odd["x"], tau],
            "another byte order": [q, v.astype(">f8"), tau],
        }
        for way, f in backends(model, "linearize_forward").items():
            expected = f(q, v, tau)
            one = f(q[4], v[4], tau[4])
            for name, arguments in layouts.items():
                with self.subTest(backend=way, layout=name):
                    for x, y in zip(f(*arguments), expected):
                        self.assertSameBits(x, y)
                    for x, y in zip(f(*(argument[4] for argument in arguments)), one):
                        self.assertSameBits(x, y)

    def test_other_numbers_are_converted(self):
        model = catena.load("planar_3r")
        expected = model.inverse(np.array([1.0, 2, 3]), np.zeros(3), np.ones(3))
        for way, f in backends(model, "inverse").items():
            with self.subTest(way):
                close = f(np.array([1.0, 2, 3]), np.zeros(3), np.ones(3))
                self.assertClose(close, expected)
                self.assertSameBits(f([1, 2, 3], (0, 0, 0), [1.0, 1, 1]), close)
                self.assertSameBits(f(np.array([1, 2, 3], "f4"), np.zeros(3, "i8"), np.ones(3, bool)), close)
                self.assertSameBits(f(q=[1, 2, 3], a=[1, 1, 1], v=[0, 0, 0]), close)

    def test_one_vector_holds_for_all_states(self):
        model = catena.load("arm7")
        q, v, tau = inputs(model, "forward", 6)
        for way, f in backends(model, "forward").items():
            with self.subTest(way):
                self.assertSameBits(f(q, v[0], tau), f(q, np.tile(v[0], (6, 1)), tau))

    def test_no_states_are_a_batch_too(self):
        model = catena.load("arm7")
        for way, f in backends(model, "mass_matrix").items():
            with self.subTest(way):
                self.assertEqual(f(np.zeros((0, 7))).shape, (0, 7, 7))


class Outputs(TestCase):
    def test_results_go_where_they_are_wanted(self):
        model = catena.load("stanford_arm")
        n, count = 6, 5
        arguments = inputs(model, "linearize_inverse", count)
        for way, f in backends(model, "linearize_inverse").items():
            expected = f(*arguments)
            right_way_round = np.full((count, n, n), np.nan)
            columns = np.full((count, n, n), np.nan).transpose(0, 2, 1)
            spread = np.full((2 * count, n, 2 * n), np.nan)[::2, :, 1::2]
            out = (right_way_round, columns, spread)
            with self.subTest(way):
                result = f(*arguments, out=out)
                for k in range(3):
                    self.assertIs(result[k], out[k])
                    self.assertSameBits(out[k], expected[k])

    def test_of_one_state_too(self):
        model = catena.load("stanford_arm")
        arguments = inputs(model, "coriolis_matrix")
        for way, f in backends(model, "coriolis_matrix").items():
            expected = f(*arguments)
            for out in (np.full((6, 6), np.nan), np.full((6, 6), np.nan, order="F"), np.full((6, 12), np.nan)[:, ::2]):
                with self.subTest(backend=way, strides=out.strides):
                    self.assertIs(f(*arguments, out=out), out)
                    self.assertSameBits(out, expected)

    def test_an_argument_may_be_overwritten(self):
        model = catena.load("arm7")
        for count in (None, 7):
            for way, f in backends(model, "forward").items():
                q, v, tau = inputs(model, "forward", count)
                expected = f(q, v, tau)
                with self.subTest(backend=way, count=count):
                    f(q, v, tau, out=tau)
                    self.assertSameBits(tau, expected)

    def test_results_that_overlap_arguments_come_last(self):
        model = catena.load("arm7")
        q, v, tau = inputs(model, "forward", 300)
        for way, f in backends(model, "forward").items():
            memory = np.zeros((301, 7))
            memory[:-1] = q
            expected = f(q, v, tau)
            with self.subTest(way):  # the result of each state lies on the argument of the next
                f(memory[:-1], v, tau, out=memory[1:])
                self.assertSameBits(memory[1:], expected)

    def test_some_may_be_left_to_the_library(self):
        model = catena.load("arm7")
        arguments = inputs(model, "linearize_forward")
        A_C = np.zeros((7, 7))
        result = model.linearize_forward(*arguments, out=(None, None, A_C, None))
        self.assertIs(result.A_C, A_C)
        self.assertSameBits(A_C, model.linearize_forward(*arguments).A_C)

    def test_only_those_asked_for_are_computed(self):
        model = catena.load("arm7")
        arguments = inputs(model, "linearize_forward", 5)
        everything = model.linearize_forward(*arguments)
        for f in (model.compile("linearize_forward", outputs=["A_C", "B_C"]),
                  model.batch("linearize_forward", outputs=["A_C", "B_C"])):
            result = f(*arguments)
            self.assertEqual(result._fields, ("A_C", "B_C"))
            self.assertClose(result.A_C, everything.A_C, 1e-9)
            self.assertClose(result.B_C, everything.B_C, 1e-9)
        alone = model.compile("linearize_forward", outputs=["B_C"])
        self.assertIsInstance(alone(*arguments), np.ndarray)
        self.assertClose(alone(*arguments), everything.B_C, 1e-9)

    def test_named_results_survive_pickling(self):
        model = catena.load("planar_3r")
        result = model.linearize_inverse(*inputs(model, "linearize_inverse"))
        copy = pickle.loads(pickle.dumps(result))
        self.assertEqual(type(copy), type(result))
        self.assertSameBits(copy.B_D, result.B_D)


if __name__ == "__main__":
    unittest.main()
