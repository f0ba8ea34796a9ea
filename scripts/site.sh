#!/bin/sh
# site.sh: the manual as a static site in build/site, by Debian's mkdocs. A dead link is an error. Search needs no server: the index is a
# script of its own.
set -eu
cd "$(dirname "$0")/.."
/usr/bin/mkdocs build --clean --strict --quiet
/usr/bin/python3 scripts/site-index.py build/site
if grep -rnE '(src|href)="(https?:)?//' build/site --include='*.html' | grep -vE '<a [^>]*href="https?://'; then
  echo "site.sh: a page asks for something beyond itself" >&2
  exit 1
fi
cp build/site/start.html build/site/index.html
echo "build/site/index.html"
