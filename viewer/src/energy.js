// The energy balance as bars that move with time, and what is missing in them.
import {colour, energy_colours} from "./charts.js";
import {value_at} from "./data.js";
import {by_id, element, number, steady} from "./format.js";

const terms = [
  ["kinetic", "kinetic"], ["potential", "potential"], ["total", "kinetic + potential"], ["work", "work of the inputs"],
  ["dissipated", "dissipated"]
];

/** @param {import("./data.js").Motion} motion @param {import("./player.js").Player} player */
export function show_energy(motion, player) {
  const {energy, time} = motion;
  const present = terms.filter(([name]) => energy[name]);
  if (present.length === 0) return;
  let low = 0, high = 0;
  for (const [name] of present)
    for (const x of energy[name]) low = Math.min(low, x), high = Math.max(high, x);
  const span = high - low || 1, zero = -low / span;
  const bars = present.map(([name, label]) => {
    const value = element("span"), fill = element("div", {className: "fill"}),
          mark = element("div", {className: "zero"});
    mark.style.left = `${100 * zero}%`;
    const bar = element(
        "div", {className: "bar"}, element("b", {}, label), value, element("div", {className: "lane"}, fill, mark));
    return {name, value, fill, bar};
  });
  const balance = energy.balance;
  const now = element("b"), note = element("p", {className: "note"});
  if (balance) {
    const worst = balance.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    note.append(
        "balance error ", now, ` · largest ${number(worst, 2)} J, ${number(worst / span, 2)} of the range above`);
  }
  by_id("energy").append(element("h2", {}, "Energy"), ...bars.map((b) => b.bar), ...(balance ? [note] : []));
  by_id("energy").hidden = false;

  const update = () => {
    for (const {name, value, fill} of bars) {
      const x = value_at(time, energy[name], player.time), share = x / span;
      value.textContent = `${steady(x, Math.max(-low, high))} J`;
      fill.style.background = colour(energy_colours[name]);
      fill.style.transform = `translateX(${100 * Math.min(zero, zero + share)}%) scaleX(${Math.abs(share)})`;
    }
    if (balance) now.textContent = `${number(value_at(time, balance, player.time), 2)} J`;
  };
  player.listeners.push(update);
  update();
}
