// A browser that is never waited for without end: what does not answer in time fails with a message, and the next
// check gets another browser.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";

const modules = resolve(process.env.ROTULE_NODE_MODULES ?? "node_modules");
const { chromium } = createRequire(join(modules, "any.js"))("playwright-core");

// How long a browser may take to start, and to close before it is left alone.
const START = 60;
const CLOSE = 10;

// What a promise gives, or an error after so many seconds.
export function within(seconds, what, promise) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${what}: no answer within ${seconds} s`)), 1000 * seconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function findBrowser() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const place of (process.env.PATH ?? "").split(delimiter)) {
      if (existsSync(join(place, name))) return join(place, name);
    }
  }
  throw new Error("no Chromium: `cargo xtask browser` installs it");
}

export const start = () =>
  within(START, "starting Chromium", chromium.launch({
    executablePath: findBrowser(),
    timeout: 1000 * START,
    // A test machine has neither a graphics card nor, as root, a sandbox.
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist",
      "--disable-accelerated-2d-canvas",
    ],
  }));

// A message on one line, without the log of a browser.
const shown = ({ message }) => message.replace(/\n?Browser logs:[^]*/, "").replaceAll("\n", " ");

// Runs checks one after the other, each with a browser that answers, and prints a line for each.
export async function runChecks(checks, seconds) {
  let browser = await start();
  for (const [name, run] of checks) {
    const begun = Date.now();
    const why = await within(seconds, "the browser", run(browser)).then(() => "", (error) => `: ${shown(error)}`);
    console.log(`check ${name}${why}`);
    console.error(`${name} took ${Date.now() - begun} ms`);
    // A check that failed leaves its pages open.
    const contexts = browser.contexts();
    const closed = within(CLOSE, "closing pages", Promise.all(contexts.map((context) => context.close())));
    const answers = await closed.then(() => browser.isConnected(), () => false);
    if (!answers) {
      await within(CLOSE, "closing Chromium", browser.close()).catch((error) => console.error(error.message));
      browser = await start();
    }
  }
  await within(CLOSE, "closing Chromium", browser.close()).catch((error) => console.error(error.message));
}
