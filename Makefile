# A machine needs Python >= 3.11 with venv, and make; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test test-browser pythons check static site docs thorough gates fix bench instructions worlds crafter differential running functions hunt hostile independent mutants seeded engines release clean
# Also under `make -j`: the parts of check go in order of speed, and gates reads what thorough measured.
.NOTPARALLEL:

# The tests start hundreds of processes, each of which would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

# run: watch a soldier decide
run: .venv/.ready
	$(BIN)/bthtn run soldier

# A process for each core; a file's tests stay together, for a document is read from its beginning.
PYTEST := -m pytest --numprocesses auto --dist loadscope

# test: whatever a change can break, the code in docs/ included, in two to three minutes on two cores;
# `make test COVERAGE=1` measures which lines that runs, for gates, and takes twice as long
test: .venv/.ready
	$(if $(COVERAGE),$(BIN)/coverage erase)
	$(BIN)/$(if $(COVERAGE),coverage run,python) $(PYTEST) -m "not slow and not browser"
	$(if $(COVERAGE),$(BIN)/coverage combine --quiet)

# pythons: the tests of `make test` with every other Python that bthtn supports and this machine has
VERSIONS := 3.11 3.12 3.13
pythons: .venv/.ready
	@for version in $(VERSIONS); do \
		own=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
		[ $$version = $$own ] && continue; \
		for python in python$$version "$$HOME"/.pyenv/versions/$$version.*/bin/python ""; do \
			"$$python" -c '' 2>/dev/null && break; \
		done; \
		[ "$$python" ] || { echo "Python $$version is not here, so it is left out."; continue; }; \
		echo "Python $$version:"; other=.venv/python$$version/bin/python; \
		[ -x $$other ] || "$$python" -m venv .venv/python$$version || exit 1; \
		$$other -m pip install --quiet --disable-pip-version-check --editable ".[dev]" || exit 1; \
		$$other $(PYTEST) -m "not slow and not browser" || exit 1; \
	done

# check: everything that must pass before a change is taken, the fastest first; takes a quarter of an hour
check: COVERAGE = 1
check: static test pythons gates site thorough

