// What is written over the mechanism: axes, the width of the grid, names, and measured distances.

import { fitCanvas, get } from "./dom";
import { formatNumber } from "./format";
import { dot, length, subtract, type Vector } from "./geometry";
import { AXIS_COLOURS } from "./solids";
import { theme } from "./theme";
import type { Place, Viewer } from "./viewer";

export class Signs {
  readonly canvas = get<HTMLCanvasElement>("signs");
  // The ends of the measured distance.
  measured: Place[] = [];

  constructor(private readonly viewer: Viewer) {}

  draw(): void {
    const context = fitCanvas(this.canvas);
    if (!context) return;
    this.drawAxes(context);
    this.drawGrid(context);
    if (this.viewer.layers.names) this.drawNames(context);
    if (this.viewer.selected) this.drawSelected(context);
    this.drawMeasure(context);
  }

  private on(point: Vector): { x: number; y: number } | null {
    const found = this.viewer.camera.project(point);
    return found && { x: ((found.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - found.y) / 2) * this.canvas.clientHeight };
  }

  // Coloured balls with letters, so that colour does not stand alone.
  private drawAxes(context: CanvasRenderingContext2D): void {
    const { camera } = this.viewer;
    const [x, y] = [this.canvas.clientWidth - 46, 92];
    context.font = `600 10px ${theme.colour("sans")}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 2;
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis, k) => ({
      x: x + 24 * dot(axis, camera.right), y: y - 24 * dot(axis, camera.top), depth: dot(axis, camera.back), name: "xyz"[k], colour: AXIS_COLOURS[k],
    }));
    axes.sort((a, b) => a.depth - b.depth);
    for (const axis of axes) {
      context.strokeStyle = context.fillStyle = theme.colour(axis.colour);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(axis.x, axis.y);
      context.stroke();
      context.beginPath();
      context.arc(axis.x, axis.y, 7.5, 0, 7);
      context.fill();
      context.fillStyle = theme.colour("on-colour");
      context.fillText(axis.name, axis.x, axis.y + 0.5);
    }
  }

  private drawGrid(context: CanvasRenderingContext2D): void {
    if (!this.viewer.layers.ground) return;
    context.font = `11px ${theme.colour("sans")}`;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillStyle = theme.colour("soft");
    const bar = get("transport");
    const taken = bar.parentElement === this.canvas.parentElement && !bar.hidden ? bar.offsetHeight : 0;
    context.fillText(`grid ${formatNumber(this.viewer.cell, 1)} m`, 14, this.canvas.clientHeight - taken - 12);
  }

  private drawNames(context: CanvasRenderingContext2D): void {
    const { viewer } = this;
    const taken: { x: number; y: number; wide: number }[] = [];
    viewer.scene.bodies.forEach(({ name, ghost, shapes }, k) => {
      if (ghost) return;
      const mass = shapes.find(([kind]) => kind === "mass");
      const at = this.on(viewer.where({ body: k, point: mass?.[1] ?? [0, 0, 0] }));
      if (!at) return;
      // A name gives way to those before it, and is left out where there is no room.
      context.font = `11px ${theme.colour("sans")}`;
      const wide = context.measureText(name).width + 12;
      const free = (y: number) => taken.every((other) => Math.abs(other.y - y) >= 18 || Math.abs(other.x - at.x) >= (other.wide + wide) / 2);
      const y = [-9, -27, 9, -45, 27].map((shift) => at.y + shift).find(free);
      if (y === undefined) return;
      taken.push({ x: at.x, y, wide });
      tag(context, name, at.x, y, 0, this.canvas.clientWidth, "panel", "ink");
    });
  }

  private drawSelected(context: CanvasRenderingContext2D): void {
    const { viewer } = this;
    const solid = viewer.selected!;
    const m = viewer.placementOf(solid.body);
    const [from, to] = solid.connector ? [solid.connector.from, solid.connector.to].map(([body, point]) => viewer.where({ body, point })) : [];
    const centre = from && to ? from.map((value, k) => (value + to[k]) / 2) : [m[3], m[7], m[11]];
    const at = this.on(centre);
    if (at) tag(context, viewer.nameOf(solid), at.x, at.y - 34, 4, this.canvas.clientWidth - 4, "accent", "accent-ink");
  }

  private drawMeasure(context: CanvasRenderingContext2D): void {
    const points = this.measured.map((place) => this.viewer.where(place));
    const at = points.map((point) => this.on(point));
    context.strokeStyle = context.fillStyle = theme.colour("mark");
    context.lineWidth = 1.6;
    const [a, b] = at;
    if (a && b) {
      context.setLineDash([6, 4]);
      context.beginPath();
      context.moveTo(a.x, a.y);
      context.lineTo(b.x, b.y);
      context.stroke();
      context.setLineDash([]);
    }
    for (const end of at) {
      if (!end) continue;
      context.beginPath();
      context.arc(end.x, end.y, 4, 0, 7);
      context.fill();
    }
    if (a && b) tag(context, `${formatNumber(length(subtract(points[1], points[0])), 5)} m`, (a.x + b.x) / 2, (a.y + b.y) / 2 - 22, 4, this.canvas.clientWidth - 4, "mark", "panel");
  }

  // The measured distance in words, for those who do not see it.
  said(): string {
    const [a, b] = this.measured;
    if (!a) return "Measure: choose the first point";
    if (!b) return `From ${a.name}: choose the second point`;
    const [p, q] = [this.viewer.where(a), this.viewer.where(b)];
    const parts = subtract(q, p).map((part) => formatNumber(part, 4));
    return `${a.name} to ${b.name}: ${formatNumber(length(subtract(q, p)), 5)} m (${parts.join(", ")})`;
  }
}

// A small label on a solid ground, kept between two bounds.
export function tag(context: CanvasRenderingContext2D, text: string, x: number, y: number, from: number, to: number, ground: string, ink = "panel"): void {
  context.font = `11px ${theme.colour("sans")}`;
  let shown = text;
  while (shown.length > 4 && context.measureText(shown).width > to - from - 12) shown = shown.slice(0, -2).trimEnd() + "…";
  const width = context.measureText(shown).width + 10;
  const left = Math.min(Math.max(from, x - width / 2), to - width);
  context.fillStyle = theme.colour(ground);
  context.beginPath();
  context.roundRect(left, y, width, 17, 4);
  context.fill();
  context.fillStyle = theme.colour(ink);
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(shown, left + 5, y + 9);
}
