"""What the tests share: robots, states, and how close is close."""
import unittest
from pathlib import Path

import numpy as np

import catena

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests" / "data" / "reference"
ROBOTS = ["arm7", "stanford_arm", "quadruped", "joints"]  # a chain, sliding joints, a free base, every joint type


def relative_error(x, expected):
    x, expected = np.asarray(x), np.asarray(expected)
    if x.shape != expected.shape:
        raise AssertionError(f"shape {x.shape}, expected {expected.shape}")
    return np.abs(x - expected).max() / max(np.abs(expected).max(), 1e-300)


def inputs(model, function, count=None, seed=1):
    """Random arguments of a function, (n,) or (count, n), in the order it takes them."""
    names = list(model.batch(function, backend="plain").inputs)
    return [model.random_configuration(seed, count) if name == "q" else
            model.random_vector(seed + 1000 * (k + 1), count) for k, name in enumerate(names)]


def plain(model, function):
    """The plain library's function: the model's own method, unless that takes a frame's name first."""
    return model.batch(function, backend="plain") if function in ("jacobian", "pose") else getattr(model, function)


def parts(result):
    """The arrays of a result, whether it is one or a tuple of them."""
    return result if isinstance(result, tuple) else (result,)


class TestCase(unittest.TestCase):
    def assertClose(self, x, expected, tolerance=1e-12):
        error = relative_error(x, expected)
        self.assertLessEqual(error, tolerance, f"relative error {error}")

    def assertSameBits(self, x, expected):
        self.assertEqual(np.asarray(x).shape, np.asarray(expected).shape)
        self.assertTrue(np.array_equal(x, expected), "bits differ")


def tolerance_of(model, q):
    """Rounding behind an inverse of M: grows with its condition."""
    return 1e-12 + 1e-14 * np.linalg.cond(model.mass_matrix(q))


__all__ = ["REFERENCE", "ROBOTS", "ROOT", "TestCase", "catena", "inputs", "np", "parts", "plain",
           "relative_error", "tolerance_of", "unittest"]
