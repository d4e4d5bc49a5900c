"""Thousands of calls with whatever comes to hand: an exception or a result, never a crash.

Run in a process of its own, which says before each call what it is about to do: `random_calls_test.py SEED COUNT` is
that process, and repeats a run.
"""
import random
import subprocess
import sys

from support import *

CALLS = 3000
ALLOWED = (TypeError, ValueError, ArithmeticError, AttributeError, MemoryError, OverflowError, BufferError)


class Odd:
    """Pretends to be an array, and is not."""
    def __array__(self, *args, **kwargs):
        raise ValueError("no array after all")


class Sequence:
    def __len__(self):
        return 3

    def __getitem__(self, k):
        raise IndexError(k)


def arrays(pick, n):
    """An array near the right one: shape, type, strides or contents may be off."""
    count = pick.choice([0, 1, 2, 5, 33])
    shape = pick.choice([(n,), (n,), (n,), (count, n), (count, n), (n + 1,), (n - 1,), (), (0,), (1, n), (n, 1),
                         (2, 3, n), (n, n), (count, n, n), (2,) * 5, (count,)])
    x = np.random.default_rng(pick.getrandbits(32)).uniform(-1, 1, shape)
    change = pick.randrange(18)
    if change == 0:
        x = x * pick.choice([1e300, 1e-320, 1e154, np.nan, np.inf, -np.inf, 0])
    elif change == 1:
        x = x.astype(pick.choice(["f4", "i8", "u1", "?", "c16", "f2", "g", ">f8", "i4", "M8[s]", "U5", "S3"]))
    elif change == 2:
        x = x.astype(object)
    elif change == 3:
        x = np.asfortranarray(x)
    elif change == 4 and x.ndim > 0:
        x = x[..., ::-1]
    elif change == 5 and x.ndim > 0:
        x = np.repeat(x, 2, axis=-1)[..., ::2]
    elif change == 6:
        x = np.broadcast_to(1.0, shape)
    elif change == 7:
        strides = [8 * pick.choice([0, 0, 1, 2, 3]) for _ in shape]  # within the memory that there is
        x = np.lib.stride_tricks.as_strided(np.zeros(1 << 12), shape, strides)
    elif change == 8:
        x = np.frombuffer(bytes(8 * x.size + 1), dtype="u1")[1:].view("f8").reshape(shape)  # not aligned, read-only
    elif change == 9:
        x.flags.writeable = False
    elif change == 10:
        x = np.ma.masked_array(x)
    elif change == 11:
        x = x.tolist()
    elif change == 12:
        record = np.zeros(shape, dtype=[("a", "i1"), ("x", "f8")])
        x = record["x"]
    return x


def anything(pick, n):
    return pick.choice([
        lambda: arrays(pick, n), lambda: arrays(pick, n), lambda: arrays(pick, n),
        lambda: pick.choice([True, False, None]),
        lambda: pick.choice([0, 1, -1, 3, 7, 2**31, 2**63, -2**63, 2**64, 10**40]),
        lambda: pick.choice([0.0, -0.0, 1e-3, 1e308, float("nan"), float("inf")]),
        lambda: pick.choice(["", "q", "forward", "foward", "rk4", "lanes", "plain", "\udc80", "a\0b", "x" * 300, "é"]),
        lambda: pick.choice([b"", b"forward", bytearray(8), [], (), {}, {"q": 1}, [None], [[1, 2], [3]]]),
        lambda: pick.choice([object(), Odd(), Sequence(), 1j, len, int, iter([1.0]), range(n), slice(1), np.float64(1),
                             ..., memoryview(np.zeros(n))])])()


NAMES = ["wrenches", "base", "duration", "controller", "spatial", "q", "v", "tau", "a", "out", "function", "threads", "way", "outputs", "lanes", "method", "step", "every",
         "frame", "axes", "seed", "count", "scale", "gravity", "name", "single", "cpp", "floating", "strict", "nu",
         "self", "x", "\udc80"]


