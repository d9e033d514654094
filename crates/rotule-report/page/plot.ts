// A plot: its heading, legend and menu, and what the reader does with the chart. Each has two canvases: curves are
// drawn rarely, the cursor often.

import { spansDecades } from "./axes";
import { Chart, TOP } from "./chart";
import { clock } from "./clock";
import { channel, channels, page, valueAt, type PlotSpec } from "./data";
import { element, fitCanvas, oncePerFrame, svgElement, toggle } from "./dom";
import { savePlot } from "./export";
import { formatNumber, formatTime } from "./format";
import { SvgPen, canvasPen, type Pen } from "./pen";
import { tag } from "./signs";
import { theme } from "./theme";
import { frameOfTime, type Watcher } from "./window";

// From so many curves on, the legend is a list that scrolls.
const MANY = 9;
// From so many on, only the first few are shown until the reader asks for more.
const TOO_MANY = 41;
const FEW = 12;

interface Entry {
  button: HTMLButtonElement;
  line: SVGElement;
  value: HTMLElement;
  axis: HTMLElement;
}

export class Plot implements Watcher {
  readonly figure = element("figure", "plot");
  readonly chart: Chart;
  readonly redraw: () => void;
  readonly redrawCursor: () => void;
  private readonly canvas: HTMLCanvasElement;
  private readonly over: HTMLCanvasElement;
  private readonly entries: Entry[] = [];
  private readonly tally: HTMLElement;
  private readonly resetButton: HTMLButtonElement;
  private printed: SVGElement | null = null;
  private pointer: { x: number; y: number } | null = null;
  private selection: { x0: number; y0: number; x1: number; y1: number; vertical: boolean } | null = null;
  private visible = false;
  private stale = true;
  private ready = false;

  constructor(readonly spec: PlotSpec, host: HTMLElement, private readonly own = false) {
    this.chart = new Chart(spec.curves, spec.curves.map((_, index) => spec.curves.length >= TOO_MANY && index >= FEW));
    this.redraw = oncePerFrame(() => this.draw());
    this.redrawCursor = oncePerFrame(() => this.drawCursor());
    const header = this.figure.appendChild(element("header"));
    const title = header.appendChild(element("h2", "", spec.title));
    if (spec.unit) title.appendChild(element("small", "", spec.unit));
    this.tally = title.appendChild(element("small"));
    this.resetButton = header.appendChild(element("button", "", "Show all"));
    this.resetButton.title = "Undo the zoom (0)";
    this.resetButton.hidden = true;
    this.resetButton.addEventListener("click", () => this.showAll());
    header.appendChild(this.buildMenu());
    const fold = header.appendChild(element("button", "", "Fold"));
    fold.setAttribute("aria-expanded", "true");
    fold.addEventListener("click", () => {
      const folded = this.figure.classList.toggle("folded");
      fold.textContent = folded ? "Unfold" : "Fold";
      fold.setAttribute("aria-expanded", String(!folded));
      this.redraw();
    });
    this.buildLegend();
    const chart = this.figure.appendChild(element("div", "chart"));
    this.canvas = chart.appendChild(element("canvas"));
    this.over = chart.appendChild(element("canvas", "over"));
    this.over.tabIndex = 0;
    this.over.setAttribute("role", "img");
    this.describe();
    if (own) host.prepend(this.figure);
    else host.appendChild(this.figure);
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(chart);
    // Plots out of sight are not drawn.
    new IntersectionObserver((entries) => {
      this.visible = entries.at(-1)!.isIntersecting;
      if (this.visible && this.stale) this.redraw();
      else if (this.visible) this.redrawCursor();
    }, { rootMargin: "200px" }).observe(chart);
    frameOfTime.plots.add(this);
  }

  private describe(): void {
    const over = this.chart.across ? this.chart.across.name : page.axis.name;
    this.over.setAttribute("aria-label", `${this.spec.title} over ${over}, ${this.spec.curves.length} curves. Plus and minus zoom, 0 shows all; arrow keys step in time.`);
  }

