// Uses a page of --html as its reader does. reports_test.py puts this at the page's end, and takes
// what it finds from the frame's parent. The site is that of reports_test.py.
"use strict";

(async () => {
  const failures = [];
  let checks = 0;
  const check = (what, is) => {
    ++checks;
    if (!is)
      failures.push(what);
  };
  const one = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const named = (selector, name) => all(selector).find(element => element.textContent.endsWith(name));
  const view = name => named(".views button", name);
  const urls = () => all("#report tbody tr > td:first-child > a").map(link => link.href);
  const rowOf = path => all("#report tbody tr").find(row => row.querySelector("td a")?.textContent === path);
  const sortBy = name => named("th button", name).click();
  const form = one(".tools");
  const put = (name, value) => {
    form[name].value = value;
    form.dispatchEvent(new Event("input"));
  };

  check("dead links come first", view("Dead").ariaPressed === "true" && urls().length > 10);
  check("only http and https are links", all("main a").every(link => /^https?:/.test(link.protocol)));
  check("links give nothing away", all("main a").every(link => link.rel === "noreferrer noopener"));
  check("what a server said is text", !one("main script, main img, main b b") && document.title.startsWith("Links of http://"));

  const before = urls();
  const at = path => before.findIndex(url => url.endsWith(path));
  check("rows are in natural order", at("/d/2") >= 0 && at("/d/2") < at("/d/10") && at("/d/10") < at("/img/dead/0"));
  sortBy("URL");
  check("and the other way round", urls().join() === [...before].reverse().join() && one("th").ariaSort === "descending");
  check("the focus stays", document.activeElement === named("th button", "URL"));
  sortBy("URL");

  check("the host isn't repeated", rowOf("/d/2").querySelector("a").href.startsWith("http://127") && one("main").textContent.includes("URLs that begin with / are on http://127"));
  check("a page that leads there through a redirect is named, and the way",
    [...rowOf("/gone").querySelectorAll("li")].some(item => /^\/many.*through \/moved-gone/.test(item.textContent)));
  check("it's said where a link is, and in which words", /^\/manyline 1, column \d+, \u201ctwo\u201d, (\.\/)+d\/2$/.test(rowOf("/d/2").querySelector("li").textContent));
  const nav = rowOf("/shop/0"), grow = nav.querySelector(".grow");
  check("of many pages, a few are shown", nav.querySelectorAll("li").length === 2 && grow.textContent === "148 more pages");
  grow.click();
  check("and more of them are opened in place", nav.querySelectorAll("li").length === 102 && grow.textContent === "48 more pages");
  check("the focus is on the first of these", document.activeElement === nav.querySelectorAll("li")[2].querySelector("a"));
  grow.click();
  check("until all are there", nav.querySelectorAll("li").length === 150 && grow.hidden);
  put("search", "/img/ DEAD");
  check("a search needs all words, in any case", urls().length === 3 && urls().every(url => url.includes("/img/dead/")));
  check("it says how many there are", /^3 of \d+ URLs$/.test(one(".shown").textContent));
  let copied = "";
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async text => { copied = text; } } });
  form.copy.click();
  await new Promise(resolve => setTimeout(resolve, 50));
  check("rows are copied", /^(http:\S+\/img\/dead\/\d\tHTTP status 404\thttp:\S+\n){3}$/.test(copied));
  one("#report tbody .copy").click();
  await new Promise(resolve => setTimeout(resolve, 50));
  check("a URL is copied", copied === urls()[0]);
  put("search", "no such word");
  check("nothing found is no table", one("table").hidden && one(".shown").textContent.startsWith("0 of"));
  put("search", "");

  const reason = [...form.reason.options].at(-1).value;
  put("reason", reason);
  check("a reason is a filter", urls().length > 0 && all("#report tbody tr > td:nth-child(2)").every(cell => cell.textContent.startsWith(reason)));
  put("reason", "");
  put("search", "\u00fcbrig");
  check("the words of a link can be searched for", urls().length === 1 && urls()[0].endsWith("/gone"));
  put("search", "");
  put("by", "page");
  put("search", "/page/img");
  check("pages list their links", named("#report tbody td a", "/page/img") && named("#report tbody td li a", "/img/dead/0"));
  put("search", "");
  sortBy("Links");
  const counts = all("#report tbody tr").map(row => row.querySelectorAll("li").length);
  check("pages with most links come first", counts.join() === [...counts].sort((a, b) => b - a).join());
  check("pages found through redirects are pages", rowOf("/many").textContent.includes("through /moved-gone"));
  check("all of them are counted", /on 1[5-9]\d pages$/.test(one(".shown").textContent));
  put("by", "target");

  view("Missing fragments").click();
  check("fragments are apart from dead URLs", before.every(url => !url.includes("#")) && urls().some(url => url.includes("#")));
  check("the nearest id is a link", rowOf("/many#sektion").querySelector("small a").href.endsWith("/many#section"));
  const group = rowOf("/many2"), details = group.querySelector("details");
  check("many of one page are one row", details.textContent === "60 fragments of one page: made by scripts?");
  check("they are counted as what they are", /^\d\d fragments, in \d+ rows$/.test(one(".shown").textContent));
  details.open = true;
  await new Promise(resolve => setTimeout(resolve, 50));
  check("and it opens", details.querySelectorAll("li a").length === 60 && details.querySelector("li a").textContent === "#L0");
  put("search", "many2 L1");
  check("a few of them are a row each", urls().length === 11);
  put("search", "many2");
  form.copy.click();
  await new Promise(resolve => setTimeout(resolve, 50));
  check("all of them are copied", copied.split("\n").length === 61 && /^http:\S+\/many2#L0\tno element/.test(copied));
  put("by", "page");
  check("by page, too", rowOf("/many2") && one(".shown").textContent.endsWith("on 1 page"));
  put("by", "target");
  put("search", "");

  view("Redirects to mend").click();
  check("a chain has its hops", named("#report tbody tr:first-child li a", "/chain2"));
  view("All URLs").click();
  check("a fragment is no URL", urls().every(url => !url.includes("#")));
  check("the sums are those of the views", one(".sums").textContent.startsWith(`${view("All URLs").querySelector("b").textContent} URLs: ${view("Dead").querySelector("b").textContent} dead, `));
  check("no more rows than a screen needs", all("#report tbody tr").length === 100 && !one(".rest").hidden);
  one("[name=more]").click();
  check("more on demand", all("#report tbody tr").length > 100);
  sortBy("Bytes");
  const bytes = all("#report tbody tr td:last-child").map(cell => Number(cell.textContent.replaceAll(",", "")));
  check("numbers are sorted as numbers", bytes.join() === [...bytes].sort((a, b) => b - a).join());
  view("Dead").click();
  dispatchEvent(new Event("beforeprint"));
  check("paper shows everything", all("#report tbody tr").length === parseInt(view("Dead").textContent) && !one(".grow:not([hidden])"));
  check("and all pages", rowOf("/shop/0").querySelectorAll("li").length === 150);
  dispatchEvent(new Event("afterprint"));
  for (const button of all(".views button")) {
    button.click();
    check(`${button.textContent} fits the screen`, document.documentElement.scrollWidth <= innerWidth);
  }
  parent.postMessage(JSON.stringify({ failures, checks }), "*");
})();
