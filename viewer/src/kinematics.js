// Where every body is at a configuration q: T(child) = T(parent) placement J(q) body_in_joint, joint by joint.
// The same rules as the library's (docs/conventions.md); the tests compare the two to 1e-9. Doubles, no drawing.
// A pose is 12 numbers: rotation by rows, then position.

/** @typedef {number[]} Pose */
/**
 * @typedef {object} Joint
 * @property {string} name
 * @property {string} type
 * @property {number} parent   body, -1: the ground
 * @property {number} child    body
 * @property {Pose} placement
 * @property {Pose} [body_in_joint]
 * @property {number[]} [axis]
 * @property {number[]} [second_axis]
 * @property {number} [pitch]
 * @property {number} [lower]
 * @property {number} [upper]
 * @property {number} [q]      first number in q; none for fixed and coupled joints
 * @property {{q: number, ratio: number, offset: number}} [follows]
 */

export const identity = () => [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

/** @param {Pose} a @param {Pose} b @returns {Pose} */
export function multiply(a, b) {
  const c = new Array(12);
  for (let i = 0; i < 3; ++i) {
    const x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];
    for (let j = 0; j < 3; ++j) c[3 * i + j] = x * b[j] + y * b[3 + j] + z * b[6 + j];
    c[9 + i] = x * b[9] + y * b[10] + z * b[11] + a[9 + i];
  }
  return c;
}

/** @param {Pose} a @param {number[]} x */
export const transform =
    (a, x) => [0, 1, 2].map((i) => a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2] + a[9 + i]);

/** @param {Pose} a @returns {Pose} */
export function inverse(a) {
  const R = [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]];
  const p = [0, 1, 2].map((i) => -(R[3 * i] * a[9] + R[3 * i + 1] * a[10] + R[3 * i + 2] * a[11]));
  return [...R, ...p];
}

const unit = (x) => {
  const length = Math.hypot(...x);
  return x.map((v) => v / length);
};

function turn(axis, angle) {
  const [x, y, z] = unit(axis), c = Math.cos(angle), s = Math.sin(angle), k = 1 - c;
  return [
    c + x * x * k, x * y * k - z * s, x * z * k + y * s, y * x * k + z * s, c + y * y * k, y * z * k - x * s,
    z * x * k - y * s, z * y * k + x * s, c + z * z * k, 0, 0, 0
  ];
}

const slide = (axis, distance) => [1, 0, 0, 0, 1, 0, 0, 0, 1, ...unit(axis).map((x) => x * distance)];

// Quaternion (x, y, z, w), of any length.
function rotation(x, y, z, w) {
  const k = 2 / (x * x + y * y + z * z + w * w);
  return [
    1 - (y * y + z * z) * k, (x * y - z * w) * k, (x * z + y * w) * k, (x * y + z * w) * k, 1 - (x * x + z * z) * k,
    (y * z - x * w) * k, (x * z - y * w) * k, (y * z + x * w) * k, 1 - (x * x + y * y) * k, 0, 0, 0
  ];
}

// A rotation that takes z to the axis, as the library chooses it: it decides what a planar joint calls x and y.
function axes_with_z_along(direction) {
  const [x, y, z] = unit(direction);
  if (x === 1) return [0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0];
  if (y === 1) return [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0];
  if (x === -1) return [0, 0, -1, 1, 0, 0, 0, -1, 0, 0, 0, 0];
  if (y === -1) return [0, -1, 0, 0, 0, -1, 1, 0, 0, 0, 0, 0];
  if (z === -1) return [1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0];
  if (z < 0) {
    const flip = [1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0];
    return multiply(flip, axes_with_z_along([x, -y, -z]));
  }
  const k = 1 / (1 + z);
  return [1 - k * x * x, -k * x * y, x, -k * x * y, 1 - k * y * y, y, -x, -y, z, 0, 0, 0];
}

/** The axis x, y or z. @param {string} letter */
export const axis_named = (letter) => [..."xyz"].map((other) => (other === letter ? 1 : 0));

/** Motion of a joint. at(k): its k-th position number. @param {Joint} joint @param {(k: number) => number} at */
function motion(joint, at) {
  switch (joint.type) {
    case "revolute":
    case "continuous": return turn(joint.axis, at(0));
    case "prismatic": return slide(joint.axis, at(0));
    case "helical": return multiply(slide(joint.axis, joint.pitch * at(0)), turn(joint.axis, at(0)));
    case "cylindrical": return multiply(slide(joint.axis, at(1)), turn(joint.axis, at(0)));
    case "universal": return multiply(turn(joint.axis, at(0)), turn(joint.second_axis, at(1)));
    case "gimbal":
      return [...joint.sequence].map((letter, k) => turn(axis_named(letter), at(k))).reduce(multiply);
    case "planar": {
      const plane = axes_with_z_along(joint.axis);
      const pose = turn(joint.axis, at(0));
      for (let i = 0; i < 3; ++i) pose[9 + i] = plane[3 * i] * at(1) + plane[3 * i + 1] * at(2);
      return pose;
    }
    case "spherical": return rotation(at(0), at(1), at(2), at(3));
    case "free": {
      const pose = rotation(at(3), at(4), at(5), at(6));
      for (let i = 0; i < 3; ++i) pose[9 + i] = at(i);
      return pose;
    }
    default: return identity();
  }
}

/** A joint's k-th position number, its own or its master's. @param {Joint} joint @param {ArrayLike<number>} q */
export const position = (joint, q, k = 0) =>
    joint.follows ? joint.follows.ratio * q[joint.follows.q] + joint.follows.offset : q[joint.q + k];

/**
 * Poses in the world of every body and of every joint's frame (before its motion).
 * @param {{bodies: object[], joints: Joint[]}} robot  joints: parents first
 * @param {ArrayLike<number>} q
 * @returns {{bodies: Pose[], joints: Pose[]}}
 */
export function poses(robot, q) {
  const bodies = robot.bodies.map(identity);  // bodies without a joint sit on the ground
  const joints = robot.joints.map((joint) => {
    const seat = joint.parent < 0 ? joint.placement : multiply(bodies[joint.parent], joint.placement);
    let pose = joint.type === "fixed" ? seat : multiply(seat, motion(joint, (k) => position(joint, q, k)));
    if (joint.body_in_joint) pose = multiply(pose, joint.body_in_joint);
    bodies[joint.child] = pose;
    return seat;
  });
  return {bodies, joints};
}

/** @param {{bodies: {mass: number, com: number[]}[]}} robot @param {Pose[]} bodies */
export function centre_of_mass(robot, bodies) {
  const sum = [0, 0, 0];
  let mass = 0;
  robot.bodies.forEach((body, b) => {
    if (!body.mass) return;
    const c = transform(bodies[b], body.com);
    mass += body.mass;
    for (let i = 0; i < 3; ++i) sum[i] += body.mass * c[i];
  });
  return mass > 0 ? sum.map((x) => x / mass) : null;
}
