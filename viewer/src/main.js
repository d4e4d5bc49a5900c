// The page: reads what catena view put into it, sets the stage, and lets time run.
import {Charts} from "./charts.js";
import {configuration_at, read_data, row_at} from "./data.js";
import {show_energy} from "./energy.js";
import {felt_colours} from "./felt.js";
import {by_id, element, fill_track} from "./format.js";
import {JointPanel} from "./joints.js";
import {poses} from "./kinematics.js";
import {kinds} from "./markers.js";
import {Player} from "./player.js";
import {RobotView} from "./robot_view.js";
import {Stage} from "./scene.js";

const {robot, motion} = read_data(by_id("catena-data").textContent);
const player = motion ? new Player(motion.time[0], motion.time[motion.time.length - 1]) : null;
const sampled = (count) =>
    Array.from({length: count}, (_, k) => player.first + ((player.last - player.first) * k) / (count - 1));

document.title = `${robot.name} · Catena`;
document.body.classList.toggle("still", !motion);
by_id("name").textContent = robot.name;
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
by_id("about").textContent = `${plural(robot.nv, "degree")} of freedom, ${robot.mass.toPrecision(4)} kg${
    robot.origin ? ` · ${robot.origin}` : ""}`;

let stage = null, view = null;
try {
  stage = new Stage(by_id("canvas"), robot.gravity);
  view = new RobotView(robot, stage);
} catch (error) {
  by_id("trouble").hidden = false;
  by_id("trouble").textContent = `This browser cannot draw in 3-D (${error.message}). Everything else works.`;
}

const panel = new JointPanel(robot, {
  reach: view ? view.layout.reach / 2 : 1,
  recorded: motion && sampled(200).map((t) => configuration_at(robot, motion, t)),
  changed: (q) => view?.show(q),
});
let follows = false, anchor = null;

function show_now() {
  const q = configuration_at(robot, motion, player.time);
  panel.update(q);
  if (!view) return;
  view.show(q, player.time);
  const now = view.anchor();
  if (follows && anchor) stage.follow(now.clone().sub(anchor));
  anchor = now;
}

function frame_motion() {
  const configurations = motion ? sampled(60).map((t) => configuration_at(robot, motion, t)) : [robot.q];
  const start = view.extent(configurations.slice(0, 1)), all = view.extent(configurations);
  // What flies far is followed. What is bolted down is shown with all it reaches, unless a slide without an end leaves
  // for the horizon and would take the rest out of sight.
  const flies = robot.joints.some((joint) => joint.type === "free");
  follows = flies && all.radius > 4 * start.radius;
  const {box, centre, radius} = follows ?
      start :
      all.radius > 8 * start.radius ?
      {...start, radius: 6 * start.radius, box: start.box.clone().expandByScalar(5 * start.radius)} :
      all;
  show_key(stage.fit(centre, radius, flies ? box.min.z : Math.min(0, box.min.z)));
}

// What the ellipsoids at the joints mean, in numbers.
function felt_key(marked, cell) {
  const felt = view.layers.felt;
  if (!felt?.visible) return [];
  const unit = felt.twist ? "kg m²" : "kg", reach = cell / 2;
  const of = (which, text) => (felt[which].visible ? [marked(felt_colours[which], text)] : []);
  const length = reach < 0.1 ? `${+ (1000 * reach).toPrecision(2)} mm` : `${+ reach.toPrecision(2)} m`;
  return [
    ...of("free", "joints beyond free"), ...of("locked", "joints beyond locked"),
    element("span", {}, `reaching ${length}: ${felt.felt_at(reach).toPrecision(2)} ${unit}; twice as far: four times that`)
  ];
}

function show_key(cell) {
  const items = [`grid ${cell < 0.1 ? `${+ (cell * 1000).toPrecision(1)} mm` : `${+ cell.toPrecision(1)} m`}`];
  const present =
      [...new Set(robot.joints.map((joint) => joint.type))].filter((type) => type !== "fixed" && type !== "free");
  const seen = new Set();
  const marks =
      view.layers.joints.group.visible ? present.filter((type) => !seen.has(kinds[type]) && seen.add(kinds[type])) : [];
  const marked = (colour, text) => {
    const dot = element("i");
    dot.style.background = colour;
    return element("span", {}, dot, text);
  };
  by_id("key").replaceChildren(
      element("span", {}, items[0]),
      ...marks.map((type) => marked(kinds[type], type === "continuous" ? "revolute" : type)), ...felt_key(marked, cell));
  show_key.cell = cell;
}

function add_switch(label, title, on, change) {
  const button = element("button", {type: "button", title, "aria-pressed": String(on)}, label);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    change(now);
    stage.dirty = true;
  });
  by_id("switches").append(button);
}

