// Tests of book/viewer/model.js, stops.js, busy.js, axis.js, words.js and story.js: `node viewer_model_test.js`, or with `--whole NAME`,
// which shows what the model makes of a run. (What the viewer says of the book's scenes is compared in scenes_test.py,
// as a whole.)
"use strict";

const report = (() => {
  const fs = require("fs"), path = require("path");
  const model = require("../../book/viewer/model.js");
  const words = require("../../book/viewer/words.js");
  const { story } = require("../../book/viewer/story.js");
  const stops = require("../../book/viewer/stops.js");
  const busy = require("../../book/viewer/busy.js");
  const axis = require("../../book/viewer/axis.js");
  const SCENES = path.join(__dirname, "../../book/scenes");
  const RECORDED = Object.fromEntries(fs.readdirSync(SCENES).filter(name => name.endsWith(".trace"))
    .map(name => [name, fs.readFileSync(path.join(SCENES, name), "utf8")]));

  function check(right, what) {
    if (!right)
      throw new Error(what);
  }
  function same(is, should, what = "") {
    const [a, b] = [is, should].map(value => JSON.stringify(value));
    if (a !== b)
      throw new Error(`${what} is ${a}, and should be ${b}`);
  }

  // ---- Traces by hand ----

  /// Events get a time, 10 µs after the one before, unless they say how long after: `in`.
  function text(program, events, end = true) {
    let t = 0, turn = 0;
    const all = [{ event: "trace", version: 2, program }, ...events];
    if (end)
      all.push({ event: "end", whole: true });
    return all.map(one => {
      const { in: later = 10, ...fields } = one;
      t += later;
      turn += one.event === "select" ? 1 : 0;
      return JSON.stringify({ t, turn, ...fields });
    }).join("\n") + "\n";
  }
  const run = (program, events, end) => model.read(text(program, events, end));

  const select = (timeout_ms, fds) => ({ event: "select", timeout_ms, fds });
  const awake = (ready, later = 10) => ({ event: "awake", ready, in: later });
  const ready = (fd, events) => ({ event: "ready", fd, events });
  const watch = (fd, events, name, at = "a.cpp:1") =>
    ({ event: "watch", phase: "add", fd, events, name, at });
  const unwatch = (fd, events) => ({ event: "watch", phase: "remove", fd, events });
  const begin = (name, more) =>
    ({ event: "callback", phase: "begin", name, at: "a.cpp:1", ...more });
  const end = (name, more) =>
    ({ event: "callback", phase: "end", name, at: "a.cpp:1", threw: false, ...more });
  const task = (phase, id, more) => ({ event: "task", phase, id, ...more });
  const made = (id, name = "work") => task("new", id, { name, function: "work", at: "w.cpp" });
  const chain = (...names) => names.map((name, i) => ({ name, at: `w.cpp:${i + 1}` }));
  const waits = (id, awaiting, ...names) =>
    task("suspend", id, { awaiting, chain: chain("work", ...names) });
  const done = (id, outcome = "returned") => task("done", id, { outcome });
  const future = (phase, id, more) => ({ event: "future", phase, id, ...more });
  const resolve = (id, waiters) => future("resolve", id, { waiters });
  const scheduled = id => ({ event: "schedule", task: id });
  const soon = (call, name = "call_soon") => ({ event: "schedule", call, name, at: "a.cpp:1" });
  const timer = (phase, call, more) => ({ event: "timer", phase, call, ...more });
  const timerSet = call => timer("set", call, { name: "timer", at: "a.cpp:7", in_ms: 5 });
  const fetch = (phase, id, path, more) =>
    ({ event: "fetch", phase, id, url: `http://host:8000${path}`, ...more });
  const coroutine = (phase, id, name) =>
    ({ event: "coroutine", phase, task: id, name, at: "w.cpp", from: "w.cpp:9" });
  const queue = (phase, size, unfinished, more) => ({ event: "queue", phase, queue: 9, size,
    unfinished, getters: 0, putters: 0, ...more });

  /// Two fetches: the second one is found while the first one's page is read.
  const STAGE1 = [
    fetch("start", 1, "/", { fd: 5 }), watch(5, "write", "connected"),
    select(30000, 1), awake(1), ready(5, "write"),
    begin("connected", { fd: 5 }), unwatch(5, "write"), watch(5, "read", "read_response"),
    end("connected"),
    select(30000, 1), awake(1, 20000), ready(5, "read"),
    begin("read_response", { fd: 5 }),
    fetch("start", 2, "/b", { fd: 6 }), watch(6, "write", "connected"),
    unwatch(5, "read"),
    fetch("end", 1, "/", { status: 301, bytes: 1234, next: "http://host:8000/b" }),
    end("read_response"),
    select(30000, 1), awake(1), ready(6, "write"), begin("connected", { fd: 6 }),
    unwatch(6, "write"), fetch("end", 2, "/b", { status: null, bytes: 0, error: "refused" }),
    end("connected"),
    select(30000, 0), awake(0, 30000000),
  ];

  /// A task waits twice, and makes another one.
  const STAGE2 = [
    made(1), task("step", 1), fetch("start", 1, "/", { task: 1 }), coroutine("call", 1, "read"),
    watch(5, "write", "connected"), future("new", 2), waits(1, 2, "read"),
    select(30000, 1), awake(1, 20000), ready(5, "write"), begin("connected", { fd: 5 }),
    resolve(2, 1), task("step", 1), unwatch(5, "write"), coroutine("return", 1, "read"),
    made(3), task("step", 3), fetch("start", 2, "/b", { task: 3 }), watch(6, "read", "readable"),
    future("new", 4), waits(3, 4),
    fetch("end", 1, "/", { status: 200, bytes: 7 }), done(1), end("connected"),
    select(30000, 1), awake(1), ready(6, "read"), begin("readable", { fd: 6 }),
    resolve(4, 1), task("step", 3), unwatch(6, "read"),
    fetch("end", 2, "/b", { status: 404, bytes: 7 }), done(3), end("readable"),
  ];

  const MAILBOX = watch(3, "read", "mailbox");

  /// A task sleeps; another one is woken by its end; a third is asked to end.
  const STAGE3 = [
    MAILBOX, made(1), scheduled(1), made(2, "worker 2"), scheduled(2), soon(50),
    select(0, 0),
    task("step", 1), coroutine("call", 1, "sleep"), future("new", 10, { at: "f.cpp:3" }),
    timerSet(60), waits(1, 10, "sleep"),
    task("step", 2), waits(2, 1),
    begin("call_soon", { call: 50 }), watch(7, "read", "reader", "x/http/session.cpp:4"),
    end("call_soon"),
    select(5, 1), awake(0, 5000), timer("due", 60),
    begin("timer", { call: 60 }), resolve(10, 1), scheduled(1), end("timer"),
    select(0, 1), awake(1), ready(7, "read"), ready(3, "read"),
    soon(70, "call_soon_threadsafe"),
    task("step", 1), coroutine("return", 1, "sleep"), resolve(1, 1), scheduled(2), done(1),
    begin("reader", { fd: 7 }), unwatch(7, "read"), made(4), scheduled(4), end("reader"),
    begin("call_soon_threadsafe", { call: 70 }), timerSet(61), end("call_soon_threadsafe"),
    select(0, 0), task("step", 2), future("new", 11, { at: "f.cpp:4" }),
    task("suspend", 2, { chain: chain("work") }), scheduled(2),
    task("step", 4), future("new", 12), waits(4, 12),
    select(0, 0), task("step", 2), task("cancel", 4), future("cancel", 12, { waiters: 1 }),
    scheduled(4), timer("cancel", 61), future("fail", 11, { waiters: 0 }), resolve(2, 0), done(2),
    select(0, 0), task("step", 4), future("cancel", 4, { waiters: 0 }), done(4, "cancelled"),
    unwatch(3, "read"),
  ];

  /// One item is handed over; then the queue is full, and a putter that waits is let in.
  const QUEUE = [
    MAILBOX, made(1), scheduled(1), made(2), scheduled(2),
    select(0, 0), task("step", 1), future("new", 10),
    queue("wait_to_get", 0, 0, { future: 10, getters: 1 }), waits(1, 10),
    task("step", 2), queue("hand_over", 0, 1, { item: "one", future: 10 }), resolve(10, 1),
    scheduled(1), queue("put", 1, 2, { item: "two" }), future("new", 11),
    queue("wait_to_put", 1, 2, { item: "three", future: 11, putters: 1 }), waits(2, 11),
    select(0, 0), task("step", 1), queue("get", 0, 2, { item: "two", putters: 1 }),
    queue("let_in", 0, 2, { item: "three", future: 11 }), resolve(11, 1), scheduled(2),
    queue("put", 1, 3, { item: "three" }), queue("give_back", 1, 3, { item: "two" }),
    queue("put_back", 2, 3, { item: "two" }), queue("take_back", 1, 2),
    queue("task_done", 1, 1), queue("join", 1, 1), resolve(1, 0), done(1),
    select(0, 0), task("step", 2), resolve(2, 0), done(2), unwatch(3, "read"),
  ];

  /// Much comes and goes, so that each part of a state is changed between two copies.
  function longRun() {
    const events = [MAILBOX, made(1), select(0, 0), task("step", 1)];
    for (let i = 0; i < 120; i++)
      events.push(queue("put", i + 1, i + 1, { item: `item ${i}` }), future("new", 1000 + i),
        made(2000 + i), scheduled(2000 + i), timerSet(3000 + i), watch(100 + i, "read", "reader"),
        fetch("start", 4000 + i, `/${i}`, { task: 2000 + i }));
    for (let i = 0; i < 120; i++)
      events.push(queue("get", 119 - i, 120), resolve(1000 + i, 0), timer("cancel", 3000 + i),
        unwatch(100 + i, "read"), fetch("end", 4000 + i, `/${i}`, { status: 200, bytes: 1 }));
    return events;
  }

  // A driver talks with a generator, which awaits another one; a second one never begins.
  const call = (phase, id, more) =>
    ({ event: "generator", phase, id, by: "talk", at: "t.cpp:5", ...more });
  const talk = (phase, id, more) => ({ event: "generator", phase, id, ...more });
  const yields = (id, word, number, ...names) => [
    talk("yield", id, { word, number, chain: chain("work", ...names) }),
    call("reply", id, { how: "yielded", word })];
  const TALK = [
    talk("new", 1, { name: "work", at: "w.cpp", number: 2 }), talk("new", 2, { name: "work" }),
    call("next", 1), talk("resume", 1), ...yields(1, "1", 4),
    call("send", 1, { word: "\"go\"" }), talk("resume", 1), talk("take", 1, { word: "\"go\"" }),
    coroutine("call", 1, "inner"), ...yields(1, "2", 6, "inner"),
    call("throw", 1, { word: "\"no\"" }), talk("resume", 1), talk("take", 1, { word: "\"no\"" }),
    coroutine("return", 1, "inner"),
    talk("end", 1, { how: "threw", word: "\"no\"", chain: [{ name: "work", at: "w.cpp" }] }),
    call("reply", 1, { how: "threw", word: "\"no\"" }),
    call("next", 1), call("reply", 1, { how: "over" }),
    call("throw", 2, { word: "\"no\"" }), talk("gone", 2),
    call("reply", 2, { how: "threw", word: "\"no\"" }), talk("gone", 1),
  ];

  /// What the others don't have: each is a few events for one promise.
  const CANCELLED_CALLS = [MAILBOX, soon(1), soon(2), soon(3), { event: "schedule", phase: "cancel", call: 2 },
    soon(4), select(0, 0), begin("call_soon", { call: 1 }), end("call_soon"),
    begin("call_soon", { call: 4 }), end("call_soon"), unwatch(3, "read")];
  const GIVES_UP = [MAILBOX, made(1), select(0, 0), task("step", 1),
    queue("wait_to_get", 0, 0, { future: 10, getters: 1 }), waits(1, 10), future("cancel", 10, { waiters: 1 })];
  const WATCHED_AGAIN = [watch(5, "read", "r"), unwatch(5, "read"), select(1, 1), awake(1), ready(5, "read"),
    watch(5, "read", "r"), watch(5, "read", "r")];
  const CALLED_BACK = [MAILBOX, soon(1), select(0, 0), begin("call_soon", { call: 1 }), future("new", 5),
    resolve(5, 1), soon(2, "done_callback"), soon(3, "done"), soon(4), resolve(6, 1), future("new", 7),
    soon(5), end("call_soon"), unwatch(3, "read")];
  const PUT_BY_A_TASK = [MAILBOX, made(1), made(2), select(0, 0), task("step", 1),
    fetch("start", 5, "/", { task: 1 }), fetch("end", 5, "/", { status: 200, bytes: 1 }),
    queue("put", 1, 1, { item: "http://host:8000/b" }), waits(1, 8),
    task("step", 2), queue("get", 0, 1, { item: "http://host:8000/b" }), fetch("start", 6, "/b", { task: 2 })];
  const THREW = [made(1), task("step", 1), waits(1, 2), select(1, 1), awake(1), ready(5, "read"),
    begin("readable", { fd: 5 }), resolve(2, 1), task("step", 1), made(3), task("step", 3), done(3, "threw"),
    done(1, "threw"), end("readable", { threw: true })];
  const DEEP = [made(1), task("step", 1), coroutine("call", 1, "a"), coroutine("call", 1, "b"),
    waits(1, 2, "a", "b"), task("step", 1), coroutine("return", 1, "b"), coroutine("return", 1, "a"), done(1),
    made(2), task("step", 2), done(2)];

  /// A program, its events, and the checksum of what the model makes of them.
  const BY_HAND = {
    stage1: ["stage1", STAGE1, "6605f761"],
    stage2: ["stage2", STAGE2, "2010b67b"],
    stage3: ["stage3", STAGE3, "36c7fcd9"], unsaid: ["stage3", STAGE3.filter(e => e.event !== "schedule"), "c66dc817"],
    queue: ["runtime_tour", QUEUE, "1204beff"], talk: ["talk", TALK, "4f5e4e8a"],
    cancelledCalls: ["mine", CANCELLED_CALLS, "868c17b5"], givesUp: ["runtime_tour", GIVES_UP, "fd50f68b"],
    watchedAgain: ["stage1", WATCHED_AGAIN, "9e0b9770"], calledBack: ["stage3", CALLED_BACK, "9891e94c"],
    putByATask: ["stage3", PUT_BY_A_TASK, "cb827106"], threw: ["stage2", THREW, "9629717d"],
    deep: ["stage2", DEEP, "4c70405f"] };

  function allTexts() {
    const texts = { ...RECORDED };
    for (const [name, [program, events]] of Object.entries(BY_HAND))
      texts[name] = text(program, events);
    return Object.entries(texts);
  }

  /// The first step of this kind that fits.
  function find(m, kind, fits = () => true) {
    const s = m.steps.find(one => one.kind === kind && fits(one));
    check(s, `there is no such step: ${kind}`);
    return s;
  }
  const kindsBefore = (m, n, most) => model.causes(m, n, most).map(c => m.steps[c].kind);
  const kindsFound = m => m.findings.map(one => one.kind);
  const after = (m, s) => model.stateAt(m, s.n);
  const inLine = entries => entries.map(words.entry);

  // ---- States: on, back, by a jump ----

  /// Anything of a model as text: the records in it by their numbers.
  function written(root) {
    return JSON.stringify(root, (key, value) => {
      if (value instanceof Map)
        return [...value];
      const isInside = key !== "" && value && typeof value === "object";
      return key === "e" ? undefined : isInside ? nameOf(value) : value;
    });
  }
  const NAMES = { waits: one => `task ${one.id}`, by: one => `future ${one.id}`, t0: one => `fetch ${one.id}`,
    calls: one => `watch ${one.from}`, ms: one => `timer ${one.number}`, took: one => `call ${one.step}` };
  function nameOf(value) {
    const sign = Object.keys(NAMES).find(field => field in value);
    return sign ? NAMES[sign](value) : value;
  }

  /// All that is known of a run: of each step, and how all stood after it; and of each record in the end.
  function whole(m) {
    const states = statesOnward(m);
    const records = [m.tasks, m.futures, m.fetches, m.queues, m.timers].flatMap(map => [...map.values()]);
    return [...m.steps.map(s => `${written(s)} ${states[s.n]}`),
      ...[...records, ...m.calls, ...m.watches, ...m.turns].map(written),
      written([m.stage, m.talks, m.origin, m.rows, m.x, m.together])].join("\n");
  }
  const checksum = text => [...text].reduce((sum, letter) =>
    Math.imul(sum ^ letter.codePointAt(0), 16777619) >>> 0, 2166136261).toString(16);

  function statesOnward(m) {
    let state = null;
    return m.steps.map(s => {
      state = model.stateAt(m, s.n, state);
      return written(state);
    });
  }

  const CASES = {
    "states are the same on, by a jump, and back"() {
      for (const [name, trace] of allTexts()) {
        const m = model.read(trace);
        const states = statesOnward(m);
        const jump = n =>
          check(written(model.stateAt(m, n)) === states[n], `${name}, jump to ${n}`);
        const last = states.length - 1;
        for (let n = last; n >= 0; n -= 1 + Math.floor(last / 400))
          jump(n);
        let state = model.stateAt(m, last);
        for (let n = last; n >= Math.max(0, last - 200); n--) {
          state = model.stateAt(m, n, state);
          check(written(state) === states[n], `${name}, back to ${n}`);
        }
        m.snapshots = [];
        if (last >= 0)
          jump(last);
      }
    },

    "a copy of a state doesn't change when the original moves on"() {
      const m = run("stage3", longRun());
      check(m.snapshots.length > 2, "there are copies");
      const states = statesOnward(m);
      for (const kept of m.snapshots)
        for (const n of [Math.min(kept.at + 200, states.length - 1), kept.at, kept.at - 1])
          check(written(model.stateAt(m, n)) === states[n], `step ${n}, copy at ${kept.at}`);
    },

    "what is known of each step and of each record, and how all stands after a step, is as it was"() {
      for (const [name, [program, events, kept]] of Object.entries(BY_HAND))
        same(checksum(whole(run(program, events))), kept, `${name}, which "--whole ${name}" shows,`);
    },

    // ---- What a state says ----

    "the ready queue holds what is scheduled, in order, until it runs"() {
      const m = run("stage3", STAGE3);
      const [one, two] = m.steps.filter(s => s.kind === "select");
      const all = ["task 1", "task 2", "`call_soon`"];
      same(inLine(after(m, { n: one.n - 1 }).runNext), all);
      same([inLine(after(m, one).runNow), after(m, one).runNext], [all, []]);
      const running = after(m, find(m, "step", s => s.task.id === 2));
      same([inLine(running.runNow), words.entry(running.running)], [["`call_soon`"], "task 2"]);
      same(after(m, two).runNow, []);
      same(inLine(after(m, find(m, "schedule", s => s.e.call === 70)).runNow),
        ["task 1", "`reader` of socket 7", "`call_soon_threadsafe`"]);
    },

    "a future knows what waits for it, and goes when all of that has resumed"() {
      const m = run("stage3", STAGE3);
      const known = s => after(m, s).futures.get(10);
      same(known(find(m, "future")).state, "pending");
      same(known(find(m, "suspend")).waiters.map(one => one.id), [1]);
      const on = find(m, "step", s => s.wait !== null);
      same([known(find(m, "resolve")).state, known(on).gone], ["resolved", 1]);
      same(known(find(m, "select", s => s.n > on.n)), undefined);
    },

    "a queue's items, and which task waits in which line"() {
      const m = run("runtime_tour", QUEUE);
      const at = (phase, item) =>
        after(m, find(m, "queue", s => s.e.phase === phase && (!item || s.item === item)))
          .queues.get(9);
      same(at("wait_to_get").waiting.getters.map(one => one.task.id), [1]);
      const handed = at("hand_over");
      same([handed.items, handed.waiting.getters, handed.unfinished], [[], [], 1]);
      same(find(m, "queue", s => s.e.phase === "hand_over").to.id, 1);
      const isHanded = step => { // and the task hasn't run since
        const { handed, since } = after(m, step).tasks.get(1);
        return handed.item === "one" && handed.n > since;
      };
      same(isHanded(find(m, "queue", s => s.e.phase === "hand_over")), true);
      same(isHanded(find(m, "step", s => s.task.id === 1 && s.wait !== null)), false);
      same(at("put", "two").items, ["two"]);
      same(at("wait_to_put").waiting.putters.map(one => [one.task.id, one.item]), [[2, "three"]]);
      same(at("get").items, []);
      same(at("let_in").waiting.putters, []);
      same(at("put", "three").items, ["three"]);
      same(at("give_back").items, ["three"]);
      same(at("put_back").items, ["two", "three"]);
      same(at("take_back").items, ["two"]);
      same(at("task_done").done, 1);
    },

    // ---- Causes ----

    "stage 2: a step comes from its future, and that from a callback"() {
      const m = run("stage2", STAGE2);
      same(kindsBefore(m, find(m, "step", s => s.task.id === 3).n),
        ["watch", "ready", "call", "resolve", "step", "new"]);
    },
    "stage 3: a step comes from the ready queue, and so back to the timer that was set"() {
      const m = run("stage3", STAGE3);
      same(kindsBefore(m, find(m, "step", s => s.task.id === 1 && s.wait !== null).n, 9),
        ["new", "schedule", "step", "timer", "due", "call", "resolve", "schedule"]);
    },

    // ---- The coarse walk ----

    "the walk through a small run of stage 2 has at most 40 stops, all its fetches among them"() {
      const m = model.read(RECORDED["18a-chain.trace"]);
      const found = stops.of(m);
      check(m.steps.length > 300 && found.length <= 40, `${found.length} of ${m.steps.length}`);
      for (const s of m.steps)
        check(!["start", "end"].includes(s.kind) || found.includes(s.n), `no stop at step ${s.n + 1}`);
      same(found[found.length - 1], m.steps.length - 1);
    },
    "all that comes before the first fetch is one stop, told in a sentence"() {
      const m = model.read(RECORDED["16-workers.trace"]);
      const [first, second] = stops.of(m);
      same([first, m.steps[second].kind], [stops.fold(m), "start"]);
      check(words.fold(m, first).why.includes(`steps 1 to ${first + 1}, before the first fetch: `));
    },
    "a walk stops at what begins, waits, wakes and ends, once between two sleeps"() {
      const m = model.read(RECORDED["18a-chain.trace"]);
      const kinds = stops.of(m).map(n => m.steps[n].kind);
      const sleeps = m.steps.filter(s => s.asleep).length;
      const count = kind => kinds.filter(one => one === kind).length;
      same(count("select"), sleeps);
      check(count("suspend") <= sleeps + 2 && count("step") <= sleeps + 2, kinds.join(" "));
    },
    "a conversation with a generator has every step for a stop, and more stops can be named"() {
      const all = run("generator_session", [...TALK]);
      same(stops.of(all).length, all.steps.length);
      const two = run("stage2", [made(1), task("step", 1), done(1)]);
      same(stops.of(two, [1]), [0, 1, 2]);
    },

    // ---- Findings ----

    "each likely mistake is found, and nothing else"() {
      const CALLED = [select(1, 1), awake(1), ready(5, "read"), begin("r", { fd: 5 })];
      const held = later => [watch(5, "read", "r"), ...CALLED, end("r", { in: later }), unwatch(5, "read")];
      const step = later => [MAILBOX, made(1), scheduled(1), select(0, 0), task("step", 1), resolve(1, 0),
        { ...done(1), in: later }, unwatch(3, "read")];
      const alone = (...rest) => [MAILBOX, soon(1), future("new", 5, { at: "f.h:1" }),
        future("new", 6, { at: "f.h:1" }), select(0, 0), begin("call_soon", { call: 1 }), ...rest, end("call_soon"),
        unwatch(3, "read")];
      const BEGUN = [made(1), task("step", 1)], LEFT = [...BEGUN, waits(1, 2)];
      const threw = (...inside) => [...CALLED, ...inside, end("r", { threw: true })];
      const failed = waiters => [made(1), select(0, 0), task("step", 1), future("fail", 1, { waiters }),
        done(1, "threw")];
      const watched = watch(5, "read", "r");
      const ROWS = [
        ["a run in order", "", ...["stage1", "stage2", "queue"].map(name => BY_HAND[name])],
        ["a callback or a step that held the loop", "slow", ["stage1", held(10001)], ["stage3", step(20000)]],
        ["one that held it for a moment", "", ["stage1", held(10000)], ["stage3", step(10)]],
        ["a future that nothing waited for", "unawaited", ["stage3", alone(resolve(5, 0))],
          ["stage3", alone(resolve(5, 0), resolve(6, 0))]], // one for both
        ["one that nothing had to wait for", "", ["stage3", alone()], ["stage3", alone(resolve(5, 1))],
          ["stage3", alone(resolve(5, 0), resolve(6, 1))], // others from there are waited for
          ["stage3", alone(future("cancel", 5, { waiters: 0 }))], ["stage3", alone(future("fail", 5, { waiters: 1 }))],
          ["stage3", alone(future("new", 7), resolve(7, 0))]], // resolved where it was made
        ["a task that waits too late, in stage 2", "unawaited cut",
          ["stage2", [...BEGUN, resolve(2, 0), waits(1, 2)], false]],
        ["the rest may have been cut off", "cut", ["stage2", [...LEFT, resolve(2, 1)], false], ["stage2", LEFT, false],
          ["stage1", [watched], false]],
        ["a task that never resumes, begins, or is destroyed", "stuck", ["stage2", LEFT], ["stage3", [made(1)]],
          ["stage2", [...LEFT, done(1, "destroyed")]]],
        ["a descriptor that stays registered", "left", ["stage1", [watched]],
          ["stage1", [watched, unwatch(5, "write")]]],
        ["one that doesn't, and the mailbox", "", ["stage1", [watched, unwatch(5, "read")]], ["stage3", [MAILBOX]]],
        ["an exception that nothing took, told once", "exception", ["stage2", threw()], ["stage3", failed(0)],
          ["stage2", threw(made(1), task("step", 1), done(1, "threw"))],
          ["stage3", alone(future("fail", 5, { waiters: 0 }))]],
        ["one that was taken", "", ["stage3", failed(1)]],
        ["a fetch that does not end", "fetch", ["stage1", [fetch("start", 1, "/", { fd: 5 })]]],
      ];
      for (const [what, kinds, ...runs] of ROWS)
        runs.forEach(([program, events, isWhole], n) =>
          same(kindsFound(run(program, events, isWhole !== false)).join(" "), kinds, `${what}, ${n}`));
      const said = events => run("stage3", events).findings[0];
      same(said(held(10001)).step, 3);
      check(said(alone(resolve(5, 0), resolve(6, 0))).text.includes("Future 1 and 1 more"), "how many");
      check(said([...LEFT, done(1, "destroyed")]).text.includes("future 1"), "what it waited for");
      const once = run("stage2", threw(made(1), task("step", 1), done(1, "threw")));
      same(once.steps[once.findings[0].step].kind, "done");
    },
    "a trace that is cut off, or can't be read"() {
      const whole = text("stage1", STAGE1);
      same(kindsFound(model.read(whole.slice(0, whole.length / 2))), ["bad", "cut"]);
      const { events, bad } = model.parse("{\"t\":1,\"event\":\"x\"}\nnull\n\n5\n{\"t\":");
      same([events.length, bad], [1, [2, 4, 5]]);
      same(kindsFound(model.read("")), ["cut"]);
      same(kindsFound(model.read(whole.replace("\"version\":2", "\"version\":3"))), ["bad"]);
    },

    // ---- Words ----

    "every kind of step has its sentences, without a gap"() {
      const kinds = new Set(), phases = new Set();
      for (const [name, trace] of allTexts()) {
        const m = model.read(trace);
        for (const s of m.steps) {
          kinds.add(s.kind);
          if (s.kind === "queue")
            phases.add(s.e.phase);
        }
        checkWords(m, name);
      }
      same([...kinds].sort(), ["ask", "awake", "call", "cancel", "done", "drop", "due", "end",
        "enter", "fail", "future", "leave", "new", "queue", "ready", "reply", "resolve", "return",
        "schedule", "select", "start", "step", "suspend", "take", "timer", "untimer", "unwatch",
        "watch"]);
      same([...phases].sort(), QUEUE_PHASES);
    },

    "parts of a trace, whichever, can be read and told"() {
      for (const [name, trace] of allTexts()) {
        const lines = trace.split("\n").slice(0, 400);
        const every = 1 + Math.floor(lines.length / 25);
        for (let cut = 0; cut < lines.length; cut += every) {
          checkWords(model.read(lines.slice(cut).join("\n")), `${name} from ${cut}`);
          checkWords(model.read(lines.slice(0, cut).join("\n")), `${name} to ${cut}`);
          const holey = lines.filter((line, i) => i % every !== cut % every);
          checkWords(model.read(holey.join("\n")), `${name} with holes`);
        }
      }
    },

    "time on the thread counts for who is on top of the stack"() {
      const m = run("stage2", [made(1), select(0, 1), begin("read"), { ...task("step", 1), in: 7 },
        { ...made(2), in: 3 }, { ...task("step", 2), in: 4 }, { ...waits(2, 8), in: 30 }, { ...waits(1, 9), in: 5 },
        { ...end("read"), in: 100 }]);
      const last = m.steps.length - 1, [one, other] = [1, 2].map(id => m.tasks.get(id));
      same([one, other].map(each => busy.of(m, each, last)), [3 + 4 + 5, 30], "busy");
      same([one, other].map(each => busy.steps(m, each, last)), [1, 1], "steps");
      same(m.steps.map(s => busy.of(m, one, s.n)), [0, 0, 0, 0, 3, 7, 7, 12, 12], "busy by step");
      for (const [name, trace] of allTexts()) {
        const all = model.read(trace), owners = [...(all.stage > 1 ? all.tasks : all.fetches).values()];
        const sum = owners.reduce((total, owner) => total + busy.of(all, owner, all.steps.length - 1), 0);
        check(sum <= all.span, `${name}: ${sum} µs of ${all.span}`);
      }
    },

    "an axis has few marks, at round numbers"() {
      same(axis.ticks(0, 89900, 10).map(time => axis.name(time, 89900)), ["0", "10 ms", "20 ms", "30 ms", "40 ms",
        "50 ms", "60 ms", "70 ms", "80 ms"]);
      same(axis.ticks(12.5, 14.1, 4), [13, 14]);
      same(axis.name(2500, 3000), "2.5 ms");
      for (const [from, to] of [[0, 1], [0, 7e6], [123456, 123499], [1, 3600e6]])
        for (const most of [2, 5, 14]) {
          const marks = axis.ticks(from, to, most);
          check(marks.length <= most + 1 && marks.every(time => time >= from && time <= to), `${from} to ${to}: ${marks}`);
          check(to - from < 50 || marks.length > 0, `${from} to ${to}: no mark`);
        }
    },

    "a sleep is told with its time"() {
      const m = run("stage1", STAGE1);
      const slept = find(m, "select", s => s.turn === 2);
      same(words.describe(m, slept.n, after(m, slept)).what, "Turn 2: nothing is left to run."
        + " The loop asks the kernel to wake it when this socket is ready, and sleeps 20.0 ms.");
    },

    "queues can be told of without items, and there can be two"() {
      const other = { queue: 8 };
      const m = run("stage3", [MAILBOX, made(1), select(0, 0), task("step", 1), queue("put", 1, 1),
        queue("get", 0, 1), queue("put", 1, 1, other), future("new", 5),
        queue("wait_to_put", 1, 1, { ...other, future: 5 }),
        queue("hand_over", 0, 2, { future: 5 }), queue("give_back", 0, 2),
        queue("put_back", 1, 2), queue("something new", 1, 2)]);
      checkWords(m, "queues");
      same(m.queues.size, 2);
      same([...after(m, find(m, "queue", s => s.e.phase === "put_back")).queues.values()]
        .map(one => one.items), [[null], [null]]);
    },

    "what a source says is told with it"() {
      const m = run("stage2", STAGE2);
      const s = find(m, "suspend");
      const source = { awaited: at => at === "w.cpp:2" ? "co_await received" : null };
      same(words.describe(m, s.n, after(m, s), source).what, "`read` reaches `co_await received` "
        + "and stops right there, and with it both coroutines of task 1.");
      const called = find(m, "call");
      const why = words.describe(m, called.n, after(m, called), { body: () => "f()" }).why;
      check(why.startsWith("All it does is `f()`. It resolves future 1"), why);
    },

    "a story is the same for two recordings of one run"() {
      const again = STAGE3.map(e => ({ ...e, in: 7 + (e.in || 0) / 3,
        ...(e.fd === undefined ? {} : { fd: e.fd + 4 }) }));
      same(story(run("stage3", again)), story(run("stage3", STAGE3)));
      for (const [program, events] of Object.values(BY_HAND)) {
        const told = story(run(program, events)).join("\n");
        check(!/\d (µs|ms|s)\b|:\d|socket \d/.test(told), told);
      }
      const one = story(run("stage1", STAGE1)).join("\n");
      check(one.includes("socket A") && one.includes("socket B"), one);
      check(story(run("stage3", [made(1)])).join().includes("Finding: "), "findings, too");
    },

    "numbers in words"() {
      same([0, 999, 1500, 250000, 3e6, 3600e6].map(words.time),
        ["0 µs", "999 µs", "1.5 ms", "250 ms", "3.0 s", "60 min"]);
      same([words.num(1234567), words.many(1, "task"), words.many(13, "task")],
        ["1,234,567", "one task", "13 tasks"]);
      same(words.list(["a", "b", "c"]), "a, b and c");
      same([model.shortName("stage3::Queue<T, Order>::get"), model.lastName("a::b<c>::d")],
        ["Queue::get", "d"]);
    },
  };

  const QUEUE_PHASES = ["get", "give_back", "hand_over", "join", "let_in", "put", "put_back",
    "take_back", "task_done", "wait_to_get", "wait_to_put"];
  const GAP = /undefined|NaN|null|\[object|  |``|(?<!\w)\(\)| [.,:]/;

  function checkWords(m, name) {
    let state = null;
    for (const s of m.steps) {
      state = model.stateAt(m, s.n, state);
      for (const source of [null, { untimed: true }]) {
        const { what, why } = words.describe(m, s.n, state, source);
        const short = words.short(m, s.n);
        const where = `${name}, step ${s.n}: ${what} | ${why} | ${short}`;
        check(!QUEUE_PHASES.includes(s.e.phase) || !what.endsWith(`${s.e.phase}.`), where);
        check([what, why, short].every(text => !GAP.test(text)), where);
        check(/^[^a-z].*[.!?]$/.test(what) && short !== "", where);
        check(why === "" || /^([^a-z]|libcurl ).*[.!?)]$/.test(why), where);
      }
    }
    for (const one of m.findings)
      check(!GAP.test(one.text), `${name}: ${one.text}`);
    story(m);
  }

  // ---- All ----

  if (process.argv[2] === "--whole")
    return whole(run(...BY_HAND[process.argv[3]]));
  const failures = [];
  for (const [name, test] of Object.entries(CASES)) {
    try {
      test();
    } catch (error) {
      failures.push(`${name}: ${error.message}`);
    }
  }
  const size = object => Object.keys(object).length;
  return failures.length > 0 ? `FAILED:\n${failures.join("\n")}`
    : `all passed: ${size(CASES)} cases, ${size(RECORDED)} recorded traces`;
})();

console.log(report);
process.exitCode = report.startsWith("all passed") ? 0 : 1;
