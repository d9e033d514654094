// Where the scene is looked at from: a point that turns round a target, above or below a horizon.

const FIELD = 0.26; // half the vertical opening, in radians

class Camera {
  constructor(up) {
    this.up = up;
    // Front is against y, and x goes to the right, whenever z is up.
    const level = (axis) => unit(subtract(axis, scale(up, dot(axis, up))), null);
    this.across = Math.abs(up[0]) > 0.9 ? level([0, 1, 0]) : level([1, 0, 0]);
    this.ahead = cross(up, this.across);
    this.target = [0, 0, 0];
    this.distance = 5;
    this.turn = 0; // about `up`, from the front
    this.rise = 0; // above the horizon
    this.aspect = 1;
  }

  // The direction from the target to the eye.
  get back() {
    const level = subtract(scale(this.across, Math.sin(this.turn)), scale(this.ahead, Math.cos(this.turn)));
    return add(scale(level, Math.cos(this.rise)), scale(this.up, Math.sin(this.rise)));
  }
  get right() {
    return add(scale(this.across, Math.cos(this.turn)), scale(this.ahead, Math.sin(this.turn)));
  }
  get top() {
    return cross(this.back, this.right);
  }
  get eye() {
    return add(this.target, scale(this.back, this.distance));
  }

  matrix() {
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
  ray(x, y) {
    const t = Math.tan(FIELD);
    return unit(subtract(add(scale(this.right, x * t * this.aspect), scale(this.top, y * t)), this.back));
  }

  orbit(dx, dy) {
    this.turn -= dx * 0.008;
    this.rise = Math.min(1.55, Math.max(-1.55, this.rise + dy * 0.008));
  }

  // Moves the target with the pointer, which passes over `height` pixels.
  pan(dx, dy, height) {
    const metres = (2 * this.distance * Math.tan(FIELD)) / height;
    this.target = add(this.target, add(scale(this.right, -dx * metres), scale(this.top, dy * metres)));
  }

  zoom(factor, least, most) {
    this.distance = Math.min(most, Math.max(least, this.distance * factor));
  }

  // The least distance from which all these points are seen.
  fit(points, target) {
    this.target = target;
    const { right, top, back } = this;
    const tall = Math.tan(FIELD) * 0.92;
    const wide = tall * this.aspect;
    let distance = 0;
    for (const point of points) {
      const p = subtract(point, target);
      const needed = Math.max(Math.abs(dot(p, right)) / wide, Math.abs(dot(p, top)) / tall) + dot(p, back);
      distance = Math.max(distance, needed);
    }
    this.distance = distance || 1;
  }
}
