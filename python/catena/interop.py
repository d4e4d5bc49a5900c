"""States as other libraries write them: order of the joints, order of quaternions, axes and order of a free joint's velocity.

    from catena import interop

    interop.mujoco.to_q(robot, q)            # (nq,) or (B, nq), as MuJoCo has qpos
    interop.mujoco.from_v(robot, q, qvel)    # q in Catena's form, not qpos
    interop.ros.to_q(robot, q)               # {"shoulder": 0.3, ...}

names=: the other library's joints in its own order (model.names[1:] of Pinocchio, for example). Left out, it is the order that
the library gives to a URDF, where that is known; of a chain it is the same everywhere.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._catena import Model
from ._results import Array

__all__ = ["Library", "drake", "mujoco", "pinocchio", "rbdl", "ros"]

_ONE_NUMBER = ("revolute", "prismatic", "continuous")


class _Joint(NamedTuple):
    name: str
    type: str
    q: slice
    v: slice


def _rotation(quaternion: Array) -> Array:
    """R of unit quaternions (x, y, z, w), (..., 3, 3)."""
    x, y, z, w = np.moveaxis(quaternion, -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def _turned(R: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", R, x)


class Library:
    """The conventions of one library, and the changes to and from Catena's."""

    def __init__(self, name: str, *, wxyz: bool = False, quaternion_first: bool = False, linear_first: bool = False,
                 world_linear: bool = False, world_angular: bool = False, cos_sin: bool = False, w_last: bool = False,
                 ball: bool = True, order: str = "") -> None:
        self.name = name
        self._wxyz, self._quaternion_first, self._linear_first = wxyz, quaternion_first, linear_first
        self._world_linear, self._world_angular, self._cos_sin = world_linear, world_angular, cos_sin
        self._w_last, self._ball, self._order = w_last, ball, order

    def joints(self, model: Model, names: Sequence[str] | None = None) -> list[str]:
        """The joints that carry coordinates, in the order of the library."""
        return [joint.name for joint in self._joints(model, names)]

    def to_q(self, model: Model, q: ArrayLike, *, names: Sequence[str] | None = None) -> Array:
        """Catena's q in the library's form."""
        given = _of_size(q, model.nq, "q")
        parts: list[Array] = []
        last: list[Array] = []
        for joint in self._joints(model, names):
            x = given[..., joint.q]
            if joint.type == "free":
                turn = self._quaternion_to(x[..., 3:], last)
                parts += [turn, x[..., :3]] if self._quaternion_first else [x[..., :3], turn]
            elif joint.type == "spherical":
                parts.append(self._quaternion_to(x, last))
            elif joint.type == "planar":
                parts += [x[..., 1:], np.cos(x[..., :1]), np.sin(x[..., :1])]
            elif joint.type == "continuous" and self._cos_sin:
                parts += [np.cos(x), np.sin(x)]
            else:
                parts.append(x)
        return np.concatenate(parts + last, -1)

    def from_q(self, model: Model, q: ArrayLike, *, names: Sequence[str] | None = None) -> Array:
        """The library's q in Catena's form; angles from (cos, sin) lie within pi."""
        joints = self._joints(model, names)
        sizes = [self._width(joint) for joint in joints]
        balls = sum(joint.type in ("free", "spherical") for joint in joints) if self._w_last else 0
        given = _of_size(q, sum(sizes) + balls, f"q of {self.name}")
        out = np.empty((*given.shape[:-1], model.nq))
        at, w = 0, sum(sizes)
        for joint, size in zip(joints, sizes):
            x = given[..., at:at + size]
            at += size
            if joint.type in ("free", "spherical"):
                split = 4 - self._w_last if self._quaternion_first else size - (4 - self._w_last)
                first, second = x[..., :split], x[..., split:]
                turn, place = (first, second) if self._quaternion_first else (second, first)
                if self._w_last:
                    turn = np.concatenate([turn, given[..., w:w + 1]], -1)
                    w += 1
                elif self._wxyz:
                    turn = np.roll(turn, -1, -1)
                x = np.concatenate([place, turn], -1)
            elif joint.type == "planar":
                x = np.concatenate([np.arctan2(x[..., 3:], x[..., 2:3]), x[..., :2]], -1)
            elif joint.type == "continuous" and self._cos_sin:
                x = np.arctan2(x[..., 1:], x[..., :1])
            out[..., joint.q] = x
        return out

    def to_v(self, model: Model, q: ArrayLike, v: ArrayLike, *, names: Sequence[str] | None = None) -> Array:
        """Catena's v in the library's form; q in Catena's."""
        return self._changed(model, q, v, names, to=True)

    def from_v(self, model: Model, q: ArrayLike, v: ArrayLike, *, names: Sequence[str] | None = None) -> Array:
        """The library's v in Catena's form; q in Catena's."""
        return self._changed(model, q, v, names, to=False)

    def to_tau(self, model: Model, q: ArrayLike, tau: ArrayLike, *, names: Sequence[str] | None = None) -> Array:
        """Catena's joint forces in the library's form: the same power with its velocities."""
        return self._changed(model, q, tau, names, to=True)  # rotations and orders: the inverse is the transpose

    def from_tau(self, model: Model, q: ArrayLike, tau: ArrayLike, *, names: Sequence[str] | None = None) -> Array:
        """The library's joint forces in Catena's form."""
        return self._changed(model, q, tau, names, to=False)

    def _changed(self, model: Model, q: ArrayLike, v: ArrayLike, names: Sequence[str] | None, *, to: bool) -> Array:
        at_q, given = _of_size(q, model.nq, "q"), _of_size(v, model.nv, "v")
        shape = np.broadcast_shapes(at_q.shape[:-1], given.shape[:-1])
        out = np.empty((*shape, model.nv))
        at = 0
        for joint in self._joints(model, names):
            there = slice(at, at + joint.v.stop - joint.v.start)
            at = there.stop
            source, target = (joint.v, there) if to else (there, joint.v)
            x = given[..., source]
            if joint.type == "free":
                x = self._free(_rotation(at_q[..., joint.q][..., 3:]), x, to)
            elif joint.type == "planar":
                x = np.roll(x, -1 if to else 1, -1)
            out[..., target] = x
        return out

    def _free(self, R: Array, x: Array, to: bool) -> Array:
        if not to:
            R = np.swapaxes(R, -1, -2)
        if not to and self._linear_first:
            x = np.roll(x, 3, -1)
        angular, linear = x[..., :3], x[..., 3:]
        parts = [_turned(R, angular) if self._world_angular else angular,
                 _turned(R, linear) if self._world_linear else linear]
        shape = np.broadcast_shapes(*(part.shape for part in parts))
        changed = np.concatenate([np.broadcast_to(part, shape) for part in parts], -1)
        return np.roll(changed, 3, -1) if to and self._linear_first else changed

    def _quaternion_to(self, quaternion: Array, last: list[Array]) -> Array:
        if self._w_last:
            last.append(quaternion[..., 3:])
            return quaternion[..., :3]
        return np.roll(quaternion, 1, -1) if self._wxyz else quaternion

    def _width(self, joint: _Joint) -> int:
        if joint.type == "planar" or joint.type == "continuous" and self._cos_sin:
            return joint.q.stop - joint.q.start + 1
        return joint.q.stop - joint.q.start - (joint.type in ("free", "spherical") and self._w_last)

    def _joints(self, model: Model, names: Sequence[str] | None) -> list[_Joint]:
        known = {}
        for name in model.joints:
            what = model.joint(name)
            known[name] = _Joint(name, what["type"], what["q"], what["v"])
            self._require(model, known[name])
        if names is None:
            names = self._usual_order(model)
        missing = sorted(set(known) - set(names))
        if missing:
            raise ValueError(f"names leaves out {', '.join(missing)}")
        twice = sorted({name for name in names if list(names).count(name) > 1 and name in known})
        if twice:
            raise ValueError(f"names has {', '.join(twice)} more than once")
        return [known[name] for name in names if name in known]  # others: fixed joints, those of the other library alone

    def _require(self, model: Model, joint: _Joint) -> None:
        fits = joint.type in (*_ONE_NUMBER, "free") or joint.type == "spherical" and self._ball or \
            joint.type == "planar" and self._cos_sin
        if not fits:
            raise ValueError(f"joint '{joint.name}' of {model.name} is {joint.type}: {self.name} has no such joint, or writes it "
                             "in a way that is not known here")

    def _usual_order(self, model: Model) -> list[str]:
        joints = [model.joint(name) for name in model.all_joints]
        children: dict[str, list[dict[str, Any]]] = {}
        for joint in joints:
            children.setdefault(joint["parent"], []).append(joint)
        roots = [name for name in ["", *model.bodies] if name not in {joint["child"] for joint in joints}]
        branched = sum(name in children for name in roots) > 1 or any(len(of) > 1 for of in children.values())
        if branched and not self._order:
            raise ValueError(f"{model.name} branches, and the order that {self.name} gives its joints is its own affair: name "
                             "them, names=[...]")
        out: list[str] = []
        waiting = [joint for root in reversed(roots) for joint in reversed(self._sorted(children.get(root, [])))]
        while waiting:
            joint = waiting.pop()
            out.append(joint["name"])
            waiting += reversed(self._sorted(children.get(joint["child"], [])))
        return out

    def _sorted(self, joints: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return sorted(joints, key=lambda joint: str(joint["name"])) if self._order == "alphabetical" else joints

    def __repr__(self) -> str:
        return f"<catena.interop.{self.name}>"


def _of_size(x: ArrayLike, size: int, name: str) -> Array:
    array = np.asarray(x, dtype=np.float64)
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise ValueError(f"{name} has {size} numbers, (n,) or (B, n), not the shape {array.shape}; mimic joints carry none")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds a number that is not finite")
    return array


class Ros:
    """Joint states of ROS: numbers by the names of joints, for those with one number."""

    def to_q(self, model: Model, q: ArrayLike) -> dict[str, float]:
        """{"shoulder": 0.3, ...}; joints with several numbers are left out."""
        given = _of_size(q, model.nq, "q")
        return {name: float(given[model.joint(name)["q"]][0]) for name in _single(model)}

    def from_q(self, model: Model, names: Sequence[str], position: Sequence[float]) -> Array:
        """q of the name and position of a message; what it does not name stays neutral, other names are passed over."""
        if len(names) != len(position):
            raise ValueError(f"{len(names)} names and {len(position)} positions")
        q = model.neutral_configuration()
        single = set(_single(model))
        for name, value in zip(names, position):
            if name in single:
                q[model.joint(name)["q"]] = value
        return q


def _single(model: Model) -> list[str]:
    return [name for name in model.joints if model.joint(name)["type"] in _ONE_NUMBER]


#: q: position, quaternion (x, y, z, w), continuous joints as (cos, sin); v: [v; w] in body axes.
pinocchio = Library("pinocchio", linear_first=True, cos_sin=True, order="alphabetical")
#: qpos: position, quaternion (w, x, y, z); qvel: [v in world axes; w in body axes].
mujoco = Library("mujoco", wxyz=True, linear_first=True, world_linear=True, order="file")
#: q: quaternion (w, x, y, z), position; v: [w; v] in world axes.
drake = Library("drake", wxyz=True, quaternion_first=True, world_linear=True, world_angular=True, ball=False)
#: q: position, (x, y, z) of the quaternion, its w behind all other numbers; qdot: [v in world axes; w in body axes].
rbdl = Library("rbdl", linear_first=True, world_linear=True, w_last=True)
ros = Ros()
