// The table of tasks: what each waits for, since when, and how long it has had the thread. Its columns
// sort it. Beneath the task that a step is about, and the one that was chosen, stands its chain of
// coroutines (view_chain.js). In stage 1, which has no tasks, the lines are fetches.
"use strict";

const TasksPane = (() => {
  const { el, span, p, one, byId, rich } = Dom;
  const MOST = 40; // lines

  // ---- A line: what is known of a task, or a fetch ----

  function measures(owner, began, since) {
    const { model, step, steps } = Page;
    const busy = Busy.of(model, owner, step);
    return { owner, busy, since, idle: Math.max(0, steps[step].t - began - busy), steps: Busy.steps(model, owner, step) };
  }

  /// In stage 2, a task may run inside another one's step: that one is on the stack, too, but
  /// the thread is not in it.
  function hasThread(task) {
    const { stack } = Page.now();
    return stack.length > 0 && stack[stack.length - 1].task === task;
  }

  /// The words, the tone, and where it comes when the lines are sorted by what they wait for.
  function stateOf(entry) {
    const { state, awaiting, task } = entry;
    if (state === "running")
      return hasThread(task) ? ["runs now", "run", "0"] : ["on the stack", "run", "1"];
    if (state === "done")
      return [task.outcome === "returned" ? "done" : `done: ${task.outcome}`, "off", "8"];
    if (state === "new")
      return ["has not run yet", "", "3"];
    if (!awaiting || state === "ready")
      return ["ready to run", "loop", "2"];
    const end = awaiting.task ? `task ${awaiting.task.n} ends` : Words.until(Page.model, awaiting);
    const inLine = awaiting.line && (awaiting.line.side === "getters" ? "there is an item" : "there is room");
    const words = end || inLine || Words.futureName(awaiting);
    return [words, "", `4 ${words}`];
  }

  function lineOfTask({ entry, depth }) {
    const { task } = entry, { steps } = Page;
    const path = Words.pathOfTask(Page.state, task);
    const began = steps[task.new ?? 0].t;
    const [words, tone, order] = stateOf(entry);
    return { ...measures(task, began, steps[entry.since ?? task.new ?? 0].t), entry, depth, words, tone,
      order, number: task.n, name: `task ${task.n}`,
      what: [task.own, path].filter(text => text).join(" ") || task.label };
  }

  function lineOfFetch(fetch) {
    const { steps, state, step } = Page;
    const isRunning = steps[step].stack.some(frame => frame.call?.fetch === fetch);
    const watch = [...state.watches.values()].find(each => each.fetch === fetch);
    const last = Busy.runs(fetch).findLast(n => n <= step);
    const words = isRunning ? "runs now" : watch
      ? `\`${watch.name}\`, when socket ${watch.fd} is ${Words.able(watch.events)}` : "";
    return { ...measures(fetch, fetch.t0, last === undefined ? fetch.t0 : steps[last].t), depth: 0, words,
      tone: isRunning ? "run" : "", order: `${isRunning ? 0 : 1} ${words}`, number: fetch.row,
      name: "", what: fetch.path };
  }

  // ---- Order: by a column, or who awaits whom ----

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

  // Where there isn't room for all columns, the last ones by `needs` (px of the pane) go.
  const COLUMNS = [
    { key: "number", needs: 0, words: () => Page.stage === 1 ? "fetch" : "task" },
    { key: "order", needs: 0, words: () => Page.stage === 1 ? "what comes next" : "waits until" },
    { key: "since", needs: 350, words: () => "since", title: "when it came to stand like that" },
    { key: "steps", needs: 385, words: () => Page.stage === 1 ? "calls" : "steps", title: "how often it has run" },
    { key: "busy", needs: 280, words: () => "busy", title: "its time on the thread" },
    { key: "idle", needs: 420, words: () => "idle", title: "the rest of its time: it's in memory, and costs nothing else" },
  ];
  let columns = COLUMNS;
  const by = { key: "number", isDown: false };

  function inOrder(lines) {
    if (by.key === "number" && !by.isDown)
      return lines; // as a tree
    const sign = by.isDown ? -1 : 1;
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    return lines.map(line => ({ ...line, depth: 0 })).sort((one, other) =>
      sign * compare(one[by.key], other[by.key]) || one.number - other.number);
  }

  /// Numbers that are sorted are looked at for the biggest, so these come first.
  function sortBy(key) {
    by.isDown = by.key === key ? !by.isDown : !["number", "order"].includes(key);
    by.key = key;
    draw();
    byId(`by-${key}`).focus();
  }

  function heading({ key, words, title }) {
    const sorted = by.key !== key ? null : by.isDown ? "descending" : "ascending";
    return el("th", { scope: "col", class: key, "aria-sort": sorted },
      el("button", { id: `by-${key}`, onclick: () => sortBy(key), title: `${title ? `${title}; ` : ""}sort by this` },
        words(), span("", sorted ? by.isDown ? " ▾" : " ▴" : "")));
  }

  // ---- The rows ----
  const isChosen = ({ owner }) => owner === Page.chosen;

  function nameCell(line) {
    const { owner, name, what, depth } = line;
    return el("th", { scope: "row", class: "number", style: `--tree:${depth}` },
      el("button", { onclick: () => Page.goTo(owner), title: "to where it runs next" },
        el("b", {}, name || what), name ? ` ${what}` : ""));
  }

  function row(line) {
    const { words, tone, since, steps, busy, idle } = line;
    const kind = `${tone} ${isChosen(line) ? "chosen" : ""}`.trim();
    const cells = { since: Words.time(since), steps: Words.num(steps), busy: Words.time(busy),
      idle: Words.time(idle) };
    return el("tr", { class: kind || null, "aria-current": isChosen(line) && "true" },
      nameCell(line),
      el("td", { class: "order", title: words.replace(/`/g, "") }, ...rich(words)),
      ...columns.slice(2).map(({ key }) => el("td", { class: key }, cells[key])));
  }

  function chainRow({ entry }) {
    return el("tr", { class: "chain" }, el("td", { colspan: columns.length }, Chain.list(entry)));
  }

  function table(lines, focus) {
    const rows = lines.flatMap(line => {
      const isOpen = line.entry && line.entry.chain.length > 0
        && (line.owner === focus || isChosen(line));
      return isOpen ? [row(line), chainRow(line)] : [row(line)];
    });
    return el("table", { "aria-labelledby": "tasks-title" },
      el("thead", {}, el("tr", {}, ...columns.map(heading))), el("tbody", {}, ...rows));
  }

  /// The task that this step is about.
  function focusOf(step) {
    const about = Page.ownerOf(step) || step.call?.task || step.future?.task
      || step.future?.waiters[0]?.task;
    return about && Page.state.tasks.has(about.id) ? about : null;
  }

  /// Of many lines, those around the one that the step is about.
  function partOf(lines, focus) {
    const about = Math.max(0, lines.findIndex(({ owner }) => owner === focus));
    const first = Math.max(0, Math.min(about - 6, lines.length - MOST));
    return lines.slice(first, first + MOST);
  }

  // ---- Futures that no task waits for: of the others, the table tells ----
  function loneFutures() {
    const SIGNS = { pending: "○", resolved: "●", failed: "!", cancelled: "✕" };
    const lone = [...Page.state.futures.values()].filter(({ waiters }) => waiters.length === 0);
    if (lone.length === 0)
      return "";
    const names = lone.slice(0, 8).map(({ future, state }) => `${SIGNS[state]} ${Words.futureName(future)}`);
    const more = lone.length > names.length ? ` and ${Words.num(lone.length - names.length)} more` : "";
    return p("empty", `Nothing waits for ${names.join(", ")}${more}.`);
  }

  function titleOf(entries) {
    const many = number => number > 0 ? Words.num(number) : "none";
    if (Page.stage === 1)
      return `Fetches: ${many(Page.state.fetches.size)}`;
    const alive = entries.filter(entry => entry.state !== "done").length, ended = entries.length - alive;
    return `Tasks: ${many(alive)}`
      + (ended > 0 ? `, and ${Words.num(ended)} just ended` : "");
  }

  function draw() {
    const entries = [...Page.state.tasks.values()];
    const all = Page.stage === 1 ? [...Page.state.fetches.values()].map(lineOfFetch)
      : asTree(entries).map(lineOfTask);
    const focus = Page.stage === 1 ? Page.ownerOf(Page.now()) : focusOf(Page.now());
    const lines = partOf(inOrder(all), focus);
    byId("tasks-title").textContent = titleOf(entries);
    one("#tasks .body").replaceChildren(all.length > 0 ? table(lines, focus) : p("empty", "There is none at this step."),
      Dom.more(all.length - lines.length), loneFutures());
    bringIntoSight(lines.findIndex(({ owner }) => owner === (Page.chosen ?? focus)));
  }

  function fit(width) {
    const before = columns;
    columns = COLUMNS.filter(({ needs }) => needs <= width);
    if (columns.length !== before.length && Page.step >= 0)
      draw();
  }

  function begin() {
    const body = one("#tasks .body");
    fit(body.clientWidth);
    new ResizeObserver(() => fit(body.clientWidth)).observe(body);
  }

  /// Only when the browser is about to draw: to measure earlier would cost a layout.
  let coming = null;
  function bringIntoSight(index) {
    cancelAnimationFrame(coming);
    coming = requestAnimationFrame(() => {
      const pane = byId("tasks"), line = pane.querySelectorAll("tbody tr:not(.chain)")[index];
      if (!line || pane.scrollHeight <= pane.clientHeight)
        return;
      const chain = line.nextElementSibling?.matches(".chain") ? line.nextElementSibling.offsetHeight : 0;
      const heading = byId("tasks-title").offsetHeight + pane.querySelector("thead").offsetHeight;
      const box = line.getBoundingClientRect(), frame = pane.getBoundingClientRect();
      const top = box.top - frame.top + pane.scrollTop - heading;
      const bottom = top + heading + box.height + chain + 30; // above what says that there is more
      const { scrollTop, clientHeight } = pane;
      if (top < scrollTop || bottom > scrollTop + clientHeight)
        pane.scrollTop = Math.min(top, bottom - clientHeight);
    });
  }

  return { begin, draw, hasThread };
})();
