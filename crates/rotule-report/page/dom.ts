// Small helpers for elements, canvases and files.

export const get = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

// An element with text: never with markup.
export function element<K extends keyof HTMLElementTagNameMap>(name: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  if (made instanceof HTMLButtonElement) made.type = "button";
  return made;
}

export const SVG = "http://www.w3.org/2000/svg";

export function svgElement(name: string, attributes: Record<string, string | number> = {}): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

// A button that stays down.
export function toggle(button: HTMLElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
}

// Drawing is asked for often and done once per frame.
export function oncePerFrame(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

// Sizes the canvas for the screen's pixels and clears it.
export function fitCanvas(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio);
  const height = Math.round(canvas.clientHeight * ratio);
  if (width === 0 || height === 0) return null;
  const context = canvas.getContext("2d")!;
  if (canvas.width !== width || canvas.height !== height) {
    // Setting the size clears, too.
    canvas.width = width;
    canvas.height = height;
  } else {
    context.resetTransform();
    context.clearRect(0, 0, width, height);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// Hands a file to the reader.
export function download(name: string, content: Blob | null): void {
  if (!content) return;
  const link = element("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A name for a file from a heading of the page.
export const fileName = (...parts: string[]): string =>
  parts.map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^_+|_+$/g, "").slice(0, 60)).filter(Boolean).join("_") || "rotule";

// The state of typing: single letters are no commands there.
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input:not([type=checkbox]):not([type=range]), select, textarea") !== null;
