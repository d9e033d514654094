// Light or dark: the system's choice unless the reader chose. Canvases ask here for the colours of the style.

const theme = {
  listeners: [],
  cache: new Map(),

  colour(name) {
    if (!this.cache.has(name)) {
      this.cache.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    }
    return this.cache.get(name);
  },
  curve(index) {
    return this.colour(`c${index % 8}`);
  },
  // Red, green and blue between 0 and 1.
  rgb(name) {
    const hex = this.colour(name);
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  },
  changed() {
    this.cache.clear();
    for (const listener of this.listeners) listener();
  },
  set(choice) {
    if (choice === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = choice;
    this.changed();
  },
};

function setUpTheme() {
  const button = document.getElementById("theme");
  const choices = ["system", "light", "dark"];
  let choice = "system";
  // A page opened from a file may have no storage.
  try {
    choice = choices.find((known) => known === localStorage.getItem("rotule-theme")) ?? "system";
  } catch {}
  const apply = () => {
    button.textContent = `Theme: ${choice}`;
    theme.set(choice);
  };
  button.addEventListener("click", () => {
    choice = choices[(choices.indexOf(choice) + 1) % choices.length];
    try {
      localStorage.setItem("rotule-theme", choice);
    } catch {}
    apply();
  });
  button.hidden = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme.changed());
  // Paper is white.
  addEventListener("beforeprint", () => theme.set("light"));
  addEventListener("afterprint", apply);
  apply();
}
