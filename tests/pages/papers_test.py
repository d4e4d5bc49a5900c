"""Every item of the five papers stands in a table of docs/papers with a function, a command or Python name, and a test; and
all of these exist."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

from pages import PYTHON_PACKAGE, ROOT, TOOL

LETTERS = {"angeles": "A", "diagonalized": "D", "kozlowski": "K", "linearization": "L", "saha": "S"}
FAMILIES = ("soa", "denoc", "noc")


def items(page):
    """Rows of the table that begins with #: number, item, function, command or Python, test."""
    for line in page.read_text().splitlines():
        if re.match(r"\| [A-Z]\d+ \|", line):
            yield [cell.strip() for cell in line.replace(r"\|", "¦").strip("|").split("|")]


def named(cell):
    return re.findall(r"`([^`]+)`", cell)


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=True).stdout


class Papers(unittest.TestCase):
    def setUp(self):
        self.rows = [(page, row) for page in sorted((ROOT / "docs" / "papers").glob("*.md")) for row in items(page)]

    def for_each(self, column, check):
        for page, row in self.rows:
            for name in named(row[column]):
                with self.subTest(f"{page.name} {row[0]}: {name}"):
                    check(name)

    def test_every_item_has_its_row(self):
        self.assertGreaterEqual(len(self.rows), 240)
        counts = {}
        for page, row in self.rows:
            with self.subTest(f"{page.name} {row[0]}"):
                counts[page.stem] = counts.get(page.stem, 0) + 1
                self.assertEqual(row[0], f"{LETTERS[page.stem]}{counts[page.stem]}")
                self.assertEqual(len(row), 5)
                for cell in row[2:]:
                    self.assertTrue(named(cell), "nothing is named")
        self.assertEqual(set(counts), set(LETTERS))

    def test_functions_exist(self):
        """The last word of a name is one of the library's; a file is there."""
        source = "\n".join(file.read_text() for end in ("hpp", "cpp") for file in (ROOT / "src").rglob(f"*.{end}"))
        words = set(re.findall(r"\w+", source))

        def check(name):
            if "/" in name:
                self.assertTrue((ROOT / "src" / "catena" / name).exists(), "no such file")
            elif not (ROOT / "models" / f"{name}.toml").exists():
                self.assertEqual(set(re.findall(r"\w+", name)) - words, set())

        self.for_each(2, check)

    def test_commands_and_python_names_exist(self):
        commands = set(re.findall(r"^  ([a-z]+) +\w", tool("--help").partition("\n\nMODEL")[0], re.M))
        operators = set(re.findall(r"^  (\w+\.\w+) ", tool("operators", "stanford_arm"), re.M))
        help_of = {command: tool(command, "--help") for command in commands}
        if PYTHON_PACKAGE:
            sys.path.insert(0, PYTHON_PACKAGE)
            import catena  # noqa: the package that was built

        def check(name):
            first, *others = re.split(r"[ .]", name)
            if name.startswith("catena "):
                self.assertIn(others[0], commands)
                for word in others[1:]:  # an option, or what it may be
                    self.assertRegex(help_of[others[0]], rf"(?<![\w-]){re.escape(word)}\b")
            elif first in FAMILIES:
                self.assertIn(name, operators)
            elif PYTHON_PACKAGE:
                self.assertTrue(hasattr({"Model": catena.Model, "catena": catena}[first], others[0]))

        self.for_each(3, check)

    def test_tests_exist(self):
        tests = set()
        for file in Path(ROOT / "tests").rglob("*.cpp"):
            tests |= {f"{a}.{b}" for a, b in re.findall(r"\bTEST(?:_[FP])?\((\w+), (\w+)\)", file.read_text())}
        tests |= set(re.findall(r"add_test\(NAME ([\w.]+) ", (ROOT / "tests" / "CMakeLists.txt").read_text()))
        self.for_each(4, lambda name: self.assertIn(name, tests))


if __name__ == "__main__":
    unittest.main()
