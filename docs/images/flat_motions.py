"""The picture of docs/papers/diagonalized.md, flat robots: free motions of the polar arm in its joint coordinates and in theta.

./python3 docs/images/flat_motions.py writes flat_motions.svg beside it."""
import math
import pathlib
import tempfile

import numpy as np

import catena

ROBOT = """
name = "polar arm"
gravity = [0, 0, 0]
[[body]]
name = "turret"
joint = "revolute"
joint_name = "turn"
[[body]]
name = "weight"
parent = "turret"
joint = "prismatic"
joint_name = "reach"
axis = [1, 0, 0]
mass = 1.5
limits = { lower = 0.2, upper = 1 }
"""
SIZE, GAP = 280, 70
COLOURS = ("#d62728", "#1f77b4", "#2ca02c")


def moved(arm, q, v, h):
    """One Runge-Kutta step of the free motion."""
    rate = lambda y: np.concatenate([y[2:], arm.forward(y[:2], y[2:], np.zeros(2))])
    y = np.concatenate([q, v])
    a = rate(y)
    b = rate(y + h / 2 * a)
    c = rate(y + h / 2 * b)
    d = rate(y + h * c)
    y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y[:2], y[2:]


def motion(arm, q, v):
    points = [q]
    while len(points) < 400 and 0.2 <= q[1] <= 1 and abs(q[0]) <= 2.2:
        q, v = moved(arm, q, v, 0.005)
        points.append(q)
    return points


def main():
    with tempfile.TemporaryDirectory() as folder:
        robot = pathlib.Path(folder) / "polar.toml"
        robot.write_text(ROBOT, encoding="utf-8")
        arm = catena.load(str(robot))
    q0 = np.array([0.0, 0.5])
    theta = lambda q: arm.flat_coordinates(np.asarray(q), q0).theta
    grid = [[(t, r) for t in np.linspace(-2, 2, 41)] for r in (0.2, 0.4, 0.6, 0.8, 1.0)]
    grid += [[(t, r) for r in np.linspace(0.2, 1, 9)] for t in np.linspace(-2, 2, 9)]
    curves = [motion(arm, np.array(q), np.array(v)) for q, v in
              (((-1.6, 0.9), (1.2, -0.55)), ((0.0, 0.3), (2.2, 0.5)), ((1.8, 0.5), (-0.9, 0.35)))]
    parts = []

    def panel(left, title, axes, at, low, high):
        place = lambda p: (left + (p[0] - low[0]) / (high[0] - low[0]) * SIZE,
                           40 + (high[1] - p[1]) / (high[1] - low[1]) * SIZE)
        line = lambda points, colour, width: parts.append(
            '<polyline points="%s" fill="none" stroke="%s" stroke-width="%s"/>'
            % (" ".join("%.1f,%.1f" % place(at(q)) for q in points), colour, width))
        for points in grid:
            line(points, "#ccc", 1)
        for points, colour in zip(curves, COLOURS):
            line(points[::4] + points[-1:], colour, 2.2)
        parts.append(f'<text x="{left + SIZE / 2}" y="24" text-anchor="middle">{title}</text>')
        parts.append(f'<text x="{left + SIZE / 2}" y="{SIZE + 62}" text-anchor="middle" font-size="12">{axes}</text>')

    panel(30, "joint coordinates", "turn, ±2 rad; reach upward, 0.2 to 1 m", lambda q: q, (-2, 0.2), (2, 1))
    root = math.sqrt(1.5)
    panel(30 + SIZE + GAP, "ϑ: free motions are straight lines", "ϑ₁ to the right, ϑ₂ upward, equal scales; m √kg",
          theta, (-1.1 * root, -1.3 * root), (1.1 * root, 0.9 * root))
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * SIZE + GAP + 60}" height="{SIZE + 80}" '
            'font-family="sans-serif" font-size="14">\n<rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")
    pathlib.Path(__file__).with_suffix(".svg").write_text(text, encoding="utf-8")
    for points, colour in zip(curves, COLOURS):
        chord = theta(points[-1]) - theta(points[0])
        off = [theta(q) - theta(points[0]) for q in points]
        bow = max(abs(chord[0] * d[1] - chord[1] * d[0]) for d in off) / (chord @ chord)
        print(f"{colour}: off the straight line by {bow:.0e} of its length")


if __name__ == "__main__":
    main()
