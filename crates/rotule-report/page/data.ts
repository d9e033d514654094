// The data of the page: numbers come as base64 and become typed arrays.

import type { Vector } from "./geometry";

export interface Mark {
  time: number;
  text: string;
}

// A shape of a body: its kind, then numbers; `Shape` in scene.rs says what they mean.
export type Shape = [string, ...any[]];

export interface Figure {
  name: string;
  colour: number;
  ghost?: boolean;
  shapes: Shape[];
}

export type Look = "rod" | "spring" | "damper" | "strut" | "line";

export interface Connector {
  name: string;
  look: Look;
  from: [number, Vector];
  to: [number, Vector];
  ghost?: boolean;
}

// A force whose components are curves: along a connector if there is one name, else along three directions.
export interface Arrow {
  name: string;
  kind: "force" | "reaction";
  connector: number;
  body: number;
  point: Vector;
  curves: string[];
}

export interface Scene {
  up: Vector;
  ground: number | null;
  fixed: Shape[];
  bodies: Figure[];
  connectors: Connector[];
  arrows: Arrow[];
  times: Float64Array;
  poses: Float32Array;
}

export interface Slider {
  name: string;
  unit: string;
  at: number;
  speed: number;
  from: number;
  to: number;
}

// What a mechanism at rest needs to be moved by hand; `Posture` in data.rs says more.
export interface Posture {
  q: number[];
  names: string[];
  sliders: Slider[];
  dependent: number[];
  rows: number[];
  limits: ([number, number] | null)[];
}

interface StoredCurve {
  name: string;
  offset: number;
  scale: number;
  times?: string;
  values: string;
}

export interface PlotSpec {
  title: string;
  unit: string;
  curves: Curve[];
}

export interface PageData {
  axis: { name: string; unit: string; time: boolean };
  span: [number, number];
  marks: Mark[];
  times: string;
  plots: PlotSpec[];
  scene: Scene | null;
  posture: Posture | null;
}

export const page: PageData = JSON.parse(document.getElementById("data")!.textContent!);

export function bytes(text: string): ArrayBuffer {
  const characters = atob(text);
  const array = new Uint8Array(characters.length);
  for (let i = 0; i < array.length; i++) array[i] = characters.charCodeAt(i);
  return array.buffer;
}

// Instants in 32 bits are fractions of the whole span.
function instants(text: string): Float64Array {
  const [from, to] = page.span;
  const width = to > from ? to - from : 1;
  const times = new Float64Array(new Uint32Array(bytes(text)));
  for (let i = 0; i < times.length; i++) times[i] = from + (width * times[i]) / 4294967295;
  return times;
}

// JSON has no NaN: it comes as null.
page.marks.forEach((mark) => (mark.time ??= NaN));

const sharedTimes = new Float64Array(bytes(page.times));

// A curve is decoded when it is first looked at: a large model has thousands, and most stay hidden.
export class Curve {
  readonly name: string;
  private decoded?: Float64Array;
  private instants?: Float64Array;

  constructor(private readonly stored: StoredCurve, readonly title: string, readonly unit: string) {
    this.name = stored.name;
  }

  get values(): Float64Array {
    if (!this.decoded) {
      const { offset, scale, values } = this.stored;
      this.decoded = new Float64Array(new Float32Array(bytes(values)));
      for (let i = 0; i < this.decoded.length; i++) this.decoded[i] = offset + scale * this.decoded[i];
    }
    return this.decoded;
  }

  get times(): Float64Array {
    const { times } = this.stored;
    this.instants ??= times === undefined ? sharedTimes.subarray(0, this.values.length) : instants(times);
    return this.instants;
  }
}

for (const plot of page.plots) {
  plot.curves = (plot.curves as unknown as StoredCurve[]).map((stored) => new Curve(stored, plot.title, plot.unit));
}
if (page.scene) {
  const { scene } = page;
  scene.times = new Float64Array(bytes(scene.times as unknown as string));
  scene.poses = new Float32Array(bytes(scene.poses as unknown as string));
}

export const channels: Curve[] = page.plots.flatMap((plot) => plot.curves);
const byName = new Map(channels.map((curve) => [curve.name, curve]));
export const channel = (name: string): Curve | undefined => byName.get(name);

// The first index whose entry is greater than `value`, in a sorted array.
export function upperBound(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The value of a curve at an instant, between its points; NaN in gaps and outside.
export function valueAt({ times, values }: Curve, time: number): number {
  const last = times.length - 1;
  const after = upperBound(times, time);
  if (last < 0 || after === 0) return NaN;
  if (after > last) return time <= times[last] ? values[last] : NaN;
  const before = after - 1;
  const share = (time - times[before]) / (times[after] - times[before]);
  if (share === 0) return values[before];
  return values[before] + share * (values[after] - values[before]);
}
