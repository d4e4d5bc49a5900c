// What the tests share: the tool, and pages made with it.
import {execFileSync} from "node:child_process";
import {mkdtempSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const tool = process.env.CATENA_BINARY ?? join(root, "build/release/bin/catena");

export const folder = mkdtempSync(join(tmpdir(), "catena-viewer-"));

export const catena = (...args) => execFileSync(tool, args, {encoding: "utf8", maxBuffer: 1 << 28, cwd: folder});
export const catena_json = (...args) => JSON.parse(catena(...args, "--json"));

/** Writes a page and gives its address. */
export function page_of(name, ...args) {
  const path = join(folder, `${name}.html`);
  catena("view", ...args, "--output", path);
  return `file://${path}`;
}
