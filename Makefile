PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test check bench gold docs setup setup-dev

setup: $(VENV)/.core
setup-dev: $(VENV)/.dev

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install -q -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install -q -c constraints.txt -e ".[dev]"
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core ## build the data space, derive the ground truth, score the samples, write demo/report.html
	$(BIN)/factmark demo --out demo

test: $(VENV)/.dev ## all tests
	$(BIN)/pytest

check: $(VENV)/.dev ## format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

gold: $(VENV)/.dev ## how good the extractor is, on annotated answers
	$(BIN)/python benchmarks/gold.py

bench: $(VENV)/.dev ## speed and scale, as ratios in one run
	$(BIN)/python benchmarks/run.py

docs: $(VENV)/.dev ## write docs/commands.md from the commands themselves
	$(BIN)/python docs/generate.py
