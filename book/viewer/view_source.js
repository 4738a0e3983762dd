// The source: the line of this step, and pins in the margin for whoever stands at a line.
"use strict";

const SourcePane = (() => {
  const { el, span, p, one } = Dom;
  const LINE_HEIGHT = 19; // px, as in style.css

  // ---- Highlighting ----
  const KEYWORDS = "auto bool break case catch char class const constexpr continue default delete "
    + "do double else enum explicit false for friend if inline int long mutable namespace new "
    + "noexcept nullptr operator override private protected public requires return static "
    + "static_cast struct switch template this throw true try typename unsigned using virtual "
    + "void while";
  const COMMENT = String.raw`\/\/.*$`;
  const STRING = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'`;
  const WAITING = String.raw`\bco_(?:await|yield|return)\b`;
  const WORDS = new RegExp(
    `(${COMMENT})|(${STRING})|(${WAITING})|\\b(${KEYWORDS.split(" ").join("|")})\\b`, "g");
  const CLASSES = ["comment", "string-literal", "await", "keyword"];

  function highlighted(text) {
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(WORDS)) {
      const which = match.slice(1).findIndex(group => group !== undefined);
      parts.push(text.slice(end, match.index), span(CLASSES[which], match[0]));
      end = match.index + match[0].length;
    }
    parts.push(text.slice(end));
    return span("", ...parts);
  }

  // ---- Files: made once, and kept ----
  const files = new Map();
  const BLOCK = 40; // lines; the browser lays out only those blocks that are in sight

  function makeFile(path) {
    const lines = Places.linesOf(path).map((text, i) =>
      el("div", { class: "line" }, el("i", {}, String(i + 1)), highlighted(text)));
    const box = el("div");
    for (let i = 0; i < lines.length; i += BLOCK) {
      const part = lines.slice(i, i + BLOCK);
      const height = part.length * LINE_HEIGHT;
      box.append(el("div", { class: "block", style: `--height:${height}px` }, ...part));
    }
    return { path, lines, box, marked: [] };
  }

  function fileOf(path) {
    if (!files.has(path))
      files.set(path, makeFile(path));
    return files.get(path);
  }

  const pane = { file: null, coming: null };

  function clearMarks(file) {
    for (const line of file.marked) {
      line.className = "line";
      line.removeAttribute("aria-current");
      line.removeAttribute("style");
      line.firstChild.querySelector(".pins")?.remove();
    }
    file.marked = [];
  }

  /// The line of this step, and those that belong to it. They are wrapped where the pane ends:
  /// what is below the present line must all be readable.
  function markLine(file, look) {
    const { line: first, to = first } = look.at;
    const lines = file.lines.slice(first - 1, to);
    for (const line of lines) {
      const text = line.lastChild.textContent;
      line.className = `line now ${look.tone}`;
      line.style.setProperty("--indent", `${text.search(/\S|$/) + 4}ch`);
      file.marked.push(line);
    }
    lines[0].setAttribute("aria-current", "true");
  }

  /// The part of the pane that is in sight: its distance from the pane's top, and its height. The
  /// foot of the page, and on a desk what happens in the step, stay where they are and cover what lies there.
  function partInSight(code) {
    const { top, bottom } = code.getBoundingClientRect();
    const foot = one("footer").getBoundingClientRect().top;
    const said = one("#now"), isFixed = getComputedStyle(said).position === "sticky";
    const from = Math.max(0, (isFixed ? said.getBoundingClientRect().bottom : 0) - top), height = Math.min(bottom, foot) - top - from;
    return bottom > 0 ? { from, height } : { from: 0, height: bottom - top };
  }

  /// If the pane lies too far down, the page is scrolled as well. A reader who has scrolled beyond
  /// it looks at something else, and is left there.
  function makeRoom(code) {
    const LEAST = 3 * LINE_HEIGHT;
    const { from, height } = partInSight(code);
    if (from === 0 && height < LEAST)
      scrollBy({ top: LEAST - height, behavior: "instant" });
  }

  /// Moves as little as possible. Only when the browser is about to draw: to measure earlier
  /// would make it lay out the page each time. What it's measured against is where the pane is
  /// then, not where it was when the key was pressed: between the two, it may have scrolled.
  function bringIntoSight({ line, to = line }, always) {
    const y = (line - 1) * LINE_HEIGHT;
    const height = (to - line) * 1.5 * LINE_HEIGHT; // as some lines will be wrapped
    cancelAnimationFrame(pane.coming);
    pane.coming = requestAnimationFrame(() => {
      const code = one("#source .code");
      makeRoom(code);
      const seen = partInSight(code), top = code.scrollTop + seen.from;
      const inSight = y > top + seen.height * 0.12 && y + height < top + seen.height * 0.8;
      if (always || !inSight)
        code.scrollTo(0, y - seen.from - Math.max(0, seen.height * 0.42 - height));
    });
  }

  // ---- Pins ----
  function pinsOfTasks() {
    const pins = [];
    for (const { task, state, chain } of Page.state.tasks.values()) {
      if (state === "done")
        continue;
      for (const link of chain) {
        const isRunning = state === "running" && !(task.talks && link !== chain[chain.length - 1]);
        pins.push({ at: Places.place(link.at), text: String(task.n), isRunning,
          title: `${Words.who(task)} ${isRunning ? "is on the stack" : "is suspended"} here` });
      }
    }
    return pins;
  }

  function drawPins(file) {
    const pins = pinsOfTasks(); // in stage 1 nobody stands at a line
    const byLine = new Map();
    for (const pin of pins) {
      if (pin.at?.path !== file.path)
        continue;
      const all = byLine.get(pin.at.line) || [];
      byLine.set(pin.at.line, [...all, pin]);
    }
    const room = innerWidth < 700 ? 2 : 3;
    for (const [number, all] of byLine) {
      const line = file.lines[number - 1];
      line.firstChild.append(span("pins", ...pinsFor(all, room)));
      if (!file.marked.includes(line))
        file.marked.push(line);
    }
  }

  const pinElement = ({ text, title, isRunning }) =>
    el("b", { class: isRunning ? "pin is" : "pin", title }, text);

  /// As many as there is room for; the last one tells how many more there are.
  function pinsFor(all, room) {
    if (all.length <= room)
      return all.map(pinElement);
    const rest = all.slice(room - 1);
    const more = { text: `+${rest.length}`, title: rest.map(pin => pin.title).join("; "),
      isRunning: rest.some(pin => pin.isRunning) };
    return [...all.slice(0, room - 1), more].map(pinElement);
  }

  // ---- The pane ----

  /// The folder is set apart, since a telephone has no room for it.
  function nameOf({ path, line }) {
    const name = Dom.fileName(path);
    return [span("", path.slice(0, -name.length)), `${name}:${line}`];
  }

  function showHead(look) {
    one(".file .path").replaceChildren(...nameOf(look.at));
    const mark = one(".file .mark");
    mark.textContent = look.mark;
    mark.className = `mark ${look.tone}`;
  }

  function showUnder(below) {
    const { words, at } = below;
    const look = { at, mark: words, tone: "loop" };
    one(".under").append(`${words}: `,
      el("button", { onclick: () => show(look, true) }, ...nameOf(at)),
      el("code", {}, highlighted(Places.textOf(at))));
  }

  function showNothing() {
    one(".file .path").replaceChildren();
    one(".file .mark").textContent = "";
    one(".file .mark").className = "mark";
    one("#source .code").replaceChildren(
      p("empty", "No line of the source is known for this step."));
    pane.file = null;
  }

  /// `always`: the reader has asked for this line, so it comes to the middle.
  function show(look, always = false) {
    one(".under").replaceChildren();
    if (!look.at || !Places.linesOf(look.at.path)) {
      showNothing();
      return;
    }
    const file = fileOf(look.at.path);
    const isOther = file !== pane.file;
    if (isOther)
      one("#source .code").replaceChildren(file.box);
    pane.file = file;
    clearMarks(file);
    markLine(file, look);
    drawPins(file);
    bringIntoSight(look.at, isOther || always);
    showHead(look);
    if (look.under)
      showUnder(look.under);
  }

  const draw = () => show(Places.forStep(Page.now()));

  return { draw, show };
})();
