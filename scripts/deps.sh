#!/bin/sh
# Make sure the Debian packages a target needs are there: deps.sh [build|check|fuzz|bench|notebooks|deb|site|format|ci]
# Quick and without network when nothing is missing. The lists below are the only ones.
set -eu

# A C compiler and make are taken for granted, except on a bare CI machine.
build="meson ninja-build pkg-config libyaml-dev libzstd-dev liblz4-dev liblzma-dev libxxhash-dev libsqlite3-dev zlib1g-dev libcmocka-dev"
clang="clang libclang-rt-dev llvm" # llvm has the symbolizer: without it sanitizer reports are bare addresses
cluster="openmpi-bin libopenmpi-dev slurm-wlm munge" # for tests that are skipped without them: 16 MB
page="chromium python3" # the report is looked at in a browser, where there is one
screen="tmux"           # what people see is looked at in a terminal emulator
sources="libthrust-dev libcub-dev" # compiled by a test where they are
wish=
case ${1:-build} in
build) want="$build clang" ;; # clang compiles the applications
format) want="clang-format" ;;
check) want="$build gcc clang-format patch $clang" wish="$cluster $page $screen $sources ccache" ;;
fuzz) want="$build $clang" ;;
bench) want="$build clang valgrind" ;;
deb) want="$build clang debhelper dh-python dpkg-dev lintian mmdebstrap" ;;
site) want="mkdocs" ;;
notebooks) want="$build clang python3-nbconvert python3-ipykernel python3-pandas python3-matplotlib" ;;
ci) want="make gcc libc6-dev $build clang-format patch $clang" wish="$cluster $page $screen $sources ccache" ;;
*) echo "deps.sh: no list called '$1'" >&2; exit 2 ;;
esac

# Elsewhere meson itself says what it lacks.
command -v dpkg-query >/dev/null || exit 0

have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')
missing_of() { # packages
  for package; do
    echo "$have" | grep -qx "$package" || printf ' %s' "$package"
  done
}
# shellcheck disable=SC2086  # a list of words on purpose
missing=$(missing_of $want) wished=$(missing_of $wish)
[ -n "$missing$wished" ] || exit 0

install="apt-get install -y --no-install-recommends"
if [ "$(id -u)" = 0 ]; then
  as_root="env"
elif sudo -n true 2>/dev/null; then
  as_root="sudo -n env"
elif [ -n "$missing" ]; then
  printf 'Packages are missing. Please run:\n  sudo %s\n' "$install$missing" >&2
  exit 1
else
  exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $as_root DEBIAN_FRONTEND=noninteractive "$@" </dev/null >"$log" 2>&1; }
more="-o Acquire::Retries=3 -o DPkg::Lock::Timeout=300"
# An update may fail for a source we do not need: the installation decides.
echo "installing$missing$wished"
# shellcheck disable=SC2086  # a list of words on purpose
apt apt-get update $more || cat "$log" >&2
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086  # a list of words on purpose
  if ! apt $install$missing $more; then
    cat "$log" >&2
    printf 'The installation failed. The command was:\n  %s\n' "$install$missing" >&2
    exit 1
  fi
fi
if [ -n "$wished" ]; then
  # shellcheck disable=SC2086  # a list of words on purpose
  apt $install$wished $more || echo "not installed:$wished; tests that need them are skipped"
fi
