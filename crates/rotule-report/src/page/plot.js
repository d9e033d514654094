// Plots over time. All share one window of time and one cursor. Each has two canvases: curves are drawn rarely,
// the cursor often.

const MARGIN = { left: 54, right: 10, top: 18, bottom: 24 };
const DASHES = [[], [7, 3], [2, 2.5], [9, 3, 2, 3]];
// From so many curves on, the legend is a list that scrolls.
const MANY = 9;
// From so many on, only the first few are shown until the reader asks for more.
const TOO_MANY = 41;
const FEW = 12;

const paper = { printing: false };

const frameOfTime = {
  from: clock.from,
  // A single instant still has a place on an axis.
  to: clock.span > 0 ? clock.to : clock.from + 1,
  plots: [],

  get zoomed() {
    return this.from > clock.from || this.to < clock.to;
  },
  show(from, to) {
    if (!(clock.span > 0)) return;
    // No narrower than doubles can resolve, and never beyond the run.
    const least = Math.max(clock.span * 1e-7, Math.abs(clock.to) * 1e-12);
    const width = Math.min(Math.max(to - from, least), clock.span);
    this.from = Math.min(Math.max(from, clock.from), clock.to - width);
    this.to = this.from + width;
    for (const plot of this.plots) plot.windowChanged();
  },
  zoom(factor, around) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  },
  reset() {
    this.show(clock.from, clock.to);
  },
};

class Plot {
  constructor(spec, host) {
    this.spec = spec;
    this.hidden = spec.curves.map((_, index) => spec.curves.length >= TOO_MANY && index >= FEW);
    this.lit = -1; // the curve that the legend points at
    this.hover = null; // pointer in the plot, or null
    this.selection = null;
    this.fixedRange = null; // a range of values that the reader chose
    this.logarithmic = false;
    this.visible = false;
    this.stale = true;
    this.build(host);
    // What was drawn for paper stays until it is printed.
    this.redraw = oncePerFrame(() => paper.printing || this.draw());
    this.redrawCursor = oncePerFrame(() => paper.printing || this.drawCursor());
  }

