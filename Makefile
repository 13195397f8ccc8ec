# Everything a newcomer or CI needs. Needs Python 3.10 or newer and make; nothing else is assumed.
# Another interpreter: make demo PYTHON=/path/to/python3.12. Another place for packages: VENV=...

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NOTEBOOK := notebooks/defect_classifier.ipynb
OUT ?= out
WORKERS ?= 2

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint lab bench docs clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 8

demo: $(VENV)/.installed-demo ## check and export the example notebook, run its pipeline, show outputs and metrics
	@printf '\n== nbcomponent check %s\n' '$(NOTEBOOK)'
	@$(BIN)/nbcomponent check $(NOTEBOOK)
	@printf '\n== nbcomponent export %s -o %s\n' '$(NOTEBOOK)' '$(OUT)'
	@$(BIN)/nbcomponent export $(NOTEBOOK) -o $(OUT)
	@printf '\n== nbcomponent run %s/defect_classifier/pipeline.yml\n' '$(OUT)'
	@$(BIN)/nbcomponent run $(OUT)/defect_classifier/pipeline.yml

test: $(VENV)/.installed-test lint ## lint, type check and test
	$(BIN)/python -m pytest -n $(WORKERS)

lint: $(VENV)/.installed-test ## ruff and mypy only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

lab: ## what JupyterLab can do with this version
	@echo 'The JupyterLab extension comes with a later version. The notebooks open in a plain JupyterLab today:'
	@echo '  $(BIN)/python -m pip install jupyterlab'
	@echo '  $(BIN)/jupyter lab notebooks/defect_classifier.ipynb'
	@echo 'Tags are edited there in the property inspector (the gears, upper right); check with: $(BIN)/nbcomponent check notebooks'

bench: $(VENV)/.installed-test ## time check against its floor (BENCH_NOTEBOOKS=folder of notebooks)
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/floor.py $(or $(BENCH_NOTEBOOKS),notebooks)

docs: $(VENV)/.installed-demo ## write docs/diagnostics.md from the explain pages
	$(BIN)/python docs/build_diagnostics.py

clean: ## remove what the targets above made, the virtual environment included
	rm -rf $(VENV) $(OUT) notebooks/defects .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 10) and "nbcomponent needs Python 3.10 or newer; " + sys.executable + " is %d.%d. Choose another: make PYTHON=/path/to/python3" % v[:2])'
	$(PYTHON) -m venv $(VENV)

# A stamp is newer than pyproject.toml as long as the packages stand for it, so a second run installs nothing.
$(VENV)/.installed-%: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@
