// The page in Chromium: it loads without errors or requests, plays, scrubs, and moves by its sliders, on a desk and on
// a phone. WebGL runs in software, so that no machine needs a GPU.
import assert from "node:assert/strict";
import {rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {chromium} from "playwright-core";

import {catena, folder, page_of} from "./support.mjs";

const desk = {
  viewport: {width: 900, height: 620}
};
const phone = {
  viewport: {width: 390, height: 700},
  isMobile: true,
  hasTouch: true
};
let browser, fall, robot;

before(async () => {
  const run = join(folder, "fall.csv");
  catena("simulate", "stanford_arm", "--duration", "0.5", "--every", "0.01", "--output", run);
  fall = page_of("fall", run);
  robot = page_of("robot", "joints");
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      "--disable-background-networking"
    ],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

/** Opens a page in a profile of its own; close() fails if it complained or asked the network for anything. */
async function open(address, options = {}) {
  const context = await browser.newContext({...desk, ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.stack));
  page.on(
      "request",
      (request) => request.url() !== address && !request.url().startsWith("data:") &&
          complaints.push(`request: ${request.url()}`));
  await page.goto(address);
  await page.waitForFunction(() => window.catena);
  return {page, close: async () => (await context.close(), assert.deepEqual(complaints, []))};
}

const time = (page) => page.evaluate(() => window.catena.player.time);
const tip = (page) => page.evaluate(() => window.catena.view.poses.bodies.at(-1));
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
// Whether the canvas shows more than one colour where the robot should be.
const drawn = (page) => page.evaluate(() => {
  const {stage} = window.catena, gl = stage.renderer.getContext();
  stage.dirty = true;
  stage.render();
  const {drawingBufferWidth: w, drawingBufferHeight: h} = gl, pixels = new Uint8Array(4 * w * h);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const solid = new Set();
  for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i + 3] === 255) solid.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
  return solid.size;
});

test("a recording plays, pauses, steps and scrubs", async () => {
  const {page, close} = await open(fall);
  assert.ok((await drawn(page)) > 50, "a shaded robot is on the canvas");
  const start = await time(page);
  await page.waitForFunction((t) => window.catena.player.time !== t, start);
  assert.equal(await page.evaluate(() => window.catena.player.playing), true);
  await page.keyboard.press("Space");
  const paused = await time(page);
  await page.waitForTimeout(200);
  assert.equal(await time(page), paused);

  await page.locator("#scrub").evaluate((input) => ((input.value = "0.1"), input.dispatchEvent(new Event("input"))));
  assert.equal(await time(page), 0.1);
  const before_step = await tip(page);
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await time(page)) - 0.11) < 1e-9, "one row further");
  await page.keyboard.press("End");
  assert.ok(distance(await tip(page), before_step) > 0.1, "the arm has fallen");
  assert.match(await page.locator("#clock").innerText(), /^0\.5000 s/);
  await close();
});

test("curves have tabs, names and a playhead that can be dragged", async () => {
  const {page, close} = await open(fall, {reducedMotion: "reduce"});
  assert.equal(
      await page.evaluate(() => window.catena.player.playing), false, "nothing moves by itself for who asked for that");
  assert.deepEqual(await page.locator("#tabs button").allInnerTexts(), [
    "Position", "Velocity", "Force", "Energy", "v beside ν", "τ beside ε"
  ]);
  assert.match(await page.locator("#legend").innerText(), /joint3/);
  const over = await page.locator("#plot .u-over").boundingBox();
  await page.mouse.move(over.x + 0.25 * over.width, over.y + 20);
  await page.mouse.down();
  assert.ok(Math.abs((await time(page)) - 0.125) < 0.005);
  await page.mouse.move(over.x + 0.75 * over.width, over.y + 20);
  await page.mouse.up();
  assert.ok(Math.abs((await time(page)) - 0.375) < 0.005);
  const head = await page.locator("#plot .playhead").boundingBox();
  assert.ok(Math.abs(head.x - (over.x + 0.75 * over.width)) < 3, "the line stands where the pointer was");

  await page.getByRole("tab", {name: "Energy"}).click();
  await page.waitForTimeout(100);
  const after_tab = await page.locator("#plot .playhead").boundingBox();
  assert.ok(after_tab.x > over.x + 0.6 * over.width, "and stays there on another tab");
  assert.equal(await page.locator("#energy .bar").count(), 5);
  assert.match(await page.locator("#energy .note").innerText(), /balance error .* J/);
  await close();
});