  private buildMenu(): HTMLElement {
    const menu = element("details", "menu");
    const summary = menu.appendChild(element("summary", "", "More"));
    summary.setAttribute("aria-label", `More for ${this.spec.title}`);
    const list = menu.appendChild(element("div"));
    const button = (text: string, act: (button: HTMLButtonElement) => void, title = "") => {
      const made = list.appendChild(element("button", "", text));
      made.title = title;
      made.addEventListener("click", () => act(made));
      return made;
    };
    const label = list.appendChild(element("label", "field", "Over "));
    const select = label.appendChild(element("select"));
    // The list of a large model is made when it is opened.
    menu.addEventListener("toggle", () => {
      if (!menu.open || select.options.length > 0) return;
      select.add(new Option(page.axis.name, ""));
      for (const { name } of channels) select.add(new Option(name, name));
    });
    select.addEventListener("change", () => this.setOver(select.value));
    const held = (text: string, title: string, act: (on: boolean) => void) => {
      const made = button(text, () => {
        const on = made.getAttribute("aria-pressed") !== "true";
        toggle(made, on);
        this.chart.zoom = [0, 1];
        act(on);
        this.redraw();
      }, title);
      toggle(made, false);
    };
    if (spansDecades(this.spec.curves.slice(0, TOO_MANY))) held("Log", "Powers of ten at equal distances", (on) => (this.chart.logarithmic = on));
    if (this.spec.curves.length > 1) {
      held("One axis", "All curves on the axis to the left, whatever their size", (on) => (this.chart.oneAxis = on));
      button("All", () => this.setHidden(() => false), "Show every curve");
      button("None", () => this.setHidden(() => true), "Hide every curve");
    }
    for (const kind of ["SVG", "PNG", "CSV"] as const) {
      button(`Save ${kind}`, () => savePlot(this, kind), kind === "CSV" ? "All points of the curves that are shown" : "The plot as it is shown");
    }
    if (this.own) button("Remove", () => this.remove());
    return menu;
  }

  private remove(): void {
    frameOfTime.plots.delete(this);
    this.figure.remove();
  }

  // Draws over another channel, or over time.
  setOver(name: string): void {
    this.chart.over(channel(name) ?? null);
    this.chart.zoom = [0, 1];
    this.describe();
    this.redraw();
  }

  private buildLegend(): void {
    const { curves } = this.spec;
    const legend = this.figure.appendChild(element("div", curves.length >= MANY ? "legend many" : "legend"));
    legend.setAttribute("role", "group");
    legend.setAttribute("aria-label", `Curves of ${this.spec.title}`);
    const mixed = new Set(curves.map(({ unit }) => unit)).size > 1;
    curves.forEach((curve, index) => {
      const button = legend.appendChild(element("button"));
      toggle(button, !this.chart.hidden[index]);
      button.title = `${curve.name}: click hides or shows it, double-click shows it alone`;
      const svg = button.appendChild(svgElement("svg", { "aria-hidden": "true" }));
      const line = svg.appendChild(svgElement("path", { d: "M0 4h18", "stroke-width": 2, "stroke-dasharray": theme.dash(index).join(" ") }));
      button.appendChild(element("span", "name", curve.name));
      const value = button.appendChild(element("span", "value"));
      if (mixed && curve.unit) button.appendChild(element("span", "unit", curve.unit));
      const axis = button.appendChild(element("span", "unit"));
      button.addEventListener("click", () => this.setHidden((hidden, k) => (k === index ? !hidden : hidden)));
      button.addEventListener("dblclick", () => this.setHidden((_, k) => k !== index));
      const light = (on: boolean) => () => {
        this.chart.lit = on ? index : -1;
        if (curves.length > 1) this.redraw();
      };
      button.addEventListener("pointerenter", light(true));
      button.addEventListener("pointerleave", light(false));
      button.addEventListener("focus", light(true));
      button.addEventListener("blur", light(false));
      this.entries.push({ button, line, value, axis });
    });
    this.count();
  }

  setHidden(choose: (hidden: boolean, index: number) => boolean): void {
    const { chart } = this;
    chart.hidden = chart.hidden.map(choose);
    this.entries.forEach(({ button }, k) => toggle(button, !chart.hidden[k]));
    chart.zoom = [0, 1];
    this.count();
    this.redraw();
  }

