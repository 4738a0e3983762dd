// The search. book.js loads it when somebody is about to search, and then it loads its index, as a
// script: from disk, a page may not fetch. A section is found if each of the words is in it, in its heading or in its page's
// title. A word is any run of signs without a blank, so `co_await` and `EventLoop::run` are words,
// too, and "what stands in quotes" is one.
"use strict";

(() => {
  const up = new URL(".", document.currentScript.src);
  const one = selector => document.querySelector(selector);
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const AT_ONCE = 8, ON_A_PAGE = 100, AROUND = 70, TERM = 1000;
  const PIECE = /^.{0,210}(?= |$)/s; // as much of a text as is shown: up to the end of a word

  let loading = null;
  function load() {
    loading ||= new Promise((loaded, failed) => {
      const index = { src: `${up}search-index.js`, onload: loaded, onerror: failed };
      document.head.append(make("script", index));
    }).then(() => SEARCH.map(entryOf));
    return loading;
  }

  function entryOf([page, url, title, text, explains = []]) {
    return { page, url, title, text, explains, low: { page: low(page), title: low(title), text: low(text) } };
  }

  /// As it is compared. A telephone types curly quotes.
  const low = text => text.toLowerCase().replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');

  const wordsOf = query => (low(query).match(/"[^"]+"|\S+/g) || [])
    .map(word => word.replaceAll('"', "")).filter(word => word);

  /// 2 if the word begins where a word begins, 1 if it's anywhere, 0 if not.
  function fits(text, word) {
    const at = text.indexOf(word);
    if (at < 0)
      return 0;
    return at === 0 || !/\w/.test(text[at - 1]) || !/\w/.test(word[0]) ? 2 : 1;
  }

  /// As a term is compared: `back-pressure`, `backpressure` and `back pressures` are the same.
  const bare = term => term.replace(/[\s-]/g, "").replace(/s$/, "");

  /// How well an entry fits; 0 if a word is missing. What explains a term comes first, and the glossary
  /// next, even if they write it differently. Exercises come after the book, and so does code, unless
  /// it fits much better: for `EventLoop::run`, say.
  function score({ url, low, explains }, words) {
    const phrase = words.join(" "), isAsked = term => bare(term) === bare(phrase);
    if (explains.some(isAsked))
      return 2 * TERM;
    if (/c-glossary\.html#term-/.test(url) && isAsked(low.title))
      return TERM;
    let sum = 0;
    for (const word of words) {
      const here = 12 * fits(low.title, word) + 6 * fits(low.page, word) + 2 * fits(low.text, word);
      if (here === 0)
        return 0;
      sum += here + Math.min(low.text.split(word).length - 1, 8) / 4;
    }
    if (words.length > 1 && low.text.includes(phrase))
      sum += 10;
    if (low.title === phrase)
      sum += 40;
    if (explains.some(term => term.startsWith(phrase) || words.includes(term)))
      sum += 40;
    return sum * (/^source/.test(url) ? 0.3 : /^exercises/.test(url) ? 0.5 : 1);
  }

  /// What fits, the best first, and the words to mark in it: a term also as the book writes it.
  async function find(query) {
    const words = wordsOf(query);
    const found = (await load()).map(entry => ({ entry, score: score(entry, words) }))
      .filter(hit => words.length > 0 && hit.score > 0)
      .sort((a, b) => b.score - a.score);
    const terms = found.filter(hit => hit.score === TERM).map(hit => hit.entry.low.title);
    return { words: [...words, ...terms], entries: found.map(hit => hit.entry) };
  }

  /// The text with its words marked: as nodes, so nothing in it is read as HTML.
  function marked(text, words) {
    const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return text.split(new RegExp(`(${escaped.join("|")})`, "gi"))
      .map((part, n) => n % 2 ? make("mark", { textContent: part }) : part);
  }

  function around({ text, low }, words) {
    const places = words.map(word => low.text.indexOf(word)).filter(at => at >= 0);
    const begin = places.length > 0 ? Math.max(0, Math.min(...places) - AROUND) : 0;
    const from = begin && text.indexOf(" ", begin) + 1;
    const rest = text.slice(from), [piece] = PIECE.exec(rest) ?? [rest];
    return (from ? "…" : "") + piece + (piece.length < rest.length ? "…" : "");
  }

  function row(entry, words) {
    const name = marked(entry.title || entry.page, words);
    const link = make("a", { href: up + entry.url }, make("b", {}, ...name));
    const piece = around(entry, words);
    if (entry.title)
      link.append(make("small", {}, ...marked(entry.page, words)));
    if (piece)
      link.append(make("small", {}, ...marked(piece, words)));
    return make("li", {}, link);
  }

  // ---- While typing ----
  const box = one('[type="search"]'), form = box.form;
  let chosen = -1, asked = 0;
  const rows = () => [...document.querySelectorAll("#results [role=option]")];

  function close() {
    one("#results")?.remove();
    chosen = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  }

  async function suggest() {
    const query = box.value.trim(), mine = ++asked;
    if (query.length < 2)
      return close();
    const { words, entries } = await find(query);
    if (mine !== asked) // more was typed meanwhile
      return;
    close();
    const listbox = { className: "hits", id: "hits", role: "listbox", ariaLabel: "Search results" };
    const list = make("ul", listbox, ...entries.slice(0, AT_ONCE).map(entry => row(entry, words)));
    [...list.children].forEach((item, n) => {
      item.role = "option";
      item.id = `hit-${n}`;
      item.setAttribute("aria-selected", "false");
      item.firstChild.tabIndex = -1;
    });
    const results = make("div", { id: "results", className: "hits", tabIndex: -1 }, list);
    const rest = entries.length - AT_ONCE;
    if (entries.length === 0)
      results.append(make("p", { textContent: "Nothing has all of these words." }));
    else if (rest > 0)
      results.append(make("p", { textContent: `Enter shows all ${entries.length}.` }));
    form.append(results);
    box.setAttribute("aria-expanded", entries.length > 0);
  }

  function choose(step) {
    const all = rows();
    if (all.length === 0)
      return;
    chosen = (chosen + step + all.length + (chosen < 0 && step < 0 ? 1 : 0)) % all.length;
    all.forEach((item, n) => item.setAttribute("aria-selected", n === chosen));
    all[chosen].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", all[chosen].id);
  }

  function onKey(event) {
    if (event.key === "Escape" && one("#results"))
      event.preventDefault(), close(), box.focus(); // the browser's own would erase the query
    else if (event.key === "ArrowDown" || event.key === "ArrowUp")
      event.preventDefault(), choose(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && chosen >= 0)
      event.preventDefault(), location.assign(rows()[chosen].firstChild.href), close();
  }

  // ---- The page of results ----
  async function showAll(query) {
    box.value = query;
    const { words, entries } = await find(query);
    const shown = entries.slice(0, ON_A_PAGE);
    const count = entries.length === 1 ? "1 place has" : `${entries.length} places have`;
    const rest = shown.length === entries.length ? "" : `. These are the first ${shown.length}; `
      + 'one more word, or "several words in quotes", make them fewer.';
    one("#found").replaceChildren(
      make("p", { textContent: `${count} all words of: ${query}${rest}` }),
      make("ul", { className: "hits" }, ...shown.map(entry => row(entry, words))));
  }

  box.addEventListener("input", suggest);
  form.addEventListener("keydown", onKey);
  form.addEventListener("focusout", ({ relatedTarget: to }) => to && !form.contains(to) && close());
  addEventListener("click", event => form.contains(event.target) || close());
  load();
  const query = new URLSearchParams(location.search).get("q");
  if (one("#found") && query)
    showAll(query);
  else
    suggest(); // what has been typed meanwhile
})();
