// A mechanism at rest, moved by sliders: loops follow, closed with functions that were generated for this page.

import { close, type Mechanism } from "./closure";
import { page, type Posture, type Slider } from "./data";
import { element, get } from "./dom";
import { formatNumber } from "./format";
import type { Viewer } from "./viewer";

declare global {
  var mechanism: Mechanism | undefined;
}

// A long way of a slider is gone in so many parts at most: loops stay on their branch.
const PARTS = 24;
// By so much a coordinate may be outside of its range before that is said.
const SLACK = 1e-6;
// So many positions are remembered, and so many tried where loops stay open.
const WAY = 200;
const GUESSES = 12;
// Where loops end, this often half of the way is tried.
const HALVINGS = 12;

export function setUpPosture(viewer: Viewer): void {
  const { posture } = page;
  const mechanism = globalThis.mechanism;
  if (!posture || !mechanism) return;
  const panel = get("sliders");
  panel.hidden = false;
  const heading = panel.appendChild(element("header"));
  heading.appendChild(element("h2", "", "Coordinates"));
  const reset = heading.appendChild(element("button", "", "Reset"));
  // Below the sliders, which stay under the hand when it appears.
  const open = element("p", "open");
  open.setAttribute("role", "status");
  open.hidden = true;
  const table = element("div", "follows");

  let q: Float64Array = Float64Array.from(posture.q);
  close(mechanism, posture, q);
  const inputs: { slider: Slider; range: HTMLInputElement; number: HTMLInputElement }[] = [];

  const show = (message: string) => {
    const outside = posture.limits.flatMap((limits, k) => (limits && (q[k] < limits[0] - SLACK || q[k] > limits[1] + SLACK) ? [posture.names[k]] : []));
    const beyond = outside.length ? `Outside of the range of the joint: ${outside.slice(0, 6).join(", ")}${outside.length > 6 ? " ..." : ""}` : "";
    open.textContent = [message, beyond].filter(Boolean).join(". ");
    open.hidden = !open.textContent;
    for (const { slider, range, number } of inputs) {
      range.value = String(q[slider.at]);
      range.setAttribute("aria-valuetext", `${formatNumber(q[slider.at], 4)} ${slider.unit}`);
      if (document.activeElement !== number) number.value = inField(q[slider.at]);
    }
    table.textContent = follows(posture, q);
    viewer.scene.poses.set(mechanism.places(q).flatMap((_, k, all) => (k % 2 ? [] : pose(all[k], all[k + 1]))));
    viewer.redraw();
  };

  // Closed positions on the way here: beside a singular one, they know the way back.
  let way: Float64Array[] = [];
  const free = posture.sliders.map(({ at }) => at);

  // All coordinates with one of them there, or null if the loops stay open.
  const moved = (slider: Slider, value: number): Float64Array | null => {
    for (const guess of [q, ...way.slice(-GUESSES).reverse()]) {
      const next = Float64Array.from(guess);
      for (const at of free) next[at] = q[at];
      next[slider.at] = value;
      if (close(mechanism, posture, next)) return next;
    }
    return null;
  };

  // Moves a coordinate there, as far as the loops allow.
  const seek = (slider: Slider, value: number) => {
    const from = q[slider.at];
    const reach = Math.abs(value - from) / Math.max(1e-12, slider.to - slider.from);
    const parts = Math.max(1, Math.ceil(PARTS * reach));
    for (let part = 1; part <= parts; part++) {
      let beyond = from + ((value - from) * part) / parts;
      const next = moved(slider, beyond);
      if (next) {
        way = [...way.slice(1 - WAY), q];
        q = next;
        continue;
      }
      // The end lies between here and there: it is halved until it is known well.
      for (let halving = 0; halving < HALVINGS; halving++) {
        const middle = (q[slider.at] + beyond) / 2;
        const nearer = moved(slider, middle);
        if (nearer) q = nearer;
        else beyond = middle;
      }
      show(`${slider.name} ends at ${formatNumber(q[slider.at], 4)} ${slider.unit}: the loops cannot be closed beyond`);
      return;
    }
    show("");
  };

  for (const slider of posture.sliders) {
    const row = panel.appendChild(element("label", "coordinate"));
    row.appendChild(element("span", "", slider.name)).title = slider.name;
    const range = row.appendChild(element("input"));
    range.type = "range";
    [range.min, range.max, range.step] = [String(slider.from), String(slider.to), "any"];
    range.setAttribute("aria-label", slider.name);
    const number = row.appendChild(element("input"));
    number.type = "number";
    number.step = "any";
    number.setAttribute("aria-label", `${slider.name} in ${slider.unit || "its unit"}`);
    row.appendChild(element("small", "", slider.unit));
    range.addEventListener("input", () => seek(slider, Number(range.value)));
    number.addEventListener("change", () => {
      if (Number.isFinite(number.valueAsNumber)) seek(slider, number.valueAsNumber);
      // What was typed may lie beyond the end of the way.
      number.value = inField(q[slider.at]);
    });
    inputs.push({ slider, range, number });
  }
  if (posture.sliders.length === 0) panel.appendChild(element("p", "follows", "No coordinate is free to be moved by a slider."));
  if (posture.dependent.length > 0) {
    const details = panel.appendChild(element("details", "follows"));
    details.appendChild(element("summary", "", "Coordinates that follow"));
    details.appendChild(table);
  }
  panel.appendChild(open);
  reset.addEventListener("click", () => {
    q = Float64Array.from(posture.q);
    way = [];
    close(mechanism, posture, q);
    show("");
  });
  show("");
  viewer.home();
}

// All other coordinates in words.
function follows(posture: Posture, q: Float64Array): string {
  const moved = new Set(posture.sliders.map(({ at }) => at));
  return posture.names.flatMap((name, k) => (moved.has(k) ? [] : [`${name} ${formatNumber(q[k], 4)}`])).join(", ");
}

// Five digits that fit into the field, as a reader may type them.
function inField(value: number): string {
  const rounded = Number(value.toPrecision(5));
  const size = Math.abs(rounded);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? rounded.toExponential() : String(rounded);
}

// Seven numbers from a position and a rotation matrix by rows; the largest part of the quaternion is from a root.
function pose(p: ArrayLike<number>, r: ArrayLike<number>): number[] {
  const trace = r[0] + r[4] + r[8];
  const squares = [1 + trace, 1 + 2 * r[0] - trace, 1 + 2 * r[4] - trace, 1 + 2 * r[8] - trace];
  const largest = squares.indexOf(Math.max(...squares));
  const root = Math.sqrt(squares[largest]);
  const [whole, s] = [0.5 * root, 0.5 / root];
  const minus = [0, s * (r[7] - r[5]), s * (r[2] - r[6]), s * (r[3] - r[1])];
  const plus = (i: number, j: number) => s * (r[3 * i + j] + r[3 * j + i]);
  const q = [
    [whole, minus[1], minus[2], minus[3]],
    [minus[1], whole, plus(0, 1), plus(0, 2)],
    [minus[2], plus(0, 1), whole, plus(1, 2)],
    [minus[3], plus(0, 2), plus(1, 2), whole],
  ][largest];
  return [p[0], p[1], p[2], ...q];
}
