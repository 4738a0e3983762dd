// The panes of a program that talks with generators: their frames, the stack and what was said,
// and the places where they can stand. They stand where other pages have tasks, the loop, and
// the queue.
"use strict";

/// Words of a page that more than one of its panes needs.
const Talks = (() => {
  const steps = kind => Page.steps.filter(step => step.kind === kind);

  /// Who calls: a plain function, with main underneath. Between two calls, who will call next.
  function caller() {
    const calls = [...steps("ask"), ...steps("reply")].sort((a, b) => a.n - b.n);
    const call = calls.find(step => step.n >= Page.step) || calls[calls.length - 1];
    return call?.e.by || "main";
  }

  /// The frames of one generator, the outermost first.
  function frames(entry) {
    const { chain, task } = entry;
    return chain.length > 0 ? chain : [{ name: task.function, at: task.at }];
  }

  return { steps, caller, frames };
})();

const TasksPane = (() => {
  const { el, span, p, row, one, byId } = Dom;
  const isRunning = entry => entry.state === "running";

  function where(entry, link) {
    const text = Places.awaited(link.at);
    return entry.ended ? "behind its last line" : text ? el("code", {}, text)
      : "before its first line";
  }

  function stateOf(entry, isInnermost) {
    if (isRunning(entry) && isInnermost)
      return "has the thread";
    if (entry.state === "new")
      return "has not begun";
    return entry.ended ? "has ended" : "suspended";
  }

  /// Who goes on, or waits: by its place in the chain.
  const nameOf = (links, i, own) => i === undefined ? "none" : i === own ? "itself"
    : links[i] ? el("code", {}, Model.shortName(links[i].name)) : "one that has ended";

  function pointers(links, i) {
    if (Talks.steps("enter").length === 0)
      return [];
    return [row("", ["caller"], [nameOf(links, i > 0 ? i - 1 : undefined)],
      i > 0 ? "waits for it" : ""),
    row("", ["innermost"], [nameOf(links, links[i].innermost ?? i, i)],
      i === 0 ? "resumes next" : "")];
  }

  /// The words in its promise: one on its way in, and one on its way out.
  function words(entry, isInnermost) {
    const held = isInnermost && entry.held;
    const line = (names, otherwise, how) => {
      const isHere = held && names.includes(held.name);
      return row(isHere ? "future" : "off", [isHere ? held.name : otherwise],
        isHere ? ["→ ", el("code", {}, held.word ?? "a value")] : ["–"], isHere ? how : "");
    };
    const isSpokenTo = Page.steps.some(step => step.kind === "ask" && step.word !== null);
    return [isSpokenTo && line(["sent", "thrown"], "sent", "on its way in"),
      line(["yielded", "returned", "error"], "yielded", "on its way out")];
  }

  function frame(entry, links, i) {
    const isInnermost = i === links.length - 1;
    const isHere = isRunning(entry) && isInnermost;
    const { number } = entry;
    const lines = [row(isHere ? "off" : "", [isHere ? "was at" : "is at"], [where(entry, links[i])],
      i === 0 && number !== undefined ? `number ${number}` : ""),
    ...words(entry, isInnermost), ...pointers(links, i)];
    return el("div", { class: `task ${isHere ? "running" : ""}` },
      el("p", { class: "head" }, span("name", Model.shortName(links[i].name)),
        span("what", i === 0 ? Words.who(entry.task) : ""),
        span("state", stateOf(entry, isInnermost))),
      el("ul", { class: "rows" }, ...lines.filter(line => line)));
  }

  function draw() {
    const entries = [...Page.state.tasks.values()];
    const all = entries.flatMap(entry => {
      const links = Talks.frames(entry);
      return links.map((_, i) => frame(entry, links, i));
    });
    byId("tasks-title").textContent = `Frames on the heap: ${all.length}`;
    one("#tasks .body").replaceChildren(...all,
      all.length === 0 ? p("empty", "There is none.") : "");
  }

  return { begin() {}, draw };
})();

const LoopPane = (() => {
  const { el, p, row, one, byId } = Dom;

  const HOW = { yielded: "yields", returned: "returns", threw: "throws", over: "had ended before" };

  function replyTo(ask) {
    const reply = Page.steps.find(step => step.kind === "reply" && step.ask === ask.n);
    return reply && reply.n <= Page.step ? reply : null;
  }

  function line(ask, isSeveral) {
    const reply = replyTo(ask);
    const how = reply ? `${HOW[reply.e.how]} ${reply.word ?? ""}` : "…";
    return row(reply ? "" : "run", [el("code", {}, Words.short(Page.model, ask.n))],
      [isSeveral ? el("small", {}, Words.who(ask.task)) : ""], how);
  }

  function said() {
    const asks = Talks.steps("ask").filter(step => step.n <= Page.step);
    const isSeveral = Page.model.tasks.size > 1;
    const MOST = 12;
    return asks.length === 0 ? p("empty", "Nothing.")
      : el("ul", { class: "rows" }, ...asks.slice(-MOST).map(ask => line(ask, isSeveral)));
  }

  function draw() {
    const { stack } = Page.now();
    const inner = stack.map(({ task }) => Model.shortName(Talks.frames(
      Page.state.tasks.get(task.id)).at(-1).name));
    const who = Talks.caller();
    const frames = ["main", ...(who === "main" ? [] : [who]), ...inner];
    const boxes = frames.flatMap((text, i) => [i > 0 && el("i", {}, "›"),
      el("b", { class: i === frames.length - 1 ? "top" : "frame" }, text)]);
    byId("loop-title").textContent = "The stack";
    one("#loop .body").replaceChildren(p("boxes", ...boxes.filter(box => box)),
      p("empty", "There is no loop in this program: a generator resumes when it's called, and "
        + "until it stops, the call has not returned."),
      p("sub", "What was said so far"), said());
  }

  return { draw };
})();

