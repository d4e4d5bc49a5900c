// Numbers and small elements for the page.

/** Significant digits, without noise: "0.5236", "1.2e-9". */
export function number(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size < 1e-3 || size >= 1e6 ? x.toExponential(Math.min(digits - 1, 2)) : x.toPrecision(digits);
  return text.replace("-", "−").replace(/e([+−-])/, (_, sign) => (sign === "+" ? "e" : "e−"));
}

/** With so many places; no minus before a zero. */
export const fixed = (x, places) => x.toFixed(places).replace(/^-(?=0(\.0*)?$)/, "").replace("-", "−");

/** A fixed number of places, so that a running value does not jump about. */
export function steady(x, largest) {
  if (!Number.isFinite(x)) return "–";
  const places = largest > 0 ? Math.max(0, Math.min(6, 4 - Math.floor(Math.log10(largest)))) : 3;
  return fixed(x, places);
}

/** @param {string} tag @param {Record<string, any>} [properties] @param {(Node | string)[]} children */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on"))
      node.addEventListener(key.slice(2), value);
    else if (key in node)
      node[key] = value;
    else
      node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

export const by_id = (id) => document.getElementById(id);

/** Fills a slider's track up to its thumb. */
export const fill_track = (input) => {
  const low = +input.min, span = +input.max - low;
  input.style.setProperty("--at", `${span > 0 ? (100 * (+input.value - low)) / span : 0}%`);
};