  build(host) {
    const { spec } = this;
    this.figure = element("figure", "plot");
    const header = this.figure.appendChild(element("header"));
    const title = header.appendChild(element("h2", "", spec.title));
    if (spec.unit) title.appendChild(element("small", "", spec.unit));
    this.tally = title.appendChild(element("small"));
    this.resetButton = header.appendChild(element("button", "", "Show all"));
    this.resetButton.title = "Undo the zoom (0)";
    this.resetButton.hidden = true;
    this.resetButton.addEventListener("click", () => this.showAll());
    if (spansDecades(spec.curves.slice(0, TOO_MANY))) {
      const button = header.appendChild(element("button", "", "Log"));
      button.title = "Powers of ten at equal distances";
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        this.logarithmic = !this.logarithmic;
        this.fixedRange = null;
        button.setAttribute("aria-pressed", String(this.logarithmic));
        this.redraw();
      });
    }
    if (spec.curves.length >= MANY) {
      for (const [text, hide] of [["All", false], ["None", true]]) {
        const button = header.appendChild(element("button", "", text));
        button.title = hide ? "Hide every curve" : "Show every curve";
        button.addEventListener("click", () => this.setHidden(() => hide));
      }
    }
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
    this.over.setAttribute("aria-label", `${spec.title} over time, ${spec.curves.length} curves`);
    host.appendChild(this.figure);
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(chart);
    // Plots out of sight are not drawn.
    new IntersectionObserver((entries) => {
      this.visible = entries.at(-1).isIntersecting;
      if (this.visible && this.stale) this.redraw();
      else if (this.visible) this.redrawCursor();
    }, { rootMargin: "200px" }).observe(chart);
  }

  buildLegend() {
    const { curves } = this.spec;
    const legend = this.figure.appendChild(element("div", curves.length >= MANY ? "legend many" : "legend"));
    legend.setAttribute("role", "group");
    legend.setAttribute("aria-label", `Curves of ${this.spec.title}`);
    this.entries = curves.map((curve, index) => {
      const button = legend.appendChild(element("button"));
      button.type = "button";
      button.setAttribute("aria-pressed", String(!this.hidden[index]));
      button.title = curve.name;
      const svg = button.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
      const line = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
      line.setAttribute("d", "M0 4h18");
      line.setAttribute("stroke-width", "2");
      line.setAttribute("stroke-dasharray", dashOf(index).join(" "));
      button.appendChild(element("span", "name", curve.name));
      const value = button.appendChild(element("span", "value"));
      button.addEventListener("click", () => this.setHidden((hidden, k) => (k === index ? !hidden : hidden)));
      button.addEventListener("dblclick", () => this.setHidden((_, k) => k !== index));
      const light = (on) => () => {
        this.lit = on ? index : -1;
        if (this.spec.curves.length > 1) this.redraw();
      };
      button.addEventListener("pointerenter", light(true));
      button.addEventListener("pointerleave", light(false));
      button.addEventListener("focus", light(true));
      button.addEventListener("blur", light(false));
      return { button, line, value };
    });
    this.count();
  }

  setHidden(choose) {
    this.hidden = this.hidden.map(choose);
    this.entries.forEach(({ button }, k) => button.setAttribute("aria-pressed", String(!this.hidden[k])));
    this.fixedRange = null;
    this.count();
    this.redraw();
  }

  // How many of a great many curves are shown.
  count() {
    const shown = this.hidden.filter((hidden) => !hidden).length;
    this.tally.textContent = this.hidden.length >= TOO_MANY ? `${shown} of ${this.hidden.length} curves` : "";
  }

  showAll() {
    this.fixedRange = null;
    frameOfTime.reset();
  }

  windowChanged() {
    this.redraw();
  }

  // Places on the canvas.
  measure() {
    this.width = this.over.clientWidth - MARGIN.left - MARGIN.right;
    this.height = this.over.clientHeight - MARGIN.top - MARGIN.bottom;
  }
  x(time) {
    return MARGIN.left + ((time - frameOfTime.from) / (frameOfTime.to - frameOfTime.from)) * this.width;
  }
  timeAt(x) {
    const share = Math.min(1, Math.max(0, (x - MARGIN.left) / this.width));
    return frameOfTime.from + share * (frameOfTime.to - frameOfTime.from);
  }
  y(value) {
    // Halves keep the difference of huge numbers finite.
    const [low, high] = this.range;
    const scaled = this.scaled(value);
    return MARGIN.top + ((high / 2 - scaled / 2) / (high / 2 - low / 2)) * this.height;
  }
  // The value as the axis counts it; what has no logarithm is a gap.
  scaled(value) {
    return this.logarithmic ? (value > 0 ? Math.log10(value) : NaN) : value;
  }
  valueAtY(y) {
    const [low, high] = this.range;
    return high - ((y - MARGIN.top) / this.height) * (high - low);
  }

  // The range of all shown values in the window, with a little air.
  findRange() {
    if (this.fixedRange) return this.fixedRange;
    let low = Infinity;
    let high = -Infinity;
    this.spec.curves.forEach((curve, k) => {
      if (this.hidden[k]) return;
      const [first, last] = stretch(curve);
      for (let i = first; i < last; i++) {
        const value = this.scaled(curve.values[i]);
        if (value < low) low = value;
        if (value > high) high = value;
      }
    });
    if (low > high) return [-1, 1];
    // What is flat down to rounding is shown flat.
    const least = 1e-13 * Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= least) {
      const air = Math.abs(high) * 0.1 || 1;
      return [low - air, high + air];
    }
    const air = 0.06 * (high / 2 - low / 2);
    return [Math.max(low - air, -8e307), Math.min(high + air, 8e307)];
  }

  // Paper shows every plot, in sight or not.
  print() {
    this.visible = true;
    this.draw();
  }

  draw() {
    if (!this.visible || this.figure.classList.contains("folded")) {
      this.stale = true;
      return;
    }
    this.stale = false;
    const context = fitCanvas(this.canvas);
    // Asked once: every question to the layout takes time.
    this.measure();
    if (!context || this.width < 20) return;
    this.range = this.findRange();
    this.resetButton.hidden = !frameOfTime.zoomed && !this.fixedRange;
    this.drawAxes(context);
    context.save();
    context.beginPath();
    context.rect(MARGIN.left, MARGIN.top - 2, this.width, this.height + 4);
    context.clip();
    this.drawMarks(context);
    const many = this.spec.curves.length >= MANY;
    this.spec.curves.forEach((curve, k) => {
      if (this.hidden[k] || k === this.lit) return;
      context.globalAlpha = this.lit >= 0 ? 0.2 : 1;
      this.drawCurve(context, curve, k, many ? 1.25 : 1.6);
    });
    context.globalAlpha = 1;
    if (this.lit >= 0 && !this.hidden[this.lit]) this.drawCurve(context, this.spec.curves[this.lit], this.lit, 2.2);
    context.restore();
    this.entries.forEach(({ line }, k) => line.setAttribute("stroke", theme.curve(k)));
    this.drawCursor();
  }

  drawAxes(context) {
    const { left, top } = MARGIN;
    const bottom = top + this.height;
    const vertical = this.logarithmic ? powerTicks(...this.range, this.height / 30) : ticks(...this.range, this.height / 46);
    const horizontal = ticks(frameOfTime.from, frameOfTime.to, this.width / 84);
    context.font = `11px ${theme.colour("sans")}`;
    context.lineWidth = 1;
    context.strokeStyle = theme.colour("grid");
    context.fillStyle = theme.colour("soft");
    context.textBaseline = "middle";
    context.textAlign = "right";
    vertical.places.forEach((value, k) => {
      const y = Math.round(this.y(this.logarithmic ? 10 ** value : value)) + 0.5;
      line(context, left, y, left + this.width, y);
      context.fillText(vertical.labels[k], left - 7, y);
    });
    context.textAlign = "left";
    if (vertical.caption) context.fillText(vertical.caption, left, 7);
    context.textBaseline = "top";
    context.textAlign = "center";
    let free = 0;
    horizontal.places.forEach((time, k) => {
      const x = Math.round(this.x(time)) + 0.5;
      line(context, x, top, x, bottom);
      // The last label has the unit; labels keep their distance and stay inside.
      const last = k === horizontal.places.length - 1;
      const label = horizontal.labels[k] + (last ? ` ${page.axis.unit} ${horizontal.caption}` : "");
      const half = context.measureText(label.trim()).width / 2;
      const middle = Math.min(x, left + this.width + MARGIN.right - half);
      if (middle - half > free) context.fillText(label.trim(), middle, bottom + 7);
      free = middle + half + 6;
    });
    context.strokeStyle = theme.colour("faint");
    line(context, left, bottom + 0.5, left + this.width, bottom + 0.5);
    const [low, high] = this.range;
    if (low < 0 && high > 0 && !this.logarithmic) {
      const zero = Math.round(this.y(0)) + 0.5;
      context.globalAlpha = 0.5;
      line(context, left, zero, left + this.width, zero);
      context.globalAlpha = 1;
    }
  }

  drawMarks(context) {
    context.strokeStyle = theme.colour("mark");
    context.fillStyle = theme.colour("mark");
    const marks = page.marks.filter(({ time }) => time >= frameOfTime.from && time <= frameOfTime.to);
    // A crowd of lines would hide the curves.
    const crowd = marks.length > this.width / 12;
    for (const { time } of marks) {
      const x = Math.round(this.x(time)) + 0.5;
      context.globalAlpha = 0.55;
      context.setLineDash([3, 3]);
      if (!crowd) line(context, x, MARGIN.top, x, MARGIN.top + this.height);
      context.setLineDash([]);
      context.globalAlpha = crowd ? 0.4 : 1;
      context.beginPath();
      context.moveTo(x - 4, MARGIN.top - 2);
      context.lineTo(x + 4, MARGIN.top - 2);
      context.lineTo(x, MARGIN.top + 4);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  drawCurve(context, curve, index, width) {
    const [first, last] = stretch(curve);
    const { times, values } = curve;
    context.strokeStyle = theme.curve(index);
    context.fillStyle = context.strokeStyle;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.setLineDash(dashOf(index));
    context.beginPath();
    let pen = false;
    for (let i = first; i < last; i++) {
      const value = values[i];
      if (Number.isNaN(this.scaled(value))) {
        pen = false;
        continue;
      }
      const x = this.x(times[i]);
      // Canvases lose lines that end far outside.
      const y = Math.min(1e5, Math.max(-1e5, this.y(value)));
      if (pen) context.lineTo(x, y);
      else context.moveTo(x, y);
      // A point between two gaps is a dot.
      if (!pen && (i + 1 >= last || Number.isNaN(this.scaled(values[i + 1])))) context.fillRect(x - 1.5, y - 1.5, 3, 3);
      pen = true;
    }
    context.stroke();
    context.setLineDash([]);
  }

  drawCursor() {
    if (!this.visible || !this.range) return;
    const context = fitCanvas(this.over);
    if (!context) return;
    const hovering = this.hover && !this.selection;
    const time = hovering ? this.timeAt(this.hover.x) : clock.time;
    this.drawLine(context, clock.time, 1);
    if (hovering) this.drawLine(context, time, 0.45);
    if (this.selection) this.drawSelection(context);
    const shown = this.spec.curves.length - this.hidden.filter(Boolean).length;
    this.spec.curves.forEach((curve, k) => {
      const text = this.entries[k].value;
      if (this.hidden[k]) {
        if (text.textContent) text.textContent = "";
        return;
      }
      const value = valueAt(curve, time);
      text.textContent = formatNumber(value, 5);
      if (!Number.isFinite(value) || shown > 16 || time < frameOfTime.from || time > frameOfTime.to) return;
      const y = this.y(value);
      if (y < MARGIN.top - 3 || y > MARGIN.top + this.height + 3) return;
      context.beginPath();
      context.arc(this.x(time), y, 3, 0, 7);
      context.fillStyle = theme.curve(k);
      context.fill();
      context.strokeStyle = theme.colour("panel");
      context.lineWidth = 1.2;
      context.stroke();
    });
    if (hovering) this.drawTime(context, time);
    if (hovering) this.drawMarkText(context);
  }

  drawLine(context, time, alpha) {
    if (time < frameOfTime.from || time > frameOfTime.to) return;
    context.globalAlpha = alpha;
    context.strokeStyle = theme.colour("cursor");
    context.lineWidth = 1;
    const x = Math.round(this.x(time)) + 0.5;
    line(context, x, MARGIN.top, x, MARGIN.top + this.height);
    context.globalAlpha = 1;
  }

  drawTime(context, time) {
    const text = `${formatTime(time, frameOfTime.to - frameOfTime.from)} ${page.axis.unit}`;
    const y = MARGIN.top + this.height + 3;
    tag(context, text, this.x(time), y, MARGIN.left, MARGIN.left + this.width, "ink");
  }

  drawMarkText(context) {
    const near = page.marks.filter(({ time }) => Math.abs(this.x(time) - this.hover.x) < 5);
    if (near.length === 0) return;
    const more = near.length > 1 ? ` (and ${near.length - 1} more)` : "";
    tag(context, near[0].text.replaceAll("`", "") + more, this.x(near[0].time), 0, MARGIN.left, MARGIN.left + this.width, "mark");
  }

  drawSelection(context) {
    const { x0, y0, x1, y1, vertical } = this.selection;
    context.fillStyle = theme.colour("select");
    if (vertical) context.fillRect(MARGIN.left, Math.min(y0, y1), this.width, Math.abs(y1 - y0));
    else context.fillRect(Math.min(x0, x1), MARGIN.top, Math.abs(x1 - x0), this.height);
  }

  listen() {
    const { over } = this;
    const pointers = new Map();
    let scrubbing = false;
    let pinch = 0;
    const place = (event) => {
      const box = over.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const at = place(event);
      pointers.set(event.pointerId, at);
      over.setPointerCapture(event.pointerId);
      const onAxis = at.y > MARGIN.top + this.height;
      if (pointers.size === 2) pinch = 0;
      else if (event.pointerType !== "mouse" || onAxis) {
        scrubbing = true;
        clock.seek(this.timeAt(at.x));
      } else this.selection = { x0: at.x, y0: at.y, x1: at.x, y1: at.y, vertical: event.shiftKey };
      this.redrawCursor();
    });
    over.addEventListener("pointermove", (event) => {
      const at = place(event);
      if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
      this.hover = event.pointerType === "mouse" ? at : null;
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()];
        const spread = Math.abs(a.x - b.x) + 20;
        if (pinch > 0) frameOfTime.zoom(pinch / spread, this.timeAt((a.x + b.x) / 2));
        pinch = spread;
      } else if (this.selection) Object.assign(this.selection, { x1: at.x, y1: at.y });
      else if (scrubbing) clock.seek(this.timeAt(at.x));
      this.redrawCursor();
    });
    const release = (event) => {
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
      this.hover = null;
      this.redrawCursor();
    });
    over.addEventListener("dblclick", () => this.showAll());
    over.addEventListener("wheel", (event) => {
      // The wheel alone scrolls the page.
      if (event.ctrlKey || event.metaKey) frameOfTime.zoom(Math.exp(event.deltaY * 0.003), this.timeAt(place(event).x));
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
    });
  }

  // A drag chooses a window, a click an instant.
  choose({ x0, y0, x1, y1, vertical }) {
    if (vertical && Math.abs(y1 - y0) > 5) {
      this.fixedRange = [this.valueAtY(Math.max(y0, y1)), this.valueAtY(Math.min(y0, y1))];
      this.redraw();
    } else if (!vertical && Math.abs(x1 - x0) > 5) {
      frameOfTime.show(this.timeAt(Math.min(x0, x1)), this.timeAt(Math.max(x0, x1)));
    } else clock.seek(this.timeAt(x0));
  }
}

