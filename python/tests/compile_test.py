"""Compiled functions as objects: the plain library's numbers, and what they say about themselves."""
import os
import shutil
import subprocess
import tempfile

from support import *


class Compiled(TestCase):
    def test_single_states_agree_with_the_plain_library(self):
        for robot in ROBOTS:
            model = catena.load(robot)
            compiled = model.compile()
            for function in model.functions:
                with self.subTest(robot=robot, function=function):
                    for seed in range(5):
                        arguments = inputs(model, function, seed=seed)
                        loose = 100 * tolerance_of(model, arguments[0])
                        expected = parts(plain(model, function)(*arguments))
                        for x, y in zip(parts(getattr(compiled, function)(*arguments)), expected):
                            self.assertClose(x, y, loose)

    def test_a_function_says_what_it_is(self):
        f = catena.load("arm7").compile("linearize_forward")
        self.assertEqual(f.name, "linearize_forward")
        self.assertEqual(f.inputs, {"q": (7,), "v": (7,), "tau": (7,)})
        self.assertEqual(f.outputs, {"a": (7,), "M_inv": (7, 7), "A_C": (7, 7), "B_C": (7, 7)})
        self.assertEqual(f.model.name, "arm7")
        forward = catena.load("arm7").compile("forward")
        self.assertIn(forward.method, ("composite", "articulated"))
        self.assertGreater(f.operations.mul, forward.operations.mul)
        self.assertEqual(forward.operations._fields, ("mul", "add", "div", "sqrt", "trig"))
        self.assertIn(f"{sum(forward.operations)} operations", repr(forward))
        self.assertIn("forward(q, v, tau) -> a of arm7", repr(forward))

    def test_machine_code_where_the_processor_has_what_it_takes(self):
        with open("/proc/cpuinfo") as info:
            flags = info.read()
        forward = catena.load("arm7").compile("forward")
        self.assertEqual(forward.is_machine_code, " avx2 " in flags and " fma " in flags)
        self.assertEqual(forward.lanes > 1, forward.is_machine_code)
        self.assertEqual("machine code" in repr(forward), forward.is_machine_code)

    def test_a_compiled_robot_makes_each_function_once(self):
        compiled = catena.load("arm7").compile()
        self.assertIs(compiled.forward, compiled.forward)
        self.assertEqual(compiled.model.nv, 7)
        self.assertEqual(repr(compiled), "<catena.CompiledModel arm7>")
        self.assertLess({"model", "forward", "nu"}, set(dir(compiled)))
        self.assertFalse(hasattr(compiled, "fly"))

    def test_every_function_of_the_library_is_a_method(self):
        model = catena.load("arm7")
        self.assertEqual(model.functions, catena.functions())
        for function in catena.functions():
            self.assertTrue(callable(getattr(model, function)), function)

    def test_singular_mass_matrices_are_errors_not_numbers(self):
        model = catena.load(self.whip())
        bent, straight, zero = np.array([0.0, 1.0]), np.zeros(2), np.zeros(2)
        many = np.tile(bent, (9, 1))
        many[6] = straight
        for f in (model.forward, model.compile("forward"), model.batch("forward")):
            self.assertTrue(np.isfinite(f(bent, zero, zero)).all())
            for q in (straight, many):
                with self.assertRaisesRegex(catena.NumericalError, "the mass matrix of whip is singular") as caught:
                    f(q, zero, zero)
                self.assertEqual("state 6" in str(caught.exception), q is many)
                self.assertIsInstance(caught.exception, ArithmeticError)
                self.assertIn(caught.exception.body, ("arm_joint", "tip_joint"))

    def whip(self):
        """A point mass on two joints, which stretched out has no inertia about the first one's axis."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = os.path.join(folder.name, "whip.toml")
        with open(file, "w") as out:
            out.write('name = "whip"\n'
                      '[[body]]\nname = "arm"\njoint = "revolute"\naxis = [1, 0, 0]\n'
                      '[[body]]\nname = "tip"\nparent = "arm"\njoint = "revolute"\nposition = [0.5, 0, 0]\n'
                      'mass = 1\ncom = [0.5, 0, 0]\ninertia = [0, 0, 0]\n')
        return file


class Source(TestCase):
    def test_c_source_holds_its_own_test(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        self.assertIsNotNone(compiler)
        files = catena.load("stanford_arm").compile("forward").c_source(name="arm")
        self.assertEqual(sorted(files), ["arm.c", "arm.h", "arm_test.c"])
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name), "w") as out:
                    out.write(text)
            command = [compiler, "-std=c99", "arm.c", "arm_test.c", "-lm", "-o", "self_test"]
            subprocess.run(command, cwd=folder, check=True)
            subprocess.run(["./self_test"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.assertIn("float", catena.load("stanford_arm").compile("gravity").c_source(single=True)["stanford_arm.h"])


if __name__ == "__main__":
    unittest.main()
