// How to tell of generators, for programs that talk with them: pages of others don't carry this.
"use strict";

(() => {
  const isNode = typeof require !== "undefined";
  const W = isNode ? require("./words.js") : Words;
  const { capital, shortName } = W;

  const code = text => `\`${text}\``;
  const name = task => code(shortName(task.function));
  const who = c => W.who(c.s.task);
  const isResumed = (m, n) => m.steps[n + 1]?.kind === "step";

  /// "`co_yield 1`", where the source is known.
  function atLine(c, at, otherwise) {
    const text = at && c.source?.awaited ? c.source.awaited(at) : null;
    return text ? code(text) : `${otherwise}`;
  }

  const linkOf = wait => wait?.chain[wait.chain.length - 1];

  const CALLS = { next: () => "next()", send: e => `send(${e.word ?? ""})`,
    throw: () => "throw_(…)" };
  const callOf = e => code(CALLS[e.phase](e));

  const askOf = c => c.m.steps[c.s.ask] || UNKNOWN;
  const UNKNOWN = { n: -2, e: { phase: "next" } }; // it was called before the trace begins

  const asks = c => ({ what: `${code(c.e.by || "main")} calls ${callOf(c.e)} on ${who(c)}`
    + `${c.e.phase === "throw" ? `, with the exception ${word(c.s, "that it has")}` : ""}.`,
    why: WHY_ASKS[c.e.phase](c) });

  const WHY_ASKS = {
    next: c => !isResumed(c.m, c.n) ? "It has ended: there is nothing to resume."
      : c.s.task.steps[0] === c.n + 1 ? "It hasn't begun: its first line comes next."
        : "Nothing is sent with it: the generator just resumes.",
    send: c => isResumed(c.m, c.n) ? "The word is put into the promise, as `sent`: a pointer to it "
      + "is enough, since the sender waits in `send`." : "It has ended, so nothing will take the word.",
    throw: c => isResumed(c.m, c.n) ? "Nothing is thrown yet: the exception is put into the "
      + "promise, as `thrown`." : "It isn't at a `co_yield` that could throw this.",
  };

  function goesOn(c) {
    const { s } = c;
    const { e } = askOf(c);
    const under = `${code(e.by || "main")} is underneath on the stack: for it, all this is one `
      + `call of \`${e.phase === "throw" ? "throw_" : e.phase}\`.`;
    const jump = "The number in the frame says where: the code jumps there. ";
    if (s.first)
      return { what: `${capital(who(c))} is resumed, and has the thread: ${name(s.task)} begins.`,
        why: jump + under };
    const stood = linkOf(s.wait);
    const which = s.wait?.chain.length > 1 ? "the innermost one, " : "";
    return { what: `${capital(who(c))} is resumed, and has the thread: ${which}`
      + `${code(shortName(stood?.name))} continues at ${atLine(c, stood?.at, "its `co_yield`")}.`,
      why: jump + under };
  }

  function takes(c) {
    const stood = linkOf(c.s.task.waits.findLast(wait => wait.step < c.n));
    const line = atLine(c, stood?.at, "the `co_yield`");
    if (askOf(c).e.phase === "throw")
      return { what: `\`await_resume\` finds ${code(c.e.word)} in \`thrown\`, and throws it: `
        + `${line} throws.`,
        why: "It's the first thing that runs when it resumes. From here on, it's "
          + "an exception like any other: the function may catch it." };
    return { what: `\`await_resume\` takes ${code(c.e.word)} out of the promise: it's the value of `
      + `${line}.`, why: "It's the first thing that runs when it resumes. From here on, the word "
      + "belongs to the function." };
  }

  function yields(c) {
    const { wait, word } = c.s;
    const inner = code(shortName(linkOf(wait)?.name));
    const all = wait.chain.length > 1 ? `, and with it ${wait.chain.length === 2 ? "both frames"
      : "all frames"} of the chain` : "";
    const next = wait.chain.length > 1
      ? ` \`innermost\` of ${code(shortName(wait.chain[0].name))} says which one resumes next time: `
        + `${inner}.` : "";
    return { what: `${inner} reaches ${atLine(c, linkOf(wait)?.at, "a `co_yield`")} and stops `
      + `right there${all}.`, why: `${word === null ? "The value" : code(word)} is put into the `
      + "promise, as `yielded`, and the number of this place is stored in the frame. Then "
      + `\`frame.resume()\` returns.${next}` };
  }

  function stopsAtEnd(c) {
    const result = c.s.word === null ? "" : `\`return_value\` has put ${code(c.s.word)} into the `
      + "promise, and ";
    if (c.e.how === "threw")
      return { what: `An exception leaves ${name(c.s.task)}, and ends it.`,
        why: "`unhandled_exception` keeps it in the promise." };
    return { what: `${name(c.s.task)} has reached its end, and stops after its last line.`,
      why: capital(`${result}\`final_suspend\` stops it there: its frame stays, until its owner `
        + "destroys it.") };
  }

  function replies(c) {
    const { e, s } = c;
    const ask = askOf(c);
    const call = callOf(ask.e);
    const by = code(e.by || "main");
    const tell = {
      yielded: () => ({ what: `${call} returns a reply: ${word(s, "a value")} was yielded.`,
        why: `\`resume\` has taken it out of the promise. ${capital(who(c))} is suspended, and `
          + `${by} continues.` }),
      returned: () => ({ what: `${call} returns a reply of another kind: ${who(c)} has ended`
        + `${s.word === null ? "" : `, and returned ${code(s.word)}`}.`,
        why: `Nothing is yielded with it. ${by} continues.` }),
      over: () => ({ what: `${call} returns an empty reply.`,
        why: `${capital(who(c))} had already ended: it ends again, without a value.` }),
      threw: () => isResumed(c.m, ask.n)
        ? { what: `${call} throws what has left ${name(s.task)}.`, why: "" }
        : { what: `${call} throws: the exception comes straight back.`,
          why: `Not a line of ${name(s.task)} has run for it.` },
    };
    return tell[e.how]();
  }
  const word = (s, otherwise) => s.word === null ? otherwise : code(s.word);

  function isGone(c) {
    const { waits, steps } = c.s.task;
    const last = waits[waits.length - 1];
    const why = steps.length === 0 ? "It had never begun."
      : last?.ended ? "It had ended. Now that its owner is done with it, the frame goes, too."
        : `It was suspended at ${atLine(c, linkOf(last)?.at, "a `co_yield`")}. Its local variables `
          + "are destroyed, as if the function had been left right there.";
    return { what: `${capital(who(c))} is destroyed, and its frame is gone.`, why };
  }

  // ---- Chains ----

  function outerOf(c, i) {
    const chain = c.state.tasks.get(c.s.task.id)?.chain || [];
    return code(shortName(chain[chain.length + i]?.name));
  }

  function delegates(c) {
    const outer = outerOf(c, -2), inner = code(shortName(c.e.name));
    return { what: `${outer} reaches ${atLine(c, c.e.from, "a `co_await`")} and is suspended: `
      + `${inner} gets a frame of its own, and runs in its place.`,
      why: `\`await_suspend\` has taken two notes: \`caller\` of ${inner} is ${outer}, and `
        + `\`innermost\` of ${outer} is ${inner}. The loop in \`resume\` resumes that one next.` };
  }

  function comesBack(c) {
    const outer = outerOf(c, -1), inner = code(shortName(c.e.name));
    return { what: `${inner} has ended. The loop in \`resume\` goes back to its \`caller\`: `
      + `${outer} continues at its \`co_await\`.`,
    why: `\`innermost\` of ${outer} is ${outer} itself `
      + `again. \`await_resume\` picks up the result, and the frame of ${inner} is destroyed.` };
  }

  const ask = { say: asks, short: (m, s) => CALLS[s.e.phase](s.e) };
  Object.assign(W.more, {
    generator: {
      new: { say: c => ({ what: `${name(c.s.task)} is called: that makes ${who(c)}, and runs `
        + "nothing.", why: "The frame is on the heap. The caller gets an object that owns "
        + "it." }), short: (m, s) => `${W.who(s.task)} made` },
      next: ask, send: ask, throw: ask,
      resume: { say: goesOn,
        short: (m, s) => `${W.who(s.task)} ${s.first ? "begins" : "resumes"}` },
      take: { say: takes,
        short: (m, s) => (m.steps[s.ask]?.e.phase === "throw" ? "throws " : "takes ") + s.e.word },
      yield: { say: yields, short: (m, s) => `yields ${s.word ?? ""}`.trim() },
      end: { say: stopsAtEnd, short: (m, s) => s.e.how === "threw" ? "throws" : "ends" },
      reply: { say: replies,
        short: (m, s) => `reply: ${s.e.how === "yielded" ? s.word ?? "a value" : s.e.how}` },
      gone: { say: isGone, short: (m, s) => `${W.who(s.task)} destroyed` },
    },
    coroutine: {
      call: { say: delegates, short: (m, s) => `await ${shortName(s.e.name)}` },
      return: { say: comesBack, short: (m, s) => `${shortName(s.e.name)} ends` },
    },
  });
})();
