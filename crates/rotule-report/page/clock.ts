// The one instant that everything shows, and whether it runs. Plots and animation listen to it.

import { page } from "./data";

export const clock = {
  from: page.span[0],
  to: page.span[1],
  time: page.span[0],
  playing: false,
  speed: 1,
  loop: true,
  listeners: [] as (() => void)[],

  get span() {
    return this.to - this.from;
  },
  seek(time: number) {
    this.time = Math.min(this.to, Math.max(this.from, time));
    this.tell();
  },
  // A step of so many two-hundredths of the span.
  step(count: number) {
    this.seek(this.time + (count * this.span) / 200);
  },
  play(on: boolean) {
    if (on === this.playing || !(this.span > 0)) return;
    this.playing = on;
    if (on) {
      if (this.time >= this.to) this.time = this.from;
      let previous = performance.now();
      const advance = (now: number) => {
        if (!this.playing) return;
        // A page that slept does not leap.
        const elapsed = Math.min(now - previous, 100) / 1000;
        previous = now;
        let time = this.time + Math.max(0, elapsed) * this.speed;
        if (time >= this.to) {
          if (this.loop) time = this.from + ((time - this.from) % this.span);
          else {
            time = this.to;
            this.playing = false;
          }
        }
        this.seek(time);
        if (this.playing) requestAnimationFrame(advance);
      };
      requestAnimationFrame(advance);
    }
    this.tell();
  },
  tell() {
    for (const listener of this.listeners) listener();
  },
};

// Speeds of a 1-2-5 series that show the run in between one second and five minutes; real time if it is watchable.
export function speeds(span: number): { choices: number[]; usual: number } {
  const choices: number[] = [];
  for (let power = -6; power <= 6; power++) {
    for (const lead of [1, 2, 5]) {
      const speed = Number(`${lead}e${power}`);
      const seconds = span / speed;
      if (seconds >= 1 && seconds <= 300) choices.push(speed);
    }
  }
  if (!choices.includes(1)) choices.push(1);
  choices.sort((a, b) => a - b);
  const real = span >= 2 && span <= 90;
  const distance = (speed: number) => Math.abs(Math.log(span / speed / 12));
  const usual = real ? 1 : choices.reduce((best, speed) => (distance(speed) < distance(best) ? speed : best));
  return { choices, usual };
}
