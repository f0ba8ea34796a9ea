// Search over window.gmmuPages (search-index.js), light and dark, the menu of small screens. Works on opened files.
"use strict";
(() => {
  const root = document.documentElement, field = document.getElementById("search"), found = document.getElementById("found");
  const article = document.querySelector("article"), most = 30;
  const words = (text) => text.toLowerCase().split(/[^a-z0-9_.]+/).filter(Boolean);
  const score = (part, wanted) => {
    const title = (part.page + " " + part.title).toLowerCase(), text = part.text.toLowerCase();
    let sum = 0;
    for (const w of wanted) {
      const hits = text.split(w).length - 1, named = title.includes(w), word = words(title).includes(w);
      if (!hits && !named) return 0;
      const option = hits && w.includes(".") && part.title.startsWith(w.split(".")[0] + ":"); // walk.threads, in "walk: page-table walker"
      sum += Math.min(hits, 10) + (word || option ? 30 : named ? 10 : 0);
    }
    const phrase = wanted.join(" "); // as it was typed
    if (wanted.length > 1) sum += Math.min(text.split(phrase).length - 1, 3) * 25 + (title.includes(phrase) ? 60 : 0);
    return sum;
  };
  const excerpt = (text, word) => {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at ? "… " : "") + text.slice(at, at + 180) + (text.length > at + 180 ? " …" : "");
  };
  const show = () => {
    const wanted = words(field.value);
    found.hidden = !wanted.length, article.hidden = !found.hidden;
    found.replaceChildren();
    if (!wanted.length) return;
    const best = window.gmmuPages.map((p) => [score(p, wanted), p]).filter(([s]) => s).sort((a, b) => b[0] - a[0]).slice(0, most);
    for (const [, p] of best) {
      const a = document.createElement("a"), b = document.createElement("b"), small = document.createElement("small");
      a.href = window.gmmuRoot.replace(/\/?$/, "/") + p.url;
      a.addEventListener("click", () => { field.value = ""; show(); });
      b.textContent = p.title === p.page ? p.page : p.page + " · " + p.title;
      small.textContent = excerpt(p.text, wanted[0]);
      a.append(b, small), found.append(a);
    }
    if (!best.length) found.textContent = "Nothing was found.";
  };
  field.addEventListener("input", show);
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== field) { e.preventDefault(); field.focus(); }
    if (e.key === "Escape") { field.value = ""; show(); }
    if (e.key === "Enter" && document.activeElement === field) found.querySelector("a")?.click();
  });
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("gmmu-theme", root.dataset.theme); } catch (e) { /* opened files may not store */ }
  });
  const here = document.querySelector("nav a[aria-current]"); // in sight, without moving the page
  if (here) here.closest("nav").scrollTop = here.offsetTop - here.closest("nav").clientHeight / 2;
  const menu = document.getElementById("menu"), pages = document.getElementById("pages");
  menu.addEventListener("click", () => menu.setAttribute("aria-expanded", pages.classList.toggle("open")));
})();
