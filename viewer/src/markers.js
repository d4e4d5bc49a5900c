// What may be laid over the robot: joint axes coloured by kind, slides, frames, the centre of mass, paths.
import * as THREE from "three";
import {mergeGeometries} from "three/examples/jsm/utils/BufferGeometryUtils.js";

import {cylinder, material, matrix_of, turn_z_to} from "./bodies.js";
import {axis_named, centre_of_mass, multiply, poses, position, transform} from "./kinematics.js";

export const kinds = {
  revolute: "#f0832b",
  continuous: "#f0832b",
  prismatic: "#14a38b",
  helical: "#8a63e6",
  cylindrical: "#2f7fe0",
  planar: "#d3a415",
  universal: "#e0559b",
  gimbal: "#b8326f",
  spherical: "#d8433f",
  free: "#7c8796",
};

const painted = (geometry, choose) => {
  const g = geometry.index ? geometry.toNonIndexed() : geometry, count = g.attributes.position.count;
  const colours = new Float32Array(3 * count), at = new THREE.Vector3(), corner = new THREE.Vector3();
  for (let face = 0; face < count; face += 3) {
    at.set(0, 0, 0);
    for (let k = 0; k < 3; ++k) at.add(corner.fromBufferAttribute(g.attributes.position, face + k));
    for (let k = 0; k < 3; ++k) choose(at).toArray(colours, 3 * (face + k));
  }
  return g.setAttribute("color", new THREE.BufferAttribute(colours, 3));
};

const over = (options) =>
    new THREE.MeshBasicMaterial({depthTest: false, depthWrite: false, transparent: true, ...options});

function joint_marker(joint, radius, solid) {
  if (!(joint.type in kinds)) return [];
  const paint =
      solid ? material(kinds[joint.type], {roughness: 0.42}) : over({color: kinds[joint.type], opacity: 0.85});
  const along = (axis, geometry) => {
    const mesh = new THREE.Mesh(geometry, paint);
    mesh.quaternion.copy(turn_z_to(new THREE.Vector3(...axis)));
    return mesh;
  };
  switch (joint.type) {
    case "revolute":
    case "continuous":
    case "helical": return [along(joint.axis, cylinder(1.3 * radius, 2.9 * radius))];
    case "cylindrical": return [along(joint.axis, cylinder(1.3 * radius, 4.2 * radius))];
    case "prismatic": return [along(joint.axis, new THREE.BoxGeometry(2.5 * radius, 2.5 * radius, 3.4 * radius))];
    case "planar": return [along(joint.axis, new THREE.BoxGeometry(5 * radius, 5 * radius, 0.5 * radius))];
    case "universal":
      return [
        along(joint.axis, cylinder(0.8 * radius, 4 * radius)),
        along(joint.second_axis, cylinder(0.8 * radius, 4 * radius))
      ];
    case "gimbal":
      return [...new Set(joint.sequence)].map((letter) => along(axis_named(letter), cylinder(0.7 * radius, 4 * radius)));
    case "spherical": return [new THREE.Mesh(new THREE.SphereGeometry(1.5 * radius, 40, 24), paint)];
    default: return [];
  }
}

/** A marker at each moving joint; solid where the bodies are figures of ours, laid over them where they have shapes. */
export function draw_joints(robot, layout) {
  const group = new THREE.Group();
  const seats = robot.joints.map((joint) => {
    const figures = robot.bodies[joint.child].bare || (joint.parent >= 0 && robot.bodies[joint.parent].bare);
    const radius = layout.radius_of(joint.child) * (figures ? 1 : 0.55);
    const seat = new THREE.Group();
    seat.matrixAutoUpdate = false;
    for (const part of joint_marker(joint, radius, figures)) {
      part.castShadow = part.receiveShadow = Boolean(figures);
      part.renderOrder = figures ? 0 : 5;
      seat.add(part);
    }
    group.add(seat);
    return seat;
  });
  return {group, update: ({joints}) => joints.forEach((pose, j) => matrix_of(pose, seats[j].matrix))};
}

