# sacma: `make run` shows the study in small, `make test` runs the tests. `make help` lists the rest.
# Needs Python >= 3.11 and make; everything else is installed into .venv.

PYTHON ?= python3
JOBS ?=
VENV := .venv
BIN := $(VENV)/bin
SACMA := $(BIN)/sacma
JOBS_OPTION := $(if $(JOBS),--jobs $(JOBS),)

# The six algorithms of the study, in the order of the paper.
CONFIGS := $(addprefix configs/,cmaes.yaml gp1.yaml gp5.yaml ada_kl.yaml ada_kendall.yaml ada_rd.yaml)

# The reduced protocol: two functions of each of bbob's five groups, 360 trials.
REDUCED := --functions 1,3,6,8,10,13,15,17,20,21 --dimensions 2,5 --instances 1-3 --budget 100

.DEFAULT_GOAL := help
# The processes of a test are many; each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help run reproduce sweep smoke test lint types ci dist compat torture mutants bench readings attribution ablation install install-dev docs reference tape gallery format clean distclean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: install ## the study in small: six algorithms, and their report (minutes)
	@$(SACMA) run $(CONFIGS) $(REDUCED) --results results/quick $(JOBS_OPTION)
	@$(SACMA) postprocess results/quick

reproduce: install ## the paper's protocol in full, and its claims (hours)
	@$(SACMA) plan configs/as_run/*.yaml $(CONFIGS) --results results/study $(JOBS_OPTION)
	@$(SACMA) run configs/as_run/*.yaml $(CONFIGS) --results results/study $(JOBS_OPTION)
	@$(SACMA) postprocess results/study
	@$(BIN)/python -m reproduction.tables results/study

# Some 10 CPU minutes: 5 to 6 minutes on 2 cores.
sweep: install ## the paper's Table 1 in small: 108 settings in 2-D (minutes)
	@$(SACMA) sweep configs/sweeps/paper_table1.yaml --dimensions 2 --instances 1-3 --results results/sweep $(JOBS_OPTION)

smoke: install ## one algorithm on one function, from config to page (seconds)
	@$(SACMA) run configs/ada_kendall.yaml --functions 1 --dimensions 2 --instances 1-2 --budget 50 --results results/smoke
	@$(SACMA) postprocess results/smoke

test: install-dev ## the whole test suite
	@$(BIN)/python -m pytest -n auto --dist loadgroup

lint: install-dev ## ruff: rules and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: install-dev ## mypy, strict, as on Linux, macOS and Windows
	@$(BIN)/mypy
	@$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	@$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 --no-warn-unused-ignores  # it skips lines of POSIX

ci: test lint types docs smoke ## the checks that a change must pass

dist: install-dev ## wheel and sdist of the last commit, built twice and compared
	@$(BIN)/python tools/build_twice.py

# Python 3.13 of somewhere else: make compat PYTHONS="python3.11 /opt/python/bin/python3.13"
PYTHONS ?= python3.11 python3.12 python3.13 python3.14

compat: dist ## the wheel with oldest and newest dependencies (minutes)
	@$(BIN)/python tools/compat.py $(PYTHONS)

torture: install-dev ## tests of docs/reliability.md in full (half an hour)
	@$(BIN)/python -m pytest -m torture -s
	@$(BIN)/python -m pytest -q -s tests/torture tests/experiment/test_isolation.py
	@$(BIN)/python -m pytest -q -n auto --hypothesis-profile=new $$(grep -rl "^from hypothesis" tests --include="test_*.py")

bench: install-dev docs ## CPU time of fits, trials, ask and tell, a report (minutes)
	@for name in gp_fit trial_cost overhead postprocessing; do $(BIN)/python -m benchmarks.$$name || exit 1; done
	@$(BIN)/python tools/first_picture.py

readings: install ## open readings of the paper's text and code (hours)
	@$(BIN)/python -m reproduction.open_readings --dimensions 2,5 $(JOBS_OPTION)
	@$(BIN)/python -m reproduction.open_readings --dimensions 10 --instances 1-3 $(JOBS_OPTION)
	@$(BIN)/python -m reproduction.open_readings --dimensions 20 --instances 1 $(JOBS_OPTION)

attribution: install ## which difference of text and code moves what (hours)
	@$(BIN)/python -m reproduction.attribution $(JOBS_OPTION)

ablation: install ## what each part and constant of sacma contributes (hours)
	@$(BIN)/python -m benchmarks.ablation $(JOBS_OPTION)
	@$(BIN)/python -m benchmarks.ablation --of constants $(JOBS_OPTION)

mutants: install-dev ## do tests notice 200 faults in the science? (half an hour)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'cosmic-ray>=8.4'
	@$(BIN)/python tools/mutants.py

docs: install-dev ## the documentation site, in site/; warnings are errors
	@$(BIN)/python tools/reference.py --check
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo site/index.html

reference: install-dev ## update the reference pages: commands, keys
	@$(BIN)/python tools/reference.py

tape: install-dev ## update the outputs of commands in the tutorial (minutes)
	@$(BIN)/python tools/tape.py

# Outcomes of docs/comparison.md's algorithms, those of the paper as it says.
COMPARED := data/comparison data/reproduction data/family --without '*-as-run' --dimensions 2,3,5,10,20

gallery: install-dev ## update data, gallery and pictures of the site (minutes)
	@$(BIN)/python -m benchmarks.comparison $(COMPARED) --csv docs/data/comparison.csv --ranks docs/data/comparison_ranks.csv --report build/comparison
	@$(BIN)/python tools/gallery.py build/comparison
	@$(BIN)/python tools/pictures.py build/comparison
	@$(BIN)/python tools/screens.py

format: install-dev ## format the code and apply ruff's fixes
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

install: $(VENV)/.installed ## install sacma into .venv

install-dev: $(VENV)/.installed-dev ## install sacma with the tools of tests and linters

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"sacma needs Python >= 3.11, $(PYTHON) is {sys.version.split()[0]}; try: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing sacma into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "installing the tools of tests and linters ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean: ## remove caches and build results
	rm -rf build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks reproduction tools -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## clean, and remove .venv; results stay
	rm -rf $(VENV)
