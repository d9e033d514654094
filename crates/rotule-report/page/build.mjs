// Bundles the page's script: `node build.mjs` writes ../src/page/script.js, `node build.mjs --check` says whether that
// file is what these sources give. Types are checked in both cases. ../src/page/script.sha256 has the digests of sources
// and script, by which a test without Node.js sees that neither changed alone. ROTULE_NODE_MODULES is the folder of packages;
// `cargo xtask page` provides it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.env.ROTULE_NODE_MODULES ?? "node_modules");
const built = join(here, "../src/page/script.js");

try {
  execFileSync(process.execPath, [join(modules, "typescript/bin/tsc"), "--project", here], { stdio: "pipe" });
} catch (error) {
  console.error(String(error.stdout ?? error));
  process.exit(1);
}
const { buildSync } = createRequire(join(modules, "any.js"))("esbuild");
const { outputFiles } = buildSync({
  absWorkingDir: here,
  entryPoints: ["main.ts"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  write: false,
});
const script = outputFiles[0].text;
const digests = join(here, "../src/page/script.sha256");
const names = readdirSync(here).filter((name) => name.endsWith(".ts") || name.endsWith(".mjs") || name.endsWith(".json")).sort();
const sources = names.map((name) => `${name}\n${readFileSync(join(here, name), "utf8")}`).join("");
const digest = (text) => createHash("sha256").update(text).digest("hex");
const both = `${digest(sources)} sources\n${digest(script)} script.js\n`;
if (process.argv.includes("--check")) {
  if (readFileSync(built, "utf8") !== script || readFileSync(digests, "utf8") !== both) {
    console.error("crates/rotule-report/src/page/script.js is not what its sources give: run `cargo xtask page`");
    process.exit(1);
  }
} else {
  writeFileSync(built, script);
  writeFileSync(digests, both);
}
console.log(`${Buffer.byteLength(script)} bytes of script`);
