"""site-index.py SITE: what the search of the site looks through, one entry per section, as SITE/search-index.js; and whether every
link of the site leads somewhere, to an existing heading, too. A link whose text is its file's name gets the page's title, and no line ends between a number and its percent sign."""
import html
import html.parser
import json
import os
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The sections of <article>, the ids and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.path, self.inside, self.heading = path, False, None
        self.sections, self.ids, self.links = [{"url": path, "title": "", "text": []}], set(), []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "article":
            self.inside = True
        if self.inside and tag in ("h1", "h2", "h3"):
            self.heading = tag
            if tag != "h1":
                self.sections.append({"url": self.path + "#" + attributes.get("id", ""), "title": "", "text": []})

    def handle_endtag(self, tag):
        if tag == "article":
            self.inside = False
        if tag == self.heading:
            self.heading = None

    def handle_data(self, data):
        if self.heading:
            self.sections[-1]["title"] += data
        elif self.inside:
            self.sections[-1]["text"].append(data)


def main(site):
    pages = {}
    for folder, _, files in os.walk(site):
        for name in files:
            if name.endswith(".html"):
                path = os.path.relpath(os.path.join(folder, name), site)
                pages[path] = Page(path)
                with open(os.path.join(site, path), encoding="utf-8") as f:
                    pages[path].feed(f.read())
    title = {path: html.escape(page.sections[0]["title"]) for path, page in pages.items()}
    for path in pages:
        with open(os.path.join(site, path), encoding="utf-8") as f:
            text = f.read()
        named = re.compile(r'(<a href="([^"#:]+)\.html[^"]*">)\2\.md</a>')
        target = lambda m: os.path.normpath(os.path.join(os.path.dirname(path), m.group(2) + ".html"))  # noqa: E731
        text = named.sub(lambda m: m.group(1) + title.get(target(m), m.group(2)) + "</a>", text)
        parts = re.split(r"(<pre.*?</pre>|<code>.*?</code>|<script.*?</script>)", text, flags=re.DOTALL)
        parts[::2] = [re.sub(r"(?<=\d) %", "\u00a0%", part) for part in parts[::2]]
        with open(os.path.join(site, path), "w", encoding="utf-8") as f:
            f.write("".join(parts))
    entries, dead = [], []
    for path in sorted(pages):
        page = pages[path]
        for s in page.sections:
            entries.append({"url": s["url"], "page": page.sections[0]["title"], "title": s["title"], "text": " ".join(" ".join(s["text"]).split())})
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
            if not os.path.exists(os.path.join(site, target)) and target != "index.html":
                dead.append("%s: %s" % (path, link))
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                dead.append("%s: %s: no such heading" % (path, link))
    with open(os.path.join(site, "search-index.js"), "w", encoding="utf-8") as f:
        f.write("window.gmmuPages = " + json.dumps(entries, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/") + ";\n")
    for line in dead:
        print("dead link:", line)
    return bool(dead)


sys.exit(main(sys.argv[1]))
