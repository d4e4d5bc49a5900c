"""Robot dynamics you can read and trust, for one state or many.

    import catena

    arm = catena.load("arm7")               # or the path of a URDF, TOML or JSON file
    q = arm.random_configuration(seed=1)    # numpy arrays: rad, m, N m, N
    a = arm.forward(q, v, tau)              # one state: (n,)
    A = arm.forward(Q, V, TAU)              # B states: (B, n)

    forward = arm.compile("forward")        # the same, as machine code made for this robot
    a, A = forward(q, v, tau), forward(Q, V, TAU)

    run = arm.simulate(q, duration=2, controller=lambda t, q, v: -10 * v)
    run.q["elbow"], run.energy["kinetic"]   # by name; run.plot("run.svg"), run.show("run.html")

Model has a method for each function of the library; help(catena.Model) lists them.
"""
from ._catena import (Batch, CompiledFunction, CompiledModel, FileError, Model, ModelError, NumericalError, Operators,
                      Rollout, __version__, discretize, functions, load, loads, models)
from ._robots import Finding, Robot, doctor
from ._simulation import Run, read_recording, simulate_scenario as simulate
from ._tool import command, convert, count, verify

__all__ = ["Batch", "CompiledFunction", "CompiledModel", "FileError", "Finding", "Model", "ModelError", "NumericalError",
           "Operators", "Robot", "Rollout", "Run", "command", "convert", "count", "discretize", "doctor", "functions", "load",
           "loads", "models", "read_recording", "simulate", "verify"]