// Whether all values are positive or zero, and some a hundred times others.
function spansDecades(curves) {
  let low = Infinity;
  let high = 0;
  for (const { values } of curves) {
    for (const value of values) {
      if (value < 0) return false;
      if (value > 0 && value < low) low = value;
      if (value > high) high = value;
    }
  }
  return high > 100 * low;
}

// The indices of a curve in the window of time, with one neighbour on both sides.
function stretch({ times }) {
  const first = upperBound(times, frameOfTime.from) - 2;
  const last = upperBound(times, frameOfTime.to) + 1;
  return [Math.max(0, first), Math.min(times.length, last)];
}

const dashOf = (index) => DASHES[Math.floor(index / 8) % DASHES.length];

function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

// A small label on a solid ground, kept between two bounds.
function tag(context, text, x, y, from, to, colour) {
  context.font = `11px ${theme.colour("sans")}`;
  let shown = text;
  while (shown.length > 4 && context.measureText(shown).width > to - from - 12) shown = shown.slice(0, -2).trimEnd() + "…";
  const width = context.measureText(shown).width + 10;
  const left = Math.min(Math.max(from, x - width / 2), to - width);
  context.fillStyle = theme.colour(colour);
  context.beginPath();
  context.roundRect(left, y, width, 17, 4);
  context.fill();
  context.fillStyle = theme.colour("panel");
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(shown, left + 5, y + 9);
}

// Sizes the canvas for the screen's pixels and clears it.
function fitCanvas(canvas) {
  const ratio = devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (width === 0 || height === 0) return null;
  const context = canvas.getContext("2d");
  // Setting the size clears, too. On paper an explicit clearing would also take away what lies below the canvas.
  if (paper.printing || canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  } else {
    context.resetTransform();
    context.clearRect(0, 0, width, height);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// An element with text: never with markup.
function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  if (name === "button") made.type = "button";
  return made;
}
