// The panel of joints: sliders that move the robot, or, beside a recording, gauges that follow it.
import {by_id, element, fill_track, fixed} from "./format.js";
import {position} from "./kinematics.js";

// Roll, pitch, yaw (Rz Ry Rx) for the sliders of ball and free joints.
function angles_of(x, y, z, w) {
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
  ];
}
function quaternion_of(roll, pitch, yaw) {
  const [a, b, c] = [roll / 2, pitch / 2, yaw / 2];
  const [ca, cb, cc] = [a, b, c].map(Math.cos), [sa, sb, sc] = [a, b, c].map(Math.sin);
  return [
    sa * cb * cc - ca * sb * sc, ca * sb * cc + sa * cb * sc, ca * cb * sc - sa * sb * cc, ca * cb * cc + sa * sb * sc
  ];
}

const turn_range = [-Math.PI, Math.PI];

// What a joint lets one move: a row each. reach: half the length of slides without limits.
function rows_of(joint, reach) {
  const direct = (label, k, unit, range) => ({
    label,
    unit,
    range,
    read: (q) => position(joint, q, k),
    write: (q, x) => (q[joint.q + k] = x),
  });
  const tilt = (first) => ["roll", "pitch", "yaw"].map(
      (label, k) => ({
        label,
        unit: "rad",
        range: k === 1 ? [-Math.PI / 2, Math.PI / 2] : turn_range,
        read: (q) => angles_of(...[0, 1, 2, 3].map((i) => q[joint.q + first + i]))[k],
        write: (q, x, all) => quaternion_of(...[0, 1, 2].map((i) => (i === k ? x : all[i])))
                                  .forEach((c, i) => (q[joint.q + first + i] = c)),
        tilt: k,
      }));
  const span = [-reach, reach];
  // A limit on one side only: the other side stays where it is, or as far off as it takes to leave a way.
  const limits = ([low, high]) =>
      [joint.lower ?? Math.min(low, (joint.upper ?? high) - (high - low) / 2),
       joint.upper ?? Math.max(high, (joint.lower ?? low) + (high - low) / 2)];
  switch (joint.type) {
    case "revolute":
    case "continuous": return [direct("", 0, "rad", limits(turn_range))];
    case "helical": return [direct("", 0, "rad", limits([-4 * Math.PI, 4 * Math.PI]))];
    case "prismatic": return [direct("", 0, "m", limits(span))];
    case "cylindrical": return [direct("turn", 0, "rad", turn_range), direct("slide", 1, "m", span)];
    case "universal": return [direct("first", 0, "rad", turn_range), direct("second", 1, "rad", turn_range)];
    case "gimbal":
      return ["first", "second", "third"].map((label, k) => direct(label, k, "rad", turn_range));
    case "planar": return [direct("turn", 0, "rad", turn_range), direct("x", 1, "m", span), direct("y", 2, "m", span)];
    case "spherical": return tilt(0);
    case "free": return [..."xyz"].map((label, k) => direct(label, k, "m", span)).concat(tilt(3));
    default: return [];
  }
}

export class JointPanel {
  /**
   * @param {object} robot
   * @param {{reach: number, recorded?: number[][], changed?: (q: number[]) => void}} options
   *   recorded: configurations that gauges must have room for; without them the sliders move
   */
  constructor(robot, {reach, recorded, changed}) {
    const movable = !recorded;
    this.q = [...robot.q];
    this.home = [...robot.q];
    this.changed = changed;
    this.rows = [];
    for (const joint of robot.joints) {
      const rows = rows_of(joint, reach);
      for (const row of rows) Object.assign(row, {joint, siblings: rows.filter((r) => r.tilt !== undefined)});
      this.rows.push(...rows);
    }
    const names = new Map(robot.joints.map((joint) => [joint.q, joint.name]));
    for (const row of this.rows) {
      for (const q of recorded ?? [])
        row.range = [Math.min(row.range[0], row.read(q)), Math.max(row.range[1], row.read(q))];
    }
    for (const row of this.rows) this.build(row, movable && !row.joint.follows, names);
    const heading = element("h2", {}, "Joints");
    if (movable && this.rows.length > 0) heading.append(this.actions());
    by_id("joints").append(heading, ...this.rows.map((row) => row.node));
    if (this.rows.length === 0)
      by_id("joints").append(element("p", {className: "note"}, "Nothing moves on this robot."));
    this.update(this.q);
  }

  build(row, movable, names) {
    const [low, high] = row.range, {joint} = row;
    const name = row.label ? `${joint.name} · ${row.label}` : joint.name;
    row.value = element("output");
    row.degrees = element("small");
    row.slider =
        element("input", {type: "range", min: low, max: high, step: "any", "aria-label": name, disabled: !movable});
    row.slider.addEventListener("input", () => this.set(row, +row.slider.value));
    row.slider.addEventListener("dblclick", () => movable && this.set(row, row.read(this.home)));
    const end = (x) =>
        (row.unit === "rad" ? `${Math.round((x * 180) / Math.PI)}°` : `${+ x.toPrecision(2)} m`).replace("-", "−");
    row.node = element(
        "div", {className: "joint"},
        element(
            "div", {className: "top"}, element("b", {title: `${name}: ${joint.type}`}, name),
            ...(joint.follows ? [element("small", {}, `follows ${names.get(joint.follows.q)}`)] : []), row.value,
            ...(row.unit === "rad" ? [row.degrees] : [])),
        element("div", {className: "way"}, element("span", {}, end(low)), row.slider, element("span", {}, end(high))));
  }

  actions() {
    const sweep = element(
        "button", {
          type: "button",
          "aria-pressed": "false",
          title: "each joint through its range, one after another",
          onclick: () => this.sweep(this.sweeping === undefined)
        },
        "Sweep");
    this.sweep_button = sweep;
    const home = element(
        "button", {
          type: "button",
          title: "back to the pose the page opened with",
          onclick: () => (this.sweep(false), this.replace(this.home))
        },
        "Home");
    return element("span", {className: "actions"}, sweep, home);
  }

  set(row, x) {
    this.sweep(false);
    row.write(this.q, x, row.siblings.map((r) => r.read(this.q)));
    this.replace(this.q);
  }
  replace(q) {
    this.q = [...q];
    this.update(this.q);
    this.changed(this.q);
  }

  /** Shows a configuration. */
  update(q) {
    for (const row of this.rows) {
      const x = row.read(q);
      row.value.textContent = `${fixed(x, 3)} ${row.unit}`;
      row.degrees.textContent = `${fixed((x * 180) / Math.PI, 1)}°`;
      row.slider.value = String(x);
      fill_track(row.slider);
    }
  }

  sweep(on) {
    this.sweeping = on ? 0 : undefined;
    this.sweep_button?.setAttribute("aria-pressed", String(on));
  }
  /** Wall-clock seconds went by. A joint takes two: up, down, and back to where it was. */
  advance(seconds) {
    if (this.sweeping === undefined) return;
    const rows = this.rows.filter((row) => !row.slider.disabled);
    this.sweeping = (this.sweeping + seconds / 2) % rows.length;
    const row = rows[Math.floor(this.sweeping)], phase = this.sweeping % 1;
    const start = row.read(this.home), [low, high] = row.range;
    const wave = Math.sin(2 * Math.PI * phase);
    const q = [...this.home];
    row.write(
        q, start + (wave > 0 ? Math.min(high - start, 1.6) : Math.min(start - low, 1.6)) * wave,
        row.siblings.map((r) => r.read(q)));
    this.replace(q);
  }
}
