"""docs/cli.md is complete and true: every command and option of the tool is in its tables, and no other; every option
changes something; `--json` prints the keys that the page lists, and no others."""
import json
import re
import unittest
from fractions import Fraction

from pages import ROOT, Scratch, blocks, commands_of_the_tool, options_of
from samples import EFFECTS, JSON_RUNS

PAGE = ROOT / "docs" / "cli.md"


def tables(page):
    """The tables of a page: (text of the section above it, rows of cells, header first)."""
    for section in re.split(r"^## ", page.read_text(), flags=re.M):
        for table in re.finditer(r"(?:^\|.*\n)+", section, re.M):
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.group().strip().split("\n")]
            yield section[:table.start()], [row for row in rows if not re.match(r":?-+", row[0])]


def names_in(text, pattern):
    return re.findall(r"`" + pattern, text)


def documented_options(page):
    """(command, option) pairs that the tables list: a table whose first column is "command" says it in each row, before one
    whose first column is "option" stands a sentence `Taken by …`."""
    pairs = set()
    for above, (header, *rows) in tables(page):
        if header[0] == "option":
            commands = names_in(re.findall(r"Taken by (.*?)[.:](?:\s|$)", above, re.S)[-1], r"(\w+)`")
            for row in rows:
                pairs |= {(c, o) for c in commands for o in names_in(row[0], r"(--[\w-]+)")}
        elif header[0] == "command" and header[1] == "option":
            for row in rows:
                commands = names_in(row[0], r"(\w+)`") or commands  # an empty cell repeats the one above
                pairs |= {(c, o) for c in commands for o in names_in(row[1], r"(--[\w-]+)")}
    return pairs


class Contract:
    """{"key", "key"?, "key": {…}, "key": {…} | null, "key": [{…}], NAME: {…}}: what an object holds. "?" marks what may be
    absent, a word in capitals any key. Where nothing is said the value is text, a number, null, or a list (of lists) of those."""

    def __init__(self, text):
        self.tokens = re.findall(r'"[^"]*"|[A-Z]+|null|\S', text)
        self.form = self.value()
        if self.tokens:
            raise ValueError(f"unexpected {self.tokens[0]}")

    def take(self, token):
        if not self.tokens or self.tokens[0] != token:
            return False
        self.tokens.pop(0)
        return True

    def value(self):
        if self.take("["):
            form = [self.value()]
        elif self.take("{"):
            form = {}
            while not self.take("}"):
                key = self.tokens.pop(0)
                if not re.fullmatch(r'"[^"]+"|[A-Z]+', key):
                    raise ValueError(f"unexpected {key}")
                optional = self.take("?")
                form[key.strip('"')] = (key[0] != '"', optional, self.value() if self.take(":") else None)
                if self.take("|") and self.take("null"):
                    form[key.strip('"')] = (key[0] != '"', optional, (form[key.strip('"')][2],))
                self.take(",")
            return form
        else:
            raise ValueError(f"unexpected {self.tokens[:1]}")
        if not self.take("]"):
            raise ValueError(f"unexpected {self.tokens[:1]}")
        return form

    def problems(self, value, form, place, seen):
        """What of a value is not as the form says; `seen` collects which optional keys were there and which were not."""
        if form is None:
            inside = value
            while isinstance(inside, list) and inside:
                inside = next((x for x in inside if isinstance(x, dict)), inside[0])
            return [f"{place} holds an object whose keys are not listed"] if isinstance(inside, dict) else []
        if isinstance(form, tuple):  # or null
            return [] if value is None else self.problems(value, form[0], place, seen)
        if isinstance(form, list):
            if not isinstance(value, list):
                return [f"{place} is no list"]
            return [p for item in value for p in self.problems(item, form[0], place + "[]", seen)]
        if not isinstance(value, dict):
            return [f"{place} is no object"]
        wilds = [inner for wild, _, inner in form.values() if wild]
        found = []
        for key, (wild, optional, inner) in form.items():
            if wild:
                continue
            if optional:
                seen.setdefault(f"{place}.{key}", set()).add(key in value)
            if key in value:
                found += self.problems(value[key], inner, f"{place}.{key}", seen)
            elif not optional:
                found.append(f"{place}.{key} is missing")
        for key in value.keys() - form.keys():
            found += self.problems(value[key], wilds[0], f"{place}.*", seen) if wilds else [f"{place}.{key} is not listed"]
        return found


