// The unit solids that everything is drawn with, and how shapes of a body become placed solids.

import { bytes, type Connector, type Shape } from "./data";
import { add, along, besides, cross, dot, finite, placement, scale, subtract, unit, type Placement, type Vector } from "./geometry";

export interface Mesh {
  vertices: Float32Array; // positions and normals interleaved
  triangles: Uint16Array | Uint32Array;
  low?: Vector;
  high?: Vector;
}

export type Layer = "solid" | "joint" | "axis" | "mass" | "point" | "axes" | "terrain";

// A copy of a unit solid in the frame of a body, or between the ends of a connector.
export interface Solid {
  mesh: string;
  body: number;
  layer: Layer;
  colour: string | number[];
  pattern: number;
  local?: Placement;
  connector?: Connector;
  part?: "coil" | "rod" | "tube" | "seat";
  radius?: number;
  name?: string;
  ghost?: boolean;
}

function mesh(vertices: number[][], triangles: number[][]): Mesh {
  return { vertices: new Float32Array(vertices.flat()), triangles: new Uint16Array(triangles.flat()) };
}

// Radius 1, z from 0 to 1; with another radius at the upper end.
function cylinderMesh(sides: number, upper = 1): Mesh {
  const vertices: number[][] = [];
  const triangles: number[][] = [];
  const slope = 1 - upper;
  for (let k = 0; k <= sides; k++) {
    const angle = (2 * Math.PI * k) / sides;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    vertices.push([c, s, 0, c, s, slope], [upper * c, upper * s, 1, c, s, slope], [c, s, 0, 0, 0, -1], [upper * c, upper * s, 1, 0, 0, 1]);
    const a = 4 * k;
    if (k < sides) triangles.push([a, a + 4, a + 1], [a + 1, a + 4, a + 5]);
    if (k > 1) triangles.push([2, a + 2, a - 2], [3, a - 1, a + 3]);
  }
  return mesh(vertices, triangles);
}

// Radius 1.
function ballMesh(rings: number, sides: number): Mesh {
  const vertices: number[][] = [];
  const triangles: number[][] = [];
  for (let i = 0; i <= rings; i++) {
    const polar = (Math.PI * i) / rings;
    for (let k = 0; k <= sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      const p = [Math.sin(polar) * Math.cos(angle), Math.sin(polar) * Math.sin(angle), Math.cos(polar)];
      vertices.push([...p, ...p]);
      if (i === rings || k === sides) continue;
      const a = i * (sides + 1) + k;
      triangles.push([a, a + sides + 1, a + 1], [a + 1, a + sides + 1, a + sides + 2]);
    }
  }
  return mesh(vertices, triangles);
}

// From -1/2 to 1/2 along all axes.
function boxMesh(): Mesh {
  const vertices: number[][] = [];
  const triangles: number[][] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const at = vertices.length;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0];
        const n = [0, 0, 0];
        p[axis] = side / 2;
        n[axis] = side;
        p[(axis + 1) % 3] = (u * side) / 2;
        p[(axis + 2) % 3] = v / 2;
        vertices.push([...p, ...n]);
      }
      triangles.push([at, at + 1, at + 2], [at, at + 2, at + 3]);
    }
  }
  return mesh(vertices, triangles);
}

// A coil of radius 1 along z from 0 to 1.
function springMesh(turns: number, steps: number, sides: number): Mesh {
  const count = turns * steps;
  const wire = 0.17;
  const vertices: number[][] = [];
  const triangles: number[][] = [];
  for (let k = 0; k <= count; k++) {
    // The coil is wide and its wire thin: the tangent in the plane suffices.
    const angle = 2 * Math.PI * turns * (k / count);
    const out = [Math.cos(angle), Math.sin(angle)];
    for (let j = 0; j <= sides; j++) {
      const around = (2 * Math.PI * j) / sides;
      const normal = [out[0] * Math.cos(around), out[1] * Math.cos(around), Math.sin(around)];
      // Along z the solid is stretched by its length: the wire is made flatter there.
      vertices.push([out[0] + wire * normal[0], out[1] + wire * normal[1], k / count + 0.018 * normal[2], ...normal]);
      if (k === count || j === sides) continue;
      const a = k * (sides + 1) + j;
      triangles.push([a, a + 1, a + sides + 1], [a + 1, a + sides + 2, a + sides + 1]);
    }
  }
  return mesh(vertices, triangles);
}

