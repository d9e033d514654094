// The stretch of time that all plots show, and the instant under the pointer in any of them.

import { clock } from "./clock";

export interface Watcher {
  redraw(): void;
  redrawCursor(): void;
}

export const frameOfTime = {
  from: clock.from,
  // A single instant still has a place on an axis.
  to: clock.span > 0 ? clock.to : clock.from + 1,
  hover: null as number | null,
  plots: new Set<Watcher>(),

  get zoomed(): boolean {
    return this.from > clock.from || this.to < clock.to;
  },
  show(from: number, to: number): void {
    if (!(clock.span > 0)) return;
    // No narrower than doubles can resolve, and never beyond the run.
    const least = Math.max(clock.span * 1e-7, Math.abs(clock.to) * 1e-12);
    const width = Math.min(Math.max(to - from, least), clock.span);
    this.from = Math.min(Math.max(from, clock.from), clock.to - width);
    this.to = this.from + width;
    for (const plot of this.plots) plot.redraw();
  },
  zoom(factor: number, around: number): void {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  },
  reset(): void {
    this.show(clock.from, clock.to);
  },
  // The cursor is one for all plots.
  point(time: number | null): void {
    if (time === this.hover) return;
    this.hover = time;
    for (const plot of this.plots) plot.redrawCursor();
  },
};
