"""What the documents show works: every block of Python in them runs, every example too."""
import ast
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

from support import *


def blocks(file):
    return re.findall(r"```python\n(.*?)```", file.read_text(), re.DOTALL)


def files(file):
    """What the page marks as a file: <!-- tested: run.csv --> and the block below it."""
    return re.findall(r"<!-- tested: (\S+) -->\n```\w+\n(.*?)```", file.read_text(), re.DOTALL)


@contextlib.contextmanager
def inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Documents(TestCase):
    def test_blocks_of_python_run(self):
        ran, told = set(), 0
        for file in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            names = {}  # later blocks go on where earlier ones ended
            with tempfile.TemporaryDirectory() as folder, inside(folder), contextlib.redirect_stdout(io.StringIO()):
                for name, text in files(file):  # which the page's blocks read
                    with open(name, "w") as out:
                        out.write(text)
                for block in blocks(file):
                    if "import h5py" in block:
                        continue  # reads what the tool has recorded: tests/pages/commands_test.py
                    with self.subTest(file=file.name, block=block):
                        exec(compile(block, str(file), "exec"), names)
                        ran.add(file.name)
                        told += self.check_shapes(block, names)
        self.assertLessEqual({"README.md", "python.md", "formats.md"}, ran)
        self.assertGreater(told, 8)

    def check_shapes(self, block, names):
        """`M = arm.mass_matrix(q)  # (7, 7)` and `# course.q: (4, 1000, 7)` say what comes out."""
        told = [(name.strip(), shape) for targets, shape in re.findall(r"^([\w, ]+) = .*# (\(\d[\d, ]*\))", block, re.M)
                for name in targets.split(",")]
        told += re.findall(r"# (\w+\.\w+): (\(\d[\d, ]*\))", block)
        for name, shape in told:
            self.assertEqual(np.shape(eval(name, names)), ast.literal_eval(shape), name)
        return len(told)

    def test_examples_run(self):
        examples = sorted((ROOT / "examples" / "python").glob("*.py"))
        self.assertGreaterEqual(len(examples), 2)
        for example in examples:
            with self.subTest(example.name):
                done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotEqual(done.stdout, "")

    def test_everything_public_has_a_docstring(self):
        for name in catena.__all__:
            thing = getattr(catena, name)
            self.assertTrue(thing.__doc__, name)
            if isinstance(thing, type):
                for member, value in vars(thing).items():
                    if callable(value) and not member.startswith("_"):
                        self.assertTrue(value.__doc__, f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
