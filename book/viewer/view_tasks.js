// The tasks, as a tree: each with its chain of coroutines, outermost first, and beneath a
// task the one that it awaits.
"use strict";

const TasksPane = (() => {
  const { el, span, p, row, one, byId, rich } = Dom;
  const MOST = 14; // cards at a time
  const STATES = { new: "new", ready: "ready to run", running: "runs now", waiting: "suspended",
    done: "done" };
  const opened = new Map(); // by task: what the reader has opened or closed by hand

  // ---- Order: who awaits whom ----

  /// [{ entry, depth }]: a task that is awaited by another stands beneath that one.
  function asTree(entries) {
    const byTask = new Map(entries.map(entry => [entry.task, entry]));
    const awaited = entry => byTask.get(entry.awaiting?.task);
    const inner = new Set(entries.map(awaited).filter(entry => entry));
    const lines = [], seen = new Set();
    const add = (entry, depth) => {
      if (!entry || seen.has(entry))
        return;
      seen.add(entry);
      lines.push({ entry, depth });
      add(awaited(entry), depth + 1);
    };
    entries.filter(entry => !inner.has(entry)).forEach(entry => add(entry, 0));
    entries.forEach(entry => add(entry, 0)); // those that await each other in a ring
    return lines;
  }

  /// The task that this step is about.
  function focusOf(step) {
    const about = Page.ownerOf(step) || step.call?.task || step.future?.task
      || step.future?.waiters[0]?.task;
    return about && Page.state.tasks.has(about.id) ? about : null;
  }

  // ---- One task ----

  /// In stage 2, a task may run inside another one's step: that one is on the stack, too, but
  /// the thread is not in it.
  function hasThread(task) {
    const { stack } = Page.now();
    return stack.length > 0 && stack[stack.length - 1].task === task;
  }

  function frame(link, depth, isLast) {
    const at = Places.place(link.at);
    const words = isLast ? "is here" : "awaits the next one";
    const show = () => at && SourcePane.show({ at, mark: words, tone: "wait" }, true);
    return el("li", { style: `--depth:${depth}` },
      el("button", { class: isLast && "stop", onclick: show,
        "aria-label": `${link.name}, ${link.at || "runs"}` }, Model.shortName(link.name)),
      span("at", Dom.fileName(link.at)));
  }

  /// On the stack, but not on top: it has made another task go on.
  function whoIsAbove(task) {
    const { stack } = Page.now();
    const above = stack[stack.findIndex(frame => frame.task === task) + 1];
    const who = above?.task ? `task ${above.task.n}` : above?.call?.name;
    return `${who ? `has called ${who}: ` : ""}on the stack, underneath`;
  }

  const isQueued = task => [Page.state.running, ...Page.state.runNow, ...Page.state.runNext]
    .some(entry => entry?.task === task);

  /// What stands at the end of the chain: why it goes no further.
  function plug(entry) {
    const { state, awaiting, chain } = entry;
    const line = (kind, ...words) =>
      el("li", { class: `plug ${kind}`, style: `--depth:${chain.length}` }, ...words);
    if (state === "running")
      return line("run", hasThread(entry.task) ? "the thread is in here" : whoIsAbove(entry.task));
    if (state === "ready")
      return line("loop", awaiting ? `${Words.futureName(awaiting)} is done: ` : "",
        Page.stage < 3 ? "resumes at once" : isQueued(entry.task) ? "in the ready queue"
          : "will be put into the ready queue");
    if (!awaiting)
      return null;
    const end = Words.until(Page.model, awaiting);
    return line("future", Words.futureName(awaiting),
      end && el("small", {}, ...rich(awaiting.task ? "" : `until ${end}`)));
  }

  function details(entry) {
    const { chain, state } = entry;
    if (chain.length === 0)
      return p("empty", 
        state === "running" ? "in its first coroutine" : "has not run yet");
    const frames = chain.map((link, i) => frame(link, i, i === chain.length - 1));
    return el("ul", { class: "frames" }, ...frames, plug(entry) || "");
  }

  function stateOf(entry, isOpen) {
    const stopped = entry.chain[entry.chain.length - 1];
    if (entry.state === "done" && entry.outcome)
      return `done: ${entry.outcome}`;
    if (entry.state === "running" && !hasThread(entry.task))
      return "on the stack";
    if (isOpen || !stopped || entry.state !== "waiting")
      return STATES[entry.state];
    return `${Model.lastName(stopped.name)}, ${Dom.fileName(stopped.at)}`;
  }

  function card({ entry, depth }, isOpen) {
    const { task, state } = entry;
    const path = Words.pathOfTask(Page.state, task);
    const what = [task.own, path].filter(text => text).join(" ") || task.label;
    const toggle = () => {
      opened.set(task, !isOpen);
      draw();
    };
    const canOpen = state !== "done";
    const kind = depth > 0 ? `task inner ${state}` : `task ${state}`;
    return el("div", { class: kind, style: `--tree:${depth}` },
      el("button", { onclick: toggle, "aria-expanded": String(isOpen && canOpen) },
        span("name", `task ${task.n}`),
        span("what", what),
        span("state", stateOf(entry, isOpen))),
      isOpen && canOpen && details(entry));
  }

  // ---- The pane ----

  /// Of many tasks, those around the one that the step is about.
  function partOf(lines, focus) {
    const about = Math.max(0, lines.findIndex(({ entry }) => entry.task === focus));
    const first = Math.max(0, Math.min(about - 6, lines.length - MOST));
    return lines.slice(first, first + MOST);
  }

  function drawTasks() {
    const entries = [...Page.state.tasks.values()];
    const alive = entries.filter(entry => entry.state !== "done").length;
    const ended = entries.length - alive;
    byId("tasks-title").textContent = `Tasks: ${alive > 0 ? Words.num(alive) : "none"}`
      + (ended > 0 ? `, and ${Words.num(ended)} just ended` : "");
    const focus = focusOf(Page.now());
    const isFew = alive <= 2;
    const part = partOf(asTree(entries), focus);
    const cards = part.map(line => {
      const { task } = line.entry;
      return card(line, opened.get(task) ?? (isFew || task === focus));
    });
    one("#tasks .body").replaceChildren(...cards, Dom.more(entries.length - part.length));
    const index = part.findIndex(({ entry }) => entry.task === focus);
    bringIntoSight(cards[index]);
  }

  /// Only when the browser is about to draw: to measure earlier would cost a layout.
  let coming = null;
  function bringIntoSight(card) {
    cancelAnimationFrame(coming);
    coming = requestAnimationFrame(() => {
      const pane = byId("tasks");
      if (!card || pane.scrollHeight <= pane.clientHeight)
        return;
      const heading = byId("tasks-title").offsetHeight; // stays where it is
      const top = card.offsetTop - pane.offsetTop - heading;
      const bottom = top + heading + card.offsetHeight;
      const { scrollTop, clientHeight } = pane;
      if (top < scrollTop || bottom > scrollTop + clientHeight)
        pane.scrollTop = Math.min(top, bottom - clientHeight + 4);
    });
  }

  function fetchLine(fetch, watches, step) {
    const isRunning = step.stack.some(x => x.call?.fetch === fetch);
    const watch = watches.find(each => each.fetch === fetch);
    const next = isRunning ? "runs now" : watch ? el("code", {}, watch.name) : "";
    return row(isRunning ? "run" : "", [el("code", {}, fetch.path)], [next],
      watch && !isRunning ? `socket ${watch.fd}` : "");
  }

  /// Stage 1 has no tasks: what comes next is in the functions that are registered.
  function drawFetches() {
    const MOST_FETCHES = 24;
    const fetches = [...Page.state.fetches.values()], watches = [...Page.state.watches.values()];
    const step = Page.now();
    const lines = fetches.slice(0, MOST_FETCHES).map(fetch => fetchLine(fetch, watches, step));
    byId("tasks-title").textContent = lines.length === 0 ? "Tasks: none"
      : "Tasks: none. What each fetch does next";
    one("#tasks .body").replaceChildren(...(lines.length > 0
      ? [el("ul", { class: "rows" }, ...lines), Dom.more(fetches.length - lines.length)] : []));
  }

  function draw() {
    if (Page.stage === 1)
      drawFetches();
    else
      drawTasks();
  }

  return { draw };
})();
