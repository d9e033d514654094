// Closing loops: dependent coordinates follow from the others by damped steps of Newton's method, in the least-squares
// sense, so that redundant rows do no harm.

import type { Posture } from "./data";

// Functions of the mechanism that the page brings along.
export interface Mechanism {
  loops(q: Float64Array): { h: ArrayLike<number>; J: ArrayLike<number> };
  map(q: Float64Array): ArrayLike<number>;
  places(q: Float64Array): ArrayLike<number>[];
}

const TOLERANCE = 1e-10;
// What is as small as this is closed, too, if rounding allows no better.
const ROUGH = 1e-8;
const STEPS = 80;
// The longest change of a coordinate in one step.
const LONGEST = 0.3;

// The largest residual.
function gap(mechanism: Mechanism, { rows }: Posture, q: Float64Array): number {
  const { h } = mechanism.loops(q);
  return rows.reduce((most, row) => Math.max(most, Number.isNaN(h[row]) ? Infinity : Math.abs(h[row])), 0);
}

// Closes all loops by changing dependent coordinates; false if they stay open. A step that makes things worse is taken
// back and damped more (Levenberg and Marquardt), so that also positions beside singular ones are found.
export function close(mechanism: Mechanism, posture: Posture, q: Float64Array): boolean {
  const { dependent, rows } = posture;
  if (rows.length === 0) return true;
  const look = () => {
    const { h, J } = mechanism.loops(q);
    const residual = rows.map((row) => h[row]);
    return { J, width: J.length / h.length, residual, size: Math.hypot(...residual) };
  };
  let here = look();
  let damping = 0;
  for (let step = 0; step < STEPS && here.size >= TOLERANCE; step++) {
    if (!Number.isFinite(here.size)) return false;
    const { J, width, residual, size } = here;
    const a = rows.map((row) => dependent.map((speed) => J[row * width + speed]));
    const change = leastChange(a, residual, damping);
    const largest = Math.max(0, ...change.map(Math.abs));
    const share = largest > LONGEST ? LONGEST / largest : 1;
    const speeds = new Float64Array(width);
    dependent.forEach((speed, k) => (speeds[speed] = share * change[k]));
    const before = Float64Array.from(q);
    move(mechanism, q, speeds);
    const there = look();
    if (there.size < size) {
      here = there;
      damping = damping > 1e-9 ? damping / 8 : 0;
    } else {
      q.set(before);
      if (size < ROUGH) break;
      damping = damping > 0 ? 8 * damping : 1e-6;
    }
  }
  return gap(mechanism, posture, q) < ROUGH;
}

// Moves coordinates along speeds, for a unit of time.
function move(mechanism: Mechanism, q: Float64Array, speeds: Float64Array): void {
  const map = mechanism.map(q);
  for (let i = 0; i < q.length; i++) {
    let rate = 0;
    for (let k = 0; k < speeds.length; k++) rate += map[i * speeds.length + k] * speeds[k];
    q[i] += rate;
  }
}

// The shortest x that makes a x + h least, damped by a part of the largest entry: x = -a' (a a' + damping)^-1 h.
function leastChange(a: number[][], h: number[], part: number): number[] {
  const square = a.map((one) => a.map((other) => one.reduce((sum, value, k) => sum + value * other[k], 0)));
  const largest = Math.max(...square.map((row, k) => row[k]));
  const damping = largest * (1e-14 + part);
  square.forEach((row, k) => (row[k] += damping || 1));
  const y = solve(square, h);
  const columns = a[0]?.length ?? 0;
  return Array.from({ length: columns }, (_, k) => -a.reduce((sum, row, i) => sum + row[k] * y[i], 0));
}

// Gaussian elimination with row exchanges.
function solve(matrix: number[][], right: number[]): number[] {
  const n = right.length;
  const rows = matrix.map((row, k) => [...row, right[k]]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      if (factor !== 0) for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let k = n - 1; k >= 0; k--) {
    let sum = rows[k][n];
    for (let j = k + 1; j < n; j++) sum -= rows[k][j] * x[j];
    x[k] = sum / rows[k][k];
  }
  return x;
}
