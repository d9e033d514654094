// Axes of values: curves that differ much in size, or in unit, get axes of their own.

import type { Curve } from "./data";

// So many axes at most: more would leave no room for curves.
const AXES = 4;
// A curve that would fill less than one in so many of an axis gets another.
const FLAT = 30;
// What moves by less than this part of the largest value is round-off, or as good as it: it needs no axis.
const STILL = 1e-7;

export interface Extent {
  low: number;
  high: number;
}

const extents = new WeakMap<Curve, Extent>();

// The least and the largest value of a curve.
export function extentOf(curve: Curve): Extent {
  let known = extents.get(curve);
  if (!known) {
    known = { low: Infinity, high: -Infinity };
    for (const value of curve.values) {
      if (value < known.low) known.low = value;
      if (value > known.high) known.high = value;
    }
    extents.set(curve, known);
  }
  return known;
}

// Which axis each curve has: zero is the left one. Curves that are not shown have none, -1.
export function axesOf(curves: Curve[], shown: (index: number) => boolean): number[] {
  const groups: (Extent & { unit: string; least: number })[] = [];
  const largest = new Map<string, number>();
  curves.forEach((curve, index) => {
    const { low, high } = extentOf(curve);
    if (shown(index) && high - low < Infinity) largest.set(curve.unit, Math.max(largest.get(curve.unit) ?? 0, Math.abs(low), Math.abs(high)));
  });
  // One channel in several motions, such as `q1 (a.csv)` and `q1 (b.csv)`, has one axis: they are to be compared.
  const channel = ({ name }: Curve) => name.replace(/ \([^()]*\)$/, "");
  const taken = new Map<string, number>();
  return curves.map((curve, index) => {
    if (!shown(index)) return -1;
    const { low, high } = extentOf(curve);
    // A gap alone asks for nothing.
    if (!(high - low < Infinity)) return 0;
    // A curve that stands still needs no more than its place.
    const still = high - low <= STILL * largest.get(curve.unit)!;
    const own = still ? Infinity : high - low;
    // How many times the flattest curve fits into the axis, if this one joins.
    const flatness = (group: (typeof groups)[number]) =>
      group.unit === curve.unit ? (Math.max(group.high, high) - Math.min(group.low, low)) / Math.min(group.least, own) : Infinity;
    const flat = groups.map(flatness);
    let axis = taken.get(channel(curve)) ?? flat.findIndex((times) => times <= FLAT);
    if (axis < 0 && groups.length < AXES) axis = groups.push({ low, high, unit: curve.unit, least: own }) - 1;
    else if (axis < 0) axis = flat.indexOf(Math.min(...flat));
    taken.set(channel(curve), axis);
    const group = groups[axis];
    group.low = Math.min(group.low, low);
    group.high = Math.max(group.high, high);
    group.least = Math.min(group.least, own);
    return axis;
  });
}

// Whether all values are positive or zero, and some a hundred times others.
export function spansDecades(curves: Curve[]): boolean {
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
