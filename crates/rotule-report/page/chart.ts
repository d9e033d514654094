// The drawing of a plot: axes, marks and curves, on a canvas or as SVG.

import { axesOf } from "./axes";
import { page, upperBound, valueAt, type Curve } from "./data";
import { powerTicks, ticks, type Ticks } from "./format";
import type { Pen } from "./pen";
import { theme } from "./theme";
import { frameOfTime } from "./window";

const LEFT = 54;
const RIGHT = 12;
const WIDE = 50; // of every further axis
export const TOP = 18;
export const BOTTOM = 24;

export class Chart {
  hidden: boolean[];
  lit = -1; // the curve that the legend points at
  logarithmic = false;
  oneAxis = false;
  across: Curve | null = null; // what x shows, if it is not time
  zoom: [number, number] = [0, 1]; // the share of the range of values that is shown
  axes: number[] = []; // the axis of every curve
  ranges: [number, number][] = []; // of the axes
  width = 0;
  height = 0;
  private domain: [number, number] = [0, 1];
  private scales: Ticks[] = []; // of the axes
  private places: number[] = []; // of the axes, from the right end of the plot on
  private xs = new Map<Curve, Float64Array>();

  constructor(readonly curves: Curve[], hidden: boolean[]) {
    this.hidden = hidden;
  }

  // Finds axes and ranges for a drawing of a size.
  fit(width: number, height: number): boolean {
    const shown = (index: number) => !this.hidden[index];
    const single = this.oneAxis || this.logarithmic;
    this.axes = single ? this.curves.map((_, k) => (shown(k) ? 0 : -1)) : axesOf(this.curves, shown);
    const count = Math.max(1, ...this.axes.map((axis) => axis + 1));
    this.ranges = Array.from({ length: count }, (_, axis) => this.zoomed(this.findRange(axis)));
    this.domain = this.across ? this.xRange() : [frameOfTime.from, frameOfTime.to];
    this.height = height - TOP - BOTTOM;
    this.scales = this.ranges.map((range) =>
      this.logarithmic ? powerTicks(...range, this.height / 30) : ticks(...range, this.height / 46));
    // An axis is as wide as what is written above it.
    let right = 0;
    this.places = this.scales.map((_, axis) => {
      const place = right;
      if (axis > 0) right += Math.max(WIDE, 6.4 * this.captionOf(axis).length + 8);
      return place;
    });
    this.width = width - LEFT - RIGHT - right;
    return this.width >= 20 && this.height >= 20;
  }

  private zoomed([low, high]: [number, number]): [number, number] {
    const [from, to] = this.zoom;
    return from === 0 && to === 1 ? [low, high] : [low + from * (high - low), low + to * (high - low)];
  }

