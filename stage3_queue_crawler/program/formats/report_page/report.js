// What the page of stage3 --html can do: choose, search, sort, copy. All that a server may have
// sent arrives as JSON, and becomes text nodes, never markup; only http and https become links.
"use strict";

(() => {
  const AT_ONCE = 100, ON_PAPER = 5000; // rows
  const one = selector => document.querySelector(selector);
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.filter(child => child !== ""));
    return element;
  };
  const data = JSON.parse(one("#data").textContent);
  const form = one(".tools"), head = one("thead"), body = one("tbody");
  const more = one("[name=more]");

  // ---- What there is ----
  const pagesOf = numbers => (numbers || []).map(number => data.pages[number]);
  const rows = data.rows.map(([outcome, status, bytes, url, why = "", next = "", standing = 0, pages, others = 0, kind = ""]) =>
    ({ outcome: data.outcomes[outcome], status, bytes, url, why, next, standing, kind,
       pages: pagesOf(pages), count: (pages || []).length + others }));
  const mend = data.mend.map(([url, hops, statuses, ends, pages, others]) =>
    ({ url, hops, why: [statuses.join(", then "), ends].filter(Boolean).join("; "),
       pages: pagesOf(pages), count: pages.length + others }));
  const isToMend = row => row.outcome === "redirect" && row.why !== ""; // with --redirects=error
  const isDead = row => row.outcome === "error" || row.outcome === "failed" || isToMend(row);
  const isBad = row => isDead(row) || row.outcome === "unclear";
  const VIEWS = [
    { name: "Dead", rows: rows.filter(row => isDead(row) && row.standing === 0), always: true },
    { name: "Known", rows: rows.filter(row => row.standing === 1) },
    { name: "Ignored", rows: rows.filter(row => row.standing === 2) },
    { name: "Unclear", rows: rows.filter(row => isBad(row) && !isDead(row) && row.standing === 0) },
    { name: "Redirects to mend", rows: mend },
    { name: "All URLs", rows, isAll: true, always: true },
  ].filter(view => view.always || view.rows.length > 0);
  const state = { view: VIEWS[0], sort: "url", down: false, shown: AT_ONCE };

  // ---- Cells ----
  const link = url => /^https?:\/\//i.test(url)
    ? make("a", { href: url, rel: "noreferrer noopener", textContent: url }) : url;
  const number = value => value.toLocaleString("en");

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
  const tag = row => row.kind ? make("span", { className: "tag", textContent: row.kind }) : "";
  const list = items => make("ul", {}, ...items.map(item => make("li", {}, ...[item].flat())));

  function pageList({ pages, count }) {
    if (count === 0)
      return ["where the crawl began"];
    const rest = count > pages.length ? [`and ${number(count - pages.length)} more`] : [];
    const all = [...pages.map(link), ...rest];
    if (all.length <= 3)
      return [list(all)];
    const more = make("details", {}, make("summary", { textContent: `${number(count - 2)} more` }));
    more.append(list(all.slice(2)));
    return [list(all.slice(0, 2)), more];
  }

  const URL_COLUMN = {
    name: "URL", key: "url",
    cell: row => [link(row.url), " ", tag(row), copyOf(row.url),
                  ...(row.next ? [make("small", {}, "\u2192 ", link(row.next))] : [])],
    text: row => row.url };
  const WHY = { name: "Reason", key: "why", cell: row => [row.why], text: row => row.why };
  const PAGES = { name: "On", key: "count", cell: pageList, text: row => row.pages.join(" ") };
  const TARGETS = [URL_COLUMN, WHY, PAGES];
  const MEND = [URL_COLUMN, {
    name: "Leads to", key: "hops", cell: row => [list(row.hops.map(link))],
    text: row => row.hops.join(" ") }, WHY, PAGES];
  const ALL = [URL_COLUMN,
    { name: "Outcome", key: "outcome", cell: row => [row.outcome, ...(row.why ? [make("small", { textContent: row.why })] : [])],
      text: row => row.why ? `${row.outcome}: ${row.why}` : row.outcome },
    { name: "Status", key: "status", number: true, cell: row => [row.status || "\u2013"], text: row => row.status || "" },
    { name: "Bytes", key: "bytes", number: true, cell: row => [number(row.bytes)], text: row => row.bytes }];
  const BY_PAGE = [
    { name: "Page", key: "url", cell: row => [row.url ? link(row.url) : "where the crawl began",
                                              ...(row.url ? [copyOf(row.url)] : [])], text: row => row.url },
    { name: "Links", key: "count",
      cell: row => [list(row.links.map(to => [link(to.url), " ", tag(to), copyOf(to.url), make("small", { textContent: to.why })]))],
      text: row => row.links.map(to => to.url).join(" ") }];

  function columns() {
    if (form.by.value === "page" && !state.view.isAll)
      return BY_PAGE;
    return state.view.isAll ? ALL : state.view.rows === mend ? MEND : TARGETS;
  }

  // ---- Which rows, and in which order ----
  const reasonOf = row => state.view.isAll ? row.outcome : isToMend(row) ? "redirect to mend" : row.why;

  function wanted() {
    const words = form.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const reason = form.reason.value;
    return state.view.rows.filter(row => {
      if (reason && reasonOf(row) !== reason)
        return false;
      if (words.length === 0)
        return true;
      const text = [row.url, row.why, row.next, row.kind, row.outcome, ...row.pages, ...(row.hops || [])].join("\n").toLowerCase();
      return words.every(word => text.includes(word));
    });
  }

  function byPage(found) {
    const pages = new Map();
    for (const row of found)
      for (const page of row.pages.length ? row.pages : [""])
        pages.get(page)?.push(row) ?? pages.set(page, [row]);
    return [...pages].map(([url, links]) => ({ url, links, count: links.length }));
  }

  function sorted(found) {
    const way = state.down ? -1 : 1, key = state.sort;
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    return found.sort((a, b) => way * compare(a[key], b[key]) || compare(a.url, b.url));
  }

  // ---- The page ----
  let found = []; // the rows, all of them

  function showHead() {
    const heads = columns().map(column => {
      const button = make("button", { type: "button", textContent: column.name });
      button.addEventListener("click", () => {
        state.down = state.sort === column.key ? !state.down : column.key !== "url" && column.key !== "why";
        state.sort = column.key;
        show();
        [...head.querySelectorAll("button")].find(other => other.textContent === column.name).focus();
      });
      const cell = make("th", { scope: "col", className: column.number ? "number" : "" }, button);
      if (state.sort === column.key)
        cell.ariaSort = state.down ? "descending" : "ascending";
      return cell;
    });
    head.replaceChildren(make("tr", {}, ...heads));
  }

  const rowOf = row => make("tr", {}, ...columns().map((column, at) => {
    const cell = make("td", { className: column.number ? "number" : "text" }, ...column.cell(row));
    if (at > 0)
      cell.dataset.label = column.name;
    return cell;
  }));

  function showRows() {
    body.replaceChildren(...found.slice(0, state.shown).map(rowOf));
    more.parentElement.hidden = found.length <= state.shown;
    more.textContent = `Show ${number(Math.min(AT_ONCE, found.length - state.shown))} more`;
  }

  function show() {
    if (!columns().some(column => column.key === state.sort))
      Object.assign(state, { sort: "url", down: false });
    const targets = wanted();
    found = sorted(columns() === BY_PAGE ? byPage(targets) : targets);
    const of = state.view.rows.length;
    one(".shown").textContent = of === 0 ? `${state.view.name}: none.`
      : `${number(targets.length)} of ${number(of)}` + (columns() === BY_PAGE ? `, on ${number(found.length)} page${found.length === 1 ? "" : "s"}` : "");
    one("table").hidden = found.length === 0;
    form.by.parentElement.hidden = Boolean(state.view.isAll);
    form.hidden = of === 0;
    showHead();
    showRows();
  }

  function choose(view) {
    Object.assign(state, { view, sort: "url", down: false, shown: AT_ONCE });
    one(".views").querySelectorAll("button").forEach((button, at) => { button.ariaPressed = VIEWS[at] === view; });
    const reasons = new Map();
    for (const row of view.rows)
      reasons.set(reasonOf(row), (reasons.get(reasonOf(row)) || 0) + 1);
    const options = [...reasons].sort((a, b) => b[1] - a[1]);
    form.reason.replaceChildren(make("option", { value: "", textContent: "any" }), ...options.map(([reason, count]) =>
      make("option", { value: reason, textContent: `${reason} (${number(count)})` })));
    show();
  }

  one(".views").append(...VIEWS.map(view => {
    const button = make("button", { type: "button" }, make("b", { textContent: number(view.rows.length) }), view.name);
    button.addEventListener("click", () => choose(view));
    return button;
  }));
  const again = () => { state.shown = AT_ONCE; show(); };
  form.addEventListener("input", again);
  form.addEventListener("submit", event => event.preventDefault());
  more.addEventListener("click", () => { state.shown += AT_ONCE; showRows(); });
  copyButton(form.copy, () => found.map(row => `${columns().map(column => column.text(row)).join("\t")}\n`).join(""));
  // On paper, there is nothing to click.
  addEventListener("beforeprint", () => {
    state.shown = ON_PAPER;
    showRows();
    body.querySelectorAll("details").forEach(details => { details.open = true; });
  });
  addEventListener("afterprint", again);
  choose(VIEWS[0]);
  one("#report").hidden = false;
})();
