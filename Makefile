# Needs Python 3.11 or newer, a C++ compiler and make. Everything else is set up once, in ~/.cache/board-agent.
PYTHON ?= python3

RUN_NEEDS   = python/requirements.txt simulator/requirements.txt
EVAL_NEEDS  = $(RUN_NEEDS) evals/requirements.txt
TRAIN_NEEDS = $(EVAL_NEEDS) training/requirements.txt
BENCH_NEEDS = $(EVAL_NEEDS) bench/requirements.txt
TEST_NEEDS  = $(BENCH_NEEDS) tests/requirements.txt

# Prints the Python of an environment that has what the named files ask for, and makes it first when there is none.
SETUP = $(PYTHON) -m simulator.setup
OLD = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Python 3.11 or newer is needed, and $(PYTHON) is not. Name another: make $@ PYTHON=python3.13" >&2; exit 1; }
RUN_PYTHON   = $(OLD); python=$$($(SETUP) $(RUN_NEEDS)) && exec "$$python"
EVAL_PYTHON  = $(OLD); python=$$($(SETUP) $(EVAL_NEEDS)) && exec "$$python"
BENCH_PYTHON = $(OLD); python=$$($(SETUP) $(BENCH_NEEDS)) && exec "$$python"
TRAIN_PYTHON = $(OLD); python=$$($(SETUP) $(TRAIN_NEEDS)) && exec "$$python"
TEST_PYTHON  = $(OLD); python=$$($(SETUP) $(TEST_NEEDS)) && "$$python"

.PHONY: help run test eval bench specialist specialist-merged lint format clean

help:
	@echo "make run      run the app on a simulated board (BOARD=show draws the board in the terminal)"
	@echo "make test     check the code and run all tests"
	@echo "make eval     ask the small model a set of questions (more with ARGS, see make eval ARGS=--help)"
	@echo "make bench    measure what a question costs, in tokens, with this app and with a plain loop"
	@echo "make specialist         train the small model of models/ anew, in about an hour (more with ARGS)"
	@echo "make specialist-merged  write the small model as one file, for a board, and measure it"
	@echo "make lint     check the code only"
	@echo "make format   format the code"
	@echo "make clean    remove what tests and tools left here; what is set up outside stays"

run:
	@$(RUN_PYTHON) -m simulator

test: lint
	@$(TEST_PYTHON) -m simulator.llama_server && \
	"$$python" -m pytest --cov --cov-report=term:skip-covered --cov-fail-under=90

eval:
	@$(EVAL_PYTHON) -m evals $(ARGS)

bench:
	@$(BENCH_PYTHON) -m bench

# A thread that waits for the others spins otherwise, and takes what they need on a busy machine.
specialist:
	@export OMP_WAIT_POLICY=passive; $(TRAIN_PYTHON) -m training make $(ARGS)

specialist-merged:
	@$(TRAIN_PYTHON) -m training merged --measure

lint:
	@$(TEST_PYTHON) -m ruff check . && "$$python" -m ruff format --check . && "$$python" -m mypy

format:
	@$(TEST_PYTHON) -m ruff format . && "$$python" -m ruff check --fix .

clean:
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
