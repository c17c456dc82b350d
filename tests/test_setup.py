"""The set-up of `make run` and `make test`: once, resumable, and one at a time."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simulator import setup

LIMIT_S = 20.0
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BOARD_AGENT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def needs(tmp_path: Path) -> Path:
    file = tmp_path / "requirements.txt"
    file.write_text("# two packages\none==1.0\ntwo==2.0  # the other\n")
    return file


class Pip:
    """Stands for a new environment whose Python notes what it is asked to install."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[Path] = []
        self.status = 0
        monkeypatch.setattr(setup, "_create", self.create)

    def create(self, home: Path, python: Path) -> None:
        self.made.append(home)
        python.parent.mkdir(parents=True)
        script = (
            f"#!/bin/sh\necho Collecting one\necho Collecting two\necho \"$@\" > '{home}/asked'\nexit {self.status}\n"
        )
        python.write_text(script)
        python.chmod(0o755)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    return Pip(monkeypatch)


def test_an_environment_is_made_once_with_what_the_files_name(pip: Pip, needs: Path) -> None:
    python = setup.environment([needs])
    assert setup.environment([needs]) == python
    assert len(pip.made) == 1
    asked = (pip.made[0] / "asked").read_text()
    assert asked.startswith("-m pip install ")
    assert asked.endswith(f"-r {needs}\n")


def test_an_environment_of_other_requirements_is_another_one(pip: Pip, needs: Path) -> None:
    first = setup.environment([needs])
    needs.write_text("one==1.1\n")
    assert setup.environment([needs]) != first
    assert first.exists()


def test_an_environment_that_was_not_finished_is_made_again(pip: Pip, needs: Path) -> None:
    pip.status = 1
    with pytest.raises(setup.SetUpError, match="Collecting two"):
        setup.environment([needs])
    pip.status = 0
    assert setup.environment([needs]).exists()
    assert len(pip.made) == 2


def test_the_packages_are_counted_as_they_come(pip: Pip, needs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    setup.environment([needs])
    shown = capsys.readouterr().err.splitlines()
    assert shown == ["Installing 2 Python packages ..."] + [f"Installing 2 Python packages: {n} of 2" for n in (1, 2)]


def test_without_venv_and_pip_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, needs: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(setup.SetUpError, match="sudo apt install python3-venv"):
        setup.environment([needs])


def test_without_ensurepip_the_pip_at_hand_fills_the_environment(
    monkeypatch: pytest.MonkeyPatch, needs: Path, cache: Path
) -> None:
    steps: list[str] = []
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ensurepip" else find_spec(name))
    cache.mkdir()
    monkeypatch.setattr(setup, "run_step", lambda what, command, parse: steps.append(" ".join(map(str, command))))
    with pytest.raises(FileNotFoundError):  # nothing was really made, so there is no place for the stamp
        setup.environment([needs])
    assert "-m venv --without-pip" in steps[0]
    assert "install pip" in steps[1]


def test_a_step_shows_its_output_only_when_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code = "print('[1/2] one'); print('[2/2] two'); raise SystemExit({})"
    setup.run_step("Trying", [sys.executable, "-c", code.format(0)], lambda _: None)
    assert capsys.readouterr().err == "Trying ...\n"
    with pytest.raises(setup.SetUpError, match=r"(?s)two.*Trying: failed"):
        setup.run_step("Trying", [sys.executable, "-c", code.format(3)], lambda _: None)


def test_a_step_that_does_not_exist_is_an_error_that_names_it() -> None:
    with pytest.raises(setup.SetUpError, match="no-such-program"):
        setup.run_step("Trying", ["no-such-program"], lambda _: None)


def test_two_at_once_do_it_one_after_the_other(cache: Path) -> None:
    code = (
        "import sys; from simulator.setup import only_one\n"
        "with only_one('it'):\n print('in', flush=True); sys.stdin.readline(); print('out', flush=True)"
    )

    def start() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", code]
        return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    first = start()
    assert first.stdout
    assert first.stdout.readline() == "in\n"
    second = start()
    assert second.stderr
    assert second.stderr.readline().startswith("Waiting for another set-up of it")
    first.kill()  # an interrupted one must not stand in the way
    first.wait(LIMIT_S)
    assert second.communicate("\n", timeout=LIMIT_S)[0] == "in\nout\n"
    first.communicate()


def test_a_step_ends_when_it_is_interrupted(tmp_path: Path) -> None:
    stamp = tmp_path / "late"
    code = f"import time, pathlib; print('go', flush=True); time.sleep(2); pathlib.Path({str(stamp)!r}).touch()"

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        setup.run_step("Trying", [sys.executable, "-c", code], interrupt)
    assert not stamp.exists(), f"it went on for {time.monotonic() - start:.1f} s"


def test_the_command_prints_the_python_and_nothing_else(
    pip: Pip, needs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["setup", str(needs)])
    assert setup.main() == 0
    assert capsys.readouterr().out == f"{pip.made[0] / 'bin' / 'python'}\n"
