// The robot on the stage: bodies and markers, posed by the kinematics; what may be switched on and off.
import * as THREE from "three";

import {draw_bodies, draw_mounts, matrix_of, plan} from "./bodies.js";
import {FeltInertias} from "./felt.js";
import {poses, transform} from "./kinematics.js";
import {draw_frames, draw_joints, draw_mass_centre, draw_paths, draw_slides} from "./markers.js";

export class RobotView {
  /** @param {object} robot @param {import("./scene.js").Stage} stage */
  constructor(robot, stage) {
    this.robot = robot;
    this.stage = stage;
    this.layout = plan(robot);
    this.bodies = draw_bodies(robot, this.layout);
    this.layers = {
      joints: draw_joints(robot, this.layout),
      slides: draw_slides(robot, this.layout),
      frames: draw_frames(robot, this.layout),
      mass_centre: draw_mass_centre(robot, this.layout),
    };
    // Joints are part of our figures, and in the way of somebody's own shapes.
    const count = (test) => robot.bodies.filter(test).length;
    this.layers.joints.group.visible = count((body) => body.bare) > count((body) => body.shapes);
    this.layers.frames.group.visible = this.layers.mass_centre.group.visible = false;
    stage.world.add(
        draw_mounts(robot, this.layout), ...this.bodies, ...Object.values(this.layers).map((layer) => layer.group));
    // Boxes that hold each body, in its own frame: for framing.
    this.boxes = this.bodies.map((group) => {
      group.updateMatrixWorld(true);
      const box = new THREE.Box3();
      const inside = group.matrixWorld.clone().invert();
      group.traverse((part) => {
        if (!part.isMesh) return;
        part.geometry.computeBoundingBox();
        box.union(part.geometry.boundingBox.clone().applyMatrix4(inside.clone().multiply(part.matrixWorld)));
      });
      return box.isEmpty() ? null : box;
    });
  }

  add_paths(times, at) {
    this.layers.paths = draw_paths(this.robot, this.layout, times, at);
    this.stage.world.add(this.layers.paths.group);
  }

  add_felt(inertia) {
    this.layers.felt = new FeltInertias(inertia, this.layout);
    this.stage.world.add(this.layers.felt.group);
  }

  /** Poses everything. */
  show(q, time = 0) {
    this.poses = poses(this.robot, q);
    this.poses.bodies.forEach((pose, b) => {
      matrix_of(pose, this.bodies[b].matrix);
      this.bodies[b].matrixWorldNeedsUpdate = true;
    });
    for (const layer of Object.values(this.layers)) layer.update(this.poses, q, time);
    this.stage.dirty = true;
  }

  /** Room that the robot takes at some configurations, in the stage's axes: a box, and corners of what is inside. */
  extent(configurations) {
    const box = new THREE.Box3(), corners = [], matrix = new THREE.Matrix4();
    for (const q of configurations) {
      poses(this.robot, q).bodies.forEach((pose, b) => {
        if (!this.boxes[b]) return;
        matrix.multiplyMatrices(this.stage.world.matrixWorld, matrix_of(pose, matrix));
        const {min, max} = this.boxes[b];
        for (let k = 0; k < 8; ++k)
          corners.push(new THREE.Vector3(k & 1 ? min.x : max.x, k & 2 ? min.y : max.y, k & 4 ? min.z : max.z)
                           .applyMatrix4(matrix));
      });
    }
    if (corners.length === 0) corners.push(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5));
    box.setFromPoints(corners);
    const centre = box.getCenter(new THREE.Vector3());
    return {box, centre, radius: Math.max(...corners.map((c) => c.distanceTo(centre)))};
  }

  /** Where the camera looks when it follows: the middle of the moving base, in the stage's axes. */
  anchor() {
    const base = this.robot.joints.find((joint) => joint.type === "free") ?? this.robot.joints[0];
    const body = base ? base.child : 0;
    return new THREE.Vector3(...transform(this.poses.bodies[body], this.robot.bodies[body].com ?? [0, 0, 0]))
        .applyMatrix4(this.stage.world.matrixWorld);
  }
}