  // The range of all shown values in the window, with a little air.
  private findRange(axis: number): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    this.curves.forEach((curve, k) => {
      if (this.axes[k] !== axis) return;
      const [first, last] = stretch(curve);
      for (let i = first; i < last; i++) {
        const value = this.scaled(curve.values[i]);
        if (value < low) low = value;
        if (value > high) high = value;
      }
    });
    return aired(low, high);
  }

  private xRange(): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    this.curves.forEach((curve, k) => {
      if (this.hidden[k]) return;
      const [first, last] = stretch(curve);
      const xs = this.xsOf(curve);
      for (let i = first; i < last; i++) {
        if (xs[i] < low) low = xs[i];
        if (xs[i] > high) high = xs[i];
      }
    });
    return aired(low, high);
  }

  // What x shows at the instants of a curve.
  private xsOf(curve: Curve): Float64Array {
    if (!this.across) return curve.times;
    let xs = this.xs.get(curve);
    if (!xs) {
      const { across } = this;
      xs = across.times === curve.times ? across.values : Float64Array.from(curve.times, (time) => valueAt(across, time));
      this.xs.set(curve, xs);
    }
    return xs;
  }

  over(curve: Curve | null): void {
    this.across = curve;
    this.xs.clear();
  }

  // The place of a value on the axis that x shows.
  x(value: number): number {
    const [from, to] = this.domain;
    return LEFT + ((value / 2 - from / 2) / (to / 2 - from / 2)) * this.width;
  }
  // The place of an instant.
  xAt(time: number): number {
    return this.x(this.across ? valueAt(this.across, time) : time);
  }
  y(value: number, axis: number): number {
    // Halves keep the difference of huge numbers finite.
    const [low, high] = this.ranges[axis] ?? [0, 1];
    const scaled = this.scaled(value);
    return TOP + ((high / 2 - scaled / 2) / (high / 2 - low / 2)) * this.height;
  }
  // The value as the axis counts it; what has no logarithm is a gap.
  private scaled(value: number): number {
    return this.logarithmic ? (value > 0 ? Math.log10(value) : NaN) : value;
  }

  // The instant of a place: over another channel, that of the nearest point.
  timeAt(x: number, y: number): number {
    if (!this.across) {
      const share = Math.min(1, Math.max(0, (x - LEFT) / this.width));
      return frameOfTime.from + share * (frameOfTime.to - frameOfTime.from);
    }
    let best = frameOfTime.from;
    let least = Infinity;
    this.curves.forEach((curve, k) => {
      if (this.hidden[k]) return;
      const [first, last] = stretch(curve);
      const xs = this.xsOf(curve);
      for (let i = first; i < last; i++) {
        const distance = Math.hypot(this.x(xs[i]) - x, this.y(curve.values[i], this.axes[k]) - y);
        if (distance < least) [least, best] = [distance, curve.times[i]];
      }
    });
    return best;
  }

  // The share of the height of a place, from below.
  shareAt(y: number): number {
    const [from, to] = this.zoom;
    return from + (1 - (y - TOP) / this.height) * (to - from);
  }

  draw(pen: Pen): void {
    this.drawAxes(pen);
    pen.clipTo(LEFT, TOP - 2, this.width, this.height + 4);
    if (!this.across) this.drawMarks(pen);
    const many = this.curves.length > 8;
    this.curves.forEach((curve, k) => {
      if (this.hidden[k] || k === this.lit) return;
      pen.globalAlpha = this.lit >= 0 ? 0.2 : 1;
      this.drawCurve(pen, curve, k, many ? 1.25 : 1.6);
    });
    pen.globalAlpha = 1;
    if (this.lit >= 0 && !this.hidden[this.lit]) this.drawCurve(pen, this.curves[this.lit], this.lit, 2.4);
    pen.unclip();
  }

  // The colour of an axis: that of its curve, if it has but one.
  private inkOf(axis: number): string {
    const mine = this.axes.flatMap((one, k) => (one === axis ? [k] : []));
    return this.ranges.length > 1 && mine.length === 1 ? theme.curve(mine[0]) : theme.colour("faint");
  }

  // The unit of an axis, where that of the plot does not say it.
  private unitOf(axis: number): string {
    const units = new Set(this.curves.map(({ unit }) => unit));
    return units.size > 1 ? (this.curves[this.axes.indexOf(axis)]?.unit ?? "") : "";
  }

  private captionOf(axis: number): string {
    return [this.scales[axis].caption, this.unitOf(axis)].filter(Boolean).join(" ");
  }

  private drawAxes(pen: Pen): void {
    const bottom = TOP + this.height;
    const end = LEFT + this.width;
    const horizontal = ticks(...this.domain, this.width / 84);
    pen.font = `11px ${theme.colour("sans")}`;
    pen.lineWidth = 1;
    this.ranges.forEach((_, axis) => {
      const vertical = this.scales[axis];
      const at = axis === 0 ? LEFT : end + this.places[axis];
      pen.fillStyle = this.inkOf(axis);
      pen.textBaseline = "middle";
      pen.textAlign = axis === 0 ? "right" : "left";
      vertical.places.forEach((value, k) => {
        const y = Math.round(this.y(this.logarithmic ? 10 ** value : value, axis)) + 0.5;
        pen.strokeStyle = axis === 0 ? theme.colour("grid") : this.inkOf(axis);
        if (axis === 0) line(pen, LEFT, y, end, y);
        else line(pen, at, y, at + 4, y);
        pen.fillText(vertical.labels[k], axis === 0 ? at - 7 : at + 7, y);
      });
      pen.textAlign = "left";
      const caption = this.captionOf(axis);
      if (caption) pen.fillText(caption, axis === 0 ? LEFT - 4 : at, 7);
      if (axis > 0) line(pen, at + 0.5, TOP, at + 0.5, bottom);
    });
    pen.fillStyle = theme.colour("faint");
    pen.strokeStyle = theme.colour("grid");
    pen.textBaseline = "top";
    pen.textAlign = "center";
    let free = 0;
    const unit = this.across ? this.across.unit : page.axis.unit;
    horizontal.places.forEach((place, k) => {
      const x = Math.round(this.x(place)) + 0.5;
      line(pen, x, TOP, x, bottom);
      // The last label has the unit; labels keep their distance and stay inside.
      const last = k === horizontal.places.length - 1;
      const label = (horizontal.labels[k] + (last ? ` ${unit} ${horizontal.caption}` : "")).trim();
      const half = pen.measureText(label).width / 2;
      const middle = Math.min(x, end + RIGHT - half);
      if (middle - half > free) pen.fillText(label, middle, bottom + 7);
      free = middle + half + 6;
    });
    pen.strokeStyle = theme.colour("edge");
    line(pen, LEFT, bottom + 0.5, end, bottom + 0.5);
    const [low, high] = this.ranges[0];
    if (low < 0 && high > 0 && !this.logarithmic) {
      const zero = Math.round(this.y(0, 0)) + 0.5;
      pen.globalAlpha = 0.5;
      line(pen, LEFT, zero, end, zero);
      pen.globalAlpha = 1;
    }
  }

  private drawMarks(pen: Pen): void {
    pen.strokeStyle = theme.colour("mark");
    pen.fillStyle = theme.colour("mark");
    const marks = page.marks.filter(({ time }) => time >= frameOfTime.from && time <= frameOfTime.to);
    // A crowd of lines would hide the curves.
    const crowd = marks.length > this.width / 12;
    for (const { time } of marks) {
      const x = Math.round(this.x(time)) + 0.5;
      pen.globalAlpha = 0.7;
      pen.setLineDash([2, 3]);
      if (!crowd) line(pen, x, TOP, x, TOP + this.height);
      pen.setLineDash([]);
      pen.globalAlpha = crowd ? 0.4 : 1;
      pen.beginPath();
      pen.moveTo(x - 4, TOP - 2);
      pen.lineTo(x + 4, TOP - 2);
      pen.lineTo(x, TOP + 4);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  private drawCurve(pen: Pen, curve: Curve, index: number, width: number): void {
    const [first, last] = stretch(curve);
    const { values } = curve;
    const xs = this.xsOf(curve);
    const axis = this.axes[index];
    pen.strokeStyle = pen.fillStyle = theme.curve(index);
    pen.lineWidth = width;
    pen.lineJoin = "round";
    pen.setLineDash(theme.dash(index));
    pen.beginPath();
    let drawing = false;
    const gap = (i: number) => Number.isNaN(this.scaled(values[i])) || Number.isNaN(xs[i]);
    const dots: [number, number][] = [];
    for (let i = first; i < last; i++) {
      if (gap(i)) {
        drawing = false;
        continue;
      }
      const x = this.x(xs[i]);
      // Canvases lose lines that end far outside.
      const y = Math.min(1e5, Math.max(-1e5, this.y(values[i], axis)));
      if (drawing) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      // A point between two gaps is a dot.
      if (!drawing && (i + 1 >= last || gap(i + 1))) dots.push([x, y]);
      drawing = true;
    }
    pen.stroke();
    for (const [x, y] of dots) pen.fillRect(x - 1.5, y - 1.5, 3, 3);
    pen.setLineDash([]);
  }

  // Dots on the curves at an instant.
  drawDots(pen: Pen, time: number): void {
    if (time < frameOfTime.from || time > frameOfTime.to) return;
    const shown = this.curves.length - this.hidden.filter(Boolean).length;
    if (shown > 16 && !this.across) return;
    this.curves.forEach((curve, k) => {
      if (this.hidden[k]) return;
      const value = valueAt(curve, time);
      const y = this.y(value, this.axes[k]);
      const x = this.xAt(time);
      if (!Number.isFinite(value) || !Number.isFinite(x) || y < TOP - 3 || y > TOP + this.height + 3) return;
      pen.beginPath();
      pen.arc(x, y, this.across ? 4 : 3, 0, 7);
      pen.fillStyle = theme.curve(k);
      pen.fill();
      pen.strokeStyle = theme.colour("panel");
      pen.lineWidth = 1.2;
      pen.stroke();
    });
  }

  // A line at an instant.
  drawTime(pen: Pen, time: number, alpha: number): void {
    if (this.across || time < frameOfTime.from || time > frameOfTime.to) return;
    pen.globalAlpha = alpha;
    pen.strokeStyle = theme.colour("cursor");
    pen.lineWidth = 1;
    const x = Math.round(this.x(time)) + 0.5;
    line(pen, x, TOP, x, TOP + this.height);
    pen.globalAlpha = 1;
  }

  get left(): number {
    return LEFT;
  }
}

function aired(low: number, high: number): [number, number] {
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

// The indices of a curve in the window of time, with one neighbour on both sides.
export function stretch({ times }: Curve): [number, number] {
  const first = upperBound(times, frameOfTime.from) - 2;
  const last = upperBound(times, frameOfTime.to) + 1;
  return [Math.max(0, first), Math.min(times.length, last)];
}

export function line(pen: Pen, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}