test("v stands beside ξ and ν, with one playhead each", async () => {
  const {page, close} = await open(fall, {reducedMotion: "reduce"});
  await page.getByRole("tab", {name: "v beside ν"}).click();
  assert.deepEqual(
      await page.locator("#plot .pane-title").allInnerTexts(),
      ["own rate v", "total rate ξ: own + carried", "ν = √D ξ: weighted by the inertia felt"]);
  const areas = page.locator("#plot .u-over");
  assert.equal(await areas.count(), 3);
  const last = await areas.nth(2).boundingBox();
  await page.mouse.click(last.x + 0.5 * last.width, last.y + 20);
  assert.ok(Math.abs((await time(page)) - 0.25) < 0.01);
  for (let k = 0; k < 3; ++k) {
    const area = await areas.nth(k).boundingBox(), head = await page.locator("#plot .playhead").nth(k).boundingBox();
    assert.ok(Math.abs(head.x - (area.x + 0.5 * area.width)) < 5, `playhead ${k}`);
  }
  assert.match(await page.locator("#legend").innerText(), /joint1.*rad\/s · .*rad\/s · .*√J/);
  await page.getByRole("tab", {name: "Energy"}).click();
  assert.equal(await areas.count(), 1);
  await close();
});

test("ellipsoids show what is felt at each joint, free inside locked, and move with time", async () => {
  const {page, close} = await open(fall, {reducedMotion: "reduce"});
  const pixels = () => page.evaluate(() => {
    const {stage} = window.catena, gl = stage.renderer.getContext();
    stage.dirty = true;
    stage.render();
    const {drawingBufferWidth: w, drawingBufferHeight: h} = gl, all = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, all);
    return all.reduce((sum, x, i) => (sum + x * (1 + (i % 1009))) % 1e9, 0);
  });
  const plain = await pixels();
  const twist = page.getByRole("button", {name: "Twist"});
  assert.equal(await twist.isVisible(), false, "nothing to choose while nothing is shown");
  await page.getByRole("button", {name: "Felt: joints free"}).click();
  const free = await pixels();
  assert.notEqual(free, plain);
  await page.getByRole("button", {name: "Felt: joints locked"}).click();
  assert.notEqual(await pixels(), free);
  assert.match(await page.locator("#key").innerText(), /joints beyond free.*joints beyond locked.*reaching .* kg;/s);
  // The ball that the mesh draws: the farthest that its matrix reaches in some directions, against sqrt(u' A u).
  const look = () => page.evaluate(() => {
    const {felt} = window.catena.view.layers, {bodies} = window.catena.view.poses, t = window.catena.player.time;
    const size = felt.twist ? felt.scale.twist : felt.scale.push;
    return felt.inertia.joints.map(({body}, j) => {
      const blocks = felt.blocks(j, t), out = {};
      for (const which of ["free", "locked"]) {
        const e = felt[which].children[j].matrix.elements, [xx, xy, xz, yy, yz, zz] = blocks[which];
        const A = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], R = bodies[body];
        out[which] = [[1, 0, 0], [0.6, 0, 0.8], [0.48, -0.6, 0.64]].map((u) => {
          const world = [0, 1, 2].map((i) => R[3 * i] * u[0] + R[3 * i + 1] * u[1] + R[3 * i + 2] * u[2]);
          const drawn = Math.hypot(...[0, 4, 8].map((c) => e[c] * world[0] + e[c + 1] * world[1] + e[c + 2] * world[2]));
          const felt_there = Math.sqrt(u.reduce((s, x, i) => s + x * A[i].reduce((r, a, k) => r + a * u[k], 0), 0));
          return {drawn: drawn / size, felt: felt_there};
        });
      }
      return out;
    });
  });
  for (const mode of ["push", "twist"]) {
    if (mode === "twist") await twist.click();
    const joints = await look();
    assert.equal(joints.length, 6);
    for (const {free, locked} of joints)
      free.forEach((direction, k) => {
        assert.ok(Math.abs(direction.drawn - direction.felt) < 1e-5 * (1 + direction.felt), mode);
        assert.ok(Math.abs(locked[k].drawn - locked[k].felt) < 1e-5 * (1 + locked[k].felt), mode);
        assert.ok(direction.felt <= locked[k].felt * (1 + 1e-5), "free joints only take off");
      });
    const less = ({free, locked}) => free.some((x, k) => x.felt < 0.9 * locked[k].felt);
    assert.ok(joints.some(less), "and do so somewhere");
  }
  assert.match(await page.locator("#key").innerText(), /kg m²/);
  const before_end = await pixels();
  await page.keyboard.press("End");
  assert.notEqual(await pixels(), before_end);
  await close();
});

