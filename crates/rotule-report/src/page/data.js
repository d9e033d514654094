// The data of the page: numbers come as base64 and become typed arrays.

const page = JSON.parse(document.getElementById("data").textContent);

function bytes(text) {
  const characters = atob(text);
  const array = new Uint8Array(characters.length);
  for (let i = 0; i < array.length; i++) array[i] = characters.charCodeAt(i);
  return array.buffer;
}

// Instants in 32 bits are fractions of the whole span.
function instants(text) {
  const [from, to] = page.span;
  const width = to > from ? to - from : 1;
  const times = new Float64Array(new Uint32Array(bytes(text)));
  for (let i = 0; i < times.length; i++) times[i] = from + (width * times[i]) / 4294967295;
  return times;
}

// JSON has no NaN: it comes as null.
page.marks.forEach((mark) => (mark.time ??= NaN));

const sharedTimes = new Float64Array(bytes(page.times));

// A curve is decoded when it is first looked at: a large model has thousands, and most stay hidden.
class Curve {
  constructor(stored) {
    this.stored = stored;
    this.name = stored.name;
  }
  get values() {
    if (!this.decoded) {
      const { offset, scale, values } = this.stored;
      this.decoded = new Float64Array(new Float32Array(bytes(values)));
      for (let i = 0; i < this.decoded.length; i++) this.decoded[i] = offset + scale * this.decoded[i];
    }
    return this.decoded;
  }
  get times() {
    const { times } = this.stored;
    this.instants ??= times === undefined ? sharedTimes.subarray(0, this.values.length) : instants(times);
    return this.instants;
  }
}

for (const plot of page.plots) plot.curves = plot.curves.map((stored) => new Curve(stored));
if (page.scene) {
  page.scene.times = new Float64Array(bytes(page.scene.times));
  page.scene.poses = new Float32Array(bytes(page.scene.poses));
}

// The first index whose entry is greater than `value`, in a sorted array.
function upperBound(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The value of a curve at an instant, between its points; NaN in gaps and outside.
function valueAt(curve, time) {
  const { times, values } = curve;
  const last = times.length - 1;
  const after = upperBound(times, time);
  if (last < 0 || after === 0) return NaN;
  if (after > last) return time <= times[last] ? values[last] : NaN;
  const before = after - 1;
  const share = (time - times[before]) / (times[after] - times[before]);
  if (share === 0) return values[before];
  return values[before] + share * (values[after] - values[before]);
}
