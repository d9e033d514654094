// Plots and pictures as files.

import { upperBound, type Curve } from "./data";
import { SVG, download, element, fileName, svgElement } from "./dom";
import type { Plot } from "./plot";
import { theme } from "./theme";

const heading = (): string => document.querySelector("h1")?.textContent ?? "";

export function savePlot(plot: Plot, kind: "SVG" | "PNG" | "CSV"): void {
  const name = `${fileName(heading(), plot.spec.title)}.${kind.toLowerCase()}`;
  if (kind === "CSV") return download(name, new Blob([csv(plot.spec.curves.filter((_, k) => !plot.chart.hidden[k]))], { type: "text/csv" }));
  const text = new XMLSerializer().serializeToString(drawing(plot));
  if (kind === "SVG") return download(name, new Blob([text], { type: "image/svg+xml" }));
  toPng(text, (blob) => download(name, blob));
}

// The plot with its title and legend, on a ground.
function drawing(plot: Plot): SVGElement {
  const { width, height } = plot.size;
  const { spec, chart } = plot;
  const sans = theme.colour("sans");
  const inner = plot.svg(width, height);
  const root = document.createElementNS(SVG, "svg");
  const rows: SVGElement[] = [];
  let [x, y] = [14, 44];
  spec.curves.forEach((curve, k) => {
    if (chart.hidden[k]) return;
    const wide = 36 + 6.6 * curve.name.length;
    if (x > 14 && x + wide > width) [x, y] = [14, y + 17];
    const line = svgElement("path", { d: `M${x} ${y - 4}h18`, stroke: theme.curve(k), "stroke-width": 2, "stroke-dasharray": theme.dash(k).join(" ") });
    const text = svgElement("text", { x: x + 23, y, "font-size": 11, "font-family": sans, fill: theme.colour("ink") });
    text.textContent = curve.name;
    rows.push(line, text);
    x += wide;
  });
  const top = y + 10;
  const whole = top + height;
  for (const [key, value] of Object.entries({ xmlns: SVG, width, height: whole, viewBox: `0 0 ${width} ${whole}` })) root.setAttribute(key, String(value));
  root.appendChild(svgElement("rect", { width, height: whole, fill: theme.colour("panel") }));
  const title = root.appendChild(svgElement("text", { x: 14, y: 22, "font-size": 14, "font-weight": 600, "font-family": sans, fill: theme.colour("ink") }));
  title.textContent = `${spec.title}${spec.unit ? ` in ${spec.unit}` : ""}${chart.across ? ` over ${chart.across.name}` : ""}`;
  root.append(...rows);
  inner.setAttribute("y", String(top));
  root.appendChild(inner);
  return root;
}

// SVG as pixels, two for one.
function toPng(svg: string, done: (blob: Blob | null) => void): void {
  const picture = new Image();
  picture.onload = () => {
    const canvas = element("canvas");
    [canvas.width, canvas.height] = [2 * picture.width, 2 * picture.height];
    canvas.getContext("2d")!.drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(done);
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

// A table of curves: a row per instant of any; a curve that has no point there has an empty cell.
function csv(curves: Curve[]): string {
  const shared = curves.every(({ times }) => times === curves[0].times);
  const times = shared && curves[0] ? curves[0].times : Float64Array.from(new Set(curves.flatMap((curve) => [...curve.times]))).sort();
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const header = ["t [s]", ...curves.map(({ name, unit }) => (unit ? `${name} [${unit}]` : name))].map(quoted).join(",");
  const cell = (value: number) => (Number.isFinite(value) ? String(value) : "");
  const rows = Array.from(times, (time) => {
    const values = curves.map((curve) => {
      const at = upperBound(curve.times, time) - 1;
      return at >= 0 && curve.times[at] === time ? cell(curve.values[at]) : "";
    });
    return [String(time), ...values].join(",");
  });
  return [header, ...rows].join("\n") + "\n";
}

// The view as a picture, with what is written over it.
export function savePicture(layers: HTMLCanvasElement[]): void {
  const [world] = layers;
  const canvas = element("canvas");
  [canvas.width, canvas.height] = [world.width, world.height];
  const context = canvas.getContext("2d")!;
  const ground = context.createLinearGradient(0, 0, 0, canvas.height);
  ground.addColorStop(0, theme.colour("sky"));
  ground.addColorStop(1, theme.colour("sky-low"));
  context.fillStyle = ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const layer of layers) context.drawImage(layer, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(`${fileName(heading())}.png`, blob));
}