/** The rod on which a sliding body of ours has moved away from its joint. */
export function draw_slides(robot, layout) {
  const group = new THREE.Group();
  const slides =
      robot.joints.map((joint, j) => ({joint, j, k: joint.type === "cylindrical" ? 1 : 0}))
          .filter(({joint}) => ["prismatic", "cylindrical"].includes(joint.type) && robot.bodies[joint.child].bare)
          .map((slide) => {
            const mesh = new THREE.Mesh(
                cylinder(0.62 * layout.radius_of(slide.joint.child), 1), material("#98a2af", {roughness: 0.35}));
            mesh.castShadow = true;
            mesh.matrixAutoUpdate = false;
            group.add(mesh);
            return {...slide, mesh};
          });
  const local = new THREE.Matrix4(), seat = new THREE.Matrix4(), one = new THREE.Vector3(1, 1, 1);
  return {
    group,
    update: ({joints}, q) => {
      for (const {joint, j, k, mesh} of slides) {
        const distance = position(joint, q, k), axis = new THREE.Vector3(...joint.axis).normalize();
        mesh.visible = Math.abs(distance) > 1e-6;
        local.compose(
            axis.clone().multiplyScalar(distance / 2), turn_z_to(axis), one.set(1, 1, Math.abs(distance) || 1));
        mesh.matrix.multiplyMatrices(matrix_of(joints[j], seat), local);
      }
    },
  };
}

/** Triads: red x, green y, blue z, at every body and named frame. */
export function draw_frames(robot, layout) {
  const length = 0.085 * layout.reach, thin = 0.0035 * layout.reach;
  const arrows = [
    [(g) => g.rotateY(Math.PI / 2), "#e5484d"], [(g) => g.rotateX(-Math.PI / 2), "#30a46c"], [(g) => g, "#3b82f6"]
  ].map(([turn,
          colour]) => painted(turn(cylinder(thin, length).translate(0, 0, length / 2)), () => new THREE.Color(colour)));
  const places = [...robot.bodies.map((_, b) => ({body: b})), ...robot.frames];
  const mesh = new THREE.InstancedMesh(mergeGeometries(arrows), over({vertexColors: true}), places.length);
  mesh.renderOrder = 6;
  mesh.frustumCulled = false;
  const matrix = new THREE.Matrix4();
  return {
    group: mesh,
    update: ({bodies}) => {
      places.forEach(({body, pose}, k) => {
        const base = body < 0 ? null : bodies[body];
        mesh.setMatrixAt(k, matrix_of(base && pose ? multiply(base, pose) : base ?? pose, matrix));
      });
      mesh.instanceMatrix.needsUpdate = true;
    },
  };
}

/** The quartered ball of draughtsmen at the centre of mass. */
export function draw_mass_centre(robot, layout) {
  const dark = new THREE.Color("#1b222b"), light = new THREE.Color("#ffd43b");
  const ball = new THREE.Mesh(
      painted(new THREE.SphereGeometry(0.024 * layout.reach, 32, 16), (p) => (p.x * p.y * p.z > 0 ? dark : light)),
      over({vertexColors: true, opacity: 1}));
  ball.renderOrder = 7;
  return {
    group: ball,
    update: ({bodies}) => {
      const c = centre_of_mass(robot, bodies);
      if (c) ball.position.fromArray(c);
    },
  };
}

// What is worth following: the named frames if they are few, or the end of the longest limb.
function tips(robot, layout) {
  if (robot.frames.length > 0 && robot.frames.length <= 4)
    return robot.frames.map((f) => ({body: f.body, point: f.pose.slice(9)}));
  const moving = robot.bodies.map((body, b) => b).filter((b) => robot.joints.some((j) => j.child === b));
  if (moving.length === 0) return [];
  const deepest = moving.reduce((best, b) => (layout.depth[b] >= layout.depth[best] ? b : best));
  const body = robot.bodies[deepest];
  const com = body.com ?? [0, 0, 0], entry = layout.entry[deepest].toArray();
  const far =
      body.bare && body.box && Math.max(...body.box.size) < layout.reach ? 2 : 1;  // a rod's end rather than its middle
  return [{body: deepest, point: com.map((x, i) => entry[i] + far * (x - entry[i]))}];
}

/** Paths of the tips over the whole motion, the part behind us bright. at(t): configuration. */
export function draw_paths(robot, layout, times, at) {
  const group = new THREE.Group(), points = tips(robot, layout);
  const tracks = points.map(() => []);
  for (const t of times) {
    const {bodies} = poses(robot, at(t));
    points.forEach(({body, point}, k) => tracks[k].push(...(body < 0 ? point : transform(bodies[body], point))));
  }
  const lines = tracks.map((track) => {
    const geometry = () =>
        new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(track, 3));
    const all =
        new THREE.Line(geometry(), new THREE.LineBasicMaterial({color: "#8b95a3", transparent: true, opacity: 0.35}));
    const past = new THREE.Line(geometry(), new THREE.LineBasicMaterial({color: "#f0832b"}));
    all.frustumCulled = past.frustumCulled = false;
    group.add(all, past);
    return past;
  });
  const step = times.length > 1 ? times[1] - times[0] : 1;
  return {
    group,
    update: (_, __, t) =>
        lines.forEach((line) => line.geometry.setDrawRange(0, Math.floor((t - times[0]) / step + 1e-9) + 1)),
  };
}
