// How the reader moves: buttons, keys, the scrubber, playing, the theme, and links to a step.
"use strict";

const Controls = (() => {
  const { byId, one, el, svg } = Dom;

  // ---- Playing ----
  let playing = null; // the timer, while it plays

  function play(on) {
    clearInterval(playing);
    playing = null;
    if (on && Page.step === Page.last())
      Page.go(Page.home());
    if (on)
      playing = setInterval(playOn, 1000 / Number(byId("speed").value));
    byId("play").textContent = on ? "❚❚" : "▶";
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
  }

  function playOn() {
    if (Page.step === Page.last())
      play(false);
    else
      Page.walk(1);
  }

  function changeSpeed(by) {
    const speed = byId("speed");
    const wanted = speed.selectedIndex + by;
    speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, wanted));
    if (playing !== null)
      play(true);
  }

  // ---- The theme ----
  const isDark = () => document.documentElement.dataset.theme === "dark";

  function setTheme(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    TimePane.redraw(); // a canvas takes no colour from the style sheet
  }

  // ---- Sheets: the findings, and the keys ----
  function toggleSheet(id, on = byId(id).hidden) {
    byId(id).hidden = !on;
    byId(`${id}-button`).setAttribute("aria-expanded", String(on));
  }

  function closeAll() {
    toggleSheet("keys", false);
    toggleSheet("findings", false);
    Page.chooseNone();
  }

  /// Closes what is open. If nothing is, and this is a scene in a page of the book, the page closes the scene.
  function closeOrLeave() {
    const isOpen = Page.chosen || ["keys", "findings"].some(id => !byId(id).hidden);
    closeAll();
    if (!isOpen && window !== window.parent)
      parent.postMessage("leave the scene", "*");
  }

  // ---- What a button does, and a key ----
  const DEEDS = {
    "next": () => Page.walk(1),
    "back": () => Page.walk(-1),
    "turn-next": () => Page.goTurn(1),
    "turn-back": () => Page.goTurn(-1),
    "until": () => Page.goWake(),
    "cause": () => Page.goCause(),
    "same": () => Page.goSame(1),
    "every": () => Page.walkEvery(!Page.isEvery),
    "play": () => play(playing === null),
    "theme": () => setTheme(!isDark()),
    "findings-button": () => toggleSheet("findings"),
    "keys-button": () => toggleSheet("keys"),
  };

  const KEYS = {
    "ArrowRight": DEEDS.next,
    "ArrowLeft": DEEDS.back,
    "Shift ArrowRight": DEEDS["turn-next"],
    "Shift ArrowLeft": DEEDS["turn-back"],
    "PageDown": DEEDS["turn-next"],
    "PageUp": DEEDS["turn-back"],
    "Home": () => Page.go(Page.home()),
    "End": () => Page.go(Page.last()),
    " ": DEEDS.play,
    ">": () => changeSpeed(1),
    "<": () => changeSpeed(-1),
    ...(typeof Zoom === "undefined" ? {} : Zoom.KEYS),
    "w": DEEDS.until,
    "c": DEEDS.cause,
    "t": DEEDS.same,
    "e": DEEDS.every,
    "T": () => Page.goSame(-1),
    "f": () => Page.goWorth(),
    "d": DEEDS.theme,
    "?": DEEDS["keys-button"],
    "Escape": closeOrLeave,
  };

  /// A focused element has keys of its own, which it keeps: a button its space, a list of
  /// choices all of them. The source and the panes keep the keys that scroll them.
  function keepsKey(target, key) {
    if (target.tagName === "SELECT")
      return true;
    if (target.tagName === "BUTTON" || target.tagName === "A")
      return key === " ";
    const scrolls = target.tabIndex === 0 && target.scrollHeight > target.clientHeight;
    return scrolls && ["PageUp", "PageDown", "Home", "End", " "].includes(key);
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    const isArrow = event.key.startsWith("Arrow");
    const key = event.shiftKey && isArrow ? `Shift ${event.key}` : event.key;
    const deed = KEYS[key];
    if (!deed || keepsKey(event.target, key))
      return;
    event.preventDefault();
    deed();
  }

  // ---- What the controls show ----
  function draw() {
    const { step } = Page;
    byId("scrub").value = step;
    byId("scrub").setAttribute("aria-valuetext",
      `step ${step + 1}: ${Words.short(Page.model, step)}`);
    byId("back").disabled = Page.neighbour(-1) === null;
    byId("turn-back").disabled = step === 0;
    byId("next").disabled = byId("turn-next").disabled = step === Page.last();
    byId("every").setAttribute("aria-pressed", String(Page.isEvery));
    const what = Page.isEvery ? "step" : "stop";
    byId("back").setAttribute("aria-label", `One ${what} back`);
    byId("next").setAttribute("aria-label", `One ${what} on`);
    byId("until").disabled = Page.wakeOf(step) === null;
    byId("cause").disabled = Page.causeOf(step) === null;
    byId("same").disabled = Page.sameAs(step, 1) === null;
    markWorth();
  }

  // ---- The sheet that tells the keys, and the signs ----
  const KEY_WORDS = [
    ["→ ←", "next stop, stop before; or step"],
    ["e", "every step: on, off"],
    ["Shift → ←", "next turn, turn before"],
    ["space", "play, pause"],
    ["< >", "slower, faster"],
    ["+ − 0", "time strip: closer, farther, all of it; with the focus there, Shift → ← move it"],
    ["w", "until it wakes: on to that step"],
    ["c", "cause: back to that step"],
    ["t T", () => `${same()}: its next step, the one before`],
    ["f", "next thing worth a look"],
    ["Home End", "first stop, last stop"],
    ["d", "dark, light"],
    ["?", "these keys"],
  ];

  /// What “the same” is: so says the button, too.
  const same = () => Page.stage === 1 ? "same fetch"
    : Page.model.talks ? "same generator" : "same task";

  function keyLine([keys, words]) {
    const caps = keys.split(" ").flatMap(key => [el("kbd", {}, key), " "]);
    const text = typeof words === "function" ? words() : words;
    return el("div", {}, el("dt", {}, ...caps), el("dd", {}, text));
  }

  function signLine({ kind, words }) {
    const picture = svg("svg",
      { width: 22, height: 22, viewBox: "-11 -11 22 22", "aria-hidden": "true" },
      Signs.knot(kind));
    return el("li", {}, picture, words);
  }

  // What else is drawn. In stage 1 there are neither tasks nor futures.
  const ON_BARS = "A bar: it's on the stack. Two at once: one has called the other.";
  const ON_DRAWINGS = [
    "In a task's lane, the thread lies the lower, the more coroutines have called each other.",
    "A green dashed arrow: from a future to the task that it wakes.",
    "A future: ○ is pending, ● is done.",
    "Numbers beside the source are tasks. Filled: on the stack there. Dashed: suspended.",
    "A task's name leads to where it runs next; the headings of their table sort it.",
  ];

  function fillKeys() {
    const drawings = Page.stage === 1 || Page.model.talks ? [ON_BARS] : [ON_BARS, ...ON_DRAWINGS];
    byId("keys").replaceChildren(
      el("ul", { class: "signs" }, ...Signs.explained(Page.model).map(signLine)),
      el("ul", { class: "drawings" }, ...drawings.map(text => el("li", {}, text))),
      el("dl", {}, ...KEY_WORDS.filter(([keys]) => !Page.model.talks || !keys.includes("0")).map(keyLine)));
  }

  // ---- What is worth a look: a scene's moments, and findings ----
  const SHOWN_AT_ONCE = 3, SHOWN_AT_MOST = 200;

  function worthButton({ step, text, kind }) {
    return el("button", { onclick: () => Page.go(step), title: text.replace(/`/g, ""),
      class: kind === "moment" ? "" : "warn", "data-step": step },
    el("b", {}, `step ${step + 1} `), ...Dom.rich(text));
  }

  function fillFindings() {
    const all = Page.model.findings;
    const button = byId("findings-button");
    button.textContent = all.length === 1 ? "1 likely mistake found"
      : `${all.length === 0 ? "no" : Words.num(all.length)} likely mistakes found`;
    button.classList.toggle("some", all.length > 0);
    const none = el("li", { class: "empty" },
      "No callback held the loop for more than 10 ms, every task resumed, " +
      "and nothing was left open.");
    const lines = all.slice(0, SHOWN_AT_MOST).map(finding => el("li", {}, worthButton(finding)));
    one("#findings ol").replaceChildren(...(lines.length > 0 ? lines : [none]));
    // A scene has moments of its own; its findings are behind their button.
    const moments = Page.worth.filter(({ kind }) => kind === "moment");
    const shown = moments.length > 0 ? moments : all.slice(0, SHOWN_AT_ONCE);
    byId("worth").hidden = shown.length === 0;
    byId("worth").replaceChildren(...shown.map(worthButton));
  }

  function markWorth() {
    for (const button of byId("worth").children)
      button.toggleAttribute("aria-current", Number(button.dataset.step) === Page.step);
  }

  // ---- Links: #step=42&theme=dark ----
  const fromLink = () => new URLSearchParams(location.hash.slice(1));

  function followLink() {
    const link = fromLink();
    if (link.get("theme"))
      setTheme(link.get("theme") === "dark");
    if (link.get("walk"))
      Page.walkEvery(link.get("walk") === "every");
    const step = Number(link.get("step"));
    if (Number.isInteger(step) && step > 0)
      Page.go(step - 1, { quiet: true });
  }

  /// What there is to press, and to hear. Once.
  function begin() {
    for (const [id, deed] of Object.entries(DEEDS))
      byId(id).addEventListener("click", deed);
    document.addEventListener("keydown", onKey);
    byId("scrub").addEventListener("input", event => Page.go(Number(event.target.value)));
    byId("speed").addEventListener("change", () => changeSpeed(0));
    addEventListener("hashchange", followLink);
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", event => setTheme(event.matches));
    document.documentElement.dataset.theme = system.matches ? "dark" : "light";
  }

  /// What hangs on the trace.
  function fill() {
    byId("scrub").max = Page.last();
    byId("same").textContent = same();
    byId("every").hidden = Page.stops.length === Page.steps.length;
    fillKeys();
    fillFindings();
  }

  return { begin, fill, draw, followLink };
})();
