// Drawing with WebGL 2: many copies of few solids, their shadows, the ground with its grid, and lines.

import { dot, scale, type Vector } from "./geometry";
import type { Mesh } from "./solids";

const PLACE = `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec4 row0;
layout(location = 3) in vec4 row1;
layout(location = 4) in vec4 row2;
layout(location = 5) in vec4 paint;
vec3 placed() {
  vec4 p = vec4(position, 1.0);
  return vec3(dot(row0, p), dot(row1, p), dot(row2, p));
}`;

// How much of the lamp reaches a place: the mean of nine looks at the map of depths as the lamp sees them.
const LIGHT = `
uniform highp sampler2DShadow shadows;
uniform mat4 lampView;
uniform float casting;
float lamplight(vec3 place, float slope) {
  vec3 at = (lampView * vec4(place, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = -1; i <= 1; i++) for (int k = -1; k <= 1; k++)
    sum += texture(shadows, vec3(at.xy + vec2(i, k) / 2048.0, at.z - 0.0008 - 0.002 * slope));
  return mix(1.0, sum / 9.0, casting);
}`;

const SOLID_VERTEX = `#version 300 es
${PLACE}
uniform mat4 camera;
out vec3 place, normal, inner;
out vec4 colour;
void main() {
  place = placed();
  vec3 x = vec3(row0.x, row1.x, row2.x), y = vec3(row0.y, row1.y, row2.y), z = vec3(row0.z, row1.z, row2.z);
  normal = x * direction.x / dot(x, x) + y * direction.y / dot(y, y) + z * direction.z / dot(z, z);
  inner = direction;
  colour = paint;
  gl_Position = camera * vec4(place, 1.0);
}`;

