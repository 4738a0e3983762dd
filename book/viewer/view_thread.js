// The one thread: a single line through lanes of the loop, its callbacks, and the tasks.
//
// What has the thread lies on a bar: it's on the stack. What stands still is a dotted line:
// it's on no stack, and costs nothing but memory. While the loop is asleep in the selector,
// the thread is dotted, too. Green arrows go from a future to whom it wakes.
"use strict";

const Thread = (() => {
  const { svg, one } = Dom;
  const cloth = { width: 800, svg: null, layout: null };

  // ---- Bars: who is on the stack, and how long ----
  function bar(layout, first, last, lane, kind) {
    const x = layout.x(first) - 9, end = layout.x(last) + 9;
    return svg("rect", { class: `held ${kind}`, x, y: layout.y(lane) - 10,
      width: Math.max(18, end - x), height: 20, rx: 10 });
  }

  /// The step in which a task that runs since step `from` stops, or ends.
  function endOfRun(task, from) {
    const wait = task.waits[firstAfter(task.waits, from)];
    return wait ? wait.step : task.done ?? null;
  }

  /// Waits stand in the order of their steps: the index of the first one after `number`.
  function firstAfter(waits, number) {
    let low = 0, high = waits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (waits[middle].step > number)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  function laneOfCall(call) {
    return Page.stage === 1 && call.fetch ? call.fetch.row : Model.CALLS;
  }

  /// Everything that begins to run at a step, or had begun before the first one in sight.
  function runsIn(layout) {
    const { steps } = Page.model;
    const runs = steps[layout.from].stack.filter(({ step }) => step < layout.from);
    for (let i = layout.from; i <= layout.to; i++) {
      if (steps[i].kind === "call")
        runs.push({ call: steps[i].call, step: i });
      else if (steps[i].kind === "step")
        runs.push({ task: steps[i].task, step: i });
    }
    return runs;
  }

  function bars(layout) {
    const found = [];
    for (const { call, task, step } of runsIn(layout)) {
      const lane = call ? laneOfCall(call) : task.row;
      const end = call ? call.end : endOfRun(task, step);
      if (layout.y(lane) !== undefined && Page.isDrawn(step, end ?? layout.to))
        found.push(bar(layout, step, end ?? layout.to + 1, lane,
          call && Page.stage > 1 ? "call" : ""));
    }
    return found;
  }

  // ---- Words: only where all of them are in sight. A part of "20.6 ms" is another time. ----
  const LETTER = 6.8; // px, about

  /// What of the picture is in sight, as the picture counts.
  const inSight = ({ left, width, shift }) => ({ begin: left - 8 - shift, end: width - shift });

  /// The first of `texts` that fits between two places, in the middle of them; or null.
  function fitting(layout, texts, x1, x2) {
    const { begin, end } = inSight(layout);
    const from = Math.max(x1, begin), to = Math.min(x2, end);
    const KNOTS = 24; // px that the ones at both ends take
    const text = texts.find(words => words.length * LETTER < to - from - KNOTS);
    return text ? { text, x: (from + to) / 2 } : null;
  }

  // ---- Dotted lines: who stands still ----

  /// Where words on a lane have the most room: beside the knots that lie where the words would be.
  function roomFor(layout, y, from, to) {
    const isThere = i => Math.abs(Lanes.yOfStep(layout, Page.steps[i]) + 9 - y) < (i === Page.step ? 20 : 14);
    const knots = layout.drawn.filter(isThere).map(layout.x).filter(x => x > from && x < to);
    const rooms = [...knots, to].map((end, i) => ({ begin: (knots[i - 1] ?? from) + 12, end: end - 15 }));
    return rooms.reduce((best, room) => room.end - room.begin > best.end - best.begin ? room : best);
  }

  /// From step `first` to step `last`, with words if there is room for them.
  function dotted(layout, first, last, lane, words, kind = "") {
    const { from, to, unit, isSmall } = layout;
    if (!layout.isShown(lane) || last < from || first > to)
      return [];
    const { begin: left, end: right } = inSight(layout);
    const x1 = layout.x(Math.max(first, from)), x2 = layout.x(Math.min(last, to + 1));
    const y = layout.y(lane);
    const line = svg("line", { class: `parked ${kind}`, x1: x1 + 12, x2: Math.max(x1 + 13, x2 - 12),
      y1: y, y2: y });
    const { begin, end } = roomFor(layout, y, Math.max(x1 + 6, left), Math.min(x2, right));
    const letters = Math.floor((end - begin) / LETTER);
    const ENOUGH = isSmall ? 5 : 8;
    if (!words || letters < ENOUGH || x2 - x1 < unit)
      return [line];
    return [line, svg("text", { class: "word", x: begin + 2, y: y - 5 }, Dom.cut(words, letters))];
  }

  function wordsOfWait(wait) {
    const stopped = wait.chain[wait.chain.length - 1];
    const who = stopped ? Model.shortName(stopped.name) : "it";
    if (wait.task.talks)
      return Places.where(stopped, wait);
    const end = wait.future && Words.until(Page.model, wait.future);
    return end ? `${who} waits until ${end.replace(/`/g, "")}` : `${who} waits`;
  }

  /// A wait has two parts: until the future is done, and until the loop lets the task go on.
  function dottedWait(layout, wait, row) {
    const end = wait.resumed ?? wait.task.done ?? Page.steps.length;
    const isReadyAt = wait.future ? wait.future.end ?? end : wait.task.talks ? end : wait.step;
    const until = Math.min(end, Math.max(wait.step, isReadyAt));
    const still = until > wait.step ? dotted(layout, wait.step, until, row, wordsOfWait(wait)) : [];
    const ready = end > until + 1 || until === wait.step
      ? dotted(layout, until, end, row, "ready to run", "ready") : [];
    return [...still, ...ready];
  }

  function dottedTask(layout, task) {
    const lines = [];
    const { waits, row } = task;
    for (let i = firstAfter(waits, layout.to) - 1; i >= 0; i--) {
      const { resumed } = waits[i];
      if (resumed !== null && resumed !== undefined && resumed < layout.from)
        break;
      lines.push(...dottedWait(layout, waits[i], row));
    }
    const [first] = task.steps;
    if (first !== undefined && first > task.new + 1)
      lines.push(...dotted(layout, task.new, first, row,
        ...(task.talks ? ["not begun"] : ["ready to run", "ready"])));
    return lines;
  }

  function tasksInSight(layout) {
    const tasks = new Set();
    for (const { task } of Page.state.tasks.values())
      tasks.add(task);
    for (let i = layout.from; i <= layout.to; i++)
      if (Page.steps[i].task)
        tasks.add(Page.steps[i].task);
    return [...tasks].filter(task => layout.isShown(task.row));
  }

  /// Stage 1: between two callbacks, a fetch is a function that is registered.
  function dottedFetch(layout, fetch) {
    const lines = [];
    for (const watch of fetch.watches || []) {
      const words = `${watch.name}, when socket ${watch.fd} is ${Words.able(watch.events)}`;
      let since = whenStill(watch);
      for (const call of watch.calls || []) {
        lines.push(...dotted(layout, since, call.step, fetch.row, words));
        since = call.end ?? call.step;
      }
      if (since < watch.to)
        lines.push(...dotted(layout, since, watch.to, fetch.row, words));
    }
    return lines;
  }

  /// It's registered by a callback, which must return first.
  function whenStill(watch) {
    const inside = Page.steps[watch.from].stack.find(({ call }) => call);
    return inside?.call.end ?? watch.from;
  }

  function fetchesInSight(layout) {
    const fetches = new Set(Page.state.fetches.values());
    for (let i = layout.from; i <= layout.to; i++)
      fetches.add(Page.ownerOf(Page.steps[i]));
    fetches.delete(null);
    return [...fetches].filter(fetch => layout.isShown(fetch.row));
  }

  const parked = layout => Page.stage === 1
    ? fetchesInSight(layout).flatMap(fetch => dottedFetch(layout, fetch))
    : tasksInSight(layout).flatMap(task => dottedTask(layout, task));

  // ---- The thread itself ----
  function curve(x1, y1, x2, y2) {
    const bend = (x2 - x1) * 0.62;
    return y1 === y2 ? `M${x1} ${y1}H${x2}`
      : `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }

  function sleep(layout, number, x1, x2, y) {
    const isAhead = number >= Page.step;
    const slept = Words.time(Page.steps[number].slept);
    const words = fitting(layout, [`asleep ${slept}`, slept], x1, x2);
    const line = svg("path", { class: isAhead ? "asleep ahead" : "asleep",
      d: `M${x1 + 11} ${y}H${x2 - 11}` });
    return !words ? [line] : [line, svg("text", { class: isAhead ? "word" : "word sleep",
      x: words.x, y: y - 7, "text-anchor": "middle" }, words.text)];
  }

  function string(layout) {
    const { steps } = Page.model;
    let past = "M0 0", ahead = "M0 0";
    const sleeps = [];
    layout.drawn.slice(0, -1).forEach((i, index) => {
      const next = layout.drawn[index + 1];
      let x1 = layout.x(i);
      const x2 = layout.x(next);
      const y1 = Lanes.yOfStep(layout, steps[i]), y2 = Lanes.yOfStep(layout, steps[next]);
      if (steps[i].asleep) {
        const awake = y1 === y2 ? x2 : Math.max(x1 + 24, x2 - layout.unit * 0.8);
        sleeps.push(...sleep(layout, i, x1, awake, y1));
        x1 = awake;
      }
      const line = x1 < x2 ? curve(x1, y1, x2, y2) : "";
      if (i < Page.step)
        past += line;
      else
        ahead += line;
    });
    return [svg("path", { class: "string ahead", d: ahead }),
      svg("path", { class: "string", d: past }), ...sleeps];
  }

  // ---- Arrows: from a future to whom it wakes ----
  const ENDS = ["resolve", "fail", "drop"];

  function arrow(layout, number, wait) {
    const x1 = layout.x(number), x2 = layout.x(wait.resumed);
    const y1 = layout.y(Page.steps[number].lane), y2 = layout.y(wait.task.row);
    if (x2 - x1 < layout.unit * 1.5)
      return []; // the thread itself goes there
    const ahead = number > Page.step ? " ahead" : "";
    const middle = (y1 + y2) / 2 + 10, end = x2 - 15;
    const d = `M${x1} ${y1 + 8}C${x1} ${middle} ${x2 - layout.unit} ${y2} ${end} ${y2}`;
    return [svg("path", { class: `wake${ahead}`, d }),
      svg("path", { class: `head-of-wake${ahead}`, d: `M${end + 5} ${y2}l-7-4v8z` })];
  }

  function arrows(layout) {
    const found = [];
    for (const i of layout.drawn) {
      const { kind, future } = Page.steps[i];
      if (!ENDS.includes(kind))
        continue;
      for (const wait of future.waiters)
        if (wait.resumed > i && wait.resumed <= layout.to + 6 && Page.isDrawn(wait.resumed)
            && layout.isShown(wait.task.row))
          found.push(...arrow(layout, i, wait));
    }
    return found;
  }

  // ---- Words above the thread: what is said to generators, and what they reply ----
  function sayings(layout) {
    const found = [];
    let { begin, end } = inSight(layout);
    for (let i = layout.from; i <= layout.to; i++) {
      const { kind, lane, word } = Page.steps[i];
      if (kind !== "ask" && kind !== "reply")
        continue;
      const text = kind === "ask" ? Words.short(Page.model, i) : word ?? "–";
      const x = layout.x(i) - 8;
      if (x < begin || x + text.length * LETTER > end)
        continue;
      begin = x + text.length * LETTER; // what is said next has its place beside it, or none
      found.push(svg("text", { class: "word", x, y: layout.y(lane) - 14 }, text));
    }
    return found;
  }

  // ---- Knots: the steps ----
  function knots(layout) {
    const found = [];
    for (const i of layout.drawn) {
      const step = Page.steps[i];
      const isNow = i === Page.step;
      const x = layout.x(i), y = Lanes.yOfStep(layout, step);
      const knot = Signs.knot(Signs.signOf(step), { isNow });
      knot.setAttribute("transform", `translate(${x} ${y})`);
      knot.dataset.step = i;
      if (i > Page.step)
        knot.classList.add("ahead");
      if (isNow)
        found.push(svg("circle", { class: "ring", cx: x, cy: y, r: 15 }));
      found.push(knot);
    }
    return found;
  }

  // ---- Names of the lanes ----
  function name(layout, y, text, rest, kind) {
    const label = svg("text", { class: `label ${kind}`, x: 14, y: y + 4 }, text);
    const room = Math.floor((layout.left - 24) / 6.7) - text.length - 1;
    const fits = rest && room > 3 && (!layout.isSmall || rest.length <= room + 1);
    if (fits)
      label.append(svg("tspan", { dx: 5 }, Dom.cut(rest, room)));
    return label;
  }

  /// "task 3", and what it does; in stage 1, what is fetched.
  function wordsOn(layout, owner) {
    if (Page.stage === 1)
      return [Dom.cut(owner.path, layout.isSmall ? 11 : 21), ""];
    const isOver = owner.done <= Page.step;
    if (!isOver && !layout.owners.has(owner.row))
      return [Words.who(owner), "to come"];
    const path = Words.pathOfTask(Page.state, owner)
      || (isOver && Page.stage === 2 && owner.fetch?.path); // its last fetch stays its name
    const who = [owner.own, path].filter(text => text).join(" ");
    return [Words.who(owner), who || owner.label];
  }

  const runs = (lane, step) => step.lane === lane ? "runs" : "";

  /// A task's name leads to it, as in the table; who isn't there has a thinner one.
  function nameOfRow(layout, row, step) {
    const owner = layout.named.get(row);
    const kind = layout.owners.has(row) ? runs(row, step) : `gone ${runs(row, step)}`;
    const label = name(layout, layout.y(row), ...wordsOn(layout, owner), kind);
    label.dataset.row = row;
    return label;
  }

  function names(layout) {
    const step = Page.now();
    const isMain = step.turn === 0, isSmall = layout.isSmall;
    const found = [name(layout, layout.y(Model.LOOP), isMain ? "main" : "the loop",
      Page.state.asleep ? "asleep" : "", runs(Model.LOOP, step))];
    if (layout.isShown(Model.CALLS))
      found.push(name(layout, layout.y(Model.CALLS), "callbacks", "", runs(Model.CALLS, step)));
    found.push(...layout.rows.map(row => nameOfRow(layout, row, step)));
    if (layout.rest > 0) {
      const what = Page.stage === 1 ? "fetch" : Page.model.talks ? "generator" : "task";
      const many = layout.rest === 1 ? what : what === "fetch" ? "fetches" : `${what}s`;
      found.push(name(layout, layout.y(Lanes.REST),
        isSmall ? `${Words.num(layout.rest)} more` : `${Words.num(layout.rest)} more ${many}`, "", "gone"));
    }
    return found;
  }

  /// The picture in a sentence, for who can't see it.
  function inWords(layout) {
    const { lane } = Page.now();
    const owner = layout.owners.get(lane);
    const where = lane === Model.LOOP ? Page.model.talks ? "in main" : "in the loop"
      : lane === Model.CALLS ? "in a callback"
        : !owner ? "in a task that has ended"
          : Page.stage === 1 ? `in a callback of ${owner.path}`
            : `in ${Words.who(owner)}`;
    const others = Page.stage === 1 ? "Fetches under way"
      : Page.model.talks ? "Generators that are there" : "Tasks that are there";
    return `The thread is ${where}. ${others}: ${Words.num(layout.owners.size)}.`;
  }

  // ---- The picture ----
  function makeSvg() {
    const clip = svg("rect", {});
    const parts = { clip, lanes: svg("g"), picture: svg("g", { class: "picture" }),
      names: svg("g", { class: "names" }) };
    parts.root = svg("svg", { role: "img" },
      svg("defs", {}, svg("clipPath", { id: "beside-the-names" }, clip)),
      parts.lanes, svg("g", { "clip-path": "url(#beside-the-names)" }, parts.picture), parts.names);
    one(".cloth").replaceChildren(parts.root);
    return parts;
  }

  function setSize(parts, { width, height, left }) {
    parts.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    parts.root.setAttribute("height", height);
    const clip = { x: left - 8, y: 0, width: Math.max(0, width - left + 8), height };
    for (const [key, value] of Object.entries(clip))
      parts.clip.setAttribute(key, value);
  }

  function laneLines(layout) {
    const { width, height, left, here, unit } = layout;
    const lines = layout.lanes.map(lane => svg("line", { class: "lane", x1: left - 4, x2: width,
      y1: layout.y(lane), y2: layout.y(lane) }));
    return [...lines, svg("rect", { class: "here", x: here - unit / 2, y: 4, width: unit,
      height: height - 8, rx: 7 })];
  }

  function draw() {
    cloth.svg ??= makeSvg();
    const parts = cloth.svg;
    const layout = cloth.layout = Lanes.layOut(cloth.width);
    setSize(parts, layout);
    parts.lanes.replaceChildren(...laneLines(layout));
    parts.picture.replaceChildren(...bars(layout), ...parked(layout), ...string(layout),
      ...arrows(layout), ...sayings(layout), ...knots(layout));
    parts.picture.style.transform = `translateX(${layout.shift}px)`;
    const behindNames = svg("rect", { x: 0, y: 0, width: layout.left - 10, height: layout.height });
    parts.names.replaceChildren(behindNames, ...names(layout));
    parts.root.setAttribute("aria-label", inWords(layout));
  }

  // ---- What can be done with it ----
  const knotUnder = event => event.target.closest?.(".knot");

  function onClick(event) {
    const knot = knotUnder(event), label = event.target.closest?.("[data-row]");
    if (knot)
      Page.go(Number(knot.dataset.step));
    if (label)
      Page.goTo(cloth.layout.named.get(Number(label.dataset.row)));
  }

  /// What a knot means is told when the pointer comes to it.
  function onPointer(event) {
    const knot = knotUnder(event);
    if (!knot || knot.querySelector("title"))
      return;
    const number = Number(knot.dataset.step);
    knot.append(svg("title", {}, `${number + 1}: ${Words.short(Page.model, number)}`));
  }

  function begin() {
    const box = one(".cloth");
    box.addEventListener("click", onClick);
    box.addEventListener("pointerover", onPointer);
    cloth.width = box.clientWidth || cloth.width;
    new ResizeObserver(() => {
      if (box.clientWidth !== cloth.width && box.clientWidth > 0) {
        cloth.width = box.clientWidth;
        draw();
      }
    }).observe(box);
  }

  return { begin, draw };
})();
