// The part of viewer_page_test.js that looks at a live page: does it do what its reader asks for?
"use strict";

const LivePart = ({ check, sleep, colours, widths, names, network, press }) => {
  const { one, all } = InPage;
  const SAID = "#outcome", PAUSE = 400; // ms, after which the address says what the settings are
  const isNarrow = innerWidth <= 700, opened = location.hash;

  const set = (selector, value, kind = "input") => {
    one(selector).value = value;
    one(selector).dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const turn = (name, value) => set(`#knob-${name}`, value, one(`#knob-${name}`).tagName === "SELECT" ? "change" : "input");
  const go = link => new Promise(done => {
    addEventListener("hashchange", done, { once: true }); // behind the page's own
    location.hash = link;
  });
  const found = () => live.found().join();
  const said = () => one(SAID).textContent;
  const address = async () => {
    await sleep(PAUSE);
    return new URLSearchParams(location.hash.slice(1));
  };

  /// Follows a link within the page, and resolves when the page has done so, too.

  /// Settings of a small crawl, drawn by a seed: the same in each run of this test.
  let seed = 75;
  const draw = (least, most) => least + (seed = seed * 48271 % 2147483647) % (most - least + 1);
  function anySettings(queue) {
    const workers = draw(1, 8), answers = ["alike", "by_chance", "one_slow"][draw(0, 2)];
    return `workers=${workers} pages=${draw(1, 15)} links=${draw(1, 5)} room=${draw(0, 4)} answers=${answers} queue=${queue} ask=${draw(0, workers)} at=${draw(3, 120)}`;
  }

  /// The sources in the page have every line that a run can name, whatever the settings. LIVE_SOURCES lists those of
  /// them that runs and anchors name, and no other.
  function sources() {
    const { sources, anchors, anchors_losing } = Page.meta;
    const lengths = Object.fromEntries(Object.entries(sources).map(([path, text]) => [path, text.split("\n").length]));
    const named = new Set(), known = new Set(LIVE_SOURCES);
    for (let i = 0; i < 30; i++) {
      const settings = anySettings(i % 2 ? "book" : "losing"), text = live.trace(settings);
      check(text.includes('"event":"end"'), `${settings}: no crawl, but ${text.slice(0, 80)}`);
      for (const [, path, line] of text.matchAll(/"(?:at|from)":"([^":]+)(?::(\d+))?"/g)) {
        named.add(path);
        check(Number(line || 1) <= lengths[path], `${settings}: the page has no line ${line} of ${path}`);
        check(known.has(path), `${settings}: ${path} isn't listed`);
      }
    }
    for (const { path } of [...Object.values(anchors), ...Object.values(anchors_losing)])
      named.add(path);
    for (const path of known)
      check(named.has(path), `${path} is listed, but never named`);
    const losing = sources["tests/live/losing_queue.h"], book = sources["stage3_queue_crawler/runtime/sync/queue.h"];
    check(losing.includes("The fault") && losing.split("\n").length === book.split("\n").length, "the queues' lines differ");
  }

  /// One knob for each setting, and no more than the program allows; the scene's own come first.
  function knobs() {
    const [first, rest] = all("#change .knobs").map(place => [...place.querySelectorAll("input, select")].map(({ id }) => id.replace("knob-", "")));
    const known = JSON.parse(live.trace("?")).settings.filter(({ name }) => !["ask", "at"].includes(name));
    check(first.join() === Page.meta.live.knobs.filter(name => name !== "at").join(), `first come ${first}`);
    check([...first, ...rest].sort().join() === known.map(({ name }) => name).sort().join(), `the other knobs are ${rest}`);
    for (const { name, least, most, words } of known) {
      const { value, min, max, options, ariaValueText, parentNode } = one(`#knob-${name}`), shown = parentNode.querySelector("b")?.textContent;
      check(shown === (words ? undefined : ariaValueText) && (words || shown.includes(value) || value === "0"), `${name} is ${value}, and shows ${shown}`);
      check(value === String(live.settings()[name]), `${name} seems to be ${value}`);
      check(words ? [...options].map(each => each.value).join() === words.join() : Number(min) >= least && Number(max) <= most, `${name}: ${min} to ${max}`);
    }
  }

  const OWN = { INPUT: ["ArrowRight", "ArrowLeft", "Home", "End", "PageDown"], BUTTON: [" "], SUMMARY: [" "],
    SELECT: ["ArrowRight", "ArrowLeft", "Home", "End", "PageDown", " ", "e"] };

  /// A key of what has the focus moves or presses it, and makes no step; other keys do what they always do.
  function keys() {
    viewer.go(60);
    for (const node of all("#change :is(input, select, button, summary)").filter(each => each.checkVisibility())) {
      node.focus();
      for (const key of ["ArrowRight", "ArrowLeft", "Home", "End", "PageDown", " ", "e", "e"]) {
        const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
        const isKept = node.dispatchEvent(event), isOwn = OWN[node.tagName].includes(key);
        check(isKept === isOwn, `${key} in ${node.id || node.tagName} is ${isKept ? "of no use" : "taken from it"}`);
        check(document.activeElement === node, `${key} takes the focus from ${node.id || node.tagName}`);
        check(!isOwn || viewer.step() === 60, `${key} in ${node.id || node.tagName} leads to step ${viewer.step()}`);
        if (key === " " && !isKept)
          press(" "); // it plays
        viewer.go(60);
      }
    }
    one("#say").focus();
    press("ArrowLeft");
    const before = viewer.stops().findLast(number => number < 60);
    check(viewer.step() === before, `a key beside the knobs leads to step ${viewer.step()}, and not ${before}`);
    const { dataset } = document.documentElement, { theme } = dataset;
    press("d");
    live.change("workers", 5);
    check(dataset.theme !== theme, "a new run takes the reader's theme back");
    press("d");
  }

  /// The colour of the strip's middle, and what it should be.
  async function strip(where) {
    await null; // the page hears of it first
    const canvas = one(".strip canvas"), probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--line");
    probe.fillRect(0, 0, 1, 1);
    const [seen, wanted] = [[canvas.getContext("2d"), canvas.width / 2, canvas.height - 2], [probe, 0, 0]]
      .map(([pen, x, y]) => pen.getImageData(x, y, 1, 1).data.join());
    check(seen === wanted, `${where}: the strip is ${seen}, and not ${wanted}`);
  }

  /// What the address says, and what it can't mean.
  async function fromAddress() {
    check(live.asText() === "queue=losing ask=2 at=150", `from the address: ${live.asText()}`);
    check(one("#at").value === "150" && one("#request output").textContent === "at line 150", `the mark is at ${one("#at").value}`);
    await go("#ask=2&at=999999");
    check(live.settings().at === Number(one("#at").max), `a moment after the end is line ${live.settings().at}`);
    for (const link of ["#workers=1e9", "#workers=-1", "#workers=", "#ask=3", "#ask=2&at=1000001", "#queue=losing%20latency%3D60", "#answers=alike%20"]) {
      await go(link);
      check(live.asText() === "workers=2 pages=4 queue=losing" && one("#note").textContent.includes("can't be used") && !one("#note").hidden,
        `${link} is taken for ${live.asText()}: ${one("#note").textContent}`);
    }
    await go("#pages=1");
    check(said().endsWith("with its only page.") && one("#note").hidden, said());
    await go("#pages=1&ask=1&at=25");
    check(said().includes("0 of 1 known page:"), said());
  }

  /// Both themes, closed and open, with every moment tried.
  function look(where) {
    for (const isOpen of [false, true]) {
      one("#change details").open = isOpen;
      for (let times = 0; times < 2; times++) {
        colours(`${where}, ${isOpen ? "open" : "closed"}`);
        press("d");
      }
      widths(where);
      for (const node of all("#change :is(input, select, button)").filter(each => each.checkVisibility()))
        check(node.offsetHeight >= 24 && (!isNarrow || node.offsetWidth >= 24), `${where}: ${node.id} is too small for a finger`);
    }
    names();
    one("#change details").open = false;
  }

  async function whenTried() {
    while (!/ tried: /.test(one("#request .key").textContent))
      await sleep(50); // viewer_page_test.py loses its patience
    return one("#request .key").textContent;
  }

  /// Does the strip's bar at a line of the trace reach its top?
  function isHigh(line) {
    const canvas = one(".strip canvas"), { min, max } = one("#at"), box = canvas.getBoundingClientRect();
    check(Math.abs(canvas.width - box.width * devicePixelRatio) <= 1 && Math.abs(canvas.height - box.height * devicePixelRatio) <= 1, "the strip is blurred");
    const x = Math.round((line - min) / (max - min) * canvas.width);
    return canvas.getContext("2d").getImageData(x, 1, 1, 1).data[3] > 0;
  }

  /// Page 12: the moment at which an item is lost, and what the book's queue makes of it.
  async function lostItem() {
    check(said().includes("all 4 pages") && found() === "", `at the beginning: ${said()}`);
    await go("#workers=4&pages=11&room=1&answers=one_slow&ask=4&at=156");
    check(said().includes("10 of 11") && found() === "", `a worker that waits in put gives no page up: ${said()}, found ${found()}`);
    await go("#queue=losing");
    for (const node of all(".strip, .strip input"))
      check(getComputedStyle(node).forcedColorAdjust === "none", `${node.className || node.id} is lost among forced colours`);
    await strip("at the beginning");
    press("d");
    await strip("in the other theme");
    press("d");
    turn("queue", "book");
    set("#at", 5);
    check(said().includes("all 4 pages") && found() === "", `a request that would lose nothing: ${said()}, found ${found()}`);
    turn("queue", "losing");
    set("#at", 38);
    check(!one("#heard").textContent.includes("lost"), "each step of a knob is read out");
    check(said().startsWith("An item is lost.") && found() === "0", `a request at line 38: ${said()}, found ${found()}`);
    check(one("#request output").textContent === "at line 38" && !one(".strip").matches(".off"), "the mark isn't where it's asked");
    check(one("#who").value === "2" && Page.now().i <= 38 && Page.steps[viewer.step()].i >= 37, `it's asked at step ${viewer.step()}`);
    check(one("#finds .so").textContent.includes("join"), "what was found isn't explained");
    check(Page.last() === Page.steps.findLastIndex(step => step.kind === "select"), "a run that hangs goes on after its last sleep");
    let link = await address();
    check(one("#heard").textContent === said(), "what came of it isn't read out");
    check(link.get("ask") === "2" && link.get("at") === "38" && !link.has("queue"), `the address says ${link}`);
    turn("queue", "book");
    check(said().includes("all 4 pages") && found() === "0,1", `with the book's queue: ${said()}, found ${found()}`);
    check(live.trace(live.asText()).includes('"give_back"'), "the item isn't given back");
    link = await address();
    check(link.get("queue") === "book" && link.get("ask") === "2", `the address says ${link}`);
    one("#try-all").click();
    check(/^\d+ moments tried: /.test(await whenTried()) && !/lost/.test(await whenTried()), `with the book's queue, ${await whenTried()}`);
    turn("queue", "losing");
    check(one("#try-all").getAttribute("aria-pressed") === "false", "another queue's moments count as tried");
    let clock = 0;
    performance.now = () => clock += 5; // so that a portion is two or three moments
    one("#try-all").click();
    delete performance.now;
    check(!/ tried: /.test(one("#request .key").textContent), "the page hears nothing until all moments are tried");
    check(/an item is lost, at 6 $/.test(await whenTried()), `with the fault, ${await whenTried()}`);
    check(isHigh(38) && !isHigh(60), "the strip doesn't show where an item is lost");
    look("moments tried");
    set("#who", 1, "change");
    check(one("#try-all").getAttribute("aria-pressed") === "false" && !/tried/.test(one("#request .key").textContent), "another worker's moments count as tried");
    set("#who", 2, "change");
    set("#at", 60);
    check(found() === "0,1,2" && said().includes("3 of 4"), `at line 60: ${said()}, found ${found()}`);
    viewer.go(Page.steps.findIndex(step => step.i >= 37) + 1);
    one("#here").click();
    check(live.settings().at === Page.now().i + 1 && live.settings().ask === 2, `“at this step” asks at ${live.settings().at}`);
    set("#who", 0, "change");
    check(live.settings().ask === 0 && said().includes("all 4 pages"), `nobody is asked: ${said()}`);
    check(one("#request output").textContent === "" && one(".strip").matches(".off"), "nobody is asked, but there is a mark");
  }

  /// Page 13: too little room, and what helps.
  async function noRoom() {
    check(found() === "" && said().includes("all 12 pages"), `at the beginning: ${said()}`);
    turn("room", 1);
    check(said().startsWith("The crawl hangs") && found() === "0", `with room for one: ${said()}, found ${found()}`);
    press("End");
    check(found() === "0,1", `at the last step, found ${found()}`);
    const waits = all("#tasks tbody tr").map(row => row.textContent).filter(text => text.includes("there is room"));
    check(waits.length === 3, `${waits.length} workers wait for room`);
    set("#at", 50); // of no account as soon as there are more workers
    press("End");
    turn("workers", 4);
    check(said().includes("all 12 pages") && found() === "0,1,2", `with four workers: ${said()}, found ${found()}`);
    check(viewer.step() === viewer.steps(), "the last step of a run doesn't become the last of the next one");
    turn("workers", 20);
    check((await address()).get("workers") === "20", `the address says ${location.hash}`);
    await go("#workers=2&room=1");
    check(live.settings().workers === 2 && one("#knob-workers").value === "2" && said().includes("2 of 5"), `another address: ${said()}`);
    check(all("#who option").length === 3, `of two workers, ${all("#who option").length - 1} can be asked`);
    await go("#step=5");
    check(viewer.step() === 5 && said().includes("2 of 5"), `a link to a step: step ${viewer.step()}, ${said()}`);
    one("#try-all").click();
    await go("#workers=many");
    check(one("#try-all").getAttribute("aria-pressed") === "false", "the moments of another address count as tried");
    check(live.settings().workers === 3, "what can't be meant is taken");
    look("room");
  }

  /// Page 18: as many workers as it takes.
  async function enough() {
    const bars = () => all("#tried .is").length;
    check(bars() === 1 && found() === "", `at the beginning, ${bars()} bars`);
    for (let count = 2; count <= 7; count++)
      turn("workers", count);
    check(found() === "", "too few workers are enough");
    turn("workers", 8);
    check(found() === "0" && said().includes("150 ms"), `with eight workers: ${said()}`);
    check(bars() === 8 && one("#tried [role=img]").ariaLabel.includes("eight workers: 150 ms"), `${bars()} bars`);
    turn("links", 1);
    turn("workers", 20);
    check(found() === "0,1" && said().includes("600 ms"), `in a row: ${said()}`);
    check(bars() === 2, "another site's bars are still there");
    await go("#links=3&workers=2");
    check(bars() === 1, `from another address, ${bars()} bars`);
    await address();
    look("workers");
  }

  /// 59 more answers, one after the other: the lines of its trace take more than a millisecond.
  async function longLine() {
    for (const workers of [20, 2]) {
      await go(`#pages=60&links=1&workers=${workers}`);
      check(found() === "1", `in a long row, with ${workers} workers, found ${found()}: ${said()}`);
    }
  }

  /// Page 13 again, opened with settings in its address.
  function linked() {
    const isFine = !opened.includes("many"), { workers, room } = live.settings();
    check(one("#note").hidden === isFine && isFine !== /can't be used/.test(one("#note").textContent), `the note: ${one("#note").textContent}`);
    check(isFine ? workers === 2 && room === 1 : workers === 3 && room === 0, `${workers} workers, room for ${room}`);
    check(said().includes(isFine ? "2 of 5" : "all 12 pages") && found() === (isFine ? "0" : ""), `${said()}, found ${found()}`);
    check(Page.step === Page.home(), `it opens at step ${viewer.step()}`);
    knobs();
  }

  const SCENES = { "A queue that loses an item": lostItem, "A queue with too little room": noRoom, "As many workers as it takes": enough };

  return async () => {
    check(one("#change") && !one("#change").hidden && (opened || one("#note").hidden), `the page isn't live: ${one("#note").textContent}`);
    check(scrollY === 0, `it opens ${scrollY} px down`);
    if (opened)
      return document.title.includes("loses") ? fromAddress() : document.title.includes("little") ? linked() : longLine();
    knobs();
    sources();
    await SCENES[document.title]();
    keys();
    network();
  };
};
