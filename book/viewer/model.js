// From a trace to steps, and from a step's number to how the program stood then.
//
// No DOM in here, and nothing is guessed: what a trace does not say is left out. The events
// are described in common/trace/trace.h.
//
//     const { events, bad } = Model.parse(text);  // bad: numbers of lines that can't be read
//     const m = Model.build(events, bad);         // the whole run; Model.read(text): both
//     let state = Model.stateAt(m, 41);           // how it stood after step 41
//     state = Model.stateAt(m, 42, state);        // the same object, one step on
//
// `build` returns
//     header, footer   the events "trace" and "end", or null; whole: true if "end" is there
//     program, stage   "stage1", and 1, 2 or 3
//     talks            true: no loop in it, but somebody who talks with generators. A generator
//                      is taken for a task, which waits until it is called
//     origin           "http://127.0.0.1:8000", of the first fetch; see `shown`
//     steps            one for each event, but for "trace", "end", an "awake" that has
//                      nothing to tell that its "select" and the first "ready" don't, and a
//                      new future that is told without a place: stage 2 tells of one only
//                      when it is waited for, and then "suspend" tells enough
//     tasks, futures, fetches, queues, timers   Maps by id, of all there ever were
//     calls, watches   all callbacks that ran; all registrations; in order
//     turns, turnOf    the loop's turns, in order, and by number
//     findings         [{ step, level: "warn" or "note", kind, text }], by step
//     rows, x          for drawing: how many rows there are, one for each task (stage 1: fetch)
//                      in the order in which they are met; and where each step stands
//     together         by step: how many of those were alive at once, at most, so far
//     span             when the last event came, µs
//
// A step has
//     n, i, e, t, turn   its number, its event's number, its event; copied from the event: t, turn
//     kind      see "kinds" in steps.json
//     cause     the step that has led to it, or -1
//     stack     who has the thread after it, the outermost first: { call or task, step }
//     in        the task that has just left the stack: for "suspend" and "done"
//     lane      LOOP, CALLS, or the number of a row; depth: how deep in its task's chain
// and, as far as they apply, task, future, fetch, call, queue, watch, timer (the records
// below), and
//     slept, asleep      select: µs, and whether that is worth a word; undefined: cut off there
//     first, place, watches, mailbox   ready: is it the first of its turn; its place among
//                        those; whose callbacks it makes ready; is it the mailbox
//     nextTurn           schedule: runs in the next turn, not in this one
//     stopped            leave: did the task wait since this coroutine was called
//     word, ask          of a generator: what goes in, or comes out; the call of which this is
//     first, wait        step: its first one; else the wait that has ended. suspend: wait
//     item, to, line     queue: what; who gets it; in which line ("getters" or "putters")
//
// The records; in all of them steps are given by number, and undefined or null is "never",
// or "not told":
//     task    id, n (to be shown), name, function, label, own (a name that was given to it),
//             at, new, steps, waits, asked (to end), done, outcome, row, future,
//             fetch (the latest), talks (it's a generator), ask (its last call)
//     wait    task, step, t, future (null: for the next turn only), chain, resumed,
//             of a generator: ended (how, if so), number (as in the state)
//     future  id, n, at, born, end, how ("resolve", "fail", "drop"), told (how many waited at
//             its end), by ({ call } or { task }: who ended it), waiters (all waits ever),
//             task (if it is one), line ({ queue, side }, if it stands in a queue's line)
//     call    name, at, step, end, took, threw, number, fd, ready, watch, timer, fetch, task
//             (the first one that went on in it), ended (futures)
//     watch   fd, events, name, at, from, to, fetch, task, call (the last), calls, mailbox
//     timer   number, name, at, ms, set, due, cancelled, call
//     fetch   id, url, path, robots, start, end, t0, t1, task, fd, parent, status, bytes, next,
//             error, row, watches
//     queue   id, n
//     turn    n, select, t, awake, ready (steps), runs ([{ call or task, from, to }])
//
// `stateAt` is described where it is.
"use strict";

