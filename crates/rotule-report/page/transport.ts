// The player: play, scrub, speed, and keys of time. It stands in the view, or above the plots where there is none.

import { clock, speeds } from "./clock";
import { page } from "./data";
import { element, get, isTyping } from "./dom";
import { formatNumber, formatTime } from "./format";

export function setUpTransport(inView: boolean): void {
  // A parameter is not played.
  if (!(clock.span > 0) || !page.axis.time) return;
  const bar = get("transport");
  if (!inView) document.querySelector(".side")!.prepend(bar);
  bar.classList.toggle("panel", !inView);
  const [play, now, of] = [get("play"), get("now"), get("of")];
  const scrub = get<HTMLInputElement>("scrub");
  const speed = get<HTMLSelectElement>("speed");
  const loop = get<HTMLInputElement>("loop");
  bar.hidden = false;
  const { choices, usual } = speeds(clock.span);
  for (const choice of choices) speed.add(new Option(`${choice}×`, String(choice), false, choice === usual));
  clock.speed = usual;
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
  loop.addEventListener("change", () => (clock.loop = loop.checked));
  play.addEventListener("click", () => clock.play(!clock.playing));
  get("rewind").addEventListener("click", () => clock.seek(clock.from));
  get("back").addEventListener("click", () => clock.step(-1));
  get("ahead").addEventListener("click", () => clock.step(1));
  const whole = Number(scrub.max);
  scrub.addEventListener("input", () => clock.seek(clock.from + (clock.span * Number(scrub.value)) / whole));
  for (const mark of page.marks) {
    if (!(mark.time >= clock.from && mark.time <= clock.to)) continue;
    const tick = get("ticks").appendChild(element("i"));
    tick.style.left = `${(100 * (mark.time - clock.from)) / clock.span}%`;
  }
  of.textContent = `of ${formatNumber(clock.to, 4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")} s`;
  let spoken = "";
  const show = () => {
    scrub.value = String(Math.round((whole * (clock.time - clock.from)) / clock.span));
    const text = formatTime(clock.time, clock.span);
    if (text !== spoken) {
      spoken = text;
      scrub.setAttribute("aria-valuetext", `${text} seconds`);
      scrub.style.setProperty("--share", `${(100 * (clock.time - clock.from)) / clock.span}%`);
      now.textContent = `${text} s`;
    }
    if (bar.classList.contains("playing") === clock.playing) return;
    bar.classList.toggle("playing", clock.playing);
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  };
  clock.listeners.push(show);
  show();
  // Keys work everywhere but where a control has its own use for them.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const target = event.target as HTMLElement;
    const acts = target.closest("button, summary, input") !== null;
    const slides = target instanceof HTMLInputElement && target.type === "range";
    if (event.key === " " && !acts) clock.play(!clock.playing);
    else if (event.key === "ArrowLeft" && !slides) clock.step(event.shiftKey ? -10 : -1);
    else if (event.key === "ArrowRight" && !slides) clock.step(event.shiftKey ? 10 : 1);
    else if (event.key === ",") clock.step(-1);
    else if (event.key === ".") clock.step(1);
    else if (event.key === "<") clock.step(-10);
    else if (event.key === ">") clock.step(10);
    else if (event.key === "[") faster(-1);
    else if (event.key === "]") faster(1);
    else if (event.key === "\\") choose(choices.indexOf(1));
    else if (event.key === "Home") clock.seek(clock.from);
    else if (event.key === "End") clock.seek(clock.to);
    else return;
    event.preventDefault();
  });
  const choose = (index: number) => {
    if (index < 0 || index >= choices.length) return;
    clock.speed = choices[index];
    speed.value = String(clock.speed);
  };
  const faster = (step: number) => choose(choices.indexOf(clock.speed) + step);
}
