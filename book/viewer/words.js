// What happens in a step, and why, in plain English. `code` stands between backquotes.
//
//     Words.describe(m, n, state, source)   { what, why } of step n; `state` is that after it.
//                       source.awaited(at): the text "co_await x" at a place, or null;
//                       source.body(at): what the callback does that is registered there, if
//                       that is short, or null
//     Words.fold(m, n)                      { what, why } of all steps up to step n, told as one
//     Words.short(m, n)                     two or three words, for the way of causes
//     Words.until(m, future)                what ends the wait for it, in this run; or null
//     Words.who(task)                       "task 3", "generator 1"
//     Words.more        { generator: {…}, coroutine: {…} }: by event and phase, how to tell of
//                       generators, and how in short; words_generators.js fills it
// and the small ones at the end of the file. story.js tells all of a run.
"use strict";

const Words = (() => {
  const M = typeof require === "undefined" ? Model : require("./model.js");

  // ---- Numbers and names ----

  const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve"];
  const num = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const inWords = n => NUMBERS[n] || num(n);
  const many = (n, one, more = one + "s") => `${inWords(n)} ${n === 1 ? one : more}`;
  const capital = text => text === "" ? "" : text[0].toUpperCase() + text.slice(1);
  const baseName = at => (at || "").replace(/^.*\//, "");
  const shortName = name => M.shortName(name) || "the coroutine";
  const who = task => `${task.talks ? "generator" : "task"} ${task.n}`;

  function time(us) {
    if (us < 1000)
      return `${Math.round(us)} µs`;
    if (us < 2e6)
      return `${(us / 1000).toFixed(us < 100000 ? 1 : 0)} ms`;
    if (us < 120e6)
      return `${(us / 1e6).toFixed(1)} s`;
    return us < 7200e6 ? `${Math.round(us / 60e6)} min` : `${Math.round(us / 3600e6)} h`;
  }

  function list(words) {
    if (words.length < 2)
      return words.join("");
    return words.slice(0, -1).join(", ") + " and " + words[words.length - 1];
  }

  /// Of a long list, the first few.
  function fewOf(words, most = 4) {
    if (words.length <= most)
      return list(words);
    return `${words.slice(0, most).join(", ")} and ${num(words.length - most)} more`;
  }

  function able(events) {
    const reads = (events || "").includes("read"), writes = (events || "").includes("write");
    if (reads && writes)
      return "readable and writable";
    return reads ? "readable" : writes ? "writable" : "ready";
  }

  const futureName = future => future.task ? `task ${future.task.n}` : `future ${future.n}`;

  function pathOfTask(state, task) {
    return state.tasks.get(task.id)?.fetch?.path || null;
  }

  /// "task 4 (`/p/1`)": what it fetches; if nothing, the name that was given to it.
  function taskName(c, task) {
    const path = pathOfTask(c.state, task);
    if (path)
      return `task ${task.n} (\`${path}\`)`;
    return `task ${task.n}` + (task.own ? ` (${task.own})` : "");
  }

  /// "`call_soon` (main.cpp:60)".
  const callName = call => `\`${call.name}\`` + (call.at ? ` (${baseName(call.at)})` : "");

  /// What stands in the ready queue.
  function entry(one) {
    if (one.task)
      return `task ${one.task.n}`;
    return one.watch ? `\`${one.watch.name}\` of socket ${one.watch.fd}` : `\`${one.name}\``;
  }

  const setAt = timer => timer.at ? ` (${baseName(timer.at)})` : "";

  /// Only the loop of stage 3 makes this one: see page 10.
  const keepsAlive = call => call.name === "done" && baseName(call.at).startsWith("future.cpp");
  const isCurl = call => (call.at || "").includes("/http/session.cpp");

  /// What will end the wait for this future? It's known: the run is over.
  function until(m, future) {
    if (future.task)
      return `task ${future.task.n} (\`${future.task.label}\`) ends`;
    if (future.how === "drop" || !future.by)
      return null;
    if (future.line && future.how === "resolve")
      return future.line.side === "getters" ? "it is handed an item" : "there is room for it";
    if (future.by.task)
      return `task ${future.by.task.n} ${future.how === "fail" ? "makes it fail" : "resolves it"}`;
    const { call } = future.by;
    if (call.fd !== null && m.stage < 3)
      return `socket ${call.fd} is ${able(call.watch?.events)}`;
    if (call.fd !== null)
      return `\`${call.name}\` of socket ${call.fd} resolves it`;
    return call.timer ? `a timer is due (${baseName(call.at)})` : `${callName(call)} resolves it`;
  }

  // ---- The sentences, by kind. Each gets what `describe` has put together. ----

  const SAY = {
    select(c) {
      return c.m.stage === 3 && c.e.timeout_ms === 0 ? looks(c) : sleeps(c);
    },
    awake(c) {
      return { what: "The loop wakes up, and no socket is ready.",
        why: c.m.stage === 3 ? "It asked to be woken after this time: a timer is due."
          : "Nothing has happened for as long as it was willing to wait." };
    },
    ready(c) {
      return c.s.mailbox ? mailArrives(c) : socketIsReady(c);
    },
    call(c) {
      return [null, calls1, calls2, calls3][c.m.stage](c, c.s.call);
    },
    return(c) {
      const { call } = c.s;
      if (call.threw)
        return leftByException(c, call);
      return [null, returns1, returns2, returns3][c.m.stage](c, call);
    },

    schedule(c) {
      return c.s.task ? taskIsReady(c) : callIsReady(c);
    },
    timer(c) {
      const { timer } = c.s;
      const after = c.untimed ? "later" : timer.ms > 0 ? `in ${time(timer.ms * 1000)}` : "at once";
      return { what: `A timer is set: its callback${setAt(timer)} is to run ${after}.`,
        why: "Until then it's only an entry in the loop's list of timers." };
    },
    due(c) {
      return { what: `A timer is due${setAt(c.s.timer)}.`,
        why: "Its callback is put into the ready queue, after everything already there, and "
          + "runs in this turn." };
    },
    untimer(c) {
      const what = c.e.event === "timer" ? "A timer" : "A call in the ready queue";
      return { what: `${what} is cancelled${setAt(c.s.timer)}.`,
        why: "Its callback won't be called: what it was guarding is done, or no longer "
          + "wanted." };
    },

    future(c) {
      return { what: `Future ${c.s.future.n} is made${madeAt(c.s.future)}.`,
        why: "It represents a result that isn't there yet." };
    },
    resolve: ends,
    fail: ends,
    drop: ends,

    new: isMade,
    step: goesOn,
    suspend: stops,
    done: isDone,
    cancel(c) {
      return { what: `${capital(taskName(c, c.s.task))} is asked to end.`,
        why: "That's only a request: in its next step, `Cancelled` is thrown where it waits. It may "
          + "clean up first." };
    },

    enter(c) {
      const chain = c.state.tasks.get(c.s.task.id)?.chain || [];
      const outer = chain[chain.length - 2];
      return { what: `\`${shortName(outer?.name)}\` reaches ${awaited(c, c.e.from)}: `
        + `\`${shortName(c.e.name)}\` gets a frame of its own, and begins at once.`,
        why: `\`${shortName(outer?.name)}\` is suspended there until \`${shortName(c.e.name)}\` has ended. `
          + "The thread goes on in the new frame, without going back to the loop." };
    },
    leave(c) {
      const chain = c.state.tasks.get(c.s.task.id)?.chain || [];
      const outer = chain[chain.length - 1];
      return { what: `\`${shortName(c.e.name)}\` has ended, and its frame is destroyed. The thread `
        + `is back in \`${shortName(outer?.name)}\`, at its \`co_await\`.`,
        why: (c.s.stopped ? "" : "It never had to wait. ")
          + "The outer one continues at once, without the loop, as after the return from a call." };
    },

    start: fetchBegins,
    end: fetchEnds,

    watch(c) {
      const { watch } = c.s;
      if (watch.mailbox)
        return { what: "The loop registers its mailbox: a pipe to itself.",
          why: "A loop that sleeps in the selector can only be woken by a descriptor. Through "
            + "this one, other threads and signals wake it." };
      return { what: `\`${watch.name}\` is registered: to be called when socket ${watch.fd} is `
        + `${able(watch.events)}.`,
        why: "From here on the loop asks the kernel about it, in each turn." };
    },
    unwatch(c) {
      if (c.s.watch?.mailbox)
        return { what: "The loop's mailbox is no longer watched.", why: "The loop is closed." };
      const name = c.s.watch ? `\`${c.s.watch.name}\`` : "The callback";
      return { what: `${name} is no longer registered for socket ${c.e.fd}.`,
        why: whyUnwatched(c).trim() };
    },

    queue(c) {
      const say = QUEUE[c.e.phase];
      return say ? say(c) : { what: `${queueName(c)}: ${c.e.phase}.`, why: counts(c) };
    },
  };

  /// In stage 2 a local variable holds a registration. Mostly the callback that is taken back
  /// runs just now: it's what has led here.
  function whyUnwatched(c) {
    if (c.m.stage === 3)
      return "";
    const frame = c.s.stack[c.s.stack.length - 1];
    const chain = frame?.task ? c.state.tasks.get(frame.task.id)?.chain || [] : [];
    const inner = chain[chain.length - 1];
    const whose = inner ? `The local variable \`watch\` of \`${shortName(inner.name)}\` goes out `
      + "of scope, which cancels the registration. " : "";
    const runs = c.s.watch && c.s.stack.some(({ call }) => call?.watch === c.s.watch);
    return whose + (runs ? "The callback is still on the stack: the loop holds it until it has "
      + "returned." : "");
  }

  // ---- The loop ----

  function looks(c) {
    const how = isAsked(c.m, c.s) ? "asks the selector, but does not sleep"
      : "does not even ask the selector";
    const ready = c.state.runNow.map(entry);
    if (ready.length === 0)
      return { what: `${turnBegins(c)}the loop ${how}.`,
        why: "A timer may be due, another thread may have left something in the mailbox, or the "
          + "loop was told to stop." };
    return { what: `${turnBegins(c)}something is ready to run already, so the loop ${how}.`,
      why: `In the ready queue: ${fewOf(ready)}. Whatever these make ready runs in the turn after `
        + "this one." };
  }

  /// With nothing to watch, the loop of stage 3 need not ask: then nobody says "awake".
  const isAsked = (m, s) => m.turnOf.get(s.turn)?.awake !== null || s.e.fds > 0;

  /// "Turn 5: "; the first one tells who has called the loop.
  const turnBegins = c => c.s === c.m.steps[c.m.turns[0].select] && c.e.turn === 1
    ? "`main` calls the loop. Turn 1: " : `Turn ${c.e.turn}: `;

  function sleeps(c) {
    const { e, s } = c;
    const isFirst = e.turn === 1; // nothing has run yet that could have left something
    const begin = turnBegins(c) + (isFirst ? "" : "nothing is left to run. ");
    const theLoop = isFirst ? "it" : "The loop";
    if (s.slept === undefined && c.n === c.m.steps.length - 1)
      return { what: `${begin}${theLoop} goes to sleep, and there the trace ends.`, why: "" };
    const sleeping = c.untimed || s.asleep;
    const woken = c.untimed ? "sleeps until then"
      : s.asleep ? `sleeps ${time(s.slept)}` : "has the answer at once, without sleeping";
    const sockets = socketsWatched(c);
    const ready = sockets === 1 ? "this socket" : `one of these ${num(sockets)} sockets`;
    const question = sleeping ? `to wake it when ${ready} is ready` : `whether ${ready} is ready`;
    const what = sockets === 0 ? `${theLoop} watches no socket, and ${woken}.`
      : `${theLoop} asks the kernel ${question}, and ${woken}.`;
    const timer = c.m.stage === 3 && e.timeout_ms > 0 && !c.untimed
      ? ` A timer is due in ${time(e.timeout_ms * 1000)}: then it wakes anyway.` : "";
    return { what: begin + what, why: whoStandsStill(c) + timer };
  }

  /// In stage 3 the selector is asked about the loop's mailbox, too.
  function socketsWatched(c) {
    if (c.m.stage < 3)
      return c.e.fds;
    const watches = [...c.state.watches.values()].filter(watch => !watch.mailbox);
    return new Set(watches.map(watch => watch.fd)).size;
  }

  function whoStandsStill(c) {
    if (c.m.stage === 1) {
      const flying = c.state.fetches.size;
      if (flying === 0)
        return "";
      return `${capital(many(flying, "fetch is", "fetches are"))} under way, and not on the `
        + "stack: a fetch is now an object, with a function registered for its socket.";
    }
    let waiting = 0;
    for (const task of c.state.tasks.values())
      waiting += task.state === "waiting" ? 1 : 0;
    if (waiting === 0)
      return "";
    const stand = waiting === 1 ? "One task is suspended at a `co_await`, and it isn't"
      : `${capital(many(waiting, "task"))} are suspended at a \`co_await\`, and none is`;
    return `${stand} on the stack: ${waiting === 1 ? "its" : "their"} frames are on the heap. `
      + (c.s.asleep || c.untimed ? "So the one thread is free to sleep."
        : "The one thread is free: without an answer, it would sleep.");
  }

  function mailArrives(c) {
    return { what: `${c.s.first ? "The kernel wakes the loop: t" : "T"}here is something in its `
      + "mailbox.", why: "Another thread, or a signal, has written a byte into the loop's "
      + "own pipe." };
  }

  function socketIsReady(c) {
    const { e, s } = c;
    const is = `socket ${e.fd} is ${able(e.events)}`;
    const slept = c.untimed || c.m.steps[c.m.turnOf.get(s.turn)?.select]?.asleep;
    const what = s.first ? `The kernel ${slept ? "wakes the loop" : "says"}: ${is}.`
      : `${capital(is)}, too.`;
    const fetch = s.watches.find(watch => watch.fetch)?.fetch;
    const whose = fetch ? ` for \`${fetch.path}\`` : "";
    const means = (e.events || "").includes("read")
      ? `There is something to read${whose}: bytes, or word that the other side has closed.`
      : connects(fetch, s) ? `The connection${whose} is made, or has failed.`
        : `It can be written to${whose}.`;
    return { what, why: `${means} ${calledForThat(c)}` };
  }

  /// What a fetch waits for first is its connection.
  const connects = (fetch, s) => fetch && s.watches.includes(fetch.watches[0]);

  function calledForThat(c) {
    const names = c.s.watches.map(watch => `\`${watch.name}\``);
    if (names.length === 0)
      return "No callback is registered for it any longer.";
    const are = names.length > 1 ? "are" : "is";
    return c.m.stage === 3
      ? `${capital(list(names))} ${are} put into the ready queue, to run in this turn.`
      : `${capital(list(names))} ${are} registered for that, and will be called in this turn.`;
  }

  // ---- Callbacks ----

  function registeredFor(call) {
    if (call.fd === null)
      return "The loop was asked to call it.";
    const when = call.watch ? `, “when ${able(call.watch.events)}”` : "";
    return `It was registered for socket ${call.fd}${when}.`;
  }

  function calls1(c, call) {
    const whose = call.fetch ? ` for \`${call.fetch.path}\`` : "";
    return { what: `The loop calls \`${call.name}\`${whose}.`,
      why: `${registeredFor(call)} Until it returns, nothing else runs.` };
  }

  /// Those who stand still for this future at this step.
  const waitsAt = (c, future) => future.waiters.filter(wait => wait.step < c.n
    && (wait.resumed === null || wait.resumed > c.n));

  function calls2(c, call) {
    const whose = call.fd === null ? "" : ` of socket ${call.fd}`;
    const what = `The loop calls the callback \`${call.name}\`${whose}.`;
    const [future] = call.ended;
    const body = c.source?.body?.(call.at);
    const does = body ? `All it does is \`${body}\`. ` : "";
    if (!future)
      return { what, why: does + registeredFor(call) };
    const names = waitsAt(c, future).map(wait => `task ${wait.task.n}`);
    const wait = names.length === 1 ? "waits for that, runs" : "wait for that, run";
    const inside = names.length === 0 ? "" : `: ${fewOf(names)}, which ${wait} inside this call`;
    return { what, why: `${does}It resolves ${futureName(future)}${inside}.` };
  }

  function calls3(c, call) {
    if (call.fd !== null)
      return socketsCallback(call);
    if (keepsAlive(call))
      return { what: "One of the loop's own callbacks runs, an empty one.",
        why: "It kept a future alive until all its done callbacks had been called. (Page 10 "
          + "says why.)" };
    if (call.timer)
      return { what: `The loop calls the callback of a timer${setAt(call)}.`,
        why: isCurl(call) ? "libcurl asked to be called now: it opens a connection, sends a "
          + "request, or looks for what is late." : timerWas(c, call.timer) };
    return { what: `The loop calls ${callName(call)}.`,
      why: THEIR_WHY[call.name] || queuedBefore(c) };
  }

  const THEIR_WHY = {
    done_callback: "It was added to a future, to be called when that is done. Such callbacks run in "
      + "the next turn, never inside the code that resolves the future.",
    call_soon: "It was put into the ready queue: “call this soon, but not from here”.",
    call_soon_threadsafe: "It was in the loop's mailbox. That's how another thread hands something "
      + "over: it leaves a function, which runs here, in the loop's thread.",
    signal: "A signal has arrived. A signal handler may do next to nothing; this is an "
      + "ordinary callback.",
  };

  function socketsCallback(call) {
    const does = call.name === "writer" ? "write" : "read";
    return isCurl(call)
      ? { what: `The loop calls \`${call.name}\` of socket ${call.fd}: it lets libcurl ${does}.`,
        why: "libcurl does the HTTP. It has said which sockets to watch, and is called when one is "
          + "ready." }
      : { what: `The loop calls ${callName(call)} of socket ${call.fd}.`,
        why: registeredFor(call) };
  }

  function timerWas(c, timer) {
    if (c.untimed || timer.set === undefined)
      return "It went into the ready queue when its time came.";
    return `It was set ${time(c.s.t - c.m.steps[timer.set].t)} ago, to run after `
      + `${time(timer.ms * 1000)}.`;
  }

  function queuedBefore(c) {
    const cause = c.m.steps[c.s.cause];
    return cause?.kind === "schedule" ? "It was in the ready queue." : "";
  }

  function leftByException(c, call) {
    return { what: `An exception leaves \`${call.name}\`.`,
      why: c.m.stage === 3 ? "Nothing on the stack caught it. The loop reports it, and continues."
        : "Nothing on the stack caught it: it leaves the loop, too, which ends." };
  }

  function returns1(c, call) {
    const what = `\`${call.name}\` returns to the loop. Its stack frame is gone.`;
    const { fetch } = call;
    if (!fetch)
      return { what, why: "" };
    if (fetch.end !== undefined && fetch.end <= c.n)
      return { what, why: `The fetch of \`${fetch.path}\` is over.` };
    const next = fetch.watches.find(watch => watch.from <= c.n && watch.to > c.n);
    return { what, why: next ? `What \`${fetch.path}\` has to remember is in an object's members. `
      + `Its next step is registered: \`${next.name}\`, when socket ${next.fd} is `
      + `${able(next.events)}.` : "" };
  }

  function returns2(c, call) {
    const { task } = call;
    const what = `The callback \`${call.name}\` returns to the loop.`;
    if (!task)
      return { what, why: "" };
    const ended = task.done !== undefined && task.done > call.step && task.done < c.n;
    return { what, why: `Inside this one call, ${taskName(c, task)} went from ${ended
      ? "its `co_await` to its end" : "one `co_await` to the next"}.` };
  }

  function returns3(c, call) {
    const told = call.ended.filter(future => future.told > 0).map(futureName);
    return { what: `\`${call.name}\` returns to the loop.`,
      why: told.length > 0 ? `It has ended the wait for ${fewOf(told)}: the waiting tasks are now in `
        + "the ready queue." : "" };
  }

  // ---- The ready queue ----

  function taskIsReady(c) {
    const what = `${capital(taskName(c, c.s.task))} is put into the ready queue.`;
    const when = `It runs its step in ${c.s.nextTurn ? "the next" : "this"} turn`;
    const cause = c.m.steps[c.s.cause];
    const why = {
      new: `A new task runs nothing when it's made. ${when}.`,
      suspend: `It waits for nothing. ${when}, after all that was ready before it.`,
      resolve: `What it waits for is there. ${when}, not inside the code that resolved it.`,
      fail: `What it waits for has failed. ${when}, and gets the exception there.`,
      drop: `What it waits for was cancelled. ${when}, and gets \`Cancelled\` there.`,
    }[cause?.kind];
    return { what, why: why || `${when}.` };
  }

  function callIsReady(c) {
    const { e, s } = c;
    const what = `${callName(e)} is put into the ready queue.`;
    const cause = c.m.steps[s.cause];
    if (keepsAlive(e))
      return { what, why: "It's the loop's own, and keeps the future alive until all its done "
        + "callbacks have been called." };
    if (cause?.future && e.name === "done_callback")
      return { what, why: `It was added to ${futureName(cause.future)}, to be called when that is `
        + "done, and runs in the next turn." };
    if (!s.nextTurn)
      return { what, why: cause?.mailbox ? "It comes from outside the loop, and runs in this turn."
        : "It runs in this turn." };
    return { what,
      why: "It's called in the next turn, never inside the code that asked for it." };
  }

  // ---- Futures ----

  const madeAt = future => future.at ? ` (${baseName(future.at)})` : "";

  /// Tasks that stand still for this future until this step.
  function waitersAt(c, future) {
    return waitsAt(c, future).map(wait => taskName(c, wait.task));
  }

  function ends(c) {
    const { future } = c.s;
    const how = future.task ? howTaskEnded(future.task) : howFutureEnded(future);
    return { what: how[c.s.kind], why: whoIsTold(c, future) };
  }

  const howTaskEnded = task => ({
    resolve: `Task ${task.n} has its result.`,
    fail: `Task ${task.n} has failed: an exception has left its outermost coroutine.`,
    drop: `Task ${task.n} is cancelled: it will have no result.`,
  });

  const howFutureEnded = future => ({
    resolve: `Future ${future.n} is resolved: its result is there.`,
    fail: `Future ${future.n} fails: instead of a result, it has an exception.`,
    drop: `Future ${future.n} is cancelled: it will never have a result.`,
  });

  function whoIsTold(c, future) {
    const tasks = waitersAt(c, future);
    const others = Math.max(0, future.told - tasks.length);
    if (tasks.length + others === 0)
      return "Nothing waits for it.";
    const names = others > 0 ? [...tasks, many(others, "callback")] : tasks;
    const wait = tasks.length + others === 1 ? "waits" : "wait";
    const who = `${capital(fewOf(names))} ${wait} for it`;
    const by = future.by?.call;
    if (c.m.stage === 2)
      return `${who}, and ${wait === "waits" ? "resumes" : "resume"} at once: \`set_result\` calls `
        + `${wait === "waits" ? "it" : "them"}${by ? `, inside \`${by.name}\`` : ""}.`;
    return `${who}. Nothing is called from here: what waits goes into the ready queue, for the `
      + "next turn.";
  }

  // ---- Tasks ----

  function isMade(c) {
    const { task } = c.s;
    const name = task.own ? `, “${task.own}”,` : "";
    const what = `Task ${task.n}${name} is made. It will drive the coroutine `
      + `\`${shortName(task.function)}\`.`;
    const maker = c.s.stack[c.s.stack.length - 1];
    const whose = maker?.task ? `task ${maker.task.n}'s step`
      : maker?.call ? `the callback \`${maker.call.name}\`` : "`main`";
    return { what, why: c.m.stage === 2 ? "In stage 2, making a task takes its first step at once: "
      + `inside ${whose}. (Page 07 calls that a fault.)`
      : "Making it runs nothing: its first step comes in the next turn." };
  }

  function goesOn(c) {
    const { s } = c;
    const { task, wait } = s;
    const name = capital(taskName(c, task));
    if (s.first && task.asked.some(n => n < c.n))
      return { what: `${name} was asked to end before it began.`,
        why: "None of its lines will run." };
    if (s.first)
      return { what: `${name} takes its first step: \`${shortName(task.function)}\` runs `
        + "from its first line until it has to wait.",
        why: c.m.stage === 3 ? "It has been in the ready queue since it was made." : "" };
    if (!wait)
      return { what: `${name} resumes.`, why: "" };
    const inner = wait.chain[wait.chain.length - 1];
    const since = c.untimed ? "had stopped" : `stopped ${time(s.t - wait.t)} ago`;
    return { what: `${name} resumes: \`${shortName(inner?.name)}\` continues at its \`co_await\`, `
      + `where it ${since}.`, why: whyItGoesOn(c, wait) };
  }

  function whyItGoesOn(c, wait) {
    const { future } = wait;
    if (!future)
      return "It only let the others have a turn.";
    if (future.end === undefined || future.end > c.n)
      return "It was asked to end.";
    const name = capital(futureName(future));
    // Asked to end when its future was done already: it could not be told by that.
    if (wait.task.asked.some(n => n > future.end && n < c.n))
      return `${name} is done, but the task has been asked to end since, so \`co_await\` throws `
        + "`Cancelled`.";
    if (future.how === "drop")
      return `${name} was cancelled: instead of a result, \`co_await\` throws.`;
    if (future.how === "fail")
      return `${name} has failed: \`co_await\` throws its exception, here.`;
    return future.task ? `${name}, which it waited for, has ended.`
      : `${name} has its result. The local variables are unchanged: they're in the coroutine's `
        + "frame, on the heap.";
  }

  function awaited(c, at) {
    const text = at && c.source?.awaited ? c.source.awaited(at) : null;
    return text ? `\`${text}\`` : "a `co_await`";
  }

  function stops(c) {
    const { task, wait } = c.s;
    const inner = wait.chain[wait.chain.length - 1];
    const who = `\`${shortName(inner?.name)}\``;
    const depth = wait.chain.length;
    if (!wait.future)
      return { what: `${capital(who)} lets the others go first (task ${task.n}).`,
        why: "It waits for nothing, and resumes in the next turn." };
    const all = depth < 2 ? ` (task ${task.n})` : `, and with it ${depth === 2 ? "both coroutines"
      : `all ${many(depth, "coroutine")}`} of task ${task.n}`;
    return { what: `${who} reaches ${awaited(c, inner?.at)} and stops right there${all}.`,
      why: `The thread goes back to ${whereTo(c)}. ${whatItWaitsFor(c, who, wait.future)}` };
  }

  function whereTo(c) {
    const frame = c.s.stack[c.s.stack.length - 1];
    if (!frame)
      return c.s.turn === 0 ? "`main`" : "the loop";
    return frame.call ? `the callback \`${frame.call.name}\`` : `task ${frame.task.n}`;
  }

  function whatItWaitsFor(c, who, future) {
    const end = until(c.m, future);
    const on = end ? `${who} resumes when ${end}.` : "";
    if (future.task)
      return `Task ${c.s.task.n} waits for task ${future.task.n}, which is a future, too: ${on}`;
    const missing = `Task ${c.s.task.n} waits for future ${future.n}`;
    if (on)
      return `${missing}: ${on}`;
    if (future.how === "drop")
      return `${missing}, and will be cancelled before its result arrives.`;
    return `${missing}.${future.end === undefined ? " Its result never arrives in this run." : ""}`;
  }

  function isDone(c) {
    const { task } = c.s;
    if (task.outcome === "destroyed")
      return { what: `Task ${task.n} is destroyed before it is done.`,
        why: "Its owner is gone, or the loop is closed. Its frames go, too." };
    const begun = task.waits.length > 0 || !task.asked.some(n => n < task.steps[0]);
    const how = {
      threw: "An exception has ended it.",
      cancelled: begun ? "It was cancelled, and cleaned up."
        : "It was cancelled before it began.",
    }[task.outcome] || "Its coroutine has reached its end.";
    return { what: `Task ${task.n} is done. ${how}`, why: "Its frames are gone." };
  }

  // ---- Fetches ----

  function fetchBegins(c) {
    const { fetch } = c.s;
    const [first] = c.m.fetches.values();
    const from = fetch.robots ? "This file says what a crawler may fetch from the site."
      : fetch.parent ? `The page \`${fetch.parent}\` links to it.`
        : fetch === first ? "The crawl starts here." : "";
    const how = c.m.stage === 1 ? "Nothing waits for it: its socket connects, and what comes next "
      + "is registered with the loop."
      : fetch.task ? `${capital(taskName({ ...c, state: NO_STATE }, fetch.task))} fetches it.` : "";
    return { what: `A fetch begins: \`${fetch.path}\`.`, why: `${from} ${how}`.trim() };
  }
  const NO_STATE = { tasks: new Map() };

  function fetchEnds(c) {
    const { fetch } = c.s;
    const { status, bytes, next, error } = fetch;
    const others = `${capital(many(c.state.fetches.size, "other is", "others are"))} in flight.`;
    const took = c.untimed ? others : `It took ${time(fetch.t1 - fetch.t0)}. ${others}`;
    if (!status)
      return { what: `The fetch of \`${fetch.path}\` ends without an answer.`,
        why: error ? `The reason: ${error}.` : took };
    if (next)
      return { what: `\`${fetch.path}\` has moved (status ${status}), to `
        + `\`${M.shown(c.m, next)}\`.`, why: "Its target is one more URL, if it's new." };
    if (status >= 400 && fetch.robots)
      return { what: `There is no \`${fetch.path}\` (status ${status}).`, why: took };
    if (status >= 400)
      return { what: `\`${fetch.path}\` is dead: status ${status}.`, why: took };
    if (error)
      return { what: `The fetch of \`${fetch.path}\` is cut short (status ${status}).`,
        why: `The reason: ${error}.` };
    const size = bytes === undefined ? "" : `, ${many(bytes, "byte")}`;
    return { what: `\`${fetch.path}\` has arrived: status ${status}${size}.`, why: took };
  }

  // ---- Queues ----

  const queueName = c => c.m.queues.size > 1 ? `Queue ${c.s.queue.n}` : "The queue";
  const counts = c => `${num(c.e.size)} in the queue, ${num(c.e.unfinished)} not done.`;
  const doer = c => c.s.task ? taskName(c, c.s.task) : "the program";
  const served = c => c.s.to ? taskName(c, c.s.to) : "a waiting task";

  function theItem(c, word = "an item") {
    return c.s.item === null ? word : `${word} (\`${M.shown(c.m, c.s.item)}\`)`;
  }
  const inQueue = (c, word) => c.m.queues.size > 1 ? `${word} queue ${c.s.queue.n}`
    : `${word} the queue`;

  const QUEUE = {
    put: c => ({ what: `${capital(theItem(c))} is put ${inQueue(c, "into")}.`, why: counts(c) }),
    get: c => ({ what: `${capital(doer(c))} takes ${theItem(c)} ${inQueue(c, "out of")}.`,
      why: counts(c) }),
    hand_over: c => ({ what: `${capital(theItem(c))} arrives, and goes straight to ${served(c)}.`,
      why: "The longest wait comes first. The item is never in the queue, so no other task can "
        + `cut in. ${num(c.e.unfinished)} not done.` }),
    let_in: c => ({ what: `There is room: ${served(c)}, which waits with ${theItem(c)}, is let in.`,
      why: "The longest wait comes first. Its item goes in at once, so no other task can cut in." }),
    wait_to_get: c => ({ what: `${queueName(c)} is empty: ${doer(c)} waits for an item.`,
      why: `${capital(many(c.e.getters, "task is", "tasks are"))} in that line now.` }),
    wait_to_put: c => ({ what: `${queueName(c)} is full: ${doer(c)} waits for room for `
      + `${theItem(c)}.`, why: "That's back-pressure: a task that puts in too much has to wait." }),
    task_done: c => ({ what: "One item is dealt with.",
      why: c.e.unfinished > 0 ? counts(c)
        : "Nothing is unfinished: what waits in `join` may resume." }),
    join: c => ({ what: `${capital(doer(c))} waits until everything put in has been dealt with.`,
      why: c.e.unfinished > 0 ? counts(c) : "It has been: there's nothing to wait for." }),
    give_back: c => ({ what: `${capital(theItem(c))} is given back by a task that was handed it `
      + "and then cancelled.", why: "Nothing is lost, and no other task can cut in." }),
    put_back: c => ({ what: `Nothing waits for ${theItem(c, "it")}: it's back in its old place.`,
      why: counts(c) }),
    take_back: c => ({ what: `${capital(doer(c))} was let in, and is cancelled: it takes its item `
      + "back out.", why: counts(c) }),
  };

  const more = {};
  const moreOn = s => s.task?.talks && more[s.e.event]?.[s.e.phase];

  function describe(m, n, state, source = null) {
    const s = m.steps[n];
    const untimed = source?.untimed === true;
    const say = moreOn(s)?.say || SAY[s.kind];
    const { what, why } = say({ m, n, s, e: s.e, state, source, untimed });
    const isLast = n === m.steps.length - 1;
    return { what, why: isLast && isStopped(m, s) ? `${why} ${STOPPED}`.trim() : why };
  }

  /// The loop of stages 1 and 2 never ends by itself.
  const isStopped = (m, s) => m.whole && m.stage < 3 && s.kind === "return" && !s.call.threw
    && s.stack.length === 0;
  const STOPPED = "The loop was told to stop: it doesn't ask again.";

  /// All steps up to step `n` as one: what is there before the first fetch begins.
  function fold(m, n) {
    const steps = m.steps.slice(0, n + 1);
    const tasks = steps.filter(s => s.kind === "new").length;
    const parts = [
      steps.some(s => s.watch?.mailbox) && "the loop registers a pipe by which other threads "
        + "can wake it",
      tasks > 0 && `${many(tasks, "task is", "tasks are")} made`,
    ].filter(part => part);
    const does = parts.length > 0 ? `: ${list(parts)}` : "";
    return { what: "The program gets ready.",
      why: `These are steps 1 to ${num(n + 1)}, before the first fetch${does}.` };
  }

  // ---- In two or three words ----

  const SHORT = {
    select: (m, s) => s.asleep ? `asleep ${time(s.slept)}` : `turn ${s.turn}`,
    awake: () => "awake",
    ready: (m, s) => s.mailbox ? "mail" : `socket ${s.e.fd} ${able(s.e.events)}`,
    call: (m, s) => `callback ${s.call.name}`,
    return: (m, s) => s.call.threw ? `${s.call.name} throws` : `${s.call.name} returns`,
    schedule: (m, s) => `${s.task ? `task ${s.task.n}` : s.e.name} ready`,
    timer: () => "timer set",
    due: () => "timer due",
    untimer: () => "timer cancelled",
    future: (m, s) => `future ${s.future.n} made`,
    resolve: (m, s) => s.future.task ? `task ${s.future.task.n} has its result`
      : `future ${s.future.n} resolved`,
    fail: (m, s) => `${futureName(s.future)} fails`,
    drop: (m, s) => `${futureName(s.future)} cancelled`,
    new: (m, s) => `task ${s.task.n} made`,
    step: (m, s) => `task ${s.task.n} ${s.first ? "begins" : "resumes"}`,
    suspend: (m, s) => s.wait.future ? `task ${s.task.n} waits` : `task ${s.task.n} lets others run`,
    done: (m, s) => s.task.outcome === "destroyed" ? `task ${s.task.n} destroyed`
      : `task ${s.task.n} done`,
    cancel: (m, s) => `cancel task ${s.task.n}`,
    enter: (m, s) => `await ${shortName(s.e.name)}`,
    leave: (m, s) => `${shortName(s.e.name)} ends`,
    start: (m, s) => `${s.fetch.path} begins`,
    end: (m, s) => `${s.fetch.path} ${s.e.status || "failed"}`,
    watch: (m, s) => s.watch.mailbox ? "watch mailbox" : `watch socket ${s.e.fd}`,
    unwatch: (m, s) => s.watch?.mailbox ? "unwatch mailbox" : `unwatch socket ${s.e.fd}`,
    queue: (m, s) => QUEUE_SHORT[s.e.phase]?.(s) || s.e.phase,
  };
  const QUEUE_SHORT = {
    hand_over: s => s.to ? `item to task ${s.to.n}` : "item handed over",
    let_in: s => s.to ? `room for task ${s.to.n}` : "room",
    wait_to_get: () => "waits for an item",
    wait_to_put: () => "waits for room",
    give_back: () => "item given back",
    task_done: () => "item dealt with",
  };

  function short(m, n) {
    const s = m.steps[n];
    return (moreOn(s)?.short || SHORT[s.kind])(m, s);
  }

  return { describe, fold, short, until, who, more, entry, futureName, pathOfTask, isAsked, shortName,
    capital, time, num, many, able, list };
})();
if (typeof module !== "undefined")
  module.exports = Words;
