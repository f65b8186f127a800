# ciphermark: `make` lists what can be typed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

PYTHON ?= python3
# Options for the survey: make survey ARGS=--quick
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TARGET_DIR
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export DEBIAN_FRONTEND := noninteractive
# Images of containers often forbid Python to keep what it has compiled; each process that tests start
# would compile all of it again.
unexport PYTHONDONTWRITEBYTECODE
# As commands do it: tests that fit thousands of lines take many times as long on several threads
# beside others.
export OPENBLAS_NUM_THREADS := 1

ENGINE_SOURCES := $(shell find algorithms engine kernels suites -type f) \
	$(wildcard python/ciphermark/plan/defaults/survey*.toml)
BUILD_SOURCES := Cargo.lock Cargo.toml hatch_build.py pyproject.toml tools/toolchain.py

# The release profile everywhere, so that tests and lints share what the engine compiled. The crate of
# KASUMI is tested by itself: what it asks of `digest` would have half of the engine compiled again, and
# otherwise than it is measured.
CARGO_TEST := cargo test --release --workspace --exclude ciphermark-kasumi --locked
CARGO_TEST_KASUMI := cargo test --release --package ciphermark-kasumi --locked
# In the foreground, so that Ctrl-C reaches what is running.
LIMIT := timeout --foreground
# Two at a time, in their order: files stay whole, for what they share. Those of kernels share what
# they compiled over both processes, so that the one that ends first can help.
SIDE_BY_SIDE := --numprocesses 2 --dist loadfile --no-loadscope-reorder
# Of all tests, which wait for a host, a tunnel or a budget a third of their time: three. Those of
# kernels are among them, so that compilers work where others wait.
THREE_SIDE_BY_SIDE := $(subst 2,3,$(SIDE_BY_SIDE))
KERNELS_SIDE_BY_SIDE := --numprocesses 2 --dist worksteal
PYTEST := $(BIN)/python -m pytest
INSTALL_PACKAGES := tools/install_packages.sh
# Debian's packages of Rust, where there is none that is new enough.
RUST = $$($(PYTHON) tools/toolchain.py --rust-packages)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A case that failed is said in the table; the survey fails only when there is no report.
RUNS := $(BIN)/python -c 'from ciphermark.record.store import Store; print(Store.default().root)'

.PHONY: survey
survey: $(VENV)/.installed ## measure this machine, print the table, write the report
	@touch $(VENV)/.survey-began
	@$(BIN)/ciphermark survey $(ARGS) || \
		find "$$($(RUNS))" -name report.html -newer $(VENV)/.survey-began | grep --quiet .

.PHONY: test
test: for-tests $(VENV)/.installed-for-tests ## run each test once, on this processor, by one compiler
	@tools/run_stages.sh \
		"The engine and the kernels, in Rust" \
		"$(LIMIT) 15m $(CARGO_TEST) --no-fail-fast" \
		"The crate of KASUMI, in Rust" \
		"$(LIMIT) 5m $(CARGO_TEST_KASUMI) --no-fail-fast" \
		"Commands, figures, reports, and a few kernels on one processor of each kind" \
		"$(LIMIT) 40m $(PYTEST) $(THREE_SIDE_BY_SIDE) -m 'not deep'"

.PHONY: test-deep
test-deep: for-tests $(VENV)/.installed-for-tests guest-kernel ## prove the rest: sanitizers, another compiler, more processors
	@tools/run_stages.sh \
		"Sanitizers, another compiler, emulated instructions, more processors" \
		"$(LIMIT) 45m $(PYTEST) $(KERNELS_SIDE_BY_SIDE) -m 'deep and (targets or checkers)'" \
		"What takes long, and a guest's kernel, which one process starts for all tests of a file" \
		"$(LIMIT) 40m $(PYTEST) $(SIDE_BY_SIDE) -m 'deep and not targets and not checkers'" \
		"Properties, on hundreds of examples" \
		"$(LIMIT) 15m $(PYTEST) $(SIDE_BY_SIDE) --hypothesis-profile many -m 'hypothesis and not deep'"

