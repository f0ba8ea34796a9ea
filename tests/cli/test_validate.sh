#!/bin/sh
# gmmu validate: microbenchmarks beside published figures. With "all" as the last argument: docs/validation.md is current; else
# two of its GPUs are.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
if [ "${4:-}" = all ]; then
  try "docs/validation.md is current" "$root/scripts/gen-validation.sh" --check --gmmu "$gmmu"
  finish
  exit
fi
try "two GPUs are as in docs/validation.md" "$root/scripts/gen-validation.sh" --check --gmmu "$gmmu" k80 gtx1080
"$gmmu" validate --no-tlb --json --html "$dir/page.html" -s l2.latency=400 -s l2.mshrs=16 k80 >"$dir/json"
try "JSON is valid" sh -c "'$json' <'$dir/json'"
try "a slow L2 is noticed" sh -c "tr -d '\n ' <'$dir/json' | grep -q '\"id\":\"l2\",[^}]*},\"verdict\":\"off\"'"
try "too few MSHRs are noticed" sh -c "tr -d '\n ' <'$dir/json' | grep -q '\"id\":\"dram_copy\",[^}]*},\"verdict\":\"off\"'"
try "the rest still holds" sh -c "tr -d '\n ' <'$dir/json' | grep -q '\"id\":\"ffma\",[^}]*},\"verdict\":\"holds\"'"
try "the page has a row for each" grep -q '<td>latency, L2</td>' "$dir/page.html"
wants 2 'no gpu preset "v10"; nearest: "v100"' "a GPU that is none" validate v10
wants 2 'KEY=VALUE' "a setting that is none" validate -s l2.latency k80
finish
