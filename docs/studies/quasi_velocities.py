"""Tables and pictures of quasi_velocities.md from quasi_velocities.csv, which bench/quasi_velocities writes.

Without arguments: writes the pictures, and the tables into the page. --check: fails where they are not those of the CSV."""
import csv
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {"v": "v", "xi": "ξ", "nu": "ν"}
COLOURS = {"v": "#444444", "xi": "#1f77b4", "nu": "#d62728"}
MOTIONS = ("free", "gravity")
TIMES = ("ns plain", "ns compiled", "ns lanes", "ns batch")


class Numbers:
    def __init__(self, path):
        self.values, self.robots = {}, {}
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = row["robot"], row["motion"], row["velocities"], row["quantity"], float(row["setting"])
                self.values[key] = float(row["value"])
                self.robots[row["robot"]] = int(row["nv"])

    def __call__(self, robot, velocities, quantity, motion="", setting=0.0):
        return self.values[robot, motion, velocities, quantity, setting]

    def settings(self, quantity):
        return sorted({key[4] for key in self.values if key[3] == quantity}, reverse=True)

    def precision(self, robot, motion, velocities):
        """(error of q, evaluations) by tolerance."""
        return [(self(robot, velocities, "error of q", motion, s), self(robot, velocities, "evaluations", motion, s))
                for s in self.settings("evaluations")]

    def evaluations_for(self, error, robot, motion, velocities):
        """Evaluations for an error of q: between the two nearest runs, both scales logarithmic."""
        points = self.precision(robot, motion, velocities)
        for (e0, n0), (e1, n1) in zip(points, points[1:]):
            if e1 <= error <= e0:
                part = math.log(e0 / error) / math.log(e0 / e1)
                return n0 * (n1 / n0) ** part
        raise ValueError(f"{robot}, {motion}, {velocities}: no runs on both sides of an error of {error}")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def short(x):
    return f"{x:.0f}" if x >= 99.5 else f"{x:.3g}"


def each(numbers, robot, quantity, motion="", setting=0.0, how=short):
    return ", ".join(how(numbers(robot, k, quantity, motion, setting)) for k in NAMES)


def cost_table(numbers):
    rows = []
    for robot, nv in numbers.robots.items():
        row = [robot, str(nv)] + [each(numbers, robot, q, how=lambda x: f"{x:.0f}") for q in ("operations", "program operations")]
        for q in TIMES:
            row.append(each(numbers, robot, q))
        rows.append(row)
    return table(["robot", "n", "operations of the algorithm", "of the program made for it", "plain, ns", "compiled, ns",
                  "lanes, ns", "batch, ns"], rows)


def error_table(numbers):
    return table(["robot", "n", "median", "largest of 1000"],
                 [[robot, str(nv), each(numbers, robot, "median error"), each(numbers, robot, "largest error")]
                  for robot, nv in numbers.robots.items()])


def step_table(numbers, tolerance=1e-8):
    rough = lambda x: f"{x:.0e}"
    return table(["robot", "motion", "steps", "rejected", "evaluations", "error of q", "energy error"],
                 [[robot, motion] + [each(numbers, robot, q, motion, tolerance) for q in ("steps", "rejected", "evaluations")]
                  + [each(numbers, robot, q, motion, tolerance, rough) for q in ("error of q", "energy error")]
                  for robot in numbers.robots for motion in MOTIONS])


def ratio_table(numbers, tolerance=1e-8):
    """Evaluations for the error of q that v reaches with the tolerance, and times the cost of one, over those of v."""
    rows = []
    for robot in numbers.robots:
        for motion in MOTIONS:
            error = numbers(robot, "v", "error of q", motion, tolerance)
            base = numbers(robot, "v", "evaluations", motion, tolerance)
            row = [robot, motion, f"{error:.0e}"]
            for quantity in (None, "operations", "ns compiled"):
                row.append(", ".join(
                    f"{numbers.evaluations_for(error, robot, motion, k) / base * cost(numbers, robot, k, quantity):.2f}"
                    for k in ("xi", "nu")))
            rows.append(row)
    return table(["robot", "motion", "error of q", "evaluations", "times operations", "times compiled time"], rows)


def cost(numbers, robot, velocities, quantity):
    return numbers(robot, velocities, quantity) / numbers(robot, "v", quantity) if quantity else 1


def rk4_table(numbers, step=1e-3):
    return table(["robot", "motion", "error of q", "energy error"],
                 [[robot, motion] + [each(numbers, robot, f"rk4 {q}", motion, step, lambda x: f"{x:.0e}")
                                     for q in ("error of q", "energy error")]
                  for robot in numbers.robots for motion in MOTIONS])


