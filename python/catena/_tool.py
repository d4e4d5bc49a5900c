"""The command line tool as functions: `catena verify arm7 --states 100 --json` is command("verify", "arm7", states=100)."""
from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _catena
from ._catena import Model


@contextmanager
def _words(values: tuple[Any, ...]) -> Iterator[list[str]]:
    """What stands on a command line; a Model becomes a file."""
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for k, value in enumerate(values):
            if isinstance(value, Model):
                path = os.path.join(folder, f"robot{k}.toml")
                value.save(path)
                words.append(path)
            else:
                words.append(_text(value))
        yield words


def _text(value: Any) -> str:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(item) for item in np.asarray(value).tolist())
    return repr(value) if isinstance(value, float) else str(value)


def command(name: str, *arguments: Any, text: bool = False, **options: Any) -> Any:
    """Any command of the tool; what it answers as a dict, or as the text that it prints.

    arguments: robots (names, files, Models) and files; options: those of the command line, with _ for -.

    >>> import catena
    >>> catena.command("verify", "planar_3r", states=1)["passed"]
    True
    >>> "joint3" in catena.command("info", "stanford_arm", text=True)
    True
    """
    known = _catena._tool_options(name)
    with _words(arguments) as words:
        line = [name, *words]
        for key, value in options.items():
            flag = "--" + key.replace("_", "-")
            if value is None or value is False:
                continue
            if value is True and not known.get(flag, False):
                line.append(flag)
            else:
                for item in value if isinstance(value, list) and value and isinstance(value[0], str) else [value]:
                    line += [flag, _text(item)]
        as_json = not text and "--json" in known
        _, answer = _catena._run_tool(line + ["--json"] if as_json else line)
    return json.loads(answer) if as_json and answer else answer


def verify(robot: Any, *, states: int = 20, seed: int = 1, **options: Any) -> dict[str, Any]:
    """Every independent algorithm on random states of a robot: {"passed": ..., "checks": [{"name", "error", "bound"}]}.

    >>> import catena
    >>> catena.verify(catena.load("planar_3r"), states=1)["passed"]
    True
    """
    answer: dict[str, Any] = command("verify", robot, states=states, seed=seed, **options)
    return answer


def count(robot: Any = None, **options: Any) -> dict[str, Any]:
    """Multiplications and additions of every algorithm: on a robot, as formulas in n, beside the papers' tables.

    >>> import catena
    >>> catena.count("planar_3r")["counts"]["inverse"]["mul"] > 0
    True
    >>> catena.count()["crossovers"][0]["from"]    # Saha's Table 2: O(n) takes fewer operations from this n on
    12
    """
    answer: dict[str, Any] = command("count", *([] if robot is None else [robot]), **options)
    return answer


def convert(robot: Any, target: str | os.PathLike[str], *, force: bool = False, **options: Any) -> dict[str, Any]:
    """Writes a robot to a file of another format (.urdf, .toml), and says how far the two agree."""
    answer: dict[str, Any] = command("convert", robot, target, force=force, **options)
    return answer


def show(model: Model, path: str | os.PathLike[str], *, q: ArrayLike | None = None, force: bool = False) -> None:
    command("view", model, output=path, q=q, force=force, text=True)


def _repr_html_(model: Model) -> str:
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "robot.html")
        show(model, page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
    return (f'<iframe srcdoc="{html.escape(text)}" style="width: 100%; height: 480px; border: 0" '
            f'title="{html.escape(model.name)}"></iframe>')
