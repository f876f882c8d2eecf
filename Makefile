# Every target sets up its own environment in .venv; nothing else is needed than Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check lint types test-slow test-engines bench readme docs clean

demo: $(VENV)/.user
	$(BIN)/eulac demo

test: check
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m "not slow"

check: lint types

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

# Fits whose sums are taken by the workers of an engine.
test-engines: $(VENV)/.dev
	$(BIN)/python -m pytest tests/distributed

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site
	@echo "Open build/site/index.html"

readme: $(VENV)/.user
	$(BIN)/eulac benchmark readme docs/results/table1/records.jsonl.gz docs/results/any_classifier/records.jsonl.gz

bench: $(VENV)/.dev
	@for script in perf/*.py; do $(BIN)/python $$script || exit 1; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.user: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e ".[dev]"
	@touch $@ $(VENV)/.user

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e ".[docs]"
	@touch $@ $(VENV)/.user

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
