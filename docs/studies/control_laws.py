"""Robots, conditions and controllers of the study control.md, the controllers as lines of [input] of a scenario."""
import math
from dataclasses import dataclass

import numpy as np

import catena


@dataclass
class Robot:
    name: str
    tool: str           # the frame that reaches
    goal: list          # q at the goal, away from singular poses
    limits: list        # N m: 100 %
    payload: float      # kg, a point at com in the tool's frame
    com: tuple
    settle: float       # s: the settling time that every controller is tuned to

    def __post_init__(self):
        self.model = catena.load(self.name)
        self.goal = np.array(self.goal, float)
        self.limits = np.array(self.limits, float)

    def mass_matrix(self, q):
        """With the payload."""
        J = self.model.jacobian(self.tool, q)
        arm = self.model.pose(self.tool, q).R @ np.array(self.com, float)
        at_com = J[3:] + np.cross(J[:3].T, arm).T  # v + w x r
        return self.model.mass_matrix(q) + self.payload * at_com.T @ at_com

    def start(self, seed):
        return self.goal + np.random.RandomState(seed).uniform(-0.7, 0.7, len(self.goal))

    def speed(self, seed):
        return np.random.RandomState(100 + seed).uniform(-1.5, 1.5, len(self.goal))


def robots():
    """The limits of the planar arm are ours, the others' are those of the models."""
    return [Robot("planar_3r", "link3", [0.3, 0.8, 0.7], [160, 100, 40], 1.0, (0, 0, 0), 1.5),
            Robot("puma560", "link6", [0.2, 0.7, -0.4, 0.3, 0.6, 0.2], [97.6, 186.4, 89.4, 24.2, 20.1, 21.3], 2.5,
                  (0, 0, 0.1), 1.0),
            Robot("arm7", "flange", [0.3, 0.6, -0.2, -1.2, 0.3, 0.9, 0.2], [300, 300, 180, 180, 100, 40, 40], 5.0,
                  (0, 0, 0.1), 0.85)]


# Conditions: what differs from a continuous controller that knows its robot, with motors that can do anything.
@dataclass(frozen=True)
class Condition:
    name: str
    limit: float = 0      # share of the torque limits; 0: none
    period: float = 0     # s
    friction: bool = False  # in the robot, not in the controller's model
    assumed: float = 1    # payload in the controller's model, of the true one


NOMINAL = Condition("nominal")
CONDITIONS = [NOMINAL, Condition("torque 100 %", limit=1), Condition("torque 60 %", limit=0.6),
              Condition("torque 40 %", limit=0.4), Condition("sampled 1 ms", period=0.001),
              Condition("sampled 5 ms", period=0.005), Condition("sampled 20 ms", period=0.02),
              Condition("friction unknown", friction=True), Condition("payload assumed 70 %", assumed=0.7),
              Condition("payload assumed 130 %", assumed=1.3), Condition("payload not known", assumed=0)]
MODEL_ERRORS = [NOMINAL] + CONDITIONS[7:]


# Controllers: the lines of [input], from one number, a frequency w in rad/s, which tuning sets.
def listed(values):
    return "[" + ", ".join(repr(float(x)) for x in values) + "]"


def output_jacobian(robot, q):
    """How e = (point, x axis, y axis, z axis) of the tool moves: Y_dot = B' J v, 12 x n."""
    J, R = robot.model.jacobian(robot.tool, q), robot.model.pose(robot.tool, q).R
    return np.vstack([J[3:]] + [np.cross(J[:3].T, R[:, axis]).T for axis in range(3)])


def inertial_weight(robot, w):
    """W with J' B W B' J = w^2 M at the goal: w^2 times the inertia that the outputs feel, and its least eigenvalue in the
    directions in which no motion at the goal moves them (more there only pulls harder from afar)."""
    Y = output_jacobian(robot, robot.goal)
    mobility = Y @ np.linalg.inv(robot.mass_matrix(robot.goal)) @ Y.T
    values, vectors = np.linalg.eigh((mobility + mobility.T) / 2)
    moved = values > 1e-9 * values[-1]
    inertia = np.where(moved, 1 / np.where(moved, values, 1), 0)
    inertia[~moved] = inertia[moved].min()
    W = w * w * (vectors * inertia) @ vectors.T
    return (W + W.T) / 2


