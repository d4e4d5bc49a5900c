"""Threads: the same bits on any number of them, the interpreter's lock let go, and several Python threads at once."""
import subprocess
import sys
import threading
import time

from support import *


class Threads(TestCase):
    def test_the_number_of_threads_changes_no_bit(self):
        model = catena.load("arm7")
        arguments = inputs(model, "linearize_forward", 301)
        for way in ("compiled", "lanes"):
            one = model.batch("linearize_forward", backend=way)(*arguments)
            for threads in (2, 3):
                for x, y in zip(model.batch("linearize_forward", backend=way, threads=threads)(*arguments), one):
                    self.assertSameBits(x, y)

    def test_where_the_system_gives_no_threads_those_there_are_do_the_work(self):
        script = """
import resource, sys
import numpy as np
import catena
model = catena.load("arm7")
q, v, tau = model.random_configuration(1, 5000), model.random_vector(2, 5000), model.random_vector(3, 5000)
one = model.batch("forward")(q, v, tau)
many, end = model.batch("forward", threads=500), model.rollout(threads=500)
expected = model.rollout()(q, v, tau, steps=2)
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (100 << 20),) * 2)  # room for the stacks of a few
assert np.array_equal(many(q, v, tau), one)
assert np.array_equal(end(q, v, tau, steps=2).q, expected.q)
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_other_threads_run_during_a_batch(self):
        model = catena.load("humanoid")
        batch = model.batch("forward", backend="plain")  # slow on purpose
        arguments = inputs(model, "forward", 20)
        arguments = [np.tile(x, (1000, 1)) for x in arguments]
        done = threading.Event()
        ticks = []

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(1e-3)

        other = threading.Thread(target=tick)
        other.start()
        start = time.perf_counter()
        batch(*arguments)
        end = time.perf_counter()
        done.set()
        other.join()
        self.assertGreater(end - start, 0.02, "the batch was too short to tell")
        self.assertGreater(sum(start < t < end for t in ticks), 5)

    def test_one_batch_may_be_called_from_many_threads(self):
        model = catena.load("arm7")
        arguments = [[np.tile(x, (100, 1)) for x in inputs(model, "forward", 200, seed=k)] for k in range(4)]
        for f in (model.batch("forward", backend="lanes"), model.batch("forward"), model.compile("forward"), model.forward):
            expected = [f(*x) for x in arguments]
            results = [None] * 4

            def work(k):
                results[k] = [f(*arguments[k]) for _ in range(5)]

            workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            for k in range(4):
                for result in results[k]:
                    self.assertSameBits(result, expected[k])


if __name__ == "__main__":
    unittest.main()
