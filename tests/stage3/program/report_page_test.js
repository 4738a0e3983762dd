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
  const urls = () => all("tbody tr > td:first-child > a").map(link => link.textContent);
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
  check("rows are sorted by URL", before.join() === [...before].sort().join());
  sortBy("URL");
  check("and the other way round", urls().join() === [...before].sort().reverse().join() && one("th").ariaSort === "descending");
  check("the focus stays", document.activeElement === named("th button", "URL"));
  sortBy("URL");

  put("search", "/img/ DEAD");
  check("a search needs all words, in any case", urls().length === 3 && urls().every(url => url.includes("/img/dead/")));
  check("it says how many there are", /^3 of \d+$/.test(one(".shown").textContent));
  let copied = "";
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async text => { copied = text; } } });
  form.copy.click();
  await new Promise(resolve => setTimeout(resolve, 50));
  check("rows are copied", /^(http:\S+\/img\/dead\/\d\tHTTP status 404\thttp:\S+\n){3}$/.test(copied));
  one("tbody .copy").click();
  await new Promise(resolve => setTimeout(resolve, 50));
  check("a URL is copied", copied === urls()[0]);
  put("search", "no such word");
  check("nothing found is no table", one("table").hidden && one(".shown").textContent.startsWith("0 of"));
  put("search", "");

  put("reason", "no element has this id");
  check("a reason is a filter", urls().length > 0 && urls().every(url => url.includes("#")));
  put("reason", "");
  put("by", "page");
  check("pages list their links", named("tbody td a", "/page/img") && named("tbody td li a", "/img/dead/0"));
  sortBy("Links");
  const counts = all("tbody tr").map(row => row.querySelectorAll("li").length);
  check("pages with most links come first", counts.join() === [...counts].sort((a, b) => b - a).join());
  put("by", "target");

  view("Redirects to mend").click();
  check("a chain has its hops", named("tbody tr:first-child li a", "/chain2"));
  view("All URLs").click();
  check("no more rows than a screen needs", all("tbody tr").length === 100 && !one(".rest").hidden);
  one("[name=more]").click();
  check("more on demand", all("tbody tr").length > 100);
  sortBy("Bytes");
  const bytes = all("tbody tr td:last-child").map(cell => Number(cell.textContent.replaceAll(",", "")));
  check("numbers are sorted as numbers", bytes.join() === [...bytes].sort((a, b) => b - a).join());
  view("Dead").click();
  dispatchEvent(new Event("beforeprint"));
  check("paper shows everything", all("tbody tr").length === parseInt(view("Dead").textContent) && !one("details:not([open])"));
  dispatchEvent(new Event("afterprint"));
  for (const button of all(".views button")) {
    button.click();
    check(`${button.textContent} fits the screen`, document.documentElement.scrollWidth <= innerWidth);
  }
  parent.postMessage(JSON.stringify({ failures, checks }), "*");
})();
