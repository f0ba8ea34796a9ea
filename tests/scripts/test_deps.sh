#!/bin/sh
# scripts/deps.sh is quick if nothing is missing, installs where it may, and else says what to run.
# The tools it calls are replaced by ours, so nothing is installed here.
set -u
root=$1
fake=$(mktemp -d)
trap 'rm -rf "$fake"' EXIT
n=0

tool() { # name, body: a stand-in that comes first in PATH
  printf '#!/bin/sh\n%s\n' "$2" >"$fake/$1"
  chmod +x "$fake/$1"
}
# expect STATUS PATTERN NAME [LIST]: of output and calls of apt-get together
expect() {
  n=$((n + 1))
  : >"$fake/calls"
  PATH=$fake:$PATH "$root/scripts/deps.sh" "${4:-build}" >>"$fake/calls" 2>&1
  status=$?
  if [ $status = "$1" ] && { tr '\n' ' ' <"$fake/calls"; echo; } | grep -q -- "$2"; then
    echo "ok $n - $3"
  else
    echo "not ok $n - $3: status $status"
    sed 's/^/# /' "$fake/calls"
  fi
}
packages() { tool dpkg-query "printf '%s installed\n' $*; echo libyaml-dev config-files"; }

echo 1..9
tool apt-get "echo \"apt-get \$*\" >>$fake/calls"
tool id "echo 0"
packages meson ninja-build pkg-config libyaml-dev libzstd-dev liblz4-dev liblzma-dev libxxhash-dev libsqlite3-dev zlib1g-dev libcmocka-dev clang
expect 0 '^$' "nothing is said and no network used if all is there"
packages meson ninja-build pkg-config libzstd-dev liblz4-dev liblzma-dev libxxhash-dev libsqlite3-dev zlib1g-dev libcmocka-dev clang
expect 0 'apt-get update.*apt-get install.* libyaml-dev' "root updates and installs; a removed package's leftovers do not count"
expect 0 '^installing libyaml-dev ' "only what is missing is installed"
tool apt-get 'echo "no network"; exit 100'
expect 1 'no network.*apt-get install -y .* libyaml-dev' "a failed installation shows why"
tool id "echo 1000"
tool sudo "exit 1"
expect 1 'sudo apt-get install -y --no-install-recommends libyaml-dev $' "without rights it says what to run"
tool sudo "shift; [ \$1 = true ] || { shift 3; echo \"sudo \$*\" >>$fake/calls; }"
expect 0 'sudo .*install' "sudo is used if it asks for no password"
# What some tests would like to have is no reason to fail.
all="meson ninja-build pkg-config libyaml-dev libzstd-dev liblz4-dev liblzma-dev libxxhash-dev libsqlite3-dev zlib1g-dev libcmocka-dev clang gcc clang-format patch libclang-rt-dev llvm"
# shellcheck disable=SC2086  # words
packages $all
tool id "echo 0"
tool apt-get "echo \"apt-get \$*\" >>$fake/calls"
expect 0 'apt-get install.* openmpi-bin .*slurm-wlm' "tests get what they would like to have" check
tool apt-get 'echo "no network"; exit 100'
expect 0 'not installed: openmpi-bin .*are skipped' "without it the tests go on" check
tool id "echo 1000"
tool sudo "exit 1"
expect 0 '^$' "nobody is asked to install it" check
