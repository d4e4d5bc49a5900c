// Curves of the recorded columns, a tab per kind, with a playhead that follows and can be dragged.
import uPlot from "uplot";

import {value_at} from "./data.js";
import {by_id, element, steady} from "./format.js";

const colours = {
  light: ["#d9650b", "#2468c9", "#12916f", "#a83fb0", "#b8860b", "#c2334d", "#0e93ad", "#6b7280"],
  dark: ["#ff9a3d", "#6aa9ff", "#3fcf9f", "#d986e6", "#e5c04b", "#ff7a8f", "#48cbe3", "#a3acb9"],
};
export const energy_colours = {
  kinetic: 0,
  potential: 1,
  work: 2,
  dissipated: 5,
  total: 7,
  balance: 3
};
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];
const shown_at_first = 8;

export const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
export const colour = (k) => colours[dark() ? "dark" : "light"][k % 8];

const shown_unit = (unit) => unit.replace("sqrt(J)", "√J").replace("^2", "²");
const largest = (values) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
// uPlot leaves a gap where a number is null.
const with_gaps = (values) =>
    (values.every(Number.isFinite) ? values : Array.from(values, (x) => (Number.isFinite(x) ? x : null)));
const spread = (values) => {
  let low = Infinity, high = -Infinity;
  for (const x of values) low = Math.min(low, x), high = Math.max(high, x);
  return high - low;
};

// Among many curves, those that move most, each measured in its own unit.
function liveliest(series) {
  if (series.length <= 12) return [...series.keys()];
  const spreads = series.map((s) => spread(s.values));
  const by_unit = {};
  series.forEach((s, k) => (by_unit[s.unit] = Math.max(by_unit[s.unit] ?? 0, spreads[k])));
  const order = [...series.keys()].sort(
      (a, b) => spreads[b] / (by_unit[series[b].unit] || 1) - spreads[a] / (by_unit[series[a].unit] || 1));
  return order.slice(0, shown_at_first).sort((a, b) => a - b);
}

/** What a tab shows: one group of curves, or several of the same joints side by side. */
function tab_of(group) {
  const panes = group.panes ?? [{title: group.title, series: group.series}];
  const {series} = panes[0];
  const lively = liveliest(series);
  // The first colours, undashed, go to the curves that are shown first.
  const order = [...lively, ...[...series.keys()].filter((k) => !lively.includes(k))];
  return {
    id: group.id,
    title: group.title,
    panes: panes.map((pane) => ({...pane, largest: pane.series.map((s) => largest(s.values))})),
    series,
    lively,
    shown: new Set(lively),
    rank: series.map((_, k) => order.indexOf(k)),
  };
}

