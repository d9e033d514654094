// The mechanism: placed solids at the clock's instant, the camera in the reader's hand.

import { Camera } from "./camera";
import { clock } from "./clock";
import { channel, page, upperBound, valueAt, type Arrow, type Connector, type Scene, type Shape } from "./data";
import { get, oncePerFrame } from "./dom";
import { tickStep } from "./format";
import { IDENTITY, add, along, apply, besides, compose, dot, finite, length, poseBetween, scale, subtract, unit, type Vector } from "./geometry";
import { Painter, STRIDE, lampView, type Copies, type Sight } from "./painter";
import { Signs } from "./signs";
import { hit, meshes, ownMeshes, solidsOf, type Layer, type Solid } from "./solids";
import { theme } from "./theme";

const FRONT_LAYERS: Layer[] = ["mass", "point", "axes", "axis"];
// More solids than these are drawn coarsely.
const CROWD = 1500;
// A list of more points is of no use.
const TRAILS = 400;

// A point that moves with a body; -1 is the ground.
export interface Place {
  body: number;
  point: Vector;
  name: string;
}

interface Batch {
  mesh: string;
  front: boolean;
  members: Solid[];
  full: Copies;
  ghost: Copies;
  shown: Solid[];
}

interface Box {
  low: Vector;
  high: Vector;
}

export type LayerName = Layer | "ground" | "force" | "velocity" | "reaction" | "names" | "shadow";

export class Viewer {
  readonly canvas = get<HTMLCanvasElement>("world");
  readonly signs: Signs;
  readonly camera: Camera;
  readonly painter: Painter;
  readonly up: Vector;
  readonly bodies: Float32Array[];
  readonly redraw: () => void;
  readonly layers: Record<LayerName, boolean> = {
    solid: true, joint: true, axis: false, mass: false, point: false, axes: false, terrain: true,
    ground: true, force: false, velocity: false, reaction: false, names: false, shadow: true,
  };
  trails: Place[] = [];
  follow = false;
  isolated = false;
  lit: Solid | null = null; // what is under the pointer
  selected: Solid | null = null;
  size = 1;
  cell = 1;
  private readonly ground = new Float32Array(IDENTITY);
  private batches: Batch[] = [];
  private overlay: Batch[] = [];
  private arrows: Copies[] = [];
  private largest = { force: 0, reaction: 0, velocity: 0 };
  private swept: Box = { low: [], high: [] };
  private around: Box = { low: [], high: [] }; // what it sweeps about its middle
  private grain = 1;
  private level = 0;
  private travels = false;
  private terrain = false;
  private followed: Vector | null = null;
  private easing = 0;

  constructor(readonly scene: Scene) {
    scene.arrows = scene.arrows.filter(({ curves }) => curves.some((name) => channel(name)));
    this.bodies = scene.bodies.map(() => new Float32Array(IDENTITY));
    this.up = unit(scene.up.every(Number.isFinite) ? scene.up : [0, 0, 1]);
    this.camera = new Camera(this.up);
    this.redraw = oncePerFrame(() => this.draw());
    this.signs = new Signs(this);
    this.measure();
    const solids = this.listSolids();
    this.terrain = solids.some((solid) => solid.layer === "terrain");
    this.painter = new Painter(this.canvas, { ...meshes(solids.length > CROWD), ...ownMeshes });
    this.batches = this.batchesOf(solids);
    const room = 2 * scene.arrows.length + scene.bodies.length;
    this.arrows = ["cylinder", "cone"].map((mesh) => ({ mesh, data: new Float32Array(STRIDE * Math.max(1, room)), count: 0 }));
    this.home();
  }

  // The frames around an instant: the index of the first and the share of the second.
  frameAt(time: number): { before: number; after: number; share: number } {
    const { times } = this.scene;
    const after = Math.min(times.length - 1, Math.max(1, upperBound(times, time)));
    const before = Math.max(0, after - 1);
    const width = times[after] - times[before];
    const share = width > 0 ? Math.min(1, Math.max(0, (time - times[before]) / width)) : 0;
    return { before, after: Math.max(0, after), share };
  }

