PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SERVER := .venv-labelstudio
FUZZ := .venv-fuzz
export FACTMARK_LABEL_STUDIO ?= $(wildcard $(CURDIR)/$(SERVER)/bin/label-studio)
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PYTHONDONTWRITEBYTECODE = # tests are compiled once, not in each run

.PHONY: real-model demo quick test fuzz properties lint check check-alone check-machines bench torture mutants tagger unseen coverage gold docs labelstudio help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:[^#]*## /\t/' | expand -t 10

demo: $(VENV)/.core ## build the data space, derive 50 ground truths, score samples, write demo/report.html
	$(BIN)/factmark demo --out demo

quick: $(VENV)/.dev ## tests of what runs in one process, with few examples; a minute on 2 cores
	$(BIN)/pytest --quick -n auto --dist loadfile

test: $(VENV)/.dev ## all tests, a process for each core
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

fuzz: properties $(FUZZ)/.ready ## new examples for the property tests, then damaged inputs for every reader; 10 minutes more
	$(FUZZ)/bin/python benchmarks/fuzz.py $(if $(MINUTES),--minutes $(MINUTES))

properties: $(VENV)/.dev ## the property tests on new random examples; repeat it now and then
	$(BIN)/pytest -m hypothesis --hypothesis-profile=fuzz

lint: $(VENV)/.dev ## format, lint, types, generated documents
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check
	$(BIN)/python docs/figures.py --check

check: lint test ## all that CI checks

check-machines: $(VENV)/.dev ## statistics and goldens under other kernels, locales, time zones and paths
	$(BIN)/python .ci/machines.py

check-alone: $(VENV)/.dev ## each test file alone, in random order (SEED=n for one order again); an hour
	$(BIN)/python .ci/machines.py --alone $(if $(SEED),--seed $(SEED))

real-model: $(VENV)/.dev ## serve a small real model (fetched once, 98 MB) at port 8080, or PORT
	$(BIN)/python tests/servers/real_model.py $(or $(PORT),8080)

labelstudio: $(SERVER)/.ready ## a Label Studio server (1 GB) in an environment of its own, for its tests

gold: $(VENV)/.dev ## how good the extractor is, on annotated answers
	$(BIN)/python benchmarks/gold.py

tagger: $(VENV)/.dev ## learn the extractor's weights from benchmarks/marked anew
	$(BIN)/python benchmarks/tagger.py train

unseen: $(VENV)/.dev ## measure the extractor on what it has not seen; writes what reports say of it
	$(BIN)/python benchmarks/tagger.py unseen
	$(BIN)/python benchmarks/tagger.py unseen --by style
	$(BIN)/python benchmarks/tagger.py unseen --by writer

bench: $(VENV)/.dev ## speed, as ratios in one run; FULL=1 also builds the data space at full size
	$(BIN)/python benchmarks/run.py $(if $(FULL),--full)

torture: $(VENV)/.dev ## faults and attacks: kills, servers, inputs, replies, payloads, clients, queries; 6 minutes
	$(BIN)/python benchmarks/torture.py

mutants: $(VENV)/.dev ## would the tests notice? 60 small changes of all files; SEED=n draws others; 15 minutes on 2 cores
	$(BIN)/python benchmarks/mutants.py $(if $(SEED),--seed $(SEED))

coverage: $(VENV)/.dev ## how often intervals hold the truth: writes docs/coverage.md; QUICK=1 for few runs
	$(BIN)/python benchmarks/coverage $(if $(QUICK),--quick)

docs: $(VENV)/.dev ## write docs/commands.md and docs/columns.md, docs/numbers.md and its pictures
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/figures.py

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install -q -c constraints.txt -e ".[annotate,arrow,mcp,rag]"
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install -q -c constraints.txt -e ".[dev]"
	@touch $@ $(VENV)/.core

$(SERVER)/.ready: constraints-labelstudio.txt
	$(PYTHON) -m venv $(SERVER)
	$(SERVER)/bin/pip install -q --no-compile -c $< label-studio  # it imports a third of it
	@touch $@

$(FUZZ)/.ready: pyproject.toml constraints.txt # of its own: atheris has no wheel for every Python
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/pip install -q -c constraints.txt -e ".[annotate,arrow]" "atheris==3.0.0"
	@touch $@
