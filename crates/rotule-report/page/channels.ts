// The searchable list of all channels: to find a curve among thousands, to plot several together or one over another.

import { channels, type Curve, type PlotSpec } from "./data";
import { element, get } from "./dom";
import { Plot } from "./plot";

// Rows that are shown at once.
const ROWS = 200;

export function setUpChannels(plots: Plot[], host: HTMLElement): void {
  if (channels.length === 0) return;
  const box = get("channels");
  const search = get<HTMLInputElement>("search");
  const list = get("found");
  const chosen = new Set<Curve>();
  box.hidden = false;
  search.placeholder = `Search ${channels.length} channel${channels.length === 1 ? "" : "s"}`;

  const places = new Map<Curve, [Plot, number]>();
  for (const plot of plots) plot.spec.curves.forEach((curve, index) => places.set(curve, [plot, index]));

  const together = get<HTMLButtonElement>("together");
  const against = get<HTMLButtonElement>("against");
  const showChoice = () => {
    together.disabled = chosen.size === 0;
    against.disabled = chosen.size < 2;
  };
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = channels.filter((curve) => {
      const text = `${curve.name} ${curve.title} ${curve.unit}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    list.replaceChildren(...found.slice(0, ROWS).map(row));
    const rest = found.length - ROWS;
    if (found.length === 0) list.append(element("p", "notice", "No channel has this in its name, plot or unit."));
    else if (rest > 0) list.append(element("p", "notice", `and ${rest} more: search for a longer part of the name`));
  };
  const row = (curve: Curve): HTMLElement => {
    const made = element("div", "row");
    const label = made.appendChild(element("label"));
    const tick = label.appendChild(element("input"));
    tick.type = "checkbox";
    tick.checked = chosen.has(curve);
    tick.addEventListener("change", () => {
      if (tick.checked) chosen.add(curve);
      else chosen.delete(curve);
      showChoice();
    });
    label.appendChild(element("span", "name", curve.name));
    made.appendChild(element("small", "", [curve.title, curve.unit].filter(Boolean).join(", ")));
    const go = made.appendChild(element("button", "", "Go to"));
    go.setAttribute("aria-label", `Go to ${curve.name} in its plot`);
    go.addEventListener("click", () => {
      const [plot, index] = places.get(curve)!;
      open(false);
      plot.reveal(index);
    });
    return made;
  };
  const open = (on: boolean) => {
    box.classList.toggle("open", on);
    search.setAttribute("aria-expanded", String(on));
    if (on) show();
  };

  // A plot of what is chosen; its name says what it shows.
  const make = (curves: Curve[], over: Curve | null) => {
    const units = new Set(curves.map(({ unit }) => unit));
    const title = over ? `${curves.map(({ name }) => name).join(", ")} over ${over.name}` : curves.map(({ name }) => name).join(", ");
    const spec: PlotSpec = { title: title.length > 70 ? `${curves.length} channels` : title, unit: units.size === 1 ? curves[0].unit : "", curves };
    const plot = new Plot(spec, host, true);
    if (over) plot.setOver(over.name);
    chosen.clear();
    search.value = "";
    open(false);
    showChoice();
    plot.figure.scrollIntoView({ block: "nearest" });
  };
  together.addEventListener("click", () => make([...chosen], null));
  against.addEventListener("click", () => {
    const [over, ...rest] = [...chosen];
    make(rest, over);
  });

  search.addEventListener("focus", () => open(true));
  search.addEventListener("input", () => open(true));
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    open(false);
    search.blur();
  });
  addEventListener("pointerdown", (event) => {
    if (!box.contains(event.target as Node)) open(false);
  });
  showChoice();
}