def contracts(page):
    """Command, or command and option, to its contract."""
    text = next(block.text for block in blocks(page)[0] if block.text.startswith("demo "))
    rows = re.split(r"\n(?=\S)", text)
    return {" ".join(row[:row.index("{")].split()): Contract(row[row.index("{"):]) for row in rows}


def without_times(text):
    text = re.sub(r"\d+(\.\d+)?(e-?\d+)? (ms|µs|ns)\b", "(time)", text)
    return re.sub(r'"(seconds|\w+_ns|\w+_ms|ratio|difference)":\s*[-\d.e]+', r'"\1": (time)', text)


class CommandLinePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with Scratch() as scratch:
            cls.tool = {name: options_of(text) for name, text in commands_of_the_tool(scratch).items()}
        cls.pairs = {(c, o) for c, options in cls.tool.items() for o in options}

    def test_help_was_read(self):
        self.assertGreater(len(self.tool), 15)
        self.assertGreater(len(self.pairs), 150)
        for known in (("simulate", "--rtol"), ("inverse", "--wrench"), ("generate", "--output"), ("doctor", "--fix")):
            self.assertIn(known, self.pairs)
        self.assertTrue(self.tool["forward"]["--tau"])
        self.assertFalse(self.tool["forward"]["--json"])

    def test_its_first_table_has_every_command(self):
        _, (header, *rows) = next(tables(PAGE))
        listed = [name for row in rows for name in names_in(row[0], r"(\w+)")]
        self.assertEqual(header[0], "command")
        self.assertEqual(sorted(listed), sorted(self.tool))

    def test_its_tables_have_every_option_of_every_command(self):
        documented = documented_options(PAGE)
        self.assertEqual(sorted(self.pairs - documented), [], "not in docs/cli.md")
        self.assertEqual(sorted(documented - self.pairs), [], "in docs/cli.md, but the tool does not take it")

    def outcome(self, command):
        if command not in self.outcomes:
            with Scratch() as scratch:
                for name in ("robot.urdf", "scenario.toml", "pose.json", "motion.csv", "run.csv"):
                    scratch.prepare([name])
                for name in ("old.toml", "old.h"):
                    scratch.file(name, "an older file\n")
                scratch.file("warned.urdf", (scratch.path / "robot.urdf").read_text().replace('iyy="0.012"', 'iyy="0.05"'))
                before = set(scratch.path.iterdir())
                done = scratch.run("catena " + command)
                if scratch.lacks_viewer(done):
                    self.skipTest("this tool was built without npm")
                files = {path.name: path.read_bytes() if path.is_file() and path.suffix in (".toml", ".urdf", ".c", ".csv") else ""
                         for path in scratch.path.iterdir() if path not in before}
                self.outcomes[command] = done.returncode, without_times(done.stdout), files, done.stderr
        return self.outcomes[command]

    outcomes = {}

    def test_every_option_has_an_effect(self):
        """A line of EFFECTS with and without what stands in braces: it runs, and something else comes out."""
        tried = set()
        for line in EFFECTS:
            command, option = line.split()[0], re.search(r"\{(--[\w-]+|-\w)", line).group(1)
            tried.add((command, option))
            line, _, told = line.partition(" => ")
            code, same = int(told) if told.isdigit() else 0, told == "same"
            with self.subTest(line):
                given = self.outcome(line.replace("{", "").replace("}", ""))
                self.assertEqual(given[0], code, given[3])
                without = self.outcome(re.sub(r" *\{.*\}", "", line))
                self.assertEqual(given[:3] == without[:3], same, "the option changes nothing" if not same else "it does change")
        self.assertEqual(sorted(self.pairs - tried), [], "no example of these in tests/pages/samples.py")

    def test_json_prints_the_keys_it_lists(self):
        listed = contracts(PAGE)
        with_json = {c for c, options in self.tool.items() if "--json" in options}
        self.assertEqual(sorted({row.split()[0] for row in listed}), sorted(with_json))
        self.assertEqual(sorted(listed), sorted(JSON_RUNS))
        for row, contract in listed.items():
            seen = {}
            for line in JSON_RUNS[row]:
                with self.subTest(row=row, line=line), Scratch() as scratch:
                    scratch.prepare(line.split())
                    done = scratch.run(f"catena {line} --json")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(contract.problems(json.loads(done.stdout), contract.form, row, seen), [])
            for key, cases in seen.items():
                with self.subTest(key):
                    self.assertEqual(cases, {True, False}, "marked with ?, so one run must have it and one must not")