export class Charts {
  /** @param {import("./data.js").Motion} motion @param {import("./player.js").Player} player */
  constructor(motion, player) {
    this.motion = motion;
    this.player = player;
    this.groups = motion.groups.map(tab_of);
    this.plots = [];
    // The balance error is some 1e-9 of the rest: it has its own line beside the bars.
    for (const group of this.groups)
      if (group.id === "energy") group.series.forEach((s, k) => s.name === "balance" && group.shown.delete(k));
    by_id("tabs").append(...this.groups.map(
        (group) => element("button", {type: "button", role: "tab", onclick: () => this.show(group.id)}, group.title)));
    new ResizeObserver(() => this.resize()).observe(by_id("plot"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show(this.group.id));
    this.show(this.groups[0].id);
    player.listeners.push(() => this.follow());
  }

  style(group, k) {
    const energy = group.id === "energy" ? energy_colours[group.series[k].name] : undefined;
    const rank = group.rank[k];
    return {
      stroke: colour(energy ?? rank),
      dash: energy === undefined ? dashes[Math.floor(rank / 8) % dashes.length] : []
    };
  }

  show(id) {
    this.group = this.groups.find((group) => group.id === id);
    [...by_id("tabs").children].forEach(
        (tab, k) => tab.setAttribute("aria-selected", String(this.groups[k] === this.group)));
    this.draw();
    this.list();
    this.follow();
  }

  draw() {
    for (const {plot} of this.plots) plot.destroy();
    const {panes} = this.group;
    by_id("plot").classList.toggle("beside", panes.length > 1);
    const places = panes.map(() => element("div", {className: "pane"}));
    by_id("plot").replaceChildren(...panes.map((pane, k) => {
      const title = panes.length > 1 ? [element("b", {className: "pane-title"}, pane.title)] : [];
      return element("div", {}, ...title, places[k]);
    }));
    this.plots = panes.map((pane, k) => this.draw_pane(pane, places[k]));
  }

  draw_pane(pane, place) {
    const {group, motion} = this, css = getComputedStyle(document.documentElement);
    const soft = css.getPropertyValue("--soft"), line = css.getPropertyValue("--line");
    const visible = [...group.shown].sort((a, b) => a - b);
    const units = [...new Set(visible.map((k) => pane.series[k].unit))];
    const narrow = place.clientWidth < 560;
    const font = `${narrow ? 11 : 12}px system-ui, sans-serif`;
    const tick = {stroke: line, width: 1, size: 4};
    const axis = {stroke: soft, font, labelFont: font, ticks: tick, grid: {stroke: line, width: 1}};
    const named = group.panes.length > 1 ? "" : `${group.title.toLowerCase()}`;
    const unit_axes = units.slice(0, 2).map((unit, k) => ({
                                              ...axis,
                                              scale: unit || "1",
                                              side: k === 0 ? 3 : 1,
                                              label: [named, shown_unit(unit)].filter(Boolean).join(", "),
                                              labelSize: 18,
                                              size: narrow ? 46 : 58,
                                              gap: 3,
                                              grid: {...axis.grid, show: k === 0},
                                              values: (_, ticks) => ticks.map(
                                                  (x) => String(+x.toPrecision(9)).replace("-", "−")),
                                            }));
    const playhead = element("div", {className: "playhead"});
    const pane_plot = {pane, place, playhead};
    pane_plot.plot = new uPlot(
        {
          width: place.clientWidth,
          height: place.clientHeight,
          pxAlign: 0,
          padding: [8, units.length > 1 ? 0 : 14, 0, 0],
          legend: {show: false},
          cursor: {show: false},
          hooks: {draw: [() => this.place_playhead(pane_plot)]},  // scales are known by then
          scales: {x: {time: false}, ...Object.fromEntries(units.map((unit) => [unit || "1", {}]))},
          axes: [{...axis, label: "time, s", labelSize: 16, size: 30, gap: 3}, ...unit_axes],
          series: [
            {}, ...visible.map((k) => ({
                                 label: pane.series[k].name,
                                 scale: pane.series[k].unit || "1",
                                 width: 1.6,
                                 points: {show: motion.time.length === 1},
                                 ...this.style(group, k),
                               }))
          ],
        },
        [motion.time, ...visible.map((k) => with_gaps(pane.series[k].values))], place);
    pane_plot.plot.over.append(playhead);
    this.drag(pane_plot.plot);
    return pane_plot;
  }

  drag(plot) {
    const area = plot.over;
    const move = (event) => {
      const box = area.getBoundingClientRect();
      this.player.seek(plot.posToVal(event.clientX - box.left, "x"));
    };
    area.addEventListener("pointerdown", (event) => {
      area.setPointerCapture(event.pointerId);
      this.player.pause();
      move(event);
    });
    area.addEventListener("pointermove", (event) => area.hasPointerCapture(event.pointerId) && move(event));
  }

  list() {
    const {group} = this;
    const redraw = () => (this.draw(), this.list(), this.follow());
    this.values = [];
    const chips = group.series.map((series, k) => {
      const {stroke, dash} = this.style(group, k);
      const value = element("span");
      this.values.push(value);
      const chip = element("button", {
        type: "button",
        "aria-pressed": String(group.shown.has(k)),
        title: "show or hide; double click: only this one",
        onclick: () => (group.shown.has(k) ? group.shown.delete(k) : group.shown.add(k), redraw()),
        ondblclick: () => ((group.shown = new Set([k])), redraw()),
      });
      chip.innerHTML = `<svg viewBox="0 0 18 8"><path d="M0 4h18" stroke="${
          stroke}" stroke-width="2.5" stroke-dasharray="${dash.join(" ")}"/></svg>`;
      chip.append(series.name, value);
      return chip;
    });
    if (group.series.length > 12) {
      const tool = (text, shown) => element(
          "button", {type: "button", className: "tool", onclick: () => ((group.shown = new Set(shown())), redraw())},
          text);
      chips.unshift(
          tool("all", () => group.series.keys()), tool("liveliest", () => group.lively), tool("none", () => []));
    }
    by_id("legend").replaceChildren(...chips);
  }

  place_playhead({plot, playhead}) {
    const x = plot?.valToPos(this.player.time, "x");
    if (Number.isFinite(x)) playhead.style.transform = `translateX(${x}px)`;
  }

  follow() {
    const {time} = this.player, {group, motion} = this;
    for (const pane_plot of this.plots) this.place_playhead(pane_plot);
    group.series.forEach((_, k) => {
      const values = group.panes.map(({series, largest}) => `${steady(value_at(motion.time, series[k].values, time), largest[k])} ${
                                         shown_unit(series[k].unit)}`);
      this.values[k].textContent = group.shown.has(k) ? values.join(" · ") : "";
    });
  }

  resize() {
    for (const {plot, place} of this.plots)
      if (place.clientWidth !== plot.width || place.clientHeight !== plot.height)
        plot.setSize({width: place.clientWidth, height: place.clientHeight});
    this.follow();
  }
}