# What measures must pass whatever else this machine does.
TIMES ?= 10
.PHONY: test-busy
test-busy: $(VENV)/.installed-for-tests ## run the tests that measure beside two busy loops: TIMES=10
	@tools/beside_busy_loops.sh $(TIMES) $$((15 * 60 * $(TIMES))) \
		$(BIN)/python -m pytest --quiet $(SIDE_BY_SIDE) -m measures

# Each try follows from the seed and its number: make attack MINUTES=30 SEED=2 KINDS=corrupt,text
MINUTES ?= 30
SEED ?= 1
KINDS ?=
.PHONY: attack
attack: for-tests $(VENV)/.installed-for-tests ## attack: kills, full disks, corrupt files, bombs, lying libraries
	@PYTHONPATH=tests $(BIN)/python -m attack --minutes $(MINUTES) --seed $(SEED) \
		$(if $(KINDS),--only $(KINDS))

# Executions of each target; more than 10 minutes are not waited for.
RUNS_OF_FUZZERS ?= 1000000
.PHONY: fuzz
fuzz: for-tests $(VENV)/.installed-for-tests ## fuzz the engine's reader of plans and the kernels, guided by coverage
	@PYTHONPATH=tests $(BIN)/python -m attack.fuzz --runs $(RUNS_OF_FUZZERS)

# Mutated files of each reader; in an hour at most.
INPUTS_OF_READERS ?= 1000000
.PHONY: fuzz-readers
fuzz-readers: $(VENV)/.installed-for-tests ## give mutated files to each reader of imports, TOML and lists
	@PYTHONPATH=tests $(BIN)/python -m attack.readers --inputs $(INPUTS_OF_READERS) --seed $(SEED)

# Unit tests in Rust that take one second and more, most of the time of all.
SLOW_UNITS := every_length_is_answered_as_whole_by_every_provider \
	the_loop_leaves_the_right_answers_behind_in_streams every_way_to_run_gives_right_answers \
	a_session_that_never_had_a_turn_is_not_wrong every_way_to_process_gives_right_answers \
	keys_and_lanes_are_each_flows_own polling_makes_fewer_context_switches_than_blocking \
	a_loop_without_a_function_is_of_the_same_kind batches_that_wait_too_long_are_passed_on \
	sessions_sleep_while_another_cpu_works_for_them

.PHONY: check
check: ## what is quick to check while editing: format, lints, prose, weight, types, the quick tests
	@test -e $(VENV)/.installed-for-tests || $(MAKE) --no-print-directory $(VENV)/.installed-for-tests
	@cargo fmt --all --check
	@$(LIMIT) 5m cargo clippy --quiet --release --workspace --all-targets --locked -- -D warnings
	@$(LIMIT) 5m $(CARGO_TEST) --quiet --lib -- $(addprefix --skip ,$(SLOW_UNITS))
	@$(BIN)/ruff check --quiet && $(BIN)/ruff format --quiet --check
	@$(LIMIT) 1m $(BIN)/python tools/check_prose.py
	@$(LIMIT) 1m $(BIN)/python tools/check_words.py
	@$(LIMIT) 1m $(BIN)/python tools/weigh.py --ceilings
	@$(LIMIT) 5m $(BIN)/mypy
	@$(LIMIT) 5m $(PYTEST) --quiet $(SIDE_BY_SIDE) \
		-m 'not (slow or deep or engine or browser or targets or checkers)'

.PHONY: generate
generate: $(VENV)/.installed-for-tests ## write schema, Python types, command reference, KASUMI's tables and the verdicts on papers' own tables anew
	@cargo run --quiet --release --locked -p ciphermark-record --example schema \
		schema/ciphermark.schema.json
	@$(PYTHON) tools/generate_contract.py
	@$(BIN)/python tools/generate_reference.py
	@$(PYTHON) tools/generate_kasumi_tables.py
	@$(BIN)/python tools/generate_statements.py

.PHONY: check-generated
check-generated: $(VENV)/.installed-for-tests ## say whether `make generate` would change anything
	@cargo test --quiet --release --locked -p ciphermark-record --test contract
	@$(BIN)/python -m pytest --quiet tests/test_generated.py