const QueuePane = (() => {
  const { el, p, row, one, byId } = Dom;

  /// All places where a function's frames stand in this run, in the order of its lines:
  /// [{ key, at, ended, number }].
  function placesOf(name) {
    const places = new Map();
    const add = (link, number, ended) => {
      if (link.name === name)
        places.set(keyOf(link, ended), { key: keyOf(link, ended), at: link.at, ended, number });
    };
    for (const step of Page.steps) {
      if (step.kind === "new" || step.kind === "enter")
        add(step.e, step.e.number, undefined);
      else if (step.kind === "suspend")
        step.wait.chain.forEach((link, i) => add(link, i === 0 ? step.e.number : undefined,
          step.e.how));
    }
    const line = place => place.ended ? Infinity : Places.place(place.at)?.line ?? 0;
    return [...places.values()].sort((a, b) => line(a) - line(b));
  }
  const keyOf = (link, ended) => ended ? "end" : link.at;

  /// Which generators stand there now.
  function whoStands(name, key) {
    return [...Page.state.tasks.values()].filter(entry => Talks.frames(entry).some((link, i, all) =>
      link.name === name && keyOf(link, entry.ended) === key
        && !(entry.state === "running" && i === all.length - 1))).map(entry => entry.task.n);
  }

  function line(name, place) {
    const who = whoStands(name, place.key);
    const text = place.ended ? "behind its last line" : Places.awaited(place.at);
    const number = place.number === undefined ? "" : `case ${place.number}:`;
    return row(who.length > 0 ? "run" : "", [number || (who.length > 0 ? "●" : "○")],
      [text && !place.ended ? el("code", {}, text) : text || "before its first line"],
      who.length === 0 ? "" : Page.model.tasks.size > 1
        ? `generator ${Words.list(who.map(String))}` : "is here");
  }

  function draw() {
    const names = [...new Set(Page.steps.flatMap(step => step.kind === "new"
      || step.kind === "enter" ? [step.e.name] : []))];
    byId("queue-title").textContent = "Where they can stand";
    one("#queue .body").replaceChildren(...names.flatMap(name =>
      [p("sub", Model.shortName(name)),
        el("ul", { class: "rows" }, ...placesOf(name).map(place => line(name, place)))]));
  }

  return { draw };
})();

// There is nothing to be seen over time: the frames take its room.
const TimePane = { begin() {}, fill() {}, draw() {}, redraw() {} };

// ---- Which line of the source belongs to a step, and what its sign means ----
(() => {
  const { place, definition, endOf, anchor, under, ofGenerators } = Places;
  const beneath = name => under("underneath", anchor(name));
  const last = wait => wait?.chain[wait.chain.length - 1];
  const waitBefore = step => step.task.waits.findLast(wait => wait.step < step.n);
  const begins = task => definition(task.function, task.at);

  /// Where it stands until this step.
  function stood(step) {
    const wait = waitBefore(step), link = last(wait);
    return wait?.ended ? endOf(definition(link.name, link.at))
      : link ? place(link.at) : begins(step.task);
  }

  Object.assign(ofGenerators, {
    new: step => ({ at: begins(step.task), mark: "gets a frame", tone: "run",
      under: beneath("new") }),
    ask: step => ({ at: place(step.e.at), mark: "calls", tone: "run",
      under: beneath(step.e.phase) }),
    step: step => ({ at: stood(step), tone: "run", under: beneath("resume"),
      mark: step.first ? "begins here" : "resumes after this" }),
    take: step => {
      const isThrown = Page.steps[step.ask]?.e.phase === "throw";
      return { at: anchor(isThrown ? "takeThrown" : "take"), tone: "future",
        mark: isThrown ? "throws it" : "takes the word",
        under: under(isThrown ? "comes out of" : "is the value of", stood(step)) };
    },
    suspend: step => {
      const link = last(step.wait);
      return step.wait.ended
        ? { at: endOf(definition(link.name, link.at)), mark: "stops behind this", tone: "wait",
          under: beneath(step.wait.ended === "threw" ? "threw" : "end") }
        : { at: place(link.at), mark: "stops here", tone: "wait", under: beneath("yield") };
    },
    reply: step => ({ at: place(step.e.at), mark: "resumes", tone: "run",
      under: beneath(step.e.how) }),
    enter: step => ({ at: place(step.e.from), mark: "suspended here", tone: "run",
      under: beneath("delegate") }),
    leave: step => ({ at: place(step.e.from), mark: "resumes after this", tone: "run",
      under: beneath("back") }),
    done: step => ({ at: stood(step), mark: "its frame is destroyed", tone: "wait",
      under: beneath("gone") }),
  });

  Signs.rename({ new: "a generator is made", step: "a generator resumes", suspend: "a generator stops",
    enter: "a generator awaits another", leave: "the awaited one has ended", done: "a frame is destroyed" });
  Dom.byId("time").hidden = true;
})();
