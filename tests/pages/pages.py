"""What the tests of the pages share: the blocks of a page, the examples of a help text, the tool in a scratch folder."""
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(os.environ["CATENA_BINARY"])
PYTHON_PACKAGE = os.environ.get("CATENA_PYTHON_PACKAGE", "")  # empty: built without it

# A robot of three coordinates with a frame, and what the examples ask of it. No finding: `doctor --strict` is an example.
ROBOT = """<robot name="robot">
<link name="base"><inertial><mass value="3"/><inertia ixx="0.02" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
%s<link name="tool"/>
<joint name="flange" type="fixed"><parent link="forearm"/><child link="tool"/><origin xyz="0.3 0 0"/></joint>
</robot>
""" % "".join(
    f"""<link name="{link}"><inertial><origin xyz="0.15 0 0"/><mass value="{mass}"/><inertia ixx="0.002" iyy="0.012"
 izz="0.013" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{joint}" type="revolute"><parent link="{parent}"/><child link="{link}"/><origin xyz="{at} 0 {up}"/>
<axis xyz="{axis}"/><limit lower="-3" upper="3" velocity="2" effort="{effort}"/><dynamics damping="0.1" friction="0.2"/></joint>
"""
    for link, joint, parent, at, up, axis, mass, effort in [
        ("column", "waist", "base", 0, 0.1, "0 0 1", 2, 50), ("upper_arm", "shoulder", "column", 0, 0.2, "0 1 0", 1.5, 40),
        ("forearm", "elbow", "upper_arm", 0.3, 0, "0 1 0", 1, 20)])
MOTION = "time,q.waist,q.shoulder,q.elbow\n" + "".join(f"{t / 10},{0.001 * t * t},{-0.002 * t * t},{0.01 * t}\n"
                                                       for t in range(11))
SCENARIO = 'model = "robot.urdf"\nduration = 0.5\nevery = 0.05\nrecord = ["nu"]\n'


@dataclass
class Block:
    """A fenced or indented block of a page; `note` is the comment <!-- note --> on the line above it."""
    line: int
    language: str
    text: str
    note: str


def all_pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page):
    """The blocks of a page, and its text with the blocks blanked out (so that lines keep their numbers)."""
    lines = page.read_text().split("\n")
    found, prose, i = [], list(lines), 0
    while i < len(lines):
        fence = re.match(r"```(\w*)$", lines[i])
        indented = re.match(r"    \S", lines[i]) and (i == 0 or lines[i - 1] == "")
        if fence:
            end = lines.index("```", i + 1)
            body = range(i + 1, end)
        elif indented:
            end = i
            while end + 1 < len(lines) and lines[end + 1].startswith("    "):
                end += 1
            body = range(i, end + 1)
        else:
            i += 1
            continue
        note = re.match(r"<!-- (.*) -->$", lines[i - 1]) if i > 0 else None
        cut = 0 if fence else 4
        found.append(Block(body[0] + 1 if len(body) else i + 1, fence.group(1) if fence else "",
                           "\n".join(lines[k][cut:] for k in body), note.group(1) if note else ""))
        for k in range(i, end + 1):
            prose[k] = ""
        i = end + 1
    return found, "\n".join(prose)


class Scratch:
    """A folder with the tool and the package in it, as a newcomer's copy of the project looks to the pages."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="catena_pages_")
        self.path = Path(self._folder.name)
        bin = self.path / ".bin"
        bin.mkdir()
        for place in (bin / "catena", self.path / "catena"):
            place.symlink_to(TOOL)
        for name in ("scenarios", "examples", "models", "bench"):
            (self.path / name).symlink_to(ROOT / name)
        for name in (".zfunc", ".config/fish/completions"):  # where the shells look for completions
            (self.path / name).mkdir(parents=True)
        python = self.path / "python3"
        python.write_text(f"#!/bin/sh\nPYTHONDONTWRITEBYTECODE=1 PYTHONPATH={PYTHON_PACKAGE} exec /usr/bin/python3 \"$@\"\n")
        python.chmod(0o755)
        self.environment = {"PATH": f"{bin}:/usr/bin:/bin", "HOME": str(self.path), "LANG": "C.UTF-8", "NO_COLOR": "1"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def run(self, command, timeout=120):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.path, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)

    @staticmethod
    def lacks_viewer(done):
        """A tool built where npm was missing has no page to write."""
        return "was built without its viewer" in done.stderr

    def file(self, name, text):
        (self.path / name).write_text(text)

    def prepare(self, words):
        """Files that the words of a command name and that the reader of a page is supposed to have."""
        for before, word in zip([""] + words, words):
            if before in ("-o", "--output", "--fix") or (self.path / word).exists():
                continue
            if word in ("robot.urdf", "my_robot.urdf"):
                self.file(word, ROBOT)
            elif word == "pose.json":
                self.file(word, '{"q": {"elbow": 0.5}, "v": [0.1, 0, 0]}')
            elif word == "motion.csv":
                self.file(word, MOTION)
            elif word == "untimed.csv":  # q, v and a, the second row beyond a limit
                self.file(word, ",".join(f"{x}.{j}" for x in "qva" for j in ("waist", "shoulder", "elbow")) +
                          "\n0,0,0,0,0,0,0,0,0\n0,4,0,0,0,0,0,0,0\n")
            elif word == "plain.urdf":  # a shape without a colour
                self.file(word, '<robot name="plain"><link name="ball"><visual><geometry><sphere radius="0.1"/></geometry>'
                                "</visual></link></robot>")
            elif word == "scenario.toml":
                self.file("robot.urdf", ROBOT)
                self.file(word, SCENARIO)
            elif word in ("run.csv", "run.h5"):
                self.prepare(["scenario.toml"])
                self.run(f"catena simulate scenario.toml --output {word}")


def commands_of_the_tool(scratch):
    """Name to help text, as `catena --help` lists them."""
    overview = scratch.run("catena --help").stdout
    listed = overview[overview.index("Commands:\n"):].split("\n\n")[0]
    return {name: scratch.run(f"catena {name} --help").stdout for name in re.findall(r"^  (\w+) ", listed, re.M)}


def options_of(help_text):
    """Options in a help text: name to whether it takes a value. --help is every command's."""
    found = re.findall(r"^  (?:-\w,)?(--[\w-]+)(?:,-\w)?( [^\s].*?)?(?:  |$)", help_text, re.M)
    return {name: bool(value.strip()) for name, value in found if name != "--help"}
