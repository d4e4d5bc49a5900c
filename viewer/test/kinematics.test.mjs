// The page's kinematics against the library's: `catena view MODEL --json` gives q and the pose of every body at q.
import assert from "node:assert/strict";
import {test} from "node:test";

import {configuration_at, row_at, value_at} from "../src/data.js";
import {inverse, multiply, poses} from "../src/kinematics.js";

import {catena_json} from "./support.mjs";

// "joints" has one joint of every type and a coupled one; random trees have them in any order and number.
for (const model of ["joints", "stanford_arm", "humanoid", "random:3", "random:11", "random:29"]) {
  test(`${model}: bodies are where the library puts them`, () => {
    for (const seed of [1, 2, 3]) {
      const robot = catena_json("view", model, "--random", String(seed));
      assert.ok(robot.q.some((x) => Math.abs(x) > 0.05), "a pose that is not the neutral one");
      const {bodies} = poses(robot, robot.q);
      assert.equal(bodies.length, robot.poses.length);
      robot.poses.forEach(
          (pose, b) => pose.forEach(
              (expected, i) => assert.ok(
                  Math.abs(bodies[b][i] - expected) <= 1e-9,
                  `${robot.bodies[b].name}[${i}], seed ${seed}: ${bodies[b][i]} instead of ${expected}`)));
    }
  });
}

test("every joint type is among them", () => {
  const types = new Set(catena_json("view", "joints").joints.map((joint) => joint.type));
  for (const type of
           ["fixed", "revolute", "continuous", "prismatic", "helical", "cylindrical", "planar", "universal",
            "gimbal", "spherical", "free"])
    assert.ok(types.has(type), type);
});

test("a pose times its inverse is the identity", () => {
  const robot = catena_json("view", "joints", "--random", "5");
  for (const pose of robot.poses)
    multiply(pose, inverse(pose))
        .forEach((x, i) => assert.ok(Math.abs(x - (i === 0 || i === 4 || i === 8 ? 1 : 0)) < 1e-14));
});

test("between rows values are interpolated, quaternions the shorter way", () => {
  const time = Float64Array.of(0, 1, 3);
  assert.equal(row_at(time, 0.5), 0);
  assert.equal(row_at(time, 1), 1);
  assert.equal(row_at(time, 99), 2);
  assert.equal(value_at(time, [0, 2, 6], 2), 4);
  assert.equal(value_at(time, [0, 2, 6], 3), 6);
  const robot = {quaternions: [0]};
  const motion = {time: Float64Array.of(0, 1), q: [[0, 0], [0, 0], [0, 0], [1, -1]]};
  assert.deepEqual(configuration_at(robot, motion, 0.5), [0, 0, 0, 1]);
});
