// Looks at a page of the viewer from within, as a reader would, and writes down what is wrong.
//
// viewer_page_test.py puts this script after the page's own. It waits until the page is
// drawn, goes through the whole run and back, presses keys, measures colours and widths, and
// leaves its findings as JSON in <pre id="result">. viewer_page_test.py reads them. PART is which
// of it: "everything", "walk", "card" or "sight"; or "compare", for a page that compares two runs.
"use strict";

(async () => {
  const LINE_HEIGHT = 19; // of the source, px
  const CONTRAST = 4.5; // the least that WCAG 2 asks for
  const result = { checks: 0, failures: [] };

  function check(isFine, what) {
    result.checks += 1;
    if (!isFine && result.failures.length < 40)
      result.failures.push(what);
  }

  /// All that is on the page; of the source, which is long, some lines around the marked one.
  function nodesInSight() {
    const line = one(".code .now");
    const around = line ? [...line.parentNode.children].slice(0, 40) : [];
    const inLines = around.flatMap(each => [...each.querySelectorAll("*")]);
    return [...all("body *:not(.code *)"), ...inLines];
  }

  const { one, all, hasText } = InPage;
  const sleep = ms => new Promise(done => setTimeout(done, ms));

  // ---- What the console says ----
  const said = [];
  addEventListener("error", event => said.push(event.message));
  addEventListener("unhandledrejection", event => said.push(String(event.reason)));
  for (const level of ["error", "warn", "log", "info"])
    console[level] = (...words) => said.push(words.join(" "));

  // ---- What one sees ----
  const PANES = ["#step-number", "#say", "#way", ".cloth", ".file", ".under", "#tasks", "#queue",
    "#loop", "#controls"];

  /// Everything that is drawn for a step, but for the source, of which only the marked lines.
  function look() {
    const panes = PANES.map(selector => one(selector).outerHTML);
    const lines = all(".code .now, .code .pins").map(node => node.parentNode.className
      + node.outerHTML);
    return [...panes, ...lines].join("\n");
  }

  const press = (key, more) => InPage.press(document.body, key, more);

  function checkSame(before, now, what) {
    if (before === now)
      return check(true, what);
    let at = 0;
    while (before[at] === now[at])
      at++;
    const from = Math.max(0, at - 30), to = at + 50;
    return check(false, `${what}: ${before.slice(from, to)} / ${now.slice(from, to)}`);
  }

  // ---- The walk: to the end, and back ----
  function checkStep(number, seen) {
    const sentence = one("#say .what").textContent;
    check(/\w.*[.?!”]$/s.test(sentence), `step ${number}: no sentence, but “${sentence}”`);
    const odd = seen.search(/undefined|NaN|\[object/);
    check(odd < 0, `step ${number}: “${seen.slice(odd - 30, odd + 20)}”`);
    const panes = PANES.filter(pane => pane !== ".under");
    const words = panes.map(pane => one(pane).textContent).join(" ");
    checkWords(number);
    checkLanes(number);
    const nothing = words.search(/\bnull\b/);
    check(nothing < 0, `step ${number}: “${words.slice(nothing - 30, nothing + 20)}”`);
  }

  /// A word of the picture is there as a whole or not at all: the end of "20.6 ms" is another time.
  function checkWords(number) {
    const clip = one("#beside-the-names rect");
    const begin = one(".cloth").getBoundingClientRect().left + Number(clip.getAttribute("x"));
    const end = begin + Number(clip.getAttribute("width"));
    for (const text of all(".cloth .picture text")) {
      const { left, right } = text.getBoundingClientRect();
      check(left > begin - 1 && right < end + 1, `step ${number}: “${text.textContent}” is cut`);
    }
    checkOverlaps(number);
  }

  /// Each word can be read: no knot lies on it, and no other word.
  function checkOverlaps(number) {
    const words = all(".cloth .picture text"), AIR = 3; // px of a letter's box without ink, above and below
    const boxes = [...words, ...all(".cloth .knot circle")].map(node => node.getBoundingClientRect());
    words.forEach((word, i) => {
      const { left, right, top, bottom } = boxes[i];
      const over = boxes.find((box, j) => j > i && Math.min(right, box.right) - Math.max(left, box.left) > 2
        && Math.min(bottom - AIR, box.bottom) - Math.max(top + AIR, box.top) > 2);
      check(!over, `step ${number}: something lies on “${word.textContent}”`);
    });
  }

  /// Lanes are in the order of their numbers, and what is there goes before what is still to come.
  function checkLanes(number) {
    const numbers = all(".cloth .names .label").map(label => /^task (\d+)/.exec(label.textContent)?.[1])
      .filter(text => text).map(Number);
    check(numbers.every((n, i) => i === 0 || n > numbers[i - 1]),
      `step ${number}: the lanes are in the order ${numbers}`);
    const names = all(".cloth .names .label"), lanes = all(".cloth .lane").map(line => Number(line.getAttribute("y1")));
    check(names.length === lanes.length && names.every(name => name.textContent.trim()),
      `step ${number}: ${names.length} names for ${lanes.length} lanes`);
    const NEAR = 8, height = Number(one(".cloth svg").getAttribute("height")); // a deep chain lies lower in its lane
    for (const knot of all(".cloth .knot")) {
      const y = Number(/ ([\d.-]+)\)/.exec(knot.getAttribute("transform"))[1]);
      check(lanes.some(lane => Math.abs(lane - y) <= NEAR) && y > 8 && y + 11 < height,
        `step ${number}: a knot lies in no lane, at ${y} of ${height}`);
    }
    check(one("#step-number").textContent.startsWith(`${number}of ${viewer.steps()}`),
      `step ${number}: the count is “${one("#step-number").textContent}”`);
  }

  function walk(opened, openedAt) {
    const last = viewer.steps();
    const seen = [];
    press("Home");
    for (let number = 1; number <= last; number++) {
      check(viewer.step() === number, `→ leads to step ${viewer.step()}, not to ${number}`);
      seen[number] = look();
      checkStep(number, seen[number]);
      press("ArrowRight");
    }
    checkSame(seen[openedAt], opened, `step ${openedAt} isn't the same, opened by a link`);
    viewer.go(last);
    for (let number = last; number >= 1; number--) {
      checkSame(seen[number], look(), `step ${number} looks different on the way back`);
      press("ArrowLeft");
    }
    return seen;
  }

  // ---- Jumps and links ----
  async function jumps(seen) {
    const last = seen.length - 1;
    for (const share of [0.9, 0.2, 0.5]) {
      const number = Math.max(1, Math.round(last * share));
      location.hash = `#step=${number}`;
      await sleep(50);
      check(viewer.step() === number, `#step=${number} leads to step ${viewer.step()}`);
      checkSame(seen[number], look(), `#step=${number} isn't what one sees by walking there`);
    }
    viewer.go(Math.min(3, last));
    await sleep(400);
    check(location.hash.includes(`step=${Math.min(3, last)}`), `the address says ${location.hash}`);
    location.hash = "#theme=dark";
    await sleep(50);
    check(theme() === "dark", "#theme=dark isn't dark");
    location.hash = "#theme=light";
    await sleep(50);
    check(theme() === "light", "#theme=light isn't light");
  }

  const theme = () => document.documentElement.dataset.theme;

  // ---- Keys ----
  const kindNow = () => viewer.model().steps[viewer.step() - 1].kind;
  const firstOf = fits => viewer.model().steps.findIndex(fits) + 1; // 0: there is none

  function pressedAt(number, key, more) {
    viewer.go(number);
    press(key, more);
    return viewer.step();
  }

  function moves() {
    const count = viewer.steps();
    check(pressedAt(5, "Home") === 1, "Home isn't step 1");
    check(pressedAt(1, "End") === count, "End isn't the last step");
    check(pressedAt(count, "ArrowRight") === count, "→ goes beyond the end");
    check(pressedAt(1, "ArrowLeft") === 1, "← goes before the beginning");
    pressedAt(1, "ArrowRight", { shiftKey: true });
    check(["select", "ask"].includes(kindNow()) || viewer.step() === count, "Shift → isn't the next turn");
    const turn = viewer.step();
    press("ArrowRight", { shiftKey: true });
    press("ArrowLeft", { shiftKey: true });
    check(viewer.step() === turn, "Shift ← isn't the turn before");

    const stop = firstOf(step => step.kind === "suspend" && step.wait.resumed > step.n);
    if (stop > 0) {
      pressedAt(stop, "w");
      check(kindNow() === "step", `w at a stop leads to “${kindNow()}”`);
    }
    const caused = firstOf(step => step.cause >= 0);
    const cause = viewer.model().steps[caused - 1].cause + 1;
    check(pressedAt(caused, "c") === cause, "c isn't the cause");
    const task = firstOf(step => step.kind === "step" || step.kind === "start");
    const next = pressedAt(task, "t");
    check(next > task, "t doesn't go forward");
    press("T");
    check(viewer.step() === task, "T doesn't come back");
    const findings = viewer.model().findings.length + all("#worth button").length;
    if (findings > 0)
      check(pressedAt(viewer.steps(), "f") !== 0, "f leads nowhere");
  }

  async function plays() {
    const speed = one("#speed");
    viewer.go(1);
    speed.value = "30";
    speed.dispatchEvent(new Event("change"));
    press(" ");
    check(one("#play").getAttribute("aria-label") === "Pause", "the button doesn't say “Pause”");
    await sleep(500);
    press(" ");
    const played = viewer.step();
    check(played > 3, `it plays to step ${played} only, in half a second, at 30 a second`);
    await sleep(200);
    check(viewer.step() === played, "it plays on after a pause");
    press("<");
    check(speed.value === "10", `< makes it ${speed.value} a second`);
    press(">");
    check(speed.value === "30", `> makes it ${speed.value} a second`);
  }

  function sheets() {
    press("?");
    check(!one("#keys").hidden, "? shows no keys");
    press("Escape");
    check(one("#keys").hidden, "Escape doesn't hide the keys");
    const before = theme();
    press("d");
    check(theme() !== before, "d doesn't change the theme");
    press("d");
    check(theme() === before, "d doesn't change the theme back");
  }

  /// The button and the sheet of keys say the same, what is not there takes a line, and what there is none of
  /// in this whole run isn't counted.
  function sameWords() {
    const title = one("#tasks-title").textContent, counted = viewer.model().stage === 1 ? /^Fetches: (none|[\d,]+)$/
      : /^(Tasks|Frames on the heap): /;
    check(counted.test(title), `the table is called “${title}”`);
    const keys = all("#keys dd").map(node => node.textContent);
    for (const id of ["until", "cause", "same"])
      check(keys.some(text => text.startsWith(`${one(`#${id}`).textContent}:`)),
        `no key is called “${one(`#${id}`).textContent}”`);
    for (const pane of all(".side .pane"))
      check(pane.querySelector(".body").textContent || pane.offsetHeight < 50,
        `#${pane.id} has nothing to show, and is ${pane.offsetHeight} px high`);
    check(/^(no|1|[\d,]+) likely mistakes? found$/.test(one("#findings-button").textContent),
      `“${one("#findings-button").textContent}” doesn't say of what`);
  }

  /// A focused element keeps the keys that it needs itself.
  function focusedKeys() {
    viewer.go(2);
    one("#next").dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    check(one("#play").getAttribute("aria-label") === "Play", "space on a button plays");
    one("#speed").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    check(viewer.step() === 2, "an arrow in the list of speeds makes a step");
  }

  // ---- The pointer ----
  function pointer() {
    viewer.go(2);
    one("#next").click();
    check(viewer.step() === 3, "the button → makes no step");
    one("#back").click();
    check(viewer.step() === 2, "the button ← makes no step");
    const scrub = one("#scrub");
    scrub.value = 4;
    scrub.dispatchEvent(new Event("input"));
    check(viewer.step() === 5, "the scrubber leads elsewhere");
    const knot = all(".cloth .knot").find(node => Number(node.dataset.step) === 1);
    knot.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    check(viewer.step() === 2, "a click on the thread leads elsewhere");
    const caused = firstOf(step => step.cause >= 1);
    viewer.go(caused);
    one("#way button").click();
    check(viewer.step() < caused, "a click on a cause leads nowhere");
    for (const button of all("#worth button")) {
      viewer.go(1);
      button.click();
      check(viewer.step() === Number(button.dataset.step) + 1,
        `“${button.textContent.slice(0, 40)}” leads to step ${viewer.step()}`);
    }
  }

  // ---- The table of tasks ----
  const numbersOf = key => all(`#tasks td.${key}`).map(cell => {
    const [, number, unit] = /^([\d.,]+) ?(\D*)$/.exec(cell.textContent);
    return Number(number.replace(",", "")) * ({ ms: 1000, s: 1e6 }[unit] || 1);
  });
  const names1 = () => all("#tasks tbody th").map(cell => cell.textContent);

  function table() {
    if (viewer.model().talks)
      return;
    viewer.go(Math.round(viewer.steps() * 0.6));
    const before = names1();
    for (const { id } of all("#tasks thead button")) {
      const key = id.replace("by-", "");
      for (const wanted of ["number", "order"].includes(key) ? ["ascending", "descending"] : ["descending", "ascending"]) {
        one(`#${id}`).focus();
        const sorted = one(`#${id}`).closest("th").ariaSort;
        if (sorted !== wanted)
          one(`#${id}`).click();
        check(one(`#${id}`).closest("th").ariaSort === wanted && all("[aria-sort]").length === 1,
          `${key}: not ${wanted}, but ${one(`#${id}`).closest("th").ariaSort}`);
        check(document.activeElement.id === id, `${key}: the focus has gone`);
        if (["number", "order"].includes(key))
          continue;
        const numbers = numbersOf(key), sign = wanted === "ascending" ? 1 : -1;
        check(numbers.every((n, i) => i === 0 || sign * (n - numbers[i - 1]) >= 0), `${key}, ${wanted}: ${numbers}`);
      }
    }
    one("#by-number").click();
    checkSame(before.join(), names1().join(), "sorted by its first column again, it's another table");
    goesToTasks();
  }

  /// A click on a task leads to where it runs next, chooses it, and shows its lane; so does one on its lane.
  function goesToTasks() {
    const from = viewer.step(), runs = step => Page.ownerOf(step) === Page.chosen;
    for (let i = 0; i < names1().length; i++) {
      viewer.go(from);
      const name = names1()[i];
      const button = all("#tasks tbody th button")[i];
      button.focus();
      button.click();
      check(document.activeElement !== document.body, `“${name}”: the focus has gone`);
      const to = Page.now();
      check(Page.chosen && ["step", "call", "start"].includes(to.kind) && runs(to),
        `“${name}” leads to step ${viewer.step()}, which isn't its own`);
      const between = viewer.model().steps.slice(from, viewer.step() - 1);
      check(!between.some(step => ["step", "call"].includes(step.kind) && runs(step)), `“${name}” runs before ${viewer.step()}`);
      const label = one(`.cloth [data-row="${Page.chosen.row}"]`);
      check(label, `“${name}” has no lane`);
      label.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      check(runs(Page.now()), `the lane of “${name}” leads elsewhere`);
      viewer.go(from);
      check(one("#tasks tr.chosen th").textContent === name, `“${name}” isn't shown as chosen`);
    }
    press("Escape");
    check(!one("#tasks .chosen"), "Escape leaves a task chosen");
  }

  // ---- The time strip ----
  async function strip() {
    if (viewer.model().talks)
      return;
    viewer.go(3);
    const chart = one(".chart"), { left, width, top } = chart.getBoundingClientRect();
    const timeAt = share => Zoom.part.begin + share * Zoom.part.span, all = Zoom.part.span;
    const wheel = (share, more) => chart.dispatchEvent(new WheelEvent("wheel",
      { deltaY: -200, clientX: left + share * width, clientY: top, cancelable: true, bubbles: true, ...more }));
    check(wheel(0.5) && Zoom.part.span === all, "in a page of the book, the wheel doesn't scroll that page");
    const aim = timeAt(0.7);
    check(!wheel(0.7, { ctrlKey: true }) && Zoom.part.span < all, "Ctrl and the wheel don't zoom");
    check(Math.abs(timeAt(0.7) - aim) < all / 1000, "what was under the pointer isn't there any more");
    const pointer = (kind, share) => chart.dispatchEvent(new PointerEvent(`pointer${kind}`,
      { pointerId: 1, clientX: left + share * width, clientY: top, bubbles: true }));
    const step = viewer.step(), begin = Zoom.part.begin;
    chart.setPointerCapture = () => {}; // there is no real pointer
    pointer("down", 0.5);
    pointer("move", 0.7);
    pointer("up", 0.7);
    check(Math.abs(begin - Zoom.part.span * 0.2 - Zoom.part.begin) < 1, "a drag doesn't move the strip");
    check(viewer.step() === step, "a drag makes a step");
    const time = timeAt(0.5);
    pointer("down", 0.5);
    pointer("up", 0.5);
    check(Page.stepAtTime(time) === viewer.step() - 1, "a click leads elsewhere");
    press("0");
    check(Zoom.part.span === all, "0 doesn't show all");
    press("+");
    press("+");
    check(Math.abs(Zoom.part.span - all / 4) < 1, "+ doesn't zoom");
    const before = Zoom.part.begin, was = viewer.step();
    InPage.press(chart, "ArrowRight", { shiftKey: true });
    InPage.press(chart, "ArrowLeft", { shiftKey: true });
    check(Math.abs(Zoom.part.begin - before) < all / 4 && viewer.step() === was, "Shift and an arrow move no strip, but the step");
    await stripFollows();
    press("-");
    press("-");
    check(Zoom.part.span === all && chart.title.includes("Ctrl"), "− doesn't zoom back");
  }

  /// However a reader goes to a step, also to the one where the page is already, the zoomed strip shows where that is.
  async function stripFollows() {
    const count = viewer.steps(), chart = one(".chart");
    const at = () => (Page.now().t - Zoom.part.begin) / Zoom.part.span;
    const clickOn = selector => one(selector)?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const ways = {
      "Home": () => press("Home"), "Home, again": () => press("Home"), "→": () => press("ArrowRight"),
      "End": () => press("End"), "End, again": () => press("End"), "←": () => press("ArrowLeft"),
      "+": () => press("+"), "-": () => press("-"), "e": () => press("e"),
      "a link": () => { location.hash = `#step=${Math.ceil(count / 2)}`; },
      "a link, again": () => { location.hash = `#step=${Math.ceil(count / 2)}&theme=light`; },
      "a task": () => clickOn("#tasks tbody th button"), "a lane": () => clickOn(".cloth .label[data-row]"),
      "a knot": () => clickOn(".cloth .knot.is"), "a cause": () => clickOn("#way button"),
      "the scrubber": () => one("#scrub").dispatchEvent(new Event("input")),
      "playing": () => press(" "),
    };
    for (const [way, go] of Object.entries(ways)) {
      for (let i = 0; i < 3; i++)
        press("+");
      const away = Page.now().t < viewer.model().span / 2 ? "ArrowRight" : "ArrowLeft";
      for (let i = 0; i < 40; i++)
        InPage.press(chart, away, { shiftKey: true });
      check(at() < 0 || at() > 1, `${way}: the strip can't be moved away`);
      go();
      await sleep(100);
      check(at() >= 0 && at() <= 1, `${way}: where we are is out of sight, at ${at()} of the width`);
      press("0");
    }
    press(" ");
    press("+");
    press("+");
  }

  // ---- Names: each thing to press or to read has one ----
  function nameOf(node) {
    const by = node.getAttribute("aria-labelledby");
    const given = node.getAttribute("aria-label") || document.getElementById(by)?.textContent;
    if (given || node.tagName === "SECTION" || node.tagName === "NAV")
      return given;
    return node.labels?.[0]?.textContent.trim() || node.textContent.trim();
  }

  function names() {
    const things = all("button, a, input, select, nav, section, canvas:not([aria-hidden]), [role=img], [tabindex]");
    for (const node of things)
      check(nameOf(node), `no name: ${node.outerHTML.slice(0, 80)}`);
    check(document.title && document.documentElement.lang === "en", "no title, or no language");
    const ids = all("[id]").map(node => node.id);
    check(new Set(ids).size === ids.length, "an id is there twice");
  }

  // ---- Colours ----
  const isSeen = node => node.getClientRects().length > 0
    && !node.closest(".hidden, .skip, [disabled], option");

  function colours(where) {
    for (const node of nodesInSight().filter(node => hasText(node) && isSeen(node))) {
      const contrast = InPage.contrast(node, InPage.opacityOf(node));
      const text = `${node.tagName} “${node.textContent.trim().slice(0, 25)}”`;
      check(contrast >= CONTRAST, `${where}: contrast ${contrast.toFixed(2)} of ${text}`);
    }
  }

  // ---- Widths ----
  const SCROLLS = ".code, .under, .cloth, #way, #worth, .hidden, .skip, .rows .what";

  function isOut(node) {
    const box = node.getBoundingClientRect();
    return box.width > 0 && node.checkVisibility() && (box.right > innerWidth + 1 || box.left < -1);
  }

  function widths(where) {
    const page = document.scrollingElement;
    check(page.scrollWidth <= innerWidth, `${where}: the page is ${page.scrollWidth} px wide`);
    for (const node of all("body *:not(.code *)").filter(isOut))
      check(node.closest(SCROLLS), `${where}: ${node.outerHTML.slice(0, 60)} is out of sight`);
    for (const pane of all(".pane:not(#source), #controls, #say"))
      check(pane.scrollWidth <= pane.clientWidth + 1,
        `${where}: #${pane.id} is ${pane.scrollWidth} px wide in ${pane.clientWidth}`);
    for (const pane of all(".pane"))
      check(getComputedStyle(pane).overflowY !== "visible"
        || pane.scrollHeight <= pane.clientHeight + 1, `${where}: #${pane.id} runs out of its box`);
    const number = one("#step-number b").getBoundingClientRect(), said = one("#say").getBoundingClientRect();
    check(said.top - number.bottom >= 4 || said.left - number.right >= 4, `${where}: the number touches what is said`);
    check(one(".under").textContent || one(".under").offsetHeight === 0, `${where}: what lies under nothing takes room`);
    const controls = one("#controls").getBoundingClientRect();
    check(controls.bottom <= innerHeight + 1, `${where}: the controls are out of sight`);
    const foot = one("footer").offsetHeight;
    check(innerWidth > 700 || foot < innerHeight / 4, `${where}: the foot takes ${foot} px of ${innerHeight}`);
    if (innerWidth <= 700)
      for (const button of all("#controls button:not([hidden])"))
        check(button.offsetHeight >= 40, `${where}: #${button.id} is too small for a finger`);
  }

  /// Both themes, and steps all over the run.
  function measure() {
    const count = viewer.steps();
    const WHERE = 8;
    for (let i = 0; i <= WHERE; i++) {
      viewer.go(1 + Math.round((count - 1) * i / WHERE));
      widths(`step ${viewer.step()}`);
      for (let times = 0; times < 2; times++) {
        colours(`step ${viewer.step()}, ${theme()}`);
        press("d");
      }
    }
    press("?");
    colours("keys");
    widths("keys");
    press("Escape");
    if (viewer.model().findings.length > 0) {
      one("#findings-button").click();
      colours("findings");
      widths("findings");
      press("Escape");
    }
  }

  // ---- The line of the present step: in sight, however fast one walks ----
  const frame = () => new Promise(requestAnimationFrame);

  /// What lies on the line's first row, in the middle between its number and its end: the line
  /// itself, unless it's scrolled away or something covers it.
  function isLineInSight() {
    const line = one(".code .now[aria-current]");
    if (!line)
      return true; // of some steps no line is known
    const { left, top, width } = line.getBoundingClientRect();
    return line.contains(document.elementFromPoint(left + width / 2, top + LINE_HEIGHT / 2));
  }

  /// A held key: several presses before the browser draws, and some more just after it has.
  async function hold(key, times) {
    for (let i = 0; i < times; i++) {
      press(key);
      if (i % 3 === 1)
        await frame();
    }
  }

  /// The browser may need some frames until it has laid out what is new in sight.
  async function checkLine(how) {
    const ENOUGH = 6;
    await frame();
    for (let i = 0; i < ENOUGH && !isLineInSight(); i++)
      await frame();
    check(isLineInSight(), `${how}: the line of step ${viewer.step()} is out of sight`);
  }

  const MORE = 28; // px that "▾ more" takes of a pane
  const MOST_LINES = 14; // of the source, that are in sight on a small desk's screen

  function checkLines() {
    const { top, bottom } = one(".code").getBoundingClientRect();
    const end = Math.min(bottom, one("footer").getBoundingClientRect().top);
    const lines = Math.floor((end - top) / LINE_HEIGHT);
    check(innerWidth < 1100 || lines >= MOST_LINES, `step ${viewer.step()}: ${lines} lines in sight`);
  }

  /// What happens in the step stays in sight, and a pane that is cut says so.
  async function checkPanes() {
    for (let i = 0; i < 3; i++) // which is known once it's drawn
      await frame();
    const { top, bottom } = one("#say").getBoundingClientRect();
    check(innerWidth <= 700 || (top >= 0 && bottom < one("footer").getBoundingClientRect().top),
      `step ${viewer.step()}: what happens is out of sight, at ${top}`);
    for (const pane of all("#tasks, .side .pane")) {
      const isCut = getComputedStyle(pane).overflowY !== "visible"
        && pane.scrollHeight - pane.clientHeight - pane.scrollTop > 14;
      check(isCut === pane.hasAttribute("data-more"), `step ${viewer.step()}: #${pane.id} is ${isCut ? "" : "not "}cut`);
      check(!isCut || pane.clientHeight > 60, `step ${viewer.step()}: #${pane.id} shows ${pane.clientHeight} px`);
    }
    checkFocus(one("#tasks"));
  }

  /// The line of the task that the step is about, and its chain, lie between the table's head and its "▾ more".
  function checkFocus(pane) {
    const chain = pane.querySelector(".chain"), line = chain?.previousElementSibling;
    if (!line || getComputedStyle(pane).overflowY === "visible")
      return;
    const top = pane.querySelector("thead th").getBoundingClientRect().bottom;
    const bottom = pane.getBoundingClientRect().bottom - (pane.hasAttribute("data-more") ? MORE : 0);
    const from = line.getBoundingClientRect().top, to = chain.getBoundingClientRect().bottom;
    const fits = to - from < bottom - top;
    check(from >= top - 2 && (to <= bottom + 2 || !fits),
      `step ${viewer.step()}: the chain lies at ${from} to ${to}, and there is room from ${top} to ${bottom}`);
  }

  async function linesInSight() {
    const count = viewer.steps();
    press("e");
    press("Home");
    for (let number = 1; number <= count; number++) {
      await checkLine("step by step");
      checkLines();
      await checkPanes();
      press("ArrowRight");
    }
    viewer.go(5);
    scrollTo(0, innerWidth > 700 ? innerHeight : 0); // on a desk, what happens stays at the top
    await checkLine("a jump");
    await checkPanes();
    press("w");
    while (viewer.step() < count) {
      await hold("ArrowRight", 10);
      await checkLine("held →");
    }
  }

  // ---- The network ----
  function network() {
    const asked = performance.getEntriesByType("resource").map(entry => entry.name);
    check(asked.length === 0, `it asks for ${asked.slice(0, 3)}`);
    const loads = all("[src], link[href], object, embed, iframe").map(node => node.outerHTML);
    check(loads.length === 0, `it would load ${loads.slice(0, 3).join(" ").slice(0, 120)}`);
  }

  // ---- The coarse walk: what a page shows that was opened without a wish ----
  async function coarseWalk() {
    if (!one("#welcome").hidden)
      press("Escape"); // the key that closes the card does nothing else
    const stops = viewer.stops(), count = viewer.steps();
    check(viewer.step() === stops[0] && stops.length < count / 2, `it opens at ${viewer.step()}`);
    const seen = [];
    for (const stop of stops) {
      check(viewer.step() === stop, `→ leads to step ${viewer.step()}, not to the stop ${stop}`);
      seen.push(look());
      checkStep(stop, seen[seen.length - 1]);
      press("ArrowRight");
    }
    for (const stop of [...stops].reverse()) {
      checkSame(seen.pop(), look(), `stop ${stop} looks different on the way back`);
      press("ArrowLeft");
    }
    const between = stops[1] + 1;
    check(!stops.includes(between), "two stops are beside each other: take another scene");
    location.hash = `#step=${between}`;
    await sleep(50);
    check(viewer.step() === between, `#step=${between} leads to ${viewer.step()}`);
    check(one(".knot.is").dataset.step === String(between - 1), "the present step is not drawn");
    press("ArrowRight");
    check(viewer.step() === stops[2], `from step ${between}, → leads to ${viewer.step()}`);
    await everyStep(between);
  }

  /// The legend grows, and each step's sign is in it.
  function legend() {
    const words = () => all(".met li, .legend > span").map(node => node.textContent);
    let before = [];
    for (const stop of viewer.stops()) {
      viewer.go(stop);
      const now = words();
      check(before.every(text => now.includes(text)), `stop ${stop}: the legend forgets a sign`);
      check(!one(".met li").offsetTop === !one(".met").offsetTop, "no sign is in sight");
      check(now.length >= before.length, `stop ${stop}: the legend gets shorter`);
      before = now;
    }
    viewer.go(viewer.stops()[0]);
    check(words().length < before.length, "the legend tells of what has not been shown");
  }

  // ---- The opening card ----
  async function card() {
    const welcome = one("#welcome"), sentences = all("#welcome p");
    check(!welcome.hidden && sentences.length === 3, "there are not three sentences");
    check(sentences.every(node => /^[A-Z].*[.]$/.test(node.textContent)), "no sentences");
    check(welcome.getAttribute("role") === "dialog" && nameOf(welcome), "no dialog with a name");
    check(document.activeElement === document.body, "the card takes the focus");
    const behind = all("body > :not(#welcome, script, style, noscript)");
    check(behind.length > 4 && behind.every(node => node.inert), "what lies behind the card can be pressed");
    checkHow(all("#welcome p"));
    colours("card");
    widths("card");
    press("Tab");
    check(!welcome.hidden, "Tab closes it, so that its button can't be reached");
    const step = viewer.step();
    press("ArrowRight");
    check(welcome.hidden, "a key doesn't close it");
    check(viewer.step() === step, "the key that closes it also moves on");
    check(behind.every(node => !node.inert), "what lay behind the card can't be pressed");
    checkHow([one("#way")]);
    let kept = null;
    try {
      kept = localStorage.length;
    } catch {
      // refused: then it can't be remembered
    }
    check(kept === null || kept === 1, "it isn't remembered");
    legend();
  }

  /// A reader is told to press keys, or, where there are none, to tap what is on the page.
  function checkHow(nodes) {
    const isTouch = matchMedia("(pointer: coarse)").matches, text = nodes.map(node => node.textContent).join(" ");
    check(isTouch ? /Tap/.test(text) && !/Press|keys/.test(text) : /Press/.test(text) && !/Tap/.test(text),
      `${isTouch ? "by touch" : "with keys"}: “${text}”`);
    const buttons = all("button").map(node => node.textContent).join(" ");
    for (const key of nodes.flatMap(node => [...node.querySelectorAll("kbd")]))
      check(!isTouch || buttons.includes(key.textContent), `no button is called “${key.textContent}”`);
  }

  async function everyStep(number) {
    const isOn = () => one("#every").getAttribute("aria-pressed") === "true";
    const knots = () => all(".cloth .knot").map(node => Number(node.dataset.step));
    viewer.go(number);
    check(!isOn() && knots().length < knots().pop() - knots()[0], "each step is drawn");
    press("e");
    check(isOn() && knots().length === knots().pop() - knots()[0] + 1, "e doesn't show each step");
    press("ArrowRight");
    check(viewer.step() === number + 1, "with every step, → leads beyond the next");
    await sleep(400);
    check(location.hash.includes("walk=every"), `the address says ${location.hash}`);
    one("#every").click();
    check(!isOn(), "the button doesn't lead back to stops");
    await sleep(400);
    check(!location.hash.includes("walk"), `the address still says ${location.hash}`);
  }

  // ---- A page that compares two runs ----
  const TOOK = /^took ([\d.]+) (µs|ms|s), and the loop was busy for [\d.]+ (µs|ms|s) of it \([\d.]+ %\)\. /;

  /// How many pixels a microsecond is wide: told by the longest of a run's bars.
  function scaleOf(run, { fetches }) {
    const widths = [...run.querySelectorAll(".lane i")].map(bar => bar.getBoundingClientRect().width);
    const took = [...fetches.values()].map(fetch => fetch.t1 - fetch.t0);
    return Math.max(...widths) / Math.max(...took);
  }

  /// A time is chosen for both: by the slider, or with a click into either. Each has a link there.
  function leadsIntoBoth(runs, models) {
    const slider = one("#when"), links = () => runs.map(run => run.querySelector(".then a").getAttribute("href"));
    const stepAt = (model, time) => Math.max(1, model.steps.findLastIndex(step => step.t - model.steps[0].t <= time) + 1);
    for (const share of [0, 0.3, 1]) {
      slider.value = share * slider.max;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const wanted = models.map((model, i) => `run-${i + 1}.html#step=${stepAt(model, Number(slider.value))}`);
      checkSame(wanted.join(), links().join(), `the links at ${share}`);
    }
    const { left, width, top } = one(".lane .track").getBoundingClientRect(), before = links().join();
    one(".lane .track").dispatchEvent(new MouseEvent("click", { clientX: left + width / 2, clientY: top, bubbles: true }));
    check(links().join() !== before && Math.abs(slider.value / slider.max - 0.5) < 0.01, "a click chooses no time");
  }

  function comparison() {
    const runs = all(".run"), known = JSON.parse(one("#meta").textContent).runs;
    check(runs.length === 2, `there are ${runs.length} runs`);
    const models = known.map(({ trace }) => Model.read(trace));
    runs.forEach((run, i) => {
      const { fetches } = models[i];
      check(run.querySelectorAll(".lane").length === fetches.size, `run ${i}: not a lane per fetch`);
      const line = run.querySelector(".took").textContent;
      check(TOOK.test(line), `run ${i}: “${line}”`);
      for (const bar of run.querySelectorAll("i")) {
        const box = bar.getBoundingClientRect(), room = bar.parentNode.getBoundingClientRect();
        check(box.left >= room.left - 1 && box.right <= room.right + 3
          && box.top >= room.top && box.bottom <= room.bottom, `run ${i}: a bar leaves its lane`);
      }
    });
    leadsIntoBoth(runs, models);
    const [first, second] = runs.map((run, i) => scaleOf(run, models[i]));
    check(Math.abs(first / second - 1) < 0.02, `two time axes: ${first} and ${second}`);
    check(document.scrollingElement.scrollWidth <= innerWidth, "the page is too wide");
    for (const node of all("body *").filter(isOut))
      check(false, `${node.outerHTML.slice(0, 60)} is out of sight`);
    for (const wanted of ["light", "dark"]) {
      if (theme() !== wanted)
        press("d");
      check(theme() === wanted, `d doesn't make it ${wanted}`);
      colours(`compared, ${wanted}`);
    }
    names();
    network();
  }

  // ---- A live scene where only what was recorded can be played ----
  function recorded() {
    check(!one("#change"), "what can't be changed seems to be");
    check(!one("#worth").hidden && all("#worth button").length > 1, "the recorded run's moments are missing");
    check(viewer.step() === Number(/\d+/.exec(one("#worth button").textContent)[0]), `it opens at step ${viewer.step()}`);
    press("ArrowRight");
    check(one("#say .what").textContent.length > 5, "→ leads nowhere");
    network();
  }

  function refused() {
    check(/doesn't run the program/.test(one("#note").textContent) && !one("#note").hidden, "nobody says why");
    recorded();
    said.length = 0; // where a reader can look for the reason
  }

  // ---- All of it ----
  const PARTS = { everything, walk: coarseWalk, card, sight: linesInSight,
    compare: comparison, recorded, refused,
    live: () => LivePart({ check, sleep, colours, widths, names, network, press })() };

  async function everything() {
    check(one("#welcome").hidden, "a scene has a card");
    const opened = look(), openedAt = viewer.step();
    const seen = walk(opened, openedAt);
    await jumps(seen);
    moves();
    await plays();
    sheets();
    sameWords();
    focusedKeys();
    pointer();
    table();
    await strip();
    names();
    measure();
    network();
  }

  async function whenReady() {
    for (let i = 0; i < 200 && document.documentElement.dataset.ready !== "yes"; i++)
      await sleep(50);
    check(document.documentElement.dataset.ready === "yes", `the page was never drawn: ${said}`);
    return document.documentElement.dataset.ready === "yes";
  }

  try {
    if (await whenReady()) {
      Object.assign(result, { title: document.title, width: innerWidth });
      await PARTS[PART]();
    }
  } catch (error) {
    said.push(`${error.message} ${error.stack}`);
  }
  check(said.length === 0, `the console says ${said.slice(0, 3).join("; ").slice(0, 400)}`);
  InPage.report(result);
})();