  // Shows a curve and goes to it.
  reveal(index: number): void {
    if (this.chart.hidden[index]) this.setHidden((hidden, k) => hidden && k !== index);
    this.figure.scrollIntoView({ block: "nearest" });
    this.entries[index].button.focus();
  }

  // How many of a great many curves are shown.
  private count(): void {
    const { hidden } = this.chart;
    const shown = hidden.filter((one) => !one).length;
    this.tally.textContent = hidden.length >= TOO_MANY ? `${shown} of ${hidden.length} curves` : "";
  }

  private showAll(): void {
    this.chart.zoom = [0, 1];
    frameOfTime.reset();
    this.redraw();
  }

  private draw(): void {
    if (!this.visible || this.figure.classList.contains("folded")) {
      this.stale = true;
      return;
    }
    this.stale = false;
    const context = fitCanvas(this.canvas);
    const { chart } = this;
    if (!context || !chart.fit(this.over.clientWidth, this.over.clientHeight)) return;
    this.ready = true;
    this.resetButton.hidden = !frameOfTime.zoomed && chart.zoom[0] === 0 && chart.zoom[1] === 1;
    chart.draw(canvasPen(context));
    const several = chart.ranges.length > 1;
    this.entries.forEach(({ line, axis }, k) => {
      line.setAttribute("stroke", theme.curve(k));
      const at = chart.axes[k];
      axis.textContent = several && at >= 0 ? (at === 0 ? "left" : chart.ranges.length === 2 ? "right" : `right ${at}`) : "";
    });
    this.drawCursor();
  }

  private drawCursor(): void {
    if (!this.visible || !this.ready) return;
    const context = fitCanvas(this.over);
    if (!context) return;
    const { chart } = this;
    const hovering = frameOfTime.hover !== null && !this.selection;
    const time = hovering ? frameOfTime.hover! : clock.time;
    const pen = canvasPen(context);
    chart.drawTime(pen, clock.time, 1);
    if (hovering) chart.drawTime(pen, time, 0.5);
    if (this.selection) this.drawSelection(context);
    chart.drawDots(pen, time);
    this.entries.forEach(({ value }, k) => {
      const text = chart.hidden[k] ? "" : formatNumber(valueAt(this.spec.curves[k], time), 5);
      if (value.textContent !== text) value.textContent = text;
    });
    if (hovering && this.pointer) this.drawLabels(context, time);
  }

  // The instant under the pointer, and what happened there.
  private drawLabels(context: CanvasRenderingContext2D, time: number): void {
    const { left, width, height } = this.chart;
    const text = `${formatTime(time, frameOfTime.to - frameOfTime.from)} ${page.axis.unit}`;
    if (this.chart.across) {
      tag(context, text, this.chart.xAt(time), 0, left, left + width, "ink");
      return;
    }
    tag(context, text, this.chart.x(time), TOP + height + 3, left, left + width, "ink");
    const near = page.marks.filter((mark) => Math.abs(this.chart.x(mark.time) - this.pointer!.x) < 5);
    if (near.length === 0) return;
    const more = near.length > 1 ? ` (and ${near.length - 1} more)` : "";
    tag(context, near[0].text.replaceAll("`", "") + more, this.chart.x(near[0].time), 0, left, left + width, "mark");
  }

  private drawSelection(context: CanvasRenderingContext2D): void {
    const { x0, y0, x1, y1, vertical } = this.selection!;
    context.fillStyle = theme.colour("select");
    if (vertical) context.fillRect(this.chart.left, Math.min(y0, y1), this.chart.width, Math.abs(y1 - y0));
    else context.fillRect(Math.min(x0, x1), TOP, Math.abs(x1 - x0), this.chart.height);
  }

  // The plot as SVG, of a size; the screen's drawing is as it was before.
  svg(width: number, height: number): SVGElement {
    const { chart } = this;
    const pen = new SvgPen(width, height);
    const lit = chart.lit;
    chart.lit = -1;
    if (chart.fit(width, height)) chart.draw(pen as Pen);
    chart.lit = lit;
    if (this.ready) chart.fit(this.over.clientWidth, this.over.clientHeight);
    return pen.root;
  }

