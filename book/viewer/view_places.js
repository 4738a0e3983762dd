// Lines of the sources: which one belongs to a step, where a function begins, and what it says.
//
// A place is { path, line }. The trace names places as "path:line", or only "path" for a
// coroutine that has just begun; then the function's first line is looked for.
"use strict";

const Places = (() => {
  // What has been worked out once is kept: most places come again and again.
  const splitFiles = new Map(), places = new Map(), definitions = new Map();

  function linesOf(path) {
    if (!splitFiles.has(path)) {
      const text = Page.meta.sources?.[path];
      splitFiles.set(path, text === undefined ? null : text.replace(/\n$/, "").split("\n"));
    }
    return splitFiles.get(path);
  }

  /// "path:42" as a place, or null if there is no such line here.
  function place(at) {
    if (!places.has(at))
      places.set(at, parse(at));
    return places.get(at);
  }

  function parse(at) {
    const match = /^(.*):(\d+)$/.exec(at || "");
    const isLost = (Page.meta.lost || []).includes(at); // it reads otherwise today
    if (!match || isLost)
      return null;
    const found = { path: match[1], line: Number(match[2]) };
    const lines = linesOf(found.path);
    return lines && found.line >= 1 && found.line <= lines.length ? found : null;
  }

  const textOf = found => found ? linesOf(found.path)[found.line - 1].trim() : "";

  /// "co_await received": what is awaited in a line, for the sentences.
  function awaited(at) {
    const text = textOf(place(at)).match(/co_(await|yield)[^;]*/)?.[0];
    if (!text)
      return null;
    const plain = text.replace(/\s+/g, " ");
    const LONG = 46;
    return plain.length <= LONG ? plain : Dom.cut(plain.replace(/\(.*$/, "(…)"), LONG);
  }

  // ---- Where a function begins ----

  /// Is it `{` that comes next, and not `;`? Then this is a definition, not a declaration.
  function hasBody(lines, from) {
    const MOST = 8; // lines that the head of a function may take
    for (const line of lines.slice(from, from + MOST)) {
      const end = line.replace(/\/\/.*/, "").match(/[{;]/);
      if (end)
        return end[0] === "{";
    }
    return false;
  }

  /// A line that names the function and doesn't call it.
  function isHead(line, name) {
    const before = line.slice(0, line.search(new RegExp(`\\b${name}\\(`)));
    return before.length < line.length - 1 && /[\w>*&:] ?$|^$/.test(before) && /\w/.test(before)
      && !/[=(.;{"]|\/\/|\b(return|co_await|co_yield|co_return|new|throw)\b|->/.test(before);
  }

  /// The body ends at the first brace that stands as far left as the head.
  function endOfBody(lines, from) {
    const closing = lines[from].match(/^\s*/)[0] + "}";
    const end = lines.findIndex((line, i) => i > from && line.startsWith(closing));
    return end < 0 ? from : end;
  }

  function findIn(path, name) {
    const lines = linesOf(path);
    if (!lines)
      return null;
    const last = Model.lastName(name);
    if (!/^\w+$/.test(last))
      return null;
    const isDefinition = (line, i) =>
      line.includes(`${last}(`) && isHead(line, last) && hasBody(lines, i);
    const atLeft = lines.findIndex((line, i) => /^\S/.test(line) && isDefinition(line, i));
    const found = atLeft >= 0 ? atLeft : lines.findIndex(isDefinition);
    return found < 0 ? null : { path, line: found + 1, end: endOfBody(lines, found) + 1 };
  }

  /// Where the function begins, and the line on which it ends: in the file that `at` names,
  /// or else in any.
  function definition(name, at) {
    if (!name)
      return null;
    const near = (at || "").replace(/:\d+$/, "");
    const key = `${name}|${near}`;
    if (!definitions.has(key)) {
      const others = Object.keys(Page.meta.sources || {}).filter(path => path.endsWith(".cpp"));
      const paths = near ? [near] : others;
      definitions.set(key, paths.map(path => findIn(path, name)).find(found => found) || null);
    }
    return definitions.get(key);
  }

  // ---- Where a callback is registered ----

  /// How many brackets are open after these lines, that were not before.
  function openAfter(text) {
    const code = text.replace(/\/\/.*|"(?:[^"\\]|\\.)*"/g, "");
    return (code.match(/[({]/g) || []).length - (code.match(/[)}]/g) || []).length;
  }

  /// The whole statement that registers a callback, with the callback in it: { path, line, to }.
  /// A compiler names its last line, or its first.
  function registration(at) {
    const found = place(at);
    if (!found)
      return null;
    const lines = linesOf(found.path);
    const MOST = 20; // lines that it may have
    let from = found.line - 1, to = found.line - 1, open = openAfter(lines[from]);
    while (open < 0 && from > 0 && to - from < MOST)
      open += openAfter(lines[--from]);
    while (open > 0 && to < lines.length - 1 && to - from < MOST)
      open += openAfter(lines[++to]);
    return open === 0 ? { path: found.path, line: from + 1, to: to + 1 } : found;
  }

  /// What a callback does that is registered there, if that is said in a line.
  function bodyOfCallback(at) {
    const found = registration(at);
    if (!found?.to)
      return null;
    const text = linesOf(found.path).slice(found.line - 1, found.to).join("\n");
    const body = text.match(/\[[^\]]*\]\s*(?:\([^)]*\)\s*)?\{([^\n]+)\}/)?.[1].trim() || "";
    const MOST = 60;
    return body.length > 0 && body.length < MOST ? body.replace(/;$/, "") : null;
  }

  /// Where a generator stands: "co_yield 1", and before that, the number of the place.
  function where(link, { ended, number }) {
    const line = ended ? "has ended" : awaited(link?.at) || "suspended";
    return number === undefined ? line : `${number}: ${line}`;
  }

  const endOf = found => found && { path: found.path, line: found.end };

  // ---- Which line is shown for a step ----

  /// A line of the machinery: where the loop sleeps, where a task is resumed.
  const anchor = name => Page.meta.anchors?.[name] || null;

  const innermost = chain => chain.length > 0 ? chain[chain.length - 1] : null;
  const chainOf = task => Page.state.tasks.get(task?.id)?.chain || [];

  /// The innermost coroutine of a task that is not itself in this file: who called.
  function calledFrom(task, path) {
    const outside = [...chainOf(task)].reverse().find(link => {
      const found = place(link.at);
      return found && found.path !== path;
    });
    return outside ? place(outside.at) : null;
  }

  const under = (words, at) => at ? { words, at } : null;

  function lineOfCall(step) {
    const { call } = step;
    const registered = registration(call.at);
    const found = Page.stage === 1 ? definition(call.name, call.at) : null;
    return { at: found || registered, tone: "run",
      mark: found ? "runs now" : "registered here, runs now",
      under: found ? under("registered here", registered)
        : under("called by the loop", anchor("call")) };
  }

  function lineOfReturn(step) {
    const { call } = step;
    const found = Page.stage === 1 ? definition(call.name, call.at) : null;
    const registered = registration(call.at);
    const last = registered && { path: registered.path, line: registered.to || registered.line };
    return { at: endOf(found) || last, tone: "loop",
      mark: call.threw ? "an exception leaves it" : "returns",
      under: under("back in the loop", anchor("return")) };
  }

  function lineOfTaskStep(step) {
    const stopped = step.wait && innermost(step.wait.chain);
    if (!stopped)
      return { at: definition(step.task.function, step.task.at) || anchor("step"), tone: "run",
        mark: "begins here", under: under("underneath", anchor("step")) };
    return { at: place(stopped.at), mark: "resumes after this", tone: "run",
      under: under("underneath", anchor("resume")) };
  }

  function lineOfSuspend(step) {
    const stopped = innermost(step.e.chain || []);
    const machinery = step.wait.future ? anchor("suspend") : anchor("nextTurn");
    return { at: place(stopped?.at), mark: "stops here", tone: "wait",
      under: under("underneath", machinery || anchor("suspend")) };
  }

  /// Where the future was made tells more than the one line that ends all futures.
  function lineOfFutureEnd(step, words, machinery) {
    const { future } = step;
    const made = place(future.at);
    const from = under("the future was made here", made)
      || under("called from", place(future.by?.call?.at));
    return { at: machinery, mark: words, tone: "future", under: from };
  }

  function lineOfSchedule(step) {
    const { task } = step;
    const stands = task && place(innermost(chainOf(task))?.at);
    const begins = task && definition(task.function, task.at);
    return { at: place(step.e.at) || stands || begins, mark: "made ready to run", tone: "loop" };
  }

  function lineOfQueue(step) {
    const at = place(step.e.at) || anchor(`queue ${step.e.phase}`);
    return { at, mark: "runs now", tone: "run",
      under: under("called from", at && calledFrom(step.task, at.path)) };
  }

  function lineOfFetch(step) {
    return { at: place(step.e.at) || anchor(step.kind), tone: "run",
      mark: step.kind === "start" ? "a fetch begins" : "a fetch ends" };
  }

  /// By the kind of step. Each gives { at, mark, tone, under }: the place, two words on
  /// what happens there, which colour they have, and what runs beneath.
  const LINES = {
    select: step => Words.isAsked(Page.model, step)
      ? { at: anchor("select"), tone: "loop",
        mark: step.asleep ? "asleep in here" : "the loop asks" }
      : { at: anchor("dontAsk"), tone: "loop", mark: "it doesn't ask" },
    awake: () => ({ at: anchor("select"), mark: "awake again", tone: "loop" }),
    ready: () => ({ at: anchor("ready"), mark: "the loop is told", tone: "loop" }),
    call: lineOfCall,
    return: lineOfReturn,
    schedule: lineOfSchedule,
    timer: step => ({ at: place(step.e.at), mark: "a timer is set", tone: "run" }),
    due: step => ({ at: place(step.timer?.at), mark: "this timer is due", tone: "loop" }),
    untimer: step => ({ at: place(step.timer?.at), mark: "taken back", tone: "loop" }),
    future: step => ({ at: place(step.e.at), mark: "a future is made", tone: "future" }),
    resolve: step => lineOfFutureEnd(step, "a future is resolved", anchor("resolve")),
    fail: step => lineOfFutureEnd(step, "a future has failed", anchor("resolve")),
    drop: step => lineOfFutureEnd(step, "a future is cancelled",
      anchor("cancelFuture") || anchor("resolve")),
    new: step => ({ at: anchor("new") || definition(step.task.function, step.task.at),
      mark: "a task is made", tone: "run", under: under("underneath", anchor("newTask")) }),
    step: lineOfTaskStep,
    suspend: lineOfSuspend,
    done: step => ({ at: endOf(definition(step.task.function, step.task.at)), tone: "wait",
      mark: step.e.outcome === "threw" ? "an exception has left it" : "has ended",
      under: under("underneath", step.e.outcome === "returned" && anchor("done")) }),
    cancel: step => ({ at: anchor("cancel"), mark: "asked to end", tone: "loop",
      under: under("it's here", place(innermost(chainOf(step.task))?.at)) }),
    enter: step => ({ at: place(step.e.from), mark: "awaits a coroutine", tone: "run",
      under: under("which begins here", definition(step.e.name, step.e.at)) }),
    leave: step => ({ at: place(step.e.from), mark: "resumes after this", tone: "run",
      under: under("has ended", endOf(definition(step.e.name, step.e.at))) }),
    start: lineOfFetch,
    end: lineOfFetch,
    queue: lineOfQueue,
    watch: step => ({ at: registration(step.e.at), mark: "is registered", tone: "run",
      under: under("underneath", anchor("watch")) }),
    unwatch: step => ({ at: registration(step.watch?.at), mark: "no longer watched", tone: "run",
      under: under("underneath", anchor("unwatch")) }),
  };

  /// The function, or the line of a coroutine, that has the thread.
  function whereItRuns(step) {
    const top = step.stack[step.stack.length - 1];
    if (top?.call)
      return definition(top.call.name, top.call.at) || place(top.call.at);
    return top?.task ? place(innermost(chainOf(top.task))?.at) : null;
  }

  /// The same for generators, in place of those above; view_generators.js fills it.
  const ofGenerators = {};

  /// A step without a line of its own is shown by what runs beneath it, or by who runs.
  function forStep(step) {
    const lines = step.task?.talks && ofGenerators[step.kind] || LINES[step.kind];
    const look = lines(step);
    if (look.at)
      return look;
    const at = look.under?.at || whereItRuns(step);
    return { ...look, at, under: null };
  }

  return { place, textOf, linesOf, awaited, bodyOfCallback, definition, endOf, anchor, under,
    ofGenerators, where, forStep };
})();
