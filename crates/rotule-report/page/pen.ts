// A pen that draws as a canvas does and leaves SVG: what is printed and saved is the plot itself, not its pixels.

import { element, svgElement } from "./dom";

// What plots use of a canvas.
export type Pen = Pick<CanvasRenderingContext2D,
  "beginPath" | "moveTo" | "lineTo" | "arc" | "stroke" | "fill" | "fillRect" | "fillText" | "measureText" | "setLineDash" |
  "lineWidth" | "strokeStyle" | "fillStyle" | "font" | "textAlign" | "textBaseline" | "globalAlpha" | "lineJoin"> & {
  // Nothing is drawn outside of a box until `unclip`.
  clipTo(x: number, y: number, width: number, height: number): void;
  unclip(): void;
};

// A canvas as such a pen.
export function canvasPen(context: CanvasRenderingContext2D): Pen {
  const pen = context as CanvasRenderingContext2D & Pen;
  pen.clipTo = (x, y, width, height) => {
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
  };
  pen.unclip = () => context.restore();
  return pen;
}

const measuring = element("canvas").getContext("2d")!;
const ANCHORS: Record<string, string> = { left: "start", start: "start", center: "middle", right: "end", end: "end" };
let clips = 0;

export class SvgPen implements Pen {
  readonly root: SVGElement;
  lineWidth = 1;
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  font = "11px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  globalAlpha = 1;
  lineJoin: CanvasLineJoin = "miter";
  private path: string[] = [];
  private dashes: number[] = [];
  private into: SVGElement;

  constructor(readonly width: number, readonly height: number) {
    this.root = svgElement("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
    this.into = this.root;
  }

  private add(name: string, attributes: Record<string, string | number>): SVGElement {
    if (this.globalAlpha < 1) attributes.opacity = this.globalAlpha;
    return this.into.appendChild(svgElement(name, attributes));
  }

  beginPath(): void {
    this.path = [];
  }
  moveTo(x: number, y: number): void {
    this.path.push(`M${round(x)} ${round(y)}`);
  }
  lineTo(x: number, y: number): void {
    this.path.push(`L${round(x)} ${round(y)}`);
  }
  // Whole circles only: plots draw no other.
  arc(x: number, y: number, radius: number): void {
    this.path.push(`M${round(x - radius)} ${round(y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`);
  }
  stroke(): void {
    if (this.path.length === 0) return;
    const attributes: Record<string, string | number> = {
      d: this.path.join(""), fill: "none", stroke: String(this.strokeStyle), "stroke-width": this.lineWidth, "stroke-linejoin": this.lineJoin,
    };
    if (this.dashes.length) attributes["stroke-dasharray"] = this.dashes.join(" ");
    this.add("path", attributes);
  }
  fill(): void {
    this.add("path", { d: this.path.join(""), fill: String(this.fillStyle) });
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.add("rect", { x: round(x), y: round(y), width: round(width), height: round(height), fill: String(this.fillStyle) });
  }
  fillText(text: string, x: number, y: number): void {
    const size = /([\d.]+)px/.exec(this.font)?.[1] ?? "11";
    const weight = /^(\d+) /.exec(this.font)?.[1] ?? "400";
    // Centres and tops of letters as canvases place them.
    const drop = { top: 0.8, hanging: 0.8, middle: 0.35, alphabetic: 0, ideographic: 0, bottom: -0.2 }[this.textBaseline] * Number(size);
    const family = this.font.slice(this.font.indexOf("px") + 2).trim();
    this.add("text", {
      x: round(x), y: round(y + drop), fill: String(this.fillStyle), "font-size": size, "font-weight": weight,
      "font-family": family, "text-anchor": ANCHORS[this.textAlign],
    }).textContent = text;
  }
  measureText(text: string): TextMetrics {
    measuring.font = this.font;
    return measuring.measureText(text);
  }
  setLineDash(dashes: number[]): void {
    this.dashes = dashes;
  }
  clipTo(x: number, y: number, width: number, height: number): void {
    const id = `clip${++clips}`;
    const clip = this.root.appendChild(svgElement("clipPath", { id }));
    clip.appendChild(svgElement("rect", { x, y, width, height }));
    this.into = this.root.appendChild(svgElement("g", { "clip-path": `url(#${id})` }));
  }
  unclip(): void {
    this.into = this.root;
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