const Model = (() => {
  const SLEEP = 500; // µs: a shorter sleep is not worth a word
  const HELD = 10000; // µs: a callback that runs longer holds up all others
  const LOOP = "loop", CALLS = "calls"; // lanes that are not rows
  const NONE = [];

  /// `kinds`: which kind of step an event makes, by its phase if it has some; and `stages`.
  const KNOWN = typeof require === "undefined" ? Steps : require("./steps.json");

  // ---- Text and names ----

  function parse(text) {
    const events = [], bad = [];
    text.split("\n").forEach((line, i) => {
      if (line.trim() === "")
        return;
      const event = parseLine(line);
      if (event)
        events.push(event);
      else
        bad.push(i + 1);
    });
    return { events, bad };
  }

  function parseLine(line) {
    try {
      const event = JSON.parse(line);
      const right = typeof event.t === "number" && typeof event.event === "string";
      return right ? event : null;
    } catch {
      return null; // no JSON, perhaps because it was cut off; or just null
    }
  }

  /// "stage3::Queue<T, Order>::get" → "Queue::get".
  function shortName(name) {
    return (name || "").replace(/<.*>/, "").replace(/^(stage\d|common)::/, "");
  }
  /// … → "get".
  const lastName = name => shortName(name).replace(/^.*::/, "");

  const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

  /// A URL as it's shown: of the site where the run began, the path is enough.
  function shown(m, url) {
    if (m.origin === "" || !url.startsWith(m.origin))
      return url;
    const rest = url.slice(m.origin.length);
    if (rest === "")
      return "/";
    return rest.startsWith("/") ? rest : url;
  }

  function stageOf(program, events) {
    if (KNOWN.stages[program])
      return KNOWN.stages[program];
    // Any other program: stage 3's loop begins with its mailbox, and stage 1 has no tasks.
    if (events.some(e => e.event === "watch" && e.name === "mailbox"))
      return 3;
    return events.some(e => e.event === "task" || e.event === "generator") ? 2 : 1;
  }

  // ---- The whole run ----

  function build(events, bad = []) {
    const header = events.find(e => e.event === "trace") || null;
    const footer = events.find(e => e.event === "end") || null;
    const program = header?.program || "";
    const first = events.find(e => e.event === "fetch" && e.url);
    const m = {
      header, footer, whole: footer !== null && footer.whole !== false, program,
      stage: stageOf(program, events), talks: events.some(e => e.event === "generator"),
      origin: first?.url.match(ORIGIN)?.[0] || "",
      events, bad, steps: [], tasks: new Map(), futures: new Map(), fetches: new Map(),
      queues: new Map(), timers: new Map(), calls: [], watches: [], turns: [],
      turnOf: new Map(), findings: [], rows: 0, x: null, snapshots: [],
      span: events.length > 0 ? events[events.length - 1].t : 0,
    };
    const r = newReader(m);
    events.forEach((e, i) => readEvent(r, e, i));
    setLanes(m);
    m.findings = findAll(m);
    keepSnapshots(m);
    return m;
  }

  function read(text) {
    const { events, bad } = parse(text);
    return build(events, bad);
  }

  /// What must be remembered from one event to the next.
  function newReader(m) {
    return {
      m,
      stack: NONE, // who has the thread; replaced, never changed, as steps keep it
      turn: null,
      readyNow: new Map(), // descriptors that are ready in this turn → the step that said so
      queued: new Map(), // a task or a call → the step that put it into the ready queue
      firstForNext: -1, // the step that put the first one into it, for the next turn
      watches: new Map(), // those that are registered, by descriptor and events
      inFlight: new Map(), // fetches by descriptor
      calledIn: new Map(), // tasks → the steps in which its open coroutines were called
      plainFutures: 0,
      waking: null, // the future that has just ended, and how many waiters are still due
      linkedBy: new Map(), // stage 3: an item of a queue → the page whose reader has put it there
    };
  }

  /// undefined: an event that this file does not know.
  function kindOf(e) {
    const kind = KNOWN.kinds[e.event];
    if (kind === "queue" && !e.phase)
      return undefined;
    return typeof kind === "object" ? kind[e.phase || "now"] : kind;
  }

  function readEvent(r, e, i) {
    const kind = kindOf(e);
    if (!kind || (kind === "awake" && !wakesForNothing(r, e)))
      return;
    if (kind === "future" && !e.at) {
      futureOf(r, e.id).bornIn = top(r) || null;
      r.waking = null;
      return;
    }
    const { steps } = r.m;
    const s = { n: steps.length, i, e, kind, t: e.t, turn: e.turn, cause: whoRuns(r), stack: NONE,
      lane: LOOP, depth: 0 };
    if (kind !== "schedule")
      r.waking = null;
    steps.push(s);
    if (e.event === "generator")
      belongsToCall(r, s, e);
    READ[kind](r, s, e);
    s.stack = r.stack;
  }

  function belongsToCall(r, s, e) {
    const generator = taskOf(r.m, e.id);
    generator.talks = true;
    if (s.kind === "ask")
      generator.ask = s.n;
    s.ask = generator.ask ?? -1;
  }

  /// Ends the sleep of its select. A step of its own is left only to one that slept until
  /// a timer was due: else the first "ready" tells more.
  function wakesForNothing(r, e) {
    if (!r.turn)
      return false;
    const select = r.m.steps[r.turn.select];
    r.turn.awake = e.t;
    setSlept(select, e.t - r.turn.t);
    return e.ready === 0 && select.e.timeout_ms !== 0;
  }

  function setSlept(select, slept) {
    select.slept = slept;
    select.asleep = slept >= SLEEP;
  }

  const top = r => r.stack[r.stack.length - 1];
  const whoRuns = r => r.stack.length > 0 ? top(r).step : -1;

  function innermost(r, what) {
    for (let i = r.stack.length - 1; i >= 0; i--)
      if (r.stack[i][what])
        return r.stack[i][what];
    return null;
  }

  /// The loop is between its select and the first that it runs.
  const gathers = r => r.stack.length === 0 && r.turn !== null && r.turn.runs.length === 0;

  /// `frame` has the thread now: { call, step } or { task, step }.
  function enterFrame(r, frame) {
    const { call, task, step } = frame;
    if (r.stack.length === 0 && r.turn)
      r.turn.runs.push({ call, task, from: step, to: null });
    r.stack = r.stack.concat(frame);
  }

  /// Takes the innermost frame that is meant off the stack, and all inside it: an exception
  /// may have left those without a word.
  function leaveFrame(r, s, meant) {
    let i = r.stack.length - 1;
    while (i >= 0 && !meant(r.stack[i]))
      i--;
    if (i < 0)
      return null;
    const frame = r.stack[i];
    r.stack = r.stack.slice(0, i);
    if (i === 0 && r.turn?.runs.length > 0)
      r.turn.runs[r.turn.runs.length - 1].to = s.n;
    return frame;
  }

  // ---- Who is meant: records are made when their id is first met ----

  function taskOf(m, id) {
    let task = m.tasks.get(id);
    if (!task) {
      task = { id, n: m.tasks.size + 1, name: "", function: "", label: "task", own: null,
        steps: [], waits: [], asked: [], future: null, fetch: null };
      m.tasks.set(id, task);
    }
    return task;
  }

  function nameTask(task, name, func) {
    task.name = name || func || "";
    task.function = func || name || "";
    task.label = shortName(task.name) || "task";
    task.own = task.name !== task.function ? task.name : null;
  }

  function futureOf(r, id) {
    let future = r.m.futures.get(id);
    if (!future) {
      future = { id, n: 0, waiters: [], by: null, task: r.m.tasks.get(id) || null, line: null };
      if (future.task)
        future.task.future = future;
      else
        future.n = ++r.plainFutures;
      r.m.futures.set(id, future);
    }
    return future;
  }

  function queueOf(m, id = 0) {
    if (!m.queues.has(id))
      m.queues.set(id, { id, n: m.queues.size + 1 });
    return m.queues.get(id);
  }

  function timerOf(m, number) {
    if (!m.timers.has(number))
      m.timers.set(number, { number, name: "", at: null, call: null });
    return m.timers.get(number);
  }

  function fetchOf(m, e, s) {
    if (!m.fetches.has(e.id)) {
      const url = e.url || "";
      m.fetches.set(e.id, { id: e.id, url, path: shown(m, url),
        robots: /\/robots\.txt$/.test(url), start: s.n, t0: e.t, task: null, fd: null,
        parent: null, watches: [] });
    }
    return m.fetches.get(e.id);
  }

  const keyOf = (fd, events) => `${fd} ${events}`;

  /// Who is registered for `fd`, and for one of these events.
  function watchesOf(r, fd, events = "read|write") {
    const found = [];
    for (const kind of ["read", "write", "read|write"]) {
      const watch = r.watches.get(keyOf(fd, kind));
      if (watch && (share(kind, events, "read") || share(kind, events, "write")))
        found.push(watch);
    }
    return found;
  }
  const share = (a, b, what) => a.includes(what) && b.includes(what);

  // ---- What each kind of step tells ----

  const READ = {
    select(r, s, e) {
      r.stack = NONE;
      r.turn = { n: e.turn, select: s.n, t: e.t, awake: null, ready: [], runs: [] };
      r.readyNow = new Map();
      r.m.turns.push(r.turn);
      r.m.turnOf.set(e.turn, r.turn);
      s.cause = r.firstForNext; // or who has asked for what is ready, see there
      r.firstForNext = -1;
      if (r.m.stage === 3 && e.timeout_ms === 0 && e.fds === 0)
        setSlept(s, 0); // the selector is not even asked, so nobody says that it is awake
    },
    awake(r, s) {
      s.cause = r.turn.select;
    },
    ready(r, s, e) {
      s.place = r.turn ? r.turn.ready.length : 0;
      s.first = r.turn !== null && s.place === 0;
      r.turn?.ready.push(s.n);
      r.readyNow.set(e.fd, s.n);
      const watches = watchesOf(r, e.fd, e.events);
      s.mailbox = watches.some(watch => watch.mailbox);
      s.watches = watches.filter(watch => !watch.mailbox);
      s.cause = s.watches.length > 0 ? s.watches[0].from : -1;
      isAskedFor(r, s.cause);
    },

    call(r, s, e) {
      const call = { name: e.name || "", at: e.at, step: s.n, end: null, threw: false,
        number: e.call ?? null, fd: e.fd ?? null, ready: -1, watch: null, timer: null,
        fetch: null, task: null, ended: [] };
      r.m.calls.push(call);
      s.call = call;
      s.cause = causeOfCall(r, call);
      enterFrame(r, { call, step: s.n });
    },
    return(r, s, e) {
      const frame = leaveFrame(r, s, one => one.call && one.call.name === e.name);
      s.call = frame ? frame.call : { name: e.name || "", at: e.at, step: -1, ended: [] };
      s.call.end = s.n;
      s.call.threw = e.threw === true;
      s.cause = s.call.step;
      if (frame)
        s.call.took = e.t - r.m.steps[s.call.step].t;
    },

    schedule(r, s, e) {
      const isTask = e.task !== undefined;
      s.task = isTask ? taskOf(r.m, e.task) : null;
      s.nextTurn = !gathers(r);
      const by = isTask ? causeOfReady(s.task) : wokenBy(r, e);
      if (by >= 0)
        s.cause = by;
      else if (gathers(r))
        s.cause = r.turn.ready.find(n => r.m.steps[n].mailbox) ?? r.turn.select;
      r.queued.set(isTask ? `task ${e.task}` : `call ${e.call}`, s.n);
      if (s.nextTurn && r.firstForNext < 0)
        r.firstForNext = s.n;
      if (r.waking)
        r.waking.left--;
    },
    timer(r, s, e) {
      s.timer = timerOf(r.m, e.call);
      Object.assign(s.timer, { name: e.name || "", at: e.at, ms: e.in_ms, set: s.n });
    },
    due(r, s, e) {
      s.timer = timerOf(r.m, e.call);
      s.timer.due = s.n;
      s.cause = s.timer.set ?? r.turn?.select ?? -1;
      isAskedFor(r, s.cause);
      r.queued.set(`call ${e.call}`, s.n);
    },
    untimer(r, s, e) {
      s.timer = timerOf(r.m, e.call);
      s.timer.cancelled = s.n;
    },

    future(r, s, e) {
      s.future = futureOf(r, e.id);
      Object.assign(s.future, { at: e.at, born: s.n, bornIn: top(r) || null });
    },
    resolve: endFuture,
    fail: endFuture,
    drop: endFuture,

    new(r, s, e) {
      s.task = taskOf(r.m, e.id);
      nameTask(s.task, e.name, e.function);
      s.task.at = e.at;
      s.task.new = s.n;
    },
    step(r, s, e) {
      const task = taskOf(r.m, e.id);
      const wait = task.waits[task.waits.length - 1];
      s.task = task;
      s.first = task.steps.length === 0 && !wait;
      s.wait = wait?.resumed === null ? wait : null;
      const ready = causeOfReady(task);
      s.cause = r.queued.get(`task ${e.id}`) ?? (ready >= 0 ? ready : r.turn?.select ?? -1);
      r.queued.delete(`task ${e.id}`);
      if (s.wait)
        s.wait.resumed = s.n;
      task.steps.push(s.n);
      const call = innermost(r, "call");
      if (call && !call.task)
        call.task = task;
      enterFrame(r, { task, step: s.n });
    },
    suspend(r, s, e) {
      const task = taskOf(r.m, e.id);
      const future = e.awaiting === undefined ? null : futureOf(r, e.awaiting);
      const chain = e.chain || NONE;
      if (task.function === "" && chain.length > 0)
        nameTask(task, "", chain[0].name); // its beginning is not in the trace
      s.task = s.in = task;
      s.word = e.word ?? null;
      s.wait = { task, step: s.n, t: e.t, future, chain, resumed: null,
        ended: e.how, number: e.number };
      task.waits.push(s.wait);
      future?.waiters.push(s.wait);
      leaveTask(r, s, task);
    },
    done(r, s, e) {
      s.task = taskOf(r.m, e.id);
      s.in = s.task.talks ? undefined : s.task; // a generator is destroyed by somebody else
      s.task.done = s.n;
      s.task.outcome = e.outcome;
      leaveTask(r, s, s.task);
    },
    cancel(r, s, e) {
      s.task = taskOf(r.m, e.id);
      s.task.asked.push(s.n);
    },
    ask(r, s, e) {
      s.task = taskOf(r.m, e.id);
      s.word = e.word ?? null;
      r.queued.set(`task ${e.id}`, s.n);
    },
    take(r, s, e) {
      s.task = taskOf(r.m, e.id);
      s.word = e.word;
    },
    reply(r, s, e) {
      s.task = taskOf(r.m, e.id);
      s.word = e.word ?? null;
      s.cause = s.n - 1;
    },
    enter(r, s, e) {
      s.task = taskOf(r.m, e.task);
      const open = r.calledIn.get(s.task) || NONE;
      r.calledIn.set(s.task, [...open, s.n]);
    },
    leave(r, s, e) {
      s.task = taskOf(r.m, e.task);
      const open = r.calledIn.get(s.task) || NONE;
      const called = open[open.length - 1] ?? -1; // -1: before the trace begins
      r.calledIn.set(s.task, open.slice(0, -1));
      const { waits } = s.task;
      s.stopped = called < 0 || waits[waits.length - 1]?.step > called;
    },

    start(r, s, e) {
      const fetch = s.fetch = fetchOf(r.m, e, s);
      fetch.task = e.task === undefined ? innermost(r, "task") : taskOf(r.m, e.task);
      fetch.parent = parentOf(r, fetch);
      if (fetch.task)
        fetch.task.fetch = fetch;
      if (e.fd === undefined)
        return;
      fetch.fd = e.fd;
      r.inFlight.set(e.fd, fetch);
      for (const watch of watchesOf(r, e.fd))
        belongsTo(watch, fetch);
    },
    end(r, s, e) {
      const fetch = s.fetch = fetchOf(r.m, e, s);
      Object.assign(fetch, { end: s.n, t1: e.t, status: e.status, bytes: e.bytes,
        next: e.next, error: e.error });
      if (r.inFlight.get(fetch.fd) === fetch)
        r.inFlight.delete(fetch.fd);
    },

    queue(r, s, e) {
      s.queue = queueOf(r.m, e.queue);
      s.task = innermost(r, "task");
      s.item = e.item ?? null;
      s.future = e.future === undefined ? null : futureOf(r, e.future);
      s.line = LINES[e.phase] || null;
      const waits = e.phase.startsWith("wait_");
      if (waits && s.future)
        s.future.line = { queue: s.queue, side: s.line };
      else if (s.future)
        s.to = s.future.waiters[s.future.waiters.length - 1]?.task || null;
      if (BRINGS.includes(e.phase) && !r.linkedBy.has(s.item))
        r.linkedBy.set(s.item, s.task?.fetch || null);
    },

    watch(r, s, e) {
      const key = keyOf(e.fd, e.events);
      const before = r.watches.get(key);
      if (before)
        before.to = s.n;
      const watch = s.watch = { fd: e.fd, events: e.events || "", name: e.name || "", at: e.at,
        from: s.n, to: Infinity, fetch: null, task: innermost(r, "task"), call: null,
        calls: [], mailbox: e.name === "mailbox" };
      r.watches.set(key, watch);
      r.m.watches.push(watch);
      const fetch = r.inFlight.get(e.fd) || watch.task?.fetch;
      if (fetch && fetch.end === undefined)
        belongsTo(watch, fetch);
    },
    unwatch(r, s, e) {
      const key = keyOf(e.fd, e.events);
      s.watch = r.watches.get(key) || null;
      if (s.watch)
        s.watch.to = s.n;
      r.watches.delete(key);
    },
  };

  function belongsTo(watch, fetch) {
    watch.fetch = fetch;
    fetch.watches.push(watch);
  }

  /// Who waits at a queue stands in one of two lines.
  const LINES = { wait_to_get: "getters", hand_over: "getters", wait_to_put: "putters",
    let_in: "putters" };
  /// With these, a task brings an item of its own.
  const BRINGS = ["wait_to_put", "put", "hand_over"];

  /// The page that had the link. In stage 3 it was read by the task that has put the URL
  /// into the queue; before, a fetch begins while the page that leads to it is read.
  function parentOf(r, fetch) {
    if (r.m.stage === 3)
      return r.linkedBy.get(fetch.url)?.path || null;
    const outer = r.stack.filter(frame => !fetch.task || frame.task !== fetch.task).pop();
    const parent = outer?.call ? outer.call.fetch : outer?.task.fetch;
    return parent && parent.end === undefined ? parent.path : null;
  }

  function leaveTask(r, s, task) {
    const frame = leaveFrame(r, s, one => one.task === task);
    if (frame)
      s.cause = frame.step;
  }

  /// What has made this task ready, as far as it is known without its "schedule".
  function causeOfReady(task) {
    const wait = task.waits[task.waits.length - 1];
    if (!wait)
      return task.new ?? -1;
    return (wait.future ? wait.future.end : wait.step) ?? -1;
  }

  /// A callback is scheduled: because the future that it waited for has just ended? Those
  /// come right behind it, as many as it has told of, and one named "done" that keeps the
  /// future alive until they have run.
  function wokenBy(r, e) {
    const woken = r.waking && (r.waking.left > 0 || e.name === "done");
    return woken ? r.waking.step : -1;
  }

  /// A loop sleeps until what somebody has asked for is there: so it's because of that one
  /// that it asks the selector, more than of anybody before.
  function isAskedFor(r, step) {
    const select = r.turn && r.m.steps[r.turn.select];
    if (select && select.cause < 0)
      select.cause = step;
  }

  /// What has made the loop call this. Fills in which registration or timer it was.
  function causeOfCall(r, call) {
    const select = r.turn ? r.turn.select : -1;
    if (call.number !== null) {
      setTimer(r.m, call);
      const queued = r.queued.get(`call ${call.number}`);
      if (queued !== undefined)
        return queued;
    }
    if (call.fd === null)
      return r.stack.length > 0 ? whoRuns(r) : select;
    call.watch = watchesOf(r, call.fd).find(watch => watch.name === call.name) || null;
    if (call.watch) {
      call.watch.calls.push(call);
      call.watch.call = call;
      call.fetch = call.watch.fetch;
    }
    call.ready = r.readyNow.get(call.fd) ?? -1;
    return call.ready >= 0 ? call.ready : select;
  }

  function setTimer(m, call) {
    const timer = m.timers.get(call.number);
    if (!timer)
      return;
    call.timer = timer;
    timer.call = call;
  }

  function endFuture(r, s, e) {
    const future = s.future = futureOf(r, e.id);
    const frame = top(r) || null;
    Object.assign(future, { end: s.n, how: s.kind, told: e.waiters ?? 0, endedIn: frame });
    future.by = frame ? (frame.call ? { call: frame.call } : { task: frame.task }) : null;
    frame?.call?.ended.push(future);
    const before = r.m.steps[s.n - 1];
    if (before && endsWith(before, future))
      s.cause = before.n;
    r.waking = { step: s.n, left: future.told };
  }

  /// Has this step ended the future? A queue that serves one who waits does, and a task
  /// that is asked to end while it, or the one that it waits for, waits for this future.
  function endsWith(step, future) {
    if (step.kind === "queue")
      return step.future === future;
    if (step.kind !== "cancel")
      return false;
    let awaited = awaitedBy(step.task);
    while (awaited && awaited !== future && awaited.task)
      awaited = awaitedBy(awaited.task);
    return awaited === future;
  }

  function awaitedBy(task) {
    const wait = task.waits[task.waits.length - 1];
    return wait?.resumed === null ? wait.future : null;
  }

  // ---- Where things are drawn: a row each ----

  function setLanes(m) {
    let alive = 0;
    const over = []; // fetches that have ended, and still have the thread
    const depths = new Map();
    m.x = new Float64Array(m.steps.length + 1);
    m.together = new Uint32Array(m.steps.length);
    let x = 0;
    for (const s of m.steps) {
      alive += takeRow(m, s);
      m.together[s.n] = Math.max(alive, m.together[s.n - 1] || 0);
      s.lane = laneOf(m, s);
      s.depth = depthOf(s, depths);
      m.x[s.n] = x;
      x += s.kind === "select" && s.asleep ? 3.2 : 1; // a sleep gets room for its words
      if (m.stage > 1 && s.kind === "done")
        alive--;
      if (m.stage === 1 && s.kind === "end")
        over.push(s.fetch);
      if (s.stack.length === 0)
        alive -= over.splice(0).length;
    }
    m.x[m.steps.length] = x;
  }

  /// In stage 1 a fetch has a row, else a task: from when it's first met. How many were met?
  function takeRow(m, s) {
    const owner = m.stage === 1 ? s.fetch : s.task;
    if (!owner || owner.row !== undefined)
      return 0;
    owner.row = m.rows++;
    return 1;
  }

  function laneOf(m, s) {
    if (s.in)
      return s.in.row;
    if (s.kind === "new" || s.kind === "done")
      return s.task.row;
    if (m.stage === 1 && s.fetch)
      return s.fetch.row;
    const frame = s.kind === "return" ? { call: s.call } : s.stack[s.stack.length - 1];
    if (!frame)
      return LOOP;
    if (frame.task)
      return frame.task.row;
    return m.stage === 1 && frame.call.fetch ? frame.call.fetch.row : CALLS;
  }

  function depthOf(s, depths) {
    const task = s.in || s.stack[s.stack.length - 1]?.task;
    if (s.kind === "new")
      depths.set(s.task, 0);
    if (s.kind === "enter")
      depths.set(s.task, (depths.get(s.task) || 0) + 1);
    if (s.kind === "leave")
      depths.set(s.task, Math.max(0, (depths.get(s.task) || 0) - 1));
    if (s.kind === "suspend")
      depths.set(s.task, Math.max(0, s.wait.chain.length - 1));
    const drawn = task && typeof s.lane === "number" && s.lane === task.row;
    return drawn ? depths.get(task) || 0 : 0;
  }

  // ---- How it stands after a step ----

  /// A state has
  ///     at, turn, asleep, watched   step; turn; in select; what select was asked about
  ///     tasks      id → { task, state, chain, awaiting, since, outcome, fetch }; `state` is
  ///                new, ready, running, waiting or done. Done ones stay until the next turn.
  ///                Of one that a queue has handed an item to: handed (that step).
  ///                Of a generator, too: held (what a promise holds: { name, word }, or null),
  ///                number (of the place where it goes on), ended (how). In a chain, `innermost`
  ///                is which link goes on in this one's place; undefined: itself
  ///     futures    id → { future, state, waiters (tasks), gone (how many went on), since };
  ///                `state` is pending, resolved, failed or cancelled. A future goes in the
  ///                next turn after all who waited went on; a task's is only here if awaited
  ///     fetches    id → fetch: those in flight
  ///     watches    "5 read" → watch: who is registered
  ///     timers     number → timer: those that are set, and not due
  ///     ready      what the selector said in this turn: [{ fd, events, step, watches, called }]
  ///     runNow     stage 3's ready queue: what will still run in this turn, as entries:
  ///                { task }, { watch }, or { name, at, number }; with from, the step that
  ///                has put it there
  ///     running    the entry that the loop runs now, or null
  ///     runNext    what will run in the next turn
  ///     queues     id → { queue, size, unfinished, getters, putters (how many), items, done,
  ///                waiting: { getters, putters } ([{ task, future, item }], if told) }
  ///     fetched, calls, stepsMade, sleptSoFar    sums
  function start() {
    return { at: -1, turn: 0, asleep: false, watched: 0, tasks: new Map(), futures: new Map(),
      fetches: new Map(), watches: new Map(), timers: new Map(), ready: [], runNow: [],
      running: null, runNext: [], queues: new Map(), fetched: 0, calls: 0, stepsMade: 0,
      sleptSoFar: 0, leaving: [] };
  }

  /// Entries of maps are replaced and never changed, so that a copy is cheap. Queues are
  /// changed in place, as they may be long.
  function copy(state) {
    const queues = new Map();
    for (const [id, queue] of state.queues)
      queues.set(id, { ...queue, items: queue.items.slice(), waiting: {
        getters: queue.waiting.getters.slice(), putters: queue.waiting.putters.slice() } });
    return { ...state, tasks: new Map(state.tasks), futures: new Map(state.futures),
      fetches: new Map(state.fetches), watches: new Map(state.watches),
      timers: new Map(state.timers), ready: state.ready.slice(),
      runNow: state.runNow.slice(), runNext: state.runNext.slice(),
      leaving: state.leaving.slice(), queues };
  }

  function sizeOf(state) {
    let size = state.tasks.size + state.futures.size + state.fetches.size
      + state.watches.size + state.timers.size + state.runNow.length + state.runNext.length;
    for (const queue of state.queues.values())
      size += queue.items.length;
    return size;
  }

  /// Goes through the run once, and keeps a copy now and then: to go back is to go on from
  /// the copy before. The larger a copy, the more steps lie between two.
  function keepSnapshots(m) {
    const state = start();
    let kept = -1;
    for (const s of m.steps) {
      apply(m, state, s);
      if (s.n - kept >= Math.max(250, sizeOf(state))) {
        m.snapshots.push(copy(state));
        kept = s.n;
      }
    }
  }

  const NEAR = 300; // steps: farther on, a copy may be nearer

  /// How it stands after step n; -1: before the first. `before`: a state from an earlier
  /// call, which is used up.
  function stateAt(m, n, before = null) {
    const near = before && before.at <= n && n - before.at < NEAR;
    const state = near ? before : copyBefore(m, n);
    while (state.at < n)
      apply(m, state, m.steps[state.at + 1]);
    return state;
  }

  function copyBefore(m, n) {
    let low = 0, high = m.snapshots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (m.snapshots[middle].at <= n)
        low = middle + 1;
      else
        high = middle;
    }
    return low > 0 ? copy(m.snapshots[low - 1]) : start();
  }

  function apply(m, state, s) {
    state.at = s.n;
    state.turn = s.turn;
    APPLY[s.kind](m, state, s, s.e);
    if (s.stack.length === 0)
      state.running = null;
  }

  function change(map, id, what) {
    map.set(id, { ...map.get(id), ...what });
  }

  function changeTask(state, task, what) {
    const known = state.tasks.get(task.id)
      || { task, state: "new", chain: NONE, awaiting: null, since: state.at, fetch: null };
    state.tasks.set(task.id, { ...known, ...what });
  }

  function entryOfCall(e, s) {
    return { number: e.call, name: e.name || s.timer?.name || "", at: e.at || s.timer?.at,
      from: s.n };
  }

  /// The loop takes this out of its ready queue, and runs it. What stood before it was
  /// taken back, and is skipped.
  function run(state, isIt, otherwise) {
    const i = state.runNow.findIndex(isIt);
    state.running = i < 0 ? otherwise : state.runNow[i];
    state.runNow.splice(0, i + 1);
  }

  // Where the promise of a generator has a word: on its way in, and out.
  const IN = { send: "sent", throw: "thrown" };
  const OUT = { returned: "returned", threw: "error" };

  /// Stage 2 notes in the outermost one who goes on next; those between keep what they had.
  function withPointers(state, s) {
    const before = state.tasks.get(s.task.id)?.chain || NONE;
    const last = s.wait.chain.length - 1;
    return s.wait.chain.map((link, i) =>
      ({ ...link, innermost: i > 0 ? before[i]?.innermost : last > 0 ? last : undefined }));
  }

  const APPLY = {
    select(m, state, s, e) {
      state.asleep = s.asleep ?? true; // true: the trace ends in its sleep
      state.watched = e.fds;
      state.sleptSoFar += s.slept ?? 0;
      state.ready = [];
      state.runNow = state.runNext;
      state.runNext = [];
      for (const gone of state.leaving)
        state[gone.map].delete(gone.id);
      state.leaving = [];
    },
    awake(m, state) {
      state.asleep = false;
    },
    ready(m, state, s, e) {
      state.asleep = false;
      state.ready.push({ fd: e.fd, events: e.events, step: s.n, watches: s.watches,
        called: false });
      if (m.stage === 3)
        for (const watch of s.watches)
          state.runNow.push({ watch, from: s.n });
    },
    call(m, state, s, e) {
      const { call } = s;
      state.asleep = false;
      state.calls++;
      const place = m.steps[call.ready]?.place;
      if (place !== undefined && state.ready[place])
        state.ready[place] = { ...state.ready[place], called: true };
      if (m.stage < 3 || s.stack.length > 1)
        return;
      const isIt = entry => entry.watch ? entry.watch === call.watch
        : entry.number !== undefined && entry.number === call.number;
      run(state, isIt, entryOfCall(e, s));
    },
    return() {},

    schedule(m, state, s, e) {
      const entry = s.task ? { task: s.task, from: s.n } : entryOfCall(e, s);
      (s.nextTurn ? state.runNext : state.runNow).push(entry);
      if (s.task)
        changeTask(state, s.task, { state: "ready" });
    },
    timer(m, state, s) {
      state.timers.set(s.timer.number, s.timer);
    },
    due(m, state, s, e) {
      state.asleep = false;
      state.timers.delete(s.timer.number);
      state.runNow.push({ ...entryOfCall(e, s), timer: s.timer });
    },
    untimer(m, state, s) {
      state.timers.delete(s.timer.number);
      const stays = entry => entry.number !== s.timer.number;
      state.runNow = state.runNow.filter(stays);
      state.runNext = state.runNext.filter(stays);
    },

    future(m, state, s) {
      state.futures.set(s.future.id, newFuture(s));
    },
    resolve(m, state, s) {
      finishFuture(state, s, "resolved");
    },
    fail(m, state, s) {
      finishFuture(state, s, "failed");
    },
    drop(m, state, s) {
      finishFuture(state, s, "cancelled");
    },

    new(m, state, s, e) {
      changeTask(state, s.task, { state: "new", number: e.number });
    },
    step(m, state, s) {
      const { task } = s;
      state.asleep = false;
      state.stepsMade++;
      if (m.stage === 3 && s.stack.length === 1)
        run(state, entry => entry.task === task, { task, from: s.cause });
      const before = state.tasks.get(task.id)?.chain || NONE;
      const chain = before.length > 0 ? before : [{ name: task.function, at: task.at }];
      changeTask(state, task, { state: "running", chain, awaiting: null, since: s.n });
      if (s.wait?.future)
        wentOn(state, s.wait.future);
    },
    suspend(m, state, s) {
      const { future } = s.wait;
      const stands = future || s.task.talks;
      changeTask(state, s.task, { state: stands ? "waiting" : "ready",
        chain: withPointers(state, s), awaiting: future, since: s.n });
      if (s.task.talks)
        changeTask(state, s.task, { number: s.e.number, ended: s.e.how,
          held: { name: OUT[s.e.how] || "yielded", word: s.word } });
      if (!future)
        return;
      const known = state.futures.get(future.id) || newFuture(s, future);
      state.futures.set(future.id, { ...known, waiters: [...known.waiters, s.task] });
    },
    done(m, state, s) {
      const { task } = s;
      if (task.talks) {
        state.tasks.delete(task.id);
        return;
      }
      const awaited = state.tasks.get(task.id)?.awaiting;
      if (awaited && state.futures.has(awaited.id)) // destroyed while it waited
        change(state.futures, awaited.id, { waiters:
          state.futures.get(awaited.id).waiters.filter(one => one !== task) });
      changeTask(state, task, { state: "done", outcome: task.outcome, chain: NONE,
        awaiting: null, since: s.n });
      state.leaving.push({ map: "tasks", id: task.id });
      if (task.outcome === "destroyed") {
        state.runNow = state.runNow.filter(entry => entry.task !== task);
        state.runNext = state.runNext.filter(entry => entry.task !== task);
      }
    },
    cancel() {},
    ask(m, state, s, e) {
      if (s.word !== null && m.steps[s.n + 1]?.kind === "step") // else nobody will take it
        changeTask(state, s.task, { held: { name: IN[e.phase], word: s.word } });
    },
    take(m, state, s) {
      changeTask(state, s.task, { held: null });
    },
    reply(m, state, s, e) {
      if (e.how !== "threw") // the error stays there
        changeTask(state, s.task, { held: null });
    },
    enter(m, state, s, e) {
      const chain = (state.tasks.get(s.task.id)?.chain || NONE).slice();
      if (chain.length > 0)
        chain.push({ ...chain.pop(), at: e.from, innermost: chain.length + 1 });
      chain.push({ name: e.name, at: e.at });
      changeTask(state, s.task, { chain });
    },
    leave(m, state, s) {
      const chain = (state.tasks.get(s.task.id)?.chain || NONE).slice(0, -1);
      if (chain.length > 0)
        chain.push({ ...chain.pop(), innermost: undefined });
      changeTask(state, s.task, { chain });
    },

    start(m, state, s) {
      state.fetches.set(s.fetch.id, s.fetch);
      if (s.fetch.task)
        changeTask(state, s.fetch.task, { fetch: s.fetch });
    },
    end(m, state, s) {
      const { fetch } = s;
      if (state.fetches.delete(fetch.id))
        state.fetched++;
      // Before stage 3, a task fetches one URL and ends: that one stays its name.
      if (m.stage === 3 && fetch.task && state.tasks.get(fetch.task.id)?.fetch === fetch)
        changeTask(state, fetch.task, { fetch: null });
    },
    watch(m, state, s, e) {
      state.watches.set(keyOf(e.fd, e.events), s.watch);
    },
    unwatch(m, state, s, e) {
      state.watches.delete(keyOf(e.fd, e.events));
    },
    queue(m, state, s, e) {
      let queue = state.queues.get(s.queue.id);
      if (!queue) {
        queue = { queue: s.queue, size: 0, unfinished: 0, getters: 0, putters: 0, items: [],
          done: 0, waiting: { getters: [], putters: [] } };
        state.queues.set(s.queue.id, queue);
      }
      moveItem(queue, s, e);
      if (s.to)
        leaveLine(state, s.future);
      if (s.to && e.phase === "hand_over")
        changeTask(state, s.to, { handed: s });
      const { size, unfinished, getters, putters } = e;
      Object.assign(queue, { size, unfinished, getters, putters });
    },
  };

  function newFuture(s, future = s.future) {
    return { future, state: "pending", waiters: NONE, gone: 0, since: s.n };
  }

  function finishFuture(state, s, how) {
    const { future } = s;
    leaveLine(state, future);
    const known = state.futures.get(future.id);
    if (!known)
      return; // nobody has ever waited for this task, or seen this future begin
    state.futures.set(future.id, { ...known, state: how });
    for (const task of known.waiters)
      changeTask(state, task, { state: "ready" });
    if (known.waiters.length === known.gone)
      state.leaving.push({ map: "futures", id: future.id });
  }

  /// One who waited for it goes on.
  function wentOn(state, future) {
    const known = state.futures.get(future.id);
    if (!known)
      return;
    state.futures.set(future.id, { ...known, gone: known.gone + 1 });
    if (known.gone + 1 === known.waiters.length)
      state.leaving.push({ map: "futures", id: future.id });
  }

  function leaveLine(state, future) {
    const queue = future.line && state.queues.get(future.line.queue.id);
    if (!queue)
      return;
    const { side } = future.line;
    const i = queue.waiting[side].findIndex(one => one.future === future);
    if (i < 0)
      return;
    queue.waiting[side].splice(i, 1);
    queue[side] = queue.waiting[side].length; // who gives up goes without an event
  }

  function moveItem(queue, s, e) {
    const { items, waiting } = queue;
    if (e.phase.startsWith("wait_") && s.line)
      waiting[s.line].push({ task: s.task, future: s.future, item: s.item });
    else if (e.phase === "put")
      items.push(s.item);
    else if (e.phase === "put_back")
      items.unshift(s.item);
    else if (e.phase === "get" && items.length > 0)
      items.splice(Math.max(0, items.indexOf(s.item)), 1);
    else if (e.phase === "task_done")
      queue.done++;
    // A put that was cancelled takes its item out again: which one, isn't told.
    while (items.length > e.size)
      items.pop();
    while (items.length < e.size)
      items.push(null);
  }

  // ---- Causes ----

  /// The steps that have led to step n, the first one first.
  function causes(m, n, most = 6) {
    const way = [];
    for (let c = m.steps[n] ? m.steps[n].cause : -1; c >= 0 && way.length < most;
      c = m.steps[c].cause)
      way.push(c);
    return way.reverse();
  }

  /// When the thread was busy: from each time it woke until it slept again. [[from, to]], µs.
  function busyTimes(m) {
    const spans = [];
    let [{ t: from }] = m.steps;
    for (const turn of m.turns) {
      const select = m.steps[turn.select];
      if (!select.asleep)
        continue;
      spans.push([from, turn.t]);
      from = turn.t + select.slept;
    }
    spans.push([from, Math.max(from, m.span)]);
    return spans;
  }

  // ---- What is worth a look ----

  function findAll(m) {
    const found = [];
    const add = (kind, level, step, text) =>
      found.push({ kind, level, step: Math.max(0, step), text });
    for (const call of m.calls)
      lookAtCall(m, call, add);
    for (const turn of m.turns)
      for (const one of turn.runs)
        lookAtStep(m, one, add);
    lookAtFutures(m, add);
    for (const task of m.tasks.values())
      lookAtTask(m, task, add);
    if (m.whole)
      lookAtEnd(m, add);
    lookAtFile(m, add);
    return found.sort((a, b) => a.step - b.step);
  }

  const ms = us => (us / 1000).toFixed(us < 100000 ? 1 : 0) + " ms";
  const nameOf = task => `task ${task.n} (\`${task.label}\`)`;
  const capital = text => text[0].toUpperCase() + text.slice(1);

  function nameOfCall(call) {
    const whose = call.fetch ? ` of \`${call.fetch.path}\`` : "";
    const where = call.fd !== null && !call.fetch ? ` of socket ${call.fd}` : "";
    return `the callback \`${call.name}\`${whose || where}`;
  }

  function lookAtCall(m, call, add) {
    if (call.took > HELD)
      add("slow", "warn", call.step,
        `${capital(nameOfCall(call))} held the loop for ${ms(call.took)}: all others had to wait.`);
    if (call.threw && !threwInside(m, call))
      add("exception", "warn", call.end, `An exception left ${nameOfCall(call)}.`);
  }

  /// The exception is told with the task that it has left first.
  function threwInside(m, call) {
    return call.task?.outcome === "threw" && m.steps[call.task.done].n > call.step
      && m.steps[call.task.done].n < call.end;
  }

  /// In stage 3, steps of tasks come from the loop itself; in stage 2 from a callback.
  function lookAtStep(m, one, add) {
    if (!one.task || one.to === null)
      return;
    const took = m.steps[one.to].t - m.steps[one.from].t;
    if (took > HELD)
      add("slow", "warn", one.from, `A step of ${nameOf(one.task)} held the loop for ${ms(took)}:`
        + " all others had to wait.");
  }

  /// A task may end unwatched; a future that was made to be waited for should not. Only: who
  /// awaits one that is done need not stop, and a trace does not tell of that. So where others
  /// from the same place were waited for, this one may just have come early.
  function lookAtFutures(m, add) {
    const alike = new Map(); // by the place where they were made: one finding for all
    const waitedFor = new Set(); // places
    for (const future of m.futures.values())
      if (future.at && (future.told > 0 || future.waiters.length > 0))
        waitedFor.add(future.at);
    for (const future of m.futures.values()) {
      const late = future.waiters[0];
      if (m.stage === 2 && late && late.step > future.end)
        add("unawaited", "warn", late.step, `${capital(nameOf(late.task))} waits for future `
          + `${future.n}, which was already resolved: nothing will resume it.`);
      if (!endedAlone(future) || (future.how === "resolve" && waitedFor.has(future.at)))
        continue;
      const key = `${future.how} ${future.at || future.id}`;
      alike.set(key, [...(alike.get(key) || []), future]);
    }
    for (const futures of alike.values())
      tellOfUnawaited(futures, add);
  }

  /// Nothing ever waited for it. (One that has its result where it's made, before
  /// anything else runs, is as good as a value.)
  function endedAlone(future) {
    const atOnce = future.bornIn !== undefined && future.bornIn === future.endedIn;
    return !future.task && future.end !== undefined && future.how !== "drop" && !atOnce
      && future.told === 0 && future.waiters.length === 0;
  }

  function tellOfUnawaited(futures, add) {
    const [first] = futures;
    const one = futures.length === 1;
    const which = one ? `Future ${first.n}` : `Future ${first.n} and ${futures.length - 1} more`;
    const from = first.at ? ` (made at \`${first.at.replace(/^.*\//, "")}\`)` : "";
    if (first.how === "fail")
      add("exception", "warn", first.end, `${which}${from} failed while nothing awaited it, `
        + "then or later: the exception may be lost.");
    else
      add("unawaited", "note", first.end, `${which}${from} ${one ? "was" : "were"} resolved while `
        + "nothing awaited it. What awaits it later needn't stop; if nothing does, it was for nothing.");
  }

  function lookAtTask(m, task, add) {
    if (task.outcome === "destroyed")
      add("stuck", "warn", task.done, `${capital(nameOf(task))} was destroyed before it was `
        + `done${where(task, "; it waited for ")}.`);
    const { future } = task;
    const awaited = future && (future.told > 0 || future.waiters.length > 0);
    if (task.outcome === "threw" && !awaited)
      add("exception", "warn", task.done, `An exception ended ${nameOf(task)}, and `
        + (m.stage === 2 ? "nothing awaits a task: it comes out where the task "
          + "was made, or where its future was resolved."
          : "nothing awaited it, then or later: the exception may be lost."));
    if (!m.whole || task.done !== undefined)
      return;
    const wait = task.waits[task.waits.length - 1];
    if (wait?.resumed === null)
      add("stuck", "warn", wait.step, `${capital(nameOf(task))} never went on`
        + `${where(task, ": it waits for ")} when the run ends.`);
    else if (task.steps.length === 0)
      add("stuck", "warn", task.new ?? 0, `${capital(nameOf(task))} never made a step.`);
  }

  function where(task, words) {
    const wait = task.waits[task.waits.length - 1];
    if (!wait || wait.resumed !== null)
      return "";
    const { future } = wait;
    if (!future)
      return `${words}the next turn`;
    return words + (future.task ? `task ${future.task.n}` : `future ${future.n}`);
  }

  /// What a run that has come to its end should not leave behind.
  function lookAtEnd(m, add) {
    for (const watch of m.watches)
      if (watch.to === Infinity && !watch.mailbox)
        add("left", "warn", watch.from, `Socket ${watch.fd} was still registered `
          + `(\`${watch.name}\`) when the run ended.`);
    for (const fetch of m.fetches.values())
      if (fetch.end === undefined)
        add("fetch", "warn", fetch.start, `The fetch of \`${fetch.path}\` never ended.`);
  }

  function lookAtFile(m, add) {
    const last = m.steps.length - 1;
    if (m.header && m.header.version !== 2)
      add("bad", "warn", 0, "This trace is not of version 2, and may be read wrongly.");
    if (m.bad.length > 0)
      add("bad", "warn", 0, m.bad.length === 1 ? `Line ${m.bad[0]} of the trace can't be read.`
        : `${m.bad.length} lines of the trace can't be read; the first one is line ${m.bad[0]}.`);
    if (!m.whole)
      add("cut", "warn", last, "The trace has no end: it was cut off here.");
  }

  return { parse, build, read, stateAt, start, causes, busyTimes, shortName, lastName, shown, SLEEP, HELD,
    LOOP, CALLS };
})();
if (typeof module !== "undefined")
  module.exports = Model;