// A body of revolution about z from a closed profile of radii and heights.
function latheMesh(profile: [number, number][], sides: number): Mesh {
  const vertices: number[][] = [];
  const triangles: number[][] = [];
  profile.forEach(([r0, z0], i) => {
    const [r1, z1] = profile[(i + 1) % profile.length];
    const normal = unit([z1 - z0, 0, r0 - r1]);
    for (let k = 0; k <= sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const n = [normal[0] * c, normal[0] * s, normal[2]];
      vertices.push([r0 * c, r0 * s, z0, ...n], [r1 * c, r1 * s, z1, ...n]);
      const a = vertices.length - 2;
      if (k < sides) triangles.push([a, a + 2, a + 1], [a + 1, a + 2, a + 3]);
    }
  });
  return mesh(vertices, triangles);
}

// A tyre of radius 1 and width 1 about z, with a hole for the rim.
const tyreMesh = (sides: number): Mesh =>
  latheMesh([[0.66, -0.42], [0.72, -0.5], [0.9, -0.5], [0.97, -0.42], [1, -0.28], [1, 0.28], [0.97, 0.42], [0.9, 0.5], [0.72, 0.5], [0.66, 0.42]], sides);

// All solids: round ones for a close look, or coarse ones for crowds.
export const meshes = (coarse: boolean): Record<string, Mesh> => {
  const [sides, rings] = coarse ? [12, 6] : [40, 16];
  return {
    cylinder: cylinderMesh(sides),
    cone: cylinderMesh(sides, 0),
    ball: ballMesh(rings, 2 * rings),
    box: boxMesh(),
    spring: springMesh(7, coarse ? 8 : 20, coarse ? 3 : 6),
    tyre: tyreMesh(coarse ? 16 : 56),
  };
};

// Meshes of the scene by name, with their bounds, besides the unit solids.
export const ownMeshes: Record<string, Mesh> = {};
const known = new Map<string, string>();

// Edges between faces that differ by less than the angle of this cosine are drawn round.
const CREASE = 0.8;

// Corners of a mesh with the normals of the faces around them, and its triangles.
function ownMesh(low: Vector, high: Vector, storedVertices: string, storedTriangles: string): string {
  const key = storedVertices + storedTriangles;
  const before = known.get(key);
  if (before) return before;
  const points = new Float32Array(bytes(storedVertices));
  const indices = new Uint32Array(bytes(storedTriangles));
  const point = (k: number) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  const around: number[][] = Array.from({ length: points.length / 3 }, () => []);
  const normals: Vector[] = [];
  for (let k = 0; k < indices.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => point(indices[k + i]));
    normals.push(cross(subtract(b, a), subtract(c, a)));
    for (let i = 0; i < 3; i++) around[indices[k + i]].push(k / 3);
  }
  const sharp = normals.map((normal) => unit(normal));
  const vertices = new Float32Array(6 * indices.length);
  for (let k = 0; k < indices.length; k++) {
    const own = sharp[Math.floor(k / 3)];
    // Large faces weigh more.
    let sum = [0, 0, 0];
    for (const face of around[indices[k]]) if (dot(sharp[face], own) > CREASE) sum = add(sum, normals[face]);
    vertices.set([...point(indices[k]), ...unit(sum, own)], 6 * k);
  }
  const name = `mesh ${Object.keys(ownMeshes).length + 1}`;
  ownMeshes[name] = { vertices, triangles: Uint32Array.from(indices, (_, k) => k), low, high };
  known.set(key, name);
  return name;
}

