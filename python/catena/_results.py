"""Results of several parts: named tuples that can be pickled."""
import collections
import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Operations(NamedTuple):
    mul: int
    add: int
    div: int
    sqrt: int
    trig: int


class Pose(NamedTuple):
    R: Array
    p: Array


class Reactions(NamedTuple):
    """tau; joints, 6 x joints, a column for each of all_joints; base: wrenches as [moment; force]."""
    tau: Array
    joints: Array
    base: Array


class Trajectories(NamedTuple):
    q: Array
    v: Array


class InverseLinearization(NamedTuple):
    """d tau = M da + A_D dv + B_D dq."""
    M: Array
    A_D: Array
    B_D: Array

    @property
    def dtau_dq(self) -> Array:
        """The partial derivative of tau by q, B_D."""
        return self.B_D

    @property
    def dtau_dv(self) -> Array:
        """The partial derivative of tau by v, A_D."""
        return self.A_D

    @property
    def dtau_da(self) -> Array:
        """The partial derivative of tau by a, M."""
        return self.M


class ForwardLinearization(NamedTuple):
    """a, and da = M_inv d tau - A_C dv - B_C dq."""
    a: Array
    M_inv: Array
    A_C: Array
    B_C: Array

    @property
    def da_dq(self) -> Array:
        """The partial derivative of a by q, -B_C."""
        return -self.B_C

    @property
    def da_dv(self) -> Array:
        """The partial derivative of a by v, -A_C."""
        return -self.A_C

    @property
    def da_dtau(self) -> Array:
        """The partial derivative of a by tau, M_inv."""
        return self.M_inv


class NuAcceleration(NamedTuple):
    v: Array
    nu_dot: Array


class XiAcceleration(NamedTuple):
    v: Array
    xi_dot: Array


_all: tuple[Any, ...] = (Operations, Pose, Trajectories, InverseLinearization, ForwardLinearization, NuAcceleration,
                         XiAcceleration)
_types = {kind._fields: kind for kind in _all}


@functools.lru_cache(maxsize=None)
def result_type(name: str, fields: tuple[str, ...]) -> Any:
    """The named tuple of these fields. One that Python could not spell, such as a frame's name, is called _0, _1, ..."""
    if fields in _types:
        return _types[fields]
    kind: Any = collections.namedtuple(name, fields, rename=True)  # type: ignore[misc]
    return type(name, (kind,), {"__slots__": (), "__module__": "catena",
                                "__reduce__": lambda self: (_restore, (name, fields, tuple(self)))})


def _restore(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return result_type(name, fields)(*values)
