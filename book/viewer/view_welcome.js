// The first thing a new reader sees: what this page shows, how to move, and how to see every step.
//
// Any key or click closes it, and does nothing else, so that its reader sees the first stop. It's a
// dialog that needs no answer: the focus stays where it is, and until it's closed, a screen reader and
// the Tab key find nothing else in the page. A scene of the book has none: its page has said all that.
"use strict";

const Welcome = (() => {
  const { byId, el, press, key, allKeys, rich } = Dom;
  const MET = "await-the-web viewer met"; // a browser may refuse to keep anything of a file

  function isMet() {
    try {
      return localStorage.getItem(MET) !== null;
    } catch {
      return false;
    }
  }

  function keep() {
    try {
      localStorage.setItem(MET, "yes");
    } catch {
      // then it's there again the next time
    }
  }

  function sentences() {
    const hasStops = Page.stops.length < Page.steps.length;
    return [
      [...rich(`This page replays a run of \`${Page.model.program}\`, which does everything in `
        + "one thread, and shows what happens and why, the source line, and what waits for what.")],
      [press, key("→"), hasStops ? " for the next stop, where something begins, waits, wakes or "
        + "ends, and " : " for the next step, and ", key("←"), " to go back."],
      [press, ...(hasStops ? [key("e"), " to see each step, and "] : []), key("?"), allKeys],
    ];
  }

  function show(on) {
    for (const node of document.body.children)
      node.inert = on && node !== byId("welcome");
    byId("welcome").hidden = !on;
  }

  function close() {
    show(false);
    removeEventListener("keydown", onKey, true);
    removeEventListener("click", close, true);
    keep();
  }

  /// A reader who tabs to the button hasn't read on yet.
  function onKey(event) {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || ["Tab", "Shift", "Control", "Alt", "Meta"].includes(key))
      return;
    event.stopImmediatePropagation();
    event.preventDefault();
    close();
  }

  function begin() {
    if (isMet() || Page.meta.moments || Page.meta.still)
      return;
    byId("welcome").querySelector("div").replaceChildren(
      ...sentences().map(words => el("p", {}, ...words)));
    show(true);
    addEventListener("keydown", onKey, true);
    addEventListener("click", close, true);
  }

  return { begin };
})();
