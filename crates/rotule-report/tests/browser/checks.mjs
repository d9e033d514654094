// Opens the demonstration pages in Chromium and does what a reader does. Prints `check NAME` for what holds and
// `check NAME: REASON` for what does not. Usage: node checks.mjs FOLDER, with ROTULE_NODE_MODULES in the environment.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const modules = resolve(process.env.ROTULE_NODE_MODULES ?? "node_modules");
const { chromium } = createRequire(join(modules, "any.js"))("playwright-core");
const folder = process.argv[2];
const PAGES = ["double-pendulum", "slider-crank", "rover", "hostile", "hostile-axis", "still", "bare"];

function findBrowser() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const place of (process.env.PATH ?? "").split(delimiter)) {
      if (existsSync(join(place, name))) return join(place, name);
    }
  }
  throw new Error("no Chromium: `cargo xtask browser` installs it");
}

const browser = await chromium.launch({
  executablePath: findBrowser(),
  // A test machine has neither a graphics card nor, as root, a sandbox.
  args: [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-accelerated-2d-canvas",
  ],
});

// A page that is ready, with what it said and asked for.
async function open(name, options = {}, prepare = null) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.said = [];
  page.asked = [];
  page.on("console", (message) => page.said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.said.push(`error: ${error.message}`));
  page.on("request", (request) => page.asked.push(request.url()));
  if (prepare) await page.addInitScript(prepare);
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await settle(page);
  return page;
}

// Until everything that was asked for is drawn.
const settle = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));

const close = (page) => page.context().close();
const time = async (page) => parseFloat((await page.textContent("#now")).replace("−", "-"));
const scrub = async (page, share) => {
  await page.evaluate((value) => {
    const slider = document.getElementById("scrub");
    slider.value = String(Math.round(value * slider.max));
    slider.dispatchEvent(new Event("input"));
  }, share);
  await settle(page);
};

// The colours of a canvas and how many pixels have each.
const colours = (page, selector, index = 0) =>
  page.evaluate(([selector, index]) => {
    const canvas = document.querySelectorAll(selector)[index];
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const counts = {};
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] === 0) continue;
      const hex = "#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("");
      counts[hex] = (counts[hex] ?? 0) + 1;
    }
    return counts;
  }, [selector, index]);

// Keeps the picture of a plot in the page, or says which share of its pixels has visibly changed since.
const keep = (page, index) =>
  page.evaluate((index) => {
    const canvas = document.querySelectorAll(".chart canvas:first-child")[index];
    (window.kept ??= {})[index] = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  }, index);
const changed = (page, index) =>
  page.evaluate((index) => {
    const canvas = document.querySelectorAll(".chart canvas:first-child")[index];
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const before = window.kept[index];
    if (data.length !== before.length) return 1;
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      // Faint pixels have hardly a colour.
      const seen = (pixels, k) => (pixels[i + k] * pixels[i + 3]) / 255;
      if ([0, 1, 2, 3].some((k) => Math.abs(seen(data, k) - seen(before, k)) > 40)) count++;
    }
    return count / (data.length / 4);
  }, index);

