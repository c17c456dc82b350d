"""Sets up the Python environment of `make run` and `make test`, once, outside the repository.

    python3 -m simulator.setup FILE...

prints the path of a Python that has what the requirements files name. It needs nothing but the standard library.
An environment belongs to its requirements and to its Python: when either changes, a new one is made. It counts only
when its stamp is there, so one that was interrupted is made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from simulator import cache_dir, say

Step = tuple[int, int]  # how many are done, of how many


class SetUpError(Exception):
    """Set-up cannot go on: what is missing, and what to do."""


class Progress:
    """How far a long step is: one line that changes on a terminal, a line every tenth elsewhere."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._tenth = 0
        self._live = sys.stderr.isatty()
        say(f"{what} ...")

    def at(self, done: int, total: int) -> None:
        """`done` of `total` are done."""
        if self._live:
            print(f"\r  {done} of {total} ", end="", file=sys.stderr, flush=True)
        elif done * 10 // total > self._tenth:
            self._tenth = done * 10 // total
            say(f"{self._what}: {done} of {total}")

    def end(self) -> None:
        """The step is over, well or not."""
        if self._live:
            print("\r" + " " * 30 + "\r", end="", file=sys.stderr, flush=True)


@contextmanager
def only_one(name: str) -> Iterator[None]:
    """Let one process at a time set up `name`. The lock goes with the process, however that ends."""
    cache_dir().mkdir(parents=True, exist_ok=True)
    with (cache_dir() / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Waiting for another set-up of {name} to end ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run_step(what: str, command: Sequence[str | Path], parse: Callable[[str], Step | None]) -> None:
    """Run a long command, showing how far it is. Its output is shown only when it fails: SetUpError.

    `parse` reads one line of output and says how far the command is, or None.
    """
    progress = Progress(what)
    output: list[str] = []
    try:
        with subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            try:
                assert process.stdout is not None  # noqa: S101
                for line in process.stdout:
                    output.append(line.rstrip())
                    step = parse(line)
                    if step:
                        progress.at(*step)
            except BaseException:
                process.terminate()
                raise
    except FileNotFoundError as error:
        raise SetUpError(f"{command[0]} cannot be run: {error.strerror}.") from error
    finally:
        progress.end()
    if process.returncode:
        raise SetUpError("\n".join([*output[-30:], f"{what}: failed, see above. What was done is kept; try again."]))


def environment(files: Sequence[Path]) -> Path:
    """The Python of an environment that has everything the requirements files pin; made when it is not there yet."""
    texts = [file.read_text(encoding="utf-8") for file in files]
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    key = hashlib.sha256("\0".join([sys.version, sys.base_prefix, *texts]).encode()).hexdigest()[:12]
    home = cache_dir() / f"python-{version}-{key}"
    python, stamp = home / "bin" / "python", home / "complete"
    if stamp.exists():
        return python
    with only_one("python"):
        if stamp.exists():
            return python
        shutil.rmtree(home, ignore_errors=True)
        _create(home, python)
        pins = sum(1 for text in texts for line in text.splitlines() if "==" in line.partition("#")[0])
        collected: list[str] = []

        def parse(line: str) -> Step | None:
            if line.startswith("Collecting "):
                collected.append(line)
                return min(len(collected), pins), pins
            return None

        options = ["--disable-pip-version-check", "--progress-bar", "off"]
        names = [word for file in files for word in ("-r", str(file))]
        run_step(f"Installing {pins} Python packages", [str(python), "-m", "pip", "install", *options, *names], parse)
        stamp.touch()
    return python


def _create(home: Path, python: Path) -> None:
    """An empty environment with pip in it. Debian keeps `ensurepip` in a package of its own."""
    if importlib.util.find_spec("ensurepip"):
        run_step("Making a Python environment", [sys.executable, "-m", "venv", home], lambda _: None)
    elif importlib.util.find_spec("venv") and importlib.util.find_spec("pip"):
        run_step("Making a Python environment", [sys.executable, "-m", "venv", "--without-pip", home], lambda _: None)
        command = [sys.executable, "-m", "pip", "--python", str(python), "install", "pip"]
        run_step("Putting pip into it", command, lambda _: None)
    else:
        raise SetUpError(
            f"{sys.executable} cannot make a virtual environment: it has neither `ensurepip` nor `pip`.\n"
            "On Debian or Ubuntu: sudo apt install python3-venv. Then try again."
        )


def main() -> int:
    """Print the path of the environment's Python; all else goes to stderr."""
    try:
        print(environment([Path(name) for name in sys.argv[1:]]))
    except SetUpError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("Interrupted. The next start goes on from here.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
