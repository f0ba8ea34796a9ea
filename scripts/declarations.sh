#!/bin/sh
# declarations.sh HEADER...: what C headers declare, one declaration a line: types with their members, functions, macros. Comments,
# includes, guards and white space are left out, so two headers give the same lines if and only if a compiler sees the same.
set -eu
for header; do
  awk '
    function out(text) {
      gsub(/[ \t]+/, " ", text)
      gsub(/ ?[][(){};,*=<>+\/|&?:-] ?/, " & ", text) # white space between tokens does not count
      gsub(/ +/, " ", text)
      sub(/^ /, "", text)
      sub(/ $/, "", text)
      if (text != "" && text != ";") print text
    }
    function uncomment(line,   at, end) {
      while (1) {
        if (inside) {
          end = index(line, "*/")
          if (!end) return ""
          line = substr(line, end + 2)
          inside = 0
        }
        at = index(line, "/*")
        if (!at) return line
        end = index(substr(line, at + 2), "*/")
        if (end) line = substr(line, 1, at - 1) " " substr(line, at + 2 + end + 1)
        else {
          inside = 1
          return substr(line, 1, at - 1)
        }
      }
    }
    {
      line = uncomment($0)
      if (macro != "" || line ~ /^#/) { # with the lines that go on
        macro = macro " " line
        if (macro ~ /\\$/) { sub(/\\$/, "", macro); next }
        if (macro !~ /^ #(include|if|endif|else|elif|pragma)/ && macro !~ /^ #define [A-Z0-9_]+_H *$/) {
          if (depth) text = text " " macro " "
          else out(macro)
        }
        macro = ""
        next
      }
      for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        text = text c
        depth += (c == "{" || c == "(") - (c == "}" || c == ")")
        if (depth == 0 && (c == ";" || (c == "}" && text ~ /^[ \t]*static inline/))) {
          out(text)
          text = ""
        }
      }
      text = text " "
    }' "$header"
done