class Picture:
    """Panels in rows, as SVG; both axes logarithmic or bars."""
    WIDTH, HEIGHT, LEFT, TOP = 230, 190, 58, 30

    def __init__(self, columns, rows):
        self.columns = columns
        self.width, self.height = columns * (self.WIDTH + self.LEFT) + 20, rows * (self.HEIGHT + 70) + 30
        self.parts = []

    def text(self, x, y, words, anchor="middle", size=11, colour="#222"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{words}</text>')

    def line(self, points, colour, width=1.6):
        self.parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" '
                          f'stroke="{colour}" stroke-width="{width}"/>')

    def corner(self, place):
        return (self.LEFT + place % self.columns * (self.WIDTH + self.LEFT),
                self.TOP + place // self.columns * (self.HEIGHT + 70))

    def frame(self, place, title):
        x, y = self.corner(place)
        self.parts.append(f'<rect x="{x}" y="{y}" width="{self.WIDTH}" height="{self.HEIGHT}" fill="none" stroke="#999"/>')
        self.text(x + self.WIDTH / 2, y - 8, title, size=12)
        return x, y

    def logarithmic(self, place, title, curves, labels):
        """curves: {colour: [(x, y), ...]}"""
        x0, y0 = self.frame(place, title)
        xs, ys = [[math.log10(p[i]) for points in curves.values() for p in points] for i in (0, 1)]
        low, high = (math.floor(min(xs)), math.floor(min(ys) * 2) / 2), (math.ceil(max(xs)), math.ceil(max(ys) * 2) / 2)
        at = lambda x, y: (x0 + (high[0] - x) / (high[0] - low[0]) * self.WIDTH,
                           y0 + self.HEIGHT - (y - low[1]) / (high[1] - low[1]) * self.HEIGHT)
        for exponent in range(int(low[0]), int(high[0]) + 1, 2):
            x, y = at(exponent, low[1])
            self.line([(x, y), (x, y - 4)], "#999", 1)
            self.text(x, y + 14, f"1e{exponent}", size=10)
        for value in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000):
            if low[1] <= math.log10(value) <= high[1]:
                x, y = at(high[0], math.log10(value))
                self.line([(x, y), (x + 4, y)], "#999", 1)
                self.text(x - 5, y + 4, str(value), "end", 10)
        for colour, points in curves.items():
            self.line([at(math.log10(x), math.log10(y)) for x, y in points], colour)
        self.text(x0 + self.WIDTH / 2, y0 + self.HEIGHT + 30, labels[0])
        self.text(x0 - 44, y0 - 8, labels[1], "start", 10)

    def bars(self, place, title, groups, top):
        """groups: [(label, {colour: value}), ...]"""
        x0, y0 = self.frame(place, title)
        step = self.WIDTH / len(groups)
        for mark in range(int(top) + 1):
            y = y0 + self.HEIGHT * (1 - mark / top)
            self.line([(x0, y), (x0 + self.WIDTH, y)], "#ddd", 1)
            self.text(x0 - 5, y + 4, str(mark), "end", 10)
        for g, (label, values) in enumerate(groups):
            width = step / (len(values) + 1)
            for b, (colour, value) in enumerate(values.items()):
                height = self.HEIGHT * value / top
                self.parts.append(f'<rect x="{x0 + g * step + (b + 0.5) * width:.1f}" y="{y0 + self.HEIGHT - height:.1f}" '
                                  f'width="{width * 0.9:.1f}" height="{height:.1f}" fill="{colour}"/>')
            self.text(x0 + (g + 0.5) * step, y0 + self.HEIGHT + 14, label, size=10)

    def legend(self, keys):
        for k, key in enumerate(keys):
            x, y = self.LEFT + 90 * k, self.height - 14
            self.line([(x, y), (x + 24, y)], COLOURS[key], 3)
            self.text(x + 30, y + 4, NAMES[key], "start")

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">\n'
                '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def precision_picture(numbers):
    picture = Picture(3, 4)
    for m, motion in enumerate(MOTIONS):
        for r, robot in enumerate(numbers.robots):
            curves = {COLOURS[k]: numbers.precision(robot, motion, k) for k in NAMES}
            picture.logarithmic(6 * m + r, f"{robot}, {motion}", curves, ("error of q after 1 s", "evaluations"))
    picture.legend(NAMES)
    return picture.svg()


def cost_picture(numbers):
    picture = Picture(3, 2)
    for r, robot in enumerate(numbers.robots):
        groups = [(label, {COLOURS[k]: numbers(robot, k, q) / numbers(robot, "v", q) for k in NAMES})
                  for label, q in (("count", "operations"), ("program", "program operations"), ("plain", TIMES[0]),
                                   ("compiled", TIMES[1]), ("lanes", TIMES[2]), ("batch", TIMES[3]))
                  if (robot, "", "v", q, 0.0) in numbers.values]
        top = math.ceil(max(value for _, values in groups for value in values.values()))
        picture.bars(r, f"{robot}: cost over that of v̇", groups, top)
    picture.legend(NAMES)
    return picture.svg()


def page_with(text, numbers):
    for name, make in {"cost": cost_table, "errors": error_table, "steps": step_table, "ratios": ratio_table,
                       "rk4": rk4_table}.items():
        before, mark, rest = text.partition(f"<!-- numbers: {name} -->\n")
        if not mark:
            raise SystemExit(f"quasi_velocities.md has no table {name}")
        text = before + mark + make(numbers) + "\n" + rest[rest.index("\n\n") + 1:]
    return text


def main():
    numbers = Numbers(HERE / "quasi_velocities.csv")
    page = HERE / "quasi_velocities.md"
    files = {HERE / "quasi_velocities_precision.svg": precision_picture(numbers),
             HERE / "quasi_velocities_cost.svg": cost_picture(numbers),
             page: page_with(page.read_text(encoding="utf-8"), numbers)}
    for path, text in files.items():
        if sys.argv[1:] != ["--check"]:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path.name} does not show the numbers of quasi_velocities.csv: run {pathlib.Path(__file__).name}")


if __name__ == "__main__":
    main()
