// Puts the page together: plots, animation, the bar with the time, keys.

function setUpPlots() {
  const host = document.getElementById("plots");
  for (const spec of page.plots) {
    if (spec.curves.length > 0) frameOfTime.plots.push(new Plot(spec, host));
  }
  clock.listeners.push(() => frameOfTime.plots.forEach((plot) => plot.redrawCursor()));
  theme.listeners.push(() => frameOfTime.plots.forEach((plot) => plot.redraw()));
  addEventListener("beforeprint", () => {
    paper.printing = true;
    frameOfTime.plots.forEach((plot) => plot.print());
  });
  addEventListener("afterprint", () => {
    paper.printing = false;
    frameOfTime.plots.forEach((plot) => plot.redraw());
  });
}

function setUpViewer() {
  if (!page.scene || page.scene.times.length === 0) return;
  const stage = document.getElementById("stage");
  stage.hidden = false;
  document.querySelector(".bench").classList.toggle("both", frameOfTime.plots.length > 0);
  const viewer = new Viewer(page.scene);
  if (!viewer.painter.gl) {
    const text = "The animation needs WebGL 2, which this browser does not offer. Plots and tables do without.";
    document.getElementById("view").replaceWith(element("p", "notice", text));
    return;
  }
  clock.listeners.push(viewer.redraw);
  theme.listeners.push(viewer.redraw);
  addEventListener("beforeprint", () => viewer.draw());
  let fitted = false;
  new ResizeObserver(() => {
    if (!fitted && viewer.canvas.clientWidth > 0) {
      fitted = true;
      viewer.fit();
    }
    viewer.redraw();
  }).observe(viewer.canvas);
  viewer.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  viewer.canvas.addEventListener("webglcontextrestored", () => {
    viewer.painter.prepare();
    viewer.redraw();
  });
  steer(viewer);
  setUpMenu(viewer);
}

// The camera by mouse, fingers and keys.
function steer(viewer) {
  const { canvas, camera } = viewer;
  const pointers = new Map();
  const zoom = (factor) => {
    camera.zoom(factor, viewer.size * 0.02, viewer.size * 500);
    viewer.redraw();
  };
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.setPointerCapture(event.pointerId);
    viewer.hoverAt(null);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      const box = canvas.getBoundingClientRect();
      viewer.hoverAt(event.clientX - box.left, event.clientY - box.top);
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (pointers.size === 2) {
      // Two fingers: what lies between them stays between them.
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const spread = (point) => Math.hypot(point.x - other.x, point.y - other.y) + 1;
      zoom(spread(before) / spread(now));
      camera.pan(dx / 2, dy / 2, canvas.clientHeight);
    } else if (event.shiftKey || event.buttons & 6) camera.pan(dx, dy, canvas.clientHeight);
    else camera.orbit(dx, dy);
    pointers.set(event.pointerId, now);
    viewer.redraw();
  });
  const release = (event) => pointers.delete(event.pointerId);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => viewer.hoverAt(null));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.min(120, Math.max(-120, event.deltaY)) * 0.0016));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const turns = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, 12], ArrowDown: [0, -12] };
    const views = { 1: "front", 2: "side", 3: "top" };
    if (turns[event.key]) camera.orbit(...turns[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(0.85);
    else if (event.key === "-") zoom(1 / 0.85);
    else if (event.key === "f" || event.key === "F") viewer.fit();
    else if (views[event.key]) viewer.look(views[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    viewer.redraw();
  });
}

function setUpMenu(viewer) {
  document.getElementById("fit").addEventListener("click", () => viewer.fit());
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => viewer.look(button.dataset.view));
  }
  for (const box of document.querySelectorAll("[data-layer]")) {
    viewer.layers[box.dataset.layer] = box.checked;
    box.addEventListener("change", () => {
      viewer.layers[box.dataset.layer] = box.checked;
      viewer.redraw();
    });
  }
  const follow = document.getElementById("follow");
  follow.checked = viewer.follow;
  follow.addEventListener("change", () => viewer.setFollow(follow.checked));
  const trail = document.getElementById("trail");
  const choices = viewer.trails();
  choices.forEach((choice, k) => trail.add(new Option(choice.name, String(k))));
  trail.addEventListener("change", () => {
    viewer.trail = trail.value === "" ? null : choices[Number(trail.value)];
    viewer.redraw();
  });
  const menu = document.getElementById("menu");
  addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") menu.open = false;
  });
}

// The bar with the time at the foot of the window.
function setUpTransport() {
  // A parameter is not played.
  if (!(clock.span > 0) || !page.axis.time) return;
  const get = (id) => document.getElementById(id);
  const [bar, play, scrub, now, speed, loop] = ["transport", "play", "scrub", "now", "speed", "loop"].map(get);
  bar.hidden = false;
  const { choices, usual } = speeds(clock.span);
  for (const choice of choices) speed.add(new Option(`${choice}×`, String(choice), false, choice === usual));
  clock.speed = usual;
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
  loop.addEventListener("change", () => (clock.loop = loop.checked));
  play.addEventListener("click", () => clock.play(!clock.playing));
  get("rewind").addEventListener("click", () => clock.seek(clock.from));
  const whole = Number(scrub.max);
  scrub.addEventListener("input", () => clock.seek(clock.from + (clock.span * scrub.value) / whole));
  for (const mark of page.marks) {
    if (!(mark.time >= clock.from && mark.time <= clock.to)) continue;
    const tick = get("ticks").appendChild(element("i"));
    tick.style.left = `${(100 * (mark.time - clock.from)) / clock.span}%`;
  }
  const show = () => {
    scrub.value = String(Math.round((whole * (clock.time - clock.from)) / clock.span));
    const text = `${formatTime(clock.time, clock.span)} s`;
    scrub.setAttribute("aria-valuetext", text);
    now.textContent = `${formatTime(clock.time, clock.span)} / ${formatNumber(clock.to, 4).replace(/\.?0+$/, "")} s`;
    bar.classList.toggle("playing", clock.playing);
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  };
  clock.listeners.push(show);
  show();
  // Keys work everywhere but where a control has its own use for them.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, summary")) return;
    const button = event.target.closest("button");
    if (event.key === " " && !button) clock.play(!clock.playing);
    else if (event.key === "ArrowLeft") clock.step(event.shiftKey ? -10 : -1);
    else if (event.key === "ArrowRight") clock.step(event.shiftKey ? 10 : 1);
    else if (event.key === "Home") clock.seek(clock.from);
    else if (event.key === "End") clock.seek(clock.to);
    else return;
    event.preventDefault();
  });
}

function setUpMarks() {
  document.getElementById("marks").hidden = page.marks.length === 0;
  for (const button of document.querySelectorAll("[data-mark]")) {
    button.addEventListener("click", () => {
      const { time } = page.marks[Number(button.dataset.mark)];
      if (Number.isFinite(time)) clock.seek(time);
    });
  }
}

setUpTheme();
setUpPlots();
setUpMarks();
setUpTransport();
setUpViewer();
document.documentElement.dataset.ready = "true";
