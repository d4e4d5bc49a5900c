"""What the documents show works: every block of Python in them runs, every example too."""
import ast
import re
import subprocess
import sys

from support import *


def blocks(file):
    return re.findall(r"```python\n(.*?)```", file.read_text(), re.DOTALL)


class Documents(TestCase):
    def test_blocks_of_python_run(self):
        for file in (ROOT / "README.md", ROOT / "docs" / "python.md"):
            found = blocks(file)
            self.assertGreater(len(found), 0, file)
            names = {}  # later blocks go on where earlier ones ended
            for block in found:
                with self.subTest(file=file.name, block=block):
                    exec(compile(block, str(file), "exec"), names)

    def test_examples_run(self):
        examples = sorted((ROOT / "examples" / "python").glob("*.py"))
        self.assertGreaterEqual(len(examples), 2)
        for example in examples:
            with self.subTest(example.name):
                done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotEqual(done.stdout, "")

    def test_types_are_told_of_what_there_is(self):
        stub = ast.parse((ROOT / "python" / "catena" / "_catena.pyi").read_text())
        checked = 0
        for definition in stub.body:
            if not isinstance(definition, ast.ClassDef) or not hasattr(catena, definition.name):
                continue  # results have no class of their own
            for member in definition.body:
                name = member.target.id if isinstance(member, ast.AnnAssign) else member.name
                if definition.name.endswith("Error"):
                    continue  # their attributes come with the error
                self.assertTrue(hasattr(getattr(catena, definition.name), name) or name == "__getattr__",
                                f"{definition.name}.{name}")
                checked += 1
        self.assertGreater(checked, 50)

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
