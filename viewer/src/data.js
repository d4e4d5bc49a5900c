// What catena view put into the page: the robot, and the recorded motion if there is one.
// Columns of numbers are base64 of little-endian floats (time: doubles); docs/pictures.md lists the fields.

/**
 * @typedef {object} Series
 * @property {string} name   "elbow", "ball.2"
 * @property {string} unit
 * @property {Float32Array} values
 */
/** @typedef {{id: string, title: string, series: Series[]}} Group */
/**
 * @typedef {object} Motion
 * @property {Float64Array} time
 * @property {Float32Array[]} q       a column per position number
 * @property {Group[]} groups         curves
 * @property {Record<string, Float32Array>} energy
 * @property {{time: Float64Array, joints: FeltInertia[]} | null} inertia
 */

function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
const floats = (text) => new Float32Array(bytes(text));

/**
 * @typedef {object} FeltInertia  how the robot beyond a joint resists; blocks: six floats an instant, xx xy xz yy yz zz
 * @property {string} joint
 * @property {number} body        the link that the joint moves
 * @property {number[]} origin    of the joint, in the link's frame; blocks are in the link's axes
 * @property {number} mass        of everything from this joint outward, kg
 * @property {Float32Array} push          kg, joints beyond free
 * @property {Float32Array} twist         kg m², likewise
 * @property {Float32Array} locked_twist  kg m², joints beyond locked
 */
function read_inertia(robot, inertia) {
  return {
    time: new Float64Array(bytes(inertia.time)),
    joints: inertia.joints.map((j) => ({
                                 ...j,
                                 body: robot.bodies.findIndex((body) => body.name === j.body),
                                 push: floats(j.push),
                                 twist: floats(j.twist),
                                 locked_twist: floats(j.locked_twist),
                               })),
  };
}

/** @returns {{robot: object, motion: Motion | null}} */
export function read_data(text) {
  const robot = JSON.parse(text);
  const recorded = robot.recording;
  if (!recorded) return {robot, motion: null};
  const columns = new Map(recorded.columns.map((c) => [c.name, {...c, values: floats(c.values)}]));
  const named = (prefix) => [...columns.values()]
                                .filter((c) => c.name.startsWith(prefix))
                                .map((c) => ({name: c.name.slice(prefix.length), unit: c.unit, values: c.values}));
  // Curves of the same joints side by side, where all of them are there.
  const panes = (g) => g.panes?.map((pane) => ({...pane, series: named(pane.id + ".")}));
  const groups =
      recorded.groups.map((g) => ({id: g.id, title: g.title, series: named(g.id + "."), panes: panes(g)}))
          .filter((g) => (g.panes ? g.panes.every((pane) => pane.series.length > 0) : g.series.length > 0));
  const energy = Object.fromEntries(named("energy.").map((s) => [s.name, s.values]));
  return {
    robot,
    motion: {
      time: new Float64Array(bytes(recorded.time)),
      q: robot.position_names.map((name) => columns.get("q." + name).values),
      groups,
      energy,
      inertia: recorded.inertia ? read_inertia(robot, recorded.inertia) : null,
    },
  };
}

// The last row at or before a time.
export function row_at(time, t) {
  let low = 0, high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/** Value of a column between its rows. @param {Float64Array} time @param {ArrayLike<number>} values */
export function value_at(time, values, t) {
  const i = row_at(time, t);
  if (i + 1 >= time.length || t <= time[i]) return values[i];
  const s = (t - time[i]) / (time[i + 1] - time[i]);
  return values[i] + s * (values[i + 1] - values[i]);
}

/** q at a time; quaternions take the shorter way (their length does not matter to the kinematics). */
export function configuration_at(robot, motion, t) {
  const {time, q} = motion;
  const i = row_at(time, t), last = i + 1 >= time.length;
  const s = last || t <= time[i] ? 0 : (t - time[i]) / (time[i + 1] - time[i]);
  const from = q.map((column) => column[i]);
  if (s === 0) return from;
  const to = q.map((column) => column[i + 1]);
  for (const first of robot.quaternions) {
    let dot = 0;
    for (let k = 0; k < 4; ++k) dot += from[first + k] * to[first + k];
    if (dot < 0)
      for (let k = 0; k < 4; ++k) to[first + k] = -to[first + k];
  }
  return from.map((x, k) => x + s * (to[k] - x));
}