.PHONY: benchmarks
benchmarks: $(VENV)/.installed ## print how quick and how steady ciphermark itself is
	@for script in $(filter-out $(addprefix benchmarks/,common.py peers.py engines.py),$(wildcard benchmarks/*.py)); do \
		$(BIN)/python "$$script"; \
	done

# Debian's packages of libraries that are opened or, with headers, called through a shim. Where the
# version is in a package's name, one that depends on it has the same name in each release. Names that
# a release does not have are left out.
LIBRARIES := openssl libgcrypt20 libsodium23 libbotan-2-19 libcrypto++-dev libmbedtls-dev \
	libtomcrypt-dev libwolfssl-dev nettle-dev pocl-opencl-icd ocl-icd-libopencl1
ifeq ($(shell uname -m),x86_64)
LIBRARIES += libipsec-mb-dev
endif
# What benchmarks run beside ciphermark: the tools of libraries, and headers for loops in C.
PEERS := botan libbotan-2-dev libcrypto++-utils libgcrypt20-dev libsodium-dev libssl-dev
BROWSER := chromium chromium-driver
# Compilers and simulators of python/ciphermark/targets/.
TARGETS := clang gcc-avr avr-libc libsimavr-dev libelf-dev qemu-user qemu-system-arm qemu-system-misc \
	gcc-arm-none-eabi gcc-riscv64-unknown-elf gcc-12-multilib-sparc64-linux-gnu \
	gcc-arm-linux-gnueabi libc6-dev-armel-cross gcc-sparc64-linux-gnu libc6-dev-sparc64-cross \
	gcc-powerpc-linux-gnu libc6-dev-powerpc-cross gcc-mips64-linux-gnuabi64 libc6-dev-mips64-cross
ifeq ($(shell uname -m),x86_64)
TARGETS += gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-i686-linux-gnu libc6-dev-i386-cross
endif
# What looks for faults in kernels: sanitizers, a fuzzer, and what undefined bytes lead to; and what
# emulates instructions that this processor may lack.
CHECKERS := clang libclang-rt-dev valgrind
ifeq ($(shell uname -m),x86_64)
CHECKERS += libsimde-dev
endif
# A machine behind SSH, in a network namespace of its own.
SSH := iproute2 openssh-client openssh-server
# Tunnels and the traffic through them, in network namespaces.
TUNNELS := ethtool iperf3 iproute2 linux-perf openvpn stunnel4 wireguard-go wireguard-tools
# Programs that read the configurations of advice.
CONFIGURED := charon-systemd cryptsetup-bin libcharon-extra-plugins libstrongswan-extra-plugins \
	libstrongswan-standard-plugins strongswan-swanctl wpasupplicant
# Root folders of other releases of Debian, and what runs commands in them.
CHROOTS := bubblewrap mmdebstrap
# What checks packages, images, manual pages and completions.
PACKAGING := fish lintian man-db mandoc shellcheck skopeo umoci zsh
# What boots a kernel that has what this machine's may lack.
ifeq ($(shell uname -m),x86_64)
GUEST := qemu-system-x86 busybox-static
GUEST_KERNEL := linux-image-cloud-amd64
endif
FOR_TESTS := $(sort $(LIBRARIES) $(BROWSER) $(TARGETS) $(CHECKERS) $(GUEST) $(SSH) $(TUNNELS) \
	$(CONFIGURED) $(CHROOTS) $(PACKAGING))

.PHONY: system-packages
system-packages: ## install libraries to compare with, compilers, simulators, a browser (Debian, root)
	@test "$$(id -u)" = 0 || { echo "This needs root; type: sudo make system-packages" >&2; exit 1; }
	@$(INSTALL_PACKAGES) $(FOR_TESTS) $(PEERS) $(RUST) || test $$? = 3
	@rm -f $(VENV)/.installed $(VENV)/.installed-for-tests # headers that were not there before

.PHONY: m16c
m16c: ## build compiler and simulator of the target m16c from Debian's sources (some 15 minutes)
	@tools/build_m16c.sh

# What builds for other machines: zig with the C libraries, which one environment holds.
ZIG := $(VENV)/wheels
CROSS_SOURCES := $(ZIG)/.installed $(BUILD_SOURCES) $(ENGINE_SOURCES) \
	$(addprefix tools/,cross_build.sh fetch_headers.sh fetch_rust.sh)

# Static, with musl: for machines that have no Python, no compiler and no glibc. One after the other, so that
# those that are made stay when the time is over; one alone: make engines MACHINES=aarch64
MACHINES ?= x86_64 aarch64 armv7 riscv64
ENGINE := dist/engines/ciphermark-engine-
ENGINES := $(MACHINES:%=$(ENGINE)%)

# An engine of older sources, which is not of these machines, goes: wheels would carry it.
.PHONY: engines
engines: $(ENGINES) ## build the engine alone for other machines: static, x86-64, arm64, armv7, riscv64
	@for engine in $(ENGINE)*; do $(MAKE) --question $$engine || rm $$engine; done
	@$(ZIG)/bin/python tools/index_engines.py dist/engines

$(ENGINE)%: $(CROSS_SOURCES) tools/make_engine.sh
	@$(LIMIT) 60m tools/make_engine.sh $(ZIG) $* $@

# Linked to the C library of the machine, of which any since 2014 will do: each opens libraries there.
# One alone: make wheels WHEELS=manylinux-x86_64
WHEELS ?= manylinux-x86_64 manylinux-aarch64 musllinux-x86_64 musllinux-aarch64

.PHONY: wheels
wheels: $(CROSS_SOURCES) ## build wheels for Linux with glibc 2.17 or musl, x86-64 and arm64, into dist/wheels
	@$(LIMIT) 60m $(ZIG)/bin/python tools/make_wheels.py $(ZIG) dist/wheels $(WHEELS)

# A package serves the releases with its Python: 3.11 is that of Debian 12, 3.13 of Debian 13.
WHEEL ?= $(lastword $(sort $(wildcard dist/wheels/*manylinux*x86_64.whl)))
PYTHONS ?= 3.11 3.13

.PHONY: deb
deb: $(VENV)/.made ## build packages for Debian 12 and 13 from a wheel, into dist: DEBEMAIL=you@example.org
	@test -n "$(WHEEL)" || { echo "There is no wheel in dist/wheels; type: make wheels" >&2; exit 1; }
	@for version in $(PYTHONS); do \
		$(LIMIT) 15m $(BIN)/python tools/make_deb.py $(WHEEL) --python $$version --output dist; done

.PHONY: image
image: ## build an image of containers from the package for Debian 13, into dist/image (root)
	@$(LIMIT) 15m tools/make_image.sh dist/ciphermark_*+py313_*.deb dist/image

# From the documents alone: neither the engine nor ciphermark is built for it. Whatever is doubtful, a
# link that leads nowhere or a page that no list names, is an error.
SITE := dist/docs

.PHONY: docs
docs: $(VENV)/docs/.installed ## build the documents as a site with search, into dist/docs
	@$(LIMIT) 5m $(VENV)/docs/bin/sphinx-build --quiet --fail-on-warning --keep-going \
		-c docs -d $(VENV)/docs/doctrees . $(SITE)
	@echo "Site      $(SITE)/index.html"

# Of an extra of pyproject.toml, in an environment of its own.
$(VENV)/%/.installed: pyproject.toml tools/make_venv.sh
	@echo "Installing the tools of $* (half a minute the first time)"
	@$(LIMIT) 10m tools/make_venv.sh $(PYTHON) $(@D)
	@$(PYTHON) -c 'import tomllib; extras = tomllib.load(open("pyproject.toml", "rb")); \
		print(*extras["project"]["optional-dependencies"]["$*"], sep="\n")' > $(@D)/wanted
	@$(LIMIT) 10m $(@D)/bin/python -m pip install --quiet --requirement $(@D)/wanted
	@touch $@

# Node, which nothing else needs: a linter and a type checker of the scripts of pages, and what looks
# for faults in their accessibility. Tests are skipped where it is not there.
.PHONY: page-checks
page-checks: $(VENV)/page-checks/.installed ## install what checks the scripts of pages (Node, 50 MB)

$(VENV)/page-checks/.installed: tools/page_checks/package-lock.json
	@mkdir -p $(@D)
	@cp tools/page_checks/package.json tools/page_checks/package-lock.json $(@D)
	@$(LIMIT) 5m npm ci --silent --no-audit --no-fund --prefix $(@D)
	@touch $@

# Its package of Python downloads a program; the module of Go is built here.
.PHONY: action-checks
action-checks: ## install what checks the workflow of docs/ci.md (Go, 8 MB)
	@GOBIN=$(CURDIR)/$(BIN) $(LIMIT) 5m go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.PHONY: clean
clean: ## remove what was built
	@rm -rf $(VENV) target dist python/ciphermark/view/vega-lite-*.js

# Tests look at a report in a browser as its reader does, call every library, and run kernels on other
# processors; what is not there is skipped with its reason.
.PHONY: for-tests
for-tests:
	@$(INSTALL_PACKAGES) $(FOR_TESTS) $(RUST) || case $$? in \
		2) echo "Tests of what is not there will be skipped; for all, as root: make system-packages" ;; \
		3) rm -f $(VENV)/.installed $(VENV)/.installed-for-tests ;; \
		*) exit 1 ;; \
	esac

# Unpacked and not installed, which would change how this machine starts. What cannot be had is said by
# the tests that need it.
.PHONY: guest-kernel
guest-kernel: $(VENV)/.made ## fetch a kernel of Debian for tests in a guest (27 MB)
	@if test -n "$(GUEST_KERNEL)" && ! test -e $(VENV)/guest/tunnels && command -v apt-get >/dev/null; then \
		$(LIMIT) 5m tools/fetch_kernel.sh $(GUEST_KERNEL) $(VENV)/guest || \
			echo "Tests in a guest will be skipped: its kernel could not be fetched"; \
	fi

$(VENV)/.made:
	@echo "Making the virtual environment $(VENV)"
	@$(LIMIT) 10m tools/make_venv.sh $(PYTHON) $(VENV)
	@touch $@

# Runs cargo beside a recipe, until both have ended; whoever needs its result runs it again, and prints
# why it failed.
define beside_cargo
timeout 20m $(SHELL) -c '$(1)' >/dev/null 2>&1 & compiling=$$!; \
trap 'kill $$compiling 2>/dev/null || true' EXIT
endef
BUILD_ENGINE := cargo build --release --locked -p ciphermark-engine

# Editable: what runs is this tree. Only the engine has to be built again when its sources change. Cargo
# begins beside pip, whose packages come meanwhile.
$(VENV)/.installed: $(VENV)/.made $(BUILD_SOURCES) $(ENGINE_SOURCES)
	@echo "Building the engine and installing ciphermark (2 minutes the first time)"
	@$(call beside_cargo,$(BUILD_ENGINE)); \
	$(LIMIT) 20m $(BIN)/python -m pip install --quiet --editable .
	@touch $@

# For tests, cargo then compiles these beside the installation. Python compiles what it imports when it
# does; what tests import once, and not by each of the processes that they are run by.
# The versions of requirements.lock, by their hashes; or the newest that there are: make test NEWEST=1
NEWEST ?=
TEST_PACKAGES := --requirement requirements.lock && \
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --no-build-isolation --editable .
ifneq ($(NEWEST),)
TEST_PACKAGES := --upgrade --upgrade-strategy eager --editable '.[test]'
endif

# Needs uv (pip install uv), which nothing else does.
.PHONY: lock
lock: ## write requirements.lock anew, from the newest packages
	@uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header \
		--no-annotate --python-version 3.11 --extra test pyproject.toml --output-file requirements.lock

$(VENV)/.installed-for-tests: $(VENV)/.made requirements.lock $(BUILD_SOURCES) $(ENGINE_SOURCES)
	@echo "Building the engine and installing ciphermark for tests (2 minutes the first time)"
	@$(call beside_cargo,$(BUILD_ENGINE) && $(CARGO_TEST) --no-run); \
	$(LIMIT) 20m $(BIN)/python -m pip install --quiet --no-compile $(TEST_PACKAGES); \
	$(PYTEST) --quiet --collect-only >/dev/null || true; \
	wait $$compiling || true
	@touch $(VENV)/.installed $@
