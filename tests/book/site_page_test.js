// Is put into pages of the built site, and tries there what a reader does. The page's address says
// what to try: `?test=desk`. The findings are in the page, as JSON; in a frame, they are sent to its
// parent.
"use strict";

(() => {
  const asked = new URLSearchParams(location.search).get("test");
  const failures = [];
  let checks = 0;
  const { one, all, press, contrast, hasText, report } = InPage;
  const until = async (what, condition) => {
    for (let n = 0; n < 200 && !condition(); n++)
      await new Promise(resolve => setTimeout(resolve, 20));
    expect(what, condition());
  };
  function expect(what, holds) {
    ++checks;
    if (!holds)
      failures.push(what);
  }
  const BUBBLES = { bubbles: true, cancelable: true };
  addEventListener("error", event => failures.push(`error: ${event.message}`));

  function checkContrast(theme) {
    const texts = all("body *").filter(element => hasText(element) && element.checkVisibility()
      && !element.closest("svg, script, noscript, [hidden]"));
    expect("there is text", texts.length > 50);
    const weak = texts.filter(element => contrast(element) < 4.5).slice(0, 5).map(element =>
      `${element.tagName}.${element.className} ${contrast(element).toFixed(2)}`);
    expect(`contrast, ${theme}: ${weak}`, weak.length === 0);
  }

  // ---- What is tried ----
  async function theme() {
    const look = () => [document.body, one(".drawing svg text")].map(element =>
      getComputedStyle(element)[element === document.body ? "backgroundColor" : "fill"]);
    const button = one(".theme");
    button.click();
    expect("the button says what it is", button.getAttribute("aria-label") === "Theme: light");
    const light = look();
    checkContrast("light");
    button.click();
    expect("page and drawings follow the theme", look().every((colour, n) => colour !== light[n]));
    checkContrast("dark");
    expect("the choice is kept", localStorage.getItem("theme") === "dark");
    button.click();
    expect("the third is the system's", !document.documentElement.dataset.theme);
    expect("and nothing is kept", !localStorage.getItem("theme"));
  }

  async function scene(which = ".watch") {
    const link = one(`figure.scene ${which}`), figure = link.closest("figure");
    expect("a scene is not loaded before it's wanted", !one("iframe"));
    expect("without a script, the link leads to it", /scenes\/[^/]+\.html$/.test(link.href));
    link.click();
    const frame = one("iframe");
    expect("of two links, the one that leads back is left", [...figure.querySelectorAll(".watch")].every(each => (each === link) === each.checkVisibility()));
    expect("it comes in a frame", frame?.parentElement === figure);
    await new Promise(resolve => frame.addEventListener("load", resolve));
    expect("it is looked at", document.activeElement === frame);
    const { top, bottom } = frame.getBoundingClientRect();
    expect(`all of it is in sight: ${top} to ${bottom}, ${figure.getBoundingClientRect().bottom} of ${innerHeight}`, top >= one(".top").offsetHeight
      && figure.getBoundingClientRect().bottom <= innerHeight);
    const page = document.documentElement;
    expect("also sideways", page.scrollWidth <= page.clientWidth);
    const { left, width } = figure.getBoundingClientRect();
    expect(`it is as wide as the window: ${width} of ${page.clientWidth}`, left > 0 && width > page.clientWidth - 20);
    const moments = [...frame.contentDocument.querySelectorAll("#worth button")];
    expect("its moments are one row", new Set(moments.map(button => button.offsetTop)).size <= 1);
    expect("nothing lies under it", !one(".here").checkVisibility({ visibilityProperty: true })
      || one(".here").getBoundingClientRect().left >= frame.getBoundingClientRect().right);
    const bar = frame.contentDocument.querySelector("#controls");
    const full = [...bar.children].filter(child => child.scrollWidth > child.clientWidth + 1);
    expect(`no button's words stick out: ${full.map(child => child.id)}`, full.length === 0);
    expect("the bar isn't too wide", bar.scrollWidth <= bar.clientWidth);
    const button = one(".theme"), src = frame.src;
    for (const theme of ["light", "dark"]) {
      button.click();
      await until(`it's ${theme}, too`,
        () => frame.contentWindow.location.hash === `#theme=${theme}`);
      expect("a new src would be one more page to go back to", frame.src === src);
    }
    button.click();
    if (which === ".watch")
      frame.contentDocument.body.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key: "Escape", ...BUBBLES }));
    else
      link.focus(), link.click(); // a live page isn't ready yet: no time passes here, but for its module
    await until("Escape leads back to the picture", () => !one("iframe") && !figure.classList.contains("playing"));
    expect("and to its link", document.activeElement === link);
    expect("and all links are there again", [...figure.querySelectorAll(".watch")].every(each => each.checkVisibility()));
    let isTurned = false;
    one('.turn [aria-keyshortcuts="ArrowRight"]').addEventListener("click", event => {
      isTurned = true;
      event.preventDefault();
    }, { once: true });
    link.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", ...BUBBLES }));
    expect("an arrow key for a scene turns no page", !isTurned);
    await new Promise(resolve => {
      addEventListener("message", resolve, { once: true }); // after the page's own listeners
      postMessage("leave the scene", "*");
    });
    expect("nor does another's message begin a scene", !one("iframe"));
  }

  async function copying() {
    let copied = "";
    const clipboard = { writeText: async text => { copied = text; } };
    Object.defineProperty(navigator, "clipboard", { value: clipboard });
    const buttonOf = kind => one(`pre.${kind}`).parentElement.querySelector(".copy");
    buttonOf("cpp").click();
    expect("a listing is copied whole", copied === `${one("pre.cpp").textContent}\n`);
    buttonOf("console").click();
    expect("of an output, its command is copied", /^build\/[^\n]+\n$/.test(copied));
    await until("the button says so", () => buttonOf("console").textContent === "Copied");
  }

  function printing() {
    const [answer, opened] = all("main details");
    opened.open = true;
    dispatchEvent(new Event("beforeprint"));
    expect("answers are printed", answer.open);
    dispatchEvent(new Event("afterprint"));
    expect("and closed again, if they were", !answer.open && opened.open);
  }

  async function terms() {
    const [term, other] = all("a.term"), card = one("#card");
    expect("no second explanation by the browser", !term.title);
    term.focus();
    const explains = it => !card.hidden && card.textContent.includes(it.dataset.means);
    expect("a card explains the term", explains(term));
    expect("and is told to who can't see it", term.getAttribute("aria-describedby") === "card");
    press(term, "Escape");
    expect("Escape puts it away", card.hidden);
    const touch = (target, type) =>
      target.dispatchEvent(new PointerEvent(type, { pointerType: "touch", ...BUBBLES }));
    touch(other, "pointerdown");
    expect("a tap doesn't lead away", !touch(other, "click"));
    expect("and explains, too", explains(other));
    touch(document.body, "pointerdown");
    expect("a tap elsewhere puts it away", card.hidden);
  }

  const EXPLAINED = { "coroutine frame": "05-", "awaiter": "06-", "event loop": "03-", "future": "07-", "promise": "06-",
    "task": "07-", "back-pressure": "12-", "frontier": "18b-", "generator": "06-", "select": "02-",
    "symmetric transfer": "08-", "cancellation": "11-", "worker": "12-", "session": "15-", "backpressure": "12-",
    "back pressure": "12-", "coroutine frames": "05-", "event-loop": "03-", "Tasks": "07-" };

  async function search() {
    const box = one("[type=search]");
    const rows = () => all("#hits [role=option]");
    const first = () => rows()[0]?.textContent ?? "";
    const type = async (text, found) => {
      for (const value of ["", text]) { // what was found before doesn't count
        box.value = value;
        box.dispatchEvent(new Event("input"));
      }
      await until(`${text} is found`, () => one("#results") && found());
    };
    press(document.body, "/");
    expect("/ leads to the search", document.activeElement === box);
    for (const [term, page] of Object.entries(EXPLAINED)) {
      await type(term, () => one("#results li, #results p"));
      const urls = rows().map(row => row.firstChild.href);
      expect(`${term} is explained at ${page}, not at ${urls[0]}`, urls[0]?.includes(`/book/${page}`));
      expect(`the glossary comes second, once, for ${term}`, urls[1]?.includes("/c-glossary.html#")
        && new Set(urls).size === urls.length);
    }
    await type("backpressure", () => rows().length > 1);
    const marks = rows().slice(0, 2).map(row => row.querySelector("mark")?.textContent.toLowerCase());
    expect(`a term is marked as the book writes it: ${marks}`, marks.every(mark => mark === "back-pressure"));
    for (const [, url, term] of SEARCH.filter(entry => entry[1].includes("/c-glossary.html#term-"))) {
      await type(term, () => one("#results li, #results p"));
      const explains = entry => entry[4]?.includes(term.toLowerCase());
      const places = [...SEARCH.filter(explains).map(entry => entry[1]), url];
      const found = rows().slice(0, places.length).map(row => row.firstChild.href);
      expect(`${term} is first explained, not ${found}`, places.every((place, n) => found[n]?.endsWith(place)));
    }
    await type("co_await", () => first().includes("co_await"));
    await type("EventLoop::run", () => first().startsWith("EventLoop::runcommon/"));
    await type("stack ripping", () => first().includes("stack ripping"));
    await type("“isn’t there yet”", () => rows().length > 0);
    await type("understanding", () => rows().length > 1);
    const excerpts = () => rows().map(row => row.querySelector("small:last-child").textContent);
    expect("of what has the word in its title only, the beginning is shown",
      excerpts().some(text => !text.startsWith("…")));
    await type("stack ripping", () => rows().length > 1);
    expect("an excerpt ends with a word", excerpts().filter(text => text.endsWith("…"))
      .every(text => SEARCH.some(entry => entry[3].includes(`${text.replaceAll("…", "")} `))));
    await type("std::exchange", () => rows().length > 0);
    await type("back-pressure", () => first().includes("back-pressure"));
    await type("\"a result that isn't there yet\"", () => rows().length > 0);
    await type("xyzzy-not-there", () => rows().length === 0 && one("#results p"));
    expect("a list that isn't there isn't open", box.ariaExpanded === "false");
    await type("promise type", () => rows()[0]?.firstChild.href.includes("/06-")); // no term, but has one
    await type("template", () => rows().some(row => row.textContent.includes("<class")));
    await type("stack ripping", () => rows().length > 1);
    press(box, "ArrowDown"), press(box, "ArrowDown");
    expect("arrows choose", rows()[1].ariaSelected === "true");
    expect("as is told", box.getAttribute("aria-activedescendant") === "hit-1");
    press(box, "ArrowUp");
    expect("in both directions", rows()[0].ariaSelected === "true");
    expect("a result leads to a place of the book",
      rows()[0].firstChild.href.includes("/book/04-what-callbacks-cost.html"));
    expect("the first Escape erases nothing", !press(box, "Escape"));
    expect("and closes", !one("#results") && box.ariaExpanded === "false");
    await type("stack ripping", () => rows().length > 1);
    expect("the Tab key doesn't stop at the list", one("#results").tabIndex === -1);
    one("#results").focus();
    press(one("#results"), "Escape");
    expect("Escape closes from within", !one("#results") && document.activeElement === box);
    await type("stack ripping", () => rows().length > 1);
    one(".theme").focus();
    expect("who leaves the search, leaves the list", !one("#results"));
  }

  /// What a key does: "prev" or "next", if it turns the page; else "".
  function turned(target, key, more = {}) {
    let rel = "";
    const note = event => { event.preventDefault(); rel = event.target.closest("a").rel; };
    one(".turn").addEventListener("click", note);
    press(target, key, more);
    one(".turn").removeEventListener("click", note);
    return rel;
  }

  function keys() {
    expect("arrows turn pages", turned(document.body, "ArrowLeft") === "prev"
      && turned(one("article"), "ArrowRight") === "next");
    expect("as their links say", one("[rel=next]").title.includes("→")
      && one("[rel=prev]").ariaKeyShortcuts !== "" && one("[rel=prev]").title.includes("←"));
    for (const more of ["shiftKey", "altKey", "ctrlKey", "metaKey"])
      expect(`not with ${more}`, !turned(document.body, "ArrowRight", { [more]: true }));
    expect("not in a field", !turned(one("[type=search]"), "ArrowRight"));
    const wide = one("pre");
    expect("from a listing", turned(wide, "ArrowRight") === "next");
    wide.style.width = "5rem";
    expect("but not from one that scrolls", !turned(wide, "ArrowRight") && !turned(wide.firstChild, "ArrowLeft"));
    wide.style.width = "";
    expect("other keys don't", !turned(document.body, "ArrowDown") && !turned(document.body, "Tab"));
  }

  const TESTS = {
    scene: () => scene(),
    live: () => scene(".watch.quiet"),

    async desk() {
      await theme();
      printing();
      await copying();
      await terms();
      keys();
      await search();
      const stops = all("pre, .table, .sheet").filter(box => box.tabIndex === 0);
      expect("the Tab key stops at what scrolls only",
        stops.every(box => box.scrollWidth > box.clientWidth));
      const columns = pre => Math.max(...pre.textContent.split("\n").map(line => line.length));
      const cut = all("pre").filter(pre => columns(pre) <= 90 && pre.scrollWidth > pre.clientWidth);
      expect(`code of up to 90 columns isn't cut: ${cut[0]?.textContent}`, cut.length === 0);
      const sizes = all("pre.cpp").map(pre => parseFloat(getComputedStyle(pre).fontSize));
      expect(`its letters are large: ${sizes}`, Math.min(...sizes) > 13 && Math.max(...sizes) > 14.5);
      const mark = one("pre mark"), { left, width } = mark.getBoundingClientRect();
      const box = mark.closest("pre").getBoundingClientRect();
      expect("a mark's bar is at the edge", Math.abs(left - box.left) < 2 && width > box.width - 4);
      expect("where a listing is from is above it", all("figcaption + pre").length > 5
        && !one("pre + figcaption"));
      expect("where we are is marked in the contents", one("#contents [aria-current=page]"));
      expect("the page's headings are listed", all(".here a").length > 3);
    },

    async lines() {
      const first = document.getElementById("L19").getBoundingClientRect().top;
      expect("the lines are marked", all(".file .on").length === 31);
      expect("and in sight", first > 0 && first < innerHeight);
      checkContrast("of code");
    },

    async results() {
      await until("all results", () => all("#found li").length > 5);
      expect("how many", /^\d+ places have all words of: co_await/
        .test(one("#found p").textContent));
    },

    /// Without the book's scripts.
    async plain() {
      const isShown = selector => one(selector).checkVisibility();
      expect("what needs a script isn't shown", !isShown(".theme") && !isShown(".search"));
      expect("a term says what it means", one("a.term").title);
      expect("and leads to the glossary", one("a.term").href.includes("c-glossary.html#term-"));
      expect("a scene is a picture", isShown(".scene svg"));
      expect("and a link", /scenes\/[^/]+\.html$/.test(one(".watch").href));
      expect("answers open", isShown("details > summary") && !one("details").open);
      expect("contents, and what is on this page", isShown("#contents a") && isShown(".here a"));
      expect("a telephone's button leads to the contents",
        one(".menu").href.endsWith("index.html#contents-of-the-book"));
    },

    /// Where there is just room for it.
    async beside() {
      expect(`what is on the page is listed at ${innerWidth} px`, one(".here a").checkVisibility());
      const text = one("article > p:not(.over)"), measure = 42 * parseFloat(getComputedStyle(document.documentElement).fontSize);
      expect(`and the text as wide as ever: ${text.offsetWidth}`, text.offsetWidth >= measure);
      expect("nothing sticks out", document.documentElement.scrollWidth <= innerWidth);
      const shown = one("#contents").getBoundingClientRect(), here = one("#contents [aria-current]").getBoundingClientRect();
      expect("where we are is in sight", here.top >= shown.top && here.bottom <= innerHeight);
    },

    async narrow() {
      expect(`${location.pathname} is ${document.documentElement.scrollWidth} px wide`,
        document.documentElement.scrollWidth <= innerWidth);
      expect("the Tab key stops at all that scrolls", all("pre, .table, .sheet, .file").every(box =>
        box.scrollWidth <= box.clientWidth || box.tabIndex === 0));
      const scrolling = all("pre, .table, .sheet, .file").filter(box => box.scrollWidth > box.clientWidth);
      expect("what scrolls has a shadow where it is cut", scrolling.every(box =>
        getComputedStyle(box).backgroundAttachment.includes("local")));
      const lines = element => new Set([...element.getClientRects()].map(({ top }) => Math.round(top))).size;
      expect("an option is in one line", all("code").filter(code => /^-\S{1,20}$/.test(code.textContent))
        .every(code => lines(code) === 1));
      expect("the table of exercises fits", all(".exercises .table").every(box => !scrolling.includes(box)));
      const marks = all("pre mark").map(mark => [mark.offsetWidth, mark.closest("pre").scrollWidth]);
      expect(`a mark is as wide as what scrolls: ${marks}`, marks.every(([mark, box]) => mark > box - 2));
      const menu = one(".menu"), contents = one("#contents");
      expect("the contents are away", !contents.checkVisibility());
      scrollTo(0, 300);
      const place = scrollY;
      menu.click();
      expect("and come", contents.checkVisibility() && menu.ariaExpanded === "true");
      expect("the button says how to leave", menu.textContent === "Close");
      press(menu, "Escape");
      expect("Escape closes", !contents.checkVisibility() && menu.textContent === "Contents");
      expect(`where we were, we are: ${place}, ${scrollY}`, scrollY === place);
    },
  };

  addEventListener("load", async () => {
    try {
      await TESTS[asked]();
      const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
      const strange = loaded.filter(name => !/^(file|data):/.test(name));
      expect(`loads ${strange}`, strange.length === 0);
    } catch (error) {
      failures.push(`${error}`);
    }
    report({ checks, failures });
  });
})();
