// Takes the pictures of the tutorials from the reports that following them leaves behind, and the picture of the README.
// Usage: node pictures.mjs TUTORIALS OUT [NAME], with ROTULE_NODE_MODULES in the environment.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const modules = resolve(process.env.ROTULE_NODE_MODULES ?? "node_modules");
const { chromium } = createRequire(join(modules, "any.js"))("playwright-core");
const [tutorials, out, only] = process.argv.slice(2);

// Which part of which report at which share of its time: "stage" is the mechanism, "page" the first screen, and all else the
// first plot with these words.
const PICTURES = [
  { name: "../../manual/pictures/report", report: "report.html", part: "page", at: 0.12, width: 1200, height: 1130 },
  { name: "crane", report: "first-mechanism/crane.html", part: "page", at: 0.13, view: "front", height: 1060 },
  { name: "four_bar", report: "closed-loops/four_bar.html", part: "stage", at: 0.3, view: "front" },
  { name: "parallelogram", report: "closed-loops/parallelogram.html", part: "stage", at: 0.02, view: "front" },
  { name: "ur5", report: "urdf-to-c/ur5.html", part: "stage", at: 0.3, zoom: 3 },
  { name: "car", report: "car-over-a-bump/car.html", part: "stage", at: 0.185, view: "front", follow: true },
  { name: "car_tyres", report: "car-over-a-bump/tyres.html", part: "force.normal", at: 0 },
  { name: "multilink", report: "car-over-a-bump/multilink.html", part: "stage", at: 0.2, follow: true, zoom: 1, width: 660, height: 560 },
  { name: "pendulum", report: "double-pendulum/pendulum.html", part: "stage", at: 0.9, view: "front", trail: "lower.end" },
  { name: "pendulum_angles", report: "double-pendulum/pendulum.html", part: "Coordinates", at: 0 },
];

const places = (process.env.PATH ?? "").split(delimiter);
const executablePath = places.map((place) => join(place, "chromium")).find(existsSync);
if (!executablePath) throw new Error("no Chromium: `cargo xtask browser` installs it");
const browser = await chromium.launch({
  executablePath,
  // Without a graphics card and, as root, without a sandbox.
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

for (const { name, report, part, at, view, follow, trail, zoom = 0, width = part === "page" ? 1120 : 760, height = part === "page" ? 800 : 620 } of PICTURES) {
  if (only && only !== name) continue;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: "light" });
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(tutorials, report)).href);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.evaluate((share) => {
    const slider = document.getElementById("scrub");
    slider.value = String(Math.round(share * slider.max));
    slider.dispatchEvent(new Event("input"));
  }, at ?? 0);
  await settle(page);
  if (follow && (await page.getAttribute("#follow", "aria-pressed")) !== "true") await page.click("#follow");
  // The menu of the view has what draws a path.
  if (trail) {
    await page.click("#menu summary");
    await page.selectOption("#trail", { label: trail });
    await page.click("#menu summary");
  }
  if (view) await page.click(`[data-view=${view}]`);
  else await page.click("#fit");
  for (let k = 0; k < zoom; k++) await page.locator("#world").press("+");
  await page.evaluate(() => document.activeElement?.blur());
  if (part !== "page") {
    await page.evaluate(() => document.querySelectorAll("#transport, .tools").forEach((bar) => (bar.style.display = "none")));
  }
  await page.mouse.move(5, 5);
  await settle(page);
  await settle(page);
  const path = join(out, `${name}.png`);
  if (part === "page") await page.screenshot({ path });
  else if (part === "stage") await page.locator("#stage").screenshot({ path });
  else await page.locator("#plots > *").filter({ hasText: part }).first().screenshot({ path });
  await context.close();
}
await browser.close();