  placeBodies(time: number): void {
    const { poses, bodies } = this.scene;
    const { before, after, share } = this.frameAt(time);
    const width = 7 * bodies.length;
    bodies.forEach((_, k) => poseBetween(poses, before * width + 7 * k, after * width + 7 * k, share, this.bodies[k]));
  }

  placementOf(body: number): Float32Array {
    return body < 0 ? this.ground : this.bodies[body];
  }

  where({ body, point }: { body: number; point: Vector }): Vector {
    return apply(this.placementOf(body), point);
  }

  // The size of the mechanism, what it sweeps, and where the ground is.
  private measure(): void {
    const { scene, up } = this;
    const axes = [this.camera.across, this.camera.ahead, up];
    const moving = scene.bodies.map((body, k) => [k, pointsOf(body.shapes)] as [number, Vector[]]);
    const parts: [number, Vector[]][] = [...moving, [-1, pointsOf(scene.fixed.filter(([kind]) => kind !== "terrain"))]];
    for (const { from, to } of scene.connectors) for (const [body, point] of [from, to]) parts.push([body, [point]]);
    const empty = (): Box => ({ low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] });
    const include = (box: Box, point: Vector) => {
      axes.forEach((axis, k) => {
        const value = dot(axis, point);
        box.low[k] = Math.min(box.low[k], value);
        box.high[k] = Math.max(box.high[k], value);
      });
    };
    const extent = (box: Box) => length(box.high.map((high, k) => Math.max(0, high - box.low[k])));
    const count = scene.times.length;
    const looks = Math.min(count, Math.max(12, Math.min(160, Math.floor(40000 / parts.length))));
    const swept = empty();
    const around = empty();
    const sizes: number[] = [];
    for (let look = 0; look < looks; look++) {
      this.placeBodies(scene.times[Math.floor((look * (count - 1)) / Math.max(1, looks - 1))]);
      const box = empty();
      const inMotion = empty();
      for (const [body, points] of parts) {
        for (const local of points) {
          const point = apply(this.placementOf(body), local);
          if (!finite(point)) continue;
          include(box, point);
          if (body >= 0) include(inMotion, point);
        }
      }
      const size = extent(inMotion);
      // A run that went astray does not shrink the rest to a dot.
      if (sizes.length > 0 && !(extent(box) < 1e3 * (sizes[0] || 1))) continue;
      if (size > 0 && Number.isFinite(size)) sizes.push(size);
      for (let k = 0; k < 3; k++) {
        swept.low[k] = Math.min(swept.low[k], box.low[k]);
        swept.high[k] = Math.max(swept.high[k], box.high[k]);
        const middle = dot(axes[k], this.middle());
        around.low[k] = Math.min(around.low[k], inMotion.low[k] - middle);
        around.high[k] = Math.max(around.high[k], inMotion.high[k] - middle);
      }
    }
    if (!swept.low.every(Number.isFinite)) Object.assign(swept, { low: [-1, -1, -1], high: [1, 1, 1] });
    this.swept = swept;
    this.around = around.low.every(Number.isFinite) ? around : swept;
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
    this.measureArrows();
  }

  // The largest arrow of a kind has a length that suits the scene.
  private measureArrows(): void {
    for (const { kind, curves } of this.scene.arrows) {
      for (const name of curves) {
        const curve = channel(name);
        if (!curve) continue;
        for (const value of curve.values) if (Math.abs(value) > this.largest[kind]) this.largest[kind] = Math.abs(value);
      }
    }
    const { times } = this.scene;
    for (let look = 0; look < Math.min(60, times.length); look++) {
      const time = times[Math.floor((look * (times.length - 1)) / 59)];
      this.scene.bodies.forEach((_, k) => {
        const speed = length(this.velocity(k, time));
        if (Number.isFinite(speed) && speed > this.largest.velocity) this.largest.velocity = speed;
      });
    }
  }

  // The velocity of a body's origin between two frames.
  velocity(body: number, time: number): Vector {
    const { poses, bodies, times } = this.scene;
    const { before, after } = this.frameAt(time);
    const elapsed = times[after] - times[before];
    if (!(elapsed > 0)) return [0, 0, 0];
    const [a, b] = [before, after].map((frame) => 7 * (frame * bodies.length + body));
    return [0, 1, 2].map((k) => (poses[b + k] - poses[a + k]) / elapsed);
  }

  // Everything that is drawn, as placed solids.
  private listSolids(): Solid[] {
    const { scene } = this;
    const size = this.grain;
    const solids = scene.fixed.flatMap((shape) => solidsOf(shape, -1, "steel", size));
    scene.bodies.forEach((body, k) => {
      // Bodies with shapes of their own show where their joints are: marks stand with the axes, on demand. Pins stay.
      const shaped = body.shapes.some(([kind]) => kind === "mesh");
      for (const shape of body.shapes) {
        for (const solid of solidsOf(shape, k, `c${body.colour % 6}`, size)) {
          solid.ghost = body.ghost;
          if (shaped && solid.layer === "joint" && shape[0] !== "pin") solid.layer = "axis";
          solids.push(solid);
        }
      }
    });
    for (const connector of scene.connectors) solids.push(...this.connectorSolids(connector));
    return solids;
  }

  // A spring is a coil between two seats, a damper a rod in a tube, a strut both.
  private connectorSolids(connector: Connector): Solid[] {
    const size = this.grain;
    const part = (mesh: string, part: Solid["part"], radius: number, colour: string): Solid =>
      ({ mesh, part, radius, colour, connector, body: -1, layer: "solid", pattern: 0, ghost: connector.ghost });
    const coil = part("spring", "coil", 1.9 * size, "coil");
    const seats = [part("cylinder", "seat", 2.2 * size, "steel")];
    const damper = [part("cylinder", "tube", 1.05 * size, "steel"), part("cylinder", "rod", 0.45 * size, "bright")];
    if (connector.look === "spring") return [coil, ...seats];
    if (connector.look === "damper") return damper;
    if (connector.look === "strut") return [coil, ...seats, ...damper];
    return [part("cylinder", "rod", 0.5 * size, connector.look === "line" ? "mark" : "steel")];
  }

  // One list per mesh and depth, with room for all its copies.
  private batchesOf(solids: Solid[]): Batch[] {
    const batches: Batch[] = [];
    for (const front of [false, true]) {
      for (const mesh of Object.keys(this.painter.solids)) {
        const members = solids.filter((solid) => solid.mesh === mesh && FRONT_LAYERS.includes(solid.layer) === front);
        if (members.length === 0) continue;
        const copies = (): Copies => ({ mesh, data: new Float32Array(STRIDE * members.length), count: 0 });
        batches.push({ mesh, front, members, full: copies(), ghost: copies(), shown: [] });
      }
    }
    return batches;
  }

  private isShown({ layer }: Solid): boolean {
    return layer === "terrain" ? this.layers.ground : this.layers[layer];
  }

  // Placements and colours of all copies at the present instant.
  private fillBatches(): void {
    const paints = new Map<string, number[]>();
    const paint = (name: string | number[]) => {
      if (Array.isArray(name)) return name;
      let known = paints.get(name);
      if (!known) paints.set(name, (known = theme.rgb(name)));
      return known;
    };
    for (const batch of this.batches) {
      batch.full.count = batch.ghost.count = batch.shown.length = 0;
      for (const solid of batch.members) {
        if (!this.isShown(solid)) continue;
        const ghost = solid.ghost || (this.isolated && this.selected && !same(solid, this.selected) && solid.layer !== "terrain");
        const copies = ghost ? batch.ghost : batch.full;
        if (!this.place(solid, copies, paint(solid.colour), this.lit && same(solid, this.lit) ? 0.25 : 0)) continue;
        if (!ghost) batch.shown.splice(copies.count - 1, 0, solid);
      }
    }
    const accent = paint("accent");
    for (const batch of this.overlay) {
      batch.full.count = 0;
      for (const solid of batch.members) if (this.isShown(solid)) this.place(solid, batch.full, accent, 0);
    }
  }

  // Adds a copy; `false` if it is nowhere.
  private place(solid: Solid, copies: Copies, colour: number[], bright: number): boolean {
    const { data } = copies;
    const at = STRIDE * copies.count;
    if (solid.connector) {
      const [from, to] = [solid.connector.from, solid.connector.to].map(([body, point]) => apply(this.placementOf(body), point));
      const between = (share: number) => add(from, scale(subtract(to, from), share));
      const [a, b] = { coil: [0.05, 0.95], seat: [0.93, 0.96], tube: [0, 0.55], rod: [0, 1] }[solid.part ?? "rod"];
      data.set(along(between(a), between(b), solid.radius!), at);
    } else compose(this.placementOf(solid.body), solid.local!, data, at);
    if (!Number.isFinite(data[at + 3] + data[at + 7] + data[at + 11])) return false;
    for (let k = 0; k < 3; k++) data[at + 12 + k] = colour[k] + bright * (1 - colour[k]);
    data[at + 15] = 1 + (solid.pattern === 1 ? 1 : solid.pattern === 3 ? 2 : 0);
    copies.count++;
    return true;
  }

  // Arrows at the present instant: from a point, along a vector in its unit, of a kind.
  private fillArrows(): void {
    const [shafts, heads] = this.arrows;
    shafts.count = heads.count = 0;
    const reach = 0.22 * this.size;
    const push = (from: Vector, vector: Vector, kind: "force" | "reaction" | "velocity", colour: string) => {
      const size = length(vector) / this.largest[kind];
      if (!(size > 0.004) || !finite(from) || (shafts.count + 1) * STRIDE > shafts.data.length) return;
      const tip = add(from, scale(unit(vector), reach * size));
      const head = Math.min(3.2 * this.grain, 0.45 * reach * size);
      const neck = subtract(tip, scale(unit(vector), head));
      const rgb = theme.rgb(colour);
      for (const [copies, placed] of [[shafts, along(from, neck, 0.55 * this.grain)], [heads, along(neck, tip, 1.5 * this.grain)]] as const) {
        copies.data.set(placed, STRIDE * copies.count);
        copies.data.set([...rgb, 1], STRIDE * copies.count + 12);
        copies.count++;
      }
    };
    // Components that the page does not have are zero.
    const numbers = (arrow: Arrow) => arrow.curves.map((name) => {
      const curve = channel(name);
      return curve ? valueAt(curve, clock.time) : 0;
    });
    for (const arrow of this.scene.arrows) {
      if (!this.layers[arrow.kind]) continue;
      const values = numbers(arrow);
      const colour = arrow.kind === "force" ? "c2" : "c3";
      if (arrow.connector >= 0) {
        // A pull draws both ends towards each other.
        const { from, to } = this.scene.connectors[arrow.connector];
        const [a, b] = [from, to].map(([body, point]) => apply(this.placementOf(body), point));
        const pull = scale(unit(subtract(b, a)), values[0]);
        push(a, pull, "force", colour);
        push(b, scale(pull, -1), "force", colour);
      } else if (finite(values)) push(this.where(arrow), values, arrow.kind, colour);
    }
    if (!this.layers.velocity) return;
    this.bodies.forEach((m, k) => push([m[3], m[7], m[11]], this.velocity(k, clock.time), "velocity", "c5"));
  }

  private sight(): Sight {
    const { camera, up } = this;
    const light = unit(add(scale(up, 1.6), add(scale(camera.across, -0.55), scale(camera.ahead, -0.7))));
    const [right, top] = besides(light);
    this.cell = tickStep(camera.distance * 0.55, 6);
    return {
      camera: camera.matrix(), eye: camera.eye, light, up, across: camera.across, ahead: camera.ahead,
      lampView: lampView(light, right, top, this.middle(), this.size), lamp: Number(theme.colour("lamp")),
      shade: Number(theme.colour("shade")), cell: this.cell, gridInk: theme.rgb("floor"), shadows: this.layers.shadow && this.layers.ground,
    };
  }

  draw(): void {
    const { camera, painter, up } = this;
    if (!painter.begin()) return;
    camera.aspect = this.canvas.width / this.canvas.height;
    this.placeBodies(clock.time);
    if (this.follow) this.followBodies();
    this.fillBatches();
    this.fillArrows();
    const sight = this.sight();
    const of = (front: boolean, kind: "full" | "ghost") => this.batches.filter((batch) => batch.front === front).map((batch) => batch[kind]);
    const [solid, ghosts, front] = [of(false, "full"), of(false, "ghost"), of(true, "full")];
    const overlay = this.overlay.map(({ full }) => full);
    painter.send([...solid, ...ghosts, ...front, ...overlay, ...this.arrows]);
    painter.drawShadows(solid, sight);
    painter.drawSolids(solid, sight);
    painter.drawSolids(this.arrows, sight);
    if (this.layers.ground && !this.terrain && dot(camera.eye, up) > this.level) {
      const drop = dot(camera.target, up) - this.level;
      painter.drawGround(sight, { centre: subtract(camera.target, scale(up, drop)), reach: Math.max(camera.distance * 2.2, this.size) });
    }
    if (ghosts.some(({ count }) => count > 0)) painter.drawSolids(ghosts, sight, { alpha: this.isolated ? 0.16 : 0.42 });
    this.trails.forEach((trail, k) => painter.drawLine(sight, this.trailPoints(trail), theme.rgb(k === 0 ? "mark" : `c${(k + 1) % 6}`)));
    if (overlay.length) painter.drawSolids(overlay, sight, { front: true, alpha: 0.32 });
    painter.drawSolids(front, sight, { front: true });
    this.signs.draw();
  }

  private trailPoints(trail: Place): Float32Array {
    const { scene } = this;
    const { before } = this.frameAt(clock.time);
    const step = Math.max(1, Math.ceil(before / 4000));
    const points: number[] = [];
    const here = new Float32Array(12);
    const width = 7 * scene.bodies.length;
    const push = (point: Vector) => finite(point) && points.push(...point);
    for (let frame = 0; frame <= before; frame += step) {
      const at = frame * width + 7 * trail.body;
      poseBetween(scene.poses, at, at, 0, here);
      push(apply(here, trail.point));
    }
    push(this.where(trail));
    return new Float32Array(points);
  }

  // The middle of all bodies, or the selected one.
  private middle(): Vector {
    let [low, high]: [Vector, Vector] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const m of this.bodies) {
      const point = [m[3], m[7], m[11]];
      if (!finite(point)) continue;
      low = low.map((value, k) => Math.min(value, point[k]));
      high = high.map((value, k) => Math.max(value, point[k]));
    }
    return finite(low) ? scale(add(low, high), 0.5) : [0, 0, 0];
  }

  // What the camera follows, where it was drawn last.
  private leader(): Vector {
    const body = this.selected && this.selected.body >= 0 ? this.bodies[this.selected.body] : null;
    return body ? [body[3], body[7], body[11]] : this.middle();
  }

  private followBodies(): void {
    const leader = this.leader();
    if (this.followed) this.camera.target = add(this.camera.target, subtract(leader, this.followed));
    this.followed = leader;
  }

  setFollow(on: boolean): void {
    this.follow = on;
    this.followed = this.leader();
    this.redraw();
  }

  select(solid: Solid | null): void {
    this.selected = solid;
    // Time may go on before the next picture: the way from here is what counts.
    this.followed = this.leader();
    if (!solid) this.isolated = false;
    this.overlay = solid ? this.batchesOf(this.batches.flatMap(({ members }) => members).filter((one) => same(one, solid) && one.layer === "solid")) : [];
    this.redraw();
  }

  nameOf(solid: Solid): string {
    return solid.connector?.name ?? this.scene.bodies[solid.body]?.name ?? "ground";
  }

  // A first view: a plane mechanism from the side that shows it, others from a corner.
  home(): void {
    const extent = this.swept.high.map((high, k) => high - this.swept.low[k]);
    const flat = (k: number) => extent[k] < 0.3 * Math.max(extent[1 - k], extent[2]);
    if (flat(0) && !flat(1)) [this.camera.turn, this.camera.rise] = [Math.PI / 2 - 0.35, 0.22];
    else if (flat(1)) [this.camera.turn, this.camera.rise] = [-0.35, 0.22];
    else [this.camera.turn, this.camera.rise] = [-0.6, 0.38];
    this.setFollow(this.travels);
    this.fit();
  }

  // Shows all, or what is selected.
  fit(): void {
    // What a reader moves has no motion that could be known before.
    if (page.posture) this.measure();
    this.placeBodies(clock.time);
    const { across, ahead } = this.camera;
    const axes = [across, ahead, this.up];
    let { low, high } = this.swept;
    const around = (points: Vector[]) => {
      low = axes.map((axis) => Math.min(...points.map((point) => dot(axis, point))));
      high = axes.map((axis) => Math.max(...points.map((point) => dot(axis, point))));
    };
    if (this.selected) {
      const margin = 6 * this.grain;
      around(this.pointsOfSelected());
      [low, high] = [low.map((value) => value - margin), high.map((value) => value + margin)];
    } else if (this.follow) {
      // As large as the mechanism itself, around where it is now.
      const at = axes.map((axis) => dot(axis, this.middle()));
      low = at.map((value, k) => value + this.around.low[k]);
      high = at.map((value, k) => value + this.around.high[k]);
    }
    const world = (a: number, b: number, c: number) => add(add(scale(across, a), scale(ahead, b)), scale(this.up, c));
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
      world(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]));
    const [x, y, z] = low.map((value, k) => (value + high[k]) / 2);
    this.camera.aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight) || 1;
    // Controls lie over the upper and the lower edge.
    const share = 1 - (2 * 64) / Math.max(1, this.canvas.clientHeight);
    this.camera.fit(corners, world(x, y, z), Math.min(0.92, Math.max(0.6, share)));
    this.followed = this.leader();
    this.redraw();
  }

  private pointsOfSelected(): Vector[] {
    const solid = this.selected!;
    if (solid.connector) return [solid.connector.from, solid.connector.to].map(([body, point]) => apply(this.placementOf(body), point));
    const shapes = solid.body < 0 ? this.scene.fixed : this.scene.bodies[solid.body].shapes;
    return pointsOf(shapes).map((point) => apply(this.placementOf(solid.body), point));
  }

  // Turns to a named view, in a quarter of a second unless motion is to be reduced.
  look(name: "front" | "side" | "top" | "corner"): void {
    const [turn, rise] = { front: [0, 0], side: [Math.PI / 2, 0], top: [0, 1.55], corner: [-0.6, 0.38] }[name];
    const { camera } = this;
    const from = { turn: camera.turn, rise: camera.rise, target: camera.target, distance: camera.distance };
    Object.assign(camera, { turn, rise });
    this.fit();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const to = { target: camera.target, distance: camera.distance };
    const ticket = ++this.easing;
    const begun = performance.now();
    const ease = (now: number) => {
      if (ticket !== this.easing) return;
      const t = Math.min(1, Math.max(0, (now - begun) / 250));
      const s = t * t * (3 - 2 * t);
      const mix = (a: number, b: number) => a + s * (b - a);
      camera.turn = mix(from.turn, turn);
      camera.rise = mix(from.rise, rise);
      camera.distance = mix(from.distance, to.distance);
      if (!this.follow) camera.target = from.target.map((value, k) => mix(value, to.target[k]));
      this.draw();
      if (t < 1) requestAnimationFrame(ease);
    };
    ease(begun);
  }

  stopEasing(): void {
    this.easing++;
  }

  // What is under a place on the screen, and where it is met.
  pick(x: number, y: number): { solid: Solid; point: Vector } | null {
    const { camera, canvas } = this;
    const direction = camera.ray((2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight);
    const { eye } = camera;
    let [nearest, depth] = [Infinity, 0];
    let found: Solid | null = null;
    for (const { mesh, full, shown, front } of this.batches) {
      shown.forEach((solid, k) => {
        const distance = hit(mesh, full.data, STRIDE * k, eye, direction);
        const weighed = distance * (front ? 0.05 : 1);
        if (weighed < nearest) [nearest, depth, found] = [weighed, distance, solid];
      });
    }
    return found && { solid: found, point: add(eye, scale(direction, depth)) };
  }

  // A place that is fixed to what is under the pointer: a named one if there is one nearby.
  placeAt(x: number, y: number): Place | null {
    const { clientWidth, clientHeight } = this.canvas;
    let best: Place | null = null;
    let least = 14;
    for (const place of this.places()) {
      const on = this.camera.project(this.where(place));
      if (!on) continue;
      const distance = Math.hypot(((on.x + 1) / 2) * clientWidth - x, ((1 - on.y) / 2) * clientHeight - y);
      if (distance < least) [least, best] = [distance, place];
    }
    if (best) return best;
    const found = this.pick(x, y);
    if (!found) return null;
    const body = found.solid.connector ? -1 : found.solid.body;
    const m = this.placementOf(body);
    const p = subtract(found.point, [m[3], m[7], m[11]]);
    const local = [0, 1, 2].map((k) => m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2]);
    return { body, point: local, name: this.nameOf(found.solid) };
  }

  // Named points, joints, centres of mass and origins of all bodies.
  places(): Place[] {
    const places: Place[] = [];
    const list = (body: number, owner: string, shapes: Shape[]) => {
      const before = places.length;
      for (const [kind, place, name] of shapes) {
        // A point of a model file has its body in its name already.
        if (kind === "point" && finite(place)) {
          places.push({ body, point: place, name: String(name).startsWith(`${owner}.`) ? name : `${owner}: ${name}` });
        } else if (kind === "mass" && finite(place)) places.push({ body, point: place, name: `${owner}: centre of mass` });
      }
      if (places.length === before && body >= 0) places.push({ body, point: [0, 0, 0], name: owner });
    };
    this.scene.bodies.forEach((body, k) => list(k, body.name, body.shapes));
    list(-1, "ground", this.scene.fixed);
    return places;
  }

  // What a trail can follow.
  trailChoices(): Place[] {
    return this.places().filter(({ body }) => body >= 0).slice(0, TRAILS);
  }
}

// Whether two solids belong to one body or one connector.
export const same = (a: Solid, b: Solid): boolean => (a.connector ?? a.body) === (b.connector ?? b.body);

// Points of shapes that tell how large they are.
function pointsOf(shapes: Shape[]): Vector[] {
  const points: Vector[] = [];
  for (const [kind, a, b, c] of shapes) {
    if (kind === "bar") points.push(a, b);
    else if (kind === "ball") for (const s of [-1, 1]) for (let k = 0; k < 3; k++) points.push(a.map((v: number, i: number) => v + (i === k ? s * b : 0)));
    else if (kind === "box") for (let k = 0; k < 8; k++) points.push(a.map((v: number, i: number) => v + (k & (1 << i) ? 0.5 : -0.5) * b[i]));
    else if (kind === "mesh" || kind === "terrain") for (let k = 0; k < 8; k++) points.push(a.map((v: number, i: number) => (k & (1 << i) ? b[i] : v)));
    else if (kind === "disc") {
      const [x, y] = besides(unit(b));
      for (const side of [x, y, scale(x, -1), scale(y, -1)]) points.push(add(a, scale(side, c)));
    } else if (a) points.push(a);
    else points.push([0, 0, 0]);
  }
  return points.filter(finite);
}
