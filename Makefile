# The two that matter: `make run` and `make test`. Everything they need is set up first, and only once.
.DEFAULT_GOAL := help
.PHONY: help run chat test check bench eval bundle screenshots setup format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## set everything up and open the window
	@scripts/setup run
	@scripts/build-page
	@cargo build --release -p assent-desktop
	@cargo run --release --quiet -p assent-desktop

chat: ## set up what the terminal needs and talk there
	@scripts/setup chat
	@cargo build --release -p assent-cli
	@cargo run --release --quiet -p assent-cli -- chat

test: ## set up what the tests need and run every test
	@scripts/setup test
	@scripts/test

check: ## formats, lints, types, licences of dependencies
	@scripts/setup check
	@scripts/check

bench: ## measure, and write the figures beside a description of this machine
	@scripts/setup bench
	@bench/run

eval: ## the task suite on the starter model: success, plan adherence, tokens, time
	@scripts/setup eval
	@cargo build --release -p assent-cli
	@eval/run

bundle: ## build the packages that people install (.deb here)
	@scripts/setup bundle
	@scripts/bundle

screenshots: ## do the main job in the real window and take the README's pictures
	@scripts/setup screenshots
	@scripts/build-page
	@cargo build --release -p assent-desktop
	@node scripts/screenshots.mjs "$${CARGO_TARGET_DIR:-target}/release/assent-desktop"

format: ## rewrite the sources as `make check` wants them
	@scripts/setup check
	@cargo fmt --all
	@npm --prefix ui run --silent format

setup:
	@scripts/setup run check test eval bundle

clean: ## remove what was built (fetched models and llama-server stay)
	@cargo clean
	@rm -rf ui/dist ui/node_modules src-tauri/gen
