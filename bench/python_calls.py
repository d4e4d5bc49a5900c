"""What a call from Python costs: the plain library, a compiled function and a batch, for one state and for many.

    ./python3 bench/python_calls.py [ROBOT] [FUNCTION]

The backends take turns, and the best of many rounds is shown: on a busy machine compare within a table.
"""
import sys
import time

import numpy as np

import catena

ROUNDS = 15


def best(calls, seconds=0.02):
    """Seconds per call of each, the best of several rounds in which they take turns."""
    repeats = []
    for call in calls.values():
        call()
        start = time.perf_counter()
        call()
        repeats.append(max(1, int(seconds / (time.perf_counter() - start))))
    times = {name: float("inf") for name in calls}
    for _ in range(ROUNDS):
        for (name, call), repeat in zip(calls.items(), repeats):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            times[name] = min(times[name], (time.perf_counter() - start) / repeat)
    return times


def arguments(model, names, count):
    q = model.random_configuration(1, count)
    return [q if name == "q" else model.random_vector(2 + k, count) for k, name in enumerate(names)]


def main():
    robot = sys.argv[1] if len(sys.argv) > 1 else "arm7"
    function = sys.argv[2] if len(sys.argv) > 2 else "forward"
    model = catena.load(robot)
    start = time.perf_counter()
    compiled = model.compile(function)
    print(f"{compiled}, made in {1e3 * (time.perf_counter() - start):.1f} ms\n")
    plain = getattr(model, function)
    lanes, two = model.batch(function, backend="lanes"), model.batch(function, threads=2)

    print("one state                  ns per call")
    one = arguments(model, compiled.inputs, None)
    out = tuple(np.empty(shape, order="F") for shape in compiled.outputs.values())
    out = out if len(out) > 1 else out[0]
    calls = {"plain": lambda: plain(*one), "compiled": lambda: compiled(*one),
             "compiled, out=": lambda: compiled(*one, out=out), "numpy: q + q": lambda: np.add(one[0], one[0])}
    for name, seconds in best(calls).items():
        print(f"  {name:22} {1e9 * seconds:12.0f}")

    for count in (100, 100_000):
        print(f"\n{f'{count} states, (B, n)':26} ns per state")
        many = arguments(model, compiled.inputs, min(count, 1000))
        many = [np.tile(x, (-(-count // len(x)), 1))[:count] for x in many]
        out = tuple(np.empty((count, *shape)) if len(shape) == 1 else
                    np.empty((count, *shape[::-1])).transpose(0, 2, 1) for shape in compiled.outputs.values())
        out = out if len(out) > 1 else out[0]
        rows = list(zip(*many))[:1000]
        calls = {"plain, a loop": lambda: [plain(*row) for row in rows],
                 "compiled, a loop": lambda: [compiled(*row) for row in rows],
                 "lanes": lambda: lanes(*many), "compiled": lambda: compiled(*many),
                 "compiled, out=": lambda: compiled(*many, out=out), "compiled, 2 threads": lambda: two(*many)}
        for name, seconds in best(calls).items():
            states = len(rows) if "loop" in name else count
            print(f"  {name:22} {1e9 * seconds / states:12.0f}")


if __name__ == "__main__":
    main()
