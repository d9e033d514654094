// The view in the reader's hand: mouse, fingers, keys, the menu of what is shown, measuring, full screen.

import { clock } from "./clock";
import { page } from "./data";
import { get, isTyping, oncePerFrame, toggle } from "./dom";
import { savePicture } from "./export";
import { formatNumber } from "./format";
import { length } from "./geometry";
import type { LayerName, Place, Viewer } from "./viewer";

export class Controls {
  private measuring = false;
  private readonly stage = get("stage");
  private readonly said = get("said");
  private readonly tip = get("label");
  private at: { x: number; y: number } | null = null;
  private trails: Place[];

  constructor(private readonly viewer: Viewer) {
    this.trails = viewer.trailChoices();
    this.pointer();
    this.menu();
    clock.listeners.push(() => this.measuring && this.say(viewer.signs.said()));
    addEventListener("keydown", (event) => this.key(event));
  }

  private say(text: string): void {
    if (this.said.textContent !== text) this.said.textContent = text;
    this.said.hidden = !text;
  }

  private zoom(factor: number, x?: number, y?: number): void {
    const { camera, canvas, size } = this.viewer;
    const at = x === undefined || y === undefined ? [0, 0] : [(2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight];
    this.viewer.stopEasing();
    camera.zoom(factor, size * 0.02, size * 500, at[0], at[1]);
    this.viewer.redraw();
  }

  private pointer(): void {
    const { viewer } = this;
    const { canvas, camera } = viewer;
    const pointers = new Map<number, { x: number; y: number }>();
    let moved = 0;
    const place = (event: MouseEvent) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const hover = oncePerFrame(() => this.hover());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, place(event));
      canvas.setPointerCapture(event.pointerId);
      moved = 0;
      viewer.stopEasing();
      this.at = null;
      this.hover();
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      const now = place(event);
      if (!before) {
        this.at = now;
        return hover();
      }
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      moved += Math.abs(dx) + Math.abs(dy);
      if (pointers.size === 2) {
        // Two fingers: what lies between them stays between them.
        const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
        const spread = (point: { x: number; y: number }) => Math.hypot(point.x - other.x, point.y - other.y) + 1;
        this.zoom(spread(before) / spread(now));
        camera.pan(dx / 2, dy / 2, canvas.clientHeight);
      } else if (event.shiftKey || event.buttons & 2) camera.pan(dx, dy, canvas.clientHeight);
      else camera.orbit(dx, dy);
      pointers.set(event.pointerId, now);
      viewer.redraw();
    });
    const release = (event: PointerEvent) => {
      const at = pointers.get(event.pointerId);
      pointers.delete(event.pointerId);
      if (event.type === "pointerup" && at && moved < 4 && event.button === 0) this.click(at.x, at.y);
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => {
      this.at = null;
      this.hover();
    });
    canvas.addEventListener("dblclick", (event) => {
      const at = place(event);
      const found = viewer.pick(at.x, at.y);
      if (found && !this.measuring) viewer.select(found.solid);
      viewer.fit();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const at = place(event);
      this.zoom(Math.exp(Math.min(120, Math.max(-120, event.deltaY)) * 0.0016), at.x, at.y);
    }, { passive: false });
  }

  // The name of what is under the pointer.
  private hover(): void {
    const { viewer, tip, at } = this;
    const found = at ? viewer.pick(at.x, at.y) : null;
    const name = found ? viewer.nameOf(found.solid) : "";
    tip.hidden = !name;
    tip.textContent = name;
    if (name && at) {
      tip.style.left = `${Math.min(at.x + 14, viewer.canvas.clientWidth - tip.offsetWidth - 6)}px`;
      tip.style.top = `${Math.max(4, at.y - 30)}px`;
    }
    const solid = found?.solid ?? null;
    if (solid !== viewer.lit) {
      viewer.lit = solid;
      viewer.redraw();
    }
  }

  private click(x: number, y: number): void {
    const { viewer } = this;
    if (!this.measuring) {
      const found = viewer.pick(x, y);
      this.select(found && found.solid.layer !== "terrain" ? found.solid : null);
      return;
    }
    const place = viewer.placeAt(x, y);
    if (!place) return;
    const { signs } = viewer;
    signs.measured = signs.measured.length === 2 ? [place] : [...signs.measured, place];
    this.say(signs.said());
    viewer.redraw();
  }

  private select(solid: Viewer["selected"]): void {
    const { viewer } = this;
    viewer.select(solid);
    if (!solid) return this.say("");
    const kind = solid.connector ? { spring: "spring", damper: "damper", strut: "spring and damper", rod: "rod", line: "line force" }[solid.connector.look] : solid.body < 0 ? "" : "body";
    let text = [viewer.nameOf(solid), kind].filter(Boolean).join(", ");
    if (!solid.connector && solid.body >= 0) {
      const m = viewer.bodies[solid.body];
      text += `, at ${[m[3], m[7], m[11]].map((value) => formatNumber(value, 4)).join(", ")} m`;
      const speed = length(viewer.velocity(solid.body, clock.time));
      if (page.axis.time && viewer.scene.times.length > 1) text += `, ${formatNumber(speed, 3)} m/s`;
    }
    this.say(text);
  }

  // The next or the previous body; false behind the last.
  private next(step: number): boolean {
    const { viewer } = this;
    const at = (viewer.selected && !viewer.selected.connector ? viewer.selected.body : step > 0 ? -1 : viewer.scene.bodies.length) + step;
    if (at < 0 || at >= viewer.scene.bodies.length) {
      this.select(null);
      return false;
    }
    this.select({ mesh: "ball", body: at, layer: "solid", colour: "c0", pattern: 0 });
    return true;
  }

  private menu(): void {
    const { viewer } = this;
    get("fit").addEventListener("click", () => viewer.fit());
    for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
      button.addEventListener("click", () => viewer.look(button.dataset.view as "front"));
    }
    const { scene } = viewer;
    const kinds = new Set<string>(scene.arrows.map(({ kind }) => kind));
    for (const box of document.querySelectorAll<HTMLInputElement>("[data-layer]")) {
      const name = box.dataset.layer as LayerName;
      const missing = (name === "force" || name === "reaction") && !kinds.has(name) || name === "velocity" && scene.times.length < 2;
      box.closest("label")!.hidden = missing;
      box.checked = viewer.layers[name];
      box.addEventListener("change", () => this.layer(name, box.checked));
    }
    get("follow").addEventListener("click", () => this.follow(!viewer.follow));
    toggle(get("follow"), viewer.follow);
    get("measure").addEventListener("click", () => this.measure(!this.measuring));
    get("picture").addEventListener("click", () => {
      viewer.draw();
      savePicture([viewer.canvas, viewer.signs.canvas]);
    });
    const full = get("full");
    full.hidden = !document.fullscreenEnabled;
    full.addEventListener("click", () => this.fullScreen());
    document.addEventListener("fullscreenchange", () => toggle(full, document.fullscreenElement !== null));
    const trail = get<HTMLSelectElement>("trail");
    this.trails.forEach((choice, k) => trail.add(new Option(choice.name, String(k))));
    trail.addEventListener("change", () => {
      if (trail.value === "") viewer.trails = [];
      else this.trail(this.trails[Number(trail.value)]);
      viewer.redraw();
    });
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu")) {
      menu.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !menu.open) return;
        menu.open = false;
        menu.querySelector("summary")!.focus();
        event.stopPropagation();
      });
    }
  }

  // Adds a trail, or takes it away.
  private trail(place: Place): void {
    const { viewer } = this;
    const without = viewer.trails.filter((known) => known !== place);
    viewer.trails = without.length < viewer.trails.length ? without : [...viewer.trails, place].slice(-6);
    this.say(viewer.trails.length ? `Trails: ${viewer.trails.map(({ name }) => name).join(", ")}` : "");
  }

  private layer(name: LayerName, on: boolean): void {
    this.viewer.layers[name] = on;
    const box = document.querySelector<HTMLInputElement>(`[data-layer=${name}]`);
    if (box) box.checked = on;
    this.viewer.redraw();
  }

  private follow(on: boolean): void {
    toggle(get("follow"), on);
    this.viewer.setFollow(on);
  }

  private measure(on: boolean): void {
    this.measuring = on;
    toggle(get("measure"), on);
    this.viewer.canvas.classList.toggle("pointing", on);
    this.viewer.signs.measured = [];
    this.say(on ? this.viewer.signs.said() : "");
    this.viewer.redraw();
  }

  private fullScreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void this.stage.requestFullscreen().catch(() => this.say("This browser refuses full screen."));
  }

  // Keys work wherever the reader is, but for places that use them themselves.
  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const { viewer } = this;
    const inView = event.target === viewer.canvas;
    const { camera, canvas } = viewer;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
    const keys: Record<string, () => void> = {
      f: () => viewer.fit(),
      "1": () => viewer.look("front"),
      "2": () => viewer.look("side"),
      "3": () => viewer.look("top"),
      "0": () => viewer.look("corner"),
      "+": () => this.zoom(0.85),
      "=": () => this.zoom(0.85),
      "-": () => this.zoom(1 / 0.85),
      c: () => this.follow(!viewer.follow),
      n: () => this.layer("names", !viewer.layers.names),
      m: () => this.measure(!this.measuring),
      t: () => this.trailOfSelected(),
      i: () => this.isolate(),
      z: () => this.fullScreen(),
      Escape: () => (this.measuring ? this.measure(false) : this.select(null)),
    };
    if (inView && arrows[event.key]) {
      const [dx, dy] = arrows[event.key];
      viewer.stopEasing();
      if (event.shiftKey) camera.pan(-2 * dx, -2 * dy, canvas.clientHeight);
      else camera.orbit(dx, -dy);
      viewer.redraw();
    } else if (inView && event.key === "Tab") {
      if (!this.next(event.shiftKey ? -1 : 1)) return;
    } else {
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act) return;
      act();
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  private trailOfSelected(): void {
    const { viewer } = this;
    const body = viewer.selected?.body ?? -1;
    const place = this.trails.filter((choice) => choice.body === body).at(-1);
    if (place) this.trail(place);
    else this.say("Select a body first: its trail is then drawn");
    viewer.redraw();
  }

  private isolate(): void {
    const { viewer } = this;
    viewer.isolated = viewer.selected !== null && !viewer.isolated;
    if (!viewer.selected) this.say("Select a body first: all others are then pale");
    viewer.redraw();
  }
}
