"""A planner that samples: thousands of torque courses are rolled out at once, and the best are mixed into the next
guess (path integral control, one plan). Run it with ./python3 examples/python/reach_by_sampling.py"""
import time

import numpy as np

import catena

arm = catena.load("planar_3r").with_gravity((0, 0, 0))
tip = arm.tip_frame
goal = np.array([0.5, 1.5, 0.0])  # m
samples, steps, step, rounds = 2000, 40, 0.025, 25  # one second ahead

rollout = arm.rollout(step=step, method="euler", threads=2)
draw = np.random.default_rng(1)
q0, v0 = np.array([0.1, 0.1, 0.1]), np.zeros(3)
plan = np.zeros((steps, 1, 3))  # joint torques, N m

start = time.perf_counter()
for _ in range(rounds):
    tau = plan + draw.normal(scale=1.0, size=(steps, samples, 3))
    tau[:, 0] = plan[:, 0]  # the plan itself is among them
    q, v = rollout(np.tile(q0, (samples, 1)), np.zeros((samples, 3)), tau)
    miss = np.linalg.norm(arm.pose(tip, q).p - goal, axis=1)
    cost = 10 * miss + np.linalg.norm(v, axis=1) + 1e-3 * (tau**2).sum(axis=(0, 2))
    weight = np.exp(-(cost - cost.min()) / 0.2)
    plan = np.einsum("sbn,b->sn", tau, weight / weight.sum())[:, None]
elapsed = time.perf_counter() - start

q, v = rollout(q0, v0, plan[:, 0])
miss = np.linalg.norm(arm.pose(tip, q).p - goal)
print(f"{rounds * samples} trajectories of {steps} steps in {elapsed:.2f} s")
print(f"the tip ends {100 * miss:.1f} cm from its goal, joints turn at {np.abs(v).max():.2f} rad/s at most")
if miss > 0.2:
    raise SystemExit("the plan misses its goal")
