// Opens the demonstration pages in Chromium and does what a reader does. Prints `check NAME` for what holds and
// `check NAME: REASON` for what does not. Usage: node checks.mjs FOLDER [PART OF A NAME]..., with
// ROTULE_NODE_MODULES in the environment.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { runChecks } from "./bounded.mjs";

const folder = process.argv[2];
const PAGES = ["double-pendulum", "slider-crank", "rover", "hostile", "hostile-axis", "still", "posture", "bare"];

// The longest that a check may take. The slowest takes 20 s on two cores, and 33 s where others use them, too.
const SECONDS = 180;

// The browser of the check that runs.
let browser;

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

  async films_play() {
    const page = await (await browser.newContext()).newPage();
    const film = readFileSync(join(folder, "film.webm")).toString("base64");
    await page.setContent(`<video muted src="data:video/webm;base64,${film}"></video>`);
    // The middle row at an instant, and its largest difference from a red bar over blue.
    const at = (frame) => page.evaluate(async (frame) => {
      const video = document.querySelector("video");
      // A film that cannot be played says so once, perhaps before anybody listens.
      const until = (event, begin) => new Promise((done, fail) => {
        const refused = () => fail(new Error(`the film is refused: ${video.error?.message}`));
        if (video.error) refused();
        video.onerror = refused;
        video[`on${event}`] = done;
        begin();
      });
      if (video.readyState < 1) await until("loadedmetadata", () => {});
      await until("seeked", () => (video.currentTime = frame * 0.04 + 0.02));
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
      const context = canvas.getContext("2d");
      const begin = performance.now();
      // A browser that is busy shows the frame before for a moment more.
      for (;;) {
        context.drawImage(video, 0, 0);
        const row = context.getImageData(0, 50, canvas.width, 1).data;
        const off = Array.from({ length: canvas.width }, (_, x) => {
          if (Math.min(Math.abs(x - 2 * frame), Math.abs(x - 2 * frame - 30)) < 4) return 0;
          const wanted = x >= 2 * frame && x < 2 * frame + 30 ? [200, 40, 30] : [40, 90, 180];
          return Math.max(...wanted.map((value, k) => Math.abs(value - row[4 * x + k])));
        });
        const worst = Math.max(...off);
        if (worst < 20 || performance.now() - begin > 5000) return { size: [canvas.width, canvas.height], length: video.duration, worst };
        await new Promise((done) => setTimeout(done, 50));
      }
    }, frame);
    // The last frame comes first: a player goes there by the list of key frames.
    for (const frame of [59, 20, 0]) {
      const { size, length, worst } = await at(frame);
      demand(size[0] === 160 && size[1] === 100 && Math.abs(length - 2.4) < 0.001, `${size} pixels, ${length} s`);
      demand(worst < 20, `frame ${frame}: off by ${worst}`);
    }
    await close(page);
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
        cell: document.querySelector(".card table:not(.marks) td").textContent,
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
        const x = Math.round(54 + share * (canvas.width - 66));
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
    await plot.locator(".menu summary").click();
    await plot.getByRole("button", { name: "Log" }).click();
    await settle(page);
    demand((await picture()) !== before, "nothing changes");
    demand((await page.getByText("Log", { exact: true }).count()) === 1, "a plot with negative values offers it");
    await close(page);
  },

  async a_click_in_a_plot_goes_there() {
    const page = await open("double-pendulum");
    const box = await page.locator(".chart").nth(1).boundingBox();
    // The area begins 54 pixels from the left and ends 12 from the right.
    await page.mouse.click(box.x + 54 + 0.25 * (box.width - 66), box.y + 60);
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
    await page.waitForTimeout(400);
    const box = await page.locator("#world").boundingBox();
    const names = new Set();
    for (let i = 2; i < 11; i++) {
      for (let j = 4; j < 10; j += 0.5) {
        await page.mouse.move(box.x + (box.width * i) / 12, box.y + (box.height * j) / 12);
        await page.evaluate(() => new Promise(requestAnimationFrame));
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

  async keys_work_without_a_click_before() {
    const page = await open("double-pendulum");
    const picture = () => page.evaluate(() => document.getElementById("world").toDataURL());
    let before = await picture();
    for (const [key, what] of [["2", "the side"], ["n", "names"], ["+", "zoom"], ["f", "fit"]]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(key === "2" ? 350 : 0);
      await settle(page);
      const signs = () => page.evaluate(() => document.getElementById("signs").toDataURL());
      const after = key === "n" ? await signs() : await picture();
      demand(after !== before, `${what}: nothing changes`);
      before = await picture();
    }
    // Letters are text where one types.
    await page.focus("#search");
    await page.keyboard.type("nfc 2");
    demand((await page.inputValue("#search")) === "nfc 2", "letters are taken away from the search");
    await close(page);
  },

  async bodies_are_reached_by_keys() {
    const page = await open("double-pendulum");
    await page.focus("#world");
    await page.keyboard.press("Tab");
    await settle(page);
    demand((await page.textContent("#said")).startsWith("first, body"), await page.textContent("#said"));
    await page.keyboard.press("Tab");
    await page.keyboard.press("t");
    await settle(page);
    demand((await page.textContent("#said")).startsWith("Trails: second"), await page.textContent("#said"));
    await page.keyboard.press("Escape");
    demand(await page.locator("#said").isHidden(), "Esc does not end the selection");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const left = await page.evaluate(() => document.activeElement.id !== "world");
    demand(left, "Tab does not leave the view");
    await close(page);
  },

  async controls_have_names() {
    const page = await open("rover");
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, summary, canvas[tabindex]")].filter((control) => {
        const label = control.getAttribute("aria-label") ?? "";
        const around = control.closest("label")?.textContent ?? "";
        return !(label + control.textContent + around + (control.getAttribute("title") ?? "")).trim();
      }).map((control) => control.outerHTML.slice(0, 80)));
    demand(unnamed.length === 0, unnamed.join(" "));
    const tree = await page.locator("body").ariaSnapshot();
    for (const name of ["Three-dimensional view", "Search channels", "Play", "Verdict: 1 warning"]) demand(tree.includes(name), `no ${name} in ${tree.slice(0, 900)}`);
    await close(page);
  },

  async distances_are_measured() {
    const page = await open("double-pendulum");
    await page.keyboard.press("m");
    // The joint at the top and the tip of the second bar are where the camera says.
    const box = await page.locator("#world").boundingBox();
    const found = [];
    for (let y = box.y + 60; y < box.y + box.height - 80 && found.length < 1; y += 8) {
      await page.mouse.click(box.x + box.width / 2, y);
      await settle(page);
      const text = await page.textContent("#said");
      if (text.startsWith("From ")) found.push(text);
    }
    demand(found.length === 1, "nothing is hit");
    for (let y = box.y + box.height - 90; y > box.y + 60; y -= 8) {
      await page.mouse.click(box.x + box.width / 2, y);
      await settle(page);
      const text = await page.textContent("#said");
      if (/ m \(/.test(text)) {
        const length = parseFloat(text.match(/: ([\d.]+) m/)[1]);
        demand(length > 0 && length < 10, text);
        await close(page);
        return;
      }
    }
    throw new Error(`no distance: ${await page.textContent("#said")}`);
  },

  async forces_are_arrows() {
    const page = await open("rover");
    await scrub(page, 0.4);
    await page.click("#menu summary");
    const picture = () => page.evaluate(() => document.getElementById("world").toDataURL());
    for (const layer of ["force", "velocity", "axis", "shadow"]) {
      const before = await picture();
      await page.click(`[data-layer=${layer}]`);
      await settle(page);
      demand((await picture()) !== before, `\`${layer}\` changes nothing`);
    }
    demand(await page.locator("[data-layer=reaction]").isHidden(), "reactions are offered where none are known");
    await close(page);
  },

  async channels_are_found_and_plotted_together() {
    const page = await open("rover");
    const before = await page.locator(".plot").count();
    await page.fill("#search", "LEFT.force front");
    const rows = await page.locator("#found .row .name").allTextContents();
    demand(rows.length > 0 && rows.every((name) => name === "front_left.force"), rows.join());
    await page.locator("#found input").first().click();
    await page.fill("#search", "cart.z");
    await page.locator("#found input").first().click();
    await page.click("#together");
    await settle(page);
    const plot = page.locator(".plot").first();
    demand((await page.locator(".plot").count()) === before + 1, "there is no new plot");
    const names = await plot.locator(".legend .name").allTextContents();
    demand(names.join() === "front_left.force,cart.z", names.join());
    // What differs in unit and size has axes of its own, and the legend says which.
    const axes = await plot.locator(".legend .unit").allTextContents();
    demand(axes.includes("left") && axes.includes("right"), axes.join());
    for (const colour of ["c0", "c1"]) {
      const found = await colours(page, ".chart canvas:first-child", 0);
      demand(found[await styleColour(page, colour)] > 60, `no curve of ${colour}`);
    }
    await plot.locator(".menu summary").click();
    await plot.getByRole("button", { name: "Remove" }).click();
    demand((await page.locator(".plot").count()) === before, "it cannot be removed");
    await close(page);
  },

  async a_channel_is_drawn_over_another() {
    const page = await open("double-pendulum");
    const plot = page.locator(".plot").first();
    const name = await page.locator(".legend .name").nth(1).textContent();
    const before = await plot.evaluate((figure) => figure.querySelector("canvas").toDataURL());
    await plot.locator(".menu summary").click();
    await plot.locator("select").selectOption(name);
    await settle(page);
    demand((await plot.evaluate((figure) => figure.querySelector("canvas").toDataURL())) !== before, "nothing changes");
    const label = await plot.locator("canvas.over").getAttribute("aria-label");
    demand(label.includes(`over ${name}`), label);
    await page.keyboard.press("Escape");
    const box = await plot.locator(".chart").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 80);
    await settle(page);
    demand((await time(page)) > 0, "a click does not go to the nearest point");
    await close(page);
  },

  async one_cursor_is_in_all_plots() {
    const page = await open("double-pendulum");
    const second = () => page.evaluate(() => document.querySelectorAll(".chart canvas.over")[1].toDataURL());
    const value = () => page.locator(".plot").nth(1).locator(".value").first().textContent();
    const before = [await second(), await value()];
    const box = await page.locator(".chart").first().boundingBox();
    await page.mouse.move(box.x + 54 + 0.6 * (box.width - 66), box.y + 60);
    await settle(page);
    demand((await second()) !== before[0], "the second plot has no cursor");
    demand((await value()) !== before[1], "the second legend keeps its values");
    await close(page);
  },

  async plots_are_saved() {
    const page = await open("double-pendulum");
    const plot = page.locator(".plot").first();
    await plot.locator(".menu summary").click();
    for (const kind of ["SVG", "PNG", "CSV"]) {
      const [file] = await Promise.all([page.waitForEvent("download"), plot.getByRole("button", { name: `Save ${kind}` }).click()]);
      demand(file.suggestedFilename().endsWith(`.${kind.toLowerCase()}`), file.suggestedFilename());
      const { readFileSync } = await import("node:fs");
      const bytes = readFileSync(await file.path());
      if (kind === "PNG") demand(bytes.subarray(1, 4).toString() === "PNG" && bytes.length > 5000, `${bytes.length} bytes`);
      if (kind === "SVG") demand(bytes.toString().startsWith("<svg") && bytes.toString().includes("stroke=\"#1d4a8c\""), bytes.toString().slice(0, 200));
      if (kind === "CSV") {
        const rows = bytes.toString().trim().split("\n");
        const cells = rows[1].split(",").map(Number);
        demand(rows[0].startsWith("t [s],") && rows.length > 500 && cells.length === 3, rows.slice(0, 2).join(" | "));
        demand(Math.abs(cells[1] - 2) < 1e-6, rows[1]);
      }
    }
    demand(page.said.length === 0, page.said.join(" | "));
    await close(page);
  },

  async the_view_is_saved_and_fills_the_screen() {
    const page = await open("double-pendulum");
    await page.click("#menu summary");
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#picture")]);
    demand(file.suggestedFilename().endsWith(".png"), file.suggestedFilename());
    await page.keyboard.press("Escape");
    await page.click("#full");
    await page.waitForFunction(() => document.fullscreenElement?.id === "stage");
    demand(await page.locator("#transport").isVisible(), "the player is not in the full screen");
    await page.click("#full");
    await page.waitForFunction(() => !document.fullscreenElement);
    await close(page);
  },

  async the_verdict_leads_to_its_table() {
    const page = await open("rover");
    demand((await page.textContent("#verdict")).includes("1 warning"), await page.textContent("#verdict"));
    const top = await page.evaluate(() => document.getElementById("verdict").getBoundingClientRect().top);
    demand(top < 60, `the verdict is at ${top}`);
    const tables = await page.evaluate(() => [...document.querySelectorAll("details.card")].map((card) => card.open));
    demand(tables.every((open) => !open), "tables are not folded");
    await close(page);
  },

  async colours_stay_apart_for_all_eyes() {
    // Least distances in OKLab of the six colours of curves as protanopes, deuteranopes and tritanopes see them (Machado,
    // Oliveira and Fernandes 2009, full severity).
    const page = await open("bare");
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      const hex = [];
      for (let k = 0; k < 6; k++) hex.push(await styleColour(page, `c${k}`));
      const linear = hex.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)));
      const eyes = {
        normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
        tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
      };
      const times = (m, v) => m.map((row) => row.reduce((sum, x, k) => sum + x * v[k], 0));
      const lab = (rgb) => {
        const lms = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], rgb.map((v) => Math.min(1, Math.max(0, v)))).map(Math.cbrt);
        return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], lms);
      };
      for (const [eye, matrix] of Object.entries(eyes)) {
        const seen = linear.map((rgb) => lab(times(matrix, rgb)));
        for (let i = 0; i < 6; i++) for (let k = 0; k < i; k++) {
          const distance = 100 * Math.hypot(...seen[i].map((v, at) => v - seen[k][at]));
          demand(distance > 9, `${scheme}, ${eye}: c${k} and c${i} are ${distance.toFixed(1)} apart`);
        }
      }
    }
    await close(page);
  },

  async a_frame_takes_little_time() {
    // The script's share of a frame while the mechanism plays, as the browser counts it.
    const page = await open("rover");
    const session = await page.context().newCDPSession(page);
    // Time of the processor, which does not depend on what else the machine does.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "ScriptDuration").value;
    await page.evaluate(() => {
      window.frames_seen = 0;
      const count = () => requestAnimationFrame(() => (window.frames_seen++, count()));
      count();
    });
    await page.click("#play");
    const [begun, first] = [await spent(), await page.evaluate(() => window.frames_seen)];
    await page.waitForTimeout(1500);
    const [ended, last] = [await spent(), await page.evaluate(() => window.frames_seen)];
    const mean = (1000 * (ended - begun)) / Math.max(1, last - first);
    console.error(`script: ${mean.toFixed(2)} ms a frame`);
    demand(mean < 8, `${mean.toFixed(1)} ms of script a frame`);
    await close(page);
  },

  async sliders_move_the_mechanism_and_loops_follow() {
    const page = await open("posture");
    const picture = () => page.evaluate(() => document.getElementById("world").toDataURL());
    const before = await picture();
    const value = () => page.evaluate(() => document.querySelector(".follows div, .follows")?.parentElement.textContent);
    demand((await page.locator(".coordinate").count()) === 1, "one coordinate is free");
    const slider = page.locator(".coordinate input[type=range]");
    await slider.focus();
    await page.locator(".coordinate input[type=number]").fill("1.2");
    await page.keyboard.press("Enter");
    await settle(page);
    demand((await picture()) !== before, "nothing moves");
    // The rocker of the four-bar from the law of cosines.
    const shown = await page.evaluate(() => document.querySelector("#sliders div.follows").textContent);
    const [a, b, c, d, q] = [0.12, 0.3, 0.25, 0.32, 1.2];
    const [x, y] = [d - a * Math.cos(q), -a * Math.sin(q)];
    const f = Math.hypot(x, y);
    const rocker = Math.atan2(-y, -x) - Math.acos((f * f + c * c - b * b) / (2 * f * c));
    const found = parseFloat(shown.match(/q3 (−?[\d.]+)/)[1].replace("−", "-"));
    const apart = Math.abs(Math.atan2(Math.sin(found - rocker), Math.cos(found - rocker)));
    // What is no number, or beyond the end, gives way to the number that holds.
    const field = page.locator(".coordinate input[type=number]");
    await field.fill("");
    await page.keyboard.press("Enter");
    demand((await field.inputValue()) === "1.2", `the field keeps ${await field.inputValue()}`);
    demand(apart < 2e-3, `q3 is ${found}, not ${rocker}; ${shown} ${await value()}`);
    await page.getByRole("button", { name: "Reset" }).click();
    await settle(page);
    demand((await picture()) === before, "Reset does not go back");
    demand(page.said.length === 0, page.said.join(" | "));
    await close(page);
  },

  async events_can_be_visited() {
    const page = await open("rover");
    await page.click("#section-events summary");
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
    await page.touchscreen.tap(box.x + 54 + 0.5 * (box.width - 66), box.y + 40);
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
    const page = await open("double-pendulum", { viewport: { width: 900, height: 500 }, colorScheme: "dark" });
    const count = await page.locator(".plot").count();
    // What is on paper: a drawing of every plot with its curves, in the colours of the light theme, and no canvas.
    const onPaper = () =>
      page.evaluate(() => {
        const curves = [...document.querySelectorAll("svg.paper")].map((svg) => svg.querySelectorAll("g > path[fill=none]").length);
        const seen = [...document.querySelectorAll("svg.paper")].filter((svg) => svg.getBoundingClientRect().height > 100).length;
        const open = [...document.querySelectorAll("details.card")].filter((card) => card.open).length;
        return { curves, seen, open, first: document.querySelector("svg.paper g > path[stroke='#1d4a8c']") !== null };
      });
    for (const round of ["before", "after"]) {
      // As a print preview does: before the page was viewed, and after all of it was.
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      const paper = await onPaper();
      demand(paper.curves.length === count && paper.curves.every((curves) => curves > 0), `${round}: ${JSON.stringify(paper)} for ${count} plots`);
      demand(paper.seen === count && paper.first, `${round}: ${JSON.stringify(paper)}`);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.emulateMedia({ media: "screen" });
      await settle(page);
      demand((await page.locator("svg.paper").count()) === 0, "the drawings stay");
      for (let index = 0; index < count; index++) {
        await page.locator(".plot").nth(index).scrollIntoViewIfNeeded();
        await settle(page);
      }
    }
    const pdf = await page.pdf({ format: "A4" });
    demand(pdf.length > 30000, `${pdf.length} bytes of PDF`);
    await settle(page);
    const found = await colours(page, ".chart canvas:first-child", count - 1);
    demand(found[await styleColour(page, "c0")] > 100, "after printing the screen is empty");
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

// Parts of names serve who looks for a failure.
const parts = process.argv.slice(3);
const chosen = Object.entries(checks).filter(([name]) => parts.length === 0 || parts.some((part) => name.includes(part)));
const named = ([name, run]) => [name, (given) => ((browser = given), run())];
await runChecks(chosen.map(named), SECONDS);
process.exit(0);
