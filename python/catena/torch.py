"""Dynamics as functions of PyTorch: batches of states in, exact gradients back, by the library's own linearizations.

    import torch, catena, catena.torch

    arm = catena.load("arm7")
    q, v, a = (torch.zeros(100, arm.nv, dtype=torch.float64, requires_grad=True) for _ in range(3))
    catena.torch.inverse(arm, q, v, a).pow(2).sum().backward()

Tensors are float64 on the processor, (n,) or (B, n), and are read where they are. Robots whose q holds quaternions have
changes of q that are no numbers of q: they are refused.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch  # type: ignore

from ._catena import Model


def _arrays(model: Model, tensors: tuple[Any, ...]) -> list[Any]:
    if model.nq != model.nv:
        raise ValueError(f"{model.name} has quaternions in q: gradients by q are in the space of v; use "
                         "linearize_inverse() and linearize_forward() of the model")
    arrays = []
    for name, tensor in zip(("q", "v", "the third argument"), tensors):
        if tensor.dtype != torch.float64 or tensor.device.type != "cpu":
            raise ValueError(f"{name} is {tensor.dtype} on {tensor.device}: make it float64 on the processor, "
                             "tensor.double().cpu()")
        arrays.append(tensor.detach().numpy())
    return arrays


def _times(gradient: Any, *matrices: Any) -> tuple[Any, ...]:
    """Row vectors times matrices, state by state."""
    return tuple(torch.matmul(gradient.unsqueeze(-2), torch.from_numpy(matrix)).squeeze(-2) for matrix in matrices)


def _differentiable(values: Callable[..., Any], derivatives: Callable[..., tuple[Any, ...]]) -> Any:
    """A function of (model, q, v, third) with its matrices of derivatives by the three."""

    class Dynamics(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, model: Model, *state: Any) -> Any:
            ctx.model = model
            ctx.save_for_backward(*state)
            return torch.from_numpy(values(model, *_arrays(model, state)))

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return (None, *_times(gradient, *derivatives(ctx.model, *_arrays(ctx.model, ctx.saved_tensors))))

    return Dynamics


def _of_inverse(model: Model, *state: Any) -> tuple[Any, ...]:
    by = model.linearize_inverse(*state)
    return by.dtau_dq, by.dtau_dv, by.dtau_da


def _of_forward(model: Model, *state: Any) -> tuple[Any, ...]:
    by = model.linearize_forward(*state)
    return by.da_dq, by.da_dv, by.da_dtau


_Inverse = _differentiable(lambda model, *state: model.inverse(*state), _of_inverse)
_Forward = _differentiable(lambda model, *state: model.forward(*state), _of_forward)


def inverse(model: Model, q: Any, v: Any, a: Any) -> Any:
    """tau = inverse(model, q, v, a): joint forces (N m, N), differentiable by q, v and a."""
    return _Inverse.apply(model, *torch.broadcast_tensors(q, v, a))


def forward(model: Model, q: Any, v: Any, tau: Any) -> Any:
    """a = forward(model, q, v, tau): accelerations, differentiable by q, v and tau."""
    return _Forward.apply(model, *torch.broadcast_tensors(q, v, tau))
