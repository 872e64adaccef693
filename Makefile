# Errand. `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -eo pipefail -c

GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GOLANGCI_LINT = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GORELEASER = $(GO) run github.com/goreleaser/goreleaser/v2@v2.15.1
INSPECTOR = npx --yes @modelcontextprotocol/inspector@2.12.0
export CORPORA ?= $(abspath ../shared/corpora)

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: deps
deps: ## Install what the machine lacks: PostgreSQL (system packages) and Go modules.
	@scripts/install-postgres
	@$(GO) mod download

.PHONY: test-deps
test-deps: deps # and what tests need besides
	@scripts/install-versitygw

.PHONY: build
build: ## Build bin/errand.
	@$(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/errand ./cmd/errand

.PHONY: run
run: deps build ## Install what is missing, build, and start the server; it prints its URL and token.
	@exec bin/errand serve --show-token

.PHONY: test
test: test-deps ## Run the tests.
	@$(GO) test -parallel 4 ./... # more than there are cores, because many tests wait

.PHONY: race
race: test-deps ## Run the tests with the race detector.
	@$(GO) test -race ./...

.PHONY: lint
lint: ## Check formatting, the code (golangci-lint, see .golangci.yml) and the third-party notices.
	@test -z "$$(gofmt -l .)" || { echo "not formatted:"; gofmt -l .; exit 1; }
	@$(GOLANGCI_LINT) run ./...
	@scripts/notices | cmp -s - THIRD_PARTY_NOTICES.md || { echo "THIRD_PARTY_NOTICES.md is not what is linked: run make notices"; exit 1; }

.PHONY: names
names: ## Print how many names are one word, what is too long and how many comments are odd; go run ./scripts/names --help says more.
	@$(GO) run ./scripts/names

.PHONY: notices
notices: ## Write the licences of the linked modules into THIRD_PARTY_NOTICES.md; after each change of go.mod.
	@scripts/notices >THIRD_PARTY_NOTICES.md.new || { rm -f THIRD_PARTY_NOTICES.md.new; exit 1; }
	@mv THIRD_PARTY_NOTICES.md.new THIRD_PARTY_NOTICES.md

.PHONY: golden
golden: ## Write the golden files anew; read the diff before you commit it.
	@$(GO) test ./core ./api ./mcp ./prompts ./brief ./envelope ./otlp ./grouping ./triage -update

.PHONY: e2e
e2e: deps build ## Run the built binary against real SDKs, a real browser and MCP clients; E2E_BROWSER=off leaves the browser out.
	@scripts/install-npm e2e
	@scripts/install-pip e2e/requirements.txt .cache/e2e-python
	@scripts/install-chromium
	@$(GO) test -tags e2e -count=1 -json -skip '^TestFault' ./e2e/ | $(GO) run ./scripts/slowest

.PHONY: pictures
pictures: deps build ## Make the pictures of the documentation from the demo project; look at them before you commit them.
	@scripts/install-chromium
	@PICTURES=$(abspath docs/pictures) $(GO) test -tags e2e -count=1 -run '^TestPictures$$' ./e2e/

.PHONY: sign-in
sign-in: deps build ## Let Claude Code, Codex, mcp-remote and the SDKs for TypeScript and Python in by the URL alone (installs them, 700 MB).
	@scripts/install-npm e2e/agents
	@cd e2e/agents && node node_modules/@anthropic-ai/claude-code/install.cjs
	@scripts/install-pip e2e/agents/requirements.txt .cache/e2e-agents
	@$(GO) test -tags e2e -count=1 -v -run '^TestAgentsSignIn$$' ./e2e/ | grep -Ev '^=== '

.PHONY: faults
faults: deps build ## Kill Postgres and servers under load, and send what hostile senders send; prints what it measured.
	@$(GO) test -tags e2e -count=1 -json -parallel 5 -timeout 5m -run '^TestFault' ./e2e/ | $(GO) run ./scripts/slowest -v

.PHONY: postgres-versions
postgres-versions: test-deps ## Run the tests of the database on PostgreSQL 16, 17 and 18, which npm installs (70 MB).
	@scripts/postgres-versions

.PHONY: pooler
pooler: deps build ## Work through PgBouncer under load, and kill it; PGBOUNCER names the program, else it is the one on PATH.
	@$(GO) test -tags e2e -count=1 -v -run 'Pooler' ./e2e/ | grep -Ev '^=== '

.PHONY: balancer
balancer: deps build ## Replace three servers behind HAProxy under load; HAPROXY names the program, else it is the one on PATH.
	@$(GO) test -tags e2e -count=1 -v -run 'Balancer' ./e2e/ | grep -Ev '^=== '

.PHONY: citus
citus: deps build ## Run make e2e and the kills of make faults on three nodes of Citus, as root; CITUS_SRC names its sources, to build it first.
	@scripts/install-npm e2e
	@scripts/install-pip e2e/requirements.txt .cache/e2e-python
	@scripts/install-chromium
	@scripts/try-citus

.PHONY: lint-mcp
lint-mcp: build ## Check the MCP tools with the MCP inspector (--strict).
	@scripts/lint-mcp $(INSPECTOR)

.PHONY: conformance
conformance: deps build ## Run the official conformance suite of MCP; e2e/interop/scenarios.txt says what is left out, and why.
	@$(GO) run ./e2e/interop conformance

.PHONY: interop
interop: deps build ## Try the clients of MCP that people use: SDKs, mcp-remote, Claude Code, Gemini CLI, the inspector.
	@$(GO) run ./e2e/interop clients

.PHONY: snapshot
snapshot: ## Build the files of a release from this commit into dist/ (archives, .deb, .rpm, checksums, bill of materials); publishes nothing.
	@$(GORELEASER) release --snapshot --clean --skip=publish,announce,validate

.PHONY: try-package
try-package: snapshot ## Install the .deb of a snapshot on a clean Debian root, serve, and restore its backup on a second one (as root).
	@scripts/try-package dist/errand_*_linux_amd64.deb

.PHONY: image
image: ## Build the container images errand:latest and errand:postgres; without a container runtime, only what they are made of, in bin/image.
	@VERSION=$(VERSION) scripts/image-root bin/image
	@scripts/build-images bin/image

.PHONY: try-image
try-image: image ## Run what the image is made of in namespaces, on a read-only root, without a container runtime (as root).
	@scripts/try-image bin/image

.PHONY: bench
bench: ## Run the benchmarks of the pure packages.
	@$(GO) test -run '^$$' -bench . -benchmem ./core ./envelope ./scrub ./grouping ./triage ./similar

.PHONY: bench-ingest
bench-ingest: deps build ## Measure how fast events are taken in; writes bench/results.md.
	@$(GO) run ./bench/ingest

.PHONY: bench-turns
bench-turns: deps ## Compare with the commit OLD, in turns: speed, bytes, memory, start; PAIRS and ONLY (see go run ./bench/turns --help).
	@$(GO) run ./bench/turns -old $(OLD) $(if $(PAIRS),-pairs $(PAIRS)) $(if $(ONLY),-only "$(ONLY)")

.PHONY: bench-queries
bench-queries: deps build ## Measure how fast reading is on 200,000 issues; writes bench/queries.md. PART=manage measures the management API alone.
	@$(GO) run ./bench/queries $(if $(PART),-only $(PART) -growth=false)

.PHONY: bench-web
bench-web: deps build ## Measure the pages on 200,000 issues: their time beside the calls that they make, their bytes, 200 open ones; writes bench/web.md.
	@$(GO) run ./bench/queries -only web -growth=false -out bench/web.md

.PHONY: bench-backup
bench-backup: deps build ## Measure backup and restore of 200,000 issues while events come in, beside pg_dump; writes bench/backup.md.
	@$(GO) run ./bench/queries -only backup -growth=false -out bench/backup.md

.PHONY: bench-migrations
bench-migrations: deps ## Measure how long each migration keeps a writer waiting on 500,000 issues; writes bench/migrations.md.
	@$(GO) run ./bench/migrations

.PHONY: bench-servers
bench-servers: deps build ## Measure what an event costs when one, two and three servers store events in one database; writes bench/servers.md.
	@$(GO) run ./bench/servers

.PHONY: bench-citus
bench-citus: deps build ## Measure what an event costs on three nodes of Citus beside one Postgres, as root; prints it.
	@scripts/try-citus run $(GO) run ./bench/citus

.PHONY: soak
soak: deps build ## Send events for 10 minutes and see whether the memory stays level; writes bench/soak.md.
	@$(GO) run ./bench/soak

.PHONY: bench-sourcemap
bench-sourcemap: ## Measure how fast source maps are indexed and looked up, beside a yardstick; writes bench/sourcemap.md.
	@$(GO) run ./bench/sourcemap

.PHONY: bench-webhooks
bench-webhooks: deps build ## Measure how fast deliveries are sent, and what dead receivers cost; writes bench/webhooks.md.
	@$(GO) run ./bench/webhooks

.PHONY: corpora
corpora: ## Measure against data of real SDKs and other trackers: make corpora CORPORA=folder (skipped when absent).
	@$(GO) test -count=1 -v -run 'TestCorpora' ./envelope/... ./scrub/... ./grouping/ ./sourcemap/ | grep -E '^ +[a-z_]+_test.go:[0-9]+: |^(---|ok|FAIL|panic)'