// Ellipsoids of what is felt at each joint; what they measure can be chosen once one of them is shown.
function add_felt_switches() {
  const {felt} = view.layers;
  const what = "how heavy the robot beyond each joint feels when its link is pushed there without turning it";
  const change = (settings) => {
    felt.set(settings);
    twist.hidden = !felt.visible;
    show_key(show_key.cell);
  };
  add_switch("Felt: joints free", `${what}, the joints beyond left free`, false, (on) => change({free: on}));
  add_switch("Felt: joints locked", `${what}, the joints beyond locked`, false, (on) => change({locked: on}));
  add_switch("Twist", "how hard it is to turn the link about the joint's origin instead", false, (on) => change({twist: on}));
  const twist = by_id("switches").lastElementChild;
  twist.hidden = true;
}

function add_switches() {
  const layer = (name, label, title) => {
    const {group} = view.layers[name];
    add_switch(label, title, group.visible, (on) => {
      group.visible = on;
      if (name === "joints") show_key(show_key.cell);
    });
  };
  layer("joints", "Joints", "joint axes, coloured by kind");
  layer("frames", "Frames", "axes of every body and named frame: red x, green y, blue z");
  layer("mass_centre", "Mass centre", "centre of mass of the whole robot");
  if (motion) layer("paths", "Path", "where the end of the robot goes");
  if (view.layers.felt) add_felt_switches();
  if (motion && robot.joints.some((joint) => joint.type === "free"))
    add_switch("Follow", "the camera goes along with the base", follows, (on) => (follows = on));
  by_id("switches")
      .append(
          element("button", {type: "button", title: "back to the first view (F)", onclick: () => stage.look()}, "Fit"));
}

function connect_transport() {
  const scrub = by_id("scrub"), play = by_id("play"), clock = by_id("clock"), loop = by_id("loop"),
        speed = by_id("speed");
  by_id("transport").hidden = false;
  scrub.min = String(player.first);
  scrub.max = String(player.last);
  const places = player.last - player.first < 1 ? 4 : player.last - player.first < 100 ? 3 : 2;
  play.addEventListener("click", () => player.toggle());
  scrub.addEventListener("input", () => {
    const wanted = +scrub.value;  // before pausing, which writes the slider
    player.pause();
    player.seek(wanted);
  });
  speed.addEventListener("change", () => (player.speed = +speed.value));
  loop.addEventListener("click", () => {
    player.loop = !player.loop;
    loop.setAttribute("aria-pressed", String(player.loop));
  });
  const update = () => {
    play.setAttribute("aria-label", player.playing ? "pause" : "play");
    scrub.value = String(player.time);
    fill_track(scrub);
    clock.innerHTML = `${player.time.toFixed(places)} s <small>of ${player.last.toFixed(places)} s</small>`;
  };
  player.listeners.push(update);
  update();
}

function step(rows) {
  player.pause();
  const row = row_at(motion.time, player.time + 1e-12) + rows;
  player.seek(motion.time[Math.max(0, Math.min(motion.time.length - 1, row))]);
}

addEventListener("keydown", (event) => {
  if (event.target.closest?.("input, select, textarea") && event.key !== " ") return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    " ": () => player?.toggle(),
    ArrowRight: () => player && step(1),
    ArrowLeft: () => player && step(-1),
    Home: () => player?.seek(player.first),
    End: () => player?.seek(player.last),
    f: () => stage?.look(),
  };
  const action = actions[event.key];
  if (!action || (event.key === " " && event.target.closest?.("button"))) return;
  event.preventDefault();
  action();
});

if (motion) {
  connect_transport();
  by_id("curves").hidden = false;
  player.listeners.push(show_now);
  if (view && player.last > player.first)
    view.add_paths(
        sampled(Math.min(1200, Math.max(2, 4 * motion.time.length))), (t) => configuration_at(robot, motion, t));
  if (view && motion.inertia) view.add_felt(motion.inertia);
  show_energy(motion, player);
}
const charts = motion ? new Charts(motion, player) : null;
if (view) {
  view.show(motion ? configuration_at(robot, motion, player.first) : robot.q, player?.first);
  anchor = view.anchor();
  frame_motion();
  add_switches();
}

let last = performance.now();
requestAnimationFrame(function tick(now) {
  const seconds = Math.min(0.1, Math.max(0, (now - last) / 1000));
  last = now;
  player?.advance(seconds);
  panel.advance(seconds);
  stage?.render();
  requestAnimationFrame(tick);
});
if (motion) player.changed();
if (player && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();

// What the tests hold on to.
window.catena = {
  robot,
  player,
  panel,
  charts,
  stage,
  view,
  configuration: () => (motion ? configuration_at(robot, motion, player.time) : panel.q),
  poses: (q) => poses(robot, q).bodies,
};