# static: what is checked without running the code: format and style; and import contracts and types, in
# the unpacked wheel, where the examples lie in the package that they are imported from
static: .venv/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	rm -rf out/wheel
	$(BIN)/hatchling build -t wheel -d out/wheel
	$(BIN)/python -m zipfile -e out/wheel/*.whl out/wheel
	cd out/wheel && ../../$(BIN)/lint-imports --no-logo --no-cache ../../pyproject.toml
	$(BIN)/mypy out/wheel/bthtn tests/typing/api.py

# site: the manual with an API reference, as a site in out/site; a broken link is an error
site: .venv/.ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# docs: draw the pictures of README and the manual anew from the shipped examples; needs Graphviz
# and Chromium.
# The tests of the manual say which pictures show something else by now.
docs: .venv/.ready
	REDRAW=1 $(BIN)/python -m pytest -q docs tests/corpus/test_pictures.py
	REDRAW=1 $(MAKE) --no-print-directory test-browser ONLY="squad or film"

# thorough: what test leaves out: the slow tests, and those whose size the profile sets, at full size;
# not measured for coverage, which takes three times as long
thorough: .venv/.ready
	$(BIN)/python $(PYTEST) --hypothesis-profile thorough -m "(slow or sized) and not long and not browser"

# gates: every package is covered as well as pyproject.toml demands, judged by the last
# `make test COVERAGE=1`; planning takes as many expansions, and acting no more instructions, than
# benchmarks/counts.toml says; instructions are counted where there is valgrind, in half a minute
gates: .venv/.ready
	$(BIN)/coverage report
	$(BIN)/coverage json -q -o - | $(BIN)/python tests/coverage_gates.py
	$(BIN)/python -m pytest -q benchmarks -k expansions
	$(BIN)/python -m benchmarks.instructions --check

# fix: let ruff mend what it can
fix: .venv/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# bench: how fast it is on this machine, next to other planners; information, not a gate; twenty minutes;
# `make bench WRITE=--write-docs` puts the tables into docs/benchmarks.md
WRITE ?=
bench: .venv/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	$(BIN)/python -m pytest -q benchmarks
	$(BIN)/python -m benchmarks.felt $(WRITE)
	$(BIN)/python -m benchmarks.crowd $(WRITE)
	$(BIN)/python -m benchmarks $(WRITE)
	$(BIN)/python -m benchmarks.searches $(WRITE)
	$(BIN)/python -m benchmarks.growth $(WRITE)
	$(BIN)/python -m benchmarks.cold $(WRITE)
	$(BIN)/python -m benchmarks.writes $(WRITE)
	$(BIN)/python -m benchmarks.seeing $(WRITE)
	$(BIN)/python -m benchmarks.scenarios $(WRITE)
	$(BIN)/python -m benchmarks.goals $(WRITE)

# instructions: how many of them plans, characters and changes take, which repeats where times do not,
# and whether any takes more than benchmarks/counts.toml says; needs valgrind, two minutes
instructions: .venv/.ready
	$(BIN)/python -m benchmarks.instructions
	$(BIN)/python -m benchmarks.instructions --check

# worlds: a hundred games in each of several levels of MiniGrid; 1 when too few of them are won
worlds: .venv/.ready
	$(BIN)/python -m pytest -q tests/trees/explorer/levels.py
	$(BIN)/python -m benchmarks.worlds --write-docs

# crafter: the registered experiment of docs/crafter.md, played by the code of the commit that registered it:
# five arms, two hundred games each; what is kept in out/crafter is not played again; an hour on two cores
REGISTERED := 50e5d20e
crafter: .venv/.ready
	@git cat-file -e $(REGISTERED)^{commit} 2>/dev/null || { \
		echo "make crafter plays with the code of commit $(REGISTERED), which is not here: clone the whole repository" >&2; \
		exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[crafter,scale]"
	rm -rf out/registered && mkdir -p out/registered
	git archive $(REGISTERED) | tar -x -C out/registered
	cd out/registered && ../../$(BIN)/python -m pytest -q benchmarks/test_crafter.py benchmarks/test_crafter_results.py
	cd out/registered && ../../$(BIN)/python -m benchmarks.crafter --seeds 1000-1199 --file ../crafter/evaluation.jsonl

# differential: random problems, 5,000 for each property on which the reference and the search have to
# agree, more than 100,000 in all; half an hour on two cores; `make differential SEED=2` draws others
SEED ?= 1
differential: .venv/.ready
	$(BIN)/python $(PYTEST) --hypothesis-profile night --hypothesis-seed $(SEED) -m "not slow" \
		tests/properties/test_search_and_reference.py tests/properties/test_bounded.py \
		tests/properties/test_budget.py tests/properties/test_trace.py tests/properties/test_cheapest.py \
		tests/properties/test_values.py tests/properties/test_avoided.py tests/properties/test_check_rest.py \
		tests/properties/test_suspension.py tests/properties/test_constructs.py

# running: 100,000 random ticks of PlanGoal against the running reference, in which it has to do the same in each;
# two minutes; `make running SCENES=20000 FIRST=4500` runs others
SCENES ?= 4500
FIRST ?= 0
running: .venv/.ready
	$(BIN)/python -W ignore -m tests.engine.running --scenes $(SCENES) --first $(FIRST)

# hunt: new examples for every test that draws some, until one of them fails or you stop it; its number
# is the seed that `make hunt SEED=...` begins with. What it finds becomes a test with a name.
hunt: .venv/.ready
	for seed in $$(seq $(SEED) $$(($(SEED) + 10000))); do \
		echo "make hunt SEED=$$seed"; \
		$(BIN)/python $(PYTEST) --hypothesis-profile hunt --hypothesis-seed $$seed --randomly-seed $$seed \
			-m "sized and not long and not browser" tests || exit 1; \
	done

# functions: 100,000 questions about functions with tables, loops, helpers and the like in them, each asked three
# times by find_plan, a Planner, in slices and by an agent, against the reference; on one core, twenty minutes;
# `make functions QUESTIONS=1000 SEED=2`
QUESTIONS ?= 100000
functions: .venv/.ready
	$(BIN)/python -W ignore -m tests.properties.asked_often --questions $(QUESTIONS) --seed $(SEED)

# independent: 100,000 problems against brute force and a million events of random characters, half an hour
independent: .venv/.ready
	$(BIN)/python -W ignore -m tests.independent --problems 100000 --events 1000000 --seed 1

# hostile: the command under hundreds of hostile lines and of signals at random moments, and 10,000
# damaged recordings and plans; seven minutes
hostile: .venv/.ready
	$(BIN)/python $(PYTEST) -m long

# test-browser: the page of the viewer in a real Chromium; screenshots stay in out/screenshots
test-browser: .venv/.ready
	@command -v chromium >/dev/null || { echo "It needs Chromium: apt-get install chromium" >&2; exit 1; }
	@echo "Installing playwright into .venv, which drives Chromium."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[browser]"
	$(BIN)/python -m pytest -p no:randomly tests/browser -k "$(ONLY)"

# mutants: two hundred small faults, one at a time: does `make test` notice what `make thorough` does?
mutants: .venv/.ready
	$(BIN)/python -m tests.mutation

# seeded: faults of domains, trees and the engine, one at a time: cases, scenarios and fuzzing have to
# find each; writes tests/seeded/found.md; a quarter of an hour on two cores
seeded: .venv/.ready
	$(BIN)/python -m tests.seeded

# engines: what `bthtn bindings` writes is compiled, and plays two games over 2,000 ticks in C++, C#, TypeScript and
# Godot 3, and one in Chromium, as Python does; needs g++, mono-mcs, nodejs, npm, godot3-server and chromium; a few minutes
engines: .venv/.ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[browser]"
	$(BIN)/python -W ignore -m tests.engines_run

# release: the wheel and the sdist of what was committed, in dist/, checked and tried, all but uploaded;
# docs/releasing.md says what comes before and after
release: .venv/.ready
	@[ -z "$$(git status --porcelain)" ] || { echo "Commit first: the sdist has every file that is here." >&2; exit 1; }
	rm -rf dist out/release
	$(BIN)/hatchling build
	$(BIN)/python -m venv out/release/tools
	out/release/tools/bin/python -m pip install --quiet --disable-pip-version-check twine
	out/release/tools/bin/twine check --strict dist/*
	for file in dist/*; do \
		$(BIN)/python -m venv --clear out/release/empty || exit 1; \
		out/release/empty/bin/python -m pip install --quiet --disable-pip-version-check "$$file[cli]" || exit 1; \
		(cd out/release && empty/bin/bthtn --version && empty/bin/bthtn list && empty/bin/bthtn run soldier --json) \
			> out/release/$$(basename $$file).txt || exit 1; \
	done
	@echo "Not uploaded. To do that: out/release/tools/bin/twine upload dist/*"

# clean: remove everything that the other targets made
clean:
	rm -rf .venv .coverage .coverage.* .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	rm -rf build dist out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One environment, with the developers' tools, for every target: `run` alone could do with less, but a
# second, leaner state of .venv would be one more thing to be wrong.
.venv/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "bthtn needs Python 3.11 or newer, and '$(PYTHON)' is not." \
			"Name one that is: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@echo "Building .venv; this happens once and takes a minute."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@
