// Bundles src/ into one self-contained page: node build.mjs OUTPUT. No file beside it, no request to anywhere.
import {build} from "esbuild";
import {readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "page.html");

const bundle = await build({
  entryPoints: [join(here, "src/main.js"), join(here, "src/style.css")],
  outdir: "out",  // names only: nothing is written there
  write: false,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  legalComments: "none",  // the notices below stand for all of them
  absWorkingDir: here,
  logLevel: "warning",
});
const bundled = (ending) => bundle.outputFiles.find((file) => file.path.endsWith(ending)).text;

const notice = (name) => {
  const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
  return `${name}\n${text}`;
};
const parts = {
  "<!-- notices -->": `<!--\nThis page contains:\n\n${notice("three")}\n\n${notice("uplot")}\n-->`,
  "<!-- style -->": `<style>${bundled("style.css")}</style>`,
  "<!-- script -->": `<script>${bundled("main.js")}</script>`,
};
let page = readFileSync(join(here, "src/page.html"), "utf8");
for (const [mark, text] of Object.entries(parts)) {
  if (!page.includes(mark)) throw new Error(`src/page.html has no ${mark}`);
  page = page.replace(mark, () => text);
}
if (/<\/script|<!--/i.test(bundled("main.js"))) throw new Error("the script would end its own element");
writeFileSync(output, page);
