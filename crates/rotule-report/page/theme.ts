// Light or dark: the system's choice unless the reader chose. Canvases ask here for the colours of the style.

import { get } from "./dom";

let chosen = "system";

// Colours of curves, and the dashes that follow when they are used up.
export const COLOURS = 6;
export const DASHES = [[], [7, 3], [2, 2.5]];

export const theme = {
  listeners: [] as (() => void)[],
  cache: new Map<string, string>(),

  colour(name: string): string {
    let known = this.cache.get(name);
    if (known === undefined) {
      known = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      this.cache.set(name, known);
    }
    return known;
  },
  curve(index: number): string {
    return this.colour(`c${index % COLOURS}`);
  },
  dash(index: number): number[] {
    return DASHES[Math.floor(index / COLOURS) % DASHES.length];
  },
  // Red, green and blue between 0 and 1.
  rgb(name: string): number[] {
    const hex = this.colour(name);
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  },
  changed() {
    this.cache.clear();
    for (const listener of this.listeners) listener();
  },
  // The reader's choice, and white for the time of printing.
  print(on: boolean) {
    this.set(on ? "light" : chosen);
  },
  set(choice: string) {
    if (choice === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = choice;
    this.changed();
  },
};

export function setUpTheme(): void {
  const button = get("theme");
  const choices = ["system", "light", "dark"];
  // A page opened from a file may have no storage.
  try {
    chosen = choices.find((known) => known === localStorage.getItem("rotule-theme")) ?? "system";
  } catch {}
  const apply = () => {
    button.setAttribute("aria-label", `Theme: ${chosen}`);
    button.title = `Theme: ${chosen}`;
    theme.set(chosen);
  };
  button.addEventListener("click", () => {
    chosen = choices[(choices.indexOf(chosen) + 1) % choices.length];
    try {
      localStorage.setItem("rotule-theme", chosen);
    } catch {}
    apply();
  });
  button.hidden = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme.changed());
  apply();
}
