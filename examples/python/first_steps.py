"""Forces, accelerations and a compiled robot, in a few lines. Run it with ./python3 examples/python/first_steps.py"""
import numpy as np

import catena

arm = catena.load("arm7")  # or the path of a URDF, TOML or JSON file
q = arm.random_configuration(seed=1)
v, a = arm.random_vector(2), arm.random_vector(3)

tau = arm.inverse(q, v, a)
print(arm)
print("joint forces  ", np.array2string(tau, precision=3, suppress_small=True))
print("and back to a ", np.abs(arm.forward(q, v, tau) - a).max(), "off")

forward = arm.compile("forward")  # machine code made for this arm
print(forward)
print("compiled      ", np.abs(forward(q, v, tau) - a).max(), "off")

# A loop that calls it a thousand times a second of simulated time: a falling arm, joints damped by hand.
step = 1e-3
for _ in range(1000):
    v = v + step * forward(q, v, -2.0 * v)
    q = arm.integrate(q, step * v)
tool = arm.tip_frame
print("after 1 s     ", tool, "is at", np.array2string(arm.pose(tool, q).p, precision=3), "m")
