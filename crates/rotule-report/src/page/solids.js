// The unit solids that everything is drawn with, and how shapes of a body become placed solids.

// A mesh: positions and normals interleaved, and triangles.
function mesh(vertices, triangles) {
  return { vertices: new Float32Array(vertices.flat()), triangles: new Uint16Array(triangles.flat()) };
}

// Radius 1, z from 0 to 1.
function cylinderMesh(sides) {
  const vertices = [];
  const triangles = [];
  for (let k = 0; k <= sides; k++) {
    const angle = (2 * Math.PI * k) / sides;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    vertices.push([c, s, 0, c, s, 0], [c, s, 1, c, s, 0], [c, s, 0, 0, 0, -1], [c, s, 1, 0, 0, 1]);
    const a = 4 * k;
    if (k < sides) triangles.push([a, a + 4, a + 1], [a + 1, a + 4, a + 5]);
    if (k > 1) triangles.push([2, a + 2, a - 2], [3, a - 1, a + 3]);
  }
  return mesh(vertices, triangles);
}

// Radius 1.
function ballMesh(rings, sides) {
  const vertices = [];
  const triangles = [];
  for (let i = 0; i <= rings; i++) {
    const polar = (Math.PI * i) / rings;
    for (let k = 0; k <= sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      const p = [Math.sin(polar) * Math.cos(angle), Math.sin(polar) * Math.sin(angle), Math.cos(polar)];
      vertices.push([...p, ...p]);
      if (i === rings || k === sides) continue;
      const a = i * (sides + 1) + k;
      triangles.push([a, a + sides + 1, a + 1], [a + 1, a + sides + 1, a + sides + 2]);
    }
  }
  return mesh(vertices, triangles);
}

// From -1/2 to 1/2 along all axes.
function boxMesh() {
  const vertices = [];
  const triangles = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const at = vertices.length;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0];
        const n = [0, 0, 0];
        p[axis] = side / 2;
        n[axis] = side;
        p[(axis + 1) % 3] = (u * side) / 2;
        p[(axis + 2) % 3] = v / 2;
        vertices.push([...p, ...n]);
      }
      triangles.push([at, at + 1, at + 2], [at, at + 2, at + 3]);
    }
  }
  return mesh(vertices, triangles);
}

// A coil of radius 1 along z from 0 to 1, with straight ends.
function springMesh(turns, steps, sides) {
  const count = turns * steps;
  const wire = 0.16;
  const centre = (k) => {
    const share = k / count;
    const angle = 2 * Math.PI * turns * share;
    const radius = Math.min(1, share * 14, (1 - share) * 14);
    return [radius * Math.cos(angle), radius * Math.sin(angle), share];
  };
  const vertices = [];
  const triangles = [];
  for (let k = 0; k <= count; k++) {
    // The coil is wide and its wire thin: the tangent in the plane suffices.
    const p = centre(k);
    const out = unit([p[0], p[1], 0], [1, 0, 0]);
    for (let j = 0; j <= sides; j++) {
      const angle = (2 * Math.PI * j) / sides;
      const normal = [out[0] * Math.cos(angle), out[1] * Math.cos(angle), Math.sin(angle)];
      // Along z the solid is stretched by its length: the wire is made flatter there.
      vertices.push([p[0] + wire * normal[0], p[1] + wire * normal[1], p[2] + 0.016 * normal[2], ...normal]);
      if (k === count || j === sides) continue;
      const a = k * (sides + 1) + j;
      triangles.push([a, a + 1, a + sides + 1], [a + 1, a + sides + 2, a + sides + 1]);
    }
  }
  return mesh(vertices, triangles);
}

// All solids: round ones for a close look, or coarse ones for crowds.
const meshes = (coarse) =>
  coarse
    ? { cylinder: cylinderMesh(12), ball: ballMesh(6, 10), box: boxMesh(), spring: springMesh(7, 8, 3) }
    : { cylinder: cylinderMesh(44), ball: ballMesh(18, 36), box: boxMesh(), spring: springMesh(7, 20, 6) };

