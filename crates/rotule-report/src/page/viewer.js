// The animation: placed solids at the clock's instant, the camera in the reader's hand.

const FRONT_LAYERS = ["mass", "point", "axes"];
// A list of more points is of no use.
const TRAILS = 400;
// More solids than these are drawn coarsely.
const CROWD = 1500;

class Viewer {
  constructor(scene) {
    this.scene = scene;
    this.canvas = document.getElementById("world");
    this.signs = document.getElementById("signs");
    this.label = document.getElementById("label");
    this.layers = { solid: true, joint: true, mass: false, point: false, axes: false, ground: true };
    this.trail = null;
    this.follow = false;
    this.lit = -1; // the body under the pointer
    this.bodies = scene.bodies.map(() => new Float32Array(IDENTITY));
    this.ground = new Float32Array(IDENTITY);
    this.up = unit(scene.up.every(Number.isFinite) ? scene.up : [0, 0, 1]);
    this.camera = new Camera(this.up);
    this.redraw = oncePerFrame(() => paper.printing || this.draw());
    this.measure();
    const solids = this.listSolids();
    this.painter = new Painter(this.canvas, meshes(solids.length > CROWD));
    this.makeBatches(solids);
    this.home();
  }

  // The frames around an instant: the index of the first and the share of the second.
  frameAt(time) {
    const { times } = this.scene;
    const after = Math.min(times.length - 1, Math.max(1, upperBound(times, time)));
    const before = Math.max(0, after - 1);
    const width = times[after] - times[before];
    const share = width > 0 ? Math.min(1, Math.max(0, (time - times[before]) / width)) : 0;
    return { before, after: Math.max(0, after), share };
  }

  placeBodies(time) {
    const { poses, bodies } = this.scene;
    const { before, after, share } = this.frameAt(time);
    const width = 7 * bodies.length;
    bodies.forEach((_, k) => poseBetween(poses, before * width + 7 * k, after * width + 7 * k, share, this.bodies[k]));
  }

