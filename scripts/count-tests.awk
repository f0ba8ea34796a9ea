# Read meson's testlog.json, one test executable per line; print "counts PASSED FAILED SKIPPED".
# Counts test functions where the output shows them (cmocka's default output, or TAP), else the
# executable as one. An executable that fails without a failing function (a crash, a sanitizer
# report, a timeout) adds one failure, so nothing red is ever counted as green.
function count(pattern) { return gsub(pattern, "&", out) }
{
  match($0, /"result": "[A-Z]+"/)
  result = substr($0, RSTART + 11, RLENGTH - 12)
  out = $0 # quotes inside the output are escaped, so these two cuts are exact
  sub(/", "result": .*/, "", out)
  sub(/^.*"stdout": "/, "\\n", out)
  tap_skip = count("\\\\n(not )?ok [0-9]+[^\\\\]*# SKIP")
  ok = count("\\[       OK \\] ") + count("\\\\nok [0-9]") - tap_skip
  bad = count("\\[  FAILED  \\] [A-Za-z_]") + count("\\\\nnot ok [0-9]")
  skip = count("\\[  SKIPPED \\] [A-Za-z_]") + tap_skip
  if (ok + bad + skip == 0) {
    if (result == "SKIP") skip = 1
    else if (result == "OK" || result == "EXPECTEDFAIL") ok = 1
  }
  if (bad == 0 && result !~ /^(OK|EXPECTEDFAIL|SKIP)$/) bad = 1
  passed += ok
  failed += bad
  skipped += skip
}
END { print "counts", passed + 0, failed + 0, skipped + 0 }
