"""The runs of the study control.md: every run is a scenario for `catena simulate`. control.py does them all.

The tool is CATENA_BINARY, or ./catena.
"""
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from control_laws import BRAKING, CONDITIONS, MODEL_ERRORS, NOMINAL, REACHING, TRACKING, Condition, listed, lqr

HERE = Path(__file__).resolve().parent
RUNAWAY = 1e4  # J of kinetic energy: what started with less than 50 flies apart
TOOL = os.environ.get("CATENA_BINARY") or str(HERE.parents[1] / "catena")  # ./catena builds it where it has to


class Runner:
    def __init__(self, keep=None):
        self.scratch = None if keep else tempfile.TemporaryDirectory(prefix="catena_study_")
        self.folder = Path(keep or self.scratch.name)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.runs = 0

    def __call__(self, robot, lines, condition, q, v, duration, motion=""):
        """The rows of a run; nothing where the robot flew apart."""
        text = f'model = "{robot.name}"\nduration = {duration!r}\nevery = {duration / 400!r}\n'
        text += "" if condition.friction else "losses = false\n"
        text += f'[payload]\nframe = "{robot.tool}"\nmass = {robot.payload!r}\ncom = {listed(robot.com)}\n'
        text += f"[start]\nq = {listed(q)}\nv = {listed(v)}\n[integrator]\nrtol = 1e-7\n"
        text += f'[[stop]]\nquantity = "energy.kinetic"\nabove = {RUNAWAY!r}\n{motion}[input]\n{lines}'
        if condition.limit:
            text += f"effort_limits = {listed(condition.limit * robot.limits)}\n"
        if condition.period:
            text += f"period = {condition.period!r}\n"
        text += f"[input.assumes]\nlosses = false\npayload = {condition.assumed * robot.payload!r}\n"
        self.runs += 1
        name = self.folder / f"run_{self.runs:04d}.toml"
        name.write_text(text)
        out = self.folder / "run.csv"
        command = [TOOL, "simulate", str(name), "--output", str(out), "--force"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 4:  # numerical failure: it flew apart
            return None
        if done.returncode != 0:
            sys.exit(f"{name}: {done.stderr}")
        names, *lines = [line for line in out.read_text().split("\n") if line and not line.startswith("#")]
        values = np.array(",".join(lines).split(","), float).reshape(len(lines), -1)
        if values[-1, 0] < 0.999 * duration or not np.isfinite(values).all():
            return None
        return Rows(names.split(","), values)


class Rows:
    def __init__(self, names, values):
        self.time = values[:, 0]
        pick = lambda prefix: values[:, [i for i, n in enumerate(names) if n.split(" ")[0].startswith(prefix)]]
        self.q, self.v, self.tau = pick("q."), pick("v."), pick("tau.")
        self.kinetic = pick("energy.kinetic")[:, 0]

    def integral(self, values):
        return float(np.sum((values[1:] + values[:-1]) / 2 * np.diff(self.time)))


def costs(robot, rows):
    return {"peak_percent": 100 * float((abs(rows.tau) / robot.limits).max()),
            "peak_Nm": float(abs(rows.tau).max()),
            "energy_J": rows.integral(abs(rows.tau * rows.v).sum(axis=1)),
            "effort_N2m2s": rows.integral((rows.tau ** 2).sum(axis=1))}


def last_above(time, values, bound):
    above = np.nonzero(values > bound)[0]
    return float(time[above[-1]]) if len(above) else 0.0


FLEW_APART = {"settled": 0, "settling_s": math.inf, "overshoot_percent": math.inf, "steady_mm": math.inf,
              "steady_deg": math.inf, "peak_percent": math.inf, "peak_Nm": math.inf, "energy_J": math.inf,
              "effort_N2m2s": math.inf}


def judge_reach(robot, rows):
    """Errors of the tool: of its point in m, of its axes as an angle. Settled: both within 2 % of what they were, for good."""
    if rows is None:
        return dict(FLEW_APART)
    goal = robot.model.pose(robot.tool, robot.goal)
    poses = [robot.model.pose(robot.tool, q) for q in rows.q]
    offset = np.array([goal.p - pose.p for pose in poses])
    distance = np.linalg.norm(offset, axis=1)
    angle = np.array([math.acos(max(-1, min(1, (np.trace(goal.R @ pose.R.T) - 1) / 2))) for pose in poses])
    share = np.maximum(distance / distance[0], angle / max(angle[0], 1e-9))
    settling = last_above(rows.time, share, 0.02)
    tail = rows.time > 0.95 * rows.time[-1]
    beyond = -(offset @ offset[0]) / distance[0] ** 2  # how far past the goal, along the way from the start
    return {"settled": int(share[tail].max() <= 0.02), "settling_s": settling,
            "overshoot_percent": 100 * max(0.0, float(beyond.max())), "steady_mm": 1000 * float(distance[tail].mean()),
            "steady_deg": math.degrees(float(angle[tail].mean())), **costs(robot, rows)}


def judge_brake(robot, rows):
    """Stopped: 1 % of the kinetic energy left, for good. Drift: speed of the tool at the end."""
    if rows is None:
        return dict(stop_s=math.inf, stopped=0, drift_mm_s=math.inf, peak_percent=math.inf, peak_Nm=math.inf,
                    energy_J=math.inf, effort_N2m2s=math.inf)
    left = rows.kinetic / rows.kinetic[0]
    speed = robot.model.jacobian(robot.tool, rows.q[-1])[3:] @ rows.v[-1]
    return {"stop_s": last_above(rows.time, left, 0.01), "stopped": int(left[-1] <= 0.01),
            "drift_mm_s": 1000 * float(np.linalg.norm(speed)), **costs(robot, rows)}


def judge_track(robot, rows, q_d):
    if rows is None:
        return dict(rms_deg=math.inf, end_deg=math.inf, peak_percent=math.inf, energy_J=math.inf)
    error = np.degrees(np.array([q_d(t) for t in rows.time]) - rows.q)
    return {"rms_deg": float(np.sqrt((error ** 2).mean())), "end_deg": float(abs(error[-1]).max()), **costs(robot, rows)}


# Tuning: the one number of a controller, so that the median run under nominal conditions takes as long as it should.
def tune(measure, wanted, w=6.0):
    """Time goes as 1/w: exactly where gravity is cancelled and nothing rubs, since Coriolis forces are quadratic in speed."""
    best = (math.inf, w)
    for _ in range(6):
        ratio = measure(w) / wanted
        best = min(best, (abs(ratio - 1), w))
        if best[0] < 0.005:
            break
        w *= min(max(ratio, 0.3), 3)
    return best[1]


class Study:
    def __init__(self, robots, starts, runner):
        self.robots, self.starts, self.run = robots, starts, runner
        self.w, self.c = {}, {}

    def reach(self, robot, name, condition, seed, w=None, window=4):
        w = self.w[robot.name, name] if w is None else w
        q = robot.start(seed)
        rows = self.run(robot, REACHING[name](robot, w), condition, q, 0 * q, window * robot.settle)
        return judge_reach(robot, rows), rows

    def median(self, task, robot, name, number, key):
        """Over the starts, under nominal conditions."""
        return float(np.median([task(robot, name, NOMINAL, seed, number)[0][key] for seed in self.starts]))

    def tune_reaching(self, names=REACHING):
        for robot in self.robots:
            for name in names:
                measure = lambda w: self.median(self.reach, robot, name, w, "settling_s")
                self.w[robot.name, name] = tune(measure, robot.settle)

    def reaching(self, conditions=CONDITIONS, names=REACHING):
        return [{"robot": robot.name, "controller": name, "condition": condition.name, "start": seed,
                 "w": self.w[robot.name, name], **self.reach(robot, name, condition, seed)[0]}
                for robot in self.robots for condition in conditions for name in names for seed in self.starts]

    def same_peak(self):
        """Nominal runs with the one number set for the same peak torque instead, the median one of computed torque."""
        out = []
        for robot in self.robots:
            wanted = self.median(self.reach, robot, "computed torque", None, "peak_percent")
            for name in REACHING:  # torque goes as w^2 where gravity is small
                measure = lambda w: math.sqrt(wanted / self.median(self.reach, robot, name, w, "peak_percent"))
                w = tune(measure, 1, self.w[robot.name, name])
                out += [{"robot": robot.name, "controller": name, "start": seed, "w": w,
                         **self.reach(robot, name, NOMINAL, seed, w, 16)[0]} for seed in self.starts]
        return out

    def longest_periods(self):
        """The longest sample period, on a grid of steps of 2^(1/4), at which the first start still comes within 10 %."""
        out = []
        for robot in self.robots:
            for name in REACHING:
                def stands(k):
                    _, rows = self.reach(robot, name, Condition("", period=0.005 * 2 ** (k / 4)), self.starts[0])
                    if rows is None:
                        return False
                    place = lambda q: robot.model.pose(robot.tool, q).p
                    away = lambda q: np.linalg.norm(place(q) - place(robot.goal))
                    return away(rows.q[-1]) < 0.1 * away(rows.q[0])
                low, high = -13, 28  # 0.6 ms, 640 ms
                while high - low > 1:
                    middle = (low + high) // 2
                    low, high = (middle, high) if stands(middle) else (low, middle)
                out.append({"robot": robot.name, "controller": name, "longest_ms": 0 if low < -12 else 5 * 2 ** (low / 4),
                            "w": self.w[robot.name, name]})
        return out

    def stop(self, robot, name, condition, seed, c=None):
        c = self.c[robot.name, name] if c is None else c
        v = robot.speed(seed)
        lines = lqr(robot, c, self.rest[robot.name, seed]) if name == "LQR" else BRAKING[name](robot, c)
        rows = self.run(robot, lines, condition, robot.goal, v, 2 * robot.settle)
        return judge_brake(robot, rows), rows

    def tune_braking(self, names=BRAKING):
        """Half the settling time. Control 8.1 is exact; the LQR regulates to the pose in which Control 8.1 comes to rest."""
        self.rest = {}
        for robot in self.robots:
            wanted = robot.settle / 2
            self.c[robot.name, "Control 8.1"] = math.log(100) / (2 * wanted)
            for seed in self.starts:
                self.rest[robot.name, seed] = self.stop(robot, "Control 8.1", NOMINAL, seed)[1].q[-1]
            for name in names:
                if name != "Control 8.1":
                    measure = lambda c: self.median(self.stop, robot, name, c, "stop_s")
                    self.c[robot.name, name] = tune(measure, wanted)

    def braking(self, conditions=CONDITIONS, names=BRAKING):
        return [{"robot": robot.name, "controller": name, "condition": condition.name, "start": seed,
                 "c": self.c[robot.name, name], **self.stop(robot, name, condition, seed)[0]}
                for robot in self.robots for condition in conditions for name in names for seed in self.starts]

    def tracking(self):
        """Along a minimum-jerk motion to the goal in the settling time, with the gains of reaching; then as long again."""
        gains = {"feedforward alone": None, "feedforward + PD": "PD + gravity", "computed torque": "computed torque",
                 "LQR along the motion": "LQR"}
        out = []
        for robot in self.robots:
            for condition in MODEL_ERRORS:
                for name, lines in TRACKING.items():
                    for seed in self.starts:
                        q, T = robot.start(seed), robot.settle
                        def q_d(t):
                            x = min(t / T, 1)
                            return q + (robot.goal - q) * (10 * x ** 3 - 15 * x ** 4 + 6 * x ** 5)
                        motion = f'[motion]\nlaw = "minimum_jerk"\nto = {listed(robot.goal)}\nduration = {T!r}\n'
                        w = self.w[robot.name, gains[name]] if gains[name] else 0
                        rows = self.run(robot, lines(robot, w), condition, q, 0 * q, 2 * T, motion)
                        out.append({"robot": robot.name, "controller": name, "condition": condition.name, "start": seed,
                                    **judge_track(robot, rows, q_d)})
        return out
