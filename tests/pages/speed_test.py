"""What the pages claim about speed follows from the tables that `race` printed, which docs/benchmarks.md shows."""
import re
import unittest

from pages import ROOT, blocks

FUNCTIONS = ["inverse", "M", "forward", "M⁻¹", "∂inverse", "∂forward"]
TITLE = re.compile(r"(\S+?)(?:, floating)?, nv = \d+: ns per state")
# What a page calls a way, and what the race does.
WAYS = {"plain": "Catena", "returning": "Catena, returning", "compiled": "Catena, compiled", "lanes": "Catena, lanes",
        "batch": "Catena, batch"}
ROBOTS = {"ANYmal": "anymal", "Solo12": "solo", "TALOS": "talos", "Panda": "panda", "UR5": "ur5"}


def races():
    """Nanoseconds by robot, way and function."""
    found = {}
    for block in blocks(ROOT / "docs" / "benchmarks.md")[0]:
        times = None
        for line in block.text.split("\n"):
            if title := TITLE.match(line):
                times = found.setdefault(title.group(1), {})
                functions = None
            elif times is not None and functions is None:
                functions = line.split()
            elif times is not None and re.match(r"  \S.*  ", line):
                name, *cells = re.split(r"\s{2,}", line.strip())
                row, k = {}, 0
                for function in functions:
                    if cells[k] == "–":
                        k += 1
                    else:
                        row[function] = float(cells[k])
                        k += 2
                times[name] = row
    return found


def pinocchio(times, function):
    """The faster one of its two ways."""
    return min(times[way][function] for way in ("Pinocchio", "Pinocchio, second way") if function in times.get(way, {}))


def written(x):
    return f"{x:.1f}" if x < 9.95 else f"{x:.0f}"


def ratios(times, way, over):
    return [over(times, function) / times[way][function] for function in FUNCTIONS
            if function in times[way] and over(times, function) is not None]


def generated(times, function):
    return times["Pinocchio, generated"].get(function)


def table(page, corner):
    """The rows of the table with that first cell, headings first."""
    lines = (ROOT / page).read_text().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {corner} |"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return [rows[0], *rows[2:]]


class Speed(unittest.TestCase):
    CORNER = "times as fast as Pinocchio"

    def test_the_ranges_of_each_robot_follow_from_the_race(self):
        raced = races()
        headings, *rows = table("docs/benchmarks.md", self.CORNER)
        self.assertGreaterEqual(len(headings), 8)
        self.assertGreaterEqual(len(rows), 5)
        for label, *cells in rows:
            way = WAYS[re.split(r"[ ,]", label)[0]]
            over = generated if "generated" in label else pinocchio
            for robot, cell in zip(headings[1:], cells):
                with self.subTest(f"{label}, {robot}"):
                    all_ratios = ratios(raced[ROBOTS.get(robot, robot)], way, over)
                    self.assertEqual(cell, f"{written(min(all_ratios))}–{written(max(all_ratios))}")

    def test_the_readme_says_what_the_benchmarks_say(self):
        of_readme, of_page = table("README.md", self.CORNER), table("docs/benchmarks.md", self.CORNER)
        self.assertEqual(of_readme[0], of_page[0])
        for row in of_readme[1:]:
            self.assertIn(row, of_page)

    def test_the_aims_beside_the_roofline_are_those_measured(self):
        raced = races()
        headings, *rows = table("docs/roofline.md", "over Pinocchio")
        self.assertEqual(headings[1:], FUNCTIONS)
        self.assertGreaterEqual(len(rows), 8)
        for label, *cells in rows:
            words = re.match(r"(\w+)[^,]*, (\w+)$", label)
            times = raced[ROBOTS.get(words.group(2), words.group(2))]
            for function, cell in zip(FUNCTIONS, cells):
                with self.subTest(f"{label}, {function}"):
                    ratio = pinocchio(times, function) / times[WAYS[words.group(1)]][function]
                    self.assertEqual(re.match(r"[\d.]+", cell).group(), written(ratio))

    def test_what_compiling_gains_is_what_was_measured(self):
        raced = races()
        headings, *rows = table("docs/compile.md", "compiled over plain")
        self.assertEqual(headings[1:], FUNCTIONS)
        self.assertEqual([ROBOTS.get(row[0], row[0]) for row in rows], list(raced))
        for robot, *cells in rows:
            times = raced[ROBOTS.get(robot, robot)]
            for function, cell in zip(FUNCTIONS, cells):
                with self.subTest(f"{robot}, {function}"):
                    self.assertEqual(cell, written(times["Catena"][function] / times["Catena, compiled"][function]))


if __name__ == "__main__":
    unittest.main()
