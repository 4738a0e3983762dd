// All of a run in words: what its page says about each step, for tests. No page carries this.
"use strict";

const Story = (() => {
  const isNode = typeof require !== "undefined";
  const M = isNode ? require("./model.js") : Model;
  const W = isNode ? require("./words.js") : Words;
  if (isNode)
    require("./words_generators.js");

  /// Lines that are the same for each recording in which the same happened in the same
  /// order: no times, no numbers of lines in the source; sockets have letters, in the order
  /// in which they are first met.
  function story(m) {
    const lines = [];
    const letters = new Map();
    const add = text => lines.push(withLetters(withoutLines(text), letters));
    let state = null;
    for (const s of m.steps) {
      state = M.stateAt(m, s.n, state);
      const { what, why } = W.describe(m, s.n, state, { untimed: true });
      add(`${whoHasTheThread(m, s)}: ${what}`);
      if (why !== "")
        add(`    ${why}`);
    }
    for (const one of m.findings)
      if (one.kind !== "slow")
        add(`${one.level === "warn" ? "Finding" : "Note"}: ${one.text}`);
    return lines;
  }

  /// "main.cpp:60" → "main.cpp".
  const withoutLines = text => text.replace(/(\.(?:cpp|h)):\d+/g, "$1");

  function withLetters(text, letters) {
    return text.replace(/\b(socket) (\d+)/gi, (all, word, fd) => {
      if (!letters.has(fd))
        letters.set(fd, letterOf(letters.size));
      return `${word} ${letters.get(fd)}`;
    });
  }
  const letterOf = i => (i < 26 ? "" : letterOf(Math.floor(i / 26) - 1))
    + String.fromCharCode(65 + i % 26);

  function whoHasTheThread(m, s) {
    if (s.lane === M.LOOP)
      return s.turn === 0 ? "main" : "loop";
    if (s.in)
      return W.who(s.in);
    const frame = s.kind === "return" ? { call: s.call } : s.stack[s.stack.length - 1];
    if (!frame)
      return s.turn === 0 ? "main" : "loop";
    return frame.task ? W.who(frame.task) : frame.call.name;
  }

  return { story };
})();
if (typeof module !== "undefined")
  module.exports = Story;
