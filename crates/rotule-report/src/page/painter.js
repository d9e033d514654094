// Drawing with WebGL 2: many copies of few solids, the ground with its grid and shadows, and the trail.

const SOLID_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec4 row0;
layout(location = 3) in vec4 row1;
layout(location = 4) in vec4 row2;
layout(location = 5) in vec4 paint;
uniform mat4 camera;
uniform vec4 ground;
uniform vec3 light;
uniform bool shadow;
out vec3 place, normal, inner;
out vec4 colour;
void main() {
  vec4 p = vec4(position, 1.0);
  place = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
  vec3 x = vec3(row0.x, row1.x, row2.x), y = vec3(row0.y, row1.y, row2.y), z = vec3(row0.z, row1.z, row2.z);
  normal = x * direction.x / dot(x, x) + y * direction.y / dot(y, y) + z * direction.z / dot(z, z);
  inner = direction;
  colour = paint;
  if (shadow) place -= light * (max(0.0, dot(ground.xyz, place) - ground.w) / dot(ground.xyz, light));
  gl_Position = camera * vec4(place, 1.0);
}`;

// Light from the sky and one lamp, in linear colours; the pattern of a centre of mass is black and white.
const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, normal, inner;
in vec4 colour;
uniform vec3 eye, light;
uniform vec4 ground;
uniform bool shadow;
uniform float shade, lamp;
out vec4 result;
void main() {
  if (shadow) {
    if (dot(ground.xyz, place) < ground.w - 1e-3 * length(eye - place)) discard;
    result = vec4(0.0, 0.0, 0.0, shade);
    return;
  }
  vec3 n = normalize(normal), v = normalize(eye - place);
  if (dot(n, v) < 0.0) n = -n;
  vec3 base = mix(pow(colour.rgb, vec3(2.2)), vec3(1.0), 0.06);
  if (colour.a > 1.5) base = inner.x * inner.y * inner.z > 0.0 ? vec3(0.02) : vec3(0.9);
  float sky = 0.5 + 0.5 * dot(n, ground.xyz);
  float sun = max(0.0, dot(n, light));
  float front = max(0.0, dot(n, v));
  float gloss = pow(max(0.0, dot(n, normalize(light + v))), 42.0);
  vec3 lit = lamp * base * (0.32 + 0.34 * sky + 0.62 * sun + 0.16 * front) + vec3(0.07 * gloss);
  result = vec4(pow(lit, vec3(1.0 / 2.2)), 1.0);
}`;

const GROUND_VERTEX = `#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 camera;
uniform vec3 centre, across, ahead;
uniform float reach;
out vec2 flat_place, from_centre;
void main() {
  vec3 place = centre + reach * (corner.x * across + corner.y * ahead);
  flat_place = vec2(dot(place, across), dot(place, ahead));
  from_centre = corner;
  gl_Position = camera * vec4(place, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 flat_place, from_centre;
uniform vec3 ink;
uniform float cell;
out vec4 result;
float lines(float width) {
  vec2 at = flat_place / width, step = fwidth(at);
  vec2 line = smoothstep(step * 1.1, vec2(0.0), abs(fract(at - 0.5) - 0.5));
  // Lines closer than pixels melt into nothing instead of flickering.
  line *= smoothstep(0.5, 0.15, step);
  return max(line.x, line.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(from_centre));
  float strength = max(0.3 * lines(cell), 0.55 * lines(5.0 * cell));
  result = vec4(ink, fade * strength);
}`;

