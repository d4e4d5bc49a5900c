"""What the documents show works: every block of Python in them runs, every example too."""
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
