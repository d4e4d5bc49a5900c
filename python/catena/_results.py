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


class DiagonalTerms(NamedTuple):
    """D xi_dot + C_xi + G_xi + F_xi = kappa, and nu_dot + C_nu + G_nu + F_nu = epsilon."""
    xi: Array
    nu: Array
    kappa: Array
    epsilon: Array
    C_xi: Array
    C_nu: Array
    G_xi: Array
    G_nu: Array
    F_xi: Array
    F_nu: Array
    xi_dot: Array
    nu_dot: Array


class DiagonalFactors(NamedTuple):
    """M = U D U' = m m', l = m^-1."""
    U: Array
    D: Array
    m: Array
    l: Array


class StateSpace(NamedTuple):
    """x_dot = A x + B u or, sampled, x_next = A x + B u."""
    A: Array
    B: Array


class Sensitivity(NamedTuple):
    """derivative[:, c]: by the parameter names[c]."""
    names: list[str]
    derivative: Array


class TrajectorySensitivity(NamedTuple):
    """S[k] = d(q, v)/dp at times[k], where the state is q[k], v[k]: rows by parameters."""
    times: Array
    q: Array
    v: Array
    S: Array
    rows: list[str]
    parameters: list[str]


class DenavitHartenberg(NamedTuple):
    """Rows (a, alpha, d, theta) of both conventions; base and tools: 4 x 4 poses of the frames at both ends."""
    joints: list[str]
    types: list[str]
    standard: Array
    modified: Array
    base: Array
    tools: dict[str, Array]


class BaseParameters(NamedTuple):
    """Y = Y[:, independent] @ combination for every state; pivots on either side of the cut, relative to the first."""
    independent: list[int]
    combination: Array
    last_kept: float
    first_dropped: float

    @property
    def rank(self) -> int:
        """How many numbers joint forces can tell."""
        return len(self.independent)


class ChristoffelSymbols(NamedTuple):
    """first[k, i, j] = [ij, k], second[l, i, j] = {l; ij}."""
    first: Array
    second: Array


class Curvature(NamedTuple):
    """Riemann symbols of M: values[s] is R_hijk with (h, i, j, k) = indices[s]; those that are independent."""
    M: Array
    indices: NDArray[np.int64]
    values: Array
    bounds: Array

    @property
    def flat(self) -> bool:
        """Whether every symbol is zero within its bound, at this q."""
        return bool(np.all(np.abs(self.values) <= self.bounds))

    def tensor(self) -> Array:
        """All n^4 symbols, R[h, i, j, k]."""
        n = len(self.M)
        R = np.zeros((n, n, n, n))
        h, i, j, k = self.indices.T
        _with_symmetries(R, h, i, j, k, self.values)
        # those that follow from the others: R_hijk + R_hjki + R_hkij = 0
        h, i, j, k = np.indices((n, n, n, n)).reshape(4, -1)
        missing = (h < j) & (j < k) & (k < i)
        h, i, j, k = h[missing], i[missing], j[missing], k[missing]
        _with_symmetries(R, h, i, j, k, R[h, j, i, k] - R[h, k, i, j])
        return R


def _with_symmetries(R: Array, h: Any, i: Any, j: Any, k: Any, values: Array) -> None:
    """Antisymmetric within each pair of indices, symmetric under exchange of the pairs."""
    for a, b, c, d in ((h, i, j, k), (j, k, h, i)):
        R[a, b, c, d] = R[b, a, d, c] = values
        R[b, a, c, d] = R[a, b, d, c] = -values


class SectionalCurvature(NamedTuple):
    """planes[h, i]: of the plane of coordinates h and i; lowest and highest bound all planes."""
    planes: Array
    lowest: float
    highest: float
    scalar: float


class Flatness(NamedTuple):
    """flat: at every sample; q and curvature: those of the sample furthest from it."""
    flat: bool
    samples: int
    q: Array
    curvature: Curvature


class PairCurvature(NamedTuple):
    """How far from flat each pair of joints is over the workspace, rad; range of each joint, rad or m."""
    mean: Array
    largest: Array
    range: Array
    samples: int


class FlatCoordinates(NamedTuple):
    """theta_dot = J v = Q nu, J.T @ J = M; theta = 0 at q0. Errors are relative."""
    theta: Array
    J: Array
    Q: Array
    metric_error: float
    path_error: float


_all: tuple[Any, ...] = (Operations, Pose, Reactions, Trajectories, InverseLinearization, ForwardLinearization,
                         NuAcceleration, XiAcceleration, DiagonalTerms, DiagonalFactors, StateSpace, Sensitivity,
                         TrajectorySensitivity, DenavitHartenberg, BaseParameters, ChristoffelSymbols, Curvature,
                         SectionalCurvature, Flatness, PairCurvature, FlatCoordinates)
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