const AXES: Vector[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
export const AXIS_COLOURS = ["c1", "c2", "c0"];

// Shapes as placed solids. `size` is a hundredth of the scene.
export function solidsOf(shape: Shape, body: number, colour: string, size: number): Solid[] {
  const [kind, ...rest] = shape;
  const solids: Solid[] = [];
  const solid = (name: string, local: Placement, layer: Layer = "solid", paint: string | number[] = colour, pattern = 0) => {
    if (finite(local)) solids.push({ mesh: name, body, local, layer, colour: paint, pattern });
  };
  const ball = (centre: Vector, radius: number, layer?: Layer, paint?: string, pattern?: number) =>
    solid("ball", placement([radius, 0, 0], [0, radius, 0], [0, 0, radius], centre), layer, paint, pattern);
  if (rest.some((part) => part === null || (Array.isArray(part) && !finite(part)))) return solids;
  const axisOf = (centre: Vector, axis: Vector) => {
    const reach = scale(unit(axis), 12 * size);
    solid("cylinder", along(subtract(centre, reach), add(centre, reach), 0.22 * size), "axis", "mark");
  };
  if (kind === "bar") {
    const [from, to, given] = rest;
    const radius = given > 0 ? given : 0.9 * size;
    solid("cylinder", along(from, to, radius));
    ball(from, radius);
    ball(to, radius);
  } else if (kind === "ball") ball(rest[0], rest[1] > 0 ? rest[1] : 2.2 * size);
  else if (kind === "box") {
    const [centre, [x, y, z]] = rest;
    solid("box", placement([x, 0, 0], [0, y, 0], [0, 0, z], centre));
  } else if (kind === "mesh" || kind === "terrain") {
    const [low, high, vertices, triangles, own] = rest;
    const whole = placement(AXES[0], AXES[1], AXES[2], [0, 0, 0]);
    const paint = own.length ? own.map((part: number) => part / 255) : colour;
    const ground = kind === "terrain";
    solid(ownMesh(low, high, vertices, triangles), whole, ground ? "terrain" : "solid", ground ? "ground" : paint, ground ? 3 : 0);
  } else if (kind === "disc") wheel(rest[0], rest[1], rest[2], rest[3] > 0 ? rest[3] : 0.42 * rest[2], solid);
  else if (kind === "pin") {
    const half = scale(unit(rest[1]), rest[2]);
    const radius = Math.min(1.6 * size, Math.max(0.8 * size, 0.4 * rest[2]));
    solid("cylinder", along(subtract(rest[0], half), add(rest[0], half), radius), "joint", "steel");
    axisOf(rest[0], rest[1]);
  } else if (kind === "revolute") {
    const axis = scale(unit(rest[1]), 2.4 * size);
    solid("cylinder", along(subtract(rest[0], axis), add(rest[0], axis), 1.5 * size), "joint", "steel");
    axisOf(rest[0], rest[1]);
  } else if (kind === "prismatic") {
    const z = unit(rest[1]);
    const [x, y] = besides(z);
    const local = placement(scale(x, 2.8 * size), scale(y, 2.8 * size), scale(z, 4.5 * size), rest[0]);
    solid("box", local, "joint", "steel");
    axisOf(rest[0], rest[1]);
  } else if (kind === "spherical") ball(rest[0], 1.7 * size, "joint", "steel");
  else if (kind === "mass") ball(rest[0], 1.5 * size, "mass", "ink", 1);
  else if (kind === "point") ball(rest[0], 0.9 * size, "point", "mark");
  else if (kind === "axes") {
    AXES.forEach((axis, k) => {
      const tip = scale(axis, 7 * size);
      solid("cylinder", along([0, 0, 0], tip, 0.32 * size), "axes", AXIS_COLOURS[k]);
      solid("cone", along(tip, scale(axis, 8.6 * size), 0.8 * size), "axes", AXIS_COLOURS[k]);
    });
  }
  return solids;
}

// A tyre, a rim and spokes, which show that it turns.
function wheel(centre: Vector, given: Vector, radius: number, width: number, solid: (name: string, local: Placement, layer?: Layer, paint?: string) => void): void {
  const axis = unit(given);
  const [a, b] = besides(axis);
  solid("tyre", placement(scale(a, radius), scale(b, radius), scale(axis, width), centre), "solid", "tyre");
  const half = scale(axis, width / 2);
  const at = (share: number) => add(centre, scale(half, share));
  solid("cylinder", along(at(-0.6), at(0.6), 0.16 * radius), "solid", "steel");
  solid("cylinder", along(at(-0.12), at(0.12), 0.3 * radius), "solid", "steel");
  for (let k = 0; k < 5; k++) {
    const angle = (2 * Math.PI * k) / 5;
    const arm = add(scale(a, Math.cos(angle)), scale(b, Math.sin(angle)));
    const side = scale(cross(axis, arm), 0.16 * radius);
    const middle = add(centre, scale(arm, 0.42 * radius));
    solid("box", placement(scale(arm, 0.6 * radius), side, scale(axis, 0.24 * width), middle), "solid", "steel");
  }
}

// The distance along a ray at which it meets a solid in its placement, or Infinity.
export function hit(name: string, m: ArrayLike<number>, at: number, origin: Vector, direction: Vector): number {
  // The ray in the solid's own frame, by Cramer's rule.
  const column = (j: number) => [m[at + j], m[at + 4 + j], m[at + 8 + j]];
  const [x, y, z, o] = [column(0), column(1), column(2), column(3)];
  const determinant = dot(x, cross(y, z));
  if (!(Math.abs(determinant) > 0)) return Infinity;
  const local = (v: Vector) => [dot(v, cross(y, z)), dot(v, cross(z, x)), dot(v, cross(x, y))].map((part) => part / determinant);
  const p = local(subtract(origin, o));
  const d = local(direction);
  // Between which distances the ray is inside all slabs and the round part.
  let [near, far] = [0, Infinity];
  const limit = (a: number, b: number) => {
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  };
  const slab = (k: number, low: number, high: number) => limit((low - p[k]) / d[k], (high - p[k]) / d[k]);
  const round = (axes: number[]) => {
    const sum = (a: Vector, b: Vector) => axes.reduce((total, k) => total + a[k] * b[k], 0);
    const [a, b, c] = [sum(d, d), sum(p, d), sum(p, p) - 1];
    const root = b * b - a * c;
    if (a === 0 ? c > 0 : root < 0) far = -1;
    else if (a > 0) limit((-b - Math.sqrt(root)) / a, (-b + Math.sqrt(root)) / a);
  };
  const own = ownMeshes[name];
  if (name === "ball") round([0, 1, 2]);
  else if (own) {
    for (let k = 0; k < 3; k++) slab(k, own.low![k] - 1e-9, own.high![k] + 1e-9);
    if (near <= far) return hitTriangles(own, p, d);
  } else if (name === "box") for (let k = 0; k < 3; k++) slab(k, -0.5, 0.5);
  else {
    round([0, 1]);
    if (name === "tyre") slab(2, -0.5, 0.5);
    else slab(2, 0, 1);
  }
  return near <= far ? near : Infinity;
}

// The nearest triangle on a ray (Möller and Trumbore 1997).
function hitTriangles({ vertices, triangles }: Mesh, p: Vector, d: Vector): number {
  let nearest = Infinity;
  const corner = (k: number) => [vertices[6 * triangles[k]], vertices[6 * triangles[k] + 1], vertices[6 * triangles[k] + 2]];
  for (let k = 0; k < triangles.length; k += 3) {
    const a = corner(k);
    const [e, f] = [subtract(corner(k + 1), a), subtract(corner(k + 2), a)];
    const h = cross(d, f);
    const determinant = dot(e, h);
    if (determinant === 0) continue;
    const s = subtract(p, a);
    const u = dot(s, h) / determinant;
    if (u < 0 || u > 1) continue;
    const q = cross(s, e);
    const v = dot(d, q) / determinant;
    if (v < 0 || u + v > 1) continue;
    const t = dot(f, q) / determinant;
    if (t > 0 && t < nearest) nearest = t;
  }
  return nearest;
}
