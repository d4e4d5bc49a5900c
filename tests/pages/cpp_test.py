"""The C++ blocks of the pages run, and print what the pages show (that they compile the build has proven)."""
import os
import subprocess
import unittest

from commands_test import difference
from cpp_blocks import pages_with_blocks
from pages import ROOT, blocks


class CppBlocks(unittest.TestCase):
    def test_run_and_print_what_is_shown(self):
        found = list(pages_with_blocks())
        self.assertGreaterEqual(len(found), 9)
        shown = 0
        for page, name, _ in found:
            with self.subTest(name):
                done = subprocess.run([os.environ["CATENA_CPP_BLOCKS"], name], capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                for block in blocks(page)[0]:
                    if block.note == "output of the program":
                        self.assertIsNone(difference(block.text, done.stdout))
                        shown += 1
        self.assertGreaterEqual(shown, 2)

    def test_of_the_readme_is_the_example(self):
        """Each of its lines is in examples/first_steps.cpp, in this order."""
        example = [line.split("  //")[0].strip() for line in (ROOT / "examples" / "first_steps.cpp").read_text().split("\n")]
        block = next(block for block in blocks(ROOT / "README.md")[0] if block.language == "cpp")
        for line in block.text.split("\n"):
            line = line.split("  //")[0].strip()
            self.assertIn(line, example)
            example = example[example.index(line) + 1:]


if __name__ == "__main__":
    unittest.main()