  // The size of the mechanism, what it sweeps, and where the ground is.
  measure() {
    const { scene, up } = this;
    const { across, ahead } = this.camera;
    const axes = [across, ahead, up];
    const parts = [...scene.bodies.map((body, k) => [k, pointsOf(body.shapes)]), [-1, pointsOf(scene.fixed)]];
    for (const { from, to } of scene.connectors) for (const [body, point] of [from, to]) parts.push([body, [point]]);
    const empty = () => ({ low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] });
    const include = (box, point) => {
      axes.forEach((axis, k) => {
        const value = dot(axis, point);
        box.low[k] = Math.min(box.low[k], value);
        box.high[k] = Math.max(box.high[k], value);
      });
    };
    const extent = (box) => length(box.high.map((high, k) => Math.max(0, high - box.low[k])));
    const count = scene.times.length;
    const looks = Math.min(count, Math.max(12, Math.min(160, Math.floor(40000 / parts.length))));
    const swept = empty();
    const sizes = [];
    for (let look = 0; look < looks; look++) {
      this.placeBodies(scene.times[Math.floor((look * (count - 1)) / Math.max(1, looks - 1))]);
      const box = empty();
      const moving = empty();
      for (const [body, points] of parts) {
        for (const local of points) {
          const point = apply(this.placementOf(body), local);
          if (!finite(point)) continue;
          include(box, point);
          if (body >= 0) include(moving, point);
        }
      }
      const size = extent(moving);
      // A run that went astray does not shrink the rest to a dot.
      if (sizes.length > 0 && !(extent(box) < 1e3 * (sizes[0] || 1))) continue;
      if (size > 0 && Number.isFinite(size)) sizes.push(size);
      for (let k = 0; k < 3; k++) {
        swept.low[k] = Math.min(swept.low[k], box.low[k]);
        swept.high[k] = Math.max(swept.high[k], box.high[k]);
      }
    }
    if (!swept.low.every(Number.isFinite)) Object.assign(swept, { low: [-1, -1, -1], high: [1, 1, 1] });
    this.swept = swept;
    sizes.sort((a, b) => a - b);
    this.size = sizes[sizes.length >> 1] || extent(swept) || 1;
    // The size of marks: a hundredth of the scene, but small beside the bodies.
    const spans = scene.bodies.map(({ shapes }) => {
      const box = empty();
      pointsOf(shapes).forEach((point) => include(box, point));
      return extent(box);
    });
    const solid = spans.filter((span) => span > 0 && Number.isFinite(span)).sort((a, b) => a - b);
    this.grain = Math.min(this.size / 100, 0.05 * (solid[solid.length >> 1] ?? this.size));
    this.travels = extent(swept) > 3.5 * this.size;
    this.level = scene.ground ?? swept.low[2] - 0.06 * this.size;
  }

  placementOf(body) {
    return body < 0 ? this.ground : this.bodies[body];
  }

  // Everything that is drawn, as placed solids.
  listSolids() {
    const { scene } = this;
    const size = this.grain;
    const solids = scene.fixed.flatMap((shape) => solidsOf(shape, -1, "steel", size));
    scene.bodies.forEach((body, k) => {
      for (const shape of body.shapes) solids.push(...solidsOf(shape, k, `c${body.colour % 8}`, size));
    });
    for (const connector of scene.connectors) {
      const [mesh, radius] = connector.look === "spring" ? ["spring", 1.9 * size] : ["cylinder", 0.45 * size];
      solids.push({ mesh, connector, radius, body: -1, layer: "solid", colour: "c7", pattern: 0 });
    }
    return solids;
  }

  // One list per mesh and depth, with room for all its copies.
  makeBatches(solids) {
    this.batches = [];
    for (const front of [false, true]) {
      for (const mesh of Object.keys(this.painter.solids)) {
        const members = solids.filter((solid) => solid.mesh === mesh && FRONT_LAYERS.includes(solid.layer) === front);
        if (members.length) this.batches.push({ mesh, front, members, data: new Float32Array(STRIDE * members.length), count: 0, shown: [] });
      }
    }
  }

  // Placements and colours of all copies at the present instant.
  fillBatches() {
    const paints = new Map();
    const paint = (name) => {
      if (!paints.has(name)) paints.set(name, theme.rgb(name));
      return paints.get(name);
    };
    for (const batch of this.batches) {
      batch.count = 0;
      batch.shown.length = 0;
      for (const solid of batch.members) {
        if (!this.layers[solid.layer]) continue;
        const at = STRIDE * batch.count;
        if (solid.connector) {
          const [from, to] = [solid.connector.from, solid.connector.to].map(([body, point]) => apply(this.placementOf(body), point));
          batch.data.set(along(from, to, solid.radius), at);
        } else compose(this.placementOf(solid.body), solid.local, batch.data, at);
        if (!Number.isFinite(batch.data[at + 3] + batch.data[at + 7] + batch.data[at + 11])) continue;
        const bright = solid.body >= 0 && solid.body === this.lit ? 0.22 : 0;
        const colour = paint(solid.colour);
        for (let k = 0; k < 3; k++) batch.data[at + 12 + k] = colour[k] + bright * (1 - colour[k]);
        batch.data[at + 15] = solid.pattern ? 2 : 1;
        batch.shown.push(solid);
        batch.count++;
      }
    }
  }

  draw() {
    const { camera, painter, up } = this;
    if (!painter.begin()) return;
    camera.aspect = this.canvas.width / this.canvas.height;
    this.placeBodies(clock.time);
    if (this.follow) this.followBodies();
    this.fillBatches();
    const light = unit(add(scale(up, 1.5), add(scale(camera.across, -0.45), scale(camera.ahead, -0.7))));
    const view = { camera: camera.matrix(), eye: camera.eye, light, ground: [...up, this.level], shade: Number(theme.colour("shade")), lamp: Number(theme.colour("lamp")) };
    painter.drawSolids(this.batches.filter(({ front }) => !front), view);
    if (this.layers.ground) {
      const above = dot(camera.eye, up) > this.level;
      if (above) painter.drawSolids(this.batches.filter(({ front }) => !front), view, { shadow: true });
      const drop = dot(camera.target, up) - this.level;
      const centre = subtract(camera.target, scale(up, drop));
      const cell = tickStep(camera.distance * 0.55, 6);
      const reach = Math.max(camera.distance * 2.2, this.size);
      painter.drawGround(view, { centre, across: camera.across, ahead: camera.ahead, reach, cell, ink: theme.rgb("floor") });
      this.cell = cell;
    }
    if (this.trail) painter.drawTrail(view, this.trailPoints(), theme.rgb("mark"));
    painter.drawSolids(this.batches.filter(({ front }) => front), view, { front: true });
    this.drawSigns();
  }

  // The directions of the axes, and the width of a square.
  drawSigns() {
    const context = fitCanvas(this.signs);
    if (!context) return;
    const height = this.signs.clientHeight;
    const [x, y] = [38, height - 36];
    context.font = `600 11px ${theme.colour("sans")}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 1.8;
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis, k) => ({
      x: dot(axis, this.camera.right), y: -dot(axis, this.camera.top), depth: dot(axis, this.camera.back), name: "xyz"[k], colour: ["c1", "c2", "c0"][k],
    }));
    axes.sort((a, b) => a.depth - b.depth);
    for (const axis of axes) {
      context.strokeStyle = context.fillStyle = theme.colour(axis.colour);
      line(context, x, y, x + 20 * axis.x, y + 20 * axis.y);
      if (Math.hypot(axis.x, axis.y) > 0.25) context.fillText(axis.name, x + 28 * axis.x, y + 28 * axis.y);
    }
    if (!this.layers.ground) return;
    context.font = `11px ${theme.colour("sans")}`;
    context.textAlign = "left";
    context.fillStyle = theme.colour("soft");
    context.fillText(`grid ${formatNumber(this.cell, 1)} m`, 80, height - 16);
  }

  trailPoints() {
    const { scene, trail } = this;
    const { before } = this.frameAt(clock.time);
    const step = Math.max(1, Math.ceil(before / 4000));
    const points = [];
    const here = new Float32Array(12);
    const width = 7 * scene.bodies.length;
    const push = (point) => finite(point) && points.push(...point);
    for (let frame = 0; frame <= before; frame += step) {
      const at = frame * width + 7 * trail.body;
      poseBetween(scene.poses, at, at, 0, here);
      push(apply(here, trail.point));
    }
    push(apply(this.bodies[trail.body], trail.point));
    return new Float32Array(points);
  }

  // The middle of all bodies.
  middle() {
    let sum = [0, 0, 0];
    let count = 0;
    for (const m of this.bodies) {
      const point = [m[3], m[7], m[11]];
      if (finite(point)) {
        sum = add(sum, point);
        count++;
      }
    }
    return scale(sum, 1 / Math.max(1, count));
  }

  followBodies() {
    const middle = this.middle();
    if (this.followed) this.camera.target = add(this.camera.target, subtract(middle, this.followed));
    this.followed = middle;
  }

  setFollow(on) {
    this.follow = on;
    this.followed = null;
    this.redraw();
  }

  // A first view: a plane mechanism from the side that shows it, others from a corner.
  home() {
    const extent = this.swept.high.map((high, k) => high - this.swept.low[k]);
    const flat = (k) => extent[k] < 0.3 * Math.max(extent[1 - k], extent[2]);
    if (flat(0) && !flat(1)) [this.camera.turn, this.camera.rise] = [Math.PI / 2 - 0.35, 0.22];
    else if (flat(1)) [this.camera.turn, this.camera.rise] = [-0.35, 0.22];
    else [this.camera.turn, this.camera.rise] = [-0.6, 0.38];
    this.setFollow(this.travels);
    this.fit();
  }

  fit() {
    this.placeBodies(clock.time);
    const { across, ahead } = this.camera;
    let { low, high } = this.swept;
    if (this.follow) {
      // As large as the mechanism itself, around where it is now.
      const middle = this.middle();
      const at = [across, ahead, this.up].map((axis) => dot(axis, middle));
      low = at.map((value) => value - this.size / 2);
      high = at.map((value) => value + this.size / 2);
      low[2] = Math.max(low[2], Math.min(this.level, at[2]));
    }
    const world = (a, b, c) => add(add(scale(across, a), scale(ahead, b)), scale(this.up, c));
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
      world(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]));
    const centre = world(...low.map((value, k) => (value + high[k]) / 2));
    this.camera.aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight) || 1;
    this.camera.fit(corners, centre);
    this.followed = null;
    this.redraw();
  }

  look(name) {
    const [turn, rise] = { front: [0, 0], side: [Math.PI / 2, 0], top: [0, 1.55] }[name];
    Object.assign(this.camera, { turn, rise });
    this.fit();
  }

  // The body under a place on the screen.
  bodyAt(x, y) {
    const { camera, canvas } = this;
    const direction = camera.ray((2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight);
    const { eye } = camera;
    let nearest = Infinity;
    let found = null;
    for (const { mesh, data, shown, front } of this.batches) {
      shown.forEach((solid, k) => {
        const distance = hit(mesh, data, STRIDE * k, eye, direction) * (front ? 0.05 : 1);
        if (distance < nearest) [nearest, found] = [distance, solid];
      });
    }
    return found;
  }

  hoverAt(x, y) {
    const found = x === null ? null : this.bodyAt(x, y);
    const body = found && !found.connector ? found.body : -1;
    const name = found?.connector ? found.connector.name : body >= 0 ? this.scene.bodies[body].name : found ? "ground" : "";
    this.label.hidden = !name;
    this.label.textContent = name;
    if (name) {
      this.label.style.left = `${Math.min(x + 14, this.canvas.clientWidth - this.label.offsetWidth - 6)}px`;
      this.label.style.top = `${Math.max(4, y - 30)}px`;
    }
    if (body !== this.lit) {
      this.lit = body;
      this.redraw();
    }
  }

  // What a trail can follow: named points and centres of mass, or else the body's origin.
  trails() {
    const choices = [];
    this.scene.bodies.forEach((body, k) => {
      const before = choices.length;
      for (const [kind, place, name] of body.shapes) {
        // A point of a model file has its body in its name already.
        const full = String(name).startsWith(`${body.name}.`) ? name : `${body.name}: ${name}`;
        if (kind === "point" && finite(place)) choices.push({ body: k, point: place, name: full });
        else if (kind === "mass" && finite(place)) choices.push({ body: k, point: place, name: `${body.name}: centre of mass` });
      }
      if (choices.length === before) choices.push({ body: k, point: [0, 0, 0], name: body.name });
    });
    return choices.slice(0, TRAILS);
  }
}

// Points of shapes that tell how large they are.
function pointsOf(shapes) {
  const points = [];
  for (const [kind, a, b, c] of shapes) {
    if (kind === "bar") points.push(a, b);
    else if (kind === "ball") for (const s of [-1, 1]) for (let k = 0; k < 3; k++) points.push(a.map((v, i) => v + (i === k ? s * b : 0)));
    else if (kind === "box") for (let k = 0; k < 8; k++) points.push(a.map((v, i) => v + (k & (1 << i) ? 0.5 : -0.5) * b[i]));
    else if (kind === "disc") {
      const [x, y] = besides(unit(b));
      for (const side of [x, y, scale(x, -1), scale(y, -1)]) points.push(add(a, scale(side, c)));
    } else if (a) points.push(a);
    else points.push([0, 0, 0]);
  }
  return points.filter(finite);
}
