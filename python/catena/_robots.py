"""Robots written in Python: body by body, or as changes of another robot."""
from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _catena
from ._catena import Model


class Finding(NamedTuple):
    """What is wrong, or worth knowing, about a robot's file."""
    severity: str
    code: str
    file: str
    line: int
    body: str
    message: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        body = f"'{self.body}': " if self.body else ""
        return f"{place}{self.severity}: {body}{self.message}" + (f"; {self.remedy}" if self.remedy else "")


def doctor(robot: Any, *, floating: bool = False) -> list[Finding]:
    """All that is wrong, or worth knowing, about a robot: of a file or a Model, errors included.

    >>> import catena
    >>> catena.doctor("arm7")
    []
    """
    found = _catena._findings(robot) if isinstance(robot, Model) else _catena._examine(robot, floating)
    return [Finding(*finding) for finding in found]


def restored(text: str) -> Model:
    """What a pickle calls: a Model from its TOML."""
    return _catena.loads(text)


def to_dict(model: Model) -> dict[str, Any]:
    import tomllib  # from Python 3.11 on

    return tomllib.loads(model.to_toml())


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dicts, of whatever numpy and others make of them."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [plain(item) for item in value]
    return value


class Robot:
    """A robot being written; build() makes the Model.

    The keys of a body are those of [[body]] in a TOML file (docs/formats.md): joint, axis, position, rpy, mass, com,
    inertia, limits, damping, friction, mimic, ...

    >>> import catena
    >>> arm = catena.Robot("two links")
    >>> _ = arm.add_body("upper", joint="revolute", joint_name="shoulder", axis=(0, 1, 0), mass=2, com=(0, 0, -0.25),
    ...                  inertia=(0.04, 0.04, 0.001))
    >>> _ = arm.add_body("lower", parent="upper", joint="revolute", joint_name="elbow", axis=(0, 1, 0),
    ...                  position=(0, 0, -0.5), mass=1, com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.001), damping=0.1)
    >>> arm.build().joints
    ['shoulder', 'elbow']
    """

    def __init__(self, name: str = "robot", *, gravity: Sequence[float] = (0, 0, -9.81)) -> None:
        self._data: dict[str, Any] = {"name": name, "gravity": list(gravity), "body": [], "frame": []}

    @classmethod
    def of(cls, model: Model) -> Robot:
        """A robot that begins as another one.

        >>> import catena
        >>> len(catena.Robot.of(catena.load("arm7")).bodies)
        8
        """
        robot = cls(model.name)
        robot._data.update(to_dict(model))
        robot._data.setdefault("frame", [])
        return robot

    def copy(self) -> Robot:
        """Another one that can be changed by itself."""
        robot = Robot()
        robot._data = copy.deepcopy(self._data)
        return robot

    @property
    def name(self) -> str:
        """Its name."""
        return str(self._data["name"])

    @property
    def bodies(self) -> list[str]:
        """Names of its bodies."""
        return [str(body["name"]) for body in self._data["body"]]

    def add_body(self, name: str, **keys: Any) -> Robot:
        """Adds a body with the joint that carries it; without joint= and parent= it stands on the ground."""
        self._data["body"].append(plain({"name": name, **keys}))
        return self

    def add_frame(self, name: str, body: str, **keys: Any) -> Robot:
        """Adds a named frame on a body: position=, rpy=."""
        self._data["frame"].append(plain({"name": name, "body": body, **keys}))
        return self

    def change_body(self, name: str, **keys: Any) -> Robot:
        """Other values for keys of a body; None takes a key away."""
        body = self._body(name)
        for key, value in plain(keys).items():
            if value is None:
                body.pop(key, None)
            else:
                body[key] = value
        return self

    def remove(self, name: str) -> Robot:
        """Takes a body away, with all that hangs on it."""
        gone = {self._body(name)["name"]}
        while more := {body["name"] for body in self._data["body"] if body.get("parent") in gone} - gone:
            gone |= more
        self._data["body"] = [body for body in self._data["body"] if body["name"] not in gone]
        self._data["frame"] = [frame for frame in self._data["frame"] if frame["body"] not in gone]
        return self

    def lock(self, **positions: ArrayLike) -> Robot:
        """Makes joints fixed there, and their mimic joints: lock(elbow=1.2), or lock(**{"a.b": 0}) for any name."""
        model = self.build()
        q = model.neutral_configuration()
        for joint, value in positions.items():
            where = model.joint(joint)["q"]
            if where is None:
                raise ValueError(f"joint '{joint}' carries no coordinate: it is fixed or a mimic joint")
            q[where] = value
        for what in self._with_mimics(model, set(positions)):
            body = self._body(what["child"])
            parent = model.pose(what["parent"], q) if what["parent"] else (np.eye(3), np.zeros(3))
            child = model.pose(what["child"], q)
            for key in ("position", "p", "rpy", "R", "quaternion", "body_position", "body_rpy", "body_R",
                        "body_quaternion", "axis", "second_axis", "sequence", "pitch", "limits", "damping", "friction",
                        "friction_scale", "rotor_inertia", "gear_ratio", "stiffness", "rest", "mimic"):
                body.pop(key, None)
            body["joint"] = "fixed"
            body["R"] = (parent[0].T @ child[0]).tolist()
            body["position"] = (parent[0].T @ (child[1] - parent[1])).tolist()
        return self

    @staticmethod
    def _with_mimics(model: Model, names: set[str]) -> list[dict[str, Any]]:
        """Those joints, and the ones that mimic them."""
        joints = [model.joint(name) for name in model.all_joints]
        while more := {joint["name"] for joint in joints if joint["mimic"] and joint["mimic"]["joint"] in names} - names:
            names = names | more
        return [joint for joint in joints if joint["name"] in names]

    def merge(self, other: Robot | Model, *, on: str, prefix: str = "") -> Robot:
        """Mounts another robot, such as a gripper, on a body or frame of this one. prefix: before all of its names."""
        part = (other.copy() if isinstance(other, Robot) else Robot.of(other))._data
        mount: dict[str, Any] = {"parent": on}
        for frame in self._data["frame"]:
            if frame["name"] == on:
                mount = {key: value for key, value in frame.items() if key not in ("name", "body")}
                mount["parent"] = frame["body"]
        if mount["parent"] not in self.bodies:
            raise ValueError(f"there is no body or frame '{on}' to mount {part['name']} on")
        names = {body["name"] for body in part["body"]}
        for body in part["body"]:
            body.setdefault("joint_name", body["name"] + "_joint")
            body["joint_name"] = prefix + body["joint_name"]
            if "mimic" in body:
                body["mimic"]["joint"] = prefix + body["mimic"]["joint"]
            if body.get("parent") in names:
                body["parent"] = prefix + body["parent"]
            elif body.get("joint", "fixed") == "fixed" and not any(key in body for key in ("position", "p", "rpy", "R", "quaternion")):
                body.update(mount)
            else:
                raise ValueError(f"the root of {part['name']}, '{body['name']}', moves against the ground or stands "
                                 "beside its origin: give it a root body at the origin")
            body["name"] = prefix + body["name"]
        for frame in part.get("frame", []):
            self._data["frame"].append({**frame, "name": prefix + frame["name"], "body": prefix + frame["body"]})
        self._data["body"] += part["body"]
        return self

    def build(self, *, floating: bool = False, strict: bool = False) -> Model:
        """The Model; raises ModelError with all that is wrong."""
        return _catena.loads(json.dumps(plain(self._data)), floating=floating, strict=strict)

    def _body(self, name: str) -> dict[str, Any]:
        for body in self._data["body"]:
            if body["name"] == name:
                found: dict[str, Any] = body
                return found
        raise ValueError(f"there is no body '{name}'; there are {', '.join(self.bodies)}")

    def __repr__(self) -> str:
        return f"<catena.Robot {self.name}: {len(self.bodies)} bodies, being written>"
