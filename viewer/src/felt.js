// How the robot beyond each joint resists, as ellipsoids at the joints: P with the joints beyond left free, and the
// inertia of one rigid body with them locked. The ellipsoid of a block A is {x : x' A^-1 x <= 1}: it reaches as far in a
// direction u as the root of u' A u, the mass (or moment of inertia) felt in that direction. So what is less in every
// direction lies inside.
import * as THREE from "three";

import {matrix_of} from "./bodies.js";
import {row_at} from "./data.js";

export const felt_colours = {
  free: "#12916f",
  locked: "#8a63e6"
};

/** Six numbers, xx xy xz yy yz zz, between the instants. */
export function block_at(time, numbers, t) {
  const i = row_at(time, t), next = Math.min(i + 1, time.length - 1);
  const s = next === i || t <= time[i] ? 0 : (t - time[i]) / (time[next] - time[i]);
  return Array.from({length: 6}, (_, k) => (1 - s) * numbers[6 * i + k] + s * numbers[6 * next + k]);
}

/** L with L L' = A takes the unit ball to the ellipsoid of A. Flat where A is: a hair's breadth instead. */
export function factor([xx, xy, xz, yy, yz, zz]) {
  const least = 1e-12 * (xx + yy + zz) + 1e-30;
  const a = Math.sqrt(Math.max(xx, least)), b = xy / a, c = xz / a;
  const d = Math.sqrt(Math.max(yy - b * b, least)), e = (yz - b * c) / d;
  return [a, 0, 0, b, d, 0, c, e, Math.sqrt(Math.max(zz - c * c - e * e, least))];
}

export class FeltInertias {
  /** @param {import("./data.js").Motion["inertia"]} inertia */
  constructor(inertia, layout) {
    this.inertia = inertia;
    this.group = new THREE.Group();
    this.twist = false;
    // The largest reaches about a fifth of the robot.
    const most = (numbers) => numbers.reduce((x, y) => Math.max(x, y), 0) || 1;
    this.scale = {
      push: (0.22 * layout.reach) / Math.sqrt(most(inertia.joints.map((j) => j.mass))),
      twist: (0.22 * layout.reach) / Math.sqrt(most(inertia.joints.map((j) => most(j.locked_twist)))),
    };
    const ball = new THREE.SphereGeometry(1, 48, 32);
    const layer = (colour, opacity, order, side) => {
      const group = new THREE.Group();
      group.visible = false;
      for (const joint of inertia.joints) {
        const mesh = new THREE.Mesh(
            ball,
            new THREE.MeshStandardMaterial(
                {color: colour, transparent: true, opacity, depthWrite: false, roughness: 0.6, side}));
        mesh.matrixAutoUpdate = false;
        mesh.renderOrder = order;
        mesh.name = joint.joint;
        group.add(mesh);
      }
      this.group.add(group);
      return group;
    };
    this.free = layer(felt_colours.free, 0.5, 4, THREE.FrontSide);
    this.locked = layer(felt_colours.locked, 0.35, 3, THREE.BackSide);  // a shell behind the others, not before them
  }

  get visible() { return this.free.visible || this.locked.visible; }

  /** What is felt at a joint now: {free, locked}, six numbers each. */
  blocks(j, t) {
    const {time, joints} = this.inertia, joint = joints[j];
    const at = (numbers) => block_at(time, numbers, t);
    const {mass} = joint;
    return this.twist ? {free: at(joint.twist), locked: at(joint.locked_twist)} :
                        {free: at(joint.push), locked: [mass, 0, 0, mass, 0, mass]};
  }

  update({bodies}, _, t) {
    this.now = {bodies, t};
    if (!this.visible) return;
    const place = new THREE.Matrix4(), size = this.twist ? this.scale.twist : this.scale.push;
    this.inertia.joints.forEach(({body, origin}, j) => {
      const blocks = this.blocks(j, t);
      for (const which of ["free", "locked"]) {
        const L = factor(blocks[which]).map((x) => size * x);
        const {matrix} = this[which].children[j];
        matrix.multiplyMatrices(matrix_of(bodies[body], place), matrix_of([...L, ...origin], matrix));
        this[which].children[j].matrixWorldNeedsUpdate = true;
      }
    });
  }

  /** Shows one of the layers or not, or twisting instead of pushing. */
  set(change) {
    for (const which of ["free", "locked"])
      if (which in change) this[which].visible = change[which];
    if ("twist" in change) this.twist = change.twist;
    if (this.now) this.update({bodies: this.now.bodies}, null, this.now.t);
  }

  /** What an ellipsoid that reaches so many metres means. */
  felt_at(reach) { return (reach / (this.twist ? this.scale.twist : this.scale.push)) ** 2; }
}
