"""Runs: what a simulation has recorded, by name."""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _catena
from ._catena import Model
from ._results import Array
from ._robots import plain
from ._tool import command

Controller = Callable[[float, Array, Array], ArrayLike]


class Event(NamedTuple):
    """Something that happened during a run, such as a joint that met its limit."""
    time: float
    what: str


class Columns(Mapping[str, Array]):
    """Numbers over time, by the names of the joints: run.q["elbow"], run.q["ball"] (rows, 4); np.asarray(run.q) is all."""

    def __init__(self, names: list[str], values: Array) -> None:
        self._names, self._values = names, values

    def __getitem__(self, name: str) -> Array:
        if name in self._names:
            return self._values[:, self._names.index(name)]
        parts = [k for k, column in enumerate(self._names) if column.startswith(name + ".")]
        if not parts:
            raise KeyError(f"{name!r}; there are {', '.join(self._names)}")
        return self._values[:, parts]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._values, dtype=dtype) if copy else np.asarray(self._values, dtype=dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, numbers)."""
        return self._values.shape

    def __repr__(self) -> str:
        return f"<columns {', '.join(self._names)}; {len(self._values)} rows>"


class Run:
    """A simulated or recorded motion. Columns by name: run["q.elbow"]; families of them: run.q["elbow"], run.energy.

    >>> import catena
    >>> run = catena.load("planar_3r").simulate(duration=0.1, every=0.05)
    >>> run.q.shape
    (3, 3)
    >>> run.units["v.joint1"]
    'rad/s'
    """

    def __init__(self, columns: list[tuple[str, str]], notes: list[tuple[str, str]], values: Array,
                 model: Model | None = None, facts: Mapping[str, Any] | None = None) -> None:
        facts = facts or {}
        self.columns: list[str] = [name for name, _ in columns]
        self.units: dict[str, str] = dict(columns)
        self.values: Array = values
        self.notes: dict[str, str] = dict(notes)
        self.reason: str = facts.get("reason", "")
        self.finished: bool = facts.get("finished", True)
        self.steps: int = facts.get("steps", 0)
        self.rejected: int = facts.get("rejected", 0)
        self.evaluations: int = facts.get("evaluations", 0)
        self.energies: dict[str, float] = facts.get("energies", {})
        self.drift: float = facts.get("drift", float("nan"))
        self.events: list[Event] = [Event(*event) for event in facts.get("events", [])]
        self.warnings: list[str] = list(facts.get("warnings", []))
        self._model = model

    @property
    def model(self) -> Model:
        """The robot that moved."""
        if self._model is None:
            if "robot" in self.notes:
                self._model = _catena.loads(self.notes["robot"])
            elif "model" in self.notes:
                self._model = _catena.load(self.notes["model"])
            else:
                raise ValueError("the recording does not say whose motion it is")
        return self._model

    @property
    def time(self) -> Array:
        """The instants of the rows (s)."""
        return self["time"]

    def __getitem__(self, name: str) -> Array:
        if name not in self.units:
            raise KeyError(f"{name!r}; there are {', '.join(self.columns)}")
        return self.values[:, self.columns.index(name)]

    def family(self, prefix: str) -> Columns:
        """The columns that begin with "prefix.", by what follows: family("q")["elbow"]."""
        chosen = [k for k, name in enumerate(self.columns) if name.startswith(prefix + ".")]
        if not chosen:
            raise ValueError(f"nothing called {prefix} was recorded: there are {', '.join(self.columns)}")
        return Columns([self.columns[k][len(prefix) + 1:] for k in chosen], self.values[:, chosen])

    @property
    def q(self) -> Columns:
        """Positions (rad, m; quaternions)."""
        return self.family("q")

    @property
    def v(self) -> Columns:
        """Velocities (rad/s, m/s)."""
        return self.family("v")

    @property
    def tau(self) -> Columns:
        """Joint forces (N m, N)."""
        return self.family("tau")

    @property
    def a(self) -> Columns:
        """Accelerations, if record=["a"] asked for them."""
        return self.family("a")

    @property
    def energy(self) -> Columns:
        """kinetic, potential, work, dissipated, balance (J)."""
        return self.family("energy")

    def __len__(self) -> int:
        return len(self.values)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the time as its index."""
        import pandas  # type: ignore

        frame = pandas.DataFrame(self.values, columns=self.columns)
        return frame.set_index("time") if "time" in self.units else frame

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes a recording, .h5 or .csv, that `catena plot` and `catena view` take. force: replaces a file."""
        _catena._write_recording(path, list(self.units.items()), list(self.notes.items()), self.values, force)

    def plot(self, path: str | os.PathLike[str] | None = None, *, show: str | list[str] | None = None,
             title: str | None = None, force: bool = False) -> str:
        """The curves as SVG: the text of the picture, or a file (.svg, .png) whose name is given back."""
        return self._drawn("plot", ".svg", path, show=show, title=title, force=force)

    def show(self, path: str | os.PathLike[str] | None = None, *, force: bool = False) -> str:
        """The motion in 3-D with its curves, as one page: its text, or a file whose name is given back."""
        return self._drawn("view", ".html", path, force=force)

    def _drawn(self, what: str, ending: str, path: str | os.PathLike[str] | None, **options: Any) -> str:
        with tempfile.TemporaryDirectory() as folder:
            recording = os.path.join(folder, "run.csv")
            self.save(recording)
            target = os.path.join(folder, "drawn" + ending) if path is None else os.fspath(path)
            command(what, recording, output=target, text=True, **options)
            if path is not None:
                return target
            with open(target, encoding="utf-8") as file:
                return file.read()

    def _repr_svg_(self) -> str:
        return self.plot()

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self) else "no time"
        return f"<catena.Run of {self.notes.get('model', 'a robot')}: {len(self)} rows, {span}>"


def toml(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml(str(key))} = {toml(item)}" for key, item in value.items() if item is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    raise TypeError(f"a scenario holds numbers, texts, lists and dicts, not {type(value).__name__}")


def run(scenario: Mapping[str, Any], robot: Model | None, controller: Controller | None,
        progress: Callable[[float], Any] | None, file: str) -> Run:
    text = "".join(f"{toml(str(key))} = {toml(value)}\n" for key, value in plain(scenario).items() if value is not None)
    model, columns, notes, values, facts = _catena._simulate(robot, text, file, controller, progress)
    return Run(columns, notes, values, model, facts)


def simulate(model: Model, /, q: ArrayLike | None = None, v: ArrayLike | None = None, *, duration: float = 1,
             every: float | None = None, tau: ArrayLike | None = None,
             controller: Controller | Mapping[str, Any] | None = None, progress: Callable[[float], Any] | None = None,
             **scenario: Any) -> Run:
    """Model.simulate: a scenario whose robot is there already."""
    whole: dict[str, Any] = {"duration": duration, "every": every, **scenario}
    if q is not None or v is not None:
        whole["start"] = {"q": q, "v": v}
    function = controller if callable(controller) else None
    drive: dict[str, Any] = dict(scenario.get("input") or {})
    if isinstance(controller, Mapping):
        drive.update(controller)
    elif controller is not None and function is None:
        raise TypeError("controller is a function of (t, q, v), or a dict like {'kind': 'pd', 'stiffness': 100}")
    if sum((tau is not None, controller is not None)) > 1:
        raise ValueError("tau and controller both drive the joints: leave one out")
    if tau is not None:
        drive.update(kind="constant", tau=tau)
    if function is not None:
        if "kind" in drive:
            raise ValueError(f"input says {drive['kind']}, and controller is a function: leave one out")
        drive["kind"] = "zero"
    if drive:
        whole["input"] = drive
    return run(whole, model, function, progress, "simulate()")


def simulate_scenario(scenario: str | os.PathLike[str] | Mapping[str, Any], *, controller: Controller | None = None,
                      progress: Callable[[float], Any] | None = None) -> Run:
    """Runs a scenario: a TOML file, or its tables as a dict (docs/simulation.md).

    controller: a function of (t, q, v) that returns joint forces, instead of the scenario's [input]; sampled where [input]
    has a period. progress: called now and then with the time; the run ends when it returns False. Ctrl-C ends it too.

    >>> import catena
    >>> run = catena.simulate({"model": "planar_3r", "duration": 0.2, "every": 0.1})
    >>> run.time
    array([0. , 0.1, 0.2])
    """
    if isinstance(scenario, Mapping):
        return run(scenario, None, controller, progress, "scenario")
    if isinstance(scenario, Model):
        raise TypeError("catena.simulate() takes a scenario; of a robot there is simulate() itself: arm.simulate(q, duration=1)")
    try:
        with open(scenario, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise _catena.FileError(f"{os.fspath(scenario)}: {error.strerror}; check the name and the folder") from error
    model, columns, notes, values, facts = _catena._simulate(None, text, os.fspath(scenario), controller, progress)
    return Run(columns, notes, values, model, facts)


def read_recording(path: str | os.PathLike[str]) -> Run:
    """A recording (.h5, .csv) of `catena simulate`, of Run.save(), or any CSV with a header line."""
    return Run(*_catena._read_recording(path))