const TRAIL_VERTEX = `#version 300 es
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

const TRAIL_FRAGMENT = `#version 300 es
precision highp float;
in float age;
uniform vec3 ink;
out vec4 result;
void main() { result = vec4(ink, mix(0.95, 0.25, age)); }`;

const STRIDE = 16; // floats per copy: twelve of placement, four of paint

class Painter {
  constructor(canvas, solids) {
    this.canvas = canvas;
    this.solids = solids;
    this.gl = canvas.getContext("webgl2", { antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (this.gl) this.prepare();
  }

  get ready() {
    return this.gl !== null && !this.gl.isContextLost();
  }

  // Everything that lives on the graphics card; repeated when the card was lost.
  prepare() {
    const { gl } = this;
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.ground = this.program(GROUND_VERTEX, GROUND_FRAGMENT);
    this.trail = this.program(TRAIL_VERTEX, TRAIL_FRAGMENT);
    this.meshes = Object.fromEntries(Object.entries(this.solids).map(([name, solid]) => [name, this.upload(solid)]));
    this.square = gl.createVertexArray();
    gl.bindVertexArray(this.square);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);

    this.ribbon = gl.createVertexArray();
    gl.bindVertexArray(this.ribbon);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.ribbonPoints = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbonPoints);
    for (const index of [1, 2]) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, 3, gl.FLOAT, false, 12, 12 * (index - 1));
      gl.vertexAttribDivisor(index, 1);
    }
    gl.bindVertexArray(null);
  }

  program(vertex, fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`A shader was refused: ${gl.getProgramInfoLog(program)}`);
    }
    const places = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (let k = 0; k < count; k++) {
      const { name } = gl.getActiveUniform(program, k);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  upload({ vertices, triangles }) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
    for (const index of [0, 1]) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, 3, gl.FLOAT, false, 24, 12 * index);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    const copies = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, copies);
    for (let k = 0; k < 4; k++) {
      gl.enableVertexAttribArray(2 + k);
      gl.vertexAttribPointer(2 + k, 4, gl.FLOAT, false, 4 * STRIDE, 16 * k);
      gl.vertexAttribDivisor(2 + k, 1);
    }
    gl.bindVertexArray(null);
    return { array, copies, count: triangles.length };
  }

  // A clean frame; false when there is nothing to draw on.
  begin() {
    const { gl, canvas } = this;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (!this.ready || width === 0 || height === 0) return false;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.depthRange(0, 1);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    return true;
  }

  // Copies of solids: batches of { mesh, data, count }. In front of all else, or as shadows, if wanted.
  drawSolids(batches, scene, { shadow = false, front = false } = {}) {
    const { gl } = this;
    const { program, places } = this.solid;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.camera, false, scene.camera);
    gl.uniform4fv(places.ground, scene.ground);
    gl.uniform3fv(places.light, scene.light);
    gl.uniform3fv(places.eye, scene.eye);
    gl.uniform1i(places.shadow, shadow ? 1 : 0);
    gl.uniform1f(places.shade, scene.shade);
    gl.uniform1f(places.lamp, scene.lamp);
    gl.depthRange(0, front ? 0.05 : 1);
    if (shadow) {
      // Each pixel is darkened once, however many solids lie above it.
      gl.enable(gl.STENCIL_TEST);
      gl.stencilFunc(gl.EQUAL, 0, 255);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
      gl.enable(gl.BLEND);
      gl.depthMask(false);
    }
    for (const { mesh: name, data, count } of batches) {
      if (count === 0) continue;
      const { array, copies, count: indices } = this.meshes[name];
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, copies);
      gl.bufferData(gl.ARRAY_BUFFER, data.subarray(0, count * STRIDE), gl.DYNAMIC_DRAW);
      gl.drawElementsInstanced(gl.TRIANGLES, indices, gl.UNSIGNED_SHORT, 0, count);
    }
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.depthRange(0, 1);
  }

  drawGround(scene, { centre, across, ahead, reach, cell, ink }) {
    const { gl } = this;
    const { program, places } = this.ground;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.camera, false, scene.camera);
    gl.uniform3fv(places.centre, centre);
    gl.uniform3fv(places.across, across);
    gl.uniform3fv(places.ahead, ahead);
    gl.uniform1f(places.reach, reach);
    gl.uniform1f(places.cell, cell);
    gl.uniform3fv(places.ink, ink);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // A line through points, given as one long list.
  drawTrail(scene, points, ink) {
    const { gl } = this;
    const count = points.length / 3 - 1;
    if (count < 1) return;
    const { program, places } = this.trail;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.camera, false, scene.camera);
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
