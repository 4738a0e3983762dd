// The loop: what is on the stack, what it will run, whom it watches, and its timers.
"use strict";

const LoopPane = (() => {
  const { el, p, row, one, byId, rich } = Dom;
  const MOST = 6; // lines in a list

  const sub = text => p("sub", text);

  /// A list, cut where it gets long. Lines are made only of what is shown.
  function rows(things, lineOf, most = MOST) {
    const list = el("ul", { class: "rows" }, ...things.slice(0, most).map(lineOf));
    return [list, Dom.more(things.length - most)];
  }

  // ---- The stack ----
  function stack(step) {
    const frames = step.stack.map(({ call, task }) => call ? call.name : `task ${task.n}`);
    const boxes = frames.flatMap((text, i) =>
      [el("i", {}, "›"), el("b", { class: i === frames.length - 1 ? "top" : "frame" }, text)]);
    const sleeps = Page.state.asleep
      ? [el("i", {}, "›"), el("b", { class: "sleeps" }, "select: asleep")] : [];
    return p("boxes", "on the stack", el("b", { class: "frame" },
      step.turn === 0 ? "main" : "the loop"), ...sleeps, ...boxes);
  }

  // ---- Sockets: stages 1 and 2 call back in the order in which the selector told ----
  function toldLine(entry, step) {
    const isRunning = step.stack.some(({ call }) => call?.ready === entry.step);
    const how = isRunning ? "runs now" : entry.called ? "was called" : "will be called";
    const watch = entry.watches?.[0];
    const name = watch && el("code", {}, watch.name);
    return row(isRunning ? "run" : entry.called ? "off" : "loop", [`socket ${entry.fd}`],
      [name, " ", el("small", {}, pathOf(watch))], how);
  }

  /// Those that are ready, and then those that aren't: a socket has one line, but for one that is
  /// registered anew after its callback has run.
  function sockets(step) {
    const { ready } = Page.state;
    const isTold = watch => ready.some(({ watches, called, step: n }) => watches?.includes(watch)
      && (!called || step.stack.some(({ call }) => call?.ready === n)));
    const all = [...Page.state.watches.values()];
    const watched = all.filter(watch => !isTold(watch));
    const called = ready.filter(entry => entry.called).length;
    const first = Math.max(0, Math.min(called - 1, ready.length - MOST)); // the last that was called
    const many = things => things.length === 0 ? "none" : Words.num(things.length);
    return [sub(`Sockets: ${many(all)} registered, ${many(ready)} ready this turn`),
      ...rows([...ready.slice(first), ...watched], one => one.step === undefined
        ? watchLine(one, step) : toldLine(one, step), 2 * MOST)];
  }

  // ---- What is ready: stage 3 has a queue ----
  function aboutEntry(entry) {
    if (entry.task)
      return Words.pathOfTask(Page.state, entry.task) || entry.task.label;
    if (entry.watch?.mailbox)
      return "other threads have left something";
    return Dom.fileName((entry.watch || entry).at);
  }

  const queued = (entry, kind, how) =>
    row(kind, rich(Words.entry(entry)), [el("small", {}, aboutEntry(entry) || "")], how);

  function readyQueue() {
    const { running, runNow, runNext } = Page.state;
    const now = running ? [running, ...runNow] : runNow;
    const lineNow = entry => entry === running ? queued(entry, "run", "runs now")
      : queued(entry, "", "this turn");
    const next = [sub(`For the next turn: ${Words.num(runNext.length)}`),
      ...rows(runNext, entry => queued(entry, "", "next turn"))];
    return [sub(`Ready queue: ${Words.num(runNow.length)} for this turn`), ...rows(now, lineNow),
      ...(runNext.length > 0 ? next : [])];
  }

  // ---- Who is registered ----
  function pathOf(watch) {
    if (!watch)
      return "";
    return watch.fetch?.path || (watch.task && Words.pathOfTask(Page.state, watch.task)) || "";
  }

  function watchLine(watch, step) {
    const isRunning = step.stack.some(({ call }) => call && call.watch === watch);
    const who = watch.mailbox ? "mailbox" : `socket ${watch.fd}`;
    const task = watch.task && Page.state.tasks.has(watch.task.id) ? `task ${watch.task.n}` : "";
    const what = watch.mailbox ? [el("small", {}, "for other threads")]
      : [el("code", {}, watch.name), " ", el("small", {}, pathOf(watch) || task)];
    const how = isRunning ? "runs now" : `until ${Words.able(watch.events)}`;
    return row(isRunning ? "run" : "", [who], what, how);
  }

  function registered(step) {
    const watches = [...Page.state.watches.values()];
    return [sub(`Registered: ${watches.length > 0 ? Words.num(watches.length) : "none"}`),
      ...rows(watches, watch => watchLine(watch, step))];
  }

  // ---- Timers ----
  function timerLine(timer) {
    const set = Page.steps[timer.set].t;
    const left = set + timer.ms * 1000 - Page.now().t;
    return row("", [rich(`\`${timer.name}\``)[0]], [el("small", {}, Dom.fileName(timer.at))],
      left > 0 ? `in ${Words.time(Math.round(left))}` : "due");
  }

  function timers() {
    const all = [...Page.state.timers.values()];
    if (all.length === 0)
      return [sub("Timers: none is set")];
    const dueAt = timer => Page.steps[timer.set].t + timer.ms * 1000;
    all.sort((a, b) => dueAt(a) - dueAt(b));
    return [sub(`Timers: ${Words.num(all.length)}`), ...rows(all, timerLine, 4)];
  }

  function draw() {
    const step = Page.now();
    const turn = step.turn === 0 ? "not begun" : `turn ${Words.num(step.turn)}`;
    byId("loop-title").textContent = `The loop: ${turn}`;
    const lists = Page.stage === 3 ? [...readyQueue(), ...registered(step), ...timers()] : sockets(step);
    one("#loop .body").replaceChildren(stack(step), ...lists);
  }

  return { draw };
})();
