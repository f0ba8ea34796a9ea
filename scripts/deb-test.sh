#!/bin/sh
# deb-test.sh: installs the packages of build/deb in a clean Debian chroot, uses them as a user would, removes them, and looks for
# what is left. Needs root, mmdebstrap and the network (or a mirror that apt knows).
set -eu
cd "$(dirname "$0")/.."
set -- build/deb/gmmu_*.deb
[ -e "$1" ] || { echo "deb-test.sh: no packages in build/deb: run scripts/deb.sh" >&2; exit 1; }
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
echo "a clean bookworm"
mmdebstrap --variant=apt --dpkgopt=force-unsafe-io --include=man-db,bash-completion,clang,gcc,libc6-dev,make,pkg-config,python3,python3-nbconvert,python3-ipykernel,python3-pandas,python3-matplotlib bookworm "$root" >build/deb/chroot.log 2>&1 ||
  { tail -n 20 build/deb/chroot.log; exit 1; }
mount -t proc proc "$root/proc"
rm -f "$root/etc/dpkg/dpkg.cfg.d/excludes"
for p in gmmu libgmmu1 libgmmu-dev python3-gmmu; do cp build/deb/"$p"_*.deb "$root/tmp/"; done
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 sh -c "$1"; }
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./root \) -prune -o -print | sort); }
step() { # NAME COMMAND
  if inside "$2" >build/deb/step.log 2>&1; then echo "ok: $1"; else echo "not ok: $1"; cat build/deb/step.log; exit 1; fi
}
# What the packages depend on is Debian's own, and stays: it is there before.
inside 'apt-get update && for d in /tmp/*.deb; do dpkg-deb -f "$d" Depends; done | tr "," "\n" | sed "s/(.*//; s/|.*//" | grep -v gmmu |
  xargs apt-get install -y --no-install-recommends' >>build/deb/chroot.log 2>&1
files >build/deb/before
step "the packages are installed" 'apt-get install -y --no-install-recommends /tmp/*.deb'
step "man gmmu-run" 'man gmmu-run | grep -q "gmmu run"'
step "completion" 'bash -c ". /usr/share/bash-completion/bash_completion; . /usr/share/bash-completion/completions/gmmu; complete -p gmmu"; gmmu completion words run --g | grep -q gpu'
step "a run" 'gmmu run --cycles 2000 gather | grep -q ideal'
step "an application" 'gmmu run --cycles 2000 va:size=tiny'
step "a CUDA program" 'cd /tmp && gmmu cc /usr/share/gmmu/examples/vector_add.cu -o va && gmmu run --cycles 2000 -- ./va'
step "a program with the library" 'cd /tmp && cc /usr/share/gmmu/examples/libgmmu/first.c $(pkg-config --cflags --libs gmmu) -o first && ./first'
step "a plug-in" 'cd /tmp && gmmu new policy mine && make -C mine test && gmmu new mechanism ours && make -C ours test'
step "the manual" 'test -s /usr/share/doc/gmmu/start.md -a -s /usr/share/doc/gmmu/pictures/machine.svg'
step "Python" 'cd /tmp && python3 -c "import gmmu; assert len(gmmu.run(apps=[\"gather\"], cycles=1000)) == 1"'
step "the notebooks" 'cd /tmp && for n in /usr/share/doc/python3-gmmu/examples/*.ipynb; do PYDEVD_DISABLE_FILE_VALIDATION=1 python3 -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=600 --log-level=ERROR --output-dir /tmp "$n" || exit 1; done'
step "the packages are removed" 'apt-get purge -y gmmu libgmmu1 libgmmu-dev python3-gmmu'
files >build/deb/after
if diff build/deb/before build/deb/after; then echo "ok: nothing is left"; else echo "not ok: something is left"; exit 1; fi
