# One target here is one step of .ci/run, and what a contributor runs is what
# CI runs.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The modules: this one, and the one that may use Kubernetes' own.
MODULES     := . test

.PHONY: check test chaos mutants lint tidy bench compare compare-once instructions fuzz fleet recorder e2e minimal build soak

## check: everything but fuzzing, and what needs a real API server or valgrind
check: lint tidy test chaos mutants bench minimal

## test: unit tests of the root module
test:
	$(GO) test -race -shuffle=on ./...

## chaos: 10,000 runs of the watch against a server that is broken at random;
## under the race detector, in test, there are 2,000
chaos:
	$(GO) test -count=1 -run='^TestChaos$$' ./stream

## mutants: bugs put into a copy of the loop, each of which a test has to find
mutants:
	$(GO) run ./internal/mutants

## lint: formatting, vet and staticcheck in both modules
lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt is needed on:"; echo "$$files"; exit 1; fi
	@for m in $(MODULES); do (cd $$m && echo "vet and staticcheck in $$m" && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...) || exit 1; done

## tidy: go.mod and go.sum hold exactly what is used
tidy:
	@for m in $(MODULES); do (cd $$m && $(GO) mod tidy -diff) || exit 1; done

## bench: every benchmark once, so that none rots
bench:
	$(GO) test -run='^$$' -bench=. -benchtime=1x ./...

## compare: rawwatch next to its peers, into BENCHMARKS.md; takes its time.
## SUITE=scan measures one of them
compare:
	$(MAKE) -C test compare

## compare-once: the same with the smallest work, so that none rots
compare-once:
	$(MAKE) -C test compare-once

## instructions: those of the scan, counted by valgrind; fails if they are more
## than they were (internal/instructions)
instructions:
	$(GO) run ./internal/instructions

## minimal: the size of examples/minimal next to a program that sends one GET
minimal:
	./examples/size.sh

## fuzz: every fuzz target for FUZZTIME
FUZZTIME ?= 20s
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list='^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "fuzz $$f in $$pkg for $(FUZZTIME)"; \
	    $(GO) test -run='^$$' -fuzz="^$$f$$" -fuzztime=$(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

## fleet: what ten thousand watches do to their servers, into FLEET.md
fleet:
	$(GO) test ./stream -run='^TestFleet$$' -update

## recorder: what recording costs; the last results are in
## stream/replay/RESULTS.md
recorder:
	$(GO) test -run='^$$' -bench=RecorderOverhead -benchtime=9x ./stream/replay
	$(GO) test -run='^$$' -bench='RecorderMemory|ReaderMemory' -benchtime=1x ./stream/replay

## e2e: a real API server and etcd, built from Go modules the first time
e2e:
	$(MAKE) -C test test

## soak: the long run of that, with servers, network and clients that fail
soak:
	$(MAKE) -C test soak

## build: the command, as released
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/rawwatch ./cmd/rawwatch
