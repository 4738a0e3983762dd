// What the page of stage3 --html can do: choose, search, sort, open, copy. All that a server may
// have sent arrives as JSON, and becomes text nodes, never markup; only http and https become links.
"use strict";

(() => {
  const ROWS_AT_ONCE = 100, ITEMS_AT_ONCE = 100; // of a table, of a list in it
  const ROWS_ON_PAPER = 5000, ITEMS_ON_PAPER = 20000;
  const MANY_FRAGMENTS = 50; // of one page: more are one row
  const one = selector => document.querySelector(selector);
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.filter(child => child !== ""));
    return element;
  };
  const data = JSON.parse(one("#data").textContent);
  const { texts, pages } = data;
  const form = one(".tools"), table = one("table"), head = one("thead"), body = one("tbody");
  const more = one("[name=more]");
  const number = value => value.toLocaleString("en");
  const counted = (count, thing) => `${number(count)} ${thing}${count === 1 ? "" : "s"}`;

  // ---- What there is ----
  // Rows come in their natural order, so `at` is the place by URL. `groups` are read when they're
  // shown: see report_data.cpp for what is in them.
  let made = 0;
  const rowWith = (properties, known = 0, others = 0, groups = []) =>
    ({ at: made++, why: "", next: "", kind: "", standing: 0, ...properties, known, others, count: known + others, groups });
  const urls = data.rows.map(([outcome, status, bytes, url, why = 0, next = "", standing = 0, kind = 0, ...mentions]) =>
    rowWith({ outcome: data.outcomes[outcome], status, bytes, url, why: texts[why], next, standing, kind: texts[kind] }, ...mentions));
  const fragments = data.fragments.flatMap(([page, why, ofPage, outcome]) =>
    ofPage.map(([fragment, standing, known, others, groups, nearest = ""]) => rowWith(
      { page, url: `${page}#${fragment}`, outcome: outcome ? data.outcomes[outcome] : "error", why: texts[why], standing, nearest }, known, others, groups)));
  const mend = data.mend.map(([url, hops, statuses, ends, ...mentions]) =>
    rowWith({ url, hops, why: [statuses.join(", then "), ends].filter(Boolean).join("; ") }, ...mentions));

  const isToMend = row => row.outcome === "redirect" && row.why !== ""; // with --redirects=error
  const isDead = row => row.outcome === "error" || row.outcome === "failed" || isToMend(row);
  const isBad = row => isDead(row) || row.outcome === "unclear";
  const bad = [...urls.filter(isBad), ...fragments];
  const ofStanding = standing => bad.filter(row => row.standing === standing);
  const VIEWS = [
    { name: "Dead", things: "URL", rows: urls.filter(row => isDead(row) && row.standing === 0), isProblem: true, always: true },
    { name: "Missing fragments", things: "fragment", rows: fragments.filter(row => isDead(row) && row.standing === 0), isProblem: true },
    { name: "Unclear", things: "URL", rows: bad.filter(row => row.outcome === "unclear" && row.standing === 0), isProblem: true },
    { name: "Known", rows: ofStanding(1) },
    { name: "Ignored", rows: ofStanding(2) },
    { name: "Redirects to mend", things: "redirect", rows: mend },
    { name: "All URLs", things: "URL", rows: urls, isAll: true, always: true },
  ].filter(view => view.always || view.rows.length > 0);
  const state = { view: VIEWS[0], sort: "at", down: false, shown: ROWS_AT_ONCE, paper: 0 };

  // ---- Who mentions it ----
  // Calls `take` for each mention: its page's number, its group, line and column. Ends if that returns true.
  function someMention(row, take) {
    for (const group of row.groups) {
      const numbers = group[1], step = group.length > 2 ? 3 : 1;
      for (let at = 0, page = 0, line = 0, column = 0; at < numbers.length; at += step) {
        page += numbers[at];
        if (step === 3) {
          line += numbers[at + 1];
          column += numbers[at + 2];
        }
        if (take(page, group, line, column))
          return true;
      }
    }
    return false;
  }

  // From a page's number to the places on it. Kept: a page with many links asks each of them.
  const decoded = new WeakMap();
  function placesByPage(row) {
    if (decoded.has(row))
      return decoded.get(row);
    const found = new Map();
    decoded.set(row, found);
    someMention(row, (page, group, line, column) => {
      const place = { group, line, column };
      found.get(page)?.push(place) ?? found.set(page, [place]);
    });
    return found;
  }
  const mentionsOf = row => [...placesByPage(row)].sort((a, b) => a[0] - b[0]).map(([page, places]) => ({ page, places }));
  const pagesOf = row => mentionsOf(row).map(mention => mention.page);

  // ---- Cells ----
  const brief = url => data.origin && url.startsWith(`${data.origin}/`) ? url.slice(data.origin.length) : url;
  const link = (url, text = brief(url)) => /^https?:\/\//i.test(url)
    ? make("a", { href: url, rel: "noreferrer noopener", textContent: text }) : text;
  const small = (...children) => make("small", {}, ...children);
  const between = (items, comma) => items.flatMap((item, at) => at ? [comma, item] : [item]);

  async function put(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // not allowed, or too old
      const area = make("textarea", { value: text });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  function copyButton(button, text) {
    const words = button.textContent;
    button.addEventListener("click", async () => {
      await put(text());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = words; }, 1500);
    });
    return button;
  }

  const copyOf = url => copyButton(make("button", {
    type: "button", className: "copy", textContent: "Copy", ariaLabel: `Copy ${url}` }), () => url);
  const tag = text => text ? make("span", { className: "tag", textContent: text }) : "";

  // A list that grows on demand: of ten thousand items, a reader sees three. On paper, there is nothing
  // to click, so it's long at once.
  function list(items, first, toNodes, things = "more") {
    const element = make("ul");
    const rest = make("button", { type: "button", className: "grow" });
    let shown = 0;
    const grow = count => {
      const before = shown;
      shown = Math.min(items.length, shown + count);
      element.append(...items.slice(before, shown).map(item => make("li", {}, ...toNodes(item))));
      rest.textContent = `${number(items.length - shown)} ${things}`;
      rest.hidden = shown === items.length;
      return element.children[before];
    };
    rest.addEventListener("click", () => {
      const next = grow(ITEMS_AT_ONCE);
      (next.querySelector("a, button") || rest).focus();
    });
    const wanted = state.paper ? state.paper : items.length <= first + 1 ? items.length : first;
    grow(wanted);
    state.paper = state.paper && Math.max(1, state.paper - shown);
    return items.length > shown ? [element, rest] : [element];
  }

  // Where on a page, in which words, and through which redirects.
  function placeOf({ group: [way, , text, href, role], line, column }, row) {
    const nodes = [];
    if (line)
      nodes.push(`line ${line}${column ? `, column ${column}` : ""}`);
    if (text)
      nodes.push(`\u201c${texts[text]}\u201d`);
    if (href && !row.url.endsWith(texts[href])) // it says something new
      nodes.push(make("code", { textContent: texts[href] }));
    if (way.length)
      nodes.push(make("span", {}, "through ", ...between(way.map(hop => link(texts[hop])), ", ")));
    const kind = role && texts[role] !== "a" ? [" ", tag(texts[role])] : [];
    return nodes.length ? [small(...between(nodes, ", "), ...kind)] : [];
  }
  const placesOf = (places, row) => places.length < 2 ? places.flatMap(place => placeOf(place, row))
    : list(places, 3, place => placeOf(place, row), "more places");
  const pageItem = row => ({ page, places }) => [link(pages[page]), ...placesOf(places, row)];
  const unknown = row => !row.others ? []
    : [small(data.isShared ? `${number(row.known)} of ${counted(row.count, "page")} are known: a crawl that is shared keeps ten`
                           : `and at least ${counted(row.others, "page")} more, for which there was no memory`)];

  function pageList(row) {
    if (row.rows) // fragments of one page
      return list([...new Set(row.rows.flatMap(pagesOf))].sort((a, b) => a - b), 2, page => [link(pages[page])], "more pages");
    if (row.count === 0)
      return ["where the crawl began"];
    return [...list(mentionsOf(row), 2, pageItem(row), "more pages"), ...unknown(row)];
  }

  const nearest = row => row.nearest
    ? [small("did you mean ", link(`${row.page}#${row.nearest}`, `#${row.nearest}`), "?")] : [];

  // Many fragments of one page, which open in place.
  function fragmentsOf({ rows: ofPage }) {
    const details = make("details", {}, make("summary", {
      textContent: `${number(ofPage.length)} fragments of one page: made by scripts?` }));
    const open = () => {
      if (details.children.length === 1)
        details.append(...list(ofPage, ITEMS_AT_ONCE, row => [link(row.url, `#${row.url.slice(row.page.length + 1)}`), copyOf(row.url), ...nearest(row)]));
    };
    details.addEventListener("toggle", open);
    if (state.paper) {
      open();
      details.open = true;
    }
    return details;
  }

  const URL_COLUMN = {
    name: "URL", key: "at",
    cell: row => row.rows ? [link(row.page), fragmentsOf(row)]
      : [link(row.url), " ", tag(row.kind), copyOf(row.url), ...(row.next ? [small("\u2192 ", link(row.next))] : [])],
    text: row => row.url };
  const WHY = { name: "Reason", key: "why", cell: row => [row.why, ...nearest(row)],
                text: row => row.nearest ? `${row.why}: did you mean #${row.nearest}?` : row.why };
  const PAGES = { name: "On", key: "count", cell: pageList, text: row => pagesOf(row).map(page => pages[page]).join(" ") };
  const TARGETS = [URL_COLUMN, WHY, PAGES];
  const MEND = [URL_COLUMN, {
    name: "Leads to", key: "hops", cell: row => list(row.hops, 5, hop => [link(hop)]),
    text: row => row.hops.join(" ") }, WHY, PAGES];
  const ALL = [URL_COLUMN,
    { name: "Outcome", key: "outcome", cell: row => [row.outcome, ...(row.why ? [small(row.why)] : [])],
      text: row => row.why ? `${row.outcome}: ${row.why}` : row.outcome },
    { name: "Status", key: "status", number: true, cell: row => [row.status || "\u2013"], text: row => row.status || "" },
    { name: "Bytes", key: "bytes", number: true, cell: row => [number(row.bytes)], text: row => row.bytes }];
  const linkItem = page => row => [link(row.url), " ", tag(row.kind), copyOf(row.url), small(row.why), ...nearest(row),
                                   ...placesOf(placesByPage(row).get(page) || [], row)];
  const BY_PAGE = [
    { name: "Page", key: "at", cell: row => row.url ? [link(row.url), copyOf(row.url)] : ["where the crawl began"], text: row => row.url },
    { name: "Links", key: "count", cell: row => list(row.links, 5, linkItem(row.at)),
      text: row => row.links.map(to => to.url).join(" ") }];

  function columns() {
    if (form.by.value === "page" && !state.view.isAll)
      return BY_PAGE;
    return state.view.isAll ? ALL : state.view.rows === mend ? MEND : TARGETS;
  }

  // ---- Which rows, and in which order ----
  const reasonOf = row => state.view.isAll ? row.outcome : isToMend(row) ? "redirect to mend" : row.why;

  // Rows that have each of the words, be it in a page's URL or in a link's text.
  function withWords(rows, words) {
    const has = word => text => text.toLowerCase().includes(word);
    const tests = words.map(word => {
      const inPage = pages.map(has(word)), inText = texts.map(has(word));
      return row => has(word)([row.url, row.why, row.next, row.kind, row.outcome, row.nearest, ...(row.hops || [])].join("\n"))
        || someMention(row, (page, [way, , text = 0, href = 0]) => inPage[page] || inText[text] || inText[href] || way.some(hop => inText[hop]));
    });
    return rows.filter(row => tests.every(test => test(row)));
  }

  function wanted() {
    const words = form.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const reason = form.reason.value;
    return withWords(state.view.rows.filter(row => !reason || reasonOf(row) === reason), words);
  }

  function byPage(found) {
    const byNumber = new Map();
    const note = (page, row) => {
      const links = byNumber.get(page);
      if (!links)
        byNumber.set(page, [row]);
      else if (links.at(-1) !== row) // as it's written there twice
        links.push(row);
    };
    for (const row of found) {
      someMention(row, page => { note(page, row); });
      if (row.count === 0)
        note(-1, row);
    }
    return [...byNumber].map(([at, links]) => {
      const each = [...new Set(links)]; // on a page in two groups
      return { at, url: pages[at] || "", links: each, count: each.length };
    });
  }

  function byTarget(found) {
    const ofPage = new Map();
    for (const row of found)
      if (row.page)
        ofPage.get(row.page)?.push(row) ?? ofPage.set(row.page, [row]);
    const isOne = row => row.page && ofPage.get(row.page).length > MANY_FRAGMENTS;
    return found.flatMap(row => {
      if (!isOne(row))
        return [row];
      const all = ofPage.get(row.page);
      return all[0] === row ? [{ ...row, rows: all, nearest: "", count: all.length }] : [];
    });
  }

  const { compare } = new Intl.Collator("en", { numeric: true });
  function sorted(found) {
    const way = state.down ? -1 : 1, key = state.sort;
    const inOrder = typeof found[0]?.[key] === "number" ? (a, b) => a - b : (a, b) => compare(a, b);
    return found.sort((a, b) => way * inOrder(a[key], b[key]) || a.at - b.at);
  }

  // ---- The page ----
  let found = []; // the rows, all of them

  function showHead() {
    const heads = columns().map(column => {
      const button = make("button", { type: "button", textContent: column.name });
      button.addEventListener("click", () => {
        state.down = state.sort === column.key ? !state.down : column.key !== "at" && column.key !== "why";
        state.sort = column.key;
        show();
        [...head.querySelectorAll("button")].find(other => other.textContent === column.name).focus();
      });
      const cell = make("th", { scope: "col", role: "columnheader", className: column.number ? "number" : "" }, button);
      if (state.sort === column.key)
        cell.ariaSort = state.down ? "descending" : "ascending";
      return cell;
    });
    head.replaceChildren(make("tr", { role: "row" }, ...heads));
  }

  function rowOf(row) {
    const cells = columns().map((column, at) => {
      const cell = make("td", { role: "cell", className: column.number ? "number" : "text" }, ...column.cell(row));
      if (at > 0)
        cell.dataset.label = column.name;
      return cell;
    });
    const element = make("tr", { role: "row" }, ...cells);
    element.classList.toggle("tall", element.querySelectorAll("li").length > 8); // paper may break it
    return element;
  }

  function offerMore() {
    more.parentElement.hidden = found.length <= state.shown;
    const left = found.length - state.shown;
    more.textContent = state.paper ? `and ${number(left)} more, which aren't printed` : `Show ${number(Math.min(ROWS_AT_ONCE, left))} more`;
  }

  function showRows() {
    body.replaceChildren(...found.slice(0, state.shown).map(rowOf));
    offerMore();
  }

  function describeRows(targets) {
    const { name, rows, things = "row" } = state.view;
    if (rows.length === 0)
      return name === "Dead" ? "No URL is dead." : `${name}: none.`;
    const isPartly = targets.some(row => row.others);
    one(".partly").hidden = !isPartly;
    one(".partly").textContent = data.isShared
      ? "A crawl that is shared keeps ten pages for each URL, so some pages aren't known."
      : "There were too many links to remember all of them, so some pages aren't known.";
    const of = targets.length === rows.length ? counted(rows.length, things) : `${number(targets.length)} of ${counted(rows.length, things)}`;
    return columns() === BY_PAGE ? `${of}, on ${isPartly ? "at least " : ""}${counted(found.filter(row => row.url).length, "page")}`
      : found.length < targets.length ? `${of}, in ${counted(found.length, "row")}` : of;
  }

  function show() {
    if (!columns().some(column => column.key === state.sort))
      Object.assign(state, { sort: "at", down: false });
    const targets = wanted();
    found = sorted(columns() === BY_PAGE ? byPage(targets) : columns() === ALL ? targets : byTarget(targets));
    one(".partly").hidden = true;
    one(".shown").textContent = describeRows(targets);
    table.hidden = found.length === 0;
    form.by.parentElement.hidden = Boolean(state.view.isAll);
    form.hidden = state.view.rows.length === 0;
    showHead();
    showRows();
  }

  function choose(view) {
    Object.assign(state, { view, sort: "at", down: false, shown: ROWS_AT_ONCE });
    one(".views").querySelectorAll("button").forEach((button, at) => { button.ariaPressed = VIEWS[at] === view; });
    table.ariaLabel = view.name;
    const reasons = new Map();
    for (const row of view.rows)
      reasons.set(reasonOf(row), (reasons.get(reasonOf(row)) || 0) + 1);
    const options = [...reasons].sort((a, b) => b[1] - a[1]);
    form.reason.replaceChildren(make("option", { value: "", textContent: "any" }), ...options.map(([reason, count]) =>
      make("option", { value: reason, textContent: `${reason} (${number(count)})` })));
    form.reason.parentElement.hidden = options.length < 2;
    show();
  }

  // Nothing in a view of problems is good news, if the crawl is complete.
  const isWell = view => view.isProblem && view.rows.length === 0 && data.isComplete;
  one(".views").append(...VIEWS.map(view => {
    const button = make("button", { type: "button", className: isWell(view) ? "none" : "" },
      make("b", { textContent: number(view.rows.length) }), view.name);
    button.addEventListener("click", () => choose(view));
    return button;
  }));
  const again = () => { state.shown = ROWS_AT_ONCE; show(); };
  form.addEventListener("input", again);
  form.addEventListener("submit", event => event.preventDefault());
  more.addEventListener("click", () => {
    const next = state.shown;
    state.shown += ROWS_AT_ONCE;
    body.append(...found.slice(next, state.shown).map(rowOf));
    offerMore();
    body.rows[next]?.querySelector("a, button")?.focus();
  });
  copyButton(form.copy, () => found.flatMap(row => row.rows || [row])
    .map(row => `${columns().map(column => column.text(row)).join("\t")}\n`).join(""));
  // On paper, there is nothing to click.
  addEventListener("beforeprint", () => {
    Object.assign(state, { shown: ROWS_ON_PAPER, paper: ITEMS_ON_PAPER });
    showRows();
  });
  addEventListener("afterprint", () => {
    Object.assign(state, { shown: ROWS_AT_ONCE, paper: 0 });
    showRows();
  });
  choose(VIEWS.find(view => view.isProblem && view.rows.length > 0) || VIEWS[0]);
  one("#report").hidden = false;
})();
