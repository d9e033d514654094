// Puts the page together: plots, the mechanism, the player, tables, printing.

import { setUpChannels } from "./channels";
import { clock } from "./clock";
import { Controls } from "./controls";
import { page } from "./data";
import { element, get } from "./dom";
import { Plot } from "./plot";
import { setUpPosture } from "./posture";
import { setUpTheme, theme } from "./theme";
import { setUpTransport } from "./transport";
import { Viewer } from "./viewer";
import { frameOfTime } from "./window";

function setUpPlots(): Plot[] {
  const host = get("plots");
  const plots = page.plots.filter(({ curves }) => curves.length > 0).map((spec) => new Plot(spec, host));
  clock.listeners.push(() => frameOfTime.plots.forEach((plot) => plot.redrawCursor()));
  theme.listeners.push(() => frameOfTime.plots.forEach((plot) => plot.redraw()));
  setUpChannels(plots, host);
  return plots;
}

function setUpViewer(): Viewer | null {
  if (!page.scene || page.scene.times.length === 0) return null;
  get("stage").hidden = false;
  const viewer = new Viewer(page.scene);
  if (!viewer.painter.gl) return null;
  clock.listeners.push(viewer.redraw);
  theme.listeners.push(viewer.redraw);
  let fitted = false;
  new ResizeObserver(() => {
    if (!fitted && viewer.canvas.clientWidth > 0) {
      fitted = true;
      viewer.fit();
    }
    viewer.redraw();
  }).observe(viewer.canvas);
  viewer.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  viewer.canvas.addEventListener("webglcontextrestored", () => {
    viewer.painter.prepare();
    viewer.redraw();
  });
  new Controls(viewer);
  return viewer;
}

function setUpMarks(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-mark]")) {
    button.addEventListener("click", () => {
      const { time } = page.marks[Number(button.dataset.mark)];
      if (Number.isFinite(time)) clock.seek(time);
    });
  }
}

// A menu closes when the reader turns to something else.
function setUpMenus(): void {
  addEventListener("pointerdown", (event) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
      if (!menu.contains(event.target as Node)) menu.open = false;
    }
  });
  const verdict = get("verdict");
  verdict?.addEventListener("click", () => {
    const section = get<HTMLDetailsElement>("section-verdict");
    if (!section) return;
    section.open = true;
    section.scrollIntoView({ block: "nearest" });
    section.querySelector("summary")!.focus();
  });
}

// Paper is white, and has all plots and all tables. Afterwards all is as it was.
function setUpPrinting(viewer: Viewer | null): void {
  let folded: HTMLDetailsElement[] = [];
  const before = () => {
    theme.print(true);
    folded = [...document.querySelectorAll<HTMLDetailsElement>("details.card:not([open])")];
    folded.forEach((section) => (section.open = true));
    viewer?.draw();
    frameOfTime.plots.forEach((plot) => plot instanceof Plot && plot.print(true));
  };
  const after = () => {
    frameOfTime.plots.forEach((plot) => plot instanceof Plot && plot.print(false));
    folded.forEach((section) => (section.open = false));
    theme.print(false);
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
}

setUpTheme();
const plots = setUpPlots();
setUpMarks();
setUpMenus();
const viewer = setUpViewer();
setUpTransport(viewer !== null);
if (viewer) setUpPosture(viewer);
else get("view").replaceWith(element("p", "notice", "The view needs WebGL 2, which this browser does not offer. Plots and tables do without."));
const sideless = plots.length === 0 && page.posture === null;
document.querySelector(".side")!.classList.toggle("empty", sideless);
document.querySelector(".bench")!.classList.toggle("both", viewer !== null && !sideless);
setUpPrinting(viewer);
document.documentElement.dataset.ready = "true";
