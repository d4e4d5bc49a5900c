"""Robot dynamics you can read and trust, for one state or many.

    import catena

    arm = catena.load("arm7")               # or the path of a URDF, TOML or JSON file
    q = arm.random_configuration(seed=1)    # numpy arrays: rad, m, N m, N
    a = arm.forward(q, v, tau)              # one state: (n,)
    A = arm.forward(Q, V, TAU)              # B states: (B, n)

    forward = arm.compile("forward")        # the same, as machine code made for this robot
    a, A = forward(q, v, tau), forward(Q, V, TAU)

Model has a method for each function of the library; help(catena.Model) lists them.
"""
from ._catena import (Batch, CompiledFunction, CompiledModel, FileError, Model, ModelError, NumericalError, Operators,
                      Rollout, __version__, discretize, functions, load, models)

__all__ = ["Batch", "CompiledFunction", "CompiledModel", "FileError", "Model", "ModelError", "NumericalError", "Operators",
           "Rollout", "discretize", "functions", "load", "models"]