  get size(): { width: number; height: number } {
    return { width: this.over.clientWidth || 640, height: this.over.clientHeight || 230 };
  }

  // Paper has the plot as lines, whether it was in sight or not.
  print(on: boolean): void {
    this.printed?.remove();
    this.printed = null;
    if (!on) return this.redraw();
    this.entries.forEach(({ line }, k) => line.setAttribute("stroke", theme.curve(k)));
    this.printed = this.svg(660, 210);
    this.printed.setAttribute("class", "paper");
    this.printed.setAttribute("aria-label", this.spec.title);
    this.canvas.before(this.printed);
  }

  private listen(): void {
    const { over, chart } = this;
    const pointers = new Map<number, { x: number; y: number }>();
    let scrubbing = false;
    let pinch = 0;
    const place = (event: MouseEvent) => {
      const box = over.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const at = place(event);
      pointers.set(event.pointerId, at);
      over.setPointerCapture(event.pointerId);
      const onAxis = at.y > TOP + chart.height;
      if (pointers.size === 2) pinch = 0;
      else if (event.pointerType !== "mouse" || onAxis || chart.across) {
        scrubbing = true;
        clock.seek(chart.timeAt(at.x, at.y));
      } else this.selection = { x0: at.x, y0: at.y, x1: at.x, y1: at.y, vertical: event.shiftKey };
      this.redrawCursor();
    });
    over.addEventListener("pointermove", (event) => {
      const at = place(event);
      if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
      this.pointer = event.pointerType === "mouse" ? at : null;
      if (this.ready) frameOfTime.point(this.pointer && chart.timeAt(at.x, at.y));
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()];
        const spread = Math.abs(a.x - b.x) + 20;
        if (pinch > 0) frameOfTime.zoom(pinch / spread, chart.timeAt((a.x + b.x) / 2, at.y));
        pinch = spread;
      } else if (this.selection) Object.assign(this.selection, { x1: at.x, y1: at.y });
      else if (scrubbing) clock.seek(chart.timeAt(at.x, at.y));
      this.redrawCursor();
    });
    const release = (event: PointerEvent) => {
      pointers.delete(event.pointerId);
      scrubbing = false;
      const chosen = this.selection;
      this.selection = null;
      if (chosen && event.type === "pointerup") this.choose(chosen);
      this.redrawCursor();
    };
    over.addEventListener("pointerup", release);
    over.addEventListener("pointercancel", release);
    over.addEventListener("pointerleave", () => {
      this.pointer = null;
      frameOfTime.point(null);
      this.redrawCursor();
    });
    over.addEventListener("dblclick", () => this.showAll());
    over.addEventListener("wheel", (event) => {
      // The wheel alone scrolls the page.
      if (event.ctrlKey || event.metaKey) frameOfTime.zoom(Math.exp(event.deltaY * 0.003), chart.timeAt(place(event).x, place(event).y));
      else if (event.shiftKey) {
        const move = ((event.deltaY || event.deltaX) / 1200) * (frameOfTime.to - frameOfTime.from);
        frameOfTime.show(frameOfTime.from + move, frameOfTime.to + move);
      } else return;
      event.preventDefault();
    }, { passive: false });
    over.addEventListener("keydown", (event) => {
      if (event.key === "+" || event.key === "=") frameOfTime.zoom(0.7, clock.time);
      else if (event.key === "-") frameOfTime.zoom(1 / 0.7, clock.time);
      else if (event.key === "0" || event.key === "Escape") this.showAll();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // A drag chooses a window, a click an instant.
  private choose({ x0, y0, x1, y1, vertical }: { x0: number; y0: number; x1: number; y1: number; vertical: boolean }): void {
    const { chart } = this;
    if (vertical && Math.abs(y1 - y0) > 5) {
      chart.zoom = [chart.shareAt(Math.max(y0, y1)), chart.shareAt(Math.min(y0, y1))];
      this.redraw();
    } else if (!vertical && Math.abs(x1 - x0) > 5) {
      frameOfTime.show(chart.timeAt(Math.min(x0, x1), y0), chart.timeAt(Math.max(x0, x1), y0));
    } else clock.seek(chart.timeAt(x0, y0));
  }
}
