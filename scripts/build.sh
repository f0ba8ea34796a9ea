#!/bin/sh
# Configure (once) and build build/NAME: build.sh release|san|clang|debug|tick|general|backwards|fuzz [ninja arguments]
# Every build the project knows is a line below; warnings are errors in all of them.
set -eu
cd "$(dirname "$0")/.."
name=$1
shift

# Configure as the arguments say; meson's chatter is shown only if it matters.
setup() {
  mkdir -p build
  if meson setup "build/$name" "$@" >"build/$name.setup" 2>&1; then
    grep WARNING "build/$name.setup" || true
    rm "build/$name.setup"
  else
    cat "build/$name.setup"
    exit 1
  fi
}
# Builds by one compiler differ in a few files; where there is a ccache, they share the others.
cache=
if command -v ccache >/dev/null; then
  cache="ccache "
  export CCACHE_NOHASHDIR=1
fi
if [ -n "${CC:-}" ]; then export CC="$cache$CC"; fi # if not, meson looks for both
if [ ! -f "build/$name/build.ninja" ]; then
  case $name in
  release) setup ;;
  san) # a report ends the program, else it would be printed and forgotten
    CC="${cache}clang" setup -Dkernels=false -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false \
      -Dc_args=-fno-sanitize-recover=all
    ;;
  clang) CC="${cache}clang" setup -Dkernels=false ;;
  debug) CC="${cache}gcc" setup -Dkernels=false -Dbuildtype=debug ;;
  tick) CC="${cache}gcc" setup -Dkernels=false -Dtick_all=true ;;
  general) CC="${cache}gcc" setup -Dkernels=false -Dgeneral_paths=true ;;
  backwards) CC="${cache}gcc" setup -Dkernels=false -Dbackwards=true ;;
  fuzz) CC="${cache}clang" setup -Dbuildtype=debugoptimized -Dfuzz=true ;;
  *) echo "build.sh: no build called '$name'" >&2; exit 2 ;;
  esac
fi

if [ "$name" = fuzz ]; then # the targets alone, and what they need
  ninja -C build/fuzz --quiet build.ninja # a target may have come or gone
  targets=$(ninja -C build/fuzz -t targets all | sed -n 's|^\(fuzz/fuzz_[a-z0-9_]*\): .*_LINKER.*|\1|p')
  [ -n "$targets" ] || { echo "no fuzz targets"; exit 0; }
  # shellcheck disable=SC2086  # a list of words on purpose
  set -- "$@" $targets
fi
# Those that are only compared with the others: what test_builds.sh of tests/cli, tests/machine and tests/net runs of each.
case $name in
clang | debug | tick) set -- "$@" tools/gmmu tests/machine/test_random_machines tests/net/test_machines tests/net/test_live ;;
general) set -- "$@" tests/net/test_machines tests/net/test_live ;;
backwards) set -- "$@" tests/machine/test_random_machines tests/net/test_machines ;;
esac
exec ninja -C "build/$name" "$@"
