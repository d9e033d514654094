// Numbers as text: few digits, a true minus sign, powers of ten with raised digits, and ticks of an axis.

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const raise = (exponent: number): string => (exponent < 0 ? "⁻" : "") + String(Math.abs(exponent)).replace(/\d/g, (digit) => RAISED[Number(digit)]);
const minus = (text: string): string => text.replace("-", "−");

export function formatNumber(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < digits + 1) return minus(value.toFixed(Math.max(0, digits - 1 - power)));
  return minus(mantissa) + "·10" + raise(power);
}

// A time with as many decimals as a step of the span needs.
export function formatTime(time: number, span: number): string {
  const decimals = Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(span || 1))));
  return minus(time.toFixed(decimals));
}

// Round steps of 1, 2 or 5 that divide the range into about `count` parts.
export function tickStep(range: number, count: number): number {
  const rough = range / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

export interface Ticks {
  places: number[];
  labels: string[];
  caption: string;
}

// Ticks at whole powers of ten; the axis counts exponents.
export function powerTicks(from: number, to: number, count: number): Ticks {
  const step = Math.max(1, Math.ceil((to - from) / count));
  const places: number[] = [];
  for (let power = Math.ceil(from / step) * step; power <= to; power += step) places.push(power);
  // Within one power there may be none: then the ends say where we are.
  if (places.length < 2) places.splice(0, Infinity, from + 0.05 * (to - from), to - 0.05 * (to - from));
  const label = (power: number) => (Number.isInteger(power) ? "10" + raise(power) : formatNumber(10 ** power, 3));
  return { places, labels: places.map(label), caption: "" };
}

// Ticks with short labels; what all labels share goes into a caption: a power of ten, or a constant.
export function ticks(from: number, to: number, count: number): Ticks {
  const step = tickStep(to - from, count);
  const none: Ticks = { places: [], labels: [], caption: "" };
  if (!(step > 0) || !Number.isFinite(step)) return none;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  if (!(last - first < 100)) return none;
  const places: number[] = [];
  for (let k = first; k <= last; k++) places.push(k * step);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  let base = 0;
  let caption = "";
  // A long constant part would fill the labels: it is said once.
  if (largest > 2e4 * step && places.length > 0) {
    base = places[Math.floor(places.length / 2)];
    const digits = Math.min(15, Math.ceil(Math.log10(largest / step)) + 1);
    caption = formatNumber(base, digits) + " +";
  }
  const reach = base === 0 ? largest : Math.max(...places.map((place) => Math.abs(place - base)), step);
  const power = Math.floor(Math.log10(reach) + 1e-9);
  const scaled = power < -3 || power > 4;
  const unit = scaled ? 10 ** power : 1;
  if (scaled) caption += (caption ? " " : "") + "×10" + raise(power);
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9)));
  const labels = places.map((place) => {
    const value = (place - base) / unit;
    return minus((Math.abs(value) < 1e-9 * (step / unit) ? 0 : value).toFixed(decimals));
  });
  return { places, labels, caption };
}