// Light from the sky and one lamp, in linear colours; the pattern of a centre of mass is black and white, that of
// grounds a grid.
const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, normal, inner;
in vec4 colour;
uniform vec3 eye, light, up, gridInk, across, ahead;
uniform float lamp, alpha, cell;
${LIGHT}
out vec4 result;
float grid(float width) {
  vec2 at = vec2(dot(place, across), dot(place, ahead)) / width, step = fwidth(at);
  vec2 line = smoothstep(step * 1.1, vec2(0.0), abs(fract(at - 0.5) - 0.5)) * smoothstep(0.5, 0.15, step);
  return max(line.x, line.y);
}
void main() {
  vec3 n = normalize(normal), v = normalize(eye - place);
  if (dot(n, v) < 0.0) n = -n;
  vec3 base = mix(pow(colour.rgb, vec3(2.2)), vec3(1.0), 0.04);
  if (colour.a > 1.5 && colour.a < 2.5) base = inner.x * inner.y * inner.z > 0.0 ? vec3(0.02) : vec3(0.9);
  if (colour.a > 2.5) base = mix(base, pow(gridInk, vec3(2.2)), max(0.35 * grid(cell), 0.6 * grid(5.0 * cell)));
  float facing = dot(n, light);
  float reach = lamplight(place, clamp(1.0 - facing, 0.0, 1.0));
  float sky = 0.5 + 0.5 * dot(n, up);
  float sun = max(0.0, facing) * reach;
  float front = max(0.0, dot(n, v));
  float gloss = colour.a > 2.5 ? 0.0 : pow(max(0.0, dot(n, normalize(light + v))), 42.0) * reach;
  vec3 lit = lamp * base * (0.30 + 0.30 * sky + 0.66 * sun + 0.14 * front) + vec3(0.06 * gloss);
  result = vec4(pow(lit, vec3(1.0 / 2.2)), alpha);
}`;

const DEPTH_VERTEX = `#version 300 es
${PLACE}
uniform mat4 camera;
void main() { gl_Position = camera * vec4(placed(), 1.0); }`;

const DEPTH_FRAGMENT = `#version 300 es
precision highp float;
void main() {}`;

const GROUND_VERTEX = `#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 camera;
uniform vec3 centre, across, ahead;
uniform float reach;
out vec2 flatPlace, fromCentre;
out vec3 place;
void main() {
  place = centre + reach * (corner.x * across + corner.y * ahead);
  flatPlace = vec2(dot(place, across), dot(place, ahead));
  fromCentre = corner;
  gl_Position = camera * vec4(place, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 flatPlace, fromCentre;
in vec3 place;
uniform vec3 ink;
uniform float cell, shade;
${LIGHT}
out vec4 result;
float lines(float width) {
  vec2 at = flatPlace / width, step = fwidth(at);
  vec2 line = smoothstep(step * 1.1, vec2(0.0), abs(fract(at - 0.5) - 0.5));
  // Lines closer than pixels melt into nothing instead of flickering.
  line *= smoothstep(0.5, 0.15, step);
  return max(line.x, line.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(fromCentre));
  float strength = fade * max(0.3 * lines(cell), 0.6 * lines(5.0 * cell));
  float dark = shade * (1.0 - lamplight(place, 0.0));
  // The grid over the shadow, both as one layer.
  float cover = strength + dark * (1.0 - strength);
  result = vec4(cover > 0.0 ? ink * strength / cover : vec3(0.0), cover);
}`;

const LINE_VERTEX = `#version 300 es
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
uniform mat4 camera;
uniform vec2 size;
uniform float count;
out float age;
void main() {
  vec4 a = camera * vec4(from, 1.0), b = camera * vec4(to, 1.0);
  vec2 along = b.xy / b.w * size - a.xy / a.w * size;
  vec2 aside = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
  gl_Position = corner.x < 0.5 ? a : b;
  gl_Position.xy += aside * corner.y * 1.3 / size * gl_Position.w;
  age = 1.0 - (float(gl_InstanceID) + corner.x) / count;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in float age;
uniform vec3 ink;
out vec4 result;
void main() { result = vec4(ink, mix(0.95, 0.25, age)); }`;

export const STRIDE = 16; // floats per copy: twelve of placement, four of paint
const MAP = 2048; // pixels of the map of shadows along a side

// Copies of one mesh.
export interface Copies {
  mesh: string;
  data: Float32Array;
  count: number;
}

// Where one looks from, and the light.
export interface Sight {
  camera: Float32Array;
  eye: Vector;
  light: Vector;
  up: Vector;
  across: Vector;
  ahead: Vector;
  lampView: Float32Array;
  lamp: number;
  shade: number;
  cell: number;
  gridInk: number[];
  shadows: boolean;
}

interface Program {
  program: WebGLProgram;
  places: Record<string, WebGLUniformLocation | null>;
}

interface Uploaded {
  array: WebGLVertexArrayObject;
  type: number;
  count: number;
}

export class Painter {
  readonly gl: WebGL2RenderingContext | null;
  private solid!: Program;
  private depth!: Program;
  private ground!: Program;
  private line!: Program;
  private meshes!: Record<string, Uploaded>;
  private buffers = new Map<Copies, WebGLBuffer>();
  private square!: WebGLVertexArrayObject;
  private ribbon!: WebGLVertexArrayObject;
  private ribbonPoints!: WebGLBuffer;
  private map!: WebGLFramebuffer;

  constructor(readonly canvas: HTMLCanvasElement, readonly solids: Record<string, Mesh>) {
    this.gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (this.gl) this.prepare();
  }

  get ready(): boolean {
    return this.gl !== null && !this.gl.isContextLost();
  }

  // Everything that lives on the graphics card; repeated when the card was lost.
  prepare(): void {
    const gl = this.gl!;
    this.buffers.clear();
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.depth = this.program(DEPTH_VERTEX, DEPTH_FRAGMENT);
    this.ground = this.program(GROUND_VERTEX, GROUND_FRAGMENT);
    this.line = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.meshes = Object.fromEntries(Object.entries(this.solids).map(([name, solid]) => [name, this.upload(solid)]));
    this.square = this.corners([-1, -1, 1, -1, -1, 1, 1, 1]);
    this.ribbon = this.corners([0, -1, 1, -1, 0, 1, 1, 1]);
    this.ribbonPoints = gl.createBuffer()!;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbonPoints);
    for (const index of [1, 2]) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, 3, gl.FLOAT, false, 12, 12 * (index - 1));
      gl.vertexAttribDivisor(index, 1);
    }
    gl.bindVertexArray(null);
    this.map = this.prepareMap();
  }

  private corners(numbers: number[]): WebGLVertexArrayObject {
    const gl = this.gl!;
    const array = gl.createVertexArray()!;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    return array;
  }

  private prepareMap(): WebGLFramebuffer {
    const gl = this.gl!;
    gl.activeTexture(gl.TEXTURE0);
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, MAP, MAP, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
    const parameters: [number, number][] = [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL],
    ];
    for (const [name, value] of parameters) gl.texParameteri(gl.TEXTURE_2D, name, value);
    const frame = gl.createFramebuffer()!;
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return frame;
  }

  private program(vertex: string, fragment: string): Program {
    const gl = this.gl!;
    const program = gl.createProgram()!;
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const reasons = (gl.getAttachedShaders(program) ?? []).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`A shader was refused: ${gl.getProgramInfoLog(program)} ${reasons.join(" ")}`);
    }
    const places: Record<string, WebGLUniformLocation | null> = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (let k = 0; k < count; k++) {
      const { name } = gl.getActiveUniform(program, k)!;
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  private upload({ vertices, triangles }: Mesh): Uploaded {
    const gl = this.gl!;
    const array = gl.createVertexArray()!;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
    for (const index of [0, 1]) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, 3, gl.FLOAT, false, 24, 12 * index);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    for (let k = 0; k < 4; k++) {
      gl.enableVertexAttribArray(2 + k);
      gl.vertexAttribDivisor(2 + k, 1);
    }
    gl.bindVertexArray(null);
    const type = triangles instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
    return { array, type, count: triangles.length };
  }

  // Sizes the canvas; false when there is nothing to draw on.
  begin(): boolean {
    const { gl, canvas } = this;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (!gl || !this.ready || width === 0 || height === 0) return false;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.depthRange(0, 1);
    gl.disable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    return true;
  }

  // Hands the placements of this frame to the card, once for all passes.
  send(batches: Copies[]): void {
    const gl = this.gl!;
    for (const batch of batches) {
      let buffer = this.buffers.get(batch);
      if (!buffer) this.buffers.set(batch, (buffer = gl.createBuffer()!));
      if (batch.count === 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, batch.data.subarray(0, batch.count * STRIDE), gl.DYNAMIC_DRAW);
    }
  }

  private copies(batches: Copies[]): void {
    const gl = this.gl!;
    for (const batch of batches) {
      const mesh = this.meshes[batch.mesh];
      if (batch.count === 0 || !mesh) continue;
      gl.bindVertexArray(mesh.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.get(batch)!);
      for (let k = 0; k < 4; k++) gl.vertexAttribPointer(2 + k, 4, gl.FLOAT, false, 4 * STRIDE, 16 * k);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, mesh.type, 0, batch.count);
    }
  }

  // The depths that the lamp sees; then the picture is cleared.
  drawShadows(batches: Copies[], sight: Sight): void {
    const gl = this.gl!;
    if (sight.shadows) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.map);
      gl.viewport(0, 0, MAP, MAP);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(this.depth.program);
      gl.uniformMatrix4fv(this.depth.places.camera, false, sight.lampView);
      this.copies(batches);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  private sight({ program, places }: Program, sight: Sight): void {
    const gl = this.gl!;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.camera, false, sight.camera);
    gl.uniformMatrix4fv(places.lampView, false, sight.lampView);
    gl.uniform1i(places.shadows, 0);
    gl.uniform1f(places.casting, sight.shadows ? 1 : 0);
    gl.uniform1f(places.cell, sight.cell);
    gl.uniform3fv(places.across, sight.across);
    gl.uniform3fv(places.ahead, sight.ahead);
  }

  // Copies of solids; in front of all else, or translucent, if wanted.
  drawSolids(batches: Copies[], sight: Sight, { front = false, alpha = 1 } = {}): void {
    const gl = this.gl!;
    const { places } = this.solid;
    this.sight(this.solid, sight);
    gl.uniform3fv(places.up, sight.up);
    gl.uniform3fv(places.light, sight.light);
    gl.uniform3fv(places.eye, sight.eye);
    gl.uniform3fv(places.gridInk, sight.gridInk);
    gl.uniform1f(places.lamp, sight.lamp);
    gl.uniform1f(places.alpha, alpha);
    gl.depthRange(0, front ? 0.05 : 1);
    if (alpha < 1) {
      // Only the nearest surface of what is translucent is seen.
      gl.colorMask(false, false, false, false);
      this.copies(batches);
      gl.colorMask(true, true, true, true);
      gl.depthFunc(gl.EQUAL);
      gl.enable(gl.BLEND);
    }
    this.copies(batches);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
    gl.depthRange(0, 1);
  }

  drawGround(sight: Sight, { centre, reach }: { centre: Vector; reach: number }): void {
    const gl = this.gl!;
    const { places } = this.ground;
    this.sight(this.ground, sight);
    gl.uniform3fv(places.centre, centre);
    gl.uniform1f(places.reach, reach);
    gl.uniform1f(places.shade, sight.shade);
    gl.uniform3fv(places.ink, sight.gridInk);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // A line through points, given as one long list.
  drawLine(sight: Sight, points: Float32Array, ink: number[]): void {
    const gl = this.gl!;
    const count = points.length / 3 - 1;
    if (count < 1) return;
    const { program, places } = this.line;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.camera, false, sight.camera);
    gl.uniform2f(places.size, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
    gl.uniform1f(places.count, count);
    gl.uniform3fv(places.ink, ink);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(this.ribbon);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbonPoints);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.DYNAMIC_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    gl.disable(gl.BLEND);
  }
}

// What a lamp far away sees of a ball, and of the ground below it, as a matrix by columns.
export function lampView(light: Vector, right: Vector, top: Vector, centre: Vector, radius: number): Float32Array {
  const rows = [scale(right, 1 / radius), scale(top, 1 / radius), scale(light, -1 / (4 * radius))];
  // The lamp is nearer to the ball than the ground is.
  const shift = [0, 0, -0.5];
  const columns = [0, 1, 2].flatMap((k) => [rows[0][k], rows[1][k], rows[2][k], 0]);
  return new Float32Array([...columns, ...rows.map((row, k) => shift[k] - dot(row, centre)), 1]);
}
