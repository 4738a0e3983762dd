// The signs on the thread: one for each kind of step, its colour, and what it means.
"use strict";

const Signs = (() => {
  const CROSS = "M-3.8-2.4-2.4-3.8 0-1.4 2.4-3.8 3.8-2.4 1.4 0 3.8 2.4 2.4 3.8 0 1.4-2.4 3.8"
    + "-3.8 2.4-1.4 0z";

  // A sign's shape is drawn around (0, 0), in a square of about nine units. Its colour is
  // the one of whom it is about: the thread in a task ("") or in the loop, or a future.
  const SIGNS = {
    select: { tone: "loop", words: "the loop sleeps",
      shape: "M1.4-4A4.1 4.1 0 1 0 4.2 1.2 3.3 3.3 0 0 1 1.4-4z" },
    look: { tone: "loop", words: "a turn begins, without sleeping",
      shape: "M-4.8 0Q0-4.8 4.8 0 0 4.8-4.8 0zM0-1.7a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 1 0 0-3.4z" },
    awake: { tone: "loop", words: "the loop wakes, no socket is ready",
      shape: "M-4.2 2.2a4.2 4.2 0 0 1 8.4 0zM-.7-4.6h1.4v1.6H-.7z" },
    ready: { tone: "loop", words: "a socket is ready",
      shape: "M.8-4.8-3.2.8h2.8L-1 4.8 3.2-1H.4z" },
    call: { tone: "loop", words: "a callback is called", shape: "M-4-2.2h8L0 3.8z" },
    return: { tone: "loop", words: "a callback returns", shape: "M-4 2.2h8L0-3.8z" },
    watch: { tone: "loop", words: "a callback is registered",
      shape: "M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z" },
    unwatch: { tone: "loop", words: "a callback is taken out", shape: "M-4-1h8v2h-8z" },
    schedule: { tone: "loop", words: "put into the ready queue",
      shape: "M-4.6-1h3.4v-2.4L2 0-1.2 3.4V1h-3.4zM2.8-3.6h1.6v7.2H2.8z" },
    timer: { tone: "loop", words: "a timer is set", shape: "M-.8-4.4H.8V-.6h3V1H-.8z" },
    due: { tone: "loop", words: "a timer is due",
      shape: "M-3.6 2.4v-.8l.8-.8v-2.2a2.8 2.8 0 0 1 5.6 0v2.2l.8.8v.8zM-1.2 3.2h2.4L0 4.6z" },
    untimer: { tone: "loop", words: "a timer or a call is cancelled", shape: CROSS },
    new: { tone: "", words: "a task is made",
      shape: "M-1-4h2v3h3v2H1v3h-2V1h-3v-2h3z" },
    step: { tone: "", words: "a task resumes", shape: "M-2.6-4 4.2 0-2.6 4z" },
    enter: { tone: "", words: "a coroutine is awaited",
      shape: "M-3-4v5h3v-2.4L4 2 0 5.4V3h-5v-7z" },
    leave: { tone: "", words: "an awaited coroutine has ended", shape: "M-3 4v-5h3v2.4L4-2 0-5.4V-3h-5v7z" },
    suspend: { tone: "", words: "co_await: it stops",
      shape: "M-3.4-3.8h2.4v7.6h-2.4zM1-3.8h2.4v7.6H1z" },
    done: { tone: "", words: "a task is done", shape: "M-3.2-3.2h6.4v6.4h-6.4z" },
    cancel: { tone: "", words: "a task is asked to end", shape: CROSS },
    ask: { tone: "loop", words: "a generator is called",
      shape: "M-4.4-3h8.8v5.2H.6L-2 4.6V2.2h-2.4z" },
    take: { tone: "future", words: "a word comes in",
      shape: "M-4-1h4.4v-2.6L4.4 0 .4 3.6V1H-4z" },
    reply: { tone: "loop", words: "the call returns, with a reply",
      shape: "M4.4-3h-8.8v5.2H-.6L2 4.6V2.2h2.4z" },
    future: { tone: "future", words: "a future is made",
      shape: "M0-4.6 4.6 0 0 4.6-4.6 0zM0-2.4-2.4 0 0 2.4 2.4 0z" },
    resolve: { tone: "future", words: "a future is resolved", shape: "M0-4.6 4.6 0 0 4.6-4.6 0z" },
    fail: { tone: "future", words: "a future has failed",
      shape: "M-.9-4.4H.9V1H-.9zM-.9 2.4H.9v1.8H-.9z" },
    drop: { tone: "future", words: "a future is cancelled", shape: CROSS },
    queue: { tone: "", words: "the queue changes",
      shape: "M-3.6-2.6h7.2v1.6h-7.2zM-3.6.9h7.2v1.6h-7.2z" },
    start: { tone: "", words: "a fetch begins",
      shape: "M0-4.6 4 .2H1.4v4h-2.8v-4H-4z" },
    end: { tone: "", words: "a fetch ends", shape: "M-4 .2-2.6-1.2-1 .5 2.8-3.4 4.2-2-1 3.4z" },
  };

  const toneOf = step => SIGNS[step.kind].tone;

  /// A loop that has its answer at once doesn't sleep.
  const signOf = step => step.kind === "select" && step.asleep === false ? "look" : step.kind;

  /// A knot of the thread: a ring with the sign in it. The one of the present step is bigger.
  function knot(kind, { isNow = false } = {}) {
    const { tone, shape } = SIGNS[kind];
    return Dom.svg("g", { class: `knot ${tone}${isNow ? " is" : ""}` },
      Dom.svg("circle", { r: isNow ? 11 : 8.5 }),
      Dom.svg("path", { d: shape, transform: isNow ? "scale(1.15)" : "scale(.82)" }));
  }

  /// All signs that occur in a run, with what they mean, for the sheet of keys.
  function explained(model) {
    const kinds = new Set(model.steps.map(signOf));
    return Object.keys(SIGNS).filter(kind => kinds.has(kind))
      .map(kind => ({ kind, words: SIGNS[kind].words }));
  }

  /// What some mean in a program without tasks.
  function rename(words) {
    for (const [kind, text] of Object.entries(words))
      SIGNS[kind].words = text;
  }

  const wordsOf = kind => SIGNS[kind].words;

  return { toneOf, signOf, knot, explained, rename, wordsOf };
})();