def two_weights(robot, w):
    """w^2 times the mean inertia of the tool: one number for its point and one for its axes."""
    Y = output_jacobian(robot, robot.goal)
    M_inv = np.linalg.inv(robot.mass_matrix(robot.goal))
    def mean(rows):
        values = np.linalg.eigvalsh(rows @ M_inv @ rows.T)
        return np.mean(1 / values[values > 1e-9 * values[-1]])
    return w * w * mean(Y[:3]), w * w * mean(Y[3:])


def pose_lines(robot):
    pose = robot.model.pose(robot.tool, robot.goal)
    R = pose.R
    rpy = [math.atan2(R[2, 1], R[2, 2]), math.atan2(-R[2, 0], math.hypot(R[2, 1], R[2, 2])), math.atan2(R[1, 0], R[0, 0])]
    return f'frame = "{robot.tool}"\nposition = {listed(pose.p)}\nrpy = {listed(rpy)}\n'


def joint_pd(robot, w):
    inertia = np.diag(robot.mass_matrix(robot.goal))
    return f'kind = "pd_gravity"\ntarget = {listed(robot.goal)}\n' \
           f'stiffness = {listed(w * w * inertia)}\ndamping = {listed(2 * w * inertia)}\n'


def computed_torque(robot, w):
    return f'kind = "computed_torque"\ntarget = {listed(robot.goal)}\nstiffness = {w * w!r}\ndamping = {2 * w!r}\n'


def lqr_weights(robot, w):
    """Bryson's rule: errors against 1 rad, torques against their limits; w sets the balance of the two."""
    return f'position_weight = 1\nvelocity_weight = 0\nforce_weight = {listed((10 / w) ** 4 / robot.limits ** 2)}\n'


def lqr(robot, w, target=None):
    return f'kind = "lqr"\ntarget = {listed(robot.goal if target is None else target)}\n' + lqr_weights(robot, w)


def reach_two_weights(robot, w):
    point, axes = two_weights(robot, w)
    return f'kind = "reach"\n{pose_lines(robot)}c = {2 * w!r}\nposition_weight = {float(point)!r}\n' \
           f'orientation_weight = {float(axes)!r}\n'


def reach_full_weight(robot, w):
    rows = ",\n  ".join(listed(row) for row in inertial_weight(robot, w))
    return f'kind = "reach"\n{pose_lines(robot)}c = {2 * w!r}\nweight = [\n  {rows}]\n'


REACHING = {"PD + gravity": joint_pd, "computed torque": computed_torque, "LQR": lqr,
            "Control 8.2, two weights": reach_two_weights, "Control 8.2, full W": reach_full_weight}


def brake(robot, c):
    return f'kind = "brake"\nc = {c!r}\n'


def joint_dampers(robot, c):
    zero, inertia = np.zeros(len(robot.goal)), np.diag(robot.mass_matrix(robot.goal))
    return f'kind = "pd_gravity"\nstiffness = {listed(zero)}\ndamping = {listed(c * inertia)}\n'


def computed_brake(robot, c):
    return f'kind = "computed_torque"\nstiffness = 0\ndamping = {c!r}\n'


BRAKING = {"joint dampers": joint_dampers, "computed torque": computed_brake, "LQR": None, "Control 8.1": brake}


def along(kind, gains=None):
    def lines(robot, w):
        return f'kind = "{kind}"\n' + (gains(robot, w) if gains else "")
    return lines


TRACKING = {
    "feedforward alone": along("feedforward"),
    "feedforward + PD": along("joint_impedance", lambda robot, w: "\n".join(joint_pd(robot, w).split("\n")[2:])),
    "computed torque": along("computed_torque", lambda robot, w: f"stiffness = {w * w!r}\ndamping = {2 * w!r}\n"),
    "LQR along the motion": along("tracking_lqr", lqr_weights)}