const styleColour = (page, name) =>
  page.evaluate((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(), name);

function demand(holds, why) {
  if (!holds) throw new Error(why);
}

const checks = {
  async pages_load_without_a_message() {
    for (const name of PAGES) {
      const page = await open(name);
      demand(page.said.length === 0, `${name}: ${page.said.join(" | ")}`);
      await close(page);
    }
  },

  async pages_fetch_nothing() {
    const page = await open("rover");
    const asked = page.asked.filter((url) => !url.startsWith("data:"));
    demand(asked.length === 1 && asked[0].startsWith("file:"), asked.join(" "));
    await close(page);
  },

  async other_scripts_and_requests_are_refused() {
    const page = await open("bare");
    const outcome = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.intruder = true";
      document.body.append(script);
      const fetched = await fetch("data:text/plain,x").then(() => true, () => false);
      return { intruder: window.intruder ?? false, fetched };
    });
    demand(!outcome.intruder && !outcome.fetched, JSON.stringify(outcome));
    await close(page);
  },

  async names_of_the_model_stay_text() {
    const evil = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>{{data}}";
    for (const name of ["hostile", "hostile-axis"]) {
      const page = await open(name);
      const seen = await page.evaluate(() => ({
        broken: window.broken ?? null,
        images: document.images.length,
        heading: document.querySelector("h1").textContent,
        cell: document.querySelector(".card td").textContent,
        title: document.querySelector(".plot h2").firstChild.textContent,
        curve: document.querySelector(".legend .name").textContent,
        event: document.querySelectorAll(".marks td")[1].textContent,
        trail: document.getElementById("trail").options[1].textContent,
      }));
      demand(seen.broken === null && seen.images === 0, `${name} ran: ${JSON.stringify(seen)}`);
      for (const part of ["heading", "cell", "title", "curve", "event"]) demand(seen[part] === evil, `${part}: ${seen[part]}`);
      demand(seen.trail.includes(evil), seen.trail);
      await close(page);
    }
  },

  async every_plot_is_drawn() {
    for (const name of ["double-pendulum", "rover"]) {
      const page = await open(name);
      const count = await page.locator(".plot").count();
      demand(count >= 4, `${name}: ${count} plots`);
      for (let index = 0; index < count; index++) {
        await page.locator(".plot").nth(index).scrollIntoViewIfNeeded();
        await settle(page);
        const found = await colours(page, ".chart canvas:first-child", index);
        const first = await styleColour(page, "c0");
        demand(found[first] > 100, `${name}, plot ${index}: ${found[first]} pixels of the first curve`);
      }
      await close(page);
    }
  },

  async gaps_are_gaps() {
    const page = await open("hostile");
    // Gaps are at samples 10 to 12 of every 50, 0.01 s apart.
    await scrub(page, 0.11 / 1.99);
    const inGap = await page.locator(".plot").first().locator(".value").first().textContent();
    await scrub(page, 0.05 / 1.99);
    const beside = await page.locator(".plot").first().locator(".value").first().textContent();
    demand(inGap === "–", `in the gap: ${inGap}`);
    demand(Math.abs(parseFloat(beside) - Math.sin(9 * 0.05)) < 1e-3, `beside it: ${beside}`);
    // The line is broken there, too.
    const inked = (time) =>
      page.evaluate((share) => {
        const canvas = document.querySelector(".chart canvas");
        const colour = getComputedStyle(document.documentElement).getPropertyValue("--c0").trim();
        const x = Math.round(54 + share * (canvas.width - 64));
        const { data } = canvas.getContext("2d").getImageData(x - 1, 0, 3, canvas.height);
        const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
        return data.some((_, i) => i % 4 === 0 && wanted.every((part, k) => data[i + k] === part) && data[i + 3] > 200);
      }, time / 1.99);
    demand(!(await inked(0.11)), "the line runs through the gap");
    demand(await inked(0.05), "the line is not where it should be");
    await close(page);
  },

  async the_scene_is_drawn() {
    for (const name of ["double-pendulum", "slider-crank", "rover", "still"]) {
      const page = await open(name);
      const withGround = Object.keys(await colours(page, "#world")).length;
      // The bodies alone.
      await page.click("#menu summary");
      await page.click("[data-layer=ground]");
      await settle(page);
      const found = Object.keys(await colours(page, "#world")).length;
      demand(found > 100 && withGround > found, `${name}: ${found} and ${withGround} colours`);
      await close(page);
    }
  },

  async play_advances_and_pause_stops() {
    const page = await open("double-pendulum");
    demand((await time(page)) === 0, "it does not begin at the start");
    await page.click("#play");
    await page.waitForFunction(() => parseFloat(document.getElementById("now").textContent) > 0.2);
    demand((await page.getAttribute("#play", "aria-label")) === "Pause", "the button does not say so");
    await page.click("#play");
    const stopped = await time(page);
    await page.waitForTimeout(300);
    demand((await time(page)) === stopped, "it runs on after pause");
    await close(page);
  },

  async scrubbing_sets_the_time_everywhere() {
    const page = await open("double-pendulum");
    const before = [await colours(page, ".chart canvas.over"), await colours(page, "#world")];
    await scrub(page, 0.5);
    demand((await time(page)) === 5, `the time is ${await time(page)}`);
    const after = [await colours(page, ".chart canvas.over"), await colours(page, "#world")];
    const value = await page.locator(".value").first().textContent();
    demand(value !== "" && value !== "2.0000", `the legend says ${value}`);
    demand(JSON.stringify(before[1]) !== JSON.stringify(after[1]), "the mechanism stands still");
    await close(page);
  },

  async values_at_the_cursor_are_right() {
    const page = await open("slider-crank");
    // Between the samples as well as on them.
    for (const share of [0, 0.10034, 0.37017, 1]) {
      await scrub(page, share);
      const angle = 100 * Math.PI * 0.06 * share;
      const expected = 0.05 * Math.cos(angle) + Math.sqrt(0.14 ** 2 - (0.05 * Math.sin(angle)) ** 2);
      const shown = parseFloat(await page.locator(".value").first().textContent());
      demand(Math.abs(shown - expected) < 1e-5, `at ${share}: ${shown}, not ${expected}`);
    }
    await close(page);
  },

  async the_legend_hides_a_curve() {
    const page = await open("double-pendulum");
    const second = await styleColour(page, "c1");
    const pixels = async () => (await colours(page, ".chart canvas:first-child"))[second] ?? 0;
    demand((await pixels()) > 100, "the second curve is not there");
    const entry = page.locator(".legend").first().locator("button").nth(1);
    await entry.click();
    await page.mouse.move(5, 5);
    await settle(page);
    demand((await entry.getAttribute("aria-pressed")) === "false", "the entry is still pressed");
    demand((await pixels()) === 0, `${await pixels()} pixels remain`);
    await entry.focus();
    await page.keyboard.press("Enter");
    await settle(page);
    demand((await entry.getAttribute("aria-pressed")) === "true", "the key does not bring it back");
    await close(page);
  },

  async a_drag_zooms_all_plots() {
    const page = await open("double-pendulum");
    await keep(page, 0);
    await keep(page, 1);
    const box = await page.locator(".chart").first().boundingBox();
    await page.mouse.move(box.x + 150, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 90, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    for (const index of [0, 1]) demand((await changed(page, index)) > 0.01, `plot ${index} did not zoom`);
    const back = page.getByRole("button", { name: "Show all" }).first();
    demand(await back.isVisible(), "there is no way back");
    await page.mouse.dblclick(box.x + 200, box.y + 80);
    await page.mouse.move(5, 5);
    await settle(page);
    const rest = await changed(page, 0);
    demand(rest < 1e-3, `after a double click ${rest} of the plot is still different`);
    demand(!(await back.isVisible()), "the way back stays");
    await close(page);
  },

  async powers_of_ten_can_be_shown() {
    const page = await open("double-pendulum");
    const plot = page.locator(".plot").last();
    await plot.scrollIntoViewIfNeeded();
    await settle(page);
    const picture = () => plot.evaluate((figure) => figure.querySelector("canvas").toDataURL());
    const before = await picture();
    await plot.getByRole("button", { name: "Log" }).click();
    await settle(page);
    demand((await picture()) !== before, "nothing changes");
    demand((await page.getByRole("button", { name: "Log" }).count()) === 1, "a plot with negative values offers it");
    await close(page);
  },

  async a_click_in_a_plot_goes_there() {
    const page = await open("double-pendulum");
    const box = await page.locator(".chart").nth(1).boundingBox();
    // The area begins 54 pixels from the left and ends 10 from the right.
    await page.mouse.click(box.x + 54 + 0.25 * (box.width - 64), box.y + 60);
    await settle(page);
    demand(Math.abs((await time(page)) - 2.5) < 0.05, `the time is ${await time(page)}`);
    await close(page);
  },

  async keys_play_step_and_turn() {
    const page = await open("double-pendulum");
    await page.keyboard.press("ArrowRight");
    await settle(page);
    demand((await time(page)) === 0.05, `a step goes to ${await time(page)}`);
    await page.keyboard.press("End");
    await settle(page);
    demand((await time(page)) === 10, "End does not go to the end");
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await page.waitForFunction(() => parseFloat(document.getElementById("now").textContent) > 0.1);
    await page.keyboard.press(" ");
    await page.focus("#world");
    await settle(page);
    const before = await page.evaluate(() => document.getElementById("world").toDataURL());
    await page.keyboard.press("ArrowLeft");
    await settle(page);
    demand((await page.evaluate(() => document.getElementById("world").toDataURL())) !== before, "the view does not turn");
    await close(page);
  },

  async the_mouse_turns_moves_and_zooms() {
    const page = await open("rover");
    const picture = () => page.evaluate(() => document.getElementById("world").toDataURL());
    const box = await page.locator("#world").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + 120];
    let before = await picture();
    const changed = async (what) => {
      await settle(page);
      const after = await picture();
      demand(after !== before, `the picture stays the same: ${what}`);
      before = after;
    };
    const drag = async (options = {}) => {
      await page.mouse.move(x, y);
      await page.mouse.down(options);
      await page.mouse.move(x + 60, y + 25, { steps: 3 });
      await page.mouse.up(options);
    };
    await drag();
    await changed("turn");
    await drag({ button: "right" });
    await changed("move");
    await page.mouse.wheel(0, 300);
    await changed("zoom");
    for (const view of ["Front", "Side", "Top", "Fit"]) {
      await page.getByRole("button", { name: view, exact: true }).click();
      if (view !== "Fit") await changed(view);
    }
    await close(page);
  },

  async bodies_tell_their_names() {
    const page = await open("rover");
    await page.getByRole("button", { name: "Side", exact: true }).click();
    const box = await page.locator("#world").boundingBox();
    const names = new Set();
    for (let i = 2; i < 11; i += 2) {
      for (let j = 4; j < 12; j++) {
        await page.mouse.move(box.x + (box.width * i) / 12, box.y + (Math.min(box.height, 520) * j) / 12);
        const name = await page.evaluate(() => (document.getElementById("label").hidden ? "" : document.getElementById("label").textContent));
        if (name) names.add(name);
      }
    }
    demand(names.has("cart"), `seen: ${[...names].join(", ")}`);
    demand([...names].some((name) => /^(front|rear)_(left|right)$/.test(name)), `seen: ${[...names].join(", ")}`);
    await close(page);
  },

  async layers_and_trail_are_shown() {
    const page = await open("double-pendulum");
    await scrub(page, 0.4);
    const picture = () => page.evaluate(() => document.getElementById("world").toDataURL());
    let before = await picture();
    await page.click("#menu summary");
    for (const layer of ["joint", "mass", "axes", "ground"]) {
      await page.click(`[data-layer=${layer}]`);
      await settle(page);
      const after = await picture();
      demand(after !== before, `\`${layer}\` changes nothing`);
      before = after;
    }
    await page.selectOption("#trail", { label: "second: tip" });
    await settle(page);
    demand((await picture()) !== before, "there is no trail");
    await page.mouse.click(10, 400);
    demand(!(await page.evaluate(() => document.getElementById("menu").open)), "the menu stays open");
    await close(page);
  },

  async events_can_be_visited() {
    const page = await open("rover");
    const button = page.locator("[data-mark]").nth(2);
    const wanted = parseFloat(await button.textContent());
    await button.click();
    await settle(page);
    demand(Math.abs((await time(page)) - wanted) < 0.002, `${await time(page)}, not ${wanted}`);
    demand((await page.locator("#ticks i").count()) === 5, "the bar has no ticks");
    await close(page);
  },

  async dark_changes_the_colours() {
    const background = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const bright = (text) => text.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
    const page = await open("double-pendulum", { colorScheme: "light" });
    demand(bright(await background(page)) > 200, "light is not light");
    const [curve, scene] = [await colours(page, ".chart canvas:first-child"), await page.evaluate(() => document.getElementById("world").toDataURL())];
    await page.emulateMedia({ colorScheme: "dark" });
    await settle(page);
    demand(bright(await background(page)) < 60, "the system's dark is not dark");
    const dark = await styleColour(page, "c0");
    demand(curve[dark] === undefined && (await colours(page, ".chart canvas:first-child"))[dark] > 100, "the curves keep their colours");
    demand((await page.evaluate(() => document.getElementById("world").toDataURL())) !== scene, "the scene keeps its colours");
    await page.click("#theme");
    await settle(page);
    demand(bright(await background(page)) > 200, "the switch does not lead to light");
    await page.click("#theme");
    await page.emulateMedia({ colorScheme: "light" });
    demand(bright(await background(page)) < 60, "the switch does not lead to dark");
    await close(page);
  },

  async narrow_windows_do_not_overflow() {
    for (const name of PAGES) {
      const page = await open(name, { viewport: { width: 400, height: 800 } });
      for (const width of [400, 320, 700, 1000]) {
        await page.setViewportSize({ width, height: 800 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        demand(over <= 0, `${name} at ${width}: ${over} pixels too wide`);
      }
      await close(page);
    }
  },

  async fingers_scrub_and_pinch() {
    const page = await open("double-pendulum", { viewport: { width: 400, height: 800 }, hasTouch: true, isMobile: true });
    const chart = page.locator(".chart").first();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.touchscreen.tap(box.x + 54 + 0.5 * (box.width - 64), box.y + 40);
    await settle(page);
    demand(Math.abs((await time(page)) - 5) < 0.2, `a tap goes to ${await time(page)}`);
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, id]) => ({ x: box.x + x, y: box.y + 40, id })) });
    await touch("touchStart", [[150, 0]]);
    await touch("touchStart", [[150, 0], [200, 1]]);
    for (const spread of [10, 20, 30, 40]) await touch("touchMove", [[150 - spread, 0], [200 + spread, 1]]);
    await touch("touchEnd", []);
    await settle(page);
    demand(await page.getByRole("button", { name: "Show all" }).first().isVisible(), "two fingers do not zoom");
    await close(page);
  },

  async paper_shows_every_plot() {
    // Clearing a canvas while printing also wipes what lies below it.
    const watch = () => {
      window.cleared = 0;
      let printing = false;
      addEventListener("beforeprint", () => (printing = true));
      addEventListener("afterprint", () => (printing = false));
      const clear = CanvasRenderingContext2D.prototype.clearRect;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        if (printing && this.canvas.id !== "signs") window.cleared++;
        clear.apply(this, box);
      };
    };
    const page = await open("double-pendulum", { viewport: { width: 900, height: 500 }, colorScheme: "dark" }, watch);
    // One plot was in sight before, the last was not.
    await page.locator(".plot").first().scrollIntoViewIfNeeded();
    await settle(page);
    const pdf = await page.pdf({ format: "A4" });
    demand((await page.evaluate(() => window.cleared)) === 0, "a canvas was cleared while printing");
    demand(pdf.length > 50000, `${pdf.length} bytes of PDF`);
    const drawn = await page.evaluate(() => [...document.querySelectorAll(".chart canvas:first-child")].every((canvas) => canvas.width > 300));
    demand(drawn, "a plot out of sight is not printed");
    demand(page.said.length === 0, page.said.join(" | "));
    await close(page);
  },

  async without_webgl_the_plots_remain() {
    const page = await open("double-pendulum", {}, () => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind === "webgl2" ? null : original.call(this, kind, ...rest);
      };
    });
    demand((await page.textContent("#stage")).includes("needs WebGL 2"), "nothing is said");
    const found = await colours(page, ".chart canvas:first-child");
    demand(found[await styleColour(page, "c0")] > 100, "the plots are gone too");
    demand(page.said.length === 0, page.said.join(" | "));
    await close(page);
  },
};

// A filter serves who looks for one failure.
const chosen = Object.entries(checks).filter(([name]) => name.includes(process.argv[3] ?? ""));
for (const [name, run] of chosen) {
  const begun = Date.now();
  const why = await run().then(() => "", (error) => `: ${error.message.replaceAll("\n", " ")}`);
  console.log(`check ${name}${why}`);
  console.error(`${name} took ${Date.now() - begun} ms`);
}
await browser.close();
