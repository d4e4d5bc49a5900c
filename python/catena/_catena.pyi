"""Types of the compiled part, for editors and checkers. Arrays are float64; n stands for nq or nv, B for states."""
from os import PathLike
from typing import Any, Literal, NamedTuple, NoReturn, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Out = Array | Sequence[Array | None] | None
Backend = Literal["automatic", "lanes", "compiled", "plain"]

__version__: str

class ModelError(ValueError):
    findings: list[str]

class NumericalError(ArithmeticError):
    body: str

class Operations(NamedTuple):
    mul: int
    add: int
    div: int
    sqrt: int
    trig: int

class Pose(NamedTuple):
    R: Array
    p: Array

class Trajectories(NamedTuple):
    q: Array
    v: Array

class InverseLinearization(NamedTuple):
    M: Array
    A_D: Array
    B_D: Array

class ForwardLinearization(NamedTuple):
    a: Array
    M_inv: Array
    A_C: Array
    B_C: Array

class QuasiAcceleration(NamedTuple):
    v: Array
    nu_dot: Array

class CompiledFunction:
    def __new__(cls) -> NoReturn: ...  # the library makes them
    name: str
    model: Model
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    operations: Operations
    method: str
    is_machine_code: bool
    lanes: int
    def __call__(self, *args: ArrayLike, out: Out = None, **named: ArrayLike) -> Any: ...
    def c_source(self, *, name: str = "", single: bool = False, cpp: bool = False) -> dict[str, str]: ...

class CompiledModel:
    def __new__(cls) -> NoReturn: ...  # the library makes them
    model: Model
    def __getattr__(self, name: str) -> CompiledFunction: ...

class Batch:
    def __new__(cls) -> NoReturn: ...  # the library makes them
    name: str
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    backend: Backend
    lanes: int
    threads: int
    def __call__(self, *args: ArrayLike, out: Out = None, **named: ArrayLike) -> Any: ...

class Rollout:
    def __new__(cls) -> NoReturn: ...  # the library makes them
    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, *, steps: int | None = None,
                 every: int = 0) -> Trajectories: ...

class Model:
    def __new__(cls) -> NoReturn: ...  # the library makes them
    name: str
    nq: int
    nv: int
    joints: list[str]
    position_names: list[str]
    velocity_names: list[str]
    frames: list[str]
    tip_frame: str
    functions: list[str]
    gravity_vector: Array
    mass: float
    findings: list[str]
    def with_gravity(self, gravity: Sequence[float]) -> Model: ...

    def inverse(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Out = None) -> Array: ...
    def gravity(self, q: ArrayLike, *, out: Out = None) -> Array: ...
    def coriolis(self, q: ArrayLike, v: ArrayLike, *, out: Out = None) -> Array: ...
    def bias(self, q: ArrayLike, v: ArrayLike, *, out: Out = None) -> Array: ...
    def mass_matrix(self, q: ArrayLike, *, out: Out = None) -> Array: ...
    def mass_matrix_inverse(self, q: ArrayLike, *, out: Out = None) -> Array: ...
    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, *, out: Out = None) -> Array: ...
    def forward(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: Out = None) -> Array: ...
    def linearize_inverse(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *,
                          out: Out = None) -> InverseLinearization: ...
    def linearize_forward(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *,
                          out: Out = None) -> ForwardLinearization: ...
    def nu(self, q: ArrayLike, v: ArrayLike, *, out: Out = None) -> Array: ...
    def epsilon(self, q: ArrayLike, tau: ArrayLike, *, out: Out = None) -> Array: ...
    def forward_nu(self, q: ArrayLike, nu: ArrayLike, tau: ArrayLike, *, out: Out = None) -> QuasiAcceleration: ...
    def xi(self, q: ArrayLike, v: ArrayLike, *, out: Out = None) -> Array: ...
    def kappa(self, q: ArrayLike, tau: ArrayLike, *, out: Out = None) -> Array: ...
    def forward_xi(self, q: ArrayLike, xi: ArrayLike, tau: ArrayLike, *, out: Out = None) -> Any: ...
    def velocity_from_nu(self, q: ArrayLike, nu: ArrayLike, *, out: Out = None) -> Array: ...
    def velocity_from_xi(self, q: ArrayLike, xi: ArrayLike, *, out: Out = None) -> Array: ...
    def force_from_epsilon(self, q: ArrayLike, epsilon: ArrayLike, *, out: Out = None) -> Array: ...
    def force_from_kappa(self, q: ArrayLike, kappa: ArrayLike, *, out: Out = None) -> Array: ...

    def pose(self, frame: str, q: ArrayLike) -> Pose: ...
    def jacobian(self, frame: str, q: ArrayLike, axes: Literal["aligned", "body", "world"] = "aligned") -> Array: ...
    def center_of_mass(self, q: ArrayLike) -> Array: ...

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def difference(self, q_from: ArrayLike, q_to: ArrayLike) -> Array: ...
    def neutral_configuration(self) -> Array: ...
    def random_configuration(self, seed: int, count: int | None = None) -> Array: ...
    def random_vector(self, seed: int, count: int | None = None, scale: float = 1) -> Array: ...

    def compile(self, function: str | None = None, outputs: Sequence[str] | None = None) -> Any: ...
    def batch(self, function: str, *, threads: int = 1, backend: Backend = "automatic",
              outputs: Sequence[str] | None = None, lanes: int = 0) -> Batch: ...
    def rollout(self, *, method: Literal["euler", "rk4"] = "euler", step: float = 1e-3, threads: int = 1,
                backend: Backend = "automatic") -> Rollout: ...

def load(robot: str | PathLike[str], *, floating: bool = False, strict: bool = False) -> Model: ...
def models() -> list[str]: ...
def functions() -> list[str]: ...
