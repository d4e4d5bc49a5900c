"""Every command line that a page or a help text shows runs as it stands, in the order in which a reader meets it; where
a page shows what comes out, that comes out."""
import importlib.util
import re
import shlex
import subprocess
import sys
import unittest

from pages import Scratch, all_pages, blocks, commands_of_the_tool, options_of, PYTHON_PACKAGE, ROOT

# What a command line begins with. In a block that has one such line every line is one.
COMMAND = re.compile(r"(\./)?(catena|python3|test|tools/\S+|build/\S+|cmake|ctest|cc|apt-get|source|[A-Z_]+=\S+)( |$)")

# Lines that are not run here, and why.
SKIPPED = {
    r"apt-get ": "installs packages",
    r"cmake ": "builds the project",
    r"ctest ": "is what runs this test",
    r"CATENA_PEER_ROBOTS=\S+ ctest ": "needs other libraries (option CATENA_PEERS)",
    r"build/bench/": "built with the option CATENA_BENCH; takes minutes",
    r"build/release/bench/stability": "takes minutes; the tests run its quick form",
    r"tools/make_packages": "builds the project",
    r"\./test( |$)": "is what runs this test",
    r"tools/check_": "a step of ./test",
    r"tools/emulate_avx512 ": "needs an emulator; takes minutes",
    r"tools/fuzz( |$)": "builds with clang; runs until it is stopped",
    r"\./python3 bench/python_calls.py": "takes minutes",
    r"\./python3 docs/studies/": "takes minutes; tests/studies repeats what it concludes",
}

# What a page writes for something of the reader's.
PLACEHOLDERS = {"ROBOT": "robot.urdf", "MODEL": "robot.urdf", "OUT": "mended.urdf", "N": "3", "S": "2",
                "FUNCTION": "forward"}


def lines_of(block):
    """Whole command lines with the line where each begins, or nothing if this is no block of commands."""
    text = block.text.split("\n")
    if block.language not in ("", "sh") or not any(COMMAND.match(line) for line in text):
        return []
    lines, start, command = [], 0, ""
    for i, line in enumerate(text):
        start = start if command else i
        command += line
        if command.endswith("\\"):
            command = command[:-1]
            continue
        if command.partition("#")[0].strip():  # else a comment that goes on
            lines.append((block.line + start, command))
        command = ""
    return lines


def spans_of(prose):
    """Command lines in the running text, `catena info ROBOT`; placeholders filled in, optional parts taken."""
    for span in re.finditer(r"`((?:\./)?catena\s[^`]+|\./python3\s[^`]+)`", prose):
        text = " ".join(span.group(1).split()).replace("[", "").replace("]", "")
        if re.search(r"COMMAND|…|\.\.\.", text):
            continue  # a pattern, not a command
        yield prose.count("\n", 0, span.start()) + 1, re.sub(
            r"\b[A-Z]+\b", lambda word: PLACEHOLDERS.get(word.group(), word.group()), text)


def words_of(command):
    return shlex.split(command, comments=True)


def is_skipped(command):
    return any(re.match(pattern, command) for pattern in SKIPPED)


def expected_code(command):
    """0, unless the page says otherwise in the comment behind the command."""
    told = re.search(r"#.*exit code (\d+)", command)
    return int(told.group(1)) if told else 0


NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def same_number(shown, printed, after):
    """Equal, or of four digits and more the last one off by one. What only the machine decides, times and the size of rounding
    errors, is compared by its order at most."""
    if shown == printed:
        return True
    x, y = float(shown.replace("−", "-")), float(printed.replace("−", "-"))
    if re.match(r" (ms|µs|ns)\b", after):
        return True
    if re.match(r" digits", after):
        return abs(x - y) < 2.5
    if 0 < abs(x) < 1e-8 and 0 <= abs(y) < 1e-8:
        return True
    mantissa, _, exponent = shown.partition("e")
    digits = len(re.sub(r"\D", "", mantissa).lstrip("0"))
    last = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return digits >= 4 and abs(x - y) <= 1.01 * last


def same_line(shown, printed):
    shown, printed = shown.rstrip(), printed.rstrip()
    if "…" in shown:
        return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), printed) is not None
    parts, others = NUMBER.split(shown), NUMBER.split(printed)
    blank = [" ".join(part.split()) for part in parts], [" ".join(part.split()) for part in others]  # columns may shift
    return blank[0] == blank[1] and all(
        same_number(x, y, after) for x, y, after in zip(NUMBER.findall(shown), NUMBER.findall(printed), parts[1:]))


def difference(shown, printed):
    """The first line shown that was not printed, or None. A line `…` stands for any number of lines."""
    lines, position, free = printed.rstrip("\n").split("\n"), 0, False
    for line in shown.rstrip("\n").split("\n"):
        if line.strip() == "…":
            free = True
            continue
        at = position
        while free and at < len(lines) and not same_line(line, lines[at]):
            at += 1
        if at >= len(lines) or not same_line(line, lines[at]):
            return f"shown:   {line}\nprinted: {lines[at] if at < len(lines) else '(nothing more)'}"
        position, free = at + 1, False
    return None if free or position == len(lines) else f"shown: (nothing more)\nprinted: {lines[position]}"


