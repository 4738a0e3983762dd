// The time strip: when the thread was busy, which fetches were in flight, and where we are; of the part of
// the run that view_zoom.js has in sight.
"use strict";

const TimePane = (() => {
  const { one } = Dom;
  const RIBBON = 9, AXIS = 15; // px: the line of the thread, on top; the marks, at the bottom
  const CROWD = 24; // fetches at once: for more there is a hill instead of lines

  let plan = null; // of a trace: who lies in which line. Made once.
  let size = null; // of the canvas

  // ---- What is to be drawn ----

  /// As many lines as there are fetches at once; each takes the first that is free.
  function linesOf(fetches, end) {
    const busyUntil = [];
    const lines = fetches.map(fetch => {
      const free = busyUntil.findIndex(time => time <= fetch.t0);
      const line = free < 0 ? busyUntil.length : free;
      busyUntil[line] = fetch.t1 ?? end;
      return { fetch, line };
    });
    return { lines, count: busyUntil.length };
  }

  function makePlan(model) {
    const fetches = [...model.fetches.values()].sort((a, b) => a.t0 - b.t0);
    const busy = Model.busyTimes(model);
    const sum = busy.reduce((all, [from, to]) => all + to - from, 0);
    const span = Math.max(1, model.span); // from the start of the program
    return { span, fetches, busy, share: sum / span, ...linesOf(fetches, model.span) };
  }

  const percent = share => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

  // ---- Drawing ----
  const x = time => (time - Zoom.part.begin) / Zoom.part.span * size.width;

  function colours() {
    const style = getComputedStyle(document.documentElement);
    return name => style.getPropertyValue(`--${name}`).trim();
  }

  function measure() {
    const width = one(".chart").clientWidth || 800;
    const room = width < 620 ? 58 : innerHeight <= 800 ? 60 : 78;
    const isCrowd = plan.count > CROWD;
    const line = plan.count === 0 ? 0 : Math.min(innerHeight <= 800 ? 13 : 15, Math.floor(room / plan.count));
    const height = RIBBON + AXIS + (plan.count === 0 ? 0 : 4 + (isCrowd ? room : plan.count * line));
    return { width, room, isCrowd, line, height, isSmall: width < 620 };
  }

  function freshCanvas() {
    const canvas = one(".chart canvas");
    const scale = window.devicePixelRatio || 1;
    canvas.width = size.width * scale;
    canvas.height = size.height * scale;
    canvas.style.height = `${size.height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = `${size.isSmall ? 10 : 11}px system-ui, sans-serif`;
    pen.textBaseline = "middle";
    return pen;
  }

  /// Thin lines through all, with round numbers beneath.
  function drawAxis(pen, colour) {
    const { begin, span } = Zoom.part, WORDS = size.isSmall ? 64 : 90; // px, with the space between two
    const bottom = size.height - AXIS;
    pen.textAlign = "center";
    for (const time of Axis.ticks(begin, begin + span, Math.max(2, size.width / WORDS))) {
      const at = x(time), text = Axis.name(time, begin + span);
      const half = pen.measureText(text).width / 2;
      pen.fillStyle = colour("line");
      pen.fillRect(at, RIBBON, 1, bottom - RIBBON + 3);
      pen.fillStyle = colour("soft");
      pen.fillText(text, Math.min(size.width - half, Math.max(half, at)), size.height - AXIS / 2 + 2);
    }
    pen.textAlign = "start";
  }

  function drawBusy(pen, colour) {
    pen.fillStyle = colour("box");
    pen.fillRect(0, 0, size.width, RIBBON);
    pen.fillStyle = colour("thread");
    for (const [from, to] of plan.busy)
      pen.fillRect(x(from), 0, Math.max(0.8, x(to) - x(from)), RIBBON);
  }

  /// That there is no robots.txt is no fault.
  const isDead = fetch => !fetch.robots
    && (fetch.status >= 400 || (fetch.end !== undefined && fetch.status === null));

  function drawFetch(pen, colour, { fetch, line }) {
    const end = x(fetch.t1 ?? Page.model.span);
    if (end < 0 || x(fetch.t0) > size.width)
      return;
    const left = Math.max(-9, x(fetch.t0)), top = RIBBON + 4 + line * size.line;
    const width = Math.max(1.5, Math.min(end, size.width + 9) - left - 1);
    const height = Math.max(1, size.line - 2);
    const isMoved = fetch.status >= 300 && fetch.status < 400;
    pen.fillStyle = colour(isDead(fetch) || fetch.robots ? "box" : "tint-loop");
    pen.beginPath();
    pen.roundRect(left, top, width, height, Math.min(4, height / 3));
    pen.fill();
    if (size.line >= 10) {
      pen.strokeStyle = colour(isDead(fetch) ? "warn" : isMoved || fetch.robots ? "soft" : "loop");
      pen.stroke();
    }
    if (size.line >= 11 && width > 26)
      drawName(pen, colour, fetch, left, top, width);
  }

  function drawName(pen, colour, fetch, left, top, width) {
    const status = fetch.status >= 300 && width > 110 ? `  ${fetch.status}` : "";
    pen.fillStyle = colour("ink");
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width - 3, size.line);
    pen.clip();
    pen.fillText(fetch.path + status, Math.max(left, 0) + 6, top + size.line / 2 - 0.5);
    pen.restore();
  }

  /// Too many for a line each: how many there are, as a hill.
  function drawHill(pen, colour) {
    const ups = plan.fetches.map(fetch => [fetch.t0, 1]);
    const downs = plan.fetches.map(fetch => [fetch.t1 ?? Page.model.span, -1]);
    const changes = [...ups, ...downs].sort((a, b) => a[0] - b[0]);
    let inFlight = 0;
    pen.beginPath();
    const floor = size.height - AXIS;
    pen.moveTo(x(0), floor);
    for (const [time, by] of changes) {
      inFlight += by;
      pen.lineTo(x(time), floor - inFlight / plan.count * (size.room - 4));
    }
    pen.lineTo(x(Page.model.span), floor);
    pen.fillStyle = colour("tint-loop");
    pen.strokeStyle = colour("loop");
    pen.fill();
    pen.stroke();
    pen.fillStyle = colour("soft");
    pen.fillText(`in flight: at most ${Words.num(plan.count)}`, 8, RIBBON + 14);
  }

  function redraw() {
    if (!plan)
      return;
    size = measure();
    const pen = freshCanvas(), colour = colours();
    drawAxis(pen, colour);
    drawBusy(pen, colour);
    if (size.isCrowd)
      drawHill(pen, colour);
    else
      plan.lines.forEach(line => drawFetch(pen, colour, line));
    const fetches = plan.fetches.length === 0 ? "No fetches"
      : `${Words.num(plan.fetches.length)} fetches over ${Words.time(plan.span)}`;
    one(".chart canvas").setAttribute("aria-label",
      `${fetches}; the thread is busy ${percent(plan.share)} of the time.`);
  }

  // ---- Where we are ----
  function placeHead() {
    const { begin, span } = Zoom.part;
    one(".chart .head").style.left = `${(Page.now().t - begin) / span * 100}%`;
  }

  function draw() {
    Zoom.follow(Page.now().t);
    placeHead();
  }

  // ---- What can be done with it ----
  function goTo({ clientX }) {
    const { left, width } = one(".chart").getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    Page.go(Page.stepAtTime(Zoom.part.begin + share * Zoom.part.span));
  }

  let coming = null;
  function zoomed() {
    cancelAnimationFrame(coming);
    coming = requestAnimationFrame(() => {
      redraw();
      placeHead();
    });
  }

  function begin() {
    const chart = one(".chart");
    Zoom.begin(chart, goTo, zoomed);
    new ResizeObserver(() => {
      if (size && chart.clientWidth !== size.width)
        redraw();
    }).observe(chart);
  }

  function fill() {
    plan = makePlan(Page.model);
    Zoom.show(plan.span);
    redraw();
  }

  return { begin, fill, draw, redraw, busyShare: () => percent(plan.share) };
})();
