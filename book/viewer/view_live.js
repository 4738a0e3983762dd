// A run that its reader can change: the program is in the page, compiled to WebAssembly, and runs anew
// with each change. Where a browser won't run it, the page plays the run that was recorded.
"use strict";

const Live = (() => {
  const { byId, one, el, rich } = Dom;
  const ON_PAUSE = 200; // ms without a change
  const ALL_WORKERS = 20;

  let program = null; // settings as text → outcome and trace
  let meta = null;
  let usual = {}, begun = {}, settings = {}; // name → value: the program's own, the page's, the present ones
  let knobs = []; // [name, knob]
  let outcome = null; // of the present run
  let wait = 0; // for a reader to pause
  const times = { run: 0, read: 0, draw: 0, all: 0 }; // ms, of the newest change

  // ---- The program ----
  async function load() {
    return Module.start(await Run.unpacked(byId("wasm")).arrayBuffer());
  }

  const asText = values => Object.entries(values).filter(([name, value]) => value !== usual[name])
    .map(([name, value]) => `${name}=${value}`).join(" ");

  /// The outcome of a run and its trace.
  function play(values) {
    const said = program(asText(values)), end = said.indexOf("\n");
    return [JSON.parse(said.slice(0, end)), said.slice(end + 1)];
  }
  const come = (more = {}) => play({ ...settings, ...more })[0];

  // ---- A new run ----
  /// The step that is shown of a new run: where its reader was in the old one.
  function sameStep() {
    const { step } = Page, isLast = step === Page.last(), isHome = step < 0 || step === Page.home();
    return () => isHome ? Page.home() : isLast ? Page.last() : step;
  }

  /// `step()` says, of the new run, which step is shown.
  function run(step = sameStep()) {
    const begin = performance.now();
    const [result, text] = play(settings);
    const ran = performance.now();
    const { events, bad } = Model.parse(text);
    const model = Model.build(events, bad);
    const read = performance.now();
    outcome = { ...result, givenUp: text.includes('"error":"given up"') };
    const { isEvery } = Page;
    const anchors = settings.queue === "losing" ? meta.anchors_losing : meta.anchors;
    Run.show(model, { ...meta, anchors });
    if (isEvery)
      Page.walkEvery(true);
    const { scrollY } = window;
    Page.go(step(), { quiet: true });
    requestAnimationFrame(() => scrollTo({ top: scrollY, behavior: "instant" })); // behind the source's, which makes room
    show();
    const end = performance.now();
    Object.assign(times, { run: ran - begin, read: read - ran, draw: end - read, all: end - begin });
  }

  /// The step that the thread makes when it comes to this line of the trace.
  const stepAt = line => Math.max(0, Page.steps.findLastIndex(step => step.i < line));
  const lineOf = step => Math.max(Moments.FIRST, step.i + 1);

  function sentence({ lost, hangs, fetched, found, milliseconds }) {
    const when = `after ${milliseconds} ms`, some = `${fetched} of ${found}`, pages = found === 1 ? "page" : "pages";
    if (lost > 0)
      return [el("b", {}, "An item is lost."), ` The crawl ${hangs ? "hangs" : "ends"} ${when}, with ${some} known ${pages}.`];
    if (hangs)
      return [el("b", {}, "The crawl hangs"), ` ${when}, with ${some} known ${pages}: every task waits forever.`];
    if (fetched < found)
      return [`The crawl ends ${when} with `, el("b", {}, some), ` known ${pages}: a worker was asked to end in the middle of its work.`];
    return ["The crawl ends ", el("b", {}, when), ` with ${found === 1 ? "its only page" : `all ${found} pages`}.`];
  }

  function show() {
    for (const [name, knob] of knobs)
      knob.show(settings[name]);
    const names = ["nobody", ...[...Array(settings.workers).keys()].map(i => `worker ${i + 1}`)];
    byId("who").replaceChildren(...names.map((name, i) => el("option", { value: i }, name)));
    byId("who").value = settings.ask;
    byId("at").value = settings.at;
    byId("at").setAttribute("aria-valuetext", settings.ask ? `line ${settings.at}` : "nobody is asked");
    one("#request output").textContent = settings.ask ? `at line ${settings.at}` : "";
    one(".strip").classList.toggle("off", !settings.ask);
    byId("outcome").className = Moments.kindOf(outcome);
    byId("outcome").replaceChildren(...sentence(outcome));
    drawTried();
    tick();
  }

  // ---- The runs that were tried, by the number of workers ----
  let tried = new Map(); // workers → outcome
  let triedWith = ""; // the other settings

  function drawTried() {
    if (!meta.live.tried)
      return;
    if (triedWith !== theRest())
      [tried, triedWith] = [new Map(), theRest()];
    if (isAlone())
      tried.set(settings.workers, outcome);
    const longest = Math.max(1, ...[...tried.values()].map(({ milliseconds }) => milliseconds)), said = [];
    [...one("#tried div").children].forEach((bar, i) => {
      const what = tried.get(i + 1);
      bar.className = `${!what ? "" : what.hangs ? "hangs" : "is"} ${settings.workers === i + 1 ? "now" : ""}`;
      bar.style.height = `${!what ? 0 : what.hangs ? 100 : what.milliseconds / longest * 100}%`;
      if (what)
        said.push(bar.title = `${Words.many(i + 1, "worker")}: ${what.hangs ? "hangs" : `${what.milliseconds} ms`}`);
    });
    one("#tried div").setAttribute("aria-label", said.join(", "));
  }

  // ---- What there is to find ----
  const isAlone = () => settings.ask === 0; // nobody meddles
  const hangs = () => isAlone() && outcome.hangs;
  /// By more than the lines of its trace take. What hangs takes forever.
  const isFaster = (one, other) => !one.hangs && (other.hangs || other.milliseconds - one.milliseconds > other.steps / 1000);
  const FOUND = {
    lost: () => outcome.lost > 0,
    kept: () => settings.queue === "book" && settings.ask > 0 && outcome.lost === 0 && come({ queue: "losing" }).lost > 0,
    less: () => settings.ask > 0 && !outcome.hangs && outcome.givenUp,
    hangs,
    end_of_hang: () => hangs() && Page.step === Page.last(),
    cured: () => isAlone() && !outcome.hangs && settings.workers > fewest.get(theRest()),
    enough: () => isAlone() && settings.workers > 1 && settings.workers < ALL_WORKERS && isFaster(outcome, come({ workers: 1 }))
      && isFaster(outcome, come({ workers: settings.workers - 1 })) && !isFaster(come({ workers: ALL_WORKERS }), outcome),
    in_line: () => isAlone() && settings.workers === ALL_WORKERS && outcome.found > 2 && !outcome.hangs
      && !isFaster(outcome, come({ workers: 1 })),
  };
  const OF_STEPS = ["end_of_hang"]; // the others are the same at each step of a run
  const found = new Set();
  /// All but the number of workers, and what counts only if somebody is asked to end.
  const theRest = () => asText({ ...settings, workers: 0, queue: usual.queue, ask: usual.ask, at: usual.at });
  const fewest = new Map(); // the other settings → with how few workers the reader has seen that the crawl hangs

  function tick(names = Object.keys(FOUND)) {
    if (hangs())
      fewest.set(theRest(), Math.min(settings.workers, fewest.get(theRest()) ?? ALL_WORKERS));
    meta.live.finds.forEach(({ when, so }, i) => {
      if (found.has(i) || !names.includes(when) || !FOUND[when]())
        return;
      found.add(i);
      const line = byId("finds").children[i];
      line.className = "found";
      line.append(el("span", { class: "hidden" }, " Found. "), el("span", { class: "so" }, ...rich(so)));
    });
  }

  // ---- A change ----
  function change(name, value) {
    settings = { ...settings, [name]: value };
    if (name !== "queue") // of both queues, the runs are the same until somebody is asked to end
      settings.ask = 0;
    forgetMoments();
    run(settings.ask > 0 ? () => stepAt(settings.at) : undefined);
    settleSoon();
  }

  function ask(who, at) {
    settings = { ...settings, ask: who, at };
    run(() => who > 0 ? stepAt(at) : Page.home());
    settleSoon();
  }

  const somebody = () => settings.ask || Math.min(2, settings.workers);

  function forgetMoments() {
    byId("try-all").setAttribute("aria-pressed", "false");
    Moments.forget(come({ ask: 0 }).steps);
  }

  function tryAll() {
    const isOn = byId("try-all").getAttribute("aria-pressed") === "true";
    if (isOn)
      return forgetMoments();
    const who = somebody();
    byId("try-all").setAttribute("aria-pressed", "true");
    Moments.tryAll(line => come({ ask: who, at: line }));
  }

  // ---- When the reader pauses: what a screen reader says, and the address ----
  function settleSoon() {
    clearTimeout(wait);
    wait = setTimeout(() => {
      byId("heard").textContent = byId("outcome").textContent;
      leaveLink();
    }, ON_PAUSE);
  }

  /// So that a find can be sent to somebody.
  function leaveLink() {
    const link = fromLink();
    for (const [name, value] of Object.entries(settings))
      if (value === begun[name])
        link.delete(name);
      else
        link.set(name, value);
    link.set("step", Page.step + 1);
    history.replaceState(null, "", `#${link}`);
  }

  const fromLink = () => new URLSearchParams(location.hash.slice(1));
  const namesSettings = () => Object.keys(usual).some(name => fromLink().has(name));

  /// What the address says; what the program refuses is not taken.
  function followLink() {
    const link = fromLink(), wanted = { ...begun };
    for (const name of Object.keys(usual).filter(name => link.has(name)))
      wanted[name] = typeof usual[name] === "number" ? Number(link.get(name)) : link.get(name);
    // What isn't one word would be several settings.
    const isFine = Object.values(wanted).every(value => /^\w+$/.test(value)) && play(wanted)[0].error === undefined;
    settings = isFine ? { ...wanted, at: Math.min(wanted.at, play({ ...wanted, ask: 0 })[0].steps) } : { ...begun };
    return isFine;
  }

  function runLink(step) {
    const isFine = followLink();
    forgetMoments();
    run(step);
    if (!isFine)
      Run.say(meta.title, "The settings in the address can't be used, so this is the run with which the page begins.");
  }

  // ---- The beginning ----
  function fill(known) {
    const makeAll = (names, place) => {
      const made = names.map(name => [name, Knobs.make(known.find(one => one.name === name), change)]);
      place.append(...made.map(([, knob]) => knob.node));
      knobs.push(...made);
    };
    const { live } = meta, [first, rest] = document.querySelectorAll("#change .knobs");
    const others = known.map(({ name }) => name).filter(name => Knobs.has(name) && !live.knobs.includes(name));
    makeAll(live.knobs.filter(Knobs.has), first);
    makeAll(others, rest);
    byId("finds").append(...live.finds.map(({ text }) => el("li", {}, el("span", {}, ...rich(text)))));
    if (!live.knobs.includes("at"))
      rest.after(byId("request"));
    if (live.tried)
      one("#tried div").append(...Array.from({ length: ALL_WORKERS }, () => el("span")));
    else
      byId("tried").remove();
  }

  /// A key of what has the focus: the page's steps don't hear it. (A list and a button keep theirs anyway.)
  function isOwn({ target, key }) {
    const moves = key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown"].includes(key);
    return target.type === "range" ? moves : target.tagName === "SUMMARY" && key === " ";
  }

  function listen() {
    byId("who").addEventListener("change", ({ target }) => {
      const isOn = byId("try-all").getAttribute("aria-pressed") === "true";
      ask(Number(target.value), settings.ask ? settings.at : lineOf(Page.now()));
      if (isOn)
        forgetMoments();
    });
    byId("at").addEventListener("input", ({ target }) => ask(somebody(), Number(target.value)));
    byId("here").addEventListener("click", () => ask(somebody(), lineOf(Page.now())));
    byId("try-all").addEventListener("click", tryAll);
    one("#change details").addEventListener("toggle", Moments.draw);
    byId("change").addEventListener("keydown", event => isOwn(event) && event.stopPropagation());
    new ResizeObserver(Moments.draw).observe(one(".strip"));
    new MutationObserver(Moments.draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  async function begin(given) {
    meta = given;
    program = await load();
    const known = JSON.parse(program("?")).settings;
    usual = Object.fromEntries(known.map(({ name, usual: value }) => [name, value]));
    begun = settings = { ...usual, ...meta.live.begin };
    fill(known);
    addEventListener("hashchange", () => { // before that of Controls, which goes to a step
      if (namesSettings()) // and not only a step, or a theme
        runLink();
    });
    byId("change").hidden = false;
    runLink(() => Page.home());
    listen();
    Run.drawn = () => tick(OF_STEPS);
    Controls.followLink();
    // For tests.
    window.live = { settings: () => settings, outcome: () => outcome, times, change, ask, found: () => [...found],
      asText: () => asText(settings), trace: program };
    Run.ready();
  }

  return { begin };
})();

(async () => {
  const meta = JSON.parse(Dom.byId("meta").textContent);
  try {
    await Live.begin(meta);
  } catch (error) {
    console.info(error);
    Dom.byId("change").remove();
    const note = await Run.play({ ...meta, ...meta.recorded }).then(
      () => "This browser doesn't run the program that is in the page: here is a run that was recorded.",
      () => "This browser can't unpack what is in the page: a newer one can.");
    Run.say(meta.title, note);
  }
})();