def arguments(pick, name, right, n):
    """Arguments that often are right but for one, so that calls get beyond the first check."""
    if right and pick.random() < 0.7:
        given = [x if isinstance(x, str) or pick.random() < 0.5 else np.tile(x, (5, 1)) for x in right]
        if pick.random() < 0.5:
            given[pick.randrange(len(given))] = anything(pick, n)
    else:
        given = [anything(pick, n) if pick.random() < 0.25 else np.zeros(n) if pick.random() < 0.6 else arrays(pick, n)
                 for _ in range(pick.choice([0, 1, 2, 3, 3, 3, 4]))]
    named = {}
    if name in ("pose", "jacobian", "compile", "batch") and given and pick.random() < 0.8:
        given[0] = pick.choice(["forward", "mass_matrix", "linearize_forward", "gravity", "link3", "tool", "nobody"])
    for _ in range(pick.choice([0, 0, 0, 1, 2])):
        named[pick.choice(NAMES)] = anything(pick, n)
    if pick.random() < 0.4:
        named["out"] = pick.choice([lambda: arrays(pick, n), lambda: (arrays(pick, n),) * pick.choice([1, 2, 3, 4]),
                                    lambda: [arrays(pick, n) for _ in range(pick.choice([1, 3, 4]))],
                                    lambda: given[0] if given else None, lambda: anything(pick, n)])()
    if name == "rollout call":  # a count that is right would take its time
        named["steps"] = pick.choice([0, 1, 5, -1, 2**63, 2.0, None, "3", True])
        named["every"] = pick.choice([0, 1, 3, -1, 2**62, 2**64, None])
    if name in ("random_configuration", "random_vector"):  # memory for a billion states may be had, and be filled
        named.pop("count", None)
        given = given[:1] + [pick.choice([0, 1, 5, -1, 2**61, 2**63, 10**30, None, 1.5, "2", np.zeros(2)])]
    return given, named


# What methods take that are no functions of the library.
RIGHT = {"velocity": "frame q v", "jacobian_dot": "frame q v", "acceleration": "frame q v v", "center_of_mass": "q",
         "center_of_mass_jacobian": "q", "potential_energy": "q", "joint": "frame", "body": "frame",
         "pose": "frame q", "jacobian": "frame q", "reactions": "q v v", "diagonal_terms": "q v v",
         "diagonal_factors": "q", "state_space": "q v v", "inverse_jvp": "q v v v v v", "forward_jvp": "q v v v v v",
         "joint_torque_regressor": "q v v", "payload_regressor": "frame q v v", "base_parameters": "", "flatness": "",
         "pair_curvature": "", "flat_coordinates": "q q", "trajectory_sensitivity": "q v",
         "inverse_sensitivity": "kind q v v", "forward_sensitivity": "kind q v v", "christoffel_symbols": "q",
         "curvature": "q", "sectional_curvature": "q"}


def targets():
    arm, tree = catena.load("planar_3r"), catena.load("quadruped")
    out = [("load", catena.load, ["arm7"], 3), ("models", catena.models, [], 3), ("functions", catena.functions, [], 3),
           ("discretize", catena.discretize, [np.eye(3), np.ones((3, 2)), 1e-3], 3)]
    for model in (arm, tree):
        n, q = model.nv, model.random_configuration(1)
        for name in dir(model):
            if name in ("save", "show", "_repr_html_"):  # they write files
                continue
            if callable(getattr(model, name)) and name[:2] != "__":
                known = {"frame": model.frames[-1], "kind": "inertia", "q": q, "v": np.zeros(n)}
                right = inputs(model, name) if name in catena.functions() and name not in RIGHT else \
                    [known[word] for word in RIGHT.get(name, "q v").split()]
                out.append((name, getattr(model, name), right, n))
        for function in ("forward", "mass_matrix", "linearize_forward", "pose", "nu"):
            out += [(function, call, inputs(model, function), n) for call in (
                model.compile(function), model.batch(function, threads=2), model.batch(function, backend="plain"))]
        out += [("rollout call", model.rollout(), [q, np.zeros(n)], n),
                ("c_source", model.compile("gravity").c_source, [], n),
                ("attribute", lambda *a, m=model.compile(), **k: getattr(m, *a, **k), ["forward"], n)]
    return out


def run(seed, count):
    import faulthandler
    faulthandler.enable()
    pick = random.Random(seed)
    calls = targets()
    results = 0
    for k in range(count):
        name, call, right, n = pick.choice(calls)
        given, named = arguments(pick, name, right, n)
        print(k, name, [type(x).__name__ for x in given], sorted(map(ascii, named)), file=sys.stderr, flush=True)
        try:
            call(*given, **named)
            results += 1
        except ALLOWED:
            pass
    print(results)


class RandomCalls(TestCase):
    def test_none_of_thousands_crashes(self):
        done = subprocess.run([sys.executable, __file__, "1", str(CALLS)], capture_output=True, text=True,
                              errors="replace")
        self.assertEqual(done.returncode, 0, "the last call is the one: " + done.stderr[-3000:])
        self.assertGreater(int(done.stdout), CALLS // 50, "hardly any call was right: nothing was tried")


if __name__ == "__main__":
    run(int(sys.argv[1]), int(sys.argv[2]))
