#!/bin/sh
# Make sure the Debian packages a target needs are there: deps.sh [build|check|fuzz|bench|format|ci]
# Quick and without network when nothing is missing. The lists below are the only ones.
set -eu

# A C compiler and make are taken for granted, except on a bare CI machine.
build="meson ninja-build pkg-config libyaml-dev libzstd-dev liblz4-dev liblzma-dev libxxhash-dev libsqlite3-dev libcmocka-dev"
clang="clang libclang-rt-dev llvm" # llvm has the symbolizer: without it sanitizer reports are bare addresses
case ${1:-build} in
build) want="$build clang" ;; # clang compiles the applications
format) want="clang-format" ;;
check) want="$build gcc clang-format $clang" ;;
fuzz) want="$build $clang" ;;
bench) want="$build clang valgrind" ;;
ci) want="make gcc libc6-dev $build clang-format $clang" ;;
*) echo "deps.sh: no list called '$1'" >&2; exit 2 ;;
esac

# Elsewhere meson itself says what it lacks.
command -v dpkg-query >/dev/null || exit 0

have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')
missing=
for package in $want; do
  echo "$have" | grep -qx "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
  as_root="env"
elif sudo -n true 2>/dev/null; then
  as_root="sudo -n env"
else
  printf 'Packages are missing. Please run:\n  sudo %s\n' "$install" >&2
  exit 1
fi

echo "installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $as_root DEBIAN_FRONTEND=noninteractive "$@" </dev/null >"$log" 2>&1; }
# An update may fail for a source we do not need: the installation decides.
apt apt-get update -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 || cat "$log" >&2
# shellcheck disable=SC2086  # a list of words on purpose
if ! apt $install -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300; then
  cat "$log" >&2
  printf 'The installation failed. The command was:\n  %s\n' "$install" >&2
  exit 1
fi
