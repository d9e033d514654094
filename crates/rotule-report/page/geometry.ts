// Vectors as arrays, and placements: twelve numbers, the rows of a 3 by 4 matrix that maps a unit solid or a body
// into another frame.

export type Vector = number[];
export type Placement = number[];

export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);
export const finite = (a: Vector): boolean => a.every(Number.isFinite);

export function unit(a: Vector, otherwise: Vector = [0, 0, 1]): Vector {
  const size = length(a);
  return size > 0 && Number.isFinite(size) ? scale(a, 1 / size) : otherwise;
}

// Two directions that complete `axis` to a right-handed frame.
export function besides(axis: Vector): [Vector, Vector] {
  const [x, y, z] = axis.map(Math.abs);
  const away = x < y ? (x < z ? [1, 0, 0] : [0, 0, 1]) : y < z ? [0, 1, 0] : [0, 0, 1];
  const first = unit(subtract(away, scale(axis, dot(away, axis))), [1, 0, 0]);
  return [first, cross(axis, first)];
}

// A placement from the images of the three unit vectors and of the origin.
export const placement = (x: Vector, y: Vector, z: Vector, o: Vector): Placement => [x[0], y[0], z[0], o[0], x[1], y[1], z[1], o[1], x[2], y[2], z[2], o[2]];

// The placement that maps z from 0 to 1 onto a segment, with a radius.
export function along(from: Vector, to: Vector, radius: number): Placement {
  const axis = subtract(to, from);
  const [a, b] = besides(unit(axis));
  return placement(scale(a, radius), scale(b, radius), axis, from);
}

// The placement of a body: its pose is seven numbers at `at` in two frames, and `share` of the way between them.
export function poseBetween(poses: ArrayLike<number>, at: number, next: number, share: number, result: Float32Array): void {
  const p = (k: number) => poses[at + k] + share * (poses[next + k] - poses[at + k]);
  // The shorter way round.
  let sign = 0;
  for (let k = 3; k < 7; k++) sign += poses[at + k] * poses[next + k];
  sign = sign < 0 ? -1 : 1;
  const q = (k: number) => poses[at + k] * (1 - share) + sign * share * poses[next + k];
  let [w, x, y, z] = [q(3), q(4), q(5), q(6)];
  const size = Math.hypot(w, x, y, z) || 1;
  w /= size;
  x /= size;
  y /= size;
  z /= size;
  result[0] = 1 - 2 * (y * y + z * z);
  result[1] = 2 * (x * y - w * z);
  result[2] = 2 * (x * z + w * y);
  result[3] = p(0);
  result[4] = 2 * (x * y + w * z);
  result[5] = 1 - 2 * (x * x + z * z);
  result[6] = 2 * (y * z - w * x);
  result[7] = p(1);
  result[8] = 2 * (x * z - w * y);
  result[9] = 2 * (y * z + w * x);
  result[10] = 1 - 2 * (x * x + y * y);
  result[11] = p(2);
}

// One placement after another, written into an array at an offset.
export function compose(outer: ArrayLike<number>, inner: ArrayLike<number>, result: Float32Array, at: number): void {
  for (let i = 0; i < 3; i++) {
    const a = outer[4 * i];
    const b = outer[4 * i + 1];
    const c = outer[4 * i + 2];
    for (let j = 0; j < 4; j++) result[at + 4 * i + j] = a * inner[j] + b * inner[4 + j] + c * inner[8 + j];
    result[at + 4 * i + 3] += outer[4 * i + 3];
  }
}

export const apply = (m: ArrayLike<number>, p: Vector): Vector => [0, 4, 8].map((i) => m[i] * p[0] + m[i + 1] * p[1] + m[i + 2] * p[2] + m[i + 3]);

export const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

// The product of two 4 by 4 matrices by columns, as WebGL has them.
export function product(a: ArrayLike<number>, b: ArrayLike<number>): Float32Array {
  const result = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      result[4 * column + row] = sum;
    }
  }
  return result;
}
