// What to draw for each body: the shapes its author gave, or a figure made from the kinematics: rods from joint to
// joint, and the box of equal inertia at the end of a limb. Measures in metres; z up.
import * as THREE from "three";
import {RoundedBoxGeometry} from "three/examples/jsm/geometries/RoundedBoxGeometry.js";

import {inverse} from "./kinematics.js";

export const matrix_of = (pose, out = new THREE.Matrix4()) => out.set(
    pose[0], pose[1], pose[2], pose[9], pose[3], pose[4], pose[5], pose[10], pose[6], pose[7], pose[8], pose[11], 0, 0,
    0, 1);

const z_axis = new THREE.Vector3(0, 0, 1);
export const turn_z_to = (direction) =>
    new THREE.Quaternion().setFromUnitVectors(z_axis, direction.clone().normalize());

// three's cylinders and capsules stand along y.
const upright = (geometry) => geometry.rotateX(Math.PI / 2);
export const cylinder = (radius, length) => upright(new THREE.CylinderGeometry(radius, radius, length, 40));
const capsule = (radius, length) => upright(new THREE.CapsuleGeometry(radius, length, 10, 32));

const plain = {
  roughness: 0.52,
  metalness: 0.02
};
export function material(colour, options = {}) {
  return new THREE.MeshStandardMaterial({color: colour, ...plain, ...options});
}

function shape_mesh(shape) {
  const [a, b, c] = shape.size;
  const geometry = shape.kind === "box" ? new RoundedBoxGeometry(a, b, c, 3, 0.06 * Math.min(a, b, c)) :
      shape.kind === "cylinder"         ? cylinder(a, b) :
      shape.kind === "capsule"          ? capsule(a, b) :
                                          new THREE.SphereGeometry(a, 40, 24);
  const [red, green, blue, opacity] = shape.rgba ?? [0.72, 0.75, 0.79, 1];
  const mesh = new THREE.Mesh(
      geometry,
      material(
          new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace),
          opacity < 1 ? {transparent: true, opacity} : {}));
  mesh.matrixAutoUpdate = false;
  matrix_of(shape.pose, mesh.matrix);
  return mesh;
}

const vector = (x) => new THREE.Vector3(...x);
const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Where joints meet each body, and the measures that drawing takes from them. */
export function plan(robot) {
  const entry = robot.bodies.map(() => new THREE.Vector3());  // where its own joint holds a body
  const exits = robot.bodies.map(() => []);                   // where it holds others
  const depth = robot.bodies.map(() => 0), length = robot.bodies.map(() => 0);
  const segments = [];
  for (const joint of robot.joints) {
    if (joint.body_in_joint) entry[joint.child].fromArray(inverse(joint.body_in_joint), 9);
    const exit = new THREE.Vector3().fromArray(joint.placement, 9);
    if (joint.parent < 0) continue;
    exits[joint.parent].push(exit);
    const segment = exit.distanceTo(entry[joint.parent]);
    if (segment > 1e-6) segments.push(segment);
    depth[joint.child] = depth[joint.parent] + 1;
    length[joint.child] = length[joint.parent] + segment;
  }
  let reach = 0;
  robot.bodies.forEach((body, b) => {
    let end = 0;
    if (body.com)
      end = vector(body.com).distanceTo(entry[b]) +
          (exits[b].length === 0 && body.box ? 0.5 * Math.max(...body.box.size) : 0);
    if (exits[b].length === 0 && end > 1e-6 && body.bare) segments.push(end);
    for (const shape of body.shapes ?? [])
      end = Math.max(
          end,
          Math.hypot(shape.pose[9], shape.pose[10], shape.pose[11]) + 0.5 * Math.max(shape.size[0], shape.size[1]));
    reach = Math.max(reach, length[b] + end);
  });
  if (!(reach > 0)) reach = 1;
  const radius = Math.min(0.036 * reach, segments.length ? 0.2 * middle(segments) : 0.05 * reach);
  const deepest = Math.max(1, ...depth);
  return {entry, exits, reach, deepest, depth, radius_of: (b) => radius * (1 - 0.4 * (b < 0 ? 0 : depth[b] / deepest))};
}

function rod(from, to, radius, paint) {
  const along = to.clone().sub(from), mesh = new THREE.Mesh(capsule(radius, along.length()), paint);
  mesh.position.copy(from).addScaledVector(along, 0.5);
  mesh.quaternion.copy(turn_z_to(along));
  return mesh;
}

function figure(body, b, layout, paint) {
  const parts = [], radius = layout.radius_of(b), from = layout.entry[b];
  for (const to of layout.exits[b])
    if (to.distanceTo(from) > 0.2 * radius) parts.push(rod(from, to, radius, paint));
  if (layout.exits[b].length > 0 && parts.length > 0) return parts;
  const com = body.com ? vector(body.com) : from, arm = com.distanceTo(from);
  const edge = layout.exits[b].length === 0 && body.box ? Math.max(...body.box.size) : 0;
  if (arm > 2 * radius && Math.abs(edge - 2 * arm) < 0.5 * arm)  // a bar: its middle is its centre of mass
    return [rod(from, from.clone().lerp(com, 2), radius, paint)];
  if (arm > 0.5 * radius) parts.push(rod(from, com, radius, paint));
  if (edge > 0) {
    const edges = body.box.size.map((x) => Math.min(7 * radius, Math.max(1.3 * radius, x)));
    const box = new THREE.Mesh(new RoundedBoxGeometry(...edges, 4, 0.25 * Math.min(...edges)), paint);
    box.matrixAutoUpdate = false;
    matrix_of(body.box.pose, box.matrix);
    parts.push(box);
  } else {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(1.15 * radius, 40, 24), paint);
    ball.position.copy(from);
    parts.push(ball);
  }
  return parts;
}

/** Plates where figures of ours stand on the ground, whatever its height. */
export function draw_mounts(robot, layout) {
  const paint = material("#474f5a"), group = new THREE.Group();
  for (const joint of robot.joints) {
    if (joint.parent >= 0 || !joint.axis || joint.type === "planar" || !robot.bodies[joint.child].bare) continue;
    const radius = layout.radius_of(-1), axis = new THREE.Vector3(...joint.axis).normalize();
    const plate = new THREE.Mesh(cylinder(2.3 * radius, 0.5 * radius), paint);
    const place = matrix_of(joint.placement);
    plate.quaternion.setFromRotationMatrix(place).multiply(turn_z_to(axis));
    plate.position.copy(axis.multiplyScalar(-1.7 * radius).applyMatrix4(place));
    plate.castShadow = plate.receiveShadow = true;
    group.add(plate);
  }
  return group;
}

/** One group per body, to be posed by the kinematics. */
export function draw_bodies(robot, layout) {
  const paints = [material("#e4e7ec"), material("#b9c1cc")];
  return robot.bodies.map((body, b) => {
    const group = new THREE.Group();
    group.matrixAutoUpdate = false;
    const parts = body.shapes ? body.shapes.map(shape_mesh) :
        body.bare             ? figure(body, b, layout, paints[layout.depth[b] % 2]) :
                                [];
    for (const part of parts) part.castShadow = part.receiveShadow = true;
    if (parts.length > 0) group.add(...parts);
    return group;
  });
}