def value_of(formula, n):
    """Of "n³/6 + 27n²/2 − 170"."""
    formula = formula.replace("−", "-").replace("³", "**3").replace("²", "**2")
    return eval(re.sub(r"(\d)n", r"\1*n", formula), {"n": Fraction(n)})


class CountsPage(unittest.TestCase):
    ALGORITHMS = {"inverse, Newton–Euler": "inverse", "inverse, DH frames": "inverse_dh",
                  "forward, articulated": "forward_articulated", "forward, composite": "forward_composite",
                  "inverse, Saha's DeNOC": "inverse_denoc", "forward, Saha's DeNOC, φ included": "forward_denoc",
                  "inverse, Saha's DeNOC, in Denavit–Hartenberg frames": "denavit_hartenberg inverse_denoc",
                  "inverse, Angeles' complement T": "inverse_noc", "forward, Angeles' complement T": "forward_noc",
                  "normalized ν̇, Kozłowski's steps": "kozlowski_nu", "unnormalized ξ̇, Kozłowski's steps": "kozlowski_xi",
                  "normalized ν̇": "forward_nu", "unnormalized ξ̇": "forward_xi", "Algorithm 1": "linear_1",
                  "Algorithm 2": "linear_2", "Algorithm 6": "linear_6", "Algorithm 6T, right on trees": "linear_6T"}

    def test_its_formulas_are_what_is_counted(self):
        with Scratch() as scratch:
            formulas = json.loads(scratch.run("catena count --json").stdout)["formulas"]
        page = next(rows for _, rows in tables(ROOT / "docs" / "counts.md") if rows[0][1] == "ours")
        rows = {row[0]: row[1] for row in page[1:] if row[1]}
        self.assertEqual(rows.keys(), self.ALGORITHMS.keys())
        for title, ours in rows.items():
            with self.subTest(title):
                mul, add = re.fullmatch(r"(.*) M, (.*) A", ours).groups()
                family, name = ["general", *self.ALGORITHMS[title].split()][-2:]
                counted = formulas[family][name]
                for n in (6, 7, 12, 30):  # a formula of third degree is known by four
                    self.assertEqual(value_of(mul, n), value_of(counted["mul"], n) + value_of(counted["div"], n))
                    self.assertEqual(value_of(add, n), value_of(counted["add"], n))


class ContractRule(unittest.TestCase):
    """The comparison with a contract, so that it cannot pass everything."""

    def test_of_what_is_listed(self):
        contract = Contract('{"a", "b"?: {"c"} | null, "d": [{"e"}], "f": {NAME: {"g"}}}')
        value = {"a": [[1, 2], [3, 4]], "d": [{"e": 1}, {"e": None}], "f": {"x": {"g": 1}, "y": {"g": 2}}}
        self.assertEqual(contract.problems(value, contract.form, "", {}), [])
        self.assertEqual(contract.problems({**value, "b": {"c": 0}}, contract.form, "", {}), [])
        self.assertEqual(contract.problems({**value, "b": None}, contract.form, "", {}), [])
        for wrong in ({"a": {"h": 1}}, {"a": [{"h": 1}]}, {"z": 1}, {"b": {}}, {"b": {"c": 1, "z": 1}}, {"d": {"e": 1}},
                      {"d": [{"e": 1}, {}]}, {"f": {"x": {"g": 1}, "y": {}}}, {"f": {"x": {"g": 1, "z": 2}}}):
            self.assertNotEqual(contract.problems({**value, **wrong}, contract.form, "", {}), [], wrong)


if __name__ == "__main__":
    unittest.main()