test("a robot without motion moves by its sliders, within limits, and coupled joints follow", async () => {
  const {page, close} = await open(robot);
  const before_move = await page.evaluate(() => window.catena.view.poses.bodies);
  const slider = page.getByLabel("hinge", {exact: true});
  assert.equal(await slider.getAttribute("max"), "2.5");
  await slider.evaluate((input) => ((input.value = "9"), input.dispatchEvent(new Event("input"))));
  const state = await page.evaluate(() => {
    const {robot, panel, view} = window.catena;
    const row = (name) => panel.rows.find((r) => r.joint.name === name);
    return {
      hinge: row("hinge").read(panel.q),
      finger: row("finger_joint").read(panel.q),
      disabled: row("finger_joint").slider.disabled,
      poses: view.poses.bodies,
      names: robot.bodies.map((b) => b.name)
    };
  });
  assert.equal(state.hinge, 2.5);
  assert.ok(Math.abs(state.finger - (-0.5 * 2.5 + 0.3)) < 1e-12 && state.disabled);
  const moved = (name) => distance(state.poses[state.names.indexOf(name)], before_move[state.names.indexOf(name)]);
  assert.ok(moved("arm") > 0.5 && moved("finger") > 0.1 && moved("puck") === 0);

  await page.getByRole("button", {name: "Home"}).click();
  assert.equal(await page.evaluate(() => window.catena.panel.q[0]), 0);
  await page.getByRole("button", {name: "Sweep"}).click();
  await page.waitForFunction(() => window.catena.panel.q[0] !== 0);
  for (const name of ["Frames", "Mass centre", "Joints"]) await page.getByRole("button", {name, exact: true}).click();
  await page.waitForTimeout(100);
  await close();
});

test("on a phone everything fits the width and follows the finger", async () => {
  const {page, close} = await open(fall, {...phone, colorScheme: "dark"});
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} px wide`);
  assert.ok((await drawn(page)) > 50);
  await page.locator("#play").tap();
  assert.equal(await page.evaluate(() => window.catena.player.playing), false);
  await page.locator("#plot .u-over").tap({position: {x: 100, y: 50}});
  const at = await time(page);
  assert.ok(at > 0.05 && at < 0.45);
  await close();
});

test("names cannot break out of the page", async () => {
  const evil = join(folder, "evil.toml");
  writeFileSync(
      evil,
      `name = "</script><script>window.broken = 1</script><b>"\n[[body]]\nname = "a<img src=x onerror=window.broken=1>"
joint = "revolute"\njoint_name = "j</script>"\nmass = 1\ncom = [0.1, 0, 0]\ninertia = [0.01, 0.01, 0.01]\n`);
  const {page, close} = await open(page_of("evil", evil));
  assert.equal(await page.locator("#name").innerText(), "</script><script>window.broken = 1</script><b>");
  assert.equal(await page.evaluate(() => window.broken), undefined);
  await close();
});