// Shapes as placed solids: { mesh, body, local, colour, layer }. `size` is a hundredth of the scene.
function solidsOf(shape, body, colour, size) {
  const [kind, ...rest] = shape;
  const solids = [];
  const solid = (name, local, layer = "solid", paint = colour, pattern = 0) => {
    if (finite(local)) solids.push({ mesh: name, body, local, layer, colour: paint, pattern });
  };
  const ball = (centre, radius, ...more) =>
    solid("ball", placement([radius, 0, 0], [0, radius, 0], [0, 0, radius], centre), ...more);
  if (rest.some((part) => part === null || (Array.isArray(part) && !finite(part)))) return solids;
  if (kind === "bar") {
    const [from, to, given] = rest;
    const radius = given > 0 ? given : 0.9 * size;
    solid("cylinder", along(from, to, radius));
    ball(from, radius);
    ball(to, radius);
  } else if (kind === "ball") ball(rest[0], rest[1] > 0 ? rest[1] : 2.2 * size);
  else if (kind === "box") {
    const [centre, [x, y, z]] = rest;
    solid("box", placement([x, 0, 0], [0, y, 0], [0, 0, z], centre));
  } else if (kind === "disc") {
    const [centre, given, radius, width] = rest;
    const axis = scale(unit(given), (width > 0 ? width : 1.6 * size) / 2);
    solid("cylinder", along(subtract(centre, axis), add(centre, axis), radius));
    // A hub and spokes show that it turns.
    const [a, b] = besides(unit(given));
    const hub = scale(axis, 1.12);
    solid("cylinder", along(subtract(centre, hub), add(centre, hub), 0.2 * radius), "solid", "steel");
    for (const side of [1, -1]) {
      const face = add(centre, scale(axis, 1.04 * side));
      for (const arm of [a, b, scale(a, -1), scale(b, -1)]) {
        solid("cylinder", along(face, add(face, scale(arm, 0.82 * radius)), 0.035 * radius), "solid", "steel");
      }
    }
  } else if (kind === "revolute") {
    const axis = scale(unit(rest[1]), 2.4 * size);
    solid("cylinder", along(subtract(rest[0], axis), add(rest[0], axis), 1.5 * size), "joint", "steel");
  } else if (kind === "prismatic") {
    const z = unit(rest[1]);
    const [x, y] = besides(z);
    const local = placement(scale(x, 2.8 * size), scale(y, 2.8 * size), scale(z, 4.5 * size), rest[0]);
    solid("box", local, "joint", "steel");
  } else if (kind === "spherical") ball(rest[0], 1.7 * size, "joint", "steel");
  else if (kind === "mass") ball(rest[0], 1.5 * size, "mass", "ink", 1);
  else if (kind === "point") ball(rest[0], 0.9 * size, "point", "mark");
  else if (kind === "axes") {
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
      const tip = scale(axis, 7 * size);
      solid("cylinder", along([0, 0, 0], tip, 0.32 * size), "axes", ["c1", "c2", "c0"][k]);
      ball(tip, 0.55 * size, "axes", ["c1", "c2", "c0"][k]);
    });
  }
  return solids;
}

// The distance along a ray at which it meets a unit solid in its placement, or Infinity.
function hit(name, m, at, origin, direction) {
  // The ray in the solid's own frame, by Cramer's rule.
  const column = (j) => [m[at + j], m[at + 4 + j], m[at + 8 + j]];
  const [x, y, z, o] = [column(0), column(1), column(2), column(3)];
  const determinant = dot(x, cross(y, z));
  if (!(Math.abs(determinant) > 0)) return Infinity;
  const local = (v) => [dot(v, cross(y, z)), dot(v, cross(z, x)), dot(v, cross(x, y))].map((part) => part / determinant);
  const p = local(subtract(origin, o));
  const d = local(direction);
  // Between which distances the ray is inside all slabs and the round part.
  let [near, far] = [0, Infinity];
  const limit = (a, b) => {
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  };
  const round = (axes) => {
    const sum = (a, b) => axes.reduce((total, k) => total + a[k] * b[k], 0);
    const [a, b, c] = [sum(d, d), sum(p, d), sum(p, p) - 1];
    const root = b * b - a * c;
    if (a === 0 ? c > 0 : root < 0) far = -1;
    else if (a > 0) limit((-b - Math.sqrt(root)) / a, (-b + Math.sqrt(root)) / a);
  };
  if (name === "ball") round([0, 1, 2]);
  else if (name === "box") for (let k = 0; k < 3; k++) limit((-0.5 - p[k]) / d[k], (0.5 - p[k]) / d[k]);
  else {
    round([0, 1]);
    limit((0 - p[2]) / d[2], (1 - p[2]) / d[2]);
  }
  return near <= far ? near : Infinity;
}
