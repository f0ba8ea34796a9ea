# The front door; meson and the scripts do the work. Every target first sees to its Debian packages.
PREFIX ?= /usr/local
.DEFAULT_GOAL := build
.PHONY: build demo check soak install uninstall notebooks deb deb-test site bench fuzz format format-check clean help

build: ## build the release in build/release (the default)
	@scripts/deps.sh build
	@scripts/build.sh release program

demo: build ## a CUDA program compiled, explained, and compared under three designs
	@scripts/demo.sh

check: ## everything that must hold before a change goes in (at most 20 minutes on two cores)
	@scripts/deps.sh check
	@scripts/check.sh

soak: ## the long tests, in the release and the sanitizer build
	@scripts/deps.sh check
	@scripts/soak.sh

fuzz: ## fuzz every reader, 20 minutes each (FUZZ_SECONDS=n)
	@scripts/deps.sh fuzz
	@scripts/fuzz.sh

bench: ## run the benchmarks (BENCH_RECORD=1 adds to bench/history.tsv)
	@scripts/deps.sh bench
	@scripts/bench.sh

install: build ## install under PREFIX (/usr/local), below DESTDIR if given
	@meson configure build/release -Dprefix=$(abspath $(PREFIX))
	@scripts/build.sh release --quiet program >build/install.log || { cat build/install.log; exit 1; }
	@meson install -C build/release --no-rebuild

uninstall: ## remove what the last `make install` from this tree put there
	@ninja -C build/release uninstall

notebooks: build ## run the notebooks of python/notebooks
	@scripts/deps.sh notebooks
	@scripts/notebooks.sh

deb: ## build the Debian packages in build/deb; lintian finds no error
	@scripts/deps.sh deb
	@scripts/deb.sh

deb-test: ## install, use and remove them in a clean chroot (as root)
	@scripts/deps.sh deb
	@scripts/deb-test.sh

site: ## the manual as a site, in build/site
	@scripts/deps.sh site
	@scripts/site.sh

format: ## let clang-format rewrite the sources
	@scripts/deps.sh format
	@scripts/format.sh

format-check: ## does clang-format have something to say?
	@scripts/deps.sh format
	@scripts/format.sh --check

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 15