// What the picture of the thread is drawn with. It grows: a line or a sign is explained once the
// walk has shown it.
const Legend = (() => {
  const { el, span, svg, one } = Dom;
  const known = { model: null, isEvery: null, signs: [], lines: [] };

  const firstStep = fits => Page.steps.find(fits)?.n ?? Infinity;

  function lines() {
    const still = Page.stage === 1 ? "a function is registered" : "suspended, on no stack";
    const waits = Page.stage === 1 ? "watch" : Page.model.talks ? "new" : "suspend";
    return [
      { from: 0, kind: "string", words: "the thread: where the program runs" },
      { from: firstStep(step => step.asleep), kind: "asleep", words: "asleep" },
      { from: firstStep(step => step.kind === waits), kind: "parked", words: still },
      { from: Page.stage < 3 ? Infinity : firstStep(step => step.kind === "schedule"),
        kind: "parked ready", words: "ready to run" },
    ];
  }

  /// Each sign, and the first step of the walk that has it; the one met last comes first, since
  /// what has no room is left out.
  function signs() {
    const from = new Map();
    for (const number of Page.isEvery ? Page.steps.keys() : Page.stops) {
      const kind = Signs.signOf(Page.steps[number]);
      if (!from.has(kind))
        from.set(kind, number);
    }
    return [...from].map(([kind, number]) => ({ kind, from: number })).reverse();
  }

  function learn() {
    const { model, isEvery } = Page;
    if (known.model !== model || known.isEvery !== isEvery)
      Object.assign(known, { model, isEvery, signs: signs(), lines: lines() });
  }

  function line({ kind, words }) {
    return span("", svg("svg", { width: 24, height: 10 },
      svg("path", { class: kind, d: "M1 5H22" })), words);
  }

  function sign(kind) {
    const picture = svg("svg", { width: 18, height: 18, viewBox: "-11 -11 22 22" },
      Signs.knot(kind));
    return el("li", { "data-kind": kind }, picture, Signs.wordsOf(kind));
  }

  function draw() {
    learn();
    const { step } = Page;
    const met = known.signs.filter(({ from }) => from <= step).map(({ kind }) => kind);
    const now = Signs.signOf(Page.now());
    const kinds = met.includes(now) ? met : [now, ...met];
    one(".legend").replaceChildren(...known.lines.filter(({ from }) => from <= step).map(line));
    one(".met").replaceChildren(...kinds.map(sign));
  }

  return { draw };
})();
