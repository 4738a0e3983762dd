// What a page can do beside being read: theme, menu, search, copying, terms, scenes, keys, marked lines. Each
// part stands alone, and without a script the page still has all that it says. It is a plain script
// and no module, since a browser loads no module from disk.
"use strict";

(() => {
  const root = document.documentElement, script = document.currentScript.src;
  const one = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // ---- The theme: as the system has it, or light, or dark ----
  const THEMES = ["auto", "light", "dark"];
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => root.dataset.theme || "auto";
  const shown = () => root.dataset.theme || (system.matches ? "dark" : "light");

  function showTheme() {
    const button = one(".theme");
    button.querySelector("span").textContent = chosen()[0].toUpperCase() + chosen().slice(1);
    button.setAttribute("aria-label", `Theme: ${chosen()}`);
    all(".scene iframe").forEach(themeFrame);
  }

  function nextTheme() {
    const theme = THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length];
    if (theme === "auto")
      delete root.dataset.theme;
    else
      root.dataset.theme = theme;
    try {
      localStorage.setItem("theme", root.dataset.theme || "");
    } catch {} // from disk, some browsers keep nothing: then it's for this page alone
    showTheme();
  }

  // ---- The menu, where there is no room for it beside the text ----
  function beginMenu() {
    const menu = one(".menu"), words = menu.textContent;
    let place = 0; // in the text, which is away meanwhile
    menu.setAttribute("role", "button");
    menu.setAttribute("aria-controls", "contents");
    const isOpen = () => document.body.classList.contains("open");
    const open = whether => {
      place = whether ? scrollY : place;
      document.body.classList.toggle("open", whether);
      menu.setAttribute("aria-expanded", whether);
      menu.textContent = whether ? "Close" : words;
      scrollTo(0, whether ? 0 : place);
    };
    menu.setAttribute("aria-expanded", false);
    menu.addEventListener("click", event => {
      event.preventDefault();
      open(!isOpen());
    });
    addEventListener("keydown", event => {
      if (event.key === "Escape" && isOpen())
        open(false), menu.focus({ preventScroll: true });
    });
    menu.addEventListener("keydown", event => {
      if (event.key === " ")
        event.preventDefault(), menu.click();
    });
    addEventListener("hashchange", () => isOpen() && open(false));
    const current = one("#contents [aria-current]");
    if (current && current.offsetParent)
      one("#contents").scrollTop = current.offsetTop - one("#contents").offsetTop - 150;
  }

  // ---- Where on this page we are ----
  function followReading() {
    const links = new Map(all(".here a").map(link => [link.hash.slice(1), link]));
    if (links.size === 0)
      return;
    const headings = all("article :is(h2, h3)[id]");
    const follow = () => {
      const above = headings.filter(heading => heading.getBoundingClientRect().top < 140);
      links.forEach(link => link.removeAttribute("aria-current"));
      links.get(above.at(-1)?.id)?.setAttribute("aria-current", "true");
    };
    let waiting = false;
    addEventListener("scroll", () => {
      if (!waiting)
        requestAnimationFrame(() => { waiting = false; follow(); });
      waiting = true;
    }, { passive: true });
    follow();
  }

  // ---- The search: `/` leads there, and only who gets there needs its script ----
  function beginSearch() {
    const box = one('[type="search"]');
    const COMBOBOX = { "role": "combobox", "aria-controls": "hits", "aria-expanded": "false",
      "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries(COMBOBOX))
      box.setAttribute(name, value);
    addEventListener("keydown", event => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey)
        event.preventDefault(), box.focus();
    });
    const load = () => document.head.append(make("script", { src: new URL("search.js", script) }));
    if (one("#found") || document.activeElement === box)
      load();
    else
      box.addEventListener("focus", load, { once: true });
  }

  // ---- Copying: of what was printed, only the commands ----
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

  function copied(pre) {
    const text = pre.textContent.replace(/\n?$/, "\n");
    if (!pre.classList.contains("console"))
      return text;
    const commands = text.split("\n").filter(line => line.startsWith("$ "));
    return commands.map(line => `${line.slice(2)}\n`).join("");
  }

  function addCopyButton(pre) {
    const text = copied(pre);
    if (!text)
      return;
    const button = make("button", { className: "copy", type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await put(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    pre.after(button);
  }

  // ---- The Tab key stops at what scrolls sideways, and not at what needn't ----
  function stopWhereItScrolls() {
    for (const box of all("pre, .table, .sheet, .file"))
      box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
  }

  // ---- Terms: a card explains one, while the pointer is there, or after a tap ----
  function beginTerms() {
    const card = make("div", { id: "card", role: "tooltip", hidden: true });
    let by = null, leaving = 0, touched = false;
    document.body.append(card);
    const hide = () => {
      card.hidden = true;
      by?.removeAttribute("aria-describedby");
      by = null;
    };
    const show = term => {
      clearTimeout(leaving);
      if (by === term)
        return;
      hide();
      by = term;
      const more = make("a", { href: term.href, textContent: "In the glossary" });
      card.replaceChildren(make("b", { textContent: term.textContent }), term.dataset.means, more);
      card.hidden = false;
      const at = term.getClientRects()[0];
      const left = Math.min(at.left, root.clientWidth - card.offsetWidth - 16);
      const below = at.bottom + 8 + card.offsetHeight < innerHeight;
      const top = below ? at.bottom + 6 : at.top - card.offsetHeight - 6;
      card.style.left = `${Math.max(8, left) + scrollX}px`;
      card.style.top = `${top + scrollY}px`;
      term.setAttribute("aria-describedby", "card");
    };
    const hideSoon = () => { leaving = setTimeout(hide, 250); };
    for (const term of all("a.term")) {
      term.dataset.means = term.title;
      term.removeAttribute("title");
      term.addEventListener("pointerdown", event => { touched = event.pointerType !== "mouse"; });
      term.addEventListener("click", event => {
        if (touched && by !== term) // the second tap follows the link
          event.preventDefault(), show(term);
      });
      term.addEventListener("pointerenter", event => event.pointerType === "mouse" && show(term));
      term.addEventListener("pointerleave", event => event.pointerType === "mouse" && hideSoon());
      term.addEventListener("focus", () => touched || show(term));
      term.addEventListener("blur", hideSoon);
    }
    card.addEventListener("pointerenter", () => clearTimeout(leaving));
    card.addEventListener("pointerleave", event => event.pointerType === "mouse" && hideSoon());
    addEventListener("keydown", event => event.key === "Escape" && hide());
    addEventListener("pointerdown", event => {
      if (!card.contains(event.target) && !event.target.closest?.("a.term"))
        hide();
    });
  }

  // ---- Scenes: the still picture is there at once, the scene when it is wanted ----
  function themeFrame(frame) {
    const page = `${frame.dataset.page}#theme=${shown()}`;
    if (frame.isConnected)
      frame.contentWindow.location.replace(page); // so that Back doesn't lead to another theme
    else
      frame.src = page;
  }

  /// While it plays, it is as wide as the window.
  function breakOut(scene) {
    const GAP = 8, isPlaying = scene.classList.contains("playing");
    const left = GAP - scene.parentElement.getBoundingClientRect().left;
    const width = document.documentElement.clientWidth - 2 * GAP;
    scene.style.marginLeft = isPlaying ? `${left}px` : "";
    scene.style.width = isPlaying ? `${width}px` : "";
  }

  /// `link`: to a page that plays the scene; a live scene has two.
  function beginScene(link) {
    const scene = link.closest(".scene"), words = link.textContent, page = link.href;
    const frame = make("iframe", { title: scene.querySelector("figcaption span").textContent });
    frame.dataset.page = page;
    frame.addEventListener("load", () => {
      frame.scrollIntoView({ block: "start" });
      frame.focus(); // its keys are at hand
    });
    const apart = make("a", { href: page, textContent: "On a page of its own" });
    addEventListener("resize", () => breakOut(scene));
    addEventListener("message", ({ source, data }) => { // by Escape; a frame of a page from disk can't do it itself
      if (data === "leave the scene" && source && source === frame.contentWindow) {
        link.click();
        link.focus();
      }
    });
    link.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey)
        return;
      event.preventDefault();
      const play = scene.classList.toggle("playing");
      link.classList.toggle("on", play);
      link.textContent = play ? "Back to the picture (Esc)" : words;
      breakOut(scene);
      if (play) {
        themeFrame(frame);
        scene.prepend(frame);
        scene.querySelector("figcaption").append(apart);
      } else {
        frame.remove();
        apart.remove();
      }
    });
  }

  // ---- The arrow keys turn pages, unless they move something else ----
  function turnPages({ key, target, defaultPrevented, ctrlKey, metaKey, altKey, shiftKey }) {
    const link = one(`.turn [aria-keyshortcuts="${key}"]`);
    const busy = "input, textarea, select, iframe, [contenteditable], [role=tooltip], .scene";
    if (!link || defaultPrevented || ctrlKey || metaKey || altKey || shiftKey || target.closest?.(busy))
      return;
    for (let box = target; box && box !== root; box = box.parentElement)
      if (box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible")
        return; // it scrolls sideways
    if (root.scrollWidth <= root.clientWidth)
      link.click();
  }

  // ---- Marked lines: #L21-L33 ----
  function markLines() {
    const range = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
    all(".file .on").forEach(line => line.classList.remove("on"));
    if (!range || !one(".file"))
      return;
    for (let number = Number(range[1]); number <= Number(range[2] || range[1]); number++)
      document.getElementById(`L${number}`)?.classList.add("on");
    document.getElementById(`L${range[1]}`)?.scrollIntoView();
  }

  one(".theme").addEventListener("click", nextTheme);
  system.addEventListener("change", showTheme);
  showTheme();
  beginMenu();
  beginSearch();
  followReading();
  all("figure.listing pre:not(.diff)").forEach(addCopyButton);
  stopWhereItScrolls();
  addEventListener("resize", stopWhereItScrolls);
  beginTerms();
  all(".scene .watch").forEach(beginScene);
  addEventListener("keydown", turnPages);
  addEventListener("hashchange", markLines);
  markLines();
  // What is closed on the screen is open on paper.
  let closed = [];
  const openAnswers = whether => closed.forEach(answer => { answer.open = whether; });
  addEventListener("beforeprint", () => {
    closed = all("main details:not([open])");
    openAnswers(true);
  });
  addEventListener("afterprint", () => openAnswers(false));
})();
