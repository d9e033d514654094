// Where the scene is looked at from: a point that turns round a target, above or below a horizon.

import { add, cross, dot, product, scale, subtract, unit, type Vector } from "./geometry";

export const FIELD = 0.26; // half the vertical opening, in radians

export class Camera {
  readonly across: Vector;
  readonly ahead: Vector;
  target: Vector = [0, 0, 0];
  distance = 5;
  turn = 0; // about `up`, from the front
  rise = 0; // above the horizon
  aspect = 1;

  constructor(readonly up: Vector) {
    // Front is against y, and x goes to the right, whenever z is up.
    const level = (axis: Vector) => unit(subtract(axis, scale(up, dot(axis, up))));
    this.across = Math.abs(up[0]) > 0.9 ? level([0, 1, 0]) : level([1, 0, 0]);
    this.ahead = cross(up, this.across);
  }

  // The direction from the target to the eye.
  get back(): Vector {
    const level = subtract(scale(this.across, Math.sin(this.turn)), scale(this.ahead, Math.cos(this.turn)));
    return add(scale(level, Math.cos(this.rise)), scale(this.up, Math.sin(this.rise)));
  }
  get right(): Vector {
    return add(scale(this.across, Math.cos(this.turn)), scale(this.ahead, Math.sin(this.turn)));
  }
  get top(): Vector {
    return cross(this.back, this.right);
  }
  get eye(): Vector {
    return add(this.target, scale(this.back, this.distance));
  }

  matrix(): Float32Array {
    const { right, top, back, eye, aspect } = this;
    const view = [0, 1, 2].flatMap((k) => [right[k], top[k], back[k], 0]);
    view.push(-dot(right, eye), -dot(top, eye), -dot(back, eye), 1);
    const [near, far] = [this.distance * 0.02, this.distance * 60];
    const f = 1 / Math.tan(FIELD);
    const depth = near - far;
    const projection = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) / depth, -1, 0, 0, (2 * near * far) / depth, 0];
    return product(projection, view);
  }

  // The direction of the ray through a place on the screen, from -1 to 1.
  ray(x: number, y: number): Vector {
    const t = Math.tan(FIELD);
    return unit(subtract(add(scale(this.right, x * t * this.aspect), scale(this.top, y * t)), this.back));
  }

  orbit(dx: number, dy: number): void {
    this.turn -= dx * 0.008;
    this.rise = Math.min(1.55, Math.max(-1.55, this.rise + dy * 0.008));
  }

  // Moves the target with the pointer, which passes over `height` pixels.
  pan(dx: number, dy: number, height: number): void {
    const metres = (2 * this.distance * Math.tan(FIELD)) / height;
    this.target = add(this.target, add(scale(this.right, -dx * metres), scale(this.top, dy * metres)));
  }

  // Comes nearer or goes away; what is at a place on the screen, from -1 to 1, stays there.
  zoom(factor: number, least: number, most: number, x = 0, y = 0): void {
    const distance = Math.min(most, Math.max(least, this.distance * factor));
    const shift = Math.tan(FIELD) * (this.distance - distance);
    this.target = add(this.target, add(scale(this.right, x * this.aspect * shift), scale(this.top, y * shift)));
    this.distance = distance;
  }

  // The place on the screen of a point, from -1 to 1, or null if it is behind the eye.
  project(point: Vector): { x: number; y: number } | null {
    const p = subtract(point, this.eye);
    const depth = -dot(p, this.back);
    if (!(depth > this.distance * 0.02)) return null;
    const size = depth * Math.tan(FIELD);
    return { x: dot(p, this.right) / (size * this.aspect), y: dot(p, this.top) / size };
  }

  // The least distance from which all these points are seen.
  fit(points: Vector[], target: Vector, share = 0.92): void {
    this.target = target;
    const { right, top, back } = this;
    const tall = Math.tan(FIELD) * share;
    const wide = Math.tan(FIELD) * 0.92 * this.aspect;
    let distance = 0;
    for (const point of points) {
      const p = subtract(point, target);
      const needed = Math.max(Math.abs(dot(p, right)) / wide, Math.abs(dot(p, top)) / tall) + dot(p, back);
      distance = Math.max(distance, needed);
    }
    this.distance = distance || 1;
  }
}