class Commands(unittest.TestCase):
    ran = 0

    def run_line(self, scratch, command):
        """Runs it and gives what it printed."""
        scratch.prepare(words_of(command))
        done = scratch.run(command)
        if scratch.lacks_viewer(done):
            self.skipTest("this tool was built without npm")
        self.assertEqual(done.returncode, expected_code(command), f"{command}\n{done.stderr}")
        type(self).ran += 1
        return done.stdout

    def test_of_the_pages(self):
        for page in all_pages():
            found, prose = blocks(page)
            steps = [(line, "inline", command) for line, command in spans_of(prose)]
            for block in found:
                lines = lines_of(block)
                steps += [(line, "block", command) for line, command in lines]
                if not lines and block.note == "output":
                    steps.append((block.line, "output", block.text))
            name, printed, previous = page.relative_to(ROOT), "", 0
            with Scratch() as scratch:
                for block in found:
                    if block.note.startswith("tested: "):  # a file that the page shows
                        scratch.file(block.note.removeprefix("tested: "), block.text + "\n")
                for line, kind, text in sorted(steps):
                    with self.subTest(f"{name}:{line}: {text}"):
                        if kind == "output":
                            if "fall.html" in text and not (scratch.path / "catena-demo/fall.html").exists():
                                self.skipTest("this tool was built without npm")
                            self.assertIsNone(difference(text, printed))
                        elif is_skipped(text):
                            self.check_places(text)
                        elif text.startswith("./python3") and not PYTHON_PACKAGE:
                            continue
                        elif kind == "inline" and not self.is_whole(text):
                            self.check_names(text)
                        elif kind == "inline":
                            self.run_line(scratch, text)
                        else:
                            self.assertRegex(text, COMMAND, "a line of a block of commands that is no command")
                            out = self.run_line(scratch, text)
                            printed = printed + out if line == previous + 1 else out
                            previous = line
        self.assertGreater(self.ran, 40)  # the pages were found and read

    def test_of_the_demo(self):
        """What `catena demo` says to try next."""
        with Scratch() as scratch:
            shown = scratch.run("catena demo").stdout.partition("Try next\n")[2]
            lines = re.findall(r"^  (catena .*)$", shown, re.M)
            self.assertGreater(len(lines), 2)
            for line in lines:
                with self.subTest(line):
                    self.run_line(scratch, line)
            for line in re.findall(r"then (catena .*)$", shown, re.M):
                with self.subTest(line):
                    self.run_line(scratch, line)

    def test_of_the_help_texts(self):
        self.assertGreater(len(self.tool), 15)
        for name, text in {"--help": self.overview, **self.tool}.items():
            examples = re.findall(r"^  ((?:source|catena) .*)$", re.split(r"Examples:|Start here:", text)[-1], re.M)
            self.assertGreater(len(examples), 0, f"catena {name} --help has no examples")
            with Scratch() as scratch:
                for example in examples:
                    with self.subTest(f"catena {name}: {example}"):
                        self.run_line(scratch, example)

    @unittest.skipUnless(importlib.util.find_spec("h5py"), "h5py is not installed")
    def test_of_a_recording_in_python(self):
        """The block that reads run.h5; the other blocks of Python run with the package's own tests."""
        block = next(b.text for b in blocks(ROOT / "docs" / "formats.md")[0] if "import h5py" in b.text)
        with Scratch() as scratch:
            scratch.prepare(["run.h5"])
            done = subprocess.run([sys.executable, "-c", block], cwd=scratch.path, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("q.elbow", done.stdout)

    def is_whole(self, command):
        """False for `catena inverse --trajectory`, which names a command and an option in a sentence."""
        words = words_of(command)
        return words[0] == "./python3" or words[1].startswith("-") or len(words) > 2 and not words[2].startswith("-")

    def check_places(self, command):
        """What is not run exists at least: scripts, and the sources of programs."""
        for word in words_of(command):
            if word.startswith(("./test", "./python3", "tools/", "bench/")):
                self.assertTrue((ROOT / word).exists(), word)
            elif word.startswith("build/bench/"):
                self.assertTrue((ROOT / word.removeprefix("build/bench/")).with_suffix(".cpp").exists(), word)

    def check_names(self, command):
        words = words_of(command)
        self.assertIn(words[1], self.tool, f"no such command: {command}")
        for word in words[2:]:
            if word.startswith("--"):
                self.assertIn(word, options_of(self.tool[words[1]]), f"no such option: {command}")

    @classmethod
    def setUpClass(cls):
        with Scratch() as scratch:
            cls.tool = commands_of_the_tool(scratch)
            cls.overview = scratch.run("catena --help").stdout


class Comparison(unittest.TestCase):
    """The rule by which shown and printed are compared, so that it cannot pass everything."""

    def test_of_what_is_shown(self):
        printed = "a  1.5 N m\nb  2\nc  3\ntook 7 ms, 11.7 digits, 3.1e-16\n"
        self.assertIsNone(difference("a 1.5 N m\n…\ntook 9 ms, 12.9 digits, 5e-17", printed))
        self.assertIsNone(difference("a  1.5 …\nb  2\n…", printed))
        for wrong in ("a  1.6 N m\n…", "a  1.5 N\n…", "a  1.5 N m", "…\nb  2", "a  1.5 N m\nc  3\n…", "…\ntook 7 s …",
                      "a  1.5 N m\nb  2\nc  3\ntook 7 ms, 11.7 digits, 3.1e-6", "…\nd …\n…"):
            self.assertIsNotNone(difference(wrong, printed), wrong)


if __name__ == "__main__":
    unittest.main()
