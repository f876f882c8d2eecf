# Every target sets up its own environment in .venv; nothing else is needed than Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FAST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check lint types test-slow test-engines test-hostile test-matrix test-lowest test-newest coverage bench readme docs release-check clean

demo: $(VENV)/.user
	$(BIN)/eulac demo

test: check
	$(FAST) $(BIN)/python -m pytest -n 2 -m "not slow"

check: lint types

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

# Answers and fits by real engines: Dask, Polars, DuckDB, Ray, and Spark, which needs Java; loops of Lightning and Accelerate.
test-engines: $(VENV)/.dev
	$(PIP) -e ".[spark,ray]" lightning accelerate
	PYSPARK_PYTHON=$(CURDIR)/$(BIN)/python $(BIN)/python -m pytest tests/distributed tests/deep/test_training_loops.py

# Odd inputs and mutated model files, ten thousand of each.
test-hostile: $(VENV)/.dev
	$(BIN)/python -m pytest tests/hostile tests/persistence/test_mutations.py

# The fast tests with the lowest versions that pyproject.toml allows (PyTorch of then brings gigabytes
# of CUDA), and with the newest there are. `make test-matrix PYTHON=python3.13` for another Python.
test-matrix: test-lowest test-newest

test-lowest:
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install -q "pip>=25.1"
	$(VENV)-lowest/bin/python -m pip install -q -c constraints-lowest.txt -e ".[all,anndata]" --group test
	$(FAST) $(VENV)-lowest/bin/python -m pytest -n 2 -m "not slow" tests

test-newest:
	$(PYTHON) -m venv $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install -q "pip>=25.1"
	$(VENV)-newest/bin/python -m pip install -q -U -e ".[all]" --group dev
	$(FAST) $(VENV)-newest/bin/python -m pytest -n 2 -m "not slow" tests

# Share of lines and branches of src that the fast tests run through.
coverage: $(VENV)/.dev
	$(FAST) $(BIN)/python -m pytest -n 2 -m "not slow" --cov=eulac --cov-branch --cov-report=term:skip-covered tests

# Sdist and wheel, the wheel installed and used in an empty environment, metadata checked.
release-check:
	$(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(VENV)-release/bin/python -m pip install --quiet --group release
	$(VENV)-release/bin/python tools/release_check.py

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
	$(PIP) "pip>=25.1"  # which knows dependency groups
	$(PIP) -e ".[all,anndata]" --group dev
	@touch $@ $(VENV)/.user

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) "pip>=25.1"
	$(PIP) -e ".[deep,report,anndata]" --group docs
	@touch $@ $(VENV)/.user

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-newest $(VENV)-release build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
