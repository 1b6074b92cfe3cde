.PHONY: all test quick bench generate lint setup

all: test

# Sets up what it needs where it may, then runs every stage.
test:
	.ci/test

# What a developer runs between edits: some minutes, no privilege.
quick:
	.ci/test format vet
	go test -short ./... ./examples/...

# The tables of the README.
bench:
	go run ./examples/bench aead
	go run ./examples/bench mask
	go run ./examples/bench keys
	go run ./examples/bench kex
	go run ./examples/bench pne
	go run ./examples/bench ipsec
	go run ./examples/bench model

# Writes the assembly anew from its generators.
generate:
	go generate ./ciphers/...

lint:
	.ci/test format vet lint

setup:
	.ci/setup
