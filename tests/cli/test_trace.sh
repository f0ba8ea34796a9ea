#!/bin/sh
# A recording runs exactly as what was recorded.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

for app in gather:blocks=12,steps=4,footprint=4M chase:blocks=4,steps=8,lanes=4,footprint=2M \
  stream:blocks=8,footprint=1M,launches=2 compute:blocks=8,steps=3; do
  name=${app%%:*}
  try "record $name" "$gmmu" record -o "$dir/$name.gmt" "$app"
  "$gmmu" run --json -s gpu.sms=2 "$app" >"$dir/live.json"
  "$gmmu" run --json -s gpu.sms=2 "$dir/$name.gmt" >"$dir/replay.json"
  numbers "$dir/live.json" >"$dir/live"
  numbers "$dir/replay.json" >"$dir/replay"
  try "$name: the recording gives every counter of the live run" cmp "$dir/live" "$dir/replay"
  try "info --verify of $name" "$gmmu" info --verify "$dir/$name.gmt"
  inst=$(sed -n 's/^      "warp_instructions": \([0-9]*\).*/\1/p' "$dir/live.json" | head -n 1)
  try "$name: info counts the instructions that ran" sh -c "'$gmmu' info --json '$dir/$name.gmt' |
    grep -q '\"warp_instructions\": $inst,'"
  try "$name: info --json is valid" sh -c "'$gmmu' info --json '$dir/$name.gmt' | '$json'"
done
"$gmmu" record -o "$dir/copy.gmt" "$dir/gather.gmt"
try "a recording of a recording is the same file" cmp "$dir/copy.gmt" "$dir/gather.gmt"
try "info has a row per kernel" sh -c "'$gmmu' info '$dir/gather.gmt' | grep -q '^gather  *1  *12 '"
finish
